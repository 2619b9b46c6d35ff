"""Strand Unter for PettingZoo: `parallel_env`, `env` (AEC) and `raw_env` (AEC without wrappers)."""

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from strand_env.adapters.pettingzoo import GameAECEnv, GameParallelEnv
from strand_env.adapters.table import IllegalHandling, Observation, RenderMode, Table
from strand_env.catalogue import STRAND_UNTER
from strand_env.game import RewardKind
from strand_env.strand_unter import Ruleset


def parallel_env(
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
