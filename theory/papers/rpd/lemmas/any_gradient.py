"""How large the gradient at the current point can be: `rpd.stale-gradient`, carried over from x̂.

x is at most γτG away from x̂ by Lemma B.2, and L-smoothness bounds the difference of gradients.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Found, Lipschitz, Step, Theorem, lipschitz, square
from theory.papers.rpd import lemma_b2
from theory.papers.rpd.lemmas import stale_gradient
from theory.papers.rpd.method import SMOOTH, STALE, X
from theory.papers.rpd.symbols import G, L, gamma, p, tau

_AT_STALE: Final = stale_gradient.THEOREM

THEOREM: Final = Theorem(
    id="rpd.any-gradient",
    where="ours",
    statement="‖∇f(x^k)‖² ≤ 2pG² + 2L²γ²τ²G² on every path of RPD.",
    latex=r"\|\nabla f(x^k)\|^2 \le 2pG^2 + 2L^2\gamma^2\tau^2G^2",
    symbols=(p, L, gamma, tau, G),
    vectors=(*_AT_STALE.vectors, *lemma_b2.THEOREM.vectors),
    points=(X, STALE),
    sequences=_AT_STALE.sequences,
    hypotheses=(SMOOTH, *_AT_STALE.hypotheses, *lemma_b2.THEOREM.hypotheses),
    cites=(_AT_STALE, lemma_b2.THEOREM),
    steps=(
        Step("at x̂", _AT_STALE.goal, Cite("rpd.stale-gradient")),
        Step("lipschitz", lipschitz(L, X, STALE), Lipschitz("smooth", X, STALE)),
        Step("stale", lemma_b2.THEOREM.goal, Cite("rpd.lemma-b2")),
    ),
    lhs=square(X.gradient),
    terms={"blocks": 2 * p * G**2, "staleness": 2 * L**2 * gamma**2 * tau**2 * G**2},
    conclude=Found("at x̂", "lipschitz", "stale"),
)

CLAIM: Final = as_claim(THEOREM)
