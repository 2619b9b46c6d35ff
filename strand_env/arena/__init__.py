"""Agents measured against each other: the same deals in all seats, with confidence intervals.

`run_arena` is the command `strand arena`; `versus` measures one agent against copies of another; `exploit` is
the command `strand exploit`.
"""

from strand_env.arena.exploit import Exploitability, exploit
from strand_env.arena.results import Results, Standing
from strand_env.arena.run import run_arena, versus
from strand_env.arena.statistics import Estimate

__all__ = ["Estimate", "Exploitability", "Results", "Standing", "exploit", "run_arena", "versus"]
