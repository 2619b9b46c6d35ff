"""What happened between two snapshots, in sentences: decision by decision, as the rules carried them out."""

from collections.abc import Iterator, Sequence

from strand_env.engine.checks import actions_of_players
from strand_env.engine.protocol import Observer
from strand_env.maui.actions import DOLLARS, NUM_ACTIONS, PASS, SPARE, TOKEN
from strand_env.maui.ruleset import (
    CELLS,
    COLUMNS,
    NUM_PATTERNS,
    PATTERNS,
    PLACES_PER_ROW,
    PRICES,
    ROWS,
)
from strand_env.maui.views.rehearsal import Decision, Rehearsal
from strand_env.maui.views.scores import account_words, tie_words
from strand_env.maui.views.table import Snapshot, Table
from strand_env.maui.views.words import (
    dollars_named,
    piece_words,
    rows_words,
    token_words,
    towel_letters,
)
from strand_env.pictures.words import (
    check_same_players,
    listed,
    number_of,
    players_named,
    points_named,
    sentence,
    win_words,
)


def tell(before: Snapshot, actions: Sequence[int], after: Snapshot, *, seat: Observer = None) -> list[str]:
    """What happened in the step between two snapshots, in which the players chose these actions."""
    table, then = Table(before), Table(after)
    check_same_players(before, after)
    chosen = actions_of_players(actions, before["players"], NUM_ACTIONS)
    if table.asked is None:
        return []
    rehearsal = Rehearsal(table, after["drawn"])
    if chosen[table.asked] not in rehearsal.legal:
        expected = f"one of {rehearsal.legal} for player {table.asked}"
        raise ValueError(f"actions: expected {expected}, got {chosen[table.asked]}")
    decisions = list(rehearsal.step(chosen[table.asked]))
    told = [words for each in decisions for words in _decision(table, each)]
    if after["part"] != before["part"]:
        told += _part(table.later(decisions[-1].after), then)
    if after["phase"] == "over":
        told += _end(then)
    return list(map(sentence, told))


def _decision(table: Table, decision: Decision) -> Iterator[str]:
    action, player = decision.action, decision.player
    if decision.takes_towel:
        yield from _towel(table, decision)
    elif action < SPARE:
        dollars = dollars_named(decision.gained("dollars"))
        yield f"player {player} takes {dollars} from zone {action - DOLLARS}"
    elif action < TOKEN:
        yield from _shells(table, decision, " by an umbrella")
    elif action < PASS:
        kind, cell = divmod(action - TOKEN, CELLS)
        row = decision.after["beach"][player][-1][1] + cell
        yield f"player {player} lays a {PATTERNS[table.ruleset.token_patterns[kind]]} token onto row {row}"
    else:
        yield from _shells(table, decision, "")


def _towel(table: Table, decision: Decision) -> Iterator[str]:
    """A towel is taken and laid; what it covers and what it passes by; the market is refilled."""
    player, place = decision.player, decision.place
    column = len(decision.before["beach"][player])
    number, top, _ = decision.after["beach"][player][column]
    spare = decision.action >= SPARE
    price = " as a spare towel" if spare else f" for {dollars_named(PRICES[place])}" if PRICES[place] else ""
    where = f"column {column}, {rows_words(top)}"
    yield f"player {player} takes towel {towel_letters(number)}{price} and lays it into {where}"
    for where, count in (("into the water", 1 - top), ("among the trees", top + CELLS - 1 - ROWS)):
        if count > 0:
            tokens = number_of(count, "penalty token")
            yield f"it sticks out {where}: player {player} gets {tokens}"
    covered: list[str] = []
    passed: list[str] = []
    for piece in table.later(decision.before).lying(player):
        if piece.column == column:
            here = not spare and top <= piece.row < top + CELLS
            (covered if here else passed).append(piece_words(table, piece.name))
    if covered:
        yield f"it covers {listed(covered)}"
    if passed:
        yield f"{listed(passed)} {'leaves' if len(passed) == 1 else 'leave'} the beach"
    row = place // PLACES_PER_ROW
    drawn = decision.after["market"][PLACES_PER_ROW * (row + 1) - 1]
    yield f"towel {towel_letters(drawn)} comes from the bag into row {row} of the market"


def _shells(table: Table, decision: Decision, how: str) -> Iterator[str]:
    """The player's shells move; tokens of ornament squares are taken."""
    player, steps = decision.player, decision.gained("shells")
    moves = [
        f"the {PATTERNS[track]} shell by {steps[track]} to square {decision.after['shells'][player][track]}"
        for track in range(NUM_PATTERNS)
        if steps[track]
    ]
    if moves:
        yield f"player {player} moves {listed(moves)}{how}"
    elif not how:
        yield f"player {player} moves no shell: the tracks of the matches are full"
    tokens = decision.gained("tokens")
    if any(tokens):
        squares = "an ornament square" if sum(tokens) == 1 else "ornament squares"
        yield f"player {player} takes {token_words(table, tokens)} from {squares}"


def _part(last: Table, then: Table) -> Iterator[str]:
    yield f"{_done(last)}: part 1 is over"
    told = listed(f"{last.account(player).first_score} for player {player}" for player in last.players)
    yield f"shells and dollars make {told}"
    yield f"the beaches are set up again with crabs, and player {then.snapshot['first']} begins part 2"


def _done(table: Table) -> str:
    done = [player for player in table.players if table.laid(player) >= COLUMNS]
    return f"{players_named(done)} {'has' if len(done) == 1 else 'have'} filled the beach"


def _end(then: Table) -> Iterator[str]:
    yield f"{_done(then)}: the game is over"
    for player, points in enumerate(then.snapshot["scores"]):
        yield f"player {player} has {points_named(points)}: {account_words(then.account(player))}"
    tie = tie_words(then)
    yield win_words(then.snapshot).removesuffix(".") + (f": {tie}" if tie else "")
