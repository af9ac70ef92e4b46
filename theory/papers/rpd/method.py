"""RPD as the kernel sees it: the points, vectors and assumptions that its theorems share.

One iteration: the stale point x̂ is fixed, a block i and a component m are drawn uniformly, and
x⁺ = x − γ g with g the block gradient of f_m at x̂, put into the whole space (update (2)).
"""

import sympy

from theory.kernel import Hypothesis, Operator, Smooth, eq, le
from theory.kernel.vectors import Vector
from theory.notation import function, named, total, vectors
from theory.notation.names import text
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, n, p

f = function("f")

x, old, g = vectors("x x̂ g")
"""The model x^k; the stale model x̂^k at which the gradient is taken; the drawn block gradient g^k
in the whole space."""

after = named("x⁺", x - gamma * g)
"""The model x^{k+1}."""

E_K = Operator("E_k", ("g", "f(x⁺)", "∇f(x⁺)"), law="run")
"""Expectation over the draw of iteration k, given everything before it."""
E = E_K.of

F = sympy.Function("F", real=True)
S, S_OLD = (sympy.Function(name, nonnegative=True) for name in ("S", "Ŝ"))
"""Total expectations by iteration: f(x^k), ‖∇f(x^k)‖² and ‖∇f(x̂^k)‖²."""

SEQUENCES = {F: f(x), S: f.grad(x) ** 2, S_OLD: f.grad(old) ** 2}

k = sympy.Symbol("k", integer=True, nonnegative=True)
"""An iteration."""

AVERAGE = total(S(k), k, K) / K
"""Mean over the iterations of E‖∇f(x^k)‖²."""

F_STAR = sympy.Symbol("f*", real=True)
"""A lower bound of f."""

SMOOTH = Smooth("smooth", "f is L-smooth", L)
BOUNDED = Hypothesis(
    "bounded", "block gradients along the trajectory have norm at most G", le(g**2, G**2)
)
LOWER = Hypothesis("lower bound", "f is at least f* everywhere", le(F_STAR, F(K)))
START = Hypothesis("start", "Δ is f(x⁰) − f*", eq(F(0), F_STAR + Delta))

_PART = sympy.Function("D", real=True)
_I, _M = sympy.symbols("i m", integer=True)


def uniform(against: Vector, at: Vector = old) -> tuple[Hypothesis, Hypothesis]:
    """Assumption B.1 and the finite sum, as inner products with a vector fixed before the draw.

    D(i, m) is the inner product of block i of ∇f_m(x̂), put into the whole space, with it; x̂ may
    be another point that is known before the draw.
    """
    parts = sympy.Sum(_PART(_I, _M), (_I, 1, p), (_M, 1, n))
    return (
        Hypothesis(
            "uniform",
            f"(i, m) is uniform given the past and {text(at)}",
            eq(E(g @ against), parts / (p * n)),
        ),
        Hypothesis(
            "finite sum",
            "f is the mean of f_1, …, f_n, and a gradient the sum of its blocks",
            eq(f.grad(at) @ against, parts / n),
        ),
    )
