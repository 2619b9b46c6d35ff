"""How a training run is set up: one dataclass, which is the command line, too, and is kept with each run."""

import dataclasses
import difflib
import math
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args, get_origin

SELF, PAST = "self", "past"
"""Opponents that are no agents by name: the learner as it is, and as it was."""


def option(default: Any, meaning: str, least: float | None = None, most: float | None = None) -> Any:
    """A field of the configuration, with its help and bounds."""
    return field(default=default, metadata={"help": meaning, "least": least, "most": most})


@dataclass(frozen=True)
class Config:
    """All that decides how a run goes: two runs of equal configurations on one thread end in equal weights."""

    # What is played
    game: str = option("strand_unter_v0", "The game, by its versioned name.")
    players: str = option("4", "Players in a game: a number, or several as 2,3,4, which are then trained at once.")
    opponents: str = option(
        "tide=0.3,self=0.2,past=0.1,random=0.4",
        "Who plays the other seats, with weights: agents by name, 'self' (the learner as it is), 'past' (as it was). "
        "Drawn anew for each seat of each game, or in a part of them for all seats: --alike.",
    )
    alike: float = option(0.5, "The part of games in which all others are the same, as in evaluations.", 0, 1)
    reward: str = option("margin", "What the end of a game is worth: win, score or margin.")
    shaping: float = option(
        1.0, "Rewards progress on the way by so much, which leaves the best policy the best.", 0, 10
    )

    # How long, and from where
    imitate: int = option(
        2_000_000, "Decisions of the reference to learn from before all else; 0 to start from nothing.", 0
    )
    frames: int = option(1_500_000, "Decisions of the learner to train on.", 1)
    seed: int = option(0, "Of weights, deals and everything else that is drawn.", 0, 2**32 - 1)

    # The network
    sight: str = option(
        "", "What it is shown of the game: 'needs 1', 'plain', …; what learners do best with by default."
    )
    hidden: str = option("256,256", "Sizes of the hidden layers, of the policy and of the value alike.")
    activation: Literal["relu", "tanh"] = option("relu", "What is between the layers.")

    # Proximal policy optimisation
    games: int = option(512, "Games played at once, a learner in each.", 1, 100_000)
    steps: int = option(16, "Decisions of each learner between two updates.", 2, 100_000)
    batch: int = option(512, "Decisions in a step of the optimiser.", 2)
    epochs: int = option(3, "How often each decision is learned from.", 1, 1000)
    learning_rate: float = option(3e-4, "At the beginning.", 0, 1)
    final_learning_rate: float = option(5e-5, "At the end; it goes there on a straight line.", 0, 1)
    gamma: float = option(1.0, "What the next decision's worth counts for.", 0, 1)
    gae_lambda: float = option(0.95, "From short-sighted advantages at 0 to those of whole games at 1.", 0, 1)
    clip: float = option(0.2, "How far an update may change what is likely.", 0, 10)
    entropy: float = option(0.005, "Weight of staying undecided.", 0, 10)
    value: float = option(0.5, "Weight of the value's error.", 0, 100)
    most_gradient: float = option(0.5, "Longer gradients are cut to this.", 0)

    # Its past selves
    pool: int = option(8, "Past selves that are kept.", 1, 1000)
    pool_every: int = option(100_000, "Frames from one that is kept to the next.", 1)

    # Looking after it
    reference: str = option("tide", "The agent by which it is judged, by name.")
    evaluate_every: int = option(250_000, "Frames from one evaluation to the next.", 1)
    deals: int = option(250, "Deals in an evaluation, each played in every rotation of seats.", 2, 1_000_000)
    final_deals: int = option(2500, "Deals in the table at the end.", 2, 1_000_000)
    checkpoint_seconds: float = option(30.0, "From one checkpoint to the next.", 0)
    threads: int = option(1, "Of PyTorch. Only with one is a run repeated bit for bit.", 1, 1024)

    def __post_init__(self) -> None:
        for known in dataclasses.fields(self):
            _check(known, getattr(self, known.name))
        from strand_env.engine.protocol import REWARD_KINDS  # which brings the compiler: not for --help

        if self.reward not in REWARD_KINDS:
            raise ValueError(f"reward: expected one of {', '.join(REWARD_KINDS)}; got {self.reward!r:.80}")
        self.player_counts  # noqa: B018
        self.hidden_sizes  # noqa: B018
        self.opponent_weights  # noqa: B018
        if (self.games * self.steps) % self.batch == 1:
            raise ValueError(f"batch: {self.games} games × {self.steps} steps leave a batch of one decision over")
        if self.games < len(self.player_counts):
            raise ValueError(f"games: expected one for each of {self.players} players, got {self.games}")

    @property
    def player_counts(self) -> list[int]:
        counts = _numbers("players", self.players, 2, 100)
        if len(set(counts)) < len(counts):
            raise ValueError(f"players: expected each number once, got {self.players!r:.80}")
        return counts

    @property
    def hidden_sizes(self) -> list[int]:
        return _numbers("hidden", self.hidden, 1, 8192)

    @property
    def opponent_weights(self) -> dict[str, float]:
        """By name; they add up to 1."""
        weights: dict[str, float] = {}
        for part in self.opponents.split(","):
            name, _, weight = part.strip().rpartition("=")
            if not name or name in weights or not _is_weight(weight):
                raise ValueError(
                    f"opponents: expected names with weights, as tide=0.5,self=0.5; got {self.opponents!r}"
                )
            weights[name] = float(weight)
        total = sum(weights.values())
        if not total:
            raise ValueError(f"opponents: expected a weight above 0 among them, got {self.opponents!r}")
        return {name: weight / total for name, weight in weights.items() if weight}

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Refuses what is no field."""
        if not isinstance(data, dict):
            raise ValueError(f"expected the fields of a training configuration, got {data!r:.80}")
        known = [each.name for each in dataclasses.fields(cls)]
        for name in data:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                raise ValueError(f"{name}: no such field{f'; did you mean {near[0]}?' if near else ''}")
        return cls(**data)


def _check(known: dataclasses.Field[Any], value: Any) -> None:
    kind, least, most = known.type, known.metadata["least"], known.metadata["most"]
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ValueError(f"{known.name}: expected one of {', '.join(get_args(kind))}; got {value!r:.80}")
    elif kind is str:
        if not isinstance(value, str):
            raise ValueError(f"{known.name}: expected a text, got {value!r:.80}")
    elif isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        raise ValueError(f"{known.name}: expected a {'whole ' * (kind is int)}number, got {value!r:.80}")
    elif not math.isfinite(value) or (least is not None and value < least) or (most is not None and value > most):
        bounds = f"from {least:,}" + (f" to {most:,}" if most is not None else " up")
        raise ValueError(f"{known.name}: expected a number {bounds}, got {value!r:.80}")


def _numbers(name: str, text: str, least: int, most: int) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and least <= int(part) <= most for part in parts):
        raise ValueError(f"{name}: expected numbers from {least} to {most} with commas between, got {text!r:.80}")
    return [int(part) for part in parts]


def _is_weight(text: str) -> bool:
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False
