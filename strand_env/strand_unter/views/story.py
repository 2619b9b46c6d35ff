"""What happened between two snapshots, in sentences.

Forced decisions are carried out at once, so one step may go through several phases. Still, in one step a player gains
shells from one source only: a single, a combination, the shell-spell, or a trove. So the outcome of each can be read
from how the buckets changed.
"""

from collections.abc import Iterator, Mapping, Sequence

from strand_env.engine.checks import actions_of_players
from strand_env.engine.protocol import Observer
from strand_env.pictures.words import (
    check_same_players,
    listed,
    players_named,
    points_named,
    sentence,
    win_words,
)
from strand_env.strand_unter.actions import (
    BUILD_CASTLE,
    FIRST_COMBINATION,
    NUM_ACTIONS,
    NUM_DIAL_POSITIONS,
    PASS,
    describe,
)
from strand_env.strand_unter.ruleset import COLOURS, NUM_COLOURS, NUM_VALUES, Ruleset
from strand_env.strand_unter.scoring import count_built
from strand_env.strand_unter.state import TURN_ROUND
from strand_env.strand_unter.views.words import Snapshot, check_snapshot, collided, counted, places, points_of


def tell(before: Snapshot, actions: Sequence[int], after: Snapshot, *, seat: Observer = None) -> list[str]:
    """What happened in the step between two snapshots, in which the players chose these actions."""
    check_snapshot(before)
    check_snapshot(after)
    players = before["players"]
    check_same_players(before, after)
    if before["phase"] not in ("dial", "over") and None in before["dials"]:
        raise ValueError(f"before: dials: expected all of them in phase {before['phase']!r}, got {before['dials']}")
    chosen = actions_of_players(actions, players, NUM_DIAL_POSITIONS if before["phase"] == "dial" else NUM_ACTIONS)
    return [sentence(words) for words in _Step(before, chosen, after).told()]


class _Step:
    def __init__(self, before: Snapshot, actions: list[int], after: Snapshot) -> None:
        self.before, self.actions, self.after = before, actions, after
        self.phase = before["phase"]
        self.dials: list[int] = actions if self.phase == "dial" else before["dials"]
        self.same_round = after["round"] == before["round"]
        self.gains = [
            [new - old for old, new in zip(*buckets, strict=True)]
            for buckets in zip(before["buckets"], after["buckets"], strict=True)
        ]

    def told(self) -> Iterator[str]:
        """The phases in the order of the rules."""
        if self.phase == "over":
            return
        if self.phase == "dial":
            yield from self.singles(dict(enumerate(self.dials)), "")
            yield from self.set_combinations()
        if self.phase in ("dial", "pick"):
            yield from self.castles([player for player, dial in enumerate(self.dials) if dial < FIRST_COMBINATION])
        collected = self.collected_now()
        yield from self.combinations(collected)
        if self.phase == "spell":
            spell = {player: self.actions[player] for player in self.before["to_act"]}
            yield from self.singles(spell, " in the shell-spell")
        if self.phase in ("spell", "spell_pick"):
            yield from self.castles(collided(self.dials))
        yield from self.troves(collected)
        yield from self.leftovers()
        if self.phase == "build":
            yield from self.builds()
        if not self.same_round:
            yield from self.tide()
        if self.after["phase"] == "over":
            yield from self.result()

    # Singles and castles

    def singles(self, dials: Mapping[int, int], when: str) -> Iterator[str]:
        for colour, name in enumerate(COLOURS):
            setters = [player for player, dial in dials.items() if dial == colour]
            if not setters:
                continue
            alone, there = len(setters) == 1, self.before["shells"][colour]
            if self.gains[setters[0]][colour]:
                outcome = " and takes it" if alone else " and take one each"
            else:
                outcome = (
                    f", but there {'is' if there == 1 else 'are'} only {there}" if there else ", but there is none"
                )
            yield f"{players_named(setters)} {'sets' if alone else 'set'} one {name} shell{when}{outcome}"

    def castles(self, players: Sequence[int]) -> Iterator[str]:
        for player in players:
            for value in self.taken_castles(player):
                yield f"player {player} takes castle {value} from the heap"

    def taken_castles(self, player: int) -> list[int]:
        places = zip(self.before["castles"][player], self.after["castles"][player], strict=True)
        return [value for value, (old, new) in enumerate(places) if old == "heap" and new != "heap"]

    # Combinations

    def set_combinations(self) -> Iterator[str]:
        for position in range(FIRST_COMBINATION, NUM_DIAL_POSITIONS):
            setters = [player for player, dial in enumerate(self.dials) if dial == position]
            if len(setters) == 1:
                yield f"player {setters[0]} sets {self.dial_named(position)}"
            elif setters:
                nobody = "neither" if len(setters) == 2 else "nobody"
                yield f"{players_named(setters)} collide on {self.dial_named(position)}: {nobody} collects"

    def dial_named(self, position: int) -> str:
        ruleset = Ruleset.from_dict(self.before["ruleset"])
        return describe(position, ruleset).removeprefix("Set the dial to ").removesuffix(".")

    def collected_now(self) -> list[int]:
        """The players whose combinations had their turn in this step, in dial order."""
        if self.phase not in ("dial", "pick", "collect"):
            return []
        first, end = FIRST_COMBINATION, NUM_DIAL_POSITIONS
        if self.phase == "collect":
            first = self.dials[self.before["to_act"][0]]
        if self.same_round and self.after["phase"] == "pick":
            end = first
        elif self.same_round and self.after["phase"] == "collect":
            end = self.dials[self.after["to_act"][0]]
        alone = [player for player in range(len(self.dials)) if player not in collided(self.dials)]
        return sorted((player for player in alone if first <= self.dials[player] < end), key=self.dials.__getitem__)

    def failed(self, player: int) -> bool:
        """Whether the combination was unavailable. A trove may still have brought one shell, fewer than a combination.

        Only "all of one" can be a single shell, but if it fails, no shell is left for a trove.
        """
        combination = self.before["ruleset"]["combinations"][self.dials[player] - FIRST_COMBINATION]
        return sum(self.gains[player]) < (1 if combination == "all_of_one" else 2)

    def combinations(self, collected: Sequence[int]) -> Iterator[str]:
        for player in collected:
            if self.failed(player):
                yield f"player {player} cannot take {self.dial_named(self.dials[player])}"
            else:
                yield f"player {player} takes {counted(self.gains[player])}"

    # Troves, and what is left

    def troves(self, collected: Sequence[int]) -> Iterator[str]:
        owed = [player for player in collected if self.failed(player)]
        owed += [player for player, still in enumerate(self.before["owed"]) if still]
        for player in sorted(owed, key=lambda player: self.dials[player]):
            if self.same_round and self.after["owed"][player]:
                continue
            castles = self.taken_castles(player)
            if castles:
                yield f"player {player} takes castle {castles[0]} from the heap as a trove"
            elif any(self.gains[player]):
                yield f"player {player} takes {counted(self.gains[player])} as a trove"
            else:
                yield f"player {player} finds nothing for a trove"

    def leftovers(self) -> Iterator[str]:
        cleared = not self.same_round or self.after["phase"] in ("build", "over")
        if self.phase == "build" or not cleared:
            return
        left = [there - sum(taken) for there, *taken in zip(self.before["shells"], *self.gains, strict=True)]
        if any(left):
            yield f"{counted(left)} {'goes' if sum(left) == 1 else 'go'} back into the bag"

    # Building, the tide, the end

    def builds(self) -> Iterator[str]:
        for player in self.before["to_act"]:
            if self.actions[player] == PASS:
                yield f"player {player} does not build"
            else:
                value = (self.actions[player] - BUILD_CASTLE) // NUM_COLOURS
                paid = counted([-gain for gain in self.gains[player]])
                yield f"player {player} builds castle {value} in groove {self.before['groove']} for {paid}"

    def tide(self) -> Iterator[str]:
        groove, sea, shells = self.after["groove"], self.after["sea"], counted(self.after["shells"])
        if self.after["round"] <= TURN_ROUND:
            yield f"the sea goes out, and the sandpiper steps into groove {groove}, where it finds {shells}"
            return
        if self.after["round"] == TURN_ROUND + 1:
            yield f"the tide turns: the sea stands beyond groove {sea}"
        else:
            destroyed = [
                f"castle {value} of player {player}"
                for player, castles in enumerate(self.after["castles"])
                for value, place in enumerate(castles)
                if place == "flooded" != self.before["castles"][player][value]
            ]
            yield f"the sea floods groove {sea + 1}" + (f" and destroys {listed(destroyed)}" if destroyed else "")
        yield f"the sandpiper goes back to groove {groove}, where it finds {shells}"

    def result(self) -> Iterator[str]:
        castles = self.after["castles"]
        done = [player for player, row in enumerate(castles) if count_built(places(row)) == NUM_VALUES]
        why = (
            f"{players_named(done)} {'has' if len(done) == 1 else 'have'} built all castles"
            if done
            else "no round is left"
        )
        yield f"{why}: the game is over"
        for player, score in enumerate(self.after["scores"]):
            points = sum(points_of(castles[player]))
            unfit = f", less {points - score} for unfit shells" if score < points else ""
            yield f"player {player} has {points_named(score)}: {points} for castles{unfit}"
        yield win_words(self.after).removesuffix(".")
