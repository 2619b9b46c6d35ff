"""The rules, for one game, in the order of the rulebook.

`step` is the list of phases. A phase with decisions is *offered*: the functions `offer_…` enter it, carry out decisions
that leave no choice, and return whether any player is asked.

Loops go over all four seats, since the compiler optimises a constant number better. An empty seat never does anything:
its dial is never set, its castles stay on the heap, its action is to pass.
"""

import numpy as np

from strand_env.engine.bits import ONE, lowest, several
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import mixed
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
    PASS,
    TAKE_CASTLE,
    TAKE_COLOUR,
    TAKE_PAIR,
    TAKEN,
)
from strand_env.strand_unter.drawing import deal_cards, draw_shells
from strand_env.strand_unter.legal import (
    NOTHING,
    PASS_ONLY,
    build_options,
    castle_options,
    combination_options,
    in_spell,
    set_combinations,
    shells_of_colour,
    trove_options,
)
from strand_env.strand_unter.ruleset import MAX_PLAYERS, NUM_COLOURS, NUM_VALUES, PLAYED_GROOVES
from strand_env.strand_unter.scoring import count_built, score
from strand_env.strand_unter.state import (
    BUILD,
    COLLECT,
    DIAL,
    FLOODED,
    HEAP,
    LAST_GROOVE,
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
    """Carries out the players' actions and plays on until somebody has to decide again, or the game is over."""
    phase = game["phase"]
    position = FIRST_COMBINATION
    if phase == DIAL:
        reveal_dials(game, actions)
        give_singles(game, game["dials"])
        if offer_castles(game, PICK, game["dials"]):
            return
    elif phase in (PICK, SPELL_PICK):
        take_castles(game, actions)
    elif phase == COLLECT:
        player = asked_player(game)
        take_combination(game, rules, player, np.int64(actions[player]))
        position = game["dials"][player] + 1
    elif phase == SPELL:
        reveal_spell(game, actions)
        give_singles(game, game["spell_dials"])
        if offer_castles(game, SPELL_PICK, game["spell_dials"]):
            return
    elif phase == TROVE:
        player = asked_player(game)
        take_trove(game, player, np.int64(actions[player]))
    elif phase == BUILD:
        build_castles(game, actions)

    if phase <= COLLECT:
        if offer_combinations(game, rules, position):
            return
        if offer_spell(game, rules):
            return
    if phase <= TROVE:
        if offer_troves(game):
            return
        clear_groove(game)
        if offer_builds(game):
            return
    if (phase == BUILD and all_built(game)) or game["round"] == rules["rounds"]:
        finish(game)
    else:
        remember_dials(game)
        move_tide(game, rules)
        begin_round(game, rules)


# Set-up


@compiled
def deal(game, rules, seed, players):
    """A new game: shells in the grooves, a card of each value for each player, all castles in play on the heap."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["players"] = players
    for colour in range(NUM_COLOURS):
        game["bag"][colour] = rules["shells"][colour]
    game["buckets"][:] = 0
    for value in range(NUM_VALUES):
        game["castles"][:, value] = HEAP if rules["castles"][value] else FLOODED
    game["cards"][:] = 0
    game["scores"][:] = 0
    game["winners"][:] = 0
    game["covered"][:] = 0
    game["count_words"][:] = np.uint64(0)
    game["last_dials"][:] = UNSET
    game["last_spell_dials"][:] = UNSET
    for groove in range(PLAYED_GROOVES):
        draw_shells(game, rules["fill"][groove], game["covered"][groove])
    deal_cards(game, rules)
    game["round"] = 1
    game["groove"] = 1
    game["sea"] = 1
    uncover_groove(game)
    begin_round(game, rules)


@compiled
def begin_round(game, rules):
    """All players set their dials at once."""
    game["phase"] = DIAL
    game["dials"][:] = UNSET
    game["spell_dials"][:] = UNSET
    game["owed"][:] = 0
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = rules["dials"] if player < game["players"] else PASS_ONLY


# Asking for decisions


@compiled
def ask_nobody(game):
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = PASS_ONLY


@compiled
def ask_one(game, phase, player, options):
    ask_nobody(game)
    game["legal"][player, 0] = options
    game["phase"] = phase


@compiled
def asked_player(game):
    """The player who has to decide, in phases where players decide one at a time."""
    asked = 0
    for player in range(MAX_PLAYERS):
        asked += player * (game["legal"][player, 0] != PASS_ONLY)
    return asked


# Collecting: singles


@compiled
def reveal_dials(game, actions):
    for player in range(MAX_PLAYERS):
        game["dials"][player] = actions[player] if actions[player] != PASS else UNSET
        if actions[player] != PASS:
            game["counts"][player]["dials_set"][actions[player]] += 1


@compiled
def give_singles(game, dials):
    """Gives a shell to each player whose dial shows a single; if a colour is short, nobody who wants it gets one."""
    shells = game["shells"]
    setters = 0  # of each dial position, four bits each; unset dials count for position 15
    for player in range(MAX_PLAYERS):
        setters += 1 << 4 * (np.int64(dials[player]) & 15)
    served = 0  # the colours with enough shells, one bit each
    for colour in range(NUM_COLOURS):
        wanted = setters >> 4 * colour & 15
        enough = wanted <= shells[colour]
        served |= enough << colour
        shells[colour] -= wanted if enough else 0
    for player in range(MAX_PLAYERS):
        dial = np.int64(dials[player]) & 15
        game["buckets"][player, dial % NUM_COLOURS] += served >> dial & 1


@compiled
def offer_castles(game, phase, dials):
    """Each player whose dial shows a single takes a castle, if any is left: `pick`, or `spell_pick` after a spell."""
    asked = False
    for player in range(MAX_PLAYERS):
        castles = game["castles"][player]
        options = castle_options(castles) if 0 <= dials[player] < FIRST_COMBINATION else NOTHING
        choice = several(options)
        game["legal"][player, 0] = options if choice else PASS_ONLY
        asked |= choice
        if options != NOTHING and not choice:
            take_castle(castles, lowest(options))
    if asked:
        game["phase"] = phase
    return asked


@compiled
def take_castles(game, actions):
    for player in range(MAX_PLAYERS):
        if actions[player] != PASS:
            take_castle(game["castles"][player], np.int64(actions[player]))


@compiled
def take_castle(castles, action):
    castles[action - TAKE_CASTLE] = READY


# Collecting: combinations, from left to right over the dial


@compiled
def offer_combinations(game, rules, position):
    """From this position on: a player alone on a combination takes it if it is complete, otherwise is owed a trove."""
    alone, _ = set_combinations(game["dials"])
    alone = alone >> np.uint64(position) << np.uint64(position)
    while alone != NOTHING:
        place = lowest(alone)
        alone &= alone - ONE
        player = setter(game, place)
        options = combination_options(rules["combinations"][place - FIRST_COMBINATION], game["shells"])
        if several(options):
            ask_one(game, COLLECT, player, options)
            return True
        if options != NOTHING:
            take_combination(game, rules, player, lowest(options))
        else:
            game["owed"][player] = 1
    return False


@compiled
def setter(game, place):
    """The only player with the dial at this position."""
    found = 0
    for player in range(MAX_PLAYERS):
        found += player * (game["dials"][player] == place)
    return found


@compiled
def take_combination(game, rules, player, action):
    shells = game["shells"]
    bucket = game["buckets"][player]
    if action < TAKE_PAIR:
        colour = action - TAKE_COLOUR
        kind = rules["combinations"][game["dials"][player] - FIRST_COMBINATION]
        amount = shells_of_colour(kind, shells[colour])
        shells[colour] -= amount
        bucket[colour] += amount
    else:
        for colour in range(NUM_COLOURS):
            shells[colour] -= TAKEN[action, colour]
            bucket[colour] += TAKEN[action, colour]


# The shell-spell


@compiled
def offer_spell(game, rules):
    """All players whose combinations collided set a single shell instead, at once."""
    _, collided = set_combinations(game["dials"])
    if collided == NOTHING:
        return False
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = rules["spell_dials"] if in_spell(collided, game["dials"][player]) else PASS_ONLY
    game["phase"] = SPELL
    return True


@compiled
def reveal_spell(game, actions):
    for player in range(MAX_PLAYERS):
        if actions[player] != PASS:
            game["spell_dials"][player] = actions[player]
            game["counts"][player]["spell_dials_set"][actions[player]] += 1


# Consolation troves


@compiled
def offer_troves(game):
    """Players owed a trove take it in dial order: a shell from the groove or one of their castles from the heap."""
    owed = NOTHING
    for player in range(MAX_PLAYERS):
        owed |= np.uint64(game["owed"][player]) << np.uint64(max(game["dials"][player], 0))
    while owed != NOTHING:
        player = setter(game, lowest(owed))
        owed &= owed - ONE
        options = trove_options(game["shells"], game["castles"][player])
        if several(options):
            ask_one(game, TROVE, player, options)
            return True
        if options != NOTHING:
            take_trove(game, player, lowest(options))
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
    """Every player who can afford it may build one castle, all at once."""
    asked = False
    for player in range(MAX_PLAYERS):
        options = build_options(game["castles"][player], game["cards"][player], game["buckets"][player])
        game["legal"][player, 0] = options | PASS_ONLY
        asked |= options != NOTHING
    if asked:
        game["phase"] = BUILD
    return asked


@compiled
def build_castles(game, actions):
    for player in range(MAX_PLAYERS):
        if actions[player] != PASS:
            build = actions[player] - BUILD_CASTLE
            value, wild = build // NUM_COLOURS, build % NUM_COLOURS
            game["castles"][player, value] = game["groove"]
            for colour in range(NUM_COLOURS):
                paid = game["cards"][player, value, colour] + (colour == wild)
                game["buckets"][player, colour] -= paid
                game["bag"][colour] += paid


# The end of a round


@compiled
def all_built(game):
    """Whether anyone has built all castles; those that are not in play count as flooded."""
    for player in range(MAX_PLAYERS):
        if count_built(game["castles"][player]) == NUM_VALUES:
            return True
    return False


@compiled
def finish(game):
    game["phase"] = OVER
    ask_nobody(game)
    score(game)


@compiled
def remember_dials(game):
    for player in range(MAX_PLAYERS):
        game["last_dials"][player] = game["dials"][player]
        game["last_spell_dials"][player] = game["spell_dials"][player]


@compiled
def move_tide(game, rules):
    """Moves the sea and the sandpiper; at high tide the sandpiper's new groove is filled again."""
    game["round"] += 1
    if game["round"] <= TURN_ROUND:
        game["sea"] += 1
        game["groove"] += 1
        uncover_groove(game)
    else:
        if game["round"] == TURN_ROUND + 1:
            game["sea"] = last_dry_groove(outermost_castle(game))
        else:
            flood(game, game["sea"])
            game["sea"] -= 1
        game["groove"] -= 1
        draw_shells(game, rules["fill"][game["groove"] - 1], game["shells"][:])


@compiled
def uncover_groove(game):
    for colour in range(NUM_COLOURS):
        game["shells"][colour] = game["covered"][game["groove"] - 1, colour]
        game["covered"][game["groove"] - 1, colour] = 0


@compiled
def last_dry_groove(outermost):
    """How far the sea goes back at the turn of the tide, by the groove of the outermost castle, or 0."""
    return max(outermost + 3, LAST_GROOVE - 2)


@compiled
def outermost_castle(game):
    """The groove nearest the sea that a castle stands in; 0 if there is none."""
    outermost = 0
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            place = game["castles"][player, value]
            outermost = max(outermost, place if place <= LAST_GROOVE else 0)
    return outermost


@compiled
def flood(game, groove):
    """Destroys the castles in a groove, for good."""
    for player in range(MAX_PLAYERS):
        for value in range(NUM_VALUES):
            if game["castles"][player, value] == groove:
                game["castles"][player, value] = FLOODED


# Restoring a game


@compiled
def reopen(game, rules, asked):
    """Offers the phase of a restored game once more; in a consistent game this changes only `legal`."""
    phase = game["phase"]
    ask_nobody(game)
    if phase == DIAL:
        begin_round(game, rules)
    elif phase == PICK:
        offer_castles(game, PICK, game["dials"])
    elif phase == COLLECT:
        offer_combinations(game, rules, max(game["dials"][asked], FIRST_COMBINATION))
    elif phase == SPELL:
        offer_spell(game, rules)
    elif phase == SPELL_PICK:
        offer_castles(game, SPELL_PICK, game["spell_dials"])
    elif phase == TROVE:
        offer_troves(game)
    elif phase == BUILD:
        offer_builds(game)
    elif game["round"] == rules["rounds"] or all_built(game):
        finish(game)
