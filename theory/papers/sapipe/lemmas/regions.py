"""Where the error of a compensation is at most that of vanilla SAPipe: exact conditions, both ways.

Remarks 3 to 6 compare the error terms of Theorems 3 to 6 with Err₀. Err₀ − Err is a positive factor
times the gap of the condition, so that each condition is needed too. All of this is about formulas:
whether the constants of an objective can satisfy a condition (for DC: `CONSISTENT`), and whether
the error term belongs to a bound that holds, are other questions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import sympy

from theory.kernel import Combine, Hypothesis, Relation, Theorem, eq, le
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import setting
from theory.papers.sapipe.error_terms import ERR_DC, ERR_WP_1, ERR_WP_2, ERR_WP_3
from theory.papers.sapipe.pieces import lemma

V1, V2, Delta, L, M, eta, lambda_ = setting.letters("V1 V2 Delta L M eta lambda_")
n, rho, ERR_0 = setting.letters("n rho ERR_0")

SQUARE = L**2 * eta**2
"""(Lη)²."""

ROOM = sympy.Symbol("theta", positive=True)
"""1 − 2L²η², where that is positive."""

_STEPSIZE = sympy.Le(eta, 1 / L)
_DIVERSITY = sympy.Ge(n * rho, 1)  # no workers have less, by Cauchy–Schwarz
_SHORT = sympy.Lt(2 * SQUARE, 1)
SHORT_STEPS = Hypothesis("short steps", "2L²η² < 1", eq(1 - 2 * SQUARE, ROOM))

CONSISTENT = sympy.Le(L, 2 * Delta)
"""What Assumption 4 says of the least L (`sapipe.assumption-4-gradient`)."""


@dataclass(frozen=True)
class Region:
    """Where an error term is at most Err₀.

    Attributes
    ----------
    error : sympy expression
    condition : sympy relation
        ``<=``; on the domain it holds if and only if error ≤ Err₀.
    domain : sympy condition
        What the theorem asks of η, λ and ρ, and where the denominator of the error term is
        positive.
    factor : sympy expression
        Err₀ − error over the gap of the condition; positive on the domain.
    inside : tuple of Hypothesis
        The part of the domain on which the equivalence rests.
    """

    error: Scalar
    condition: Scalar
    domain: Scalar
    factor: Scalar
    inside: tuple[Hypothesis, ...] = ()

    def holds_at(self, constants: Mapping[Scalar, Scalar]) -> bool:
        """Whether exact numbers lie in the region and in its domain.

        Examples
        --------
        >>> numbers = {L: 1, eta: sympy.Rational(1, 4), V1: 0, V2: 1}
        >>> WINS["WP-2"].holds_at(numbers)
        True
        >>> WINS["WP-2"].holds_at({**numbers, eta: sympy.Rational(3, 4)})
        False
        """
        at = (one.subs(dict(constants)) for one in (self.condition, self.domain))
        return all(one == sympy.true for one in at)


@cache
def enough(region: Region) -> Theorem:
    """That the condition gives error ≤ Err₀."""
    given = Hypothesis("condition", "the condition holds", _relation(region))
    return _theorem("enough", region, given, le(region.error, ERR_0), region.factor)


@cache
def needed(region: Region) -> Theorem:
    """That error ≤ Err₀ gives the condition."""
    given = Hypothesis("smaller", "the error is at most Err₀", le(region.error, ERR_0))
    return _theorem("needed", region, given, _relation(region), 1 / region.factor)


def equivalence(region: Region) -> tuple[Theorem, Theorem]:
    """That a condition holds exactly where error ≤ Err₀.

    Examples
    --------
    >>> from theory.judging.decide import proves
    >>> proves(*equivalence(WINS["WP-3"]))
    True
    """
    return enough(region), needed(region)


def _relation(region: Region) -> Relation:
    return le(region.condition.lhs, region.condition.rhs)


def _theorem(
    name: str, region: Region, given: Hypothesis, goal: Relation, multiplier: Scalar
) -> Theorem:
    under = tuple(hypothesis.name for hypothesis in region.inside)
    return lemma(
        f"sapipe.region-{name}",
        f"{goal.lhs} is at most {goal.rhs}.",
        f"{sympy.latex(goal.lhs)} \\le {sympy.latex(goal.rhs)}",
        goal,
        Combine({given.name: multiplier}, domain=under),
        given,
        *region.inside,
    )


ERR_WP_1_REPAIRED = SQUARE / (1 - 2 * SQUARE) * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2)
"""SAPipe-WP, option 1, with Assumption 3 at x_t and what workers drift apart by."""

ERR_WP_2_SHARPER = SQUARE / (1 - 2 * SQUARE) * (2 * V1 / n + 2 * SQUARE * V2)
"""SAPipe-WP, option 2, with the variance of the mean of n workers."""

WINS = {
    "DC": Region(
        ERR_DC,
        sympy.Le(
            128 * eta**2 * M**2 * V2
            + 32 * (1 - lambda_) ** 2 * L**2
            + 32 * lambda_**2 * Delta**2
            + 16 * eta * lambda_**2 * L * V2**2,
            L**2,
        ),
        sympy.And(_STEPSIZE, sympy.Le(lambda_ * eta * V2, 1 - 1 / sympy.sqrt(2))),
        eta**2 * V2,
    ),
    "WP-1": Region(
        ERR_WP_1,
        sympy.Le((rho / n - 1) * V2 + (3 - rho / n) * V1, V2),
        sympy.And(_STEPSIZE, _DIVERSITY),
        SQUARE,
    ),
    "WP-2": Region(
        ERR_WP_2,
        sympy.Le(4 * SQUARE, 1 - 2 * V1 / V2),
        sympy.And(_STEPSIZE, _SHORT),
        SQUARE * V2 / (1 - 2 * SQUARE),
        (SHORT_STEPS,),
    ),
    "WP-3": Region(
        ERR_WP_3,
        sympy.Le(
            8 * V1 / n
            + 4 * eta**4 * M**2 * V2**2
            + 2 * eta**2 * V2 * (L**2 * (1 - lambda_) ** 2 + lambda_**2 * Delta**2),
            V2,
        ),
        _STEPSIZE,
        SQUARE,
    ),
}
"""As printed, by the paper's subscript."""

REPAIRED_WINS = {
    "WP-1": Region(
        ERR_WP_1_REPAIRED,
        sympy.Le((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2, (1 - 2 * SQUARE) * V2),
        sympy.And(_STEPSIZE, _SHORT, _DIVERSITY),
        SQUARE / (1 - 2 * SQUARE),
        (SHORT_STEPS,),
    ),
    "WP-2": Region(
        ERR_WP_2_SHARPER,
        sympy.Le(4 * SQUARE, 1 - 2 * V1 / (n * V2)),
        sympy.And(_STEPSIZE, _SHORT),
        SQUARE * V2 / (1 - 2 * SQUARE),
        (SHORT_STEPS,),
    ),
}
"""For the error terms of repaired and of sharper theorems."""
