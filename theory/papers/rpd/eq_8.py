"""(8): one step of RPD in conditional expectation, before the gradient bound is put in.

Problem    f is L-smooth; blocks and components are drawn uniformly.
Method     x⁺ = x − γ g, g the block gradient of one component at a stale point x̂.
Guarantee  E f(x⁺) ≤ f(x) − (γ/p)⟨∇f(x), ∇f(x̂)⟩ + (Lγ²/2) E‖g‖².
Source     RPD paper, appendix B, (8). The display is lost in the text that we have; this is the
           line that the sentences around it describe.
"""

from theory.kernel import descent
from theory.notation import theorem
from theory.papers.rpd import lemma_b1
from theory.papers.rpd.method import SMOOTH, E, after, f, g, old, x
from theory.papers.rpd.symbols import L, gamma, p

PROOF = "appendix B, proof of Theorem B.1"
AT_X = descent(L, f.at(x), f.at(after))

T = theorem("rpd.eq-8", "appendix B, (8)", f)
T.assume(SMOOTH)
T.have(AT_X, says="f(x⁺) ≤ f(x) + ⟨∇f(x), x⁺ − x⟩ + (L/2)‖x⁺ − x‖² with x⁺ = x − γg", where=PROOF)
T.have(E(f(after)) <= E(AT_X.rhs), says="conditional expectation of both sides", where=PROOF)
T.cite(
    lemma_b1.THEOREM,
    vectors={lemma_b1.v: f.grad(x)},
    name="unbiased",
    says="Lemma B.1 with v = ∇f(x)",
    where=PROOF,
)
CLAIM = THEOREM = T.shows(
    E(f(after)) <= f(x) - gamma / p * (f.grad(x) @ f.grad(old)) + L * gamma**2 / 2 * E(g**2),
    says="For every step of RPD, "
    "E_k f(x^{k+1}) ≤ f(x^k) − (γ/p)⟨∇f(x^k), ∇f(x̂^k)⟩ + (Lγ²/2) E_k‖g^k‖².",
)
