"""Symbols of "Nesterov Method for Asynchronous Pipeline Parallel Optimization", with their domains.

All claims of this package read the paper's silence on the start in one way: the run is at rest
before it begins, w_k = w_1 and d_k = 0 for k ≤ 1, so that γ_1 = 0, as is stated beside (14).
"""

import sympy

from theory.notation import glossary

beta = sympy.Symbol("beta", positive=True)
"""Smoothness constant of f."""

eta = sympy.Symbol("eta", positive=True)
"""Stepsize; Theorem 2 takes 1/β."""

t = sympy.Symbol("t", integer=True, positive=True)
"""Iteration, counted from 1."""

tau = sympy.Symbol("tau", integer=True, nonnegative=True)
"""The fixed delay."""

gamma = sympy.Symbol("gamma", real=True)
"""Momentum γ_t of one iteration."""

theta = sympy.Symbol("theta", positive=True)
"""1 − γ_t where γ_t < 1."""

lam = sympy.Symbol("lambda", positive=True)
"""Weight λ_t of one iteration."""

G = sympy.Symbol("G", nonnegative=True)
"""Bound of ‖∇f‖ over all points."""

R = sympy.Symbol("R", nonnegative=True)
"""‖w_1 − w*‖."""

Omega = sympy.Symbol("Omega", real=True)
"""Ω_1 + … + Ω_t."""

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
