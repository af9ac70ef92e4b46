"""How large the gradient at the current point can be.

Problem    f is L-smooth; every block gradient of every component has norm at most G.
Method     RPD with delays of at most τ.
Guarantee  ‖∇f(x)‖² ≤ 2pG² + 2L²γ²τ²G² on every path: `rpd.stale-gradient`, carried over from x̂.
Source     ours.
"""

from theory.notation import theorem
from theory.papers.rpd import lemma_b2
from theory.papers.rpd.lemmas import stale_gradient
from theory.papers.rpd.method import SMOOTH, f, x
from theory.papers.rpd.symbols import G, L, gamma, p, tau

T = theorem("rpd.any-gradient", "ours", f)
T.assume(SMOOTH)
T.cite(stale_gradient.THEOREM)
T.cite(lemma_b2.THEOREM)
CLAIM = THEOREM = T.shows(
    f.grad(x) ** 2 <= 2 * p * G**2 + 2 * L**2 * gamma**2 * tau**2 * G**2,
    says="‖∇f(x^k)‖² ≤ 2pG² + 2L²γ²τ²G² on every path of RPD.",
)
