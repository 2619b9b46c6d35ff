"""Finds the weights of the reference heuristic: `python -m strand_env.train.tune --help`.

CMA-ES moves a cloud of weights towards those that win more. A candidate plays line-ups drawn from a pool: the
heuristics written by hand, and where the cloud was some generations before. It does so alone among others, and as
several copies among whom one of the pool sits. The second matters as much as the first, since dials collide: what wins
by being different from three equal opponents may be a poor thing to be when everybody does it. In the end those of the
pool that came last meet each other, and the best of them is written down.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
from cmaes import CMA
from rich.progress import Progress

from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Heuristic, Mason, Sprinter
from strand_env.agents.strand_unter.weights import WEIGHTS_DTYPE, Weights
from strand_env.arena.lineups import seat_agents
from strand_env.arena.play import play_deals
from strand_env.engine.randomness import spread_seeds
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.support.files import write_whole

Vector = npt.NDArray[np.float64]

HAND_WRITTEN = (Greedy, Dodger, Sprinter, Mason)

# How far a step of the optimiser goes for each weight; those that must be positive are multiplied instead.
STEPS = {"castle": 1.0, "wait": 2.0, "pick_missing": 0.5, "pick_value": 0.5, "others": 0.5, "finish": 0.3, "crowd": 0.3}
OTHER_STEPS = 0.4
MULTIPLIED = {"guess": 0.5, "doubt": 0.5, "heat": 0.5, "pace": 0.5, "reach": 0.5}

LEAD = 0.02  # what a point of lead counts beside the win: it tells candidates apart sooner


@dataclass(frozen=True)
class Sizes:
    """How much each candidate of a generation plays, at tables of `players`."""

    players: int
    tables: int
    deals: int
    counts: float  # of the candidate's rating


SIZES = (Sizes(4, 4, 60, 0.55), Sizes(3, 2, 40, 0.2), Sizes(2, 2, 60, 0.25))


def to_vector(weights: Weights) -> Vector:
    """The weights in the optimiser's steps."""
    parts = []
    for name in WEIGHTS_DTYPE.names or ():
        values = np.ravel(np.asarray(weights[name], np.float64))
        parts.append(np.log(values) / MULTIPLIED[name] if name in MULTIPLIED else values / STEPS.get(name, OTHER_STEPS))
    return np.concatenate(parts)


def to_weights(vector: Vector) -> Weights:
    weights: dict[str, float | list[float]] = {}
    start = 0
    for name in WEIGHTS_DTYPE.names or ():
        shape = WEIGHTS_DTYPE[name].shape
        values = vector[start : start + int(np.prod(shape))]
        start += len(values)
        values = np.exp(values * MULTIPLIED[name]) if name in MULTIPLIED else values * STEPS.get(name, OTHER_STEPS)
        values = np.clip(values, 0, 1) if name == "others" else values
        rounded = [float(f"{value:.3g}") for value in values]
        weights[name] = rounded if shape else rounded[0]
    return weights


def rate(agent: Heuristic, tables: Sequence[Sequence[Heuristic]], deals: int, seed: int) -> float:
    """How an agent does at tables where it has one seat or more: 1 for its part of the wins, more if it leads."""
    agents = list({id(player): player for table in tables for player in table}.values())
    numbers = {id(player): number for number, player in enumerate(agents)}
    seating = seat_agents([tuple(numbers[id(player)] for player in table) for table in tables], np.arange(deals))
    played, _ = play_deals(STRAND_UNTER, agents, seating, spread_seeds(seed, np.arange(deals)))
    own = seating == numbers[id(agent)]
    # Each table counts the same, however many seats the agent has at it.
    its_part = own / own.sum(2, keepdims=True)
    wins, scores = played.outcomes["win"], played.outcomes["score"]
    lead = (scores * its_part).sum(2) - (scores * ~own).sum(2) / (~own).sum(2)
    return float(((wins * its_part).sum(2) * len(tables[0]) + LEAD * lead).mean())


def draw_tables(pool: Sequence[Heuristic], sizes: Sizes, rng: np.random.Generator) -> list[list[Heuristic]]:
    """The others at each table: the candidate is alone among them, or all but one are its copies, by turns."""
    numbers = [1 if table % 2 else sizes.players - 1 for table in range(sizes.tables)]
    return [[pool[index] for index in rng.integers(len(pool), size=number)] for number in numbers]


@dataclass(frozen=True)
class Settings:
    """What the result depends on."""

    generations: int = 100
    population: int = 14
    spread: float = 0.4
    every: int = 6  # generations, after which the middle of the cloud joins the pool
    seed: int = 1


def tune(settings: Settings, progress: Progress) -> tuple[Weights, float]:
    """The best weights, and their rating against the others that were left in the end; 1 is as good as these."""
    rng = np.random.default_rng(settings.seed)
    start = to_vector(Dodger.weights)
    cloud = CMA(mean=start, sigma=settings.spread, population_size=settings.population, seed=settings.seed)
    past = [Heuristic(Dodger.weights)]
    bar = progress.add_task("tuning", total=settings.generations)
    for generation in range(1, settings.generations + 1):
        pool = [HAND_WRITTEN[rng.integers(len(HAND_WRITTEN))](), *past[-8:], *past[-3:]]  # the latest twice
        tables = [draw_tables(pool, sizes, rng) for sizes in SIZES]
        seed = int(rng.integers(2**32))
        tried = []
        for _ in range(settings.population):
            vector = cloud.ask()
            agent = Heuristic(to_weights(vector))
            rating = 0.0
            for sizes, others in zip(SIZES, tables, strict=True):
                full = [[agent] * (sizes.players - len(some)) + some for some in others]
                rating += sizes.counts * rate(agent, full, sizes.deals, seed)
            tried.append((vector, -rating))
        cloud.tell(tried)
        if generation % settings.every == 0:
            past.append(Heuristic(to_weights(cloud.mean)))
        progress.update(bar, advance=1, description=f"tuning, spread {cloud._sigma:.2f}")
    return best_of(past[-6:], settings, progress)


def best_of(agents: Sequence[Heuristic], settings: Settings, progress: Progress) -> tuple[Weights, float]:
    """Each against each: alone among copies of the other, and as copies against one of it."""
    ratings = np.zeros(len(agents))
    pairs = [(a, b) for a in range(len(agents)) for b in range(len(agents)) if a != b]
    for a, b in progress.track(pairs, description="the last of them against each other"):
        for sizes in SIZES:
            tables = [[agents[a]] * seats + [agents[b]] * (sizes.players - seats) for seats in {1, sizes.players - 1}]
            ratings[a] += sizes.counts * rate(agents[a], tables, 5 * sizes.deals, settings.seed) / (len(agents) - 1)
    best = int(ratings.argmax())
    return agents[best].own_weights, float(ratings[best])


def main(
    out: Annotated[Path, typer.Argument(help="The JSON file to write the weights to.")],
    generations: Annotated[int, typer.Option(min=1)] = Settings.generations,
    population: Annotated[int, typer.Option(min=4)] = Settings.population,
    spread: Annotated[float, typer.Option(min=0.001)] = Settings.spread,
    every: Annotated[int, typer.Option(min=1)] = Settings.every,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = Settings.seed,
) -> None:
    """Tunes the heuristic and writes its weights down."""
    if generations < every:
        raise typer.BadParameter(
            f"expected at least as many as --every, {every}: before, there is nothing to write down",
            param_hint="--generations",
        )
    settings = Settings(generations, population, spread, every, seed)
    with Progress() as progress:
        weights, rating = tune(settings, progress)
    content = {"name": out.stem, "version": 1, "settings": asdict(settings), "weights": weights}
    write_whole(out, (json.dumps(content, indent=2) + "\n").encode())
    typer.echo(f"wrote {out}; rated {rating:.3f} among the last of them, 1 being as good as the others")


if __name__ == "__main__":
    typer.run(main)
