"""What a first iteration adds that only computes: x_0 counts twice.

Problem    a run whose mean of E‖∇F(x_t)‖² over the first T models is at most 2R₀/(ηT) + e, for
           every T; Algorithm 3 has it with x_0 once more in front, as no model is updated at t = 1.
Method     ‖∇F(x_0)‖² ≤ 2LR₀, which the mean of T models takes a share 1/T of.
Guarantee  2R₀/(ηT) + e + 2LR₀/T for the T models with x_0 twice.
Source     ours.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem
from theory.papers.sapipe import symbols

R0, L, eta = symbols.letters("R0 L eta")

m = sympy.Symbol("m", integer=True, nonnegative=True)
"""T − 1, the number of updates."""

FIRST = sympy.Symbol("S0", nonnegative=True)
"""‖∇F(x_0)‖²."""

SUM = sympy.Symbol("sum", nonnegative=True)
"""The sum over t < m of E‖∇F(x_t)‖²."""

e = sympy.Symbol("e", nonnegative=True)
"""What the bound has beside 2R₀/(ηT)."""

TERMS = {
    "optimization": 2 * R0 / (eta * (m + 1)),
    "first iteration": 2 * L * R0 / (m + 1),
    "errors": e,
}
CLAIM = THEOREM = Theorem(
    id="sapipe.counted-twice",
    where="ours",
    statement="If the mean of E‖∇F(x_t)‖² over the first m = T − 1 models is at most "
    "2R₀/(ηm) + e, and x_0 is there once more, the mean over the T is at most "
    "2R₀/(ηT) + 2LR₀/T + e, for every T ≥ 1.",
    latex=r"\sum_{t<m} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta} + me \implies "
    r"\tfrac{1}{m+1}\bigl(\|\nabla F(x_0)\|^2 + \sum_{t<m} \mathbb{E}\|\nabla F(x_t)\|^2\bigr) "
    r"\le \tfrac{2R_0}{\eta(m+1)} + \tfrac{2LR_0}{m+1} + e",
    symbols=(m, eta, L, R0, e),
    scalars=(FIRST, SUM),
    hypotheses=(
        Hypothesis("bound", "the theorem of the method", prover.le(SUM, 2 * R0 / eta + m * e)),
        Hypothesis("height", "‖∇F(x_0)‖² ≤ 2LR₀ (sapipe.height)", prover.le(FIRST, 2 * L * R0)),
    ),
    lhs=(FIRST + SUM) / (m + 1),
    terms=TERMS,
    conclude=Combine({"bound": 1 / (m + 1), "height": 1 / (m + 1)}, plus=(e / (m + 1),)),
)
