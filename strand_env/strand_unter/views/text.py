"""A game for the terminal, at most 100 characters wide."""

from collections.abc import Iterator, Sequence

from strand_env.engine.protocol import Observer
from strand_env.pictures.ansi import BOLD, FAINT, Styled, padded, told
from strand_env.strand_unter.ruleset import COLOURS, NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import LAST_GROOVE
from strand_env.strand_unter.views.words import (
    Snapshot,
    check_snapshot,
    dial_words,
    payable,
    place_words,
    progress,
    standing,
    standing_words,
    task_words,
    tide_words,
)

_LABEL, _GROOVE = 11, 8  # widths of the beach's first column and of each groove
_CARD = 49  # width of a castle with its card, two in a line

_SHELL_SIGNS = ("○", "◎", "▲", "●")  # white, gray, brown, black: distinct without colours
_WILD_SIGN = "✱"

# ANSI styles, in the palette of 256 colours.
_SAND, _CURRENT, _SEA = "38;5;94;48;5;223", "1;38;5;94;48;5;230", "38;5;153;48;5;31"
_SHELLS = ("38;5;231", "38;5;247", "38;5;173", "38;5;16;48;5;250")
_PLAYERS = ("38;5;203", "38;5;75", "38;5;176", "38;5;78")
_PLAYERS_ON_SAND = ("1;38;5;160", "1;38;5;26", "1;38;5;90", "1;38;5;22")


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    """The game as lines of text, with or without ANSI colours."""
    check_snapshot(snapshot)
    table = _Table(snapshot, colour)
    lines = [f"{table.styled('Strand Unter', BOLD)} · {tide_words(snapshot)}", task_words(snapshot), ""]
    lines += [*table.beach(), "", table.shells()]
    for player in range(snapshot["players"]):
        lines += ["", *table.player(player)]
    return told(lines, story)


class _Table(Styled):
    def __init__(self, snapshot: Snapshot, colour: bool) -> None:
        super().__init__(colour)
        self.snapshot = snapshot

    # The beach

    def beach(self) -> Iterator[str]:
        """Rows of groove numbers, the sandpiper, and the castles of each player."""
        grooves = range(1, LAST_GROOVE + 1)
        yield self.beach_row("groove", list(map(str, grooves)))
        yield self.beach_row("sandpiper", ["(o>" if groove == self.snapshot["groove"] else "" for groove in grooves])
        for player in range(self.snapshot["players"]):
            values = [
                [value for owner, value in standing(self.snapshot, groove) if owner == player] for groove in grooves
            ]
            label = self.styled(f"castles {player}", _PLAYERS[player])
            yield self.beach_row(label, [" ".join(map(str, here)) for here in values], _PLAYERS_ON_SAND[player])

    def beach_row(self, label: str, cells: Sequence[str], style: str = "") -> str:
        row = padded(label, _LABEL)
        for groove, words in enumerate(cells, 1):
            if groove > self.snapshot["sea"]:
                row += self.styled((f" {words} " if words else "").center(_GROOVE, "~"), _SEA)
            else:
                ground = _CURRENT if groove == self.snapshot["groove"] else _SAND
                row += self.styled("|", ground) + self.styled(
                    words.center(_GROOVE - 1), f"{ground};{style}".rstrip(";")
                )
        return row

    def shells(self) -> str:
        there = (
            f"{self.shell(colour)} {count} {COLOURS[colour]}" for colour, count in enumerate(self.snapshot["shells"])
        )
        return f"In groove {self.snapshot['groove']}: " + "   ".join(there)

    def shell(self, colour: int) -> str:
        return self.styled(_SHELL_SIGNS[colour], _SHELLS[colour])

    # The players

    def player(self, player: int) -> Iterator[str]:
        """A line about the player, then the four castles with their prices, two per line."""
        snapshot = self.snapshot
        mark = (
            ">" if player in snapshot["to_act"] else "*" if snapshot["winners"] and snapshot["winners"][player] else " "
        )
        bucket = " ".join(f"{self.shell(colour)}{count:<2}" for colour, count in enumerate(snapshot["buckets"][player]))
        name = self.styled(f"{mark} Player {player}", f"{BOLD};{_PLAYERS[player]}")
        yield f"{name}   bucket {bucket}  {self.dials(player):<33}{standing_words(snapshot, player)}"
        for value in range(0, NUM_VALUES, 2):
            yield padded(self.castle(player, value), _CARD) + self.castle(player, value + 1)

    def dials(self, player: int) -> str:
        names = ("dial", self.snapshot["dials"][player]), ("spell", self.snapshot["spell_dials"][player])
        return ", ".join(f"{kind} {dial_words(self.snapshot)[dial]}" for kind, dial in names if dial is not None)

    def castle(self, player: int, value: int) -> str:
        place, card = self.snapshot["castles"][player][value], self.snapshot["cards"][player][value]
        bucket = self.snapshot["buckets"][player]
        to_build = place in ("heap", "ready")
        tick = " ✓" if to_build and payable(card, bucket) else ""
        where = f"  castle {value} {place_words(place) + tick:<9}"
        return f"{where}{self.price(card, bucket)}" if to_build else self.styled(where, FAINT)

    def price(self, card: Sequence[int], bucket: Sequence[int]) -> str:
        """How much of the card the bucket could pay, the wild shell last."""
        paid, wild = progress(card, bucket)
        wanted = [colour for colour in range(NUM_COLOURS) if card[colour]]
        parts = [f"{self.shell(colour)}{paid[colour]}/{card[colour]}" for colour in wanted]
        return " ".join([*parts, f"{_WILD_SIGN}{int(wild)}/1"])
