"""N games of Strand Unter at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.jit import Kernel
from strand_env.engine.protocol import IllegalAction, RewardKind
from strand_env.engine.randomness import Seeds, check_seed, spread_seeds
from strand_env.engine.rewards import results_of, rewards_of
from strand_env.strand_unter import kernels
from strand_env.strand_unter.actions import NUM_ACTIONS, PASS, describe
from strand_env.strand_unter.kernels import CHOICE_DTYPE, MASK_WORDS, RESULT_DTYPE
from strand_env.strand_unter.layout import MOST_POINTS, OBSERVATION_SIZE, Layout, layout_of
from strand_env.strand_unter.observation import OBSERVATION_DTYPE, PACKED_DTYPE, WORD
from strand_env.strand_unter.ruleset import MAX_PLAYERS, MIN_PLAYERS, Ruleset
from strand_env.strand_unter.snapshot import read_cards, read_snapshots, write_snapshot
from strand_env.strand_unter.state import FLOODED, GAME_DTYPE, HEAP, PHASES, READY


class Turn:
    """What everybody sees, in arrays that `Games.advance` fills again and again.

    `observations` (games, players, layout.size) and `legal` (games, players, 57) are of the games as they stand. `over`
    (games,) tells which games ended in the last step and were dealt anew; `scores` and `winners` (games, players) how
    these ended.
    """

    def __init__(self, games: "Games") -> None:
        self._num_players = games.num_players
        self._results = np.zeros(games.num_games, RESULT_DTYPE)
        self._masks = np.empty((games.num_games, games.num_players, WORD * MASK_WORDS), np.int8)
        self.observations = games.observe()
        games.write_legal(self._masks)

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        return self._masks[:, :, :NUM_ACTIONS]

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        return self._results["over"].view(np.bool_)

    @property
    def scores(self) -> npt.NDArray[np.int8]:
        return self._results["scores"][:, : self._num_players]

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        return self._results["winners"][:, : self._num_players].view(np.bool_)

    @property
    def for_kernels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same arrays as `step_games` fills them."""
        rows = self.observations.view(OBSERVATION_DTYPE)[:, :, 0]
        return self._results, self._masks.view(np.uint64), rows


# In place of arrays that a step does not need.
_NOBODY = np.empty(0, np.int64)
_NO_TURN = (
    np.empty(0, RESULT_DTYPE),
    np.empty((0, 0, MASK_WORDS), np.uint64),
    np.empty((0, 0, 1), OBSERVATION_DTYPE)[:, :, 0],
)


class Games:
    """A batch of games, stepped together. Each depends on its own seed and actions alone.

    `seed` is an int, from which and its number each game's seed is derived, or an array of one seed per game. With
    `hide_buckets` observations leave out the opponents' buckets. With several `threads` the games of each call are
    shared between them if there are many; the results are the same. (A process that has used threads must not be forked
    to use them in the child, too: start new ones by "spawn".)
    """

    num_actions = NUM_ACTIONS
    pass_action = PASS
    deal_options: tuple[str, ...] = ("cards",)

    def __init__(
        self,
        num_games: int,
        num_players: int = 4,
        seed: Seeds = 0,
        ruleset: Ruleset | None = None,
        *,
        hide_buckets: bool = False,
        threads: int = 1,
    ) -> None:
        num_games = _whole_number("num_games", num_games, 1)
        num_players = _whole_number("num_players", num_players, MIN_PLAYERS, MAX_PLAYERS)
        seeds = spread_seeds(seed, np.arange(num_games))
        self._set_up(np.zeros(num_games, GAME_DTYPE), num_players, ruleset, hide_buckets, threads)
        self._deal(np.arange(num_games), seeds)

    def _set_up(
        self, state: np.ndarray, num_players: int, ruleset: Ruleset | None, hide_buckets: bool, threads: int
    ) -> None:
        if ruleset is not None and not isinstance(ruleset, Ruleset):
            raise ValueError(f"ruleset: expected a Ruleset or None, got {ruleset!r}")
        self._state = state
        self._num_players = num_players
        self._ruleset = ruleset or Ruleset.default()
        self.hide_buckets = bool(hide_buckets)
        self.threads = _whole_number("threads", threads, 1)
        self._rules = self.ruleset.for_kernels(num_players)

    @property
    def state(self) -> np.ndarray:
        """One record for each game; `state.py` lists the fields. To set up positions, rather use snapshots."""
        return self._state

    @property
    def num_games(self) -> int:
        return len(self._state)

    @property
    def num_players(self) -> int:
        return self._num_players

    @property
    def ruleset(self) -> Ruleset:
        return self._ruleset

    @property
    def layout(self) -> Layout:
        """The sections of an observation."""
        return layout_of(self.ruleset)

    @property
    def observation_maximum(self) -> npt.NDArray[np.int8]:
        """(layout.size,): the largest number that each entry of an observation can be; none is 0."""
        return self.layout.maximum

    @property
    def table_maximum(self) -> npt.NDArray[np.int8]:
        """(layout.size,): the same of what `observe_table` shows."""
        return self.layout.maximum

    @property
    def for_kernels(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, bool]:
        """All that decides the games, as compiled code takes it: see `kernels.write_observations`."""
        return self.state, self.state.view(PACKED_DTYPE), self._rules, self.num_players, self.hide_buckets

    # Looking at the games

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        """(games, players): who has to decide now. The others' only action is to pass."""
        to_act = np.empty((self.num_games, self.num_players), np.bool_)
        kernels.find_to_act(1, self.num_games, self.state, to_act)  # too little to share between threads
        return to_act

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        """(games, players, 57): 1 for each action that is legal now."""
        return self.write_legal(np.empty((self.num_games, self.num_players, WORD * MASK_WORDS), np.int8))

    def write_legal(self, out: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """`legal` into an array of shape (games, players, 64), to save a new one; returns the first 57 of the 64."""
        words = self._words_of(out, MASK_WORDS)
        kernels.write_masks(self.threads, self.num_games, self.state, self.num_players, words)
        return out[:, :, :NUM_ACTIONS]

    def observe(self, out: npt.NDArray[np.int8] | None = None) -> npt.NDArray[np.int8]:
        """(games, players, layout.size): what each player sees. Into `out` if given, to save a new array."""
        if out is None:
            out = np.empty((self.num_games, self.num_players, OBSERVATION_SIZE), np.int8)
        self._observe(out, self.hide_buckets)
        return out

    def observe_table(self) -> npt.NDArray[np.int8]:
        """(games, layout.size): what all players together see, in order of their seats, hidden buckets included."""
        out = np.empty((self.num_games, self.num_players, OBSERVATION_SIZE), np.int8)
        self._observe(out, hide_buckets=False)
        return out[:, 0].copy()

    def look_at_rows(
        self, games: npt.ArrayLike, seats: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """For some players, each by game and seat: observations (rows, layout.size) and legal actions (rows, 57)."""
        rows = self._rows(games, seats)
        observations = np.empty((len(rows[0]), 1, OBSERVATION_SIZE), np.int8)
        masks = np.empty((len(rows[0]), NUM_ACTIONS), np.int8)
        looked_at = self.state.view(PACKED_DTYPE), self._rules, self.hide_buckets
        records = observations.view(OBSERVATION_DTYPE)[:, :, 0]
        self._do_rows(kernels.look_at_rows, rows, *looked_at, masks, records)
        return observations[:, 0], masks

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        """(games,): the seed that each game was dealt from."""
        return self.state["seed"].copy()

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """(games,): which games have ended."""
        over = np.empty(self.num_games, np.bool_)
        kernels.find_over(1, self.num_games, self.state, over)
        return over

    @property
    def scores(self) -> npt.NDArray[np.int8]:
        """(games, players): points in the end; 0 until a game is over."""
        return self.state["scores"][:, : self.num_players].copy()

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        """(games, players): who has won, alone or shared; nobody until a game is over."""
        return self.state["winners"][:, : self.num_players].astype(np.bool_)

    def rewards(self, kind: RewardKind = "win", which: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        """(games, players), of all games or those that `which` names: 0 until a game is over; then by `kind`:

        - "win": the share of the win less 1 / players, which adds up to 0,
        - "score": the points,
        - "margin": the points less the mean of the others', in parts of the most points that castles can bring.
        """
        return rewards_of(kind, *self._scores_and_winners(which), MOST_POINTS)

    def results(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """For some players, each by game and seat: "win", the share of it, "score" and "rank"; 0 until the end.

        Winners have rank 1, the others come by their points, equal for equal ones.
        """
        numbers, players = self._players(games, seats)
        return results_of(*self._scores_and_winners(numbers), players)

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        """For some players, each by game and seat: castles built, those of them that were flooded, and the rounds."""
        numbers, players = self._players(games, seats)
        castles = self.state["castles"][numbers, players]
        return {
            "castles built": ((castles != HEAP) & (castles != READY)).sum(1),
            "flooded": (castles == FLOODED).sum(1),
            "rounds": self.state["round"][numbers].astype(np.int64),
        }

    def status(self, index: int) -> dict[str, Any]:
        """The phase and the round that a game is in."""
        game = self.state[_whole_number("index", index, 0, self.num_games - 1)]
        return {"phase": PHASES[game["phase"]], "round": int(game["round"])}

    # Playing

    def step(self, actions: npt.ArrayLike, which: npt.ArrayLike | None = None) -> None:
        """Plays each game on to its next decision with one action per player; (games, players).

        Players with nothing to decide pass. Games that are over ignore their actions and stay as they are. With
        `which` (a mask, or numbers) only some games are played, and the actions are theirs alone.
        """
        self._step(actions, self._indices(which, distinct=True), _NOBODY, _NOBODY, *_NO_TURN)

    def play_on(
        self,
        until: npt.ArrayLike | None = None,
        chosen: npt.ArrayLike | None = None,
        which: npt.ArrayLike | None = None,
        moves: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Goes on with random actions until a player has to decide, or to the end.

        `until` is that player, for each game that is played; without it (or where it is -1), games are played out.
        These players begin with what they have `chosen`, which is to pass for who has nothing to decide; without it,
        games in which they have to decide stay as they are. The random actions depend on a game's seed and its number
        of moves, which `moves` gives for each game of the batch, and which is counted up there: they are those of
        `Streams.of_decisions`.
        """
        numbers = self._indices(which, distinct=True)
        players = np.full(len(numbers), -1) if until is None else _whole_numbers("until", until)
        moves = np.zeros(self.num_games, np.int64) if moves is None else moves
        if players.shape != numbers.shape:
            raise ValueError(f"until: expected {len(numbers)} players, one for each game played; got {until!r:.80}")
        if not _is_plain(moves, np.int64, (self.num_games,)):
            raise ValueError(f"moves: expected {self.num_games} numbers int64, one for each game; got {moves!r:.80}")
        if chosen is None:
            waiting = ~(self.to_act[numbers] & (np.arange(self.num_players) == players[:, None])).any(1)
            numbers, players = numbers[waiting], players[waiting]
            if not len(numbers):
                return
        own = np.full(len(numbers), PASS) if chosen is None else _whole_numbers("chosen", chosen)
        if own.shape != numbers.shape:
            raise ValueError(f"chosen: expected {len(numbers)} actions, one for each game played; got {chosen!r:.80}")
        # What stands for the others is not looked at.
        actions = own.repeat(self.num_players).reshape(-1, self.num_players)
        self._step(actions, numbers, players, moves, *_NO_TURN)

    def advance(self, actions: npt.ArrayLike, turn: Turn) -> None:
        """Steps, deals the games that end anew, and fills the turn with what everybody sees: all in one go."""
        if not isinstance(turn, Turn) or turn.observations.shape[:2] != (self.num_games, self.num_players):
            raise ValueError(
                f"turn: expected one of {self.num_games} games of {self.num_players} players, as turn() makes it"
            )
        self._step(actions, self._indices(None), _NOBODY, _NOBODY, *turn.for_kernels)

    def turn(self) -> Turn:
        """What everybody sees now, to be given to `advance`."""
        return Turn(self)

    def random_actions(self, seed: int, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """(games, players): a legal action for each player, each equally likely. Into `out` if given.

        The seed and the number of the game decide: give another seed in each step.
        """
        shape = (self.num_games, self.num_players)
        if out is None:
            out = np.empty(shape, np.int64)
        elif not _is_plain(out, np.int64, shape):
            raise ValueError(f"out: expected a contiguous, writeable int64 array of shape {shape}, got {out!r:.80}")
        start = np.uint64(check_seed("seed", seed))
        kernels.choose_randomly(self.threads, self.num_games, self.state, out, start)
        return out

    def choose_randomly(
        self, games: npt.ArrayLike, seats: npt.ArrayLike, bits: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """For some players, each by game and seat, a legal action, picked by 64 random bits for each row."""
        rows = self._rows(games, seats)
        if not _is_plain(bits, np.uint64, rows[0].shape):
            raise ValueError(f"bits: expected {len(rows[0])} numbers uint64, got {bits!r:.80}")
        out = np.empty(len(bits), np.int64)
        self._do_rows(kernels.choose_in_rows, rows, bits, out)
        return out

    def reset(self, which: npt.ArrayLike | None = None, seed: Seeds | None = None, cards: Any = None) -> None:
        """Deals new games: all, or those that `which` names by a mask or by their numbers.

        Without a seed each game goes on to the seed that follows from its last one; so the games that a slot deals
        one after the other depend on its first seed alone. Otherwise `seed` is as in the constructor, an array having
        one seed for each game that is dealt. `cards`, if given, are dealt in all these games in place of drawn ones:
        as in a snapshot, for each player and castle value the shells of each colour.
        """
        indices = self._indices(which, distinct=True)
        seeds = np.empty(0, np.uint64) if seed is None else spread_seeds(seed, indices)
        chosen = None if cards is None else read_cards(cards, self.ruleset, self.num_players)
        self._deal(indices, seeds)
        if chosen is not None:
            self.state["cards"][indices] = chosen

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        """Deals anew what no player can know: the bag against the covered grooves, and all future draws.

        For search: play on in a re-dealt clone. What is hidden is hidden from all, so `observer` changes nothing; but
        hidden buckets are kept, so with `hide_buckets` there is no dealing anew for an observer. What somebody might
        remember about the bag is not kept: shells that were seen to go into it may lie under the sea.
        """
        if observer is not None and self.hide_buckets:
            raise ValueError("observer: hidden buckets are not dealt anew; search in games with open buckets")
        if isinstance(observer, np.ndarray):
            self._check_observers(observer)
        elif observer is not None:
            _whole_number("observer", observer, 0, self.num_players - 1)
        seeds = spread_seeds(seed, np.arange(self.num_games))
        kernels.redeal_games(self.threads, self.num_games, self.state, seeds)

    # Copying and saving

    def clone(self) -> "Games":
        """Games of their own in the same state."""
        return self.select(None)

    def select(self, which: npt.ArrayLike | None) -> "Games":
        """Copies of some games, by a mask or by their numbers (which may repeat), as games of their own."""
        return self._with_state(self.state[self._indices(which)])

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> "Games":
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rules": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._state = np.require(self._state, requirements="W")  # what was unpickled may be a view of constant bytes
        self._rules = self.ruleset.for_kernels(self.num_players)

    def snapshot(self, index: int) -> dict[str, Any]:
        """A whole game as plain data for JSON; `from_snapshots` plays on with it to the last draw."""
        index = _whole_number("index", index, 0, self.num_games - 1)
        return write_snapshot(self.state[index], self.ruleset)

    @classmethod
    def from_snapshots(
        cls, snapshots: Sequence[dict[str, Any]], *, hide_buckets: bool = False, threads: int = 1
    ) -> "Games":
        """Games from snapshots, all of one number of players and one ruleset."""
        state, num_players, ruleset = read_snapshots(snapshots)
        games = cls.__new__(cls)
        games._set_up(state, num_players, ruleset, hide_buckets, threads)
        return games

    def _with_state(self, state: np.ndarray) -> "Games":
        games = type(self).__new__(type(self))
        games._set_up(state, self.num_players, self.ruleset, self.hide_buckets, self.threads)
        return games

    # Inside

    def _deal(self, indices: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> None:
        kernels.deal_games(self.threads, len(indices), indices, seeds, self.state, self._rules, self.num_players)

    def _observe(self, out: npt.NDArray[np.int8], hide_buckets: bool) -> None:
        rows = self._words_of(out, OBSERVATION_SIZE // WORD).view(OBSERVATION_DTYPE)[:, :, 0]
        packed = self.state.view(PACKED_DTYPE)
        looked_at = self.state, packed, self._rules, self.num_players, hide_buckets
        kernels.write_observations(self.threads, self.num_games, *looked_at, rows)

    def _scores_and_winners(self, which: npt.ArrayLike | None) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
        numbers = self._indices(which)
        scores, winners = (self.state[field][numbers] for field in ("scores", "winners"))
        return scores[:, : self.num_players], winners[:, : self.num_players].view(np.bool_)

    def _rows(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        rows = _whole_numbers("games", games), _whole_numbers("seats", seats)
        if rows[0].shape != rows[1].shape:
            raise ValueError(
                f"games, seats: expected two lists of the same length, got {games!r:.80} and {seats!r:.80}"
            )
        return rows

    def _players(
        self, games: npt.ArrayLike, seats: npt.ArrayLike
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The same, all of them there."""
        numbers, players = self._rows(games, seats)
        if players.size and players.view(np.uint64).max() >= self.num_players:  # negative ones are too large then
            raise ValueError(f"seats: expected numbers from 0 to {self.num_players - 1}, got {seats!r:.80}")
        return self._indices(numbers), players

    def _do_rows(
        self, kernel: Kernel, rows: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], *arguments: Any
    ) -> None:
        if kernel(self.threads, len(rows[0]), self.state, self.num_players, *rows, *arguments):
            raise ValueError(
                f"games, seats: expected for each row a game from 0 to {self.num_games - 1} and a player from 0 to "
                f"{self.num_players - 1}; got {rows[0]!r:.80} and {rows[1]!r:.80}"
            )

    def _check_observers(self, observers: np.ndarray) -> None:
        given = _whole_numbers("observer", observers)
        if given.shape != (self.num_games,) or not 0 <= given.min() <= given.max() < self.num_players:
            raise ValueError(
                f"observer: expected a player from 0 to {self.num_players - 1} for each of {self.num_games} games, "
                f"got {observers!r:.80}"
            )

    def _step(
        self,
        actions: npt.ArrayLike,
        numbers: npt.NDArray[np.int64],
        until: npt.NDArray[np.int64],
        moves: npt.NDArray[np.int64],
        *turn: np.ndarray,
    ) -> None:
        """Steps some games, or nothing if any action is illegal; see `kernels.step_games` for the rest."""
        given = self._as_actions(actions, len(numbers))
        # The kernels are compiled for one kind of array; another kind is copied.
        cast = given if given.dtype == np.int64 and given.flags.carray else np.array(given, np.int64, order="C")
        chosen = np.empty(len(numbers), CHOICE_DTYPE)
        illegal = np.empty(len(numbers), np.bool_)
        acting = numbers, self.state, cast, chosen, illegal, until, moves
        looked_at = self.state.view(PACKED_DTYPE), self._rules, self.hide_buckets
        if kernels.step_games(self.threads, len(numbers), *acting, *looked_at, *turn):
            row = int(illegal.argmax())
            players = [int(until[row])] if len(until) else range(self.num_players)
            raise self._illegal_action(int(numbers[row]), {player: int(given[row, player]) for player in players})

    def _as_actions(self, actions: npt.ArrayLike, num_games: int) -> npt.NDArray[np.integer]:
        try:
            given = np.asarray(actions)
        except ValueError as error:
            raise ValueError(f"actions: {error}") from None
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions: expected whole numbers, got dtype {given.dtype}")
        if given.shape != (num_games, self.num_players):
            raise ValueError(
                f"actions: expected shape {(num_games, self.num_players)}, one action for each player of each "
                f"game; got {given.shape}"
            )
        return given

    def _illegal_action(self, game: int, actions: dict[int, int]) -> IllegalAction:
        phase = PHASES[self.state["phase"][game]]
        for player, action in actions.items():
            legal = np.flatnonzero(self.legal[game, player]).tolist()
            if action not in legal:
                break
        known = f" ({describe(action, self.ruleset)})" if 0 <= action < NUM_ACTIONS else ""
        return IllegalAction(
            f"game {game}, player {player}, phase {phase!r}: action {action}{known} is not legal; legal: "
            + ", ".join(f"{choice} ({describe(choice, self.ruleset)})" for choice in legal)
        )

    def _indices(self, which: npt.ArrayLike | None, distinct: bool = False) -> npt.NDArray[np.int64]:
        if which is None:
            return np.arange(self.num_games)
        given = np.asarray(which)
        if given.dtype == np.bool_:
            if given.shape != (self.num_games,):
                raise ValueError(f"which: expected a mask of shape {(self.num_games,)}, got {given.shape}")
            return np.flatnonzero(given)
        if given.size == 0:
            given = given.astype(np.int64)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise ValueError(f"which: expected a mask or a list of game numbers, got {which!r}")
        given = given.astype(np.int64) if given.dtype != np.uint64 else given
        if given.size and given.view(np.uint64).max() >= self.num_games:  # negative ones are too large then
            raise ValueError(f"which: expected game numbers from 0 to {self.num_games - 1}, got {which!r}")
        if distinct and not (given[1:] > given[:-1]).all() and len(np.unique(given)) < len(given):
            raise ValueError(f"which: a game is named twice in {which!r:.80}")
        return given.astype(np.int64, copy=False)

    def _words_of(self, out: np.ndarray, words: int) -> npt.NDArray[np.uint64]:
        """The array that a caller wants filled, as 64-bit words."""
        shape = (self.num_games, self.num_players, WORD * words)
        if not isinstance(out, np.ndarray) or out.dtype != np.int8 or out.shape != shape:
            got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else repr(out)
            raise ValueError(f"out: expected an int8 array of shape {shape}, got {got}")
        flags = out.flags
        aligned = flags.c_contiguous and out.view(np.uint64).flags.aligned
        if not (aligned and flags.writeable):
            raise ValueError(f"out: expected a contiguous, writeable array that starts at a multiple of {WORD} bytes")
        return out.view(np.uint64)


def _is_plain(array: Any, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> bool:
    """Whether it is an array as the kernels take it: contiguous, and writeable."""
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape and array.flags.carray


def _whole_numbers(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """A list of numbers as the kernels take it."""
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"{name}: expected a list of whole numbers, got {values!r:.80}")
    return np.ascontiguousarray(given, np.int64)


def _whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if value >= least and (most is None or value <= most):
            return int(value)
    bounds = f"from {least} to {most}" if most is not None else f"of at least {least}"
    raise ValueError(f"{name}: expected a whole number {bounds}, got {value!r}")
