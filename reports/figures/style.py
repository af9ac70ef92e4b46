"""How every picture looks, and how it becomes a file.

Matplotlib is imported when a picture is drawn, not before, and through its objects only: no global
state, no window.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reports.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE = "#CC79A7"
"""With it, five of the eight colours of Okabe and Ito, told apart by everybody."""
INK, GREY, PALE = "#222222", "#6b6b6b", "#d9d9d9"
WIDTH = 7.2
"""Inches; a little over the width of a printed page's text."""

_SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 9.0,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "figure.facecolor": "white",
    "hatch.linewidth": 0.35,
    "svg.hashsalt": "staleproof",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


@contextmanager
def style() -> Iterator[None]:
    """Draw and save inside this, so that nobody else's settings change or matter."""
    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context():
        # A letter that the font lacks prints as a box; that is no reason to fail.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def encode(figure: Figure, suffix: str) -> bytes:
    """Encode a figure as ``svg``, ``pdf`` or ``png``, without a date: same picture, same bytes."""
    dateless = {
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Software": None},
    }
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix, metadata=dateless[suffix], dpi=200)
    return buffer.getvalue()


def heading(axes: Axes, words: str) -> None:
    """Write a title at the left edge, as a sentence starts."""
    axes.set_title(visible(words), loc="left", pad=8)


def clipped(words: str, length: int) -> str:
    """Shorten words that would not fit; captions have them whole.

    Examples
    --------
    >>> clipped("a long label", 8)
    'a long …'
    """
    shown = visible(words)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def readable(red: float, green: float, blue: float) -> str:
    """Dark letters on light colours and white ones on dark; parts run from 0 to 1.

    Examples
    --------
    >>> readable(0.0, 0.45, 0.7), readable(0.9, 0.9, 0.9)
    ('white', '#222222')
    """
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.52 else "white"


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Move labels apart until neighbours are at least `gap` from each other.

    Examples
    --------
    >>> spread([0.0, 0.0, 5.0], 1.0)
    [-0.5, 0.5, 5.0]
    """
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    groups: list[list[int]] = []
    centres: list[float] = []
    for k in order:
        groups.append([k])
        centres.append(wanted[k])
        while len(groups) > 1 and _overlap(groups, centres, gap):
            last = groups.pop()
            centres.pop()
            groups[-1] += last
            centres[-1] = sum(wanted[m] for m in groups[-1]) / len(groups[-1])
    placed = list(wanted)
    for group, centre in zip(groups, centres, strict=True):
        for position, k in enumerate(group):
            placed[k] = centre + (position - (len(group) - 1) / 2) * gap
    return placed


def _overlap(groups: list[list[int]], centres: list[float], gap: float) -> bool:
    half = (len(groups[-1]) + len(groups[-2])) / 2 * gap
    return centres[-1] - centres[-2] < half - 1e-9
