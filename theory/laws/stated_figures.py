"""`check_figures`: a family's stated makespan, bubble and peaks, compared with runs on a grid.

For families whose start times are not affine nothing is proved for all p. Their formulas are data
(`schedules.families.figures`); here every size of a stated finite grid is built and run, and the
three figures are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Final

import sympy

from schedules.analysis import peaks
from schedules.errors import ParameterError
from schedules.families import FAMILIES, get_family
from schedules.families.family import Family, Parameter
from schedules.families.figures import Figures
from schedules.timeline import timeline
from theory.errors import NoClosedFormError
from theory.verdicts import Verdict, weakest

RANKS: Final = range(2, 7)
"""Values of p on the grid."""

PER_RANK: Final = 4
"""The grid goes up to M = 4p."""

CHOICES: Final = 3
"""Values that a parameter takes which is not given, from its minimum on."""

MAX_VALUE: Final = 64
"""Largest value of a given parameter: the grid is built in seconds."""

_PARAMETERS: Final = {entry.name for family in FAMILIES.values() for entry in family.parameters}
SYMBOLS: Final = {name: sympy.Symbol(name, integer=True) for name in ("p", "M", "r", *_PARAMETERS)}
"""Integers that a formula may name."""

METHOD: Final = "runs of the whole grid, compared exactly"

NOT_DERIVED: Final = (
    "linearization",
    "start_times",
    "delay",
    "max",
    "min",
    "mean",
    "whole_run_max",
    "whole_run_least_m",
    "local_staleness",
    "local_staleness_whole_run",
    "in_flight",
)
"""Keys of a derived law that have no value here."""


@dataclass(frozen=True)
class Run:
    """What one size of the grid did.

    Attributes
    ----------
    size : mapping of str to int
        p, M and the family's parameters.
    makespan : int
    bubble : Fraction
    peaks : tuple of int
        Activations, by rank.
    """

    size: Mapping[str, int]
    makespan: int
    bubble: Fraction
    peaks: tuple[int, ...]


@dataclass(frozen=True)
class Forms:
    """The figures as sympy expressions over p, M, r and the parameters that are free."""

    makespan: sympy.Expr
    bubble: sympy.Expr
    peak: sympy.Expr


@dataclass(frozen=True)
class Comparison:
    """One figure on the whole grid.

    Attributes
    ----------
    name, says : str
    verdict : Verdict
        CHECKED, REFUTED, or UNKNOWN on an empty grid.
    witness : dict
        The first size at which formula and run differ, where refuted.
    method : str
    queries : int
        Numbers compared.
    """

    name: str
    says: str
    verdict: Verdict
    witness: dict[str, int]
    method: str
    queries: int


@dataclass(frozen=True)
class FiguresLaw:
    """A family's stated figures and what the grid says of them."""

    family: str
    domain: str
    forms: Forms
    proof: tuple[Comparison, ...]

    @property
    def verdict(self) -> Verdict:
        """CHECKED if every figure is."""
        return weakest(comparison.verdict for comparison in self.proof)

    def to_json(self) -> dict[str, Any]:
        """As plain data, with the keys of a derived law; formulas only where they are CHECKED."""
        stated = self.verdict is Verdict.CHECKED
        forms = {
            "makespan": self.forms.makespan,
            "bubble": self.forms.bubble,
            "peak_activations": self.forms.peak,
        }
        return {
            "family": self.family,
            "domain": self.domain,
            "verdict": self.verdict.name,
            "clauses": [],
            "proof": [
                {
                    "name": comparison.name,
                    "says": comparison.says,
                    "method": comparison.method,
                    "verdict": comparison.verdict.name,
                    "queries": comparison.queries,
                }
                for comparison in self.proof
            ],
            "rests_on": ["comparison"],
            **dict.fromkeys(NOT_DERIVED),
            **{name: sympy.sstr(form) if stated else None for name, form in forms.items()},
        }


def check_figures(family: str, parameters: Mapping[str, int] | None = None) -> FiguresLaw:
    """Compare a family's figures with runs of every size of the grid.

    The grid: p = 2 … 6, every M up to 4p for which the family is built and the figures are
    claimed, and a parameter as given, or from its minimum on in three values.

    Raises
    ------
    NoClosedFormError
        No figures are stated for the family, or a parameter is too large for the grid.
    schedules.errors.UnknownNameError, schedules.errors.ParameterError
        Unknown family or parameter, or a value outside its domain.

    Examples
    --------
    >>> law = check_figures("zb-h1")
    >>> law.verdict.name, law.to_json()["bubble"]
    ('CHECKED', '(p - 1)/(3*M + p - 1)')
    >>> law.domain
    '2 <= p <= 6, 1 <= M <= 4*p, all 65 sizes that the family accepts'
    """
    found = get_family(family)
    values = found.checked(2, 1, parameters or {})
    if found.figures is None:
        raise NoClosedFormError(
            f"no figures are stated for {family!r}",
            f"figures of {family}",
            f"ask `staleproof delays {family}` for the numbers of one size",
        )
    for name, value in values.items():
        if value > MAX_VALUE:
            raise NoClosedFormError(
                f"the grid is run with {name} up to {MAX_VALUE}, found {value}",
                f"figures of {family}",
                f"take {name} = {MAX_VALUE} or less, or leave it out",
            )
    grid = list(runs(found, found.figures, values))
    forms = read_forms(found.figures, values)
    domain = _domain(found, found.figures, values, len(grid))
    return FiguresLaw(family, domain, forms, compare(forms, grid))


def runs(family: Family, figures: Figures, values: Mapping[str, int]) -> Iterator[Run]:
    """Build and run every size of the grid, smallest first."""
    where = _read(figures.where)
    for p in RANKS:
        for M in range(1, PER_RANK * p + 1):
            for chosen in _choices(family, values):
                size = {"p": p, "M": M, **chosen}
                if not _at(where, size):
                    continue
                try:
                    line = timeline(family.build(p, M, **chosen))
                except ParameterError:  # not a size of this family
                    continue
                kept = peaks(line).activations_by_rank
                yield Run(size, line.length, line.idle_fraction, kept)


def read_forms(figures: Figures, values: Mapping[str, int]) -> Forms:
    """Read the texts, with the given parameters put in.

    Examples
    --------
    >>> read_forms(Figures("2*chunks*M", "chunks*M", "p"), {"chunks": 3})
    Forms(makespan=6*M, bubble=1/2, peak=p)
    """
    makespan, work, peak = (
        _at(_read(text), values) for text in (figures.makespan, figures.work, figures.peak)
    )
    return Forms(makespan, sympy.factor(1 - work / makespan), peak)


def compare(forms: Forms, grid: Sequence[Run]) -> tuple[Comparison, ...]:
    """Compare each figure with all runs."""
    by_rank = [({**run.size, "r": r}, kept) for run in grid for r, kept in enumerate(run.peaks)]
    return (
        _compare(
            "makespan",
            "the last action ends at the makespan",
            forms.makespan,
            [(run.size, run.makespan) for run in grid],
        ),
        _compare(
            "bubble",
            "idle slots over all slots of all ranks are the bubble",
            forms.bubble,
            [(run.size, run.bubble) for run in grid],
        ),
        _compare(
            "peak activations",
            "every rank r keeps at most its peak of activations, and reaches it",
            forms.peak,
            by_rank,
        ),
    )


def _compare(
    name: str,
    says: str,
    form: sympy.Expr,
    found: Sequence[tuple[Mapping[str, int], int | Fraction]],
) -> Comparison:
    """Compare a formula with the numbers found at each size, up to the first that differs."""
    for count, (size, number) in enumerate(found, start=1):
        stated = _at(form, size)
        if stated != sympy.Rational(number):
            place = ", ".join(f"{symbol} = {value}" for symbol, value in size.items())
            said = f"{says}; at {place} the formula gives {stated}, the run {number}"
            return Comparison(name, said, Verdict.REFUTED, dict(size), METHOD, count)
    verdict = Verdict.CHECKED if found else Verdict.UNKNOWN
    return Comparison(name, says, verdict, {}, METHOD, len(found))


def _choices(family: Family, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every assignment of the family's parameters on the grid."""
    names = [parameter.name for parameter in family.parameters]
    for chosen in product(*(_values(parameter, values) for parameter in family.parameters)):
        yield dict(zip(names, chosen, strict=True))


def _values(parameter: Parameter, given: Mapping[str, int]) -> Sequence[int]:
    least = parameter.minimum
    return [given[parameter.name]] if parameter.name in given else range(least, least + CHOICES)


def _domain(family: Family, figures: Figures, values: Mapping[str, int], count: int) -> str:
    parts = [f"{RANKS[0]} <= p <= {RANKS[-1]}", f"1 <= M <= {PER_RANK}*p"]
    for parameter in family.parameters:
        name, axis = parameter.name, _values(parameter, values)
        free = f"{axis[0]} <= {name} <= {axis[-1]}"
        parts.append(f"{name} = {axis[0]}" if name in values else free)
    where = _read(figures.where)
    parts += [sympy.sstr(where)] if where != sympy.true else []
    return f"{', '.join(parts)}, all {count} sizes that the family accepts"


def _read(text: str) -> Any:
    # Twice, since the text "True" is read as Python's.
    return sympy.sympify(sympy.sympify(text, locals=SYMBOLS))


def _at(form: Any, size: Mapping[str, int]) -> Any:
    """A formula at numbers, exactly."""
    return form.xreplace({SYMBOLS[name]: sympy.Integer(value) for name, value in size.items()})
