"""Maui played literally: a slow referee that shares no code and no data layout with the engine.

Towels, umbrellas and crabs are small objects lying in plain lists, and the game is one generator that stops wherever
somebody has a choice. It is meant to be read next to the rules page, top to bottom; speed comes last. Nothing is drawn
here: `Chance` says what was, and the game checks that it was possible.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import permutations
from typing import Any

TOWELS = list(permutations(range(5), 3))  # the number of a towel is its place in this order
ROW_VALUES = {1: 3, 2: 2, 3: 1, 4: 1, 5: 1, 6: 2, 7: 3}
NO_PATTERN = -1
SPARE_TOP = 3
COSTS = (0, 1, 2)
PEARL_POINTS = (0, 2, 5, 9)
COLUMNS = 12
MOST_ROUNDS = 40  # of those counted; only positions set up by hand come so far

# The first action id of each family.
TAKE, DOLLARS, SPARE, STEP, TOKEN, PASS = 0, 30, 32, 38, 43, 49
SHIFTS = (-2, -1, 0, 1, 2)

DEFAULT_RULESET: dict[str, Any] = {
    "start_top": 3,
    "tracks": [[1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]] * 5,
    "extensions": [[24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46]] * 5,
    "ornaments": [[0, 6, 0], [1, 6, 1]],  # the track's pattern, the square, the kind of its tokens
    "token_patterns": [2, 3],
    "pattern_umbrellas": [[0, 4], [1, 4]],
    "penalty": 1,
    "crabs": [2, 2, 3, 3, 3, 4, 4],
    "umbrella_spots": [[2, 3], [3, 6], [5, 2], [6, 5], [8, 3], [9, 6], [11, 2], [12, 5]],  # column, row
    "crab_spots": [[2, 4], [4, 2], [5, 6], [7, 4], [9, 2], [10, 6], [12, 4]],
    "crab_umbrella_spots": [[3, 5], [11, 3]],
}


class Impossible(ValueError):
    """Chance did something that the rules do not allow."""


class Chance:
    """What was drawn in another game, told by its snapshots: `look` gives the current one."""

    def __init__(self, look: Callable[[], Mapping[str, Any]]) -> None:
        self.look = look

    def towel(self, part: int, number: int, bag: list[int]) -> int:
        """The towel that is drawn from the bag as the so many-th of a part, from 0."""
        drawn = self.look()["drawn"]
        if part > len(drawn) or number >= len(drawn[part - 1]):
            raise Impossible(f"drawn: {drawn} ends before towel {number} of part {part}")
        return drawn[part - 1][number]

    def pieces(self, seat: int, pieces: list[str], first_spot: int) -> list[str]:
        """The pieces in the order in which they come to lie on a player's spots, beginning with this spot."""
        return self.look()["pieces"][seat][first_spot : first_spot + len(pieces)]

    def first(self, candidates: list[int]) -> int:
        return self.look()["first"]


class Towel:
    def __init__(self, number: int, top: int) -> None:
        self.number = number
        self.printed = TOWELS[number]
        self.top = top
        self.cover: list[str | int | None] = [
            "water" if row < 1 else "trees" if row > 7 else None for row in self.rows()
        ]

    def rows(self) -> list[int]:
        return [self.top, self.top + 1, self.top + 2]

    def penalties(self) -> int:
        return self.cover.count("water") + self.cover.count("trees")

    def crab_points(self) -> int:
        return sum(cover for cover in self.cover if isinstance(cover, int))

    def shows(self, row: int, token_patterns: list[int]) -> int:
        """The pattern that is shown in a row; NO_PATTERN, if the towel has no active cell there."""
        cell = row - self.top
        if cell < 0 or cell > 2:
            return NO_PATTERN
        cover = self.cover[cell]
        if cover is None:
            return self.printed[cell]
        if cover == "token0":
            return token_patterns[0]
        return token_patterns[1] if cover == "token1" else NO_PATTERN


class Piece:
    """An umbrella or a crab on its spot of a beach."""

    def __init__(self, name: str, spot: Sequence[int]) -> None:
        self.name = name
        self.kind, self.number = name[:-1], int(name[-1])  # "crab" and 4, "pattern" and 0
        self.column, self.row = spot
        self.lying = True


class Player:
    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.towels: list[Towel] = []  # by column, the start towel first
        self.pieces: list[Piece] = []
        self.shells = [0, 0, 0, 0, 0]
        self.dollars = 0
        self.penalties = 0
        self.pearls = [0, 0]
        self.tokens = [0, 0]

    @property
    def last(self) -> Towel:
        return self.towels[-1]

    @property
    def next_column(self) -> int:
        return len(self.towels)

    def crab_points(self) -> int:
        return sum(towel.crab_points() for towel in self.towels)

    def pieces_ahead(self) -> list[Piece]:
        """What lies in the next column, in ascending order of rows."""
        ahead = [piece for piece in self.pieces if piece.lying and piece.column == self.next_column]
        return sorted(ahead, key=lambda piece: piece.row)


Decision = Generator[None, int, int]
Turn = Generator[None, int, None]


class Game:
    """One game. `asked` must decide and may do what is in `choices`; `step` takes the decision."""

    def __init__(self, players: int, variant: str, ruleset: dict[str, Any], chance: Chance) -> None:
        self.variant = variant
        self.ruleset = ruleset
        self.token_patterns: list[int] = ruleset["token_patterns"]
        self.chance = chance
        self.players = [Player(seat) for seat in range(players)]
        self.tracks = [[0, *squares] for squares in ruleset["tracks"]]  # the points of each square
        if variant == "combined":
            self.tracks = [track + more for track, more in zip(self.tracks, ruleset["extensions"], strict=True)]
        self.supply = [1 if players == 2 else 2 for _ in ruleset["ornaments"]]
        self.drawn: list[list[int]] = []
        self.fresh = [0, 0]
        self.pending: list[Piece] = []
        self.scores: list[int] | None = None
        self.winners: list[bool] | None = None
        self.set_up_part(crab_side=variant == "crabs")
        self.first = self.seat = self.draw_first([player.seat for player in self.players])
        self.ask_again()

    def ask_again(self) -> None:
        """Begins the turn of the player at `seat`: in a new game, and in positions set up by hand."""
        self.course = self.play()
        next(self.course)

    # Set-up

    def set_up_part(self, crab_side: bool) -> None:
        self.round = 1
        self.bag = list(range(60))
        self.drawn.append([])
        self.market = [[self.draw_towel() for _place in range(3)] for _row in range(2)]
        self.zones = [1, 1]
        for player in self.players:
            player.dollars = 1
            player.towels = [Towel(self.draw_towel(), self.ruleset["start_top"])]
            player.pieces = []
            if crab_side:
                crabs = [f"crab{value}" for value in self.ruleset["crabs"]]
                self.deal_pieces(player, crabs, self.ruleset["crab_spots"])
                self.deal_pieces(player, ["pattern0", "pattern1"], self.ruleset["crab_umbrella_spots"])
            else:
                umbrellas = ["pearl0"] * 3 + ["pearl1"] * 3 + ["pattern0", "pattern1"]
                self.deal_pieces(player, umbrellas, self.ruleset["umbrella_spots"])

    def draw_towel(self) -> int:
        towel = self.chance.towel(self.part, len(self.drawn[-1]), self.bag)
        if towel not in self.bag:
            raise Impossible(f"drawn: {towel}, which is not in the bag")
        self.bag.remove(towel)
        self.drawn[-1].append(towel)
        return towel

    def deal_pieces(self, player: Player, pieces: list[str], spots: list[list[int]]) -> None:
        dealt = self.chance.pieces(player.seat, pieces, len(player.pieces))
        if sorted(dealt) != sorted(pieces):
            raise Impossible(f"pieces: {dealt} on the beach of player {player.seat}, instead of {pieces}")
        player.pieces += [Piece(name, spot) for name, spot in zip(dealt, spots, strict=True)]

    def draw_first(self, candidates: list[int]) -> int:
        first = self.chance.first(candidates)
        if first not in candidates:
            raise Impossible(f"first: {first} is not among {candidates}")
        return first

    @property
    def part(self) -> int:
        return len(self.drawn)

    # A decision

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def legal(self, player: int) -> list[int]:
        return self.choices if player == self.asked else [PASS]

    def step(self, actions: Sequence[int]) -> None:
        if self.over:
            return
        for player in range(len(self.players)):
            if actions[player] not in self.legal(player):
                wrong = f"player {player}, phase {self.phase}: action {actions[player]}"
                raise ValueError(f"{wrong} is not among {self.legal(player)}")
        self.course.send(actions[self.asked])

    def decide(self, player: Player, phase: str, choices: list[int]) -> Decision:
        """The choice of a player, who is asked only if there is one."""
        if len(choices) == 1:
            return choices[0]
        self.phase, self.asked, self.choices = phase, player.seat, sorted(choices)
        return (yield)

    # Rounds and end

    def play(self) -> Turn:
        while True:
            yield from self.turn(self.players[self.seat])
            self.fresh = [0, 0]
            self.seat = (self.seat + 1) % len(self.players)
            if self.seat != self.first:
                continue
            if not any(player.next_column > COLUMNS for player in self.players):
                self.round = min(self.round + 1, MOST_ROUNDS)
            elif self.variant == "combined" and self.part == 1:
                self.begin_part_2()
            else:
                break
        self.finish()
        yield

    def begin_part_2(self) -> None:
        first_scores = [self.shell_points(player) + player.dollars for player in self.players]
        self.set_up_part(crab_side=True)
        lowest = [player.seat for player in self.players if first_scores[player.seat] == min(first_scores)]
        self.first = self.seat = self.draw_first(lowest)

    def finish(self) -> None:
        self.phase, self.asked, self.choices = "over", -1, []
        self.scores = [self.score(player) for player in self.players]
        ranks = [self.rank(player) for player in self.players]
        self.winners = [rank == max(ranks) for rank in ranks]

    def rank(self, player: Player) -> tuple[int, ...]:
        place_in_turn_order = (player.seat - self.first) % len(self.players)
        return self.score(player), -len(player.towels), player.dollars, place_in_turn_order

    def score(self, player: Player) -> int:
        score = self.shell_points(player)
        score += sum(PEARL_POINTS[pearls] for pearls in player.pearls)
        score += player.dollars
        score -= self.ruleset["penalty"] * player.penalties
        return score - player.crab_points()

    def shell_points(self, player: Player) -> int:
        return sum(track[square] for track, square in zip(self.tracks, player.shells, strict=True))

    # A turn

    def turn(self, player: Player) -> Turn:
        ahead = player.pieces_ahead()
        towels = {
            TAKE + 5 * (3 * row + place) + SHIFTS.index(shift): (row, place, player.last.top + shift)
            for row in (0, 1)
            for place in (0, 1, 2)
            for shift in SHIFTS
            if player.dollars >= COSTS[place] and self.may_lay(player, self.market[row][place], shift, ahead)
        }
        zones = {DOLLARS + zone: zone for zone in (0, 1) if self.zones[zone] > 0}
        spares = {SPARE + 3 * row + place: (row, place) for row in (0, 1) for place in (0, 1, 2)}
        action = yield from self.decide(player, "turn", [*towels, *zones] or [*spares])
        if action in towels:
            row, place, top = towels[action]
            player.dollars -= COSTS[place]
            self.zones[row] += COSTS[place]
            yield from self.lay(player, self.take(row, place), top)
        elif action in zones:
            player.dollars += self.zones[zones[action]]
            self.zones[zones[action]] = 0
        else:
            self.lay_spare(player, self.take(*spares[action]))

    def may_lay(self, player: Player, number: int, shift: int, ahead: list[Piece]) -> bool:
        towel = Towel(number, player.last.top + shift)
        self.put_crabs(towel, ahead)
        return self.can_have_a_match(towel, player.last, player.tokens)

    def take(self, row: int, place: int) -> int:
        number = self.market[row].pop(place)
        self.market[row].append(self.draw_towel())
        return number

    def lay(self, player: Player, number: int, top: int) -> Turn:
        before, towel = player.last, Towel(number, top)
        player.penalties += towel.penalties()
        ahead = player.pieces_ahead()
        self.put_crabs(towel, ahead)
        for piece in ahead:
            piece.lying = False
            if piece.row in towel.rows() and piece.kind == "pearl":
                player.pearls[piece.number] += 1
        player.towels.append(towel)
        self.pending = [piece for piece in ahead if piece.row in towel.rows() and piece.kind == "pattern"]
        while self.pending:
            yield from self.use_umbrella(player, self.pending[0].number)
            self.pending.pop(0)
        yield from self.lay_tokens(player, towel, before)
        for row, pattern in self.matches(towel, before).items():
            self.move_shell(player, pattern, ROW_VALUES[row])

    def lay_spare(self, player: Player, number: int) -> None:
        for piece in player.pieces_ahead():
            piece.lying = False
        player.towels.append(Towel(number, SPARE_TOP))

    def put_crabs(self, towel: Towel, pieces: list[Piece]) -> None:
        for piece in pieces:
            if piece.kind == "crab" and piece.row in towel.rows():
                towel.cover[piece.row - towel.top] = piece.number

    def use_umbrella(self, player: Player, umbrella: int) -> Turn:
        tracks = set(self.ruleset["pattern_umbrellas"][umbrella])
        choices = [STEP + track for track in tracks if not self.at_the_end(player, track)]
        if choices:
            action = yield from self.decide(player, "umbrella", choices)
            self.move_shell(player, action - STEP, 1)

    def at_the_end(self, player: Player, track: int) -> bool:
        return player.shells[track] == len(self.tracks[track]) - 1

    def move_shell(self, player: Player, track: int, steps: int) -> None:
        start = player.shells[track]
        player.shells[track] = min(start + steps, len(self.tracks[track]) - 1)
        for place, (its_track, square, kind) in enumerate(self.ruleset["ornaments"]):
            if its_track == track and start < square <= player.shells[track] and self.supply[place] > 0:
                self.supply[place] -= 1
                player.tokens[kind] += 1
                self.fresh[kind] += 1

    # Matches and tokens

    def matches(self, towel: Towel, before: Towel) -> dict[int, int]:
        """The pattern of each row in which two neighbouring towels match."""
        matches = {}
        for row in towel.rows():
            shown = towel.shows(row, self.token_patterns)
            if shown != NO_PATTERN and shown == before.shows(row, self.token_patterns):
                matches[row] = shown
        return matches

    def can_have_a_match(self, towel: Towel, before: Towel, tokens: list[int]) -> bool:
        """Whether there is one as the towel lies, or can be after laying some of these tokens."""
        if self.matches(towel, before):
            return True
        for kind, cell in self.layings(towel, tokens):
            if self.leads_to_a_match(towel, before, tokens, kind, cell):
                return True
        return False

    def layings(self, towel: Towel, tokens: list[int]) -> list[tuple[int, int]]:
        """The tokens that can be laid onto the towel, as kind and cell."""
        return [
            (kind, cell)
            for kind in (0, 1)
            if tokens[kind] > 0
            for cell in range(3)
            if towel.cover[cell] is None and towel.printed[cell] != self.token_patterns[kind]
        ]

    def leads_to_a_match(self, towel: Towel, before: Towel, tokens: list[int], kind: int, cell: int) -> bool:
        """Whether there can still be a match after this token was laid: tried, and taken back."""
        left = list(tokens)
        left[kind] -= 1
        towel.cover[cell] = f"token{kind}"
        result = self.can_have_a_match(towel, before, left)
        towel.cover[cell] = None
        return result

    def lay_tokens(self, player: Player, towel: Towel, before: Towel) -> Turn:
        usable = [held - fresh for held, fresh in zip(player.tokens, self.fresh, strict=True)]
        while True:
            choices = [
                TOKEN + 3 * kind + cell
                for kind, cell in self.layings(towel, usable)
                if self.leads_to_a_match(towel, before, usable, kind, cell)
            ]
            if self.matches(towel, before):
                choices.append(PASS)
            action = yield from self.decide(player, "token", choices)
            if action == PASS:
                return
            kind, cell = divmod(action - TOKEN, 3)
            towel.cover[cell] = f"token{kind}"
            usable[kind] -= 1
            player.tokens[kind] -= 1

    def snapshot(self) -> dict[str, Any]:
        return {
            "players": len(self.players),
            "variant": self.variant,
            "part": self.part,
            "round": self.round,
            "phase": self.phase,
            "to_act": [] if self.over else [self.asked],
            "first": self.first,
            "market": self.market[0] + self.market[1],
            "zones": list(self.zones),
            "bag": sorted(self.bag),
            "drawn": [list(drawn) for drawn in self.drawn],
            "beach": [
                [[towel.number, towel.top, list(towel.cover)] for towel in player.towels] for player in self.players
            ],
            "pieces": [[piece.name for piece in player.pieces] for player in self.players],
            "lying": [[piece.lying for piece in player.pieces] for player in self.players],
            "shells": [list(player.shells) for player in self.players],
            "dollars": [player.dollars for player in self.players],
            "penalties": [player.penalties for player in self.players],
            "crab_points": [player.crab_points() for player in self.players],
            "pearls": [list(player.pearls) for player in self.players],
            "tokens": [list(player.tokens) for player in self.players],
            "supply": list(self.supply),
            "fresh": list(self.fresh),
            "pending": [umbrella.number for umbrella in self.pending],
            "scores": self.scores,
            "winners": self.winners,
        }
