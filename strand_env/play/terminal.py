"""A game in the terminal: numbers choose, letters do everything else."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from strand_env.engine.protocol import Choice
from strand_env.play.plain import play_views
from strand_env.play.session import Now, Refused, Session
from strand_env.support.printing import console, line

HELP = "Choose by number; h or h AGENT: hint, u: undo, d: same deal again, n: new game, q: quit."
HELP_AT_END = "n: new game, d: same deal again, u: undo last round, s FILE: save a replay, q: quit."


def play_in_terminal(session: Session) -> None:
    """Plays games until the person quits."""
    _Terminal(session).play()


class _Terminal:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._views = play_views(session.game)
        self._console = console()
        self._colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._told = 0  # steps shown so far

    def play(self) -> None:
        while True:
            now = self._others_decide()
            if now.failure:
                raise ValueError(now.failure)
            choices = self._show(now)
            try:
                if not self._answer(now, choices):
                    return
            except (EOFError, KeyboardInterrupt):
                self._console.print()
                return
            except (Refused, OSError) as error:
                self._say(f"  {error}")

    def _say(self, words: str) -> None:
        """A line, of which some may come from outside."""
        self._console.print(line(words), soft_wrap=True)

    def _others_decide(self) -> Now:
        """Waits until the person has to act or the game is over."""
        with self._console.status("The others are thinking …") if self._colour else nullcontext():
            return self._session.wait(lambda now: bool(now.legal or now.over or now.failure))

    def _show(self, now: Now) -> Sequence[Choice]:
        story = [words for position in now.positions[self._told + 1 :] for words in position.story]
        self._told = len(now.positions) - 1
        text = self._session.game.views.to_text(now.snapshot, story, bool(self._colour), seat=self._session.observer)
        sys.stdout.write(text)
        if now.over:
            for words in self._views.result_words(now.snapshot, self._session.observer):
                self._say(f"  {words}")
            self._say(HELP_AT_END)
            return []
        seat = self._session.seat
        assert seat is not None
        self._say("")
        self._say(f"You are player {seat}. {self._views.task(now.snapshot, seat)}")
        choices = self._views.choices(now.snapshot, seat, now.legal)
        for number, choice in enumerate(choices, 1):
            self._say(f"  {number:>2}  {choice.words}")
        self._say(HELP)
        return choices

    def _answer(self, now: Now, choices: Sequence[Choice]) -> bool:
        """Carries out what the person types; False to quit."""
        while True:
            letter, _, rest = self._console.input("> ").strip().partition(" ")
            rest = rest.strip()
            if letter == "q":
                return False
            if letter.isdecimal() and choices:
                if len(letter) > 4 or not 1 <= int(letter) <= len(choices):
                    self._say(f"  Expected a number from 1 to {len(choices)}.")
                    continue
                self._session.choose(now.token, choices[int(letter) - 1].action)
            elif letter == "u":
                self._told = self._session.undo(now.token)
            elif letter in ("n", "d"):
                self._session.new_game(now.token, same_deal=letter == "d")
                self._told = 0
            elif letter == "h" and choices:
                self._hint(now, choices, rest or next(iter(self._session.hints), ""))
                continue
            elif letter == "s" and rest:
                self._session.replay().save(rest)
                self._say(f"  wrote {rest}")
                continue
            else:
                self._say(f"  {HELP if choices else HELP_AT_END}")
                continue
            return True

    def _hint(self, now: Now, choices: Sequence[Choice], agent: str) -> None:
        self._session.ask_hint(now.token, agent)
        hint = self._session.wait(lambda now: now.hint is None or bool(now.hint.likely or now.hint.failure)).hint
        if hint is None or hint.likely is None:
            self._say(f"  {hint.failure if hint else 'The game has moved on.'}")
            return
        likely: Any = hint.likely
        for choice in sorted(choices, key=lambda choice: -likely[choice.action]):
            if likely[choice.action] >= 0.005:
                self._say(f"  {likely[choice.action]:>4.0%}  {choice.words}")
