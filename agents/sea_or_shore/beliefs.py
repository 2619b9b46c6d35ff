"""What the others have under their covers and will play, as far as a player can tell.

A card that the player cannot place is equally likely anywhere; one that a player was seen to take is there. By
Bayes' rule this is weighted with the likelihood that somebody plays that card, given what is at stake, and of cards
already played only those remain that fit the half that shows. Players are taken one by one: that a card cannot be with
two of them is left out of account.
"""

import numpy as np

from strand_env.engine.jit import compiled
from strand_env.sea_or_shore.ruleset import HIGHEST, MAX_PLAYERS, NUM_CARDS, NUM_COLOURS, RANKS
from strand_env.sea_or_shore.showing import SHOWS_COLOUR, SHOWS_NUMBER

COUNTS = HIGHEST + 1
OTHERS = MAX_PLAYERS - 1

BELIEFS_DTYPE = np.dtype(
    [
        ("stakes", np.float32, (NUM_COLOURS,)),  # what others are expected to play for
        ("likely", np.float32, (NUM_CARDS,)),  # likelihood of playing each card
        ("cards", np.float32, (NUM_CARDS,)),  # one player's: probability of each card, not normalised
        # By player, colour, count: probability that the player plays that colour and counts that much
        ("plays", np.float32, (OTHERS, NUM_COLOURS, COUNTS)),
        ("joins", np.float32, (OTHERS, NUM_COLOURS)),  # probability that the player is in the group of a colour
        # By own colour and count
        ("win", np.float32, (NUM_COLOURS, COUNTS)),  # probability of winning the colour
        ("lowest", np.float32, (NUM_COLOURS, COUNTS)),  # expected extras for losing as the lowest
    ],
    align=True,
)


@compiled
def expect_others(table, seats, numbers, tempt, lean, boost, beliefs):
    """Fills in what the others play, from the stakes."""
    likely = beliefs["likely"]
    for colour in range(NUM_COLOURS):
        stake = beliefs["stakes"][colour]
        for card in range(RANKS * colour, RANKS * colour + RANKS):
            likely[card] = np.exp(stake * (tempt + lean * numbers[card] / HIGHEST))
    unseen = max(np.float32(table["unseen_number"]), np.float32(1))
    for other in range(OTHERS):
        plays = beliefs["plays"][other]
        for colour in range(NUM_COLOURS):
            for number in range(COUNTS):
                plays[colour, number] = 0
        seat = seats[other + 1]
        if seat["present"]:
            total = weigh_cards(table, seat, numbers, unseen, beliefs)
            if total > 0:
                spread_counts(seat, numbers, total, boost, beliefs["cards"], plays)


@compiled
def weigh_cards(table, seat, numbers, unseen, beliefs):
    """Fills in how probable each card is for a player; returns the sum."""
    cards, likely = beliefs["cards"], beliefs["likely"]
    placed = 0
    for card in range(NUM_CARDS):
        placed += seat["held"][card]
    share = (np.float32(seat["hand_size"]) + seat["played"] - placed) / unseen
    total = np.float32(0)
    for card in range(NUM_CARDS):
        cards[card] = 0
        there = np.float32(seat["held"][card]) + table["unseen"][card] * share
        if there > 0 and fits(seat, card, numbers):
            cards[card] = there * likely[card]
            total += cards[card]
    return total


@compiled
def fits(seat, card, numbers):
    """Whether a card fits the half of the player's card that shows, if one lies on the table."""
    if seat["shows"][SHOWS_COLOUR]:
        return seat["colour"][card // RANKS] == 1
    return not seat["shows"][SHOWS_NUMBER] or seat["number"] == numbers[card]


@compiled
def spread_counts(seat, numbers, total, boost, cards, plays):
    """Fills in what a player counts in each colour: with the extras added, or those that may be."""
    added = np.int64(seat["added"])
    more = np.int64(0) if seat["played"] else np.int64(seat["extras"])
    for card in range(NUM_CARDS):
        if cards[card] > 0:
            chance = cards[card] / total
            counted = min(numbers[card] + added, HIGHEST)
            if more > 0:
                plays[card // RANKS, min(counted + more, HIGHEST)] += chance * boost
                chance *= 1 - boost
            plays[card // RANKS, counted] += chance


@compiled
def join_colours(table, beliefs):
    """Of two colours that count as one, whoever plays one plays both."""
    for colour in range(0, NUM_COLOURS, 2):
        if table["joined"][colour]:
            for other in range(OTHERS):
                plays = beliefs["plays"][other]
                for count in range(COUNTS):
                    plays[colour, count] += plays[colour + 1, count]
                    plays[colour + 1, count] = plays[colour, count]


@compiled
def weigh_chances(table, seats, beliefs):
    """Fills in the chances of the player's own play, by colour and count."""
    join_colours(table, beliefs)
    win, lowest = beliefs["win"], beliefs["lowest"]
    supply = np.float32(table["supply"])
    for colour in range(NUM_COLOURS):
        alone = np.float32(1)
        for count in range(COUNTS):
            win[colour, count], lowest[colour, count] = 1, 0
        for other in range(OTHERS):
            beliefs["joins"][other, colour] = beliefs["plays"][other, colour].sum()
            alone *= 1 - beliefs["joins"][other, colour]
        for count in range(1, COUNTS):
            nobody_below, company = np.float32(1), np.float32(0)
            for other in range(OTHERS):
                joins = beliefs["joins"][other, colour]
                if joins > 0:
                    wins_ties = seats[other + 1]["order"] < seats[0]["order"]
                    above = min(beating(beliefs["plays"][other, colour], count, wins_ties), joins)
                    win[colour, count] *= 1 - above
                    not_below = 1 - joins + above
                    nobody_below *= not_below
                    company += above / max(not_below, np.float32(1e-6))
            # Nobody below, and somebody above: the others in the group and the player itself, but for being alone.
            extras = nobody_below * (1 + company) - alone
            lowest[colour, count] = min(max(extras, np.float32(0)), supply)


@compiled
def beating(plays, count, wins_ties):
    """The probability that a player plays a colour and beats this count."""
    above = plays[count] if wins_ties else np.float32(0)
    for more in range(count + 1, COUNTS):
        above += plays[more]
    return above
