"""A policy that scores all actions by the same weights, each from its own features: see `Encoding.per_action`."""

from itertools import pairwise
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn


def perceptron(sizes: list[int], activation: type[nn.Module]) -> nn.Sequential:
    """Linear layers, with an activation before all but the first."""
    layers: list[nn.Module] = [nn.Linear(sizes[0], sizes[1])]
    for inputs, outputs in pairwise(sizes[1:]):
        layers += [activation(), nn.Linear(inputs, outputs)]
    return nn.Sequential(*layers)


class Scorer(nn.Module):
    """The logits of actions, and what the value of the position is computed from.

    The value network sees each action's features, too, on average over the policy's choices.
    """

    def __init__(
        self, entries: int, num_actions: int, per_action: int, hidden: list[int], activation: type[nn.Module]
    ) -> None:
        super().__init__()
        self.num_actions, self.per_action = num_actions, per_action
        inputs = per_action + entries - num_actions * per_action
        self.policy_net = perceptron([inputs, *hidden, 1], activation)
        self.action_net = nn.Sequential(nn.Linear(inputs, hidden[0]), activation())
        self.value_net = nn.Sequential(perceptron([*hidden, hidden[-1]], activation), activation())
        self.latent_dim_pi, self.latent_dim_vf = num_actions, hidden[-1]

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        own, shared, row, action = self._split(features)
        logits = self._logits(own, shared, row, action)
        return logits, self._values(own, shared, row, action, logits)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return self._logits(*self._split(features))

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self(features)[1]

    def _split(self, features: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The features of legal actions, those that belong to no action, and rows and actions of the former."""
        block = self.num_actions * self.per_action
        each = features[:, :block].reshape(len(features), self.num_actions, self.per_action)
        row, action = each[:, :, 0].nonzero(as_tuple=True)
        return each[row, action], features[:, block:], row, action

    def _first(self, layer: Any, own: torch.Tensor, shared: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        """A linear layer: what belongs to no action is summed once for all of them."""
        for_own, for_shared = layer.weight.split([self.per_action, shared.shape[1]], dim=1)
        return own @ for_own.T + (shared @ for_shared.T + layer.bias)[row]

    def _logits(self, own: torch.Tensor, shared: torch.Tensor, row: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        x = self._first(self.policy_net[0], own, shared, row)
        scores = self.policy_net[1:](x).flatten()
        return torch.zeros(len(shared), self.num_actions).index_put((row, action), scores)

    def _values(
        self, own: torch.Tensor, shared: torch.Tensor, row: torch.Tensor, action: torch.Tensor, logits: torch.Tensor
    ) -> torch.Tensor:
        x = self.action_net[1](self._first(self.action_net[0], own, shared, row))
        legal = torch.full_like(logits, -torch.inf).index_put((row, action), logits.detach()[row, action])
        chance = legal.softmax(dim=1)[row, action]
        mean = torch.zeros(len(shared), x.shape[1]).index_add(0, row, x * chance[:, None])
        return self.value_net(mean)


class ScoringPolicy(MaskableActorCriticPolicy):
    """A policy for MaskablePPO whose logits come from a `Scorer`."""

    def __init__(self, *arguments: Any, per_action: int, **options: Any) -> None:
        self.per_action = per_action
        super().__init__(*arguments, **options)

    def _build_mlp_extractor(self) -> None:
        sizes = self.features_dim, int(self.action_space.n), self.per_action  # type: ignore[attr-defined]
        self.mlp_extractor = Scorer(*sizes, self.net_arch, self.activation_fn)  # type: ignore[assignment, arg-type]

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # the logits are there already
        self.init_weights(self.mlp_extractor.policy_net[-1], gain=0.01)
        options = {"lr": lr_schedule(1), **self.optimizer_kwargs}
        self.optimizer = self.optimizer_class(self.parameters(), **options)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"per_action": self.per_action}
