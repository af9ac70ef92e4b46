"""SAPipe-WP with option 3 as the kernel sees it: every worker predicts the gradients of the others.

In iteration t worker i knows its own gradient, and of the others those of the iteration before. Let
q_i be (1/n)Σ_{j≠i} g_{j,t} and p_i the same one iteration before. Then x̃_i = x_t − η(DC(p_i, Δx) +
g_i/n) and x_{t+1} = x_t − η(q_i + g_i/n), so that x_{t+1} − x̃_i = −η(q_i − p_i − λ p_i p_iᵀΔx). The
terms of a worker's own gradient cancel, and with n = 1 nothing is left: the prediction is exact.
"""

import sympy

from theory.kernel import Hypothesis, eq, le, vector
from theory.notation import glossary
from theory.papers.sapipe.symbols import V2, eta

PROOF = "appendix A, proof of Theorem 6"

OTHERS, BEFORE, MOVED = (vector(name) for name in ("q_i", "∇G_i(x⁻)", "Δx"))
"""q_i; the gradient of F − F_i/n at x_{t−1}; and Δx = x_t − x_{t−1}."""

DEVIATION = vector("δ_i")
"""By how much p_i misses ∇G_i(x_{t−1})."""

KNOWN = BEFORE + DEVIATION
"""p_i."""

ALONG, DEVIATION_ALONG = (sympy.Symbol(name, real=True) for name in ("c_i", "d_i"))
"""⟨∇G_i(x⁻), Δx⟩ and ⟨δ_i, Δx⟩, so that p_i p_iᵀΔx is (c_i + d_i) p_i."""

OUTER = (ALONG + DEVIATION_ALONG) * KNOWN
"""p_i p_iᵀΔx."""

FIXED, HESSIAN, NOISE = (vector(name) for name in ("f_i", "∇²G_i(x⁻)Δx", "ζ_{−i}"))
"""(x̃_i − x_{t+1})/η without the noise of q_i; the Hessian of G_i at x_{t−1} on Δx; that noise."""

NEXT_DEVIATIONS = sympy.Symbol("N⁺", nonnegative=True)
DEVIATIONS = sympy.Symbol("N", nonnegative=True)
"""The mean over the workers of ‖δ_i‖²; the same of the next iteration."""

STEP_SIZE = Hypothesis(
    "step",
    "‖Δx‖ ≤ η√V₂ on every draw: for κ = 1 what is applied is a mean of stochastic gradients "
    "(Assumption 2); for 0 < κ < 1 a condition of its own, since elements of two of them mix",
    le(MOVED**2, eta**2 * V2),
)
ALONGS = (
    Hypothesis("along", "c_i is ⟨∇G_i(x⁻), Δx⟩", eq(ALONG, BEFORE @ MOVED)),
    Hypothesis("deviation along", "d_i is ⟨δ_i, Δx⟩", eq(DEVIATION_ALONG, DEVIATION @ MOVED)),
)

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
