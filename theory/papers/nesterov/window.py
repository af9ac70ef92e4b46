"""The last τ iterations by their number j = 0, …, τ − 1, which (18), (19) and (20) are about.

Iteration t − τ + j has number j; the paper's i is τ − j. Every vector is taken with one fixed
vector, so that sequences of numbers stand for it: two vectors with the same inner products are
equal. γ is any sequence of numbers.
"""

import sympy

from theory.kernel import Hypothesis, eq
from theory.notation import glossary
from theory.papers.nesterov import symbols
from theory.papers.nesterov.symbols import eta

k = sympy.Symbol("k", integer=True, nonnegative=True)
m = sympy.Symbol("m", integer=True, nonnegative=True)
j = sympy.Symbol("j", integer=True, nonnegative=True)
"""Numbers of iterations: the one along which is summed, that of (19), and that of products."""

MOMENTUM = sympy.Function("gamma", real=True)
"""γ_{t−τ+j}."""
GRADIENT = sympy.Function("g", real=True)
"""ḡ_{t−τ+j}."""
STEP = sympy.Function("h", real=True)
"""h̄_{t−τ+j}."""
AHEAD = sympy.Function("d", real=True)
"""d_{t−τ+j}."""
MOVE = sympy.Function("v", real=True)
"""d_{t−τ+j} + h̄_{t−τ+j}."""
MODEL = sympy.Function("w", real=True)
"""w_{t−τ+j}."""
PRODUCT = sympy.Function("Pi", real=True)
"""Π(j, m) = γ_{t−τ+j+1} ⋯ γ_{t−τ+j+m}, a product of m factors."""

IS_STEP = Hypothesis("step", "h̄ = −η(1 − γ)ḡ", eq(STEP(m), -eta * (1 - MOMENTUM(m)) * GRADIENT(m)))
IS_MOVE = Hypothesis("move", "v = d + h̄", eq(MOVE(m), AHEAD(m) + STEP(m)))
IS_AHEAD = Hypothesis(
    "ahead", "d_{t+1} = γ_{t+1}(d_t + h̄_t), (17)", eq(AHEAD(m + 1), MOMENTUM(m + 1) * MOVE(m))
)
IS_EMPTY = Hypothesis("no factor", "a product of no factors is 1", eq(PRODUCT(m, 0), 1))
IS_LONGER = Hypothesis(
    "one factor more",
    "a product of m + 1 factors from j + 1 on ends with γ_{t−τ+j+m+1}",
    eq(PRODUCT(j, m + 1), MOMENTUM(j + m + 1) * PRODUCT(j, m)),
)
IS_MODEL = Hypothesis(
    "model", "w_{t+1} = w_t + d_t + h̄_t, (17)", eq(MODEL(k + 1), MODEL(k) + AHEAD(k) + STEP(k))
)

letters = glossary({**vars(symbols), **globals()})
"""Gives these by name: ``a, b = letters("a b")``."""
