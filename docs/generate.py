"""Writes the pages of the documentation that follow from the code: `make docs`."""

import random
from pathlib import Path
from typing import Any

from strand_env.strand_unter import NUM_ACTIONS, PASS, Games, describe, layout
from strand_env.strand_unter.actions import BUILD_CASTLE
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE, Section
from strand_env.strand_unter.views import tell, to_pixels, to_svg

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


def example(seed: int = 73, steps: int = 42) -> tuple[dict[str, Any], list[str]]:
    """A game at high tide between players who build whenever they can, and what happened in it last."""
    rng = random.Random(seed)
    games = Games(1, num_players=4, seed=seed)
    story: list[str] = []
    for _ in range(steps):
        before, actions = games.snapshot(0), []
        for mask in games.legal[0]:
            legal = [action for action, allowed in enumerate(mask) if allowed]
            actions.append(rng.choice([action for action in legal if BUILD_CASTLE <= action < PASS] or legal))
        games.step([actions])
        story = tell(before, actions, games.snapshot(0))
    return games.snapshot(0), story


def board_picture() -> str:
    return to_svg(*example())


PAGES = {"observation.md": observation_page, "actions.md": actions_page, "board.svg": board_picture}

if __name__ == "__main__":
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
    from PIL import Image

    Image.fromarray(to_pixels(*example())).save(Path(__file__).with_name("board.png"), optimize=True)
    print("wrote docs/board.png")
