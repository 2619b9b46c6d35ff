"""A Ray cluster of several nodes on this machine: each is a process group of its own, which can be killed."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

# Of whoever connects, to be set before Ray is imported: a token of the cluster's own.
ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # else workers give way to everything else on this machine
}
OF_NODES = {
    # A node that does not answer is given up after two seconds in place of half a minute.
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}


def address_of(number: int) -> str:
    """Of a node. All of these are loopback addresses, but Ray would take an outer one in place of 127.0.0.1."""
    return f"127.0.0.{2 + number}"


class Nodes:
    """Nodes of one core each, by number; the first is the head, to which tests connect."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="nodes-"))  # a short path, as those of sockets must be
        with socket.create_server((address_of(0), 0)) as free:
            self.address = f"{address_of(0)}:{free.getsockname()[1]}"
        self._nodes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, number: int, cores: int = 1, environment: Mapping[str, str] | None = None) -> None:
        """Starts a node; each has its own cache of kernels."""
        port = self.address.partition(":")[2]
        place = ["--head", f"--port={port}", f"--temp-dir={self.folder}"] if not self._nodes else []
        place = place or [f"--address={self.address}"]
        ports = ["min-worker-port", "max-worker-port", "dashboard-agent-listen-port", "metrics-export-port"]
        command = [
            *(str(Path(sys.executable).with_name("ray")), "start", "--block", *place),
            *(f"--node-ip-address={address_of(number)}", f"--num-cpus={cores}", "--object-store-memory=80000000"),
            *(f"--{name}=0" for name in ports),
            *(["--include-dashboard=false"] if "--head" in place else []),
            f'--resources={{"node {number}": 100}}',
        ]
        own = {**os.environ, **ENVIRONMENT, **OF_NODES, "STRAND_TEST_NODE": str(number), **(environment or {})}
        with (self.folder / f"node-{number}.log").open("wb") as log:
            self._nodes[number] = subprocess.Popen(
                command, env=own, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, cwd=self.folder
            )

    def wait(self, number: int, seconds: float = 120) -> None:
        """Until so many nodes are alive, as seen by a process that is connected."""
        import ray

        end = time.monotonic() + seconds
        while sum(node["Alive"] for node in ray.nodes()) != number:
            assert time.monotonic() < end, [node["Alive"] for node in ray.nodes()]
            time.sleep(0.2)

    def processes(self, number: int) -> list[int]:
        """All processes of a node."""
        session = self._nodes[number].pid
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with suppress(ProcessLookupError):
                    if os.getsid(int(entry.name)) == session:
                        found.append(int(entry.name))
        return found

    def kill(self, number: int) -> None:
        """As if its machine lost power."""
        for process in self.processes(number):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._nodes.pop(number).wait()

    def stop(self) -> None:
        for number in reversed(list(self._nodes)):
            self.kill(number)
