"""Maui for training: the weights of its heuristic that can be tuned."""

from strand_env.agents.maui.heuristics import Heuristic, Scout
from strand_env.engine.game import GameTraining, Tuning, TuningTables

# From here `nalu` was tuned: rough numbers for all ideas, found by trying.
START = Scout.weights | {
    "dollar": (2.0, 0.5, 1.0, 0.5),
    "tempo": 1.5,
    "token": 2.5,
    "lay": 2.5,
    "climb": 1.0,
    "pearl": 0.2,
    "next": 0.55,
    "chance": (0.1, 0.3, 0.7),
    "others": 0.9,
    "guess": 2.5,
    "sinks": 0.8,
    "cell": (0.05, 0.05),
    "soon": (0.3, 0.3),
    "height": (0.0, 1.5, 2.5, 2.0, 0.0),
    "heat": 0.03,
}

TRAINING = GameTraining(
    tuning=Tuning(
        agent=Heuristic,
        start=START,
        tables=(
            TuningTables(4, 4, 40, 0.4),
            TuningTables(3, 2, 40, 0.15),
            TuningTables(2, 2, 40, 0.15),
            TuningTables(4, 2, 40, 0.2, "crabs"),
            TuningTables(4, 2, 20, 0.1, "combined"),
        ),
        opponents=("greedy", "scout"),
        steps={
            "dollar": 0.5,
            "tempo": 0.7,
            "token": 0.7,
            "lay": 0.7,
            "height": 0.7,
            "idle": 1.0,
            "climb": 0.2,
            "pearl": 0.2,
            "next": 0.2,
            "chance": 0.2,
            "others": 0.2,
            "sinks": 0.2,
            "cell": 0.1,
            "soon": 0.2,
            "race": 0.05,
        },
        factors={"guess": 0.5, "heat": 0.5},
        bounds={"others": (0, 1), "sinks": (0, 1), "chance": (0, 3)},
        lead=0.05,
    ),
)
