"""The rules, for one game, in the order of a turn.

`step` carries out a decision and finds the next one. A decision that leaves no choice is carried out at once, so a step
can go on through several turns.
"""

import numpy as np

from strand_env.engine.bits import lowest, several
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below, mixed
from strand_env.maui.actions import DOLLARS, NO_SHIFT, PASS, SHIFTS, SPARE, STEP, TOKEN
from strand_env.maui.drawing import ALL_TOWELS, deal_pieces, draw_towel
from strand_env.maui.legal import (
    NOTHING,
    PASS_ONLY,
    ROW_BITS,
    row_shift,
    token_bit,
    token_options,
    towel_shown,
    turn_options,
    umbrella_options,
)
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB,
    CRAB_VALUES,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_ORNAMENTS,
    NUM_PATTERNS,
    PARTS,
    PATTERN_UMBRELLA,
    PATTERN_UMBRELLAS,
    PEARL,
    PLACES,
    PLACES_PER_ROW,
    ROW_VALUES,
    ROWS,
    SPARE_TOP,
    TOKEN_KINDS,
)
from strand_env.maui.scoring import draw_lowest, score
from strand_env.maui.state import NO_COVER, OVER, TOKEN_COVER, TOKEN_PHASE, TREES, TURN, UMBRELLA, WATER


@compiled
def step(game, rules, actions):
    """Carries out a player's action and plays on until somebody has a choice again, or the game is over."""
    player = asked_player(game)
    action = np.int64(actions[player])
    game["legal"][player, 0] = PASS_ONLY
    while True:
        turn_is_over = carry_out(game, rules, player, action)
        options = NOTHING
        if not turn_is_over:
            options = offer_umbrella(game, rules, player)
            if options == NOTHING:
                game["phase"] = TOKEN_PHASE
                options = token_options(game, rules, player)
        else:
            player = end_turn(game, rules, player)
            if game["phase"] == OVER:
                return
            options = turn_options(game, rules, player)
        if several(options):
            game["legal"][player, 0] = options
            return
        action = lowest(options)


@compiled
def asked_player(game):
    asked = 0
    for player in range(MAX_PLAYERS):
        asked += player * (game["legal"][player, 0] != PASS_ONLY)
    return asked


@compiled
def carry_out(game, rules, player, action):
    """Does what an action says; returns whether the player's turn is over."""
    if action < DOLLARS or SPARE <= action < STEP:
        return take_towel(game, rules, player, action)
    if action < SPARE:
        zone = action - DOLLARS
        game["dollars"][player] += game["zones"][zone]
        game["zones"][zone] = 0
        return True
    if action < TOKEN:
        move_shell(game, rules, player, action - STEP, 1)
        drop_umbrella(game)
        return False
    if action < PASS:
        lay_token(game, rules, player, (action - TOKEN) // CELLS, (action - TOKEN) % CELLS)
        return False
    move_shells(game, rules, player)
    return True


# Set-up


@compiled
def deal(game, rules, seed, players):
    """A new game, with the first part set up."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["players"] = players
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = PASS_ONLY
        game["penalties"][player] = 0
        game["scores"][player] = 0
        game["winners"][player] = 0
    game["shells"][:] = 0
    game["tokens"][:] = 0
    game["pearls"][:] = 0
    for ornament in range(MOST_ORNAMENTS):
        game["supply"][ornament] = rules["supply"][ornament]
    for part in range(PARTS):
        game["num_drawn"][part] = 0
    game["drawn"][:] = 0
    game["fresh"][:] = 0
    game["num_pending"] = 0
    game["pending"][:] = 0
    game["part"] = 1
    set_up_part(game, rules)
    game["first"], game["stream"] = below(game["stream"], players)
    game["legal"][game["first"], 0] = turn_options(game, rules, game["first"])


@compiled
def set_up_part(game, rules):
    """Market, zones, beaches and dollars, as both parts have them at their start."""
    game["phase"] = TURN
    game["round"] = 1
    game["bag"] = ALL_TOWELS
    for place in range(PLACES):
        game["market"][place] = draw_towel(game)
    for zone in range(MARKET_ROWS):
        game["zones"][zone] = 1
    for player in range(MAX_PLAYERS):
        game["crab_points"][player] = 0
        game["dollars"][player] = player < game["players"]
        game["laid"][player] = player < game["players"]
        game["shown"][player, 0] = NOTHING
        game["shown"][player, 1] = NOTHING
        for column in range(COLUMNS + 1):
            set_towel(game["beach"][player, column], 0, 0)
        game["pieces"][player, :] = 0
        if player < game["players"]:
            deal_pieces(game, rules, player)
    for player in range(game["players"]):
        number, top = draw_towel(game), rules["start_top"]
        set_towel(game["beach"][player, 0], number, top)
        game["shown"][player, 0] = towel_shown(number, top)


@compiled
def set_towel(towel, number, top):
    towel["number"] = number
    towel["top"] = top
    for cell in range(CELLS):
        towel["cover"][cell] = NO_COVER


# Taking and laying


@compiled
def take_towel(game, rules, player, action):
    """Pays for a towel, refills the market and lays it; returns whether it is a spare towel, which ends the turn."""
    spare = action >= SPARE
    column = game["laid"][player]
    last_top = np.int64(game["beach"][player, column - 1]["top"])
    place = action - SPARE if spare else action // SHIFTS
    top = SPARE_TOP if spare else last_top + action % SHIFTS - NO_SHIFT
    row = place // PLACES_PER_ROW
    price = 0 if spare else place % PLACES_PER_ROW
    game["dollars"][player] -= price
    game["zones"][row] += price
    number = game["market"][place]
    refill(game, place, row)
    lay(game, player, column, number, top)
    clear_column(game, rules, player, column, top, not spare)
    return spare


@compiled
def refill(game, place, row):
    """The row's other towels close up towards the zone; a new one comes onto the last place."""
    last = PLACES_PER_ROW * row + PLACES_PER_ROW - 1
    for each in range(place, last):
        game["market"][each] = game["market"][each + 1]
    game["market"][last] = draw_towel(game)


@compiled
def lay(game, player, column, number, top):
    """Lays a towel into the next column; each cell outside the beach gets a penalty token."""
    game["laid"][player] = column + 1
    game["shown"][player, 1] = game["shown"][player, 0]
    game["shown"][player, 0] = towel_shown(number, top)
    towel = game["beach"][player, column]
    set_towel(towel, number, top)
    for cell in range(CELLS):
        if top + cell < 1:
            towel["cover"][cell] = WATER
        elif top + cell > ROWS:
            towel["cover"][cell] = TREES
    game["penalties"][player] += max(1 - top, 0) + max(top + CELLS - 1 - ROWS, 0)


@compiled
def clear_column(game, rules, player, column, top, effective):
    """All pieces leave a column. Those that the towel covers take effect, unless it is a spare towel."""
    side = rules["side"][game["part"] - 1]
    towel = game["beach"][player, column]
    for place in range(rules["first_in"][side, column], rules["first_in"][side, column + 1]):
        spot = rules["by_column"][side, place]
        row = rules["spot_row"][side, spot]
        piece = game["pieces"][player, spot]
        if effective and top <= row < top + CELLS:
            if piece >= CRAB:
                value = piece - CRAB + CRAB_VALUES[0]
                towel["cover"][row - top] = value
                game["crab_points"][player] += value
                game["shown"][player, 0] &= ~(ROW_BITS << row_shift(row))
            elif piece >= PATTERN_UMBRELLA:
                game["pending"][game["num_pending"]] = piece - PATTERN_UMBRELLA
                game["num_pending"] += 1
            else:
                game["pearls"][player, piece - PEARL] += 1


# Umbrellas


@compiled
def offer_umbrella(game, rules, player):
    """The choice that the first umbrella gives that can move a shell; none if there is no such umbrella."""
    while game["num_pending"] > 0:
        options = umbrella_options(game, rules, player, game["pending"][0])
        if options != NOTHING:
            game["phase"] = UMBRELLA
            return options
        drop_umbrella(game)
    return NOTHING


@compiled
def drop_umbrella(game):
    game["num_pending"] -= 1
    for index in range(PATTERN_UMBRELLAS - 1):
        game["pending"][index] = game["pending"][index + 1]
    game["pending"][PATTERN_UMBRELLAS - 1] = 0


# Tokens


@compiled
def lay_token(game, rules, player, kind, cell):
    """Lays a towel token onto a cell of the new towel."""
    towel = game["beach"][player, game["laid"][player] - 1]
    towel["cover"][cell] = TOKEN_COVER - kind
    game["tokens"][player, kind] -= 1
    shift = row_shift(towel["top"] + cell)
    game["shown"][player, 0] = game["shown"][player, 0] & ~(ROW_BITS << shift) | token_bit(rules, kind) << shift


# Shells


@compiled
def move_shells(game, rules, player):
    """For each row in which the new towel matches the one before it, moves the pattern's shell by the row's value."""
    top = np.int64(game["beach"][player, game["laid"][player] - 1]["top"])
    matches = (game["shown"][player, 0] & game["shown"][player, 1]) >> row_shift(top)
    for cell in range(CELLS):
        pattern_bit = matches >> np.uint64(NUM_PATTERNS * cell) & ROW_BITS
        if pattern_bit != NOTHING:
            move_shell(game, rules, player, lowest(pattern_bit), ROW_VALUES[top + cell - 1])


@compiled
def move_shell(game, rules, player, track, squares):
    """Moves a shell forward, at most to the last square; each ornament square on the way gives a token."""
    start = np.int64(game["shells"][player, track])
    end = min(start + squares, np.int64(rules["last"][track]))
    game["shells"][player, track] = end
    passed = np.uint64(rules["ahead"][track, start] & ~rules["ahead"][track, end])
    while passed != NOTHING:
        ornament = lowest(passed)
        passed &= passed - np.uint64(1)
        if game["supply"][ornament] > 0:
            game["supply"][ornament] -= 1
            kind = rules["ornament_kind"][ornament]
            game["tokens"][player, kind] += 1
            game["fresh"][kind] += 1


# The end of a turn


@compiled
def end_turn(game, rules, player):
    """Ends a turn, and with it perhaps the round, the part or the game; returns the next player."""
    game["phase"] = TURN
    for kind in range(TOKEN_KINDS):
        game["fresh"][kind] = 0
    player = player + 1 if player + 1 < game["players"] else 0
    if player == game["first"]:
        if not anyone_done(game):
            game["round"] += 1
        elif game["part"] < rules["parts"]:
            player = draw_lowest(game, rules)
            game["first"] = player
            game["part"] += 1
            set_up_part(game, rules)
        else:
            finish(game, rules)
    return player


@compiled
def anyone_done(game):
    """Whether anyone has laid a towel into the last column."""
    for player in range(MAX_PLAYERS):
        if game["laid"][player] > COLUMNS:
            return True
    return False


@compiled
def finish(game, rules):
    game["phase"] = OVER
    score(game, rules)


# Restoring a game


@compiled
def reopen(game, rules, asked):
    """Computes `legal` and `shown` for a restored game; in a consistent one this changes nothing else."""
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = PASS_ONLY
        for back in range(2):
            column = game["laid"][player] - 1 - back
            game["shown"][player, back] = shown_by(game["beach"][player, column], rules) if column >= 0 else NOTHING
    options = NOTHING
    if game["phase"] == TURN:
        options = turn_options(game, rules, asked)
    elif game["phase"] == UMBRELLA:
        options = umbrella_options(game, rules, asked, game["pending"][0])
    elif game["phase"] == TOKEN_PHASE:
        options = token_options(game, rules, asked)
    else:
        finish(game, rules)
    if several(options):
        game["legal"][asked, 0] = options


@compiled
def shown_by(towel, rules):
    """What the active cells of a towel show."""
    shown = towel_shown(towel["number"], towel["top"])
    for cell in range(CELLS):
        cover = towel["cover"][cell]
        shift = row_shift(towel["top"] + cell)
        if cover != NO_COVER:
            shown &= ~(ROW_BITS << shift)
        if cover <= TOKEN_COVER:
            shown |= token_bit(rules, TOKEN_COVER - cover) << shift
    return shown
