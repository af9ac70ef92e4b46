"""Theorem 4.1 (B.1): convergence of RPD to a stationary point."""

from __future__ import annotations

from typing import Final

import sympy

from theory.account import Finding, Repair
from theory.judging.as_claim import as_claim
from theory.judging.decide import proves
from theory.kernel import Cite, Found, Hypothesis, Step, Telescope, Theorem, Total, le
from theory.kernel.prove import Proof
from theory.papers.rpd import eq_9, lemma_b2, sharp_thm_4_1
from theory.papers.rpd.lemma_b2 import MISSED
from theory.papers.rpd.method import (
    AVERAGE,
    BOUNDED,
    F_STAR,
    FOLLOWING,
    LOWER,
    NEXT,
    S_STALE,
    SEQUENCES,
    SMOOTH,
    STALE,
    START,
    STEP,
    F,
    S,
    X,
    k,
    uniform,
)
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, n, p, tau

PROOF: Final = "appendix B, proof of Theorem B.1"

STEPSIZE: Final = Hypothesis("stepsize", "γ ≤ 1/L", le(gamma, 1 / L))
_PRICE = gamma**3 * L**2 * tau**2 * G**2 / (2 * p) + L * gamma**2 * G**2 / 2

THEOREM: Final = Theorem(
    id="rpd.thm-4.1",
    where="Theorem 4.1 (B.1), (3)",
    statement=(
        "With γ ≤ 1/L, the mean over k < K of E‖∇f(x^k)‖² is at most "
        "2pΔ/(γK) + pLγG² + L²γ²τ²G² for every K ≥ 1."
    ),
    latex=(
        r"\tfrac1K \sum_{k<K} \mathbb{E}\|\nabla f(x^k)\|^2 \le \tfrac{2p\Delta}{\gamma K} + "
        r"pL\gamma G^2 + L^2\gamma^2\tau^2G^2"
    ),
    symbols=(p, n, K, tau, gamma, L, G, Delta, F_STAR),
    vectors=(STEP, MISSED),
    points=(X, STALE, NEXT),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        SMOOTH,
        *uniform(X.gradient),
        BOUNDED,
        *lemma_b2.THEOREM.hypotheses,
        START,
        LOWER,
        STEPSIZE,
    ),
    cites=(eq_9.THEOREM,),
    steps=(
        Step("(9)", eq_9.THEOREM.goal, Cite("rpd.eq-9"), "(9)", PROOF),
        Step(
            "total",
            le(F(k + 1), F(k) - gamma / (2 * p) * (S(k) + S_STALE(k)) + _PRICE),
            Total("(9)", k),
            "total expectation of (9)",
            PROOF,
        ),
        Step(
            "sum",
            le(
                F(K),
                F(0) - gamma / (2 * p) * sympy.Sum(S(k) + S_STALE(k), (k, 0, K - 1)) + K * _PRICE,
            ),
            Telescope("total", k, K),
            "sum over k = 0, …, K − 1",
            PROOF,
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": 2 * p * Delta / (gamma * K),
        "sampling": p * L * gamma * G**2,
        "staleness": L**2 * gamma**2 * tau**2 * G**2,
    },
    conclude=Found(),
)

_AT: Final = {p: 16, tau: 16}
"""Blocks and delay at which the two stale terms are compared."""


def _remarks(proof: Proof) -> tuple[Finding, ...]:
    """That the stale term can be divided by about p."""
    sharp = sharp_thm_4_1.THEOREM
    if not proves(proof, sharp):
        return ()
    ours, theirs = (one.terms["staleness"] for one in (sharp, THEOREM))
    return (
        Finding(
            "loose",
            "(9), where Lemma B.2 is used",
            "Lemma B.2 counts as if all of the last τ updates hit one block; uniform draws spread "
            "them over p, and on average the square of the distance is up to p times smaller",
            witness={
                **{str(symbol): value for symbol, value in _AT.items()},
                "stale term": sympy.sstr(theirs.subs(_AT)),
                "stale term in expectation": sympy.sstr(ours.subs(_AT)),
            },
            shown=(proof, sharp),
            repaired=Repair(sharp.statement, (sharp,)),
        ),
    )


CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["rpd-average-gradient"], remarks=_remarks)
