"""Many games at once: the batch class that every game inherits."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import (
    actions_of_players,
    any_array,
    as_int64,
    checked_variant,
    joint_actions,
    plain_array,
    seed_number,
    shown,
    truth,
    whole_number,
    whole_numbers,
)
from strand_env.engine.jit import Kernel
from strand_env.engine.kernels import Batched, Rules, TurnArrays, kernels_of
from strand_env.engine.layout import Layout
from strand_env.engine.protocol import OPEN, IllegalAction, Observer, RewardKind, Snapshot
from strand_env.engine.randomness import Seeds, next_seed, spread_seeds
from strand_env.engine.rewards import results_of, rewards_of
from strand_env.engine.ruleset import checked_ruleset
from strand_env.engine.snapshots import Field, SnapshotFormat, asked_players
from strand_env.engine.turns import DecisionTurn, Turn, TurnBase

R = TypeVar("R")
Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

MOST_GAMES = 2**31 - 1  # of a batch

_DERIVED = ("_for_kernels", "_layout", "_everything")  # attributes derived from the others


class GameBatch(Generic[R]):
    """A batch of games, stepped together. Each depends only on its own seed and actions.

    `seed` is an int, from which a seed is derived for each game by its index, or an array of one seed per game. With
    several `threads`, calls on many games are split between them, with the same results. A game inherits from this
    class and adds the class variables and functions below.

        games, step = Games(4096, num_players=4, seed=0), 0
        while not games.over.all():
            observations, masks = games.observe(), games.legal  # (games, players, entries), (games, players, actions)
            games.step(games.random_actions(seed=step))  # (games, players); another seed in each step
            step += 1
        games.rewards("win")  # (games, players)
    """

    rules: ClassVar[Rules]
    phases: ClassVar[tuple[str, ...]]
    player_counts: ClassVar[range]
    ruleset_type: ClassVar[Any]
    fields: ClassVar[Sequence[Field]]  # of the record, in snapshots
    options: ClassVar[Mapping[str, bool]] = {}  # that change observations, with their defaults
    deal_options: ClassVar[tuple[str, ...]] = ()  # keyword arguments of `reset`, besides the seed
    variants: ClassVar[tuple[str, ...]] = ()  # of the rules, the usual one first
    derived: ClassVar[tuple[str, ...]] = ()  # fields of the record that `reopen` computes, besides `legal`

    # Derived from these
    kernels: ClassVar[SimpleNamespace]
    snapshots: ClassVar[SnapshotFormat]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.rules.over != len(cls.phases) - 1:
            raise TypeError(f"{cls.__name__}: the phase of finished games, rules.over, must be the last of `phases`")
        cls.kernels = kernels_of(cls.rules)
        cls.snapshots = SnapshotFormat(
            *(cls.rules, cls.phases, cls.player_counts, cls.ruleset_type, cls.variants),
            fields=cls.fields,
            derived=cls.derived,
            options=cls.options,
            check=cls.check_snapshot,
        )

    @staticmethod
    def check_snapshot(game: np.void, snapshot: Snapshot, ruleset: Any) -> None:
        """Raises `ValueError`, naming a field, if a snapshot's fields contradict each other; `game` is its record."""

    @staticmethod
    def layout_of(ruleset: Any) -> Layout:
        """The sections of an observation under a ruleset."""
        raise NotImplementedError

    @classmethod
    def table_layout_of(cls, ruleset: Any) -> Layout:
        """The sections of an observation by `observe_table`."""
        return cls.layout_of(ruleset)

    @staticmethod
    def describe(action: int, ruleset: Any = None) -> str:
        """A short sentence about an action."""
        raise NotImplementedError

    @staticmethod
    def most_points(ruleset: Any, variant: str | None) -> int:
        """The highest possible score, by which the reward "margin" is scaled."""
        raise NotImplementedError

    def fields_to_deal(self, **deal_options: Any) -> dict[str, npt.NDArray[Any]]:
        """Values of the record's fields, by name, that the options of `reset` set in new games."""
        return {}

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players of finished games, by game and seat: further statistics by name."""
        return {}

    @classmethod
    def as_seen(cls, snapshot: Snapshot, observer: Observer) -> Snapshot:
        """A snapshot with null in place of what an observer may not see."""
        return cls.snapshots.as_seen(snapshot, observer)

    @classmethod
    def actions_as_seen(cls, before: Snapshot, actions: Sequence[int], observer: Observer) -> list[int | None]:
        """The players' actions, with None in place of those that an observer may not know."""
        players = cls.as_seen(before, observer)["players"]
        return [*actions_of_players(actions, players, cls.rules.num_actions)]

    def status(self, index: int) -> dict[str, Any]:
        """A short summary of a game's state for people to read; public information only."""
        return {"phase": self.phases[self.state["phase"][self._index(index)]]}

    # Making

    def __init__(
        self,
        num_games: int,
        num_players: int = 4,
        seed: Seeds = 0,
        ruleset: R | None = None,
        *,
        variant: str | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        num_games = whole_number("num_games", num_games, 1, MOST_GAMES)
        num_players = whole_number("num_players", num_players, self.player_counts[0], self.player_counts[-1])
        try:
            state, numbers = np.zeros(num_games, self.rules.state), np.arange(num_games)
        except MemoryError:
            size = num_games * self.rules.state.itemsize
            raise ValueError(f"num_games: no room for {num_games:,} games, which take {size:,} bytes") from None
        seeds = spread_seeds(seed, numbers)
        self._set_up(state, num_players, ruleset, variant, threads, options)
        self._deal(numbers, seeds)

    def _set_up(
        self,
        state: np.ndarray,
        num_players: int,
        ruleset: Any,
        variant: str | None,
        threads: int,
        options: Mapping[str, Any],
    ) -> None:
        if unknown := sorted(options.keys() - self.options.keys()):
            raise TypeError(f"options: {type(self).__name__} knows {sorted(self.options)}, but not {unknown}")
        assert state.dtype == self.rules.state
        self._state = state
        self._num_players = num_players
        self._ruleset = checked_ruleset(ruleset, self.ruleset_type)
        self._variant = checked_variant(variant, self.variants)
        self.threads = whole_number("threads", threads, 1)
        self._options = {name: truth(name, options.get(name, default)) for name, default in self.options.items()}
        self._prepare()

    def _prepare(self) -> None:
        self._layout = self.layout_of(self.ruleset)
        self._everything = np.arange(len(self._state))
        options = tuple(self._options.values())
        rules = self._ruleset.for_kernels(self.num_players, self.variant)
        self._for_kernels: Batched = (self._state, rules, options, self.num_players)

    @property
    def chosen_options(self) -> dict[str, bool]:
        """The options that change observations, by name."""
        return dict(self._options)

    # Properties of the batch

    @property
    def num_actions(self) -> int:
        return self.rules.num_actions

    @property
    def pass_action(self) -> int:
        """The only legal action of a player who has nothing to decide."""
        return self.rules.pass_action

    @property
    def state(self) -> np.ndarray:
        """(games,) records; the game's `state.py` lists the fields. To set up positions, use snapshots."""
        return self._state

    @property
    def num_games(self) -> int:
        return len(self._state)

    @property
    def num_players(self) -> int:
        return self._num_players

    @property
    def ruleset(self) -> R:
        return self._ruleset

    @property
    def variant(self) -> str | None:
        """The variant of the rules that is played; None in a game without variants."""
        return self._variant

    @property
    def layout(self) -> Layout:
        """The sections of an observation."""
        return self._layout

    @property
    def observation_maximum(self) -> npt.NDArray[np.integer]:
        """(layout.size,): the upper bound of each entry of an observation, at least 1; the lower bound is 0."""
        return self.layout.maximum

    @property
    def table_maximum(self) -> npt.NDArray[np.integer]:
        """(entries,): the upper bounds of `observe_table`."""
        return self.table_layout_of(self.ruleset).maximum

    @property
    def for_kernels(self) -> Batched:
        """The batch as compiled code takes it."""
        return self._for_kernels

    # Observing

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(games, players): which players have to decide now. The others can only pass."""
        to_act = np.empty((self.num_games, self.num_players), np.bool_)
        self.kernels.to_act(1, self.num_games, self.for_kernels, to_act)  # too little work for threads
        return to_act

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        """(games, players, actions): 1 for each action that is legal now."""
        return self.write_legal(np.empty((self.num_games, self.num_players, self.rules.mask_bytes), np.int8))

    def write_legal(self, out: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """Writes `legal` into (games, players, actions padded to a multiple of 64); returns a view without padding."""
        shape = self.num_games, self.num_players, self.rules.mask_bytes
        words = _aligned("out", out, np.dtype(np.int8), shape, np.uint64)
        self.kernels.masks(self.threads, self.num_games, self.for_kernels, words)
        return out[:, :, : self.num_actions]

    def observe(self, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """(games, players, layout.size): every player's observation, of type `layout.dtype`. Into `out` if given."""
        layout = self.layout
        shape = self.num_games, self.num_players, layout.size
        if out is None:
            out = np.empty(shape, layout.dtype)
        records = _aligned("out", out, layout.dtype, shape, self.rules.observation)[:, :, 0]
        self.kernels.observe(self.threads, self.num_games, self.for_kernels, records)
        return out

    def observe_table(self) -> npt.NDArray[Any]:
        """(games, entries): the observation of a centralised critic, in seating order, hidden information included."""
        layout = self.table_layout_of(self.ruleset)
        out = np.empty((self.num_games, layout.size), layout.dtype)
        self.kernels.observe_table(self.threads, self.num_games, self.for_kernels, out.view(self.rules.table))
        return out

    def look_at_rows(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[np.int8]]:
        """Observations (rows, layout.size) and masks (rows, actions) of players by game and seat, (rows,) each.

        For everybody who has to decide: `batch.look_at_rows(*np.nonzero(batch.to_act))`.
        """
        rows, layout = self._rows(games, seats), self.layout
        observations = np.empty((len(rows[0]), layout.size), layout.dtype)
        masks = np.empty((len(rows[0]), self.num_actions), np.int8)
        self._do_rows(self.kernels.look_at_rows, rows, masks, observations.view(self.rules.observation))
        return observations, masks

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """(games,): the seed that each game was dealt, or redealt, from."""
        return self.state["seed"].copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """(games,): which games have ended."""
        return self.state["phase"] == self.rules.over

    @property
    def scores(self) -> npt.NDArray[np.integer]:
        """(games, players): final scores; 0 until a game is over."""
        return self.state["scores"][:, : self.num_players].copy()

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        """(games, players): the winners, one or several; none until a game is over."""
        return self.state["winners"][:, : self.num_players].astype(np.bool_)

    def rewards(self, kind: RewardKind = "win", which: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        """(games, players): rewards of all games or those in `which`; 0 until a game is over, then by `kind`:

        - "win": the share of the win minus 1 / players, so that rewards sum to 0,
        - "score": the score,
        - "margin": the score minus the mean of the others' scores, divided by `most_points`.
        """
        return rewards_of(kind, *self._scores_and_winners(which), self.most_points(self.ruleset, self.variant))

    def results(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """(rows,) each, for players by game and seat: "win" (their share), "score" and "rank"; 0 until the end.

        Winners have rank 1; the others are ranked by score, and equal scores share a rank.
        """
        numbers, players = self._players(games, seats)
        return results_of(*self._scores_and_winners(numbers), players)

    # Playing

    def step(self, actions: npt.ArrayLike, which: npt.ArrayLike | None = None) -> None:
        """Steps each game to its next decision, with actions (games, players).

        Players with nothing to decide pass. Finished games ignore their actions and stay as they are. With `which` (a
        mask or indices) only those games are stepped, and `actions` has rows only for them. If any action is illegal,
        raises `IllegalAction` and changes nothing in any game.
        """
        self._step(self.kernels.step, actions, self._indices(which, distinct=True))

    def advance(self, actions: npt.ArrayLike, turn: Turn | DecisionTurn) -> None:
        """Steps all games, auto-resets finished games, and refreshes the turn.

        Actions are of all players, (games, players), or with a `DecisionTurn` of those who decide, (games,).
        """
        one = isinstance(turn, DecisionTurn)
        shape = (self.num_games,) if one else (self.num_games, self.num_players)
        if not isinstance(turn, TurnBase) or turn.observations.shape != (*shape, self.layout.size):
            raise ValueError(
                f"turn: expected one of {self.num_games} games of {self.num_players} players, as turn() makes it"
            )
        if isinstance(turn, DecisionTurn):
            self._decide(actions, turn)
        else:
            self._step(self.kernels.advance, actions, self._everything, turn.for_kernels)

    def turn(self) -> Turn:
        """Everybody's observations and masks, to pass to `advance`."""
        return Turn(self)

    def decision_turn(self) -> DecisionTurn:
        """The observation and mask of one player of each game who decides.

        Those who decide at the same time are asked one after the other, in seating order, and nothing of what the
        others have decided is shown; the game is stepped when all have.

            turn = games.decision_turn()
            games.advance(games.random_decisions(turn, seed=0), turn)
        """
        return DecisionTurn(self)

    def play_on(
        self,
        until: npt.ArrayLike | None = None,
        chosen: npt.ArrayLike | None = None,
        which: npt.ArrayLike | None = None,
        moves: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Plays on with random actions until a given player has to decide, or to the end.

        `until` is that player, for each game played; without it (or where it is -1), games are played to the end.
        `chosen` is these players' first action, the pass action if they have nothing to decide; without it (or where it
        is -1), games in which they have to decide stay as they are. The random actions are those of
        `Streams.of_decisions`, by the game's seed and its number of moves: `moves` (all games of the batch), which is
        incremented in place.
        """
        numbers = self._indices(which, distinct=True)
        players = np.full(len(numbers), -1) if until is None else whole_numbers("until", until)
        moves = np.zeros(self.num_games, np.int64) if moves is None else moves
        plain_array("moves", moves, np.int64, (self.num_games,))
        if players.shape != numbers.shape:
            raise ValueError(f"until: expected {len(numbers)} players, one for each game played; got {shown(until)}")
        if players.size and (players + 1).view(np.uint64).max() > self.num_players:  # those below -1 wrap
            raise ValueError(f"until: expected players from 0 to {self.num_players - 1}, or -1; got {shown(until)}")
        own = np.full(len(numbers), OPEN) if chosen is None else whole_numbers("chosen", chosen)
        if own.shape != numbers.shape:
            raise ValueError(f"chosen: expected {len(numbers)} actions, one for each game played; got {shown(chosen)}")
        room = np.empty(len(numbers), self.rules.choice)
        if self.kernels.play(self.threads, len(numbers), self.for_kernels, numbers, moves, players, own, room):
            for game, player, action in zip(numbers.tolist(), players.tolist(), own.tolist(), strict=True):
                if action == OPEN or player < 0 or self.over[game]:
                    continue
                if action not in self._legal_actions(game, player):
                    raise self.illegal_action(game, player, action)

    def random_actions(self, seed: int, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """(games, players): a uniformly random legal action for each player. Into `out` if given.

        The actions depend on the seed and the game's index, so pass another seed in each step.
        """
        shape = (self.num_games, self.num_players)
        out = np.empty(shape, np.int64) if out is None else plain_array("out", out, np.int64, shape)
        start = np.uint64(seed_number("seed", seed))
        self.kernels.choose_randomly(self.threads, self.num_games, self.for_kernels, start, out)
        return out

    def random_decisions(
        self, turn: DecisionTurn, seed: int, out: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.int64]:
        """(games,): a uniformly random legal action for the player of each game who decides. Into `out` if given."""
        if not isinstance(turn, DecisionTurn) or len(turn.players) != self.num_games:
            raise ValueError(f"turn: expected this batch's decision_turn(), got {shown(turn)}")
        out = np.empty(self.num_games, np.int64) if out is None else out
        plain_array("out", out, np.int64, (self.num_games,))
        start = np.uint64(seed_number("seed", seed))
        self.kernels.choose_for_deciders(self.threads, self.num_games, self.for_kernels, turn.players, start, out)
        return out

    def choose_randomly(
        self, games: npt.ArrayLike, seats: npt.ArrayLike, bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """(rows,): a legal action for each player, by game and seat and 64 random bits.

        Of n legal actions it is the one with index n * b >> 32, where b is the upper half of the bits.
        """
        rows = self._rows(games, seats)
        plain_array("bits", bits, np.uint64, rows[0].shape)
        out = np.empty(len(bits), np.int64)
        self._do_rows(self.kernels.choose_in_rows, rows, bits, out)
        return out

    def reset(self, which: npt.ArrayLike | None = None, seed: Seeds | None = None, **deal_options: Any) -> None:
        """Deals new games: all, or those in `which`, a mask or indices.

        Without a seed each game's next seed is derived from its last one, so that all games in a slot of the batch
        depend only on its first seed. Otherwise `seed` is as in the constructor; an array has one seed for each game
        dealt.
        """
        if unknown := sorted(deal_options.keys() - set(self.deal_options)):
            raise TypeError(f"reset: {type(self).__name__} knows {list(self.deal_options)}, but not {unknown}")
        indices = self._indices(which, distinct=True)
        seeds = next_seed(self.state["seed"][indices]) if seed is None else spread_seeds(seed, indices)
        given = self.fields_to_deal(**deal_options) if deal_options else {}
        self._deal(indices, seeds)
        for name, value in given.items():
            self.state[name][indices] = value

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        """Redeals what is hidden from the observer, one player for all games or one for each; for search.

        Without an observer, redeals what is hidden from everybody. All later draws follow from the new seed.

            copies = batch.select(np.zeros(64, int))  # 64 copies of game 0
            copies.redeal(seed=1, observer=2)  # now consistent with what player 2 knows
        """
        if observer is None:
            observers = np.full(self.num_games, -1)
        elif isinstance(observer, np.ndarray):
            observers = whole_numbers("observer", observer)
            if observers.shape != (self.num_games,) or not 0 <= observers.min() <= observers.max() < self.num_players:
                raise ValueError(
                    f"observer: expected a player from 0 to {self.num_players - 1} for each of {self.num_games} games, "
                    f"got {shown(observer)}"
                )
        else:
            observers = np.full(self.num_games, whole_number("observer", observer, 0, self.num_players - 1))
        seeds = spread_seeds(seed, np.arange(self.num_games))
        self.kernels.redeal(self.threads, self.num_games, self.for_kernels, seeds, observers)

    def has_drawn(self, before: Self) -> npt.NDArray[np.bool_]:
        """(games,): which games have drawn at random since they were as in `before`, an earlier copy.

        What was dealt before, but lies face down, is not drawn when it is turned up.
        """
        if not isinstance(before, type(self)) or before.num_games != self.num_games:
            raise ValueError(f"before: expected an earlier copy of these {self.num_games:,} games, got {shown(before)}")
        return self.state["stream"] != before.state["stream"]

    # Copying and saving

    def clone(self) -> Self:
        """An independent copy."""
        return self.select(None)

    def select(self, which: npt.ArrayLike | None) -> Self:
        """Independent copies of some games, by a mask or by indices, which may repeat."""
        games = type(self).__new__(type(self))
        games.__dict__.update(self.__dict__)
        # As plain bytes: NumPy copies records field by field, which is much slower.
        games._state = self.state.view(f"V{self.state.itemsize}")[self._indices(which)].view(self.state.dtype)
        games._for_kernels = (games._state, *self._for_kernels[1:])
        games._everything = np.arange(len(games._state))
        return games

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _DERIVED}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._state = np.require(self._state, requirements="W")  # an unpickled array may be read-only
        self._prepare()

    def snapshot(self, index: int) -> Snapshot:
        """A whole game as plain data for JSON; `from_snapshots` continues it exactly, future draws included."""
        game = self.state[self._index(index)]
        rules = self.for_kernels[1][0]
        return self.snapshots.write(game, rules, self.ruleset, self.variant, asked_players(game, self.rules))

    @classmethod
    def from_snapshots(cls, snapshots: Sequence[Snapshot], *, threads: int = 1, **options: Any) -> Self:
        """Games from snapshots, which must share their player count, ruleset and variant."""
        state, num_players, ruleset, variant = cls.snapshots.read(snapshots, cls.kernels.reopen)
        games = cls.__new__(cls)
        games._set_up(state, num_players, ruleset, variant, threads, options)
        return games

    # Internals

    def _deal(self, indices: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> None:
        self.kernels.deal(self.threads, len(indices), self.for_kernels, indices, seeds)

    def _step(self, kernel: Kernel, actions: npt.ArrayLike, numbers: npt.NDArray[np.int64], *turn: TurnArrays) -> None:
        given = joint_actions(actions, (len(numbers), self.num_players))
        chosen = np.empty(len(numbers), self.rules.choice)
        illegal = np.empty(len(numbers), np.bool_)
        if kernel(self.threads, len(numbers), self.for_kernels, numbers, as_int64(given), chosen, illegal, *turn):
            row = int(illegal.argmax())
            game = int(numbers[row])
            for player, action in enumerate(given[row].tolist()):
                if action not in self._legal_actions(game, player):
                    raise self.illegal_action(game, player, action)

    def _decide(self, actions: npt.ArrayLike, turn: DecisionTurn) -> None:
        given = joint_actions(actions, (self.num_games,), "one action for the player of each game who decides")
        illegal = np.empty(self.num_games, np.bool_)
        room = self.for_kernels, turn.players, as_int64(given), turn.chosen, illegal, turn.for_kernels
        if self.kernels.advance_decisions(self.threads, self.num_games, *room):
            game = int(illegal.argmax())
            player, action = int(turn.players[game]), int(given[game])
            if action not in self._legal_actions(game, player) or not self.to_act[game, player]:
                raise self.illegal_action(game, player, action)
            raise ValueError(f"turn: game {game} has changed since it was looked at; make another turn")

    def _legal_actions(self, game: int, player: int) -> list[int]:
        _, masks = self.look_at_rows([game], [player])
        return np.flatnonzero(masks[0]).tolist()

    def illegal_action(self, game: int, player: int, action: int) -> IllegalAction:
        """The error for an action that a player may not do now."""
        phase = self.phases[self.state["phase"][game]]
        known = f" ({self.describe(action, self.ruleset)})" if 0 <= action < self.num_actions else ""
        legal = (f"{each} ({self.describe(each, self.ruleset)})" for each in self._legal_actions(game, player))
        return IllegalAction(
            f"game {game}, player {player}, phase {phase!r}: action {action}{known} is not legal; legal: "
            + ", ".join(legal)
        )

    def _index(self, index: int) -> int:
        return whole_number("index", index, 0, self.num_games - 1)

    def _indices(
        self, which: npt.ArrayLike | None, distinct: bool = False, name: str = "which"
    ) -> npt.NDArray[np.int64]:
        if which is None:
            return self._everything
        expected = "a mask or a list of game numbers"
        given = any_array(name, which, expected)
        if given.dtype == np.bool_:
            if given.shape != (self.num_games,):
                raise ValueError(f"{name}: expected a mask of shape {(self.num_games,)}, got {given.shape}")
            return np.flatnonzero(given)
        numbers = whole_numbers(name, given, expected)
        if numbers.size and numbers.view(np.uint64).max() >= self.num_games:  # negative ones wrap to large numbers
            raise ValueError(f"{name}: expected game numbers from 0 to {self.num_games - 1}, got {shown(which)}")
        if distinct and not (numbers[1:] > numbers[:-1]).all() and len(np.unique(numbers)) < len(numbers):
            raise ValueError(f"{name}: a game is named twice in {shown(which)}")
        return numbers

    def _scores_and_winners(self, which: npt.ArrayLike | None) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        numbers = self._indices(which)
        scores, winners = (self.state[field][numbers] for field in ("scores", "winners"))
        return scores[:, : self.num_players], winners[:, : self.num_players].view(np.bool_)

    def _rows(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> Rows:
        rows = whole_numbers("games", games), whole_numbers("seats", seats)
        if rows[0].shape != rows[1].shape:
            raise ValueError(
                f"games, seats: expected two lists of the same length, got {shown(games)} and {shown(seats)}"
            )
        return rows

    def _players(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> Rows:
        """The same, checked to exist."""
        numbers, players = self._rows(games, seats)
        if players.size and players.view(np.uint64).max() >= self.num_players:  # negative ones wrap to large numbers
            raise ValueError(f"seats: expected numbers from 0 to {self.num_players - 1}, got {shown(seats)}")
        return self._indices(numbers, name="games"), players

    def _do_rows(self, kernel: Kernel, rows: Rows, *arguments: Any) -> None:
        if not len(rows[0]):
            return
        # Negative numbers wrap to large ones.
        last_game, last_seat = (numbers.view(np.uint64).max() for numbers in rows)
        if last_game >= self.num_games or last_seat >= self.num_players:
            raise ValueError(
                f"games, seats: expected for each row a game from 0 to {self.num_games - 1} and a player from 0 to "
                f"{self.num_players - 1}; got {shown(rows[0])} and {shown(rows[1])}"
            )
        kernel(self.threads, len(rows[0]), self.for_kernels, *rows, *arguments)


def _aligned(name: str, out: Any, dtype: np.dtype, shape: tuple[int, ...], record: npt.DTypeLike) -> np.ndarray:
    """A caller's output array viewed as records or words, which need the alignment of words."""
    plain_array(name, out, dtype, shape)
    if shape[-1] * dtype.itemsize % 8 == 0 and not out.view(np.uint64).flags.aligned:
        raise ValueError(f"{name}: expected an array that starts at a multiple of 8 bytes")
    return out.view(record)
