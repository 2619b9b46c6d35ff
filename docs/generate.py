"""Writes the pages of the documentation that follow from the code: `make docs`."""

import random
from collections.abc import Iterable, Iterator
from itertools import count, groupby
from pathlib import Path
from typing import Any, cast

import numpy as np
from marks import filled

from strand_env import strand_unter_v1
from strand_env.engine.batch import GameBatch
from strand_env.engine.game import Encoding, Game
from strand_env.engine.layout import Layout, Section
from strand_env.engine.protocol import REWARD_KINDS
from strand_env.engine.rewards import rewards_of
from strand_env.registry import game_ids, game_of
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import NUM_ACTIONS, PASS, PHASES, Games
from strand_env.strand_unter.actions import BUILD_CASTLE
from strand_env.strand_unter.layout import MOST_POINTS
from strand_env.strand_unter.views import tell, to_pixels, to_svg

LISTED = [game_of(game) for game in game_ids()]
NOTE = "<!-- Written by `make docs`; change docs/generate.py or the code it reads, not this page. -->"


def observation_page() -> str:
    lines = [
        NOTE,
        "",
        "# The observation",
        "",
        "`games.observe()` gives each player whole numbers from 0 up to a maximum: some about the table, then the",
        "seats. Seat 0 is the observer, the others follow in seating order. With fewer players the last seats are zero",
        "and their `present` is 0, so the width is always the same; it is the same in all variants, too.",
        "",
        "`games.layout` holds the same in code: `games.layout['shells'].slice`, `games.layout.maximum` to scale by.",
        (
            "The maxima are those of the default ruleset. Nothing that is hidden is here, and all that is open, "
            "except where"
        ),
        "a game's notes say so.",
    ]
    for game in LISTED:
        lines += ["", *_observation_of(game)]
    return "\n".join(lines) + "\n"


OBSERVATION_NOTES = {
    "strand_unter": [
        "Hidden are how the shells out of sight are split between bag and covered grooves, and dials until all are",
        "revealed. With `hide_buckets=True` the other players' buckets count as out of sight, too. Then only the phase",
        "itself shows that somebody has the shells for a castle: a build phase is skipped if nobody has.",
    ],
    "maui": [
        "All but the order of future draws is open. Squares, points and places of umbrellas and crabs follow from the",
        "ruleset; ornament squares and spots are listed in its order.",
    ],
    "sea_or_shore": [
        "It holds what the player may know, remembered cards included, so agents need no memory of their own. Cards",
        "are listed by id. Of a pile, the four top treasures are listed, all others only count for its size and worth;",
        "treasures put under a stack, which never come up again, are left out.",
    ],
}


def _observation_of(game: Game) -> list[str]:
    games = cast("GameBatch[Any]", game.batch(1, game.default_players))
    layout, critics = games.layout, games.table_layout_of(games.ruleset)
    notes = OBSERVATION_NOTES.get(game.name, [])
    lines = [f"## {game.title}", "", _sizes_of(layout), *notes, *_sections_of(game.title, layout)]
    if [section.name for section in critics] != [section.name for section in layout]:
        title = f"{game.title}, for critics"
        lines += ["", f"## {title}", "", f"`games.observe_table()` and `env.state()`. {_sizes_of(critics)}"]
        lines += _sections_of(title, critics)
    return lines


def _sizes_of(layout: Layout) -> str:
    table, seats, size = layout.table_size, layout.seats, layout.seat_size
    seated = f"{table} about the table, then {seats} seats of {size}"
    return f"{layout.size} numbers ({layout.dtype}): {seated if seats else 'all about the table'}."


def _sections_of(title: str, layout: Layout) -> list[str]:
    lines = ["", f"### {title}: the table", "", *_table_rows_of(layout)]
    return [*lines, "", f"### {title}: each seat", "", *_seat_rows_of(layout)] if layout.seats else lines


def _table_rows_of(layout: Layout) -> list[str]:
    return _rows([section for section in layout if not section.name.startswith("seat_")])


def _seat_rows_of(layout: Layout) -> list[str]:
    size, start = layout.seat_size, layout.table_size
    return [
        f"Entries of seat 0; seat k has the same {size} at {start} + {size} k, named `seat_k.…`.",
        "",
        *_rows([section for section in layout if section.name.startswith("seat_0.")]),
    ]


ENCODING_NOTES = {
    "strand_unter": "With `hide_buckets=True` the others' buckets count as empty.",
    "maui": "Actions from 0 to 29 are market place × 5 + shift, the shift from two rows nearer to the water on.",
}


def encodings_page() -> str:
    lines = [
        NOTE,
        "",
        "# Feature encodings",
        "",
        "By default, the observations of all environments are features for networks, float32: counts scaled so that",
        "each step matters, categories one-hot, and what follows from the open state but is hard for networks to find.",
        "They hold no agent's opinion and no hidden information. With `encoding='compact'`, and in games that declare",
        "no features, environments return the [observation](observation.md), each entry divided by its maximum. The",
        'name of an encoding changes with its meaning. "By 4" means divided by 4; seat 0 is the observer, the others',
        "follow in seating order.",
        "",
        "`env.layout` holds the same in code: `env.layout['shells'].slice`, `env.layout['shells'].meaning`.",
    ]
    for game in LISTED:
        for encoding in game.encodings:
            lines += ["", *_encoding_of(game, encoding)]
    return "\n".join(lines) + "\n"


def _encoding_of(game: Game, encoding: Encoding) -> list[str]:
    layout = encoding.layout
    assert layout is not None
    seats, size = layout.seats, layout.seat_size
    seated = f", and {seats} seats of {size}" if seats else ""
    lines = [
        f"## {game.title}: `{encoding.name}`",
        "",
        f"{layout.size} numbers: {layout.table_size} about the table and its observer{seated}.",
        ENCODING_NOTES.get(game.name, ""),
        "",
        *_table_rows_of(layout),
    ]
    return [*lines, "", *_seat_rows_of(layout)] if seats else lines


def _rows(sections: list[Section]) -> list[str]:
    rows = ["| entries | section | maximum | meaning |", "| --- | --- | --- | --- |"]
    for section in sections:
        first, last = section.slice.start, section.slice.stop - 1
        entries = f"{first}–{last}" if first < last else str(first)
        distinct = sorted(set(section.maximum))
        maximum = f"{distinct[0]:g}" if len(distinct) == 1 else ", ".join(map(str, section.maximum[:4])) + ", …"
        if section.minimum:
            maximum = f"{section.minimum:g} to {maximum}"
        meaning = section.meaning.removeprefix("the observer's own seat: ")
        rows.append(f"| {entries} | `{section.name}` | {maximum} | {meaning} |")
    return rows


def actions_page() -> str:
    lines = [
        NOTE,
        "",
        "# The actions",
        "",
        "One discrete space of actions serves every phase of a game; `games.legal` says which of them a player may",
        "choose now. Players with nothing to decide pass. The sentences are those of `describe(action)`.",
    ]
    for game in LISTED:
        rows = [f"| {action} | {game.describe(action)} |" for action in range(game.num_actions)]
        lines += ["", f"## {game.title}", "", "| id | meaning |", "| --- | --- |", *rows]
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


def environment_page() -> str:
    """The page as it is, but for the tables between its marks."""
    page = Path(__file__).with_name("environment.md").read_text("utf-8")
    tables = {"shapes": shapes_table, "phases": phases_table, "lengths": lengths_table, "rewards": rewards_table}
    for name, table in tables.items():
        page = filled(page, name, "make docs", table())
    return page


def shapes_table() -> list[str]:
    env = strand_unter_v1.parallel_env()
    seen, mask = (env.observation_space("player_0")[name] for name in ("observation", "action_mask"))
    actions, state = env.action_space("player_0"), env.state_space
    counts = STRAND_UNTER.player_counts
    return [
        "| import | `from strand_env import strand_unter_v1` |",
        "| --- | --- |",
        "| actions | discrete |",
        "| parallel API | yes |",
        f"| agents | `{env.possible_agents}` |",
        f"| number of agents | {len(env.possible_agents)}, or as given: {counts[0]} to {counts[-1]} |",
        f"| action space | `{actions}` |",
        f"| observation shape | `{seen.shape}` {seen.dtype}, and the mask `{mask.shape}` {mask.dtype} |",
        f"| observation values | {seen.low.min():g} to {seen.high.max():g}; the mask 0 or 1 |",
        f"| state shape | `{state.shape}` {state.dtype} |",
        f"| state values | {state.low.min():g} to {state.high.max():g} |",
    ]


PHASE_MEANINGS = {
    "dial": "set the dial in secret",
    "pick": "take a castle from the heap, after a single shell",
    "collect": "choose the shells of a combination",
    "spell": "the shell-spell of those whose combinations collided, in secret",
    "spell_pick": "take a castle from the heap, after the shell-spell",
    "trove": "the consolation: a shell or a castle",
    "build": "build a castle, or pass",
}


def phases_table(num_games: int = 1000) -> list[str]:
    """Who decides and what is legal in each phase, looked up in random games."""
    games = Games(num_games, num_players=4, seed=0)
    legal = np.zeros((len(PHASES), NUM_ACTIONS), np.bool_)
    most = np.zeros(len(PHASES), np.int64)
    for _ in random_play(games):
        phases, to_act = games.state["phase"], games.to_act
        np.maximum.at(most, phases, to_act.sum(1))
        np.logical_or.at(legal, phases, (games.legal * to_act[:, :, None]).any(1))
    rows = ["| phase | decision | who decides | actions |", "| --- | --- | --- | --- |"]
    for number, name in enumerate(PHASES[:-1]):
        who = "all players concerned, at once" if most[number] > 1 else "one player at a time"
        rows.append(f"| `{name}` | {PHASE_MEANINGS[name]} | {who} | {_spans(np.flatnonzero(legal[number]))} |")
    return rows


def lengths_table(num_games: int = 1000) -> list[str]:
    rows = ["| players | steps of the parallel environment | decisions of each player |", "| --- | --- | --- |"]
    for num_players in STRAND_UNTER.player_counts:
        games = Games(num_games, num_players, seed=0)
        steps, decisions = np.zeros(num_games, np.int64), np.zeros((num_games, num_players), np.int64)
        for _ in random_play(games):
            steps += ~games.over
            decisions += games.to_act
        rows.append(f"| {num_players} | {_mean_and_range(steps)} | {_mean_and_range(decisions)} |")
    return rows


def rewards_table() -> list[str]:
    """For a game that player 1 wins by the tie-break."""
    scores, winners = np.array([[9, 20, 20, 14]], np.int8), np.array([[False, True, False, False]])
    rows = ["| `reward` | player_0 | player_1 | player_2 | player_3 |", "| --- | ---: | ---: | ---: | ---: |"]
    for kind in REWARD_KINDS:
        rewards = rewards_of(kind, scores, winners, MOST_POINTS)[0]
        rows.append(f'| `"{kind}"` | ' + " | ".join(f"{reward:.3g}" for reward in rewards) + " |")
    return rows


def random_play(games: Games) -> Iterator[None]:
    """Before each step, until all games are over."""
    for step in count():
        if games.over.all():
            return
        yield
        games.step(games.random_actions(seed=step))


def _spans(numbers: Iterable[int]) -> str:
    """0–3, 56"""
    runs = [list(run) for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{run[0][1]}–{run[-1][1]}" if len(run) > 1 else str(run[0][1]) for run in runs)


def _mean_and_range(numbers: np.ndarray) -> str:
    return f"{numbers.mean():.0f} ({numbers.min()} to {numbers.max()})"


PAGES = {
    "observation.md": observation_page,
    "encodings.md": encodings_page,
    "actions.md": actions_page,
    "environment.md": environment_page,
    "board.svg": board_picture,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
    from PIL import Image

    Image.fromarray(to_pixels(*example())).save(Path(__file__).with_name("board.png"), optimize=True)
    print("wrote docs/board.png")
