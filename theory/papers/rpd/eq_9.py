"""(9): one step of RPD, with the gradient bound and the stale distance put in."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Expect, Found, Lipschitz, Step, Theorem, le, lipschitz, square
from theory.papers.rpd import eq_8, lemma_b2
from theory.papers.rpd.lemma_b2 import MISSED
from theory.papers.rpd.method import BOUNDED, E_K, NEXT, SMOOTH, STALE, STEP, X, uniform
from theory.papers.rpd.symbols import G, L, gamma, n, p, tau

PROOF: Final = "appendix B, proof of Theorem B.1"
AHEAD: Final = E_K.of(NEXT.value)

THEOREM: Final = Theorem(
    id="rpd.eq-9",
    where="appendix B, (9)",
    statement=(
        "E_k f(x^{k+1}) ≤ f(x^k) − γ/(2p)‖∇f(x^k)‖² − γ/(2p)‖∇f(x̂^k)‖² + γ³L²τ²G²/(2p) + Lγ²G²/2 "
        "for every step of RPD."
    ),
    latex=(
        r"\mathbb{E}_k f(x^{k+1}) \le f(x^k) - \tfrac{\gamma}{2p}\|\nabla f(x^k)\|^2 - "
        r"\tfrac{\gamma}{2p}\|\nabla f(\hat x^k)\|^2 + \tfrac{\gamma^3L^2\tau^2G^2}{2p} + "
        r"\tfrac{L\gamma^2G^2}{2}"
    ),
    symbols=(p, n, L, G, gamma, tau),
    vectors=(STEP, MISSED),
    points=(X, STALE, NEXT),
    hypotheses=(SMOOTH, *uniform(X.gradient), BOUNDED, *lemma_b2.THEOREM.hypotheses),
    cites=(eq_8.THEOREM, lemma_b2.THEOREM),
    steps=(
        Step("(8)", eq_8.THEOREM.goal, Cite("rpd.eq-8"), "(8)", PROOF),
        Step(
            "size",
            le(E_K.of(square(STEP)), G**2),
            Expect("bounded", E_K),
            "E_k‖g‖² ≤ G² by Assumption B.5",
            PROOF,
        ),
        Step(
            "lipschitz",
            lipschitz(L, X, STALE),
            Lipschitz("smooth", X, STALE),
            "‖∇f(x) − ∇f(x̂)‖² ≤ L²‖x − x̂‖²",
            PROOF,
        ),
        Step(
            "stale",
            lemma_b2.THEOREM.goal,
            Cite("rpd.lemma-b2"),
            "‖x − x̂‖² ≤ γ²τ²G² by Lemma B.2",
            PROOF,
        ),
    ),
    lhs=AHEAD,
    terms={
        "value": X.value,
        "progress": -gamma / (2 * p) * square(X.gradient),
        "stale progress": -gamma / (2 * p) * square(STALE.gradient),
        "staleness": gamma**3 * L**2 * tau**2 * G**2 / (2 * p),
        "sampling": L * gamma**2 * G**2 / 2,
    },
    conclude=Found("(8)", "size", "lipschitz", "stale"),
)

CLAIM: Final = as_claim(THEOREM)
