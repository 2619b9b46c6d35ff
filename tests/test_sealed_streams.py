"""Agents from outside cannot infer a game's seed, and with it all that is hidden, from the random streams they get."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from strand_env.agents import Memory, agent_of, ask, joint_actions
from strand_env.agents.asking import policies_of
from strand_env.agents.policy import PolicyAgent
from strand_env.agents.population import Posterior
from strand_env.agents.search import Cutoff, MonteCarlo, RegretMatching
from strand_env.engine.randomness import Streams
from strand_env.sea_or_shore import GAME, Games

PLAYERS = 4
COPIES = 8
GAMMA, DECISIONS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xDEC15105DEC15105)
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

Words = npt.NDArray[np.uint64]

FILE = """
class Curious:
    def __init__(self):
        self.noted = []

    def reset(self):
        pass

    def act(self, observation, mask, rng):
        self.noted += rng.bits().tolist()
        return mask.argmax(1)
"""


class Curious:
    """Notes what it is given of chance."""

    def __init__(self) -> None:
        self.noted: list[int] = []

    def reset(self) -> None:
        pass

    def act(self, observation: Any, mask: Any, rng: Streams, memory: Any = None) -> Any:
        self.noted += rng.bits().tolist()
        return mask.argmax(1)


class Remembers(Curious):
    def memory_size(self, num_players: int) -> int:
        return 1


class Searches(Curious):
    """Notes the seeds of the copies, too."""

    def search(self, observation: Any, mask: Any, rng: Streams, positions: Any) -> Any:
        copies, chance = positions.copies(np.ones(len(mask), np.int64), rng)
        self.noted += [*rng.bits().tolist(), *chance.tolist(), *copies.seeds.tolist()]
        return mask.argmax(1)


class Mixes(Searches):
    def mixture(self, mask: Any, rng: Streams, positions: Any) -> Any:
        self.search(None, mask, rng, positions)
        return mask


class Infers(Curious):
    """Notes the seeds of the redeals whose likelihood it is asked for."""

    def likelihoods(self, batch: Any, observers: Any) -> npt.NDArray[np.float64]:
        self.noted += batch.seeds.tolist()
        return np.full(batch.num_games, 0.5)


def unmixed(z: Words) -> Words:
    """The inverse of `randomness.mixed`."""
    for shift, factor in ((31, SECOND), (27, FIRST), (30, 1)):
        x = z
        for _ in range(2):  # enough for shifts of 22 bits and more
            x = z ^ x >> np.uint64(shift)
        z = x * np.uint64(pow(factor, -1, 1 << 64))
    return z - GAMMA


def minus_gammas(words: Words, steps: list[int]) -> Words:
    """Each word, less each of these multiples of `GAMMA`."""
    return (words[:, np.newaxis] - GAMMA * np.array(steps, np.uint64)).ravel()


def seeds_of_streams(streams: Words, moves: int = 2) -> Words:
    """The seeds that have these streams of decisions, if these are among the first ones of a game."""
    steps = [move << 8 | seat for move in range(moves) for seat in range(PLAYERS)]
    return unmixed(minus_gammas(unmixed(streams), steps)) ^ DECISIONS


def seeds_of_bits(bits: Words, moves: int = 2) -> Words:
    """The seeds behind the first draws of a decision."""
    return seeds_of_streams(minus_gammas(unmixed(bits), list(range(4))), moves)


def seeds_behind(noted: list[int]) -> Words:
    """What an agent finds that knows how streams are made: from its draws, those of copies and of rollouts."""
    numbers = np.array(noted[:40], np.uint64)
    in_rollouts = seeds_of_bits(numbers, moves=3)
    chance = np.concatenate([numbers, in_rollouts, ~in_rollouts])
    copies = minus_gammas(unmixed(chance), list(range(COPIES)))
    return np.concatenate([seeds_of_bits(numbers), seeds_of_bits(copies)])


def dealt() -> tuple[Games, npt.NDArray[np.int64], npt.NDArray[np.int64], Streams]:
    """The arguments of `ask`, but for the agent: the first card is to be played."""
    games = Games(1, PLAYERS, seed=12345)
    games.step(games.random_actions(0))
    seats = np.zeros(1, np.int64)
    return games, np.zeros(1, np.int64), seats, Streams.of_decisions(games.seeds, 1, seats)


def test_streams_can_be_inverted_and_sealed_ones_cannot() -> None:
    games, _, _, rng = dealt()
    assert games.seeds[0] in seeds_behind(rng[np.array([0])].bits().tolist())
    chance = rng[np.array([0])].several(np.array([COPIES]))
    in_rollout = Streams.of_decisions(chance[-1:], 2, np.array([3]))
    for noted in (chance[-1:], in_rollout.bits()):
        assert games.seeds[0] in seeds_behind(noted.tolist())
    assert games.seeds[0] not in seeds_behind(rng.sealed().bits().tolist())


def test_sealed_streams_repeat_and_do_not_depend_on_other_rows() -> None:
    many = Streams(np.arange(5, dtype=np.uint64))
    drawn = many.sealed().bits()
    assert (many.sealed().bits() == drawn).all()
    assert len(set(drawn.tolist())) == 5
    assert many[np.array([3])].sealed().bits() == drawn[3]
    assert drawn[3] != many.bits()[3]


def of_file(folder: Path) -> Any:
    (folder / "curious.py").write_text(FILE)
    return agent_of(f"{folder / 'curious.py'}:Curious", game=GAME)


def skipper() -> Any:
    return agent_of("skipper", game=GAME)


def agent_of_function(function: Callable[..., Any]) -> Any:
    return PolicyAgent(function, game=GAME)


def first_legal() -> Any:
    return agent_of_function(lambda observations, masks: masks.argmax(1))


# How an agent from outside may be asked: it, and the agent that asks it
WAYS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda agent: agent,
    "rollouts": lambda agent: MonteCarlo(COPIES, agent),
    "first moves": lambda agent: MonteCarlo(COPIES, agent, cutoff=Cutoff(3, skipper())),
    "last moves": lambda agent: MonteCarlo(COPIES, first_legal(), cutoff=Cutoff(3, agent)),
    "population": lambda agent: MonteCarlo(COPIES, skipper(), cutoff=Cutoff(3, skipper()), population=[agent]),
    "regrets": lambda agent: RegretMatching(COPIES, skipper(), cutoff=Cutoff(3, skipper()), population=[agent]),
    "posterior": lambda agent: Posterior(
        MonteCarlo(COPIES, skipper(), cutoff=Cutoff(3, skipper()), population=[agent]), None
    ),
}
KINDS: dict[str, Callable[[Path], Any]] = {
    "acts": lambda folder: Curious(),
    "remembers": lambda folder: Remembers(),
    "searches": lambda folder: Searches(),
    "infers": lambda folder: Infers(),
    "file": of_file,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_agent_from_outside_infers_the_seed(kind: str, way: str, tmp_path: Path) -> None:
    agent, (games, *rows, rng) = KINDS[kind](tmp_path), dealt()
    actions = ask(WAYS[way](agent), games, *rows, rng, Memory(1, PLAYERS))
    assert games.legal[0, 0, actions[0]]
    assert agent.noted
    assert games.seeds[0] not in seeds_behind(agent.noted)
    again = KINDS[kind](tmp_path)
    games, *rows, rng = dealt()
    assert ask(WAYS[way](again), games, *rows, rng, Memory(1, PLAYERS)) == actions
    assert again.noted == agent.noted  # the same seed, the same draws


def test_asking_for_probabilities_tells_no_more() -> None:
    agent, (games, *rows, rng) = Mixes(), dealt()
    policies_of(agent, games, *rows, rng)
    assert agent.noted
    assert games.seeds[0] not in seeds_behind(agent.noted)


def test_functions_get_no_streams() -> None:
    given: list[Any] = []

    def first(*arguments: Any) -> Any:
        given.extend(arguments)
        return arguments[1].argmax(1)

    games, *rows, rng = dealt()
    ask(agent_of_function(first), games, *rows, rng)
    observations, masks = games.look_at_rows(*rows)
    assert [each.shape for each in given] == [(1, given[0].shape[1]), masks.shape]
    assert given[0].shape[1] == agent_of_function(first).encoding.encode(observations).shape[1]


@pytest.mark.parametrize("name", ["counter", "skipper"])
def test_bundled_agents_keep_their_streams(name: str) -> None:
    agent, (games, *rows, rng) = agent_of(name, game=GAME), dealt()
    assert ask(agent, games, *rows, rng[rows[0]]) == agent.act(*games.look_at_rows(*rows), rng)


def test_games_repeat() -> None:
    class Draws(Curious):
        def act(self, observation: Any, mask: Any, rng: Streams, memory: Any = None) -> Any:
            return (np.cumsum(mask, 1) > rng.integers(mask.sum(1))[:, np.newaxis]).argmax(1)

    played = []
    for number in (3, 1):
        games = Games(number, PLAYERS, seed=[5, 6, 7][:number])
        for moves in range(30):
            games.step(joint_actions(Draws(), games, moves))
        played.append(games.snapshot(0))
    assert played[0] == played[1]  # alone as in a batch
