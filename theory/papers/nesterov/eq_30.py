"""(30): what all iterations together say of δ_{t+1}.

Problem    f is convex and β-smooth; any delay.
Method     (14) with η = 1/β, λ_t = t and γ_t = (t − 2)/t except γ_1 = 0; all iterations are summed.
Guarantee  δ_{t+1} ≤ (Ω_1 + … + Ω_t)/t + β‖w_1 − w*‖²/(2t) for every t ≥ 1, as the last line says.
Source     Nesterov paper, (30).

Its second line is false at t = 1 (`nesterov.eq-30-step`), and its fourth has half of the start in
its last line. The last line itself holds: the first iteration, with γ_1 = 0, gives u_1 − u_2
instead of half of it; the others are `nesterov.eq-30-sum`.
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.judging.as_claim import account, as_claim
from theory.kernel import Cite, Combine, Hypothesis, Point, Step, Theorem, point, vector
from theory.kernel.vectors import in_gram
from theory.papers.nesterov import eq_25, eq_30_step, method, symbols
from theory.papers.nesterov.lemmas import eq_30_sum
from theory.papers.nesterov.lemmas.eq_30_later import NEXT
from theory.papers.nesterov.lemmas.eq_30_sum import SUM, F, U
from theory.papers.nesterov.runs.challenges import CHALLENGES

Omega, R, beta, gamma, t = symbols.letters("Omega R beta gamma t")
FIRST, STAR, D, W, Y = method.letters("FIRST STAR D W Y")

W_1 = point("w_1")
Y_1 = point("y_1")
W_2 = Point(
    W_1.position - Y_1.gradient / beta, sympy.Symbol("f(w_2)", real=True), vector("∇f(w_2)")
)
"""With d_1 = 0 and γ_1 = 0."""

_VECTORS = {
    "w": W_1.position,
    "y": Y_1.position,
    "∇f(y)": Y_1.gradient,
    "∇f(w⁺)": W_2.gradient,
    "d": D * 0,
}
_VALUES = {
    Y.value: Y_1.value,
    NEXT.value: W_2.value,
    gamma: FIRST,
}
"""The first iteration in the theorems about any iteration."""

EXCESS_1 = in_gram(method.excess(sympy.S.One, FIRST), _VECTORS)
"""Ω_1."""
CONVEX_FIRST = replace(
    method.CONVEX_STAR,
    name="convex at y_1, w*",
    says="f is convex (at f(y_1), against f*)",
    relation=method.CONVEX_STAR.relation.replaced(_VALUES, _VECTORS),
)
START = (
    Hypothesis("value at 2", "F starts with f(w_2)", prover.eq(F(0), W_2.value)),
    Hypothesis(
        "u at 2",
        "U starts with u_2, where γ_2 = 0 and so d_2 = 0",
        prover.eq(U(0), beta / 2 * (W_2.position - STAR.position) ** 2),
    ),
    Hypothesis("start", "R is ‖w_1 − w*‖", prover.eq((W_1.position - STAR.position) ** 2, R**2)),
    Hypothesis(
        "sum of excesses",
        "Ω is Ω_1 + … + Ω_t",
        prover.eq(Omega, EXCESS_1 + SUM),
    ),
)
THEOREM = Theorem(
    id="nesterov.eq-30",
    where="(30), last line",
    statement=(
        "With η = 1/β, λ_t = t and γ_t = (t − 2)/t except γ_1 = 0, δ_{t+1} ≤ (Ω_1 + … + Ω_t)/t + "
        "β‖w_1 − w*‖²/(2t) for every delay and every t ≥ 1."
    ),
    latex=(r"\delta_{t+1} \le \tfrac1t \sum_{k=1}^t \Omega_k + \tfrac{\beta}{2t}\|w_1 - w^*\|^2"),
    symbols=(beta, t, R, Omega, STAR.value),
    vectors=(D, STAR.position),
    points=(*eq_30_sum.THEOREM.points, W_1, Y_1, W_2),
    hypotheses=(*eq_30_sum.THEOREM.hypotheses, CONVEX_FIRST, *START),
    cites=(eq_25.THEOREM, eq_30_sum.THEOREM),
    steps=(
        Step(
            "(25) at 1",
            eq_25.THEOREM.goal.replaced(_VALUES, _VECTORS),
            Cite("nesterov.eq-25", _VALUES, _VECTORS),
            "(25) at t = 1, where γ_1 = 0",
        ),
        Step("sum", eq_30_sum.THEOREM.goal, Cite("nesterov.eq-30-sum"), "the iterations 2, …, t"),
    ),
    lhs=F(t - 1) - STAR.value,
    terms={"excess": Omega / t, "start": beta * R**2 / (2 * t)},
    conclude=Combine(
        {
            "sum": 1,
            "value at 2": 1 / t,
            "u at 2": 1 / (2 * t),
            "(25) at 1": 1 / t,
            "sum of excesses": -1 / t,
            "start": beta / (2 * t),
        },
        squares=((beta / (4 * t), W_2.position - STAR.position),),
    ),
)

CHALLENGE = CHALLENGES["nesterov-descent"]


def _account(formulas: prover.Formulas) -> prover.Account:
    known = with_printed_line(account(THEOREM, formulas, CHALLENGE))
    fails = eq_30_step.at_first(eq_30_step.PRINTED).fails
    if fails is None:
        return known
    invalid = _invalid(fails, replace(THEOREM, terms=formulas))
    return replace(known, findings=(*known.findings, invalid))


def with_printed_line(known: prover.Account) -> prover.Account:
    """What is known of a proof that uses line 2 of (30), with what is known of that line."""
    step = eq_30_step
    line = prover.Line(
        "(30), line 2", step.CLAIM.statement, step.CLAIM.id, step.at_first(step.PRINTED)
    )
    return replace(known, steps=(line, *known.steps))


def _invalid(fails: prover.Refutation, stated: Theorem) -> prover.Finding:
    return prover.Finding(
        "invalid-step",
        "(30), lines 2 to 5",
        "line 2 is false at t = 1, so line 4 with u_1/2 = β/4 ‖w_1 − w*‖² is not shown; the last "
        "line has twice that, β/2 ‖w_1 − w*‖², which is what the first iteration costs: it gives "
        "u_1 − u_2, the others (u_t − u_{t+1})/2",
        fails.witness,
        repaired=prover.Repair(THEOREM.statement, (stated,)),
    )


CLAIM = replace(as_claim(THEOREM, CHALLENGE), account=_account)
