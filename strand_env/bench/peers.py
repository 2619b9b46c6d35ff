"""The speed of other environments, played as ours is measured: random legal play, the observation and the mask of the
players produced in each step, finished games reset, on one core. What is not installed is left out.

A decision is one player with at least two legal actions choosing, whatever else a peer calls a step.

When it is first used, JAX starts as many threads as the process may use cores. ``measure_peers`` therefore ties its
thread to one core before it imports JAX (threads started later inherit that) and lets go when it is done. A process
that has used JAX before, or a system without ``os.sched_setaffinity``, has to arrange this from outside: by
``taskset -c 1 python …``, or ``XLA_FLAGS=--xla_cpu_multi_thread_eigen=false`` where there is no taskset.
"""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from strand_env.bench.timing import best_rate

_BATCH = 4096
_SEED = 0


@dataclass(frozen=True)
class PeerResult:
    """One peer's speed on one core."""

    name: str
    decisions_per_second: float
    note: str  # what was played, and what was produced in each step


@dataclass(frozen=True)
class _Peer:
    name: str
    modules: tuple[str, ...]  # all of them must be installed
    play: Callable[[], Iterator[int]]  # plays on without end; yields the decisions made since the last yield
    note: str


def measure_peers(seconds: float = 3.0) -> Iterator[PeerResult]:
    """Measures each installed peer for about `seconds`, not counting compilation."""
    with _one_core():
        for peer in _PEERS:
            if all(find_spec(module) for module in peer.modules):
                yield PeerResult(peer.name, best_rate(peer.play(), seconds), peer.note)


@contextmanager
def _one_core() -> Iterator[None]:
    """Ties this thread, and those it starts meanwhile, to one core where the system can do that."""
    if sys.platform != "linux":
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _pgx(game: str) -> Iterator[int]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    return _play_pgx(import_module("pgx").make(game))


def _pgx_bridge_bidding() -> Iterator[int]:
    """Its deals and results are a download of their own: random ones take the same time."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    kind = import_module("pgx.bridge_bidding").BridgeBidding
    rng = np.random.default_rng(_SEED)
    owners = rng.permuted(np.tile(np.repeat(np.arange(4), 13), (_BATCH, 1)), axis=1).reshape(_BATCH, 4, 13)
    deals = (owners * 4 ** np.arange(13)).sum(2)
    with TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        table = Path(folder) / "table.npy"
        np.save(table, np.stack([deals, rng.integers(2**20, size=deals.shape)]).astype(np.int32))
        env = kind(str(table))
    return _play_pgx(env)


def _play_pgx(env: Any) -> Iterator[int]:
    jax = import_module("jax")
    step = jax.vmap(import_module("pgx.experimental").auto_reset(env.step, env.init))

    def play_randomly(states: Any, key: Any) -> tuple[Any, Any, Any]:
        key, choosing, playing = jax.random.split(key, 3)
        # One random number per game: with one per action, as jax.random.categorical draws them, drawing would take
        # a good part of the time in the smallest game.
        legal_so_far = states.legal_action_mask.cumsum(axis=-1, dtype="int32")
        legal = legal_so_far[:, -1]
        nth = (jax.random.uniform(choosing, (_BATCH,)) * legal).astype("int32")
        actions = (legal_so_far <= nth[:, None]).sum(axis=-1)
        return step(states, actions, jax.random.split(playing, _BATCH)), key, (legal >= 2).sum()

    advance = jax.jit(play_randomly)
    key, dealing = jax.random.split(jax.random.key(_SEED))
    states = jax.jit(jax.vmap(env.init))(jax.random.split(dealing, _BATCH))
    while True:
        states, key, decisions = jax.block_until_ready(advance(states, key))
        yield int(decisions)


def _open_spiel_goofspiel() -> Iterator[int]:
    pyspiel = import_module("pyspiel")
    make_observation = import_module("open_spiel.python.observation").make_observation
    game = pyspiel.load_game("goofspiel(players=4)")
    # Information states, as they are filled faster here than the observations without recall. A buffer per player.
    kind = pyspiel.IIGObservationType(perfect_recall=True)
    observations = [make_observation(game, kind) for _ in range(game.num_players())]
    masks: list[list[int]] = [[] for _ in observations]
    random = Random(_SEED).random
    while True:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():  # the prize: all that are left are equally likely
                prizes = state.legal_actions()
                state.apply_action(prizes[int(random() * len(prizes))])
                continue
            actions = []
            for player, observation in enumerate(observations):
                observation.set_from(state, player)
                masks[player] = state.legal_actions_mask(player)
                legal = state.legal_actions(player)
                decisions += len(legal) >= 2
                actions.append(legal[int(random() * len(legal))])
            state.apply_actions(actions)
        yield decisions


def _open_spiel_hearts() -> Iterator[int]:
    pyspiel = import_module("pyspiel")
    make_observation = import_module("open_spiel.python.observation").make_observation
    game = pyspiel.load_game("hearts")
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    random = Random(_SEED).random
    while True:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():  # dealing: all cards that are left are equally likely
                observation.set_from(state, state.current_player())
                state.legal_actions_mask()
                decisions += len(legal) >= 2
            state.apply_action(legal[int(random() * len(legal))])
        yield decisions


def _pettingzoo(module: str) -> Iterator[int]:
    env = import_module(module).env()
    random = Random(_SEED).random
    env.reset(seed=_SEED)
    while True:
        decisions = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                break
            for other in env.agents:
                if other != agent:  # last() has observed for the agent itself
                    env.observe(other)
            legal = np.flatnonzero(observation["action_mask"])
            decisions += len(legal) >= 2
            env.step(legal[int(random() * len(legal))])
        yield decisions
        env.reset()


_PGX_NOTE = f"batch {_BATCH}, compiled by JAX, observation and mask of the player to move"
_AEC_NOTE = "one game, AEC, observation and mask of both players"
_PEERS = (
    _Peer("pgx tic-tac-toe", ("jax", "pgx"), partial(_pgx, "tic_tac_toe"), _PGX_NOTE),
    _Peer("pgx connect four", ("jax", "pgx"), partial(_pgx, "connect_four"), _PGX_NOTE),
    _Peer("pgx leduc hold'em", ("jax", "pgx"), partial(_pgx, "leduc_holdem"), _PGX_NOTE),
    _Peer("pgx backgammon", ("jax", "pgx"), partial(_pgx, "backgammon"), _PGX_NOTE),
    _Peer("pgx sparrow mahjong", ("jax", "pgx"), partial(_pgx, "sparrow_mahjong"), _PGX_NOTE),
    _Peer(
        "OpenSpiel goofspiel, 4 players",
        ("pyspiel",),
        _open_spiel_goofspiel,
        "one game, from Python, information states in reused buffers and masks of all players",
    ),
    _Peer(
        "pgx bridge bidding",
        ("jax", "pgx"),
        _pgx_bridge_bidding,
        f"{_PGX_NOTE}; random double-dummy results",
    ),
    _Peer(
        "OpenSpiel hearts",
        ("pyspiel",),
        _open_spiel_hearts,
        "one game, from Python, information state in a reused buffer and mask of the player to move",
    ),
    _Peer(
        "PettingZoo connect four",
        ("pettingzoo", "pygame"),
        partial(_pettingzoo, "pettingzoo.classic.connect_four_v3"),
        _AEC_NOTE,
    ),
    _Peer(
        "PettingZoo hanabi",
        ("pettingzoo", "shimmy", "pyspiel"),
        partial(_pettingzoo, "pettingzoo.classic.hanabi_v5"),
        _AEC_NOTE,
    ),
)
