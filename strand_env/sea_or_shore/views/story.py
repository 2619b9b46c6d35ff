"""What happened between two snapshots, in sentences, as far as the observer may know.

The last card of a trick can bring about the whole rest of it in one step, up to the next deal: hence the step is told
along the rules, from what was revealed in it and from which decisions are still open after it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from strand_env.engine.checks import is_whole, shown
from strand_env.engine.protocol import Observer
from strand_env.pictures.words import check_same_players, listed, players_named, points_named, sentence, win_words
from strand_env.sea_or_shore.actions import ADD, ARRANGE, NUM_ACTIONS, ORDERS, SEAT, SHOW_NUMBER, TAKE
from strand_env.sea_or_shore.ruleset import NUM_CARDS
from strand_env.sea_or_shore.views.scores import tie_words
from strand_env.sea_or_shore.views.table import COVERED, Snapshot, Table, Treasure
from strand_env.sea_or_shore.views.trick import PAIRS, Group, Trick, last_trick
from strand_env.sea_or_shore.views.words import (
    ACTION_TITLES,
    card_words,
    cards_named,
    cards_words,
    colours_words,
    extras_named,
    play_words,
    stack_words,
    treasure_words,
    treasures_words,
)


def tell(before: Snapshot, actions: Sequence[int | None], after: Snapshot, *, seat: Observer = None) -> list[str]:
    """What happened in the step between two snapshots, in which the players chose these actions; None is hidden."""
    table, then = Table(before, seat), Table(after, seat)
    check_same_players(before, after)
    chosen = _read_actions(actions, before["players"])
    if table.over:
        return []
    return [sentence(words) for words in _Step(table, chosen, then).told()]


def _read_actions(actions: Any, players: int) -> list[int | None]:
    chosen = list(actions) if isinstance(actions, (list, tuple)) else []
    fitting = (action is None or (is_whole(action) and 0 <= action < NUM_ACTIONS) for action in chosen)
    if len(chosen) != players or not all(fitting):
        expected = f"{players} from 0 to {NUM_ACTIONS - 1}, or null, one per player"
        raise ValueError(f"actions: expected {expected}, got {shown(actions)}")
    return chosen


class _Step:
    """A step: what is true before it, changed as the telling goes on."""

    def __init__(self, table: Table, actions: Sequence[int | None], then: Table) -> None:
        self.table, self.actions, self.then = table, actions, then
        before, after = table.snapshot, then.snapshot
        self.before, self.after, self.phase = before, after, before["phase"]
        self.actor: int = before["to_act"][0]
        self.action = actions[self.actor]
        here, there = ((each["round"], each["trick"]) for each in (before, after))
        self.trick_is_over = then.over or here != there
        self.extras, self.supply = list(before["extras"]), before["supply"]
        self.piles = [list(pile) for pile in before["treasures"]]
        self.open: list[Treasure | None] = list(before["open"])
        self.wins = [tuple(win) for win in before["wins"]]
        self.queue = [tuple(each) for each in before["queue"]]
        self.forgotten = False

    def told(self) -> Iterator[str]:
        if self.phase == "gift":
            yield from self.gifts()
            return
        if self.phase == "card":
            yield self.card()
        elif self.phase == "extras":
            yield self.added()
        if self.phase in COVERED:
            if not self.trick_is_over and self.after["phase"] in COVERED:
                return
            yield from self.reveal()
        else:
            yield from self.decision()
        yield from self.automatic()
        if self.trick_is_over:
            yield from self.clean_up()

    # Before the reveal

    def gifts(self) -> Iterator[str]:
        players = self.before["players"]
        for giver, card in enumerate(self.actions):
            words = "a card" if card is None else card_words(self.table, card)
            yield f"player {giver} gives {words} to player {(giver - 1) % players}"
        yield self.turned_up()

    def card(self) -> str:
        play = self.then.play(self.actor)
        if play is not None and not self.trick_is_over and self.after["phase"] in COVERED:
            return f"player {self.actor} plays {play_words(play)}"
        if self.action is None:
            return f"player {self.actor} plays a card"
        half = "number" if self.action < SHOW_NUMBER else "colour"
        return f"player {self.actor} plays {card_words(self.table, self.action % NUM_CARDS)} with its {half} covered"

    def added(self) -> str:
        assert self.action is not None
        number = self.action - ADD
        self.extras[self.actor] -= number
        return f"player {self.actor} adds {extras_named(number) if number else 'no extras'}"

    # The reveal

    def reveal(self) -> Iterator[str]:
        trick = last_trick(self.table, self.then)
        if trick is None:  # as after the last trick of a round, which the next deal makes forgotten
            self.forgotten, self.open = True, []
            return
        yield f"the covers come off: {listed(self.opened(trick, player) for player in trick.order)}"
        for group in sorted(trick.groups, key=lambda group: trick.order.index(group.winner)):
            yield self.group(trick, group)
        for player, wanted in trick.served:
            yield self.serve(player, wanted)
        for winner in trick.winners:
            colour = trick.plays[winner].colour
            assert colour is not None
            if trick.wins_treasure(winner):
                self.wins.append((winner, colour))
            else:
                pair = next(number for number, colours in enumerate(PAIRS) if colour in colours)
                self.queue.append((winner, self.table.action_up(pair)))

    def opened(self, trick: Trick, player: int) -> str:
        play = trick.plays[player]
        return f"player {player} played {play_words(play)}" + (f" ({play.count})" if play.extras else "")

    def group(self, trick: Trick, group: Group) -> str:
        won = colours_words(group.colours if len(group.players) > 1 else [trick.plays[group.winner].colour or 0])
        losers = [player for player in group.players if player != group.winner]
        if not losers:
            return f"player {group.winner} wins {won} unopposed"
        tie = ", being nearer to the leader" if group.tied else ""
        return f"player {group.winner} wins {won} with {trick.count(group.winner)} against {players_named(losers)}{tie}"

    def serve(self, player: int, wanted: int) -> str:
        number = min(wanted, self.supply)
        self.supply -= number
        self.extras[player] += number
        if number == wanted:
            return f"player {player}, the lowest loser, gets {extras_named(number)}"
        left = f"gets {extras_named(number)}, the last of the supply" if number else "gets none: the supply is empty"
        return f"player {player}, the lowest loser, {left}"

    # Decisions after the reveal

    def decision(self) -> Iterator[str]:
        if self.phase == "treasure":
            yield self.treasure()
        elif self.phase == "target":
            yield from self.target()
        elif self.phase == "give":
            yield from self.give()
        elif self.phase == "stack":
            yield self.look(self.actor)
        elif self.phase == "order":
            yield self.order()
        elif self.phase == "pick":
            yield self.pick()
        else:
            assert self.action is not None
            yield f"player {self.actor} discards {card_words(self.table, self.action)}"
        if self.phase != "treasure" and not self.still_doing():
            self.queue.pop(0)

    def still_doing(self) -> bool:
        """Whether the action that was under way is not complete after the step."""
        return not self.trick_is_over and len(self.after["queue"]) == len(self.queue)

    def treasure(self) -> str:
        assert self.action is not None
        winner, colour = self.wins.pop(0)
        if self.action == TAKE:
            return self.take(winner, colour)
        victim = self.table.named_by(winner, self.action - SEAT)
        treasure = self.piles[victim].pop()
        self.piles[winner].append(treasure)
        return f"player {winner} steals {treasure_words(treasure)} from player {victim}"

    def take(self, winner: int, colour: int) -> str:
        place = next(place for place, treasure in enumerate(self.open) if treasure and treasure[0] == colour)
        treasure = self.open[place]
        assert treasure is not None
        self.open[place] = None
        self.piles[winner].append(treasure)
        return f"player {winner} takes the treasure {treasure_words(treasure)}"

    def target(self) -> Iterator[str]:
        assert self.action is not None
        target = self.table.named_by(self.actor, self.action - SEAT)
        if self.queue[0][1] == 1:
            yield self.rob(self.actor, target)
            return
        drawn = self.after["taken"]
        yield f"player {self.actor} draws {cards_words(self.table, drawn)} from the hand of player {target}"

    def give(self) -> Iterator[str]:
        target, number = self.before["target"], len(self.before["taken"])
        if self.still_doing():
            yield f"player {self.actor} chooses {cards_words(self.table, [self.action])} to give back"
            return
        given = [*self.before["given"], self.action]
        if self.table.seat == target:
            given = sorted(set(self.after["hands"][target]) - set(self.before["hands"][target]))
        words = cards_named(number) if None in given else cards_words(self.table, given)
        yield f"player {self.actor} gives {words} to player {target}"

    def look(self, doer: int) -> str:
        place = self.after["stack"]
        seen = self.then.next_up(place)
        words = f": {treasures_words(seen)}" if seen else ""
        return f"player {doer} looks at the next three treasures of {stack_words(self.table, place)}{words}"

    def order(self) -> str:
        place = self.before["stack"]
        seen = self.table.next_up(place)
        words = "puts the three treasures back"
        if self.action is not None and seen:
            words += f" as {treasures_words([seen[old] for old in ORDERS[self.action - ARRANGE]])}, top first"
        return f"player {self.actor} {words}"

    def pick(self) -> str:
        assert self.action is not None
        owner = self.table.named_by(self.actor, self.action - SEAT)
        card = self.before["plays"][owner]["card"]
        whose = "the own card" if owner == self.actor else f"player {owner}'s card"
        return f"player {self.actor} takes {whose} {card_words(self.table, card)} into the hand"

    # What needs no decision

    def automatic(self) -> Iterator[str]:
        """Treasures and actions up to the next decision, or to the end of the trick."""
        open_wins, open_actions = ([], []) if self.trick_is_over else (self.after["wins"], self.after["queue"])
        while len(self.wins) > len(open_wins):
            yield self.take(*self.wins.pop(0))
        while len(self.queue) > len(open_actions):
            yield self.carry_out(*self.queue.pop(0))
        if self.after["phase"] == "order" and self.phase not in ("stack", "order"):
            yield self.look(self.queue[0][0])

    def carry_out(self, doer: int, action: int) -> str:
        if action != 1:
            return f"player {doer} has the action “{ACTION_TITLES[action]}”, which does nothing in the last trick"
        rich = [player for player in self.table.players if player != doer and self.extras[player] >= 2]
        if rich:
            return self.rob(doer, rich[0])
        number = min(2, self.supply)
        self.supply -= number
        self.extras[doer] += number
        return f"player {doer} takes {extras_named(number) if number else 'nothing'} from the supply"

    def rob(self, doer: int, victim: int) -> str:
        self.extras[victim] -= 2
        self.extras[doer] += 2
        return f"player {doer} takes 2 extras from player {victim}"

    # The end of a trick

    def clean_up(self) -> Iterator[str]:
        left = [treasure for treasure in self.open if treasure is not None]
        if left:
            stack = "its stack" if len(left) == 1 else "their stacks"
            yield f"{treasures_words(left)} {'goes' if len(left) == 1 else 'go'} under {stack}"
        if len(self.after["points"]) > len(self.before["points"]):
            yield from self.round_over()
        elif not self.then.over:
            yield self.turned_up()

    def turned_up(self) -> str:
        new = treasures_words([treasure for treasure in self.after["open"] if treasure is not None])
        verb = "is" if len(self.after["open"]) == 1 else "are"
        return f"player {self.after['leader']} leads trick {self.after['trick']}, and {new} {verb} open"

    def round_over(self) -> Iterator[str]:
        number = len(self.after["points"])
        yield f"round {number} is over"
        for player, points in enumerate(self.after["points"][-1]):
            treasures = sum(value for _, value in self.piles[player])
            extras = self.extras[player] // 2
            account = "" if self.forgotten else f": {treasures} for treasures, {extras} for extras"
            yield f"player {player} gets {points_named(points)}{account}"
        if not self.then.over:
            yield "the cards are dealt for round 2"
            return
        for player, score in enumerate(self.after["scores"]):
            yield f"player {player} has {points_named(score)}"
        tie = tie_words(self.then)
        yield win_words(self.after).removesuffix(".") + (f": {tie}" if tie else "")
