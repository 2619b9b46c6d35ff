"""Strand Unter played literally: a slow referee that shares no code and no data layout with the engine.

Shells are colours 0-3 lying in plain lists (the bag, the grooves, the buckets), castles and players are small
objects, and a whole game is one generator that stops wherever somebody has a choice. It is meant to be read
next to the rules page, top to bottom; speed comes last.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import combinations
from typing import Any

COLOURS = range(4)
VALUES = range(4)
POSITIONS = range(10)
SINGLES = range(4)
PAIRS = list(combinations(COLOURS, 2))

# The first action id of each family.
TAKE_COLOUR, TAKE_PAIR, TAKE_TWO_AND_ONE, TAKE_ALL_BUT, TAKE_CASTLE, BUILD, PASS = 10, 14, 20, 32, 36, 40, 56

# How many shells, of how many different colours. "all_of_one" has no fixed size.
SHAPES = {
    "two_same": (2, 1),
    "two_different": (2, 2),
    "three_same": (3, 1),
    "two_and_one": (3, 2),
    "three_different": (3, 3),
}

PATTERNS = [
    [[1, 1, 1, 0], [2, 1, 0, 0]],
    [[2, 1, 1, 0], [2, 2, 0, 0]],
    [[3, 1, 1, 0], [2, 2, 1, 0]],
    [[3, 2, 1, 0], [2, 2, 1, 1]],
]


def rotations(pattern: list[int]) -> list[list[int]]:
    return [[pattern[(colour - rotation) % 4] for colour in COLOURS] for rotation in range(4)]


DEFAULT_RULESET: dict[str, Any] = {
    "shells": [20, 20, 20, 20],
    "cards": [rotations(first) + rotations(second) for first, second in PATTERNS],
    "combinations": [*SHAPES, "all_of_one"],
    "fills": [[5, 6, 5, 6, 5, 6, 5, 6], [8] * 8, [9] * 8],
}

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mixed(x: int) -> int:
    z = (x + GAMMA) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Random:
    def __init__(self, seed: int) -> None:
        self.stream = mixed(seed)

    def draw(self) -> int:
        result = mixed(self.stream)
        self.stream = (self.stream + GAMMA) & MASK
        return result

    def below(self, n: int) -> int:
        product = (self.draw() >> 32) * n
        while (product & 0xFFFFFFFF) < 2**32 % n:  # else some results would be a little likelier
            product = (self.draw() >> 32) * n
        return product >> 32


def counts(shells: list[int]) -> list[int]:
    return [shells.count(0), shells.count(1), shells.count(2), shells.count(3)]


def move(shells: Iterable[int], source: list[int], target: list[int]) -> None:
    for shell in shells:
        source.remove(shell)
        target.append(shell)


def take_action(handful: tuple[int, ...]) -> int:
    """The action id of taking these shells (sorted by colour)."""
    colours = set(handful)
    if len(colours) == 1:
        return TAKE_COLOUR + handful[0]
    if len(handful) == 2:
        return TAKE_PAIR + PAIRS.index(handful)
    if len(colours) == 3:
        return TAKE_ALL_BUT + (set(COLOURS) - colours).pop()
    twice = handful[1]  # of three sorted shells, the middle one belongs to the pair
    once = (colours - {twice}).pop()
    return TAKE_TWO_AND_ONE + 3 * twice + (once if once < twice else once - 1)


def ways_to_fulfil(combination: str, groove: list[int]) -> dict[int, tuple[int, ...]]:
    """Every complete way to take the combination from the groove: action id -> the shells it takes."""
    if combination == "all_of_one":
        handfuls = {(colour,) * groove.count(colour) for colour in groove}
    else:
        size, colours = SHAPES[combination]
        handfuls = {h for h in set(combinations(sorted(groove), size)) if len(set(h)) == colours}
    return {take_action(handful): handful for handful in handfuls}


class Castle:
    def __init__(self, value: int, card: list[int]) -> None:
        self.value = value
        self.card = card
        self.spaces = [colour for colour in COLOURS for _ in range(card[colour])]  # the wild one comes on top
        self.place: str | int = "heap"  # later "ready", then the groove it stands in, maybe "flooded" at last

    def built(self) -> bool:
        return self.place not in ("heap", "ready")

    def points(self) -> int:
        return self.place + self.value if isinstance(self.place, int) else 0


class Player:
    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.bucket: list[int] = []
        self.castles: list[Castle] = []
        self.dial: int | None = None
        self.spell_dial: int | None = None
        self.earlier: list[tuple[int | None, int | None]] = []  # the dials of the rounds before
        self.owed = False

    def set_dial(self, action: int) -> None:
        self.dial = action

    def set_spell_dial(self, action: int) -> None:
        self.spell_dial = action

    def times_set(self) -> list[list[int]]:
        """How often each position was set, and how often in shell-spells."""
        kinds = zip(*self.earlier, (self.dial, self.spell_dial), strict=True)
        return [[kind.count(position) for position in POSITIONS] for kind in kinds]

    def castle_actions(self) -> list[int]:
        return [TAKE_CASTLE + castle.value for castle in self.castles if castle.place == "heap"]

    def take_castle(self, action: int) -> None:
        self.castles[action - TAKE_CASTLE].place = "ready"

    def build_actions(self) -> list[int]:
        ready = [castle for castle in self.castles if castle.place == "ready"]
        return [
            BUILD + 4 * castle.value + wild
            for castle in ready
            for wild in COLOURS
            if self.can_pay([*castle.spaces, wild])
        ] + [PASS]

    def can_pay(self, price: list[int]) -> bool:
        return all(self.bucket.count(colour) >= price.count(colour) for colour in COLOURS)

    def unfit(self) -> int:
        unbuilt = [castle for castle in self.castles if not castle.built()]
        coloured_spaces = [space for castle in unbuilt for space in castle.spaces]
        left_over = []
        # Coloured spaces first: a wild one is best kept for a shell that fits nowhere else.
        for shell in self.bucket:
            if shell in coloured_spaces:
                coloured_spaces.remove(shell)
            else:
                left_over.append(shell)
        for _wild_space in unbuilt:
            if left_over:
                left_over.pop()
        return len(left_over)

    def score(self) -> int:
        return sum(castle.points() for castle in self.castles) - self.unfit()

    def beach_points(self) -> list[int]:
        """Points per groove from the sea to the land, which is how ties are broken."""
        seaward_first = range(11, 0, -1)
        return [sum(c.points() for c in self.castles if c.place == groove) for groove in seaward_first]


Decisions = Generator[None, list[int], None]


class Game:
    """One game. `pending` says who must decide and what they may do, `step` takes the decisions."""

    def __init__(self, players: int, seed: int, ruleset: dict[str, Any] | None = None) -> None:
        if players not in (2, 3, 4):
            raise ValueError(f"2 to 4 players, not {players}")
        self.ruleset = DEFAULT_RULESET if ruleset is None else ruleset
        self.fills = self.ruleset["fills"][players - 2]
        self.rounds = self.ruleset.get("rounds", 15)
        self.dial = self.ruleset.get("dial", POSITIONS)
        self.seed = seed & MASK
        self.random = Random(self.seed)
        self.players = [Player(seat) for seat in range(players)]
        self.bag = [colour for colour in COLOURS for _ in range(self.ruleset["shells"][colour])]
        self.beach: dict[int, list[int]] = {groove: [] for groove in range(1, 9)}
        self.round = self.groove = self.sea = 1
        self.phase = "dial"
        self.pending: dict[int, list[int]] = {}
        self.scores: list[int] | None = None
        self.winners: list[bool] | None = None
        self.course = self.play()
        next(self.course)

    @property
    def over(self) -> bool:
        return self.phase == "over"

    def legal(self, player: int) -> list[int]:
        return self.pending.get(player, [PASS])

    def step(self, actions: Sequence[int]) -> None:
        if self.over:
            return
        if len(actions) != len(self.players):
            raise ValueError(f"{len(actions)} actions for {len(self.players)} players")
        for player, action in enumerate(actions):
            if action not in self.legal(player):
                wrong = f"player {player}, phase {self.phase}: action {action}"
                raise ValueError(f"{wrong} is not among {self.legal(player)}")
        self.course.send([int(action) for action in actions])

    def play(self) -> Decisions:
        self.set_up()
        while True:
            yield from self.play_round()
            fourth_built = any(all(castle.built() for castle in player.castles) for player in self.players)
            if fourth_built or self.round == self.rounds:
                break
            self.move_the_sea()
        self.scores = [player.score() for player in self.players]
        ranks = [(player.score(), player.beach_points()) for player in self.players]
        self.winners = [rank == max(ranks) for rank in ranks]
        self.phase, self.pending = "over", {}
        yield

    def set_up(self) -> None:
        for groove in self.beach:
            self.fill(groove)
        for value in VALUES:
            deck = list(range(8))
            for player in self.players:
                i = player.seat
                j = i + self.random.below(8 - i)
                deck[i], deck[j] = deck[j], deck[i]
                castle = Castle(value, self.ruleset["cards"][value][deck[i]])
                if value not in self.ruleset.get("castles", VALUES):
                    castle.place = "flooded"  # it is not in play
                player.castles.append(castle)

    def fill(self, groove: int) -> None:
        self.bag.sort()
        for _ in range(min(self.fills[groove - 1], len(self.bag))):
            self.beach[groove].append(self.bag.pop(self.random.below(len(self.bag))))

    def play_round(self) -> Decisions:
        here = self.beach[self.groove]
        for player in self.players:
            if self.round > 1:
                player.earlier.append((player.dial, player.spell_dial))
            player.dial = player.spell_dial = None

        yield from self.decide("dial", {p: list(self.dial) for p in self.players}, Player.set_dial)

        single_setters = [player for player in self.players if player.dial in SINGLES]
        self.hand_out_singles({player: player.dial for player in single_setters})
        yield from self.pick_castles("pick", single_setters)

        colliding = []
        for position, combination in enumerate(self.ruleset["combinations"], start=len(SINGLES)):
            setters = self.setters(position)
            if len(setters) >= 2:
                colliding += setters
            elif setters:
                yield from self.collect(setters[0], combination)

        singles = [position for position in self.dial if position in SINGLES]
        yield from self.decide("spell", {p: list(singles) for p in colliding}, Player.set_spell_dial)
        self.hand_out_singles({player: player.spell_dial for player in colliding})
        yield from self.pick_castles("spell_pick", colliding)

        for position in POSITIONS:
            for player in self.setters(position):
                if player.owed:
                    yield from self.trove(player)

        move(list(here), here, self.bag)

        yield from self.decide("build", {p: p.build_actions() for p in self.players}, self.build)

    def decide(
        self, phase: str, options: dict[Player, list[int]], carry_out: Callable[[Player, int], None]
    ) -> Decisions:
        """One decision for each of these players, made at once; it stops only for those with a choice."""
        for player, actions in options.items():
            if len(actions) == 1:
                carry_out(player, actions[0])
        asked = [player for player in self.players if len(options.get(player, [])) >= 2]
        if asked:
            self.phase = phase
            self.pending = {player.seat: options[player] for player in asked}
            chosen = yield
            for player in asked:
                carry_out(player, chosen[player.seat])

    def setters(self, position: int) -> list[Player]:
        return [player for player in self.players if player.dial == position]

    def hand_out_singles(self, wishes: dict[Player, int | None]) -> None:
        here = self.beach[self.groove]
        for colour in COLOURS:
            takers = [player for player, wish in wishes.items() if wish == colour]
            if here.count(colour) >= len(takers):
                for player in takers:
                    move([colour], here, player.bucket)

    def pick_castles(self, phase: str, pickers: list[Player]) -> Decisions:
        options = {player: player.castle_actions() for player in pickers}
        yield from self.decide(phase, options, Player.take_castle)

    def collect(self, player: Player, combination: str) -> Decisions:
        here = self.beach[self.groove]
        ways = ways_to_fulfil(combination, here)

        def take_handful(player: Player, action: int) -> None:
            move(ways[action], here, player.bucket)

        if ways:
            yield from self.decide("collect", {player: sorted(ways)}, take_handful)
        else:
            player.owed = True

    def trove(self, player: Player) -> Decisions:
        here = self.beach[self.groove]

        def take_consolation(player: Player, action: int) -> None:
            if action >= TAKE_CASTLE:
                player.take_castle(action)
            else:
                move([action - TAKE_COLOUR], here, player.bucket)

        shell_actions = [TAKE_COLOUR + colour for colour in sorted(set(here))]
        yield from self.decide("trove", {player: shell_actions + player.castle_actions()}, take_consolation)
        player.owed = False

    def build(self, player: Player, action: int) -> None:
        if action != PASS:
            value, wild = divmod(action - BUILD, 4)
            castle = player.castles[value]
            move([*castle.spaces, wild], player.bucket, self.bag)
            castle.place = self.groove

    def move_the_sea(self) -> None:
        if self.round < 8:
            self.sea += 1
            self.groove += 1
        elif self.round == 8:
            self.sea = 11 if self.castles_in(8) else 10 if self.castles_in(7) else 9
            self.groove = 7
            self.fill(self.groove)
        else:
            for castle in self.castles_in(self.sea):
                castle.place = "flooded"
            self.sea -= 1
            self.groove -= 1
            self.fill(self.groove)
        self.round += 1

    def castles_in(self, groove: int) -> list[Castle]:
        return [castle for player in self.players for castle in player.castles if castle.place == groove]

    def snapshot(self) -> dict[str, Any]:
        covered = [[] if groove == self.groove else shells for groove, shells in self.beach.items()]
        return {
            "players": len(self.players),
            "round": self.round,
            "groove": self.groove,
            "sea": self.sea,
            "phase": self.phase,
            "to_act": sorted(self.pending),
            "shells": counts(self.beach[self.groove]),
            "bag": counts(self.bag),
            "covered": [counts(shells) for shells in covered],
            "buckets": [counts(player.bucket) for player in self.players],
            "cards": [[list(castle.card) for castle in player.castles] for player in self.players],
            "castles": [[castle.place for castle in player.castles] for player in self.players],
            "dials": [player.dial for player in self.players],
            "spell_dials": [player.spell_dial for player in self.players],
            "owed": [player.owed for player in self.players],
            "dials_set": [player.times_set()[0] for player in self.players],
            "spell_dials_set": [player.times_set()[1][: len(SINGLES)] for player in self.players],
            "last_dials": [player.earlier[-1][0] if player.earlier else None for player in self.players],
            "last_spell_dials": [player.earlier[-1][1] if player.earlier else None for player in self.players],
            "scores": self.scores,
            "winners": self.winners,
            "seed": f"{self.seed:#018x}",
            "stream": f"{self.random.stream:#018x}",
            "ruleset": self.ruleset,
        }
