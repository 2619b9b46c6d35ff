"""The look of plots, and how they are saved."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from strand_env.support.extras import from_extra
from strand_env.support.files import write_whole

INK, SEA, SAND, SHELL = "#22313f", "#1f78a4", "#d9a441", "#b9b2a6"
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    # Names of agents and files are no formulas, whatever is in them.
    "text.parse_math": False,
    "text.usetex": False,
}


@contextmanager
def picture(path: Path, width: float, height: float, **subplots: Any) -> Iterator[tuple[Any, Any]]:
    """A figure of this size in inches and its axes, from the arguments of `subplots`; saved as PNG afterwards."""
    with from_extra("arena", "a plot"):
        import matplotlib
        from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE), warnings.catch_warnings():  # leaves the style of other plots alone
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # in names: a box is drawn instead
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(**subplots)
        content = io.BytesIO()
        figure.savefig(content, dpi=120, format="png")
    write_whole(path, content.getvalue())
