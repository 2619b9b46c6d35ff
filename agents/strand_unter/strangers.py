"""Strangers of Strand Unter: `tide` with another idea on top of its ratings. `agents/strangers.py` imports them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.agents.base import Masks, Observations
from strand_env.agents.strand_unter.heuristics import Tide
from strand_env.strand_unter import layout
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
from strand_env.strand_unter.features import FEATURES
from strand_env.strand_unter.features import LAYOUT as FEATURES_LAYOUT
from strand_env.strand_unter.layout import IS_READY, ON_HEAP
from strand_env.strand_unter.ruleset import NUM_COLOURS, NUM_VALUES
from strand_env.strand_unter.state import DIAL, TURN_ROUND

Numbers = npt.NDArray[np.floating]

RESPONSES, TREMBLE = 12, 0.4  # steps to the mixer's equilibrium, and its temperature in shells
EMPTY = 1e-3  # in place of no shells, to divide by
OUT = 6  # the groove from which the outbuilder builds at low tide


class Stranger(Tide):
    """`tide`, whose ratings are changed by `think`."""

    def rate(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        ratings = super().rate(observation, mask)
        _, tables, seats = layout.by_name(observation)
        return np.where(mask == 1, ratings + self.think(tables, seats), ratings).astype(np.float32)

    def think(self, tables: Any, seats: Any) -> Numbers:
        """(rows, actions): what is added to the ratings, in points."""
        raise NotImplementedError


def lacking(seats: Any) -> npt.NDArray[np.int64]:
    """(rows, colours): shells that the cards not built of a seat still need."""
    castles = seats["castles"]
    to_build = (castles[:, :, ON_HEAP] == 1) | (castles[:, :, IS_READY] == 1)
    needed = (seats["cards"] * to_build[:, :, np.newaxis]).sum(1, dtype=np.int64)
    return np.maximum(needed - seats["bucket"], 0)


def leaders(seats: Any) -> npt.NDArray[np.int64]:
    """(rows,): the other player who is ahead: most points, then most castles built."""
    standing = seats["points"][:, 1:].astype(np.int64) * 8 + seats["built"][:, 1:]
    return 1 + np.where(seats["present"][:, 1:] == 1, standing, -1000).argmax(1)


def of_colours(tables: Any, worth: Numbers) -> Numbers:
    """(rows, actions): what singles and takes bring, if a shell of each colour is worth so much: (rows, colours)."""
    there = np.minimum(tables["shells"], 3)
    bonus = np.zeros((len(worth), PASS + 1))
    bonus[:, :NUM_COLOURS] = worth * (there > 0)
    bonus[:, TAKE_COLOUR:TAKE_PAIR] = worth * there
    bonus[:, TAKE_PAIR:TAKE_CASTLE] = worth @ TAKEN[TAKE_PAIR:TAKE_CASTLE].T
    return bonus


class Miser(Stranger):
    """Hoards one colour: the one that its cards need most."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        favourite = seats[:, 0]["cards"].sum(1).argmax(1)
        worth = 1.0 * (np.arange(NUM_COLOURS) == favourite[:, np.newaxis])
        return of_colours(tables, worth * (lacking(seats[:, 0]) > 0))


class Denier(Stranger):
    """Takes what the leader needs."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        leader = seats[np.arange(len(seats)), leaders(seats)]
        return of_colours(tables, 0.4 * np.minimum(lacking(leader), 2))


class Copycat(Stranger):
    """Sets what the leader set in the round before."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        last = seats["last_dial"][np.arange(len(seats)), leaders(seats)].astype(np.int64)
        bonus = np.zeros((len(seats), PASS + 1))
        rows = np.flatnonzero((last > 0) & (tables["phase"][:, DIAL] == 1))
        bonus[rows, last[rows] - 1] = 1.0
        return bonus


class Echo(Stranger):
    """Expects everybody to set the same as in the round before, and keeps away from the crowd."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        last = seats["last_dial"][:, 1:].astype(np.int64)
        crowd = (last[:, :, np.newaxis] == 1 + np.arange(NUM_DIAL_POSITIONS)).sum(1)
        bonus = np.zeros((len(seats), PASS + 1))
        bonus[:, FIRST_COMBINATION:NUM_DIAL_POSITIONS] = -1.0 * crowd[:, FIRST_COMBINATION:]
        return bonus * (tables["phase"][:, DIAL] == 1)[:, np.newaxis]


class Mixer(Tide):
    """Plays no best dial but a mixed equilibrium: all respond to what all are likely to set, again and again.

    What a dial brings is counted in shells that the cards need, and a castle for a single; the rest is `tide`'s.
    """

    def probabilities(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        likely = super().probabilities(observation, mask)
        _, tables, _ = layout.by_name(observation)
        rows = np.flatnonzero(tables["phase"][:, DIAL] == 1)
        if len(rows):
            likely[rows] = 0
            likely[rows, :NUM_DIAL_POSITIONS] = equilibrium(observation[rows])
        return likely


def equilibrium(observations: Observations) -> Numbers:
    """(rows, dial positions): the observer's part of a quantal response equilibrium."""
    shown: Any = FEATURES.encode(observations)
    _, tables, seats = FEATURES_LAYOUT.by_name(shown)
    alone = 2 * seats["brings"].astype(np.float64)  # (rows, seats, positions): shells if nobody is in the way
    castle = 1.5 * (seats["on_heap"].sum(2) > 0)
    collided = np.repeat((castle + 0.5)[:, :, np.newaxis], NUM_DIAL_POSITIONS, axis=2)
    collided[:, :, :FIRST_COMBINATION] = castle[:, :, np.newaxis]
    alone[:, :, :FIRST_COMBINATION] += castle[:, :, np.newaxis]
    alone[:, :, FIRST_COMBINATION:] += np.where(tables["possible"][:, np.newaxis, FIRST_COMBINATION:] == 1, 0, 0.8)
    # A single is taken by as many as there are shells.
    free = np.ones((len(alone), 1, NUM_DIAL_POSITIONS))
    free[:, 0, :FIRST_COMBINATION] = 4 * tables["shells"]
    present = seats["present"][:, :, np.newaxis]
    likely = np.full(alone.shape, 1 / NUM_DIAL_POSITIONS) * present
    for step in range(1, RESPONSES + 1):
        others = likely.sum(1, keepdims=True) - likely
        missed = np.minimum(others / np.maximum(free, EMPTY), 1)
        worth = alone * (1 - missed) + collided * missed
        response = np.exp((worth - worth.max(2, keepdims=True)) / TREMBLE)
        response *= present / response.sum(2, keepdims=True)
        likely += (response - likely) / (step + 1)
    return likely[:, 0]


class Outbuilder(Stranger):
    """Builds as far out as it can: nothing in the first grooves, and then whatever it can, the highest first."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        bonus = np.zeros((len(seats), PASS + 1))
        out = (tables["round"] > TURN_ROUND) | (tables["groove"] >= OUT)
        values = np.repeat(np.arange(NUM_VALUES), NUM_COLOURS)
        bonus[:, BUILD_CASTLE:PASS] = np.where(out[:, np.newaxis], 10 + values, -20)
        return bonus


class Collector(Stranger):
    """Gets its castles ready before anything else: sets singles as long as any is on the heap."""

    def think(self, tables: Any, seats: Any) -> Numbers:
        bonus = np.zeros((len(seats), PASS + 1))
        on_heap = seats["castles"][:, 0, :, ON_HEAP].sum(1)
        bonus[:, :FIRST_COMBINATION] = 0.5 * on_heap[:, np.newaxis]
        return bonus


STRANGERS: Mapping[str, Callable[[], Any]] = {
    "miser": Miser,
    "denier": Denier,
    "copycat": Copycat,
    "echo": Echo,
    "mixer": Mixer,
    "outbuilder": Outbuilder,
    "collector": Collector,
}
