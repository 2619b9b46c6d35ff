"""One game as plain data, and back: section 8 of the rules.

What is read must be whole and possible; it is refused with the name of the field that is not. Some freedom is left
to set up positions by hand: how many shells lie in a groove and in buckets, how soon castles were taken from the heap
or flooded, how far the sea went back at the turn, and that a castle may stand in the current groove before this round's
building.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.strand_unter import kernels
from strand_env.strand_unter.actions import FIRST_COMBINATION, NUM_DIAL_POSITIONS
from strand_env.strand_unter.legal import PASS_ONLY
from strand_env.strand_unter.ruleset import (
    COLOURS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_COLOURS,
    NUM_SHELLS,
    NUM_VALUES,
    PLAYED_GROOVES,
    Ruleset,
)
from strand_env.strand_unter.state import (
    BUILD,
    COLLECT,
    DIAL,
    FLOODED,
    GAME_DTYPE,
    HEAP,
    LAST_ROUND,
    OVER,
    PHASES,
    READY,
    SPELL,
    TROVE,
    TURN_ROUND,
    UNSET,
)

_OPEN_KEYS = ("players", "round", "groove", "sea", "phase", "to_act", "shells", "buckets", "cards", "castles", "dials")
_RESULT_KEYS = ("scores", "winners")
_FURTHER_KEYS = ("bag", "covered", "spell_dials", "owed", "seed", "stream", "ruleset")
KEYS = frozenset(_OPEN_KEYS + _RESULT_KEYS + _FURTHER_KEYS)

_PLACE_NAMES = {HEAP: "heap", READY: "ready", FLOODED: "flooded"}
_NAMED_PLACES = {name: place for place, name in _PLACE_NAMES.items()}


def write_snapshot(game: np.void, ruleset: Ruleset) -> dict[str, Any]:
    """The snapshot of one record."""
    players = int(game["players"])
    over = game["phase"] == OVER
    per_player = {name: game[name][:players].tolist() for name in _PER_PLAYER}
    return {
        **{name: int(game[name]) for name in ("players", "round", "groove", "sea")},
        "phase": PHASES[game["phase"]],
        "to_act": [player for player, word in enumerate(per_player["legal"]) if word != int(PASS_ONLY)],
        **{name: game[name].tolist() for name in ("shells", "bag", "covered")},
        "buckets": per_player["buckets"],
        "cards": per_player["cards"],
        "castles": [[_PLACE_NAMES.get(place, place) for place in castles] for castles in per_player["castles"]],
        **{name: [_or_null(dial) for dial in per_player[name]] for name in ("dials", "spell_dials")},
        "scores": per_player["scores"] if over else None,
        "winners": [bool(won) for won in per_player["winners"]] if over else None,
        "owed": [bool(owed) for owed in per_player["owed"]],
        **{name: f"{int(game[name]):#018x}" for name in ("seed", "stream")},
        "ruleset": ruleset.to_dict(),
    }


_PER_PLAYER = ("legal", "buckets", "cards", "castles", "dials", "spell_dials", "scores", "winners", "owed")


def _or_null(dial: int) -> int | None:
    return None if dial == UNSET else dial


def read_snapshots(snapshots: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, int, Ruleset]:
    """The state of the games, their number of players and their ruleset."""
    if not isinstance(snapshots, Sequence) or isinstance(snapshots, (str, bytes)) or not snapshots:
        raise ValueError(f"snapshots: expected a list of at least one snapshot, got {snapshots!r:.80}")
    games = []
    for number, snapshot in enumerate(snapshots):
        try:
            games.append(_read(snapshot))
        except ValueError as error:
            raise ValueError(f"snapshot {number}: {error}") from None
    players, ruleset = int(games[0][0]["players"][0]), games[0][1]
    for number, (game, other_ruleset) in enumerate(games):
        if game["players"][0] != players:
            raise ValueError(f"snapshot {number}: players: {game['players'][0]}, but snapshot 0 has {players}")
        if other_ruleset != ruleset:
            raise ValueError(f"snapshot {number}: ruleset: not that of snapshot 0")
    return np.concatenate([game for game, _ in games]), players, ruleset


def _read(snapshot: Mapping[str, Any]) -> tuple[np.ndarray, Ruleset]:
    """The record of one snapshot, as an array of one, and its ruleset."""
    if not isinstance(snapshot, Mapping):
        raise ValueError(f"expected a dict, got {snapshot!r:.80}")
    if set(snapshot) != KEYS:
        missing, unknown = sorted(KEYS - set(snapshot)), sorted(map(str, set(snapshot) - KEYS))
        raise ValueError(f"keys: missing {missing}, unknown {unknown}")
    ruleset = Ruleset.from_dict(snapshot["ruleset"])
    games = np.zeros(1, GAME_DTYPE)
    game = games[0]
    players = game["players"] = _number("players", snapshot["players"], MIN_PLAYERS, MAX_PLAYERS)
    if not isinstance(snapshot["phase"], str) or snapshot["phase"] not in PHASES:
        raise ValueError(f"phase: expected one of {PHASES}, got {snapshot['phase']!r}")
    game["phase"] = PHASES.index(snapshot["phase"])
    _read_tide(game, snapshot)
    _read_shells(game, snapshot, ruleset, players)
    game["cards"] = read_cards(snapshot["cards"], ruleset, players)
    _read_castles(game, snapshot["castles"], players)
    _read_dials(game, snapshot, players)
    _read_result(game, snapshot, players)
    game["seed"] = _bits("seed", snapshot["seed"])
    game["stream"] = _bits("stream", snapshot["stream"])
    _reopen(games, snapshot["to_act"], ruleset)
    return games, ruleset


def _read_tide(game: np.void, snapshot: Mapping[str, Any]) -> None:
    round_ = game["round"] = _number("round", snapshot["round"], 1, LAST_ROUND)
    groove = _groove(round_)
    game["groove"] = _number("groove", snapshot["groove"], groove, groove)
    distances = (0, 0) if round_ <= TURN_ROUND else (2, 4)
    game["sea"] = _number("sea", snapshot["sea"], groove + distances[0], groove + distances[1])


def _groove(round_: int) -> int:
    return TURN_ROUND - abs(TURN_ROUND - round_)


def _read_shells(game: np.void, snapshot: Mapping[str, Any], ruleset: Ruleset, players: int) -> None:
    game["shells"] = _counts("shells", snapshot["shells"])
    game["bag"] = _counts("bag", snapshot["bag"])
    for name, rows in (("covered", PLAYED_GROOVES), ("buckets", players)):
        for index, row in enumerate(_list(name, snapshot[name], rows)):
            game[name][index] = _counts(f"{name}[{index}]", row)
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
    """The players' cards as they stand in a game's record."""
    read = np.zeros((MAX_PLAYERS, NUM_VALUES, NUM_COLOURS), np.int8)
    for player, hand in enumerate(_list("cards", cards, players)):
        for value, card in enumerate(_list(f"cards[{player}]", hand, NUM_VALUES)):
            read[player, value] = _counts(f"cards[{player}][{value}]", card)
    for value in range(NUM_VALUES):
        dealt = Counter(map(tuple, read[:players, value].tolist()))
        printed = Counter(ruleset.cards[value])
        for card, times in dealt.items():
            if times > printed[card]:
                raise ValueError(f"cards: {times} times {list(card)} of value {value}; there are {printed[card]}")
    return read


def _read_castles(game: np.void, castles: Any, players: int) -> None:
    most_seaward = min(int(game["sea"]), PLAYED_GROOVES)
    visited = Counter(_groove(round_) for round_ in range(1, game["round"] + 1))  # one castle each time
    for player, row in enumerate(_list("castles", castles, players)):
        for value, place in enumerate(_list(f"castles[{player}]", row, NUM_VALUES)):
            name = f"castles[{player}][{value}]"
            if isinstance(place, str):
                if place not in _NAMED_PLACES:
                    raise ValueError(f"{name}: expected a groove or one of {sorted(_NAMED_PLACES)}, got {place!r}")
                game["castles"][player, value] = _NAMED_PLACES[place]
            else:
                game["castles"][player, value] = _number(name, place, 1, most_seaward)
        for groove, standing in Counter(row).items():
            if not isinstance(groove, str) and standing > visited[groove]:
                raise ValueError(f"castles[{player}]: {standing} in groove {groove}; at most {visited[groove]} can be")
    if (game["castles"] == FLOODED).any() and (game["sea"] >= PLAYED_GROOVES or game["round"] <= TURN_ROUND):
        raise ValueError("castles: one is flooded, but the sea has not come back to groove 8")
    all_built = (~np.isin(game["castles"], (HEAP, READY))).all(1).any()
    if all_built and game["phase"] != OVER:
        raise ValueError(f"castles: a player has built all four, but the phase is {PHASES[game['phase']]!r}")
    if game["phase"] == OVER and not (all_built or game["round"] == LAST_ROUND):
        raise ValueError("phase: 'over', but nobody has built four castles, and it is not round 15")


def _read_dials(game: np.void, snapshot: Mapping[str, Any], players: int) -> None:
    phase = game["phase"]
    for name, positions in (("dials", NUM_DIAL_POSITIONS), ("spell_dials", FIRST_COMBINATION)):
        game[name][:] = UNSET
        for player, dial in enumerate(_list(name, snapshot[name], players)):
            if dial is not None:
                game[name][player] = _number(f"{name}[{player}]", dial, 0, positions - 1)
    for player, dial in enumerate(snapshot["dials"]):
        if (dial is None) != (phase == DIAL):
            raise ValueError(f"dials[{player}]: {dial} does not fit phase {PHASES[phase]!r}")
    setters = Counter(dial for dial in snapshot["dials"] if dial is not None and dial >= FIRST_COMBINATION)
    collided = {dial for dial, times in setters.items() if times > 1}
    for player, (dial, spell_dial) in enumerate(zip(snapshot["dials"], snapshot["spell_dials"], strict=True)):
        if (spell_dial is not None) != (phase > SPELL and dial in collided):
            raise ValueError(f"spell_dials[{player}]: {spell_dial} does not fit {PHASES[phase]!r} and the dials")
    for player, owed in enumerate(_list("owed", snapshot["owed"], players)):
        if not isinstance(owed, bool):
            raise ValueError(f"owed[{player}]: expected true or false, got {owed!r}")
        game["owed"][player] = owed
        dial = snapshot["dials"][player]
        if owed and (not COLLECT <= phase <= TROVE or dial < FIRST_COMBINATION or dial in collided):
            raise ValueError(f"owed[{player}]: true does not fit {PHASES[phase]!r} and the dials")


def _read_result(game: np.void, snapshot: Mapping[str, Any], players: int) -> None:
    for name, kind in (("scores", int), ("winners", bool)):
        values = snapshot[name]
        if game["phase"] != OVER:
            if values is not None:
                raise ValueError(f"{name}: expected null until the game is over, got {values!r}")
            continue
        for player, value in enumerate(_list(name, values, players)):
            if type(value) is not kind or not -NUM_SHELLS <= value <= NUM_SHELLS:
                raise ValueError(f"{name}[{player}]: expected {kind.__name__}, got {value!r}")
            game[name][player] = value


def _reopen(games: np.ndarray, to_act: Any, ruleset: Ruleset) -> None:
    """Offers the game's phase again to find out what is legal; an unsound game would ask others, or play on."""
    before = games.copy()
    game, players, phase = games[0], int(games[0]["players"]), PHASES[games[0]["phase"]]
    if not isinstance(to_act, (list, tuple)):
        raise ValueError(f"to_act: expected a list of players, got {to_act!r:.80}")
    for player in to_act:
        _number("to_act", player, 0, players - 1)
    if (phase == "over") == bool(to_act):
        raise ValueError(f"to_act: {to_act} does not fit phase {phase!r}")
    if phase == "collect":
        for player in np.flatnonzero(game["owed"] & (game["dials"] >= game["dials"][to_act[0]])):
            raise ValueError(f"owed[{player}]: true, but that combination has not had its turn yet")
    kernels.reopen_games(1, 1, games, np.array([to_act[0] if to_act else 0]), ruleset.for_kernels(players))
    if phase == "over":
        for name in ("scores", "winners"):
            if (game[name] != before[0][name]).any():
                raise ValueError(f"{name}: {before[0][name][:players]}, but the game counts {game[name][:players]}")
    asked = np.flatnonzero(game["legal"][:players] != PASS_ONLY).tolist()
    if asked != list(to_act):
        raise ValueError(f"to_act: {to_act} does not fit; in phase {phase!r} of this game {asked} would be asked")
    before["legal"] = games["legal"]
    if not (before == games).all():
        raise ValueError(f"phase: {phase!r} does not fit; decisions that leave no choice have not been carried out")


def _number(name: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        expected = f"a whole number from {least} to {most}" if least < most else str(least)
        raise ValueError(f"{name}: expected {expected}, got {value!r}")
    return value


def _list(name: str, value: Any, length: int) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)) or len(value) != length:
        raise ValueError(f"{name}: expected a list of {length}, got {value!r:.200}")
    return value


def _counts(name: str, value: Any) -> list[int]:
    counts = enumerate(_list(name, value, NUM_COLOURS))
    return [_number(f"{name}[{colour}]", count, 0, NUM_SHELLS) for colour, count in counts]


def _bits(name: str, value: Any) -> int:
    if isinstance(value, str) and re.fullmatch("0x[0-9a-f]{16}", value):
        return int(value, 16)
    raise ValueError(f"{name}: expected 64 bits as '0x' and 16 hexadecimal digits, got {value!r:.80}")
