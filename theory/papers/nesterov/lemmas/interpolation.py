"""The tangent inequality with a margin.

Problem    f is convex and β-smooth.
Method     none: any two points x and y.
Guarantee  f(y) − f(x) ≤ ⟨∇f(y), y − x⟩ − ‖∇f(x) − ∇f(y)‖²/(2β) for all x, y.
Source     ours: the descent lemma from x to u = x − (∇f(x) − ∇f(y))/β, and the tangent at y.
"""

from theory.kernel import Vector
from theory.notation import Draft, function, named, theorem, vectors
from theory.notation.names import text
from theory.papers.nesterov.symbols import beta

f, (x, y) = function("f"), vectors("x y")
u = named("u", x - (f.grad(x) - f.grad(y)) / beta)

T = theorem("nesterov.interpolation")
T.smooth(f, beta)
T.convex(f)
T.have(f(u) <= f(x) + f.grad(x) @ (u - x) + beta / 2 * (u - x) ** 2, "descent")
CLAIM = THEOREM = T.shows(
    f(y) - f(x) <= f.grad(y) @ (y - x) - (f.grad(x) - f.grad(y)) ** 2 / (2 * beta),
    {"slope": f.grad(y) @ (y - x), "margin": -((f.grad(x) - f.grad(y)) ** 2) / (2 * beta)},
    says=(
        "f(y) − f(x) ≤ ⟨∇f(y), y − x⟩ − ‖∇f(x) − ∇f(y)‖²/(2β) for every convex β-smooth f and all "
        "x, y."
    ),
    latex=(
        r"f(y) - f(x) \le \langle \nabla f(y), y - x\rangle - "
        r"\tfrac{1}{2\beta}\|\nabla f(x) - \nabla f(y)\|^2"
    ),
)


def tangent(draft: Draft, at: Vector, seen_from: Vector) -> str:
    """Use the inequality between two vectors of another theorem: the tangent at y, seen from x."""
    return draft.cite(
        THEOREM, vectors={x: seen_from, y: at}, name=f"{text(at)} against {text(seen_from)}"
    )
