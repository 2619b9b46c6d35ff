"""What players of Sea or Shore see: each section against a plain reading of the snapshot as the observer sees it."""

import random
from typing import Any

import numpy as np
import pytest
from subjects.sea_or_shore import random_ruleset

from strand_env.sea_or_shore import GAME, PHASES, Games, Ruleset, layout
from strand_env.sea_or_shore.layout import table_layout_of

Snapshot = dict[str, Any]
SEATS, TRICKS = 5, {3: 12, 4: 12, 5: 9}
COVERED = ("card", "extras")


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(index == entry) for entry in range(size)]


def flags(cards: Any) -> list[int]:
    return [int(card in set(cards)) for card in range(48)]


def treasure(given: list[int] | None) -> list[int]:
    return [0] * 5 if given is None else [*one_hot(given[0], 4), given[1]]


def treasures(given: list[Any], size: int) -> list[list[int]]:
    return [treasure(given[place] if place < len(given) else None) for place in range(size)]


def per_stack(lists: list[Any], size: int) -> list[Any]:
    return [treasures(each, size) for each in [*lists, [], []][:2]]


def public_table(seen: Snapshot) -> Snapshot:
    rules, players = seen["ruleset"], seen["players"]
    pending = seen["phase"] in ("gift", *COVERED)
    values = {each[0]: each[1] for each in seen["open"] if each}
    brings = [rules["actions"][colour // 2][rules["sides"][colour // 2]] for colour in range(4)]
    remaining = np.zeros((4, 9), int)
    for stack in seen["remaining"]:
        for colour, value in stack:
            remaining[colour, value - 1] += 1
    return {
        "phase": one_hot(PHASES.index(seen["phase"]), 11),
        "players": one_hot(players - 3, 3),
        "round": seen["round"],
        "trick": seen["trick"],
        "tricks_left": TRICKS[players] - seen["trick"],
        "supply": seen["supply"],
        "open": treasures(seen["open"], 2),
        "stake_treasure": [values.get(colour, 0) * pending for colour in range(4)],
        "stake_action": [one_hot(brings[c] - 1 if pending and c not in values else None, 4) for c in range(4)],
        "joined": [int(pending and players == 3 and not {c, c ^ 1} & values.keys()) for c in range(4)],
        "remaining": remaining,
        "stack": one_hot(seen["stack"], 2),
        "taken_number": len(seen["taken"]),
        "given_number": len(seen["given"]),
        "played": sum(play is not None for play in seen["plays"]),
        "last_trick": int(seen["trick"] == TRICKS[players]),
        "sides": rules["sides"],
    }


def number_of(seen: Snapshot, card: int) -> int:
    return seen["ruleset"]["islands"][card // 12][card % 12]


def public_seat(seen: Snapshot, player: int) -> Snapshot:
    play, last = seen["plays"][player], seen["revealed"][player]
    colour = number = None
    if play and play["card"] is not None:
        colour, number = play["card"] // 12, number_of(seen, play["card"])
    elif play and "face" in play:
        colour, number = (play["face"], None) if play["shows"] == "colour" else (None, play["face"])
    added = play["extras"] if play else 0
    pile = seen["treasures"][player][::-1]
    to_do = [action for doer, action in seen["queue"] if doer == player]
    away = (player - seen["leader"]) % seen["players"]
    return {
        "present": 1,
        "to_act": int(player in seen["to_act"]),
        "leader": int(away == 0),
        "order": away,
        "played": int(play is not None),
        "shows": one_hot(["colour", "number"].index(play["shows"]) if play else None, 2),
        "colour": one_hot(colour, 4),
        "number": number or 0,
        "added": added,
        "count": min(12, number + added) if number else 0,
        "hand_size": len(seen["hands"][player]),
        "extras": seen["extras"][player],
        "pile_size": len(pile),
        "worth": sum(value for _, value in pile),
        "pile": treasures(pile, 4),
        "points": seen["points"][0][player] if seen["points"] else 0,
        "target": int(seen["target"] == player),
        "to_win": int(player in [winner for winner, _ in seen["wins"]]),
        "to_do": one_hot(to_do[0] - 1 if to_do else None, 4),
        "last_shows": one_hot(["colour", "number"].index(last["shows"]) if last else None, 2),
        "last_colour": one_hot(last["card"] // 12 if last else None, 4),
        "last_number": number_of(seen, last["card"]) if last else 0,
        "last_added": last["extras"] if last else 0,
        "looker": [int(player == looker) for looker in [*seen["looker"], None][:2]],
        "shown_number": len(seen["shown"][player]),
    }


def own_cards(seen: Snapshot, player: int) -> list[int]:
    play = seen["plays"][player]
    return [*seen["hands"][player], *([play["card"]] if play and seen["phase"] in COVERED else [])]


def expected_table(seen: Snapshot, observer: int) -> Snapshot:
    """From what the observer may see, and nothing else."""
    placed = {*seen["aside"], *own_cards(seen, observer)}
    placed |= {card for known in seen["known"][observer] for card in known}
    if seen["phase"] not in COVERED:
        placed |= {play["card"] for play in seen["plays"] if play}
    unseen = [card for card in range(48) if card not in placed]
    tops = [
        stack[:number] if looker == observer else []
        for stack, number, looker in zip(seen["stacks"], seen["arranged"], seen["looker"], strict=True)
    ]
    ranks = [sum(card % 12 == rank and card not in unseen for card in range(48)) for rank in range(12)]
    return public_table(seen) | {
        "arranged": [*seen["arranged"], 0][:2],
        "box": len(seen["box"]),
        "unseen_number": len(unseen),
        "next": per_stack(tops, 3),
        "among_next": per_stack(seen["peeked"][observer], 3),
        "seen_colours": [12 - sum(card // 12 == colour for card in unseen) for colour in range(4)],
        "seen_ranks": ranks,
        "hand": flags(seen["hands"][observer]),
        "unseen": flags(unseen),
        "aside": flags(seen["aside"]),
        "taken": flags(seen["taken"]),
        "given": flags(seen["given"]),
    }


def expected_seat(seen: Snapshot, observer: int, player: int) -> Snapshot:
    own = player == observer
    return public_seat(seen, player) | {
        "held": flags(own_cards(seen, player) if own else seen["known"][observer][player]),
        "knows": flags([] if own else seen["known"][player][observer]),
        "shown": flags(seen["shown"][player]),
    }


def check(row: Any, sections: Any, prefix: str, expected: Snapshot, where: str) -> None:
    for name, value in expected.items():
        section = sections[prefix + name]
        assert row[section.slice].tolist() == np.ravel(value).tolist(), f"{where}: {prefix + name}"


@pytest.mark.slow
@pytest.mark.parametrize("players", GAME.player_counts)
@pytest.mark.parametrize("seed", range(5))
def test_observations_follow_from_what_the_observer_may_see(players: int, seed: int) -> None:
    rng = random.Random(seed)
    ruleset = random_ruleset(rng) if seed == 4 else Ruleset(sides=(seed // 2, seed % 2))
    games = Games(1, players, seed=seed, ruleset=ruleset)
    sections, critics = games.layout, table_layout_of(ruleset)
    named = {section.name for section in sections}
    for step in range(400):
        snapshot, rows, table = games.snapshot(0), games.observe()[0], games.observe_table()[0]
        observer = rng.randrange(players)
        seen, row, where = Games.as_seen(snapshot, observer), rows[observer], f"step {step}, observer {observer}"
        check(row, sections, "", expected := expected_table(seen, observer), where)
        names = set(expected)
        for seat in range(SEATS):
            if seat < players:
                expected = expected_seat(seen, observer, (observer + seat) % players)
                check(row, sections, f"seat_{seat}.", expected, where)
            else:
                assert not row[sections.table_size + seat * sections.seat_size :].any()
            names |= {f"seat_{seat}.{name}" for name in expected}
        assert names == named
        check_critic(Games.as_seen(snapshot, "all"), table, critics)
        if games.over[0]:
            return
        games.step(games.random_actions(rng.getrandbits(32)))
    raise AssertionError("the game does not end")


def check_critic(whole: Snapshot, row: Any, sections: Any) -> None:
    players = whole["players"]
    expected = public_table(whole) | {
        "arranged": [*whole["arranged"], 0][:2],
        "stacks": per_stack(whole["stacks"], 20),
        "under": per_stack(whole["under"], 12),
        **{name: flags(whole[name]) for name in ("box", "aside", "taken", "given")},
    }
    check(row, sections, "", expected, "critic")
    for player in range(players):
        expected = public_seat(whole, player) | {
            "hand": flags(whole["hands"][player]),
            "shown": flags(whole["shown"][player]),
            "known": [flags(known) for known in whole["known"][player]] + [[0] * 48] * (SEATS - players),
            "peeked": per_stack(whole["peeked"][player], 3),
            "treasures": treasures(whole["treasures"][player][::-1], 24),
        }
        check(row, sections, f"seat_{player}.", expected, "critic")
    assert not row[sections.table_size + players * sections.seat_size :].any()


def test_the_layout_is_the_same_for_all_numbers_of_players() -> None:
    assert {Games(1, players).layout.size for players in GAME.player_counts} == {layout.size} == {1416}
    assert layout.dtype == np.uint8
    largest = Ruleset(treasures=((2, 3, 4, 9, 9, 9, 9, 9),) * 4)
    assert Games(1, 4, ruleset=largest).layout["seat_0.worth"].maximum == (5 * 9 * 4 + 4 * 4,)
