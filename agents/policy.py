"""Functions as agents: a model of any library is a policy, from an observation and a mask to an action."""

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from strand_env.agents.base import Actions, Masks, Observations
from strand_env.agents.encoding import shown_in_environments
from strand_env.engine.checks import is_whole, printable, shown, truth, whole_number
from strand_env.engine.game import Game
from strand_env.engine.randomness import Streams
from strand_env.registry import DEFAULT, game_of

Policy = Callable[[Any, Any], Any]
"""`policy(observations, masks)`: actions (rows,); or, not batched, `policy(observation, mask)`: one action."""


class PolicyAgent:
    """Plays by a function of what the environments show: observations, float32, and masks, int8.

    A batched policy is asked for many rows at once, observations (rows, entries) and masks (rows, actions), and answers
    with one action per row: a list, an array or a tensor of whole numbers. Otherwise it is asked row by row and answers
    with a whole number. `encoding` is the environment's that it was trained on.

        agent = PolicyAgent(lambda observations, masks: (model(observations) - 1e9 * (1 - masks)).argmax(1))
    """

    def __init__(
        self,
        policy: Policy,
        *,
        game: str | Game = DEFAULT,
        players: int | None = None,
        encoding: str | None = None,
        batched: bool = True,
    ) -> None:
        if not is_policy(policy):
            raise ValueError(f"policy: expected a function of observation and mask, got {shown(policy)}")
        of_game = game_of(game)
        counts = of_game.player_counts
        number = of_game.default_players if players is None else whole_number("players", players, counts[0], counts[-1])
        self.policy = policy
        self.batched = truth("batched", batched)
        self.encoding = shown_in_environments(of_game, number, encoding)
        self.name = printable(getattr(policy, "__name__", type(policy).__name__), 80)

    def reset(self) -> None:
        """Nothing to prepare."""

    def act(self, observation: Observations, mask: Masks, rng: Streams) -> Actions:
        """(rows,): the policy's actions. Its randomness is its own, not that of `rng`."""
        seen = self.encoding.encode(observation)
        if self.batched:
            return self._actions(self.policy(seen, mask), len(mask))
        rows = zip(seen, mask, strict=True)
        return np.array([self._action(self.policy(one, legal)) for one, legal in rows], np.int64)

    def _actions(self, answer: Any, rows: int) -> Actions:
        if isinstance(answer, tuple):
            self._refuse(f"a tuple of {len(answer)}; where a library's predict returns a state, too, leave it out")
        try:
            actions = np.asarray(answer)
        except Exception as error:
            self._refuse(f"{shown(answer)}, which is no array: {printable(error)}")
        if actions.shape == () and rows == 1:
            self._refuse("a single number; for a policy that is asked row by row: batched=False")
        if actions.ndim == 2 and len(actions) == rows and actions.shape[1] > 1:
            self._refuse(f"{actions.dtype} {actions.shape}; if these are logits or values, take the best legal one")
        if actions.shape != (rows,) or actions.dtype.kind not in "iu":
            self._refuse(f"{actions.dtype} {actions.shape}")
        return actions

    def _action(self, answer: Any) -> int:
        try:
            value = answer.item() if not isinstance(answer, int) and np.ndim(answer) == 0 else answer
        except Exception:  # whatever the answer is, it is reported below
            value = answer
        if not is_whole(value):
            self._refuse(f"{shown(answer)}; a policy that answers for many rows at once is asked by batched=True")
        return int(value)

    def _refuse(self, got: str) -> NoReturn:
        expected = "one action per row, whole numbers (rows,)" if self.batched else "one action, a whole number"
        raise ValueError(f"{self.name}: expected {expected}; got {got}")


def is_policy(given: Any) -> bool:
    """Whether this is a function that can be called with an observation and a mask, and no agent or class."""
    if not callable(given) or isinstance(given, type) or hasattr(given, "act") or hasattr(given, "search"):
        return False
    try:
        signature = inspect.signature(given)
    except (TypeError, ValueError):  # a builtin, for instance: known only by calling it
        return True
    try:
        signature.bind(None, None)
    except TypeError:
        return False
    return True
