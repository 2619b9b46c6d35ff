"""What the heuristics of all games have in common. A game's get these tests by being named in its `AGENTS`."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from subjects import SUBJECTS
from subjects.base import Configuration, Subject, described

from strand_env.agents import agent_of, ask
from strand_env.agents.rollouts import finish
from strand_env.agents.search import play_by_asking
from strand_env.arena import versus
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

CASES = [
    pytest.param(subject, configuration, id="-".join([name, *described(configuration)]).replace(" ", "_"))
    for name, subject in SUBJECTS.items()
    for configuration in subject.configurations
]
every_case = pytest.mark.parametrize(("subject", "configuration"), CASES)
every_game = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=SUBJECTS)


def spread(subject: Subject, configuration: Configuration, number: int = 120, ruleset: Any = None) -> Batch:
    """Games at all stages, by random play."""
    games = subject.game.batch(number, seed=5, ruleset=ruleset, **configuration)
    whole, longest = games.clone(), 0
    while not whole.over.all():
        whole.step(whole.random_actions(longest))
        longest += 1
    for step in range(longest):
        going = (np.arange(number) * longest // number > step) & ~games.over
        games.step(games.random_actions(step)[going], going)
    games.reset(games.over)
    return games


def deciding(games: Batch) -> Rows:
    numbers, seats = np.nonzero(games.to_act)
    return numbers, seats


def heuristics(subject: Subject, games: Batch) -> dict[str, Any]:
    return {name: make(games.ruleset) for name, make in subject.game.agents.heuristics.items()}


def reference(subject: Subject, games: Batch) -> Any:
    return agent_of(subject.game.agents.reference, games.ruleset, game=subject.game)


@every_case
def test_it_chooses_legal_actions(subject: Subject, configuration: Configuration) -> None:
    for ruleset in (None, subject.random_ruleset(random.Random(3))):
        games = spread(subject, configuration, ruleset=ruleset)
        rows = deciding(games)
        for name, agent in heuristics(subject, games).items():
            actions = ask(agent, games, *rows, Streams.of_decisions(games.seeds[rows[0]], 3, rows[1]))
            assert games.legal[(*rows, actions)].all(), name


@every_case
def test_it_does_not_see_what_is_hidden(subject: Subject, configuration: Configuration) -> None:
    """The same view, another deal: the same ratings."""
    games = spread(subject, configuration, ruleset=subject.random_ruleset(random.Random(4)))
    numbers, seats = deciding(games)
    one, rows = games.select(numbers), (np.arange(len(numbers)), seats)
    other = one.clone()
    other.redeal(17, seats)
    assert any(
        one.snapshot(index) != other.snapshot(index) | {"seed": one.snapshot(index)["seed"]} for index in rows[0]
    )
    for name, agent in heuristics(subject, games).items():
        ratings = [agent.rate(*each.look_at_rows(*rows)) for each in (one, other)]
        assert (ratings[0] == ratings[1]).all(), name


@every_case
def test_it_rates_a_row_as_if_it_were_alone(subject: Subject, configuration: Configuration) -> None:
    """Players of one game may share some of the work, in whatever order they come."""
    games = spread(subject, configuration, 60)
    observations, masks = games.look_at_rows(*deciding(games))
    agent = reference(subject, games)
    alone = np.concatenate([agent.rate(seen[None], mask[None]) for seen, mask in zip(observations, masks, strict=True)])
    orders = np.arange(len(masks)), np.arange(len(masks))[::-1], np.random.default_rng(1).permutation(len(masks))
    for order in orders:
        assert (agent.rate(observations[order], masks[order]) == alone[order]).all()


@every_case
def test_rollouts_are_as_if_it_were_asked(subject: Subject, configuration: Configuration) -> None:
    at_once = spread(subject, configuration, 40)
    asked, agent = at_once.clone(), reference(subject, at_once)
    first, chance = np.full((40, at_once.num_players), -1), np.arange(40, dtype=np.uint64)
    policy = agent.rollout_policy(at_once)
    assert policy is not None
    assert finish(at_once, [policy], chance, first)
    play_by_asking(asked, agent, chance, first)
    assert at_once.over.all()
    assert (at_once.scores == asked.scores).all()


@every_game
def test_one_that_decides_otherwise_must_be_asked(subject: Subject) -> None:
    games = subject.game.batch(1)
    kind = type(reference(subject, games))
    contrary = type("Contrary", (kind,), {"rate": lambda self, *seen: -kind.rate(self, *seen)})
    assert kind().rollout_policy(games) is not None
    assert contrary().rollout_policy(games) is None


@every_game
def test_rulesets_of_other_games_are_refused(subject: Subject) -> None:
    game = subject.game
    other = next(each.game for each in SUBJECTS.values() if each.game is not game)
    with pytest.raises(ValueError, match=f"plays {game.title}: expected a Ruleset of it, got Ruleset"):
        agent_of(game.agents.reference, other.ruleset.default(), game=game)


PLAIN_PYTHON = """
import random, sys
import numpy as np
from test_every_heuristic import SUBJECTS, deciding, reference, spread
subject = SUBJECTS[sys.argv[1]]
rated = []
for number, configuration in enumerate(subject.configurations[-3:]):
    games = spread(subject, configuration, 16, subject.random_ruleset(random.Random(number)))
    rated.append(reference(subject, games).rate(*games.look_at_rows(*deciding(games))).ravel())
np.save(sys.argv[2], np.concatenate(rated))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_plain_python_rates_the_same(name: str, tmp_path: Path) -> None:
    files = [tmp_path / "compiled.npy", tmp_path / "plain.npy"]
    for file, disabled in zip(files, ("0", "1"), strict=True):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(Path(__file__).parent)}
        subprocess.run([sys.executable, "-c", PLAIN_PYTHON, name, str(file)], env=environment, check=True)
    compiled, plain = (np.load(file) for file in files)
    assert compiled == pytest.approx(plain, abs=1e-4)


@pytest.mark.slow
@every_game
def test_the_reference_beats_all_others(subject: Subject) -> None:
    game = subject.game
    best = game.agents.reference
    for name in game.agents.heuristics.keys() - {best}:
        for players in game.player_counts:
            among_others = versus(best, name, deals=200, players=players, game=game.name).win
            other_among_it = versus(name, best, deals=200, players=players, game=game.name).win
            assert among_others.low > max(1 / players, other_among_it.high), (name, players)
