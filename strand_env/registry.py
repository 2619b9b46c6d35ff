"""The registry of games. A game is imported only when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

import gymnasium
import pettingzoo

from strand_env.engine.checks import shown

if TYPE_CHECKING:
    from strand_env.engine.game import Game

DEFAULT = "strand_unter"

_modules = {  # by id: the package with the game's GAME
    "strand_unter_v1": "strand_env.strand_unter",
    "maui_v0": "strand_env.maui",
    "sea_or_shore_v0": "strand_env.sea_or_shore",
}
FORMER = {"strand_unter_v0": "strand_unter_v1"}
"""Former ids and their replacements: the same games, so replays are still read, but with other observations."""

_others: dict[str, "Game"] = {}


def game_ids() -> list[str]:
    """The versioned names of all games."""
    return [*_modules, *_others]


def game_of(game: "str | Game" = DEFAULT) -> "Game":
    """A game by its name, with or without the version; a `Game` is returned as it is."""
    if not isinstance(game, str):
        from strand_env.engine.game import Game

        if not isinstance(game, Game):
            raise ValueError(f"game: expected a game or its name, one of {', '.join(game_names())}; got {shown(game)}")
        return game
    if game in FORMER:
        raise ValueError(f"game: {game} was replaced by {FORMER[game]}, whose observations differ; use that instead")
    for known in game_ids():
        if game in (known, known.rpartition("_v")[0]):
            return _others[known] if known in _others else import_module(_modules[known]).GAME
    raise ValueError(f"game: expected one of {', '.join(game_names())}; got {shown(game)}")


def game_names() -> list[str]:
    """The names of all games, without versions."""
    return [known.rpartition("_v")[0] for known in game_ids()]


def register_game(game: "Game") -> None:
    """Makes a game available by name to commands, files and agents, in this process."""
    game_of(game)  # refuses anything that is no game
    if isinstance(game, str) or game.id in _modules:
        raise ValueError(f"game: {game if isinstance(game, str) else game.id} is there already")
    _others[game.id] = game


def register_environments() -> None:
    """Registers the environments with Gymnasium and PettingZoo."""
    for game_id in _modules:
        module = f"strand_env.{game_id}"
        name, _, version = game_id.rpartition("_v")
        if hasattr(pettingzoo, "register"):  # since 1.27
            pettingzoo.register("aec", f"strand_env/{game_id}", f"{module}:env")
            pettingzoo.register("parallel", f"strand_env/{game_id}", f"{module}:parallel_env")
        gymnasium.register(
            f"strand_env/{name.title().replace('_', '')}-v{version}",
            entry_point=f"{module}:learner_env",
            vector_entry_point=f"{module}:learner_vector_env",
        )
