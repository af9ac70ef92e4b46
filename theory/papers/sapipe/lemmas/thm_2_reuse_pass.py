"""Vanilla SAPipe as Algorithm 1 prints it: samples are used twice, and the first iteration passes.

Stale elements of the first update are left as they are, as if their gradient were 0. They miss
∇F(x_0) by all of it, and ‖∇F(x_0)‖² is at most 2LR₀: 2κLR₀/T more than from rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere, Hypothesis, Step, Theorem, eq, le
from theory.papers.sapipe.lemmas import same_samples
from theory.papers.sapipe.setting import F_STAR, B, F, S
from theory.papers.sapipe.stale_bias import AT_REST
from theory.papers.sapipe.symbols import R0, L, T, kappa, t

_RESTING: Final = same_samples.THEOREM

PASS: Final = Hypothesis(
    "pass", "stale elements of the first update have no gradient: b is ∇F(x_0)", eq(B(0), S(0))
)


def _passing() -> Theorem:
    """`same_samples`, with another first update."""
    ends = _RESTING.conclude
    assert isinstance(ends, Combine)
    kept = {name: factor for name, factor in ends.facts.items() if name != AT_REST.name}
    more = 2 * L * kappa / T
    return replace(
        _RESTING,
        id="sapipe.same-samples-first-pass",
        statement=(
            "For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples "
            "of the update before, and are left as they are in the first update, the mean over "
            "t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + 2κLR₀/T + κL²η²V₂ + "
            "(1 + 2κ√(1 − κ))/(2 − Lη)·LηV₁/n for every T ≥ 1."
        ),
        latex=(
            r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le "
            r"\tfrac{2R_0}{(2 - L\eta)\eta T} + \tfrac{2\kappa L R_0}{T} + \kappa L^2\eta^2 V_2 + "
            r"\tfrac{1 + 2\kappa\sqrt{1-\kappa}}{2 - L\eta}\tfrac{L\eta V_1}{n}"
        ),
        hypotheses=tuple(PASS if one == AT_REST else one for one in _RESTING.hypotheses),
        steps=(
            *_RESTING.steps,
            Step(
                "height, first",
                le(S(0) / (2 * L), F(0) - F_STAR),
                Everywhere("height, total", {t: sympy.S.Zero}),
            ),
        ),
        terms={**_RESTING.terms, "first update": more * R0},
        conclude=replace(
            ends,
            facts={
                **kept,
                PASS.name: kappa / T,
                "height, first": more,
                "start": kept["start"] + more,
            },
        ),
    )


THEOREM: Final = _passing()
CLAIM: Final = as_claim(THEOREM)
