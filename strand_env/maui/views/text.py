"""A game for the terminal, at most 100 characters wide."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from strand_env.engine.protocol import Observer
from strand_env.maui.ruleset import COLUMNS, NUM_PATTERNS, PATTERNS, PLACES_PER_ROW, PRICES, ROW_VALUES, ROWS
from strand_env.maui.views.table import Cell, Piece, Snapshot, Table
from strand_env.maui.views.words import (
    FIRST_WORDS,
    LETTERS,
    dollars_named,
    heading_words,
    price_words,
    standing_words,
    task_words,
    towel_letters,
)
from strand_env.pictures.ansi import BOLD, FAINT, WIDTH, Styled, padded, told
from strand_env.pictures.words import number_of, story_lines

_HALF = 50  # two beaches stand side by side
_PEARLS = ("○", "●")
_TRACK_LABEL, _TRACK_TOKENS, _TRACK_PLAYER = 16, 16, 16  # widths

# ANSI styles, in the palette of 256 colours.
_PATTERNS = ("30;48;5;221", "30;48;5;218", "30;48;5;153", "30;48;5;215", "30;48;5;183")
_GRAY = "30;48;5;250"  # cells that are not active
_SANDS = {1: "38;5;94;48;5;230", 2: "38;5;94;48;5;223", 3: "38;5;94;48;5;180"}
_WATER, _TREES = "38;5;153;48;5;31", "38;5;150;48;5;22"
_PLAYERS = ("38;5;203", "38;5;75", "38;5;176", "38;5;78")


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    """The game as lines of text, with or without ANSI colours."""
    text = _Text(Table(snapshot), colour)
    lines = [f"{text.styled('Maui', BOLD)} · {heading_words(snapshot)}"]
    lines += [*story_lines([task_words(text.table)], WIDTH, "  "), "", *text.market(), "", *text.tracks()]
    for first in range(0, snapshot["players"], 2):
        lines += ["", *text.side_by_side(range(first, min(first + 2, snapshot["players"])))]
    return told([*lines, "", text.legend()], story)


class _Text(Styled):
    def __init__(self, table: Table, colour: bool) -> None:
        super().__init__(colour)
        self.table, self.snapshot = table, table.snapshot

    def letters(self, towel: int) -> str:
        return "".join(self.styled(letter, _PATTERNS[LETTERS.index(letter)]) for letter in towel_letters(towel))

    def market(self) -> Iterator[str]:
        """A line for each row of the market, then what is left in the bag."""
        for row, dollars in enumerate(self.snapshot["zones"]):
            places = range(PLACES_PER_ROW * row, PLACES_PER_ROW * (row + 1))
            towels = "   ".join(
                f"{price_words(PRICES[place]):>9} {self.letters(self.snapshot['market'][place])}" for place in places
            )
            yield f"Market row {row}   zone {row}: {dollars_named(dollars):<9}{towels}"
        bag = self.snapshot["bag"]
        words = f"{number_of(len(bag), 'towel')} in the bag: {' '.join(map(towel_letters, bag))}"
        yield from (self.styled(line, FAINT) for line in story_lines([words], WIDTH, "  "))

    def tracks(self) -> Iterator[str]:
        """Tokens left on ornament squares, and each player's square, of how many, and its points."""
        head = padded("Track", _TRACK_LABEL) + padded("tokens left", _TRACK_TOKENS)
        for player in self.table.players:
            head += padded(self.styled(f"player {player}", _PLAYERS[player]), _TRACK_PLAYER)
        yield head
        for track, squares in enumerate(self.table.squares):
            line = padded(f"{self.styled(f' {LETTERS[track]} ', _PATTERNS[track])} {PATTERNS[track]}", _TRACK_LABEL)
            line += padded(self._tokens_left(track), _TRACK_TOKENS)
            for player in self.table.players:
                square = self.snapshot["shells"][player][track]
                line += padded(f"{square}/{len(squares) - 1} = {squares[square]}", _TRACK_PLAYER)
            yield line

    def _tokens_left(self, track: int) -> str:
        """Such as "2 B on 6"."""
        squares = [
            f"{left} {LETTERS[self.table.ruleset.token_patterns[kind]]} on {square}"
            for (pattern, square, kind), left in zip(self.table.ruleset.ornaments, self.snapshot["supply"], strict=True)
            if pattern == track
        ]
        words = ", ".join(squares)
        left = sum(int(each.partition(" ")[0]) for each in squares)
        return words if len(words) < _TRACK_TOKENS else f"{left} on {len(squares)} squares"

    # The players

    def side_by_side(self, players: Sequence[int]) -> Iterator[str]:
        rows = range(*self._rows(players))
        columns = [[*self.belongings(player), *self.beach(player, rows)] for player in players]
        for lines in zip_longest(*columns, fillvalue=""):
            yield "".join(padded(line, _HALF) for line in lines)

    def _rows(self, players: Sequence[int]) -> tuple[int, int]:
        """The rows to show: the beach, a row of water and of trees, and where towels stick out further."""
        tops = [top for player in players for _, top, _ in self.snapshot["beach"][player]]
        return min(0, *tops), max(ROWS + 1, *(top + 2 for top in tops)) + 1

    def belongings(self, player: int) -> Iterator[str]:
        snapshot = self.snapshot
        won = snapshot["winners"] and snapshot["winners"][player]
        mark = ">" if player in snapshot["to_act"] else "*" if won else " "
        name = self.styled(f"{mark} Player {player}", f"{BOLD};{_PLAYERS[player]}")
        first = f"   {FIRST_WORDS}" if player == snapshot["first"] else ""
        yield f"{name}   {standing_words(self.table, player)}{first}"
        tokens = " ".join(
            f"{LETTERS[pattern]}{count}"
            for pattern, count in zip(self.table.ruleset.token_patterns, snapshot["tokens"][player], strict=True)
        )
        pearls = " ".join(f"{sign}{count}" for sign, count in zip(_PEARLS, snapshot["pearls"][player], strict=True))
        yield f"  {dollars_named(snapshot['dollars'][player])}   tokens {tokens}   pearls {pearls}"
        lost = f"penalty tokens {snapshot['penalties'][player]}   crabs {snapshot['crab_points'][player]}"
        yield f"  {lost}   towels {self.table.laid(player)}"

    def beach(self, player: int, rows: Sequence[int]) -> Iterator[str]:
        """A line for each row, with its value; three characters for each column."""
        towels = [{cell.row: cell for cell in self.table.cells(towel)} for towel in self.snapshot["beach"][player]]
        lying = {(piece.column, piece.row): piece for piece in self.table.lying(player)}
        for row in rows:
            value = str(ROW_VALUES[row - 1]) if 1 <= row <= ROWS else " "
            line = f" {value} "
            for column in range(COLUMNS + 1):
                cell = towels[column].get(row) if column < len(towels) else None
                line += self._cell(cell) if cell else self._ground(row, lying.get((column, row)))
            yield line

    def _cell(self, cell: Cell) -> str:
        """The printed pattern, and what lies on it."""
        printed = LETTERS[cell.printed]
        if cell.cover is None:
            return self.styled(f" {printed} ", _PATTERNS[cell.printed])
        if cell.shows is not None:
            return self.styled(f"{printed}›{LETTERS[cell.shows]}", _PATTERNS[cell.shows])
        if isinstance(cell.cover, int):
            return self.styled(f"{printed}c{cell.cover}", _GRAY)
        penalty = self.table.ruleset.penalty
        return self.styled(f"{printed}-{penalty if penalty < 10 else '-'}", _GRAY)

    def _ground(self, row: int, piece: Piece | None) -> str:
        if row < 1:
            return self.styled("~~~", _WATER)
        if row > ROWS:
            return self.styled("^^^", _TREES)
        sign = " · "
        if piece is not None and piece.kind == "crab":
            sign = f"c{piece.number} "
        elif piece is not None and piece.kind == "pearl":
            sign = f" {_PEARLS[piece.number]} "
        elif piece is not None:
            sign = "/".join(LETTERS[pattern] for pattern in self.table.ruleset.pattern_umbrellas[piece.number])
        return self.styled(sign, _SANDS[ROW_VALUES[row - 1]])

    def legend(self) -> str:
        names = ", ".join(f"{LETTERS[pattern]} {PATTERNS[pattern]}" for pattern in range(NUM_PATTERNS))
        return self.styled(f"{names}; Y›B token; {_PEARLS[0]} {_PEARLS[1]} pearl; Y/V umbrella; c3 crab", FAINT)
