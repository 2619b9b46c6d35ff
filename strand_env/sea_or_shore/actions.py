"""The phases of the game, and the action space that they share: 123 ids."""

from itertools import permutations
from typing import Any

from strand_env.engine.checks import whole_number
from strand_env.engine.ruleset import checked_ruleset
from strand_env.sea_or_shore.ruleset import (
    COLOURS,
    LOOKED_AT,
    MAX_PLAYERS,
    MOST_ADDED,
    MOST_STACKS,
    NUM_CARDS,
    RANKS,
    Ruleset,
)

PHASES = (
    *("gift", "card", "extras", "treasure", "target", "give", "stack", "order", "pick", "discard"),
    "over",
)
GIFT, CARD, EXTRAS, TREASURE, TARGET, GIVE, STACK, ORDER, PICK, DISCARD, OVER = range(len(PHASES))

ORDERS = tuple(permutations(range(LOOKED_AT)))  # the old places, top first

SHOW_COLOUR = 0  # + card: play it, its colour showing; or give or discard it
SHOW_NUMBER = SHOW_COLOUR + NUM_CARDS  # + card
ADD = SHOW_NUMBER + NUM_CARDS  # + extras
SEAT = ADD + MOST_ADDED + 1  # + seat, counted from the player who acts
TAKE = SEAT + MAX_PLAYERS
CHOOSE_STACK = TAKE + 1  # + stack
ARRANGE = CHOOSE_STACK + MOST_STACKS  # + index in ORDERS
PASS = ARRANGE + len(ORDERS)
NUM_ACTIONS = PASS + 1


def card_name(card: int, ruleset: Ruleset) -> str:
    """Colour and number of a card, such as "blue 7"."""
    colour, rank = divmod(card, RANKS)
    return f"{COLOURS[colour]} {ruleset.islands[colour][rank]}"


def describe(action: int, ruleset: Any = None) -> str:
    """A short sentence about an action; the ruleset has the numbers of the cards."""
    whole_number("action", action, 0, NUM_ACTIONS - 1)
    ruleset = checked_ruleset(ruleset, Ruleset)
    if action < SHOW_NUMBER:
        return f"Choose {card_name(action - SHOW_COLOUR, ruleset)}; if played, its colour shows."
    if action < ADD:
        return f"Play {card_name(action - SHOW_NUMBER, ruleset)}, its number showing."
    if action < SEAT:
        number = action - ADD
        return f"Add {number} extra{'s' if number != 1 else ''}."
    if action < TAKE:
        number = action - SEAT
        if number == 0:
            return "Choose yourself."
        return f"Choose the {('next', 'second', 'third', 'fourth')[number - 1]} player to the left."
    if action == TAKE:
        return "Take the open treasure."
    if action < ARRANGE:
        return f"Look at stack {action - CHOOSE_STACK}."
    if action < PASS:
        order = ", ".join(("first", "second", "third")[old] for old in ORDERS[action - ARRANGE])
        return f"Put the three treasures back in the order {order}."
    return "Pass."
