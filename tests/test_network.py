"""Agents that are networks: what they do, and that their files are read without trusting them."""

import hashlib
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playing import mid_game
from safetensors.numpy import load_file, save
from toy_game import STONES, StoneGames

from strand_env.agents import agent_of
from strand_env.agents.encoding import compact_encoding, encoding_of
from strand_env.agents.network import DESCRIPTION, WEIGHTS, Network, NetworkAgent, load_agent, save_agent
from strand_env.agents.strand_unter import guesses
from strand_env.agents.strand_unter.heuristics import Tide
from strand_env.arena import versus
from strand_env.engine.randomness import Streams
from strand_env.maui import GAME as MAUI
from strand_env.maui import Games as MauiGames
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import Games, layout
from strand_env.strand_unter.state import DIAL, SPELL

ENCODING = encoding_of(STRAND_UNTER, 4, "needs 1, guesses 1")  # that of the bundled agent
INPUTS = ENCODING.size
SIZES = (INPUTS, 32, 57)


def network(seed: int = 0, sizes: tuple[int, ...] = SIZES, activation: Any = "relu", scale: float = 0.3) -> Network:
    rng = np.random.default_rng(seed)
    shapes = pairwise(sizes)
    layers = [
        (scale * rng.standard_normal(shape, np.float32), rng.standard_normal(shape[1], np.float32)) for shape in shapes
    ]
    return Network(layers, activation)


def decisions(number: int) -> tuple[Any, Any, Streams]:
    """Observations, masks and streams of players in the middle of games."""
    games = Games(number, seed=3)
    for step in range(12):
        games.step(games.random_actions(step))
    everybody = np.arange(number), np.arange(number) % 4
    return *games.look_at_rows(*everybody), Streams.of_decisions(games.seeds, 12, everybody[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_agent(tmp_path / "agent", network(), STRAND_UNTER, [4], ENCODING, 0.5, {"seed": 1}, [{"win": 0.5}])
    return tmp_path / "agent"


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_it_does_what_it_finds_likely(temperature: float, activation: Any) -> None:
    agent = NetworkAgent(network(activation=activation), ENCODING, temperature)
    observation, mask, _ = (part[:1] for part in decisions(1))
    mask[:] = np.arange(57) % 3 == 0
    expected = agent.probabilities(observation, mask)[0]
    assert expected.sum() == pytest.approx(1)
    assert not expected[mask[0] == 0].any()
    rows = 20_000
    rng = Streams.of_decisions(np.arange(rows, dtype=np.uint64), 0, np.zeros(rows, np.int64))
    chosen = agent.act(np.repeat(observation, rows, axis=0), np.repeat(mask, rows, axis=0), rng)
    assert np.bincount(chosen, minlength=57) / rows == pytest.approx(expected, abs=0.015)
    assert (expected.max() == 1) == (temperature == 0)


def test_networks_are_shown_what_everybody_needs() -> None:
    """Held against a plain reading of the layout."""
    games = mid_game(80, 3)
    observations = games.observe().reshape(-1, layout.size)
    shown = ENCODING.encode(observations)
    history = ("dials_set", "last_dial", "last_spell_dial", "spell_dials_set")
    sections = [section for section in layout if not section.name.endswith(history)]
    copied = np.concatenate([np.arange(layout.size)[section.slice] for section in sections])
    scaled = (observations / np.minimum(layout.maximum, 4))[:, copied]
    assert shown[:, : len(copied)] == pytest.approx(scaled)
    per_seat = 28
    for seat in range(4):
        own = {
            name: observations[:, layout[f"seat_{seat}.{name}"].slice].astype(int)
            for name in ("bucket", "cards", "castles")
        }
        heap, ready, *_ = np.moveaxis(own["castles"].reshape(-1, 4, 4), 2, 0)
        cards = own["cards"].reshape(-1, 4, 4) * (heap + ready)[:, :, None]
        bucket = own["bucket"][:, None]
        lacking = np.maximum(cards - bucket, 0)
        spare = np.maximum(bucket - own["cards"].reshape(-1, 4, 4), 0).sum(2)
        missing = (lacking.sum(2) + (spare == 0)) * (heap + ready)
        complete = (missing == 0) & (heap + ready == 1)
        by_castle = np.concatenate([lacking / 2, missing[:, :, None] / 4, complete[:, :, None]], axis=2)
        expected = np.hstack([(cards.sum(1) - bucket[:, 0]) / 4, by_castle.reshape(len(shown), -1)])
        start = len(copied) + per_seat * seat
        assert shown[:, start : start + per_seat] == pytest.approx(expected), seat
        if seat == 0:
            needed = np.maximum(cards.sum(1) - bucket[:, 0], 0)
    there = observations[:, layout["shells"].slice].astype(int)
    table = np.concatenate([there[:, :, None] > np.arange(4), np.minimum(needed, there)[:, :, None] / 2], axis=2)
    assert shown[:, len(copied) + 4 * per_seat : -guesses.SIZE] == pytest.approx(table.reshape(len(shown), -1))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_networks_are_shown_what_the_reference_would_set_for_everybody(players: int) -> None:
    """Held against what it says when it sees with their eyes."""
    games = mid_game(150, players)
    shown = ENCODING.encode(games.observe().reshape(-1, layout.size))[:, -guesses.SIZE :]
    likely, good = np.moveaxis(shown.reshape(150, players, 4, 2, 10), 3, 0)
    phase = games.state["phase"]
    sets_dial = np.where(phase[:, None] == SPELL, games.to_act, (phase == DIAL)[:, None])
    assert sets_dial.sum() > 100
    for game, player in np.ndindex(sets_dial.shape):
        seen = (game, (player - np.arange(players)) % players, np.arange(players))  # by each, so many seats before
        if sets_dial[game, player]:
            observation, mask = games.look_at_rows(np.array([game]), np.array([player]))
            expected = Tide().probabilities(observation, mask)[0, :10]
            worse = Tide().rate(observation, mask)[0, :10]
            assert likely[seen] == pytest.approx(np.tile(expected, (players, 1)), abs=1e-5)
            assert good[seen] == pytest.approx(
                np.tile(np.maximum(1 + (worse - worse.max()) / 4, 0), (players, 1)), abs=1e-5
            )
        else:
            assert not likely[seen].any()
            assert not good[seen].any()
    assert not shown.reshape(150, players, 4, 20)[:, :, players:].any()


def test_of_other_games_networks_are_shown_the_observation() -> None:
    games = StoneGames(5, 2, seed=1)
    seen = games.observe()[:, 0]
    shown = encoding_of(STONES, 2).encode(seen)
    assert shown == pytest.approx(seen / games.observation_maximum)
    assert compact_encoding(games.observation_maximum).size == shown.shape[1]


def test_a_row_does_not_depend_on_the_others() -> None:
    agent = NetworkAgent(network(sizes=(ENCODING.size, 256, 256, 57)), ENCODING)
    observation, mask, rng = decisions(1300)
    together, likely = agent.act(observation, mask, rng[np.arange(1300)]), agent.probabilities(observation, mask)
    for rows in (np.array([7]), np.array([7, 9]), np.arange(100, 700), np.arange(1299, 0, -3)):
        assert (agent.act(observation[rows], mask[rows], rng[rows]) == together[rows]).all()
        # On some processors the last bit depends on a row's place among the others.
        assert agent.probabilities(observation[rows], mask[rows]) == pytest.approx(likely[rows], abs=1e-4)


def test_it_is_asked_for_many_decisions_at_once() -> None:
    agent = NetworkAgent(network(sizes=(ENCODING.size, 256, 256, 57)), ENCODING)
    observation, mask, rng = decisions(10_000)
    agent.act(observation, mask, rng)
    spent = []
    for _ in range(5):
        began = time.process_time()
        agent.act(observation, mask, rng)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.5  # a fifth of that on a machine that does nothing else


def test_files_bring_back_the_same_agent(folder: Path) -> None:
    agent, loaded = NetworkAgent(network(), ENCODING, 0.5), agent_of(str(folder))
    observation, mask, rng = decisions(500)
    assert (loaded.act(observation, mask, rng[np.arange(500)]) == agent.act(observation, mask, rng)).all()
    assert versus(str(folder), "random", 3).seats == 12
    known = json.loads((folder / DESCRIPTION).read_bytes())
    assert known["game"] == "strand_unter_v1"
    assert known["layers"] == list(SIZES)
    assert known["training"] == {"seed": 1}


def test_agents_of_earlier_versions_are_read(folder: Path) -> None:
    """Their descriptions call the encoding "sight"."""
    path = folder / DESCRIPTION
    known = json.loads(path.read_bytes())
    expected = load_agent(folder)
    path.write_text(json.dumps(known | {"sight": known.pop("encoding")}), "utf-8")
    assert "encoding" not in json.loads(path.read_bytes())
    loaded = load_agent(folder)
    assert loaded.encoding.name == expected.encoding.name == ENCODING.name
    observation, mask, rng = decisions(50)
    assert (loaded.act(observation, mask, rng[np.arange(50)]) == expected.act(observation, mask, rng)).all()
    changed(folder, sight="far")
    with pytest.raises(ValueError, match=r"encoding: expected one of .* got 'far'"):
        load_agent(folder)


def changed(folder: Path, **changes: Any) -> None:
    path = folder / DESCRIPTION
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **changes}), "utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "expected an agent of format 1, got 2"),
        ({"game": "strand_unter_v7"}, "game: expected one of 'strand_unter_v1', 'maui_v0', .*; got 'strand_unter_v7'"),
        ({"game": []}, r"game: expected one of 'strand_unter_v1', 'maui_v0', .*; got \[\]"),
        ({"players": [1]}, "players: expected a whole number from 2 to 4, got 1"),
        ({"players": None}, "players: expected a list of 1 to 3 entries, got None"),
        ({"players": [[]]}, r"players: expected a whole number from 2 to 4, got \[\]"),
        (
            {"encoding": "far"},
            "encoding: expected one of 'features 1', 'needs 1, guesses 1', 'needs 1', 'compact'; got 'far'",
        ),
        ({"encoding": []}, r"encoding: expected one of .*; got \[\]"),
        ({"encoding": "compact"}, "expected from 312 entries to 57 actions"),
        ({"layout": "0123"}, "trained on other observations or actions of strand_unter_v1"),
        ({"layers": [INPUTS, 57]}, r"expected 2 arrays; missing: \[\], too many: \['1.bias', '1.weight'\]"),
        ({"layers": [INPUTS, 32, 56]}, f"expected from {INPUTS} entries to 57 actions"),
        ({"layers": [INPUTS, 10**9, 57]}, "layers: expected a whole number from 1 to 8192, got 1000000000"),
        ({"layers": [INPUTS, 32.0, 57]}, "layers: expected a whole number from 1 to 8192, got 32.0"),
        (
            {"layers": [INPUTS, 33, 57]},
            rf"0.weight: expected float32 \(33, {INPUTS}\), got float32 \(32, {INPUTS}\)",
        ),
        ({"layers": None}, "layers: expected a list of 2 to 16 entries, got None"),
        (
            {"layers": [INPUTS, *[8192] * 3, 57]},
            "layers: expected at most 67,108,864 weights, got 13[0-9],[0-9,]* in",
        ),
        ({"activation": "gelu"}, "activation: expected one of 'relu', 'tanh'; got 'gelu'"),
        ({"temperature": -1}, "temperature: expected a number from 0 to 100, got -1"),
        ({"temperature": "hot"}, "temperature: expected a number from 0 to 100, got 'hot'"),
        ({"temperature": 1e-9}, "temperature: expected 0, or 0.001 to 100, got 1e-09"),
        ({"sha256": "0"}, "not the weights that agent.json describes"),
    ],
)
def test_another_description_is_refused(folder: Path, changes: dict[str, Any], message: str) -> None:
    changed(folder, **changes)
    with pytest.raises(ValueError, match=message):
        load_agent(folder)


def tensors_with(**changes: Any) -> Any:
    def change(tensors: dict[str, Any]) -> bytes:
        return save({name: value for name, value in {**tensors, **changes}.items() if value is not None})

    return change


HUGE_HEADER = (2**40).to_bytes(8, "little") + b"{}"
OVERLAPPING = b'{"0.weight":{"dtype":"F32","shape":[32,248],"data_offsets":[0,99999999]}}'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (tensors_with(**{"1.bias": None}), r"missing: \['1.bias'\], too many: \[\]"),
        (tensors_with(more=np.zeros(3, np.float32)), r"missing: \[\], too many: \['more'\]"),
        (
            tensors_with(**{"1.bias": np.zeros(58, np.float32)}),
            r"1.bias: expected float32 \(57,\), got float32 \(58,\)",
        ),
        (tensors_with(**{"1.bias": np.zeros(57)}), "1.bias: expected float32"),
        (tensors_with(**{"1.bias": np.full(57, np.nan, np.float32)}), "1.bias: holds numbers that are not finite"),
        (tensors_with(**{"0.bias": np.full(32, -np.inf, np.float32)}), "0.bias: holds numbers that are not finite"),
        (tensors_with(more=np.zeros(5_000_000, np.int8)), "expected at most [0-9,]+ bytes, got more"),
        (lambda _: b"", "not a safetensors file"),
        (lambda _: b"PK\3\4 a zip", "not a safetensors file"),
        (lambda _: HUGE_HEADER, "not a safetensors file"),
        (lambda _: len(OVERLAPPING).to_bytes(8, "little") + OVERLAPPING, "not a safetensors file"),
    ],
)
def test_other_weights_are_refused(folder: Path, change: Any, message: str) -> None:
    content = change(load_file(folder / WEIGHTS))
    (folder / WEIGHTS).write_bytes(content)
    changed(folder, sha256=hashlib.sha256(content).hexdigest())
    with pytest.raises(ValueError, match=message):
        load_agent(folder)


def test_damaged_files_are_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"agent.json: there is no such file; a trained agent is agent.json and"):
        agent_of(str(folder.parent))
    for content in (b"", b"[", b"[1]", b"\xff", b"[" * 100_000, b" " * (1 << 20) + b"{}"):
        (folder / DESCRIPTION).write_bytes(content)
        with pytest.raises(
            ValueError,
            match=r"agent\.json: (expected JSON|format: expected an agent|expected nesting|expected at most)",
        ):
            load_agent(folder)
    save_agent(folder, network(), STRAND_UNTER, [2, 3], ENCODING)
    (folder / WEIGHTS).unlink()
    with pytest.raises(ValueError, match=r"agent.safetensors: there is no such file"):
        load_agent(folder)


@pytest.mark.slow
def test_loading_needs_no_pytorch(folder: Path) -> None:
    import subprocess
    import sys

    program = (
        f"import sys; from strand_env.agents import agent_of; agent_of({str(folder)!r}); print('torch' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


def scorer(per_action: int, shared: int, activation: Any = "relu") -> tuple[Network, Any]:
    """A network that scores actions by shared weights, and what it computes, literally."""
    flat = network(sizes=(per_action + shared, 16, 8, 1), activation=activation)
    scoring = Network(flat.layers, activation, per_action)

    def literally(features: Any) -> Any:
        actions = (features.shape[1] - shared) // per_action
        scores = np.zeros((len(features), actions))
        for action in range(actions):
            own = features[:, action * per_action : (action + 1) * per_action]
            logits = flat.logits(np.concatenate([own, features[:, actions * per_action :]], axis=1))[:, 0]
            scores[:, action] = np.where(own[:, 0] == 1, logits, 0)
        return scores

    return scoring, literally


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_actions_are_scored_by_the_same_weights(activation: Any) -> None:
    rng = np.random.default_rng(1)
    scoring, literally = scorer(5, 7, activation)
    features = rng.standard_normal((200, 9 * 5 + 7)).astype(np.float32)
    features[:, : 9 * 5 : 5] = rng.random((200, 9)) < 0.3
    features[3, : 9 * 5 : 5] = 0  # a row without any action
    logits = scoring.logits(features)
    assert logits.dtype == np.float32
    assert logits == pytest.approx(literally(features), abs=1e-4)
    # The same in every company, to the last bit.
    for rows in (np.array([7]), np.arange(100, 170), np.arange(199, 0, -3)):
        assert np.array_equal(scoring.logits(features[rows]), logits[rows])
    assert scoring.logits(features[:0]).shape == (0, 9)


def test_scoring_agents_are_stored(tmp_path: Path) -> None:
    encoding = encoding_of(MAUI, 4)
    shared = encoding.size - 50 * encoding.per_action
    scoring, literally = scorer(encoding.per_action, shared)
    save_agent(tmp_path / "agent", scoring, MAUI, [2, 4], encoding)
    loaded = load_agent(tmp_path / "agent")
    assert json.loads((tmp_path / "agent" / DESCRIPTION).read_bytes())["layers"] == [scoring.sizes[0], 16, 8, 1]
    games = MauiGames(50, 4, seed=1)
    features = encoding.encode(games.look_at_rows(*np.nonzero(games.to_act))[0])
    assert loaded.network.logits(features) == pytest.approx(literally(features), abs=1e-3)
    assert versus(str(tmp_path / "agent"), "random", 2, game="maui").seats == 8
    changed(tmp_path / "agent", layers=[encoding.size, 16, 8, 50])
    with pytest.raises(
        ValueError, match=r"layers: expected from \d+ entries to 1 score for each action, as in maui_v0"
    ):
        load_agent(tmp_path / "agent")


@pytest.mark.slow
def test_scoring_networks_are_quick() -> None:
    encoding = encoding_of(MAUI, 4)
    scoring, _ = scorer(encoding.per_action, encoding.size - 50 * encoding.per_action)
    games = MauiGames(10_000, 4, seed=1)
    features = encoding.encode(games.look_at_rows(*np.nonzero(games.to_act))[0])
    spent = []
    for _ in range(3):
        began = time.process_time()
        scoring.logits(features)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.5  # a fifth of that on a machine that does nothing else


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("sizes", [(7, 3), (8, 5, 2), (13, 16, 9, 57)])
def test_the_compiled_forward_pass_is_that_of_the_layers(sizes: tuple[int, ...], activation: Any) -> None:
    known = network(sizes=sizes, activation=activation)
    rng = np.random.default_rng(2)
    features = rng.standard_normal((11, sizes[0])).astype(np.float32) * (rng.random((11, sizes[0])) < 0.4)
    expected = features.astype(np.float64)
    for number, (weight, bias) in enumerate(known.layers):
        if number:
            expected = np.maximum(expected, 0) if activation == "relu" else np.tanh(expected)
        expected = expected @ weight + bias
    logits = known.logits(features)
    assert logits == pytest.approx(expected, abs=1e-4)
    for rows in ([4], [10, 2, 3], list(range(10, -1, -1))):
        assert np.array_equal(known.logits(features[rows]), logits[rows])
