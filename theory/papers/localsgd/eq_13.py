"""(13): the tuned bound of LocalSGD.

Problem    As in (11).
Method     LocalSGD with γ = min{1/L, √N/(L√T)} and K = pNT block updates.
Guarantee  mean over t < T of E‖∇f(x̄^t)‖² ≤ √(p/K)(2LΔ + σ²) + 4pN²H²G̃²/K.
Source     RPD paper, appendix D, (13). On the second branch (N ≤ T) it is (11) at that stepsize. On
           the first (N ≥ T), where the paper is silent, 4NH²G̃²/T alone is at least 4H²G̃², which no
           mean gradient exceeds.
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.judging.branches import by_branches, minimum
from theory.kernel import Combine
from theory.notation import equal, theorem
from theory.papers.localsgd import eq_11
from theory.papers.localsgd.eq_12 import BUDGET
from theory.papers.localsgd.lemmas import crude
from theory.papers.localsgd.method import AVERAGE, STEPSIZE
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, gamma, p, sigma
from theory.papers.rpd.symbols import T as STEPS

PROOF = "appendix D, from (11) to (13)"
TUNED = sympy.sqrt(N) / (L * sympy.sqrt(STEPS))
TERMS = {
    "optimization and variance": sympy.sqrt(p / K) * (2 * L * Delta + sigma**2),
    "drift": 4 * p * N**2 * H**2 * Gt**2 / K,
}
_RATE = 1 / sympy.sqrt(N * STEPS)

ON_SECOND = "γ = √N/(L√T), as N ≤ T"
ON_FIRST = "γ = 1/L, as N ≥ T"

_STATEMENT = (
    "With γ = {} and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "√(p/K)(2LΔ + σ²) + 4pN²H²G̃²/K."
)

T = theorem("localsgd.eq-13-second-branch", "appendix D, (13)")
T.assume(BUDGET)
T.assume(equal(gamma, TUNED), "stepsize", ON_SECOND)
T.cite(eq_11.THEOREM, name="(11)", says="(11)", where=PROOF, unused=(STEPSIZE.name,))
T.have(
    AVERAGE <= (2 * L * Delta + sigma**2) * _RATE + 4 * N * H**2 * Gt**2 / STEPS,
    says="at most (2LΔ + σ²)/√(NT) + 4NH²G̃²/T",
    where=PROOF,
)
T.have(_RATE <= sympy.sqrt(p / K), says="1/√(NT) = √(p/K)", where=PROOF)
SECOND = T.shows(AVERAGE <= sympy.Add(*TERMS.values()), TERMS, says=_STATEMENT.format("√N/(L√T)"))

T = theorem("localsgd.eq-13-first-branch", "appendix D, (13)")
T.cite(crude.THEOREM, name="crude")
T.assume(BUDGET)
T.assume(equal(gamma, 1 / L), "stepsize", ON_FIRST)
T.assume(STEPS <= N, "fewer steps", "N ≥ T")
FIRST = T.shows(
    AVERAGE <= sympy.Add(*TERMS.values()),
    TERMS,
    by=Combine(
        {
            "crude": 1,
            "stepsize": 2 * (H - 1) ** 2 * Gt**2 * L * (1 + gamma * L),
            BUDGET.name: 4 * N * H**2 * Gt**2 / (K * STEPS),
            "fewer steps": 4 * H**2 * Gt**2 / STEPS,
        },
        plus=(TERMS["optimization and variance"], Gt**2 * (2 * H**2 + 4 * H - 4)),
    ),
    says=_STATEMENT.format("1/L, N ≥ T,"),
)

BRANCHES = {ON_SECOND: SECOND, ON_FIRST: FIRST}
CONDITIONS = {ON_SECOND: ("stepsize",), ON_FIRST: ("stepsize", "fewer steps")}
CHOSEN = minimum(gamma, 1 / L, TUNED)
"""γ = min{1/L, √N/(L√T)}."""


def _remarks() -> tuple[prover.Finding, ...]:
    """The truncation at 1/L has no use."""
    return (
        prover.Finding(
            "superfluous-condition",
            "appendix D, (13)",
            "γ = √N/(L√T) need not be cut off at 1/L: the proof for N ≤ T never uses N ≤ T",
            shown=(SECOND,),
            repaired=prover.Repair(
                "with γ = √N/(L√T) and K = pNT the same bound holds for all N and T", (SECOND,)
            ),
        ),
    )


CLAIM = by_branches(
    replace(SECOND, id="localsgd.eq-13", statement=_STATEMENT.format("min{1/L, √N/(L√T)}")),
    BRANCHES,
    CONDITIONS,
    CHOSEN,
    challenge=CHALLENGES["localsgd-average-gradient-tuned"],
    depends=("localsgd.eq-11", "localsgd.crude"),
    remarks=_remarks,
)
