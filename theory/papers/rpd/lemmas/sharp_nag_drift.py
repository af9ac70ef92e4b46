"""The distance of the extrapolated stale point in expectation, under uniform draws, for β ≤ 1.

As in `rpd.sharp-drift`, with one update more, which counts β. Delays may be chosen from the past.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, Total, le, square
from theory.papers.rpd.lemmas import nag_draw_counts, nag_drift_by_counts
from theory.papers.rpd.lemmas.draw_counts import PAIRS, WINDOW
from theory.papers.rpd.method import k
from theory.papers.rpd.nag_method import APART, DRIFT, NAMED
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, beta, gamma, p, tau

_WEIGHTS = sympy.Function("Q̃", nonnegative=True)
_PATH, _DRAWS = nag_drift_by_counts.THEOREM, nag_draw_counts.THEOREM
_UPDATE = gamma**2 * G**2

THEOREM: Final = Theorem(
    id="rpd.sharp-nag-drift",
    where="ours",
    statement=(
        "E‖x^k − x̃^k‖² ≤ γ²G²(τ(τ + p − 1) + 2βτ + pβ²)/p for NAG-RPD with β ≤ 1, also with delays "
        "chosen from the past."
    ),
    latex=(
        r"\mathbb{E}\|x^k - \tilde x^k\|^2 \le "
        r"\gamma^2 G^2\, \tfrac{\tau(\tau + p - 1) + 2\beta\tau + p\beta^2}{p}"
    ),
    symbols=(*_PATH.symbols, *(s for s in _DRAWS.symbols if s not in _PATH.symbols), tau),
    indices=_DRAWS.indices,
    scalars=_PATH.scalars,
    vectors=(APART, *_PATH.vectors, *_DRAWS.vectors),
    points=(*_PATH.points, *_DRAWS.points),
    sequences={
        **_PATH.sequences,
        **_DRAWS.sequences,
        DRIFT: square(APART),
        _WEIGHTS: nag_drift_by_counts.COUNTS,
    },
    following=(*_PATH.following, *_DRAWS.following),
    hypotheses=(
        *_PATH.hypotheses,
        *_DRAWS.hypotheses,
        NAMED,
        Hypothesis(
            "latest",
            "the last w updates count 1 at most, and the one before them β at most",
            le(_WEIGHTS(k), PAIRS(WINDOW)),
        ),
        Hypothesis(
            "window",
            "a window has w ≤ τ draws, and one before them, as many for every k: where fewer "
            "updates have been made, draws that no update uses fill it up",
            le(WINDOW, tau),
        ),
    ),
    cites=(_PATH, _DRAWS),
    steps=(
        Step("path", _PATH.goal, Cite("rpd.nag-drift-by-counts")),
        Step(
            "by counts",
            le(square(APART), _UPDATE * nag_drift_by_counts.COUNTS),
            Combine({"path": 1, "apart": 1}),
        ),
        Step("mean", le(DRIFT(k), _UPDATE * _WEIGHTS(k)), Total("by counts", k)),
        Step("draws", _DRAWS.goal, Cite("rpd.nag-draw-counts")),
        Step(
            "in the window",
            le(
                DRIFT(k),
                _UPDATE * (WINDOW * (WINDOW + p - 1) + 2 * beta * WINDOW + p * beta**2) / p,
            ),
            Combine({"mean": 1, "latest": _UPDATE, "draws": _UPDATE}),
            "with w draws in the window",
        ),
    ),
    lhs=DRIFT(k),
    terms={"drift": _UPDATE * (tau * (tau + p - 1) + 2 * beta * tau + p * beta**2) / p},
    conclude=Combine(
        {"in the window": 1, "window": _UPDATE * (tau + WINDOW + p - 1 + 2 * beta) / p}
    ),
)

CLAIM: Final = as_claim(THEOREM, CHALLENGES["nag-drift"], where=sympy.Le(beta, 1), cost=3)
