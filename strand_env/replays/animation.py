"""A replay as an animated SVG or GIF, or as an HTML page, shown as the observer in `seat` may see it.

The whole game is replayed and drawn before anything is written, so a broken replay leaves no file behind.
"""

import base64
import hashlib
import html
import io
import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from strand_env.engine.checks import checked_path, real_number, shown
from strand_env.engine.protocol import EVERYTHING, Observer
from strand_env.support.extras import from_extra
from strand_env.support.files import write_whole

if TYPE_CHECKING:
    from PIL.Image import Image

    from strand_env.engine.game import SeatedViews
    from strand_env.replays.replay import Position, Replay

GIF_WIDTH = 800  # pixels at most; wider ones take megabytes
GIF_COLOURS = 256
SECONDS = 1.5  # per position: time to read a sentence or two
LONGEST = 3600
SHORTEST = 0.05  # browsers slow down anything faster
LAST_FACTOR = 3  # the final position is shown longer before the animation repeats

Watch = Callable[[Sequence["Position"]], Iterable["Position"]]
"""Yields the positions one by one as they are drawn, for example through a progress bar."""


def save_svg(
    replay: "Replay",
    path: str | os.PathLike[str],
    seconds: float = SECONDS,
    watch: Watch = iter,
    seat: Observer = EVERYTHING,
) -> None:
    """Saves an animated SVG without scripts: all pictures in one place, shown in turn."""
    _check(replay, path, seconds)
    pictures = [picture for _, picture in _pictures(replay, watch, seat)]
    durations = _durations(len(pictures), seconds)
    total = sum(durations)
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in ElementTree.fromstring(pictures[0]).items())
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg"{attributes}>']
    begin = 0
    for picture, lasting in zip(pictures, durations, strict=True):
        # Viewers without animation show the first.
        lines += [
            f'<g display="{"none" if begin else "inline"}">',
            f'<animate attributeName="display" values="inline;none" keyTimes="0;{lasting / total}" calcMode="discrete" '
            f'begin="{begin}ms" dur="{total}ms" repeatCount="indefinite"/>',
            picture.strip(),
            "</g>",
        ]
        begin += lasting
    write_whole(path, "\n".join([*lines, "</svg>\n"]).encode())


def save_gif(
    replay: "Replay",
    path: str | os.PathLike[str],
    seconds: float = SECONDS,
    watch: Watch = iter,
    seat: Observer = EVERYTHING,
) -> None:
    """Saves an animated GIF, which every viewer can show, in fewer colours."""
    _check(replay, path, seconds)
    with from_extra("cli", "an animation in pixels"):
        from PIL.Image import Dither
    positions = list(replay.positions(seat))
    views = replay.game.views
    palette = _palette([_frame(views, position, seat) for position in positions[:: max(1, len(positions) // 4)]])
    frames = [
        _frame(views, position, seat).quantize(palette=palette, dither=Dither.NONE) for position in watch(positions)
    ]
    durations = _durations(len(frames), seconds)
    content = io.BytesIO()
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    write_whole(path, content.getvalue())


def save_html(
    replay: "Replay",
    path: str | os.PathLike[str],
    seconds: float = SECONDS,
    watch: Watch = iter,
    seat: Observer = EVERYTHING,
) -> None:
    """Saves a self-contained page: all pictures, the story, a slider, and keys to play and step."""
    _check(replay, path, seconds)
    frames = [{"picture": picture, "story": position.story} for position, picture in _pictures(replay, watch, seat)]
    title = f"{replay.game.id}, {replay.players} players"
    if seat == EVERYTHING:  # from the seed follows all that was hidden
        title += f", seed {replay.seed:#018x}"
    # Inside a script element only "<" could end it or open a comment.
    data = json.dumps({"milliseconds": _milliseconds(seconds), "frames": frames}).replace("<", "\\u003c")
    policy = f"default-src 'none'; img-src data:; style-src '{_digest(_STYLE)}'; script-src '{_digest(_SCRIPT)}'"
    page = _PAGE.format(
        policy=policy, title=html.escape(title), style=_STYLE, script=_SCRIPT, data=data, last=len(frames) - 1
    )
    write_whole(path, page.encode())


def _check(replay: "Replay", path: str | os.PathLike[str], seconds: float) -> None:
    """Refuses what is wrong before anything is drawn."""
    from strand_env.replays.replay import Replay

    if not isinstance(replay, Replay):
        raise ValueError(f"replay: expected a replay, got {shown(replay)}")
    checked_path("path", path)
    real_number("seconds", seconds, 0, LONGEST)


def _milliseconds(seconds: float) -> int:
    return round(1000 * max(seconds, SHORTEST))


def _durations(count: int, seconds: float) -> list[int]:
    """How long each position of an animation is shown, in milliseconds."""
    return [_milliseconds(seconds)] * (count - 1) + [_milliseconds(seconds) * LAST_FACTOR]


def _pictures(replay: "Replay", watch: Watch, seat: Observer) -> list[tuple["Position", str]]:
    views = replay.game.views
    positions = watch([*replay.positions(seat)])
    return [(position, views.to_svg(position.snapshot, position.story, seat=seat)) for position in positions]


def _frame(views: "SeatedViews", position: "Position", seat: Observer) -> "Image":
    from PIL import Image

    image = Image.fromarray(views.to_pixels(position.snapshot, position.story, seat=seat))
    if image.width > GIF_WIDTH:
        image = image.resize((GIF_WIDTH, round(image.height * GIF_WIDTH / image.width)), Image.Resampling.LANCZOS)
    return image


def _palette(frames: list["Image"]) -> "Image":
    """The colours of some frames together: one palette for all keeps unchanged parts from flickering."""
    from PIL import Image

    together = Image.new("RGB", (frames[0].width, sum(frame.height for frame in frames)))
    top = 0
    for frame in frames:
        together.paste(frame, (0, top))
        top += frame.height
    return together.quantize(GIF_COLOURS)


def _digest(source: str) -> str:
    """How a content security policy names a script or style that it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; }
h1 { font-size: 1rem; font-weight: normal; margin: 0 0 0.5rem; }
img { display: block; max-width: 100%; max-height: 75vh; margin: 0 auto; }
div { display: flex; gap: 0.75rem; align-items: center; margin: 0.75rem 0; }
input { flex: 1; }
button { font: inherit; min-width: 5rem; }
output { min-width: 5rem; text-align: right; font-variant-numeric: tabular-nums; }
ul { min-height: 6rem; margin: 0; padding-left: 1.25rem; }
"""

# Pictures are shown as images, so nothing in them can run, and ids in one do not clash with another's.
_SCRIPT = """
"use strict";
const { milliseconds, frames } = JSON.parse(document.getElementById("data").textContent);
const [picture, button, slider, count, story] = ["picture", "button", "slider", "count", "story"].map(
  (name) => document.getElementById(name));
let shown = 0;
let timer = null;

function show(number) {
  shown = Math.max(0, Math.min(frames.length - 1, number));
  const frame = frames[shown];
  picture.src = "data:image/svg+xml," + encodeURIComponent(frame.picture);
  picture.alt = "The game after step " + shown;
  slider.value = shown;
  count.textContent = shown + " / " + (frames.length - 1);
  story.replaceChildren(...frame.story.map((sentence) => {
    const item = document.createElement("li");
    item.textContent = sentence;
    return item;
  }));
  if (shown === frames.length - 1) pause();
}

function pause() {
  clearInterval(timer);
  timer = null;
  button.textContent = "Play";
}

function play() {
  if (shown === frames.length - 1) show(0);
  button.textContent = "Pause";
  timer = setInterval(() => show(shown + 1), milliseconds);
}

function toggle() {
  if (timer === null) play(); else pause();
}

button.addEventListener("click", toggle);
slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const goals = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: frames.length - 1 };
  if (event.key in goals) {
    event.preventDefault();
    pause();
    show(goals[event.key]);
  } else if (event.key === " " && event.target !== button) {
    event.preventDefault();
    toggle();
  }
});
show(0);
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<noscript>This page needs JavaScript to show the game.</noscript>
<img id="picture" alt="">
<div>
<button id="button" type="button">Play</button>
<input id="slider" type="range" min="0" max="{last}" value="0" aria-label="Step of the game">
<output id="count"></output>
</div>
<ul id="story" aria-live="polite"></ul>
<p>Space: play or pause. Arrow keys, Home, End: move between steps.</p>
<script id="data" type="application/json">{data}</script>
<script>{script}</script>
</body>
</html>
"""
