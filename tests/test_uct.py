"""UCT: what sets it apart from the other searches, whose tests it shares."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playing import mid_game
from toy_game import StoneGames, StoneRules

from strand_env.agents import Positions, RandomAgent, agent_of, ask
from strand_env.agents.search import MonteCarlo
from strand_env.agents.strand_unter.heuristics import Tide
from strand_env.agents.uct import UCT
from strand_env.arena import run_arena, versus
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams
from strand_env.registry import game_of
from strand_env.strand_unter import Games


def asked(batch: Batch) -> tuple[Any, Any, Streams]:
    games, seats = np.nonzero(batch.to_act)
    return games, seats, Streams.of_decisions(batch.seeds[games], 0, seats)


@pytest.mark.parametrize("rollouts", [1, 5, 200])
def test_every_rollout_begins_with_a_legal_action(rollouts: int) -> None:
    """In turn, all at once, and with cards that only their owner sees."""
    for batch in (mid_game(20), Games(4, 4, seed=1), StoneGames(4, 5, seed=1), game_of("maui").batch(4, 3, seed=1)):
        games, seats, rng = asked(batch)
        masks = batch.legal[games, seats]
        visits = UCT(rollouts, RandomAgent()).mixture(masks, rng, Positions(batch, games, seats))
        assert (visits.round().sum(1) == rollouts).all()
        assert (visits[masks == 0] == 0).all()


def test_the_better_an_action_the_more_rollouts_it_gets() -> None:
    batch = StoneGames(20, 2, seed=3)
    games, seats, rng = asked(batch)
    masks, positions = batch.legal[games, seats], Positions(batch, games, seats)
    visits = UCT(1000, RandomAgent()).mixture(masks, rng, positions)
    by_stones = visits[:, [action for action in range(140) if masks[:, action].all()]]
    assert (by_stones.argmax(1) == by_stones.shape[1] - 1).all(), "to take all wins at once"
    assert (by_stones.max(1) > 1.5 * np.median(by_stones, axis=1)).all()


def test_few_rollouts_are_not_wasted() -> None:
    """With one for each action, the best result decides: the last stones are worth most."""
    batch = StoneGames(40, 2, 3, StoneRules(stones=6, highest_card=1))
    games, seats, rng = asked(batch)
    number = int(batch.legal[games, seats].sum(1).max())
    actions = ask(UCT(number, RandomAgent()), batch, games, seats, rng)
    assert (actions >= 3).all(), "more than half of the stones"


def test_a_policy_that_must_be_asked_is_refused() -> None:
    class Asked(Tide):
        def act(self, observation: Any, mask: Any, rng: Streams) -> Any:
            return mask.argmax(1)

    class Plain:
        def reset(self) -> None: ...

        def act(self, observation: Any, mask: Any, rng: Streams) -> Any:
            return mask.argmax(1)

    batch = Games(1, 2, seed=1)
    for policy in (Asked(), Plain()):
        with pytest.raises(ValueError, match=f"{type(policy).__name__}: UCT needs a rollout policy in compiled form"):
            ask(UCT(4, policy), batch, *asked(batch))


PLAIN_PYTHON = """
import numpy as np
from toy_game import StoneGames, StoneRules
from strand_env.agents import RandomAgent, action_probabilities
from strand_env.agents.uct import UCT
from strand_env.engine.randomness import Streams
games = StoneGames(1, 3, 5, StoneRules(stones=12))
seat = int(np.flatnonzero(games.to_act[0])[0])
print(action_probabilities(UCT(100, RandomAgent()), games, seat, Streams(games.seeds)).tolist())
"""


@pytest.mark.slow
def test_plain_python_searches_the_same() -> None:
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(Path(__file__).parent)}
        command = [sys.executable, "-W", "error", "-c", PLAIN_PYTHON]
        outputs.append(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1]


@pytest.mark.heavy
def test_more_rollouts_are_better() -> None:
    random = RandomAgent()
    for few, many in ((64, 256), (256, 1024)):
        assert versus(UCT(many, random), UCT(few, random), 200, 2, game="maui").win.low > 0.5


@pytest.mark.slow
def test_planning_ahead_pays() -> None:
    """Where players move in turn, it comes out ahead of flat search with as many rollouts, if only by points."""
    random = RandomAgent()
    results = run_arena([UCT(512, random)], 150, 2, 7, versus=MonteCarlo(512, random), game="maui")
    assert results.first_agent("margin").low > 0


def test_its_name() -> None:
    assert type(agent_of("uct:9", game="maui")) is UCT
