"""Ray: the same work on as many machines as there are. Whoever hands out work sees an executor, and nothing of Ray.

Every node needs the same versions of strand_env and of what it computes with; one that differs is reported by name.
"""

import hashlib
import logging
import pickle
import platform
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from strand_env import __version__
from strand_env.engine.checks import printable, reason, shown
from strand_env.support.extras import from_extra

LOCAL = "local"
"""In place of an address: Ray is started on this machine, and stopped at the end."""

RETRIES = 3  # of a task whose process or node died
OBJECT_STORE_BYTES = 1 << 27  # of a Ray that we start: what is sent is small
SOURCES = ("*.py", "*.json", "*.safetensors")
PACKAGES = ("strand_env", "strand_env.agents", "strand_env.train")

Work = Callable[[Any], Any]


class MismatchedNode(RuntimeError):
    """A node has other versions than this process, and might compute something else."""


@contextmanager
def connected(address: str, processes: int = 1) -> Iterator[None]:
    """Connects to the cluster at an address (`auto`: one that runs on this machine), or starts one here.

    If the process is connected already, it stays so.
    """
    with from_extra("ray", "a cluster"):
        import ray
    if ray.is_initialized():
        yield
        return
    here: dict[str, Any] = {
        "num_cpus": processes,
        "object_store_memory": OBJECT_STORE_BYTES,
        "include_dashboard": False,
    }
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **(here if address == LOCAL else {}))
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ValueError(f"Ray: cannot connect to {shown(address)}: {reason(error)}") from None
    try:
        yield
    finally:
        ray.shutdown()


class RayExecutor:
    """Does tasks wherever the cluster has a free core; those of processes and nodes that die are done again elsewhere.

    `prepare` is called once in each process that works, and returns the function that tasks call with their argument.
    """

    def __init__(self, prepare: Callable[[], Work]) -> None:
        import ray

        self._ray: Any = ray
        payload = pickle.dumps(prepare)
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_portable())
        self._given = versions(), hashlib.sha256(payload).hexdigest(), ray.put(payload)
        self._running: dict[Future[Any], Any] = {}

    @property
    def workers(self) -> int:
        """The cores of the cluster, which may grow and shrink."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, argument: Any) -> Future[Any]:
        """The result of a task, or its error: `MismatchedNode`, or `BrokenExecutor` if its processes died each time."""
        future: Future[Any] = Future()
        reference = self._task.remote(*self._given, argument)
        self._running[future] = reference
        reference.future().add_done_callback(lambda done: self._settle(future, done))
        return future

    def _settle(self, future: Future[Any], done: Future[Any]) -> None:
        self._running.pop(future, None)
        error = done.exception()
        if error is None:
            mismatch, result = done.result()
            if not mismatch:
                return future.set_result(result)
            error = MismatchedNode(mismatch)
        elif not isinstance(error, self._ray.exceptions.RayTaskError):
            error = BrokenExecutor(str(error))
        future.set_exception(error)

    def shutdown(self) -> None:
        """Stops what still runs."""
        for reference in list(self._running.values()):
            self._ray.cancel(reference, force=True)


def _portable() -> Callable[..., tuple[str, Any]]:
    """The function of all tasks. As an inner one it is sent as a whole: a node without strand_env can still say so."""

    def run(expected: dict[str, str], key: str, payload: bytes, argument: Any) -> tuple[str, Any]:
        try:
            from strand_env.support.cluster import run_task
        except ImportError as error:
            import platform

            return f"node {platform.node()} has no strand_env {expected['strand_env']}: {error}", None
        return run_task(expected, key, payload, argument)

    return run


@cache
def versions() -> dict[str, str]:
    """What results may depend on, in this process."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "strand_env": f"{__version__} ({_digest()})",
        "Python": python,
        "numba": version("numba"),
        "numpy": version("numpy"),
    }


def _digest() -> str:
    """A digest of all of strand_env's code and weights: the same in a checkout and in an installed wheel."""
    digest = hashlib.sha256()
    roots = {name: Path(next(iter(_found(name)))).resolve() for name in PACKAGES}
    for name, root in roots.items():
        inner = [other for other in roots.values() if root in other.parents]
        for file in sorted(file for kind in SOURCES for file in root.rglob(kind)):
            if not any(other in file.parents for other in inner):
                digest.update(f"{name}/{file.relative_to(root).as_posix()}".encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _found(package: str) -> list[str]:
    spec = find_spec(package)
    assert spec is not None
    return list(spec.submodule_search_locations or ())


# In the processes that work


def in_checkout(script: str, function: str) -> Work:
    """A function of a script that is in no package, by the script's place in this node's own checkout."""
    path = Path(__file__).parents[2] / script
    name = f"{path.stem} in checkout"
    spec = spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        where = f"node {platform.node()} has no {script} where strand_env is"
        raise FileNotFoundError(f"{where}: expected a checkout there, installed with --editable")
    sys.modules[name] = module = module_from_spec(spec)  # where its dataclasses look themselves up
    spec.loader.exec_module(module)
    found: Work = getattr(module, function)
    return found


_prepared: tuple[str, Work] | None = None


def mismatch(expected: dict[str, str]) -> str:
    """How the versions here differ from those expected, in a sentence; an empty text if they do not."""
    differing = [
        f"{name} {printable(here)} where {printable(expected.get(name, 'none'))} is expected"
        for name, here in versions().items()
        if here != expected.get(name)
    ]
    told = f"node {platform.node()} has {', '.join(differing)}: install the same on all nodes"
    return told if differing else ""


def run_task(expected: dict[str, str], key: str, payload: bytes, argument: Any) -> tuple[str, Any]:
    """Why this node cannot do a task, or an empty text; and the task's result."""
    global _prepared
    if found := mismatch(expected):
        return found, None
    if _prepared is None or _prepared[0] != key:
        _prepared = key, pickle.loads(payload)()
    return "", _prepared[1](argument)
