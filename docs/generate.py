"""Writes the pages of the documentation that follow from the code: `make docs`."""

from pathlib import Path

from strand_env.strand_unter import NUM_ACTIONS, describe, layout
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE, Section

NOTE = "<!-- Written by `make docs`; change docs/generate.py or the code it reads, not this page. -->"


def observation_page() -> str:
    seat = [section for section in layout if section.name.startswith("seat_0.")]
    table = [section for section in layout if not section.name.startswith("seat_")]
    lines = [
        NOTE,
        "",
        "# The observation",
        "",
        f"`games.observe()` gives each player {layout.size} whole numbers (int8, from 0 up to the maximum):",
        f"{TABLE_SIZE} about the table, then four seats of {SEAT_SIZE}. Seat 0 is the observer, the others follow in",
        "seating order. With fewer than four players the last seats are zero and their `present` is 0, so the width is",
        "always the same.",
        "",
        "`games.layout` holds the same in code: `games.layout['shells'].slice`, `games.layout.maximum` to scale by.",
        "The maxima are those of the default ruleset.",
        "",
        "Everything that is open in the game is here, and nothing that is hidden: not how the shells out of sight are",
        "split between bag and covered grooves, and no dial before all are revealed. With `hide_buckets=True` the",
        "other players' buckets count as out of sight, too; then only the phase itself still tells that somebody has",
        "the shells for a castle, because a build phase is left out if nobody has.",
        "",
        "## The table",
        "",
        *_rows(table),
        "",
        "## Each seat",
        "",
        f"Entries of seat 0; seat k has the same {SEAT_SIZE} at {TABLE_SIZE} + {SEAT_SIZE} k, named `seat_k.…`.",
        "",
        *_rows(seat),
    ]
    return "\n".join(lines) + "\n"


def _rows(sections: list[Section]) -> list[str]:
    rows = ["| entries | section | maximum | meaning |", "| --- | --- | --- | --- |"]
    for section in sections:
        first, last = section.slice.start, section.slice.stop - 1
        entries = f"{first}–{last}" if first < last else str(first)
        distinct = sorted(set(section.maximum))
        maximum = str(distinct[0]) if len(distinct) == 1 else ", ".join(map(str, section.maximum[:4])) + ", …"
        meaning = section.meaning.removeprefix("the observer's own seat: ")
        rows.append(f"| {entries} | `{section.name}` | {maximum} | {meaning} |")
    return rows


def actions_page() -> str:
    lines = [
        NOTE,
        "",
        "# The actions",
        "",
        "One discrete space of 57 actions serves every phase; `games.legal` tells which of them a player may choose",
        "now. Whoever has nothing to decide passes. The sentences are those of `describe(action)`.",
        "",
        "| id | meaning |",
        "| --- | --- |",
        *(f"| {action} | {describe(action)} |" for action in range(NUM_ACTIONS)),
    ]
    return "\n".join(lines) + "\n"


PAGES = {"observation.md": observation_page, "actions.md": actions_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
