"""One iteration with a delay of one, for stepsizes up to the printed one.

Problem    f is convex and β-smooth with a minimiser w*; βη ≤ 1.
Method     (10) with (29) and τ = 1: x_{s+1} = x_s − 2ηg_{s−1}/s + d_{s+1}, x_s = w_s + d_s and
           g_s = ∇f(x_s); z_{s+2} = x_{s+1} − w* + s d_{s+1} − 2ηg_s by `averaged_step`.
Guarantee  the energy of `one_delay` grows by ‖z‖²/(4s) and 16η²‖g‖²/(s − 1) at most.
Source     ours. Convexity alone leaves 2η²‖g‖²; the change of η⟨g_s, z_{s+2}⟩ takes that away, at
           the price of η⟨g_{s+1} − g_s, z⟩, which the margins of convexity pay up to ‖z‖²/(4s).
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine
from theory.kernel.vectors import Scalar, Vector
from theory.notation import equal, function, glossary, index, named, theorem, vectors
from theory.papers.nesterov import symbols
from theory.papers.nesterov.lemmas import averaged_step, interpolation

beta, eta = symbols.letters("beta eta")

SINCE = 49
"""s of the first iteration; a square, so that its root is a number."""
k = index("k")
n = sympy.Function("n", nonnegative=True)
"""k by iteration."""
s = n(k) + SINCE
f, (x, old, z, d, star) = function("f"), vectors("x ḡ z d w*")
"""x_s, g_{s−1}, z_{s+2}, d_{s+1} and w*."""
x_next = named("x⁺", x - 2 * eta / s * old + d)
g, g_next = f.grad(x), f.grad(x_next)
z_then = z - 2 * eta * g_next
_OLD_TURN, _TURN = g - old, g_next - g


def energy(at: Vector, far: Vector, before: Vector, time: Scalar) -> Scalar:
    """‖z‖² + 4ηs(f(x_s) − f*) + η⟨g_s, z⟩ + η²(s − 1)‖g_s − g_{s−1}‖², s being `time`."""
    here = f.grad(at)
    late = eta * (here @ far) + eta**2 * (time - 1) * (here - before) ** 2
    return far**2 + 4 * eta * time * (f(at) - f(star)) + late


T = theorem("nesterov.one-delay-step")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(beta * eta <= 1, "stepsize", "η ≤ 1/β")
T.assume(equal(z, x_next - star + s * d - 2 * eta * g), "mean")
to_star = interpolation.tangent(T, x_next, star)
to_last = interpolation.tangent(T, x_next, x)
_MARGIN = 2 * eta / beta
T.have(
    4 * eta * ((s + 1) * (f(x_next) - f(star)) - s * (f(x) - f(star)))
    <= 4 * eta * (g_next @ (z + 2 * eta * _OLD_TURN)) - _MARGIN * (g_next**2 + s * _TURN**2),
    "values",
    by=Combine(
        {
            to_star: 4 * eta,
            to_last: 4 * eta * s,
            "∇f(w*) = 0, with ∇f(x⁺)": 2 * _MARGIN,
            "mean, with ∇f(x⁺)": -4 * eta,
        },
        squares=((_MARGIN, f.grad(star)),),
    ),
)
T.have(
    eta * (_TURN @ z) <= eta**2 * s * _TURN**2 + z**2 / (4 * s),
    "young",
    by=Combine(squares=((1 / s, eta * s * _TURN - z / 2),)),
)
COST = 16 * eta**2 / (s - 1)
T.have(
    8 * eta**2 * (g_next @ _OLD_TURN) <= eta**2 * (s - 1) * _OLD_TURN**2 + COST * g_next**2,
    "young again",
    by=Combine(squares=((eta**2 / (s - 1), (s - 1) * _OLD_TURN - 4 * g_next),)),
)
_SPARE = _MARGIN * (1 - beta * eta)
TERMS = {
    "before": energy(x, z, old, s),
    "distance": z**2 / (4 * s),
    "gradient": COST * g_next**2,
}
THEOREM = T.shows(
    energy(x_next, z_then, g, s + 1) <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {"values": 1, "young": 1, "young again": 1},
        squares=((_SPARE, g_next), (_SPARE * s, _TURN)),
        domain=("stepsize",),
    ),
    says=(
        "With τ = 1 and η ≤ 1/β, ‖z_{s+2}‖² + 4ηs(f(x_s) − f*) + η⟨g_s, z_{s+2}⟩ + "
        "η²(s − 1)‖g_s − g_{s−1}‖² grows from s = k + 49 to s + 1 by at most ‖z_{s+2}‖²/(4s) + "
        "16η²‖g_{s+1}‖²/(s − 1)."
    ),
    latex=r"L_{s+1} \le L_s + \tfrac{1}{4s}\|z_{s+2}\|^2 + \tfrac{16\eta^2}{s-1}\|g_{s+1}\|^2",
)

CLAIM = as_claim(THEOREM, beside=(averaged_step.THEOREM.id,))
letters = glossary({**vars(symbols), **globals()})
"""Gives these and the paper's symbols by name: ``a, b = letters("a b")``."""
