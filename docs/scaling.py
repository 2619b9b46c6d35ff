"""Measures what one core does and simulates what many would do, for docs/scaling.md: `make scaling`.

All times are CPU times, so that other work on the machine does not count. Run it where Ray is installed.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from marks import filled
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from strand_env.agents import agent_of, joint_actions
from strand_env.arena.pieces import Pieces
from strand_env.registry import game_names, game_of
from strand_env.support.cluster import LOCAL, RayExecutor, connected
from strand_env.train.benchmark import _Begin
from strand_env.train.config import Config
from strand_env.train.learner import PolicyPool, environment_of, model_of
from strand_env.train.runners import ClusterPPO, RemoteVecEnv

PAGE = Path(__file__).with_name("scaling.md")
GAMES, STEPS, SEARCHES, ROLLOUTS = 4096, 100, 16, 64
UPDATES, RUNNERS, LEARNERS, TASKS = 3, (1, 2), (1, 2), 100
TIMES = (1, 4)  # as many games, and minibatches as large, as by default
CORES = (1, 10, 100, 1000)
LATENCY, BANDWIDTH = 50e-6, 10e9 / 8  # assumed of the network between nodes: seconds for a message, bytes per second
DEAL, DEALS = 0.5, 200_000  # the simulated arena: seconds of a deal, and how many there are


def cpu_seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def decisions(name: str) -> float:
    """Random decisions per CPU second, with auto-reset, masks and observations."""
    batch = game_of(name).batch(GAMES, game_of(name).default_players)
    turn = batch.decision_turn()

    def play(steps: int) -> None:
        for step in range(steps):
            batch.advance(batch.random_decisions(turn, step), turn)

    play(5)
    return GAMES * STEPS / cpu_seconds(lambda: play(STEPS))


def rollouts(name: str) -> float:
    """Rollouts of a search by its usual policy per CPU second, from positions at the start of games."""
    game = game_of(name)
    batch = game.batch(SEARCHES, game.default_players)
    search = agent_of(f"mc:{ROLLOUTS}", game=game)
    joint_actions(search, batch.select(np.arange(2)), 0)
    asked = int(batch.to_act.sum())
    return asked * ROLLOUTS / cpu_seconds(lambda: joint_actions(search, batch, 0))


def training(name: str) -> dict[str, float]:
    """CPU seconds per timestep of playing and of learning, on one core without Ray; weights; timesteps of a rollout."""
    config = defaults(name)
    policies = PolicyPool(config)
    env = environment_of(config, policies)
    model = model_of(config, env)
    model.set_logger(Logger(None, []))
    begin = _Begin(policies)
    rollout = config.n_envs * config.n_steps
    _, callback = model._setup_learn(rollout, begin)
    played, learned = [], []
    for _ in range(UPDATES):
        played.append(cpu_seconds(lambda: model.collect_rollouts(env, callback, model.rollout_buffer, config.n_steps)))
        learned.append(cpu_seconds(model.train))
    weights = sum(each.numel() for each in model.policy.parameters())
    return {
        "played": float(np.median(played[1:])) / rollout,
        "learned": float(np.median(learned[1:])) / rollout,
        "weights": weights,
        "rollout": rollout,
        "minibatches": config.n_epochs * rollout // config.batch_size,
    }


def defaults(name: str) -> Config:
    """What `strand train` does without options, as far as speed depends on it."""
    game = game_of(name)
    known = {**game.training.defaults, "algorithm": "ppo", "lookahead": 0}
    players = str(game.default_players)
    config = Config(**{"players": players, **known, "game": name})
    return config if game.potential is not None else replace(config, shaping=0.0)


def on_cluster(name: str, times: int, runners: int, learners: int = 0) -> tuple[float, float, float]:
    """CPU seconds per timestep of the run: of the slowest runner, the slowest learner, and the process that leads."""
    import ray

    given = defaults(name)
    games, rows = times * given.n_envs, times * given.batch_size
    config = replace(given, n_envs=games, batch_size=rows, env_runners=runners, learners=learners)
    policies = PolicyPool(config)
    env = environment_of(config, policies, RemoteVecEnv)
    model: Any = model_of(config, env, policies, ClusterPPO)
    model.config, model.policies = config, policies
    model.set_logger(Logger(None, []))
    _, callback = model._setup_learn(1, _Begin(policies))

    def update(times: int) -> None:
        for _ in range(times):
            model.collect_rollouts(env, callback)  # by all of them
            model.train()

    def used() -> np.ndarray:
        actors = env.runners.actors
        return np.array(ray.get([each.__ray_call__.remote(lambda _: time.process_time()) for each in actors]))

    update(1)
    before = used()
    leading = cpu_seconds(lambda: update(UPDATES))
    frames = UPDATES * config.n_envs * config.n_steps
    spent = (used() - before) / frames
    env.close()
    return spent[:runners].max(), spent[runners:].max(initial=0), leading / frames


def overhead() -> float:
    """CPU seconds that handing out a piece, and taking its results, costs the process that does."""
    executor = RayExecutor(partial(partial, np.asarray))  # which only sends back what it is sent
    executor.submit(0).result()
    part = np.zeros(2000)
    return cpu_seconds(lambda: [executor.submit(part).result() for _ in range(TASKS)]) / TASKS


def simulated_arena(cores: int, handing: float, startup: float = 10.0) -> float:
    """The share of time that cores play deals, by the scheduler that hands them out: `Pieces`, as it is."""
    pieces = Pieces(DEALS, [], 4, cores)
    rng = np.random.default_rng(0)
    free = [startup] * cores  # when each core can begin
    heapq.heapify(free)
    lead = playing = end = 0.0
    waiting: list[tuple[float, int, float]] = []  # pieces by when they end
    while True:
        while waiting and (not free or waiting[0][0] <= free[0]):
            done, deals, seconds = heapq.heappop(waiting)
            pieces.learn(deals, seconds)
            heapq.heappush(free, done)
        span = pieces.take()
        if span is None:
            break
        lead = max(lead, free[0]) + handing
        start = max(heapq.heappop(free), lead)
        seconds = float(DEAL * rng.gamma(4, 1 / 4, len(span)).sum())
        heapq.heappush(waiting, (start + seconds, len(span), seconds))
        playing, end = playing + seconds, max(end, start + seconds)
    return playing / (cores * end)


def simulated_training(found: dict[str, float], cores: int, games_grow: bool, leading: float) -> float:
    """Frames per second of so many runners, each on a core: computing, averaging gradients in a ring, and leading."""
    frames = found["rollout"] * (cores if games_grow else 1)
    computing = (found["played"] + found["learned"]) * frames / cores
    sent = 4 * found["weights"] * 2 * (cores - 1) / cores
    averaging = found["minibatches"] * (2 * (cores - 1) * LATENCY + sent / BANDWIDTH) if cores > 1 else 0.0
    return frames / (computing + averaging + leading)


def main() -> None:
    torch.set_num_threads(1)
    threadpool_limits(1)
    names = game_names()
    rows = ["| | random decisions | rollouts |", "| --- | ---: | ---: |"]
    for name in names:
        rows.append(f"| {game_of(name).title} | {decisions(name):,.0f} | {rollouts(name):,.0f} |")
        print(rows[-1], flush=True)
    first = training(names[0])
    alone = first["played"] + first["learned"]
    share = f"{first['played'] / alone:.0%} of the time in playing and the rest in learning"
    rows += ["", f"Training on {game_of(names[0]).title}: {1 / alone:,.0f} timesteps, with {share}."]
    print(rows[-1], flush=True)
    lines = [
        "| games | env runners | CPU time per timestep of the slowest | of the leader | timesteps per second | |",
        "| ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    learning = [
        "| games | learners | CPU time per timestep of the runner | of the slowest learner | of the leader "
        "| timesteps per second | |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    leading = 0.0
    with connected(LOCAL, max(*RUNNERS, 1 + max(LEARNERS))):
        handing = overhead()
        for times in reversed(TIMES):
            games, speeds = times * defaults(names[0]).n_envs, {}
            for number in RUNNERS:
                own, _, leading = on_cluster(names[0], times, number)
                speeds[number] = 1 / (own + leading)
                told = f"{speeds[1] * alone:.0%} of `strand train`" if times == number == 1 else ""
                told = told if number == 1 else f"{speeds[number] / speeds[1]:.2f} × one"
                spent = f"{1e6 * own:.1f} µs | {1e6 * leading:.1f} µs"
                lines.append(f"| {games:,} | {number} | {spent} | {speeds[number]:,.0f} | {told} |")
                print(lines[-1], flush=True)
            for number in LEARNERS:
                spent_by = on_cluster(names[0], times, 1, number)
                speed = 1 / sum(spent_by)
                spent = " | ".join(f"{1e6 * each:.1f} µs" for each in spent_by)
                told = f"{speed / speeds[1]:.0%} of a runner that learns"
                learning.append(f"| {games:,} | {number} | {spent} | {speed:,.0f} | {told} |")
                print(learning[-1], flush=True)
    per_update = leading * first["rollout"]
    gradients = 4 * first["weights"] * 2 * first["minibatches"] / first["rollout"]
    facts = [
        f"The network has {first['weights']:,.0f} weights, and a rollout {first['rollout']:,.0f} timesteps, "
        f"which are learned from in {first['minibatches']:.0f} minibatches. "
        f"Per timestep of the run, a runner sends and receives up to {gradients:,.0f} bytes of gradients. "
        f"Handing out a piece of an arena costs {1e3 * handing:.1f} ms."
    ]
    many = [
        "| cores | arena: time spent playing | training, games as given | training, games × cores |",
        "| ---: | ---: | ---: | ---: |",
    ]
    for cores in CORES:
        same, growing = (simulated_training(first, cores, grow, per_update) for grow in (False, True))
        many.append(f"| {cores:,} | {simulated_arena(cores, handing):.0%} | {same:,.0f} | {growing:,.0f} |")
    print("\n".join([*facts, *many]), flush=True)
    page = PAGE.read_text("utf-8")
    written = {"One core": rows, "Env runners": [*lines, "", *facts], "Learners": learning, "Many cores": many}
    for title, content in written.items():
        page = filled(page, title, "make scaling", content)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
