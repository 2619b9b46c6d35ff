"""Checkpoints: one file to resume a run from exactly, written atomically and read without running code."""

import json
import random
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO

from strand_env.agents.network import Network
from strand_env.support.files import write_whole
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.learner import Selves

Tensors = dict[str, npt.NDArray[Any]]


def save_checkpoint(path: Path, model: MaskablePPO, env: TrainingVecEnv, selves: Selves, more: dict[str, Any]) -> None:
    """Call it between two rollouts; `more` is plain data to store along."""
    generator, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002 (SB3 draws minibatches with it)
    optimiser = model.policy.optimizer.state_dict()["state"]
    tensors: Tensors = {f"policy/{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
    for number, state in optimiser.items():
        tensors |= {f"optimiser/{number}/{name}": value.numpy() for name, value in state.items()}
    for number, network in enumerate(selves.pool):
        for place, (weight, bias) in enumerate(network.layers):
            tensors |= {f"pool/{number}/{place}/weight": weight, f"pool/{number}/{place}/bias": bias}
    tensors |= {
        "torch": torch.get_rng_state().numpy(),
        "numpy": np.asarray(keys),
        "episode_starts": np.asarray(model._last_episode_starts),
    }
    data = {
        "frames": model.num_timesteps,
        "updates": model._n_updates,
        "episodes": list(model.ep_info_buffer or ()),
        "numpy": [generator, position, has_gauss, gauss],
        "python": random.getstate(),
        "added": selves.added,
        "games": env.save(),
        **more,
    }
    tensors["data"] = np.frombuffer(json.dumps(data).encode(), np.uint8)
    write_whole(path, save({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}))


def restore_checkpoint(path: Path, model: MaskablePPO, env: TrainingVecEnv, selves: Selves) -> dict[str, Any]:
    """Restores a learner, environment and selves of the same configuration; returns the plain data."""
    try:
        tensors = load(path.read_bytes())
        data: dict[str, Any] = json.loads(tensors.pop("data").tobytes())
        _restore(tensors, data, model, env, selves)
    except (SafetensorError, KeyError, ValueError, TypeError, IndexError, RuntimeError) as error:
        raise ValueError(f"{path}: not a checkpoint of this run: {error}") from error
    return data


def _restore(tensors: Tensors, data: dict[str, Any], model: MaskablePPO, env: TrainingVecEnv, selves: Selves) -> None:
    by_part: dict[str, Tensors] = {"policy": {}, "optimiser": {}, "pool": {}}
    for name, tensor in tensors.items():
        part, slash, rest = name.partition("/")
        if slash:
            by_part[part][rest] = tensor
    model.policy.load_state_dict({name: torch.tensor(tensor) for name, tensor in by_part["policy"].items()})
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in by_part["optimiser"].items():
        number, _, rest = name.partition("/")
        state.setdefault(int(number), {})[rest] = torch.tensor(tensor)
    groups = model.policy.optimizer.state_dict()["param_groups"]
    model.policy.optimizer.load_state_dict({"state": state, "param_groups": groups})

    layers = len(selves.current.network.layers)
    numbers = range(len(by_part["pool"]) // (2 * layers))
    selves.pool = [_network(by_part["pool"], number, selves.current.network) for number in numbers]
    selves.added = data["added"]

    model.num_timesteps = data["frames"]
    model._n_updates = data["updates"]
    model.ep_info_buffer = deque(data["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    model._last_obs = env.restore(data["games"])
    model._last_episode_starts = tensors["episode_starts"]

    name, position, has_gauss, gauss = data["numpy"]
    np.random.set_state((name, tensors["numpy"], position, has_gauss, gauss))  # noqa: NPY002
    version, internal, gauss = data["python"]
    random.setstate((version, tuple(internal), gauss))
    torch.set_rng_state(torch.tensor(tensors["torch"]))


def _network(pool: Tensors, number: int, like: Network) -> Network:
    layers = [(pool[f"{number}/{place}/weight"], pool[f"{number}/{place}/bias"]) for place in range(len(like.layers))]
    return Network(layers, like.activation)
