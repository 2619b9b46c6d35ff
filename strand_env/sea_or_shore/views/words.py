"""What all views say about a snapshot in the same words."""

from collections.abc import Sequence

from strand_env.pictures.words import listed, number_of, players_named, points_named, sentence, win_words
from strand_env.sea_or_shore.actions import card_name
from strand_env.sea_or_shore.ruleset import COLOURS
from strand_env.sea_or_shore.views.table import Play, Table, Treasure

LETTERS = ("R", "B", "G", "P")  # of the colours

ACTION_TITLES = {1: "Take extras", 2: "Exchange cards", 3: "Sort treasures", 4: "Pick up a card"}
ACTION_WORDS = {
    1: "Take 2 extras from another player who has 2 or more. If nobody has, take 2 from the supply.",
    2: "Draw 2 cards from another hand unseen, then give 2 cards of your hand back.",
    3: "Look at the next 3 treasures of a stack and put them back in any order.",
    4: "Take a card played in this trick into your hand, then discard a card.",
}
_TASKS = {
    "gift": "choose a card for their right neighbours",
    "card": "plays a card and covers one half of it",
    "extras": "may add extras",
    "treasure": "takes the open treasure or steals one",
    "give": "gives cards back to player {target}",
    "stack": "chooses a stack to look at",
    "order": "puts three treasures back in any order",
    "pick": "takes a card of this trick into the hand",
    "discard": "discards a card",
}


def card_words(table: Table, card: int) -> str:
    """Such as "red 7"."""
    return card_name(card, table.ruleset)


def cards_words(table: Table, cards: Sequence[int | None]) -> str:
    """Such as "red 7 and blue 3"; "2 cards" if they are hidden."""
    if None in cards:
        return cards_named(len(cards))
    return listed(card_words(table, card) for card in cards if card is not None)


def cards_named(count: int) -> str:
    return "a card" if count == 1 else f"{count} cards"


def extras_named(count: int) -> str:
    return number_of(count, "extra")


def treasure_words(treasure: Treasure) -> str:
    colour, value = treasure
    return f"{COLOURS[colour]} {value}"


def treasures_words(treasures: Sequence[Treasure]) -> str:
    return listed(map(treasure_words, treasures)) if treasures else "nothing"


def colours_words(colours: Sequence[int]) -> str:
    return listed(COLOURS[colour] for colour in colours)


def play_words(play: Play) -> str:
    """What an observer sees of a card on the table, such as "red 7 with 2 extras" or "red, its number covered"."""
    if play.picked:
        return "a card that was taken up"
    if play.colour is not None and play.number is not None:
        words = f"{COLOURS[play.colour]} {play.number}"
        if play.covered:
            words += f" with its {play.covered} covered"
    elif play.colour is not None:
        words = f"{COLOURS[play.colour]} with its number covered"
    else:
        words = f"{play.number} with its colour covered"
    return words + (f" and {extras_named(play.extras)}" if play.extras else "")


def stack_words(table: Table, stack: int) -> str:
    """Such as "the stack of red and blue"; with 3 players there is only one."""
    if len(table.snapshot["stacks"]) == 1:
        return "the stack"
    return f"the stack of {('red and blue', 'green and purple')[stack]}"


def heading_words(table: Table) -> str:
    snapshot = table.snapshot
    if table.over:
        return "The game is over"
    return f"Round {snapshot['round']} of 2 · trick {snapshot['trick']} of {table.tricks}"


def part_words(table: Table) -> str:
    """The part of the game, such as "Round 1, trick 5"."""
    return f"Round {table.snapshot['round']}, trick {table.snapshot['trick']}"


def task_words(table: Table) -> str:
    """Who has to decide what; in the end, who has won."""
    snapshot = table.snapshot
    if table.over:
        return win_words(snapshot)
    asked, phase = snapshot["to_act"], snapshot["phase"]
    if phase == "target":
        words = "names a player to take 2 extras from" if table.action == 1 else "names a player to draw cards from"
    else:
        words = _TASKS[phase].format(target=snapshot["target"])
    if phase == "gift" and len(asked) == 1:
        words = "chooses a card for the right neighbour"
    return sentence(f"{players_named(asked)} {words}")


def standing_words(table: Table, player: int) -> str:
    """How a player is doing: the score, or the points of the first round and those of this one so far."""
    if table.snapshot["scores"]:
        return points_named(table.snapshot["scores"][player])
    earlier = table.points(player)
    return f"{earlier[0]} + {points_named(table.worth(player))}" if earlier else points_named(table.worth(player))


def outcome_words(table: Table, player: int) -> list[str]:
    """What has come of a player's card in this trick, in a few words each: what it counts, what it has won."""
    play = table.play(player)
    if play is None or play.covered or play.count is None:
        return []
    told = [f"counts {play.count}"]
    told += [f"wins {COLOURS[colour]}" for winner, colour in table.snapshot["wins"] if winner == player]
    told += [ACTION_TITLES[action].lower() for doer, action in table.snapshot["queue"] if doer == player]
    return told
