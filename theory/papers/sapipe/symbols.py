"""The constants of the paper, in its own letters."""

import sympy

from theory.notation import glossary

n = sympy.Symbol("n", integer=True, positive=True)
"""Workers."""

T = sympy.Symbol("T", integer=True, positive=True)
"""Iterations."""

t = sympy.Symbol("t", integer=True, nonnegative=True)
"""An iteration, from 0: x_t is the model that the paper's iteration t + 1 starts from."""

eta = sympy.Symbol("eta", positive=True)
"""Learning rate."""

L = sympy.Symbol("L", positive=True)
"""Smoothness constant of every f(·; z) (Assumption 1)."""

V1 = sympy.Symbol("V1", nonnegative=True)
"""Bound on the variance of a worker's stochastic gradient (Assumption 2)."""

V2 = sympy.Symbol("V2", positive=True)
"""Bound on the squared norm of a worker's stochastic gradient, for every draw (Assumption 2)."""

rho = sympy.Symbol("rho", positive=True)
"""Bound on the gradient diversity (Assumption 3)."""

M = sympy.Symbol("M", nonnegative=True)
"""Bound on the remainder of Taylor's formula (Assumption 4)."""

Delta = sympy.Symbol("Delta", nonnegative=True)
"""Bound on ‖∇f ∇fᵀ − ∇²f‖ (Assumption 4)."""

lambda_ = sympy.Symbol("lambda", nonnegative=True)
"""Weight of the compensation, (1)."""

kappa = sympy.Symbol("kappa", nonnegative=True)
"""Share of the parameters that are updated with stale gradients, at most 1 (Definition 1)."""

R0 = sympy.Symbol("R0", nonnegative=True)
"""F(x_0) − F(x_*) (Assumption 6)."""

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
