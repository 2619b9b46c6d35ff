"""One game with its players around it: what PettingZoo's environments bring into the shape that is expected there."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from strand_env.adapters.dealing import Options, deal_all, snapshot_in, taken_up
from strand_env.adapters.recorder import Recorder
from strand_env.adapters.referee import IllegalHandling, Referee, checked_action
from strand_env.adapters.scaling import box_of, encoding_in, scaled, unit_box
from strand_env.adapters.shaping import Shaping
from strand_env.adapters.showing import OneGame, RenderMode, agent_name
from strand_env.engine.checks import checked_seat, one_of, seed_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, Observer, RewardKind, Snapshot

Observation = dict[str, npt.NDArray[Any]] | npt.NDArray[np.float32]
ObservationKind = Literal["dict", "array"]

_ONLY_GAME = np.zeros(1, np.int64)


class Table(OneGame):
    """The only game of a batch; players are numbered from 0, and named in `agents`.

    `reward` and `illegal` are as in `Referee`. An observation is a dict of the array and the mask, or the array alone.
    Pictures show what `render_seat` sees: a player, None (public information) or "all" (everything). After each reset,
    restore and step, these attributes hold the result, in new arrays:

    - `observations`: (players, entries) float32, encoded; `legal`: (players, actions) int8
    - `to_act`: the players who have to decide; the only legal action of the others is to pass
    - `over`; `rewards`: (players,) float32, unless shaped 0 until the end; `offences`: illegal actions that ended
      it, by player
    - `status`: where the game stands, in a few words and numbers
    """

    observations: npt.NDArray[np.float32]
    legal: npt.NDArray[np.int8]
    to_act: list[int]
    over: bool
    rewards: npt.NDArray[np.float32]
    status: dict[str, Any]

    def __init__(
        self,
        game: Game,
        batch: Batch,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        render_mode: RenderMode | None = None,
        render_seat: Observer = None,
        observation: ObservationKind = "dict",
        encoding: str | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        one_of("observation", observation, get_args(ObservationKind))
        super().__init__(game, Recorder(game, batch, 1), render_mode)
        self.observer = checked_seat("render_seat", render_seat, batch.num_players, (None, "all"))
        self.batch = batch
        self.kind = observation
        self.agents = [agent_name(player) for player in range(batch.num_players)]
        self.referee = Referee(reward, illegal)
        self._games, self._players = np.zeros(batch.num_players, np.int64), np.arange(batch.num_players)
        self.encoding = encoding_in(game, batch, encoding)
        self.shaping = shaping
        self._potentials = np.zeros(batch.num_players, np.float32)
        self._table_maximum = batch.table_maximum.astype(np.float32)
        self._look()

    @property
    def num_players(self) -> int:
        return len(self.agents)

    # Spaces: a new one each time, since each has random numbers of its own

    def observation_space(self) -> spaces.Space[Any]:
        array = box_of(self.encoding)
        if self.kind == "array":
            return array
        return spaces.Dict({"observation": array, "action_mask": spaces.Box(0, 1, (self.batch.num_actions,), np.int8)})

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.batch.num_actions)

    def state_space(self) -> spaces.Space[npt.NDArray[np.float32]]:
        return unit_box(self._table_maximum)

    # Playing

    def reset(self, seed: int | None = None, options: Options = None) -> None:
        """Deals a new game, the same as the only one of a batch with this seed; or takes up that of a snapshot.

        Without a seed it is the game that follows the last one; the first of all is then another one each time.
        """
        snapshot = snapshot_in(self.batch, seed, options)
        if snapshot is not None:
            self.restore(snapshot)
            return
        deal_all(self.batch, None if seed is None else [seed_number("seed", seed)], options)
        self._begin()

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from a snapshot of this kind of game, future draws included."""
        self.batch = taken_up(self.batch, [snapshot])
        self._begin()

    def step(self, actions: Sequence[Any]) -> None:
        """Plays on to the next decision with one action for each player."""
        if self.over:
            raise ValueError("the game is over: reset the environment to play another one")
        if len(actions) != self.num_players:
            raise ValueError(f"actions: expected one for each of {self.num_players} players, got {len(actions)}")
        chosen = np.array([self.checked_action(player, action) for player, action in enumerate(actions)])
        offended = self.referee.offended(self.batch, self._games, self._players, chosen, self.legal)
        before, offences = self._now(), {}
        potentials = self._potentials
        if offended.any():
            offenders = self._players[offended]
            offences = dict(zip(offenders.tolist(), chosen[offenders].tolist(), strict=True))
            self.over, self.to_act = True, []
            self.rewards = self.referee.rewards(self.batch, _ONLY_GAME, self._games[offended], offenders)[0]
        else:
            self.batch.step(chosen[None])
            self.recorder.add(_ONLY_GAME, chosen[None])
            self._look()
        if self.shaping is not None:
            after = np.zeros_like(potentials) if self.over else self._potentials
            self.rewards = self.rewards + self.shaping.rewards(potentials, after)
        self._stepped(before, offences)

    def checked_action(self, player: int, given: Any) -> int:
        return checked_action(self.agents[player], given, self.batch.num_actions)

    # Looking

    def observation(self, player: int) -> Observation:
        array = self.observations[player].copy()
        return array if self.kind == "array" else {"observation": array, "action_mask": self.legal[player].copy()}

    def info(self, player: int) -> dict[str, Any]:
        """The action mask (some libraries read it from here), the status, and any offenders that ended the game."""
        info = {**self.status, "action_mask": self.legal[player].copy()}
        if self.offences:
            info["offenders"] = [self.agents[offender] for offender in self.offences]
        if player in self.offences:
            info["illegal_action"] = self.offences[player]
        return info

    def state(self) -> npt.NDArray[np.float32]:
        """The global state for centralised critics, hidden information included."""
        return scaled(self.batch.observe_table(), self._table_maximum)[0]

    # Inside

    def _begin(self) -> None:
        self._look()
        self._begun(Recorder(self.game, self.batch, 1), self.observer)

    def _look(self) -> None:
        seen, self.legal = self.batch.look_at_rows(self._games, self._players)
        self.observations = self.encoding.encode(seen)
        if self.shaping is not None:
            self._potentials = self.shaping.potentials(seen)
        self.to_act = np.flatnonzero(self.batch.to_act[0]).tolist()
        self.over = not self.to_act
        zeros = np.zeros(self.num_players, np.float32)
        self.rewards = self.batch.rewards(self.referee.reward)[0] if self.over else zeros
        self.status = self.batch.status(0)
