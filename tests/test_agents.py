"""Agents: how they are named and given, and what the random one does."""

import dataclasses
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import AnotherRandom, Favourite
from playing import mid_game
from toy_game import STONES, TAKE_ALL

from strand_env import registry, strand_unter_v1
from strand_env.adapters.opponents import Opponents
from strand_env.agents import RandomAgent, agent_names, agent_of, joint_actions, origins_of
from strand_env.agents.encoding import encoding_of
from strand_env.agents.naming import game_of_agents, is_code
from strand_env.agents.network import Network, NetworkAgent, save_agent
from strand_env.agents.search import MonteCarlo, RegretMatching
from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Mason, Sprinter, Tide
from strand_env.agents.uct import UCT
from strand_env.arena import run_arena, versus
from strand_env.engine.game import Game, GameAgents
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import PASS, Games, Ruleset


def streams(rows: int, seed: int = 0) -> Streams:
    return Streams.of_decisions(np.arange(rows, dtype=np.uint64), seed, np.zeros(rows, np.int64))


def test_agents_by_name() -> None:
    kinds = {name: type(agent_of(name)) for name in agent_names()}
    assert kinds == {
        "random": RandomAgent,
        "greedy": Greedy,
        "dodger": Dodger,
        "sprinter": Sprinter,
        "mason": Mason,
        "tide": Tide,
        "learned": NetworkAgent,
        "cheater": MonteCarlo,
    }
    agent = Favourite(3)
    assert agent_of(agent) is agent


@pytest.mark.slow
def test_the_learned_agent_beats_the_reference_in_any_company() -> None:
    """Far below what it was measured at, which is in its description: this is not to fail by chance."""
    assert versus("learned", "tide", 50, 4).win.low > 0.4
    assert versus("learned", "tide", 50, 3).win.low > 0.4
    assert versus("learned", "tide", 100, 2).win.low > 0.6
    assert versus("tide", "learned", 100, 4).win.high < 0.25
    assert sum(path.stat().st_size for path in STRAND_UNTER.agents.trained["learned"].iterdir()) < 5_000_000


def test_another_learned_agent_is_another_run_to_the_arena() -> None:
    assert origins_of("learned") == [STRAND_UNTER.agents.trained["learned"]]
    assert origins_of("tide") == []


def test_the_learned_agent_knows_the_usual_rules_alone() -> None:
    assert agent_of("learned", Ruleset.default())
    with pytest.raises(ValueError, match="learned: it was trained for the usual rules of Strand Unter"):
        agent_of("learned", dataclasses.replace(Ruleset.default(), combinations=Ruleset.default().combinations[::-1]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("rnadom", "no agent is called 'rnadom'; there are: .*random.*; did you mean 'random'?"),
        ("xyz", "no agent is called 'xyz'; there are: [^;]*$"),
        ("TIDE", r"did you mean 'tide'\?"),
        ("cheter", r"did you mean 'cheater'\?"),
        ("mine.py", r"mine.py: expected a class of that file, as mine.py:Class"),
        ("mine.py:", r"mine.py:: expected a class of that file, as mine.py:Class"),
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
        ("uct:9", UCT, 9, False),
        ("cheater:5", MonteCarlo, 5, True),
        ("cheater", MonteCarlo, 256, True),
    ):
        agent = agent_of(name)
        assert (type(agent), agent.rollouts) == (kind, rollouts)
        assert getattr(agent, "sees_hidden", False) == cheats
        assert type(agent.heuristic) is Tide


def test_searches_with_rollouts_by_another_agent(tmp_path: Path) -> None:
    agent = agent_of("mc:64@greedy")
    assert (type(agent), agent.rollouts, type(agent.heuristic), agent.cutoff) == (MonteCarlo, 64, Greedy, None)
    agent = agent_of("mc:8/4@rm:2")
    assert (type(agent.heuristic), type(agent.heuristic.heuristic)) == (RegretMatching, Tide)
    assert (agent.cutoff.moves, type(agent.cutoff.policy)) == (4, Tide)
    assert origins_of("mc:64@learned") == origins_of("learned")
    assert origins_of("mc:64@tide") == []
    assert is_code(f"mc:64/2@{tmp_path}/own.py:Mine")
    assert is_code("mc:1@" * 2000 + "own.py:Mine")
    assert not is_code("mc:64@learned")
    for name, message in {
        "mc:64@nobody": "no agent is called 'nobody'",
        "mc:64@": "no agent is called ''",
        "mc:64/@tide": "mc:64/@tide: moves: expected a whole number from 1 to 1000000, got ''",
        "mc:x@tide": "mc:x@tide: rollouts: expected a whole number",
        "uct:64/4@tide": "rollouts are cut off, and have a population, only in mc, rm, prior, posterior",
        "uct:64@tide+greedy": "as mc:N/MOVES@AGENT.AGENT",
        "prior:64@tide+nobody": "no agent is called 'nobody'",
        "prior:64@" + "tide+" * 40 + "tide": "expected at most 32 agents, got 41",
        "posterior:64@tide+mc:4@tide": "rollouts by a search whose rollouts are another agent's take forever",
        "mc:1@" * 2000 + "tide": "rollouts by a search whose rollouts are another agent's take forever",
        "mc:64/4": "rollouts are cut off, and have a population, only in mc, rm, prior, posterior",
    }.items():
        with pytest.raises(ValueError, match=message):
            agent_of(name)


def test_named_opponents_know_the_ruleset_of_the_games() -> None:
    turned = Ruleset(combinations=Ruleset.default().combinations[::-1])
    games = Games(300, 4, seed=2, ruleset=turned)
    numbers, seats = np.nonzero(games.to_act)
    asked = numbers[seats != 0], seats[seats != 0]

    def rng() -> Streams:
        return Streams.of_decisions(games.seeds[asked[0]], 0, asked[1])

    dials = Opponents("tide", 4, turned, STRAND_UNTER).act(games, *asked, asked[1], rng())
    seen = games.look_at_rows(*asked)
    assert (dials == Tide(ruleset=turned).act(*seen, rng())).all()
    assert (dials != Tide().act(*seen, rng())).any()
    env = strand_unter_v1.learner_vec_env(num_envs=4, opponents="tide", ruleset=turned)
    assert env.match.opponents.agents[0]._kinds.tolist() == [5, 4, 3, 2, 1, 0]


def test_one_agent_plays_for_everybody() -> None:
    """And a game goes the same way alone as among others."""
    together, tide = Games(20, 3, seed=4), Tide()
    one, moves = together.select([7]), 0
    while not together.over.all():
        to_act = together.to_act
        actions = joint_actions(tide, together, moves)
        assert (actions[~to_act] == PASS).all()
        assert together.legal[(*np.nonzero(to_act), actions[to_act])].all()
        if not one.over.all():
            assert (joint_actions(tide, one, moves) == actions[7]).all()
            one.step(actions[[7]])
        together.step(actions)
        moves += 1
    assert (joint_actions(tide, together, moves) == PASS).all()
    assert one.snapshot(0) == together.snapshot(7)


# Another game


def stone_rules_only(ruleset: Any) -> Favourite:
    assert ruleset in (None, STONES.ruleset.default())
    return Favourite(TAKE_ALL)


@pytest.fixture
def hoarding(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The toy game, registered beside Strand Unter, with a heuristic of its own."""
    game = dataclasses.replace(STONES, name="hoarding", title="Hoarding", agents_module="")
    known = GameAgents(heuristics={"collector": stone_rules_only}, reference="collector", rollout_policy="collector")
    game.__dict__["agents"] = known  # as its module would give it
    monkeypatch.setitem(registry._others, game.id, game)
    return game


def test_a_game_has_agents_of_its_own(hoarding: Game) -> None:
    assert agent_names(hoarding) == agent_names("hoarding") == ["random", "collector", "cheater"]
    assert type(agent_of("collector", game="hoarding")) is Favourite
    for name in ("mc:4", "rm:4", "uct:4", "cheater:4"):
        assert type(agent_of(name, game=hoarding).heuristic) is Favourite, "searches roll out with its policy"
    first_of_two = versus("collector", "random", 20, 2, game="hoarding")
    assert first_of_two.win.mean == 0.5, "whoever begins takes all; else it takes the least it can, and loses"
    assert origins_of("collector", hoarding) == []


def test_agents_of_another_game_are_refused_by_name(hoarding: Game) -> None:
    searches = "cheater:N, mc:N, openspiel-ismcts:N, openspiel-mcts:N, posterior:N, prior:N, rm:N, uct:N"
    own = f"cheater, collector, random, {searches}"
    for name, games in (("tide", "Strand Unter"), ("learned", "Strand Unter, Maui and Sea or Shore")):
        with pytest.raises(ValueError, match=f"^{name} plays {games}; the agents of Hoarding are: {own}$"):
            agent_of(name, game=hoarding)
    with pytest.raises(
        ValueError, match=r"^collector plays Hoarding; the agents of Strand Unter are: cheater, dodger, .*"
    ):
        agent_of("collector")
    with pytest.raises(
        ValueError, match=r"no agent is called 'collecter'; there are: cheater, collector, .*'collector'\?$"
    ):
        agent_of("collecter", game=hoarding)
    with pytest.raises(ValueError, match=r"^tide plays Strand Unter; the agents of Hoarding are: "):
        run_arena(["collector", "tide"], 2, 2, game=hoarding)
    with pytest.raises(
        ValueError, match="game: expected one of strand_unter, maui, sea_or_shore, hoarding; got 'chess'"
    ):
        agent_of("random", game="chess")


def test_a_folder_with_an_agent_knows_its_game(hoarding: Game, tmp_path: Path) -> None:
    folder, encoding = str(tmp_path / "agent"), encoding_of(hoarding, 3)
    layer = np.zeros((encoding.size, hoarding.num_actions), np.float32), np.zeros(hoarding.num_actions, np.float32)
    save_agent(folder, Network([layer], "relu"), hoarding, [3], encoding)
    assert agent_of(folder, game=hoarding).game == "hoarding_v0"
    with pytest.raises(ValueError, match="agent: it plays hoarding_v0, not strand_unter_v1"):
        agent_of(folder)
    assert game_of_agents(["random", folder]) is hoarding
    assert game_of_agents(["random", "tide"]) is STRAND_UNTER
    assert game_of_agents([folder], "strand_unter") is STRAND_UNTER


# Agents of one's own


OWN_AGENT = """
from dataclasses import dataclass
from pathlib import Path

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

class Careless(Mine):
    def __init__(self):
        len(3)

class Leaving(Mine):
    def __init__(self):
        raise SystemExit

class Picky(Mine):
    def __init__(self):
        raise ValueError("bad weights")
"""


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join((*lines, "")))
    return path


def test_agents_of_ones_own(tmp_path: Path) -> None:
    path = write(tmp_path / "my_agents.py", OWN_AGENT)
    assert type(agent_of(f"{path}:Mine")).__name__ == "Mine"
    for name, message in {
        f"{path}:Yours": "no class 'Yours' there; there are: Mine, Needy, Broken, Careless, Leaving, Picky$",
        f"{path}:Needy": "missing a required argument: 'food'; an agent is made without arguments",
        f"{path}:Careless": "my_agents.py:Careless: TypeError: object of type 'int' has no len..$",
        f"{path}:Leaving": "my_agents.py:Leaving: SystemExit: $",
        f"{path}:Picky": "my_agents.py:Picky: ValueError: bad weights$",
        f"{path}:Broken": "expected an agent .with methods reset and act.",
        f"{tmp_path / 'nowhere.py'}:Mine": "nowhere.py: there is no such file",
        "no_module.of_mine:Mine": "no_module.of_mine:Mine: ModuleNotFoundError: No module named 'no_module'",
        "mc:many": "mc:many: rollouts: expected a whole number from 1 to 1000000, got 'many'",
        "mc:": "mc:: rollouts: expected a whole number from 1 to 1000000, got ''",
        "mc:0": "rollouts: expected a whole number from 1 to 1000000, got 0",
        "rm:1000001": "rollouts: expected a whole number from 1 to 1000000, got 1000001",
        "mc": "no agent is called 'mc'; .*; did you mean 'mc:256'?",
    }.items():
        with pytest.raises(ValueError, match=message):
            agent_of(name)


@pytest.mark.slow
def test_the_command_finds_agents_of_the_current_folder_and_files_their_neighbours(tmp_path: Path) -> None:
    write(tmp_path / "here.py", OWN_AGENT)
    write(tmp_path / "folder" / "own.py", "from basis import Mine", "class Own(Mine): pass")
    write(tmp_path / "folder" / "basis.py", OWN_AGENT)
    command = [shutil.which("strand", path=str(Path(sys.executable).parent)) or "strand", "arena"]
    arguments = ["here:Mine", "folder/own.py:Own", "--deals", "2", "--players", "2", "--processes", "2"]
    run = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "4 games in " in run.stderr  # there may be word of compiling before


def test_files_of_the_same_name_are_different_modules(tmp_path: Path) -> None:
    path, other = (write(tmp_path / folder / "same.py", OWN_AGENT) for folder in "ab")
    agents = [agent_of(name) for name in (f"{path}:Mine", f"{other}:Mine", f"{path}:Mine")]
    for agent in agents:
        assert type(pickle.loads(pickle.dumps(agent))) is type(agent)
    assert type(agents[0]) is type(agents[2]) is not type(agents[1])
    write(path, OWN_AGENT.replace("= 3", "= 4"))
    assert agent_of(f"{path}:Mine").favourite == 4


def test_a_file_that_fails_leaves_no_module_behind(tmp_path: Path) -> None:
    path = write(tmp_path / "half_done.py", "class Mine: pass", "1 / 0")
    with pytest.raises(ValueError, match=r"half_done.py:Mine: ZeroDivisionError: division by zero"):
        agent_of(f"{path}:Mine")
    assert not [name for name in sys.modules if "half_done" in name]


def test_nobody_plays_with_the_neighbours_of_another(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name / "own.py", "from strand_basis import Mine") for name in ("one", "two"))
    for path in (first, second):
        write(path.with_name("strand_basis.py"), OWN_AGENT)
    assert agent_of(f"{first}:Mine").favourite == agent_of(f"{first}:Mine").favourite == 3
    with pytest.raises(ValueError, match=r"two/strand_basis.py has the name of .*one/strand_basis.py"):
        agent_of(f"{second}:Mine")


def test_a_neighbour_of_a_file_in_the_current_folder_is_not_mixed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder comes first on the path: the file would silently play with what it finds there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    write(tmp_path / "strand_helper.py", OWN_AGENT)
    path = write(tmp_path / "folder" / "own.py", "from strand_helper import Mine")
    write(path.with_name("strand_helper.py"), OWN_AGENT.replace("= 3", "= 4"))
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"folder/strand_helper.py has the name of .*/strand_helper.py, which is imp"
        ):
            agent_of("folder/own.py:Mine")


def test_the_folder_of_a_file_comes_last_on_the_path_and_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are found that are imported only when an agent plays; a neighbour never replaces an installed module."""
    before = [*sys.path]
    monkeypatch.setattr(sys, "path", [*before])
    write(tmp_path / "statistics.py", "raise RuntimeError")
    write(tmp_path / "strand_late.py", "ACTION = 5")
    late = "class Late(Mine):", "    def late(self):", "        import strand_late", "        return strand_late.ACTION"
    path = write(tmp_path / "own.py", "import statistics", OWN_AGENT, *late)
    agents = [agent_of(f"{path}:Late") for _ in range(2)]
    assert sys.path == [*before, str(tmp_path)]
    assert agents[0].late() == 5


def test_known_names_are_no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tide", "mc:64"):
        Path(name).mkdir()
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
    actions = Opponents(opponents, 4, None, STRAND_UNTER).act(
        games, numbers[asked], seats[asked], distances, rng()[asked]
    )
    assert (actions == expected[asked]).all()


def test_what_is_made_from_the_random_agent_need_not_be_random() -> None:
    class Timid(RandomAgent):
        def act(self, observation: Any, mask: Any, rng: Streams) -> Any:
            return mask.argmax(1)

    games = mid_game(50)
    numbers, seats = np.nonzero(games.to_act)
    rng = Streams.of_decisions(games.seeds[numbers], 2, seats)
    opponents = Opponents(Timid(), 4, None, STRAND_UNTER)
    assert (opponents.act(games, numbers, seats, seats, rng) == games.legal[numbers, seats].argmax(1)).all()


def test_all_opponents_hear_of_a_new_run() -> None:
    agents = [Favourite(1), Favourite(2), Favourite(3)]
    Opponents(agents, 4, None, STRAND_UNTER)
    assert [agent.resets for agent in agents] == [1, 1, 1]
