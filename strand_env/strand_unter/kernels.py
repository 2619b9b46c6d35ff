"""The loops over a batch of games, or over a part of it: all that Python calls of the compiled rules."""

from functools import partial

import numpy as np

from strand_env.engine.bits import ONE, count, nth
from strand_env.engine.jit import Kernel, compiled
from strand_env.engine.randomness import decision_stream, mixed
from strand_env.strand_unter import phases
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS
from strand_env.strand_unter.drawing import redeal
from strand_env.strand_unter.legal import NOTHING, PASS_ONLY
from strand_env.strand_unter.observation import observe
from strand_env.strand_unter.ruleset import MAX_PLAYERS
from strand_env.strand_unter.state import OVER

CHOICE_DTYPE = np.dtype([("actions", np.int8, (MAX_PLAYERS,))])  # what the players of one game have chosen
MASK_WORDS = 8  # a player's mask is written as 8 words: 64 bytes, the 57 actions first

# The eight bits of a byte spread over the eight bytes of a word.
_SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.uint64)
_BYTE = np.uint64(0xFF)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

_BLOCK = 32  # games that are done one after the other, while they are in the processor's cache

# How a game has ended that is dealt anew at once.
RESULT_DTYPE = np.dtype([("over", np.int8), ("scores", np.int8, (MAX_PLAYERS,)), ("winners", np.int8, (MAX_PLAYERS,))])


@partial(Kernel, least_games=16)
def deal_games(start, stop, indices, seeds, state, rules, players):
    """Deals the games of these numbers from their seeds; without any seeds each from the one that follows its last."""
    for index in range(start, stop):
        game = state[indices[index]]
        seed = seeds[index] if len(seeds) else mixed(~game["seed"])
        phases.deal(game, rules[0], seed, players)


@Kernel
def redeal_games(start, stop, state, seeds):
    for index in range(start, stop):
        redeal(state[index], seeds[index])


@Kernel
def reopen_games(start, stop, state, asked, rules):
    for index in range(start, stop):
        phases.reopen(state[index], rules[0], asked[index])


def check_actions(start, stop, which, state, actions, chosen, illegal, untils, moves):
    """Notes what the players chose, and which games have an illegal action among it; how many have.

    With `untils` only these players have chosen; the others play randomly.
    """
    players = actions.shape[1]
    found = 0
    for index in range(start, stop):
        game = state[which[index]]
        if len(untils):
            choose_by_move(game, moves[which[index]], chosen[index]["actions"])
        legal = ONE
        for player in range(MAX_PLAYERS):
            if len(untils) and player != untils[index]:
                continue
            action = actions[index, player] if player < players else PASS
            known = 0 <= action < NUM_ACTIONS
            legal &= game["legal"][player] >> np.uint64(action) if known else NOTHING
            chosen[index]["actions"][player] = action if known else PASS
        illegal[index] = legal == NOTHING and game["phase"] != OVER
        found += illegal[index]
    return found


@partial(Kernel, check=check_actions)
def step_games(
    start,
    stop,
    which,
    state,
    actions,
    chosen,
    illegal,
    untils,
    moves,
    packed,
    rules,
    hide_buckets,
    results,
    masks,
    observations,
):
    """Steps the games of these numbers. There is more to it if there is room for it:

    - `untils`: then goes on with random actions until this player has to decide, or to the end if there is no such
      player; `moves`, by game, counts the steps, on which the random actions depend.
    - `results`: steps all games; those that end are dealt anew, and all are looked at while they are in the processor's
      cache.
    """
    players = actions.shape[1]
    for first in range(start, stop, _BLOCK):
        last = min(first + _BLOCK, stop)
        for index in range(first, last):
            game = state[which[index]]
            stepping = game["phase"] != OVER
            while stepping:
                phases.step(game, rules[0], chosen[index]["actions"])
                stepping = False
                if len(untils):
                    moves[which[index]] += 1
                    stepping = game["phase"] != OVER and not has_to_act(game, untils[index])
                if stepping:
                    choose_by_move(game, moves[which[index]], chosen[index]["actions"])
        if len(results):
            for index in range(first, last):
                game = state[index]
                over = game["phase"] == OVER
                results[index]["over"] = over
                if over:
                    for player in range(MAX_PLAYERS):
                        results[index]["scores"][player] = game["scores"][player]
                        results[index]["winners"][player] = game["winners"][player]
                    phases.deal(game, rules[0], mixed(~game["seed"]), players)
            mask_block(first, last, state, players, masks)
            observe_block(first, last, state, packed, rules, players, hide_buckets, observations)


@compiled
def has_to_act(game, player):
    return 0 <= player < MAX_PLAYERS and game["legal"][player] != PASS_ONLY


@compiled
def choose_by_move(game, move, out):
    """A legal action for each player, each equally likely; which one depends on the game's seed and the move."""
    for player in range(MAX_PLAYERS):
        out[player] = PASS
        if game["legal"][player] != PASS_ONLY:
            bits = mixed(decision_stream(game["seed"], move, player))
            out[player] = pick(game["legal"][player], bits)


@compiled
def pick(legal, bits):
    """One of the legal actions, by the upper half of random bits."""
    return nth(legal, (bits >> _HALF) * count(legal) >> _HALF)


@Kernel
def write_masks(start, stop, state, players, out):
    mask_block(start, stop, state, players, out)


@Kernel
def write_observations(start, stop, state, packed, rules, players, hide_buckets, out):
    """Observations into out, (games, players) records of OBSERVATION_DTYPE; `packed` is the state as PACKED_DTYPE."""
    observe_block(start, stop, state, packed, rules, players, hide_buckets, out)


# A number of players that is written down lets the compiler unroll the loops over them; that is done for the largest.


@compiled
def mask_block(start, stop, state, players, out):
    """Legal actions as bytes of 0 and 1 into out, (games, players, MASK_WORDS)."""
    for index in range(start, stop):
        if players == MAX_PLAYERS:
            mask(state[index], MAX_PLAYERS, index, out)
        else:
            mask(state[index], players, index, out)


@compiled
def observe_block(start, stop, state, packed, rules, players, hide_buckets, out):
    for index in range(start, stop):
        game = state[index]
        if players == MAX_PLAYERS:
            observe(game, packed[index], rules[0], MAX_PLAYERS, hide_buckets, 0, MAX_PLAYERS, index, out)
        else:
            observe(game, packed[index], rules[0], players, hide_buckets, 0, players, index, out)


@compiled
def mask(game, players, index, out):
    for player in range(players):
        legal = game["legal"][player]
        for word in range(MASK_WORDS):
            out[index, player, word] = _SPREAD[legal >> np.uint64(8 * word) & _BYTE]


def check_rows(start, stop, state, players, games, seats):
    """How many rows are of players who are not there."""
    found = 0
    for row in range(start, stop):
        found += not (0 <= games[row] < len(state) and 0 <= seats[row] < players)
    return found


@partial(Kernel, check=check_rows)
def look_at_rows(start, stop, state, players, games, seats, packed, rules, hide_buckets, masks, observations):
    """For each row, what one player of one game may do and sees."""
    for row in range(start, stop):
        game = games[row]
        legal = state[game]["legal"][seats[row]]
        for word in range(NUM_ACTIONS // 8):
            entries = _SPREAD[legal >> np.uint64(8 * word) & _BYTE]
            for entry in range(8):  # which the compiler writes as one word again
                masks[row, 8 * word + entry] = entries >> np.uint64(8 * entry) & _BYTE
        for action in range(NUM_ACTIONS // 8 * 8, NUM_ACTIONS):
            masks[row, action] = legal >> np.uint64(action) & ONE
        observe(state[game], packed[game], rules[0], players, hide_buckets, seats[row], 1, row, observations)


@partial(Kernel, check=check_rows)
def choose_in_rows(start, stop, state, players, games, seats, bits, out):
    """For each row, a legal action of one player of one game, picked by the upper half of its bits."""
    for row in range(start, stop):
        legal = state[games[row]]["legal"][seats[row]]
        out[row] = pick(legal, bits[row])


@Kernel
def find_to_act(start, stop, state, out):
    for index in range(start, stop):
        for player in range(out.shape[1]):
            out[index, player] = state[index]["legal"][player] != PASS_ONLY


@Kernel
def find_over(start, stop, state, out):
    for index in range(start, stop):
        out[index] = state[index]["phase"] == OVER


@Kernel
def choose_randomly(start, stop, state, out, seed):
    """A legal action for each player, each equally likely; which one depends on the seed and the game's number."""
    players = out.shape[1]
    first = mixed(seed)
    for index in range(start, stop):
        if players == MAX_PLAYERS:
            choose(state[index]["legal"], MAX_PLAYERS, first, index, out)
        else:
            choose(state[index]["legal"], players, first, index, out)


@compiled
def choose(legal, players, first, index, out):
    """Half a random number for each player, two of which share one."""
    for player in range(players):
        random = mixed(first + np.uint64(2 * index + player // 2))
        half = random >> _HALF if player % 2 else random & _LOW
        out[index, player] = nth(legal[player], half * count(legal[player]) >> _HALF)
