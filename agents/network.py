"""Network agents: trained, stored in two files, and evaluated many rows at a time, without PyTorch.

An agent's folder holds `agent.json`, which describes the agent and its game, and `agent.safetensors`, the weights.
Loading runs no code from the folder and refuses whatever is not exactly as expected.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from strand_env import __version__
from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.choosing import NEVER, sample_rows, softmax_rows
from strand_env.agents.distinct import distinct
from strand_env.agents.encoding import encodings_of
from strand_env.agents.perceptron import Layers
from strand_env.engine.checks import (
    entries,
    fields_of,
    is_whole,
    one_of,
    printable,
    real_number,
    shown,
    text,
    whole_number,
)
from strand_env.engine.game import Encoding, Game
from strand_env.engine.protocol import REWARD_KINDS, RewardKind
from strand_env.engine.randomness import Streams
from strand_env.registry import game_ids, game_of
from strand_env.support.files import write_together
from strand_env.support.reading import (
    MAX_BYTES,
    MAX_HEADER,
    Form,
    check_arrays,
    naming,
    parse_json,
    parse_tensors,
    read_bytes,
)

Activation = Literal["relu", "tanh"]

DESCRIPTION, WEIGHTS = "agent.json", "agent.safetensors"
FORMAT = 1
FIELDS = ("format", "game", "players", "layout", "encoding", "layers", "activation", "temperature", "sha256")
LOOKAHEAD = "lookahead"  # a field that agents without it leave out
FOR_READERS = ("strand_env", "training", "evaluation")  # fields of the description that nothing depends on
MOST_SAMPLES, MOST_TURNS = 10_000, 1000
MOST_LAYERS, WIDEST_LAYER, MOST_WEIGHTS = 16, 8192, 1 << 26  # input and output are layers, too
COOLEST, HOTTEST = 0.001, 100  # temperatures, apart from 0


class Network:
    """A multilayer perceptron from features to logits: layers of weights (inputs, outputs) and biases.

    With features `per_action` (see `Encoding`), the perceptron scores one action, from its features and those that
    belong to no action, and all actions are scored by the same weights.
    """

    def __init__(
        self,
        layers: Sequence[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]],
        activation: Activation,
        per_action: int = 0,
    ) -> None:
        self.layers = [(np.ascontiguousarray(weight), bias) for weight, bias in layers]
        self.activation = activation
        self.per_action = per_action

    @property
    def sizes(self) -> list[int]:
        """Sizes of the input, of each hidden layer, and of the output."""
        return [len(self.layers[0][0]), *(len(bias) for _, bias in self.layers)]

    def logits(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """(rows, actions), for features (rows, inputs); 0 for actions that the features call illegal.

        A row's logits do not depend on the others, to the last bit.
        """
        features = np.ascontiguousarray(rows, np.float32)
        bias, common = self.layers[0][1][np.newaxis], np.zeros(len(rows), np.int64)
        if not self.per_action:
            return self._all(features, bias, common)
        actions = (features.shape[1] - self.sizes[0]) // self.per_action + 1
        each = features[:, : actions * self.per_action].reshape(len(rows), actions, self.per_action)
        row, action = np.nonzero(each[:, :, 0])
        # The first layer is linear: what belongs to no action is summed once for all of them.
        base = self._shared(features[:, actions * self.per_action :], bias, common)
        scores = np.zeros((len(rows), actions), np.float32)
        scores[row, action] = self._all(each[row, action], base, row)[:, 0]
        return scores

    @cached_property
    def _all(self) -> Layers:
        """All layers; with features per action, the first one is that of the action's own."""
        weight = self.layers[0][0]
        return Layers(weight[: self.per_action or len(weight)], self.layers[1:], self.activation == "relu")

    @cached_property
    def _shared(self) -> Layers:
        """The first layer's part for the features that belong to no action."""
        return Layers(self.layers[0][0][self.per_action :], (), False)


@dataclass(frozen=True)
class Lookahead:
    """How an agent whose logits are values of actions looks ahead (`lookahead.py`)."""

    samples: int  # of the turns to come, for each action that is tried
    reward: RewardKind  # that was learned
    unit: float  # of it: what a logit is worth
    shaping: float  # how much of the potential the values leave out
    prior: int = 0  # samples that the network's own value counts for
    turns: int = 1  # of the player's own, up to which games are played on
    steepness: float = 0.0  # logits of winning for a logit of value; 0: values are not taken as win probabilities

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        optional = [each.name for each in fields(cls) if each.default is not MISSING]
        known = fields_of(LOOKAHEAD, data, [each.name for each in fields(cls) if each.default is MISSING], optional)
        whole_number(f"{LOOKAHEAD}: samples", known["samples"], 1, MOST_SAMPLES)
        one_of(f"{LOOKAHEAD}: reward", known["reward"], REWARD_KINDS)
        real_number(f"{LOOKAHEAD}: unit", known["unit"], 1e-9, 1e9)
        real_number(f"{LOOKAHEAD}: shaping", known["shaping"], 0, 10)
        found = cls(**known)
        whole_number(f"{LOOKAHEAD}: turns", found.turns, 1, MOST_TURNS)
        real_number(f"{LOOKAHEAD}: steepness", found.steepness, 0, 100)
        whole_number(f"{LOOKAHEAD}: prior", found.prior, 0, MOST_SAMPLES)
        return found


class NetworkAgent:
    """Samples from the softmax of its network's logits at a temperature; at 0 it plays the likeliest action.

    `lookahead` is for `LookaheadAgent`, which looks ahead where this agent does not.
    """

    lookahead: Lookahead | None = None

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
        first, like = distinct(observation)
        logits = np.where(mask == 1, self.network.logits(self.encoding.encode(observation[first]))[like], NEVER)
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
    lookahead: Lookahead | None = None,
) -> None:
    """Writes a folder that `load_agent` reads.

    `players` are the player counts it was trained for; `training` and `evaluation` are stored as they are, for readers.
    What `load_agent` would refuse is a `ValueError`, and nothing is written.
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
        **({LOOKAHEAD: asdict(lookahead)} if lookahead else {}),
    }
    written = (json.dumps(description, indent=2) + "\n").encode()
    _agent(_described(written), weights)
    write_together({Path(folder, WEIGHTS): weights, Path(folder, DESCRIPTION): written})


def load_agent(folder: str | os.PathLike[str]) -> NetworkAgent:
    """The agent stored in a folder; `ValueError` if anything in it is not exactly as expected."""
    description, weights = Path(folder, DESCRIPTION), Path(folder, WEIGHTS)
    for path in (description, weights):
        if not path.exists():
            raise ValueError(
                f"{printable(path)}: there is no such file; a trained agent is {DESCRIPTION} and {WEIGHTS} in a folder"
            )
    content = read_bytes(description, MAX_BYTES)
    with naming(description):
        known = _described(content)
    content = read_bytes(weights, 4 * weights_in(known.sizes) + MAX_HEADER)
    with naming(weights):
        return _agent(known, content)


def layer_sizes(game: Game, encoding: Encoding, hidden: Sequence[int] = ()) -> list[int]:
    """The sizes of all layers of a network, given those of its hidden ones."""
    if not encoding.per_action:
        return [encoding.size, *hidden, game.num_actions]
    shared = encoding.size - game.num_actions * encoding.per_action
    return [encoding.per_action + shared, *hidden, 1]


def check_sizes(name: str, sizes: Any) -> list[int]:
    """The sizes of a network's layers, input and output included, if agents may be that large."""
    sizes = entries(name, sizes, 2, MOST_LAYERS)
    for size in sizes:
        whole_number(name, size, 1, WIDEST_LAYER)
    if weights_in(sizes) > MOST_WEIGHTS:
        raise ValueError(f"{name}: expected at most {MOST_WEIGHTS:,} weights, got {weights_in(sizes):,} in {sizes}")
    return sizes


def weights_in(sizes: Sequence[int]) -> int:
    """The number of weights and biases of layers of these sizes."""
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


@dataclass(frozen=True)
class _Described:
    """An agent without its weights."""

    game: Game
    encoding: Encoding
    sizes: list[int]
    activation: Activation
    temperature: float
    sha256: str
    lookahead: Lookahead | None


def _described(content: bytes) -> _Described:
    known = parse_json(content)
    if not isinstance(known, dict) or not is_whole(known.get("format")) or known["format"] != FORMAT:
        got = known.get("format") if isinstance(known, dict) else known
        raise ValueError(f"format: expected an agent of format {FORMAT}, got {shown(got)}")
    if "sight" in known and "encoding" not in known:  # its former name
        known["encoding"] = known.pop("sight")
    fields_of("agent", known, FIELDS, (*FOR_READERS, LOOKAHEAD))
    text("strand_env", known.get("strand_env", ""), 80)
    if not isinstance(known.get("training", {}), dict):
        raise ValueError(f"training: expected an object, got {shown(known['training'])}")
    one_of("game", known["game"], game_ids())
    game = game_of(known["game"])
    counts = game.player_counts
    for count in entries("players", known["players"], 1, len(counts)):
        whole_number("players", count, counts[0], counts[-1])
    players = known["players"][0]
    if known["layout"] != fingerprint(game, players):
        raise ValueError(
            f"layout: expected {fingerprint(game, players)!r}, got {shown(known['layout'])}: it was trained on other "
            f"observations or actions of {game.id}; train it again"
        )
    encodings = encodings_of(game, players)
    one_of("encoding", known["encoding"], encodings)
    encoding = encodings[known["encoding"]]
    sizes = check_sizes("layers", known["layers"])
    expected = layer_sizes(game, encoding)
    if [sizes[0], sizes[-1]] != expected:
        outputs = "1 score for each action" if encoding.per_action else f"{game.num_actions} actions"
        raise ValueError(f"layers: expected from {expected[0]} entries to {outputs}, as in {game.id}; got {sizes}")
    one_of("activation", known["activation"], get_args(Activation))
    temperature = real_number("temperature", known["temperature"], 0, HOTTEST)
    if 0 < temperature < COOLEST:
        raise ValueError(f"temperature: expected 0, or {COOLEST} to {HOTTEST}, got {temperature}")
    text("sha256", known["sha256"], 64)
    lookahead = Lookahead.from_dict(known[LOOKAHEAD]) if LOOKAHEAD in known else None
    return _Described(game, encoding, sizes, known["activation"], temperature, known["sha256"], lookahead)


def _agent(known: _Described, content: bytes) -> NetworkAgent:
    if hashlib.sha256(content).hexdigest() != known.sha256:
        raise ValueError(f"these are not the weights that {DESCRIPTION} describes (another SHA-256)")
    expected: dict[str, Form] = {}
    for number, (inputs, outputs) in enumerate(pairwise(known.sizes)):
        expected |= {f"{number}.weight": (np.float32, (outputs, inputs)), f"{number}.bias": (np.float32, (outputs,))}
    tensors = parse_tensors(content)
    check_arrays(tensors, expected)
    layers = [(tensors[f"{number}.weight"].T, tensors[f"{number}.bias"]) for number in range(len(known.sizes) - 1)]
    network = Network(layers, known.activation, known.encoding.per_action)
    agent = NetworkAgent(network, known.encoding, known.temperature, known.game.id)
    agent.lookahead = known.lookahead
    return agent
