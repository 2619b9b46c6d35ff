"""N games with one learner in each and opponents in all other seats: the basis of all single-learner environments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from strand_env.adapters.dealing import Options, deal, taken_up
from strand_env.adapters.moves import find_moves
from strand_env.adapters.opponents import Opponents
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.referee import IllegalHandling, Referee, checked_choices
from strand_env.adapters.scaling import encoding_in
from strand_env.adapters.seats import Seat, seats_of
from strand_env.adapters.shaping import Shaping
from strand_env.agents import AnyAgent, Memory
from strand_env.engine.checks import checked_seat, entries, fields_of, whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import OPEN, Batch, IllegalAction, RewardKind, Snapshot
from strand_env.engine.randomness import Streams

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

MOST_MOVES = 1_000_000  # in a game
_NOT_DEALT = "no game has been dealt: reset the environment first"
_BROKEN_OFF = "an opponent failed in the middle of a step: reset the environment before it goes on"


@dataclass(slots=True)
class Ending:
    """How a game has ended for its learner.

    The info is for the users of environments: the share of the win, the score and the rank (0 if the game was broken
    off by an illegal action, which is there, too), unless it was truncated; and the replay if it is kept.
    """

    game: int
    reward: float  # without shaping
    decisions: int
    seen: npt.NDArray[np.integer]  # the last observation, in the game's own whole numbers
    observation: npt.NDArray[np.float32]  # the same encoded
    info: dict[str, Any]


class Match:
    """One step of a match is a decision of each learner; what the others decide in between is played, too.

    `seat` is where the learners sit, or "random": another seat in each game, which its seed decides. `reward` and
    `illegal` are as in `Referee`. Finished games are auto-reset according to `autoreset_mode`, as Gymnasium
    defines it: in the same step; in the next one, which ignores their actions; or not, so that they have to be reset
    before the next step. Games are truncated after `max_episode_steps` decisions of their learners. Of the first
    `record` games replays are kept. Observations are in the game's encoding of that name, or its default one; rewards
    may be shaped. After each reset and step, these attributes hold the result:

    - `observations`: (games, entries) float32, `seen`: the same in the game's own whole numbers, `legal`:
      (games, actions) int8, `seats`: (games,), of the learners as the games stand now
    - `rewards`: (games,) float32; `over`, `truncated`: (games,) which games the last step has ended, and broken off
    - `endings`: how these ended, in the order of their numbers
    - `finished`: (games,) which have ended and are not dealt again yet
    """

    observations: npt.NDArray[np.float32]
    seen: npt.NDArray[np.integer]
    legal: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float32]
    over: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    finished: npt.NDArray[np.bool_]
    endings: list[Ending]

    def __init__(
        self,
        game: Game,
        batch: Batch,
        seat: Seat = 0,
        opponents: str | AnyAgent | Sequence[str | AnyAgent] | Opponents = "random",
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        record: int = 0,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        encoding: str | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        self.referee = Referee(reward, illegal)
        self.game = game
        self.batch = batch
        if not isinstance(opponents, Opponents):
            opponents = Opponents(opponents, batch.num_players, batch.ruleset, game)
        self.opponents = opponents
        self.encoding = encoding_in(game, batch, encoding)
        self.shaping = shaping
        self.seats = np.full(batch.num_games, -1)  # until the first reset
        self.recorder = Recorder(game, batch, record)
        self.autoreset_mode = autoreset_mode
        self.max_episode_steps = max_episode_steps
        self.endings = []
        self.finished = np.zeros(batch.num_games, np.bool_)
        self._seat = checked_seat("seat", seat, batch.num_players, ("random",))
        self._decisions = np.zeros(batch.num_games, np.int64)  # of the learners
        self._moves = np.zeros(batch.num_games, np.int64)  # of the games, by any player
        self._potentials = np.zeros(batch.num_games, np.float32)
        self._memory = Memory(batch.num_games, batch.num_players)  # of the opponents
        self._obstacle = _NOT_DEALT  # why no step can be made, if so
        # Room for what is found before each move
        self._all = np.arange(batch.num_games)
        self._none_chosen = np.full(batch.num_games, OPEN)
        self._found_games = np.empty(batch.num_games, np.int64)
        self._found_actions = np.empty((batch.num_games, batch.num_players), np.int64)
        self._asked = np.empty((4, batch.num_games * batch.num_players), np.int64)
        self._streams = np.empty(batch.num_games * batch.num_players, np.uint64)
        self._found = np.zeros(2, np.int64)

    def reset(
        self,
        seeds: npt.ArrayLike | None = None,
        options: Options = None,
        which: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Deals all games, or only some, by number, and plays on to the learners' first decisions.

        With seeds, one for each game of the batch, a game is the one that an environment of one game has with its seed;
        without, the one that follows the last. Options are what the batch takes for dealing.
        """
        if which is not None and len(which) < self.batch.num_games:
            self.check_ready()  # the others have to be games that can go on
        games = self._all if which is None else which
        deal(self.batch, games, seeds, options)
        self._obstacle = _BROKEN_OFF
        self._begin(games)
        self.finished[games] = False
        self._look_afresh()

    def resumed(self, snapshots: Sequence[Snapshot]) -> "Match":
        """A match like this one that plays on from snapshots to the learners' first decisions; this one stays.

        Opponents that remember have nothing to remember there.
        """
        batch = taken_up(self.batch, snapshots)
        rules = (
            self.referee.reward,
            self.referee.illegal,
            len(self.recorder),
            self.autoreset_mode,
            self.max_episode_steps,
            self.encoding.name,
            self.shaping,
        )
        match = Match(self.game, batch, self._seat, self.opponents, *rules)
        match._play_from_here(match._all)
        if batch.over.any():
            learner = match.seats[batch.over.argmax()]
            raise ValueError(f"snapshot: player {learner} has nothing to decide any more in this game")
        match._look_afresh()
        return match

    def save(self) -> dict[str, Any]:
        """Where all games stand, as plain data for JSON."""
        self.check_ready()
        games = [self.batch.snapshot(game) for game in range(self.batch.num_games)]
        counted = {"moves": self._moves.tolist(), "decisions": self._decisions.tolist()}
        remembered = {"memory": self._memory.save()} if self._memory.values.any() else {}
        return {"games": games, **counted, **remembered}

    def restore(self, saved: dict[str, Any]) -> None:
        """Goes on exactly from where it was saved. Recordings begin there."""
        fields_of("saved", saved, ("games", "moves", "decisions"), ("memory",))
        batch = taken_up(self.batch, saved["games"])
        if batch.num_games != self.batch.num_games:
            expected = f"{self.batch.num_games} games of {batch.num_players} players"
            raise ValueError(f"saved: expected {expected}, got {batch.num_games} of {batch.num_players}")
        counted = {name: entries(name, saved[name], batch.num_games) for name in ("moves", "decisions")}
        for moves, decisions in zip(*counted.values(), strict=True):
            whole_number("decisions", decisions, 0, whole_number("moves", moves, 0, MOST_MOVES))
        seats = seats_of(self._seat, batch.seeds, batch.num_players)
        if not batch.to_act[self._all, seats].all():
            raise ValueError("games: expected learners who have to decide")
        memory = Memory(batch.num_games, batch.num_players)
        if "memory" in saved:
            memory.restore(saved["memory"])
        self.batch, self._memory = batch, memory
        self._moves[:] = counted["moves"]
        self._decisions[:] = counted["decisions"]
        self.seats = seats
        self.recorder = Recorder(self.game, batch, len(self.recorder))
        self._look_afresh()

    def step(self, actions: npt.ArrayLike) -> None:
        """A decision of each learner. If an opponent fails in it, the match has to be reset before it can go on."""
        self.advance(*self.checked(actions))

    def checked(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """What the learners chose, and who chose what is illegal; raises an error if it cannot be played."""
        self.check_ready()
        again = np.flatnonzero(self.finished)
        if len(again) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(self._not_reset(again))
        chosen = checked_choices(actions, self.legal)
        if len(again):
            chosen[again] = self.legal[again].argmax(1)  # whatever is legal: these actions are ignored
        return chosen, self.referee.offended(self.batch, self._all, self.seats, chosen, self.legal)

    def advance(self, chosen: npt.NDArray[np.int64], offended: npt.NDArray[np.bool_]) -> None:
        """Plays what was checked."""
        again = np.flatnonzero(self.finished)
        self._obstacle = _BROKEN_OFF
        self._decisions += 1
        resting = offended | self.finished
        self._play(np.flatnonzero(~resting) if resting.any() else self._all, chosen)
        self._deal_next(again)
        self.over = self.batch.over | offended
        self.truncated = np.zeros(self.batch.num_games, np.bool_)
        if self.max_episode_steps is not None:
            self.truncated = ~self.over & (self._decisions >= self.max_episode_steps)
        self.finished = self.over | self.truncated
        self.rewards = np.zeros(self.batch.num_games, np.float32)
        self.endings = []
        ended = np.flatnonzero(self.finished)
        if len(ended):
            self._end(ended, offended, chosen)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                self._deal_next(ended)
        before = self._potentials
        self._look()
        if self.shaping is not None:
            self._shape(self.shaping, before, again)
        self._obstacle = ""

    @property
    def num_games(self) -> int:
        return self.batch.num_games

    @property
    def parts(self) -> Sequence["Match"]:
        """Of `Matches`; this one alone."""
        return (self,)

    def replay(self, index: int) -> "Replay":
        """A game so far, of those that are recorded."""
        return self.recorder.replay(index)

    def action_masks(self) -> npt.NDArray[np.int8]:
        """(games, actions): what the learners may do now."""
        self.check_ready()
        return self.legal.copy()

    def check_ready(self) -> None:
        """Refuses to go on before the first game is dealt, and after a step of which only a part was done."""
        if self._obstacle:
            raise RuntimeError(self._obstacle)

    def _end(
        self, ended: npt.NDArray[np.int64], offended: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]
    ) -> None:
        """Notes how these games have ended for their learners."""
        seats, offenders = self.seats[ended], np.flatnonzero(offended)
        paid = self.referee.rewards(self.batch, ended, offenders, self.seats[offenders])
        cut = self.truncated[ended]
        rewards = paid[np.arange(len(ended)), seats]
        rewards[cut] = 0
        self.rewards[ended] = rewards
        results = self.batch.results(ended, seats)
        rows = zip(*(results[name].tolist() for name in ("win", "score", "rank")), strict=True)
        infos: list[dict[str, Any]] = [{"win": win, "score": score, "rank": rank} for win, score, rank in rows]
        for index in np.flatnonzero(cut):
            infos[index] = {}
        observations, _ = self.batch.look_at_rows(ended, seats)
        last = observations, self.encoding.encode(observations)
        numbers = ended.tolist(), rewards.tolist(), self._decisions[ended].tolist()
        self.endings = list(map(Ending, *numbers, *last, infos))
        for index in np.flatnonzero(offended[ended]):
            self.endings[index].info["illegal_action"] = int(chosen[ended[index]])
        if self.autoreset_mode is not AutoresetMode.DISABLED:  # as the next game will take this one's place unasked
            for index in np.flatnonzero(ended < len(self.recorder)):
                self.endings[index].info["replay"] = self.recorder.replay(int(ended[index]))

    def _shape(self, shaping: Shaping, before: npt.NDArray[np.float32], again: npt.NDArray[np.int64]) -> None:
        """Adds to the rewards what the learners' decisions have changed; of games dealt again there were none."""
        after = np.where(self.over, np.float32(0), self._potentials)
        for ending in self.endings:
            if self.truncated[ending.game]:
                after[ending.game] = shaping.potentials(ending.seen[np.newaxis])[0]
        earned = shaping.rewards(before, after)
        earned[again] = 0
        self.rewards += earned

    def _deal_next(self, games: npt.NDArray[np.int64]) -> None:
        """Deals the games that follow these, up to the learners' first decisions."""
        if len(games):
            self.batch.reset(games)
            self._begin(games)
            self.finished[games] = False

    def _not_reset(self, finished: npt.NDArray[np.int64]) -> str:
        if self.batch.num_games == 1:
            return "the game is over: reset the environment to play another one"
        return (
            f"games {finished.tolist()} are over: reset them first, by reset(options={{'reset_mask': …}}), "
            "or choose another autoreset_mode"
        )

    def _begin(self, games: npt.NDArray[np.int64]) -> None:
        """Games that have just been dealt, up to the learners' first decisions."""
        self._play_from_here(games)
        while len(games := games[self.batch.over[games]]):  # without any decision of the learner: nothing to learn
            self.batch.reset(games)
            self._play_from_here(games)

    def _play_from_here(self, games: npt.NDArray[np.int64]) -> None:
        self._moves[games] = 0
        self._decisions[games] = 0
        self._memory.forget(games)
        self.seats[games] = seats_of(self._seat, self.batch.seeds[games], self.batch.num_players)
        self.recorder.begin(games)
        self._play(games, self._none_chosen)

    def _play(self, games: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64]) -> None:
        """Plays these games until the learners have to decide, or to the end.

        `chosen`, of all games of the batch, is what they do first, or `OPEN` if they have not decided yet.
        """
        batch = self.batch
        if self.opponents.random and not len(self.recorder):
            # Random opponents, the usual ones for a first training run, play in one call: steps are 1.4 times as fast.
            if len(games) == batch.num_games:
                batch.play_on(self.seats, chosen, None, self._moves)
            else:
                batch.play_on(self.seats[games], chosen[games], games, self._moves)
            return
        seeds = batch.seeds
        room = self._found, self._found_games, self._found_actions, self._asked, self._streams
        while True:
            known = batch.to_act, self.seats, chosen, seeds, self._moves, batch.pass_action
            find_moves(1, len(games), games, *known, *room)
            num_games, num_asked = self._found.tolist()
            if not num_games:
                return
            games, chosen = self._found_games[:num_games].copy(), self._none_chosen
            actions = self._found_actions[:num_games]
            if num_asked:
                asked, seats, distances, places = self._asked[:, :num_asked]
                actions.reshape(-1)[places] = self._ask(asked, seats, distances, Streams(self._streams[:num_asked]))
            batch.step(actions, None if num_games == batch.num_games else games)
            self.recorder.add(games, actions)

    def _ask(
        self,
        games: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int64],
        distances: npt.NDArray[np.int64],
        rng: Streams,
    ) -> npt.NDArray[np.integer]:
        """The opponents' actions. What is legal for them is as private as their hands, so no error tells it."""
        try:
            return self.opponents.act(self.batch, games, seats, distances, rng, self._memory)
        except IllegalAction as error:
            if self.game.information != "private":
                raise
            opponent = str(error).partition(":")[0]
        raise IllegalAction(f"{opponent}: chose an action that is not legal; which ones are is hidden from the learner")

    def _look(self) -> None:
        self.seen, self.legal = self.batch.look_at_rows(self._all, self.seats)
        self.observations = self.encoding.encode(self.seen)
        if self.shaping is not None:
            self._potentials = self.shaping.potentials(self.seen)

    def _look_afresh(self) -> None:
        """No step has been made yet."""
        self._look()
        self._obstacle = ""
        self.rewards = np.zeros(self.batch.num_games, np.float32)
        self.over = np.zeros(self.batch.num_games, np.bool_)
        self.truncated = np.zeros(self.batch.num_games, np.bool_)
        self.endings = []
