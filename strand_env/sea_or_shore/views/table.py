"""What lies on the table for an observer: a snapshot in which everything hidden is null, and its ruleset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from strand_env.engine.protocol import Observer
from strand_env.sea_or_shore.ruleset import HAND_SIZES, HIGHEST, MIN_PLAYERS, RANKS, Ruleset
from strand_env.sea_or_shore.views.checks import check_snapshot

Snapshot = Mapping[str, Any]
Treasure = Sequence[int]  # colour and value

COVERED = ("card", "extras")  # phases in which one half of each card played is covered
OTHER_HALF = {"colour": "number", "number": "colour"}


@dataclass(frozen=True)
class Play:
    """A card played: whatever the observer knows of it."""

    card: int | None
    colour: int | None
    number: int | None
    extras: int
    shows: str  # the half that is not covered before the reveal
    covered: str | None  # the half under the cover
    picked: bool  # somebody took it into the hand

    @property
    def count(self) -> int | None:
        """What it counts; None if the number is not known."""
        return None if self.number is None else min(HIGHEST, self.number + self.extras)


class Table:
    """A snapshot as the observer in `seat` sees it, and its ruleset.

    Refuses what the views cannot show. Positions that no game can reach are fine.
    """

    def __init__(self, snapshot: Snapshot, seat: Observer = None) -> None:
        check_snapshot(snapshot)
        self.snapshot, self.seat = snapshot, seat
        self.players = range(snapshot["players"])
        self.ruleset = Ruleset.from_dict(snapshot["ruleset"])

    # The course of the game

    @property
    def over(self) -> bool:
        return self.snapshot["phase"] == "over"

    @property
    def tricks(self) -> int:
        """The number of tricks in a round."""
        return HAND_SIZES[len(self.players) - MIN_PLAYERS]

    def clockwise(self, first: int) -> list[int]:
        """All players, starting with this one."""
        return [(first + step) % len(self.players) for step in self.players]

    def named_by(self, player: int, seat: int) -> int:
        """The player whom an action names by a seat relative to the player who acts."""
        return (player + seat) % len(self.players)

    @property
    def action(self) -> int | None:
        """The action that is being carried out."""
        return self.snapshot["queue"][0][1] if self.snapshot["queue"] else None

    # Cards

    def number(self, card: int) -> int:
        """What is printed on the shore of a card."""
        return self.ruleset.islands[card // RANKS][card % RANKS]

    def play(self, player: int) -> Play | None:
        """The card that a player has played in this trick."""
        play = self.snapshot["plays"][player]
        if play is None:
            return None
        return self._play(play, self.snapshot["phase"] in COVERED)

    def last_play(self, player: int) -> Play | None:
        """The card that a player has played in the trick revealed last."""
        play = self.snapshot["revealed"][player]
        return None if play is None else self._play(play, False)

    def earlier_play(self, player: int) -> Play | None:
        """The same while the next trick goes on, or after the end."""
        return None if self.on_the_table else self.last_play(player)

    @property
    def on_the_table(self) -> bool:
        """Whether the trick revealed last still lies on the table."""
        return self.snapshot["phase"] not in (*COVERED, "gift", "over")

    def _play(self, play: Mapping[str, Any], has_cover: bool) -> Play:
        card, extras, shows = play["card"], play["extras"], play["shows"]
        covered = OTHER_HALF[shows] if has_cover else None
        if card is not None:
            return Play(card, card // RANKS, self.number(card), extras, shows, covered, False)
        face = play.get("face")
        colour, number = (face, None) if shows == "colour" else (None, face)
        return Play(None, colour, number, extras, shows, covered, face is None)

    def known_of(self, player: int) -> list[int]:
        """Cards that the observer knows to be with a player, in the hand or under the cover, but cannot see there."""
        if None not in self.snapshot["hands"][player] and self.play_is_seen(player):
            return []
        known = set(self.snapshot["shown"][player])
        if isinstance(self.seat, int):
            known |= set(self.snapshot["known"][self.seat][player])
        return sorted(known)

    def play_is_seen(self, player: int) -> bool:
        """Whether the observer sees the whole card that a player has played, if there is one."""
        play = self.play(player)
        return play is None or play.card is not None or play.picked

    def knowers(self, player: int, card: int) -> list[int]:
        """Others of whom the observer knows that they know a card of a player."""
        return [other for other in self.players if other != player and card in (self._known(other, player) or ())]

    def _known(self, other: int, player: int) -> Sequence[int] | None:
        return self.snapshot["known"][other][player]

    # Treasures

    def remaining(self, stack: int) -> list[Treasure]:
        """The treasures of a stack that were never turned up; their order is hidden."""
        if "remaining" in self.snapshot:
            return list(self.snapshot["remaining"][stack])
        return sorted(each for each in self.snapshot["stacks"][stack] if each is not None)

    def next_up(self, stack: int) -> list[Treasure]:
        """The treasures on top of a stack whose order the observer knows, the top one first."""
        arranged = self.snapshot["arranged"][stack]
        return [each for each in self.snapshot["stacks"][stack][:arranged] if each is not None]

    def peeked(self, stack: int) -> list[Treasure]:
        """Treasures that the observer knows to be among the next ones of a stack."""
        if not isinstance(self.seat, int):
            return []
        return list(self.snapshot["peeked"][self.seat][stack])

    def counts_as_one(self, pair: int) -> bool:
        """Whether the two colours of a pair count as one in this trick, as far as the open treasure tells."""
        treasure = self.snapshot["open"][0]
        return len(self.players) == 3 and treasure is not None and treasure[0] // 2 != pair

    def treasure_is_open(self, pair: int) -> bool:
        """Whether the stack with the treasures of a pair of colours has an open one."""
        return self.snapshot["open"][0 if len(self.players) == 3 else pair] is not None

    def action_up(self, pair: int) -> int:
        """The action that lies up on the action card of a pair of colours."""
        return self.ruleset.actions[pair][self.ruleset.sides[pair]]

    # Points

    def points(self, player: int) -> list[int]:
        """Of each finished round."""
        return [points[player] for points in self.snapshot["points"]]

    def worth(self, player: int) -> int:
        """The points that a player has in this round so far."""
        return sum(value for _, value in self.snapshot["treasures"][player]) + self.snapshot["extras"][player] // 2
