"""Heuristics: what they may know, and that each follows its plan."""

import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playing import mid_game
from positions import ALL_OF_ONE, TWO_AND_ONE, position

from strand_env.agents import agent_names, agent_of, ask, joint_actions
from strand_env.agents.strand_unter.heuristics import Dodger, Greedy, Heuristic, Mason, Sprinter, Tide
from strand_env.arena import versus
from strand_env.engine.randomness import Streams
from strand_env.strand_unter import Games, Ruleset, layout
from strand_env.strand_unter.ruleset import COMBINATIONS
from strand_env.strand_unter.state import HEAP, READY

FROZEN = [3805418993, 3468879970, 260752330]  # of tide: see below
HEURISTICS = [Greedy, Dodger, Sprinter, Mason, Tide]
DECIDING_NAMES = [name for name in agent_names() if name != "cheater"] + ["mc:6", "rm:8", "uct:8"]
Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def deciding(games: Games) -> Rows:
    numbers, seats = np.nonzero(games.to_act)
    return numbers, seats


def streams(games: Games, rows: Rows, moves: int = 3) -> Streams:
    return Streams.of_decisions(np.arange(games.num_games, dtype=np.uint64)[rows[0]], moves, rows[1])


def answers(name: str, games: Games) -> npt.NDArray[np.integer]:
    rows = deciding(games)
    return ask(agent_of(name), games, *rows, streams(games, rows))


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("name", DECIDING_NAMES)
def test_agents_choose_legal_actions_in_all_phases(name: str, num_players: int) -> None:
    games = mid_game(150 if ":" not in name else 30, num_players)
    actions = answers(name, games)
    numbers, seats = deciding(games)
    assert games.legal[numbers, seats, actions].all()


@pytest.mark.parametrize("name", DECIDING_NAMES)
def test_agents_do_not_see_what_is_hidden(name: str) -> None:
    games = mid_game(40)
    dealt_anew = games.clone()
    dealt_anew.redeal(17)
    assert (dealt_anew.state["covered"] != games.state["covered"]).any()
    assert (answers(name, games) == answers(name, dealt_anew)).all()


def test_the_cheater_does() -> None:
    games = mid_game(40)
    dealt_anew = games.clone()
    dealt_anew.redeal(17)
    assert (answers("cheater:30", games) != answers("cheater:30", dealt_anew)).any()


@pytest.mark.parametrize("name", [*DECIDING_NAMES, "cheater:6"])
def test_what_an_agent_does_does_not_depend_on_the_other_rows(name: str) -> None:
    games = mid_game(30)
    rows = deciding(games)
    together = answers(name, games)
    some = np.random.default_rng(1).permutation(len(together))[:12]
    few = rows[0][some], rows[1][some]
    assert (ask(agent_of(name), games, *few, streams(games, few)) == together[some]).all()
    again = ask(agent_of(name), games, *rows, streams(games, rows, moves=4))
    assert name in ("greedy", "sprinter", "mason") or (again != together).any(), "there is chance in it"


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_chances_are_of_legal_actions_and_what_is_drawn_by(heuristic: type[Heuristic]) -> None:
    games = mid_game(60)
    rows = deciding(games)
    observations, masks = games.look_at_rows(*rows)
    agent = heuristic()
    chances = agent.probabilities(observations, masks)
    assert chances.sum(1) == pytest.approx(np.ones(len(masks)), abs=1e-5)
    assert not chances[masks == 0].any()
    assert (agent.rate(observations, masks).argmax(1) == chances.argmax(1)).all()
    drawn = np.zeros(chances.shape)
    for moves in range(400):
        drawn[np.arange(len(masks)), agent.act(observations, masks, streams(games, rows, moves))] += 1 / 400
    assert np.abs(drawn - chances).max() < 0.12


def test_observations_are_read_by_name() -> None:
    games = mid_game(50)
    observations = games.observe().reshape(-1, layout.size)
    _, tables, seats = layout.by_name(observations)
    for dtype, seen, prefix in ((layout.table_record, tables, ""), (layout.seat_record, seats[:, 2], "seat_2.")):
        for name in dtype.names or ():
            expected = observations[:, layout[prefix + name].slice]
            assert (seen[name].reshape(len(observations), -1) == expected).all(), name
    with pytest.raises(ValueError, match=r"observation: expected shape \(rows, 312\), got \(200, 311\)"):
        layout.by_name(observations[:, 1:])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"courage": 1}, r"unknown: \['courage'\]"),
        ({"shell": 1.0}, "shell: expected 4 numbers from .*, got 1.0"),
        ({"shell": (1, 2)}, r"shell: expected 4 numbers from .*, got \(1, 2\)"),
        ({"wild": float("nan")}, "wild: expected a number from .*, got nan"),
        ({"wild": "much"}, "wild: expected a number from .*, got 'much'"),
        ({"heat": 0}, "heat: expected at least 0.0001, got 0"),
    ],
)
def test_wrong_weights_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"weights: .*{message}"):
        Heuristic(Greedy.weights | change)


def test_a_heuristic_needs_weights() -> None:
    with pytest.raises(ValueError, match="weights: expected other fields; missing: "):
        Heuristic()


def test_the_dial_may_be_in_another_order() -> None:
    swapped = Ruleset(combinations=("all_of_one", *COMBINATIONS[1:5], "two_same"))
    snapshot = position(2, shells=[5, 0, 0, 0])
    usual = Games.from_snapshots([snapshot])
    other = Games.from_snapshots([snapshot | {"ruleset": swapped.to_dict()}])
    rates = [
        Greedy(ruleset=games.ruleset).rate(*games.look_at_rows([0], [0]))[0, :10].tolist() for games in (usual, other)
    ]
    assert rates[0] == [*rates[1][:4], rates[1][9], *rates[1][5:9], rates[1][4]]


# Each follows its plan


def best(agent: Heuristic, snapshot: dict, seat: int = 0) -> int:
    games = Games.from_snapshots([snapshot])
    return int(agent.rate(*games.look_at_rows([0], [seat]))[0].argmax())


def test_greedy_takes_what_its_cards_need() -> None:
    no_black = {0: [1, 1, 1, 0], 1: [2, 2, 0, 0], 2: [3, 1, 1, 0], 3: [3, 2, 1, 0]}
    cards = {(0, value): card for value, card in no_black.items()}
    ready = {player: ["ready"] * 4 for player in range(2)}
    with_black = position(2, cards=cards, shells=[0, 2, 0, 9], castles=ready)
    assert best(Greedy(), with_black) == TWO_AND_ONE, "gray is on its cards, and a black one can pay a wild space"
    assert best(Greedy(), position(2, cards=cards, shells=[9, 2, 0, 0], castles=ready)) == ALL_OF_ONE


def test_the_dodger_keeps_out_of_the_way() -> None:
    """Where all want the same, it is the one who wants something else more often."""
    games = Games(500, 4, seed=3)
    rows = deciding(games)
    looked = games.look_at_rows(*rows)

    def collisions(agent: Heuristic) -> float:
        dials = agent.act(*looked, streams(games, rows)).reshape(-1, 4)
        same = (dials[:, :, None] == dials[:, None, :]).sum(2) > 1
        return float((same & (dials >= 4)).mean())

    assert collisions(Dodger()) < 0.75 * collisions(Greedy())


def test_the_sprinter_builds_sooner_and_the_mason_nearer_to_the_sea() -> None:
    """Than somebody who reckons with the others as much as they do, but has no such plan."""

    def play(agent: Heuristic) -> tuple[float, float, float]:
        games = Games(400, 4, seed=9)
        third = np.zeros((400, 4))  # the round in which the third castle is built
        for moves in range(10_000):
            rows = deciding(games)
            if not len(rows[0]):
                break
            actions = np.full((games.num_games, 4), games.pass_action)
            actions[rows] = ask(agent, games, *rows, streams(games, rows, moves))
            before = games.state["round"].copy()
            games.step(actions)
            castles = games.state["castles"]
            built = ((castles != HEAP) & (castles != READY)).sum(2)
            third = np.where((third == 0) & (built >= 3), before[:, None], third)
        stands = (castles > HEAP) & (castles < READY)
        return float(games.state["round"].mean()), float(third[third > 0].mean()), float(castles[stands].mean())

    plain = play(Heuristic(Greedy.weights | {"others": 0.3, "heat": 0.1}))
    sprinter, mason = play(Sprinter()), play(Mason())
    assert sprinter[0] < plain[0] - 0.1
    assert sprinter[1] < plain[1] - 0.2
    assert mason[2] > plain[2] + 0.5


@pytest.mark.parametrize("name", ["greedy", "dodger", "sprinter", "mason", "tide", "mc:4"])
@pytest.mark.parametrize(
    "ruleset",
    [Ruleset(dial=(0, 2, 3, 5, 9), castles=(1, 3)), Ruleset(dial=(1, 2), rounds=9, castles=(2,)), Ruleset.small()],
    ids=["some dials", "two dials", "small"],
)
def test_all_play_small_games(name: str, ruleset: Ruleset) -> None:
    games, agent = Games(20, 2, seed=4, ruleset=ruleset), agent_of(name, ruleset)
    for moves in range(500):
        games.step(joint_actions(agent, games, moves))  # which refuses what is not legal
        if games.over.all():
            break
    assert games.over.all()


def test_nobody_is_expected_to_set_what_is_not_in_play() -> None:
    """With one shell in the groove, a rival who has fewer dials to choose from is likelier to want it, too."""
    seen = []
    for dial in ((0, 1, 4), (0, 1)):
        games = Games(1, 2, ruleset=Ruleset(shells=(1, 0, 0, 0), fills=((1, *(0,) * 7),) * 3, dial=dial))
        ratings = Tide(ruleset=games.ruleset).rate(*games.look_at_rows([0], [0]))[0]
        assert (ratings[[action for action in range(10) if action not in dial]] < -1e8).all()
        seen.append(ratings[0])
    assert seen[0] > seen[1]


def test_the_reference_stays_as_it_is() -> None:
    """What it thinks best in some positions. If this changes, results are no longer comparable: give it a new name."""
    digests = []
    for players in (2, 3, 4):
        games = mid_game(100, players)
        best_actions = Tide().rate(*games.look_at_rows(*deciding(games))).argmax(1)
        digests.append(zlib.crc32(best_actions.astype(np.int8).tobytes()))
    assert digests == FROZEN


def test_threads_may_share_an_agent() -> None:
    games = mid_game(4000)
    looked = games.look_at_rows(*deciding(games))
    agent = Tide()
    expected = agent.rate(*looked)
    with ThreadPoolExecutor(4) as pool:
        for ratings in pool.map(lambda _: agent.rate(*looked), range(12)):
            assert (ratings == expected).all()


def test_the_reference_beats_random_players() -> None:
    assert versus("tide", "random", deals=500).win.low > 0.9
