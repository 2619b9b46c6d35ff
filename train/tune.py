"""Tunes the weights of a game's heuristic: `python -m strand_env.train.tune weights.json --game strand_unter`.

A game declares what can be tuned as `Tuning` in its `TRAINING`. CMA-ES moves a cloud of weights towards those that win
more. A candidate plays line-ups drawn from a pool: the declared opponents, and earlier means of the cloud. It sits
alone among others, and as several copies around one of the pool. The second matters as much as the first where players
get in each other's way: what wins by being different from three equal opponents may be poor when everybody does it. In
the end the latest of the pool play each other, and the best of them is written.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from cmaes import CMA
from rich.progress import Progress

from strand_env.agents import AnyAgent, agent_of
from strand_env.arena.lineups import seat_agents
from strand_env.arena.play import play_deals
from strand_env.engine.checks import printable
from strand_env.engine.game import Game, Tuning, TuningTables
from strand_env.engine.randomness import spread_seeds
from strand_env.registry import DEFAULT, game_of
from strand_env.support.files import write_whole
from strand_env.support.options import GameName

Vector = npt.NDArray[np.float64]
Weights = dict[str, Any]

STEP = 0.4  # of weights for which the game declares none


def to_vector(tuning: Tuning, weights: Weights) -> Vector:
    """The weights in the optimiser's steps."""
    parts = []
    for name in tuning.start:
        values = np.ravel(np.asarray(weights[name], np.float64))
        factor = tuning.factors.get(name)
        parts.append(np.log(values) / factor if factor else values / tuning.steps.get(name, STEP))
    return np.concatenate(parts)


def to_weights(tuning: Tuning, vector: Vector) -> Weights:
    weights: Weights = {}
    position = 0
    for name, start in tuning.start.items():
        values = vector[position : position + np.size(start)]
        position += len(values)
        factor = tuning.factors.get(name)
        values = np.exp(values * factor) if factor else values * tuning.steps.get(name, STEP)
        values = np.clip(values, *tuning.bounds.get(name, (-np.inf, np.inf)))
        rounded = [float(f"{value:.3g}") for value in values]
        weights[name] = rounded if np.ndim(start) else rounded[0]
    return weights


def rate(
    game: Game,
    agent: AnyAgent,
    tables: Sequence[Sequence[AnyAgent]],
    deals: int,
    seed: int,
    lead: float,
    variant: str | None = None,
) -> float:
    """An agent's rating at tables where it has one seat or more: 1 for its share of the wins, and more if it leads."""
    agents = list({id(player): player for table in tables for player in table}.values())
    numbers = {id(player): number for number, player in enumerate(agents)}
    seating = seat_agents([tuple(numbers[id(player)] for player in table) for table in tables], np.arange(deals))
    played, _ = play_deals(game, agents, seating, spread_seeds(seed, np.arange(deals)), variant=variant)
    own = seating == numbers[id(agent)]
    # Each table counts the same, however many seats the agent has at it.
    own_share = own / own.sum(2, keepdims=True)
    wins, scores = played.outcomes["win"], played.outcomes["score"]
    leads = (scores * own_share).sum(2) - (scores * ~own).sum(2) / (~own).sum(2)
    return float(((wins * own_share).sum(2) * len(tables[0]) + lead * leads).mean())


def draw_tables(pool: Sequence[AnyAgent], tables: TuningTables, rng: np.random.Generator) -> list[list[AnyAgent]]:
    """The others at each table: alternately, the candidate is alone among them, or all but one are its copies."""
    numbers = [1 if table % 2 else tables.players - 1 for table in range(tables.number)]
    return [[pool[index] for index in rng.integers(len(pool), size=number)] for number in numbers]


@dataclass(frozen=True)
class Settings:
    """What the result depends on, besides the game's declaration."""

    generations: int = 100
    population: int = 14
    spread: float = 0.4
    every: int = 6  # generations after which the mean of the cloud joins the pool
    seed: int = 1


def tune(game: Game, tuning: Tuning, settings: Settings, progress: Progress) -> tuple[Weights, float]:
    """The best weights, and their rating among the last candidates; 1 is as good as these."""
    rng = np.random.default_rng(settings.seed)
    opponents = [agent_of(name, game=game) for name in tuning.opponents]
    start = dict(tuning.start)
    cloud = CMA(
        mean=to_vector(tuning, start), sigma=settings.spread, population_size=settings.population, seed=settings.seed
    )
    past = [(start, tuning.agent(start))]
    bar = progress.add_task("tuning", total=settings.generations)
    for generation in range(1, settings.generations + 1):
        earlier = [agent for _, agent in past[-8:] + past[-3:]]  # the latest twice
        pool = [opponents[rng.integers(len(opponents))], *earlier]
        drawn = [draw_tables(pool, tables, rng) for tables in tuning.tables]
        seed = int(rng.integers(2**32))
        tried = []
        for _ in range(settings.population):
            vector = cloud.ask()
            agent = tuning.agent(to_weights(tuning, vector))
            rating = 0.0
            for tables, others in zip(tuning.tables, drawn, strict=True):
                full = [[agent] * (tables.players - len(some)) + some for some in others]
                rating += tables.share * rate(game, agent, full, tables.deals, seed, tuning.lead, tables.variant)
            tried.append((vector, -rating))
        cloud.tell(tried)
        if generation % settings.every == 0:
            mean = to_weights(tuning, cloud.mean)
            past.append((mean, tuning.agent(mean)))
        progress.update(bar, advance=1, description=f"tuning, spread {cloud._sigma:.2f}")
    weights, agents = zip(*past[-6:], strict=True)
    ratings = round_robin(game, tuning, agents, settings.seed, progress)
    best = int(ratings.argmax())
    return weights[best], float(ratings[best])


def round_robin(game: Game, tuning: Tuning, agents: Sequence[AnyAgent], seed: int, progress: Progress) -> Vector:
    """(agents,): ratings of each against each, alone among copies of the other and as copies around one of it."""
    ratings = np.zeros(len(agents))
    pairs = [(a, b) for a in range(len(agents)) for b in range(len(agents)) if a != b]
    for a, b in progress.track(pairs, description="the last candidates against each other"):
        for size in tuning.tables:
            tables = [[agents[a]] * seats + [agents[b]] * (size.players - seats) for seats in {1, size.players - 1}]
            rating = rate(game, agents[a], tables, 5 * size.deals, seed, tuning.lead, size.variant)
            ratings[a] += size.share * rating / (len(agents) - 1)
    return ratings


def main(
    out: Annotated[Path, typer.Argument(help="The JSON file to write the weights to.")],
    game: GameName = DEFAULT,
    generations: Annotated[int, typer.Option(min=1)] = Settings.generations,
    population: Annotated[int, typer.Option(min=4)] = Settings.population,
    spread: Annotated[float, typer.Option(min=0.001)] = Settings.spread,
    every: Annotated[int, typer.Option(min=1)] = Settings.every,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1)] = Settings.seed,
) -> None:
    """Tune the weights of a game's heuristic and write them to a file."""
    try:
        of_game = game_of(game)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--game") from None
    tuning = of_game.training.tuning
    if tuning is None:
        raise typer.BadParameter(f"{of_game.title} declares no weights to tune", param_hint="--game")
    if generations < every:
        raise typer.BadParameter(
            f"expected at least as many as --every, {every}: before, there is nothing to write down",
            param_hint="--generations",
        )
    settings = Settings(generations, population, spread, every, seed)
    with Progress() as progress:
        weights, rating = tune(of_game, tuning, settings, progress)
    content = {"name": out.stem, "version": 1, "settings": asdict(settings), "weights": weights}
    write_whole(out, (json.dumps(content, indent=2) + "\n").encode())
    typer.echo(f"wrote {printable(out)}; rated {rating:.3f} among the last of them, 1 being as good as the others")


if __name__ == "__main__":
    typer.run(main)
