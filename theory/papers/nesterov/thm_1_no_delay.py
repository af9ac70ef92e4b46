"""Theorem 2 for τ = 0: (30) without its excesses is the rate O(1/t), with a constant.

Problem    f is convex and β-smooth with a minimiser w*.
Method     (14) with (29), without delay, η = 1/β: (30) without its excesses.
Guarantee  f(w_{t+1}) − f* ≤ β‖w_1 − w*‖²/(2t) for every t ≥ 1.
Source     Nesterov paper, Theorem 1 (2), the case τ = 0.
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.judging.as_claim import account, as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem
from theory.kernel.prove import Proof
from theory.papers.nesterov import eq_30, method, symbols
from theory.papers.nesterov.eq_30 import EXCESS_1, W_1, Y_1
from theory.papers.nesterov.lemmas import sharp_no_delay
from theory.papers.nesterov.lemmas.eq_30_sum import SUM
from theory.papers.nesterov.lemmas.no_delay import NO_DELAY, NO_EXCESS, NO_EXCESSES
from theory.papers.nesterov.runs.challenges import CHALLENGES

G, Omega, R, beta, t, tau = symbols.letters("G Omega R beta t tau")
STAR, Y = method.letters("STAR Y")

_AWAY_1 = W_1.position - Y_1.position
_NONE = {Omega: sympy.S.Zero}

_AT_FIRST = (
    Hypothesis("no delay at 1", "y_1 = w_1", prover.eq(_AWAY_1**2, 0)),
    Hypothesis(
        "no delay at 1, slope", "the same, taken with ḡ_1", prover.eq(Y_1.gradient @ _AWAY_1, 0)
    ),
)
_BASE = tuple(h for h in eq_30.THEOREM.hypotheses if h.name != "sum of excesses")

THEOREM = Theorem(
    id="nesterov.thm-1-no-delay",
    where="Theorem 1 (2), the case τ = 0",
    statement=(
        "Without delay, for convex β-smooth f with a minimiser and with η = 1/β and "
        "γ_t = (t − 2)/t, f(w_{t+1}) − f* ≤ β‖w_1 − w*‖²/(2t) for every t ≥ 1."
    ),
    latex=r"f(w_{t+1}) - f^* \le \tfrac{\beta}{2t}\|w_1 - w^*\|^2",
    symbols=(beta, t, R, G, STAR.value),
    vectors=eq_30.THEOREM.vectors,
    points=eq_30.THEOREM.points,
    hypotheses=(*_BASE, *NO_DELAY, *_AT_FIRST, method.bounded("bounded gradients", Y)),
    cites=(eq_30.THEOREM,),
    steps=(
        NO_EXCESS,
        NO_EXCESSES,
        Step(
            "none at all",
            prover.eq(0, EXCESS_1 + SUM),
            Combine(
                {"no excesses": -1, "no delay at 1": -beta / 2, "no delay at 1, slope": 1},
            ),
        ),
        Step(
            "(30)",
            eq_30.THEOREM.goal.replaced(_NONE),
            Cite(eq_30.THEOREM.id, _NONE),
            "(30), last line, without excesses",
            "(30), last line",
        ),
    ),
    lhs=eq_30.THEOREM.lhs,
    terms={"start": beta * R**2 / (2 * t)},
    conclude=Combine({"(30)": 1}),
)

CHALLENGE = CHALLENGES["nesterov-descent"]

AT = 10
"""Iteration at which the constants are compared."""


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That 1/2 can be 3/10, and that nothing below 1/4 can be."""
    sharp = sharp_no_delay.THEOREM
    if not prover.proves(proof, sharp):
        return ()
    at = {beta: 1, R: 1, t: AT}
    theirs, ours = (one.terms["start"].subs(at) for one in (THEOREM, sharp))
    return (
        prover.Finding(
            "loose",
            "(30), last line, for τ = 0",
            "the first iteration is counted as if its two parts could be largest together; 3/10 "
            "takes the place of 1/2, and nothing below 1/4 can, which Huber's function attains",
            {
                "t": AT,
                "beta ‖w_1 − w*‖²": 1,
                "printed": str(theirs),
                "proved": str(ours),
                "attained by Huber's function": str(sharp_no_delay.attained(AT)),
            },
            (proof, sharp),
            prover.Repair(sharp.statement, (sharp,)),
        ),
    )


_KERNEL = as_claim(THEOREM, CHALLENGE, remarks=_remarks, where=sympy.Eq(tau, 0))


def _account(formulas: prover.Formulas) -> prover.Account:
    known = account(THEOREM, formulas, CHALLENGE, _remarks, sympy.Eq(tau, 0))
    return eq_30.with_printed_line(known)


CLAIM = replace(_KERNEL, account=_account)
