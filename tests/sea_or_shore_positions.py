"""Positions of Sea or Shore set up by hand, in the engine and literally, and short ways to play on."""

import random
from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol

import numpy as np
from naive_sea_or_shore import Game, Shuffled, Stack

from strand_env.sea_or_shore import PASS, Games, Ruleset

COLOURS = ("red", "blue", "green", "purple")
TRICKS = {3: 12, 4: 12, 5: 9}
Snapshot = dict[str, Any]


def card(words: str) -> int:
    """The id of a card such as "blue 7"."""
    colour, number = words.split()
    return 12 * COLOURS.index(colour) + int(number) - 1


def treasures(words: str) -> list[list[int]]:
    """Such as "blue 2, red 4"."""
    return [[card(each) // 12, card(each) % 12 + 1] for each in words.split(", ")] if words else []


def position(
    opened: str,
    cards: Sequence[int],
    leader: int = 0,
    extras: Sequence[int] = (),
    sides: Sequence[int] = (0, 0),
    piles: Sequence[str] = (),
    trick: int = 4,
    points: Sequence[Sequence[int]] = (),
) -> Snapshot:
    """A trick begins, with these treasures open; from seat 0 on, players hold these cards among others."""
    players, ruleset = len(cards), Ruleset(sides=tuple(sides))
    tricks = TRICKS[players]
    snapshot = Games(1, players, seed=5, ruleset=ruleset).snapshot(0)
    snapshot |= {"round": len(points) + 1, "trick": trick, "leader": leader, "phase": "card", "to_act": [leader]}
    rest = [each for each in range(48) if each not in cards]
    snapshot["hands"] = [sorted([own, *(rest.pop() for _ in range(tricks - trick))]) for own in cards]
    snapshot["aside"] = sorted(rest.pop() for _ in range(players * (trick - 1)))
    snapshot["box"] = rest
    snapshot["extras"] = list(extras or [0] * players)
    snapshot["supply"] = 22 - sum(extras)
    snapshot["open"] = treasures(opened)
    snapshot["treasures"] = [treasures(words) for words in piles] or [[] for _ in cards]
    snapshot["points"] = [list(each) for each in points]
    for number, stack in enumerate(ruleset.stacks(players)):
        left = [list(treasure) for treasure in stack]
        left.remove(snapshot["open"][number])
        under = trick - 1
        for treasure in chain(*snapshot["treasures"]):
            if treasure in left:
                left.remove(treasure)
                under -= 1
        snapshot["under"][number] = [left.pop() for _ in range(under)]
        snapshot["stacks"][number] = left
    return snapshot


class Position(Protocol):
    """A game that goes on from a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None: ...

    def asked(self) -> dict[int, list[int]]:
        """The players who have to decide, and what they may do."""

    def step(self, actions: Sequence[int]) -> None: ...

    def snapshot(self) -> Snapshot: ...


class EnginesPosition:
    """In the engine."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.games = Games.from_snapshots([snapshot])

    def asked(self) -> dict[int, list[int]]:
        legal = self.games.legal[0]
        return {player: np.flatnonzero(legal[player]).tolist() for player in self.games.snapshot(0)["to_act"]}

    def step(self, actions: Sequence[int]) -> None:
        self.games.step([actions])

    def snapshot(self) -> Snapshot:
        return self.games.snapshot(0)


class LiteralPosition:
    """In the literal implementation; in phases gift and card."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.game = game = Game(snapshot["players"], snapshot["ruleset"], Shuffled(random.Random(1)))
        game.leader, game.round, game.trick = snapshot["leader"], snapshot["round"], snapshot["trick"]
        game.points, game.supply = snapshot["points"], snapshot["supply"]
        game.aside, game.box = list(snapshot["aside"]), list(snapshot["box"])
        for player in game.players:
            seat = player.seat
            player.hand, player.shown = set(snapshot["hands"][seat]), set(snapshot["shown"][seat])
            player.extras, player.pile = snapshot["extras"][seat], list(snapshot["treasures"][seat])
            player.known = {other: set(known) for other, known in enumerate(snapshot["known"][seat])}
        game.stacks = []
        for opened, cards, under in zip(*(snapshot[name] for name in ("open", "stacks", "under")), strict=True):
            stack = Stack([opened, *cards])
            stack.under = list(under)
            stack.peeked = {player.seat: [] for player in game.players}
            game.stacks.append(stack)
        game.course = game.play(gifts=snapshot["phase"] == "gift")
        next(game.course)

    def asked(self) -> dict[int, list[int]]:
        return self.game.asked

    def step(self, actions: Sequence[int]) -> None:
        self.game.step(actions)

    def snapshot(self) -> Snapshot:
        return self.game.snapshot()


class Trick:
    """A trick as the examples tell it: what is open, and what is played, such as "red 9, blue 7+3", from seat 0 on."""

    def __init__(self, kind: type[Position], opened: str, played: str, memory: Snapshot | None = None, **more: Any):
        words = [each.split("+") for each in played.split(", ")]
        self.cards = [card(each[0]) for each in words]
        self.added = [int(each[1]) if len(each) == 2 else 0 for each in words]
        before = position(opened, self.cards, **more) | (memory or {})
        self.old_hands = [set(hand) - {own} for hand, own in zip(before["hands"], self.cards, strict=True)]
        self.old_aside = before["aside"]
        self.position = kind(before)

    def play_cards(self) -> Snapshot:
        """All cards and extras are played; what comes of it until somebody has to decide something else."""
        for _ in self.cards:
            [seat] = self.position.asked()
            self.play(self.cards[seat])
            if self.position.snapshot()["phase"] == "extras":
                self.play(96 + self.added[seat])
        return self.position.snapshot()

    def play(self, *actions: int) -> Snapshot:
        for action in actions:
            asked = self.position.asked()
            self.position.step([action if seat in asked else PASS for seat in range(len(self.cards))])
        return self.position.snapshot()

    def may(self) -> tuple[int, str, list[int]]:
        [(seat, actions)] = self.position.asked().items()
        return seat, self.position.snapshot()["phase"], actions
