"""(9): one step of RPD, with the gradient bound and the stale distance put in."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import le, lipschitz, square
from theory.notation import function, theorem
from theory.papers.rpd import eq_8, lemma_b2
from theory.papers.rpd.method import BOUNDED, E_K, NEXT, STALE, STEP, X
from theory.papers.rpd.symbols import G, L, gamma, p, tau

PROOF: Final = "appendix B, proof of Theorem B.1"
AHEAD: Final = E_K.of(NEXT.value)

T = theorem("rpd.eq-9", "appendix B, (9)", function("f", X, STALE, NEXT))
T.assume(BOUNDED)
T.cite(eq_8.THEOREM, name="(8)", says="(8)", where=PROOF)
T.have(le(E_K.of(square(STEP)), G**2), says="E_k‖g‖² ≤ G² by Assumption B.5", where=PROOF)
T.have(lipschitz(L, X, STALE), says="‖∇f(x) − ∇f(x̂)‖² ≤ L²‖x − x̂‖²", where=PROOF)
T.cite(lemma_b2.THEOREM, name="stale", says="‖x − x̂‖² ≤ γ²τ²G² by Lemma B.2", where=PROOF)
THEOREM: Final = T.shows(
    le(
        AHEAD,
        X.value
        - gamma / (2 * p) * square(X.gradient)
        - gamma / (2 * p) * square(STALE.gradient)
        + gamma**3 * L**2 * tau**2 * G**2 / (2 * p)
        + L * gamma**2 * G**2 / 2,
    ),
    says=(
        "E_k f(x^{k+1}) ≤ f(x^k) − γ/(2p)‖∇f(x^k)‖² − γ/(2p)‖∇f(x̂^k)‖² + γ³L²τ²G²/(2p) + Lγ²G²/2 "
        "for every step of RPD."
    ),
)

CLAIM: Final = as_claim(THEOREM)
