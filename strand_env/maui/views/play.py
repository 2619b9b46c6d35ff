"""Maui for people who play it: market, tracks and beaches as parts of a page."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from strand_env.engine.protocol import Choice
from strand_env.maui.actions import DOLLARS, SPARE, STEP
from strand_env.maui.ruleset import (
    COLUMNS,
    MARKET_ROWS,
    MAX_PLAYERS,
    NUM_PATTERNS,
    PATTERNS,
    PEARL_COLOURS,
    PLACES,
    PRICES,
)
from strand_env.maui.views import choosing
from strand_env.maui.views.beach import Beach, beach_size
from strand_env.maui.views.figures import (
    draw_cell,
    draw_crab,
    draw_dollar,
    draw_pearl,
    draw_pearl_umbrella,
    draw_penalty,
    draw_shell,
    draw_token,
)
from strand_env.maui.views.market import Market
from strand_env.maui.views.places import FRAME, draw_places
from strand_env.maui.views.rehearsal import Rehearsal
from strand_env.maui.views.scores import result_words, tie_words
from strand_env.maui.views.table import Snapshot, Table
from strand_env.maui.views.tracks import Tracks
from strand_env.maui.views.words import (
    FIRST_WORDS,
    PEARL_NAMES,
    dollars_named,
    heading_words,
    piece_words,
    price_words,
    rows_words,
    standing_words,
    task_words,
    token_words,
    towel_letters,
    umbrella_words,
    waiting_words,
)
from strand_env.pictures.canvas import Paint, SvgCanvas
from strand_env.pictures.html import accounts, figure
from strand_env.pictures.style import SEAT_STYLE
from strand_env.pictures.words import number_of, sentence, signed

__all__ = [
    "board",
    "choices",
    "heading",
    "player",
    "result",
    "result_words",
    "revealed",
    "round_of",
    "style",
    "symbols",
    "task",
]

style = files(__package__).joinpath("play.css").read_text("utf-8") + SEAT_STYLE

_WIDTH = 420  # of market and tracks
_MARKET, _TRACK, _FOLDED_TRACK = 124, 31, 27  # heights
_COLUMN, _ROW = 40, 26  # of a beach


def _symbols() -> str:
    """All figures as SVG symbols."""
    figures = []

    def add(name: str, draw: object, *arguments: object, width: int = 24, height: int = 24) -> None:
        canvas = SvgCanvas(width, height)
        draw(canvas, *arguments)  # type: ignore[operator]
        figures.append(canvas.to_symbol(name))

    for pattern in range(NUM_PATTERNS):
        add(f"cell-{pattern}", draw_cell, pattern, 0, 0, 32, 26, width=32, height=26)
        add(f"token-{pattern}", draw_token, pattern, 12, 12, 9.5)
    for colour in range(PEARL_COLOURS):
        add(f"pearl-{colour}", draw_pearl, colour, 12, 12, 9)
    add("umbrella", draw_pearl_umbrella, 0, 12, 12, 11)
    add("dollar", draw_dollar, 12, 12, 11)
    add("penalty", draw_penalty, "water", 1, 12, 12, 10.5)
    add("crab", draw_crab, "", 12, 12, 10)
    for seat in range(MAX_PLAYERS):
        add(f"shell-{seat}", draw_shell, seat, 12, 12, 11)
    return f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif">{"".join(figures)}</svg>'


symbols = _symbols()


def round_of(snapshot: Snapshot) -> int | None:
    return int(snapshot["round"])


def heading(snapshot: Snapshot) -> str:
    return heading_words(snapshot)


def task(snapshot: Snapshot, seat: int | None) -> str:
    table = Table(snapshot)
    if seat is None or seat not in snapshot["to_act"]:
        return task_words(table)
    if snapshot["phase"] == "umbrella":
        return sentence("; ".join([f"an umbrella: move {umbrella_words(table)}", *waiting_words(table)]))
    if snapshot["phase"] == "token":
        return " ".join(["Lay a towel token on the new towel?", *map(sentence, waiting_words(table))])
    if any(snapshot["zones"]):
        return "Your turn: take a towel, or dollars."
    spare = Rehearsal(table).legal[0] >= SPARE
    return f"Your turn: {'nothing matches, so take a spare towel' if spare else 'take a towel'}."


# The table


def board(snapshot: Snapshot, seat: int | None) -> str:
    """Market, bag and tracks, with descriptions for screen readers."""
    table = Table(snapshot)
    left = snapshot["bag"]
    bag = "".join(f"<li>{choosing.towel_figure(each)}<span>{towel_letters(each)}</span></li>" for each in left)
    return (
        f'<div class="market" role="img" aria-label="{escape(_market_words(table))}">{_market(table)}</div>'
        f'<div class="tracks" role="img" aria-label="{escape(_tracks_words(table))}">{_tracks(table)}</div>'
        f'<details class="bag"><summary>{number_of(len(left), "towel")} in the bag</summary><ul>{bag}</ul></details>'
    )


def _market(table: Table) -> str:
    canvas = SvgCanvas(_WIDTH, _MARKET)
    market = Market(canvas, table, 1, 1, _WIDTH - 2, _MARKET - 2)
    for row in range(MARKET_ROWS):
        market.draw_mat(row)
        with canvas.group(class_="place", data_place=f"action-{DOLLARS + row}"):
            market.draw_zone(row)
            _draw_frame(canvas, *market.zone_box(row))
    for place in range(PLACES):
        with canvas.group(class_="place", data_place=f"market-{place} action-{SPARE + place}"):
            _draw_frame(canvas, *market.place_box(place))
            market.draw_place(place)
    return canvas.to_svg(shrinks=False)


def _draw_frame(canvas: SvgCanvas, left: float, top: float, width: float, height: float) -> None:
    with canvas.group(class_="frame"):
        canvas.rectangle(left, top, width, height, FRAME, 7)


def _market_words(table: Table) -> str:
    towels = [
        f"{towel_letters(number)} {price_words(PRICES[place])}" for place, number in enumerate(table.snapshot["market"])
    ]
    half = len(towels) // MARKET_ROWS
    rows = [
        f"Row {row}: {dollars_named(dollars)} in the zone, {', '.join(towels[row * half : (row + 1) * half])}."
        for row, dollars in enumerate(table.snapshot["zones"])
    ]
    return f"The market. {' '.join(rows)}"


def _tracks(table: Table) -> str:
    folded = max(map(len, table.squares)) > 17
    line = _FOLDED_TRACK if folded else _TRACK
    probe = Tracks(SvgCanvas(1, 1), table, 0, 0, _WIDTH, per_line=12)
    canvas = SvgCanvas(_WIDTH, probe.lines * line + 8)
    canvas.rectangle(0.5, 0.5, _WIDTH - 1, probe.lines * line + 7, Paint("#fffdf8", "#e3d7bb"), 10)
    tracks = Tracks(canvas, table, 5, 5, _WIDTH - 10, per_line=12)
    tracks.draw(line)
    for track in range(NUM_PATTERNS):
        with canvas.group(class_="place", data_place=f"action-{STEP + track}"):
            height = line * tracks.lines / NUM_PATTERNS
            _draw_frame(canvas, 4, 5 + track * height, _WIDTH - 8, height)
    return canvas.to_svg(shrinks=False)


def _tracks_words(table: Table) -> str:
    told = []
    for track, squares in enumerate(table.squares):
        shells = [f"player {player} on {table.snapshot['shells'][player][track]}" for player in table.players]
        told.append(f"{PATTERNS[track]}, {len(squares) - 1} squares: {', '.join(shells)}")
    for (track, square, kind), left in zip(table.ruleset.ornaments, table.snapshot["supply"], strict=True):
        counts = [left if each == kind else 0 for each in range(2)]
        told.append(f"{token_words(table, counts)} on square {square} of {PATTERNS[track]}")
    return " ".join(map(sentence, told))


def player(snapshot: Snapshot, player: int, seat: int | None) -> str:
    """What a player has, and the beach; on the observer's own beach, the places to click."""
    table = Table(snapshot)
    canvas = SvgCanvas(*beach_size(_COLUMN, _ROW))
    beach = Beach(canvas, table, player, 0, 0, _COLUMN, _ROW)
    beach.draw()
    if player == seat == table.asked:
        draw_places(canvas, beach, table, player)
    return (
        f'<p class="standing">{escape(standing_words(table, player))}</p>'
        f'<div class="belongings" role="group" aria-label="What player {player} has">{_belongings(table, player)}</div>'
        f'<div class="beach" role="img" aria-label="{escape(_beach_words(table, player))}">'
        f"{canvas.to_svg(shrinks=False)}</div>"
    )


def _belongings(table: Table, player: int) -> str:
    snapshot = table.snapshot
    amounts = [_amount("dollar", snapshot["dollars"][player], "dollar")]
    fresh = snapshot["fresh"] if player == table.asked else (0, 0)
    for pattern, count, new in zip(table.ruleset.token_patterns, snapshot["tokens"][player], fresh, strict=True):
        waits = f", {f'{new} of them ' if new < count else ''}from the next turn on" if new else ""
        amounts.append(_amount(f"token-{pattern}", count, f"{PATTERNS[pattern]} token", waits))
    if snapshot["variant"] != "crabs":
        for colour, count in enumerate(snapshot["pearls"][player]):
            amounts.append(_amount(f"pearl-{colour}", count, f"{PEARL_NAMES[colour]} pearl"))
    amounts.append(_amount("penalty", snapshot["penalties"][player], "penalty token"))
    if table.crab_side:
        amounts.append(_amount("crab", snapshot["crab_points"][player], "point lost to crab"))
    if player == snapshot["first"]:
        amounts.append(f"<span>{FIRST_WORDS}</span>")
    return "".join(amounts)


def _amount(symbol: str, count: int, name: str, note: str = "") -> str:
    words = number_of(count, name) + note
    return (
        f'<span class="amount{"" if count else " none"}" title="{words}">{figure(symbol, "icon")}<b>{count}</b>'
        f'<span class="unseen"> {words.partition(" ")[2]}</span></span>'
    )


def _beach_words(table: Table, player: int) -> str:
    towels = table.snapshot["beach"][player]
    number, top, _ = towels[-1]
    ahead = [f"{piece_words(table, each.name)} in column {each.column}, row {each.row}" for each in table.lying(player)]
    return (
        f"The beach of player {player} with {table.laid(player)} of {COLUMNS} towels. The last one is "
        f"{towel_letters(number)} in {rows_words(top)}. Ahead: {'; '.join(ahead) or 'nothing'}."
    )


def revealed(before: Snapshot, actions: Sequence[int | None], after: Snapshot, seat: int | None) -> str:
    """Nothing is decided in secret."""
    return ""


def choices(snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
    return choosing.choices(Table(snapshot), legal)


# The result


def result(snapshot: Snapshot) -> str:
    """A table for each player: track by track, pearls, dollars, what was lost."""
    table = Table(snapshot)
    tie = tie_words(table)
    return accounts(snapshot, [_rows(table, player) for player in table.players], sentence(tie) if tie else "")


def _rows(table: Table, player: int) -> str:
    snapshot, account = table.snapshot, table.account(player)
    rows = [
        (f"cell-{track}", PATTERNS[track], f"square {snapshot['shells'][player][track]}", points)
        for track, points in enumerate(account.tracks)
    ]
    if snapshot["variant"] != "crabs":
        for colour, points in enumerate(account.pearls):
            pearls = number_of(snapshot["pearls"][player][colour], f"{PEARL_NAMES[colour]} pearl")
            rows.append((f"pearl-{colour}", "", pearls, points))
    rows.append(("dollar", "", dollars_named(account.dollars), account.dollars))
    lost = snapshot["penalties"][player]
    rows.append(("penalty", "", f"{lost} penalt{'y' if lost == 1 else 'ies'}", -account.penalties))
    if table.crab_side:
        rows.append(("crab", "", "crabs", -account.crabs))
    return "".join(
        f'<tr class="{"" if points > 0 else "lost" if points else "gone"}"><td>{figure(symbol, "icon")}'
        f'<span class="unseen">{name}</span></td><td>{words}</td><td>{signed(points)}</td></tr>'
        for symbol, name, words, points in rows
    )
