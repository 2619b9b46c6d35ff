"""Strand Unter for people who play it: the table as parts of a page, and their choices."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from strand_env.engine.protocol import Choice
from strand_env.pictures.canvas import SvgCanvas
from strand_env.pictures.html import accounts, figure
from strand_env.pictures.style import SEAT_STYLE
from strand_env.pictures.words import listed, signed
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
    NUM_DIAL_POSITIONS,
    PASS,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKEN,
    describe,
)
from strand_env.strand_unter.legal import shells_of_colour
from strand_env.strand_unter.ruleset import COLOURS, COMBINATIONS, MAX_PLAYERS, NUM_COLOURS, NUM_VALUES, Ruleset
from strand_env.strand_unter.scoring import beach_points
from strand_env.strand_unter.views.beach import draw_beach
from strand_env.strand_unter.views.figures import draw_castle, draw_shell, draw_wild
from strand_env.strand_unter.views.scores import Account, account_of, result_words, tie_words
from strand_env.strand_unter.views.words import (
    Snapshot,
    collided,
    counted,
    dial_words,
    payable,
    points_of,
    progress,
    standing,
    standing_words,
    task_words,
    tide_words,
)

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

# Same and different colours on the dial, where no colour in particular is meant.
_PATTERNS = {
    "two_same": "aa",
    "two_different": "ab",
    "three_same": "aaa",
    "two_and_one": "aab",
    "three_different": "abc",
    "all_of_one": "aaa+",
}
_ASKED = {
    "dial": "Set your dial, in secret.",
    "pick": "Take a castle from the heap.",
    "collect": "Collect: which shells do you take?",
    "spell": "Shell-spell: set one shell, in secret.",
    "spell_pick": "Take a castle from the heap.",
    "trove": "A consolation trove: take {}.",
    "build": "Build a castle here?",
}


def _symbols() -> str:
    """All figures as SVG symbols."""
    figures = []
    for there in (True, False):
        kind = "shell" if there else "space"
        for colour in range(NUM_COLOURS):
            canvas = SvgCanvas(24, 24)
            draw_shell(canvas, colour, 12, 12, 10, there=there)
            figures.append(canvas.to_symbol(f"{kind}-{colour}"))
        canvas = SvgCanvas(24, 24)
        draw_wild(canvas, 12, 12, 11, there)
        figures.append(canvas.to_symbol(f"{kind}-wild"))
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            for place in ("heap", "ready", "flooded"):
                canvas = SvgCanvas(44, 28)
                draw_castle(canvas, player, value, 22, 27, 25, place)
                figures.append(canvas.to_symbol(f"castle-{player}-{value}-{place}"))
    return f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif">{"".join(figures)}</svg>'


symbols = _symbols()


def round_of(snapshot: Snapshot) -> int | None:
    return int(snapshot["round"])


def heading(snapshot: Snapshot) -> str:
    return tide_words(snapshot)


def task(snapshot: Snapshot, seat: int | None) -> str:
    if seat is not None and seat in snapshot["to_act"]:
        shell, castle = any(snapshot["shells"]), "heap" in snapshot["castles"][seat]
        return _ASKED[snapshot["phase"]].format(" or ".join(["a shell"] * shell + ["a castle"] * castle))
    return task_words(snapshot)


# The table


def board(snapshot: Snapshot, seat: int | None) -> str:
    """The beach, with a description for screen readers."""
    castles = [
        f"castle {value} of player {player} in groove {groove}"
        for groove in range(1, snapshot["sea"] + 1)
        for player, value in standing(snapshot, groove)
    ]
    words = (
        f"The beach. The sandpiper stands in groove {snapshot['groove']} among {counted(snapshot['shells'])}. "
        f"The sea begins beyond groove {snapshot['sea']}. {listed(castles) if castles else 'No castle'} on the beach."
    )
    return f'<div class="beach" role="img" aria-label="{escape(words)}">{draw_beach(snapshot)}</div>'


def _figure(name: str, kind: str = "shell") -> str:
    return figure(name, kind)


def _shells(counts: Sequence[int]) -> str:
    return "".join(_figure(f"shell-{colour}") for colour, count in enumerate(counts) for _ in range(count))


def _castle(player: int, value: int, place: str | int) -> str:
    return _figure(f"castle-{player}-{value}-{place if isinstance(place, str) else 'ready'}", "castle")


def player(snapshot: Snapshot, player: int, seat: int | None) -> str:
    """The bucket, and each castle with its price or what became of it."""
    bucket = snapshot["buckets"][player]
    shells = "".join(_amount(colour, count) for colour, count in enumerate(bucket))
    rows = "".join(_castle_row(snapshot, player, value) for value in range(NUM_VALUES))
    return (
        f'<p class="standing">{escape(standing_words(snapshot, player))}</p>'
        f'<div class="bucket" role="group" aria-label="Bucket of player {player}">{shells}</div>'
        f'<ul class="castles">{rows}</ul>'
    )


def _amount(colour: int, count: int) -> str:
    figure = _figure(f"{'shell' if count else 'space'}-{colour}")
    words = f'<b>{count}</b><span class="unseen"> {COLOURS[colour]}</span>'
    return f'<span class="amount{"" if count else " none"}" title="{count} {COLOURS[colour]}">{figure}{words}</span>'


def _castle_row(snapshot: Snapshot, player: int, value: int) -> str:
    place, card = snapshot["castles"][player][value], snapshot["cards"][player][value]
    bucket = snapshot["buckets"][player]
    figure = _castle(player, value, place) + f'<span class="unseen">Castle {value}: </span>'
    if not isinstance(place, str):
        words, points = f"stands in groove {place}", f"+{points_of(snapshot['castles'][player])[value]}"
        return f'<li>{figure}<span class="words">{words}</span><span class="place points">{points}</span></li>'
    if place == "flooded":
        return f'<li class="gone">{figure}<span class="words">was flooded</span><span class="place">+0</span></li>'
    tick = ' <b class="tick" title="The bucket can pay it">✓</b>' if payable(card, bucket) else ""
    return f'<li>{figure}{_price(card, bucket)}<span class="place {place}">{place}{tick}</span></li>'


def _price(card: Sequence[int], bucket: Sequence[int]) -> str:
    """A space for each shell, filled if the bucket can pay it."""
    paid, wild = progress(card, bucket)
    spaces = [
        _figure(f"{'shell' if number < paid[colour] else 'space'}-{colour}")
        for colour in range(NUM_COLOURS)
        for number in range(card[colour])
    ]
    spaces.append(_figure(f"{'shell' if wild else 'space'}-wild"))
    words = f"needs {counted(card)} and any 1; {sum(paid) + wild} of {len(spaces)} there"
    return f'<span class="price" role="img" aria-label="{words}">{"".join(spaces)}</span>'


def revealed(before: Snapshot, actions: Sequence[int], after: Snapshot, seat: int | None) -> str:
    """The dial with everybody's badges: this round's settings, and those of a shell-spell."""
    dials = list(actions) if before["phase"] == "dial" else before["dials"]
    spell = before["spell_dials"]
    if before["phase"] == "spell":
        spell = [action if player in before["to_act"] else None for player, action in enumerate(actions)]
    cells = "".join(_dial_cell(before, position, dials, spell) for position in range(NUM_DIAL_POSITIONS))
    return f'<p class="caption">The dials of round {before["round"]}</p><ol class="dial">{cells}</ol>'


def _dial_cell(snapshot: Snapshot, position: int, dials: Sequence[int | None], spell: Sequence[int | None]) -> str:
    badges = "".join(
        f'<span class="badge seat-{player}{kind}"><span class="unseen">player </span>{player}</span>'
        for kind, setting in (("", dials), (" hollow", spell))
        for player, dial in enumerate(setting)
        if dial == position
    )
    crowd = " crowd" if any(dials[player] == position for player in collided(dials)) else ""
    return (
        f'<li class="{"set" if badges else "free"}{crowd}"><span class="position">{_dial_figure(snapshot, position)}'
        f'<span class="label">{dial_words(snapshot)[position]}</span></span><span class="badges">{badges}</span></li>'
    )


def _dial_figure(snapshot: Snapshot, position: int) -> str:
    if position < FIRST_COMBINATION:
        return f'<span class="tokens">{_figure(f"shell-{position}")}</span>'
    pattern = _PATTERNS[snapshot["ruleset"]["combinations"][position - FIRST_COMBINATION]]
    tokens = "".join(f'<i class="token-{kind if kind.isalpha() else "more"}"></i>' for kind in pattern)
    return f'<span class="tokens" aria-hidden="true">{tokens}</span>'


# Choices


def choices(snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
    return [_choice(snapshot, seat, action) for action in legal]


def _choice(snapshot: Snapshot, seat: int, action: int) -> Choice:
    trove = snapshot["phase"] == "trove"
    if action < NUM_DIAL_POSITIONS:
        words = describe(action, Ruleset.from_dict(snapshot["ruleset"]))
        return Choice(action, words, _dial_figure(snapshot, action), dial_words(snapshot)[action])
    if action < TAKE_CASTLE:
        shells = _taken(snapshot, seat, action)
        label = ", ".join(f"{count} {COLOURS[colour]}" for colour, count in enumerate(shells) if count)
        picture, group = f'<span class="tokens">{_shells(shells)}</span>', "A shell" if trove else ""
        return Choice(action, f"Take {counted(shells)}.", picture, label, group)
    if action < BUILD_CASTLE:
        value = action - TAKE_CASTLE
        price = _price(snapshot["cards"][seat][value], snapshot["buckets"][seat])
        picture = _castle(seat, value, "ready") + price
        return Choice(action, describe(action), picture, f"castle {value}", "Or a castle" if trove else "")
    if action == PASS:
        return Choice(action, "Do not build.", "", "Do not build", "Or wait")
    value, wild = divmod(action - BUILD_CASTLE, NUM_COLOURS)
    cost = list(snapshot["cards"][seat][value])
    cost[wild] += 1
    words = f"Build castle {value} for {counted(cost)}: the wild shell is {COLOURS[wild]}."
    points = beach_points(snapshot["groove"], value)
    picture = _castle(seat, value, "ready") + f'<span class="price">{_shells(cost)}</span>'
    return Choice(action, words, picture, f"wild: {COLOURS[wild]}", f"Castle {value} here: {points} points")


def _taken(snapshot: Snapshot, seat: int, action: int) -> list[int]:
    """The shells that an action takes, of each colour."""
    if action >= TAKE_PAIR:
        return [int(count) for count in TAKEN[action]]
    colour = action - TAKE_COLOUR
    amount = 1
    if snapshot["phase"] != "trove":
        kind = snapshot["ruleset"]["combinations"][snapshot["dials"][seat] - FIRST_COMBINATION]
        amount = shells_of_colour(COMBINATIONS.index(kind), snapshot["shells"][colour])
    return [amount if each == colour else 0 for each in range(NUM_COLOURS)]


# The result


def result(snapshot: Snapshot) -> str:
    """A table for each player: castles, shells, score."""
    rows = [_rows(player, account_of(snapshot, player)) for player in range(snapshot["players"])]
    return accounts(snapshot, rows, tie_words(snapshot))


def _rows(player: int, account: Account) -> str:
    rows = []
    for value, (place, points) in enumerate(zip(account.castles, account.castle_points, strict=True)):
        stands = not isinstance(place, str)
        how = f"groove {place} + {value}" if stands else "flooded" if place == "flooded" else "not built"
        figure = _castle(player, value, "heap" if place == "ready" else place)
        unseen = f'<span class="unseen">Castle {value}</span>'
        rows.append(
            f'<tr class="{"" if stands else "gone"}"><td>{figure}{unseen}</td><td>{how}</td><td>{points}</td></tr>'
        )
    fit, unfit = sum(account.fit), sum(account.unfit)
    if fit:
        rows.append(
            f'<tr><td colspan="2"><span class="tokens">{_shells(account.fit)}</span>{_shells_named(fit)} fit</td>'
            f"<td>0</td></tr>"
        )
    rows.append(
        f'<tr class="{"unfit" if unfit else "gone"}"><td colspan="2"><span class="tokens">{_shells(account.unfit)}'
        f"</span>{_shells_named(unfit)} unfit</td><td>{signed(-unfit)}</td></tr>"
    )
    return "".join(rows)


def _shells_named(count: int) -> str:
    return f"{count or 'no'} shell{'' if count == 1 else 's'}"
