"""How far a sample that is used twice is correlated with the model that it made.

In Algorithm 1 the sample of a worker's gradient at y' gives the fresh elements of one update and,
one update later, the stale ones. So the noise n of these stale elements is in the model x they
are applied to: x = y − ηD, D being n on the elements that were fresh, and y without n.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Hypothesis,
    Lipschitz,
    Operator,
    Step,
    Theorem,
    dot,
    eq,
    le,
    lipschitz,
    point,
    square,
    vector,
)
from theory.papers.sapipe.setting import E_T, SMOOTH, X
from theory.papers.sapipe.symbols import V1, L, eta, n

r: Final = sympy.Symbol("r", positive=True)
"""√(1 − κ)."""

NOISE: Final = vector("n⁻")
"""The noise of the stale gradient."""

KEPT: Final = vector("D")
"""That noise on the elements that were fresh one update ago."""

BEFORE: Final = point("y", "F")
"""x without this noise."""

E_S: Final = Operator(
    "E_s",
    (
        *("n⁻", "D", "y", "F(y)", "∇F(y)", "x", "F(x)", "∇F(x)"),
        *(
            "F(x⁺)",
            "∇F(x⁺)",
            "F(x−)",
            "∇F(x−)",
            "s",
            "s⁺",
            "b",
            "off(b)",
            "∇off(b)",
            "old(s)",
            "∇old(s)",
        ),
        *("old(s⁺)", "∇old(s⁺)"),
        *E_T.random,
    ),
    law="run",
)
"""Expectation over the samples and elements of the update before, given everything before that."""

HYPOTHESES: Final = (
    SMOOTH,
    Hypothesis(
        "moved", "x = y − ηD", eq(square(X.position - BEFORE.position), eta**2 * square(KEPT))
    ),
    Hypothesis(
        "kept",
        "every element was fresh with probability r² = 1 − κ, whatever the samples are; none was "
        "where there is no update before, at rest",
        le(E_S.of(square(KEPT)), r**2 * E_S.of(square(NOISE))),
    ),
    Hypothesis(
        "no noise in y",
        "the samples are unbiased and independent of y, which they are not in",
        eq(E_S.of(dot(NOISE, BEFORE.gradient)), 0),
    ),
    Hypothesis(
        "size of the noise",
        "the mean of the workers' noises has variance at most V₁/n (sapipe.mean-of-workers)",
        le(E_S.of(square(NOISE)), V1 / n),
    ),
)

_RISE: Final = X.gradient - BEFORE.gradient
_RATE: Final = L * eta * r

THEOREM: Final = Theorem(
    id="sapipe.reused-noise",
    where="ours",
    statement=(
        "If stale elements have the samples of the update before, drawn with probability κ < 1, "
        "then E⟨∇F(x_t), n⟩ is at least −√(1 − κ)·LηV₁/n, n being the noise of these samples."
    ),
    latex=(
        r"\mathbb{E}\langle \nabla F(x_t), n_{t-1}\rangle \ge "
        r"-\sqrt{1-\kappa}\,\tfrac{L\eta V_1}{n}"
    ),
    symbols=(eta, L, n, V1, r),
    vectors=(NOISE, KEPT),
    points=(X, BEFORE),
    hypotheses=HYPOTHESES,
    steps=(
        Step("lipschitz", lipschitz(L, X, BEFORE), Lipschitz("smooth", X, BEFORE)),
        Step(
            "one",
            le(
                -dot(NOISE, _RISE),
                _RATE / 2 * square(NOISE) + L * eta / (2 * r) * square(KEPT),
            ),
            Combine(
                {"lipschitz": 1 / (2 * _RATE), "moved": L / (2 * eta * r)},
                squares=((1 / (2 * _RATE), _RISE + NOISE * _RATE),),
            ),
            "by Young's inequality",
        ),
        Step(
            "mean",
            le(
                -E_S.of(dot(NOISE, _RISE)),
                _RATE / 2 * E_S.of(square(NOISE)) + L * eta / (2 * r) * E_S.of(square(KEPT)),
            ),
            Expect("one", E_S),
        ),
    ),
    lhs=-E_S.of(dot(NOISE, X.gradient)),
    terms={"correlation": _RATE * V1 / n},
    conclude=Combine(
        {
            "mean": 1,
            "kept": L * eta / (2 * r),
            "no noise in y": -1,
            "size of the noise": _RATE,
        }
    ),
)

CLAIM: Final = as_claim(THEOREM)
