"""(9): one step of RPD, with the gradient bound and the stale distance put in.

Problem    f is L-smooth; block gradients have norm at most G; blocks are drawn uniformly.
Method     RPD with delays of at most τ.
Guarantee  E f(x⁺) ≤ f(x) − γ/(2p)‖∇f(x)‖² − γ/(2p)‖∇f(x̂)‖² + γ³L²τ²G²/(2p) + Lγ²G²/2.
Source     RPD paper, appendix B, (9).
"""

from theory.kernel import lipschitz
from theory.notation import theorem
from theory.papers.rpd import eq_8, lemma_b2
from theory.papers.rpd.method import BOUNDED, E, after, f, g, old, x
from theory.papers.rpd.symbols import G, L, gamma, p, tau

PROOF = "appendix B, proof of Theorem B.1"

T = theorem("rpd.eq-9", "appendix B, (9)", f)
T.assume(BOUNDED)
T.cite(eq_8.THEOREM, name="(8)", says="(8)", where=PROOF)
T.have(E(g**2) <= G**2, says="E_k‖g‖² ≤ G² by Assumption B.5", where=PROOF)
T.have(lipschitz(L, f.at(x), f.at(old)), says="‖∇f(x) − ∇f(x̂)‖² ≤ L²‖x − x̂‖²", where=PROOF)
T.cite(lemma_b2.THEOREM, name="stale", says="‖x − x̂‖² ≤ γ²τ²G² by Lemma B.2", where=PROOF)
CLAIM = THEOREM = T.shows(
    E(f(after))
    <= f(x)
    - gamma / (2 * p) * f.grad(x) ** 2
    - gamma / (2 * p) * f.grad(old) ** 2
    + gamma**3 * L**2 * tau**2 * G**2 / (2 * p)
    + L * gamma**2 * G**2 / 2,
    says="E_k f(x^{k+1}) ≤ f(x^k) − γ/(2p)‖∇f(x^k)‖² − γ/(2p)‖∇f(x̂^k)‖² + γ³L²τ²G²/(2p) + Lγ²G²/2 "
    "for every step of RPD.",
)
