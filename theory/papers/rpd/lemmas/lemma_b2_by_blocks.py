"""Lemma B.2 once more, block by block, from update (2) and the definition of x̂ alone.

Problem    Block gradients along the trajectory have norm at most G.
Method     RPD with 0 ≤ d_i ≤ τ; at most τ updates are missed in all, each by one block.
Guarantee  ‖x − x̂‖² ≤ γ²τ²G² on every path: `rpd.drift-by-counts`, then Σ_i n_i² ≤ τ².
Source     ours. `rpd.lemma-b2` follows the printed proof, whose sentence "x − x̂ is made of the
           last τ increments" is derived here.
"""

from theory.notation import theorem, total
from theory.papers.rpd.lemmas import drift_by_counts
from theory.papers.rpd.lemmas.block_drift import DELAY, MISSED
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.method import old, x
from theory.papers.rpd.symbols import G, gamma, p, tau

T = theorem("rpd.lemma-b2-by-blocks", "ours")
T.along(i)
T.cite(drift_by_counts.THEOREM)
COUNT = T.sequence("n", MISSED)
T.assume(MISSED <= DELAY, "some", "only the last d_i updates can be missed")
T.assume(DELAY <= tau, "delay", "Assumption B.2: d_i ≤ τ")
T.assume(
    total(COUNT(i), i, p) <= tau,
    "one block an update",
    "the last τ updates draw one block each, so Σ_i n_i ≤ τ",
)
T.have(MISSED**2 <= tau * MISSED, "squared")
CLAIM = THEOREM = T.shows(
    (x - old) ** 2 <= gamma**2 * tau**2 * G**2,
    says="‖x^k − x̂^k‖ ≤ γτG on every path follows from update (2), 0 ≤ d_i ≤ τ and block "
    "gradients of norm at most G (both sides squared).",
)
