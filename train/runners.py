"""PPO on a Ray cluster: each env runner plays its share of the games, and computes its share of every gradient.

Runners are Ray actors that hold a batch of games, the policy and the optimiser. After each minibatch they average their
gradients (PyTorch's all-reduce over gloo), so that all of them have the same weights. Rollouts never leave the runner;
what crosses the network is gradients, and once per rollout the weights to whoever leads the run. With `learners`, those
of RLlib compute the gradients instead (`rllib.py`): rollouts go from each runner to all of them, and weights back. All
randomness of a rollout follows from the seed, the rollout's number and the runner's: a run that goes on from a
checkpoint repeats it.
"""

import os
import socket
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from threadpoolctl import threadpool_limits

from strand_env.agents.network import Network
from strand_env.agents.parcels import Parcel, pack, unpack
from strand_env.engine.randomness import spread_seeds
from strand_env.support.cluster import MismatchedNode, mismatch, versions
from strand_env.train.config import PAST, SELF, Config
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.learner import PolicyPool, environment_of, game_of, model_of, opponents_of
from strand_env.train.updating import LeanPPO, decisions_in

if TYPE_CHECKING:
    from strand_env.train.rllib import Learners as RLlibLearners

STARTING = 600  # seconds until all runners must have found a core, and imported PyTorch
STUCK = timedelta(minutes=10)  # until a runner gives up waiting for the others' gradients


class RunnerDied(RuntimeError):
    """An env runner or a learner, or its node, is gone. The run can go on from its checkpoint."""


class Weights(NamedTuple):
    """Of the policy, and the state of its optimiser, as PyTorch's `state_dict` has them."""

    policy: dict[str, torch.Tensor]
    optimiser: dict[str, Any]


# In the runners


class SharedPPO(LeanPPO):
    """Averages gradients with those of the other runners."""

    def share_gradients(self) -> None:
        if not torch.distributed.is_initialized():
            return
        gradients = [each.grad for each in self.policy.parameters() if each.grad is not None]
        flat = torch.cat([each.flatten() for each in gradients])
        torch.distributed.all_reduce(flat)
        flat /= torch.distributed.get_world_size()
        for gradient, part in zip(gradients, flat.split([each.numel() for each in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))


class _Silent(BaseCallback):
    def _on_step(self) -> bool:
        return True


class Runner:
    """One runner's games, with the policy that plays and learns in them."""

    def __init__(self, config: Config, agents: Parcel, number: int) -> None:
        torch.set_num_threads(config.threads)
        threadpool_limits(config.threads, "blas")
        self._number, self._runners, self._learners = number, config.env_runners, config.learners
        self._own = own_share(config, unpack(agents))
        self._policies = PolicyPool(self._own)
        self._env = environment_of(self._own, self._policies)
        self._model = model_of(self._own, self._env, kind=SharedPPO)
        self._model.set_logger(Logger(None, []))
        self._callback = _Silent()
        self._callback.init_callback(self._model)

    def mismatch(self, expected: dict[str, str]) -> str:
        return mismatch(expected)

    def meeting_place(self) -> str:
        """Where runners meet: an address of the first one's node, with a free port."""
        import ray

        host = ray.util.get_node_ip_address()
        with socket.create_server((host, 0)) as free:
            return f"tcp://{host}:{free.getsockname()[1]}"

    def begin(self, meeting: str, weights: Weights, games: list[dict[str, Any]], starts: Any) -> None:
        """Starts from these weights and games, once all have met."""
        if self._runners > 1 and not self._learners:
            torch.distributed.init_process_group(
                "gloo", init_method=meeting, rank=self._number, world_size=self._runners, timeout=STUCK
            )
        model: Any = self._model
        load_weights(model, weights)
        model._last_obs = self._env.restore(games)
        model._last_episode_starts = np.array(starts)

    def games(self) -> list[dict[str, Any]]:
        return self._env.save()

    def collect(self, rollout: int, current: Network, past: Network) -> tuple[Any, list[Any]]:
        """Plays a rollout, and keeps it; returns which games begin after it, and the episodes that ended in it."""
        seed_all(self._own.seed, rollout * self._runners + self._number)
        self._policies.current.network, self._policies.past.network = current, past
        model: Any = self._model
        model.ep_info_buffer, model.ep_success_buffer = (deque(maxlen=model._stats_window_size) for _ in range(2))
        model.collect_rollouts(self._env, self._callback, model.rollout_buffer, self._own.n_steps)
        return model._last_episode_starts, list(model.ep_info_buffer)

    def update(self, remaining: float) -> tuple[Weights | None, dict[str, float]]:
        """Learns from the rollout, with the others. All end with the same weights; the first one returns them."""
        model: Any = self._model
        model._current_progress_remaining = remaining
        model.train()
        told = dict(model.logger.name_to_value)
        return (weights_of(model) if self._number == 0 else None), told

    def share(self) -> list[Any]:
        """The rollout, for learners: references to equal parts of it."""
        import ray

        columns = decisions_in(self._model.rollout_buffer)._asdict()
        parts = {name: np.split(column.numpy(), self._learners) for name, column in columns.items()}
        return [ray.put({name: parts[name][number] for name in parts}) for number in range(self._learners)]

    def follow(self, weights: Weights) -> None:
        """Plays on with what learners have learned."""
        load_weights(self._model, weights)


def own_share(config: Config, names: Sequence[str]) -> Config:
    """The configuration of one runner's share of a run, with these names of the agents that `agents_of` lists."""
    number = config.env_runners
    here = dict(zip(agents_of(config), names, strict=True))
    opponents = ",".join(f"{here.get(name, name)}={weight!r}" for name, weight in opponents_of(config).items())
    games, rows = config.n_envs // number, config.batch_size // number
    return replace(config, n_envs=games, batch_size=rows, opponents=opponents, env_runners=0, learners=0)


def seed_all(seed: int, number: int) -> None:
    """Seeds PyTorch and NumPy, with which minibatches are drawn, for one of many numbered pieces of work."""
    own = int(spread_seeds(seed, np.array([number]))[0] >> np.uint64(32))
    torch.manual_seed(own)
    np.random.seed(own)  # noqa: NPY002


def agents_of(config: Config) -> list[str]:
    """The opponents that are agents by name."""
    return [name for name in opponents_of(config) if name not in (SELF, PAST)]


def weights_of(model: Any) -> Weights:
    """Of whatever has a policy with an optimiser."""
    return Weights(dict(model.policy.state_dict()), model.policy.optimizer.state_dict())


def load_weights(model: Any, weights: Weights) -> None:
    # Copies: what Ray hands over is read-only, and the optimiser works in place.
    model.policy.load_state_dict({name: tensor.clone() for name, tensor in weights.policy.items()})
    state = {
        number: {name: each.clone() for name, each in of.items()} for number, of in weights.optimiser["state"].items()
    }
    model.policy.optimizer.load_state_dict({**weights.optimiser, "state": state})


# In the process that leads the run


class Runners:
    """The actors of a run. Whatever is asked of all of them is an error, `RunnerDied`, once one is gone.

    They come with learners, if the run has some; `policy` is where these start from.
    """

    def __init__(self, config: Config, policy: Any) -> None:
        import ray

        self._ray: Any = ray
        self._learners: RLlibLearners | None = None
        kept = {name: value for name, value in os.environ.items() if name == "GLOO_SOCKET_IFNAME"}
        kind = ray.remote(num_cpus=1, max_restarts=0, runtime_env={"env_vars": kept})(Runner)
        sent = ray.put(pack(agents_of(config), game_of(config)))
        self._actors = [kind.remote(config, sent, number) for number in range(config.env_runners)]
        checks = [actor.mismatch.remote(versions()) for actor in self._actors]
        _, waiting = ray.wait(checks, num_returns=len(checks), timeout=STARTING)
        if waiting:
            self.stop()
            cores = int(ray.cluster_resources().get("CPU", 0))
            raise ValueError(
                f"env_runners: {len(waiting)} of {config.env_runners} found no free core in {STARTING} s; the cluster "
                f"has {cores}"
            )
        for found in self._get(checks):
            if found:
                self.stop()
                raise MismatchedNode(found)
        if config.learners:
            from strand_env.train.rllib import Learners

            try:
                with self._noticing_deaths():
                    self._learners = Learners(config, policy, kept)
            except (ValueError, MismatchedNode):
                self.stop()
                raise

    @property
    def actors(self) -> list[Any]:
        """The runners, then the learners."""
        return [*self._actors, *(self._learners.actors if self._learners else ())]

    def begin(self, weights: Weights, games: list[dict[str, Any]], starts: Any) -> None:
        meeting = self._get([self._actors[0].meeting_place.remote()])[0]
        number = len(self._actors)
        shared = self._ray.put(weights)
        self._get(
            [
                actor.begin.remote(
                    meeting, shared, games[len(games) * i // number : len(games) * (i + 1) // number], own
                )
                for i, (actor, own) in enumerate(zip(self._actors, np.split(starts, number), strict=True))
            ]
        )

    def ask(self, method: str, *arguments: Any) -> list[Any]:
        """What all of them answer, in order."""
        shared = [self._ray.put(argument) for argument in arguments]
        return self._get([getattr(actor, method).remote(*shared) for actor in self._actors])

    def update(self, model: LeanPPO, rollout: int) -> tuple[Weights, dict[str, float]]:
        """Lets all learn from this rollout; returns their weights, and what they log."""
        remaining = model._current_progress_remaining
        if self._learners is None:
            weights, told = self.ask("update", remaining)[0]
            return weights, told
        rates = model.lr_schedule(remaining), model.clip_range(remaining)  # type: ignore[operator]
        shares = self.ask("share")
        with self._noticing_deaths():
            answers = self._learners.update(shares, rollout, *rates)
        weights, told = answers[0]
        assert weights is not None
        self.ask("follow", weights)
        return weights, told

    def _get(self, answers: list[Any]) -> list[Any]:
        with self._noticing_deaths():
            return self._ray.get(answers)

    @contextmanager
    def _noticing_deaths(self) -> Iterator[None]:
        try:
            yield
        except self._ray.exceptions.RayTaskError:
            died = self._one_is_gone()  # then others fail, too, as they wait for its gradients
            self.stop()
            if died:
                raise RunnerDied("an env runner or a learner died") from None
            raise
        except self._ray.exceptions.RayError as error:  # its process or node is gone, perhaps for want of memory
            self.stop()
            raise RunnerDied(f"an env runner or a learner died: {error}") from None

    def _one_is_gone(self) -> bool:
        for ping in [actor.__ray_call__.remote(lambda _: None) for actor in self.actors]:
            try:
                self._ray.get(ping, timeout=STARTING)
            except self._ray.exceptions.RayError:  # or no answer in time
                return True
        return False

    def stop(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        if self._learners:
            self._learners.stop()


class RemoteVecEnv(TrainingVecEnv):
    """The games of all runners: here as they begin, later where they are played."""

    runners: Runners | None = None

    def save(self) -> list[dict[str, Any]]:
        if self.runners is None:
            return super().save()
        return [game for games in self.runners.ask("games") for game in games]

    def close(self) -> None:
        """Gives the cores of the cluster back."""
        if self.runners is not None:
            self.runners.stop()


class ClusterPPO(LeanPPO):
    """Lets runners play and learn, and has their weights in between. Its environment is a `RemoteVecEnv`."""

    config: Config
    policies: PolicyPool

    @property
    def _rollouts(self) -> int:
        """How many were played so far."""
        return self.num_timesteps // (self.n_envs * self.n_steps)

    def collect_rollouts(self, env: Any, callback: BaseCallback, *_: Any, **__: Any) -> bool:
        remote: RemoteVecEnv = self.env  # type: ignore[assignment]
        if remote.runners is None:
            runners = Runners(self.config, self.policy)
            runners.begin(weights_of(self), remote.save(), self._last_episode_starts)
            remote.runners = runners
        callback.on_rollout_start()
        networks = self.policies.current.network, self.policies.past.network
        found = remote.runners.ask("collect", self._rollouts, *networks)
        self._last_episode_starts = np.concatenate([starts for starts, _ in found])
        assert self.ep_info_buffer is not None
        self.ep_info_buffer.extend(episode for _, episodes in found for episode in episodes)
        self.num_timesteps += self.n_envs * self.n_steps
        callback.on_step()
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        remote: RemoteVecEnv = self.env  # type: ignore[assignment]
        assert remote.runners is not None
        weights, told = remote.runners.update(self, self._rollouts)
        load_weights(self, weights)
        self._n_updates += self.n_epochs
        for name, value in told.items():
            self.logger.record(name, value)
