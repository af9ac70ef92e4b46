"""Pictures of faults as files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from reports.drawing import require_destination
from reports.faults.figure import fault_figure
from reports.faults.focus import Times, explanation, look_at, run_of, spot
from reports.figures.style import encode, style
from reports.files import write_files
from reports.text import visible
from schedules.schedule import Schedule
from schedules.validation.violation import Violation

MOST_PICTURES: Final = 20
_LONGEST_NAME: Final = 80
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._]+")
_ELEMENT: Final = re.compile(r'<g id="(mark|action|arrow)-(\d+)">')
_ROOT: Final = re.compile(r"<svg ([^>]*)>")


def write_fault(
    schedule: Schedule,
    violation: Violation,
    path: str | os.PathLike[str],
    progress: Times | None = None,
) -> Path | None:
    """Draw a fault into an ``.svg``, ``.png`` or ``.pdf`` file, as a whole or not at all.

    An SVG tells screen readers what it shows, and the place of every action under the pointer.

    Parameters
    ----------
    schedule, violation, progress
        As for `reports.faults.fault_figure`.
    path : str or path-like
        The suffix chooses the format.

    Returns
    -------
    Path or None
        The file written; None, and no file, if the violation marks nothing.

    Raises
    ------
    PictureError
        A mark is no action of this schedule.
    OutputError
        If the suffix is another one, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from schedules import build
    >>> from schedules.validation.violation import Marks
    >>> fault = Violation("causal", "…", "gpipe:rank 0", {}, Marks((0,)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_fault(build("gpipe", 2, 2), fault, f"{folder}/fault.svg").name
    'fault.svg'
    """
    suffix = require_destination(path)
    picture = fault_bytes(schedule, violation, suffix, progress)
    if picture is None:
        return None
    target = Path(os.path.realpath(path))
    write_files({target.name: picture}, target.parent)
    return Path(path)


def write_faults(
    schedule: Schedule,
    violations: Sequence[Violation],
    directory: str | os.PathLike[str],
    progress: Times | None = None,
    most: int = MOST_PICTURES,
) -> list[Path]:
    """Draw each of several faults into a file ``NN-invariant-place.svg``.

    NN is the position of the violation, from 1 on; those that mark nothing have no picture. All
    files are written, or none.

    Parameters
    ----------
    schedule, progress
        As for `write_fault`.
    violations : sequence of Violation
    directory : str or path-like
        Made, with its parents, if missing.
    most : int
        Pictures beyond so many are not drawn.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    PictureError, OutputError
        As `write_fault`.
    """
    drawn = [(number, found) for number, found in enumerate(violations, 1) if _has_marks(found)]
    run = run_of(schedule) if progress is None and drawn else progress
    pictures: dict[str, bytes] = {}
    for number, violation in drawn[:most]:
        picture = fault_bytes(schedule, violation, "svg", run)
        if picture is not None:
            pictures[f"{fault_name(violation, number)}.svg"] = picture
    return write_files(pictures, directory) if pictures else []


def _has_marks(violation: Violation) -> bool:
    return bool(violation.marks.actions or violation.marks.arrows)


def fault_name(violation: Violation, number: int) -> str:
    """A file name without suffix, of letters, digits, dots, hyphens and underscores.

    Examples
    --------
    >>> place = "ci/../bad run.csv:row 2:cell 1"
    >>> fault_name(Violation("staleness<=3", "…", place, {}), 7)
    '07-staleness-3-bad-run.csv-row-2-cell-1'
    """
    place = re.split(r"[\\/]", violation.place)[-1]
    words = _UNSAFE.sub("-", f"{violation.invariant}-{place}")[:_LONGEST_NAME].strip("-._")
    return f"{number:02d}-{words}"


def fault_bytes(
    schedule: Schedule, violation: Violation, suffix: str, progress: Times | None = None
) -> bytes | None:
    """Draw a fault and encode it as ``svg``, ``pdf`` or ``png``; None if nothing is marked."""
    figure = fault_figure(schedule, violation, progress)
    if figure is None:
        return None
    with style():
        picture = encode(figure, suffix)
    if suffix != "svg":
        return picture
    return _described(picture.decode(), schedule, violation).encode()


def _described(svg: str, schedule: Schedule, violation: Violation) -> str:
    """Add a title and a description, and to every action and arrow what it is."""
    focus = look_at(schedule, violation)
    told = explanation(schedule, focus) if focus is not None else []

    def element(found: re.Match[str]) -> str:
        name, number = found[1], int(found[2])
        words = told[number - 1] if name == "arrow" else spot(schedule, number)
        return f"{found[0]}<title>{_text(words)}</title>"

    title = _text(f"{violation.invariant}: {schedule.name}")
    description = _text(". ".join([violation.message, *told]))
    svg = _ROOT.sub(
        lambda root: (
            f'<svg {root[1]} role="img" aria-labelledby="fault-title fault-description">\n'
            f' <title id="fault-title">{title}</title>\n'
            f' <desc id="fault-description">{description}</desc>'
        ),
        svg,
        count=1,
    )
    return _ELEMENT.sub(element, svg)


def _text(words: str) -> str:
    return escape(visible(words))
