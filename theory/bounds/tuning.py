"""The stepsize that makes a bound smallest, exactly.

As a function of γ a bound is A/γ + Bγ + Cγ² with A > 0 and B, C ≥ 0. Its second derivative
2A/γ³ + 2C is positive, so it is strictly convex, and its derivative vanishes where
2Cγ³ + Bγ² − A does, which rises from −A: there is one minimum, at the only positive root. Under
PL the first term is Δ(1 − γμ/p)^K instead, convex up to γ = p/μ. A bound that holds only up to
some γ has its minimum there if the root lies beyond. Other bounds are rational functions of their
stepsize: see `theory.bounds.minima`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from theory.bounds.errors import NoStepsizeError
from theory.bounds.evaluation import Evaluation, evaluate, require, settled
from theory.bounds.minima import Stepsize, smallest_at
from theory.bounds.model import Bound, Values, gamma
from theory.bounds.numbers import Interval, Number, enclose, number_text
from theory.errors import UnsupportedFormError

BITS: Final = 120
"""A stepsize that is no rational number is known to this many bits."""


@dataclass(frozen=True)
class Coefficients:
    """``A/γ + Bγ + Cγ²``; numbers, or expressions in other symbols."""

    inverse: sympy.Expr
    linear: sympy.Expr
    square: sympy.Expr

    @property
    def derivative(self) -> sympy.Expr:
        """γ² times the derivative; it rises with γ."""
        return 2 * self.square * gamma**3 + self.linear * gamma**2 - self.inverse


@dataclass(frozen=True)
class Tuned:
    """A bound at the stepsize that makes it smallest.

    Attributes
    ----------
    bound : Bound
    stepsize : Stepsize
    total : Number
    paper : Evaluation or None
        The same bound at the paper's stepsize, if it has one.
    """

    bound: Bound
    stepsize: Stepsize
    total: Number
    paper: Evaluation | None

    @property
    def ratio(self) -> float | None:
        """The bound at the paper's stepsize over this one."""
        return None if self.paper is None else float(self.paper.total) / float(self.total)


def coefficients(total: sympy.Expr) -> Coefficients:
    """Take a bound apart by powers of γ.

    Raises
    ------
    UnsupportedFormError
        It is not ``A/γ + Bγ + Cγ²``.

    Examples
    --------
    >>> coefficients(3 / gamma + 5 * gamma)
    Coefficients(inverse=3, linear=5, square=0)
    """
    parts = sympy.collect(sympy.expand(total), gamma, evaluate=False)
    found = [parts.pop(power, sympy.Integer(0)) for power in (1 / gamma, gamma, gamma**2)]
    if parts:
        raise UnsupportedFormError(
            "a bound that is tuned is A/gamma + B*gamma + C*gamma**2",
            sympy.sstr(total),
            "tune it by hand",
        )
    return Coefficients(*found)


def tune(bound: Bound, given: Values) -> Tuned:
    """Find the best stepsize; one in `given` is ignored.

    Raises
    ------
    NoStepsizeError
        The bound falls as γ goes to 0 or grows without end, so no γ is best.
    BoundParameterError, OutsideDomainError
        Another symbol has no value or a wrong one.

    Examples
    --------
    >>> one = Bound("one", "printed", "", "", "", ({"start": 4 / gamma, "noise": gamma},))
    >>> tune(one, {}).stepsize.number.text
    '2'
    """
    values = settled(bound, given, free=(bound.stepsize,))
    require(tuple(c for c in bound.conditions if bound.stepsize not in c.symbols), values)
    limit = bound.largest_stepsize(values)
    total = sympy.Add(*bound.terms_at(values).values())
    if bound.stepsize != gamma:
        stepsize = smallest_at(bound, values, limit)
    elif _contracts(total):
        stepsize = _contracting(total, values, limit)
    else:
        stepsize = best_of(coefficients(total.subs(values)), limit)
    return Tuned(bound, stepsize, _at(bound, values, stepsize), _paper(bound, given, values))


def _contracts(total: sympy.Expr) -> bool:
    """Whether a term falls geometrically in the number of updates."""
    return any(power.exp.is_Symbol for power in total.atoms(sympy.Pow))


def best_of(parts: Coefficients, limit: sympy.Expr | None = None) -> Stepsize:
    """The γ > 0 at which ``A/γ + Bγ + Cγ²`` is smallest, up to a limit if there is one.

    Raises
    ------
    NoStepsizeError
        A = 0, or B = C = 0 and no limit.

    Examples
    --------
    >>> one, zero = sympy.Integer(1), sympy.Integer(0)
    >>> best_of(Coefficients(one, one, one)).number.text
    'CRootOf(2*x**3 + x**2 - 1, 0)'
    >>> best_of(Coefficients(one, one, zero), sympy.Rational(1, 2))
    Stepsize(number=Number(text='1/2', ...), closed=1/2, at_limit=True)
    """
    if parts.inverse == 0:
        raise NoStepsizeError(
            "with Delta = 0 the bound falls as the stepsize goes to 0, and no stepsize is best",
            "bounds",
            "give a Delta above 0",
        )
    if limit is not None and parts.derivative.subs(gamma, limit) <= 0:
        return Stepsize.of(limit, bool(parts.derivative.subs(gamma, limit) < 0))
    if parts.linear == parts.square == 0:
        raise NoStepsizeError(
            "the bound falls as the stepsize grows, without end", "bounds", "give a G above 0"
        )
    if parts.square == 0:
        return Stepsize.of(sympy.sqrt(parts.inverse / parts.linear))
    if not (parts.linear.is_Rational and parts.square.is_Rational):
        return Stepsize(_root_between(parts.derivative, sympy.Integer(2) ** 400), None)
    found = _best(*(_fraction(part) for part in (parts.inverse, parts.linear, parts.square)))
    poly = sympy.Poly(parts.derivative, gamma).clear_denoms(convert=True)[1].primitive()[1]
    # A rational root has a denominator that divides the first coefficient.
    first = int(poly.LC())
    near = sympy.Rational(round((found.low + found.high) / 2 * first), first)
    if poly.eval(near) == 0:
        return Stepsize.of(near)
    text = f"CRootOf({poly.as_expr(sympy.Symbol('x'))}, {poly.count_roots() - 1})"
    return Stepsize(Number(text, found), None)


def smallest(
    inverse: Fraction, linear: Fraction, square: Fraction, limit: Fraction | None = None
) -> Interval:
    """Enclose the least value of ``A/γ + Bγ + Cγ²``, in rational numbers only.

    Any γ gives an upper bound of it; the ends of an interval with the best γ inside give a lower
    one, term by term.

    Examples
    --------
    >>> float(smallest(Fraction(1), Fraction(4), Fraction(0)))
    4.0
    """
    if inverse == 0 or (linear == square == 0 and limit is None):
        return Interval(Fraction(0), Fraction(0))
    at_limit = limit is not None and _slope(inverse, linear, square, limit) <= 0
    if limit is not None and at_limit:
        value = inverse / limit + (linear + square * limit) * limit
        return Interval(value, value)
    best = _best(inverse, linear, square)
    low = inverse / best.high + (linear + square * best.low) * best.low
    high = inverse / best.high + (linear + square * best.high) * best.high
    return Interval(low, high)


def _slope(inverse: Fraction, linear: Fraction, square: Fraction, step: Fraction) -> Fraction:
    return (2 * square * step + linear) * step**2 - inverse


def _best(inverse: Fraction, linear: Fraction, square: Fraction) -> Interval:
    """Enclose the γ at which the slope vanishes."""
    high = Fraction(1)
    while _slope(inverse, linear, square, high) <= 0:
        high *= 2
    return bracket(lambda step: _slope(inverse, linear, square, step), high)


def _fraction(value: sympy.Rational) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def bracket(rises: Callable[[Fraction], Fraction | Interval], high: Fraction) -> Interval:
    """Enclose the zero of a rising function between 0 and `high`, where it is positive.

    Where the function is itself known by an enclosure only, the search stops once its sign is
    open.

    Examples
    --------
    >>> found = bracket(lambda x: x**2 - 2, Fraction(2))
    >>> found.low**2 < 2 < found.high**2, float(found)
    (True, 1.4142135623730951)
    """
    low = Fraction(0)
    while (high - low) * 2**BITS > low:
        middle = (low + high) / 2
        value = rises(middle)
        below, above = (value.low, value.high) if isinstance(value, Interval) else (value, value)
        if below > 0:
            high = middle
        elif above <= 0:
            low = middle
        else:
            break
    return Interval(low, high)


def _root_between(rises: sympy.Expr, high: sympy.Expr) -> Number:
    """The zero of a rising function of γ that only enclosures are computed of."""
    found = bracket(lambda at: enclose(rises, {gamma: Interval(at, at)}), _fraction(high))
    return Number(f"root of {sympy.sstr(rises)}", found)


def _contracting(
    total: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr], limit: sympy.Expr
) -> Stepsize:
    slope = sympy.powsimp(sympy.diff(total, gamma))

    def rises(step: Fraction) -> Interval:
        return enclose(slope, {**values, gamma: Interval(step, step)})

    if rises(Fraction(0)).low >= 0:
        raise NoStepsizeError(
            "every step makes the bound larger than Delta, where it starts",
            "bounds",
            "give a larger Delta, or a smaller G",
        )
    last = rises(_fraction(limit))
    if last.high <= 0:
        return Stepsize.of(limit, last.high < 0)
    found = bracket(rises, _fraction(limit))
    return Stepsize(Number(f"root of {sympy.sstr(slope.subs(values))}", found), None)


def _at(bound: Bound, values: Mapping[sympy.Symbol, sympy.Expr], stepsize: Stepsize) -> Number:
    """The bound at a stepsize, whose symbol stays in the text where it has no closed form."""
    total, letter = sympy.Add(*bound.terms_at(values).values()), bound.stepsize
    known = values if stepsize.closed is None else {**values, letter: stepsize.closed}
    total_there = enclose(total, {**values, letter: stepsize.number.interval})
    return Number(number_text(total, known), total_there)


def _paper(
    bound: Bound, given: Values, values: Mapping[sympy.Symbol, sympy.Expr]
) -> Evaluation | None:
    if bound.paper_stepsize is None:
        return None
    return evaluate(bound, {**given, bound.stepsize: bound.paper_stepsize.subs(values)})
