"""Features: predictions of everybody's dials, namely what the reference agent would set in their place.

They follow from the observation alone; who really plays a seat is unknown.
"""

import numpy as np
import numpy.typing as npt

from strand_env.agents.strand_unter.heuristics import Tide
from strand_env.agents.strand_unter.needs import NEEDS
from strand_env.engine.game import Encoding
from strand_env.strand_unter import layout
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_ACTIONS, NUM_DIAL_POSITIONS
from strand_env.strand_unter.layout import SEAT_SIZE, TABLE_SIZE
from strand_env.strand_unter.ruleset import MAX_PLAYERS, MIN_PLAYERS
from strand_env.strand_unter.state import DIAL, SPELL

SIZE = MAX_PLAYERS * 2 * NUM_DIAL_POSITIONS
VERSION = 1  # bump with any change below

_REFERENCE = Tide()
_FAR = 4  # points: dials that much worse than the best count as worthless
_PHASE, _PLAYERS = (layout[name].slice.start for name in ("phase", "players"))
_PRESENT, _IN_SPELL = (layout[f"seat_0.{name}"].slice.start - TABLE_SIZE for name in ("present", "in_spell"))
# For each number of players and each player: the seats in the order that player sees them
_TURNED = np.array(
    [
        [
            [(first + seat) % players if seat < players else seat for seat in range(MAX_PLAYERS)]
            for first in range(MAX_PLAYERS)
        ]
        for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
    ]
)


def guess_dials(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """(rows, SIZE) from (rows, entries) observations: for each seat, the probability and quality of each dial.

    All zero where nobody sets a dial, and for players who do not.
    """
    shown = np.zeros((len(observations), MAX_PLAYERS, 2, NUM_DIAL_POSITIONS), np.float32)
    entries = observations.astype(np.int8, copy=False)
    in_spell = entries[:, _PHASE + SPELL] == 1
    rows = np.flatnonzero(in_spell | (entries[:, _PHASE + DIAL] == 1))
    if len(rows):
        shown[rows] = _guessed(entries[rows], in_spell[rows])
    return shown.reshape(len(observations), SIZE)


def _guessed(entries: npt.NDArray[np.int8], in_spell: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
    rows = len(entries)
    seats = entries[:, TABLE_SIZE:].reshape(rows, MAX_PLAYERS, SEAT_SIZE)
    players = entries[:, _PLAYERS : _PLAYERS + len(_TURNED)].argmax(1)
    as_seen = np.empty((rows, MAX_PLAYERS, entries.shape[1]), np.int8)
    as_seen[:, :, :TABLE_SIZE] = entries[:, None, :TABLE_SIZE]
    turned = seats[np.arange(rows)[:, None, None], _TURNED[players]]
    as_seen[:, :, TABLE_SIZE:] = turned.reshape(rows, MAX_PLAYERS, -1)
    masks = np.zeros((rows, MAX_PLAYERS, NUM_ACTIONS), np.int8)
    masks[:, :, :FIRST_COMBINATION] = 1
    masks[~in_spell, :, FIRST_COMBINATION:NUM_DIAL_POSITIONS] = 1

    flat = rows * MAX_PLAYERS
    ratings = _REFERENCE.rate(as_seen.reshape(flat, -1), masks.reshape(flat, -1))
    worse = ratings[:, :NUM_DIAL_POSITIONS] - ratings.max(1, keepdims=True)
    likely = np.exp(np.maximum(worse / np.float32(_REFERENCE.own_weights["heat"]), np.float32(-80)))
    likely /= likely.sum(1, keepdims=True)
    good = np.maximum(1 + worse / _FAR, 0)
    sets = (seats[:, :, _PRESENT] == 1) & ~(in_spell[:, None] & (seats[:, :, _IN_SPELL] == 0))
    both = np.stack([likely, good], axis=1).reshape(rows, MAX_PLAYERS, 2, NUM_DIAL_POSITIONS)
    return both * sets[:, :, None, None]


def _encode_needs_and_guesses(observations: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    return np.concatenate([NEEDS.encode(observations), guess_dials(observations)], axis=1)


NEEDS_AND_GUESSES = Encoding(f"{NEEDS.name}, guesses {VERSION}", NEEDS.size + SIZE, _encode_needs_and_guesses)
