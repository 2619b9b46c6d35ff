"""Plays agents against each other and returns the results."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from strand_env.agents import AnyAgent, Policy, PolicyAgent
from strand_env.agents.policy import is_policy
from strand_env.arena.folder import Folder
from strand_env.arena.pieces import Pieces
from strand_env.arena.plan import Plan
from strand_env.arena.play import Played
from strand_env.arena.report import write_report
from strand_env.arena.results import Results, Standing
from strand_env.arena.workers import play_here, play_in_processes, play_on_cluster
from strand_env.engine.checks import checked_path, printable, shown, text, truth, whole_number
from strand_env.engine.game import Game
from strand_env.registry import DEFAULT, game_of

LONGEST_ADDRESS = 1000  # characters


def run_arena(
    agents: Sequence[str | AnyAgent],
    deals: int,
    players: int = 4,
    seed: int = 0,
    *,
    versus: str | AnyAgent | None = None,
    game: str | Game = DEFAULT,
    variant: str | None = None,
    processes: int = 1,
    ray: str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    record: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Results:
    """Plays the same deals with all agents in all seats: all with each other, or each against copies of `versus`.

    Agents are names, or with one process also objects. With `ray`, the nodes of a Ray cluster play: its address, `auto`
    for one that runs on this machine, or `local` to start one here, with `processes` cores. With `out`, all files go
    into that folder, finished deals as soon as they are played; with `resume`, an interrupted run continues there. The
    first `record` games are saved as replays. `watch` is called with the number of finished deals after each piece. The
    results depend only on the agents, the game and its variant, the numbers of deals and players, and the seed.

        results = run_arena(["tide", "greedy"], deals=200, players=4)
        results.standings[0].win  # Estimate(mean, low, high)
    """
    results, folder = play_arena(
        *(agents, deals, players, seed),
        versus=versus,
        game=game,
        variant=variant,
        processes=processes,
        ray=ray,
        out=out,
        resume=resume,
        record=record,
        watch=watch,
    )
    if folder is not None:
        write_report(results, folder)
    return results


def play_arena(
    agents: Sequence[str | AnyAgent],
    deals: int,
    players: int,
    seed: int,
    *,
    versus: str | AnyAgent | None,
    game: str | Game,
    variant: str | None,
    processes: int,
    ray: str | None,
    out: str | os.PathLike[str] | None,
    resume: bool,
    record: int,
    watch: Callable[[int], None] | None,
) -> tuple[Results, Path | None]:
    """`run_arena` without its report: the results, and the folder for it."""
    if not isinstance(agents, (list, tuple)):
        raise ValueError(f"agents: expected a list of agents, got {shown(agents)}")
    if watch is not None and not callable(watch):
        raise ValueError(f"watch: expected a function or None, got {shown(watch)}")
    if out is not None:
        checked_path("out", out)
    entrants = tuple(agents) if versus is None else (*agents, versus)
    plan = Plan(game_of(game), entrants, players, deals, seed, versus is not None, record, variant)
    if record and out is None:
        raise ValueError("record: replays need a folder: out, or --out on the command line")
    if truth("resume", resume) and out is None:
        raise ValueError("resume: expected the folder of the run: out, or --out on the command line")
    whole_number("processes", processes, 1)
    if ray is not None:
        text("ray", ray, LONGEST_ADDRESS)
    if (processes > 1 or ray is not None) and not all(isinstance(agent, str) for agent in plan.agents):
        asked = "processes" if ray is None else "ray"
        raise ValueError(f"{asked}: agents given as objects play in one process; give names for more")
    made = plan.make_agents()  # mistakes show before anything is written or played
    folder = None if out is None else Folder(out, plan, resume)
    parts = [] if folder is None else folder.parts()
    done = [range(part.first, part.first + part.deals) for part in parts]
    unhurried = folder is None and watch is None  # nobody waits for progress
    pieces = Pieces(deals, done, plan.games_per_deal, processes, size=deals if unhurried else 1)
    if ray is not None:
        play = play_on_cluster(plan, pieces, ray, processes)
    else:
        play = play_in_processes(plan, pieces, processes) if processes > 1 else play_here(plan, made, pieces)
    with closing(play) as played:
        _tell(watch, parts)
        for part, replays in played:
            if folder is not None:
                folder.keep(part, replays)
            parts.append(part)
            _tell(watch, parts)
    return Results(plan, parts), None if folder is None else folder.path


def versus(
    hero: str | AnyAgent | Policy,
    opponent: str | AnyAgent | Policy,
    deals: int,
    players: int = 4,
    seed: int = 0,
    game: str | Game = DEFAULT,
    variant: str | None = None,
    *,
    batched: bool = True,
    encoding: str | None = None,
) -> Standing:
    """One agent against copies of another, in each seat of each deal; for use in training.

    An agent is a name, an object, or a function of observations and masks as the environments show them, which is
    called for many rows at once or, with `batched=False`, row by row (`PolicyAgent`). One that fails raises a
    `RuntimeError`.

        versus("tide", "random", deals=100).win.mean
        versus(lambda observation, mask: mask.argmax(), "random", deals=100, batched=False).win.mean
    """
    if opponent is None:
        raise ValueError("opponent: expected an agent or the name of one, got None")
    truth("batched", batched)
    asked: Any = {"game": game, "players": players, "batched": batched, "encoding": encoding}
    given: Any = hero, opponent
    one, other = (PolicyAgent(agent, **asked) if is_policy(agent) else agent for agent in given)
    results = run_arena([one], deals, players, seed, versus=other, game=game, variant=variant)
    for forfeit in results.forfeits:
        name = printable(results.plan.names[forfeit.agent])
        raise RuntimeError(f"{name} failed: {forfeit.error}: {forfeit.message}")
    return results.standings[0]


def _tell(watch: Callable[[int], None] | None, parts: Sequence[Played]) -> None:
    if watch is not None:
        watch(sum(part.deals for part in parts))
