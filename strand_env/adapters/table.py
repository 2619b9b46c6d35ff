"""One game with its players around it, played the way that all environments play it.

What the libraries have in common is written here once: which choices are taken, what an illegal one leads to, rewards,
seeds, snapshots, the record of the game, pictures. Environments only bring it into the shape that a library expects.
"""

import operator
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.adapters.scaling import scaled, unit_box
from strand_env.engine.checks import one_of, seed_number, whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import REWARD_KINDS, Batch, Observer, RewardKind, Ruleset
from strand_env.engine.randomness import fresh_seed

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay  # which knows all games, and is needed only for what is kept

IllegalHandling = Literal["terminate", "raise"]
RenderMode = Literal["ansi", "human", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
RENDER_FPS = 2

ILLEGAL_REWARD = -1.0

Observation = dict[str, npt.NDArray[Any]]


class Table:
    """One game of any kind; players are numbered from 0, and named in `agents`.

    `reward` is what the players get in the end. With `illegal="terminate"` an illegal action ends the game at once: -1
    for each player who did one, 0 for the others. With "raise" it is the batch's `IllegalAction`, and nothing changes.
    `options` are the batch's own.

    After each reset, restore and step these hold what came of it, in new arrays:

    - `observations`: (players, entries) float32 from 0 to 1; `legal`: (players, actions) int8
    - `to_act`: the players who have to decide; the only legal action of the others is to pass
    - `over`; `rewards`: (players,) float32, 0 until the end; `offences`: illegal actions that ended it, by player
    - `status`: where the game stands, in a few words and numbers
    """

    observations: npt.NDArray[np.float32]
    legal: npt.NDArray[np.int8]
    to_act: list[int]
    over: bool
    rewards: npt.NDArray[np.float32]
    offences: dict[int, int]
    status: dict[str, Any]

    def __init__(
        self,
        game: Game,
        num_players: int,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        render_mode: RenderMode | None = None,
        ruleset: Ruleset | None = None,
        **options: Any,
    ) -> None:
        counts = game.player_counts
        num_players = whole_number("num_players", num_players, counts[0], counts[-1])
        one_of("reward", reward, REWARD_KINDS)
        one_of("illegal", illegal, get_args(IllegalHandling))
        one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.game = game
        self.agents = [f"player_{player}" for player in range(num_players)]
        self.reward = reward
        self.illegal = illegal
        self.render_mode = render_mode
        self._options = options
        # A game that nobody has given a seed for. Each game's seed follows from that of the game before.
        seed = fresh_seed()
        self.batch: Batch = game.batch(1, int(num_players), seed=seed, ruleset=ruleset, **options)
        self._maximum = self.batch.observation_maximum.astype(np.float32)
        self._table_maximum = self.batch.table_maximum.astype(np.float32)
        self._begin()

    @property
    def num_players(self) -> int:
        return len(self.agents)

    # Spaces: a new one each time, since each has random numbers of its own

    def observation_space(self) -> spaces.Dict:
        mask = spaces.Box(0, 1, (self.batch.num_actions,), np.int8)
        return spaces.Dict({"observation": self.seen_space(), "action_mask": mask})

    def seen_space(self) -> spaces.Space[npt.NDArray[np.float32]]:
        """Of what one player sees, without the mask."""
        return unit_box(self._maximum)

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.batch.num_actions)

    def state_space(self) -> spaces.Space[npt.NDArray[np.float32]]:
        return unit_box(self._table_maximum)

    # Playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deals a new game, the same as the only one of a batch with this seed.

        Without a seed it is the game that follows the last one; the first of all is then another one each time.
        Options are "snapshot", to go on from there instead, and what the game's batch takes for dealing. Others, which
        may be meant for somebody else, change nothing.
        """
        deal_options, snapshot = known_options(self.batch, options)
        if snapshot is not None:
            if seed is not None or deal_options:
                raise ValueError("options: a snapshot holds all of a game; leave out the seed and other options")
            self.restore(snapshot)
            return
        self.batch.reset(seed=None if seed is None else seed_number("seed", seed), **deal_options)
        self._begin()
        self._show_to_human()

    def step(self, actions: Sequence[Any]) -> None:
        """Plays on to the next decision with one action for each player."""
        if self.over:
            raise ValueError("the game is over: reset the environment to play another one")
        if len(actions) != self.num_players:
            raise ValueError(f"actions: expected one for each of {self.num_players} players, got {len(actions)}")
        chosen = [self.checked_action(player, action) for player, action in enumerate(actions)]
        offences = {player: action for player, action in enumerate(chosen) if not self.legal[player, action]}
        if offences and self.illegal == "terminate":
            self.offences = offences
            self.over, self.to_act = True, []
            self.rewards = np.zeros(self.num_players, np.float32)
            self.rewards[list(offences)] = ILLEGAL_REWARD
        else:
            before = self.batch.clone()  # to tell what the step brought, should anybody want to know
            self.batch.step([chosen])
            self._before = before
            self._played.append(chosen)
            self._look()
        self._show_to_human()

    def checked_action(self, player: int, given: Any) -> int:
        """The number of an action, legal or not. What is not in the action space is an error of the program."""
        try:
            action = operator.index(given)
        except TypeError:
            action = -1
        if isinstance(given, bool) or not 0 <= action < self.batch.num_actions:
            numbers = f"a whole number from 0 to {self.batch.num_actions - 1}"
            raise ValueError(f"{self.agents[player]}: expected an action, {numbers}, got {given!r:.80}")
        return action

    # Looking

    def observation(self, player: int) -> Observation:
        return {"observation": self.observations[player].copy(), "action_mask": self.legal[player].copy()}

    def info(self, player: int) -> dict[str, Any]:
        """The mask, too, since some look for it here, and the status; who did something illegal, if that ended it."""
        info = {**self.status, "action_mask": self.legal[player].copy()}
        if self.offences:
            info["offenders"] = [self.agents[offender] for offender in self.offences]
        if player in self.offences:
            info["illegal_action"] = self.offences[player]
        return info

    def result(self, player: int) -> dict[str, Any]:
        """How the game has ended for a player: the share of the win, the score and the rank; zeros if broken off."""
        results = self.batch.results(np.array([0]), np.array([player]))
        return {name: values[0].item() for name, values in results.items()}

    def state(self) -> npt.NDArray[np.float32]:
        """All that the players see together, once."""
        return scaled(self.batch.observe_table(), self._table_maximum)[0]

    def snapshot(self) -> dict[str, Any]:
        return self.batch.snapshot(0)

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Goes on from a snapshot of this kind of game, future draws included."""
        batch = self.game.batch.from_snapshots([snapshot], **self._options)
        if batch.num_players != self.num_players:
            raise ValueError(f"snapshot: a game of {batch.num_players} players, but here are {self.num_players}")
        if batch.ruleset != self.batch.ruleset:
            raise ValueError("snapshot: a game with another ruleset; make an environment with that ruleset for it")
        self.batch = batch
        self._begin()
        self._show_to_human()

    def replay(self) -> "Replay":
        """The game so far, from where it was dealt or restored."""
        from strand_env.replays.replay import Replay

        scores = self.batch.scores[0].tolist() if self.batch.over[0] else None
        return Replay.of(self.game, self._start, self._played, scores)

    # Showing

    def render(self, seat: Observer = None) -> str | npt.NDArray[np.uint8] | None:
        """Text or pixels, as the player in this seat, or nobody in particular, sees it; `human` prints the text."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() shows nothing without a render_mode, one of {RENDER_MODES}")
            return None
        views, snapshot, story = self.game.views, self.snapshot(), self.story(seat)
        if self.render_mode == "rgb_array":
            return views.to_pixels(snapshot, story, seat=seat)
        if self.render_mode == "ansi":
            return views.to_text(snapshot, story, seat=seat)
        print(views.to_text(snapshot, story, sys.stdout.isatty(), seat=seat))
        return None

    def to_svg(self, seat: Observer = None) -> str:
        return self.game.views.to_svg(self.snapshot(), self.story(seat), seat=seat)

    def story(self, seat: Observer = None) -> list[str]:
        """What the last step brought, in sentences."""
        if self.offences:
            return [
                f"{self.agents[player]} chose action {action}, which is not legal: the game ends."
                for player, action in self.offences.items()
            ]
        if self._before is None:
            return []
        return self.game.views.tell(self._before.snapshot(0), self._played[-1], self.snapshot(), seat=seat)

    # Inside

    def _begin(self) -> None:
        self._start = self.snapshot()
        self._before: Batch | None = None
        self._played: list[list[int]] = []
        self.offences = {}
        self._look()

    def _look(self) -> None:
        self.observations = scaled(self.batch.observe()[0], self._maximum)
        self.legal = self.batch.legal[0]
        self.to_act = np.flatnonzero(self.batch.to_act[0]).tolist()
        self.over = bool(self.batch.over[0])
        self.rewards = self.batch.rewards(self.reward)[0] if self.over else np.zeros(self.num_players, np.float32)
        self.status = self.batch.status(0)

    def _show_to_human(self) -> None:
        if self.render_mode == "human":
            self.render()


def known_options(batch: Batch, options: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Of the options of a reset, those that the batch takes for dealing, and the snapshot."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    return {name: given[name] for name in batch.deal_options if name in given}, given.get("snapshot")
