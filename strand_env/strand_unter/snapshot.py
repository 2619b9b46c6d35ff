"""The snapshots of Strand Unter: section 8 of the rules.

Some things are left free, for setting up positions by hand: how many shells lie in a groove and in buckets, how soon
castles were taken from the heap or flooded, how far the sea went back at the turn; and a castle may stand in the
current groove before this round's building. What players have set so far may be missing, wholly or for the first
rounds, as in snapshots of `strand_unter_v0`: those rounds are then unknown.
"""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import one_of, whole_number
from strand_env.engine.protocol import Snapshot
from strand_env.engine.snapshots import Field
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.legal import in_spell, set_combinations
from strand_env.strand_unter.ruleset import (
    COLOURS,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_SHELLS,
    NUM_VALUES,
    PLAYED_GROOVES,
    Ruleset,
    groove_of,
)
from strand_env.strand_unter.scoring import count_built
from strand_env.strand_unter.state import (
    BUILD,
    COLLECT,
    DIAL,
    FLOODED,
    HEAP,
    LAST_GROOVE,
    LAST_ROUND,
    OVER,
    PHASES,
    READY,
    SPELL,
    TROVE,
    TURN_ROUND,
    UNSET,
)

PLACE_NAMES = {HEAP: "heap", READY: "ready", FLOODED: "flooded"}

CARDS = Field("cards", 0, NUM_SHELLS, per_player=True)
FIELDS = (
    Field("round", 1, LAST_ROUND),
    Field("groove", 1, PLAYED_GROOVES),
    Field("sea", 1, LAST_GROOVE),
    Field("shells", 0, NUM_SHELLS),
    Field("bag", 0, NUM_SHELLS, seen_by="nobody"),
    Field("covered", 0, NUM_SHELLS, seen_by="nobody"),
    Field("buckets", 0, NUM_SHELLS, per_player=True),
    CARDS,
    Field("castles", 1, PLAYED_GROOVES, per_player=True, words=PLACE_NAMES),
    Field("dials", 0, NUM_DIAL_POSITIONS - 1, per_player=True, null=UNSET),
    Field("spell_dials", 0, FIRST_COMBINATION - 1, per_player=True, null=UNSET),
    Field("owed", per_player=True, truth=True),
    Field("dials_set", 0, LAST_ROUND, per_player=True, inside="counts", optional=True),
    Field("spell_dials_set", 0, LAST_ROUND, per_player=True, inside="counts", optional=True),
    Field("last_dials", 0, NUM_DIAL_POSITIONS - 1, per_player=True, null=UNSET, optional=True),
    Field("last_spell_dials", 0, FIRST_COMBINATION - 1, per_player=True, null=UNSET, optional=True),
)


def check_snapshot(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    """Raises `ValueError`, naming the field, if fields contradict each other."""
    whole_number("round", int(game["round"]), 1, ruleset.rounds)
    _check_tide(game)
    _check_shells(game, snapshot, ruleset)
    _check_cards(game["cards"][: game["players"]], ruleset)
    _check_castles(game, ruleset)
    _check_dials(game, snapshot, ruleset)
    _check_owed(game, snapshot)
    _check_history(game)


def _check_tide(game: np.void) -> None:
    groove = groove_of(int(game["round"]))
    whole_number("groove", int(game["groove"]), groove, groove)
    nearest, furthest = (0, 0) if game["round"] <= TURN_ROUND else (2, 4)
    whole_number("sea", int(game["sea"]), groove + nearest, groove + furthest)


def _check_shells(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    if game["phase"] >= BUILD and game["shells"].any():
        raise ValueError(f"shells: {snapshot['shells']}, but in phase {snapshot['phase']!r} the groove is empty")
    open_grooves = game["round"] if game["round"] <= TURN_ROUND else PLAYED_GROOVES
    if game["covered"][:open_grooves].any():
        raise ValueError(f"covered: {snapshot['covered']} has shells in grooves that are open in round {game['round']}")
    everywhere = np.concatenate([game["shells"][None], game["bag"][None], game["covered"], game["buckets"]])
    for colour, (found, expected) in enumerate(zip(everywhere.sum(0, int).tolist(), ruleset.shells, strict=True)):
        if found != expected:
            raise ValueError(
                f"shells, bag, covered, buckets: {found} {COLOURS[colour]} shells in all, but the game has {expected}"
            )


def read_cards(cards: Any, ruleset: Ruleset, players: int) -> npt.NDArray[np.int8]:
    """The players' cards, from the form in snapshots to that in a game's record."""
    read = np.zeros((MAX_PLAYERS, NUM_VALUES, NUM_COLOURS), np.int8)
    read[:players] = CARDS.numbers("cards", cards, (players, NUM_VALUES, NUM_COLOURS))
    _check_cards(read[:players], ruleset)
    return read


def _check_cards(cards: npt.NDArray[np.int8], ruleset: Ruleset) -> None:
    for value in range(NUM_VALUES):
        printed = Counter(ruleset.cards[value])
        for card, times in Counter(map(tuple, cards[:, value].tolist())).items():
            if times > printed[card]:
                raise ValueError(f"cards: {times} times {list(card)} of value {value}; there are {printed[card]}")


def _check_castles(game: np.void, ruleset: Ruleset) -> None:
    players, places = int(game["players"]), game["castles"].tolist()
    visited = Counter(groove_of(round_) for round_ in range(1, game["round"] + 1))  # one castle per visit
    for player, castles in enumerate(places[:players]):
        for value, place in enumerate(castles):
            if place not in PLACE_NAMES:
                whole_number(f"castles[{player}][{value}]", place, 1, min(int(game["sea"]), PLAYED_GROOVES))
        for groove, standing in Counter(castles).items():
            if groove not in PLACE_NAMES and standing > visited[groove]:
                raise ValueError(f"castles[{player}]: {standing} in groove {groove}; at most {visited[groove]} can be")
    idle = [value for value in range(NUM_VALUES) if value not in ruleset.castles]
    if (game["castles"][:players, idle] != FLOODED).any():
        raise ValueError(f"castles: expected 'flooded' for the values {idle}, which are not in play")
    game["castles"][players:, idle] = FLOODED  # as in a deal
    flooded = (game["castles"][:players, list(ruleset.castles)] == FLOODED).any()
    if flooded and (game["sea"] >= PLAYED_GROOVES or game["round"] <= TURN_ROUND):
        raise ValueError("castles: one is flooded, but the sea has not come back to groove 8")
    all_built = any(count_built(castles) == NUM_VALUES for castles in places)
    if all_built and game["phase"] != OVER:
        raise ValueError(f"castles: a player has built all four, but the phase is {PHASES[game['phase']]!r}")
    if game["phase"] == OVER and not (all_built or game["round"] == ruleset.rounds):
        raise ValueError(f"phase: 'over', but nobody has built four castles, and it is not round {ruleset.rounds}")


def _check_dials(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    phase, dials = game["phase"], game["dials"].tolist()
    _, collided = set_combinations(dials)
    for player, dial in enumerate(snapshot["dials"]):
        if (dial is None) != (phase == DIAL):
            raise ValueError(f"dials[{player}]: {dial} does not fit phase {PHASES[phase]!r}")
        one_of(f"dials[{player}]", dial, (None, *ruleset.dial))
    for player, spell_dial in enumerate(snapshot["spell_dials"]):
        one_of(f"spell_dials[{player}]", spell_dial, (None, *ruleset.dial))
        if (spell_dial is not None) != (phase > SPELL and bool(in_spell(collided, dials[player]))):
            raise ValueError(f"spell_dials[{player}]: {spell_dial} does not fit {PHASES[phase]!r} and the dials")


def _check_owed(game: np.void, snapshot: Snapshot) -> None:
    phase, dials = game["phase"], game["dials"].tolist()
    alone, _ = set_combinations(dials)
    for player in np.flatnonzero(game["owed"]).tolist():
        if not COLLECT <= phase <= TROVE or not in_spell(alone, dials[player]):
            raise ValueError(f"owed[{player}]: true does not fit {PHASES[phase]!r} and the dials")
        if phase == COLLECT and dials[player] >= dials[snapshot["to_act"][0]]:
            raise ValueError(f"owed[{player}]: true, but that combination has not had its turn yet")


def _check_history(game: np.void) -> None:
    players, revealed = int(game["players"]), int(game["round"]) - int(game["phase"] == DIAL)
    for name in ("dials_set", "spell_dials_set"):
        for player, total in enumerate(game["counts"][name][:players].sum(1, int).tolist()):
            if total > revealed:
                raise ValueError(f"{name}[{player}]: {total} in all, but {revealed} rounds have been revealed")
    last, last_spell = game["last_dials"][:players], game["last_spell_dials"][:players]
    if (last != UNSET).any() and (game["round"] == 1 or (last == UNSET).any()):
        raise ValueError("last_dials: expected one for each player after the first round, or null for all")
    if ((last_spell != UNSET) & (last < FIRST_COMBINATION)).any():
        raise ValueError("last_spell_dials: expected null for players who had set no combination")
