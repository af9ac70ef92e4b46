"""(15) with the stale distance in expectation.

Problem    As in Theorem H.1, with uniform draws used for the stale distance as well.
Method     RPD with γ ≤ p/μ.
Guarantee  E f(x^K) − f* ≤ (1 − γμ/p)^K Δ + pLγG²/(2μ) + L²γ²G²τ(τ + p − 1)/(2pμ).
Source     ours: `rpd.sharp-drift` in the proof of (15).
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.rpd import eq_8
from theory.papers.rpd.eq_15 import unrolled
from theory.papers.rpd.lemmas.sharp_drift import DRIFT
from theory.papers.rpd.lemmas.sharp_drift import THEOREM as CLOSE
from theory.papers.rpd.method import BOUNDED, F_STAR, SEQUENCES, F, after, k, x
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, L, gamma, mu, p, tau
from theory.papers.rpd.thm_h1 import PL

T = theorem("rpd.sharp-eq-15", "ours")
T.iterate(x, after, k)
T.sequences(SEQUENCES)
T.cite(eq_8.THEOREM, name="(8)")
T.assume(BOUNDED)
T.assume(PL)
drift = T.cite(CLOSE)
T.assume(gamma <= p / mu, "stepsize", "γ ≤ p/μ")
step = T.have(
    F(k + 1) - F_STAR
    <= (1 - gamma * mu / p) * (F(k) - F_STAR)
    + gamma / (2 * p) * L**2 * DRIFT(k)
    + L * gamma**2 * G**2 / 2,
    says="(14) before the stale distance is bounded",
)
THEOREM = unrolled(
    T,
    (step, drift),
    {
        "sampling": p * L * gamma * G**2 / (2 * mu),
        "staleness": L**2 * gamma**2 * G**2 * tau * (tau + p - 1) / (2 * p * mu),
    },
    "Under the Polyak–Łojasiewicz inequality with μ RPD with γ ≤ p/μ has E f(x^K) − f* ≤ "
    "(1 − γμ/p)^K Δ + pLγG²/(2μ) + L²γ²G²τ(τ + p − 1)/(2pμ) for every K ≥ 1.",
)

CLAIM = as_claim(THEOREM, CHALLENGES["rpd-pl-gap"], where=gamma <= p / mu, cost=5)
