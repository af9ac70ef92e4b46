"""The stale distance in expectation, under the uniform draws of Assumption B.1.

Lemma B.2 counts as if all of the last τ updates hit one block. Uniform draws spread them over p
blocks, so that on average the squared distance is about p times smaller. Delays may be chosen from
the past: whatever they are, x̂ misses no update outside of the window.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Cite, Combine, Hypothesis, Step, Theorem, Total, eq, le, square, vector
from theory.papers.rpd.lemmas import draw_counts, drift_by_counts
from theory.papers.rpd.lemmas.draw_counts import PAIRS, WINDOW
from theory.papers.rpd.method import STALE, X, k
from theory.papers.rpd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import G, gamma, p, tau

AWAY: Final = vector("x − x̂")
DRIFT, _MISSED = (sympy.Function(name, nonnegative=True) for name in ("drift", "Q"))
"""By iteration: E‖x^k − x̂^k‖², and the mean of Σ_i n_i² over the updates that x̂^k misses."""

SEQUENCES: Final = {
    **drift_by_counts.SEQUENCES,
    **draw_counts.SEQUENCES,
    DRIFT: square(AWAY),
    _MISSED: drift_by_counts.COUNTS,
}
FOLLOWING: Final = (*drift_by_counts.THEOREM.following, *draw_counts.FOLLOWING)

_STEP = gamma**2 * G**2

THEOREM: Final = Theorem(
    id="rpd.sharp-drift",
    where="ours",
    statement=(
        "E‖x^k − x̂^k‖² ≤ γ²G²τ(τ + p − 1)/p for RPD, also with delays chosen from the past."
    ),
    latex=r"\mathbb{E}\|x^k - \hat x^k\|^2 \le \gamma^2 G^2\, \tfrac{\tau(\tau + p - 1)}{p}",
    symbols=(*drift_by_counts.THEOREM.symbols, *draw_counts.THEOREM.symbols[1:], tau),
    indices=draw_counts.THEOREM.indices,
    scalars=drift_by_counts.THEOREM.scalars,
    vectors=(AWAY, *drift_by_counts.THEOREM.vectors, *draw_counts.THEOREM.vectors),
    points=(*drift_by_counts.THEOREM.points, *draw_counts.THEOREM.points),
    sequences=SEQUENCES,
    following=FOLLOWING,
    hypotheses=(
        *drift_by_counts.THEOREM.hypotheses,
        *draw_counts.THEOREM.hypotheses,
        Hypothesis(
            "away",
            "a name for x − x̂",
            eq(square(AWAY), square(X.position - STALE.position)),
        ),
        Hypothesis(
            "missed",
            "x̂^k misses updates of the window only, whatever its delays: n_i ≤ N_i",
            le(_MISSED(k), PAIRS(WINDOW)),
        ),
        Hypothesis(
            "window",
            "a window has w ≤ τ draws, as many for every k: where fewer updates have been made, "
            "draws that no update uses fill it up",
            le(WINDOW, tau),
        ),
    ),
    cites=(drift_by_counts.THEOREM, draw_counts.THEOREM),
    steps=(
        Step("path", drift_by_counts.THEOREM.goal, Cite("rpd.drift-by-counts")),
        Step(
            "by counts",
            le(square(AWAY), _STEP * drift_by_counts.COUNTS),
            Combine({"path": 1, "away": 1}),
        ),
        Step("mean", le(DRIFT(k), _STEP * _MISSED(k)), Total("by counts", k)),
        Step("draws", draw_counts.THEOREM.goal, Cite("rpd.draw-counts")),
        Step(
            "in the window",
            le(DRIFT(k), _STEP * WINDOW * (WINDOW + p - 1) / p),
            Combine({"mean": 1, "missed": _STEP, "draws": _STEP}),
            "with w draws in the window",
        ),
    ),
    lhs=DRIFT(k),
    terms={"drift": gamma**2 * G**2 * tau * (tau + p - 1) / p},
    conclude=Combine({"in the window": 1, "window": _STEP * (tau + WINDOW + p - 1) / p}),
)

_LINE = sympy.Function("line drift", nonnegative=True)

ATTAINED: Final = Theorem(
    id="rpd.sharp-drift-attained",
    where="ours",
    statement=(
        "On f(x) = Σ ⟨v_i, x_i⟩ with ‖v_i‖ = G and all delays τ, E‖x^k − x̂^k‖² is "
        "γ²G²τ(τ + p − 1)/p for every k ≥ τ."
    ),
    latex=r"\mathbb{E}\|x^k - \hat x^k\|^2 = \gamma^2 G^2\, \tfrac{\tau(\tau + p - 1)}{p}",
    symbols=(gamma, G, *draw_counts.THEOREM.symbols),
    indices=draw_counts.THEOREM.indices,
    vectors=(AWAY, *draw_counts.THEOREM.vectors),
    points=draw_counts.THEOREM.points,
    sequences={**draw_counts.SEQUENCES, _LINE: square(AWAY)},
    following=draw_counts.FOLLOWING,
    hypotheses=(
        *draw_counts.THEOREM.hypotheses,
        Hypothesis(
            "line",
            "block i of x − x̂ is −γ N_i v_i, as every update of it moves it by −γ v_i",
            eq(square(AWAY), gamma**2 * G**2 * square(draw_counts.COUNTS.position)),
        ),
    ),
    cites=(draw_counts.THEOREM,),
    steps=(
        Step(
            "mean",
            eq(_LINE(WINDOW), _STEP * PAIRS(WINDOW)),
            Total("line", WINDOW),
        ),
        Step("draws", draw_counts.THEOREM.goal, Cite("rpd.draw-counts")),
    ),
    kind="==",
    lhs=_LINE(WINDOW),
    terms={"drift": THEOREM.terms["drift"].subs(tau, WINDOW)},
    conclude=Combine({"mean": 1, "draws": _STEP}),
)
"""The bound is attained, with τ updates in the window."""

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["rpd-drift"])
