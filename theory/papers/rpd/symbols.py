"""Symbols of "Demystifying Pipeline Parallelism" (RPD and LocalSGD), with their domains."""

import sympy

p = sympy.Symbol("p", integer=True, positive=True)
"""Stages, and blocks of the parameters."""

n = sympy.Symbol("n", integer=True, positive=True)
"""Components of the finite sum f = (1/n) Σ f_m."""

K = sympy.Symbol("K", integer=True, positive=True)
"""Block updates."""

tau = sympy.Symbol("tau", integer=True, nonnegative=True)
"""Bound of every delay."""

gamma = sympy.Symbol("gamma", positive=True)
"""Stepsize."""

L = sympy.Symbol("L", positive=True)
"""Smoothness constant of f."""

G = sympy.Symbol("G", positive=True)
"""Bound of the block gradients along the trajectory (RPD)."""

Delta = sympy.Symbol("Delta", nonnegative=True)
"""f(x⁰) − f*."""

mu = sympy.Symbol("mu", positive=True)
"""Polyak–Łojasiewicz constant."""

beta = sympy.Symbol("beta", nonnegative=True)
"""Extrapolation of NAG-RPD."""

N = sympy.Symbol("N", integer=True, positive=True)
"""Replicas (LocalSGD)."""

T = sympy.Symbol("T", integer=True, positive=True)
"""Local steps of each replica (LocalSGD)."""

H = sympy.Symbol("H", integer=True, positive=True)
"""Local steps between two averages (LocalSGD)."""

sigma = sympy.Symbol("sigma", nonnegative=True)
"""Standard deviation bound of stochastic gradients (LocalSGD)."""

Gt = sympy.Symbol("Gtilde", positive=True)
"""Second-moment bound of stochastic gradients, whole vector (LocalSGD)."""
