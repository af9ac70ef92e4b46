"""(26): the two bounds of one iteration, weighted; line C is what the rest of the proof uses.

Problem    f is convex and β-smooth; 0 ≤ γ_t < 1 and λ_t ≥ 1.
Method     one iteration of (14) with η = 1/β: λ_t − 1 times (24), and (25).
Guarantee  λ_tδ_{t+1} − (λ_t − 1)δ_t ≤ Ω_t − β/(2λ_t(1 − γ_t))(‖λ_th̄_t + w_t + λ_td_t − w*‖² − ‖w_t
           + λ_td_t − w*‖²), which is line C.
Source     Nesterov paper, (26).

Line B is lost in the text that we have. By its reason, "0 < γ_t < 0, λ_t > 0, β > 0", it is line A
without γ_t in its second term, and so it stands here. The condition is that of no number; what the
step needs is 0 ≤ γ_t < 1.
"""

from collections.abc import Mapping
from fractions import Fraction

import sympy

from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Relation, Step, Theorem
from theory.kernel.prove import Proof
from theory.kernel.vectors import Scalar
from theory.papers.nesterov import eq_24, eq_25, method, symbols
from theory.papers.nesterov.method import step
from theory.papers.nesterov.witnesses.replays import at_numbers

beta, gamma, lam, theta = symbols.letters("beta gamma lam theta")
AWAY, GRADIENT, STAR, D, W, Y = method.letters("AWAY GRADIENT STAR D W Y")

GAMMA = 1 - theta
"""γ_t < 1."""
_NOT_NEGATIVE = Hypothesis("momentum not negative", "0 ≤ γ_t = 1 − θ", prover.le(0, GAMMA))
NEXT = method.after(momentum=GAMMA)
"""w_{t+1}."""
_AT = {gamma: GAMMA}
_DROP = lam * (NEXT.value - STAR.value) - (lam - 1) * (W.value - STAR.value)
_WAY = W.position + lam * D - STAR.position
_STEP = step(momentum=GAMMA)
_LINEAR = beta / theta * (_STEP @ _WAY)
_BEFORE, _THEN = _WAY**2, (lam * _STEP + _WAY) ** 2
_FACTOR = beta / (2 * lam * theta)

THEOREM = Theorem(
    id="nesterov.eq-26",
    where="(26), line C",
    statement=(
        "With η = 1/β, 0 ≤ γ_t < 1 and λ_t ≥ 1, λ_tδ_{t+1} − (λ_t − 1)δ_t ≤ Ω_t − "
        "β/(2λ_t(1 − γ_t))(‖λ_th̄_t + w_t + λ_td_t − w*‖² − ‖w_t + λ_td_t − w*‖²) for every delay."
    ),
    latex=(
        r"\lambda_t\delta_{t+1} - (\lambda_t-1)\delta_t \le \Omega_t - "
        r"\tfrac{\beta}{2\lambda_t(1-\gamma_t)}\left(\|\lambda_t\bar h_t + w_t + \lambda_t d_t - "
        r"w^*\|^2 - \|w_t + \lambda_t d_t - w^*\|^2\right)"
    ),
    symbols=(beta, theta, lam, STAR.value),
    vectors=(D, STAR.position),
    points=(W, Y, NEXT),
    hypotheses=(method.SMOOTH, method.CONVEX_NOW, method.CONVEX_STAR, _NOT_NEGATIVE, method.WEIGHT),
    cites=(eq_24.THEOREM, eq_25.THEOREM),
    steps=(
        Step("(24)", eq_24.THEOREM.goal.replaced(_AT), Cite("nesterov.eq-24", _AT), "(24)", "(26)"),
        Step("(25)", eq_25.THEOREM.goal.replaced(_AT), Cite("nesterov.eq-25", _AT), "(25)", "(26)"),
        Step(
            "sum",
            prover.le(
                _DROP,
                lam * beta / 2 * AWAY**2
                + lam * (GAMMA - 1) * (GRADIENT @ AWAY)
                + lam * (GAMMA**2 - 1) / (2 * beta) * GRADIENT**2
                + GRADIENT @ _WAY,
            ),
            Combine({"(24)": lam - 1, "(25)": 1}, domain=(method.WEIGHT.name,)),
            "(24) times λ_t − 1, and (25)",
            "(26)",
        ),
        Step(
            "A",
            prover.le(
                _DROP,
                method.excess(lam, GAMMA)
                - lam * (1 + GAMMA) * beta / (2 * theta) * _STEP**2
                - _LINEAR,
            ),
            Combine({"sum": 1}),
            "with Ω_t and h̄_t",
            "(26), line A",
        ),
        Step(
            "B",
            prover.le(
                _DROP,
                method.excess(lam, GAMMA) - lam * beta / (2 * theta) * _STEP**2 - _LINEAR,
            ),
            Combine({"A": 1, _NOT_NEGATIVE.name: lam * beta / (2 * theta) * _STEP**2}),
            "γ_t ≥ 0 is dropped",
            "(26), line B, reconstructed",
        ),
    ),
    lhs=_DROP,
    terms={
        "excess": method.excess(lam, GAMMA),
        "after": -_FACTOR * _THEN,
        "before": _FACTOR * _BEFORE,
    },
    conclude=Combine({"B": 1}),
)

AT_FIRST = {
    beta: Fraction(1),
    theta: Fraction(2),
    lam: Fraction(1),
}
"""t = 1 by (29): λ_1 = 1, and γ_1 = −1, which is not what the method has."""


def on_parabola(relation: Relation, values: Mapping[Scalar, Fraction]) -> tuple[Fraction, Fraction]:
    """Both sides of a line of (26) on f(w) = βw²/2 from w_t = y_t = 1, with d_t = 0.

    Examples
    --------
    >>> [str(side) for side in on_parabola(THEOREM.goal, AT_FIRST)]
    ['1/2', '0']
    """
    curvature, now = values[beta], Fraction(1)
    then = now - values[theta] * now  # the gradient is β, and η = 1/β
    line = {"w": now, "y": now, "d": Fraction(0), "w*": Fraction(0), "∇f(y)": curvature}
    heights = {one: curvature * w**2 / 2 for one, w in ((W.value, now), (NEXT.value, then))}
    numbers = {**values, **heights, STAR.value: Fraction(0)}
    lhs, rhs = (at_numbers(side, line, numbers) for side in (relation.lhs, relation.rhs))
    return lhs, rhs


PRINTED = sympy.Interval.open(0, 0)
"""The γ_t for which line B is said to hold."""


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That the printed condition is one of no number, and what the needed one is."""
    repaired = prover.Repair(THEOREM.statement, (proof,))
    found = []
    if PRINTED.is_empty:
        says = "0 < γ_t < 0 holds of no number; 0 ≤ γ_t < 1 is what the lines need"
        empty = prover.Compared("no number is in the interval", "sympy", PRINTED.is_empty)
        found.append(
            prover.Finding("typo", "(26), line B", says, shown=(empty,), repaired=repaired)
        )
    if prover.proves(proof):
        says = "λ_t > 1 leaves out λ_1 = 1; λ_t ≥ 1 is enough, which the sum over t needs"
        found.append(
            prover.Finding("superfluous-condition", "(26)", says, shown=(proof,), repaired=repaired)
        )
    lhs, rhs = on_parabola(THEOREM.goal, AT_FIRST)
    if lhs > rhs:
        found.append(_below_zero(lhs, rhs, repaired))
    return tuple(found)


def _below_zero(lhs: Fraction, rhs: Fraction, repaired: prover.Repair) -> prover.Finding:
    before = next(step.relation for step in THEOREM.steps if step.name == "A")
    return prover.Finding(
        "missing-condition",
        "(26), line B",
        "dropping γ_t needs γ_t ≥ 0; the γ_1 = −1 of (29) would make lines B and C false at t = 1",
        {
            "f": "w²/2, β = 1",
            "w_1 = y_1": "1",
            "gamma_1": str(1 - AT_FIRST[theta]),
            "lambda_1": str(AT_FIRST[lam]),
            "left side": str(lhs),
            "line A": str(on_parabola(before, AT_FIRST)[1]),
            "line C": str(rhs),
        },
        repaired=repaired,
    )


CLAIM = as_claim(THEOREM, remarks=_remarks)
