"""How large the whole gradient at the stale point can be, given the bound G of block gradients.

It has p blocks, each the mean of block gradients of the components, so its square is at most pG².
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Telescope,
    Theorem,
    Total,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.method import STALE
from theory.papers.rpd.symbols import G, p

PART, DRAWN = vector("v_i"), vector("g_i")
"""Block i of ∇f(x̂), and of the gradient of one component there."""

_COMPONENTS = Operator("avg_m", ("g_i",))
_BLOCK = sympy.Function("v²", nonnegative=True)
_BLOCKS = sympy.Sum(_BLOCK(i), (i, 0, p - 1))

THEOREM: Final = Theorem(
    id="rpd.stale-gradient",
    where="ours",
    statement="‖∇f(x̂^k)‖² ≤ pG² on every path.",
    latex=r"\|\nabla f(\hat x^k)\|^2 \le p G^2",
    symbols=(p, G),
    vectors=(PART, DRAWN),
    points=(STALE,),
    sequences={_BLOCK: square(PART)},
    hypotheses=(
        Hypothesis(
            "component blocks",
            "Assumption B.5: every block gradient of every component has norm at most G",
            le(square(DRAWN), G**2),
        ),
        Hypothesis(
            "mean of components",
            "f is the mean of its components",
            eq(_COMPONENTS.of(dot(DRAWN, PART)), square(PART)),
        ),
        Hypothesis(
            "gradient by blocks",
            "a squared norm is the sum over blocks",
            eq(square(STALE.gradient), _BLOCKS),
        ),
    ),
    steps=(
        Step("square", le(0, square(DRAWN - PART)), Combine(squares=((1, DRAWN - PART),))),
        Step("spread", le(0, _COMPONENTS.of(square(DRAWN - PART))), Expect("square", _COMPONENTS)),
        Step(
            "size of components",
            le(_COMPONENTS.of(square(DRAWN)), G**2),
            Expect("component blocks", _COMPONENTS),
        ),
        Step(
            "block",
            le(square(PART), G**2),
            Combine({"spread": 1, "size of components": 1, "mean of components": -2}),
            "Jensen's inequality",
        ),
        Step("every block", le(_BLOCK(i), G**2), Total("block", i)),
        Step("all blocks", le(_BLOCKS, p * G**2), Telescope("every block", i, p)),
    ),
    lhs=square(STALE.gradient),
    terms={"blocks": p * G**2},
    conclude=Combine({"all blocks": 1, "gradient by blocks": 1}),
)

CLAIM: Final = as_claim(THEOREM)
