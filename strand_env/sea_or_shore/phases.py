"""The rules, for one game, in the order of a round.

`step` carries out a decision and finds the next one. Decisions that leave no choice are carried out at once, so a step
can go on to the next trick or round.
"""

import numpy as np

from strand_env.engine.bits import lowest, several
from strand_env.engine.jit import compiled
from strand_env.engine.randomness import mixed
from strand_env.sea_or_shore.actions import (
    ADD,
    ARRANGE,
    CARD,
    CHOOSE_STACK,
    DISCARD,
    EXTRAS,
    GIFT,
    GIVE,
    ORDER,
    OVER,
    PICK,
    SEAT,
    SHOW_NUMBER,
    STACK,
    TAKE,
    TARGET,
    TREASURE,
)
from strand_env.sea_or_shore.drawing import deal_cards, fill_stacks
from strand_env.sea_or_shore.four_actions import (
    all_see_it_leave,
    choose_gift,
    discard,
    draw_from,
    hand_over,
    look_at_stack,
    pick_up,
    put_back,
    rob,
)
from strand_env.sea_or_shore.legal import (
    ANY_ORDER,
    ANY_STACK,
    FIRST_SEATS,
    INTO_FIRST,
    LEFT_IN_FIRST,
    NOTHING,
    PASS_ONLY,
    SOME_EXTRAS,
    TAKE_ONLY,
    WORD_BITS,
    gift_options,
    give_options,
    other_options,
    rich_options,
    set_of,
    treasure_options,
)
from strand_env.sea_or_shore.ruleset import (
    ALL_EXTRAS,
    COLOUR_SHIFT,
    HIGHEST,
    LOOKED_AT,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_ADDED,
    MOST_STACKS,
    MOST_TRICKS,
    MOST_TURNED_UP,
    NO_TREASURE,
    RANKS,
    ROUNDS,
    VALUE_MASK,
)
from strand_env.sea_or_shore.scoring import points_of, score
from strand_env.sea_or_shore.showing import (
    SHOWS_COLOUR,
    SHOWS_NUMBER,
    clear,
    hide_stakes,
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
from strand_env.sea_or_shore.state import NO_CARD, NO_STACK, NOBODY


@compiled
def step(game, rules, actions):
    """Carries out the players' actions and plays on until somebody has a choice again, or the game is over."""
    phase = game["phase"]
    if phase == GIFT:
        exchange_gifts(game, actions)
        ask_card(game, game["leader"])
        return
    player = np.int64(game["turn"])
    action = np.int64(actions[player])
    ask_nobody(game, player)
    if phase == CARD:
        play_card(game, rules, player, action)
        if game["seats"][player]["extras"] > 0:
            ask(game, player, EXTRAS, NOTHING, extras_options(game, player))
            return
    elif phase == EXTRAS:
        add_extras(game, rules, player, action - ADD)
    elif carry_out(game, rules, phase, player, action):
        return
    if phase <= EXTRAS:
        if game["table"]["played"] < game["players"]:
            ask_card(game, next_player(game, player))
            return
        reveal(game, rules)
    if finish_trick(game, rules):
        clean_up(game)
        if not game["table"]["last_trick"]:
            begin_trick(game, rules, np.int64(game["table"]["trick"]) + 1)
            ask_card(game, game["leader"])
        else:
            end_round(game, rules)


@compiled
def carry_out(game, rules, phase, player, action):
    """Does what a winner of the trick has decided; returns whether something is asked at once."""
    if phase == TREASURE:
        if action == TAKE:
            take_open(game, player)
        else:
            steal(game, player, named(game, player, action))
        drop_win(game)
        return False
    if phase == TARGET:
        other = named(game, player, action)
        if game["queue"][0]["action"] == 2:
            draw_from(game, player, other)
            ask(game, player, GIVE, give_options(game, player), NOTHING)
            return True
        rob(game, player, other)
    elif phase == GIVE:
        choose_gift(game, action)
        if game["table"]["given_number"] < game["table"]["taken_number"]:
            ask(game, player, GIVE, give_options(game, player), NOTHING)
            return True
        hand_over(game, player, np.int64(game["target"]))
    elif phase == STACK:
        look_at_stack(game, player, action - CHOOSE_STACK)
        ask(game, player, ORDER, NOTHING, ANY_ORDER)
        return True
    elif phase == ORDER:
        put_back(game, action - ARRANGE)
    elif phase == PICK:
        pick_up(game, rules, player, named(game, player, action))
        ask(game, player, DISCARD, game["hands"][player], NOTHING)
        return True
    else:
        discard(game, player, action)
    drop_action(game)
    return False


# Questions


@compiled
def ask(game, player, phase, first, second):
    """Asks a player; the options are the two words of the mask."""
    set_phase(game, phase)
    game["turn"] = player
    game["legal"][player, 0] = first
    game["legal"][player, 1] = second
    game["seats"][player]["to_act"] = 1


@compiled
def ask_nobody(game, player):
    """After a player has decided."""
    game["legal"][player, 0] = NOTHING
    game["legal"][player, 1] = PASS_ONLY
    game["seats"][player]["to_act"] = 0


@compiled
def ask_card(game, player):
    hand = game["hands"][player]
    ask(game, player, CARD, hand | hand << INTO_FIRST, hand >> LEFT_IN_FIRST)


@compiled
def ask_gifts(game):
    set_phase(game, GIFT)
    game["turn"] = 0
    for player in range(game["players"]):
        game["legal"][player, 0] = gift_options(game["hands"][player])
        game["legal"][player, 1] = NOTHING
        game["seats"][player]["to_act"] = 1


@compiled
def extras_options(game, player):
    return SOME_EXTRAS[min(np.int64(game["seats"][player]["extras"]), MOST_ADDED)]


@compiled
def next_player(game, player):
    return player + 1 if player + 1 < game["players"] else 0


@compiled
def named(game, player, action):
    """The player whom an action names."""
    other = player + action - SEAT
    return other - game["players"] if other >= game["players"] else other


# Set-up


@compiled
def deal(game, rules, seed, players):
    """A new game, with the first round set up."""
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["players"] = players
    clear(game["table_words"])
    for player in range(MAX_PLAYERS):
        clear(game["seat_words"][player])
        ask_nobody(game, player)
        game["scores"][player] = 0
        game["winners"][player] = 0
        for finished in range(ROUNDS):
            game["points"][finished, player] = 0
        play = game["revealed"][player]
        play["card"] = NO_CARD
        play["shows"] = play["extras"] = 0
        show_revealed(game, rules, player)
    show_rules(game, rules)
    set_up_round(game, rules, 1, 0)


@compiled
def set_up_round(game, rules, number, leader):
    """Everything but the first round's points is as at the start."""
    game["table"]["round"] = number
    game["table"]["supply"] = ALL_EXTRAS
    game["aside"] = NOTHING
    game["num_wins"] = game["num_queue"] = 0
    forget_action(game)
    for place in range(MOST_STACKS):
        game["wins"][place]["player"] = game["wins"][place]["colour"] = 0
        game["queue"][place]["player"] = game["queue"][place]["action"] = 0
        clear_stack(game, place)
    for player in range(MAX_PLAYERS):
        clear_seat(game, rules, player)
    fill_stacks(game, rules)
    show_remaining(game)
    deal_cards(game, rules)
    for player in range(game["players"]):
        show_hand(game, player)
    game["leader"] = leader
    begin_trick(game, rules, 1)
    show_lookers(game)
    ask_gifts(game)


@compiled
def clear_stack(game, stack):
    game["num_stacked"][stack] = game["num_under"][stack] = game["arranged"][stack] = 0
    game["open"][stack] = NO_TREASURE
    game["looker"][stack] = NOBODY
    for place in range(game["stacks"].shape[1]):
        game["stacks"][stack, place] = NO_TREASURE
    for place in range(MOST_TRICKS):
        game["under"][stack, place] = NO_TREASURE


@compiled
def clear_seat(game, rules, player):
    """No cards, extras or treasures, and no memory."""
    seat = game["seats"][player]
    seat["extras"] = seat["pile_size"] = 0
    for place in range(MOST_TURNED_UP):
        game["treasures"][player, place] = NO_TREASURE
    show_pile(game, player)
    clear_play(game, player)
    game["hands"][player] = game["shown"][player] = NOTHING
    show_shown(game, player)
    for other in range(MAX_PLAYERS):
        game["known"][player, other] = NOTHING
    for stack in range(MOST_STACKS):
        game["num_peeked"][player, stack] = 0
        for place in range(LOOKED_AT):
            game["peeked"][player, stack, place] = NO_TREASURE


@compiled
def clear_play(game, player):
    seat = game["seats"][player]
    game["cards"][player] = NO_CARD
    seat["played"] = seat["added"] = seat["number"] = seat["count"] = 0
    for half in range(2):
        seat["shows"][half] = 0
    for colour in range(seat["colour"].shape[0]):
        seat["colour"][colour] = 0


@compiled
def exchange_gifts(game, actions):
    """Everybody gives a card to the right neighbour, all at once."""
    for player in range(game["players"]):
        ask_nobody(game, player)
        game["hands"][player] &= ~set_of(actions[player])
    for player in range(game["players"]):
        right = player - 1 if player > 0 else game["players"] - 1
        gift = set_of(actions[player])
        game["hands"][right] |= gift
        game["known"][player, right] |= gift


# A trick


@compiled
def begin_trick(game, rules, trick):
    """The leader is named already; treasures are turned up."""
    game["table"]["trick"] = trick
    game["table"]["played"] = 0
    for stack in range(rules["num_stacks"]):
        turn_up(game, stack)
    show_trick(game, rules)
    show_open(game)
    show_stakes(game, rules)


@compiled
def turn_up(game, stack):
    game["num_stacked"][stack] -= 1
    top = np.int64(game["num_stacked"][stack])
    treasure = game["stacks"][stack, top]
    game["stacks"][stack, top] = NO_TREASURE
    game["open"][stack] = treasure
    game["table"]["remaining"][treasure >> COLOUR_SHIFT, (treasure & VALUE_MASK) - 1] -= 1
    if game["arranged"][stack] > 0:
        game["arranged"][stack] -= 1
        for player in range(game["players"]):
            forget_treasure(game, player, stack, treasure)
        if game["arranged"][stack] == 0:
            game["looker"][stack] = NOBODY
            show_lookers(game)


@compiled
def forget_treasure(game, player, stack, treasure):
    """One such treasure, if the player knows any, is not among those known to lie on the stack any more."""
    peeked, number = game["peeked"][player, stack], np.int64(game["num_peeked"][player, stack])
    found = number
    for place in range(number - 1, -1, -1):
        found = place if peeked[place] == treasure else found
    if found < number:
        for place in range(found, number - 1):
            peeked[place] = peeked[place + 1]
        peeked[number - 1] = NO_TREASURE
        game["num_peeked"][player, stack] = number - 1


@compiled
def play_card(game, rules, player, action):
    """One half of the card is covered."""
    seat = game["seats"][player]
    by_number = action >= SHOW_NUMBER
    card = action - SHOW_NUMBER if by_number else action
    game["hands"][player] &= ~set_of(card)
    game["cards"][player] = card
    seat["played"] = 1
    seat["shows"][SHOWS_NUMBER if by_number else SHOWS_COLOUR] = 1
    game["table"]["played"] += 1
    seat["hand_size"] -= 1
    show_card(game, rules, player)


@compiled
def add_extras(game, rules, player, number):
    seat = game["seats"][player]
    seat["added"] = number
    seat["extras"] -= number
    show_card(game, rules, player)


@compiled
def reveal(game, rules):
    """All covers come off; who has lost is given extras, and winners have something to do."""
    set_phase(game, TREASURE)
    for player in range(game["players"]):
        seat, play = game["seats"][player], game["revealed"][player]
        all_see_it_leave(game, player, set_of(game["cards"][player]))
        show_card(game, rules, player)
        play["card"] = game["cards"][player]
        play["shows"] = SHOWS_NUMBER if seat["shows"][SHOWS_NUMBER] else SHOWS_COLOUR
        play["extras"] = seat["added"]
        show_revealed(game, rules, player)
    game["num_wins"] = game["num_queue"] = 0
    player = np.int64(game["leader"])
    for _ in range(game["players"]):
        settle(game, rules, player)
        player = next_player(game, player)
    show_tasks(game)
    hide_stakes(game)


@compiled
def group_of(game, player):
    """A number for the group that a player is in: a colour, or the first of two that count as one."""
    colour = np.int64(game["cards"][player]) // RANKS
    return colour & ~1 if game["table"]["joined"][colour] else colour


@compiled
def strength(game, player):
    """By which plays are compared: of equal ones the nearest to the leader is the strongest."""
    seat = game["seats"][player]
    return MAX_PLAYERS * np.int64(seat["count"]) - seat["order"]


@compiled
def weakness(game, player):
    """By which losers are compared: of equal ones the nearest to the leader is the weakest."""
    seat = game["seats"][player]
    return MAX_PLAYERS * (HIGHEST - np.int64(seat["count"])) - seat["order"]


@compiled
def settle(game, rules, player):
    """What a player gets by this trick: a treasure, an action, or as the weakest loser of a group, extras."""
    group, winner, size = group_of(game, player), player, 0
    for other in range(game["players"]):
        if group_of(game, other) == group:
            size += 1
            winner = other if strength(game, other) > strength(game, winner) else winner
    if winner == player:
        award(game, rules, player, np.int64(game["cards"][player]) // RANKS)
        return
    for other in range(game["players"]):
        in_group = group_of(game, other) == group
        if in_group and other != winner and weakness(game, other) > weakness(game, player):
            return
    take_from_supply(game, player, size)


@compiled
def award(game, rules, winner, colour):
    """A treasure if one of this colour is open, otherwise the action of its pair."""
    if game["table"]["stake_treasure"][colour] > 0:
        win = game["wins"][game["num_wins"]]
        win["player"], win["colour"] = winner, colour
        game["num_wins"] += 1
    else:
        entry = game["queue"][game["num_queue"]]
        entry["player"], entry["action"] = winner, rules["action"][colour]
        game["num_queue"] += 1


@compiled
def take_from_supply(game, player, number):
    """So many extras, or what is left of them."""
    table = game["table"]
    taken = min(number, np.int64(table["supply"]))
    table["supply"] -= taken
    game["seats"][player]["extras"] += taken


@compiled
def finish_trick(game, rules):
    """Winners take treasures, then carry out actions; returns whether all is done and nobody is asked."""
    while game["num_wins"] > 0:
        win = game["wins"][0]
        player = np.int64(win["player"])
        options = treasure_options(game, player, win["colour"])
        if options != TAKE_ONLY:
            ask(game, player, TREASURE, NOTHING, options)
            return False
        take_open(game, player)
        drop_win(game)
    while game["num_queue"] > 0:
        if begin_action(game, rules, np.int64(game["queue"][0]["player"]), game["queue"][0]["action"]):
            return False
        drop_action(game)
    return True


# Treasures


@compiled
def take_open(game, player):
    """The open treasure of the colour that the player has won."""
    for stack in range(MOST_STACKS):
        if game["open"][stack] != NO_TREASURE and game["open"][stack] >> COLOUR_SHIFT == game["wins"][0]["colour"]:
            put_on_pile(game, player, game["open"][stack])
            game["open"][stack] = NO_TREASURE
    show_open(game)


@compiled
def steal(game, player, other):
    """The top treasure of another's pile."""
    seat = game["seats"][other]
    seat["pile_size"] -= 1
    top = seat["pile_size"]
    treasure = game["treasures"][other, top]
    game["treasures"][other, top] = NO_TREASURE
    show_pile(game, other)
    put_on_pile(game, player, treasure)


@compiled
def put_on_pile(game, player, treasure):
    seat = game["seats"][player]
    game["treasures"][player, seat["pile_size"]] = treasure
    seat["pile_size"] += 1
    show_pile(game, player)


@compiled
def drop_win(game):
    wins = game["wins"]
    game["num_wins"] -= 1
    wins[0]["player"], wins[0]["colour"] = wins[1]["player"], wins[1]["colour"]
    wins[1]["player"] = wins[1]["colour"] = 0
    show_tasks(game)


# Actions


@compiled
def begin_action(game, rules, doer, action):
    """Begins the action that comes next; returns whether its doer is asked. Otherwise it is done."""
    if action == 1:
        options = rich_options(game, doer)
        if several(options):
            ask(game, doer, TARGET, NOTHING, options)
            return True
        if options == NOTHING:
            take_from_supply(game, doer, 2)
        else:
            rob(game, doer, named(game, doer, lowest(options) + WORD_BITS))
        return False
    if game["table"]["last_trick"]:
        return False
    if action == 2:
        ask(game, doer, TARGET, NOTHING, other_options(game))
    elif action == 4:
        ask(game, doer, PICK, NOTHING, FIRST_SEATS[game["players"]])
    elif game["players"] == MIN_PLAYERS:
        look_at_stack(game, doer, 0)
        ask(game, doer, ORDER, NOTHING, ANY_ORDER)
    else:
        ask(game, doer, STACK, NOTHING, ANY_STACK)
    return True


@compiled
def drop_action(game):
    queue = game["queue"]
    game["num_queue"] -= 1
    queue[0]["player"], queue[0]["action"] = queue[1]["player"], queue[1]["action"]
    queue[1]["player"] = queue[1]["action"] = 0
    forget_action(game)
    show_tasks(game)


@compiled
def forget_action(game):
    """What belongs to an action under way."""
    table = game["table"]
    if game["target"] != NOBODY:
        game["seats"][game["target"]]["target"] = 0
    game["target"] = NOBODY
    game["stack"] = NO_STACK
    game["taken"] = NOTHING
    for place in range(2):
        game["given"][place] = 0
        table["stack"][place] = 0
    table["taken_number"] = table["given_number"] = 0


# The end of a trick


@compiled
def clean_up(game):
    for player in range(game["players"]):
        game["table"]["supply"] += game["seats"][player]["added"]
        if game["cards"][player] != NO_CARD:
            game["aside"] |= set_of(game["cards"][player])
        clear_play(game, player)
    game["table"]["played"] = 0
    for stack in range(MOST_STACKS):
        if game["open"][stack] != NO_TREASURE:
            game["under"][stack, game["num_under"][stack]] = game["open"][stack]
            game["num_under"][stack] += 1
            game["open"][stack] = NO_TREASURE
    if not game["table"]["last_trick"]:
        game["leader"] = next_player(game, game["leader"])


@compiled
def end_round(game, rules):
    """Counts the points; then comes the next round, or the end."""
    table = game["table"]
    finished = np.int64(table["round"]) - 1
    for player in range(game["players"]):
        game["points"][finished, player] = points_of(game, player)
    if finished + 1 < ROUNDS:
        for player in range(game["players"]):
            game["seats"][player]["points"] = min(game["points"][finished, player], 255)
        set_up_round(game, rules, finished + 2, next_player(game, game["leader"]))
    else:
        show_open(game)
        finish(game)


@compiled
def finish(game):
    set_phase(game, OVER)
    game["turn"] = 0
    score(game)
