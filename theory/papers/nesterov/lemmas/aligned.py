"""Proposition 1 (2) put right: look-ahead and delay align where the step outweighs the gradients.

Problem    by (20) the delay is Δ_t = a d̄_t + r_t with a = Σ_i Π_j γ_j > 0 and r_t = −η ΣΣ (Π_j
           γ_j)(1 − γ_k)ḡ_k.
Method     That r_t vanishes says nothing as long as d̄_t vanishes too: what counts is their ratio x
           = ‖r_t‖/(a‖d̄_t‖).
Guarantee  1 − cos(Δ_t, d̄_t) ≤ 1 − cos²(Δ_t, d̄_t) ≤ x² wherever x ≤ 1. Of the squared cosine, 1 −
           x² is the least: where r_t is orthogonal to Δ_t.
Source     ours.
"""

from dataclasses import replace

import sympy

from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, vector
from theory.kernel.lemmas import CAUCHY_SCHWARZ
from theory.kernel.rules import Root
from theory.papers.nesterov import eq_20

AHEAD, REST = vector("d̄"), vector("r")
"""d̄_t, and the gradients' part of Δ_t in (20)."""
a = sympy.Symbol("a", positive=True)
"""Σ_i Π_j γ_j, the weight of d̄_t in (20)."""
d = sympy.Symbol("d", positive=True)
"""‖d̄_t‖."""
rho = sympy.Symbol("rho", nonnegative=True)
"""‖r_t‖."""
length = sympy.Symbol("D", positive=True)
"""‖Δ_t‖."""
cosine = sympy.Symbol("cos", real=True)
DELAY = a * AHEAD + REST
"""Δ_t."""

_INNER = REST @ AHEAD
_WHOLE = DELAY @ AHEAD
_RATIO = rho / (a * d)
_SIDES = length * d
_PART = 1 / (a * _SIDES) ** 2
_SHORT = rho**2 - (a * d) ** 2
_CS = next(iter(CAUCHY_SCHWARZ.symbols))

THEOREM = Theorem(
    id="nesterov.prop-1-repaired",
    where="ours",
    statement=(
        "1 − cos(Δ_t, d̄_t) ≤ 1 − cos²(Δ_t, d̄_t) ≤ x² with x = ‖r_t‖/(a‖d̄_t‖), wherever x ≤ 1, "
        "Δ_t ≠ 0 and d̄_t ≠ 0, r_t being the gradients' part of (20) and a > 0 the weight of d̄_t "
        "there."
    ),
    latex=(
        r"1 - \cos(\Delta_t, \bar d_t) \le x^2, \quad x = \frac{\|r_t\|}{a\|\bar d_t\|}, "
        r"\quad a = \sum_{i=1}^{\tau}\prod_{j=t-\tau+1}^{t-i}\gamma_j"
    ),
    symbols=(a, d, rho, length, cosine),
    vectors=(AHEAD, REST),
    hypotheses=(
        Hypothesis("look-ahead", "d is ‖d̄_t‖ > 0", prover.eq(AHEAD**2, d**2)),
        Hypothesis("gradients", "ρ is ‖r_t‖", prover.eq(REST**2, rho**2)),
        Hypothesis(
            "delay",
            "D is ‖Δ_t‖ > 0, Δ_t = a d̄_t + r_t by (20)",
            prover.eq(DELAY**2, length**2),
        ),
        Hypothesis("cosine", "cos is ⟨Δ_t, d̄_t⟩/(‖Δ_t‖‖d̄_t‖)", prover.eq(cosine * _SIDES, _WHOLE)),
        Hypothesis("outweighed", "‖r_t‖ ≤ a‖d̄_t‖", prover.le(rho, a * d)),
    ),
    cites=(CAUCHY_SCHWARZ,),
    steps=(
        Step(
            "Cauchy–Schwarz",
            prover.le(_INNER**2, REST**2 * AHEAD**2),
            Cite(
                "kernel.cauchy-schwarz",
                scalars={_CS: d**2},
                vectors={"u": REST, "v": AHEAD},
            ),
        ),
        Step(
            "squared",
            prover.le(_INNER**2, (rho * d) ** 2),
            Combine({"Cauchy–Schwarz": 1, "gradients": AHEAD**2, "look-ahead": rho**2}),
        ),
        Step("below", prover.le(-_INNER, rho * d), Root("squared")),
        Step(
            "forward",
            prover.le(0, cosine),
            Combine(
                {
                    "cosine": -1 / _SIDES,
                    "look-ahead": -a / _SIDES,
                    "below": 1 / _SIDES,
                    "outweighed": d / _SIDES,
                }
            ),
            "no more than a right angle lies between them",
        ),
        Step(
            "cosine, squared",
            prover.le(1 - _RATIO**2, cosine**2),
            Combine(
                {
                    "cosine": -(cosine * _SIDES + _WHOLE) / _SIDES**2,
                    "delay": _SHORT * _PART,
                    "gradients": -_SHORT * _PART,
                    "look-ahead": -(a**2) * _PART * (_SHORT + a * (a * d**2 + _INNER + _WHOLE)),
                },
                squares=((_PART, rho**2 + a * _INNER),),
            ),
            "1 − cos² ≤ x², with equality where r_t is orthogonal to Δ_t",
        ),
        Step(
            "cosine of anything, squared",
            prover.le(cosine**2, 1),
            Combine(
                {
                    "cosine": (cosine * _SIDES + _WHOLE) / _SIDES**2,
                    "delay": d**2 / _SIDES**2,
                    "gradients": -(d**2) / _SIDES**2,
                    "look-ahead": a * (_INNER + _WHOLE) / _SIDES**2,
                    "squared": 1 / _SIDES**2,
                }
            ),
        ),
        Step("at most 1", prover.le(cosine, 1), Root("cosine of anything, squared")),
    ),
    lhs=1 - cosine,
    terms={"gradients": _RATIO**2},
    conclude=Combine(
        {"cosine, squared": 1},
        plus=(cosine * (1 - cosine),),
        domain=("forward", "at most 1"),
    ),
)

_KERNEL = as_claim(THEOREM)
CLAIM = replace(_KERNEL, depends=(*_KERNEL.depends, eq_20.THEOREM.id))
