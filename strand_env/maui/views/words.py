"""What all views say about a snapshot in the same words."""

from collections.abc import Sequence

from strand_env.maui.ruleset import PATTERNS, TOWELS
from strand_env.maui.views.table import Snapshot, Table
from strand_env.pictures.words import listed, number_of, points_named, sentence, win_words

LETTERS = ("Y", "P", "B", "R", "V")  # of the patterns: R is oRange, V is purple
PEARL_NAMES = ("white", "black")
VARIANT_WORDS = {"base": "umbrellas", "crabs": "crabs", "combined": "umbrellas, then crabs"}

_TASKS = {
    "turn": "takes a towel or dollars",
    "umbrella": "moves a shell by an umbrella",
    "token": "may lay a towel token",
}


def towel_letters(number: int) -> str:
    return "".join(LETTERS[pattern] for pattern in TOWELS[number])


def towel_words(number: int) -> str:
    """Such as yellow-pink-light blue."""
    return "-".join(PATTERNS[pattern] for pattern in TOWELS[number])


def rows_words(top: int) -> str:
    """Where a towel lies."""
    return f"rows {top} to {top + 2}"


def piece_words(table: Table, name: str) -> str:
    """A piece in words, such as "a white pearl"."""
    kind, number = name[:-1], int(name[-1])
    if kind == "pearl":
        return f"a {PEARL_NAMES[number]} pearl"
    if kind == "crab":
        return f"a crab of {number}"
    return f"an umbrella of {' or '.join(PATTERNS[pattern] for pattern in table.ruleset.pattern_umbrellas[number])}"


def token_words(table: Table, counts: Sequence[int]) -> str:
    """Such as "1 light blue and 2 orange tokens"."""
    parts = [
        (count, PATTERNS[pattern]) for pattern, count in zip(table.ruleset.token_patterns, counts, strict=True) if count
    ]
    if not parts:
        return "no tokens"
    return listed(f"{count} {name}" for count, name in parts) + (" token" if parts[-1][0] == 1 else " tokens")


def pearl_words(counts: Sequence[int]) -> str:
    """Such as "1 white and 2 black pearls"."""
    parts = [(count, PEARL_NAMES[colour]) for colour, count in enumerate(counts) if count]
    if not parts:
        return "no pearls"
    return listed(f"{count} {name}" for count, name in parts) + (" pearl" if parts[-1][0] == 1 else " pearls")


def dollars_named(count: int) -> str:
    return number_of(count, "dollar")


def price_words(price: int) -> str:
    return dollars_named(price) if price else "free"


def heading_words(snapshot: Snapshot) -> str:
    """Part and round, and which side of the beach is up."""
    over = "The game ended in round" if snapshot["phase"] == "over" else "Round"
    words = f"{over} {snapshot['round']}"
    if snapshot["variant"] == "combined":
        return f"Part {snapshot['part']} of 2 · {words[0].lower()}{words[1:]}"
    return f"{words} · {VARIANT_WORDS[snapshot['variant']]}"


def task_words(snapshot: Snapshot) -> str:
    """Who has to decide what; in the end, who has won."""
    if snapshot["phase"] == "over":
        return win_words(snapshot)
    return sentence(f"player {snapshot['to_act'][0]} {_TASKS[snapshot['phase']]}")


def standing_words(table: Table, player: int) -> str:
    """How a player is doing."""
    if table.snapshot["scores"]:
        return points_named(table.snapshot["scores"][player])
    return f"{points_named(table.account(player).points)} so far"
