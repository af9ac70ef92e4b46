"""(13): the tuned bound of LocalSGD, in both branches of γ = min{1/L, √N/(L√T)}.

On the second branch (N ≤ T) it is (11) at that stepsize. On the first (N ≥ T), where the paper is
silent, 4NH²G̃²/T alone is at least 4H²G̃², which no mean gradient exceeds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.account import Finding, Repair
from theory.judging.branches import by_branches, minimum
from theory.kernel import Cite, Combine, Hypothesis, Step, eq, le
from theory.papers.localsgd import eq_11, eq_12
from theory.papers.localsgd.eq_12 import BUDGET
from theory.papers.localsgd.lemmas import crude
from theory.papers.localsgd.method import AVERAGE
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, Gt, H, K, L, N, T, gamma, p, sigma

PROOF: Final = "appendix D, from (11) to (13)"
TUNED: Final = sympy.sqrt(N) / (L * sympy.sqrt(T))
TERMS: Final = {
    "optimization and variance": sympy.sqrt(p / K) * (2 * L * Delta + sigma**2),
    "drift": 4 * p * N**2 * H**2 * Gt**2 / K,
}
_RATE: Final = 1 / sympy.sqrt(N * T)
_DRIFT: Final = 4 * N * H**2 * Gt**2 / T
_BY_T: Final = (2 * L * Delta + sigma**2) * _RATE + _DRIFT
CHANGE_WITHOUT_DRIFT: Final = -2 * Delta / (T * gamma * TUNED) + L * sigma**2 / N
_CHANGE: Final = CHANGE_WITHOUT_DRIFT + 4 * H**2 * Gt**2 * L**2 * (gamma + TUNED)
"""How the bound of (11) changes between γ and γ₂, divided by γ₂ − γ."""

_BUDGET_DRIFT: Final = 4 * N * H**2 * Gt**2 / (K * T)

ON_SECOND: Final = "γ = √N/(L√T), as N ≤ T"
ON_FIRST: Final = "γ = 1/L, as N ≥ T"

_STATEMENT: Final = (
    "With γ = {} and K = pNT block updates, the mean over t < T of E‖∇f(x̄^t)‖² is at most "
    "√(p/K)(2LΔ + σ²) + 4pN²H²G̃²/K."
)

SECOND: Final = replace(
    eq_12.THEOREM,
    id="localsgd.eq-13-second-branch",
    where="appendix D, (13)",
    statement=_STATEMENT.format("√N/(L√T)"),
    latex=(
        r"\tfrac1T\sum_{t<T}\mathbb{E}\|\nabla f(\bar x^t)\|^2 \le \sqrt{\tfrac pK}"
        r"\,(2L\Delta + \sigma^2) + \tfrac{4pN^2H^2\tilde G^2}{K}"
    ),
    hypotheses=(
        *(h for h in eq_12.HYPOTHESES if h.name != "stepsize"),
        Hypothesis("stepsize", ON_SECOND, eq(gamma, TUNED)),
    ),
    cites=(eq_11.THEOREM,),
    steps=(
        Step("(11)", eq_11.THEOREM.goal, Cite("localsgd.eq-11"), "(11)", PROOF),
        Step(
            "tuned",
            le(AVERAGE, _BY_T),
            Combine({"(11)": 1, "stepsize": _CHANGE}),
            "at most (2LΔ + σ²)/√(NT) + 4NH²G̃²/T",
            PROOF,
        ),
        Step(
            "rate",
            le(_RATE, sympy.sqrt(p / K)),
            Combine({BUDGET.name: 1 / (K * N * T * (sympy.sqrt(p / K) + _RATE))}),
            "1/√(NT) = √(p/K)",
            PROOF,
        ),
    ),
    terms=TERMS,
    conclude=Combine({"tuned": 1, "rate": 2 * L * Delta + sigma**2, BUDGET.name: _BUDGET_DRIFT}),
)

FIRST: Final = replace(
    SECOND,
    id="localsgd.eq-13-first-branch",
    statement=_STATEMENT.format("1/L, N ≥ T,"),
    hypotheses=(
        *crude.THEOREM.hypotheses,
        BUDGET,
        Hypothesis("stepsize", ON_FIRST, eq(gamma, 1 / L)),
        Hypothesis("fewer steps", "N ≥ T", le(T, N)),
    ),
    cites=(crude.THEOREM,),
    steps=(Step("crude", crude.THEOREM.goal, Cite("localsgd.crude")),),
    conclude=Combine(
        {
            "crude": 1,
            "stepsize": 2 * (H - 1) ** 2 * Gt**2 * L * (1 + gamma * L),
            BUDGET.name: _BUDGET_DRIFT,
            "fewer steps": 4 * H**2 * Gt**2 / T,
        },
        plus=(
            TERMS["optimization and variance"],
            Gt**2 * (2 * H**2 + 4 * H - 4),
        ),
    ),
)

BRANCHES: Final = {ON_SECOND: SECOND, ON_FIRST: FIRST}
CONDITIONS: Final = {ON_SECOND: ("stepsize",), ON_FIRST: ("stepsize", "fewer steps")}
CHOSEN: Final = minimum(gamma, 1 / L, TUNED)
"""γ = min{1/L, √N/(L√T)}."""


def _remarks() -> tuple[Finding, ...]:
    """The truncation at 1/L has no use."""
    return (
        Finding(
            kind="superfluous-condition",
            where="appendix D, (13)",
            says="γ = √N/(L√T) need not be cut off at 1/L: the proof for N ≤ T never uses N ≤ T",
            shown=(SECOND,),
            repaired=Repair(
                "with γ = √N/(L√T) and K = pNT the same bound holds for all N and T", (SECOND,)
            ),
        ),
    )


CLAIM: Final = by_branches(
    replace(SECOND, id="localsgd.eq-13", statement=_STATEMENT.format("min{1/L, √N/(L√T)}")),
    BRANCHES,
    CONDITIONS,
    CHOSEN,
    challenge=CHALLENGES["localsgd-average-gradient-tuned"],
    depends=("localsgd.eq-11", "localsgd.crude"),
    remarks=_remarks,
)
