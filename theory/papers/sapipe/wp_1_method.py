"""SAPipe-WP with option 1 as the kernel sees it: every worker predicts with its own gradient.

In iteration t worker i has contributed g_i to the update, x_{t+1} = x_t − ηg with g the mean of the
g_i, and has evaluated its next gradient at x̃_i = x_t − ηg_i. So x_{t+1} − x̃_i = η(g_i − g): what
enters the bound is V, the mean over the workers of ‖x_t − x̃_i‖².

Where κ < 1 the paper leaves open what g_i is in fresh elements. Here it is the worker's own fresh
gradient, as the printed line x_t − x̃_{i,t} = −η(g_t − g_{i,t}) wants it, and stale elements have
samples of their own. `schedules.methods` predicts with the gradient at x̃_i in all elements: for
0 < κ < 1 the two are different methods.
"""

import sympy

from theory.kernel import Average, Hypothesis, Point, Smooth, eq, vector
from theory.notation import glossary
from theory.papers.sapipe.setting import NEXT, OFF, X
from theory.papers.sapipe.symbols import L

PROOF = "appendix A, proof of Theorem 4"

OWN_SAMPLES = "for 0 < κ < 1 if stale elements have samples of their own"
READ_SO = (
    f"This is Algorithm 3 for κ = 1, round 0 not counted; {OWN_SAMPLES} and x̃_i takes the worker's "
    "own fresh gradient in fresh elements."
)
"""What the statements about option 1 ask of the method."""

AWAY = vector("p_i")
"""x̃_i − x_t, by how much the prediction of worker i misses."""

HERE = Point(X.position, sympy.Symbol("F_i(x)", real=True), vector("∇F_i(x)"), "F_i")
"""The objective of worker i at x_t."""

AHEAD = Point(NEXT.position, sympy.Symbol("F_i(x⁺)", real=True), vector("∇F_i(x⁺)"), "F_i")
"""The same at x_{t+1}."""

PREDICTED = Point(
    X.position + AWAY, sympy.Symbol("F_i(x̃_i)", real=True), vector("∇F_i(x̃_i)"), "F_i"
)
"""The same at the predicted weights, where its gradient is taken."""

OWN = vector("g_i")
"""What worker i contributes to g."""

NOISE = vector("ζ_i")
"""By how much g_i misses its mean, given the past and the stale elements."""

MEAN_NOISE = vector("ζ")
"""The mean of that over the workers."""

MISSED, MEAN_MISSED = vector("a_i"), vector("a")
"""The stale elements of ∇F_i(x) − ∇F_i(x̃_i), 0 in the fresh ones; the mean of that over i."""

AVG = Average(
    "avg",
    (
        *("p_i", "g_i", "ζ_i", "a_i", "F_i(x)", "∇F_i(x)", "F_i(x̃_i)", "∇F_i(x̃_i)"),
        *("F_i(x⁺)", "∇F_i(x⁺)"),
        *("q_i", "∇G_i(x⁻)", "δ_i", "c_i", "d_i", "f_i", "∇²G_i(x⁻)Δx", "ζ_{−i}"),
    ),
    given=("∇F(x)", "ζ", "Δx"),
    over="worker",
)
"""The mean over the workers; the last names are of `wp_3_method`."""

SPREAD = sympy.Symbol("V", nonnegative=True)
NEXT_SPREAD = sympy.Symbol("V⁺", nonnegative=True)
"""The mean over the workers of ‖x_t − x̃_i‖²; the same of the next iteration."""

_ALL, _ALL_NEXT = (
    Point(vector(f"x̃{mark}"), value, vector(f"∇V{mark}"), "V")
    for mark, value in (("", SPREAD), ("⁺", NEXT_SPREAD))
)
"""The predictions of all workers as one point, at which only the value matters."""

W = sympy.Function("W", nonnegative=True)
"""E V by iteration."""

FOLLOWING = ((_ALL, _ALL_NEXT),)

EACH_SMOOTH = Smooth("each smooth", "every F_i is L-smooth (Assumption 1)", L, "F_i")
APART = HERE.gradient - PREDICTED.gradient
OBJECTIVE = Hypothesis(
    "predicted mean",
    "the mean of the predicted gradient is s = (1/n)Σ∇F_i(x̃_i), given all samples of earlier "
    "iterations, so that b is the mean over the workers of ∇F_i(x) − ∇F_i(x̃_i)",
    eq(AVG.of(APART @ OFF), OFF**2),
)
SPREAD_IS = Hypothesis(
    "spread", "V is the mean over the workers of ‖x_t − x̃_i‖²", eq(SPREAD, AVG.of(AWAY**2))
)
AT_START = Hypothesis("first prediction", "x̃_{i,0} is x_0 (Algorithm 3)", eq(W(0), 0))

letters = glossary(globals())
"""Gives these by name: ``a, b = letters("a b")``."""
