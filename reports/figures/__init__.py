"""Pictures that belong to rows of a ledger, one figure a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from reports.checks import record
from reports.errors import LedgerError, OutputError
from reports.figures.curves import Curves
from reports.figures.growth import Growth
from reports.figures.heatmap import Heatmap
from reports.figures.style import encode, style
from reports.figures.timeline import Timeline
from reports.files import write_files

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Picture(Protocol):
    """Checked data that can be drawn."""

    def caption(self) -> str:
        """Say what the figure shows."""

    def draw(self) -> Figure:
        """Draw the figure."""


_READERS: dict[str, Callable[[Any, str], Picture]] = {
    "curves": Curves.read,
    "growth": Growth.read,
    "heatmap": Heatmap.read,
    "timeline": Timeline.read,
}
FIGURES = tuple(_READERS)
"""Names that ``data.figure`` may have."""


def read_figure(data: object, place: str) -> Picture:
    """Read the ``data`` of an evidence entry that names a figure.

    Raises
    ------
    LedgerError
        If no figure has this name, or the data do not fit it.
    """
    record({})(data, place)
    assert isinstance(data, dict)
    name = data.get("figure")
    if not isinstance(name, str) or name not in _READERS:
        rule = f"a figure must be one of {', '.join(FIGURES)}"
        raise LedgerError(rule, name, f"{place}.figure", "use one of these names")
    return _READERS[name](data, place)


def picture_bytes(picture: Picture, *suffixes: str) -> list[bytes]:
    """Draw a picture once and encode it in each format: ``svg``, ``pdf`` or ``png``."""
    with style():
        figure = picture.draw()
        return [encode(figure, suffix) for suffix in suffixes]


def draw_timeline(
    rows: Sequence[str],
    title: str,
    path: str | os.PathLike[str],
    marks: Sequence[Mapping[str, object]] = (),
) -> Path:
    """Draw a schedule into an ``.svg``, ``.pdf`` or ``.png`` file.

    Parameters
    ----------
    rows : sequence of str
        One row a stage, one token a slot: ``F0`` forward, ``B0`` backward, ``I0`` and ``W0`` the
        two halves of a backward, ``.`` idle. Short rows end idle.
    title : str
        Printed above the picture.
    path : str or path-like
        The suffix chooses the format.
    marks : sequence of mapping
        ``{"stage": s, "slot": t, "label": text}``: cells to outline.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    LedgerError
        If rows or marks are not as described.
    OutputError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     draw_timeline(["F0 . B0", ". F0 B0"], "two stages", f"{folder}/two.svg").name
    'two.svg'
    """
    target = Path(path)
    suffix = target.suffix.lower().lstrip(".")
    if suffix not in ("svg", "pdf", "png"):
        raise OutputError(
            f"a picture must end in .svg, .pdf or .png, found {suffix or 'no suffix'!r}",
            str(target),
            "rename the file",
        )
    data: dict[str, object] = {
        "title": title,
        "rows": list(rows),
        "marks": [dict(mark) for mark in marks],
    }
    picture = Timeline.read(data, "timeline")
    write_files({target.name: picture_bytes(picture, suffix)[0]}, target.parent)
    return target
