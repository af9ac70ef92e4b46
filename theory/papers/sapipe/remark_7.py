"""Remark 7: what Corollary 1 says, and does not say, of convergence.

Problem    what Corollary 1 says of ‖∇F(x_{t−1})‖ → 0 as T → ∞.
Method     the corollary bounds a mean over the run for a stepsize that is chosen for its length T.
Guarantee  The mean tends to 0 as T grows, over runs that have ever smaller stepsizes. Nothing is
           said of the end of one run; and with one stepsize for every length, which the corollary
           does not take, the gradient keeps its noise, on a parabola for ever.
Source     SAPipe paper, Remark 7.
"""

from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.judging import prover
from theory.papers.sapipe import cor_1, symbols
from theory.papers.sapipe.lemmas import rate

V1, T, n = symbols.letters("V1 T n")

LENGTHS = (1, 2, 5, 10)
"""Updates of the runs that are replayed."""


def vanishes(printed: prover.Formulas) -> tuple[prover.Compared, prover.Compared]:
    """That the printed rate tends to 0 as T grows, and the bound of Corollary 1 has that rate.

    Examples
    --------
    >>> [[one.holds for one in vanishes({"rate": at})] for at in (cor_1.PRINTED["rate"], T**0)]
    [[True, True], [False, False]]
    """
    stated = printed["rate"]
    small = bool(sympy.limit(stated, T, sympy.oo) == 0)
    return (
        prover.Compared("the rate tends to 0 as T grows", "sympy.limit", small),
        cor_1.orders({**cor_1.PRINTED, "rate": stated}),
    )


def fewer_errors() -> prover.Compared:
    """Whether the bound decreases as workers are added, where there is noise."""
    noise, workers = sympy.symbols("V n", positive=True)
    bound = sympy.Add(*rate.THEOREM.terms.values()).subs({V1: noise, n: workers, rate.w: 1})
    falls = sympy.diff(bound, workers).is_negative is True
    return prover.Compared("the derivative by n is negative", "sympy.diff", falls)


def fixed_step(length: int) -> Fraction:
    """E‖∇F(x_T)‖² after T updates on F = x²/2 with gradients x ± 1, η = 1, from x_0 = 0.

    Every outcome of the coins is run. κ = 0, 1 worker.

    Examples
    --------
    >>> fixed_step(3)
    Fraction(1, 1)
    """
    total = Fraction(0)
    for coins in product((1, -1), repeat=length):
        x = Fraction(0)
        for coin in coins:
            x = x - (x + coin)
        total += x * x
    return total / Fraction(2**length)


def witness() -> dict[str, Any] | None:
    """A run whose gradient stays as long as it is, for every number of updates that is replayed."""
    found = {length: fixed_step(length) for length in LENGTHS}
    if set(found.values()) != {Fraction(1)}:
        return None
    return {
        "F": "x²/2, gradients x + z, z = ±1 with probability 1/2 each",
        "kappa": 0,
        "n": 1,
        "eta": 1,
        "x_0": 0,
        "x_t": "−z_t for every t ≥ 1",
        "E‖∇F(x_t)‖²": {str(length): value for length, value in found.items()},
        "for every t ≥ 1": 1,
    }


MEAN = "the mean over t ≤ T of E‖∇F(x_{t−1})‖², with η = min(c/√T, b/L)"
ADDED = "the bound, as workers are added"


def _cases(printed: prover.Formulas) -> tuple[prover.Case, ...]:
    methods = (ground for method in cor_1.METHODS for ground in method.grounds())
    return (
        prover.Case(
            MEAN,
            prover.Decision((*vanishes(printed), *methods)),
            "tends to 0 as T grows, at the rate 1/√T, for all five methods as in Corollary 1",
        ),
        prover.Case(ADDED, prover.Decision((fewer_errors(),)), "2R₀/(c√T) stays"),
        prover.Case(
            "E‖∇F(x_{T−1})‖² at the end of the run, with the same η",
            prover.OPEN,
            "the corollary bounds a mean over the run, which one long gradient moves by 1/T only",
        ),
        cor_1.LEFT,
    )


def _account(printed: prover.Formulas) -> prover.Account:
    cases = _cases(printed)
    return prover.Account(
        prover.Readings((MEAN, ADDED)),
        cases=cases,
        assumes=("what Corollary 1 assumes",),
        steps=tuple(prover.Line("ours", case.when, case.says, case.decision) for case in cases[:2]),
        findings=(
            prover.Finding(
                "missing-condition",
                "Remark 7, 'converge to a critical point'",
                "what Corollary 1 bounds is the mean over a run whose stepsize shrinks with its "
                "length, and no single x_T. The witness is ours and not what is printed: with one "
                "stepsize for every length, outside the corollary, neither tends to 0",
                witness(),
                repaired=prover.Repair(
                    "The mean over t ≤ T of E‖∇F(x_{t−1})‖² tends to 0 as T grows, if every "
                    "T has its own stepsize min(c/√T, b/L).",
                    cases[0].decision.grounds,
                ),
            ),
        ),
    )


_PRINTED = {"rate": cor_1.PRINTED["rate"]}

CLAIM = prover.Claim(
    "sapipe.remark-7",
    "Remark 7",
    "Vanilla SAPipe, SAPipe-DC and SAPipe-WP converge to a critical point, with "
    "‖∇F(x_{t−1})‖ → 0 as T → ∞, all at the rate 1/√T, and the error decreases as workers are "
    "added.",
    r"\|\nabla F(x_{t-1})\| \to 0 \quad (T \to \infty)",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=vanishes,
    depends=cor_1.CLAIM.depends,
    cost=4,
)
