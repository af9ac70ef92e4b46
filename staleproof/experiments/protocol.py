"""What an experiment is, as data: question, cells, verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from staleproof.experiments.cells import Cell, Finished, Result

Verdict = Literal["reproduced", "reproduced with a change", "not reproduced"]


def graded(whole: bool, part: bool) -> Verdict:
    """The verdict, by whether all that was asked for holds, and what is asked for at the least.

    Examples
    --------
    >>> graded(True, True), graded(False, True), graded(True, False)
    ('reproduced', 'reproduced with a change', 'not reproduced')
    """
    return "not reproduced" if not part else "reproduced" if whole else "reproduced with a change"


@dataclass(frozen=True)
class Number:
    """A number of the source beside ours.

    Attributes
    ----------
    what : str
    paper : float or None
        None where the source gives a figure and no number.
    ours : float
    """

    what: str
    paper: float | None
    ours: float


@dataclass(frozen=True)
class Line:
    """A curve of the figure, with what it spreads over."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    dashed: bool = False


@dataclass(frozen=True)
class Figure:
    """What is drawn."""

    x: str
    y: str
    lines: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = True


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment.

    Attributes
    ----------
    verdict : str
    says : str
        The numbers that decide it, in words.
    numbers : tuple of Number
    figure : Figure
    """

    verdict: Verdict
    says: str
    numbers: tuple[Number, ...]
    figure: Figure


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes
    ----------
    name, source : str
        Source figure or table.
    question, protocol : str
    predictions : tuple of str
        Rows of the ledger that say what is to be expected.
    refuted_by : str
        What outcome would speak against them; fixed before anything runs.
    cells : callable
        Given whether it is to be quick, the runs.
    compute : callable
        One run.
    conclude : callable
        What all runs together say.
    takes_data : bool
        Whether cells may name a file by "data", to be read instead of what packages ship.
    """

    name: str
    source: str
    question: str
    protocol: str
    refuted_by: str
    cells: Callable[[bool], Sequence[Cell]] = field(repr=False)
    compute: Callable[[Cell], Result] = field(repr=False)
    conclude: Callable[[Finished], Outcome] = field(repr=False)
    predictions: tuple[str, ...] = ()
    takes_data: bool = False
