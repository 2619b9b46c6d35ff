"""Restoring a game from a snapshot, or after a redeal: what follows from its other fields."""

from strand_env.engine.bits import count, several
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import (
    CARD,
    DISCARD,
    EXTRAS,
    GIFT,
    GIVE,
    ORDER,
    OVER,
    PICK,
    STACK,
    TARGET,
    TREASURE,
)
from strand_env.sea_or_shore.legal import (
    ANY_ORDER,
    ANY_STACK,
    FIRST_SEATS,
    NOTHING,
    give_options,
    other_options,
    rich_options,
    treasure_options,
)
from strand_env.sea_or_shore.phases import ask, ask_card, ask_gifts, ask_nobody, extras_options, finish
from strand_env.sea_or_shore.ruleset import MAX_PLAYERS, MOST_STACKS, ROUNDS
from strand_env.sea_or_shore.showing import (
    set_phase,
    show_card,
    show_hand,
    show_lookers,
    show_open,
    show_pile,
    show_remaining,
    show_revealed,
    show_rules,
    show_shown,
    show_stakes,
    show_tasks,
    show_trick,
)


@compiled
def reopen(game, rules, asked):
    """Computes `legal` and all that follows from other fields; in a consistent game nothing else changes."""
    show_everything(game, rules)
    offer(game, asked)
    if game["phase"] == OVER:
        finish(game)


@compiled
def offer(game, asked):
    """Makes legal what is legal in this phase for the player who is asked."""
    for player in range(MAX_PLAYERS):
        ask_nobody(game, player)
    phase, hand = game["phase"], game["hands"][asked]
    if phase == GIFT:
        ask_gifts(game)
    elif phase == CARD:
        ask_card(game, asked)
    elif phase == EXTRAS:
        ask_if_several(game, asked, EXTRAS, NOTHING, extras_options(game, asked))
    elif phase == TREASURE:
        ask_if_several(game, asked, phase, NOTHING, treasure_options(game, asked, game["wins"][0]["colour"]))
    elif phase == TARGET:
        options = other_options(game) if game["queue"][0]["action"] == 2 else rich_options(game, asked)
        ask_if_several(game, asked, phase, NOTHING, options)
    elif phase == GIVE:
        ask_if_several(game, asked, phase, give_options(game, asked), NOTHING)
    elif phase == STACK:
        ask(game, asked, phase, NOTHING, ANY_STACK)
    elif phase == ORDER:
        ask(game, asked, phase, NOTHING, ANY_ORDER)
    elif phase == PICK:
        ask(game, asked, phase, NOTHING, FIRST_SEATS[game["players"]])
    elif phase == DISCARD:
        ask_if_several(game, asked, phase, hand, NOTHING)


@compiled
def ask_if_several(game, player, phase, first, second):
    if several(first | second):
        ask(game, player, phase, first, second)


@compiled
def show_everything(game, rules):
    set_phase(game, game["phase"])
    show_rules(game, rules)
    show_trick(game, rules)
    show_open(game)
    if game["phase"] <= EXTRAS:
        show_stakes(game, rules)
    show_remaining(game)
    show_lookers(game)
    show_tasks(game)
    table = game["table"]
    table["played"] = 0
    table["taken_number"] = count(game["taken"])
    for stack in range(MOST_STACKS):
        table["stack"][stack] = game["stack"] == stack
    for player in range(game["players"]):
        seat = game["seats"][player]
        table["played"] += seat["played"]
        seat["target"] = game["target"] == player
        seat["points"] = min(game["points"][0, player], 255) if table["round"] == ROUNDS else 0
        show_card(game, rules, player)
        show_hand(game, player)
        show_shown(game, player)
        show_pile(game, player)
        show_revealed(game, rules, player)
