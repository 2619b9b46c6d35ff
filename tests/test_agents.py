"""Agents: how they are named and given, and what the random one does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import AnotherRandom, Favourite
from playing import mid_game
from strand_env.agents import NAMED, RandomAgent, agent_of
from strand_env.agents.search import MonteCarlo, RegretMatching
from strand_env.agents.strand_unter.heuristics import Tide

from strand_env.adapters.opponents import Opponents
from strand_env.randomness import Streams


def streams(rows: int, seed: int = 0) -> Streams:
    return Streams.of_decisions(np.arange(rows, dtype=np.uint64), seed, np.zeros(rows, np.int64))


def test_agents_by_name() -> None:
    for name, kind in NAMED.items():
        assert type(agent_of(name)) is type(kind())
    assert type(agent_of("tide")) is Tide
    agent = Favourite(3)
    assert agent_of(agent) is agent


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("rnadom", "no agent is called 'rnadom'; there are: .*random.*; did you mean 'random'?"),
        ("xyz", "no agent is called 'xyz'; there are: [^;]*$"),
        (RandomAgent, "expected an agent .with methods reset and act. or the name of one, got <class"),
        (object(), "expected an agent .with methods reset and act."),
        (None, "or the name of one, got None"),
    ],
)
def test_what_is_no_agent_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agent_of(given)


def test_searches_by_name() -> None:
    for name, kind, rollouts, cheats in (
        ("mc:64", MonteCarlo, 64, False),
        ("rm:7", RegretMatching, 7, False),
        ("cheater:5", MonteCarlo, 5, True),
        ("cheater", MonteCarlo, 256, True),
    ):
        agent = agent_of(name)
        assert (type(agent), agent.rollouts) == (kind, rollouts)
        assert getattr(agent, "sees_hidden", False) == cheats
        assert type(agent.heuristic) is Tide


OWN_AGENT = """
from dataclasses import dataclass

@dataclass
class Mine:
    favourite: int = 3

    def reset(self):
        pass

    def act(self, observation, mask, rng):
        return mask.argmax(1)

class Needy(Mine):
    def __init__(self, food):
        pass

class Broken:
    pass
"""


def test_agents_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "my_agents.py"
    path.write_text(OWN_AGENT)
    assert type(agent_of(f"{path}:Mine")).__name__ == "Mine"
    monkeypatch.syspath_prepend(tmp_path)
    assert agent_of("my_agents:Mine").favourite == 3
    for name, message in {
        f"{path}:Yours": "no class 'Yours' there; there are: Mine, Needy, Broken",
        f"{path}:Needy": "missing 1 required positional argument: 'food'; an agent is made without arguments",
        f"{path}:Broken": "expected an agent .with methods reset and act.",
        f"{tmp_path / 'nowhere.py'}:Mine": "nowhere.py: there is no such file",
        "no_module.of_mine:Mine": "no_module.of_mine:Mine: No module named 'no_module'",
        "mc:many": "mc:many: expected a number of rollouts from 1 to 1000000 after the colon, as mc:256",
        "mc:0": "expected a number of rollouts",
        "mc": "no agent is called 'mc'; .*; did you mean 'mc:256'?",
    }.items():
        with pytest.raises(ValueError, match=message):
            agent_of(name)


def test_an_agent_without_reset_is_refused() -> None:
    class Forgetful:
        def act(self, *_: Any) -> None: ...

    with pytest.raises(ValueError, match="with methods reset and act"):
        agent_of(Forgetful())


def test_the_random_agent_chooses_all_legal_actions_equally_often() -> None:
    masks = np.zeros((60_000, 57), np.int8)
    masks[::3, [56]] = 1
    masks[1::3, [0, 7, 56]] = 1
    masks[2::3, 3:13] = 1
    actions = RandomAgent().act(np.empty((len(masks), 0), np.int8), masks, streams(len(masks)))
    for first in range(3):
        counts = np.bincount(actions[first::3], minlength=57)
        legal = masks[first] == 1
        assert not counts[~legal].any()
        assert counts[legal] * legal.sum() / 20_000 == pytest.approx(np.ones(legal.sum()), abs=0.08)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_what_the_random_agent_does_does_not_depend_on_the_other_rows(num_players: int) -> None:
    games = mid_game(50, num_players)
    numbers, seats = np.nonzero(games.to_act)
    observations, masks = games.look_at_rows(numbers, seats)
    actions = RandomAgent().act(observations, masks, Streams.of_decisions(games.seeds[numbers], 5, seats))
    assert masks[np.arange(len(actions)), actions].all()
    some = np.random.default_rng(3).permutation(len(actions))[:20]
    rng = Streams.of_decisions(games.seeds[numbers[some]], 5, seats[some])
    assert (RandomAgent().act(observations[some], masks[some], rng) == actions[some]).all()
    again = RandomAgent().act(observations, masks, Streams.of_decisions(games.seeds[numbers], 6, seats))
    assert (again != actions).any()


@pytest.mark.parametrize("opponents", [RandomAgent(), AnotherRandom(), [RandomAgent(), AnotherRandom(), "random"]])
def test_opponents_are_random_in_the_same_way_however_they_are_asked(opponents: Any) -> None:
    games = mid_game(50)
    numbers, seats = np.nonzero(games.to_act)
    _, masks = games.look_at_rows(numbers, seats)

    def rng() -> Streams:
        return Streams.of_decisions(games.seeds[numbers], 2, seats)

    expected = RandomAgent().act(np.empty((len(masks), 0), np.int8), masks, rng())
    asked = seats != 0  # who sits in the learner's seat is not asked
    distances = seats[asked]
    actions = Opponents(opponents, 4).act(games, numbers[asked], seats[asked], distances, rng()[asked])
    assert (actions == expected[asked]).all()


def test_what_is_made_from_the_random_agent_need_not_be_random() -> None:
    class Timid(RandomAgent):
        def act(self, observation: Any, mask: Any, rng: Streams) -> Any:
            return mask.argmax(1)

    games = mid_game(50)
    numbers, seats = np.nonzero(games.to_act)
    rng = Streams.of_decisions(games.seeds[numbers], 2, seats)
    opponents = Opponents(Timid(), 4)
    assert not opponents.random
    assert (opponents.act(games, numbers, seats, seats, rng) == games.legal[numbers, seats].argmax(1)).all()


def test_all_opponents_hear_of_a_new_run() -> None:
    agents = [Favourite(1), Favourite(2), Favourite(3)]
    Opponents(agents, 4)
    assert [agent.resets for agent in agents] == [1, 1, 1]
