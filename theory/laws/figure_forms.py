"""Stated figures as formulas, and as a law with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import sympy

from schedules.families import FAMILIES
from schedules.families.figures import Figures
from theory.errors import UnsupportedFormError
from theory.laws.proved_delays import StepDelays
from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest

_PARAMETERS: Final = {entry.name for family in FAMILIES.values() for entry in family.parameters}

SYMBOLS: Final = {
    name: sympy.Symbol(name, integer=True) for name in ("p", "M", "r", "s", *_PARAMETERS)
}
"""Integers that a formula may name."""

_NOT_DERIVED: Final = """
start_times max min mean whole_run_max whole_run_least_m local_staleness in_flight
"""
"""Keys of a derived law that have no value here."""


@dataclass(frozen=True)
class Forms:
    """The figures as sympy expressions over p, M, r, s and the parameters that are free."""

    makespan: sympy.Expr
    work: sympy.Expr
    peak: sympy.Expr
    staleness: sympy.Expr

    @property
    def bubble(self) -> sympy.Expr:
        """The part of all slots in which ranks do nothing."""
        return sympy.factor(1 - self.work / self.makespan)


@dataclass(frozen=True)
class FiguresLaw:
    """A family's figures and the proof of them.

    Attributes
    ----------
    family, domain : str
    forms : Forms
    proof : tuple of Outcome
    delays : StepDelays
        Beside the figures; not proved of every family that has these.
    flush : bool
        Whether a step ends with one update.
    """

    family: str
    domain: str
    forms: Forms
    proof: tuple[Outcome, ...]
    delays: StepDelays
    flush: bool = False

    @property
    def verdict(self) -> Verdict:
        """PROVED if every part is, REFUTED if a run contradicts one, else UNKNOWN."""
        return weakest(one.verdict for one in self.proof)

    @property
    def open(self) -> str:
        """The first part that is not proved, or the first that is false."""
        short = [one for one in self.proof if one.verdict is not Verdict.PROVED]
        first = min(short, key=lambda one: one.verdict, default=None)
        return f"{first.name}: {first.note}" if first else ""

    def to_json(self) -> dict[str, Any]:
        """As plain data; formulas only where they are proved."""
        forms = {
            "makespan": self.forms.makespan,
            "bubble": self.forms.bubble,
            "peak_activations": self.forms.peak,
            "local_staleness_whole_run": self.forms.staleness,
        }
        proved = self.verdict is Verdict.PROVED
        delays = self.delays if proved else replace(self.delays, places=None, why=self.open)
        return {
            "family": self.family,
            "domain": self.domain,
            "verdict": self.verdict.name,
            "open": self.open,
            "flush": self.flush,
            "proof": [one.to_json() for one in (*self.proof, *self.delays.proof)],
            "clauses": [],
            "rests_on": sorted({kind for one in self.proof for kind in one.rests_on}),
            **dict.fromkeys(_NOT_DERIVED.split()),
            **delays.to_json(),
            **{name: sympy.sstr(form) if proved else None for name, form in forms.items()},
        }


def read_forms(figures: Figures) -> Forms:
    """Read the texts.

    Examples
    --------
    >>> read_forms(Figures("2*chunks*M", "chunks*M", "p")).bubble
    1/2
    """
    texts = (figures.makespan, figures.work, figures.peak, figures.staleness)
    found = Forms(*map(read, texts))
    for text, form in zip(texts, vars(found).values(), strict=True):
        if not isinstance(form, sympy.Expr):
            raise _unreadable(repr(text))
    return found


def read(text: str) -> Any:
    """One formula.

    Raises
    ------
    UnsupportedFormError
        It is none, or names what is no integer here.
    """
    try:
        # Twice, since the text "True" is read as Python's.
        found = sympy.sympify(sympy.sympify(text, locals=SYMBOLS))
    except Exception as error:  # what sympy raises for a text can be anything
        raise _unreadable(f"{text!r}, which sympy does not read") from error
    if not isinstance(found, sympy.Basic) or found.free_symbols - {*SYMBOLS.values()}:
        raise _unreadable(repr(text))
    return found


def _unreadable(found: str) -> UnsupportedFormError:
    return UnsupportedFormError(
        f"a figure is a formula over p, M, r, s and names of parameters that shipped families "
        f"have, such as chunks and window, found {found}",
        "FAMILY.figures",
        "write a text such as '3*M + p - 1'",
    )
