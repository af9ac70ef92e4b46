"""Single exact runs of RPD beside a bound: measured twice, by independent methods."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from theory.claims import Formulas
from theory.errors import TheoryError
from theory.falsifier.numbers import Number, exact, written
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import Scalar, linear
from theory.papers.rpd.runs.blocks import Setting, bounded_below, instance
from theory.papers.rpd.runs.challenges import CHALLENGES


def alike(part: Scalar, p: int, start: Fraction) -> Problem:
    """f(x) = Σ part(x_i), one component, one coordinate a block."""
    return Problem("alike blocks", ((part,) * p,), (start,) * p, tuple(range(p)))


def lines(p: int) -> Problem:
    """f(x) = Σ x_i: all block gradients are 1, wherever they are taken."""
    return alike(linear(1), p, Fraction(0))


def drift(p: int, tau: int, bound: sympy.Expr) -> dict[str, Any]:
    """E‖x^k − x̂^k‖² at k = τ on `lines`, every block read τ updates late, beside a bound."""
    setting = Setting(lines(p), tau + 1, tau, Fraction(1))
    return _beside("rpd-drift", setting, bound, needs_minimum=False)


def gradients(setting: Setting, terms: Formulas) -> dict[str, Any]:
    """(1/K) Σ E‖∇f(x^k)‖² of a run beside a bound."""
    return _beside("rpd-average-gradient", setting, sympy.Add(*terms.values()), needs_minimum=True)


def require(holds: bool, what: str, **found: object) -> None:
    """Insist that a run says what a formula does, before it is shown beside it.

    Raises
    ------
    TheoryError
        It does not.

    Examples
    --------
    >>> require(2 + 2 == 4, "a sum", run=4, formula=4)
    """
    if not bool(holds):
        values = ", ".join(f"{name} {value}" for name, value in found.items())
        raise TheoryError(f"a run and a formula disagree: {values}", what, "one of them is wrong")


def number(text: str) -> sympy.Expr:
    """An exact number that `drift` or `gradients` wrote down."""
    return sympy.sympify(text, rational=True)


def rational(value: Fraction) -> sympy.Rational:
    """The same number for formulas."""
    return sympy.Rational(value.numerator, value.denominator)


def _beside(name: str, setting: Setting, bound: sympy.Expr, needs_minimum: bool) -> dict[str, Any]:
    challenge, one = CHALLENGES[name], instance(setting)
    if needs_minimum:
        one = bounded_below(one)
    measured, again = challenge.measure(one), challenge.replay(one)
    if measured != again:
        raise TheoryError(
            f"two methods measure {_texts((measured, again))}", name, "one of them is wrong"
        )
    at = {symbol: exact(one.numbers[symbol.name]) for symbol in bound.free_symbols}
    return {
        **one.describe(),
        "measured": written(measured),
        "bound": sympy.sstr(sympy.nsimplify(bound.subs(at))),
    }


def _texts(numbers: Sequence[Number]) -> str:
    return " and ".join(map(written, numbers))
