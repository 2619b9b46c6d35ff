"""A small game that is unlike Strand Unter wherever generic code could have come to rely on it, with its views.

Players take stones from a pile, strictly in turn. A stone is worth the card in the taker's hand, unseen by others;
as many as that may not be taken, unless they are all. Then the card is replaced. The last stone ends the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from strand_env.engine.batch import GameBatch
from strand_env.engine.checks import whole_number
from strand_env.engine.game import Game
from strand_env.engine.jit import compiled
from strand_env.engine.kernels import Rules
from strand_env.engine.layout import Layout, Part
from strand_env.engine.masks import allow, allow_only, words_for
from strand_env.engine.protocol import Observer, Snapshot
from strand_env.engine.randomness import below, mixed
from strand_env.engine.ruleset import RulesetBase, checked_ruleset
from strand_env.engine.snapshots import Field

PHASES = ("take", "over")
TAKE, OVER = range(len(PHASES))
PLAYER_COUNTS, MAX_PLAYERS = range(2, 6), 5
NUM_ACTIONS, PASS, TAKE_ALL = 140, 3, 130  # masks of three words; passing is neither the first nor the last action
MOST = 30_000  # points, in an int16


@dataclass(frozen=True)
class StoneRules(RulesetBase):
    stones: int = TAKE_ALL
    highest_card: int = 200

    def __post_init__(self) -> None:
        whole_number("ruleset.stones", self.stones, 1, MOST)
        whole_number("ruleset.highest_card", self.highest_card, 1, MOST // self.stones)

    def for_kernels(self, num_players: int, variant: str | None) -> np.ndarray:
        return np.array([(self.stones, self.highest_card)], [("stones", np.int16), ("highest_card", np.int16)])


EACH = (MAX_PLAYERS,)
STATE = np.dtype(
    [
        ("legal", np.uint64, (MAX_PLAYERS, words_for(NUM_ACTIONS))),
        *((name, np.uint64) for name in ("stream", "seed")),
        *((name, np.int8) for name in ("phase", "players", "turn")),
        ("winners", np.int8, EACH),
        ("stones", np.int16),  # left in the pile
        *((name, np.int16, EACH) for name in ("cards", "points", "scores")),  # cards from 1; 0 in empty seats
    ],
    align=True,
)


def layout_of(ruleset: StoneRules, cards: tuple[int, ...] = ()) -> Layout:
    most = ruleset.stones * ruleset.highest_card
    parts = [
        Part("card", ruleset.highest_card, "the own, or everybody's", cards),
        Part("stones", ruleset.stones, "left in the pile"),
        Part("points", most, "from the observer on, or of each seat", EACH),
    ]
    return Layout(parts, dtype=np.int16)


def table_layout_of(ruleset: StoneRules) -> Layout:
    return layout_of(ruleset, EACH)


# The rules


@compiled
def stones_of(action):
    return action + 1 if action < PASS else action


@compiled
def draw_card(game, rules):
    card, game["stream"] = below(game["stream"], rules["highest_card"])
    return card + 1


@compiled
def offer(game):
    for player in range(MAX_PLAYERS):
        allow_only(game, player, PASS)
    if game["stones"] == 0:
        finish(game)
        return
    player = game["turn"]
    game["legal"][player, :] = 0
    for action in range(NUM_ACTIONS):
        stones = stones_of(action)
        taboo = stones == game["cards"][player] and stones < game["stones"]
        if action != PASS and stones <= game["stones"] and not taboo:
            allow(game, player, action)


@compiled
def finish(game):
    game["phase"] = OVER
    most = 0
    for player in range(game["players"]):
        most = max(most, game["points"][player])
    for player in range(game["players"]):
        game["scores"][player] = game["points"][player]
        game["winners"][player] = game["points"][player] == most


@compiled
def deal(game, rules, seed, players):
    game["seed"] = seed
    game["stream"] = mixed(seed)
    game["phase"] = TAKE
    game["players"] = players
    game["stones"] = rules["stones"]
    game["turn"], game["stream"] = below(game["stream"], players)
    for player in range(MAX_PLAYERS):
        game["cards"][player] = draw_card(game, rules) if player < players else 0
        game["points"][player] = game["scores"][player] = game["winners"][player] = 0
    offer(game)


@compiled
def step(game, rules, actions):
    player = game["turn"]
    stones = stones_of(actions[player])
    game["stones"] -= stones
    game["points"][player] += stones * game["cards"][player]
    game["cards"][player] = draw_card(game, rules)
    game["turn"] = (player + 1) % game["players"]
    offer(game)


@compiled
def observe(game, rules, options, players, first, number, index, out):
    for place in range(number):
        seen, seat = out[index, place], first + place
        seen["card"] = game["cards"][seat]
        seen["stones"] = game["stones"]
        for player in range(MAX_PLAYERS):
            seen["points"][player] = game["points"][(seat + player) % players] if player < players else 0


@compiled
def observe_table(game, rules, players, index, out):
    out[index, 0]["stones"] = game["stones"]
    for player in range(MAX_PLAYERS):
        out[index, 0]["points"][player] = game["points"][player]
        out[index, 0]["card"][player] = game["cards"][player]


@compiled
def redeal(game, rules, seed, observer):
    game["seed"] = seed
    game["stream"] = mixed(seed)
    for player in range(game["players"]):
        if observer >= 0 and player != observer:
            game["cards"][player] = draw_card(game, rules)
    if game["phase"] != OVER:
        offer(game)


@compiled
def reopen(game, rules, asked):
    offer(game)


RULES = Rules(
    *(deal, step, observe, observe_table, redeal, reopen),
    *(STATE, layout_of(StoneRules()).record, table_layout_of(StoneRules()).record),
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    pass_action=PASS,
    over=OVER,
)
FIELDS = (
    Field("turn", 0, MAX_PLAYERS - 1),
    Field("stones", 0, MOST),
    Field("points", 0, MOST, per_player=True),
    Field("cards", 1, MOST, per_player=True, seen_by="owner"),
)


def describe(action: int, ruleset: StoneRules | None = None) -> str:
    whole_number("action", action, 0, NUM_ACTIONS - 1)
    checked_ruleset(ruleset, StoneRules)
    return "Pass." if action == PASS else f"Take {stones_of(action)} stones."


class StoneGames(GameBatch[StoneRules]):
    rules, phases, player_counts, ruleset_type, fields = RULES, PHASES, PLAYER_COUNTS, StoneRules, FIELDS
    layout_of, table_layout_of, describe = map(staticmethod, (layout_of, table_layout_of, describe))

    @staticmethod
    def check_snapshot(game: np.void, snapshot: Snapshot, ruleset: StoneRules) -> None:
        taken = ruleset.stones - int(game["stones"])
        if game["turn"] >= game["players"]:
            raise ValueError(f"turn: expected a player, got {game['turn']}")
        if (game["stones"] > 0) != (game["phase"] != OVER) or taken < 0:
            raise ValueError(f"stones: {game['stones']} does not fit the phase and the ruleset")
        if max(snapshot["cards"]) > ruleset.highest_card:
            raise ValueError(f"cards: expected at most {ruleset.highest_card}, got {snapshot['cards']}")
        if sum(snapshot["points"]) > taken * ruleset.highest_card:
            raise ValueError(f"points: {snapshot['points']} are more than the stones taken can bring")

    @staticmethod
    def most_points(ruleset: StoneRules, variant: str | None) -> int:
        return ruleset.stones * ruleset.highest_card

    def statistics(self, games: npt.ArrayLike, seats: npt.ArrayLike) -> dict[str, npt.NDArray[Any]]:
        return {"last card": self.state["cards"][self._players(games, seats)].astype(np.int64)}

    def status(self, index: int) -> dict[str, Any]:
        return {**super().status(index), "stones": int(self.state["stones"][index])}


# Its views


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    hands = ", ".join(f"player {player} holds {card or '?'}" for player, card in enumerate(snapshot["cards"]))
    return "\n".join([f"{snapshot['stones']} stones, points {snapshot['points']}; {hands}", *story])


def to_svg(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{to_text(snapshot, story)}</text></svg>'


def to_pixels(snapshot: Snapshot, story: Sequence[str] = (), *, seat: Observer = None) -> npt.NDArray[np.uint8]:
    pixels = np.full((10, 40, 3), snapshot["stones"], np.uint8)
    for player, card in enumerate(snapshot["cards"]):
        pixels[:, 8 * player : 8 * player + 8, 0] = 255 if card is None else card
    return pixels


def tell(before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None) -> list[str]:
    return [f"Player {seat} takes {before['stones'] - after['stones']} stones." for seat in before["to_act"]]


STONES = Game(
    *("stones", 0, "Stones", StoneGames, StoneRules, PLAYER_COUNTS, "sequential", "private", NUM_ACTIONS, describe),
    package=__name__,
    views_module=__name__,
)
