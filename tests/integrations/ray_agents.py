"""Agents for a test cluster. They tell in the file of `STRAND_TEST_TOLD` what their node compiles and plays."""

import os
import re
import time
from typing import Any

import ray_neighbour
from numba.core import event

from strand_env.agents import RandomAgent

TOLD, NODE, SLOW = "STRAND_TEST_TOLD", "STRAND_TEST_NODE", "STRAND_TEST_SLOW"


def tell(what: str, name: str) -> None:
    if TOLD in os.environ:
        with open(os.environ[TOLD], "a") as file:
            file.write(f"{what} {os.environ.get(NODE)} {os.getpid()} {name}\n")


class Compilations(event.Listener):
    def on_start(self, compilation: event.Event) -> None:
        function = compilation.data["dispatcher"].py_func
        if function.__module__.startswith("strand_env.") and re.search(r"_[0-9a-f]{12}$", function.__qualname__):
            tell(
                "compiles", f"{function.__qualname__}{compilation.data['args']}"
            )  # a kernel; the functions that it calls are compiled into it

    def on_end(self, compilation: event.Event) -> None:
        pass


event.register("numba:compile", Compilations())


class Telling(RandomAgent):
    """Plays anything, after a while."""

    def __init__(self) -> None:
        tell("makes", ray_neighbour.NAME)

    def act(self, observation: Any, mask: Any, rng: Any) -> Any:
        tell("plays", __file__)
        time.sleep(float(os.environ.get(SLOW, 0)))
        return super().act(observation, mask, rng)


class Homebound(RandomAgent):
    """Cannot be made on a node."""

    def __init__(self) -> None:
        if NODE in os.environ:
            raise OSError("too far from home")


class Deadly(RandomAgent):
    """Takes its whole process with it."""

    def act(self, observation: Any, mask: Any, rng: Any) -> Any:
        os._exit(1)
