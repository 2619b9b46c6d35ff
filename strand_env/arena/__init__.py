"""Agents measured against each other: the same deals in all seats, with confidence intervals.

`run_arena` is the command `strand arena`; `versus` measures one agent against copies of another.
"""

from strand_env.arena.results import Results, Standing
from strand_env.arena.run import run_arena, versus
from strand_env.arena.statistics import Estimate

__all__ = ["Estimate", "Results", "Standing", "run_arena", "versus"]
