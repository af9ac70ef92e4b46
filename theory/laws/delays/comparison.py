"""Compare derived formulas with claimed ones, exactly, for all p of a residue class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.laws.delays.matrix import ByResidue
from theory.laws.delays.polynomials import least_in_class, on_class
from theory.verdicts import Verdict, first_short

SEARCHED = 64
"""Largest p at which two formulas are compared as numbers."""


@dataclass(frozen=True)
class Comparison:
    """Outcome of a comparison.

    Attributes
    ----------
    verdict : Verdict
        PROVED, REFUTED, or UNKNOWN where nothing is compared, or the formulas are not seen to be
        equal and agree at every p up to `SEARCHED`.
    p : int or None
        The least p ≥ 2 that refutes.
    """

    verdict: Verdict
    p: int | None = None


def equal(derived: ByResidue, claimed: sympy.Expr, residues: Iterable[int]) -> Comparison:
    """Whether a claimed formula equals the derived one for every p ≥ 2 of the given residues.

    Examples
    --------
    >>> equal({0: p_**2, 1: p_**2}, p_**2, (0, 1)).verdict.name
    'PROVED'
    >>> equal({0: p_**2, 1: p_**2 - 1}, p_**2, (0, 1)).p
    3
    >>> equal({0: p_**2 / 2, 1: p_**2 / 2 - sympy.Rational(1, 2)}, sympy.floor(p_**2 / 2), (0, 1))
    Comparison(verdict=<Verdict.PROVED: 4>, p=None)
    >>> equal({0: p_**2, 1: p_**2}, p_, ())
    Comparison(verdict=<Verdict.UNKNOWN: 1>, p=None)
    """
    period = len(derived)
    gaps = {a: on_class(derived[a] - claimed, a, period) for a in residues}
    least = [_least_difference(gap, a, period) for a, gap in gaps.items()]
    wrong = [p for p in least if p is not None]
    if wrong:
        return Comparison(Verdict.REFUTED, min(wrong))
    return Comparison(first_short(_is_zero(gap) for gap in gaps.values()))


def _is_zero(gap: sympy.Expr) -> Verdict:
    return Verdict.PROVED if gap == 0 else Verdict.UNKNOWN


def _least_difference(gap: sympy.Expr, a: int, period: int) -> int | None:
    sizes = range(least_in_class(a, period), SEARCHED + 1, period)
    return next((p for p in sizes if gap.subs(p_, p) != 0), None)


@dataclass(frozen=True)
class Bounded:
    """Whether a gap between formulas stays bounded.

    Attributes
    ----------
    verdict : Verdict
        PROVED with a `bound`, REFUTED with a parametric witness, UNKNOWN if the gap is no
        Laurent polynomial.
    bound : sympy expression or None
        |gap| ≤ bound for every p ≥ 2.
    exceeds : str
        For every C: which p have a gap above C.
    """

    verdict: Verdict
    bound: sympy.Expr | None = None
    exceeds: str = ""


def bounded(derived: ByResidue, claimed: sympy.Expr) -> Bounded:
    """Whether derived − claimed is O(1) in p, with an explicit constant or witness.

    On each residue class the gap has to be a Laurent polynomial in p; a sum of c·p^k with k ≤ 0 is
    at most the sum of |c|·2^k for p ≥ 2, and a leading c·p^k with k ≥ 1 exceeds every C eventually.

    Examples
    --------
    >>> bounded({0: p_**2 / 2 - 1}, p_**2 / 2).bound
    1
    >>> bounded({0: p_**2 + p_}, p_**2).exceeds
    'every p >= 2 with p > C exceeds C'
    >>> bounded({}, p_).verdict.name
    'UNKNOWN'
    """
    if not derived:
        return Bounded(Verdict.UNKNOWN)
    worst = sympy.Integer(0)
    for a, form in derived.items():
        terms = _laurent(on_class(form - claimed, a, len(derived)))
        if terms is None:
            return Bounded(Verdict.UNKNOWN)
        top = max(terms, default=0)
        if top >= 1:
            rest = sum(abs(c) for k, c in terms.items() if k != top)
            threshold = sympy.sstr((sympy.Symbol("C") + rest) / abs(terms[top]))
            which = f"p = {a} mod {len(derived)}" if len(derived) > 1 else "p >= 2"
            return Bounded(Verdict.REFUTED, None, f"every {which} with p > {threshold} exceeds C")
        worst = max(worst, sum(abs(c) * sympy.Integer(2) ** k for k, c in terms.items()))
    return Bounded(Verdict.PROVED, worst)


def _laurent(form: sympy.Expr) -> dict[int, sympy.Expr] | None:
    """Coefficients by the exponent of p; None for what is no Laurent polynomial."""
    found: dict[int, sympy.Expr] = {}
    for term in sympy.Add.make_args(form):
        coefficient, power = term.as_coeff_exponent(p_)
        if not (coefficient.is_Rational and power.is_Integer):
            return None
        if coefficient != 0:
            found[int(power)] = found.get(int(power), sympy.Integer(0)) + coefficient
    return found
