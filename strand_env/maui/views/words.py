"""What all views say about a snapshot in the same words."""

from collections.abc import Sequence

from strand_env.maui.ruleset import COLUMNS, PATTERNS, TOWELS
from strand_env.maui.views.table import Snapshot, Table
from strand_env.pictures.words import listed, number_of, points_named, sentence, win_words

LETTERS = ("Y", "P", "B", "R", "V")  # of the patterns: R is oRange, V is purple
PEARL_NAMES = ("white", "black")
VARIANT_WORDS = {"base": "umbrellas", "crabs": "crabs", "combined": "umbrellas, then crabs"}

FIRST_WORDS = "first player"


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
    """Part and round, whether it is the last round of the part, and which side of the beach is up."""
    over = snapshot["phase"] == "over"
    words = f"{'The game ended in round' if over else 'Round'} {snapshot['round']}"
    if not over and any(len(towels) > COLUMNS for towels in snapshot["beach"]):
        words += " · last round"
    if snapshot["variant"] == "combined":
        return f"Part {snapshot['part']} of 2 · {words[0].lower()}{words[1:]}"
    return f"{words} · {VARIANT_WORDS[snapshot['variant']]}"


def task_words(table: Table) -> str:
    """Who has to decide what, and which tokens cannot be laid yet; in the end, who has won."""
    phase = table.snapshot["phase"]
    if phase == "over":
        return win_words(table.snapshot)
    task = "takes a towel or dollars" if phase == "turn" else "may lay a towel token"
    if phase == "umbrella":
        task = f"moves {umbrella_words(table, ' by an umbrella')}"
    return sentence("; ".join([f"player {table.asked} {task}", *waiting_words(table)]))


def umbrella_words(table: Table, how: str = "") -> str:
    """Which shells the umbrellas covered move, the current umbrella's first."""
    choices = [
        " or ".join(PATTERNS[pattern] for pattern in table.ruleset.pattern_umbrellas[number])
        for number in table.snapshot["pending"]
    ]
    first, *others = choices or ["next"]
    return f"the {first} shell{how}" + "".join(f", then the {each} one" for each in others)


def waiting_words(table: Table) -> list[str]:
    """What is to be said about fresh tokens, if there are any."""
    fresh = table.snapshot["fresh"]
    return [f"{token_words(table, fresh)} wait{'s' * (sum(fresh) == 1)} for the next turn"] if any(fresh) else []


def standing_words(table: Table, player: int) -> str:
    """How a player is doing."""
    if table.snapshot["scores"]:
        return points_named(table.snapshot["scores"][player])
    return f"{points_named(table.account(player).points)} so far"
