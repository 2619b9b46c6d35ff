"""The arena on a real Ray cluster of two nodes: the same results whatever happens to workers and nodes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import benchmarks
import numpy as np
import pytest
from nodes import ENVIRONMENT, Nodes

os.environ.update(ENVIRONMENT)
os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # where PyTorch's processes find each other
pytest.importorskip("ray")

from stable_baselines3.common.logger import Logger

from strand_env.agents.encoding import COMPACT, encodings_of
from strand_env.agents.network import Network, load_agent, save_agent
from strand_env.arena import exploit, run_arena
from strand_env.arena.workers import WorkerFailed
from strand_env.registry import game_of
from strand_env.support import cluster
from strand_env.train.config import Config
from strand_env.train.learner import network_of
from strand_env.train.run import Quiet, Run, begin, train
from strand_env.train.runners import RemoteVecEnv, RunnerDied, Runners, weights_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")  # RLlib uses what Ray gives up

HERE = Path(__file__).parent
OWN = HERE / "ray_agents.py"
STRAND = str(Path(sys.executable).with_name("strand"))
DEALS = 60


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file in which the nodes tell what they do."""
    return tmp_path_factory.mktemp("told") / "told.txt"


@pytest.fixture(scope="module")
def nodes(told: Path) -> Iterator[Nodes]:
    """A head of one core, and a node of two that has compiled nothing yet."""
    running = Nodes()
    try:
        running.start(0, environment={"STRAND_TEST_TOLD": str(told)})
        wait_for(lambda: (running.folder / "ray_current_cluster").exists())
        start_second(running, told, {"NUMBA_CACHE_DIR": str(running.folder / "cache")})
        with cluster.connected(running.address):
            running.wait(2)
        yield running
    finally:
        running.stop()
        shutil.rmtree(running.folder, ignore_errors=True)


def start_second(running: Nodes, told: Path, more: Mapping[str, str] | None = None) -> None:
    own = {"STRAND_TEST_TOLD": str(told), "STRAND_TEST_SLOW": "0.01", **(more or {})}
    running.start(1, cores=2, environment=own)


def wait_for(condition: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network in a folder of one's own, which has learned nothing."""
    folder = tmp_path_factory.mktemp("trained") / "agent"
    game = game_of()
    encoding = encodings_of(game, 3)[COMPACT]
    rng = np.random.default_rng(0)
    weights = 0.1 * rng.standard_normal((encoding.size, game.num_actions), np.float32)
    network = Network([(weights, np.zeros(game.num_actions, np.float32))], "relu")
    save_agent(folder, network, game, [3], encoding)
    return folder


@pytest.fixture(scope="module")
def field(trained: Path) -> list[str]:
    """An agent by name, one in a folder, and one in a file that imports its neighbour."""
    return ["random", str(trained), f"{OWN}:Telling"]


@pytest.fixture(scope="module")
def expected(field: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("expected")
    run_arena(field, DEALS, 3, seed=7, record=5, out=folder)
    return files(folder)


def files(folder: Path) -> dict[str, bytes]:
    """All that a run has left, except the pieces that it was played in."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "parts"
    }


def lines(told: Path, what: str) -> list[tuple[str, str, str]]:
    """Node, process and name of what was told."""
    if not told.exists():
        return []
    found = [line.split(" ", 3) for line in told.read_text().splitlines()]
    return [(node, process, name) for kind, node, process, name in found if kind == what]


def test_both_nodes_play_and_the_results_are_those_of_one_process(
    nodes: Nodes, told: Path, field: list[str], expected: dict[str, bytes], tmp_path: Path
) -> None:
    run_arena(field, DEALS, 3, seed=7, record=5, out=tmp_path, ray=nodes.address)
    assert files(tmp_path) == expected
    assert {node for node, _, _ in lines(told, "plays")} == {"0", "1"}
    places = {name for _, _, name in lines(told, "plays")}
    assert str(OWN) not in places, "nodes play with the files that were sent to them"


def test_kernels_are_compiled_once_per_node(nodes: Nodes, told: Path, field: list[str]) -> None:
    """The second node began without any, and has two processes."""
    processes = {process for node, process, _ in lines(told, "plays") if node == "1"}
    assert len(processes) == 2
    times = Counter(name for node, _, name in lines(told, "compiles") if node == "1")
    assert len(times) > 3
    assert set(times.values()) == {1}
    # Once they are there, tasks load them once per process, or not at all: processes are kept from run to run.
    before = len(lines(told, "compiles"))
    run_arena(field, 30, 3, ray=nodes.address, watch=lambda done: None)
    assert len(lines(told, "compiles")) == before


def busy(nodes: Nodes, number: int) -> list[int]:
    """The processes of a node that are doing a task right now."""
    found = []
    for process in nodes.processes(number):
        try:
            title = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::run"):
            found.append(process)
    return found


def test_workers_and_nodes_that_die_change_nothing(
    nodes: Nodes, told: Path, field: list[str], expected: dict[str, bytes], tmp_path: Path
) -> None:
    killed: list[int] = []

    def watch(done: int) -> None:
        if done >= 4 and not killed:
            wait_for(lambda: busy(nodes, 1))
            killed.append(busy(nodes, 1)[0])
            os.kill(killed[0], signal.SIGKILL)
        elif done >= 12 and len(killed) == 1:
            wait_for(lambda: busy(nodes, 1))
            killed.append(1)
            assert done < DEALS
            nodes.kill(1)

    run_arena(field, DEALS, 3, seed=7, record=5, out=tmp_path, ray=nodes.address, watch=watch)
    assert len(killed) == 2
    assert files(tmp_path) == expected
    start_second(nodes, told)
    with cluster.connected(nodes.address):
        nodes.wait(2)


def test_a_run_that_was_interrupted_goes_on(
    nodes: Nodes, field: list[str], expected: dict[str, bytes], tmp_path: Path
) -> None:
    def stop(done: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    run: dict[str, Any] = {"seed": 7, "record": 5, "out": tmp_path, "ray": nodes.address}
    with pytest.raises(KeyboardInterrupt):
        run_arena(field, DEALS, 3, watch=stop, **run)
    assert not (tmp_path / "results.json").exists()
    seen: list[int] = []
    run_arena(field, DEALS, 3, watch=seen.append, resume=True, **run)
    assert 5 <= seen[0] < seen[-1] == DEALS
    assert files(tmp_path) == expected


def test_a_search_that_knows_an_agent(nodes: Nodes, trained: Path) -> None:
    """Whose name has the agent's folder in it."""
    asked: dict[str, Any] = {"deals": 2, "players": 2, "rollouts": [2], "cutoff": 1}
    assert exploit(str(trained), ray=nodes.address, **asked) == exploit(str(trained), **asked)


def test_agents_that_fail_are_told(nodes: Nodes) -> None:
    with pytest.raises(WorkerFailed, match=r"(?s)^while deals \d+ to \d+ were played:.*too far from home"):
        run_arena(["random", f"{OWN}:Homebound"], 5, ray=nodes.address)
    with pytest.raises(WorkerFailed, match=r"^a process died while deals \d+ to \d+.* were played$"):
        run_arena(["random", f"{OWN}:Deadly"], 2, 2, ray=nodes.address)


def test_other_versions_are_told(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**cluster.versions(), "numba": "0.1", "strand_env": "0.0 (0123)"}
    monkeypatch.setattr(cluster, "versions", lambda: other)
    with pytest.raises(WorkerFailed) as raised:
        run_arena(["random", "random"], 4, 2, ray=nodes.address)
    assert str(raised.value).startswith("node ")
    assert "where 0.0 (0123) is expected, numba " in str(raised.value)
    assert "where 0.1 is expected: install the same on all nodes" in str(raised.value)


def test_a_node_without_strand_env_is_told(nodes: Nodes, told: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['strand_env'] = None\n")
    nodes.start(2, cores=4, environment={"PYTHONPATH": str(tmp_path)})
    with cluster.connected(nodes.address):
        nodes.wait(3)
        with pytest.raises(WorkerFailed, match=r"^node \S+ has no strand_env \S+ \(\w+\): No module named"):
            run_arena(["random", "random"], 200, 2, ray=nodes.address, watch=lambda done: time.sleep(0.05))
        nodes.kill(2)
        nodes.wait(2)


def test_nobody_at_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_gcs_rpc_server_connect_timeout_s", "1")
    with pytest.raises(ValueError, match=r"^Ray: cannot connect to 'nowhere'"):
        run_arena(["random", "random"], 2, 2, ray="nowhere")


def test_the_commands(nodes: Nodes, tmp_path: Path) -> None:
    def strand(*arguments: str) -> str:
        command = [STRAND, *arguments, "--players", "2", "--seed", "3"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert run.returncode == 0, run.stderr
        return run.stdout

    arena = "arena", "random", f"{OWN}:Telling", "--deals", "6"
    plain = strand(*arena, "--processes", "1")
    assert "Telling" in plain
    assert strand(*arena, "--ray", nodes.address) == plain
    assert strand(*arena, "--processes", "1", "--ray") == plain  # which starts a Ray of its own
    measured = "exploit", "random", "--deals", "2", "--rollouts", "2", "--processes", "1"
    told = strand(*measured, "--out", "one")
    assert strand(*measured, "--out", "two", "--ray", nodes.address).replace("two", "one") == told


# Benchmarks


def test_runs_of_a_benchmark_are_tasks(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = benchmarks.Recipe("selfplay_ppo", "PPO", os.path.relpath(sys.prefix, benchmarks.ROOT), 1)
    runs = [benchmarks.Run(recipe, "strand_unter", seed, frames=500, opponents="random") for seed in range(2)]
    tiny = ("--evaluations", "1", "--deals", "2")
    benchmarks.carry_out_on_cluster(runs, tmp_path, nodes.address, tiny)
    for run in runs:
        curve = benchmarks.result_of(run, tmp_path)
        assert curve is not None
        assert curve[-1]["frames"] >= 500
        assert json.loads((tmp_path / run.file).read_text("utf-8"))["task"]["seed"] == run.seed
    benchmarks.carry_out_on_cluster(runs, tmp_path, "nowhere", tiny)  # nothing is left to do
    (missing,) = (replace(run, recipe=replace(recipe, environment=".venv-nowhere")) for run in runs[:1])
    with pytest.raises(RuntimeError, match=r"python is missing: make \.venv-nowhere/installed$"):
        benchmarks.carry_out_on_cluster([missing], tmp_path / "none", nodes.address)
    monkeypatch.setattr(benchmarks, "recipes_digest", lambda: "of another commit")
    with pytest.raises(RuntimeError, match=r"node \S+ has other recipes in .*: use the same commit on all nodes$"):
        benchmarks.carry_out_on_cluster(runs, tmp_path / "none", nodes.address)
    assert not (tmp_path / "none").exists()


# Training

TINY: dict[str, Any] = {
    "imitate": 0,
    "shaping": 0.0,
    "players": "2,3",
    "encoding": "compact",
    "hidden": "16",
    "opponents": "random=0.4,self=0.3,past=0.3",
    "reference": "random",
    "n_envs": 32,
    "n_steps": 8,
    "batch_size": 64,
    "n_epochs": 2,
    "total_timesteps": 8 * 256,
    "pool_every": 512,
    "evaluate_every": 1024,
    "deals": 2,
    "final_deals": 2,
    "checkpoint_seconds": 0.0,
}


class Frames(Quiet):
    """Keeps where a run has begun, and what it has reached; calls a function there."""

    def __init__(self, reached: Callable[[int], None] = lambda frames: None) -> None:
        self.begins: list[int] = []
        self._reached = reached

    def begun(self, decisions: int) -> None:
        self.begins.append(decisions)

    def progress(self, decisions: int) -> None:
        self._reached(decisions)


def trained_in(folder: Path, nodes: Nodes, watcher: Frames, **changes: Any) -> Run:
    begin(folder, Config(**{**TINY, "env_runners": 2, **changes}))
    with cluster.connected(nodes.address):
        return train(folder, watcher)


def weights(run: Run) -> dict[str, Any]:
    return {name: tensor.numpy() for name, tensor in run.model.policy.state_dict().items()}


def test_training_goes_on_when_runners_and_nodes_die(nodes: Nodes, told: Path, tmp_path: Path) -> None:
    """From the checkpoint, and to the same weights as if nothing had happened."""
    plain = trained_in(tmp_path / "plain", nodes, watched := Frames())
    assert watched.begins == [0]
    assert plain.frames == TINY["total_timesteps"]
    assert load_agent(tmp_path / "plain" / "agent").game == plain.game.id
    assert len(json.loads((tmp_path / "plain" / "evaluations.json").read_text())) == 3

    killed: list[int] = []

    def reached(frames: int) -> None:
        if frames == 512 and not killed:
            killed.extend(actors(nodes, 1)[:1])
            os.kill(killed[0], signal.SIGKILL)
        elif frames == 1280 and len(killed) == 1:
            killed.append(1)
            nodes.kill(1)
            start_second(nodes, told)

    watched = Frames(reached)
    disturbed = trained_in(tmp_path / "disturbed", nodes, watched)
    assert len(killed) == 2
    assert len(watched.begins) == 3
    assert 0 == watched.begins[0] < watched.begins[1] <= 768 < watched.begins[2] <= 1536
    for name, expected in weights(plain).items():
        assert (weights(disturbed)[name] == expected).all(), name


@pytest.mark.parametrize("kind", ["OutOfMemoryError", "WorkerCrashedError", "NodeDiedError"])
def test_runners_that_ray_kills_have_died(kind: str) -> None:
    """As those do that need more memory than their node has."""
    import ray

    runners = object.__new__(Runners)
    runners._ray, runners._actors, runners._learners = ray, [], None
    with pytest.raises(RunnerDied), runners._noticing_deaths():
        raise getattr(ray.exceptions, kind)("gone")


LEARNER = "ray::_WrappedExecutable"  # as RLlib calls it


def actors(nodes: Nodes, number: int, title: str = "ray::Runner") -> list[int]:
    """The processes of env runners on a node, or of learners."""
    found = []
    for process in nodes.processes(number):
        with suppress(OSError):
            if Path(f"/proc/{process}/cmdline").read_bytes().startswith(title.encode()):
                found.append(process)
    return found


def test_runners_have_the_gradients_of_all_games(nodes: Nodes, tmp_path: Path) -> None:
    """Two runners learn from each other's games: their weights are equal, and not those of one runner's games."""
    begin(tmp_path / "two", Config(**{**TINY, "env_runners": 2}))
    with cluster.connected(nodes.address):
        run = Run(tmp_path / "two")
        run.model.set_logger(Logger(None, []))
        run.model._setup_learn(256, run)
        run.policies.keep(network_of(run.model))
        run.model.collect_rollouts(run.env, run, None, 8)
        run.model.train()
        assert isinstance(run.env, RemoteVecEnv)
        assert run.env.runners is not None
        import ray

        actors = run.env.runners._actors
        found = ray.get([actor.__ray_call__.remote(lambda self: weights_of(self._model).policy) for actor in actors])
        rollouts = ray.get(
            [actor.__ray_call__.remote(lambda self: self._model.rollout_buffer.observations.sum()) for actor in actors]
        )
        run.env.runners.stop()
    assert rollouts[0] != rollouts[1]
    for name, tensor in found[0].items():
        assert (tensor == found[1][name]).all()
        assert (tensor.numpy() == weights(run)[name]).all()


def test_a_learner_of_rllib_learns_what_a_runner_would(nodes: Nodes, tmp_path: Path) -> None:
    """In minibatches of a whole rollout, which are the same in any order, but for rounding."""
    whole: dict[str, Any] = {"env_runners": 1, "n_epochs": 2, "batch_size": 256, "total_timesteps": 768}
    plain = trained_in(tmp_path / "plain", nodes, Frames(), **whole)
    learned = trained_in(tmp_path / "learned", nodes, Frames(), **whole, learners=1)
    for name, expected in weights(plain).items():
        np.testing.assert_allclose(weights(learned)[name], expected, rtol=0.01, atol=1e-5, err_msg=name)
    saved = [(tmp_path / run / "checkpoint.safetensors").stat().st_size for run in ("plain", "learned")]
    assert abs(saved[0] - saved[1]) < 1000, "checkpoints hold the same"
    assert load_agent(tmp_path / "learned" / "agent").game == learned.game.id


def test_training_goes_on_when_learners_die(nodes: Nodes, tmp_path: Path) -> None:
    """From the checkpoint, and to the same weights as if nothing had happened."""
    plain = trained_in(tmp_path / "plain", nodes, watched := Frames(), env_runners=1, learners=2)
    assert watched.begins == [0]
    killed: list[int] = []

    def reached(frames: int) -> None:
        titles = {512: LEARNER, 1280: "ray::Runner"}
        if frames in titles and len(killed) == list(titles).index(frames):
            killed.append(next(each for number in range(2) for each in actors(nodes, number, titles[frames])))
            os.kill(killed[-1], signal.SIGKILL)

    watched = Frames(reached)
    disturbed = trained_in(tmp_path / "disturbed", nodes, watched, env_runners=1, learners=2)
    assert len(killed) == 2
    assert len(watched.begins) == 3
    assert 0 == watched.begins[0] < watched.begins[1] <= 768 < watched.begins[2] <= 1536
    for name, expected in weights(plain).items():
        assert (weights(disturbed)[name] == expected).all(), name


def test_learners_need_cores(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strand_env.train.rllib.STARTING", 2)
    expected = r"learners: 4 found no free cores in 2 s; the cluster has 3, of which env runners take 1"
    with pytest.raises(ValueError, match=expected):
        trained_in(tmp_path, nodes, Frames(), env_runners=1, learners=4)


def test_an_interrupted_training_run_is_resumed_by_the_command(nodes: Nodes, tmp_path: Path) -> None:
    options = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
    options += ["--env-runners=1", "--learners=1"]
    command = [STRAND, "train", "--run", "run", *options, "--ray", nodes.address]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(lambda: (tmp_path / "run" / "evaluations.json").exists(), 300)
    run.kill()
    run.communicate()
    assert not (tmp_path / "run" / "agent").exists()
    resumed = subprocess.run(
        [STRAND, "train", "--resume", "run", "--ray", nodes.address], cwd=tmp_path, capture_output=True, text=True
    )
    assert resumed.returncode == 0, resumed.stderr
    assert (tmp_path / "run" / "agent" / "agent.json").exists()
    without = subprocess.run([STRAND, "train", "--resume", "run"], cwd=tmp_path, capture_output=True, text=True)
    assert "strand: --ray: expected, since the run has 1 env runners" in without.stderr


def test_nothing_is_left_behind(nodes: Nodes) -> None:
    """Neither tasks nor the folders of processes that were killed."""
    with cluster.connected(nodes.address):
        wait_for(lambda: not busy(nodes, 0) and not busy(nodes, 1))
