"""Sea or Shore played literally: a slow referee that shares no code and no data layout with the engine.

Players, stacks and plays are small objects, hands and memories plain sets, and the game is one generator that stops
wherever somebody has a choice. It is meant to be read next to the rules page, top to bottom; speed comes last. Nothing
is drawn here: `Chance` says what was, and the game checks that it was possible. `random_game` plays without an engine.
"""

import random
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

Treasure = list[int]  # colour and value; never changed

# The first action id of each family.
CARD, NUMBER, EXTRAS, SEAT, TAKE, STACK, ORDER, PASS = 0, 48, 96, 108, 113, 114, 116, 122
ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
PAIRS = ((0, 1), (2, 3))
HAND_SIZES = {3: 12, 4: 12, 5: 9}
ALL_EXTRAS, MOST_ADDED, HIGHEST = 22, 11, 12

DEFAULT_RULESET: dict[str, Any] = {
    "islands": [list(range(1, 13))] * 4,
    "treasures": [[1, 2, 2, 3, 3, 4, 4, 5]] * 4,
    "actions": [[1, 2], [3, 4]],
    "sides": [0, 0],
}


class Impossible(ValueError):
    """Chance did something that the rules do not allow."""


class Chance:
    """What was drawn in another game, told by its snapshots: `look` gives the current one."""

    def __init__(self, look: Callable[[], Mapping[str, Any]]) -> None:
        self.look = look

    def hands(self, cards: list[int], players: int, size: int) -> list[list[int]]:
        return self.look()["hands"]

    def stacks(self, stacks: list[list[Treasure]]) -> list[list[Treasure]]:
        """The stacks shuffled, the top card first."""
        told = self.look()
        return [[top, *rest] for top, rest in zip(told["open"], told["stacks"], strict=True)]

    def drawn(self, hand: list[int], number: int) -> list[int]:
        return self.look()["taken"]


class Shuffled(Chance):
    """Draws at random."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def hands(self, cards: list[int], players: int, size: int) -> list[list[int]]:
        shuffled = self.rng.sample(cards, len(cards))
        return [shuffled[size * player : size * (player + 1)] for player in range(players)]

    def stacks(self, stacks: list[list[Treasure]]) -> list[list[Treasure]]:
        return [self.rng.sample(stack, len(stack)) for stack in stacks]

    def drawn(self, hand: list[int], number: int) -> list[int]:
        return self.rng.sample(hand, number)


class Play:
    """A card on the table, one half of it covered, with extras beside it."""

    def __init__(self, card: int, shows: str) -> None:
        self.card: int | None = card
        self.colour = card // 12
        self.shows = shows
        self.extras = 0


class Player:
    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.begin_round([])

    def begin_round(self, hand: list[int]) -> None:
        self.hand = set(hand)
        self.pile: list[Treasure] = []  # the top is the last
        self.extras = 0
        self.play: Play | None = None
        self.known: dict[int, set[int]] = {}  # what this player remembers of the others' cards, by their seats
        self.shown: set[int] = set()

    @property
    def played(self) -> Play:
        assert self.play is not None
        return self.play


class Stack:
    def __init__(self, cards: list[Treasure]) -> None:
        self.open: Treasure | None = cards[0]
        self.cards = cards[1:]  # those never turned up, the top is the first
        self.under: list[Treasure] = []
        self.looker: int | None = None
        self.arranged = 0
        self.peeked: dict[int, list[Treasure]] = {}  # by seat

    def turn_up(self) -> None:
        self.open = self.cards.pop(0)
        if self.arranged == 0:
            return
        self.arranged -= 1
        for peeked in self.peeked.values():
            if self.open in peeked:
                peeked.remove(self.open)
        if self.arranged == 0:
            self.looker = None


Group = list[Player]
Decision = Generator[None, Sequence[int], int]
Course = Generator[None, Sequence[int], None]


class Game:
    """One game. Those in `asked` must decide and may do what it says; `step` takes the decisions."""

    def __init__(self, players: int, ruleset: Mapping[str, Any], chance: Chance) -> None:
        self.ruleset = ruleset
        self.chance = chance
        self.players = [Player(seat) for seat in range(players)]
        self.points: list[list[int]] = []
        self.scores: list[int] | None = None
        self.winners: list[bool] | None = None
        self.set_up_round(leader=0)
        self.course = self.play(gifts=True)
        next(self.course)

    def begin_trick(self) -> None:
        """Asks the leader for a card: for positions set up by hand."""
        self.course = self.play(gifts=False)
        next(self.course)

    # Set-up

    def set_up_round(self, leader: int) -> None:
        self.round, self.trick, self.leader = len(self.points) + 1, 1, leader
        self.stacks = [Stack(cards) for cards in self.shuffled_treasures()]
        self.supply = ALL_EXTRAS
        self.aside: list[int] = []
        self.deal()
        self.wins: list[tuple[Player, Group, Stack]] = []
        self.queue: list[tuple[Player, int]] = []
        self.target: Player | None = None
        self.stack: int | None = None
        self.taken: list[int] = []
        self.given: list[int] = []

    def shuffled_treasures(self) -> list[list[Treasure]]:
        stacks: list[list[Treasure]] = []
        for pair in PAIRS:
            stacks.append([[colour, value] for colour in pair for value in self.ruleset["treasures"][colour]])
        if len(self.players) == 3:
            stacks = [stacks[0] + stacks[1]]
            for colour in range(4):
                for value in (2, 3, 4):
                    stacks[0].remove([colour, value])
        shuffled = self.chance.stacks(stacks)
        if [sorted(stack) for stack in shuffled] != [sorted(stack) for stack in stacks]:
            raise Impossible(f"stacks: {shuffled} have other treasures than {stacks}")
        return shuffled

    def deal(self) -> None:
        cards, size = list(range(48)), HAND_SIZES[len(self.players)]
        hands = self.chance.hands(cards, len(self.players), size)
        dealt = {card for hand in hands for card in hand}
        if [len(hand) for hand in hands] != [size] * len(self.players) or len(dealt) < size * len(self.players):
            raise Impossible(f"hands: {hands} instead of {size} cards for each of {len(self.players)} players")
        for player, hand in zip(self.players, hands, strict=True):
            player.begin_round(hand)
            player.known = {other.seat: set() for other in self.players}
        for stack in self.stacks:
            stack.peeked = {player.seat: [] for player in self.players}
        self.box = [card for card in cards if card not in dealt]

    # A decision

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def legal(self, player: int) -> list[int]:
        return self.asked.get(player, [PASS])

    def step(self, actions: Sequence[int]) -> None:
        if self.over:
            return
        for player in range(len(self.players)):
            if actions[player] not in self.legal(player):
                wrong = f"player {player}, phase {self.phase}: action {actions[player]}"
                raise ValueError(f"{wrong} is not among {self.legal(player)}")
        self.course.send(actions)

    def decide(self, player: Player, phase: str, choices: list[int]) -> Decision:
        """The choice of a player, who is asked only if there is one."""
        if len(choices) == 1:
            return choices[0]
        self.phase, self.asked = phase, {player.seat: sorted(choices)}
        actions = yield
        return actions[player.seat]

    def choose_seat(self, player: Player, phase: str, candidates: list[Player]) -> Generator[None, Any, Player]:
        choices = self.seats_from(player, candidates)
        return choices[(yield from self.decide(player, phase, [*choices]))]

    def seats_from(self, player: Player, others: list[Player]) -> dict[int, Player]:
        """The actions by which the player names these players."""
        return {SEAT + (other.seat - player.seat) % len(self.players): other for other in others}

    def others(self, player: Player) -> list[Player]:
        return [other for other in self.players if other is not player]

    def distance(self, player: Player) -> int:
        """How far the player is from the leader, clockwise."""
        return (player.seat - self.leader) % len(self.players)

    def clockwise(self, players: list[Player]) -> list[Player]:
        return sorted(players, key=self.distance)

    # Rounds

    def play(self, gifts: bool) -> Course:
        while True:
            if gifts:
                yield from self.make_gifts()
            yield from self.play_tricks()
            self.points.append([self.points_of(player) for player in self.players])
            if self.round == 2:
                break
            self.set_up_round(self.left_of_leader())
            gifts = True
        self.finish()
        yield

    def left_of_leader(self) -> int:
        return (self.leader + 1) % len(self.players)

    def points_of(self, player: Player) -> int:
        return sum(value for _, value in player.pile) + player.extras // 2

    def finish(self) -> None:
        self.phase, self.asked = "over", {}
        self.scores = scores = [first + second for first, second in zip(*self.points, strict=True)]
        best = [player for player in self.players if scores[player.seat] == max(scores)]
        self.winners = [player is self.clockwise(best)[0] for player in self.players]

    def make_gifts(self) -> Course:
        self.phase, self.asked = "gift", {player.seat: self.gifts_of(player) for player in self.players}
        actions = yield
        for player, card in zip(self.players, actions, strict=True):
            player.hand.remove(card)
        for player, card in zip(self.players, actions, strict=True):
            right = self.players[player.seat - 1]
            right.hand.add(card)
            player.known[right.seat].add(card)

    def gifts_of(self, player: Player) -> list[int]:
        by_colour = [[card for card in player.hand if card // 12 == colour] for colour in range(4)]
        most = max(len(cards) for cards in by_colour)
        return [max(cards) for cards in by_colour if len(cards) == most]  # numbers never fall as ids rise

    def play_tricks(self) -> Course:
        while True:
            yield from self.play_trick()
            self.clean_up()
            if not any(player.hand for player in self.players):
                return
            self.leader = self.left_of_leader()
            self.trick += 1
            for stack in self.stacks:
                stack.turn_up()

    def clean_up(self) -> None:
        for stack in self.stacks:
            if stack.open is not None:
                stack.under.append(stack.open)
                stack.open = None
        for player in self.players:
            self.supply += player.played.extras
            if player.played.card is not None:
                self.aside.append(player.played.card)
            player.play = None

    # A trick

    def play_trick(self) -> Course:
        for player in self.clockwise(self.players):
            yield from self.play_card(player)
        for player in self.players:
            assert player.played.card is not None
            self.all_see_it_leave(player, player.played.card)
        groups = [group for group in self.groups() if group]
        winners = {max(group, key=self.strength): group for group in groups}
        self.hand_out_extras(winners)
        open_stacks = {stack.open[0]: stack for stack in self.stacks if stack.open is not None}
        for winner in self.clockwise([*winners]):
            colour = winner.played.colour
            if colour in open_stacks:
                self.wins.append((winner, winners[winner], open_stacks[colour]))
            else:
                pair = 0 if colour in PAIRS[0] else 1
                self.queue.append((winner, self.ruleset["actions"][pair][self.ruleset["sides"][pair]]))
        while self.wins:
            yield from self.win_treasure(*self.wins[0])
            self.wins.pop(0)
        actions = {1: self.action_1, 2: self.action_2, 3: self.action_3, 4: self.action_4}
        last_trick = not any(player.hand for player in self.players)
        while self.queue:
            doer, action = self.queue[0]
            if action == 1 or not last_trick:
                yield from actions[action](doer)
            self.queue.pop(0)

    def play_card(self, player: Player) -> Course:
        ways = [first + card for first in (CARD, NUMBER) for card in player.hand]
        action = yield from self.decide(player, "card", ways)
        player.play = Play(action, "colour") if action < NUMBER else Play(action - NUMBER, "number")
        player.hand.remove(action % 48)
        choices = [EXTRAS + extras for extras in range(min(MOST_ADDED, player.extras) + 1)]
        player.play.extras = (yield from self.decide(player, "extras", choices)) - EXTRAS
        player.extras -= player.play.extras

    def count(self, player: Player) -> int:
        card = player.played.card
        assert card is not None
        return min(HIGHEST, self.ruleset["islands"][card // 12][card % 12] + player.played.extras)

    def strength(self, player: Player) -> tuple[int, int]:
        return self.count(player), -self.distance(player)

    def groups(self) -> list[Group]:
        """Who plays against whom; there are empty groups among them."""
        open_colours = [stack.open[0] for stack in self.stacks if stack.open is not None]
        colours: list[tuple[int, ...]] = []
        for pair in PAIRS:
            if len(self.players) == 3 and not any(colour in open_colours for colour in pair):
                colours += [pair]
            else:
                colours += [(colour,) for colour in pair]
        return [[player for player in self.players if player.played.colour in those] for those in colours]

    def hand_out_extras(self, winners: dict[Player, Group]) -> None:
        served = {}
        for winner, group in winners.items():
            losers = [player for player in group if player is not winner]
            if losers:
                lowest = min(losers, key=lambda player: (self.count(player), self.distance(player)))
                served[lowest] = len(group)
        for player in self.clockwise([*served]):
            self.take_from_supply(player, served[player])

    def take_from_supply(self, player: Player, wanted: int) -> None:
        number = min(wanted, self.supply)
        self.supply -= number
        player.extras += number

    def win_treasure(self, winner: Player, group: Group, stack: Stack) -> Course:
        assert stack.open is not None
        losers = [player for player in group if player is not winner]
        victims = [loser for loser in losers if loser.pile and loser.pile[-1][0] == stack.open[0]]
        seats = self.seats_from(winner, victims)
        action = yield from self.decide(winner, "treasure", [TAKE, *seats])
        if action == TAKE:
            winner.pile.append(stack.open)
            stack.open = None
        else:
            winner.pile.append(seats[action].pile.pop())

    # Actions

    def action_1(self, doer: Player) -> Course:
        rich = [player for player in self.others(doer) if player.extras >= 2]
        if rich:
            victim = yield from self.choose_seat(doer, "target", rich)
            victim.extras -= 2
            doer.extras += 2
        else:
            self.take_from_supply(doer, 2)

    def action_2(self, doer: Player) -> Course:
        self.target = target = yield from self.choose_seat(doer, "target", self.others(doer))
        number = min(2, len(target.hand))
        taken = self.chance.drawn(sorted(target.hand), number)
        if len(set(taken)) != number or len(taken) != number or not target.hand.issuperset(taken):
            raise Impossible(f"taken: {taken} instead of {number} cards of {sorted(target.hand)}")
        self.taken = sorted(taken)
        target.hand -= set(taken)
        doer.hand |= set(taken)
        for third in self.others(doer):
            if third is not target:
                third.known[doer.seat].clear()
                third.known[target.seat].clear()
        doer.shown.clear()
        target.shown.clear()
        doer.known[target.seat] -= set(taken)
        target.known[doer.seat] |= set(taken)
        for _ in range(number):
            card = yield from self.decide(doer, "give", [card for card in doer.hand if card not in self.given])
            self.given.append(card)
        doer.hand -= set(self.given)
        target.hand |= set(self.given)
        target.known[doer.seat] -= set(self.given)
        doer.known[target.seat] |= set(self.given)
        self.target, self.taken, self.given = None, [], []

    def action_3(self, doer: Player) -> Course:
        choices = [STACK + number for number in range(len(self.stacks))]
        self.stack = (yield from self.decide(doer, "stack", choices)) - STACK
        stack = self.stacks[self.stack]
        top = stack.cards[:3]
        stack.looker, stack.arranged = doer.seat, 3
        stack.peeked[doer.seat] = sorted(top)
        action = yield from self.decide(doer, "order", [ORDER + number for number in range(6)])
        stack.cards[:3] = [top[old] for old in ORDERS[action - ORDER]]
        self.stack = None

    def action_4(self, doer: Player) -> Course:
        chosen = yield from self.choose_seat(doer, "pick", self.players)
        card = chosen.played.card
        assert card is not None
        chosen.played.card = None
        doer.hand.add(card)
        doer.shown.add(card)
        for other in self.others(doer):
            other.known[doer.seat].add(card)
        discarded = yield from self.decide(doer, "discard", [*doer.hand])
        doer.hand.remove(discarded)
        self.aside.append(discarded)
        self.all_see_it_leave(doer, discarded)

    def all_see_it_leave(self, owner: Player, card: int) -> None:
        owner.shown.discard(card)
        for other in self.others(owner):
            other.known[owner.seat].discard(card)

    def snapshot(self) -> dict[str, Any]:
        players, stacks = self.players, self.stacks
        return {
            "players": len(players),
            "round": self.round,
            "trick": self.trick,
            "leader": self.leader,
            "phase": self.phase,
            "to_act": sorted(self.asked),
            "hands": [sorted(player.hand) for player in players],
            "box": list(self.box),
            "aside": sorted(self.aside),
            "plays": [
                {"card": player.play.card, "shows": player.play.shows, "extras": player.play.extras}
                if player.play
                else None
                for player in players
            ],
            "extras": [player.extras for player in players],
            "supply": self.supply,
            "open": [stack.open for stack in stacks],
            "stacks": [list(stack.cards) for stack in stacks],
            "under": [list(stack.under) for stack in stacks],
            "treasures": [list(player.pile) for player in players],
            "points": [list(points) for points in self.points],
            "wins": [[winner.seat, winner.played.colour] for winner, _, _ in self.wins],
            "queue": [[doer.seat, action] for doer, action in self.queue],
            "target": self.target.seat if self.target else None,
            "stack": self.stack,
            "taken": list(self.taken),
            "given": list(self.given),
            "known": [[sorted(player.known[other.seat]) for other in players] for player in players],
            "shown": [sorted(player.shown) for player in players],
            "looker": [stack.looker for stack in stacks],
            "arranged": [stack.arranged for stack in stacks],
            "peeked": [[list(stack.peeked[player.seat]) for stack in stacks] for player in players],
            "scores": self.scores,
            "winners": self.winners,
        }


def random_game(players: int, seed: int, ruleset: Mapping[str, Any] = DEFAULT_RULESET) -> Iterator[dict[str, Any]]:
    """The snapshots of a game of random players, from the first gift to the end, with the ruleset."""
    rng = random.Random(seed)
    game = Game(players, ruleset, Shuffled(rng))
    while True:
        yield game.snapshot() | {"ruleset": dict(ruleset)}
        if game.over:
            return
        game.step([rng.choice(game.legal(player)) for player in range(players)])
