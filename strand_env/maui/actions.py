"""The phases of the game, and the action space that they share: 50 ids."""

from typing import Any

from strand_env.engine.checks import whole_number
from strand_env.engine.ruleset import checked_ruleset
from strand_env.maui.ruleset import CELLS, MARKET_ROWS, NUM_PATTERNS, PATTERNS, PLACES, PRICES, TOKEN_KINDS, Ruleset

PHASES = ("turn", "umbrella", "token", "over")
TURN, UMBRELLA, TOKEN_PHASE, OVER = range(len(PHASES))

SHIFTS = 5  # tops from two rows nearer to the water to two rows nearer to the trees
NO_SHIFT = SHIFTS // 2

TAKE = 0  # + 5 * market place + (d + 2), where d is the new top less the last towel's
DOLLARS = TAKE + SHIFTS * PLACES  # + zone
SPARE = DOLLARS + MARKET_ROWS  # + market place
STEP = SPARE + PLACES  # + track
TOKEN = STEP + NUM_PATTERNS  # + 3 * kind + cell
PASS = TOKEN + TOKEN_KINDS * CELLS
NUM_ACTIONS = PASS + 1

_SHIFT_WORDS = (
    "two rows nearer to the water than the last one",
    "one row nearer to the water than the last one",
    "level with the last one",
    "one row nearer to the trees than the last one",
    "two rows nearer to the trees than the last one",
)


def describe(action: int, ruleset: Any = None) -> str:
    """A short sentence about an action; the ruleset says which patterns the towel tokens show."""
    whole_number("action", action, 0, NUM_ACTIONS - 1)
    rules = checked_ruleset(ruleset, Ruleset)
    if action < DOLLARS:
        place, shift = divmod(action - TAKE, SHIFTS)
        price = PRICES[place]
        cost = f"for {price} dollar{'s' if price > 1 else ''}" if price else "for nothing"
        return f"Take the towel of market place {place} {cost}, {_SHIFT_WORDS[shift]}."
    if action < SPARE:
        return f"Take the dollars of zone {action - DOLLARS}."
    if action < STEP:
        return f"Take the towel of market place {action - SPARE} as a spare towel."
    if action < TOKEN:
        return f"Move the {PATTERNS[action - STEP]} shell one square."
    if action < PASS:
        kind, cell = divmod(action - TOKEN, CELLS)
        pattern = PATTERNS[rules.token_patterns[kind]]
        return f"Lay a {pattern} token onto cell {cell} of the new towel."
    return "Pass."
