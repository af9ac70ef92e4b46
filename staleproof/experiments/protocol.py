"""What an experiment is, as data: question, cells, verdict."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Final, Literal, get_args

from staleproof.experiments.cells import Cell, Finished, Result

Verdict = Literal["reproduced", "reproduced with a change", "not reproduced"]
VERDICTS: Final = get_args(Verdict)


def _require(holds: bool, rule: str, found: object) -> None:
    if not holds:
        raise ValueError(f"{rule}, found {found!r:.60}")


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
        Not finite where a run diverges.

    Raises
    ------
    ValueError
        One of them is no number.

    Examples
    --------
    >>> Number("loss", None, "low")
    Traceback (most recent call last):
    ...
    ValueError: a number has a real `ours`, found 'low'
    """

    what: str
    paper: float | None
    ours: float

    def __post_init__(self) -> None:
        _require(isinstance(self.ours, Real), "a number has a real `ours`", self.ours)
        known = self.paper is None or isinstance(self.paper, Real)
        _require(known, "a number has a real `paper` or None", self.paper)


@dataclass(frozen=True)
class Line:
    """A curve of the figure, with what it spreads over; all sequences are as long as `x`."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    dashed: bool = False

    def __post_init__(self) -> None:
        drawn = [one for one in (self.y, self.low, self.high) if one is not None]
        lengths = [len(one) for one in drawn]
        _require(
            set(lengths) == {len(self.x)}, f"a line has {len(self.x)} values as x has", lengths
        )


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

    def __post_init__(self) -> None:
        _require(self.verdict in VERDICTS, f"a verdict is one of {VERDICTS}", self.verdict)
        alien = [one for one in self.numbers if not isinstance(one, Number)]
        _require(not alien, "numbers of an outcome are of class Number", alien)
        _require(isinstance(self.figure, Figure), "an outcome has a Figure", self.figure)


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Attributes
    ----------
    name : str
        Its files are called so: letters, digits, - and _.
    source : str
        Figure or table.
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

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and self.name.replace("-", "_").isidentifier()
        _require(named, "the name of an experiment is made of letters, digits, - and _", self.name)
        for what in ("source", "question", "protocol", "refuted_by"):
            _require(isinstance(getattr(self, what), str), f"{what} is text", getattr(self, what))
        rows = isinstance(self.predictions, tuple) and {type(r) for r in self.predictions} <= {str}
        _require(rows, "predictions are a tuple of ids", self.predictions)
        for what in ("cells", "compute", "conclude"):
            _require(callable(getattr(self, what)), f"{what} is called", getattr(self, what))
