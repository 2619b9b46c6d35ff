"""All environments of one game: what a versioned module such as `strand_unter_v0` offers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from strand_env.adapters.gymnasium import LearnerEnv, LearnerVectorEnv
from strand_env.adapters.match import Match
from strand_env.adapters.pettingzoo import GameAECEnv, GameParallelEnv
from strand_env.adapters.referee import IllegalHandling
from strand_env.adapters.seats import Seat
from strand_env.adapters.showing import RenderMode
from strand_env.adapters.table import Observation, Table
from strand_env.agents import AnyAgent
from strand_env.engine.checks import shown
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, Observer, RewardKind
from strand_env.engine.randomness import fresh_seed
from strand_env.support.extras import from_extra

if TYPE_CHECKING:  # imported where they are used: they bring PyTorch
    from strand_env.adapters.sb3 import LearnerVecEnv
    from strand_env.adapters.selfplay import SelfPlayVecEnv

Given = str | AnyAgent | Sequence[str | AnyAgent]


class Environments:
    """Makes environments of one game. Further named arguments are the options of its batches."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def parallel_env(
        self,
        *,
        num_players: int | None = None,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        render_mode: RenderMode | None = None,
        render_seat: Observer = None,
        **options: Any,
    ) -> GameParallelEnv:
        """PettingZoo's parallel environment: agents `player_0` and so on; each step is one phase of decisions.

        Observations are dicts: "observation", float32 from 0 to 1, and "action_mask", int8. Rewards come at the end:
        "win" is the share of the win less 1 / players, "score" the points, "margin" the points less the mean of the
        others', scaled. An illegal action ends the game, -1 for the offender and 0 for the others; with
        `illegal="raise"` it is an error, and nothing changes. `variant` is one of the game's variants, by default the
        first. `render_mode` is "ansi", "human" or "rgb_array"; pictures
        show what is open to everybody, with a player as `render_seat` what that player sees, with "all" everything.

            env = strand_unter_v0.parallel_env(num_players=4, reward="win")
            observations, infos = env.reset(seed=1)
        """
        batch = self._batch(1, num_players, ruleset, variant, options)
        return GameParallelEnv(Table(self.game, batch, reward, illegal, render_mode, render_seat))

    def raw_env(self, **arguments: Any) -> GameAECEnv:
        """PettingZoo's AEC environment, without wrappers; with the arguments of `parallel_env`.

        Only agents that have to decide are asked, one after the other; what they choose at once stays secret.
        """
        return GameAECEnv(self.parallel_env(**arguments).table)

    def env(self, **arguments: Any) -> OrderEnforcingWrapper[str, Observation, int | None]:
        """`raw_env` in PettingZoo's wrapper that refuses calls in a wrong order."""
        return OrderEnforcingWrapper(self.raw_env(**arguments))

    def learner_env(self, *, render_mode: RenderMode | None = None, **arguments: Any) -> LearnerEnv:
        """Gymnasium's environment: one learner against opponents, with the arguments of `learner_match`.

        Observations are float32 arrays; masks are in `info["action_mask"]`. Pictures, by `render_mode` as in
        `parallel_env`, show what the learner sees.

            env = gymnasium.make("strand_env/StrandUnter-v0", seat="random", opponents="tide")
        """
        match = self.learner_match(1, record=1, **arguments)
        match.auto_reset = False
        return LearnerEnv(match, render_mode)

    def learner_vector_env(self, num_envs: int = 1, render_mode: None = None, **arguments: Any) -> LearnerVectorEnv:
        """Gymnasium's vector environment, many games in one batch: `num_envs`, and the arguments of `learner_match`."""
        if render_mode is not None:
            raise ValueError(f"render_mode: a batch of games is not shown; expected None, got {shown(render_mode)}")
        return LearnerVectorEnv(self.learner_match(num_envs, **arguments))

    def learner_vec_env(self, num_envs: int = 1, **arguments: Any) -> "LearnerVecEnv":
        """The same for Stable-Baselines3: `num_envs`, and the arguments of `learner_match`.

        env = strand_unter_v0.learner_vec_env(num_envs=256, seat="random", opponents="tide")
        model = MaskablePPO("MlpPolicy", env)
        """
        with from_extra("train", "Stable-Baselines3's environment"):
            from strand_env.adapters.sb3 import LearnerVecEnv
        return LearnerVecEnv(self.learner_match(num_envs, **arguments))

    def learner_match(
        self,
        num_games: int,
        *,
        num_players: int | None = None,
        seat: Seat = 0,
        opponents: Given = "random",
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        record: int = 0,
        **options: Any,
    ) -> Match:
        """A batch of games with one learner in each, in this seat or in a "random" one.

        Opponents are one agent for all other seats or a list of one for each, by name or as objects. Of the first
        `record` games replays are kept: the info at the end of each has its "replay". The other arguments are those of
        `parallel_env`.
        """
        batch = self._batch(num_games, num_players, ruleset, variant, options)
        return Match(self.game, batch, seat, opponents, reward, illegal, record)

    def self_play_vec_env(
        self,
        num_envs: int = 1,
        *,
        num_players: int | None = None,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        record: int = 0,
        **options: Any,
    ) -> "SelfPlayVecEnv":
        """For Stable-Baselines3's MaskablePPO (given `**env.buffer_arguments`, too): all players learn as one policy.

        There are as many rows as games, `num_envs`; the other arguments are as for `learner_match`.
        """
        with from_extra("train", "Stable-Baselines3's environment"):
            from strand_env.adapters.selfplay import SelfPlayVecEnv
        batch = self._batch(num_envs, num_players, ruleset, variant, options)
        return SelfPlayVecEnv(self.game, batch, reward, illegal, record)

    def _batch(
        self,
        num_games: int,
        num_players: int | None,
        ruleset: Any,
        variant: str | None,
        options: dict[str, Any],
    ) -> Batch:
        """Games of seeds that nobody has chosen."""
        players = self.game.default_players if num_players is None else num_players
        return self.game.batch(num_games, players, fresh_seed(), ruleset, variant=variant, **options)
