"""Games of Gymnasium's environments, played by a learner to their end."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import VectorEnv
from learning import choices, illegal_choices

from strand_env.strand_unter import Games

ID = "strand_env/StrandUnter-v1"


def choice(env: Any, observation: np.ndarray) -> int:
    return int(choices(observation[None], env.unwrapped.action_masks()[None])[0])


def play(env: Any, observation: np.ndarray) -> Iterator[Any]:
    """Plays a game to its end: what each step gives."""
    over = False
    while not over:
        outcome = env.step(choice(env, observation))
        observation, _, over, _, _ = outcome
        yield outcome


def whole_game(env: Any, **arguments: Any) -> list[Any]:
    """All that a game gives, from the reset on."""
    observation, info = env.reset(**arguments)
    return [(observation, info), *play(env, observation)]


def same(one: Any, other: Any) -> bool:
    return data_equivalence(one, other, exact=True)


def position(env: Any) -> Games:
    """The game that an environment is in, as a batch of one."""
    return Games.from_snapshots([env.unwrapped.snapshot()])


def steps_of(env: VectorEnv, steps: int, seed: Any = 11, illegal_every: int = 0) -> Iterator[Any]:
    """What the reset and this many steps give; now and then with an illegal action in one of the games."""
    observations, infos = env.reset(seed=seed)
    yield observations, infos
    for number in range(1, steps + 1):
        masks = infos["action_mask"]
        actions = choices(observations, masks)
        if illegal_every and number % illegal_every == 0:
            game = number // illegal_every % len(actions)
            actions[game] = illegal_choices(masks)[game]
        observations, *outcome, infos = env.step(actions)
        yield observations, *outcome, infos


def last_of(env: VectorEnv, steps: int, seed: Any = 11) -> Any:
    *_, last = steps_of(env, steps, seed)
    return last
