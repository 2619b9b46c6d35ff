"""Damages of files that hold arrays: weights, checkpoints, parts of the arena, models of Stable-Baselines3."""

import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hostile_damages import Damages, writing
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO

from strand_env.adapters.environments import Environments
from strand_env.engine.game import Game
from strand_env.train.checkpoint import _digest

Arrays = dict[str, Any]


class Evil:
    """Pickled, it is a call that leaves a mark when it is unpickled."""

    def __reduce__(self) -> Any:
        code = "import os, pathlib; pathlib.Path(os.environ['STRAND_TEST_EXECUTED']).touch()"
        return exec, (code,)


def _spoilt(array: Any, value: float) -> Any:
    """A copy with one other number."""
    array = array.copy()
    array.reshape(-1)[-1] = value
    return array


def _damages_of(good: Arrays, changes: dict[str, Any], write: Callable[[Path, Arrays], None]) -> Damages:
    """Changed arrays; those that become None are missing."""
    for name, change in changes.items():
        changed = {**good, **(change(good) if callable(change) else change)}
        left = {key: value for key, value in changed.items() if value is not None}
        yield name, lambda path, left=left: write(path, left), False  # type: ignore[misc]


# Weights of agents


def _write_weights(path: Path, content: bytes) -> None:
    """With a description that fits."""
    path.write_bytes(content)
    description = path.with_name("agent.json")
    digest = hashlib.sha256(content).hexdigest()
    description.write_text(json.dumps({**json.loads(description.read_bytes()), "sha256": digest}))


def of_weights(content: bytes) -> Damages:
    good = load(content)
    first = "0.weight"
    changes = {
        "NaN": {first: _spoilt(good[first], np.nan)},
        "infinity": {first: _spoilt(good[first], -np.inf)},
        "double precision": {first: good[first].astype(np.float64)},
        "whole numbers": {first: good[first].astype(np.int32)},
        "another shape": {first: good[first].T.copy()},
        "one too few": {first: good[first][1:].copy()},
        "flat": {first: good[first].reshape(-1)},
        "no bias": {"0.bias": None},
        "one more": {"more": np.zeros(3, np.float32)},
        "none": dict.fromkeys(good),
        "a name with escapes": {"\x1b[2J\n" + "x" * 5000: np.zeros(1, np.float32)},
    }
    yield from _damages_of(good, changes, lambda path, arrays: _write_weights(path, save(arrays)))
    header = b'{"0.weight":{"dtype":"F32","shape":[1,1],"data_offsets":[0,99999999]}}'
    overflow = b'{"0.weight":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}'
    for name, written in {
        "a header of terabytes": (2**40).to_bytes(8, "little") + b"{}",
        "a header of -1": b"\xff" * 8 + b"{}",
        "data beyond its end": len(header).to_bytes(8, "little") + header,
        "a shape that overflows": len(overflow).to_bytes(8, "little") + overflow,
        "a deep header": (100_000).to_bytes(8, "little") + b"[" * 100_000,
        "a pickle": pickle.dumps(Evil()),
    }.items():
        yield name, lambda path, written=written: _write_weights(path, written), False  # type: ignore[misc]


# Checkpoints


def _write_checkpoint(path: Path, tensors: Arrays, data: Any, sign: bool = True) -> None:
    if sign and isinstance(data, dict) and "sha256" in data:
        data = {**data, "sha256": _digest(tensors)}
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    path.write_bytes(save({**tensors, "data": np.frombuffer(text, np.uint8)}))


def of_checkpoints(content: bytes, wrong: dict[str, Any]) -> Damages:
    good = load(content)
    data = json.loads(good.pop("data").tobytes())
    weight = next(name for name in good if name.startswith("policy/") and name.endswith("weight"))
    moment, square, step = (
        next(name for name in good if name.startswith("optimiser/") and name.endswith(f"/{kind}"))
        for kind in ("exp_avg", "exp_avg_sq", "step")
    )
    past = next(name for name in good if name.startswith("pool/"))
    changes = {
        "a NaN weight": {weight: _spoilt(good[weight], np.nan)},
        "an infinite weight": {weight: _spoilt(good[weight], np.inf)},
        "a weight of another shape": {weight: good[weight][1:].copy()},
        "weights of double precision": {weight: good[weight].astype(np.float64)},
        "a weight less": {weight: None},
        "a weight more": {"policy/more": np.zeros(3, np.float32)},
        "a part more": {"\x1b[2J/more": np.zeros(3, np.float32)},
        "NaN moments": {moment: _spoilt(good[moment], np.nan)},
        "negative squares": {square: _spoilt(good[square], -1)},
        "steps of -1": {step: np.full_like(good[step], -1)},
        "steps of NaN": {step: np.full_like(good[step], np.nan)},
        "more steps": {step: good[step] + 1},
        "without the optimiser": {name: None for name in good if name.startswith("optimiser/")},
        "without past policies": {name: None for name in good if name.startswith("pool/")},
        "a NaN in a past self": {past: _spoilt(good[past], np.nan)},
        "a past self more": {
            f"pool/9/{name.split('/', 2)[2]}": good[name] for name in good if name.startswith("pool/0")
        },
        "episode starts of another length": {"episode_starts": good["episode_starts"][:-1].copy()},
        "episode starts that are numbers": {"episode_starts": good["episode_starts"].astype(np.float32)},
        "without episode starts": {"episode_starts": None},
        "another state of NumPy's generator": {"numpy": good["numpy"][:-1].copy()},
        "another state of PyTorch's generator": {"torch": good["torch"][:-1].copy()},
        "garbage as PyTorch's generator": {"torch": np.full_like(good["torch"], 255)},
    }
    yield from _damages_of(good, changes, lambda path, tensors: _write_checkpoint(path, tensors, data))
    spoilt = {**good, weight: _spoilt(good[weight], 0.125)}
    yield "a weight that was changed", lambda path: _write_checkpoint(path, spoilt, data, sign=False), False
    yield "without data", writing(save(good)), False
    for name, changed in _data_of_checkpoints(data, wrong):
        if changed != data:
            harmless = name in ("sha256: missing", "a run without a digest")
            yield name, lambda path, changed=changed: _write_checkpoint(path, good, changed, sign=False), harmless  # type: ignore[misc]


def _data_of_checkpoints(data: Any, wrong: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, text in {
        "deep": b"[" * 100_000,
        "NaN": b'{"frames": NaN}',
        "no JSON": b"\xff" * 100,
        "nothing": b"",
    }.items():
        yield f"data: {name}", text
    yield "data: a list", [data]
    for field in data:
        yield f"{field}: missing", {name: value for name, value in data.items() if name != field}
        for name, value in wrong.items():
            if (field, name) not in (("evaluations", "an empty list"), ("episodes", "an empty list")):
                yield f"{field}: {name}", {**data, field: value}
    games = data["games"][0]
    memory = [[[1.0]] * games["games"][0]["players"]] * len(games["games"])
    evaluation = data["evaluations"][0]
    for name, changes in {
        "a field more": {"more": 1},
        "frames between rollouts": {"frames": data["frames"] - 1},
        "frames beyond the end": {"frames": 2 * data["frames"]},
        "no frames": {"frames": 0},
        "other updates": {"updates": data["updates"] + 1},
        "no policies added": {"added": 0},
        "too many policies added": {"added": 10**6},
        "moves of -5": {"games": [{**games, "moves": [-5] * len(games["moves"])}]},
        "moves of 2**63": {"games": [{**games, "moves": [2**63] * len(games["moves"])}]},
        "a move less": {"games": [{**games, "moves": games["moves"][1:]}]},
        "more decisions than moves": {"games": [{**games, "decisions": [10**5] * len(games["moves"])}]},
        "a game less": {"games": [{**games, "games": games["games"][1:]}]},
        "no games": {"games": [{**games, "games": []}]},
        "games of null": {"games": [{**games, "games": [None] * len(games["games"])}]},
        "a match more": {"games": [games, games]},
        **{f"memory: {name}": {"games": [{**games, "memory": kept}]} for name, kept in _memories(memory).items()},
        "a broken game": {"games": [{**games, "games": [{**games["games"][0], "seed": "0x0"}, *games["games"][1:]]}]},
        "another generator": {"numpy": ["PCG64", *data["numpy"][1:]]},
        "a generator beyond its end": {"numpy": ["MT19937", 10**6, *data["numpy"][2:]]},
        "Python's generator beyond its end": {"python": [3, [*data["python"][1][:-1], 10**6], None]},
        "Python's generator of 2**64": {"python": [3, [2**64 - 1] * 625, None]},
        "evaluations without a field": {"evaluations": [{"frames": 0}]},
        "a win of 1e300": {"evaluations": [{**evaluation, "win": 1e300}]},
        "an evaluation after the end": {"evaluations": [{**evaluation, "frames": 10**9}]},
        "an opponent with 5 million letters": {"evaluations": [{**evaluation, "opponent": "x" * 5_000_000}]},
        "a million evaluations": {"evaluations": [1] * 1_000_000},
        "an episode of texts": {"episodes": [{"r": "x", "l": 1, "t": 1}]},
        "episodes without end": {"episodes": [{"r": 1, "l": 1, "t": 1}] * 1000},
    }.items():
        yield name, {**data, **changes}


def _memories(good: list[Any]) -> dict[str, Any]:
    """What opponents that remember nothing cannot have left, and nobody else either."""
    first = good[0][1:]  # of all players but one
    return {
        "null": None,
        "a number": 1,
        "a game less": good[1:],
        "a player less": [first, *good[1:]],
        "a player's number": [[1.0, *first], *good[1:]],
        "1e300": [[[1e300], *first], *good[1:]],
        "NaN": [[[float("nan")], *first], *good[1:]],
        "true": [[[True], *first], *good[1:]],
        "a text": [[["\x1b[2J"], *first], *good[1:]],
        "a million numbers": [[[0.5] * 10**6, *first], *good[1:]],
    }


# Parts of the arena


def _npz(arrays: Arrays) -> bytes:
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def _zipped(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def of_parts(content: bytes) -> Damages:
    with np.load(io.BytesIO(content)) as archive:
        good: Arrays = {name: archive[name] for name in archive.files}
    forfeits = json.loads(good["forfeits"].tobytes())
    win, deals = good["win"], len(good["win"])
    columns = [name for name in good if name not in ("first", "forfeits")]
    statistic = columns[-1]
    evil = np.empty((), object)
    evil[()] = Evil()
    changes: dict[str, Any] = {
        **{f"{name}: missing": {name: None} for name in good},
        **{f"{name}: 1e300": {name: _spoilt(good[name], 1e300)} for name in columns},
        **{f"{name}: infinity": {name: _spoilt(good[name], np.inf)} for name in columns},
        **{f"{name}: NaN everywhere": {name: np.full_like(win, np.nan)} for name in columns},
        **{f"{name}: single precision": {name: good[name].astype(np.float32)} for name in columns[:2]},
        **{f"{name}: a deal less": {name: good[name][1:]} for name in columns},
        "a win of NaN": {"win": _spoilt(win, np.nan)},
        "wins of -1": {"win": -win},
        "wins that are not split": {"win": np.full_like(win, 0.3)},
        "nobody wins": {"win": np.zeros_like(win)},
        "ranks of 0": {"rank": np.zeros_like(win)},
        "ranks between ranks": {"rank": _spoilt(good["rank"], 1.5)},
        "everybody is first": {"rank": np.ones_like(win)},
        "a column more": {"more": win},
        "a column with escapes": {"\x1b[2J": win},
        "another number of players": {name: np.concatenate([good[name], good[name]], 2) for name in columns},
        "another number of line-ups": {name: np.concatenate([good[name], good[name]], 1) for name in columns},
        "no deals": {name: good[name][:0] for name in columns},
        "more deals than planned": {name: np.concatenate([good[name]] * 9) for name in columns},
        "wins without a shape": {"win": np.float64(1)},
        "wins of texts": {"win": win.astype(str)},
        "wins of a date": {"win": win.astype("datetime64[s]")},
        **{
            f"deals from {first}": {"first": np.array(first)}
            for first in (-1, 2**62, 2**63, 10**6, 1.5, True, "0", [0, 0], np.nan)
        },
        "deals from 2**80": {"first": np.array(2**80, object)},
        "an object that runs code": {"first": evil},
        "forfeits that run code": {"forfeits": evil},
        "wins that run code": {"win": np.full(win.shape, Evil(), object)},
    }
    told = {"deal": int(good["first"]), "lineup": 0, "seat": 1, "agent": 1, "moves": 0, "error": "E", "message": "M"}
    wrong_forfeits = {
        "of agent 99": [{**told, "agent": 99}],
        "of another agent": [{**told, "agent": 0}],
        "of seat 99": [{**told, "seat": 99}],
        "of line-up -1": [{**told, "lineup": -1}],
        "of deal -1": [{**told, "deal": -1}],
        "of deal 2**63": [{**told, "deal": 2**63}],
        "after -1 moves": [{**told, "moves": -1}],
        "of 5,000 letters": [{**told, "message": "\x1b" * 5000}],
        "of an error 5": [{**told, "error": 5}],
        "without a field": [{"deal": 0}],
        "with a field more": [{**told, "more": 0}],
        "as an object": {"a": 1},
        "as numbers": [1, 2],
        "without end": [told] * 100_000,
        "that did not happen": [*forfeits, {**told, "deal": int(good["first"]) + deals - 1}],
        "left out": [] if forfeits else [told],
    }
    changes |= {f"forfeits {name}": {"forfeits": _as_array(json.dumps(told))} for name, told in wrong_forfeits.items()}
    texts = {"nested deeply": "[" * 100_000, "twice a key": '[{"deal": 0, "deal": 0}]', "NaN": "[NaN]", "cut off": "[{"}
    changes |= {f"forfeits {name}": {"forfeits": _as_array(text)} for name, text in texts.items()}
    changes |= {"forfeits as a text of nonsense": {"forfeits": np.array("[" * 5000)}}
    yield from _damages_of(good, changes, lambda path, arrays: path.write_bytes(_npz(arrays)) and None)
    yield from _zips(content, statistic)


def _as_array(text: str) -> Any:
    return np.frombuffer(text.encode(), np.uint8)


def _zips(content: bytes, name: str) -> Damages:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    member = f"{name}.npy"

    def header(text: str) -> bytes:
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()

    shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000, 1000000), }"
    code = "{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (), }"
    huge = "{'descr': 'V2147483647', 'fortran_order': False, 'shape': (), }"
    for told, changed in {
        "a bomb": {member: bytes(1 << 27)},
        "a bomb beside": {"bomb.npy": bytes(1 << 27)},
        "a shape of terabytes": {member: header(shape)},
        "a header of code": {member: header(code)},
        "a header of a huge type": {member: header(huge)},
        "a header without end": {member: b"\x93NUMPY\x01\x00\xff\xff{"},
        "a header, deep": {member: header("(" * 60_000)},
        "no NPY": {member: b"hello"},
        "an empty member": {member: b""},
        "another version": {member: b"\x93NUMPY\x09\x00" + members[member][8:]},
        "1,000 members": {f"{number}.npy": b"" for number in range(1000)},
        "a path": {"../../win.npy": members[member]},
    }.items():
        yield told, writing(_zipped({**members, **changed})), False
    locked = bytearray(content)
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    yield "a member with a password", writing(bytes(locked)), False
    packed = bytearray(content)
    packed[packed.rindex(b"PK\x01\x02") + 10] = 99
    yield "a member packed in another way", writing(bytes(packed)), False


# Models of Stable-Baselines3, which are code and read only if they are trusted


def save_model(game: Game, folder: Path) -> None:
    env = Environments(game).learner_vec_env(num_envs=2)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, n_steps=2, batch_size=4)
    model.save(folder / "model.zip")


def of_models(content: bytes) -> Damages:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    for name, changed in {
        "no data": {"data": b""},
        "data that are a list": {"data": b"[]"},
        "data that are nothing": {"data": b"{}"},
        "data that are no JSON": {"data": b"\xff\xfe"},
        "data, deep": {"data": b"[" * 100_000},
        "garbage as policy": {"policy.pth": b"garbage"},
        "an empty policy": {"policy.pth": b""},
        "half a policy": {"policy.pth": members["policy.pth"][: len(members["policy.pth"]) // 2]},
        "1,000 members": {f"{number}": b"" for number in range(1000)},
    }.items():
        yield name, writing(_zipped({**members, **changed})), False
    for missing in ("data", "policy.pth"):
        left = {name: member for name, member in members.items() if name != missing}
        yield f"without {missing}", writing(_zipped(left)), False
    bomb = bytearray(content)
    size = bomb.rindex(b"PK\x01\x02") + 24
    bomb[size : size + 4] = (2**32 - 2).to_bytes(4, "little")
    yield "a bomb", writing(bytes(bomb)), False
    yield "no members", writing(_zipped({})), False
    yield "a pickle", writing(pickle.dumps([1, 2])), False
