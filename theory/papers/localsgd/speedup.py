"""Linear speed-up and the period: H ≤ T^{1/4}/N^{3/4}, read in the three ways that it can be.

Problem    for which periods H the drift term of (13) is no larger than its 1/√(NT) term, so that
           the speed-up is linear in the number N of workers.
Method     the two terms, compared exactly at H = T^{1/4}/N^{3/4}.
Guarantee  As an order of magnitude it is exact: for every c > 0, H is at most c thresholds if and
           only if the drift term is at most 4c²G̃²/√(NT). With the constant 1 it neither is enough
           nor is needed. And the method itself has no need of it: at H = 1 nothing drifts.
Source     RPD paper, appendix D, before (13).
"""

from fractions import Fraction
from functools import partial

import sympy

from theory.falsifier.model import Instance
from theory.judging import prover
from theory.kernel import Theorem
from theory.papers.localsgd.lemmas.rates import (
    DRIFT,
    EVERY_STEP,
    NOISE,
    RATE,
    THRESHOLD,
    at_constant,
    enough,
    needed,
)
from theory.papers.localsgd.witnesses.replays import descent_on_huber, value
from theory.papers.rpd.symbols import H, N, T

ORDER = "as an order of magnitude, constants being free"
LITERAL = "with the constant 1, against the term (2LΔ + σ²)/√(NT)"
METHOD = "as a need of the method, not of the printed bound"

FLAT = descent_on_huber(Fraction(1, 10), H=1)
"""H at the threshold, and little to gain: the drift term is larger."""

STEEP = descent_on_huber(100, H=2)
"""H beyond the threshold, and much to gain: the drift term is smaller."""

FEW = {N: 2, T: 4, H: 1}
"""N ≤ T < N³, so that not even H = 1 is allowed."""


def _order(threshold: sympy.Expr) -> tuple[Theorem, ...]:
    """Enough and needed, for every c; no period is below a threshold that is not positive."""
    return (enough(threshold), needed(threshold)) if threshold.is_positive else ()


def _sides(one: Instance, threshold: sympy.Expr) -> dict[str, sympy.Expr]:
    forms = {"H": H, "threshold": threshold, "drift term": DRIFT, "speed-up term": NOISE * RATE}
    return {name: value(form, one) for name, form in forms.items()}


def _literal(threshold: sympy.Expr) -> prover.Refutation | None:
    """An instance at or below the threshold whose drift dominates, and one where neither is so."""
    flat, steep = _sides(FLAT, threshold), _sides(STEEP, threshold)
    not_enough = flat["H"] <= flat["threshold"] and flat["drift term"] > flat["speed-up term"]
    not_needed = steep["H"] > steep["threshold"] and steep["drift term"] <= steep["speed-up term"]
    if not (not_enough and not_needed):
        return None
    witness = {
        "not enough": {**FLAT.describe(), **flat},
        "not needed": {**STEEP.describe(), **steep},
    }
    symbols = (DRIFT + NOISE * RATE).free_symbols
    at = {symbol: FLAT.parameters[symbol.name] for symbol in symbols}
    drift = partial(value, DRIFT, FLAT)
    return prover.Refutation(
        witness, prover.Violation(drift, "<=", NOISE * RATE, at, (prover.le(H, threshold),))
    )


def _method(threshold: sympy.Expr) -> prover.Refutation | None:
    """N and T at which H = 1 exceeds the threshold while `EVERY_STEP` gives a linear speed-up."""
    at = threshold.subs(FEW)
    if not at < FEW[H]:
        return None
    witness = {**{str(symbol): number for symbol, number in FEW.items()}, "threshold": at}
    exceeds = prover.Compared(f"H = 1 is above the threshold {at}", "sympy", True)
    return prover.Refutation(witness, (EVERY_STEP, exceeds))


def _account(formulas: prover.Formulas) -> prover.Account:
    threshold = formulas["threshold"]
    order, literal, method = _order(threshold), _literal(threshold), _method(threshold)
    cases = (
        prover.Case(
            ORDER,
            prover.Decision(order),
            "H ≤ c thresholds if and only if drift ≤ 4c²G̃²/√(NT), for every c",
        ),
        prover.Case(LITERAL, prover.Decision(fails=literal), "neither enough nor needed"),
        prover.Case(METHOD, prover.Decision(fails=method), "H = 1 does not drift"),
    )
    lines = (
        *(
            prover.Line("ours", one.statement, "exact certificate", prover.Decision((one,)))
            for one in order
        ),
        prover.Line(
            "ours",
            EVERY_STEP.statement,
            "(11) without drift, tuned",
            prover.Decision((EVERY_STEP,)),
        ),
    )
    return prover.Account(
        prover.Readings((ORDER,)),
        cases=cases,
        assumes=("the tuned bound (13), its terms compared one with the other",),
        steps=lines,
        findings=(*_constants(literal, _with_constant(threshold)), *_no_need(method)),
    )


def _with_constant(threshold: sympy.Expr) -> tuple[prover.Ground, ...]:
    """The equivalence at the one constant c that compares the two terms as printed."""
    says = "c = √(2LΔ + σ²)/(2G̃) compares the terms as printed"
    constant = prover.Compared(
        says, "theory.papers.localsgd.lemmas.rates.at_constant", at_constant(threshold)
    )
    return (constant, *_order(threshold))


def _constants(
    fails: prover.Refutation | None, repaired: tuple[prover.Ground, ...]
) -> tuple[prover.Finding, ...]:
    if fails is None:
        return ()
    return (
        prover.Finding(
            "missing-condition",
            CLAIM.where,
            "the threshold lacks its constant, which may be as small or as large as one likes",
            fails.witness,
            repaired=prover.Repair(
                "the drift term is at most (2LΔ + σ²)/√(NT) if and only if "
                "H ≤ √(2LΔ + σ²)/(2G̃) · T^{1/4}/N^{3/4}, where 2LΔ + σ² > 0",
                repaired,
            ),
        ),
    )


def _no_need(fails: prover.Refutation | None) -> tuple[prover.Finding, ...]:
    if fails is None:
        return ()
    return (
        prover.Finding(
            "loose",
            CLAIM.where,
            "T^{1/4}/N^{3/4} is below 1 wherever T < N³, so that no period would do; but "
            "models that are averaged after every step do not drift",
            fails.witness,
            shown=(EVERY_STEP,),
            repaired=prover.Repair.by(EVERY_STEP),
        ),
    )


_PRINTED = {"threshold": THRESHOLD}

CLAIM = prover.Claim(
    "localsgd.speedup",
    "appendix D, before (13)",
    "For a linear speed-up LocalSGD needs H ≤ T^{1/4}/N^{3/4}, by which the drift term of its "
    "tuned bound is no larger than the 1/√(NT) term.",
    r"H \le \frac{T^{1/4}}{N^{3/4}}",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=lambda formulas: _order(formulas["threshold"]),
    depends=("localsgd.eq-13", "localsgd.sharp-eq-11"),
)
