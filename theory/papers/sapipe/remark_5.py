"""Remark 5: when option 2 of weight prediction is said to beat vanilla SAPipe.

Problem    for which L, η, V₁ and V₂ Err_WP-2 ≤ Err₀.
Method     4L²η² ≤ 1 − 2V₁/V₂ implies 2L²η² ≤ 1/2, so that Err_WP-2 is finite.
Guarantee  The remark holds as printed. Where 2L²η² < 1 the condition is needed too. It does not
           come down to a small L: for 2V₁ > V₂ nothing satisfies it, and there Err_WP-2 > Err₀ for
           every L and η.
Source     SAPipe paper, Remark 5.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import setting
from theory.papers.sapipe.error_terms import ERR_WP_2
from theory.papers.sapipe.lemmas import regions, workers
from theory.papers.sapipe.pieces import lemma, lines, weakened

V1, V2, L, eta, ERR_0 = setting.letters("V1 V2 L eta ERR_0")

PRINTED = {"L2": (1 - 2 * V1 / V2) / (4 * eta**2), "WP-2": ERR_WP_2}
"""What L² is at most, and the error."""

_SHARE = regions.SQUARE / (1 - 2 * regions.SQUARE)


@cache
def _enough(most: Scalar, error: Scalar) -> Theorem:
    """The remark, without any further condition."""
    return Theorem(
        id="sapipe.remark-5-enough",
        where="ours",
        statement="The printed condition gives Err_WP-2 ≤ Err₀, and keeps it finite.",
        latex=r"L^2 \le \tfrac{1 - 2V_1/V_2}{4\eta^2} \Rightarrow "
        r"\mathrm{Err}_{WP-2} \le \mathrm{Err}_0",
        symbols=(L, eta, V1, V2),
        hypotheses=(Hypothesis("condition", "as printed", prover.le(L**2, most)),),
        lhs=error,
        terms={"vanilla": ERR_0},
        conclude=Combine({"condition": 4 * eta**2 * V2 * _SHARE}, domain=("condition",)),
    )


NOISY = lemma(
    "sapipe.remark-5-noisy",
    "If 2V₁ ≥ V₂ then Err_WP-2 ≥ Err₀ wherever 2L²η² < 1, however small L is.",
    r"2V_1 \ge V_2 \Rightarrow \mathrm{Err}_{WP-2} \ge \mathrm{Err}_0",
    prover.le(ERR_0, ERR_WP_2),
    Combine(
        {"noisy": _SHARE},
        plus=(4 * _SHARE * regions.SQUARE * V2,),
        domain=(regions.SHORT_STEPS.name,),
    ),
    Hypothesis("noisy", "2V₁ ≥ V₂", prover.le(V2, 2 * V1)),
    regions.SHORT_STEPS,
)

MEAN = Fraction(1)
NOISE = Fraction(4)
"""∇f = tanh x ± 4, each sign as likely as the other."""


def noisy_loss(slope: Fraction) -> dict[str, Fraction]:
    """V₁, V₂ and the share of Err₀ that Err_WP-2 is at least, where L and η tend to 0.

    Parameters
    ----------
    slope : Fraction
        Least upper bound of |F′|.

    Examples
    --------
    >>> {name: str(number) for name, number in noisy_loss(MEAN).items()}
    {'V1': '16', 'V2': '25', 'limit of Err_WP-2/Err_0': '32/25'}
    """
    variance = sum(((sign * NOISE) ** 2 for sign in (-1, 1)), Fraction(0)) / 2
    largest = max((slope + sign * NOISE) ** 2 for sign in (-1, 1))
    numbers = {V1: variance, V2: largest}
    small = sympy.cancel(ERR_WP_2 / ERR_0).subs({L: 0}).subs(numbers)
    limit = Fraction(int(small.p), int(small.q))
    return {"V1": variance, "V2": largest, "limit of Err_WP-2/Err_0": limit}


def holds(formulas: prover.Formulas) -> tuple[Theorem]:
    """That the condition gives Err_WP-2 ≤ Err₀."""
    return (_enough(formulas["L2"], formulas["WP-2"]),)


def _findings() -> Iterator[prover.Finding]:
    at = noisy_loss(MEAN)
    if at["limit of Err_WP-2/Err_0"] > 1:
        says = (
            "a small L is not enough: for 2V₁ > V₂ no L satisfies the condition, and Err_WP-2 "
            "exceeds Err₀ for all of them"
        )
        sides = {"f": "ln cosh x ± 4x, both signs as likely", **at}
        repaired = prover.Repair.by(NOISY)
        yield prover.Finding("missing-condition", CLAIM.where, says, sides, repaired=repaired)
    says = (
        "2V₁ bounds the noise of two means of n workers, whose variance is V₁/n each: with 2V₁/n "
        "for it the condition is wider for n ≥ 2"
    )
    wider = (*regions.equivalence(regions.REPAIRED_WINS["WP-2"]), workers.THEOREM)
    repaired = prover.Repair(
        "4L²η² ≤ 1 − 2V₁/(nV₂) if and only if the error with 2V₁/n is at most Err₀, where "
        "2L²η² < 1",
        wider,
    )
    yield prover.Finding("loose", CLAIM.where, says, shown=wider, repaired=repaired)


def _account(formulas: prover.Formulas) -> prover.Account:
    back = regions.needed(regions.WINS["WP-2"])
    return prover.Account(
        prover.Decision(holds(formulas)),
        cases=(prover.Case("the other way around, where 2L²η² < 1", prover.Decision((back,))),),
        assumes=("the error terms of Theorems 2 and 5 as printed, compared one with the other",),
        steps=lines(*holds(formulas), back, NOISY),
        findings=tuple(_findings()),
    )


CLAIM = prover.Claim(
    "sapipe.remark-5",
    "Remark 5",
    "If L² ≤ (1 − 2V₁/V₂)/(4η²), then Err_WP-2 ≤ Err₀: SAPipe-WP with option 2 has a smaller "
    "error than vanilla SAPipe.",
    (r"L^2 \le \frac{1 - 2V_1/V_2}{4\eta^2} \implies \mathrm{Err}_{WP-2} \le \mathrm{Err}_0"),
    account=_account,
    printed=PRINTED,
    core=PRINTED,
    holds=holds,
    weakened=weakened(_enough(PRINTED["L2"], PRINTED["WP-2"]), NOISY),
)
