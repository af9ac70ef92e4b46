"""How far z moves in τ iterations, seen along one direction g.

Problem    none: g is any vector.
Method     z_{t+1} = z_t − 2ηḡ_t for every t ≥ 2, by `nesterov.averaged-step`; here q⁺ = q − 2ηe.
Guarantee  ⟨z_t − z_{t+τ}, g⟩ ≤ ητ‖g‖² + η Σ‖ḡ‖² over these τ iterations.
Source     ours: twice ⟨ḡ, g⟩ is at most ‖ḡ‖² + ‖g‖².
"""

from theory.judging.as_claim import as_claim
from theory.notation import equal, index, nonnegative, theorem, total, vectors
from theory.papers.nesterov.lemmas import averaged_step
from theory.papers.nesterov.symbols import eta, tau

j = index("j")
SIZES, LONG = nonnegative("Q ‖g‖²")
"""The sum of the ‖ḡ‖², and ‖g‖²."""
PLACE, FURTHER, MOVE, FIRST, LAST, SEEN = vectors("q q⁺ e z_first z_last g")

T = theorem("nesterov.gradient-window")
T.iterate(PLACE, FURTHER, j)
T.constant(SEEN)
along, slope = T.sequence("q", PLACE @ SEEN), T.sequence("e", MOVE @ SEEN)
length = T.sequence("e²", MOVE**2)
T.assume(equal(FURTHER, PLACE - 2 * eta * MOVE), "move", "z moves by −2η times a gradient")
T.assume(equal(FIRST @ SEEN, along(0)), "first")
T.assume(equal(LAST @ SEEN, along(tau)), "last")
T.assume(equal(SIZES, total(length(j), j, tau)), "sizes")
T.assume(equal(SEEN**2, LONG), "length")
T.have(2 * slope(j) <= LONG + length(j), "young")
THEOREM = T.shows(
    FIRST @ SEEN - (LAST @ SEEN) <= eta * tau * LONG + eta * SIZES,
    {"direction": eta * tau * LONG, "gradients": eta * SIZES},
    says=(
        "Over τ iterations z_t = w_t + t d_t − w* moves against any vector g by at most ητ‖g‖² "
        "and η times the sum of the ‖ḡ‖² of these iterations."
    ),
    latex=(
        r"\langle z_{t} - z_{t+\tau}, g\rangle \le \eta\tau\|g\|^2 + "
        r"\eta\sum_{k=t}^{t+\tau-1}\|\bar g_k\|^2"
    ),
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
