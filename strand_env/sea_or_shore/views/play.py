"""Sea or Shore for people who play it: stakes, trick, hands and treasures as parts of a page."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from strand_env.engine.protocol import Choice, Observer
from strand_env.pictures.canvas import SvgCanvas
from strand_env.pictures.html import accounts, figure
from strand_env.pictures.words import sentence
from strand_env.sea_or_shore.actions import CHOOSE_STACK, SEAT, SHOW_NUMBER, TAKE
from strand_env.sea_or_shore.ruleset import NUM_COLOURS
from strand_env.sea_or_shore.views import choosing, pieces, scores
from strand_env.sea_or_shore.views.stacks import colours_of, draw_seen_cards, stack_label
from strand_env.sea_or_shore.views.table import COVERED, OTHER_HALF, Snapshot, Table
from strand_env.sea_or_shore.views.trick import Trick, last_trick
from strand_env.sea_or_shore.views.words import (
    ACTION_TITLES,
    ACTION_WORDS,
    card_words,
    cards_words,
    colours_words,
    extras_named,
    heading_words,
    outcome_words,
    part_words,
    play_words,
    standing_words,
    task_words,
    treasures_words,
)

style = files(__package__).joinpath("play.css").read_text("utf-8")
symbols = pieces.symbols()

_ASKED = {
    "gift": "Give your right neighbour, player {right}, the highest card of your longest colour.",
    "card": "Play a card: which one, and which half of it shows?",
    "extras": "Add extras to your card?",
    "treasure": "You win: take the open treasure, or steal one?",
    "give": "Which card do you give back to player {target}?",
    "stack": "Which stack do you look at?",
    "order": "In which order do the three treasures go back?",
    "pick": "Which card of this trick do you take into your hand?",
    "discard": "Which card do you discard?",
}
_TARGETS = {1: "From whom do you take 2 extras?", 2: "From whose hand do you draw 2 cards?"}
_MOMENT = 2600  # milliseconds for a reveal
_SEEN_WIDTH, _SEEN_LINE = 420, 28  # of the picture of all island cards


def round_of(snapshot: Snapshot) -> int | str | None:
    return part_words(Table(snapshot))


def heading(snapshot: Snapshot) -> str:
    return heading_words(Table(snapshot))


def task(snapshot: Snapshot, seat: Observer) -> str:
    table = Table(snapshot, seat)
    if not isinstance(seat, int) or seat not in snapshot["to_act"]:
        return task_words(table)
    if snapshot["phase"] == "target" and table.action is not None:
        return _TARGETS[table.action]
    return _ASKED[snapshot["phase"]].format(right=(seat - 1) % len(table.players), target=snapshot["target"])


class _Asked:
    """The places that the observer may click now, if it is the observer who has to decide."""

    def __init__(self, table: Table) -> None:
        self._table, self.phase = table, table.snapshot["phase"]
        self.now = table.seat in table.snapshot["to_act"]

    def place(self, action: int, *phases: str) -> str:
        """The attribute of an element that stands for an action in these phases."""
        return f' data-place="action-{action}"' if self.now and self.phase in phases else ""

    def player(self, player: int, *phases: str) -> str:
        """The same for an action that names a player."""
        if not isinstance(self._table.seat, int):
            return ""
        return self.place(SEAT + (player - self._table.seat) % len(self._table.players), *phases)


# The table


def board(snapshot: Snapshot, seat: Observer) -> str:
    """What is at stake, the trick, the stacks, and all island cards as far as they were seen."""
    table = Table(snapshot, seat)
    asked = _Asked(table)
    stacks = "".join(_stack(table, asked, stack) for stack in range(len(snapshot["stacks"])))
    supply = f"{extras_named(snapshot['supply'])} in the supply"
    trick = (
        f'<ul class="stakes" aria-label="What the winner of each colour gets">{_stakes(table, asked)}</ul>'
        f'<ul class="trick" aria-label="The trick">{_trick(table, asked)}</ul>'
    )
    return ("" if table.over else trick) + (
        f'<div class="stacks">{stacks}<p class="supply">{figure("extra", "icon")} {supply}</p></div>'
        f'<div class="seen" role="img" aria-label="{escape(_seen_words(table))}">{_seen_cards(table)}</div>'
    )


def _stakes(table: Table, asked: _Asked) -> str:
    """For each colour its open treasure, or the action that its winner carries out."""
    tiles = []
    for colour in range(NUM_COLOURS):
        pair = colour // 2
        action = table.action_up(pair)
        which = next((each for each in table.snapshot["open"] if each is not None and each[0] == colour), None)
        place = ""
        if which is not None:
            won = f'{pieces.treasure(which)}<span class="unseen">treasure {which[1]}</span>'
            place = asked.place(TAKE, "treasure") if table.snapshot["wins"][:1] == [[table.seat, colour]] else ""
        elif table.treasure_is_open(pair):
            won = f'<span class="words" title="{escape(ACTION_WORDS[action])}">{ACTION_TITLES[action]}</span>'
        else:
            won = '<span class="words">–</span>'  # the treasure was taken: of which colour it was is told in the story
        one = '<span class="one">one colour</span>' if table.counts_as_one(pair) else ""
        tiles.append(f"<li{place}>{pieces.tile(colour)}{won}{one}</li>")
    return "".join(tiles)


def _trick(table: Table, asked: _Asked) -> str:
    """A place for each player's card."""
    places = []
    for player in table.players:
        play = table.play(player)
        picture = pieces.played(play) if play else '<span class="slot"></span>'
        words = play_words(play) if play else "nothing yet"
        outcome = "".join(f"<span>{escape(each)}</span>" for each in outcome_words(table, player))
        classes = " ".join(["play", *(["next"] if player in table.snapshot["to_act"] else [])])
        places.append(
            f'<li class="{classes}"{asked.player(player, "pick")}><span class="who">{_badge(player)}'
            f'{_boat(table, player)}</span><span class="unseen">{escape(words)}</span>{picture}'
            f'<span class="outcome">{outcome}</span></li>'
        )
    return "".join(places)


def _badge(player: int) -> str:
    return f'<span class="badge"><span class="unseen">player </span>{player}</span>'


def _boat(table: Table, player: int) -> str:
    if player != table.snapshot["leader"] or table.over:
        return ""
    return f'<span title="leads the trick">{figure("boat", "boat")}<span class="unseen"> leads</span></span>'


def _stack(table: Table, asked: _Asked, stack: int) -> str:
    """How many treasures a stack has, which ones, what lies under it, and what is known of the next ones."""
    snapshot = table.snapshot
    lines = "".join(_contents(table, stack, colour) for colour in colours_of(table, stack))
    told = []
    looker, arranged = snapshot["looker"][stack], snapshot["arranged"][stack]
    if arranged:
        known = table.next_up(stack) or table.peeked(stack)
        among = "" if table.next_up(stack) or not known else ", among them"
        told.append(
            f'<p class="known">{figure("eye", "eye")} player {looker} knows the next {arranged}{among}'
            f"{pieces.treasures(known)}</p>"
        )
    if snapshot["under"][stack]:
        told.append(f'<p class="under">under it {pieces.treasures(snapshot["under"][stack])}</p>')
    return (
        f'<section class="stack" aria-label="{escape(stack_label(table, stack))}"'
        f'{asked.place(CHOOSE_STACK + stack, "stack")}><span class="pile">{figure("treasure-back", "treasure")}'
        f'<b>{len(snapshot["stacks"][stack])}</b></span><ul class="contents">{lines}</ul>{"".join(told)}</section>'
    )


def _contents(table: Table, stack: int, colour: int) -> str:
    values = " ".join(str(value) for of, value in table.remaining(stack) if of == colour)
    return f"<li>{figure(f'creature-{colour}', 'creature')} {values or '–'}</li>"


def _seen_cards(table: Table) -> str:
    canvas = SvgCanvas(_SEEN_WIDTH, NUM_COLOURS * _SEEN_LINE)
    draw_seen_cards(canvas, table, 0, 0, _SEEN_WIDTH, _SEEN_LINE)
    return canvas.to_svg(shrinks=False)


def _seen_words(table: Table) -> str:
    gone = cards_words(table, table.snapshot["aside"]) if table.snapshot["aside"] else "none"
    return f"Island cards out of the round: {gone}. {len(table.snapshot['box'])} more are unseen in the box."


# A player


def player(snapshot: Snapshot, player: int, seat: Observer) -> str:
    """Extras, treasures and hand of a player; the observer's own hand has places to click."""
    table = Table(snapshot, seat)
    asked = _Asked(table)
    pile = snapshot["treasures"][player]
    treasures = "".join(pieces.treasure(each) for each in pile[:-1])
    top = f"<span{asked.player(player, 'treasure')}>{pieces.treasure(pile[-1])}</span>" if pile else ""
    words = f"treasures: {treasures_words(pile)}"
    return (
        f'<p class="standing">{escape(standing_words(table, player))}</p>'
        f'<div class="owned"{asked.player(player, "target")}>{pieces.extras(snapshot["extras"][player])}'
        f'<span class="unseen">extras; {escape(words)}</span><span class="treasures">{treasures}{top}</span></div>'
        f"{_hand(table, asked, player)}"
    )


def _hand(table: Table, asked: _Asked, player: int) -> str:
    hand = table.snapshot["hands"][player]
    if None in hand:
        backs = f'<span class="backs">{figure("card-back", "back-of-card") * len(hand)}</span>'
        cards = f'<li class="hidden">{backs} <b>{len(hand)}</b><span class="unseen"> cards</span></li>'
    else:
        cards = "".join(_held(table, asked, player, number) for number in hand)
    known = "".join(
        f'<li class="known" title="You know this card">{pieces.card(table, number)}'
        f'{figure("eye", "eye")}<span class="unseen">known: {card_words(table, number)}</span></li>'
        for number in table.known_of(player)
    )
    return f'<ul class="hand" aria-label="Hand of player {player}">{cards}{known}</ul>' if hand or known else ""


def _held(table: Table, asked: _Asked, player: int, number: int) -> str:
    """A card in a hand. To play it, its halves can be clicked: the one that shows."""
    mine = player == table.seat
    place, halves = "", ""
    if mine and asked.now and asked.phase == "card":
        place = f' data-place="card-{number}"'
        halves = _halves(number)
    elif mine:
        place = asked.place(number, "gift", "give", "discard")
    knowers = table.knowers(player, number)
    marks = ""
    if knowers:
        marks += figure("eye", "eye")
        place += f' title="player{"s" if len(knowers) > 1 else ""} {", ".join(map(str, knowers))} know this card"'
    if asked.phase == "give" and player in table.snapshot["to_act"] and number in table.snapshot["given"]:
        marks += figure("tick", "tick")
    words = f'<span class="unseen">{card_words(table, number)}</span>'
    return f"<li{place}>{pieces.card(table, number, more=halves)}{marks}{words}</li>"


def _halves(number: int) -> str:
    """The halves of a card as places, and the covers that they would lead to."""
    parts = []
    for half, (first, covered) in enumerate(((0, "number"), (SHOW_NUMBER, "colour"))):
        name = f"action-{first + number}"
        parts.append(f'<use data-ghost="{name}" href="#cover-{covered}"></use>')
        parts.append(
            f'<rect class="half" data-place="{name}" x="2" y="{2 + half * (pieces.HEIGHT / 2 - 1):g}" '
            f'width="{pieces.WIDTH - 4}" height="{pieces.HEIGHT / 2 - 3:g}" rx="4"></rect>'
        )
    return "".join(parts)


# The reveal


def revealed(before: Snapshot, actions: Sequence[int | None], after: Snapshot, seat: Observer) -> str:
    """The trick, from the moment when its covers come off until the next card is played."""
    table, then = Table(before, seat), Table(after, seat)
    if before["phase"] in ("gift", *COVERED) and after["phase"] in COVERED and _same_trick(before, after):
        return ""
    trick = last_trick(table, then)
    if trick is None or before["phase"] == "gift":
        return ""
    plays = "".join(_opened(trick, player) for player in trick.order)
    caption = f'<p class="caption">{part_words(table)}: the covers come off</p>'
    return f'{caption}<ul class="opened" data-moment="{_MOMENT}">{plays}</ul>'


def _same_trick(before: Snapshot, after: Snapshot) -> bool:
    return (before["round"], before["trick"]) == (after["round"], after["trick"])


def _opened(trick: Trick, player: int) -> str:
    play, group = trick.plays[player], trick.group_of(player)
    cover = f'<use class="cover" href="#cover-{OTHER_HALF[play.shows]}"></use>'
    outcome, kind = "", ""
    if group.winner == player:
        won = colours_words(group.colours if len(group.players) > 1 else [play.colour or 0])
        outcome, kind = f"wins {won}", "winner"
    elif group.lowest == player:
        outcome, kind = "gets extras", "lowest"
    count = str(play.count)
    if play.extras and play.number is not None:
        total = play.number + play.extras
        count = f"{play.number} + {play.extras}" + (f" = {total}" if total == play.count else f": {play.count}")
    return (
        f'<li class="{kind}"><span class="who">{_badge(player)}</span>'
        f"{pieces.island(play.colour, play.number, more=cover)}"
        f'<b class="count">{count}</b><span class="unseen"> is what {escape(play_words(play))} counts</span>'
        f'<span class="outcome">{outcome}</span></li>'
    )


def choices(snapshot: Snapshot, seat: int, legal: Sequence[int]) -> list[Choice]:
    return choosing.choices(Table(snapshot, seat), seat, legal)


# The result


def result(snapshot: Snapshot) -> str:
    """A table for each player: the points of both rounds, those of the last one in detail."""
    table = Table(snapshot)
    tie = scores.tie_words(table)
    return accounts(snapshot, [_rows(table, player) for player in table.players], sentence(tie) if tie else "")


def _rows(table: Table, player: int) -> str:
    first, *_ = table.points(player)
    treasures, extras = scores.last_round(table, player)
    pile, left = table.snapshot["treasures"][player], table.snapshot["extras"][player]
    rows = [
        ("Round 1", "", first),
        ("Round 2", pieces.treasures(pile) if pile else "no treasure", treasures),
        ("", f"{pieces.extras(left)}<span class='unseen'> extras</span>", extras),
    ]
    return "".join(
        f'<tr class="{"" if points else "gone"}"><td>{name}</td><td>{words}</td><td>{points}</td></tr>'
        for name, words, points in rows
    )


def result_words(snapshot: Snapshot) -> list[str]:
    return scores.result_words(Table(snapshot))
