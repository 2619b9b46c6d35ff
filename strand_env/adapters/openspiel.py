"""Any game for OpenSpiel: `load` gives a `pyspiel` game, on which the algorithms there run.

    game = load("maui", num_players=2)
    state = game.new_initial_state()

Where several players decide at once, nodes are simultaneous; with `turn_based` they are asked one after the other, and
what they choose stays secret. Cards and shells are drawn at chance nodes, before anybody can see them, so a search
that clones states never sees what will be drawn later. What was dealt, but lies face down, is part of a state.
"""

import base64
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from strand_env.adapters.scaling import encoding_in
from strand_env.engine.checks import checked_variant, fields_of, one_of, reason, shown, truth, whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import REWARD_KINDS, Batch, RewardKind, Snapshot
from strand_env.registry import game_ids, game_of
from strand_env.support.extras import from_extra
from strand_env.support.reading import parse_json

with from_extra("openspiel", "OpenSpiel's interface"):
    import pyspiel

MOST_DEALS = 1_000_000
_MOST_MOVES = 2_000  # more than any game has, chance included
_LEAST_SCORE = -200  # less than anybody can have
_SEEDS = 2**31  # OpenSpiel's parameters are 32-bit numbers
_UNDECIDED = -1
_DIGEST = 16  # bytes

# Parameters of games in OpenSpiel are numbers and words; other data are JSON, encoded so that its parser takes them.
_DEFAULTS = {
    "num_players": 0,
    "reward": "win",
    "variant": "",
    "turn_based": False,
    "first": 0,
    "deals": 0,
    "seed": 0,
    "encoding": "",
    "ruleset": "",
    "options": "",
    "snapshot": "",
}


def load(
    game: str | Game,
    *,
    num_players: int | None = None,
    reward: RewardKind = "win",
    variant: str | None = None,
    ruleset: Any = None,
    snapshot: Snapshot | None = None,
    turn_based: bool = False,
    first: int = 0,
    deals: int | None = None,
    seed: int | None = None,
    encoding: str | None = None,
    **options: Any,
) -> "SpielGame":
    """A `pyspiel` game of any of our games, by name.

    `reward`, `variant`, `ruleset`, `encoding` (of the tensors) and the options of the game are as in the environments;
    so are returns. With a `snapshot` the game begins there, with the snapshot's players, variant and ruleset. If it is
    `turn_based`, players who decide at once are asked one after the other, beginning with the `first` one.

    Chance is sampled, from `seed`, or a new one each time. With `deals=N` it is explicit instead: each chance node has
    N outcomes, equally likely, which are draws by the seeds from `seed` (by default 0) to `seed` + N - 1: a smaller
    game that algorithms can traverse as a whole.
    """
    house = game_of(game)
    _register(house)
    if snapshot is not None and (num_players, variant, ruleset) != (None, None, None):
        raise ValueError("snapshot: it has its own number of players, variant and ruleset; leave these out")
    if ruleset is not None and not isinstance(ruleset, house.ruleset):
        raise ValueError(f"ruleset: expected a {house.ruleset.__name__} of {house.name} or None")
    if encoding is not None and (not isinstance(encoding, str) or not encoding):  # an empty one is a default here
        raise ValueError(f"encoding: expected a name or None, got {shown(encoding)}")
    counts, players = house.player_counts, house.default_players if num_players is None else num_players
    parameters = {
        "num_players": 0 if snapshot is not None else whole_number("num_players", players, counts[0], counts[-1]),
        "reward": reward,
        "variant": "" if variant is None else checked_variant(variant, house.variants),
        "turn_based": turn_based,
        "first": first,
        "deals": 0 if deals is None else whole_number("deals", deals, 1, MOST_DEALS),
        "seed": (random.randrange(_SEEDS) if deals is None else 0) if seed is None else seed,
        "encoding": "" if encoding is None else encoding,
        "ruleset": "" if ruleset is None else _encoded("ruleset", ruleset.to_dict()),
        "options": _encoded("options", options) if options else "",
        "snapshot": "" if snapshot is None else _encoded("snapshot", snapshot),
    }
    return SpielGame(house, parameters)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours as OpenSpiel takes it; made by `load`."""

    def __init__(self, house: Game, parameters: Mapping[str, Any]) -> None:
        given = {**_DEFAULTS, **parameters}
        one_of("reward", given["reward"], REWARD_KINDS)
        self.house = house
        self.reward: RewardKind = given["reward"]
        self.turn_based = truth("turn_based", given["turn_based"])
        self.deals = whole_number("deals", given["deals"], 0, MOST_DEALS)
        self.seed = whole_number("seed", given["seed"], 0, _SEEDS - 1)
        snapshot, ruleset = _decoded("snapshot", given["snapshot"]), _decoded("ruleset", given["ruleset"])
        options = fields_of("options", _decoded("options", given["options"]) or {}, (), house.options)
        if snapshot is None:
            self._players = given["num_players"] or house.default_players
            self._variant = checked_variant(given["variant"] or None, house.variants)
            self._ruleset = None if ruleset is None else house.ruleset.from_dict(ruleset)
            example: Batch = house.batch(1, self._players, 0, self._ruleset, variant=self._variant, **options)
        else:
            example = house.batch.from_snapshots([snapshot], **options)
            self._players = example.num_players
        self._options = options
        self.first = whole_number("first", given["first"], 0, self._players - 1)
        # OpenSpiel's parameters cannot be NumPy's numbers.
        given |= {"turn_based": self.turn_based, "deals": self.deals, "seed": self.seed, "first": self.first}
        self.batch = example  # one game of this kind; the first of all, if there is a snapshot
        self.encoding = encoding_in(house, example, given["encoding"] or None)
        self.pass_action = example.pass_action
        self._random = random.Random(self.seed)
        self._root = Position(None) if snapshot is None else self.begun(example, (b"",) * self._players)
        kind = _type_of(house, self.reward, self.turn_based, bool(self.deals))
        least, most = self._utilities(example)
        facts = pyspiel.GameInfo(
            num_distinct_actions=example.num_actions,
            max_chance_outcomes=self.deals or 1,
            num_players=self._players,
            min_utility=least,
            max_utility=most,
            utility_sum=None if self.reward == "score" else 0.0,
            max_game_length=_MOST_MOVES,
        )
        super().__init__(kind, facts, {name: given[name] for name in _DEFAULTS if given[name] != _DEFAULTS[name]})

    def _utilities(self, batch: Any) -> tuple[float, float]:
        if self.reward == "win":
            return float(np.float32(-1 / self._players)), float(np.float32(1 - 1 / self._players))
        most = batch.most_points(batch.ruleset, batch.variant)
        if self.reward == "score":
            return float(_LEAST_SCORE), float(most)
        return (_LEAST_SCORE - most) / most, (most - _LEAST_SCORE) / most

    def new_initial_state(self, *_: Any) -> "SpielState":
        return SpielState(self)

    def state_of(self, batch: Batch) -> "SpielState":
        """The only game of a batch of this kind as a state, without its history."""
        state = SpielState(self)
        state.position = self.begun(batch, (b"",) * self._players)
        return state

    def reseed(self, seed: int) -> None:
        """Draws from another seed from now on: what is sampled, or the outcomes of explicit chance."""
        self.seed = seed
        self._random.seed(seed)

    def max_chance_nodes_in_history(self) -> int:
        return _MOST_MOVES

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "SpielObserver | None":
        """What players see; there is no observer that sees public or private information alone."""
        if params:
            raise ValueError(f"params: observers have none, got {sorted(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return SpielObserver(self, kind.perfect_recall)

    # Positions

    @property
    def root(self) -> "Position":
        return self._root

    def drawn(self, position: "Position", outcome: int) -> "Position":
        """After a chance node."""
        number = self.seed + outcome if self.deals else self._random.getrandbits(63)
        if position.batch is None:
            dealt = self.house.batch(1, self._players, number, self._ruleset, variant=self._variant, **self._options)
            return self.begun(dealt, (b"",) * self._players)
        batch = position.batch.clone()
        batch.redeal(number)
        batch.step([position.chosen])
        return self.begun(batch, position.recalls)

    def decided(self, position: "Position", actions: Mapping[int, int]) -> "Position":
        """After decisions of some players, by seat; the game is stepped when all have decided."""
        assert position.batch is not None
        chosen, recalls = list(position.chosen), list(position.recalls)
        for player, action in actions.items():
            chosen[player] = action
            recalls[player] = _digest(recalls[player], action.to_bytes(2, "little"))
        after = replace(position, chosen=tuple(chosen), recalls=tuple(recalls))
        if _UNDECIDED in chosen:
            return after
        batch = position.batch.clone()
        batch.step([chosen])
        if batch.has_drawn(position.batch)[0]:
            return replace(after, drawing=True)
        return self.begun(batch, after.recalls)

    def begun(self, batch: Batch, recalls: Sequence[bytes], only: Sequence[int] | None = None) -> "Position":
        """A position in which nobody has decided yet; all, or `only` some players, take note of what they see."""
        to_act = batch.to_act[0]
        chosen = np.where(to_act, _UNDECIDED, self.pass_action).tolist()
        players = np.arange(self._players)
        seen, legal = batch.look_at_rows(np.zeros_like(players), players)
        noted = [
            _digest(recall, seen[player].tobytes(), legal[player].tobytes())
            if only is None or player in only
            else recall
            for player, recall in enumerate(recalls)
        ]
        return Position(batch, tuple(chosen), False, tuple(noted), seen, legal)


@dataclass(frozen=True, eq=False)
class Position:
    """A game between two decisions. It is never changed, so states that are cloned share it."""

    batch: Batch | None  # the only game of a batch; None before it is dealt
    chosen: tuple[int, ...] = ()  # by player: the action, if decided; to pass, if there is nothing to decide
    drawing: bool = False  # whether all have decided, and chance comes next
    recalls: tuple[bytes, ...] = ()  # by player: a digest of all they have seen and done
    seen: npt.NDArray[np.integer] | None = None  # (players, entries)
    legal: npt.NDArray[np.int8] | None = None  # (players, actions)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def undecided(self) -> list[int]:
        return [player for player, action in enumerate(self.chosen) if action == _UNDECIDED]

    def has_decided(self, player: int) -> bool:
        """Whether a player was asked, and has chosen; perhaps to pass."""
        return self.batch is not None and bool(self.batch.to_act[0, player]) and self.chosen[player] != _UNDECIDED


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of a `SpielGame`. `batch` is the engine's game, None before it is dealt."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position = game.root

    @property
    def batch(self) -> Batch | None:
        return self.position.batch

    def current_player(self) -> int:
        position = self.position
        if position.batch is None or position.drawing:
            return int(pyspiel.PlayerId.CHANCE)
        undecided = position.undecided
        if not undecided:
            return int(pyspiel.PlayerId.TERMINAL)
        if len(undecided) > 1 and not self.get_game().turn_based:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return min(undecided, key=lambda player: (player - self.get_game().first) % len(position.chosen))

    def is_terminal(self) -> bool:
        position = self.position
        return position.batch is not None and not position.drawing and not position.undecided

    def _legal_actions(self, player: int) -> list[int]:
        """At simultaneous nodes, none for players who have nothing to decide."""
        position = self.position
        if position.legal is None or position.chosen[player] != _UNDECIDED:
            return []
        return np.flatnonzero(position.legal[player]).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        deals = self.get_game().deals or 1
        return [(outcome, 1 / deals) for outcome in range(deals)]

    def _apply_action(self, action: int) -> None:
        game, player = self.get_game(), self.current_player()
        if player == pyspiel.PlayerId.CHANCE:
            self.position = game.drawn(self.position, action)
        else:
            self.position = game.decided(self.position, {player: action})

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.position = self.get_game().decided(
            self.position, {player: actions[player] for player in self.position.undecided}
        )

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        game = self.get_game()
        return game.house.describe(action, game.batch.ruleset)

    def returns(self) -> list[float]:
        game, position = self.get_game(), self.position
        if position.batch is None or not self.is_terminal():
            return [0.0] * game.num_players()
        return position.batch.rewards(game.reward)[0].astype(float).tolist()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """A state that this player cannot tell from this one: what is hidden from the player is redealt.

        What others have chosen in secret at the same time becomes a random choice. The state comes without a history,
        in which the true ones would be.
        """
        game, position = self.get_game(), self.position
        if position.batch is None or position.drawing:
            raise ValueError("resample_from_infostate: expected a node at which somebody decides")
        draws = random.Random(sampler())
        batch = position.batch.clone()
        batch.redeal(draws.getrandbits(63), player)
        others = [other for other in range(game.num_players()) if other != player]
        known = [recall if seat == player else b"" for seat, recall in enumerate(position.recalls)]
        after = game.begun(batch, known, others)
        chosen, recalls = list(after.chosen), list(after.recalls)
        for seat in filter(position.has_decided, range(game.num_players())):
            chosen[seat] = position.chosen[seat]
            if seat != player:
                chosen[seat] = draws.choice(np.flatnonzero(after.legal[seat]).tolist())
                recalls[seat] = _digest(recalls[seat], chosen[seat].to_bytes(2, "little"))
        state = SpielState(game)
        state.position = replace(after, chosen=tuple(chosen), recalls=tuple(recalls))
        return state

    def __str__(self) -> str:
        position = self.position
        if position.batch is None:
            return "before the deal"
        where = " ".join(f"{name} {value}" for name, value in position.batch.status(0).items())
        chosen = ",".join("?" if action == _UNDECIDED else str(action) for action in position.chosen)
        return f"{where} chosen {chosen}{' drawing' * position.drawing} {_digest(*position.recalls).hex()}"


class SpielObserver:
    """What players see, as tensors and strings.

    The tensor is the observation of the environments. The state of each game keeps what players are meant to remember;
    but only the string of an information state tells all histories apart: it is a digest of everything that the player
    has seen and done. The string of an observation has the entries of the game's own observation that are not 0.
    """

    def __init__(self, game: SpielGame, perfect_recall: bool) -> None:
        self._game = game
        self._perfect_recall = perfect_recall
        self.tensor = np.zeros(game.encoding.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        seen = state.position.seen
        self.tensor[:] = 0 if seen is None else self._game.encoding.encode(seen[player : player + 1])[0]

    def string_from(self, state: SpielState, player: int) -> str:
        position = state.position
        if position.seen is None:
            return f"player {player}, before the deal"
        if self._perfect_recall:
            return f"player {player} {position.recalls[player].hex()}"
        words = [f"player {player}", *_entries(self._game.batch, position.seen[player])]
        if position.has_decided(player):
            words.append(f"chosen: {position.chosen[player]}")
        return "\n".join(words)


def _entries(batch: Batch, seen: npt.NDArray[np.integer]) -> list[str]:
    """A line for each section of an observation that is not all 0."""
    lines = []
    for section in batch.layout:
        values = seen[section.slice]
        if values.any():
            lines.append(f"{section.name}: {' '.join(map(str, values.tolist()))}")
    return lines


def _digest(*parts: bytes) -> bytes:
    return blake2b(b"".join(parts), digest_size=_DIGEST).digest()


def _type_of(house: Game, reward: RewardKind, turn_based: bool, explicit: bool) -> Any:
    kinds = pyspiel.GameType
    together = house.dynamics == "simultaneous" or house.information == "private"
    return kinds(
        short_name=house.id,
        long_name=house.title,
        dynamics=kinds.Dynamics.SIMULTANEOUS if together and not turn_based else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if explicit else kinds.ChanceMode.SAMPLED_STOCHASTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if together else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM if reward == "score" else kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=house.player_counts[-1],
        min_num_players=house.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_DEFAULTS,
    )


def _register(house: Game) -> None:
    """Makes a game known to `pyspiel.load_game` by its id, as reading a saved state needs."""
    if house.id in pyspiel.registered_names():
        return

    class Registered(SpielGame):  # a class, as OpenSpiel's registry outlives the interpreter, which frees functions
        def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
            super().__init__(house, parameters or {})

    pyspiel.register_game(_type_of(house, "win", False, False), Registered)


def _encoded(name: str, data: Any) -> str:
    try:
        return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name}: expected plain data, as JSON has it; {reason(error)}") from None


def _decoded(name: str, given: Any) -> Any:
    if not given:
        return None
    try:
        return parse_json(base64.urlsafe_b64decode(f"{given}{'=' * (-len(given) % 4)}"))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: expected JSON in the letters of base64, as `load` makes it; {error}") from None


for _name in game_ids():
    _register(game_of(_name))
