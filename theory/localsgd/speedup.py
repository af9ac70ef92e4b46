"""Linear speed-up and the period: H ≤ T^{1/4}/N^{3/4}, read in the three ways that it can be.

As an order of magnitude it is exact: for every c > 0, H is at most c thresholds if and only if the
drift term of (13) is at most 4c²G̃²/√(NT). With the constant 1 it neither is enough nor is needed.
And the method itself has no need of it: at H = 1 nothing drifts.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

import sympy

from theory.claims import Claim, Formulas
from theory.falsifier.model import Instance
from theory.kernel import prove
from theory.ledger import Case, Finding, Judgement, Repair, Step
from theory.localsgd.rates import (
    DRIFT,
    EVERY_STEP,
    NOISE,
    RATE,
    THRESHOLD,
    at_constant,
    enough,
    needed,
)
from theory.localsgd.replays import descent_on_huber, value
from theory.rpd.symbols import H, N, T
from theory.verdicts import Verdict, weakest

ORDER: Final = "as an order of magnitude, constants being free"
LITERAL: Final = "with the constant 1, against the term (2LΔ + σ²)/√(NT)"
METHOD: Final = "as a need of the method, not of the printed bound"

FLAT: Final = descent_on_huber(Fraction(1, 10), H=1)
"""H at the threshold, and little to gain: the drift term is larger."""

STEEP: Final = descent_on_huber(100, H=2)
"""H beyond the threshold, and much to gain: the drift term is smaller."""

FEW: Final = {N: 2, T: 4, H: 1}
"""N ≤ T < N³, so that not even H = 1 is allowed."""


def _directions(threshold: sympy.Expr) -> tuple[Step, Step]:
    """Enough and needed, for every c."""
    both = enough(threshold), needed(threshold)
    # no period is below a threshold that is not positive: there nothing would follow
    shown = [prove(one).verdict if threshold.is_positive else Verdict.UNKNOWN for one in both]
    one, other = (
        Step("ours", theorem.statement, "exact certificate", verdict)
        for theorem, verdict in zip(both, shown, strict=True)
    )
    return one, other


def _order(threshold: sympy.Expr) -> Verdict:
    return weakest(step.verdict for step in _directions(threshold))


def _sides(one: Instance, threshold: sympy.Expr) -> dict[str, sympy.Expr]:
    forms = {"H": H, "threshold": threshold, "drift term": DRIFT, "speed-up term": NOISE * RATE}
    return {name: value(form, one) for name, form in forms.items()}


def _literal(threshold: sympy.Expr) -> dict[str, Any] | None:
    """An instance at or below the threshold whose drift dominates, and one where neither is so."""
    flat, steep = _sides(FLAT, threshold), _sides(STEEP, threshold)
    not_enough = flat["H"] <= flat["threshold"] and flat["drift term"] > flat["speed-up term"]
    not_needed = steep["H"] > steep["threshold"] and steep["drift term"] <= steep["speed-up term"]
    if not (not_enough and not_needed):
        return None
    return {
        "not enough": {**FLAT.describe(), **flat},
        "not needed": {**STEEP.describe(), **steep},
    }


def _method(threshold: sympy.Expr) -> Mapping[str, Any] | None:
    """N and T at which H = 1 exceeds the threshold while `EVERY_STEP` gives a linear speed-up."""
    at = threshold.subs(FEW)
    if prove(EVERY_STEP).verdict is not Verdict.PROVED or not at < FEW[H]:
        return None
    return {**{str(symbol): number for symbol, number in FEW.items()}, "threshold": at}


def _every_step() -> Step:
    verdict = prove(EVERY_STEP).verdict
    return Step("ours", EVERY_STEP.statement, "(11) without drift, tuned", verdict)


def _judge(formulas: Formulas) -> Judgement:
    threshold = formulas["threshold"]
    order, literal, method = _order(threshold), _literal(threshold), _method(threshold)
    cases = (
        Case(ORDER, order, "H ≤ c thresholds if and only if drift ≤ 4c²G̃²/√(NT), for every c"),
        Case(LITERAL, Verdict.REFUTED if literal else Verdict.UNKNOWN, "neither enough nor needed"),
        Case(METHOD, Verdict.REFUTED if method else Verdict.UNKNOWN, "H = 1 does not drift"),
    )
    return Judgement(
        verdict=Verdict.CONDITIONAL if order is Verdict.PROVED else Verdict.UNKNOWN,
        printed_proof="none",
        cases=cases,
        assumes=("the tuned bound (13), its terms compared one with the other",),
        steps=(*_directions(threshold), _every_step()),
        findings=(*_constants(literal, _with_constant(threshold, order)), *_no_need(method)),
    )


def _with_constant(threshold: sympy.Expr, order: Verdict) -> Verdict:
    """The equivalence at the one constant c that compares the two terms as printed."""
    return order if at_constant(threshold) else Verdict.UNKNOWN


def _constants(witness: Mapping[str, Any] | None, repaired: Verdict) -> tuple[Finding, ...]:
    if witness is None:
        return ()
    return (
        Finding(
            kind="missing-condition",
            where=CLAIM.where,
            says="the threshold lacks its constant, which may be as small or as large as one likes",
            witness=witness,
            repaired=Repair(
                "the drift term is at most (2LΔ + σ²)/√(NT) if and only if "
                "H ≤ √(2LΔ + σ²)/(2G̃) · T^{1/4}/N^{3/4}, where 2LΔ + σ² > 0",
                repaired,
            ),
        ),
    )


def _no_need(witness: Mapping[str, Any] | None) -> tuple[Finding, ...]:
    if witness is None:
        return ()
    return (
        Finding(
            kind="loose",
            where=CLAIM.where,
            says=(
                "T^{1/4}/N^{3/4} is below 1 wherever T < N³, so that no period would do; but "
                "models that are averaged after every step do not drift"
            ),
            witness=witness,
            repaired=Repair(EVERY_STEP.statement, prove(EVERY_STEP).verdict),
        ),
    )


_PRINTED: Final = {"threshold": THRESHOLD}

CLAIM: Final = Claim(
    id="localsgd.speedup",
    where="appendix D, after (13)",
    statement=(
        "For a linear speed-up LocalSGD needs H ≤ T^{1/4}/N^{3/4}, by which the drift term of its "
        "tuned bound is no larger than the 1/√(NT) term."
    ),
    latex=r"H \le \frac{T^{1/4}}{N^{3/4}}",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=lambda formulas: _order(formulas["threshold"]),
    depends=("localsgd.eq-13", "localsgd.sharp-eq-11"),
)
