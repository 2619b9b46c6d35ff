"""MaskablePPO with one body for policy and value, and an update that does no more than it has to.

Most of the time of training goes into the update. Stable-Baselines3 gives each of the two networks a body of its own
and builds three distributions per minibatch; the same losses from one body and one softmax take less than half of that.
"""

from typing import Any, NamedTuple

import torch
from gymnasium import Space
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch.nn import functional as F

from strand_env.train.scoring import perceptron

ILLEGAL = -1e8  # in place of the logits of illegal actions, as in sb3-contrib


class Body(BaseFeaturesExtractor):
    """The hidden layers that the policy and the value function share."""

    def __init__(self, space: Space, hidden: list[int], activation: type[torch.nn.Module]) -> None:
        super().__init__(space, hidden[-1])
        self.layers = perceptron([space.shape[0], *hidden], activation).append(activation())  # type: ignore[index]

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.layers(features)


class Decisions(NamedTuple):
    """What a rollout or a minibatch holds: a row for each decision."""

    observations: torch.Tensor
    legal: torch.Tensor  # (rows, actions) bool
    actions: torch.Tensor  # (rows, 1) int64
    log_probs: torch.Tensor  # of these actions, when they were chosen
    advantages: torch.Tensor
    returns: torch.Tensor


def decisions_in(buffer: Any) -> Decisions:
    """All decisions of a rollout buffer, in random order."""
    rollout = next(buffer.get())
    return Decisions(
        rollout.observations,
        rollout.action_masks > 0.5,
        rollout.actions.long().reshape(-1, 1),
        rollout.old_log_prob,
        rollout.advantages,
        rollout.returns,
    )


def evaluated(policy: Any, observations: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The log-probabilities of all actions, and the values."""
    latent_pi, latent_vf = policy.mlp_extractor(policy.extract_features(observations))
    logits = policy.action_net(latent_pi).masked_fill(~legal, ILLEGAL)
    return F.log_softmax(logits, dim=1), policy.value_net(latent_vf).flatten()


def losses(
    log_probs: torch.Tensor,
    values: torch.Tensor,
    decisions: Decisions,
    clip_range: float,
    ent_coef: float,
    vf_coef: float,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """PPO's loss in a minibatch that the policy has evaluated, and what to log of it."""
    log_ratio = log_probs.gather(1, decisions.actions)[:, 0] - decisions.log_probs
    ratio = log_ratio.exp()
    advantages = decisions.advantages
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
    value_loss = F.mse_loss(values, decisions.returns)
    entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
    told = {
        "policy_gradient_loss": policy_loss,
        "value_loss": value_loss,
        "entropy_loss": -entropy,
        "approx_kl": (ratio - 1 - log_ratio).mean(),
        "clip_fraction": ((ratio - 1).abs() > clip_range).float().mean(),
    }
    return policy_loss + vf_coef * value_loss - ent_coef * entropy, told


class LeanPPO(MaskablePPO):
    """MaskablePPO's losses, computed directly."""

    def share_gradients(self) -> None:
        """Called between the gradients of a minibatch and their use; for learners in several processes."""

    def train(self) -> None:
        """Some epochs of clipped policy and value updates on the rollout."""
        policy: Any = self.policy
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        clip_range = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        rollout = decisions_in(self.rollout_buffer)
        told: dict[str, torch.Tensor] = {}
        for _ in range(self.n_epochs):
            for rows in torch.randperm(len(rollout.actions)).split(self.batch_size):
                decisions = Decisions(*(column[rows] for column in rollout))
                seen = evaluated(policy, decisions.observations, decisions.legal)
                loss, told = losses(*seen, decisions, clip_range, self.ent_coef, self.vf_coef)
                policy.optimizer.zero_grad()
                loss.backward()
                self.share_gradients()
                torch.nn.utils.clip_grad_norm_(policy.parameters(), self.max_grad_norm)
                policy.optimizer.step()
        self._n_updates += self.n_epochs
        for name, value in told.items():
            self.logger.record(f"train/{name}", value.item())
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
