"""Strand Unter as an environment.

- For PettingZoo: `parallel_env`, `env` (AEC) and `raw_env` (AEC without wrappers).
- For Gymnasium, one learner against opponents: `learner_env`, and `learner_vector_env` with many games in one batch;
  `gymnasium.make` and `gymnasium.make_vec` make these by the name "strand_env/StrandUnter-v0".
- For Stable-Baselines3: `learner_vec_env`, the same as its kind of vector environment, and `self_play_vec_env`, where
  all players learn.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from strand_env.adapters.gymnasium import LearnerEnv, LearnerVectorEnv
from strand_env.adapters.match import Match, Seat
from strand_env.adapters.pettingzoo import GameAECEnv, GameParallelEnv
from strand_env.adapters.table import IllegalHandling, Observation, RenderMode, Table
from strand_env.agents import AnyAgent
from strand_env.engine.protocol import RewardKind
from strand_env.engine.randomness import fresh_seed
from strand_env.registry import STRAND_UNTER
from strand_env.strand_unter import Games, Ruleset
from strand_env.support.extras import from_extra

__all__ = [
    "env",
    "learner_env",
    "learner_match",
    "learner_vec_env",
    "learner_vector_env",
    "parallel_env",
    "raw_env",
    "self_play_vec_env",
]

if TYPE_CHECKING:  # imported where they are used: they bring PyTorch
    from strand_env.adapters.sb3 import LearnerVecEnv
    from strand_env.adapters.selfplay import SelfPlayVecEnv


def parallel_env(
    *,
    num_players: int = 4,
    reward: RewardKind = "win",
    hide_buckets: bool = False,
    illegal: IllegalHandling = "terminate",
    ruleset: Ruleset | None = None,
    render_mode: RenderMode | None = None,
) -> GameParallelEnv:
    """A game for the agents `player_0` and so on, in which each step is one phase of decisions.

    Rewards come at the end: "win" is the share of the win less 1 / players, "score" the points, "margin" the points
    less the mean of the others', scaled. `hide_buckets` leaves the opponents' buckets out of observations. An illegal
    action ends the game, -1 for who did it and 0 for the others; with `illegal="raise"` it is an error, and nothing
    changes. `render_mode` is "ansi", "human" or "rgb_array".
    """
    table = Table(STRAND_UNTER, num_players, reward, illegal, render_mode, ruleset, hide_buckets=hide_buckets)
    return GameParallelEnv(table)


def raw_env(**arguments: Any) -> GameAECEnv:
    """The same for one agent after the other; with the arguments of `parallel_env`."""
    return GameAECEnv(parallel_env(**arguments).table)


def env(**arguments: Any) -> OrderEnforcingWrapper[str, Observation, int | None]:
    """`raw_env` in PettingZoo's wrapper that refuses calls in a wrong order."""
    return OrderEnforcingWrapper(raw_env(**arguments))


def learner_env(
    *, seat: Seat = 0, opponents: str | AnyAgent | Sequence[str | AnyAgent] = "random", **arguments: Any
) -> LearnerEnv:
    """One learner, in this seat or in a "random" one, against opponents; further arguments as for `parallel_env`.

    Opponents are one agent for all other seats or a list of one for each, by name or as objects.
    """
    return LearnerEnv(parallel_env(**arguments).table, seat, opponents)


def learner_vector_env(num_envs: int = 1, render_mode: None = None, **arguments: Any) -> LearnerVectorEnv:
    """The same with many games in one batch: `num_envs`, and the arguments of `learner_match`."""
    if render_mode is not None:
        raise ValueError(f"render_mode: a batch of games is not shown; expected None, got {render_mode!r}")
    return LearnerVectorEnv(learner_match(num_envs, **arguments))


def learner_vec_env(num_envs: int = 1, **arguments: Any) -> "LearnerVecEnv":
    """The same for Stable-Baselines3: `num_envs`, and the arguments of `learner_match`."""
    with from_extra("train", "Stable-Baselines3's environment"):
        from strand_env.adapters.sb3 import LearnerVecEnv
    return LearnerVecEnv(learner_match(num_envs, **arguments))


def learner_match(
    num_games: int,
    *,
    num_players: int = 4,
    seat: Seat = 0,
    opponents: str | AnyAgent | Sequence[str | AnyAgent] = "random",
    reward: RewardKind = "win",
    hide_buckets: bool = False,
    illegal: IllegalHandling = "terminate",
    ruleset: Ruleset | None = None,
    record: int = 0,
) -> Match:
    """A batch of games with one learner in each: arguments as for `learner_env`.

    The first `record` games of the batch are recorded: the info at the end of each has its "replay".
    """
    games = Games(num_games, num_players, fresh_seed(), ruleset, hide_buckets=hide_buckets)
    return Match(STRAND_UNTER, games, seat, opponents, reward, illegal, record)


def self_play_vec_env(
    num_envs: int = 1,
    *,
    num_players: int = 4,
    reward: RewardKind = "win",
    hide_buckets: bool = False,
    illegal: IllegalHandling = "terminate",
    ruleset: Ruleset | None = None,
    record: int = 0,
) -> "SelfPlayVecEnv":
    """For Stable-Baselines3's MaskablePPO (given `**env.buffer_arguments`, too): all players learn as one policy.

    There are as many rows as games, `num_envs`; the other arguments are as for `learner_match`.
    """
    with from_extra("train", "Stable-Baselines3's environment"):
        from strand_env.adapters.selfplay import SelfPlayVecEnv
    games = Games(num_envs, num_players, fresh_seed(), ruleset, hide_buckets=hide_buckets)
    return SelfPlayVecEnv(STRAND_UNTER, games, reward, illegal, record)
