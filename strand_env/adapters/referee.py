"""Validates actions, handles illegal ones and computes rewards, for all environments."""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import joint_actions, one_of, whole_number
from strand_env.engine.protocol import REWARD_KINDS, Batch, RewardKind

Numbers = npt.NDArray[np.int64]
IllegalHandling = Literal["terminate", "raise"]

ILLEGAL_REWARD = -1.0


class Referee:
    """`reward` is paid at the end of a game.

    With `illegal="terminate"` an illegal action ends the game at once: -1 for the offender, 0 for the others. With
    "raise" it is an `IllegalAction`, and nothing changes.
    """

    def __init__(self, reward: RewardKind, illegal: IllegalHandling) -> None:
        one_of("reward", reward, REWARD_KINDS)
        one_of("illegal", illegal, get_args(IllegalHandling))
        self.reward = reward
        self.illegal = illegal

    def offended(
        self, batch: Batch, games: Numbers, seats: Numbers, chosen: Numbers, legal: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.bool_]:
        """(rows,): which players, each by game and seat, chose an illegal action."""
        places = np.arange(0, legal.size, legal.shape[1]) + chosen
        offended = legal.reshape(-1).take(places) == 0  # faster than by two indices
        if self.illegal == "raise" and offended.any():
            row = int(offended.argmax())
            raise batch.illegal_action(int(games[row]), int(seats[row]), int(chosen[row]))
        return offended

    def rewards(self, batch: Batch, ended: Numbers, broken: Numbers, offenders: Numbers) -> npt.NDArray[np.float32]:
        """(ended, players): of games that have ended, in the order of their numbers; some broken off by offenders."""
        rewards = batch.rewards(self.reward, ended)
        if len(broken):
            rewards[np.searchsorted(ended, broken), offenders] = ILLEGAL_REWARD
        return rewards


def checked_action(agent: str, given: Any, num_actions: int) -> int:
    """An action, legal or not. A number outside the action space is a bug of the caller."""
    action = given.item() if isinstance(given, np.ndarray) and given.ndim == 0 else given
    return whole_number(f"action of {agent}", action, 0, num_actions - 1)


def checked_choices(actions: npt.ArrayLike, legal: npt.NDArray[np.int8]) -> Numbers:
    """The same of one action for each row of masks."""
    rows, num_actions = legal.shape
    given = joint_actions(actions, (rows,), "one action for each row")
    chosen = given.astype(np.int64)
    unsigned = chosen.view(np.uint64)  # negative numbers are too large then
    if unsigned.max() >= num_actions:
        row = int((unsigned >= num_actions).argmax())
        whole_number(f"actions[{row}]", given[row].item(), 0, num_actions - 1)
    return chosen
