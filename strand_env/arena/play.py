"""Plays deals with agents in all seats, surviving whatever agents do; returns the outcome of each game and seat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from strand_env.adapters.recorder import Recorder
from strand_env.agents import AnyAgent, Memory, ask
from strand_env.engine.checks import printable
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

LONGEST_ERROR, LONGEST_MESSAGE = 80, 300  # characters


@dataclass(frozen=True)
class Forfeit:
    """A game that ended early because an agent failed."""

    deal: int
    lineup: int
    seat: int
    agent: int
    moves: int  # before that
    error: str
    message: str


@dataclass(frozen=True)
class Played:
    """Outcomes of deals from number `first` on, in all line-ups."""

    first: int
    outcomes: dict[str, npt.NDArray[np.float64]]  # (deals, line-ups, players) of each
    forfeits: list[Forfeit]

    @property
    def deals(self) -> int:
        return len(self.outcomes["win"])


def play_deals(
    game: Game,
    agents: Sequence[AnyAgent],
    seating: npt.NDArray[np.int64],
    seeds: npt.NDArray[np.uint64],
    first: int = 0,
    record: int = 0,
    variant: str | None = None,
) -> tuple[Played, list["Replay"]]:
    """Plays each deal, from its seed, in all its line-ups.

    `seating` (deals, line-ups, players) holds the agents' numbers. All games run in one batch, and each agent is asked
    once per step for all its seats. Its random stream depends on the deal, the move and the seat alone, so that a game
    does not depend on the rest of the batch. What agents remember begins and ends with a game. An agent that fails
    forfeits the game. The first `record` games are
    recorded as replays.
    """
    lineups, players = seating.shape[1:]
    who = seating.reshape(-1, players)
    batch = game.batch(len(who), players, seed=np.repeat(seeds, lineups), variant=variant)
    dealt = batch.seeds
    recorder = Recorder(game, batch, record)
    recorder.begin(np.arange(len(who)))
    failed, memory = np.zeros(who.shape, np.bool_), Memory(*who.shape)
    forfeits: list[Forfeit] = []
    moves = 0
    while True:
        to_act = batch.to_act & ~failed.any(1, keepdims=True)
        going = to_act.any(1)
        if not going.any():
            break
        actions = np.full(who.shape, batch.pass_action, np.int64)
        for number, agent in enumerate(agents):
            games, seats = np.nonzero(to_act & (who == number))
            if not len(games):
                continue
            streams = Streams.of_decisions(dealt[games], moves, seats)
            actions[games, seats], errors = ask_bravely(agent, batch, games, seats, streams, memory)
            for row, error in errors.items():
                deal, lineup = divmod(int(games[row]), lineups)
                told = printable(type(error).__name__, LONGEST_ERROR), printable(error, LONGEST_MESSAGE)
                forfeits.append(Forfeit(first + deal, lineup, int(seats[row]), number, moves, *told))
                failed[games[row], seats[row]] = True
        going &= ~failed.any(1)
        numbers = np.flatnonzero(going)
        batch.step(actions[numbers], numbers)
        recorder.add(numbers, actions[numbers])
        moves += 1
    outcomes = {name: values.reshape(seating.shape) for name, values in _outcomes(batch, failed).items()}
    forfeits.sort(key=lambda forfeit: (forfeit.deal, forfeit.lineup, forfeit.seat))
    return Played(first, outcomes, forfeits), [recorder.replay(index) for index in range(len(recorder))]


def ask_bravely(
    agent: AnyAgent,
    batch: Batch,
    games: npt.NDArray[np.int64],
    seats: npt.NDArray[np.int64],
    streams: Streams,
    memory: Memory | None = None,
) -> tuple[npt.NDArray[np.integer], dict[int, BaseException]]:
    """The agent's action in each row, and the errors by row where it fails.

    If it fails, it is asked again about each half of the rows, down to single ones.
    """
    rows = np.arange(len(games))
    try:
        # Copies, since an agent may overwrite them.
        return ask(agent, batch, games.copy(), seats.copy(), streams[rows], memory), {}
    except (Exception, SystemExit) as error:
        if len(rows) == 1:
            return np.array([batch.pass_action]), {0: error}
    middle = len(rows) // 2
    front, back = (
        ask_bravely(agent, batch, games[half], seats[half], streams[half], memory)
        for half in (rows[:middle], rows[middle:])
    )
    errors = front[1] | {middle + row: error for row, error in back[1].items()}
    return np.concatenate((front[0], back[0])), errors


def _outcomes(batch: Batch, failed: npt.NDArray[np.bool_]) -> dict[str, npt.NDArray[Any]]:
    """For each game and seat: the share of the win, the rank, the score, and the game's own statistics.

    A forfeited game has no score. Offenders are last and get no share of the win; the others share it equally.
    """
    players = failed.shape[1]
    games, seats = (index.reshape(-1) for index in np.indices(failed.shape))
    counted = {**batch.results(games, seats), **batch.statistics(games, seats)}
    outcomes = {name: values.reshape(failed.shape).astype(np.float64) for name, values in counted.items()}
    broken = failed.any(1)
    for values in outcomes.values():
        values[broken] = np.nan
    others = ~failed[broken]
    outcomes["win"][broken] = others / np.maximum(others.sum(1, keepdims=True), 1)
    outcomes["rank"][broken] = np.where(others, 1, players)
    return outcomes
