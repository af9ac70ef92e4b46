"""Asynchronous SGD, as the theorems on η share it.

One update: x⁺ = x − η g, where g is a stochastic vector whose mean given the past is v and whose
variance is at most σ². In synchronous SGD v is ∇f(x). With a mismatch of one step it is ∇f(x̂), x̂
being x or the model x⁻ before it, if a stash keeps the weights of the forward; else v mixes both.
"""

from typing import Final

import sympy

from theory import notation as say
from theory.kernel.vectors import Vector
from theory.notation.draft import Draft

L, eta = say.positive("L eta")
(sigma, Delta), T, t = say.nonnegative("sigma Delta"), say.count("T"), say.index("t")
"""Smoothness; stepsize; noise; f(x_0) − f*; updates, and one of them."""
f, (x, before, g) = say.function("f"), say.vectors("x x⁻ g")
"""x_t, x_{t−1}, and what the update subtracts, divided by η."""
E: Final = say.mean("E_t", g)
"""Expectation over the draw of update t, given everything before it."""
F: Final = sympy.Function("F", real=True)
S, D = (sympy.Function(name, nonnegative=True) for name in ("S", "D"))
"""Total expectations by update: f(x_t), ‖∇f(x_t)‖² and ‖x_t − x_{t−1}‖²."""
AVERAGE: Final = say.total(S(t), t, T) / T
"""Mean over the updates of E‖∇f(x_t)‖²."""
_UNBIASED = (
    "stochastic gradients are unbiased: the mean of g given the past is v, that of its minibatch "
    "over all draws (taken with a fixed vector)"
)


def sgd(stated: Draft, drawn: Vector) -> None:
    """What a theorem on updates with a vector of this mean supposes."""
    least = say.real("f*")
    stated.smooth(f, L)
    for other, name in {drawn: "unbiased, with v", f.grad(x): "unbiased"}.items():
        mean = say.equal(E(g @ other), drawn @ other)
        stated.assume(mean, name, _UNBIASED)
    stated.assume(
        E((g - drawn) ** 2) <= sigma**2,
        "variance",
        "stochastic gradients have variance at most σ², given the past",
    )
    stated.assume(F(T) >= least, "lower bound", "f is at least f* everywhere")
    stated.assume(say.equal(F(0), least + Delta), "start", "Δ is f(x_0) − f*")
    stated.iterate(x, x - eta * g, t)
    stated.sequences({F: f(x), S: f.grad(x) ** 2})
