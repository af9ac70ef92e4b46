"""Drift of every single replica, with the constant that (11) takes from Yu et al."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Found, Step, Swap, Theorem, le, square
from theory.papers.localsgd.lemmas.rounds import (
    ALL,
    EARLIER,
    EXCESS,
    MEAN_EARLIER,
    PATH_STEPS,
    PERIOD,
    SINCE,
    SIZE_STEPS,
    STEPS,
    VECTORS,
    E,
    j,
)
from theory.papers.localsgd.method import AVG, AWAY
from theory.papers.rpd.symbols import Gt, H, gamma

_REACH = gamma**2 * j**2
_BOTH = 2 * square(EARLIER) + 2 * AVG.of(square(EARLIER))
_ONE = E.of(STEPS.of(square(EARLIER)))

THEOREM: Final = Theorem(
    id="localsgd.drift",
    where="appendix D, the drift in (11), after Yu et al. 2019",
    statement="E‖x_r − x̄‖² ≤ 4γ²H²G̃² for every replica r at every local step of LocalSGD.",
    latex=r"\mathbb{E}\|x_r - \bar x\|^2 \le 4\gamma^2 H^2 \tilde G^2",
    symbols=(gamma, H, Gt, j),
    vectors=VECTORS,
    hypotheses=SINCE,
    steps=(
        *PATH_STEPS,
        Step("some square", le(0, square(EXCESS)), Combine(squares=((1, EXCESS),))),
        Step("mean square", le(0, AVG.of(square(EXCESS))), Expect("some square", AVG)),
        Step(
            "excess",
            le(square(EXCESS), _BOTH),
            Combine(
                {"mean square": 2, "mean gradient": -4}, squares=((1, EARLIER + MEAN_EARLIER),)
            ),
            "‖g_r − ḡ‖² ≤ 2‖g_r‖² + 2‖ḡ‖², and ‖ḡ‖² is at most the mean of the ‖g_r‖²",
        ),
        Step(
            "in every step", le(STEPS.of(square(EXCESS)), STEPS.of(_BOTH)), Expect("excess", STEPS)
        ),
        Step(
            "on every path",
            le(square(AWAY), _REACH * STEPS.of(_BOTH)),
            Combine({"path": 1, "in every step": _REACH}),
        ),
        Step(
            "mean",
            le(E.of(square(AWAY)), _REACH * (2 * _ONE + 2 * ALL)),
            Expect("on every path", E),
        ),
        *SIZE_STEPS,
        Step(
            "one in all steps",
            le(STEPS.of(E.of(square(EARLIER))), Gt**2),
            Expect("second moments", STEPS),
        ),
        Step("one", le(_ONE, Gt**2), Swap("one in all steps", STEPS, E)),
    ),
    lhs=E.of(square(AWAY)),
    terms={"drift": 4 * gamma**2 * H**2 * Gt**2},
    conclude=Found("mean", "one", "size", PERIOD.name),
)

CLAIM: Final = as_claim(THEOREM)
