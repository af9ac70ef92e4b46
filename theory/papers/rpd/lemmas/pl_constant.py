"""μ ≤ L: the largest Polyak–Łojasiewicz constant.

Problem    f is L-smooth, bounded below, not constant, and satisfies ‖∇f‖² ≥ 2μ(f − f*).
Method     One gradient step of length 1/L from a point above f* lowers f by ‖∇f(z)‖²/(2L) ≥
           (μ/L)(f(z) − f*), and not below f*.
Guarantee  μ ≤ L. A constant function satisfies the inequality with every μ.
Source     ours.
"""

from theory.notation import equal, named, positive, theorem, vector
from theory.papers.rpd.method import F_STAR, SMOOTH, f
from theory.papers.rpd.symbols import L, mu

HEIGHT = positive("h")
"""How far f(z) lies above f*."""
above = vector("z")
"""A point at which f is not least; no iterate needs to be one."""
lower = named("y", above - f.grad(above) / L)

T = theorem("rpd.pl-constant", "ours", f)
T.varying(HEIGHT)
T.assume(SMOOTH)
T.assume(
    2 * mu * (f(above) - F_STAR) <= f.grad(above) ** 2,
    "PL at z",
    "f satisfies the Polyak–Łojasiewicz inequality with μ (Assumption H.1)",
)
T.assume(F_STAR <= f(lower), "lower bound", "f is at least f* everywhere")
T.assume(equal(f(above), F_STAR + HEIGHT), "above", "f is not constant: f(z) = f* + h")
CLAIM = THEOREM = T.shows(
    mu <= L,
    says="An L-smooth function that is not constant and satisfies the Polyak–Łojasiewicz "
    "inequality with μ has μ ≤ L.",
)
