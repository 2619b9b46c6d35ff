"""A game for the terminal, at most 100 characters wide."""

from collections.abc import Iterator, Sequence

from strand_env.engine.protocol import Observer
from strand_env.pictures.ansi import BOLD, FAINT, WIDTH, Styled, padded, told, visible_width
from strand_env.sea_or_shore.ruleset import COLOURS, RANKS
from strand_env.sea_or_shore.views.table import Play, Snapshot, Table, Treasure
from strand_env.sea_or_shore.views.trick import PAIRS
from strand_env.sea_or_shore.views.words import (
    ACTION_TITLES,
    LETTERS,
    extras_named,
    heading_words,
    outcome_words,
    standing_words,
    task_words,
)

_LABEL, _PLAY = 12, 43  # widths

# ANSI styles, in the palette of 256 colours.
_COLOURS = ("97;48;5;160", "97;48;5;25", "97;48;5;28", "97;48;5;91")
_SAND, _COVER = "38;5;94;48;5;223", "30;48;5;180"


def to_text(snapshot: Snapshot, story: Sequence[str] = (), colour: bool = True, *, seat: Observer = None) -> str:
    """The game as lines of text, with or without ANSI colours."""
    table = Table(snapshot, seat)
    text = _Text(table, colour)
    lines = [f"{text.styled('Sea or Shore', BOLD)} · {heading_words(table)}", task_words(table), ""]
    lines += [*text.stacks(), *text.actions(), *text.seen_cards()]
    for player in table.players:
        lines += ["", *text.player(player)]
    return told([*lines, "", text.legend()], story)


class _Text(Styled):
    def __init__(self, table: Table, colour: bool) -> None:
        super().__init__(colour)
        self.table, self.snapshot = table, table.snapshot

    def wrapped(self, label: str, words: Sequence[str]) -> Iterator[str]:
        """Lines of short words behind a label."""
        line = padded(label, _LABEL)
        for each in words:
            if visible_width(line) + visible_width(each) > WIDTH:
                yield line
                line = " " * _LABEL
            line += f"{each} "
        yield line

    # The middle of the table

    def stacks(self) -> Iterator[str]:
        for stack, treasure in enumerate(self.snapshot["open"]):
            name = "Stack" if len(self.snapshot["open"]) == 1 else f"Stack {stack}"
            shown = self.treasure(treasure) if treasure else "nothing"
            left = [self.treasure(each) for each in self.table.remaining(stack)]
            yield from self.wrapped(name, [f"open: {shown}  ", f"{len(left)} face down:", *left])
            under = [self.treasure(each) for each in self.snapshot["under"][stack]]
            yield from self.wrapped("", ["under it:", *(under or ["nothing"]), *self.looked(stack)])

    def looked(self, stack: int) -> Iterator[str]:
        looker, arranged = self.snapshot["looker"][stack], self.snapshot["arranged"][stack]
        if not arranged:
            return
        known, words = self.table.next_up(stack), ":"
        if not known:
            known, words = self.table.peeked(stack), ", among them"
        yield f"  player {looker} knows the next {arranged}{words if known else ''}"
        yield from map(self.treasure, known)

    def actions(self) -> Iterator[str]:
        cards = []
        for pair, colours in enumerate(PAIRS):
            names = "/".join(LETTERS[colour] for colour in colours)
            one = " (one colour now)" if self.table.counts_as_one(pair) else ""
            cards.append(f"{names}: {ACTION_TITLES[self.table.action_up(pair)].lower()}{one}  ")
        box = [f"unseen in the box: {len(self.snapshot['box'])}"] if self.snapshot["box"] else []
        yield from self.wrapped("Actions", [*cards, f"supply: {extras_named(self.snapshot['supply'])}  ", *box])

    def seen_cards(self) -> Iterator[str]:
        """The island cards out of the round."""
        gone = [self.card(card) for card in self.snapshot["aside"]]
        yield from self.wrapped("Gone", gone or ["no card"])
        last = [(player, play) for player in self.table.players if (play := self.table.earlier_play(player))]
        if last:
            yield from self.wrapped("Last trick", [f"{player}: {self.played(play)}  " for player, play in last])

    # The players

    def player(self, player: int) -> Iterator[str]:
        snapshot = self.snapshot
        won = snapshot["winners"] and snapshot["winners"][player]
        mark = ">" if player in snapshot["to_act"] else "*" if won else " "
        name = self.styled(f"{mark} Player {player}", BOLD)
        leads = "leads" if player == snapshot["leader"] and not self.table.over else ""
        pile = " ".join(map(self.treasure, snapshot["treasures"][player])) or "no treasure"
        owned = f"{extras_named(snapshot['extras'][player]):<10}{standing_words(self.table, player)}"
        yield f"{padded(name, _LABEL)}{leads:<6}{padded(self.play(player), _PLAY)}{owned}"
        yield from self.wrapped("", ["pile:", pile])
        yield from self.hand(player)

    def play(self, player: int) -> str:
        play = self.table.play(player)
        return f"{self.played(play)} {', '.join(outcome_words(self.table, player))}" if play else ""

    def played(self, play: Play) -> str:
        return f"[{self.faces(play)}]" + (f" +{play.extras}" if play.extras else "")

    def faces(self, play: Play) -> str:
        """Both halves; a covered one in brackets, or as a question mark if it is not known."""
        if play.picked:
            return "taken up"
        sea = "?" if play.colour is None else LETTERS[play.colour]
        shore = "?" if play.number is None else str(play.number)
        sea_style = _COVER if play.covered == "colour" or play.colour is None else _COLOURS[play.colour]
        sea, shore = (
            f"({half})" if half != "?" and play.covered == name else half
            for half, name in ((sea, "colour"), (shore, "number"))
        )
        return self.styled(sea, sea_style) + " " + self.styled(shore, _COVER if play.covered == "number" else _SAND)

    def hand(self, player: int) -> Iterator[str]:
        hand = self.snapshot["hands"][player]
        known = self.table.known_of(player)
        if None in hand:
            words = [f"{len(hand)} card{'s' if len(hand) > 1 else ''} face down"]
        else:
            words = [self.held(player, card) for card in hand] or ["no card"]
        if known:
            words += ["  known:", *map(self.card, known)]
        yield from self.wrapped("", ["hand:", *words])

    def held(self, player: int, card: int) -> str:
        given = "+" if player in self.snapshot["to_act"] and card in self.snapshot["given"] else ""
        return self.card(card) + given + ("°" if self.table.knowers(player, card) else "")

    def card(self, card: int) -> str:
        colour = card // RANKS
        return self.styled(f"{LETTERS[colour]}{self.table.number(card)}", _COLOURS[colour])

    def treasure(self, treasure: Treasure) -> str:
        colour, value = treasure
        return self.styled(f"{LETTERS[colour]}{value}", _COLOURS[colour])

    def legend(self) -> str:
        names = ", ".join(f"{letter} {name}" for letter, name in zip(LETTERS, COLOURS, strict=True))
        return self.styled(f"{names}; [R ?] number covered, [? 7] colour covered; ° known to others", FAINT)
