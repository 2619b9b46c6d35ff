"""The rules, for one game, in the order of the rulebook.

`step` is the list of the phases. A phase that somebody has to decide in is *offered*: the functions `offer_…` enter
it, carry out the decisions that leave no choice, and tell whether anybody is asked.
"""

import numpy as np

from strand_env.jit import compiled
from strand_env.randomness import below, mixed
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
    NUM_DIAL_POSITIONS,
    PASS,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKEN,
)
from strand_env.strand_unter.legal import (
    ANY_DIAL,
    ANY_SINGLE,
    NOTHING,
    PASS_ONLY,
    THREE_SAME,
    TWO_SAME,
    build_options,
    castle_options,
    collided_combinations,
    combination_options,
    in_spell,
    only_action,
    several,
    trove_options,
)
from strand_env.strand_unter.ruleset import CARDS_PER_VALUE, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.scoring import count_built, score
from strand_env.strand_unter.state import (
    BUILD,
    COLLECT,
    DIAL,
    FLOODED,
    HEAP,
    LAST_GROOVE,
    LAST_ROUND,
    OVER,
    PICK,
    READY,
    SPELL,
    SPELL_PICK,
    TROVE,
    TURN_ROUND,
    UNSET,
)


@compiled
def step(game, rules, actions):
    """Carries out what the players chose, and plays on until somebody has to decide again, or the game is over."""
    phase = game["phase"]
    asked = asked_player(game)
    ask_nobody(game)

    if phase == DIAL:
        reveal_dials(game, actions)
        give_singles(game, game["dials"])
        if offer_castles(game, PICK, game["dials"]):
            return
    elif phase == PICK or phase == SPELL_PICK:
        take_castles(game, actions)
    elif phase == COLLECT:
        take_combination(game, rules, asked, actions[asked])
    elif phase == SPELL:
        reveal_spell(game, actions)
        give_singles(game, game["spell_dials"])
        if offer_castles(game, SPELL_PICK, game["spell_dials"]):
            return
    elif phase == TROVE:
        take_trove(game, asked, actions[asked])
    elif phase == BUILD:
        build_castles(game, actions)

    if phase <= COLLECT:
        position = game["dials"][asked] + 1 if phase == COLLECT else FIRST_COMBINATION
        if offer_combinations(game, rules, position):
            return
        if offer_spell(game):
            return
    if phase <= TROVE:
        if offer_troves(game):
            return
        clear_groove(game)
        if offer_builds(game):
            return
    if is_finished(game):
        finish(game)
    else:
        move_tide(game, rules)
        begin_round(game)


# Set-up


@compiled
def deal(game, rules, seed, players):
    """A new game: shells in the grooves, a card of each value for each player, all castles on the heap."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["players"] = players
    game["bag"][:] = rules["shells"]
    game["buckets"][:] = 0
    game["castles"][:] = HEAP
    game["cards"][:] = 0
    game["scores"][:] = 0
    game["winners"][:] = 0
    game["covered"][:] = 0
    for groove in range(PLAYED_GROOVES):
        draw_shells(game, rules["fill"][groove], game["covered"][groove])
    for value in range(NUM_VALUES):
        deal_cards(game, rules, value)
    game["round"] = 1
    game["groove"] = 1
    game["sea"] = 1
    uncover_groove(game)
    begin_round(game)


@compiled
def deal_cards(game, rules, value):
    """One of the eight cards of a value for each player."""
    deck = np.arange(CARDS_PER_VALUE)
    for player in range(game["players"]):
        drawn = player + below(game, CARDS_PER_VALUE - player)
        deck[player], deck[drawn] = deck[drawn], deck[player]
        game["cards"][player, value] = rules["cards"][value, deck[player]]


@compiled
def draw_shells(game, amount, target):
    """Shells drawn blindly from the bag, or all that it still holds."""
    bag = game["bag"]
    left = bag[0] + bag[1] + bag[2] + bag[3]
    for _ in range(min(amount, left)):
        drawn = below(game, left)
        colour = 0
        while drawn >= bag[colour]:
            drawn -= bag[colour]
            colour += 1
        bag[colour] -= 1
        target[colour] += 1
        left -= 1


@compiled
def begin_round(game):
    """All dials are set anew, by all players at once."""
    game["phase"] = DIAL
    game["dials"][:] = UNSET
    game["spell_dials"][:] = UNSET
    game["owed"][:] = 0
    game["legal"][:] = NOTHING
    for player in range(game["players"]):
        game["legal"][player] = ANY_DIAL


# Whom the game asks


@compiled
def ask_nobody(game):
    for player in range(game["players"]):
        game["legal"][player] = PASS_ONLY


@compiled
def asked_player(game):
    """The first player who has to decide; the only one, where one decides after the other."""
    for player in range(game["players"]):
        if game["legal"][player] != PASS_ONLY:
            return player
    return 0


# Collecting: singles


@compiled
def reveal_dials(game, actions):
    for player in range(game["players"]):
        game["dials"][player] = actions[player]


@compiled
def give_singles(game, dials):
    """A shell for each player whose dial shows its single: of each colour enough for all who want it, or none for any."""
    shells = game["shells"]
    for colour in range(NUM_COLOURS):
        wanted = 0
        for player in range(game["players"]):
            wanted += dials[player] == colour
        if wanted <= shells[colour]:
            shells[colour] -= wanted
            for player in range(game["players"]):
                game["buckets"][player, colour] += dials[player] == colour


@compiled
def offer_castles(game, phase, dials):
    """Each player whose dial shows a single takes a castle, if any is left: `pick`, or `spell_pick` after a spell."""
    asked = False
    for player in range(game["players"]):
        if 0 <= dials[player] < FIRST_COMBINATION:
            castles = game["castles"][player]
            options = castle_options(castles)
            if several(options):
                game["legal"][player] = options
                asked = True
            elif options != NOTHING:
                take_castle(castles, only_action(options))
    if asked:
        game["phase"] = phase
    return asked


@compiled
def take_castles(game, actions):
    for player in range(game["players"]):
        if actions[player] != PASS:
            take_castle(game["castles"][player], actions[player])


@compiled
def take_castle(castles, action):
    castles[action - TAKE_CASTLE] = READY


# Collecting: combinations, from left to right over the dial


@compiled
def setter(game, place):
    """The first player whose dial stands there, or -1."""
    for player in range(game["players"]):
        if game["dials"][player] == place:
            return player
    return -1


@compiled
def offer_combinations(game, rules, position):
    """From this position on: who set one alone must take it, where it is complete; if it is not, a trove is owed."""
    collided = collided_combinations(game["dials"], game["players"])
    for place in range(position, NUM_DIAL_POSITIONS):
        player = setter(game, place)
        if player >= 0 and not collided >> place & 1:
            options = combination_options(rules["combinations"][place - FIRST_COMBINATION], game["shells"])
            if several(options):
                game["legal"][player] = options
                game["phase"] = COLLECT
                return True
            if options != NOTHING:
                take_combination(game, rules, player, only_action(options))
            else:
                game["owed"][player] = 1
    return False


@compiled
def take_combination(game, rules, player, action):
    shells = game["shells"]
    bucket = game["buckets"][player]
    if action < TAKE_PAIR:
        colour = action - TAKE_COLOUR
        kind = rules["combinations"][game["dials"][player] - FIRST_COMBINATION]
        amount = 2 if kind == TWO_SAME else 3 if kind == THREE_SAME else shells[colour]
        shells[colour] -= amount
        bucket[colour] += amount
    else:
        for colour in range(NUM_COLOURS):
            shells[colour] -= TAKEN[action, colour]
            bucket[colour] += TAKEN[action, colour]


# The shell-spell


@compiled
def offer_spell(game):
    """All whose combinations collided set a single shell anew, at once."""
    collided = collided_combinations(game["dials"], game["players"])
    if not collided:
        return False
    for player in range(game["players"]):
        if in_spell(collided, game["dials"][player]):
            game["legal"][player] = ANY_SINGLE
    game["phase"] = SPELL
    return True


@compiled
def reveal_spell(game, actions):
    for player in range(game["players"]):
        if actions[player] != PASS:
            game["spell_dials"][player] = actions[player]


# Consolation troves


@compiled
def offer_troves(game):
    """Those owed one, in dial order: a shell from the groove or an own castle from the heap."""
    for place in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
        for player in range(game["players"]):
            if game["owed"][player] and game["dials"][player] == place:
                options = trove_options(game["shells"], game["castles"][player])
                if several(options):
                    game["legal"][player] = options
                    game["phase"] = TROVE
                    return True
                if options != NOTHING:
                    take_trove(game, player, only_action(options))
                game["owed"][player] = 0
    return False


@compiled
def take_trove(game, player, action):
    if action >= TAKE_CASTLE:
        take_castle(game["castles"][player], action)
    else:
        game["shells"][action - TAKE_COLOUR] -= 1
        game["buckets"][player, action - TAKE_COLOUR] += 1
    game["owed"][player] = 0


# Building


@compiled
def clear_groove(game):
    for colour in range(NUM_COLOURS):
        game["bag"][colour] += game["shells"][colour]
        game["shells"][colour] = 0


@compiled
def offer_builds(game):
    """Each player who can may build one castle, all at once."""
    asked = False
    for player in range(game["players"]):
        options = build_options(game["castles"][player], game["cards"][player], game["buckets"][player])
        if options != NOTHING:
            game["legal"][player] = options | PASS_ONLY
            asked = True
    if asked:
        game["phase"] = BUILD
    return asked


@compiled
def build_castles(game, actions):
    for player in range(game["players"]):
        if actions[player] != PASS:
            value, wild = divmod(actions[player] - BUILD_CASTLE, NUM_COLOURS)
            game["castles"][player, value] = game["groove"]
            for colour in range(NUM_COLOURS):
                paid = game["cards"][player, value, colour] + (colour == wild)
                game["buckets"][player, colour] -= paid
                game["bag"][colour] += paid


# The end of a round


@compiled
def is_finished(game):
    """After the last round, or when anyone has built all four castles."""
    for player in range(game["players"]):
        if count_built(game["castles"][player]) == NUM_VALUES:
            return True
    return game["round"] == LAST_ROUND


@compiled
def finish(game):
    game["phase"] = OVER
    score(game)


@compiled
def move_tide(game, rules):
    """The sea and the sandpiper move; at high tide the sandpiper's new groove is filled again."""
    game["round"] += 1
    if game["round"] <= TURN_ROUND:
        game["sea"] += 1
        game["groove"] += 1
        uncover_groove(game)
    else:
        if game["round"] == TURN_ROUND + 1:
            game["sea"] = last_dry_groove(game)
        else:
            flood(game, game["sea"])
            game["sea"] -= 1
        game["groove"] -= 1
        draw_shells(game, rules["fill"][game["groove"] - 1], game["shells"])


@compiled
def uncover_groove(game):
    row = game["covered"][game["groove"] - 1]
    game["shells"][:] = row
    row[:] = 0


@compiled
def last_dry_groove(game):
    """How far the sea goes back at the turn of the tide: furthest if a castle stands in groove 8, then in 7."""
    outermost = 0
    for player in range(game["players"]):
        for value in range(NUM_VALUES):
            place = game["castles"][player, value]
            if PLAYED_GROOVES - 1 <= place <= PLAYED_GROOVES:
                outermost = max(outermost, place)
    return max(outermost + 3, LAST_GROOVE - 2)


@compiled
def flood(game, groove):
    """The castles standing in the groove are destroyed, for good."""
    for player in range(game["players"]):
        for value in range(NUM_VALUES):
            if game["castles"][player, value] == groove:
                game["castles"][player, value] = FLOODED


# Taking a game up again, and search


@compiled
def reopen(game, rules, asked):
    """Offers the phase that a restored game stands in once more; of a sound game only `legal` is changed."""
    phase = game["phase"]
    ask_nobody(game)
    if phase == DIAL:
        begin_round(game)
    elif phase == PICK:
        offer_castles(game, PICK, game["dials"])
    elif phase == COLLECT:
        offer_combinations(game, rules, max(game["dials"][asked], FIRST_COMBINATION))
    elif phase == SPELL:
        offer_spell(game)
    elif phase == SPELL_PICK:
        offer_castles(game, SPELL_PICK, game["spell_dials"])
    elif phase == TROVE:
        offer_troves(game)
    elif phase == BUILD:
        offer_builds(game)
    elif is_finished(game):
        finish(game)


@compiled
def redeal(game, seed):
    """Mixes all that is out of sight and deals it again; what is hidden later is drawn from a new stream."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    sizes = np.zeros(PLAYED_GROOVES, np.int64)
    for groove in range(PLAYED_GROOVES):
        for colour in range(NUM_COLOURS):
            sizes[groove] += game["covered"][groove, colour]
            game["bag"][colour] += game["covered"][groove, colour]
    game["covered"][:] = 0
    for groove in range(PLAYED_GROOVES):
        draw_shells(game, sizes[groove], game["covered"][groove])
