"""The estimated value of each action, roughly in points: the ideas that all heuristics share.

- A step is worth the points of its square, a token received there, and what the next steps will bring (`tracks.py`).
- A top is worth the pearls and umbrellas that it covers, less crabs and penalty tokens (`beach.py`).
- A towel is worth its matches, with the best use of umbrellas and tokens (`laying.py`), and what it leaves possible:
  the best towel of the market in the next turn, or one from the bag, and the rows and pieces after that
  (`prospects.py`).
- A towel of the market may be gone by then: the others take what brings them most (`others.py`).
- A dollar is worth a point in the end, and before that what it can buy; taking dollars costs a turn (`standing.py`).

Weights set how much each idea counts (`weights.py`).
"""

import numpy as np

from strand_env.agents.choosing import NEVER
from strand_env.agents.maui.beach import AHEAD, COLUMN_DTYPE, MARGIN, rate_pearls, survey
from strand_env.agents.maui.laying import rate_laid
from strand_env.agents.maui.others import expect_others, patterns_in
from strand_env.agents.maui.prospects import OFFERS, PATTERN_AT, count_bag
from strand_env.agents.maui.standing import in_first_part, lead_of, rate_dollars, turns_left
from strand_env.agents.maui.tracks import MOST_STEPS, rate_steps
from strand_env.engine.bits import has
from strand_env.engine.jit import Kernel, compiled
from strand_env.maui.actions import DOLLARS, NO_SHIFT, NUM_ACTIONS, PASS, SHIFTS, SPARE, STEP, TOKEN, TURN
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    COMBINED,
    CRABS,
    LOWEST_TOP,
    MIN_PLAYERS,
    MOST_DOLLARS,
    NUM_PATTERNS,
    PATTERN_UMBRELLAS,
    PEARL_COLOURS,
    PLACES,
    PRICES,
    ROWS,
    SPARE_TOP,
    TOKEN_KINDS,
)
from strand_env.maui.seats import towel_at

ENOUGH = 4  # turns in which dollars and a good row can be used
NOTHING = -1  # in place of a pattern or a market place

# Working memory
ROOM_DTYPE = np.dtype(
    [
        # For the position
        ("worth", np.float32, (NUM_PATTERNS, MOST_STEPS + 1)),  # value of that many steps on a track
        ("purse", np.float32, (2, MOST_DOLLARS + 1)),  # value of that many dollars in the last turn, and before it
        ("pearls", np.float32, (PEARL_COLOURS,)),  # value of one more
        ("columns", COLUMN_DTYPE, (AHEAD,)),  # from the one that the next towel goes to
        ("often", np.float32, (CELLS, NUM_PATTERNS)),  # share of the bag's towels with a pattern in a cell
        ("players", np.int64),
        ("stays", np.float32, (PLACES,)),  # probability that a towel of the market stays until the next turn
        ("values", np.float32, (PLACES + 1,)),  # of the market's towels for another player
        # After the action that is rated
        ("top", np.int64),  # of the last towel
        ("cells", np.int64, (CELLS,)),  # the patterns that it shows
        ("before", np.int64, (CELLS,)),  # what the towel before it shows in the same rows
        ("needs_match", np.int64),  # 1 if these have to match
        ("free", np.int64),  # the cells that can take a token, a bit for each
        ("tokens", np.int64),  # the kinds of tokens that can be laid, a bit for each
        ("umbrellas", np.int64),  # the pattern umbrellas yet to be used, a bit for each
        ("moved", np.int64, (NUM_PATTERNS,)),  # steps made by those used
        ("dollars", np.int64),  # held
        ("taken", np.int64),  # the market place that is filled last, or NOTHING
        ("next", np.int64),  # index of the column that the next towel goes to
        ("left", np.int64),  # turns after this one
        ("share", np.float32),  # of a whole game that these are
        ("settled", np.float32),  # from 0 in the last turn to 1 when there is time to use what is prepared
        # While it is rated
        ("showing", np.int64, (CELLS,)),  # `cells` with tokens
        ("active", np.int64, (CELLS,)),  # those that can be matched in the next column
        ("steps", np.int64, (NUM_PATTERNS,)),  # made on each track
        ("gains", np.float32, (CELLS,)),  # value of a match in each cell
        ("shifts", np.int64, (CELLS,)),  # by which another towel matches in each cell
        ("offers", np.float32, (OFFERS,)),  # values of the best that the next turn may offer, in descending order
        ("likely", np.float32, (OFFERS,)),  # probability of each
    ],
    align=True,
)


@compiled
def rate(table, seats, legal, first, last, rulesets, weights, room, ratings):
    """Rates the actions from `first` to before `last` for the player in seats[0]; `NEVER` if illegal.

    `rulesets` has the numbers of the rules for each variant (`numbers.py`).
    """
    rules = rulesets[table["variant"][CRABS] * CRABS + table["variant"][COMBINED] * COMBINED]
    look(table, seats, rules, weights, room)
    held = room["purse"][1, seats[0]["dollars"]]
    for action in range(first, last):
        ratings[action] = NEVER
        if has(legal, action):
            at_once = imagine(table, seats, rules, action, weights, room)
            ratings[action] = at_once + rate_laid(table, rules, weights, room) - held


@compiled
def look(table, seats, rules, weights, room):
    """Fills in what is the same for all actions."""
    own = seats[0]
    at_turn = table["phase"][TURN]
    count_turns(table, seats, own["laid"] + at_turn, room)
    rate_steps(table, own, rules, weights, room)
    rate_dollars(table, weights, room["settled"], room["purse"])
    rate_pearls(own, weights, room["pearls"])
    survey(table, own, rules, room)
    if weights["next"] != 0:
        room["players"] = MIN_PLAYERS + table["players"][1] + 2 * table["players"][2]
        count_bag(table, room["often"])
        expect_others(table, seats, rules, weights, room)


@compiled
def count_turns(table, seats, laid, room):
    """Fills in how many turns are left when a player has laid that many towels."""
    room["left"] = turns_left(seats, laid)
    in_all = room["left"] + COLUMNS * in_first_part(table)
    room["share"] = min(np.float32(in_all) / COLUMNS, np.float32(1))
    room["settled"] = min(np.float32(room["left"]) / ENOUGH, np.float32(1))


@compiled
def imagine(table, seats, rules, action, weights, room):
    """Fills in the position after an action; returns what it brings besides steps and dollars."""
    own = seats[0]
    at_turn = table["phase"][TURN]
    top = np.int64(own["top"]) + LOWEST_TOP
    room["top"], room["needs_match"], room["taken"] = top, 1, NOTHING
    room["next"] = 0
    room["dollars"], room["umbrellas"], room["tokens"] = own["dollars"], 0, 0
    for track in range(NUM_PATTERNS):
        room["moved"][track] = 0
    for kind in range(TOKEN_KINDS):
        room["tokens"] |= (own["tokens"][kind] > table["fresh"][kind]) << kind
    if at_turn:
        return imagine_turn(table, seats, rules, action, weights, room)
    return imagine_rest(table, own, rules, action, weights, room)


@compiled
def imagine_turn(table, seats, rules, action, weights, room):
    """The same in phase `turn`."""
    own = seats[0]
    takes_dollars = DOLLARS <= action < SPARE
    count_turns(table, seats, own["laid"] + (not takes_dollars), room)
    if takes_dollars:
        room["needs_match"], room["tokens"] = 0, 0
        room["dollars"] += table["zones"][action - DOLLARS]
        patterns_in(own["last"], room["top"], room["cells"])
        forget_before(room)
        return -weights["tempo"] - (weights["race"] * lead_of(seats, rules) if weights["race"] != 0 else np.float32(0))
    room["next"] = 1
    if action >= SPARE:
        room["needs_match"], room["tokens"] = 0, 0
        room["top"], room["taken"] = SPARE_TOP, action - SPARE
        show_towel(towel_at(table, room["taken"]), 0, room)
        forget_before(room)
        return np.float32(0)
    room["top"] += action % SHIFTS - NO_SHIFT
    room["taken"] = action // SHIFTS
    room["dollars"] -= PRICES[room["taken"]]
    column = room["columns"][0]
    room["umbrellas"] = column["umbrellas"][room["top"] + MARGIN]
    show_towel(towel_at(table, room["taken"]), column["crabs"], room)
    patterns_in(own["last"], room["top"], room["before"])
    return column["now"][room["top"] + MARGIN]


@compiled
def imagine_rest(table, own, rules, action, weights, room):
    """The same in phases `umbrella` and `token`: the new towel lies already."""
    patterns_in(own["last"], room["top"], room["cells"])
    patterns_in(table["before"], room["top"], room["before"])
    room["free"] = 0
    for cell in range(CELLS):
        untouched = room["cells"][cell] == PATTERN_AT[own["number"], cell]
        room["free"] |= untouched << cell
    for number in range(PATTERN_UMBRELLAS):
        later = table["pending"][number] == 2 or (table["pending"][number] == 1 and action >= TOKEN)
        room["umbrellas"] |= later << number
    if action < TOKEN:
        room["moved"][action - STEP] = 1
    elif action < PASS:
        kind, cell = (action - TOKEN) // CELLS, (action - TOKEN) % CELLS
        room["cells"][cell] = rules["token_pattern"][kind]
        room["free"] &= ~(1 << cell)
        if own["tokens"][kind] - table["fresh"][kind] == 1:
            room["tokens"] &= ~(1 << kind)
        return -weights["lay"] if room["left"] > 0 else np.float32(0)
    else:
        room["tokens"] = 0
    return np.float32(0)


@compiled
def show_towel(number, crabs, room):
    """Fills in what a towel from the market shows: nothing outside the beach or under a crab."""
    room["free"] = 0
    for cell in range(CELLS):
        row = room["top"] + cell
        shows = 1 <= row <= ROWS and not crabs >> row & 1
        room["cells"][cell] = PATTERN_AT[number, cell] if shows else NOTHING
        room["free"] |= shows << cell


@compiled
def forget_before(room):
    for cell in range(CELLS):
        room["before"][cell] = NOTHING


@Kernel
def rate_rows(start, stop, tables, seats, masks, rulesets, weights, room, ratings):
    """Rates all actions, into (rows, actions) ratings."""
    for row in range(start, stop):
        legal = np.uint64(0)
        for action in range(NUM_ACTIONS):
            legal |= np.uint64(masks[row, action] != 0) << np.uint64(action)
        rate(tables[row], seats[row], legal, 0, NUM_ACTIONS, rulesets, weights[0], room[0], ratings[row])
