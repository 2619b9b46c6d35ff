"""MaskablePPO and its environment from a configuration, and its networks as agents."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from strand_env.adapters.match import Match
from strand_env.adapters.sb3 import BatchVecEnv
from strand_env.adapters.shaping import shaping_of
from strand_env.agents import AnyAgent, agent_of
from strand_env.agents.encoding import encoding_of, encodings_of
from strand_env.agents.network import (
    Activation,
    Network,
    NetworkAgent,
    check_sizes,
    fingerprint,
    layer_sizes,
    save_agent,
)
from strand_env.engine.checks import checked_variant, reason, shown
from strand_env.engine.game import Encoding, Game
from strand_env.engine.protocol import RewardKind
from strand_env.engine.randomness import spread_seeds
from strand_env.registry import game_of as known_game
from strand_env.support.reading import check_zip, naming
from strand_env.train.cast import Cast
from strand_env.train.config import PAST, SELF, Config, weights_of
from strand_env.train.dmc import DMC, Setup
from strand_env.train.environment import TrainingVecEnv
from strand_env.train.scoring import ScoringPolicy
from strand_env.train.updating import Body, LeanPPO

ACTIVATIONS: dict[Activation, type[torch.nn.Module]] = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


MOST_UNPACKED = 1 << 31  # bytes of a learner that Stable-Baselines3 saved


class PolicyPool:
    """The learner as its own opponent: the current policy, and a pool of past ones.

    For a whole rollout each is a single network, evaluated in few large batches rather than many small ones; the past
    one is drawn for each rollout.
    """

    def __init__(self, config: Config) -> None:
        encoding, sizes = encoding_and_sizes(config)
        zeros = [(np.zeros(shape, np.float32), np.zeros(shape[1], np.float32)) for shape in pairwise(sizes)]
        untrained = Network(zeros, config.activation, encoding.per_action)
        self.current, self.past = (NetworkAgent(untrained, encoding) for _ in range(2))
        self.pool: list[Network] = []
        self.added = 0
        self._most = config.pool
        self._seed = config.seed

    def keep(self, network: Network) -> None:
        """Adds a past policy; a full pool drops its oldest."""
        if self.added < self._most:
            self.pool.append(network)
        else:
            self.pool[self.added % self._most] = network
        self.added += 1

    def latest(self, number: int) -> list[Network]:
        """The policies added last, at most this many."""
        return [self.pool[(self.added - 1 - back) % self._most] for back in range(min(number, len(self.pool)))]

    def begin(self, network: Network, rollout: int) -> None:
        """Starts a rollout with this network as the current policy."""
        self.current.network = network
        drawn = spread_seeds(self._seed, np.array([rollout]))[0]
        self.past.network = self.pool[int(drawn % np.uint64(len(self.pool)))]


def game_of(config: Config) -> Game:
    game = known_game(config.game)
    for players in config.player_counts:
        if players not in game.player_counts:
            counts = ", ".join(str(count) for count in game.player_counts)
            raise ValueError(f"players: {game.id} is for {counts}; got {players}")
    if len({fingerprint(game, players) for players in config.player_counts}) > 1:
        raise ValueError(f"players: {game.id} looks different with {config.players}; train for one of them")
    settings_of(config)
    return game


def variants_of(config: Config) -> list[str | None]:
    """The variants of the game to train for."""
    game = known_game(config.game)
    given = [name.strip() for name in config.variant.split(",")] if config.variant else [None]
    if len(set(given)) < len(given):
        raise ValueError(f"variant: expected each variant once, got {shown(config.variant)}")
    return [checked_variant(name, game.variants) for name in given]


def settings_of(config: Config) -> list[tuple[int, str | None]]:
    """Player counts and variants to train for, in all combinations."""
    settings = list(product(config.player_counts, variants_of(config)))
    if config.n_envs // max(config.env_runners, 1) < len(settings):
        expected = f"expected one for each of {len(settings)} combinations of players and variants"
        raise ValueError(f"n_envs: {expected}, got {config.n_envs}")
    return settings


def encoding_and_sizes(config: Config) -> tuple[Encoding, list[int]]:
    """What the networks of a run are shown, and the sizes of their layers, if agents may be so large."""
    game = game_of(config)
    encoding = encoding_of(game, config.player_counts[0], config.encoding)
    return encoding, check_sizes("hidden", layer_sizes(game, encoding, config.hidden_sizes))


def opponents_of(config: Config) -> dict[str, float]:
    """The opponents of a run by name, with weights that add up to 1."""
    return weights_of(config.opponents or game_of(config).training.opponents)


def reference_of(config: Config) -> str:
    """The agent that a run is measured against."""
    return config.reference or game_of(config).agents.reference


def agents_in(config: Config) -> list[str]:
    """All agents that a run names, but for the learner itself."""
    return [name for name in (reference_of(config), *opponents_of(config)) if name not in (SELF, PAST)]


def environment_of(config: Config, policies: PolicyPool, kind: type[TrainingVecEnv] = TrainingVecEnv) -> TrainingVecEnv:
    """Matches of each player count and variant, the games split evenly between them; for each env runner its own."""
    game = game_of(config)
    shaping = shaping_of(game, config.shaping, config.gamma)
    encoding = policies.current.encoding
    runners = max(config.env_runners, 1)
    settings = settings_of(config)
    number, games = len(settings), config.n_envs // runners
    shares = [games // number + (place < games % number) for place in range(number)]
    matches = [
        Match(
            game,
            game.batch(share, players, variant=variant),
            "random",
            cast_of(config, policies),
            cast(RewardKind, config.reward),
            "raise",
            encoding=encoding.name,
            shaping=shaping,
        )
        for _ in range(runners)
        for (players, variant), share in zip(settings, shares, strict=True)
    ]
    return kind(matches, config.seed)


def cast_of(config: Config, policies: PolicyPool) -> Cast:
    """The agents that play all seats but the learner's."""
    own: dict[str, AnyAgent] = {SELF: policies.current, PAST: policies.past}
    weights = opponents_of(config)
    game = game_of(config)
    return Cast(weights, {name: own.get(name) or agent_of(name, game=game) for name in weights}, config.alike)


def model_of(
    config: Config, env: BatchVecEnv, policies: PolicyPool | None = None, kind: type[LeanPPO] = LeanPPO
) -> MaskablePPO:
    """The learner: for PPO of this kind; DMC plays with these policies."""
    # Otherwise each distribution validates its arguments, several times per step.
    torch.distributions.Distribution.set_default_validate_args(False)
    first, last = config.learning_rate, config.final_learning_rate
    per_action = encoding_and_sizes(config)[0].per_action
    activation = ACTIVATIONS[config.activation]
    body = {"hidden": config.hidden_sizes, "activation": activation}
    arguments: dict[str, Any] = (
        {"net_arch": config.hidden_sizes, "per_action": per_action}
        if per_action
        else {"net_arch": [], "features_extractor_class": Body, "features_extractor_kwargs": body}
    )
    made: Any = kind
    if config.algorithm == "dmc":
        made = partial(DMC, setup=dmc_setup(config, policies or PolicyPool(config)))
    return made(
        ScoringPolicy if per_action else "MlpPolicy",
        env,
        learning_rate=lambda remaining: last + max(remaining, 0.0) * (first - last),  # the last rollout may overshoot
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        seed=config.seed,
        device="cpu",
        policy_kwargs={"activation_fn": activation, **arguments},
    )


def dmc_setup(config: Config, policies: PolicyPool) -> Setup:
    game = game_of(config)
    return Setup(
        game,
        settings_of(config),
        policies.current,
        cast_of(config, policies),
        agent_of(reference_of(config), game=game),
        cast(RewardKind, config.reward),
        shaping_of(game, config.shaping, config.gamma),
        config.gamma,
        config.gae_lambda,
        config.temperature,
        config.seed,
    )


def linear_layers(model: MaskablePPO) -> list[torch.nn.Linear]:
    """The layers of a learner's policy network."""
    policy = model.policy
    last = [] if isinstance(policy, ScoringPolicy) else [policy.action_net]
    parts = [*policy.features_extractor.modules(), *policy.mlp_extractor.policy_net.modules(), *last]
    return [part for part in parts if isinstance(part, torch.nn.Linear)]


def network_of(model: MaskablePPO) -> Network:
    """A copy of a learner's policy network."""
    policy = model.policy
    scores = isinstance(policy, ScoringPolicy)
    per_action = cast(int, policy.per_action) if scores else 0
    linear = linear_layers(model)
    names = {kind: name for name, kind in ACTIVATIONS.items()}
    if policy.activation_fn not in names or not (scores or policy.action_net in linear):
        raise ValueError(f"expected a policy of linear layers with ReLU or Tanh between them, got {policy}")
    layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]
    if isinstance(model, DMC):  # from values to logits
        layers[-1] = layers[-1][0] / np.float32(model.temperature), layers[-1][1] / np.float32(model.temperature)
    return Network(layers, names[policy.activation_fn], per_action)


def mean_of(networks: Sequence[Network]) -> Network:
    """The network whose weights are the means of theirs."""
    layers = [
        (np.mean([weight for weight, _ in layer], axis=0), np.mean([bias for _, bias in layer], axis=0))
        for layer in zip(*(network.layers for network in networks), strict=True)
    ]
    return Network(layers, networks[0].activation, networks[0].per_action)


def export_saved(file: Path, folder: Path, game_name: str, players: int) -> None:
    """Exports a model saved by MaskablePPO as an agent; loading it runs the code in the file."""
    game = game_of(Config(game=game_name, players=str(players)))
    check_zip(file, MOST_UNPACKED)
    with naming(file):
        try:
            network = network_of(MaskablePPO.load(file, device="cpu"))
        except (Exception, SystemExit) as error:  # code of its author's runs here, and may fail in any way
            raise ValueError(f"not a learner that MaskablePPO saved: {reason(error)}") from None
        save_agent(folder, network, game, [players], _shown_to(network, game, players))


def _shown_to(network: Network, game: Game, players: int) -> Encoding:
    """The encoding that a network was trained on, by its number of inputs."""
    known = [each for each in encodings_of(game, players).values() if not each.per_action]
    for encoding in known:
        if encoding.size == network.sizes[0]:
            return encoding
    sizes = ", ".join(f"{each.size} of {each.name!r}" for each in known)
    raise ValueError(f"expected as many inputs as an encoding of {game.id} has ({sizes}), got {network.sizes[0]}")
