"""How actions and arrows look in a fault's picture; colours only repeat what shapes say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from reports.figures.gantt import KINDS
from reports.figures.shades import Colour, rgb
from reports.figures.style import BLUE, GREEN, GREY, INK, ORANGE, PALE, VERMILLION
from schedules.actions import MESSAGES, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ARROWS: Final = {"fact": (VERMILLION, "-"), "wanted": (GREEN, "--"), "order": (GREY, ":")}
"""Colour and line of a pointer of each kind."""

STATES: Final = {"done": "ran", "begun": "began, never ends", "never": "never begins"}
"""In words."""

Point = tuple[float, float]

_HATCH: Final = "#b4b4b4"


def colour_of(kind: Kind) -> Colour:
    """Of computations that of a timeline; of messages a pale one of what they carry."""
    if kind.name in KINDS:
        return rgb(KINDS[kind.name].colour)
    if kind in MESSAGES:
        return _paler(rgb(BLUE if kind in (Kind.SEND_F, Kind.RECV_F) else ORANGE), 0.7)
    return rgb(PALE)


def _paler(colour: Colour, white: float) -> Colour:
    red, green, blue = (part + (1 - part) * white for part in colour)
    return red, green, blue


def look_of(look: str, colour: Colour) -> dict[str, Any]:
    """How the box of an action looks that ran, began or never began; or that is ``marked``."""
    match look:
        case "done":
            return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.7}
        case "begun":
            return {"facecolor": colour, "edgecolor": "white", "linewidth": 0.7, "hatch": "/////"}
        case "never":
            return {"facecolor": "white", "edgecolor": _HATCH, "linewidth": 0.7, "hatch": "////"}
    return {"facecolor": "none", "edgecolor": INK, "linewidth": 2.4, "zorder": 4}


def draw_arrow(axes: Axes, path: list[Point], number: int, kind: str) -> None:
    """Draw a numbered arrow along a quadratic curve; `kind` is that of a pointer."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path
    from matplotlib.patheffects import Normal, withStroke

    colour, line = ARROWS[kind]
    curve = Path(path, [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    patch = FancyArrowPatch(path=curve, arrowstyle="-|>", mutation_scale=10, color=colour)
    patch.set(linewidth=1.7, linestyle=line, zorder=5, gid=f"arrow-{number}")
    patch.set_path_effects([withStroke(linewidth=3.6, foreground="white"), Normal()])
    axes.add_patch(patch)
    # Not in the middle, where arrows cross that go to and fro between two rows.
    x, y = (0.49 * a + 0.42 * b + 0.09 * c for a, b, c in zip(*path, strict=True))
    badge = {"boxstyle": "circle,pad=0.18", "facecolor": colour, "edgecolor": "white"}
    label = axes.text(x, y, str(number), color="white", fontsize=7, weight="bold", zorder=6)
    label.set(ha="center", va="center", bbox=badge)
