"""Any game as PettingZoo expects environments to be: a parallel one and one that asks agent after agent (AEC).

Both play the same game for the same seed and choices. In a parallel step all agents act, and those with nothing to
decide pass. The AEC environment asks only the agents who have to decide, one after the other, and plays on when all of
them have chosen: what they choose at once stays secret, since nothing that can be observed changes in between, and no
learner spends its steps on passing. To ask all agents in each cycle instead, convert the parallel environment by
PettingZoo's `parallel_to_aec`; there is no conversion the other way round.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from strand_env.adapters.counts import next_of, of_snapshot
from strand_env.adapters.describing import Describing
from strand_env.adapters.table import Observation, Table
from strand_env.engine.checks import one_of, shown

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay


class _AtTable(Describing):
    """What both kinds have in common. A copy or a pickle of either goes on exactly, in the middle of a game, too.

    With several tables, of different numbers of players, each game's seed decides at which it is played, and so which
    of the possible agents take part.
    """

    agents: list[str]

    def __init__(self, tables: Sequence[Table], is_parallelizable: bool) -> None:
        table = max(tables, key=lambda each: each.num_players)
        self.tables = tables
        self.table = table  # where the game is
        self.metadata = {**table.rendering_metadata(), "is_parallelizable": is_parallelizable}
        self.render_mode = table.render_mode
        self.possible_agents = table.agents[:]
        self.agents = []
        self.state_space = table.state_space()
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: table.observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: table.action_space() for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observation_spaces[self._checked(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[self._checked(agent)]

    def _source(self) -> Table:
        return self.table

    def legal_actions(self, agent: str) -> dict[int, str]:
        """What an agent may do now, each action with a short sentence."""
        return self._in_words(self.table.legal[self._players[self._checked(agent)]])

    def observe(self, agent: str) -> Observation:
        return self.table.observation(self._players[self._checked(agent)])

    def state(self) -> npt.NDArray[np.float32]:
        """The global state, for centralised critics.

        It holds all public information and, in games with private hands, all hidden information too.
        """
        return self.table.state()

    def snapshot(self) -> dict[str, Any]:
        """The whole game as plain data for JSON; without choices that agents have made but that are not played yet."""
        return self.table.snapshot()

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Goes on from a snapshot; nobody is left at the table if that game is over."""
        table = of_snapshot(self.tables, self.table, snapshot)
        table.restore(snapshot)
        self.table = table
        self._begin()

    def replay(self) -> "Replay":
        """The game so far, from where it was dealt or restored."""
        return self.table.replay()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """As `render_seat` sees it."""
        return self.table.render()

    def to_svg(self) -> str:
        return self.table.to_svg()

    def _repr_html_(self) -> str:
        return self.to_svg()

    def close(self) -> None:
        pass  # nothing is held open

    def _checked(self, agent: str) -> str:
        one_of("agent", agent, self.possible_agents)
        return agent

    def _deal(self, seed: int | None, options: dict[str, Any] | None) -> None:
        table, seed = next_of(self.tables, self.table, seed, options)
        table.reset(seed, options)
        self.table = table
        self._begin()

    def _begin(self) -> None:
        self.agents = [] if self.table.over else self.table.agents[:]

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: self.table.info(self._players[agent]) for agent in self.agents}

    def _rewards(self) -> dict[str, float]:
        return dict(zip(self.table.agents, self.table.rewards.tolist(), strict=True))


class GameParallelEnv(_AtTable, ParallelEnv[str, Observation, int]):
    """All agents act at once, and stay until the game ends for all."""

    def __init__(self, *tables: Table) -> None:
        super().__init__(tables, is_parallelizable=True)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self._deal(seed, options)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        if not self.agents:
            raise ValueError("no game is going on: reset the environment first")
        if not isinstance(actions, Mapping) or actions.keys() != set(self.agents):
            raise ValueError(f"actions: expected a dict of one action for each of {self.agents}, got {shown(actions)}")
        self.table.step([actions[agent] for agent in self.agents])
        over = self.table.over
        outcome = (
            self._observations(),
            self._rewards(),
            dict.fromkeys(self.agents, over),
            dict.fromkeys(self.agents, False),
            self._infos(),
        )
        if over:
            self.agents = []
        return outcome

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe(agent) for agent in self.agents}


def check_masks_in_observations(env: GameParallelEnv) -> None:
    """For wrappers of libraries that look for the mask there."""
    if env.table.kind != "dict":
        raise ValueError(f"observation: expected 'dict' here, where the mask is read from it; got {env.table.kind!r}")


class GameAECEnv(_AtTable, AECEnv[str, Observation, int | None]):
    """One agent after the other is asked, but only those who have to decide."""

    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]
    _choices: dict[int, int]  # by player, of this phase and not played yet

    def __init__(self, *tables: Table) -> None:
        super().__init__(tables, is_parallelizable=False)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._deal(seed, options)

    def step(self, action: Any) -> None:
        if not self.agents:
            raise ValueError("no game is going on: reset the environment first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        table, player = self.table, self._players[agent]
        choices = {**self._choices, player: table.checked_action(player, action)}
        waiting = [other for other in table.to_act if other not in choices]
        if waiting and table.legal[player, choices[player]]:
            self._choices = choices
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards[agent] = 0.0
            self.agent_selection = self.possible_agents[waiting[0]]
        else:
            # Agents that were not asked can only pass; after an illegal action, any legal action will do for those
            # still waiting.
            any_legal = table.legal.argmax(1).tolist()
            table.step([choices.get(other, any_legal[other]) for other in range(table.num_players)])
            self.rewards = self._rewards()
            self._cumulative_rewards[agent] = 0.0  # already reported before it acted
            self._accumulate_rewards()
            self.terminations = dict.fromkeys(self.agents, table.over)
            self._ask()

    def _begin(self) -> None:
        super()._begin()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._ask()

    def _ask(self) -> None:
        self._choices = {}
        self.infos = self._infos()
        first = self.table.to_act[0] if self.table.to_act else 0
        self.agent_selection = self.possible_agents[first]
