"""Lemma B.2 once more, block by block, from update (2) and the definition of x̂ alone.

`rpd.lemma-b2` follows the printed proof, which says in one sentence that x − x̂ is made of the last
τ increments. Here that sentence is derived: `rpd.drift-by-counts`, then Σ_i n_i² ≤ τ², since
at most τ updates are missed in all, each by one block.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Telescope, Theorem, Total, le, square
from theory.papers.rpd.lemmas import drift_by_counts
from theory.papers.rpd.lemmas.block_drift import DELAY, MISSED
from theory.papers.rpd.lemmas.drift_by_counts import COUNTS, i
from theory.papers.rpd.method import STALE, X
from theory.papers.rpd.symbols import G, gamma, p, tau

_MISSED = sympy.Function("n", nonnegative=True)
_SQUARES = next(f for f, value in drift_by_counts.SEQUENCES.items() if value == MISSED**2)
_ALL = sympy.Sum(_MISSED(i), (i, 0, p - 1))
_ALL_SQUARES = sympy.Sum(_SQUARES(i), (i, 0, p - 1))

THEOREM: Final = Theorem(
    id="rpd.lemma-b2-by-blocks",
    where="ours",
    statement=(
        "‖x^k − x̂^k‖ ≤ γτG on every path follows from update (2) and 0 ≤ d_i ≤ τ alone "
        "(both sides squared)."
    ),
    latex=r"\|x^k - \hat x^k\| \le \gamma \tau G",
    symbols=(*drift_by_counts.THEOREM.symbols, tau),
    scalars=drift_by_counts.THEOREM.scalars,
    vectors=drift_by_counts.THEOREM.vectors,
    points=drift_by_counts.THEOREM.points,
    sequences={**drift_by_counts.SEQUENCES, _MISSED: MISSED},
    following=drift_by_counts.THEOREM.following,
    hypotheses=(
        *drift_by_counts.THEOREM.hypotheses,
        Hypothesis("some", "only the last d_i updates can be missed", le(MISSED, DELAY)),
        Hypothesis("delay", "Assumption B.2: d_i ≤ τ", le(DELAY, tau)),
        Hypothesis(
            "one block an update",
            "the last τ updates draw one block each, so Σ_i n_i ≤ τ",
            le(_ALL, tau),
        ),
    ),
    cites=(drift_by_counts.THEOREM,),
    steps=(
        Step("drift", drift_by_counts.THEOREM.goal, Cite("rpd.drift-by-counts")),
        Step(
            "squared",
            le(MISSED**2, tau * MISSED),
            Combine({"some": MISSED, "delay": MISSED}),
        ),
        Step("every block", le(_SQUARES(i), tau * _MISSED(i)), Total("squared", i)),
        Step("all blocks", le(_ALL_SQUARES, tau * _ALL), Telescope("every block", i, p)),
        Step(
            "counts together",
            le(COUNTS, tau**2),
            Combine({"all blocks": 1, "counts": 1, "one block an update": tau}),
        ),
    ),
    lhs=square(X.position - STALE.position),
    terms={"drift": gamma**2 * tau**2 * G**2},
    conclude=Combine({"drift": 1, "counts together": gamma**2 * G**2}),
)

CLAIM: Final = as_claim(THEOREM)
