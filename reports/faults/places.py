"""Where the columns of a fault's picture stand, in inches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reports.faults.scene import Scene
from schedules.schedule import Schedule

WIDEST: Final = 12.5
GAP: Final = 0.26
"""Room for columns that are left out."""
HANG: Final = 0.34
"""Room for the line behind which nothing ends."""
_NARROWEST: Final = 0.34
_LETTER: Final = 0.077


@dataclass(frozen=True)
class Places:
    """Where columns begin and end.

    Attributes
    ----------
    left, right : tuple of float
        Of every column.
    end : float
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    end: float

    @classmethod
    def of(cls, schedule: Schedule, scene: Scene) -> Places:
        """Every column as wide as its longest label needs."""
        widths = [_NARROWEST] * len(scene.columns)
        for cell in scene.cells:
            letters = len(str(schedule.action(cell.action)))
            widths[cell.column] = max(widths[cell.column], 0.1 + _LETTER * letters)
        x = 0.3 + 0.075 * max(len(f"rank {rank}") for rank in scene.ranks)
        left, right = [], []
        for number, (column, width) in enumerate(zip(scene.columns, widths, strict=True)):
            x += GAP * column.gap + HANG * (number == scene.hang)
            left.append(x)
            x += width
            right.append(x)
        return cls(tuple(left), tuple(right), x + GAP * bool(scene.more))
