"""Checkpoints: one file to resume a run from exactly, written atomically and read without running code.

A checkpoint is right as a whole or refused as a whole: everything in it is checked before any of it is used.
"""

import hashlib
import json
import math
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save
from sb3_contrib import MaskablePPO

from strand_env.agents.network import Network
from strand_env.engine.checks import entries, fields_of, printable, real_number, shown, text, whole_number
from strand_env.support.files import write_whole
from strand_env.support.reading import Arrays, Form, check_arrays, parse_json, parse_tensors, read_bytes
from strand_env.train.config import Config
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.evaluation import Evaluation
from strand_env.train.learner import PolicyPool, settings_of

FIELDS = ("frames", "updates", "episodes", "numpy", "python", "added", "games", "evaluations", "seconds")
GAME_BYTES, OTHER_BYTES = 1 << 19, 1 << 24  # of plain data, at most: for each game with all memories, and for the rest
MOST_EVALUATIONS = 100_000
LARGEST = 1e12  # of numbers that are only told
LARGEST_STEP = 1 << 24  # of the optimiser, which counts in float32


def save_checkpoint(
    path: Path,
    model: MaskablePPO,
    env: TrainingVecEnv,
    policies: PolicyPool,
    evaluations: list[Evaluation],
    seconds: float,
) -> None:
    """Call it between two rollouts. Raises `ValueError`, and keeps the last one, if any number is not finite."""
    generator, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002 (SB3 draws minibatches with it)
    optimiser = model.policy.optimizer.state_dict()["state"]
    tensors: Arrays = {f"policy/{name}": tensor.numpy() for name, tensor in model.policy.state_dict().items()}
    for number, state in optimiser.items():
        tensors |= {f"optimiser/{number}/{name}": value.numpy() for name, value in state.items()}
    for number, network in enumerate(policies.pool):
        for place, (weight, bias) in enumerate(network.layers):
            tensors |= {f"pool/{number}/{place}/weight": weight, f"pool/{number}/{place}/bias": bias}
    tensors |= {
        "torch": torch.get_rng_state().numpy(),
        "numpy": np.asarray(keys),
        "episode_starts": np.asarray(model._last_episode_starts),
    }
    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}
    check_arrays(tensors, {name: (tensor.dtype, tensor.shape) for name, tensor in tensors.items()})
    data = {
        "frames": model.num_timesteps,
        "updates": model._n_updates,
        "episodes": list(model.ep_info_buffer or ()),
        "numpy": [generator, position, has_gauss, gauss],
        "python": random.getstate(),
        "added": policies.added,
        "games": env.save(),
        "evaluations": [asdict(each) for each in evaluations],
        "seconds": seconds,
        "sha256": _digest(tensors),
    }
    tensors["data"] = np.frombuffer(json.dumps(data).encode(), np.uint8)
    write_whole(path, save(tensors))


def restore_checkpoint(
    path: Path, config: Config, model: MaskablePPO, env: TrainingVecEnv, policies: PolicyPool
) -> tuple[list[Evaluation], float]:
    """Restores a learner, environment and policies of this configuration; returns evaluations and seconds so far."""
    weights = _forms_of_weights(model)
    network = _forms_of_network(policies.current.network)
    plain = GAME_BYTES * config.n_envs + OTHER_BYTES
    content = read_bytes(path, 3 * _bytes(weights) + config.pool * _bytes(network) + plain)
    try:
        tensors = parse_tensors(content)
        check_arrays({"data": tensors.get("data", np.empty(0))}, {"data": (np.uint8, (None,))})
        data = parse_json(tensors.pop("data").tobytes(), plain)
        evaluations = _check_data(data, config)
        past = min(data["added"], config.pool)
        forms: dict[str, Form] = {
            **{f"policy/{name}": form for name, form in weights.items()},
            **(_forms_of_optimiser(model) if data["updates"] else {}),
            **{f"pool/{number}/{name}": form for number in range(past) for name, form in network.items()},
            "torch": (np.uint8, tuple(torch.get_rng_state().shape)),
            "numpy": (np.uint32, (624,)),
            "episode_starts": (np.bool_, (config.n_envs,)),
        }
        check_arrays(tensors, forms)
        if data.get("sha256", _digest(tensors)) != _digest(tensors):  # earlier versions wrote none
            raise ValueError("sha256: these are not the weights that were saved with it")
        _check_optimiser(tensors, data["updates"] * -(-config.n_envs * config.n_steps // config.batch_size))
        _restore(tensors, data, model, env, policies)
    except (ValueError, RuntimeError) as error:  # PyTorch refuses states of its generator that cannot be
        raise ValueError(f"{printable(path)}: not a checkpoint of this run: {error}") from None
    return evaluations, data["seconds"]


def _digest(tensors: Arrays) -> str:
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].tobytes())
    return digest.hexdigest()


# What a checkpoint must hold


def _forms_of_weights(model: MaskablePPO) -> dict[str, Form]:
    return {name: (np.float32, tuple(tensor.shape)) for name, tensor in model.policy.state_dict().items()}


def _forms_of_optimiser(model: MaskablePPO) -> dict[str, Form]:
    forms: dict[str, Form] = {}
    for number, parameter in enumerate(model.policy.optimizer.param_groups[0]["params"]):
        shapes = {"step": (1,), "exp_avg": tuple(parameter.shape), "exp_avg_sq": tuple(parameter.shape)}
        forms |= {f"optimiser/{number}/{name}": (np.float32, shape) for name, shape in shapes.items()}
    return forms


def _forms_of_network(network: Network) -> dict[str, Form]:
    forms: dict[str, Form] = {}
    for place, (weight, bias) in enumerate(network.layers):
        forms |= {f"{place}/weight": (np.float32, weight.shape), f"{place}/bias": (np.float32, bias.shape)}
    return forms


def _bytes(forms: Mapping[str, Form]) -> int:
    return sum(4 * math.prod(length or 0 for length in shape) for _, shape in forms.values())


def _check_data(data: Any, config: Config) -> list[Evaluation]:
    """Refuses plain data that no run of this configuration has saved; returns the evaluations in it."""
    fields_of("data", data, FIELDS, ("sha256",))
    rollout = config.n_envs * config.n_steps
    frames = whole_number("frames", data["frames"], 0, config.total_timesteps + rollout - 1)
    if frames % rollout:
        raise ValueError(f"frames: expected a multiple of {rollout:,}, got {frames:,}")
    rollouts = frames // rollout
    whole_number("updates", data["updates"], rollouts * config.n_epochs, rollouts * config.n_epochs)
    whole_number("added", data["added"], min(rollouts, 1), rollouts)
    for episode in entries("episodes", data["episodes"], 0, 100):
        for name, value in fields_of("episodes", episode, ("r", "l", "t")).items():
            real_number(f"episodes: {name}", value, -LARGEST, LARGEST)
    generator, position, has_gauss, gauss = entries("numpy", data["numpy"], 4)
    if generator != "MT19937":
        raise ValueError(f"numpy: expected the state of an MT19937, got {shown(generator)}")
    whole_number("numpy: position", position, 0, 624)
    whole_number("numpy: has_gauss", has_gauss, 0, 1)
    real_number("numpy: gauss", gauss, -LARGEST, LARGEST)
    version, internal, gauss = entries("python", data["python"], 3)
    whole_number("python: version", version, 3, 3)
    for place, number in enumerate(entries("python", internal, 625)):
        whole_number("python", number, 0, 624 if place == 624 else 2**32 - 1)
    if gauss is not None:
        real_number("python: gauss", gauss, -LARGEST, LARGEST)
    entries("games", data["games"], len(settings_of(config)) * max(config.env_runners, 1))
    real_number("seconds", data["seconds"], 0, LARGEST)
    text("sha256", data.get("sha256", ""), 64)
    found = entries("evaluations", data["evaluations"], 0, MOST_EVALUATIONS)
    return [Evaluation.from_dict(each, frames) for each in found]


def _check_optimiser(tensors: Arrays, steps: int) -> None:
    for name, tensor in tensors.items():
        if name.endswith("/step") and tensor[0] != min(steps, LARGEST_STEP):
            raise ValueError(f"{name}: expected {steps}, got {tensor[0]}")
        if name.endswith("/exp_avg_sq") and (tensor < 0).any():
            raise ValueError(f"{name}: expected no negative numbers")


# Using it


def _restore(
    tensors: Arrays, data: dict[str, Any], model: MaskablePPO, env: TrainingVecEnv, policies: PolicyPool
) -> None:
    by_part: dict[str, Arrays] = {"policy": {}, "optimiser": {}, "pool": {}}
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

    layers = len(policies.current.network.layers)
    numbers = range(len(by_part["pool"]) // (2 * layers))
    policies.pool = [_network(by_part["pool"], number, policies.current.network) for number in numbers]
    policies.added = data["added"]

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


def _network(pool: Arrays, number: int, like: Network) -> Network:
    layers = [(pool[f"{number}/{place}/weight"], pool[f"{number}/{place}/bias"]) for place in range(len(like.layers))]
    return Network(layers, like.activation, like.per_action)
