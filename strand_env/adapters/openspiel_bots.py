"""OpenSpiel's searches as agents: `openspiel-mcts:N` and `openspiel-ismcts:N`, with N simulations per decision.

Decisions are searched in copies of the game, in which everything hidden from the player is redealt: by MCTS in one
copy, by information-set MCTS in a new one for each simulation. Rollouts are random, as OpenSpiel's are by default.
Players who decide at the same time are asked after the searching one; MCTS lets them see its choice, information-set
MCTS does not.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from strand_env.adapters.openspiel import SpielGame, load
from strand_env.agents.base import Actions, Masks, Observations, Positions
from strand_env.engine.checks import whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch
from strand_env.engine.randomness import Streams
from strand_env.registry import game_of
from strand_env.support.extras import from_extra

with from_extra("openspiel", "OpenSpiel's searches"):
    from open_spiel.python.algorithms import ismcts, mcts

EXPLORATION = 1.0
DRAWS = 8  # outcomes of each chance node in MCTS's tree, whose nodes have to stand for the same state at each visit
FEWEST = 2  # simulations: after one, MCTS has tried no action
_ONE = np.ones(1, np.int64)

MakeBot = Callable[[SpielGame, Any, int, np.random.RandomState], Any]


class OpenSpielSearch:
    """Asks one of OpenSpiel's bots, which is made for each decision."""

    def __init__(self, make_bot: MakeBot, draws: int | None, simulations: int, game: str | Game) -> None:
        self.simulations = whole_number("simulations", simulations, FEWEST)
        self._make_bot = make_bot
        self._draws = draws  # None: sampled
        self._house = game_of(game)
        self._kinds: dict[tuple[Any, ...], SpielGame] = {}

    def reset(self) -> None:
        """Nothing is kept between decisions."""

    def search(self, observation: Observations, mask: Masks, rng: Streams, positions: Positions) -> Actions:
        """(rows,): the bot's choices."""
        copies, chance = positions.copies(np.repeat(_ONE, len(positions)), rng)
        choices = [
            self._choose(copies.select([row]), int(seat), int(bits))
            for row, (seat, bits) in enumerate(zip(positions.seats, chance, strict=True))
        ]
        return np.array(choices, np.int64)

    def _choose(self, batch: Batch, seat: int, bits: int) -> int:
        draws = np.random.RandomState(bits & 0xFFFFFFFF)  # OpenSpiel's bots take no other kind
        game = self._kind(batch, seat)
        game.reseed(bits >> 1)
        rollouts = mcts.RandomRolloutEvaluator(1, draws)
        return int(self._make_bot(game, rollouts, self.simulations, draws).step(game.state_of(batch)))

    def _kind(self, batch: Batch, seat: int) -> SpielGame:
        """The game that a batch is one of, with this player asked first."""
        key = batch.num_players, batch.ruleset, batch.variant, tuple(batch.chosen_options.items()), seat
        if key not in self._kinds:
            self._kinds[key] = load(
                self._house,
                num_players=batch.num_players,
                ruleset=batch.ruleset,
                variant=batch.variant,
                turn_based=True,
                first=seat,
                seed=0,
                deals=self._draws,
                **batch.chosen_options,
            )
        return self._kinds[key]


def _mcts(game: SpielGame, rollouts: Any, simulations: int, draws: np.random.RandomState) -> Any:
    return mcts.MCTSBot(game, EXPLORATION, simulations, rollouts, random_state=draws)


def _ismcts(game: SpielGame, rollouts: Any, simulations: int, draws: np.random.RandomState) -> Any:
    bot = ismcts.ISMCTSBot(game, rollouts, EXPLORATION, simulations, random_state=draws)
    # Its own sampler cannot be seeded.
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, draws.random_sample))
    return bot


MCTS = partial(OpenSpielSearch, _mcts, DRAWS)


def ISMCTS(simulations: int, game: str | Game) -> OpenSpielSearch:  # as if it were a class
    """Information-set MCTS, for games in which something is hidden or decided at once."""
    house = game_of(game)
    if not has_information_sets(house):
        raise ValueError(f"openspiel-ismcts: {house.title} has no hidden information; use openspiel-mcts")
    return OpenSpielSearch(_ismcts, None, simulations, house)


def has_information_sets(game: Game) -> bool:
    """Whether something is hidden from players, or decided at once."""
    return game.dynamics != "sequential" or game.information != "open"
