"""Snapshots whose fields contradict each other are refused, with the name of the field.

What lies on the table and what players remember must fit together. What only concerns the past is not checked, so
that positions can be set up by hand: who leads, who has which treasures and extras, and the points of a finished round.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from strand_env.engine.checks import shown, whole_number
from strand_env.engine.protocol import Snapshot
from strand_env.sea_or_shore.layout import most_points_of_a_round
from strand_env.sea_or_shore.ruleset import (
    ALL_EXTRAS,
    HAND_SIZES,
    HIGHEST,
    LOOKED_AT,
    MIN_PLAYERS,
    NUM_CARDS,
    NUM_COLOURS,
    RANKS,
    ROUNDS,
    Ruleset,
)
from strand_env.sea_or_shore.snapshot import COVERED, play_of

BEFORE_REVEAL = ("gift", *COVERED)
ACTION_PHASES = {"target": (1, 2), "give": (2,), "stack": (3,), "order": (3,), "pick": (4,), "discard": (4,)}


def check_snapshot(game: np.void, snapshot: Snapshot, ruleset: Ruleset) -> None:
    """Raises `ValueError`, naming the field, if fields contradict each other."""
    check = _Checks(snapshot, ruleset)
    check.players_exist()
    check.cards()
    check.turn()
    check.action_under_way()
    check.hands()
    check.extras()
    check.treasures()
    check.wins_and_queue()
    check.memory_of_cards()
    check.memory_of_treasures()
    check.revealed(game)
    check.points(game)


class _Checks:
    def __init__(self, snapshot: Snapshot, ruleset: Ruleset) -> None:
        self.seen, self.ruleset = snapshot, ruleset
        self.phase, self.players = snapshot["phase"], snapshot["players"]
        self.tricks = HAND_SIZES[self.players - MIN_PLAYERS]
        self.left = self.tricks - snapshot["trick"]  # tricks after this one
        self.plays = snapshot["plays"]
        self.queue = snapshot["queue"]
        self.everybody = range(self.players)
        self.asked = snapshot["to_act"][0] if snapshot["to_act"] else None

    def clockwise(self, player: int) -> int:
        """How far a player is from the leader."""
        return (player - self.seen["leader"]) % self.players

    def players_exist(self) -> None:
        seen, most = self.seen, self.players - 1
        whole_number("leader", seen["leader"], 0, most)
        for name in ("wins", "queue"):
            for place, (player, _) in enumerate(seen[name]):
                whole_number(f"{name}[{place}][0]", player, 0, most)
        for name, player in [("target", seen["target"])] + [
            (f"looker[{stack}]", looker) for stack, looker in enumerate(seen["looker"])
        ]:
            if player is not None:
                whole_number(name, player, 0, most)
        whole_number("trick", seen["trick"], 1, self.tricks)

    def cards(self) -> None:
        """Each of the 48 is in one place."""
        seen = self.seen
        places: dict[str, Sequence[int]] = {"box": seen["box"], "aside": seen["aside"]}
        places |= {f"hands[{player}]": hand for player, hand in enumerate(seen["hands"])}
        on_table = {f"plays[{player}]": play["card"] for player, play in enumerate(self.plays) if play}
        places |= {name: [card] for name, card in on_table.items() if card is not None}
        where: dict[int, str] = {}
        for name, cards in places.items():
            for card in cards:
                if card in where:
                    raise ValueError(f"{name}: card {card} is in {where[card]}, too")
                where[card] = name
        if missing := sorted(set(range(NUM_CARDS)) - where.keys()):
            raise ValueError(f"hands: cards {shown(missing)} are neither there nor on the table, aside or in the box")
        left_over = NUM_CARDS - self.players * self.tricks
        if len(seen["box"]) != left_over:
            raise ValueError(f"box: expected {left_over} cards, got {len(seen['box'])}")

    def turn(self) -> None:
        """Who has played, and who has to act."""
        seen, phase = self.seen, self.phase
        played = sorted((player for player, play in enumerate(self.plays) if play), key=self.clockwise)
        if phase in ("gift", "over"):
            expected, asked = 0, list(self.everybody) if phase == "gift" else []
        elif phase in COVERED:
            expected = len(played)
            now = (seen["leader"] + expected - (phase == "extras")) % self.players
            asked = [now]
            if not (0 < expected <= self.players if phase == "extras" else expected < self.players):
                raise ValueError(f"plays: {expected} cards are played, which does not fit phase {phase!r}")
        else:
            expected = self.players
            first = seen["wins"] if phase == "treasure" else self.queue
            if not first:
                name = "wins" if phase == "treasure" else "queue"
                raise ValueError(f"{name}: expected somebody who decides in phase {phase!r}, got []")
            asked = [first[0][0]]
        if [self.clockwise(player) for player in played] != list(range(expected)):
            raise ValueError(f"plays: expected the first {expected} players from the leader on, got those of {played}")
        if phase == "extras" and self.plays[asked[0]]["extras"]:
            raise ValueError(f"plays[{asked[0]}].extras: expected 0 in phase 'extras', before any are added")
        if list(seen["to_act"]) != asked:
            raise ValueError(f"to_act: expected {asked} in phase {phase!r} of this game, got {list(seen['to_act'])}")
        if phase == "gift" and seen["trick"] != 1:
            raise ValueError(f"trick: expected 1 in phase 'gift', got {seen['trick']}")
        if phase == "over" and (seen["round"], seen["trick"]) != (ROUNDS, self.tricks):
            raise ValueError(f"trick, round: expected {self.tricks} and {ROUNDS} when the game is over")

    def hands(self) -> None:
        """All sizes, and cards picked up by action 4."""
        seen, phase = self.seen, self.phase
        for player in self.everybody:
            size = self.left + (phase != "over" and self.plays[player] is None)
            if phase == "give":
                number = len(seen["taken"])
                size += number * ((player == self.asked) - (player == seen["target"]))
            size += phase == "discard" and player == self.asked
            if len(seen["hands"][player]) != size:
                raise ValueError(f"hands[{player}]: expected {size} cards, got {len(seen['hands'][player])}")
        picked = [player for player, play in enumerate(self.plays) if play and play["card"] is None]
        done = 4 in self.actions_up() and phase in ACTION_PHASES and 4 not in [action for _, action in self.queue]
        least, most = (1, 1) if phase == "discard" else (0, int(done and self.left > 0))
        if not least <= len(picked) <= most:
            name = f"plays[{picked[-1]}].card" if picked else "plays"
            raise ValueError(f"{name}: {len(picked)} cards have been picked up, which does not fit phase {phase!r}")

    def actions_up(self) -> list[int]:
        """The action for each colour."""
        rules = self.ruleset
        return [rules.actions[colour // 2][rules.sides[colour // 2]] for colour in range(NUM_COLOURS)]

    def extras(self) -> None:
        seen = self.seen
        beside = sum(play["extras"] for play in self.plays if play)
        total = sum(seen["extras"]) + seen["supply"] + beside
        if total != ALL_EXTRAS:
            raise ValueError(f"extras, supply, plays: {total} extras in all, but the game has {ALL_EXTRAS}")
        if self.phase == "gift" and any(seen["extras"]):
            raise ValueError(f"extras: expected none in phase 'gift', got {seen['extras']}")

    def treasures(self) -> None:
        """Each is in one place, and the stacks have the right size."""
        seen, stacks = self.seen, self.ruleset.stacks(self.players)
        found: Counter[tuple[int, int]] = Counter()
        for name in ("stacks", "under", "treasures"):
            found.update(tuple(each) for each in chain(*seen[name]))
        found.update(tuple(each) for each in seen["open"] if each)
        everything = Counter(chain(*stacks))
        if found != everything:
            more, missing = sorted((found - everything).elements()), sorted((everything - found).elements())
            raise ValueError(f"stacks, under, open, treasures: too many {shown(more)}, missing {shown(missing)}")
        for number, stack in enumerate(stacks):
            colours = {colour for colour, _ in stack}
            for name in ("stacks", "under"):
                if wrong := [each for each in seen[name][number] if each[0] not in colours]:
                    raise ValueError(f"{name}[{number}]: {wrong[0]} belongs to the other stack")
            opened = seen["open"][number]
            if opened and opened[0] not in colours:
                raise ValueError(f"open[{number}]: {opened} belongs to the other stack")
            if (opened is None) != (self.phase == "over") and (opened or self.phase in BEFORE_REVEAL):
                raise ValueError(f"open[{number}]: {opened} does not fit phase {self.phase!r}")
            size = len(stack) - seen["trick"]
            if len(seen["stacks"][number]) != size:
                raise ValueError(f"stacks[{number}]: expected {size} treasures, got {len(seen['stacks'][number])}")
            most = seen["trick"] - (self.phase != "over")
            if len(seen["under"][number]) > most:
                raise ValueError(f"under[{number}]: expected at most {most} treasures by this trick")

    # What comes of a trick

    def colour_of(self, player: int) -> int | None:
        card = self.plays[player]["card"]
        return None if card is None else card // RANKS

    def count_of(self, player: int) -> int:
        play = self.plays[player]
        number = self.ruleset.islands[play["card"] // RANKS][play["card"] % RANKS]
        return min(HIGHEST, number + play["extras"])

    def wins_and_queue(self) -> None:
        seen, phase = self.seen, self.phase
        if phase in (*BEFORE_REVEAL, "over"):
            for name in ("wins", "queue"):
                if seen[name]:
                    raise ValueError(f"{name}: expected [] in phase {phase!r}, got {seen[name]}")
            return
        if seen["wins"] and phase != "treasure":
            raise ValueError(f"wins: expected [] in phase {phase!r}, got {seen['wins']}")
        open_colours = [each[0] for each in seen["open"] if each]
        winners = [player for player, _ in (*seen["wins"], *self.queue)]
        if len(set(winners)) < len(winners):
            raise ValueError(f"wins, queue: a player is there twice: {winners}")
        for name in ("wins", "queue"):
            distances = [self.clockwise(player) for player, _ in seen[name]]
            if distances != sorted(distances):
                raise ValueError(f"{name}: expected players clockwise from the leader, got {seen[name]}")
        for place, (player, colour) in enumerate(seen["wins"]):
            if colour != self.colour_of(player) or colour not in open_colours:
                raise ValueError(f"wins[{place}]: player {player} has not won the treasure of colour {colour}")
            self.check_winner(f"wins[{place}]", player, (colour,))
        for place, (player, action) in enumerate(self.queue):
            colour = self.colour_of(player)
            if colour is None:
                continue
            if self.actions_up()[colour] != action or colour in open_colours:
                raise ValueError(f"queue[{place}]: player {player} has not won action {action}")
            pair = (
                (colour, colour ^ 1)
                if self.players == MIN_PLAYERS and not {colour, colour ^ 1} & set(open_colours)
                else ()
            )
            if None not in seen["open"]:
                self.check_winner(f"queue[{place}]", player, pair or (colour,))
        if phase in ACTION_PHASES:
            action = self.queue[0][1]
            if action not in ACTION_PHASES[phase] or (self.left == 0 and action != 1):
                raise ValueError(f"queue[0]: action {action} does not fit phase {phase!r} of trick {seen['trick']}")
            if phase == "stack" and self.players == MIN_PLAYERS:
                raise ValueError("phase: 'stack', but with 3 players there is one stack")
        if len({action for _, action in self.queue}) < len(self.queue):
            raise ValueError(f"queue: an action is there twice: {self.queue}")
        self.winners_to_come(open_colours)

    def winners_to_come(self, open_colours: Sequence[int]) -> None:
        """Everybody who has won an action is in the queue until it is completed, where the cards still tell.

        In the last trick some actions do nothing, and need not wait for their turn.
        """
        seen = self.seen
        groups = [self.colour_of(player) for player in self.everybody]
        if None in groups or None in seen["open"] or self.left == 0:
            return
        winners = []
        for pair in range(NUM_COLOURS // 2):
            colours = tuple(colour for colour in (2 * pair, 2 * pair + 1) if colour not in open_colours)
            if set(colours) & set(groups):
                winners.append(self.winner_of(colours))
        begun = 0 if self.phase == "treasure" else self.clockwise(self.queue[0][0])
        expected = sorted((player for player in winners if self.clockwise(player) >= begun), key=self.clockwise)
        if [player for player, _ in self.queue] != expected:
            raise ValueError(f"queue: expected the actions of players {expected}; got {self.queue}")

    def winner_of(self, colours: tuple[int, ...]) -> int:
        group = [player for player in self.everybody if self.colour_of(player) in colours]
        return max(group, key=lambda player: (self.count_of(player), -self.clockwise(player)))

    def check_winner(self, name: str, player: int, colours: tuple[int, ...]) -> None:
        best = self.winner_of(colours)
        if best != player:
            raise ValueError(f"{name}: player {player} has not won; player {best} has")

    def action_under_way(self) -> None:
        seen, phase = self.seen, self.phase
        needed = {"target": phase == "give", "stack": phase == "order", "taken": phase == "give"}
        for name, expected in needed.items():
            if (seen[name] not in (None, [], ())) != expected:
                raise ValueError(f"{name}: {shown(seen[name])} does not fit phase {phase!r}")
        if phase == "order":
            stack = whole_number("stack", seen["stack"], 0, len(seen["stacks"]) - 1)
            if (seen["looker"][stack], seen["arranged"][stack]) != (self.asked, LOOKED_AT):
                raise ValueError(f"looker[{stack}]: expected player {self.asked}, who looks at {LOOKED_AT} cards now")
        if phase != "give":
            if seen["given"]:
                raise ValueError(f"given: {seen['given']} does not fit phase {phase!r}")
            return
        if seen["target"] == self.asked:
            raise ValueError(f"target: expected another player than {self.asked}")
        number = min(2, self.left)
        if len(seen["taken"]) != number:
            raise ValueError(f"taken: expected {number} cards, got {seen['taken']}")
        if len(seen["given"]) >= number or len(set(seen["given"])) < len(seen["given"]):
            raise ValueError(f"given: expected fewer than {number} different cards, got {seen['given']}")
        for name in ("taken", "given"):
            if wrong := set(seen[name]) - set(seen["hands"][self.asked]):
                raise ValueError(f"{name}: card {min(wrong)} is not in hands[{self.asked}]")

    # Memory

    def memory_of_cards(self) -> None:
        seen, phase = self.seen, self.phase
        for owner in self.everybody:
            own = set(seen["hands"][owner])
            if phase in COVERED and self.plays[owner]:
                own.add(self.plays[owner]["card"])
            self.check_known(f"shown[{owner}]", seen["shown"][owner], owner, own)
            for other in self.everybody:
                name, known = f"known[{other}][{owner}]", seen["known"][other][owner]
                if other == owner:
                    if known:
                        raise ValueError(f"{name}: expected [], since these are the player's own cards; got {known}")
                    continue
                self.check_known(name, known, owner, own)
                if missing := set(seen["shown"][owner]) - set(known):
                    raise ValueError(f"{name}: card {min(missing)} is missing, but in shown[{owner}]")
        if phase == "give":
            self.check_memory_of_give()
        if phase == "discard" and not seen["shown"][self.asked]:
            raise ValueError(f"shown[{self.asked}]: expected the card just picked up, got []")
        for player, cards in enumerate(seen["shown"]):
            if cards and 4 not in self.actions_up():
                raise ValueError(f"shown[{player}]: expected [], since action 4 is on the other side; got {cards}")

    def check_known(self, name: str, known: Sequence[int], owner: int, own: set[int]) -> None:
        if known and self.phase == "gift":
            raise ValueError(f"{name}: expected [] in phase 'gift', got {known}")
        if wrong := set(known) - own:
            raise ValueError(f"{name}: card {min(wrong)} is not with player {owner}")

    def check_memory_of_give(self) -> None:
        """Third players have lost track of both hands."""
        seen, both = self.seen, (self.asked, self.seen["target"])
        if missing := set(seen["taken"]) - set(seen["known"][both[1]][both[0]]):
            raise ValueError(f"known[{both[1]}][{both[0]}]: card {min(missing)} is missing, but in taken")
        if wrong := set(seen["taken"]) & set(seen["known"][both[0]][both[1]]):
            raise ValueError(f"known[{both[0]}][{both[1]}]: card {min(wrong)} has been taken")
        for owner in both:
            if seen["shown"][owner]:
                raise ValueError(f"shown[{owner}]: expected [] in phase 'give', got {seen['shown'][owner]}")
            for third in set(self.everybody) - set(both):
                if seen["known"][third][owner]:
                    raise ValueError(f"known[{third}][{owner}]: expected [] in phase 'give'")

    def memory_of_treasures(self) -> None:
        seen = self.seen
        for stack, (looker, arranged) in enumerate(zip(seen["looker"], seen["arranged"], strict=True)):
            if (looker is None) != (arranged == 0):
                raise ValueError(f"looker[{stack}]: {looker}, but arranged[{stack}] is {arranged}")
            if self.phase == "gift" and arranged:
                raise ValueError(f"arranged[{stack}]: expected 0 in phase 'gift', got {arranged}")
            whole_number(f"arranged[{stack}]", arranged, 0, min(LOOKED_AT, len(seen["stacks"][stack])))
            self.check_look(stack, looker, arranged)
            top = sorted(map(list, seen["stacks"][stack][:arranged]))
            for player in self.everybody:
                name, peeked = f"peeked[{player}][{stack}]", list(map(list, seen["peeked"][player][stack]))
                if player == looker and peeked != top:
                    raise ValueError(f"{name}: expected {top}, the cards looked at; got {peeked}")
                if Counter(map(tuple, peeked)) - Counter(map(tuple, top)):
                    raise ValueError(f"{name}: {peeked} are not among the top {arranged} cards of the stack")

    def check_look(self, stack: int, looker: int | None, arranged: int) -> None:
        """Each trick after the one of action 3 has turned up one of the treasures looked at."""
        if looker is None:
            return
        name, trick = f"arranged[{stack}]", self.seen["trick"]
        if 3 not in self.actions_up():
            raise ValueError(f"looker[{stack}]: expected null, since action 3 is on the other side; got {looker}")
        if trick - (LOOKED_AT - arranged) < 1:
            raise ValueError(f"{name}: {arranged} of the treasures looked at cannot be left in trick {trick}")
        if arranged == LOOKED_AT and not self.looked_in_this_trick(stack, looker):
            raise ValueError(f"{name}: expected at most 2, since nobody has looked in this trick; got {arranged}")

    def looked_in_this_trick(self, stack: int, looker: int) -> bool:
        """Whether a player may have: action 3 is under way, or is done and won by that player's card."""
        if self.phase == "order" and stack == self.seen["stack"]:
            return True
        done = self.phase in ACTION_PHASES and 3 not in [action for _, action in self.queue] and self.left > 0
        colour = self.colour_of(looker) if done else None
        return done and (colour is None or self.actions_up()[colour] == 3)

    # The past

    def revealed(self, game: np.void) -> None:
        """The trick revealed last is this one, or the last of round 1, or its cards are aside but for one picked up.

        Of a card picked up the play is null if the game was set up without the trick: nothing else tells which it was.
        """
        given = [play_of(*play) for play in game["revealed"][: self.players].tolist()]
        cards = [play["card"] for play in given if play["card"] is not None]
        if len(set(cards)) < len(cards):
            raise ValueError(f"revealed: a card is there twice: {cards}")
        if self.phase in (*BEFORE_REVEAL, "over"):
            self.check_last_trick(cards)
            return
        for player, play in enumerate(self.plays):
            expected = dict(play)
            if play["card"] is None:
                expected["card"] = card = given[player]["card"]
                if card is None:
                    continue
                self.check_picked_up(card, cards, self.phase == "give")
            if given[player] != expected:
                raise ValueError(f"revealed[{player}]: expected {expected}, the play of this trick")

    def check_last_trick(self, cards: Sequence[int]) -> None:
        """That of the trick before this one. The last trick of a round leaves no trace, and no card to pick up."""
        first = self.phase != "over" and self.seen["trick"] == 1
        none = first and self.seen["round"] == 1
        picks = int(4 in self.actions_up() and not first and self.phase != "over")
        left_out = self.players - len(cards) if cards else 0
        if left_out > picks or (cards and none):
            expected = "null" if none else f"null or {self.players} plays"
            raise ValueError(f"revealed: expected {expected} in this trick, got {len(cards)} plays")
        if first:
            return
        elsewhere = [card for card in cards if card not in self.seen["aside"]]
        if len(elsewhere) > picks - left_out:
            but = ", but for one picked up" if picks else ""
            raise ValueError(f"revealed: expected cards that are aside{but}; got {elsewhere}, which are not")
        for card in elsewhere:
            self.check_picked_up(card, cards, 2 in self.actions_up() and self.has_moved(card))

    def check_picked_up(self, card: int, cards: Sequence[int], moved: bool) -> None:
        """All have seen to whom it came, and know it unless it was discarded or action 2 has moved cards since."""
        seen, doer = self.seen, self.asked
        if all(self.actions_up()[each // RANKS] != 4 for each in cards):
            raise ValueError(f"revealed: card {card} is picked up, but no play has a colour that wins action 4")
        if self.phase == "discard":
            if card not in seen["hands"][doer]:
                raise ValueError(f"revealed: expected the card just picked up to be in hands[{doer}]; {card} is not")
            if card not in seen["shown"][doer]:
                got = shown(seen["shown"][doer])
                raise ValueError(f"shown[{doer}]: expected the card just picked up, {card}, among others; got {got}")
        elif not moved and card not in chain(seen["aside"], *seen["shown"]):
            raise ValueError(f"revealed: expected the card picked up, {card}, to be aside or in shown")

    def has_moved(self, card: int) -> bool:
        """Whether action 2 may have moved a card since: third players know nothing of two hands, nor of the card."""
        known = self.seen["known"]
        parties = [{one, owner} for one in self.everybody for owner in self.everybody if card in known[one][owner]]
        return any(
            all(each == set(both) for each in parties)
            and not any(known[third][owner] for third in set(self.everybody) - set(both) for owner in both)
            for both in combinations(self.everybody, 2)
        )

    def points(self, game: np.void) -> None:
        most = most_points_of_a_round(self.ruleset)
        for number, row in enumerate(self.seen["points"]):
            for player, points in enumerate(row):
                whole_number(f"points[{number}][{player}]", points, 0, most)
        if self.phase == "over":
            for player in self.everybody:
                treasures = sum(value for _, value in self.seen["treasures"][player])
                expected = treasures + self.seen["extras"][player] // 2
                if self.seen["points"][1][player] != expected:
                    got = self.seen["points"][1][player]
                    raise ValueError(f"points[1][{player}]: expected {expected}, the round's; got {got}")
