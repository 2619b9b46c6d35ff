"""Network agents: trained, stored in two files, and evaluated many rows at a time, without PyTorch.

An agent's folder holds `agent.json`, which describes the agent and its game, and `agent.safetensors`, the weights.
Loading runs no code from the folder and refuses whatever is not exactly as expected.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strand_env import __version__
from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.choosing import NEVER, sample_rows, softmax_rows
from strand_env.agents.encoding import encodings_of
from strand_env.engine.game import Encoding, Game
from strand_env.engine.randomness import Streams
from strand_env.registry import game_ids, game_of
from strand_env.support.extras import from_extra
from strand_env.support.files import write_whole

Activation = Literal["relu", "tanh"]

DESCRIPTION, WEIGHTS = "agent.json", "agent.safetensors"
FORMAT = 1
MOST_LAYERS, WIDEST_LAYER = 16, 8192
LONGEST_DESCRIPTION = LONGEST_HEADER = 1 << 20  # bytes
BLOCK = 64  # rows: few enough that activations stay in the processor's cache


class Network:
    """A multilayer perceptron from features to logits: layers of weights (inputs, outputs) and biases."""

    def __init__(
        self, layers: Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]], activation: Activation
    ) -> None:
        self.layers = [(np.ascontiguousarray(weight), bias) for weight, bias in layers]
        self.activation = activation

    @property
    def sizes(self) -> list[int]:
        """Sizes of the input, of each hidden layer, and of the output."""
        return [len(self.layers[0][0]), *(len(bias) for _, bias in self.layers)]

    def logits(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """(rows, actions), for features (rows, inputs)."""
        # On blocks this small BLAS threads wait longer than they work, and they sum in another order.
        with _one_thread, _thread_pools().limit(limits=1, user_api="blas"):
            return self._logits(rows)

    def _logits(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        out = np.empty((len(rows), self.sizes[-1]), np.float32)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            # Always a full block: fewer rows are summed in another order, so their logits would differ slightly.
            full = np.zeros((BLOCK, rows.shape[1]), np.float32)
            full[: len(block)] = block
            out[start : start + BLOCK] = self._block(full)[: len(block)]
        return out

    def _block(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        for weight, bias in self.layers[:-1]:
            x = x @ weight
            x += bias
            if self.activation == "relu":
                np.maximum(x, 0, out=x)
            else:
                np.tanh(x, out=x)
        weight, bias = self.layers[-1]
        return x @ weight + bias


_one_thread = Lock()  # the limit is process-wide: the first to leave must not lift it for another thread


@cache
def _thread_pools() -> Any:
    """The thread pools of NumPy's BLAS."""
    with from_extra("models", "a trained agent"):
        from threadpoolctl import ThreadpoolController
    return ThreadpoolController()


class NetworkAgent:
    """Samples from the softmax of its network's logits at a temperature; at 0 it plays the likeliest action."""

    def __init__(self, network: Network, encoding: Encoding, temperature: float = 1.0, game: str = "") -> None:
        self.network = network
        self.game = game  # its id, if known
        self.encoding = encoding
        self.temperature = temperature

    def reset(self) -> None:
        pass

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        actions = np.empty(len(mask), np.int64)
        sample_rows(1, len(mask), self.probabilities(observation, mask), rng.random(), actions)
        return actions

    def probabilities(self, observation: Observations, mask: Masks) -> npt.NDArray[np.float32]:
        """(rows, actions): action probabilities; each row adds up to 1."""
        logits = np.where(mask == 1, self.network.logits(self.encoding.encode(observation)), NEVER)
        if self.temperature == 0:
            return (np.arange(mask.shape[1]) == logits.argmax(axis=1)[:, np.newaxis]).astype(np.float32)
        softmax_rows(1, len(mask), logits, np.float32(self.temperature))  # in place
        return logits


def fingerprint(game: Game, players: int) -> str:
    """A hash of a game's observations and actions: equal only if every entry and every action mean the same."""
    batch = game.batch(1, players)
    sections = [[section.name, section.start, section.meaning] for section in batch.layout]
    meaning = [game.id, batch.num_actions, batch.observation_maximum.tolist(), sections]
    return hashlib.sha256(json.dumps(meaning).encode()).hexdigest()[:16]


def save_agent(
    folder: str | os.PathLike[str],
    network: Network,
    game: Game,
    players: Sequence[int],
    encoding: Encoding,
    temperature: float = 1.0,
    training: dict[str, Any] | None = None,
    evaluation: Any = None,
) -> None:
    """Writes a folder that `load_agent` reads.

    `players` are the player counts it was trained for; `training` and `evaluation` are stored as they are, for readers.
    """
    from safetensors.numpy import save

    tensors = {}
    for number, (weight, bias) in enumerate(network.layers):
        tensors[f"{number}.weight"] = np.ascontiguousarray(weight.T, np.float32)
        tensors[f"{number}.bias"] = np.ascontiguousarray(bias, np.float32)
    weights = save(tensors)
    description = {
        "format": FORMAT,
        "strand_env": __version__,
        "game": game.id,
        "players": list(players),
        "layout": fingerprint(game, players[0]),
        "encoding": encoding.name,
        "layers": network.sizes,
        "activation": network.activation,
        "temperature": temperature,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "training": training or {},
        "evaluation": evaluation or [],
    }
    write_whole(Path(folder, WEIGHTS), weights)
    write_whole(Path(folder, DESCRIPTION), (json.dumps(description, indent=2) + "\n").encode())


def load_agent(folder: str | os.PathLike[str]) -> NetworkAgent:
    """The agent stored in a folder; `ValueError` if anything in it is not exactly as expected."""
    with from_extra("models", "a trained agent"):
        from safetensors import SafetensorError
        from safetensors.numpy import load

    path = Path(folder, WEIGHTS)
    known = _read_description(Path(folder, DESCRIPTION))
    game, players = _game_of(known, folder)
    batch = game.batch(1, players)
    sizes = _sizes_of(known, folder)
    encodings = encodings_of(game, players)
    if not isinstance(known.get("encoding"), str) or known["encoding"] not in encodings:
        raise ValueError(
            f"{folder}: encoding: expected one of {'; '.join(encodings)}, got {known.get('encoding')!a:.80}"
        )
    encoding = encodings[known["encoding"]]
    if (sizes[0], sizes[-1]) != (encoding.size, batch.num_actions):
        raise ValueError(
            f"{folder}: layers: expected from {encoding.size} entries to {batch.num_actions} actions, as in {game.id}; "
            f"got {sizes}"
        )
    expected: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        expected |= {f"{number}.weight": (outputs, inputs), f"{number}.bias": (outputs,)}
    content = _read(path, 4 * sum(int(np.prod(shape)) for shape in expected.values()) + LONGEST_HEADER)
    if hashlib.sha256(content).hexdigest() != known.get("sha256"):
        raise ValueError(f"{path}: these are not the weights that {DESCRIPTION} describes (another SHA-256)")
    try:
        tensors = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: not a safetensors file: {error}") from None
    _check_tensors(path, tensors, expected)
    layers = [(tensors[f"{number}.weight"].T, tensors[f"{number}.bias"]) for number in range(len(sizes) - 1)]
    return NetworkAgent(Network(layers, known["activation"]), encoding, float(known["temperature"]), game.id)


def _read(path: Path, most: int) -> bytes:
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file; a trained agent is {DESCRIPTION} and {WEIGHTS} in a folder")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path}: larger than the {most} bytes that it can have")
    return content


def _read_description(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(_read(path, LONGEST_DESCRIPTION))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        got = known.get("format") if isinstance(known, dict) else known
        raise ValueError(f"{path}: expected an agent of format {FORMAT}, got {got!r:.80}")
    if "sight" in known:  # its former name
        known["encoding"] = known.pop("sight")
    if known.get("activation") not in get_args(Activation):
        raise ValueError(
            f"{path}: activation: expected one of {', '.join(get_args(Activation))}, "
            f"got {known.get('activation')!r:.80}"
        )
    temperature = known.get("temperature")
    if (
        isinstance(temperature, bool)
        or not isinstance(temperature, (int, float))
        or not (temperature == 0 or 0.001 <= temperature <= 100)
    ):
        raise ValueError(f"{path}: temperature: expected 0, or 0.001 to 100, got {temperature!r:.80}")
    return known


def _game_of(known: dict[str, Any], folder: str | os.PathLike[str]) -> tuple[Game, int]:
    """Its game, and one of the player counts it was trained for."""
    name, counts = known.get("game"), known.get("players")
    if not isinstance(name, str) or name not in game_ids():
        raise ValueError(f"{folder}: it plays {name!a:.80}; the games here are: {', '.join(game_ids())}")
    game = game_of(name)
    if not isinstance(counts, list) or not counts or not all(count in game.player_counts for count in counts):
        raise ValueError(f"{folder}: players: expected some of {list(game.player_counts)}, got {counts!r:.80}")
    if known.get("layout") != fingerprint(game, counts[0]):
        raise ValueError(
            f"{folder}: it was trained on other observations or actions of {name} "
            f"(layout {known.get('layout')!r:.80}, here it is {fingerprint(game, counts[0])!r}); train it anew"
        )
    return game, counts[0]


def _sizes_of(known: dict[str, Any], folder: str | os.PathLike[str]) -> list[int]:
    sizes = known.get("layers")
    if (
        not isinstance(sizes, list)
        or not 2 <= len(sizes) <= MOST_LAYERS
        or not all(type(size) is int and 1 <= size <= WIDEST_LAYER for size in sizes)
    ):
        raise ValueError(
            f"{folder}: layers: expected 2 to {MOST_LAYERS} sizes from 1 to {WIDEST_LAYER}, got {sizes!r:.80}"
        )
    return sizes


def _check_tensors(path: Path, tensors: dict[str, npt.NDArray[Any]], expected: dict[str, tuple[int, ...]]) -> None:
    if tensors.keys() != expected.keys():
        missing, extra = sorted(expected.keys() - tensors.keys()), sorted(tensors.keys() - expected.keys())
        raise ValueError(f"{path}: expected the tensors {', '.join(expected)}; missing: {missing}, too many: {extra}")
    for name, shape in expected.items():
        tensor = tensors[name]
        if tensor.dtype != np.float32 or tensor.shape != shape:
            raise ValueError(f"{path}: {name}: expected float32 {shape}, got {tensor.dtype} {tensor.shape}")
        if not np.isfinite(tensor).all():
            raise ValueError(f"{path}: {name}: holds numbers that are not finite")
