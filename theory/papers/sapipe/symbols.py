"""The constants of the paper, in its own letters."""

from __future__ import annotations

from typing import Final

import sympy

n: Final = sympy.Symbol("n", integer=True, positive=True)
"""Workers."""

T: Final = sympy.Symbol("T", integer=True, positive=True)
"""Iterations."""

t: Final = sympy.Symbol("t", integer=True, nonnegative=True)
"""An iteration, from 0: x_t is the model that the paper's iteration t + 1 starts from."""

eta: Final = sympy.Symbol("eta", positive=True)
"""Learning rate."""

L: Final = sympy.Symbol("L", positive=True)
"""Smoothness constant of every f(·; z) (Assumption 1)."""

V1: Final = sympy.Symbol("V1", nonnegative=True)
"""Bound on the variance of a worker's stochastic gradient (Assumption 2)."""

V2: Final = sympy.Symbol("V2", positive=True)
"""Bound on the squared norm of a worker's stochastic gradient, for every draw (Assumption 2)."""

rho: Final = sympy.Symbol("rho", positive=True)
"""Bound on the gradient diversity (Assumption 3)."""

M: Final = sympy.Symbol("M", nonnegative=True)
"""Bound on the remainder of Taylor's formula (Assumption 4)."""

Delta: Final = sympy.Symbol("Delta", nonnegative=True)
"""Bound on ‖∇f ∇fᵀ − ∇²f‖ (Assumption 4)."""

lambda_: Final = sympy.Symbol("lambda", nonnegative=True)
"""Weight of the compensation, (1)."""

kappa: Final = sympy.Symbol("kappa", nonnegative=True)
"""Share of the parameters that are updated with stale gradients, at most 1 (Definition 1)."""

R0: Final = sympy.Symbol("R0", nonnegative=True)
"""F(x_0) − F(x_*) (Assumption 6)."""
