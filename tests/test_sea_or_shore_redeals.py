"""Redeals of the engine: what the observer may know stays, and all that may be behind it is equally likely."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import redeals
from redeals import CASES, Difference, check_redeals
from sea_or_shore_deals import all_deals, all_orders, covered, deal_of, too_rare
from sea_or_shore_positions import position

from strand_env import sea_or_shore_v0
from strand_env.sea_or_shore import GAME, PASS, PHASES, Games, Ruleset
from strand_env.sea_or_shore.redealing import ways_to_hold

Snapshot = dict[str, Any]


@pytest.mark.slow
def test_observers_notice_nothing() -> None:
    phases = Counter[str]()
    for seed, (players, sides) in enumerate(CASES):
        phases += check_redeals(players, sides, positions=400, seed=seed)
    assert phases.keys() == set(PHASES)


def test_too_few_positions_are_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["redeals.py", "--positions", "24", "--seed", "1"])
    with pytest.raises(SystemExit, match=r"^Too few positions: none was in .*over.*treasure\. Seed 1\.$"):
        redeals.main()


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("hands", lambda games: games.state["hands"].__setitem__((slice(None), 0), 7)),
        ("supply", lambda games: games.state["table"]["supply"].__iadd__(1)),
        ("known", lambda games: games.state["known"].__setitem__((slice(None), 1, 2), 1)),
    ],
)
def test_a_wrong_redeal_is_noticed(field: str, change: Callable[[Games], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    redeal = Games.redeal

    def redeal_and_change(games: Games, *arguments: Any) -> None:
        redeal(games, *arguments)
        change(games)

    monkeypatch.setattr(Games, "redeal", redeal_and_change)
    with pytest.raises(Difference):
        check_redeals(3, (0, 0), positions=20, seed=1)


def positions(players: int, sides: tuple[int, int], seed: int) -> Iterator[Games]:
    games = Games(1, players, seed=seed, ruleset=Ruleset(sides=sides))
    step = 0
    while not games.over[0]:
        yield games
        games.step(games.random_actions(seed + step))
        step += 1


def redealt(games: Games, number: int, observer: int) -> Games:
    """So many redeals of one position."""
    copies = games.select(np.zeros(number, np.int64))
    copies.redeal(number, observer)
    return copies


def bits(cards: Any) -> int:
    return sum(1 << card for card in cards)


def are_equally_likely(games: Games, deals: list[Any], times: int, observer: int) -> bool:
    """Whether each of these deals comes about as often as any other in so many times as many redeals."""
    copies, players = redealt(games, times * len(deals), observer), games.num_players
    rows = zip(copies.state["hands"].tolist(), copies.state["cards"].tolist(), strict=True)
    drawn = Counter((tuple(hands[:players]), tuple(cards[:players])) for hands, cards in rows)
    ways = [(tuple(map(bits, hands)), tuple(-1 if card is None else card for card in plays)) for hands, plays in deals]
    return not too_rare(drawn, dict.fromkeys(ways, 1))


@pytest.mark.parametrize("known", [[[], [], [], []], [[], [4], [], []], [[], [4], [6], []], [[], [4, 8], [6], [2]]])
def test_deals_with_known_cards_under_covers_are_equally_likely(known: list[list[int]]) -> None:
    """All others have played red cards, and of some the observer knows cards that may be those."""
    hands = [[24, 25], [4, 8], [6, 13], [2, 19]]
    snapshot = position("blue 5, green 1", [24, 4, 6, 2], leader=1, trick=11)
    snapshot |= {"hands": hands, "aside": [card for card in range(48) if not any(card in hand for hand in hands)]}
    snapshot["known"][0] = known
    games = Games.from_snapshots([snapshot])
    for player, card in ((1, 4), (2, 6), (3, 2)):
        games.step([[card if seat == player else PASS for seat in range(4)]])
    deals = list(all_deals(games.snapshot(0), 0))
    assert len(deals) > 1
    assert are_equally_likely(games, deals, 400, observer=0)


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
def test_all_deals_are_equally_likely(players: int) -> None:
    """In positions with few cards left, each deal that fits the observer's view comes as often as any other."""
    kinds: Counter[int] = Counter()
    for seed, (sides, observer) in enumerate(product(((0, 1), (1, 1), (1, 0)), range(players))):
        for games in positions(players, sides, seed):
            if games.state["table"]["tricks_left"][0] > 1 or kinds.total() >= 30:
                continue
            snapshot = games.snapshot(0)
            hidden = sum(covered(snapshot, player) is not None for player in range(players) if player != observer)
            deals = list(all_deals(snapshot, observer)) if kinds[hidden] < 8 else []
            if 1 < len(deals) <= 400:
                kinds[hidden] += 1
                assert deal_of(snapshot) in deals
                assert are_equally_likely(games, deals, 40, observer), (players, sides, seed, observer)
    assert kinds.total() >= 15
    assert len(kinds) >= 3, "positions with several numbers of covered cards"


def orders_of(games: Games, place: int, size: int) -> Counter[Any]:
    """The orders of a stack of so many cards, from the top on, in all games."""
    stacks = games.state["stacks"][:, place, :size].tolist()
    return Counter(tuple((code >> 4, code & 15) for code in reversed(stack)) for stack in stacks)


def test_all_orders_of_a_stack_are_equally_likely() -> None:
    kinds = Counter[str]()
    for seed in range(40):
        for games in positions(4, (0, 0), seed):
            if games.state["table"]["tricks_left"][0] or games.state["phase"][0] != PHASES.index("card"):
                continue
            snapshot = games.snapshot(0)
            for observer, place in product(range(4), range(2)):
                kind = "looker" if snapshot["looker"][place] == observer else "peeked"
                kind = kind if snapshot["peeked"][observer][place] else "blind"
                kinds[kind] += 1
                if kinds[kind] > 12:
                    continue
                orders = all_orders(snapshot, observer, place)
                drawn = orders_of(redealt(games, 100 * len(orders), observer), place, len(snapshot["stacks"][place]))
                assert not too_rare(drawn, orders), (seed, observer, place)
    assert min(kinds[kind] for kind in ("looker", "peeked", "blind")) >= 5


def test_ways_to_hold_known_cards() -> None:
    cards, known = np.array([7, 5, 5, 5, 6, 6, 9]), np.array([5, 5, 6])
    assert [ways_to_hold(cards, 1, 6, known, number) for number in range(4)] == [1, 3, 3, 6]
    assert ways_to_hold(cards, 2, 6, known, 2) == 1
    assert ways_to_hold(cards, 4, 7, known, 1) == 0


def test_equal_treasures_are_different_cards() -> None:
    """Of two equal treasures either may be the one that the observer has seen."""
    snapshot = position("blue 5, green 1", [4, 16, 28, 40], trick=12)
    stack, all_red_and_blue = [[0, 2], [0, 2], [1, 3], [1, 3]], [list(each) for each in Ruleset().stacks(4)[0]]
    for treasure in (*stack, snapshot["open"][0]):
        all_red_and_blue.remove(treasure)
    snapshot["stacks"][0], snapshot["under"][0] = stack, all_red_and_blue
    snapshot |= {"arranged": [2, 0], "looker": [1, None]}
    snapshot["peeked"] = [[[[0, 2]], []], [[[0, 2], [0, 2]], []], [[], []], [[], []]]
    games = Games.from_snapshots([snapshot])
    for observer in (0, 2):
        orders = all_orders(snapshot, observer, 0)
        assert not too_rare(orders_of(redealt(games, 200 * len(orders), observer), 0, 4), orders)


def giving() -> Games:
    """Somebody has chosen the first of two cards to give."""
    return next(
        games
        for seed in range(50)
        for games in positions(4, (1, 0), seed)
        if games.state["table"]["given_number"][0] == 1 and games.state["table"]["tricks_left"][0] <= 6
    )


def test_who_takes_and_gives_cards_knows_them() -> None:
    games = giving()
    copies = redealt(games, 50, games.snapshot(0)["to_act"][0])
    assert (copies.state["taken"] == games.state["taken"][0]).all()
    assert (copies.state["given"] == games.state["given"][0]).all()


@pytest.mark.parametrize("target_knows", [True, False])
def test_cards_taken_and_given_are_equally_likely(target_knows: bool) -> None:
    games = giving()
    snapshot = games.snapshot(0)
    doer, target = snapshot["to_act"][0], snapshot["target"]
    observer = target if target_knows else next(p for p in range(4) if p not in (doer, target))
    copies = redealt(games, 20_000, observer)
    taken, given = Counter[Any](), Counter[int]()
    for number in range(0, 20_000, 4):
        hand = [card for card in range(48) if int(copies.state["hands"][number, doer]) >> card & 1]
        taken[tuple(place for place, card in enumerate(hand) if int(copies.state["taken"][number]) >> card & 1)] += 1
        given[hand.index(copies.state["given"][number, 0])] += 1
    size = len(snapshot["hands"][doer])
    assert not too_rare(given, dict.fromkeys(range(size), 1))
    if target_knows:
        assert (copies.state["taken"] == games.state["taken"][0]).all()
    else:
        assert not too_rare(taken, dict.fromkeys(combinations(range(size), 2), 1))


@pytest.mark.slow
@pytest.mark.parametrize("sides", [(0, 0), (1, 1)])
@pytest.mark.parametrize("players", GAME.player_counts)
def test_environments_tell_an_observer_the_same(players: int, sides: tuple[int, int]) -> None:
    """Two games that differ only in what an observer cannot know: the same observation, mask, agent and infos."""
    given = {"num_players": players, "ruleset": Ruleset(sides=sides)}
    one, two = (sea_or_shore_v0.raw_env(**given) for _ in range(2))
    parallel = [sea_or_shore_v0.parallel_env(**given) for _ in range(2)]
    learners = [[sea_or_shore_v0.learner_env(seat=seat, **given) for _ in range(2)] for seat in range(players)]
    for env in (one, two, *parallel):
        env.reset(seed=3)
    phases, asked = set[str](), set[str]()
    for number, games in enumerate(positions(players, sides, seed=players)):
        before = games.snapshot(0)
        if number % 9 and before["phase"] in phases:
            continue
        phases.add(before["phase"])
        for observer in range(players):
            other = games.clone()
            other.redeal(number, observer)
            pair = before, other.snapshot(0)
            agent = f"player_{observer}"
            for envs in ((one, two), parallel):
                for env, snapshot in zip(envs, pair, strict=True):
                    env.restore(snapshot)
                seen = [env.observe(agent) for env in envs]
                assert all((seen[0][name] == seen[1][name]).all() for name in ("observation", "action_mask"))
            assert one.agent_selection == two.agent_selection
            assert one.infos[agent].keys() > {"phase", "round"}
            assert same_words(*(env.infos[agent] for env in (one, two)))
            begun = [env.reset(options={"snapshot": each})[1][agent] for env, each in zip(parallel, pair, strict=True)]
            assert same_words(*begun)
            if observer in before["to_act"]:  # otherwise others decide first, by what they know
                asked.add(before["phase"])
                begun = [
                    env.reset(options={"snapshot": each}) for env, each in zip(learners[observer], pair, strict=True)
                ]
                assert (begun[0][0] == begun[1][0]).all()
                assert same_words(*(info for _, info in begun))
    assert phases == asked
    assert phases >= ({"gift", "card", "order"} if sides == (0, 0) else {"target", "give", "pick", "discard"})


def same_words(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether infos are the same, arrays included."""
    return {key: str(value) for key, value in one.items()} == {key: str(value) for key, value in other.items()}
