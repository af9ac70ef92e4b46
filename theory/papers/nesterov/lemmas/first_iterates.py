"""The first iterates: until a look-ahead is seen the method is one long gradient step.

Problem    f is convex and β-smooth with a minimiser w*; R = ‖w_1 − w*‖.
Method     (10) with (29): w_t = w_1 − η(t − 1)∇f(w_1) for t = s + 1 ≤ τ + 2, as every gradient is
           ∇f(w_1); βηs ≤ 3/2, as for η ≤ 1/(4τβ), τ ≥ 1.
Guarantee  f(w_t) − f* ≤ R²/(4ηs + 2/β), which Huber's function attains (`huber_line`).
Source     ours: w* gives both points weight 1/2, and w_1 gives w_t the rest.
"""

import sympy

from theory.kernel import Combine
from theory.kernel.vectors import Vector
from theory.notation import equal, function, named, positive, theorem, vectors
from theory.papers.nesterov.lemmas import interpolation
from theory.papers.nesterov.symbols import R, beta, eta

f, (a, star), s = function("f"), vectors("a w*"), positive("s")
e = beta * eta * s
FIRST = named("w_1", star + (2 * e + 1) * a)
END = named("w_t", FIRST - eta * s * f.grad(FIRST))


def _apart(at: Vector) -> Vector:
    h: Vector = f.grad(at) / beta - a
    return h


_h_1, _h = _apart(FIRST), _apart(END)

T = theorem("nesterov.first-iterates")
T.smooth(f, beta)
T.convex(f)
T.minimum(f, star)
T.assume(2 * e / 3 <= 1, "stepsize", "η(t − 1) ≤ 3/(2β)")
T.assume(equal((FIRST - star) ** 2, R**2), "distance")
_CERTIFICATE = Combine(
    {
        **{
            interpolation.tangent(T, at, seen): 1 / sympy.Integer(2)
            for at, seen in ((FIRST, star), (END, star), (END, FIRST))
        },
        "∇f(w*) = 0, with ∇f(w_1)": 1 / (2 * beta),
        "∇f(w*) = 0, with ∇f(w_t)": 1 / (2 * beta),
        "distance": beta / (4 * e + 2),
    },
    squares=(
        (1 / (2 * beta), f.grad(star)),
        (beta * (3 - 2 * e) / 8, _h - _h_1),
        (beta * (1 + 2 * e) / 8, _h + _h_1),
    ),
    domain=("stepsize",),
)
CLAIM = THEOREM = T.shows(
    f(END) - f(star) <= R**2 / (4 * eta * s + 2 / beta),
    {"distance": R**2 / (4 * eta * s + 2 / beta)},
    by=_CERTIFICATE,
    says=(
        "From rest, with any delay τ, f(w_t) − f* ≤ ‖w_1 − w*‖²/(4η(t − 1) + 2/β) for t = s + 1 ≤ "
        "τ + 2 and η(t − 1) ≤ 3/(2β), as for η ≤ 1/(4τβ), for every convex β-smooth f with a "
        "minimiser w*."
    ),
    latex=r"f(w_t) - f^* \le \tfrac{1}{4\eta(t-1) + 2/\beta}\|w_1 - w^*\|^2, \quad t \le \tau + 2",
)
