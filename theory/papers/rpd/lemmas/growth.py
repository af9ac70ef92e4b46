"""Whether a formula in p grows as claimed, with explicit constants."""

import re
from dataclasses import dataclass

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.account import Compared
from theory.laws.delays.matrix import ByResidue
from theory.laws.delays.polynomials import least_in_class, nonnegative_from, on_class, readable

HALVINGS = 20
"""How far below the leading coefficient a lower constant is looked for."""


@dataclass(frozen=True)
class Growth:
    """Outcome of a comparison of growth.

    Attributes
    ----------
    says : str
        The constants, or the p that break every constant, or why neither is known.
    as_claimed : bool, optional
        None if it is not known.
    """

    says: str
    as_claimed: bool | None = None

    @property
    def shown(self) -> Compared:
        """That it grows so, or that it does not."""
        return Compared(self.says, "theory.papers.rpd.lemmas.growth", self.as_claimed is not None)


def grows_as(table: ByResidue, growth: sympy.Expr) -> Growth:
    """Whether low·growth ≤ form ≤ high·growth for every p ≥ 2, with constants above 0.

    Parameters
    ----------
    table : mapping
        The form, by the residue of p; Laurent polynomials in p.
    growth : sympy expression
        A power of p, up to a factor.

    Examples
    --------
    >>> grows_as({0: p_**3 + p_**2}, p_**3).says
    'between 1 and 3/2 times p³ for p ≥ 2'
    >>> grows_as({0: p_**3 + p_**2}, p_**4)
    Growth(says='for every c > 0 it is below c·p**4 once p > 3/(2c)', as_claimed=False)
    >>> grows_as({0: p_**3}, p_**2).says
    'for every C it is above C·p² once p > C'
    """
    lows: list[sympy.Rational] = []
    highs: list[sympy.Rational] = []
    for a, form in table.items():
        ratio = sympy.expand(on_class(form, a, len(table)) / growth)
        terms = _laurent(ratio)
        if terms is None or not terms or terms[max(terms)] <= 0:
            return Growth(f"{readable(form)} is not comparable")
        least = least_in_class(a, len(table))
        if max(terms) < 0:
            return _slower(terms, ratio, growth, least)
        if max(terms) > 0:
            return _faster(terms, ratio, growth, least)
        low = _low(terms[0], ratio, least)
        if low is None:
            return Growth("no lower constant was found")
        lows.append(low)
        highs.append(_most(terms))
    says = f"between {min(lows)} and {max(highs)} times {readable(growth)} for p ≥ 2"
    return Growth(says, True)


def superscript(text: str) -> str:
    """Powers as a person would write them.

    Examples
    --------
    >>> superscript("3p**4 + p**12")
    '3p⁴ + p¹²'
    """
    digits = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return re.sub(r"\*\*(\d+)", lambda found: found[1].translate(digits), text)


def _slower(
    terms: dict[int, sympy.Rational], ratio: sympy.Expr, growth: sympy.Expr, least: int
) -> Growth:
    """Ratio ≤ C/p."""
    most = _most({k + 1: c for k, c in terms.items()})
    if not _at_least(most / p_, ratio, least):
        return Growth("its decay is not certified")
    says = f"for every c > 0 it is below c·{readable(growth)} once p > {_over(most, 'c')}"
    return Growth(says, False)


def _faster(
    terms: dict[int, sympy.Rational], ratio: sympy.Expr, growth: sympy.Expr, least: int
) -> Growth:
    """Ratio ≥ low·p."""
    low = _low(terms[max(terms)], sympy.expand(ratio / p_), least)
    if low is None:
        return Growth("its growth is not certified")
    bound = "C" if low == 1 else f"C/({low})"
    return Growth(f"for every C it is above C·{readable(growth)} once p > {bound}", False)


def _low(leading: sympy.Rational, ratio: sympy.Expr, least: int) -> sympy.Rational | None:
    """A constant below the ratio from `least` on."""
    candidates = (leading / 2**n for n in range(HALVINGS))
    return next((low for low in candidates if _at_least(ratio, low, least)), None)


def _most(terms: dict[int, sympy.Rational]) -> sympy.Rational:
    """A constant above Σ c·p^k with k ≤ 0, for p ≥ 2."""
    return sum(
        (max(c, sympy.Integer(0)) * sympy.Integer(2) ** k for k, c in terms.items()),
        sympy.Integer(0),
    )


def _at_least(one: sympy.Expr, other: sympy.Expr, least: int) -> bool:
    numerator, denominator = sympy.fraction(sympy.together(one - other))
    positive = nonnegative_from(sympy.expand(denominator), least)
    return positive and nonnegative_from(sympy.expand(numerator), least)


def _over(most: sympy.Rational, constant: str) -> str:
    below = constant if most.q == 1 else f"({most.q}{constant})"
    return f"{most.p}/{below}"


def _laurent(form: sympy.Expr) -> dict[int, sympy.Rational] | None:
    """Coefficients by the exponent of p; None for what is no Laurent polynomial."""
    found: dict[int, sympy.Rational] = {}
    for term in sympy.Add.make_args(form):
        coefficient, power = term.as_coeff_exponent(p_)
        if not (coefficient.is_Rational and power.is_Integer):
            return None
        found[int(power)] = found.get(int(power), sympy.Integer(0)) + coefficient
    return {k: c for k, c in found.items() if c != 0}
