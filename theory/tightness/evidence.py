"""How tight a claim's bound is: exact instances always, worst cases where they can be solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from theory.claims import Claim, Formulas
from theory.ledger import Evidence
from theory.tightness.gram import theorem_evidence
from theory.tightness.worst_case import SOLVER, TOLERANCE, available, versions


def evidence_about(claim: Claim) -> tuple[Evidence, ...]:
    """How near the worst case comes to a claim's bound, from the hypotheses of its theorem."""
    return () if claim.theorem is None else (theorem_evidence(claim.theorem),)


@dataclass(frozen=True)
class Extremal:
    """A run in which something is as large as a bound allows.

    Attributes
    ----------
    says : str
        The function, the draws, the delays.
    attained, bound : Fraction
        The left-hand side as played, and the right-hand side as it is stated.
    """

    says: str
    attained: Fraction
    bound: Fraction

    @property
    def ratio(self) -> Fraction:
        """Attained, as a part of the bound."""
        return self.attained / self.bound


@dataclass(frozen=True)
class Comparison:
    """One run.

    Attributes
    ----------
    run : mapping of str to str
        Its constants.
    printed, sharpened : Fraction
    worst : float
        Value of the semidefinite program.
    """

    run: Mapping[str, str]
    printed: Fraction
    sharpened: Fraction
    worst: float


@dataclass(frozen=True)
class Attained:
    """A run that attains a claim's bound.

    Attributes
    ----------
    make : callable
        Plays it.
    sharpened : str
        The bound, if it is not the printed one.
    """

    make: Callable[[], Extremal]
    sharpened: str = ""

    def evidence(self) -> Evidence:
        """What the run shows.

        Examples
        --------
        >>> one = Attained(lambda: Extremal("f = x", Fraction(3), Fraction(4)))
        >>> one.evidence().points, one.evidence().says
        ('neither', 'tightness, exact: f = x attains 3/4 of the bound')
        """
        found = self.make()
        data = {
            "instance": found.says,
            "attained": str(found.attained),
            "bound": str(found.bound),
            "ratio": str(found.ratio),
        }
        says = f"tightness, exact: {found.says} attains {found.ratio} of the bound"
        return Evidence("against" if found.ratio > 1 else "neither", says, data)


@dataclass(frozen=True)
class Table:
    """Worst cases of short runs beside a claim's bound.

    Attributes
    ----------
    title, says : str
        For a page.
    columns : tuple of str
        The constants that differ from run to run.
    compute : callable
        Takes a while, and needs the extra ``sdp``.
    """

    title: str
    says: str
    columns: tuple[str, ...]
    compute: Callable[[], list[Comparison]]

    def evidence(self) -> Evidence | None:
        """What the worst cases say; None if the extra is not installed."""
        return numeric_evidence(self.compute()) if available() else None


Tightness = Attained | Table


def valued(terms: Formulas, values: Mapping[sympy.Symbol, Any]) -> Fraction:
    """A bound at exact numbers.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> valued({"one": x, "two": x**2}, {x: Fraction(1, 2)})
    Fraction(3, 4)
    """
    exact = {symbol: sympy.sympify(value) for symbol, value in values.items()}
    total = sympy.Add(*(term.subs(exact) for term in terms.values()))
    return Fraction(int(total.p), int(total.q))


def root(square: Fraction) -> sympy.Expr:
    """The root of a fraction, exactly."""
    return sympy.sqrt(sympy.Rational(square.numerator, square.denominator))


def constants(run: Any) -> dict[str, str]:
    """The fields of a run as text."""
    return {name: str(getattr(run, name)) for name in run.__dataclass_fields__}


def numeric_evidence(rows: Sequence[Comparison]) -> Evidence:
    """What worst cases say of a bound.

    Examples
    --------
    >>> one = Comparison({"p": "1"}, Fraction(4), Fraction(3), 1.5)
    >>> numeric_evidence([one]).points, numeric_evidence([one]).data["rows"][0]["worst"]
    ('for', 1.5)
    """
    over = [row for row in rows if row.worst > float(row.printed) * (1 + TOLERANCE)]
    parts = [row.worst / float(row.printed) for row in rows]
    says = (
        f"tightness, numeric ({SOLVER}, floating point, no proof): worst cases of {len(rows)} "
        f"short runs are {min(parts):.2f} to {max(parts):.2f} of the bound"
    )
    data = {
        "solver": SOLVER,
        "tolerance": TOLERANCE,
        "versions": versions() if available() else {},
        "rows": [
            {
                "run": dict(row.run),
                "printed": str(row.printed),
                "sharpened": str(row.sharpened),
                "worst": round(row.worst, 4),
            }
            for row in rows
        ],
    }
    return Evidence("against" if over else "for", says, data)
