"""Strand Unter as an environment.

- For PettingZoo: `parallel_env`, `env` (AEC) and `raw_env` (AEC without wrappers).
- For Gymnasium, one learner against opponents: `learner_env`, and `learner_vector_env` with many games in one batch;
  `gymnasium.make` and `gymnasium.make_vec` make these by the name "strand_env/StrandUnter-v1".
- For Stable-Baselines3: `learner_vec_env`, the same as its kind of vector environment, and `self_play_vec_env`, where
  all players learn.

`hide_buckets=True` leaves the opponents' buckets out of observations.
"""

from strand_env.adapters.environments import Environments
from strand_env.strand_unter import GAME

_environments = Environments(GAME)

parallel_env = _environments.parallel_env
raw_env = _environments.raw_env
env = _environments.env
learner_env = _environments.learner_env
learner_vector_env = _environments.learner_vector_env
learner_vec_env = _environments.learner_vec_env
learner_match = _environments.learner_match
self_play_vec_env = _environments.self_play_vec_env

__all__ = [
    "env",
    "learner_env",
    "learner_match",
    "learner_vec_env",
    "learner_vector_env",
    "parallel_env",
    "raw_env",
    "self_play_vec_env",
]
