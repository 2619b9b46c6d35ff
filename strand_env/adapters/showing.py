"""What environments of a single game show people: text, pixels, SVG, the story of the last step, a replay."""

import sys
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt

from strand_env.adapters.recorder import Recorder
from strand_env.engine.checks import one_of
from strand_env.engine.game import Game
from strand_env.engine.protocol import EVERYTHING, Batch, Observer, Snapshot

if TYPE_CHECKING:
    from strand_env.replays.replay import Replay

RenderMode = Literal["ansi", "human", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
RENDERING = {"render_modes": list(RENDER_MODES), "render_fps": 2}

Moment = tuple[Batch, int]
"""A game as it stood, and how many moves had been played by then."""


def agent_name(player: int) -> str:
    return f"player_{player}"


class OneGame:
    """The only game of a recorded batch, shown as `observer` sees it.

    Subclasses play it. They call `_begun` when it was dealt; and `_stepped` after each step, which may be several
    moves, with what `_now` returned before it. `offences` are the illegal actions that ended it, by player.
    """

    def __init__(self, game: Game, recorder: Recorder, render_mode: RenderMode | None) -> None:
        one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.game = game
        self.recorder = recorder
        self.render_mode: str | None = render_mode
        self.observer: Observer = None
        self.offences: dict[int, int] = {}
        # What the last step, or the deal, began with, and the moves since
        self._before: Batch | Snapshot = recorder.starts[0]
        self._moves: list[list[int]] = []

    def rendering_metadata(self) -> dict[str, Any]:
        return {"name": self.game.id, **RENDERING, "render_modes": list(RENDER_MODES)}

    def snapshot(self) -> Snapshot:
        """The whole game as plain data for JSON, hidden things included."""
        return self.recorder.batch.snapshot(0)

    def replay(self) -> "Replay":
        """The game so far, from where it was dealt or taken up."""
        return self.recorder.replay(0)

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Text or pixels, by `render_mode`; "human" prints the text."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() shows nothing without a render_mode, one of {RENDER_MODES}")
            return None
        if self.render_mode == "human":
            self._print(self.snapshot(), self.story())
            return None
        show = self.game.views.to_pixels if self.render_mode == "rgb_array" else self.game.views.to_text
        return show(self.snapshot(), self.story(), seat=self.observer)

    def to_svg(self) -> str:
        return self.game.views.to_svg(self.snapshot(), self.story(), seat=self.observer)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def story(self) -> list[str]:
        """What the last move brought, in sentences."""
        *_, (_, story) = self._positions()
        return story

    # For subclasses

    def _now(self) -> Moment:
        return self.recorder.batch.clone(), len(self.recorder.played[0])

    def _begun(self, recorder: Recorder, observer: Observer) -> None:
        self.recorder, self.observer, self.offences = recorder, observer, {}
        self._before, self._moves = recorder.starts[0], recorder.played[0][:]
        self._show(0)

    def _stepped(self, before: Moment, offences: dict[int, int]) -> None:
        self._before, number = before
        self._moves, self.offences = self.recorder.played[0][number:], offences
        self._show(1)

    def _show(self, first: int) -> None:
        """Prints all positions of the last step from this one on, if people watch."""
        if self.render_mode == "human":
            for position in islice(self._positions(), first, None):
                self._print(*position)

    def _print(self, snapshot: Snapshot, story: list[str]) -> None:
        print(self.game.views.to_text(snapshot, story, sys.stdout.isatty(), seat=self.observer))

    def _positions(self) -> Iterator[tuple[Snapshot, list[str]]]:
        """From before the last step, or from the deal, to now: how the game stood, and the story of getting there."""
        start = self._before
        batch = self.game.batch.from_snapshots([start]) if isinstance(start, dict) else start.clone()
        before = batch.snapshot(0)
        yield before, []
        for actions in self._moves:
            batch.step([actions])
            after = batch.snapshot(0)
            yield after, self.game.views.tell(before, actions, after, seat=self.observer)
            before = after
        if self.offences:
            yield before, [self._offence_in_words(player, action) for player, action in self.offences.items()]

    def _offence_in_words(self, player: int, action: int) -> str:
        """Which action is illegal depends on the hand: where that is private, others are not told."""
        known = self.game.information == "open" or self.observer in (player, EVERYTHING)
        what = f"action {action}, which is not legal" if known else "an action that is not legal"
        return f"{agent_name(player)} chose {what}: the game ends."
