"""The loops over a batch of games, built around a game's compiled functions."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from strand_env.engine.bits import ONE
from strand_env.engine.jit import Kernel, compiled, compiled_apart
from strand_env.engine.masks import (
    has_to_act,
    is_legal,
    pick_legal,
    words_for,
    write_mask,
    write_mask_row,
)
from strand_env.engine.prefetch import prefetch
from strand_env.engine.protocol import OPEN
from strand_env.engine.randomness import decisions_of, mixed, next_seed, stream_of

Function = Callable[..., Any]

_BLOCK = 32  # games that are stepped and then observed while still in the processor's cache
_SORTED_BLOCK = 256  # the same where they are sorted by phase before they are stepped
_GAMES_AHEAD = 4  # how far ahead records are fetched that are stepped
_STARTS_AHEAD = 24  # and those of which only the start is read
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_WORD = 8  # bytes


class Rules(NamedTuple):
    """A game's rules as `@compiled` functions on one record (`game`), and the types they work on.

    `rules` is the record from the ruleset's `for_kernels`, `options` a tuple of the batch's options, each a bool.
    `observe` fills the records `out[index, place]` of `number` consecutive players, starting with seat `first`.
    """

    deal: Function  # (game, rules, seed, players): a new game
    step: Function  # (game, rules, actions): to the next decision, or the end
    observe: Function  # (game, rules, options, players, first, number, index, out): players' observations
    observe_table: Function  # (game, rules, players, index, out): the observation of a centralised critic
    redeal: Function  # (game, rules, seed, observer): redeals what is hidden from a player, or from all (-1)
    reopen: Function  # (game, rules, asked): recomputes `legal` in a game read from a snapshot
    state: np.dtype  # one game's record; has players, phase, legal (players, words), seed, stream, scores, winners
    observation: np.dtype  # the record of one observation
    table: np.dtype  # the record of one critic's observation
    max_players: int
    num_actions: int
    pass_action: int
    over: int  # the phase of finished games, the last one

    @property
    def mask_words(self) -> int:
        return words_for(self.num_actions)

    @property
    def mask_bytes(self) -> int:
        """Width of a mask as kernels write it, padded with zeros."""
        return _WORD * _WORD * self.mask_words

    @property
    def choice(self) -> np.dtype:
        """The record of the actions of all players of one game."""
        kind = np.min_scalar_type(-self.num_actions)
        return np.dtype([("actions", kind, (self.max_players,))])

    @property
    def result(self) -> np.dtype:
        """The record of a game's outcome, kept when it is auto-reset."""
        scores, winners = self.state["scores"], self.state["winners"]
        return np.dtype([("over", np.int8), ("scores", scores), ("winners", winners)])


# Kernels take plain tuples, which Numba recognises faster than named ones.
Batched = tuple[np.ndarray, np.ndarray, tuple[bool, ...], int]
"""A batch: (games,) records, one record of rules, the options in the order of the batch class, the players."""

TurnArrays = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Filled by `advance`: (games,) results, (games, players, words) masks as bytes, (games, players) observations."""


def kernels_of(rules: Rules) -> SimpleNamespace:
    """The kernels of a game, by name."""
    # Arrays are unpacked from their tuples before each loop: inside it, every access would count references.
    deal, step, observe, observe_table, redeal, reopen = rules[:6]
    max_players, num_actions, pass_action, over = rules.max_players, rules.num_actions, rules.pass_action, rules.over
    words, pairs = rules.mask_words, (max_players + 1) // 2
    record_size, start_size = rules.state.itemsize, _WORD * max_players * words  # a record starts with `legal`

    # Numba compiles a function again for callers with other options, as kernels have. Called from here it is shared.
    @compiled
    def deal_game(game, rules, seed, players):
        deal(game, rules, seed, players)

    @compiled
    def step_game(game, rules, actions):
        step(game, rules, actions)

    def deal_games(start, stop, batch, indices, seeds):
        """Deals the games at these indices from their seeds."""
        state, rules, _, players = batch
        for index in range(start, stop):
            deal_game(state[indices[index]], rules[0], seeds[index], players)

    def redeal_games(start, stop, batch, seeds, observers):
        state, rules, _, _ = batch
        for index in range(start, stop):
            redeal(state[index], rules[0], seeds[index], observers[index])

    def reopen_games(start, stop, batch, asked):
        state, rules, _, _ = batch
        for index in range(start, stop):
            reopen(state[index], rules[0], asked[index])

    def check_actions(start, stop, batch, which, actions, chosen, illegal):
        """Converts the players' actions and marks the games with an illegal one; returns how many have."""
        state, _, _, players = batch
        found = 0
        for index in range(start, stop):
            prefetch(state, which[min(index + _STARTS_AHEAD, stop - 1)], start_size)
            game = state[which[index]]
            legal = np.uint64(1)
            for player in range(max_players):
                action = np.int64(actions[index, player]) if player < players else pass_action
                known = 0 <= action < num_actions
                legal &= is_legal(game, player, action, words) if known else np.uint64(0)
                chosen[index]["actions"][player] = action if known else pass_action
            illegal[index] = legal == 0 and game["phase"] != over
            found += illegal[index]
        return found

    def step_games(start, stop, batch, which, actions, chosen, illegal):
        """Steps the games at these indices; finished ones stay as they are."""
        state, rules, _, _ = batch
        for index in range(start, stop):
            game = state[which[index]]
            if game["phase"] != over:
                step_game(game, rules[0], chosen[index]["actions"])

    @compiled
    def sort_by_phase(first, last, state, order, places):
        """Writes the indices of a block into `order`, by phase, so that the processor guesses branches better."""
        places[:] = 0
        for index in range(first, last):
            places[np.uint8(state[index]["phase"]) + 1] += 1
        for phase in range(over):
            places[phase + 1] += places[phase]
        for index in range(first, last):
            phase = np.uint8(state[index]["phase"])
            order[places[phase]] = index
            places[phase] += 1

    @compiled
    def reset_finished(first, last, state, rules, players, results):
        """Resets the games of a block that are over."""
        for index in range(first, last):
            game = state[index]
            ended = game["phase"] == over
            results[index]["over"] = ended
            if ended:
                for player in range(max_players):
                    results[index]["scores"][player] = game["scores"][player]
                    results[index]["winners"][player] = game["winners"][player]
                deal(game, rules, next_seed(game["seed"]), players)

    @compiled
    def mask_players(game, players, index, masks):
        for player in range(max_players):  # a constant, which unrolls the loop
            if player < players:
                write_mask(game, player, words, index, player, masks)

    @compiled_apart
    def observe_block(first, last, state, rules, options, players, observations):
        for index in range(first, last):
            observe(state[index], rules[0], options, players, 0, players, index, observations)

    def advance_games(start, stop, batch, which, actions, chosen, illegal, turn):
        """Steps all games, resets finished ones, and observes all of them, block by block."""
        state, rules, options, players = batch
        results, masks, observations = turn
        order, places = np.empty(_SORTED_BLOCK, np.int64), np.empty(over + 2, np.int64)
        for first in range(start, stop, _SORTED_BLOCK):
            last = min(first + _SORTED_BLOCK, stop)
            for index in range(first, last):
                prefetch(state, index, record_size)
            sort_by_phase(first, last, state, order, places)
            for index in order[: last - first]:
                if state[index]["phase"] != over:
                    step_game(state[index], rules[0], chosen[index]["actions"])
            reset_finished(first, last, state, rules[0], players, results)
            for index in range(first, last):
                mask_players(state[index], players, index, masks)
            observe_block(first, last, state, rules, options, players, observations)

    @compiled
    def decider_of(game):
        """The first player who has to decide, if there is one; 0 otherwise."""
        decider = 0
        for player in range(max_players - 1, 0, -1):
            decider = player if has_to_act(game, player, words, pass_action) else decider
        return decider if not has_to_act(game, 0, words, pass_action) else 0

    @compiled
    def deciders_of(game):
        """The players who have to decide, a bit for each."""
        deciders = np.uint64(0)
        for player in range(max_players):
            deciders |= np.uint64(has_to_act(game, player, words, pass_action)) << np.uint64(player)
        return deciders

    @compiled
    def decider_after(game, player):
        """The next one after a player who has to decide at the same time; -1 if there is none."""
        decider = -1
        for other in range(max_players - 1, 0, -1):
            decider = other if other > player and has_to_act(game, other, words, pass_action) else decider
        return decider

    def check_decisions(start, stop, batch, deciders, actions, chosen, illegal):
        """Notes the decisions of these players, and marks the games where this, or one noted before, is illegal."""
        state, _, _, players = batch
        found = 0
        for index in range(start, stop):
            prefetch(state, min(index + _STARTS_AHEAD, stop - 1), start_size)
            game, decider, action = state[index], deciders[index], np.int64(actions[index])
            known = 0 <= action < num_actions and 0 <= decider < players
            decider = decider if known else 0
            before = deciders_of(game) & ((ONE << np.uint64(decider)) - ONE)
            if known and before == 0:
                for player in range(max_players):
                    chosen[index]["actions"][player] = pass_action
            if known:
                chosen[index]["actions"][decider] = action
            legal = known and has_to_act(game, decider, words, pass_action)
            legal = legal and is_legal(game, decider, action, words) == 1
            if before != 0:
                for player in range(max_players):
                    waits = player > decider and has_to_act(game, player, words, pass_action)
                    legal &= waits or is_legal(game, player, chosen[index]["actions"][player], words) == 1
            illegal[index] = not legal and game["phase"] != over
            found += illegal[index]
        return found

    def advance_decisions(start, stop, batch, deciders, actions, chosen, illegal, turn):
        """Steps games where all have decided, resets finished ones, and observes who decides next, block by block."""
        state, rules, options, players = batch
        results, masks, observations = turn
        for first in range(start, stop, _BLOCK):
            last = min(first + _BLOCK, stop)
            for index in range(first, last):
                prefetch(state, min(index + _GAMES_AHEAD, stop - 1), record_size)
                game = state[index]
                more = deciders_of(game) >> np.uint64(deciders[index] + 1) != 0
                deciders[index] = decider_after(game, deciders[index]) if more else -1
                if deciders[index] < 0 and game["phase"] != over:
                    step_game(game, rules[0], chosen[index]["actions"])
            reset_finished(first, last, state, rules[0], players, results)
            for index in range(first, last):
                game = state[index]
                decider = deciders[index] if deciders[index] >= 0 else decider_of(game)
                deciders[index] = decider
                write_mask(game, decider, words, index, 0, masks)
                observe(game, rules[0], options, players, decider, 1, index, observations)

    def look_at_deciders(start, stop, batch, masks, observations, deciders):
        """Writes the mask and the observation of the player who decides."""
        state, rules, options, players = batch
        for index in range(start, stop):
            game = state[index]
            decider = decider_of(game)
            deciders[index] = decider
            write_mask(game, decider, words, index, 0, masks)
            observe(game, rules[0], options, players, decider, 1, index, observations)

    def choose_for_deciders(start, stop, batch, deciders, seed, out):
        """Picks a uniformly random legal action for one player of each game, by the seed and the game's index."""
        state, _, _, _ = batch
        first = mixed(seed)
        for index in range(start, stop):
            prefetch(state, min(index + _STARTS_AHEAD, stop - 1), start_size)
            random = mixed(first + np.uint64(index)) >> _HALF
            out[index] = pick_legal(state[index], deciders[index], random, words)

    def check_choices(start, stop, batch, which, moves, untils, actions):
        """Counts the illegal ones among the chosen first actions."""
        state, _, _, _ = batch
        found = 0
        for index in range(start, stop):
            game = state[which[index]]
            if actions[index] != OPEN and 0 <= untils[index] < max_players and game["phase"] != over:
                known = 0 <= actions[index] < num_actions
                found += not (known and is_legal(game, untils[index], actions[index], words))
        return found

    def play_games(start, stop, batch, which, moves, untils, actions, chosen):
        """Plays games on with random actions until the given player has to decide, beyond its first action if any."""
        state, rules, _, _ = batch
        for index in range(start, stop):
            game, until = state[which[index]], untils[index]
            first = actions[index] != OPEN
            waits = not first and 0 <= until < max_players and has_to_act(game, until, words, pass_action)
            playing = game["phase"] != over and not waits
            decisions = decisions_of(game["seed"])
            while playing:
                move = moves[which[index]]
                for player in range(max_players):
                    action = np.int64(pass_action)
                    if first and player == until:
                        action = actions[index]
                    elif has_to_act(game, player, words, pass_action):
                        half = mixed(stream_of(decisions, move, player)) >> _HALF
                        action = pick_legal(game, player, half, words)
                    chosen[index]["actions"][player] = action
                step_game(game, rules[0], chosen[index]["actions"])
                moves[which[index]] += 1
                first = False
                waits = 0 <= until < max_players and has_to_act(game, until, words, pass_action)
                playing = game["phase"] != over and not waits

    def write_masks(start, stop, batch, out):
        state, _, _, players = batch
        for index in range(start, stop):
            mask_players(state[index], players, index, out)

    def write_observations(start, stop, batch, out):
        state, rules, options, players = batch
        observe_block(start, stop, state, rules, options, players, out)

    def write_tables(start, stop, batch, out):
        state, rules, _, players = batch
        for index in range(start, stop):
            observe_table(state[index], rules[0], players, index, out)

    def look_at_rows(start, stop, batch, games, seats, masks, observations):
        """Writes the mask and the observation of one player of one game for each row."""
        state, rules, options, players = batch
        for row in range(start, stop):
            game = state[games[row]]
            write_mask_row(game, seats[row], num_actions, row, masks)
            observe(game, rules[0], options, players, seats[row], 1, row, observations)

    def choose_in_rows(start, stop, batch, games, seats, bits, out):
        """Picks a legal action of one player of one game for each row, by the upper half of its bits."""
        state, _, _, _ = batch
        for row in range(start, stop):
            out[row] = pick_legal(state[games[row]], seats[row], bits[row] >> _HALF, words)

    def find_to_act(start, stop, batch, out):
        state, _, _, players = batch
        for index in range(start, stop):
            for player in range(players):
                out[index, player] = has_to_act(state[index], player, words, pass_action)

    def choose_randomly(start, stop, batch, seed, out):
        """Picks a uniformly random legal action for each player, by the seed and the game's index."""
        state, _, _, players = batch
        first = mixed(seed)
        for index in range(start, stop):
            prefetch(state, min(index + _STARTS_AHEAD, stop - 1), start_size)
            game = state[index]
            for player in range(max_players):  # a constant, which unrolls the loop
                if player < players:
                    # Each player needs 32 random bits, so two of them share one number.
                    random = mixed(first + np.uint64(pairs * index + player // 2))
                    half = random >> _HALF if player % 2 else random & _LOW
                    out[index, player] = pick_legal(game, player, half, words)

    return SimpleNamespace(
        deal=Kernel(deal_games, least_rows=512),
        redeal=Kernel(redeal_games),
        reopen=Kernel(reopen_games),
        step=Kernel(step_games, check_actions),
        advance=Kernel(advance_games, check_actions),
        advance_decisions=Kernel(advance_decisions, check_decisions),
        look_at_deciders=Kernel(look_at_deciders),
        choose_for_deciders=Kernel(choose_for_deciders, least_rows=8192),
        play=Kernel(play_games, check_choices, least_rows=32),
        masks=Kernel(write_masks),
        observe=Kernel(write_observations),
        observe_table=Kernel(write_tables),
        look_at_rows=Kernel(look_at_rows),
        choose_in_rows=Kernel(choose_in_rows, least_rows=8192),
        to_act=Kernel(find_to_act),
        choose_randomly=Kernel(choose_randomly, least_rows=8192),
    )
