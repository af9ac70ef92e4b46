"""Symbols of "Demystifying Pipeline Parallelism" (RPD and LocalSGD), with their domains."""

from __future__ import annotations

from typing import Final

import sympy

p: Final = sympy.Symbol("p", integer=True, positive=True)
"""Stages, and blocks of the parameters."""

n: Final = sympy.Symbol("n", integer=True, positive=True)
"""Components of the finite sum f = (1/n) Σ f_m."""

K: Final = sympy.Symbol("K", integer=True, positive=True)
"""Block updates."""

tau: Final = sympy.Symbol("tau", integer=True, nonnegative=True)
"""Bound of every delay."""

gamma: Final = sympy.Symbol("gamma", positive=True)
"""Stepsize."""

L: Final = sympy.Symbol("L", positive=True)
"""Smoothness constant of f."""

G: Final = sympy.Symbol("G", positive=True)
"""Bound of the block gradients along the trajectory (RPD)."""

Delta: Final = sympy.Symbol("Delta", nonnegative=True)
"""f(x⁰) − f*."""

mu: Final = sympy.Symbol("mu", positive=True)
"""Polyak–Łojasiewicz constant."""

beta: Final = sympy.Symbol("beta", nonnegative=True)
"""Extrapolation of NAG-RPD."""

N: Final = sympy.Symbol("N", integer=True, positive=True)
"""Replicas (LocalSGD)."""

T: Final = sympy.Symbol("T", integer=True, positive=True)
"""Local steps of each replica (LocalSGD)."""

H: Final = sympy.Symbol("H", integer=True, positive=True)
"""Local steps between two averages (LocalSGD)."""

sigma: Final = sympy.Symbol("sigma", nonnegative=True)
"""Standard deviation bound of stochastic gradients (LocalSGD)."""

Gt: Final = sympy.Symbol("Gtilde", positive=True)
"""Second-moment bound of stochastic gradients, whole vector (LocalSGD)."""
