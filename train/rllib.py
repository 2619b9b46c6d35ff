"""RLlib's learners, for runs with `--learners`: they learn from what the env runners play.

RLlib starts them, makes minibatches and averages gradients (PyTorch's DistributedDataParallel); its module is our
policy, and losses and optimiser are those of `updating.py`. So weights, checkpoints and agents are the same as without.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.learner.learner_group import LearnerGroup
from ray.rllib.core.learner.torch.torch_learner import TorchLearner
from ray.rllib.core.learner.training_data import TrainingData
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.util import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from strand_env.support.cluster import MismatchedNode, mismatch, versions
from strand_env.train.config import Config
from strand_env.train.runners import STARTING, Weights, seed_all, weights_of
from strand_env.train.updating import Decisions, evaluated, losses

MODULE = "policy"  # the only one


class PolicyModule(TorchRLModule):  # type: ignore[misc]
    """Our policy, with its optimiser."""

    def setup(self) -> None:
        self.policy = self.model_config["policy"]

    def _forward_train(self, batch: Mapping[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        log_probs, values = evaluated(self.policy, batch["observations"], batch["legal"])
        return {Columns.ACTION_DIST_INPUTS: log_probs, Columns.VF_PREDS: values}


class PolicyLearner(TorchLearner):  # type: ignore[misc]
    """Learns as `LeanPPO` does, from `Decisions`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        own = self.config.learner_config_dict
        self._own: Config = own["config"]
        os.environ.update(own["environment"])
        torch.set_num_threads(self._own.threads)

    @property
    def policy(self) -> Any:
        return self.module[MODULE].unwrapped().policy

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        optimiser = self.policy.optimizer
        parameters = [each for group in optimiser.param_groups for each in group["params"]]
        self.register_optimizer(module_id=module_id, optimizer=optimiser, params=parameters)

    def update(
        self, *, training_data: TrainingData, rollout: int, learning_rate: float, clip_range: float, **options: Any
    ) -> tuple[Weights | None, dict[str, float]]:
        """Learns from its share of a rollout, with the others; the first learner returns the weights."""
        own, number = self._own, self._learner_index
        seed_all(own.seed, rollout * own.learners + number)
        self._clip_range, self._told = clip_range, dict[str, torch.Tensor]()
        for group in self.policy.optimizer.param_groups:
            group["lr"] = learning_rate
        parts = ray.get(training_data.batch_refs)  # of each runner
        columns = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in parts[0]}
        batch = MultiAgentBatch({MODULE: SampleBatch(columns)}, env_steps=len(columns["actions"]))
        super().update(training_data=TrainingData(batch=batch), **options)
        told = {f"train/{name}": value.item() for name, value in self._told.items()}
        return (weights_of(self) if number == 0 else None), told

    def compute_loss_for_module(
        self, *, batch: Mapping[str, torch.Tensor], fwd_out: Mapping[str, torch.Tensor], **_: Any
    ) -> torch.Tensor:
        seen = fwd_out[Columns.ACTION_DIST_INPUTS], fwd_out[Columns.VF_PREDS]
        decisions = Decisions(*(batch[name] for name in Decisions._fields))
        loss, self._told = losses(*seen, decisions, self._clip_range, self._own.ent_coef, self._own.vf_coef)
        return loss

    def apply_gradients(self, gradients_dict: Any) -> None:
        """As `LeanPPO` does. RLlib would put zeros in place of gradients that are not finite; our runs end there."""
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self._own.max_grad_norm)
        self.policy.optimizer.step()


class Learners:
    """The learners of a run, which start with this policy and the state of its optimiser."""

    def __init__(self, config: Config, policy: Any, environment: Mapping[str, str]) -> None:
        self._config = config
        self._place = placement_group([{"CPU": 1}] * config.learners)
        if not self._place.wait(STARTING):
            self.stop()
            cores = int(ray.cluster_resources().get("CPU", 0))
            raise ValueError(
                f"learners: {config.learners} found no free cores in {STARTING} s; the cluster has {cores}, of which "
                f"env runners take {config.env_runners}"
            )
        check = ray.remote(num_cpus=1)(mismatch)
        places = [PlacementGroupSchedulingStrategy(self._place, number) for number in range(config.learners)]
        for found in ray.get([check.options(scheduling_strategy=place).remote(versions()) for place in places]):
            if found:
                self.stop()
                raise MismatchedNode(found)
        logging.getLogger("ray.rllib").setLevel(logging.CRITICAL)  # we tell what goes wrong
        own = {"config": config, "environment": dict(environment)}
        algorithm = (
            PPOConfig()
            .learners(num_learners=config.learners, num_cpus_per_learner=1, learner_config_dict=own)
            .training(learner_class=PolicyLearner)
        )
        module = RLModuleSpec(
            module_class=PolicyModule,
            observation_space=policy.observation_space,
            action_space=policy.action_space,
            model_config={"policy": policy},
        )
        spec = MultiRLModuleSpec(rl_module_specs={MODULE: module})
        self._group = LearnerGroup(config=algorithm, module_spec=spec, placement_group=self._place)
        # Otherwise it would shut itself down when it is deleted, and start a new Ray for that if ours has ended.
        self._group._is_shut_down = True

    def update(
        self, shares: Sequence[Sequence[Any]], rollout: int, learning_rate: float, clip_range: float
    ) -> list[tuple[Weights | None, dict[str, float]]]:
        """Learns from each runner's references to its rollout, one for each learner."""
        config = self._config
        found: list[tuple[Weights | None, dict[str, float]]] = self._group.update(
            batch_refs=[share for of_learner in zip(*shares, strict=True) for share in of_learner],
            rollout=rollout,
            learning_rate=learning_rate,
            clip_range=clip_range,
            num_epochs=config.n_epochs,
            minibatch_size=config.batch_size // config.learners,
            shuffle_batch_per_epoch=True,
        )
        return found

    @property
    def actors(self) -> list[Any]:
        return list(self._group._workers)

    def stop(self) -> None:
        remove_placement_group(self._place)
