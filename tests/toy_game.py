"""A small game that is unlike Strand Unter wherever its users could have come to rely on that, with its own views.

Players take stones from a pile, strictly in turn. A stone is worth what the card in one's hand says, which nobody else
sees, and which is replaced after the turn. The last stone ends the game, perhaps before everybody has had a turn.
"""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.game import Game
from strand_env.engine.protocol import IllegalAction, RewardKind
from strand_env.engine.randomness import Seeds, spread_seeds
from strand_env.engine.rewards import results_of, rewards_of

PASS, TAKE_ALL = 3, 8
STONES_OF_ACTION = (1, 2, 3, 0, 4, 5, 6, 8, 12)

Snapshot = dict[str, Any]


@dataclass(frozen=True)
class StoneRules:
    stones: int = 12
    highest_card: int = 300

    @classmethod
    def default(cls) -> "StoneRules":
        return cls()

    @classmethod
    def from_dict(cls, data: Any) -> "StoneRules":
        if not isinstance(data, dict) or data.keys() != asdict(cls()).keys():
            raise ValueError(f"ruleset: expected stones and highest_card, got {data!r:.80}")
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class StoneGames:
    """Each game is kept as its own snapshot."""

    num_actions = len(STONES_OF_ACTION)
    pass_action = PASS
    deal_options: tuple[str, ...] = ()

    def __init__(
        self, num_games: int, num_players: int = 2, seed: Seeds = 0, ruleset: StoneRules | None = None
    ) -> None:
        self.num_games, self.num_players, self.ruleset = num_games, num_players, ruleset or StoneRules()
        self._games: list[Snapshot] = [{}] * num_games
        self.reset(seed=seed)

    @property
    def observation_maximum(self) -> npt.NDArray[np.int16]:
        rules, most_points = self.ruleset, self.ruleset.highest_card * self.ruleset.stones
        return np.array([rules.highest_card, rules.stones] + [most_points] * self.num_players, np.int16)

    @property
    def table_maximum(self) -> npt.NDArray[np.int16]:
        """As the entries of `observe_table`: the stones, then for each seat points, card and whether it has to act."""
        _, stones, *points = self.observation_maximum.tolist()
        cards = [self.ruleset.highest_card] * self.num_players
        return np.array([stones, *points, *cards, *[1] * self.num_players], np.int16)

    @property
    def to_act(self) -> npt.NDArray[np.bool_]:
        return np.array([[seat in game["to_act"] for seat in range(self.num_players)] for game in self._games])

    @property
    def legal(self) -> npt.NDArray[np.int8]:
        legal = np.zeros((self.num_games, self.num_players, self.num_actions), np.int8)
        legal[:, :, PASS] = 1
        for index, game in enumerate(self._games):
            for seat in game["to_act"]:  # even if there is but one stone, and so no choice
                legal[index, seat] = [0 < stones <= game["stones"] for stones in STONES_OF_ACTION]
        return legal

    @property
    def seeds(self) -> npt.NDArray[np.uint64]:
        return np.array([int(game["seed"], 16) for game in self._games], np.uint64)

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        return np.array([not game["to_act"] for game in self._games])

    @property
    def scores(self) -> npt.NDArray[np.int64]:
        return np.array([game["scores"] for game in self._games])

    @property
    def winners(self) -> npt.NDArray[np.bool_]:
        return self.over[:, None] & (self.scores == self.scores.max(1, keepdims=True))

    def rewards(self, kind: RewardKind, which: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        games, most_points = self._numbers(which), self.ruleset.highest_card * self.ruleset.stones
        return rewards_of(kind, self.scores[games], self.winners[games], most_points)

    def results(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        return results_of(self.scores[games], self.winners[games], seats)

    def statistics(self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[Any]]:
        rows = zip(games.tolist(), seats.tolist(), strict=True)
        return {"last card": np.array([self._games[game]["cards"][seat] for game, seat in rows])}

    def observe(self) -> npt.NDArray[np.int16]:
        """The own card, the stones, and everybody's points beginning with the own."""
        seen = [
            [[game["cards"][seat], game["stones"], *np.roll(game["points"], -seat)] for seat in range(self.num_players)]
            for game in self._games
        ]
        return np.array(seen, np.int16)

    def look_at_rows(
        self, games: npt.NDArray[np.int64], seats: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
        return self.observe()[games, seats], self.legal[games, seats]

    def observe_table(self) -> npt.NDArray[np.int16]:
        known = [[game["stones"], *game["points"], *game["cards"]] for game in self._games]
        return np.hstack([np.array(known, np.int16), self.to_act])

    def status(self, index: int) -> dict[str, Any]:
        return {"stones": self._games[index]["stones"]}

    def reset(
        self, which: npt.ArrayLike | None = None, seed: Seeds | None = None, *_: Any, **deal_options: Any
    ) -> None:
        numbers = self._numbers(which)
        following = (Random(f"after {self._games[index]['seed']}").getrandbits(64) for index in numbers)
        seeds = following if seed is None else spread_seeds(seed, numbers).tolist()
        for index, its_seed in zip(numbers, seeds, strict=True):
            players = self.num_players
            game = {"players": players, "ruleset": self.ruleset.to_dict(), "seed": f"{its_seed:#018x}"}
            game |= {
                "chance": its_seed,
                "stones": self.ruleset.stones,
                "points": [0] * players,
                "scores": [0] * players,
            }
            game["to_act"] = [_drawn(game, players)]
            game["cards"] = [self._drawn_card(game) for _ in range(players)]
            self._games[index] = game

    def step(self, actions: npt.ArrayLike, which: npt.ArrayLike | None = None) -> None:
        numbers, chosen = self._numbers(which), np.asarray(actions)
        legal = np.take_along_axis(self.legal[numbers], chosen[:, :, None], 2)[:, :, 0]
        if not legal.all():
            row, player = np.argwhere(legal == 0)[0]
            raise IllegalAction(f"game {numbers[row]}, player {player}: action {chosen[row, player]} is not legal")
        for index, row in zip(numbers, chosen.tolist(), strict=True):
            game = self._games[index] = copy.deepcopy(self._games[index])
            for seat in game["to_act"]:
                stones = STONES_OF_ACTION[row[seat]]
                game["stones"] -= stones
                game["points"][seat] += stones * game["cards"][seat]
                game["cards"][seat] = self._drawn_card(game)
            game["to_act"] = [(seat + 1) % self.num_players for seat in game["to_act"] if game["stones"]]
            game["scores"] = game["scores"] if game["to_act"] else game["points"][:]

    def redeal(self, seed: Seeds, observer: int | npt.NDArray[np.int64] | None = None) -> None:
        observers = np.broadcast_to(-1 if observer is None else observer, self.num_games)
        seeds = spread_seeds(seed, np.arange(self.num_games)).tolist()
        for game, chance, observing in zip(self._games, seeds, observers, strict=True):
            game["chance"] = chance
            game["cards"] = [
                card if seat == observing else self._drawn_card(game) for seat, card in enumerate(game["cards"])
            ]

    def clone(self) -> "StoneGames":
        return copy.deepcopy(self)

    def select(self, which: npt.ArrayLike) -> "StoneGames":
        return StoneGames.from_snapshots([self._games[index] for index in self._numbers(which)])

    def snapshot(self, index: int) -> Snapshot:
        return copy.deepcopy(self._games[index])

    @classmethod
    def from_snapshots(cls, snapshots: Sequence[Snapshot], *_: Any, **options: Any) -> "StoneGames":
        first = snapshots[0]
        games = cls(len(snapshots), first["players"], ruleset=StoneRules.from_dict(first["ruleset"]))
        if any(snapshot.keys() != games._games[0].keys() for snapshot in snapshots):
            raise ValueError(f"snapshot: expected the keys {list(games._games[0])}")
        games._games = [copy.deepcopy(snapshot) for snapshot in snapshots]  # which may be one several times
        return games

    def _numbers(self, which: npt.ArrayLike | None) -> npt.NDArray[np.int64]:
        everything = np.arange(self.num_games)
        return everything if which is None else everything[np.asarray(which)]

    def _drawn_card(self, game: Snapshot) -> int:
        return 1 + _drawn(game, self.ruleset.highest_card)


def _drawn(game: Snapshot, bound: int) -> int:
    rng = Random(game["chance"])
    game["chance"] = rng.getrandbits(64)
    return rng.randrange(bound)


# Its views


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True) -> str:
    return "\n".join([f"{snapshot['stones']} stones, points {snapshot['points']}", *story])


def to_svg(snapshot: Snapshot, story: Sequence[str] = ()) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{to_text(snapshot, story)}</text></svg>'


def to_pixels(snapshot: Snapshot, story: Sequence[str] = ()) -> npt.NDArray[np.uint8]:
    return np.full((10, 20, 3), 10 * snapshot["stones"], np.uint8)


def tell(before: Snapshot, actions: Sequence[int], after: Snapshot) -> list[str]:
    return [f"Player {seat} takes {before['stones'] - after['stones']} stones." for seat in before["to_act"]]


STONES = Game("stones_v0", StoneGames, StoneRules, range(2, 6), views_module="toy_game")
