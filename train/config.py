"""The configuration of a training run: one dataclass that is also the command line, stored with each run."""

import dataclasses
import difflib
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args, get_origin

from strand_env.engine.checks import one_of, real_number, shown, text, whole_number
from strand_env.registry import DEFAULT

SELF, PAST = "self", "past"
"""Opponents that are not agents by name: the current policy, and earlier ones."""

# Names of the fields in the run folders of earlier versions.
RENAMED = {
    "frames": "total_timesteps",
    "sight": "encoding",
    "games": "n_envs",
    "steps": "n_steps",
    "batch": "batch_size",
    "epochs": "n_epochs",
    "clip": "clip_range",
    "entropy": "ent_coef",
    "value": "vf_coef",
    "most_gradient": "max_grad_norm",
}


HIGHEST_WEIGHT = 1e9  # of an opponent
LONGEST_TEXT = 10_000  # characters
MOST = 10**15  # of whatever is counted
MOST_IN_A_ROLLOUT = 1 << 22  # decisions, all of which are kept in memory


def option(default: Any, meaning: str, least: float | None = None, most: float | None = None) -> Any:
    """A field of the configuration, with its help text and, for numbers, bounds."""
    return field(default=default, metadata={"help": meaning, "least": least, "most": most})


@dataclass(frozen=True)
class Config:
    """All that determines a run, as in Config(players="2,3", seed=1); on one thread, equal ones give equal weights."""

    # The game
    game: str = option(DEFAULT, "Name of the game.")
    players: str = option("4", "Player count, or several to train for at once, such as 2,3,4.")
    variant: str = option(
        "", "Variant of the rules, or several to train for at once, such as base,crabs; by default the game's first."
    )
    opponents: str = option(
        "",
        "Mix of agents for the other seats, such as tide=0.5,self=0.3,past=0.2: agents by name, 'self' (the current "
        "policy), 'past' (earlier ones), with weights. Drawn for each seat of each game, or once for all seats "
        "(--alike). By default the game's own mix.",
    )
    alike: float = option(0.8, "Share of games in which all opponents are the same agent, as in evaluations.", 0, 1)
    reward: str = option("margin", "Reward at the end of a game: win, score or margin.")
    shaping: float = option(
        1.0, "Scale of the potential-based shaping reward, which leaves the optimal policy unchanged.", 0, 10
    )

    # Length and start
    imitate: int = option(
        1_000_000,
        "Decisions of the reference to imitate before reinforcement learning; 0, the default with a random reference, "
        "starts from scratch.",
        0,
        MOST,
    )
    rollouts: int = option(
        0,
        "Rollouts by the reference for each action of these decisions, to learn action values from; 0: only the "
        "reference's choices are learned.",
        0,
        100_000,
    )
    total_timesteps: int = option(9_000_000, "Timesteps (decisions of the learner) to train for.", 1, MOST)
    seed: int = option(0, "Seed of the weights, the deals and all other randomness.", 0, 2**32 - 1)

    # The network
    encoding: str = option(
        "", "Feature encoding, such as 'compact'; by default the game's first. An unknown name lists them all."
    )
    hidden: str = option("128,128", "Hidden layer sizes; policy and value share the layers.")
    activation: Literal["relu", "tanh"] = option("relu", "Activation between the layers.")

    # The algorithm, by the names of Stable-Baselines3
    algorithm: Literal["ppo", "dmc"] = option(
        "ppo",
        "Masked proximal policy optimisation, with one learner per game; or deep Monte Carlo, which learns action "
        "values from whole games, in every seat that the policy plays.",
    )
    n_envs: int = option(256, "Parallel games; with PPO, one learner in each.", 1, 100_000)
    n_steps: int = option(32, "Decisions per game and update.", 2, 100_000)
    batch_size: int = option(1024, "Minibatch size.", 2, MOST)
    n_epochs: int = option(4, "Epochs over each rollout.", 1, 1000)
    learning_rate: float = option(1e-3, "Initial learning rate.", 0, 1)
    final_learning_rate: float = option(2e-5, "Final learning rate; it decays linearly.", 0, 1)
    gamma: float = option(1.0, "Discount factor.", 0, 1)
    gae_lambda: float = option(0.95, "Lambda of generalised advantage estimation, or of DMC's returns.", 0, 1)
    temperature: float = option(
        0.06, "DMC: softmax temperature of the policy, in standard deviations of the rewards.", 0.001, 100
    )
    clip_range: float = option(0.2, "Clipping range of the policy's probability ratio.", 0, 10)
    ent_coef: float = option(0.01, "Entropy coefficient.", 0, 10)
    vf_coef: float = option(10.0, "Value-function coefficient; high, since margins are small numbers.", 0, 100)
    max_grad_norm: float = option(0.5, "Maximum gradient norm.", 0, 1e9)
    lookahead: int = option(
        0,
        "DMC: lookahead samples per candidate action at play time; 0 disables lookahead.",
        0,
        10_000,
    )
    lookahead_prior: int = option(0, "DMC: weight of the network's own values in lookahead, in samples.", 0, 10_000)
    lookahead_turns: int = option(1, "DMC: how many of its own turns the trained agent looks ahead.", 1, 1000)

    # Past policies
    pool: int = option(8, "Past policies to keep as opponents.", 1, 1000)
    pool_every: int = option(250_000, "Timesteps between policies added to the pool.", 1, MOST)
    average: float = option(
        0.2, "PPO: the agent is the mean of the pool's policies from the last part of the run, this share of it.", 0, 1
    )

    # Evaluation and checkpoints
    reference: str = option("", "Agent to imitate and to evaluate against; by default the game's reference.")
    evaluate_every: int = option(500_000, "Timesteps between evaluations.", 1, MOST)
    deals: int = option(250, "Deals per evaluation, each played in every rotation of seats.", 2, 1_000_000)
    final_deals: int = option(2500, "Deals of the final evaluation.", 2, 1_000_000)
    checkpoint_seconds: float = option(30.0, "Seconds between checkpoints.", 0, 1e9)
    threads: int = option(1, "PyTorch threads. Runs repeat bit for bit only with one.", 1, 1024)

    # On a cluster
    env_runners: int = option(
        0, "With --ray: processes that share games and gradients, each on a core of the cluster.", 0, 10_000
    )
    learners: int = option(
        0,
        "With --env-runners: RLlib learners, each on a core of its own, that learn from what the runners play; 0: the "
        "runners learn.",
        0,
        10_000,
    )

    def __post_init__(self) -> None:
        for known in dataclasses.fields(self):
            _check(known, getattr(self, known.name))
        # These import the compiler, which --help must not.
        from strand_env.agents.network import MOST_LAYERS
        from strand_env.engine.protocol import REWARD_KINDS

        if self.reward not in REWARD_KINDS:
            raise ValueError(f"reward: expected one of {', '.join(REWARD_KINDS)}; got {shown(self.reward)}")
        if len(self.hidden_sizes) > MOST_LAYERS - 2:  # besides input and output
            raise ValueError(f"hidden: expected at most {MOST_LAYERS - 2} layers, got {len(self.hidden_sizes):,}")
        self.player_counts  # noqa: B018
        if self.opponents:
            weights_of(self.opponents)
        if self.n_envs * self.n_steps > MOST_IN_A_ROLLOUT:
            raise ValueError(
                f"n_steps: expected at most {MOST_IN_A_ROLLOUT:,} decisions in a rollout, got {self.n_envs:,} × "
                f"{self.n_steps:,}"
            )
        if self.env_runners and self.algorithm != "ppo":
            raise ValueError(
                f"env_runners: expected 0 with {self.algorithm}, as only ppo runs on a cluster; got "
                f"{self.env_runners:,}"
            )
        for name in ("n_envs", "batch_size"):
            if self.env_runners and getattr(self, name) % self.env_runners:
                raise ValueError(
                    f"{name}: expected a multiple of {self.env_runners}, the number of env runners, which share them; "
                    f"got {getattr(self, name):,}"
                )
        if self.learners:
            self._check_learners()
        if self.algorithm != "dmc" and self.lookahead:
            raise ValueError(f"lookahead: expected 0 without dmc, which learns values; got {self.lookahead:,}")
        if self.algorithm == "dmc" and self.imitate:
            raise ValueError(f"imitate: expected 0 with dmc, which starts from scratch; got {self.imitate:,}")
        if (self.n_envs * self.n_steps) % self.batch_size == 1:
            raise ValueError(
                f"batch_size: {self.n_envs} games × {self.n_steps} steps leave a minibatch of one decision"
            )
        if self.n_envs < len(self.player_counts):
            raise ValueError(f"n_envs: expected one for each of {self.players} players, got {self.n_envs}")

    def _check_learners(self) -> None:
        """All learners need equally many minibatches of equal size."""
        if not self.env_runners:
            raise ValueError(f"learners: expected 0 without env runners, from which they learn; got {self.learners:,}")
        for name, parts in (("n_envs", self.env_runners * self.learners), ("batch_size", self.learners)):
            if getattr(self, name) % parts:
                raise ValueError(
                    f"{name}: expected a multiple of {parts}, since {self.learners} learners share what each runner "
                    f"plays; got {getattr(self, name):,}"
                )
        if (self.n_envs * self.n_steps) % self.batch_size:
            raise ValueError(
                f"batch_size: expected a divisor of {self.n_envs:,} games × {self.n_steps:,} steps with learners; got "
                f"{self.batch_size:,}"
            )

    @property
    def player_counts(self) -> list[int]:
        counts = _numbers("players", self.players, 2, 100)
        if len(set(counts)) < len(counts):
            raise ValueError(f"players: expected each number once, got {shown(self.players)}")
        return counts

    @property
    def hidden_sizes(self) -> list[int]:
        return _numbers("hidden", self.hidden, 1, 8192)

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The configuration that `to_dict` wrote; unknown fields are refused, former names accepted."""
        if not isinstance(data, dict):
            raise ValueError(f"expected the fields of a training configuration, got {shown(data)}")
        known = [each.name for each in dataclasses.fields(cls)]
        for name in data:
            if name not in known and name not in RENAMED:
                near = difflib.get_close_matches(str(name)[:80], known, n=1)
                raise ValueError(f"{shown(name)}: no such field{f'; did you mean {near[0]}?' if near else ''}")
            if RENAMED.get(name) in data:
                raise ValueError(f"{name}: expected once, but it is there as {RENAMED[name]}, too")
        return cls(**{RENAMED.get(str(name), str(name)): value for name, value in data.items()})


def weights_of(opponents: str) -> dict[str, float]:
    """Opponents by name, with weights that add up to 1."""
    weights: dict[str, float] = {}
    for part in opponents.split(","):
        name, _, weight = part.strip().rpartition("=")
        if not name or name in weights or not _is_weight(weight):
            raise ValueError(f"opponents: expected names with weights, as tide=0.5,self=0.5; got {shown(opponents)}")
        weights[name] = float(weight)
    total = sum(weights.values())
    if not total:
        raise ValueError(f"opponents: expected a weight above 0 among them, got {shown(opponents)}")
    return {name: weight / total for name, weight in weights.items() if weight}


def _check(known: dataclasses.Field[Any], value: Any) -> None:
    kind, least, most = known.type, known.metadata["least"], known.metadata["most"]
    if get_origin(kind) is Literal:
        one_of(known.name, value, get_args(kind))
    elif kind is str:
        text(known.name, value, LONGEST_TEXT)
    elif kind is int:
        whole_number(known.name, value, least, most)
    else:
        real_number(known.name, value, least, most)


def _numbers(name: str, given: str, least: int, most: int) -> list[int]:
    parts = [part.strip() for part in given.split(",")]
    if not all(part.isdecimal() and len(part) < 10 and least <= int(part) <= most for part in parts):
        raise ValueError(f"{name}: expected numbers from {least} to {most} with commas between, got {shown(given)}")
    return [int(part) for part in parts]


def _is_weight(given: str) -> bool:
    try:
        return 0 <= float(given) <= HIGHEST_WEIGHT
    except ValueError:
        return False
