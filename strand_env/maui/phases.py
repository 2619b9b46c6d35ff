"""The rules, for one game, in the order of a turn.

`step` carries out a decision and finds the next one. A decision that leaves no choice is carried out at once, so a step
can go on through several turns.
"""

import numpy as np

from strand_env.engine.bits import lowest, several
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import below, mixed
from strand_env.maui.actions import (
    DOLLARS,
    NO_SHIFT,
    OVER,
    PASS,
    SHIFTS,
    SPARE,
    STEP,
    TOKEN,
    TOKEN_PHASE,
    TURN,
    UMBRELLA,
)
from strand_env.maui.drawing import ALL_TOWELS, deal_pieces, draw_towel
from strand_env.maui.legal import (
    NOTHING,
    NUMBER,
    PASS_ONLY,
    SHOWN,
    rise_of,
    shown_before,
    token_options,
    top_of,
    turn_options,
    umbrella_options,
)
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    CRAB,
    CRAB_VALUES,
    LOWEST_TOP,
    MARKET_ROWS,
    MAX_PLAYERS,
    MOST_ORNAMENTS,
    MOST_ROUNDS,
    NO_SPOT,
    NUM_PATTERNS,
    PARTS,
    PATTERN_UMBRELLA,
    PATTERN_UMBRELLAS,
    PEARL,
    PEARL_COLOURS,
    PLACES,
    PLACES_PER_ROW,
    ROW_VALUES,
    ROWS,
    SPARE_TOP,
    TOKEN_KINDS,
)
from strand_env.maui.scoring import draw_lowest, score
from strand_env.maui.showing import (
    hide_question,
    set_market,
    show_bag,
    show_end,
    show_last,
    show_pieces,
    show_players,
    show_question,
    show_shell,
)
from strand_env.maui.state import NO_COVER, NOT_ACTIVE, TOKEN_COVER, TREES, WATER


@compiled
def step(game, rules, actions):
    """Carries out a player's action and plays on until somebody has a choice again, or the game is over."""
    player = asked_player(game)
    action = np.int64(actions[player])
    game["legal"][player, 0] = PASS_ONLY
    hide_question(game, player)
    options = NOTHING
    while True:
        player, action = player & 3, action & 63  # which tells the compiler that they are not negative
        turn_is_over = carry_out(game, rules, player, action)
        if not turn_is_over:
            options = PASS_ONLY if action == PASS else choices_left(game, rules, player)
            if options == PASS_ONLY:
                move_shells(game, rules, player)
                turn_is_over = True
        if turn_is_over:
            player = end_turn(game, rules, player)
            if game["phase"] == OVER:
                return
            options = turn_options(game, rules, player)
        if several(options):
            break
        action = lowest(options)
    ask(game, player, options)


@compiled
def asked_player(game):
    asked = 0
    for player in range(MAX_PLAYERS):
        asked |= player * (game["legal"][player, 0] != PASS_ONLY)
    return asked


@compiled
def ask(game, player, options):
    game["legal"][player, 0] = options
    show_question(game, player)


@compiled
def carry_out(game, rules, player, action):
    """Does what an action says; returns whether the player's turn is over."""
    if action < DOLLARS or SPARE <= action < STEP:
        return take_towel(game, rules, player, action)
    if action < SPARE:
        table, zone = game["table"], action - DOLLARS
        game["seats"][player]["dollars"] += table["zones"][zone]
        table["zones"][zone] = 0
        return True
    if action < TOKEN:
        move_shell(game, rules, player, action - STEP, 1)
        drop_umbrella(game)
    elif action < PASS:
        lay_token(game, rules, player, (action - TOKEN) // CELLS, (action - TOKEN) % CELLS)
    return False


@compiled
def choices_left(game, rules, player):
    """What a player who has laid a towel has still to decide: about an umbrella, then about tokens."""
    while game["num_pending"] > 0:
        options = umbrella_options(game, rules, player, game["pending"][0])
        if options != NOTHING:
            game["phase"] = UMBRELLA
            return options
        drop_umbrella(game)
    game["phase"] = TOKEN_PHASE
    return token_options(game, rules, player)


# Set-up


@compiled
def deal(game, rules, seed, players):
    """A new game, with the first part set up."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["players"] = players
    table = game["table"]
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = PASS_ONLY
        game["scores"][player] = 0
        game["winners"][player] = 0
        for word in range(game["seat_words"].shape[1]):
            game["seat_words"][player, word] = NOTHING
        if player < players:
            for track in range(NUM_PATTERNS):
                show_shell(game, rules, player, track)
    for ornament in range(MOST_ORNAMENTS):
        table["supply"][ornament] = rules["supply"][ornament]
    for kind in range(TOKEN_KINDS):
        table["fresh"][kind] = 0
    for part in range(PARTS):
        game["num_drawn"][part] = 0
    game["drawn"][:] = 0
    game["num_pending"] = 0
    game["pending"][:] = 0
    table["part"] = 1
    game["first"], game["stream"] = below(game["stream"], players)
    set_up_part(game, rules)
    ask(game, game["first"], turn_options(game, rules, game["first"]))


@compiled
def set_up_part(game, rules):
    """Market, zones, beaches and dollars, as both parts have them at their start."""
    table = game["table"]
    game["phase"] = TURN
    table["round"] = 1
    table["columns_left"] = COLUMNS
    game["bag"] = ALL_TOWELS
    show_bag(game)
    show_players(game, rules)
    for place in range(PLACES):
        set_market(game, place, draw_towel(game))
    for zone in range(MARKET_ROWS):
        table["zones"][zone] = 1
    for player in range(MAX_PLAYERS):
        for cell in range(CELLS):
            game["shown"][player, 0, cell] = NOT_ACTIVE
            game["shown"][player, 1, cell] = NOT_ACTIVE
        for column in range(COLUMNS + 1):
            set_towel(game["beach"][player, column], 0, 0)
        for word in range(game["piece_words"].shape[1]):
            game["piece_words"][player, word] = NOTHING
        if player < game["players"]:
            deal_pieces(game, rules, player)
    for player in range(game["players"]):
        seat = game["seats"][player]
        seat["crab_points"] = 0
        seat["dollars"] = 1
        lay(game, rules, player, 0, draw_towel(game), np.int64(rules["start_top"]))
        show_last(game, player)


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
    seat = game["seats"][player]
    place = action - SPARE if spare else action // SHIFTS
    top = np.int64(SPARE_TOP) if spare else top_of(seat) + action % SHIFTS - NO_SHIFT
    row = place // PLACES_PER_ROW
    price = 0 if spare else place % PLACES_PER_ROW
    seat["dollars"] -= price
    game["table"]["zones"][row] += price
    column = np.int64(seat["laid"])
    number = take_from_market(game, row, place % PLACES_PER_ROW)
    lay(game, rules, player, column, number, top)
    if not spare:
        cover_pieces(game, rules, player, column, top)
    show_last(game, player)
    return spare


@compiled
def take_from_market(game, row, place):
    """The row's other towels close up towards the zone; a new one comes onto the last place."""
    market, first = game["table"]["market"], PLACES_PER_ROW * row
    number = market[first + place, NUMBER]
    for each in range(PLACES_PER_ROW - 1):
        set_market(game, first + each, market[first + each + (each >= place), NUMBER])
    set_market(game, first + PLACES_PER_ROW - 1, draw_towel(game))
    return number


@compiled
def lay(game, rules, player, column, number, top):
    """Lays a towel into a column, which all pieces leave; each cell outside the beach gets a penalty token."""
    seat, towel = game["seats"][player], game["beach"][player, column]
    seat["laid"] = column + 1
    seat["top"] = top - LOWEST_TOP
    seat["number"] = number
    seat["penalties"] += max(1 - top, 0) + max(top + CELLS - 1 - ROWS, 0)
    towel["number"] = number
    towel["top"] = top
    shown = game["shown"][player]
    for cell in range(CELLS):
        cover = WATER if top + cell < 1 else TREES if top + cell > ROWS else NO_COVER
        towel["cover"][cell] = cover
        shown[1, cell] = shown[0, cell]
        shown[0, cell] = SHOWN[number, cell] if cover == NO_COVER else NOT_ACTIVE
    show_pieces(game, rules, player)


@compiled
def cover_pieces(game, rules, player, column, top):
    """The pieces that a new towel covers take effect."""
    seat, towel = game["seats"][player], game["beach"][player, column]
    side = rules["side"][game["table"]["part"] - 1]
    spot = rules["first_spot"][side, column]
    while True:
        piece = game["pieces"][player, spot]
        cell = rules["spot_row"][side, spot] - top
        covered = 0 <= cell < CELLS
        if piece >= CRAB and covered:
            value = piece - CRAB + CRAB_VALUES[0]
            towel["cover"][cell] = value
            seat["crab_points"] += value
            game["shown"][player, 0, cell] = NOT_ACTIVE
        elif piece >= PATTERN_UMBRELLA and covered:
            game["pending"][game["num_pending"]] = piece - PATTERN_UMBRELLA
            game["num_pending"] += 1
        for colour in range(PEARL_COLOURS):
            seat["pearls"][colour] += covered and piece == PEARL + colour
        spot = rules["next_spot"][side, spot]
        if spot == NO_SPOT:
            break


# Umbrellas and tokens


@compiled
def drop_umbrella(game):
    game["num_pending"] -= 1
    for index in range(PATTERN_UMBRELLAS - 1):
        game["pending"][index] = game["pending"][index + 1]
    game["pending"][PATTERN_UMBRELLAS - 1] = 0


@compiled
def lay_token(game, rules, player, kind, cell):
    """Lays a towel token onto a cell of the new towel."""
    seat = game["seats"][player]
    towel = game["beach"][player, seat["laid"] - 1]
    towel["cover"][cell] = TOKEN_COVER - kind
    seat["tokens"][kind] -= 1
    game["shown"][player, 0, cell] = rules["token_pattern"][kind] + 1
    show_last(game, player)


# Shells


@compiled
def move_shells(game, rules, player):
    """For each row in which the new towel matches the one before it, moves the pattern's shell by the row's value."""
    top, rise = top_of(game["seats"][player]), rise_of(game, player)
    # Without branches, which would be hard to predict: where there is no match, some shell moves by 0.
    for cell in range(CELLS):
        shown = np.int64(game["shown"][player, 0, cell])
        matches = shown != NOT_ACTIVE and shown == shown_before(game, player, cell + rise)
        value = ROW_VALUES[min(max(top + cell, 1), ROWS) - 1]
        move_shell(game, rules, player, max(shown - 1, 0), value if matches else 0)


@compiled
def move_shell(game, rules, player, track, squares):
    """Moves a shell forward, at most to the last square; each ornament square on the way gives a token."""
    seat, table = game["seats"][player], game["table"]
    start = np.int64(seat["shells"][track])
    end = min(start + squares, np.int64(rules["last"][track]))
    seat["shells"][track] = end
    show_shell(game, rules, player, track)
    passed = np.uint64(rules["ahead"][track, start] & ~rules["ahead"][track, end])
    while passed != NOTHING:
        ornament = lowest(passed)
        passed &= passed - np.uint64(1)
        if table["supply"][ornament] > 0:
            table["supply"][ornament] -= 1
            kind = rules["ornament_kind"][ornament]
            seat["tokens"][kind] += 1
            table["fresh"][kind] += 1


# The end of a turn


@compiled
def end_turn(game, rules, player):
    """Ends a turn, and with it perhaps the round, the part or the game; returns the next player."""
    game["phase"] = TURN
    table = game["table"]
    for kind in range(TOKEN_KINDS):
        table["fresh"][kind] = 0
    player = player + 1 if player + 1 < game["players"] else 0
    if player == game["first"]:
        if not anyone_done(game):
            table["round"] = min(np.int64(table["round"]) + 1, np.int64(MOST_ROUNDS))
        elif table["part"] < rules["parts"]:
            player = draw_lowest(game)
            game["first"] = player
            table["part"] += 1
            set_up_part(game, rules)
        else:
            finish(game, rules)
    return player


@compiled
def anyone_done(game):
    """Whether anyone has laid a towel into the last column."""
    done = False
    for player in range(MAX_PLAYERS):
        done |= game["seats"][player]["laid"] > COLUMNS
    return done


@compiled
def finish(game, rules):
    game["phase"] = OVER
    score(game, rules)
    show_end(game)


# Restoring a game


@compiled
def reopen(game, rules, asked):
    """Computes `legal` and all that follows from other fields; in a consistent game nothing else changes."""
    show_bag(game)
    show_players(game, rules)
    game["table"]["columns_left"] = COLUMNS
    for player in range(MAX_PLAYERS):
        game["legal"][player, 0] = PASS_ONLY
        seat = game["seats"][player]
        for back in range(min(seat["laid"], 2)):
            look_at(game["beach"][player, seat["laid"] - 1 - back], rules, game["shown"][player, back])
        if player < game["players"]:
            towel = game["beach"][player, seat["laid"] - 1]
            seat["number"] = towel["number"]
            seat["top"] = towel["top"] - LOWEST_TOP
            show_last(game, player)
            show_pieces(game, rules, player)
            for track in range(NUM_PATTERNS):
                show_shell(game, rules, player, track)
    options = NOTHING
    if game["phase"] == TURN:
        options = turn_options(game, rules, asked)
    elif game["phase"] == UMBRELLA:
        options = umbrella_options(game, rules, asked, game["pending"][0])
    elif game["phase"] == TOKEN_PHASE:
        options = token_options(game, rules, asked)
    if several(options):
        ask(game, asked, options)
    if game["phase"] == OVER:
        finish(game, rules)


@compiled
def look_at(towel, rules, shown):
    """What the cells of a towel show."""
    for cell in range(CELLS):
        cover = towel["cover"][cell]
        shown[cell] = SHOWN[towel["number"], cell] if cover == NO_COVER else NOT_ACTIVE
        if cover <= TOKEN_COVER:
            shown[cell] = rules["token_pattern"][TOKEN_COVER - cover] + 1
