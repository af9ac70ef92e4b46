"""Proposition 1 (2) put right: look-ahead and delay align where the step outweighs the gradients.

By (20) the delay is Δ_t = a d̄_t + r_t with a = Σ_i Π_j γ_j and r_t = −η ΣΣ (Π_j γ_j)(1 − γ_k)ḡ_k.
That r_t vanishes says nothing as long as d̄_t vanishes too; what the cosine is near to 1 by is the
ratio of the two.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import (
    Cite,
    Combine,
    Hypothesis,
    Step,
    Theorem,
    as_claim,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.kernel.lemmas import CAUCHY_SCHWARZ
from theory.kernel.rules import Root

AHEAD, REST = vector("d̄"), vector("r")
"""d̄_t, and the gradients' part of Δ_t in (20)."""
a: Final = sympy.Symbol("a", positive=True)
"""Σ_i Π_j γ_j, the weight of d̄_t in (20)."""
d: Final = sympy.Symbol("d", positive=True)
"""‖d̄_t‖."""
rho: Final = sympy.Symbol("rho", nonnegative=True)
"""‖r_t‖."""
length: Final = sympy.Symbol("D", positive=True)
"""‖Δ_t‖."""
cosine: Final = sympy.Symbol("cos", real=True)
DELAY: Final = a * AHEAD + REST
"""Δ_t."""

_INNER = dot(REST, AHEAD)
_LONGEST = a * d + rho
_CS = next(iter(CAUCHY_SCHWARZ.symbols))

THEOREM: Final = Theorem(
    id="nesterov.prop-1-repaired",
    where="ours",
    statement=(
        "1 − cos(Δ_t, d̄_t) ≤ 2‖r_t‖/(a‖d̄_t‖ + ‖r_t‖) wherever ‖r_t‖ < a‖d̄_t‖, r_t being the "
        "gradients' part of (20) and a the weight of d̄_t there."
    ),
    latex=(
        r"1 - \cos(\Delta_t, \bar d_t) \le \frac{2\|r_t\|}{a\|\bar d_t\| + \|r_t\|}, \quad "
        r"a = \sum_{i=1}^{\tau}\prod_{j=t-\tau+1}^{t-i}\gamma_j"
    ),
    symbols=(a, d, rho, length, cosine),
    vectors=(AHEAD, REST),
    hypotheses=(
        Hypothesis("look-ahead", "d is ‖d̄_t‖ > 0", eq(square(AHEAD), d**2)),
        Hypothesis("gradients", "ρ is ‖r_t‖", eq(square(REST), rho**2)),
        Hypothesis("delay", "D is ‖Δ_t‖, Δ_t = a d̄_t + r_t by (20)", eq(square(DELAY), length**2)),
        Hypothesis(
            "cosine", "cos is ⟨Δ_t, d̄_t⟩/(‖Δ_t‖‖d̄_t‖)", eq(cosine * length * d, dot(DELAY, AHEAD))
        ),
        Hypothesis("outweighed", "‖r_t‖ < a‖d̄_t‖, or no more than that", le(rho, a * d)),
    ),
    cites=(CAUCHY_SCHWARZ,),
    steps=(
        Step(
            "Cauchy–Schwarz",
            le(_INNER**2, square(REST) * square(AHEAD)),
            Cite(
                "kernel.cauchy-schwarz",
                scalars={_CS: d**2},
                vectors={"u": REST, "v": AHEAD},
            ),
        ),
        Step(
            "squared",
            le(_INNER**2, (rho * d) ** 2),
            Combine({"Cauchy–Schwarz": 1, "gradients": square(AHEAD), "look-ahead": rho**2}),
        ),
        Step("above", le(_INNER, rho * d), Root("squared")),
        Step("below", le(-_INNER, rho * d), Root("squared")),
        Step(
            "longest, squared",
            le(length**2, _LONGEST**2),
            Combine({"delay": -1, "above": 2 * a, "look-ahead": a**2, "gradients": 1}),
        ),
        Step("longest", le(length, _LONGEST), Root("longest, squared")),
    ),
    lhs=1 - cosine,
    terms={"gradients": 2 * rho / _LONGEST},
    conclude=Combine(
        {
            "cosine": -1 / (length * d),
            "look-ahead": -a / (length * d),
            "below": 1 / (length * d),
            "longest": (a * d - rho) / (length * _LONGEST),
        },
        domain=("outweighed",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
