"""λ → 0 or λ → 1 for (1 − λ)²L² + λ²Δ² as a direction: the better end, and the side of 1/2.

Problem: `best_lambda` has the least value between the ends. Of the ends 0 is the better one for
L ≤ Δ and 1 for L ≥ Δ, and the best λ is less than 1/2 exactly where L < Δ.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import sympy

from theory.account import Refutation, Violation
from theory.claims import Formulas
from theory.kernel import Combine, Hypothesis, Relation, Theorem, le
from theory.kernel.signs import nonnegative
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols
from theory.papers.sapipe.lemmas.best_lambda import BEST, loss
from theory.papers.sapipe.pieces import lemma
from theory.papers.sapipe.witnesses.log_cosh import LogCosh
from theory.papers.sapipe.witnesses.steep import STEEP
from theory.smt.solver import Outcome

Delta, L, lambda_ = symbols.letters("Delta L lambda_")

STATED = {"L < Delta": sympy.S.Zero, "L >= Delta": sympy.S.One}
"""The λ that Remark 6 prefers."""

NOT_ONE = lemma(
    "sapipe.best-lambda-at-most",
    "The best λ, L²/(L² + Δ²), is at most 4/5 for Δ and the least L of an objective.",
    r"\frac{L^2}{L^2 + \Delta^2} \le \tfrac45",
    le(BEST, sympy.Rational(4, 5)),
    Combine({"consistent": (2 * Delta + L) / (5 * (L**2 + Delta**2))}),
    Hypothesis("consistent", "L ≤ 2Δ, as the least L is", le(L, 2 * Delta)),
)

SLOPE = (L + Delta) / (2 * (L**2 + Delta**2))
"""By how much λ* exceeds 1/2, over L − Δ."""

HALF = Theorem(
    id="sapipe.best-lambda-half",
    where="ours",
    statement="λ* − 1/2 is (L + Δ)/(2(L² + Δ²)) times L − Δ, so below 0 if and only if L < Δ.",
    latex=r"\lambda^* - \tfrac12 = \frac{(L - \Delta)(L + \Delta)}{2(L^2 + \Delta^2)}",
    kind="==",
    symbols=(L, Delta),
    lhs=BEST,
    terms={"half": sympy.S.Half, "beyond": SLOPE * (L - Delta)},
    conclude=Combine(),
)


def nearer(theorem: Theorem = HALF, slope: Scalar = SLOPE) -> tuple[Theorem, Outcome]:
    """That λ* is less than 1/2 exactly where L < Δ: by the identity and the sign of its factor.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> proves(*nearer())
    True
    """
    return theorem, nonnegative(slope, strict=True)


SIDES = {
    "L < Delta": Hypothesis("smooth", "L ≤ Δ", le(L, Delta)),
    "L >= Delta": Hypothesis("rough", "L ≥ Δ", le(Delta, L)),
}


@cache
def _end(closer: Scalar, side: Hypothesis) -> Theorem:
    """One end is no worse than the other."""
    farther = 1 - closer
    return lemma(
        "sapipe.ends",
        f"If {side.says}, λ = {closer} is no worse than λ = {farther}.",
        sympy.latex(loss(closer)) + r" \le " + sympy.latex(loss(farther)),
        le(loss(closer), loss(farther)),
        Combine({side.name: L + Delta}),
        side,
    )


def ends(formulas: Formulas) -> tuple[Theorem, ...]:
    """That the preferred λ is no worse than the other end, for L ≤ Δ and for L ≥ Δ."""
    return tuple(_end(sympy.sympify(formulas[when]), side) for when, side in SIDES.items())


def names_ends(formulas: Formulas) -> bool:
    """Whether every preferred λ is 0 or 1."""
    return all(formulas[when] in (0, 1) for when in SIDES)


_TWICE = LogCosh(Fraction(2))
_ON_EACH_SIDE = {
    "L < Delta": {L: _TWICE.smoothness, Delta: _TWICE.apart()},
    "L >= Delta": {L: STEEP.smoothness, Delta: STEEP.apart},
}
"""Constants of objectives, of which the second one has L > Δ."""


def reversed_ends(formulas: Formulas) -> Refutation | None:
    """Constants with which the other end is better than the preferred one, or None.

    Examples
    --------
    >>> reversed_ends(STATED) is None
    True
    >>> sorted(reversed_ends({**STATED, "L >= Delta": sympy.S.Zero}).witness)
    ['L >= Delta']
    """
    found, wrong = {}, []
    for when, numbers in _ON_EACH_SIDE.items():
        stated, other = (loss(end).subs(numbers) for end in (formulas[when], 1 - formulas[when]))
        if other < stated:
            told = {str(symbol): number for symbol, number in numbers.items()}
            found[when] = {**told, "(1 − λ)²L² + λ²Δ²": stated, "at the other end": other}
            at = {**numbers, lambda_: 1 - formulas[when]}
            wrong.append(no_better(formulas[when], at, (SIDES[when].relation,)))
    return Refutation(found, wrong[0]) if wrong else None


def no_better(
    preferred: Scalar, at: Mapping[Scalar, Scalar], under: tuple[Relation, ...]
) -> Violation:
    """That no λ, as the one in these numbers, is better than the preferred one."""
    constants = {symbol: at[symbol] for symbol in (L, Delta)}
    return Violation(
        lambda: loss(sympy.sympify(preferred)).subs(constants), "<=", loss(lambda_), at, under
    )
