"""The snapshots of Maui: section 8 of the rules.

What lies on the table must fit together. What only concerns the past is not checked, to allow positions set up by hand:
how far shells and rounds have come, where towels lie (any top, whether they match or not), who took which tokens, and,
within wide bounds, how many pearls and penalty tokens there are.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from strand_env.engine.checks import shown, whole_number
from strand_env.engine.protocol import Snapshot
from strand_env.engine.snapshots import Field, ListField, SetField
from strand_env.maui.actions import OVER, TOKEN_PHASE, TURN, UMBRELLA
from strand_env.maui.legal import NUMBER
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB,
    CRAB_SIDE,
    CRAB_VALUES,
    HIGHEST_TOP,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_DOLLARS,
    MOST_ORNAMENTS,
    MOST_ROUNDS,
    MOST_SQUARES,
    NUM_TOWELS,
    PARTS,
    PATTERN_UMBRELLA,
    PATTERN_UMBRELLAS,
    PEARL,
    PEARL_COLOURS,
    PEARLS,
    PIECES,
    PLACES,
    ROWS,
    SPARE_TOP,
    TOKEN_KINDS,
    TOKENS_PER_SQUARE,
    TOWELS,
    UMBRELLA_SIDE,
    Ruleset,
)
from strand_env.maui.showing import set_market
from strand_env.maui.state import NO_COVER, TOKEN_COVER, TREES, WATER

COVER_NAMES = {WATER: "water", TREES: "trees", TOKEN_COVER: "token0", TOKEN_COVER - 1: "token1"}
PIECE_NAMES = dict(enumerate(PIECES, 1))
MOST_TOKENS = MOST_ORNAMENTS * TOKENS_PER_SQUARE[-1]
PENALTIES_PER_PART = (CELLS - 1) * (COLUMNS + 1)


def _SeatField(name: str, least: int, most: int) -> Field:
    return Field(name, least, most, per_player=True, inside="seats")


@dataclass(frozen=True)
class MarketField(Field):
    """The towels' numbers, each after the entries that show its patterns."""

    def write(self, game: np.void, rules: np.void) -> Any:
        return game["table"]["market"][:, NUMBER].tolist()

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        for place, number in enumerate(self.numbers(self.name, given, (PLACES,))):
            set_market(game, place, number)


@dataclass(frozen=True)
class SupplyField(Field):
    """As long as the ruleset has ornament squares."""

    def shape(self, game: np.void, rules: np.void) -> tuple[int, ...]:
        return (int(rules["num_ornaments"]),)


@dataclass(frozen=True)
class PiecesField(Field):
    """As long as the beach has spots on its side."""

    def shape(self, game: np.void, rules: np.void) -> tuple[int, ...]:
        return int(game["players"]), int(rules["num_spots"][_side(game, rules)])


@dataclass(frozen=True)
class LyingField(PiecesField):
    """Not in the record: pieces leave the beach when their column is filled."""

    def write(self, game: np.void, rules: np.void) -> Any:
        players, spots = self.shape(game, rules)
        columns = rules["spot_column"][_side(game, rules), :spots]
        return (columns >= game["seats"]["laid"][:players, None]).tolist()

    def read(self, game: np.void, rules: np.void, given: Any) -> None:
        numbers = self.numbers(self.name, given, self.shape(game, rules))
        for player, (row, lying) in enumerate(zip(numbers, self.write(game, rules), strict=True)):
            for spot, (found, expected) in enumerate(zip(row, lying, strict=True)):
                if bool(found) != expected:
                    filled = "not filled yet" if expected else "filled"
                    raise ValueError(f"lying[{player}][{spot}]: {bool(found)}, but the spot's column is {filled}")


def _side(game: np.void, rules: np.void) -> int:
    return int(rules["side"][game["table"]["part"] - 1])


_TOWEL = (
    Field("number", 0, NUM_TOWELS - 1),
    Field("top", LOWEST_TOP, HIGHEST_TOP),
    Field("cover", CRAB_VALUES[0], CRAB_VALUES[-1], words=COVER_NAMES, null=NO_COVER),
)
FIELDS = (
    Field("part", 1, PARTS, inside="table"),
    Field("round", 1, MOST_ROUNDS, inside="table"),
    Field("first", 0, MAX_PLAYERS - 1),
    MarketField("market", 0, NUM_TOWELS - 1),
    Field("zones", 0, MOST_DOLLARS, inside="table"),
    SetField("bag", 0, NUM_TOWELS - 1),
    ListField("drawn", 0, NUM_TOWELS - 1, count="num_drawn", shortest=PLACES),
    ListField("beach", per_player=True, count="laid", count_inside="seats", parts=_TOWEL, shortest=1),
    PiecesField("pieces", 1, 0, per_player=True, words=PIECE_NAMES),
    LyingField("lying", per_player=True, truth=True),
    _SeatField("shells", 0, MOST_SQUARES),
    _SeatField("dollars", 0, MOST_DOLLARS),
    _SeatField("penalties", 0, PARTS * PENALTIES_PER_PART),
    _SeatField("crab_points", 0, COLUMNS * CRAB_VALUES[-1]),
    _SeatField("pearls", 0, PEARLS),
    _SeatField("tokens", 0, MOST_TOKENS),
    SupplyField("supply", 0, TOKENS_PER_SQUARE[-1], inside="table"),
    Field("fresh", 0, MOST_TOKENS, inside="table"),
    ListField("pending", 0, PATTERN_UMBRELLAS - 1, count="num_pending"),
)


def check_snapshot(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    """Raises `ValueError`, naming the field, if fields contradict each other."""
    players, variant = int(game["players"]), snapshot["variant"]
    if game["table"]["part"] == PARTS and variant != "combined":
        raise ValueError(f"part: 2, but the variant {variant!r} has only one")
    whole_number("first", snapshot["first"], 0, players - 1)
    side = CRAB_SIDE if variant == "crabs" or game["table"]["part"] == PARTS else UMBRELLA_SIDE
    _check_towels(snapshot)
    _check_drawn(snapshot)
    _check_pieces(snapshot, ruleset, side)
    _check_covers(game, snapshot, ruleset, side)
    _check_shells(snapshot, ruleset)
    _check_dollars_and_tokens(game, snapshot, ruleset)
    _check_gains(game, snapshot, ruleset, side)
    _check_turn(game, snapshot)
    _check_pending(game, snapshot, ruleset, side)


def _check_towels(snapshot: Snapshot) -> None:
    """Each of the sixty is in one place."""
    places = {"bag": snapshot["bag"], "market": snapshot["market"]}
    places |= {f"beach[{player}]": [each[0] for each in row] for player, row in enumerate(snapshot["beach"])}
    where: dict[int, str] = {}
    for name, numbers in places.items():
        for number in numbers:
            if number in where:
                raise ValueError(f"{name}: towel {number} is in {where[number]}, too")
            where[number] = name
    if missing := sorted(set(range(NUM_TOWELS)) - where.keys()):
        raise ValueError(f"bag: towels {shown(missing)} are neither there nor in the market nor on a beach")


def _check_drawn(snapshot: Snapshot) -> None:
    drawn, beach, players = snapshot["drawn"], snapshot["beach"], snapshot["players"]
    if len(drawn) != snapshot["part"]:
        raise ValueError(f"drawn: expected a list for each part begun, {snapshot['part']}; got {len(drawn)}")
    for part, numbers in enumerate(drawn):
        if len(set(numbers)) < len(numbers):
            twice = next(number for number, times in Counter(numbers).items() if times > 1)
            raise ValueError(f"drawn[{part}]: towel {twice} is there twice")
    part, numbers = len(drawn) - 1, drawn[-1]
    if wrong := sorted(set(numbers) & set(snapshot["bag"])):
        raise ValueError(f"drawn[{part}]: towels {shown(wrong)} are in the bag")
    if missing := sorted(set(range(NUM_TOWELS)) - set(snapshot["bag"]) - set(numbers)):
        raise ValueError(f"drawn[{part}]: towels {shown(missing)} are missing, but not in the bag")
    starts = [row[0][0] for row in beach]
    if numbers[PLACES : PLACES + players] != starts:
        raise ValueError(f"drawn[{part}]: expected the start towels {starts} after the first {PLACES}")
    if all(len(row) == 1 for row in beach) and numbers[:PLACES] != list(snapshot["market"]):
        raise ValueError(f"drawn[{part}]: expected the market {snapshot['market']} first, as no towel has been taken")
    if part == 1:
        least = PLACES + players
        whole_number("drawn[0]: number of towels", len(drawn[0]), least + COLUMNS, least + players * COLUMNS)


def _check_pieces(snapshot: Snapshot, ruleset: Ruleset, side: int) -> None:
    umbrellas = [PIECES[PATTERN_UMBRELLA - 1 + number] for number in range(PATTERN_UMBRELLAS)]
    if side == CRAB_SIDE:
        crabs = [f"crab{value}" for value in ruleset.crabs]
        groups = [(0, len(crabs), crabs), (len(crabs), len(crabs) + len(umbrellas), umbrellas)]
    else:
        pearls = [PIECES[PEARL - 1 + colour] for colour in range(PEARL_COLOURS) for _ in range(PEARLS)]
        groups = [(0, len(pearls) + len(umbrellas), pearls + umbrellas)]
    for player, pieces in enumerate(snapshot["pieces"]):
        for start, stop, expected in groups:
            if sorted(pieces[start:stop]) != sorted(expected):
                raise ValueError(
                    f"pieces[{player}]: expected {expected} in any order on spots {start} to {stop - 1}, "
                    f"got {shown(pieces[start:stop])}"
                )


def _check_covers(game: np.void, snapshot: Snapshot, ruleset: Ruleset, side: int) -> None:
    spots = ruleset.spots(side)
    for player, towels in enumerate(snapshot["beach"]):
        pieces = dict(zip(spots, game["pieces"][player].tolist(), strict=False))
        lying_crabs = 0
        for column, (number, top, _) in enumerate(towels):
            covers = game["beach"][player, column]["cover"].tolist()
            crabs = {}
            for cell in range(CELLS):
                piece = pieces.get((column, top + cell), 0)
                if piece >= CRAB:
                    crabs[cell] = piece - CRAB + CRAB_VALUES[0]
            if top == SPARE_TOP and not any(covers):
                crabs = {}  # it may be a spare towel
            for cell, cover in enumerate(covers):
                name = f"beach[{player}][{column}][2][{cell}]"
                _check_cover(name, cover, top + cell, crabs.get(cell, 0), ruleset, TOWELS[number][cell], column)
            lying_crabs += sum(crabs.values())
        if lying_crabs != game["seats"]["crab_points"][player]:
            expected = f"expected {lying_crabs}, the sum of the crabs on the towels"
            raise ValueError(f"crab_points[{player}]: {expected}; got {game['seats']['crab_points'][player]}")


def _check_cover(name: str, cover: int, row: int, crab: int, ruleset: Ruleset, printed: int, column: int) -> None:
    outside = WATER if row < 1 else TREES if row > ROWS else NO_COVER
    expected = outside or crab
    if expected or cover in (WATER, TREES) or cover > 0:
        if cover != expected:
            wanted = repr(_TOWEL[2].data(expected))
            raise ValueError(f"{name}: expected {wanted} in row {row}, got {_TOWEL[2].data(cover)!r}")
    elif cover <= TOKEN_COVER:
        if column == 0:
            raise ValueError(f"{name}: a token on a start towel")
        if printed == ruleset.token_patterns[TOKEN_COVER - cover]:
            raise ValueError(f"{name}: a token on a cell that shows its pattern anyway")


def _check_shells(snapshot: Snapshot, ruleset: Ruleset) -> None:
    squares = ruleset.squares(snapshot["variant"])
    for player, row in enumerate(snapshot["shells"]):
        for track, square in enumerate(row):
            whole_number(f"shells[{player}][{track}]", square, 0, len(squares[track]) - 1)


def _check_dollars_and_tokens(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    players = snapshot["players"]
    dollars, expected = sum(snapshot["dollars"]) + sum(snapshot["zones"]), players + MARKET_ROWS
    if dollars != expected:
        raise ValueError(f"dollars, zones: {dollars} dollars in all, but the game has {expected}")
    per_square = TOKENS_PER_SQUARE[players - 2]
    for square, left in enumerate(snapshot["supply"]):
        whole_number(f"supply[{square}]", left, 0, per_square)
    laid = Counter(game["beach"]["cover"].ravel().tolist())
    for kind in range(TOKEN_KINDS):
        squares = [number for number, ornament in enumerate(ruleset.ornaments) if ornament[2] == kind]
        found = laid[TOKEN_COVER - kind] + sum(held[kind] for held in snapshot["tokens"])
        found += sum(snapshot["supply"][square] for square in squares)
        there = per_square * len(squares)
        # Tokens on towels of the first part have left the game.
        if found > there or (found < there and snapshot["part"] == 1):
            raise ValueError(f"tokens, supply, beach: {found} tokens of kind {kind} in all, but the game has {there}")


def _check_gains(game: np.void, snapshot: Snapshot, ruleset: Ruleset, side: int) -> None:
    """Pearls and penalty tokens: no more than the columns filled can have brought."""
    part_2 = snapshot["part"] == PARTS
    columns = [column for column, _ in ruleset.spots(side)]
    for player in range(snapshot["players"]):
        laid = int(game["seats"]["laid"][player])
        most = (CELLS - 1) * laid + (PENALTIES_PER_PART if part_2 else 0)
        whole_number(f"penalties[{player}]", snapshot["penalties"][player], 0, most)
        passed = [piece for piece, column in zip(snapshot["pieces"][player], columns, strict=True) if column < laid]
        for colour in range(PEARL_COLOURS):
            most = PEARLS if part_2 else passed.count(PIECES[PEARL - 1 + colour])
            whole_number(f"pearls[{player}][{colour}]", snapshot["pearls"][player][colour], 0, most)


def _check_turn(game: np.void, snapshot: Snapshot) -> None:
    players, first, laid = snapshot["players"], snapshot["first"], game["seats"]["laid"].tolist()
    done = [player for player in range(players) if laid[player] > COLUMNS]
    if game["phase"] == OVER:
        if not done:
            raise ValueError("phase: 'over', but nobody has filled the last column")
        if snapshot["variant"] == "combined" and snapshot["part"] < PARTS:
            raise ValueError("phase: 'over', but the second part has not been played")
        return
    asked = snapshot["to_act"][0]
    now = (asked - first) % players
    laying = game["phase"] in (UMBRELLA, TOKEN_PHASE)
    for player in done:
        if (player - first) % players > now or (player == asked and not laying):
            raise ValueError(f"beach[{player}]: the last column is filled, but the part goes on after that round")
    if laying and laid[asked] < 2:
        raise ValueError(f"beach[{asked}]: in phase {snapshot['phase']!r} expected the towel just laid")


def _check_pending(game: np.void, snapshot: Snapshot, ruleset: Ruleset, side: int) -> None:
    phase, pending, fresh = game["phase"], list(snapshot["pending"]), snapshot["fresh"]
    if phase in (TURN, OVER) and any(fresh):
        raise ValueError(f"fresh: {fresh}, but in phase {snapshot['phase']!r} no token is fresh")
    if (phase == UMBRELLA) != bool(pending):
        expected = "the pattern umbrellas not used yet, the current one first" if phase == UMBRELLA else "[]"
        raise ValueError(f"pending: {pending} does not fit phase {snapshot['phase']!r}; expected {expected}")
    if phase in (TURN, OVER):
        return
    asked = snapshot["to_act"][0]
    for kind in range(TOKEN_KINDS):
        whole_number(f"fresh[{kind}]", fresh[kind], 0, snapshot["tokens"][asked][kind])
    column = int(game["seats"]["laid"][asked]) - 1
    top = snapshot["beach"][asked][column][1]
    covered = []
    for spot in sorted(range(len(snapshot["pieces"][asked])), key=lambda spot: ruleset.spots(side)[spot]):
        at, row = ruleset.spots(side)[spot]
        number = int(game["pieces"][asked, spot]) - PATTERN_UMBRELLA
        if at == column and top <= row < top + CELLS and 0 <= number < PATTERN_UMBRELLAS:
            covered.append(number)
    if pending != covered[len(covered) - len(pending) :]:
        raise ValueError(f"pending: {pending}, but the new towel covers the pattern umbrellas {covered}")
