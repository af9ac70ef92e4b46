"""Drift between averages, in the mean over replicas: no factor 4, and H − 1 steps instead of H."""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Found, Step, Swap, Theorem, eq, le, square
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
from theory.papers.localsgd.method import AVG, AWAY, SPREAD, SPREAD_IS
from theory.papers.localsgd.runs.challenges import CHALLENGES
from theory.papers.rpd.symbols import Gt, H, gamma

_REACH = gamma**2 * j**2
_AWAY = AVG.of(square(AWAY))

THEOREM: Final = Theorem(
    id="localsgd.sharp-drift",
    where="ours",
    statement=(
        "The mean over replicas of E‖x_r − x̄‖² is at most γ²(H − 1)²G̃² at every local step of "
        "LocalSGD, for every stepsize and every number of replicas."
    ),
    latex=r"\tfrac1N\sum_r \mathbb{E}\|x_r - \bar x\|^2 \le \gamma^2 (H-1)^2 \tilde G^2",
    symbols=(gamma, H, Gt, j),
    scalars=(SPREAD,),
    vectors=VECTORS,
    hypotheses=(*SINCE, SPREAD_IS),
    steps=(
        *PATH_STEPS,
        Step(
            "over replicas",
            le(_AWAY, _REACH * AVG.of(STEPS.of(square(EXCESS)))),
            Expect("path", AVG),
        ),
        Step(
            "by step",
            le(_AWAY, _REACH * STEPS.of(AVG.of(square(EXCESS)))),
            Swap("over replicas", AVG, STEPS),
        ),
        Step(
            "less than the whole",
            le(AVG.of(square(EXCESS)), AVG.of(square(EARLIER))),
            Combine({"mean gradient": -2}, squares=((1, MEAN_EARLIER),)),
            "the mean of ‖g_r − ḡ‖² is that of ‖g_r‖², less ‖ḡ‖²",
        ),
        Step(
            "in every step",
            le(STEPS.of(AVG.of(square(EXCESS))), STEPS.of(AVG.of(square(EARLIER)))),
            Expect("less than the whole", STEPS),
        ),
        Step(
            "on every path",
            le(_AWAY, _REACH * STEPS.of(AVG.of(square(EARLIER)))),
            Combine({"by step": 1, "in every step": _REACH}),
        ),
        Step("mean", le(E.of(_AWAY), _REACH * ALL), Expect("on every path", E)),
        *SIZE_STEPS,
        Step("expected spread", eq(E.of(SPREAD), E.of(_AWAY)), Expect("spread", E)),
    ),
    lhs=E.of(SPREAD),
    terms={"drift": gamma**2 * (H - 1) ** 2 * Gt**2},
    conclude=Found("mean", "size", "expected spread", PERIOD.name),
)

CLAIM: Final = as_claim(THEOREM, challenge=CHALLENGES["localsgd-drift"])
