"""Entries of `table` and `seats` that follow from others, written when those change."""

import numpy as np

from strand_env.engine.bits import count
from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.actions import EXTRAS
from strand_env.sea_or_shore.layout import TOPS
from strand_env.sea_or_shore.legal import NOTHING
from strand_env.sea_or_shore.ruleset import (
    ACTIONS,
    COLOUR_SHIFT,
    HIGHEST,
    HIGHEST_VALUE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_STACKS,
    NO_TREASURE,
    NUM_COLOURS,
    PAIRS,
    RANKS,
    VALUE_MASK,
)
from strand_env.sea_or_shore.state import NO_CARD

SHOWS_COLOUR, SHOWS_NUMBER = range(2)


@compiled
def clear(words):
    for word in range(words.shape[0]):
        words[word] = NOTHING


@compiled
def set_phase(game, phase):
    shown = game["table"]["phase"]
    shown[game["phase"]] = 0
    game["phase"] = phase
    shown[phase] = 1


@compiled
def show_treasure(entries, treasure):
    """A treasure's colour, one-hot, and its value; zeros if there is none."""
    for colour in range(NUM_COLOURS):
        entries[colour] = treasure != NO_TREASURE and treasure >> COLOUR_SHIFT == colour
    entries[NUM_COLOURS] = treasure & VALUE_MASK


# The round and the trick


@compiled
def show_rules(game, rules):
    """What stays the same in a game."""
    table = game["table"]
    for number in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        table["players"][number - MIN_PLAYERS] = game["players"] == number
    for pair in range(PAIRS):
        table["sides"][pair] = rules["sides"][pair]
    for player in range(game["players"]):
        game["seats"][player]["present"] = 1


@compiled
def show_trick(game, rules):
    """The number of the trick, and its leader."""
    table, players = game["table"], game["players"]
    table["tricks_left"] = rules["tricks"] - table["trick"]
    table["last_trick"] = rules["tricks"] == table["trick"]
    for player in range(players):
        away = player - game["leader"]
        game["seats"][player]["order"] = away + players if away < 0 else away
        game["seats"][player]["leader"] = away == 0


@compiled
def show_open(game):
    for stack in range(MOST_STACKS):
        show_treasure(game["table"]["open"][stack], game["open"][stack])


@compiled
def open_value(game, colour):
    """The value of the open treasure of a colour; 0 if there is none."""
    value = 0
    for stack in range(MOST_STACKS):
        treasure = np.int64(game["open"][stack])
        value += treasure & VALUE_MASK if treasure >> COLOUR_SHIFT == colour else 0
    return value


@compiled
def is_joined(game, colour):
    """Whether a colour counts as one with the other of its pair."""
    return game["players"] == MIN_PLAYERS and open_value(game, colour) + open_value(game, colour ^ 1) == 0


@compiled
def show_stakes(game, rules):
    """Until the reveal: what each colour brings."""
    table = game["table"]
    for colour in range(NUM_COLOURS):
        value = open_value(game, colour)
        table["stake_treasure"][colour] = value
        table["joined"][colour] = is_joined(game, colour)
        for action in ACTIONS:
            table["stake_action"][colour, action - 1] = value == 0 and rules["action"][colour] == action


@compiled
def hide_stakes(game):
    table = game["table"]
    for colour in range(NUM_COLOURS):
        table["stake_treasure"][colour] = table["joined"][colour] = 0
        for action in range(len(ACTIONS)):
            table["stake_action"][colour, action] = 0


@compiled
def show_remaining(game):
    """After the stacks have been filled or restored."""
    remaining = game["table"]["remaining"]
    for colour in range(NUM_COLOURS):
        for value in range(HIGHEST_VALUE):
            remaining[colour, value] = 0
    for stack in range(MOST_STACKS):
        for place in range(game["num_stacked"][stack]):
            treasure = game["stacks"][stack, place]
            remaining[treasure >> COLOUR_SHIFT, (treasure & VALUE_MASK) - 1] += 1


# Players


@compiled
def show_card(game, rules, player):
    """After a card has been played, raised, revealed or picked up; what is covered is not shown."""
    seat, card, phase = game["seats"][player], np.int64(game["cards"][player]), game["phase"]
    there, revealed = card != NO_CARD, phase > EXTRAS
    for colour in range(NUM_COLOURS):
        seat["colour"][colour] = there and card // RANKS == colour and (revealed or seat["shows"][SHOWS_COLOUR] == 1)
    number = 0
    if there and (revealed or seat["shows"][SHOWS_NUMBER] == 1):
        number = np.int64(rules["number"][card])
    seat["number"] = number
    seat["count"] = min(number + np.int64(seat["added"]), HIGHEST) if number > 0 else 0


@compiled
def show_hand(game, player):
    game["seats"][player]["hand_size"] = count(game["hands"][player])


@compiled
def show_shown(game, player):
    game["seats"][player]["shown_number"] = count(game["shown"][player])


@compiled
def show_pile(game, player):
    """After treasures have come or gone."""
    seat, pile = game["seats"][player], game["treasures"][player]
    size = np.int64(seat["pile_size"])
    worth = 0
    for place in range(size):
        worth += pile[place] & VALUE_MASK
    seat["worth"] = worth
    for top in range(TOPS):
        show_treasure(seat["pile"][top], pile[size - 1 - top] if top < size else NO_TREASURE)


@compiled
def show_revealed(game, rules, player):
    """The last trick."""
    seat, play = game["seats"][player], game["revealed"][player]
    card = np.int64(play["card"])
    there = card != NO_CARD
    for half in range(2):
        seat["last_shows"][half] = there and play["shows"] == half
    for colour in range(NUM_COLOURS):
        seat["last_colour"][colour] = there and card // RANKS == colour
    seat["last_number"] = rules["number"][card] if there else 0
    seat["last_added"] = play["extras"] if there else 0


@compiled
def show_lookers(game):
    for player in range(MAX_PLAYERS):
        for stack in range(MOST_STACKS):
            game["seats"][player]["looker"][stack] = game["looker"][stack] == player


@compiled
def show_tasks(game):
    """Who still has to take or steal, and who has to complete which action."""
    for player in range(game["players"]):
        seat = game["seats"][player]
        seat["to_win"] = 0
        for action in range(len(ACTIONS)):
            seat["to_do"][action] = 0
    for place in range(game["num_wins"]):
        game["seats"][game["wins"][place]["player"]]["to_win"] = 1
    for place in range(game["num_queue"]):
        entry = game["queue"][place]
        game["seats"][entry["player"]]["to_do"][entry["action"] - 1] = 1
