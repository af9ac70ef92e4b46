"""The bound of Theorem 2 for what SAPipe does: the same first layers are stale in every iteration.

Problem    the paper does not state this. Theorem 2 has Assumption 5, "for simplicity", by which
           stale elements are drawn anew in every iteration; Definition 1 takes κ for the share of
           the parameters in the stale layers.
Method     what SAPipe does: the same first layers are stale in every iteration. F(x) = h(x_1), h
           Huber's function with its edge at 1, with a stale layer of one parameter and fresh layers
           without a slope.
Guarantee  False: the bias of fixed layers is no share of Err₀. For Lη = 1 x_t = x_{t−1} − x_{t−2},
           which returns every six updates and has a mean square of 2/3, whatever the share κ is.
Source     ours.
"""

from fractions import Fraction
from functools import partial

import sympy

from theory.judging import prover
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import symbols, thm_2_samples
from theory.papers.sapipe.lemmas import prefix_repaired
from theory.papers.sapipe.witnesses.prefix_runs import Point, average, huber, run
from theory.papers.sapipe.witnesses.refuting import above

R0, V1, V2, L, T, eta, kappa, n = symbols.letters("R0 V1 V2 L T eta kappa n")

COUNTS = (7, 12, 60, 600)
"""Iterations of the runs."""
SIZES = (2, 3, 10)
"""Parameters in all, of which one is stale."""

_ONE = Fraction(1)
_SLOPE = huber(_ONE)


def gradient(point: Point) -> Point:
    """∇F: Huber's derivative in the stale parameter, and 0 in the others."""
    return (_SLOPE(point[0]), *(Fraction(0) for _ in point[1:]))


def replay(parameters: int, count: int) -> Fraction:
    """The average of ‖∇F‖² over a run, η = 1.

    Examples
    --------
    >>> replay(2, 12)
    Fraction(2, 3)
    """
    start = (_ONE, *(Fraction(0) for _ in range(parameters - 1)))
    stale = [True] + [False] * (parameters - 1)
    return average(gradient, run(gradient, start, stale, _ONE, count))


def constants(parameters: int, count: int) -> dict[Scalar, Scalar]:
    """Of that run: L = V₂ = 1, V₁ = 0, R₀ = 1/2."""
    return {
        **{L: 1, eta: 1, V1: 0, V2: 1, n: 1, R0: sympy.Rational(1, 2)},
        kappa: sympy.Rational(1, parameters),
        T: count,
    }


def bound(printed: prover.Formulas, parameters: int, count: int) -> Fraction:
    """The right-hand side for that run."""
    value = sympy.Add(*printed.values()).subs(constants(parameters, count))
    return Fraction(int(value.p), int(value.q))


def refutation(printed: prover.Formulas) -> prover.Refutation | None:
    """The first run whose average is above the bound, or None."""
    for parameters in SIZES:
        for count in COUNTS:
            found, allowed = replay(parameters, count), bound(printed, parameters, count)
            if found > allowed:
                witness = {
                    "F": "h(x_1), h(x) = x²/2 up to |x| = 1 and |x| − 1/2 beyond",
                    "parameters": parameters,
                    "stale": "the first",
                    "kappa": Fraction(1, parameters),
                    "L": 1,
                    "V1": 0,
                    "V2": 1,
                    "n": 1,
                    "eta": 1,
                    "R0": Fraction(1, 2),
                    "x_0 = x_{-1}": [1] + [0] * (parameters - 1),
                    "T": count,
                    "x_1 over the first updates": [x[0] for x in _first(parameters)],
                    "average": found,
                    "bound": allowed,
                }
                again = partial(replay, parameters, count)
                return prover.Refutation(
                    witness, above(again, printed, constants(parameters, count))
                )
    return None


def _first(parameters: int) -> list[Point]:
    start = (_ONE, *(Fraction(0) for _ in range(parameters - 1)))
    return run(gradient, start, [True] + [False] * (parameters - 1), _ONE, 7)


_REPAIRED = prover.as_claim(prefix_repaired.THEOREM)


def _account(printed: prover.Formulas) -> prover.Account:
    fails = refutation(printed)
    returns = prover.Compared(
        "the stale parameter of the run returns after six updates, with a mean square of 2/3",
        "theory.papers.sapipe.lemmas.prefix.replay",
        _first(2)[6] == _first(2)[0] and replay(2, 6) == Fraction(2, 3),
    )
    return prover.Account(
        prover.Decision(fails=fails),
        assumes=(
            "the run starts at rest; where its first iteration passes, x_0 is there twice, and the "
            "average of six updates is the same",
        ),
        steps=(prover.Line("ours", returns.says, "exact replay", prover.Decision((returns,))),),
        findings=() if fails is None else (_finding(fails),),
    )


def _finding(fails: prover.Refutation) -> prover.Finding:
    return prover.Finding(
        "missing-condition",
        "Definition 1 with Theorem 2, without Assumption 5",
        "the κ of Definition 1 takes Theorem 2 no further than Assumption 5 does, which "
        "draws the stale elements anew in every iteration and so spreads the bias over "
        "all; the first k layers are the same ones for ever, and keep theirs. What is "
        "shown instead takes stale elements to have samples of their own",
        fails.witness,
        repaired=prover.Repair.by(prefix_repaired.THEOREM),
    )


CLAIM = prover.Claim(
    "sapipe.prefix",
    "ours",
    "Theorem 2's bound, with the κ = d_stale/d of Definition 1, holds without Assumption 5 "
    "too, for first k layers that are stale in every iteration (the paper does not say so).",
    r"\kappa = \tfrac{d_{\text{stale}}}{d} \implies \tfrac1T \sum_{t=1}^{T} "
    r"\mathbb{E}\|\nabla F(x_{t-1})\|^2 \le \tfrac{2R_0}{\eta T} + \kappa L^2\eta^2 V_2 + "
    r"\tfrac{L\eta V_1}{n}",
    account=_account,
    printed=dict(thm_2_samples.THEOREM.terms),
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=("sapipe.prefix-repaired",),
)
