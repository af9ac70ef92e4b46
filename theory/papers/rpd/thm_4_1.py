"""Theorem 4.1 (B.1): convergence of RPD to a stationary point.

Problem    f is L-smooth and bounded below; block gradients have norm at most G.
Method     RPD with delays of at most τ, blocks drawn uniformly, γ ≤ 1/L.
Guarantee  mean over k < K of E‖∇f(x^k)‖² ≤ 2pΔ/(γK) + pLγG² + L²γ²τ²G².
Source     RPD paper, Theorem 4.1 (B.1), (3).
"""

import sympy

from theory.judging import prover
from theory.kernel import Hypothesis
from theory.kernel.prove import Proof
from theory.notation import theorem, total
from theory.papers.rpd import eq_9
from theory.papers.rpd.lemmas import sharp_thm_4_1
from theory.papers.rpd.method import AVERAGE, LOWER, S_OLD, SEQUENCES, START, F, S, after, k, x
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p, tau

PROOF = "appendix B, proof of Theorem B.1"
STEPSIZE = Hypothesis("stepsize", "γ ≤ 1/L", prover.le(gamma, 1 / L))
_PRICE = gamma**3 * L**2 * tau**2 * G**2 / (2 * p) + L * gamma**2 * G**2 / 2

T = theorem("rpd.thm-4.1", "Theorem 4.1 (B.1), (3)")
T.iterate(x, after, k)
T.sequences(SEQUENCES)
T.cite(eq_9.THEOREM, name="(9)", says="(9)", where=PROOF)
T.assume(START)
T.assume(LOWER)
T.assume(STEPSIZE)
T.have(
    F(k + 1) <= F(k) - gamma / (2 * p) * (S(k) + S_OLD(k)) + _PRICE,
    says="total expectation of (9)",
    where=PROOF,
)
T.have(
    F(K) <= F(0) - gamma / (2 * p) * total(S(k) + S_OLD(k), k, K) + K * _PRICE,
    says="sum over k = 0, …, K − 1",
    where=PROOF,
)
TERMS = {
    "optimization": 2 * p * Delta / (gamma * K),
    "sampling": p * L * gamma * G**2,
    "staleness": L**2 * gamma**2 * tau**2 * G**2,
}
THEOREM = T.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With γ ≤ 1/L, the mean over k < K of E‖∇f(x^k)‖² is at most "
    "2pΔ/(γK) + pLγG² + L²γ²τ²G² for every K ≥ 1.",
)

_AT = {p: 16, tau: 16}
"""Blocks and delay at which the two stale terms are compared."""


def _remarks(proof: Proof) -> tuple[prover.Finding, ...]:
    """That the stale term can be divided by about p."""
    sharp = sharp_thm_4_1.THEOREM
    if not prover.proves(proof, sharp):
        return ()
    ours, theirs = (one.terms["staleness"] for one in (sharp, THEOREM))
    return (
        prover.Finding(
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
            repaired=prover.Repair.by(sharp),
        ),
    )


CLAIM = prover.as_claim(THEOREM, challenge=CHALLENGES["rpd-average-gradient"], remarks=_remarks)
