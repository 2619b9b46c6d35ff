"""N games with one learner in each, all others played by opponents: what vector environments stand on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strand_env.adapters.moves import NOTHING_CHOSEN, find_moves
from strand_env.adapters.opponents import Opponents
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.scaling import scaled
from strand_env.adapters.table import ILLEGAL_REWARD, IllegalHandling, known_options
from strand_env.agents import AnyAgent
from strand_env.engine.checks import one_of
from strand_env.engine.game import Game
from strand_env.engine.protocol import REWARD_KINDS, Batch, IllegalAction, RewardKind
from strand_env.engine.randomness import Streams, seeds_of_single_games

Seat = int | Literal["random"]

BEFORE_THE_GAME = -1  # a number of moves


@dataclass(slots=True)
class Ending:
    """How a game has ended for its learner.

    The info is for the users of environments: the share of the win, the score and the rank (0 if the game was broken
    off by an illegal action, which is told, too), and the replay if it is kept.
    """

    game: int
    reward: float
    decisions: int
    seen: npt.NDArray[np.integer]  # the last observation, in the game's own whole numbers
    observation: npt.NDArray[np.float32]  # the same from 0 to 1
    info: dict[str, Any]


class Match:
    """One step of a match is a decision of each learner; what the others decide in between is played, too.

    `seat` is where the learners sit, or "random": another seat in each game, which its seed decides. An illegal action
    ends the game for -1, or with `illegal="raise"` it is an error, and nothing changes. Games that end are dealt anew.
    Of the first `record` games replays are kept. After each reset and step these hold what came of it:

    - `observations`: (games, entries) float32 from 0 to 1, `seen`: the same in the game's own whole numbers, `legal`:
      (games, actions) int8, `seats`: (games,), of the learners as the games stand now
    - `rewards`: (games,) float32; `over`: (games,) which games the last step has ended
    - `endings`: how these ended, in the order of their numbers
    """

    def __init__(
        self,
        game: Game,
        batch: Batch,
        seat: Seat = 0,
        opponents: str | AnyAgent | Sequence[str | AnyAgent] | Opponents = "random",
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        record: int = 0,
    ) -> None:
        one_of("reward", reward, REWARD_KINDS)
        one_of("illegal", illegal, get_args(IllegalHandling))
        self.game = game
        self.batch = batch
        if not isinstance(opponents, Opponents):
            opponents = Opponents(opponents, batch.num_players, batch.ruleset, game)
        self.opponents = opponents
        self.reward = reward
        self.illegal = illegal
        self.maximum = batch.observation_maximum.astype(np.float32)
        self.seats = np.zeros(batch.num_games, np.int64)
        self._seat = checked_seat(seat, batch.num_players)
        self._decisions = np.zeros(batch.num_games, np.int64)  # of the learners
        self._moves = np.zeros(batch.num_games, np.int64)  # of the games, by whomever
        self.recorder = Recorder(game, batch, record)
        # Room for what is found before each move
        self._all = np.arange(batch.num_games)
        self._found_games = np.empty(batch.num_games, np.int64)
        self._found_actions = np.empty((batch.num_games, batch.num_players), np.int64)
        self._asked = np.empty((4, batch.num_games * batch.num_players), np.int64)
        self._streams = np.empty(batch.num_games * batch.num_players, np.uint64)
        self._found = np.zeros(2, np.int64)
        self.reset()

    def reset(self, seeds: npt.ArrayLike | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deals all games, and plays on to the learners' first decisions.

        With seeds, one for each, a game is the one that an environment of one game has with that seed; without, the one
        that follows the last. Options are what the batch takes for dealing.
        """
        deal_all(self.batch, seeds, options)
        self._whole = False
        self._begin(self._all)
        self._look_afresh()

    def save(self) -> dict[str, Any]:
        """Where all games stand, as plain data for JSON."""
        check_whole(self._whole)
        games = [self.batch.snapshot(game) for game in range(self.batch.num_games)]
        return {"games": games, "moves": self._moves.tolist(), "decisions": self._decisions.tolist()}

    def restore(self, saved: Mapping[str, Any], **options: Any) -> None:
        """Goes on exactly from where it was saved; options are those of the batch. Recordings begin anew."""
        batch = type(self.batch).from_snapshots(saved["games"], **options)
        if (batch.num_games, batch.num_players) != (self.batch.num_games, self.batch.num_players):
            raise ValueError(
                f"saved: expected {self.batch.num_games} games of {self.batch.num_players} players, "
                f"got {batch.num_games} of {batch.num_players}"
            )
        self.batch = batch
        self._moves[:] = saved["moves"]
        self._decisions[:] = saved["decisions"]
        self.seats = seats_of(self._seat, batch.seeds, batch.num_players)
        self.recorder = Recorder(self.game, batch, len(self.recorder))
        self.recorder.begin(self._all)
        self._look_afresh()

    def _look_afresh(self) -> None:
        """No step has been made yet."""
        self._look()
        self._whole = True
        self.rewards = np.zeros(self.batch.num_games, np.float32)
        self.over = np.zeros(self.batch.num_games, np.bool_)
        self.endings: list[Ending] = []

    def step(self, actions: npt.ArrayLike) -> None:
        """A decision of each learner. If an opponent fails in it, the match has to be reset before it can go on."""
        check_whole(self._whole)
        chosen = checked_choices(actions, self.legal)
        offended = self.legal[self._all, chosen] == 0
        offences = offended.any()
        if offences and self.illegal == "raise":
            game = int(offended.argmax())
            raise illegal_action(game, self.seats[game], chosen[game], self.legal[game])
        self._whole = False
        self._decisions += 1
        games = np.flatnonzero(~offended) if offences else self._all
        self._play(games, chosen)
        self.over = self.batch.over | offended
        self.rewards = np.zeros(self.batch.num_games, np.float32)
        self.endings = []
        ended = np.flatnonzero(self.over)
        if len(ended):
            self._end(ended, offended, chosen)
            self.batch.reset(ended)
            self._begin(ended)
        self._look()
        self._whole = True

    def _end(
        self, ended: npt.NDArray[np.int64], offended: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]
    ) -> None:
        """Notes how these games have ended for their learners."""
        seats = self.seats[ended]
        own = self.batch.rewards(self.reward, ended)[np.arange(len(ended)), seats]
        rewards = np.where(offended[ended], ILLEGAL_REWARD, own)
        self.rewards[ended] = rewards
        results = self.batch.results(ended, seats)
        rows = zip(*(values.tolist() for values in results.values()), strict=True)
        infos = [dict(zip(results, row, strict=True)) for row in rows]
        observations, _ = self.batch.look_at_rows(ended, seats)
        last = observations, scaled(observations, self.maximum)
        numbers = ended.tolist(), rewards.tolist(), self._decisions[ended].tolist()
        self.endings = list(map(Ending, *numbers, *last, infos))
        for index in np.flatnonzero(offended[ended]):
            self.endings[index].info["illegal_action"] = int(chosen[ended[index]])
        for index in np.flatnonzero(ended < len(self.recorder)):
            self.endings[index].info["replay"] = self.recorder.replay(int(ended[index]))

    def _begin(self, games: npt.NDArray[np.int64]) -> None:
        """Games that have just been dealt, up to the learners' first decisions."""
        while len(games):
            self._moves[games] = 0
            self._decisions[games] = 0
            self.seats[games] = seats_of(self._seat, self.batch.seeds[games], self.batch.num_players)
            self.recorder.begin(games)
            self._play(games)
            games = games[self.batch.over[games]]  # without any decision of the learner: nothing to learn
            if len(games):
                self.batch.reset(games)

    def _play(self, games: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64] = NOTHING_CHOSEN) -> None:
        """Plays these games, beginning with what the learners chose, until they have to decide again or the end."""
        batch = self.batch
        if self.opponents.random and not len(self.recorder):
            batch.play_on(self.seats[games], chosen[games] if len(chosen) else None, games, self._moves)
            return
        seeds = batch.seeds
        room = self._found, self._found_games, self._found_actions, self._asked, self._streams
        while True:
            known = batch.to_act, self.seats, chosen, seeds, self._moves, batch.pass_action
            find_moves(1, len(games), games, *known, *room)
            num_games, num_asked = self._found.tolist()
            if not num_games:
                return
            games, chosen = self._found_games[:num_games].copy(), NOTHING_CHOSEN
            actions = self._found_actions[:num_games]
            if num_asked:
                asked, seats, distances, places = self._asked[:, :num_asked]
                rng = Streams(self._streams[:num_asked])
                actions.reshape(-1)[places] = self.opponents.act(batch, asked, seats, distances, rng)
            batch.step(actions, games)
            self.recorder.add(games, actions)

    def _look(self) -> None:
        self.seen, self.legal = self.batch.look_at_rows(self._all, self.seats)
        self.observations = scaled(self.seen, self.maximum)


def check_whole(whole: bool) -> None:
    """Refuses to go on after a step of which only a part was done."""
    if not whole:
        raise RuntimeError("an opponent failed in the middle of a step: reset the environment before it goes on")


def illegal_action(game: int, player: int, action: int, mask: npt.NDArray[np.int8]) -> IllegalAction:
    legal = np.flatnonzero(mask).tolist()
    return IllegalAction(f"game {game}, player {player}: action {action} is not legal; legal: {legal}")


def deal_all(batch: Batch, seeds: npt.ArrayLike | None, options: Mapping[str, Any] | None) -> None:
    """Deals all games of a batch, each as an environment of one game would with that seed and these options."""
    deal_options, snapshot = known_options(batch, options)
    if snapshot is not None:
        raise ValueError("options: a snapshot is for environments of one game")
    batch.reset(seed=None if seeds is None else seeds_of_single_games(seeds, batch.num_games), **deal_options)


def checked_choices(actions: npt.ArrayLike, legal: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """One action for each row of masks, legal or not. What is not in the action space is an error of the program."""
    chosen = np.asarray(actions)
    rows, num_actions = legal.shape
    if chosen.shape != (rows,) or chosen.dtype.kind not in "iu":
        raise ValueError(f"actions: expected {rows} whole numbers, got {chosen.dtype} {chosen.shape}")
    if not (chosen.min() >= 0 and chosen.max() < num_actions):
        raise ValueError(f"actions: expected numbers from 0 to {num_actions - 1}, got {chosen}")
    return chosen.astype(np.int64)


def checked_seat(seat: Seat, num_players: int) -> Seat:
    """The seat, if there is one like that."""
    is_number = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if seat == "random" or (is_number and 0 <= seat < num_players):
        return seat
    raise ValueError(f"seat: expected a number from 0 to {num_players - 1} or 'random', got {seat!r}")


def seats_of(seat: Seat, seeds: npt.NDArray[np.uint64], num_players: int) -> npt.NDArray[np.int64]:
    """Where the learners sit in the games with these seeds."""
    if seat == "random":
        return Streams.of_decisions(seeds, BEFORE_THE_GAME, np.zeros(len(seeds), np.int64)).integers(num_players)
    return np.full(len(seeds), seat, np.int64)
