"""Drift of replicas that share one function, as in the paper: less by the factor 1 − 1/N.

Replicas that start a round at one point, move by draws of one law and do so independently have
displacements that are independent and alike; their mean keeps 1/N of their second moment at least.
"""

from __future__ import annotations

from typing import Final

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Expect,
    Found,
    Hypothesis,
    Step,
    Swap,
    Theorem,
    dot,
    eq,
    ge,
    le,
    square,
    vector,
)
from theory.papers.localsgd.lemmas.rounds import EARLIER, MOMENTS, PERIOD, STEPS, E, j
from theory.papers.localsgd.method import AVG, SPREAD, averages
from theory.papers.localsgd.witnesses.replays import alike, beside
from theory.papers.rpd.symbols import Gt, H, N, gamma

MOVED, MEAN_MOVED = vector("u_r"), vector("ū")
"""x_r less the point from which all replicas started the round; the mean of that over replicas."""

_REACH = gamma**2 * j**2
_PATH = MOVED + gamma * j * EARLIER
_TOGETHER = dot(MOVED, N * MEAN_MOVED - MOVED)

THEOREM: Final = Theorem(
    id="localsgd.homogeneous-drift",
    where="ours",
    statement=(
        "Where all replicas share one function, as in the paper, the mean over replicas of "
        "E‖x_r − x̄‖² is at most (1 − 1/N)γ²(H − 1)²G̃² at every local step of LocalSGD."
    ),
    latex=(
        r"\tfrac1N\sum_r \mathbb{E}\|x_r - \bar x\|^2 \le "
        r"\bigl(1 - \tfrac1N\bigr)\gamma^2 (H-1)^2 \tilde G^2"
    ),
    symbols=(N, gamma, H, Gt, j),
    scalars=(SPREAD,),
    vectors=(MOVED, MEAN_MOVED, EARLIER),
    hypotheses=(
        Hypothesis(
            "spread of moves",
            "V is the mean over replicas of ‖x_r − x̄‖², and x_r − x̄ = u_r − ū",
            eq(SPREAD, AVG.of(square(MOVED - MEAN_MOVED))),
        ),
        averages("mean move", "ū is the mean of the u_r", MOVED, MEAN_MOVED, MEAN_MOVED),
        Hypothesis(
            "alike",
            "replicas draw by one law, and independently over the whole round, not only step by "
            "step; so given where it starts the moves u_r of a round are uncorrelated and have one "
            "mean v: the inner product of u_r with the sum of the others is (N − 1)‖v‖² on average",
            ge(E.of(_TOGETHER), 0),
        ),
        Hypothesis(
            "since the average",
            "u_r is −γ times the sum of the g_r^i of the j steps since the last average",
            eq(square(MOVED), -gamma * j * STEPS.of(dot(EARLIER, MOVED))),
        ),
        MOMENTS,
        PERIOD,
    ),
    steps=(
        Step("square", le(0, square(_PATH)), Combine(squares=((1, _PATH),))),
        Step("over steps", le(0, STEPS.of(square(_PATH))), Expect("square", STEPS)),
        Step(
            "path",
            le(square(MOVED), _REACH * STEPS.of(square(EARLIER))),
            Combine({"over steps": 1, "since the average": 2}),
            "‖u_r‖² is at most γ²j times the sum of the ‖g_r^i‖² (Cauchy–Schwarz)",
        ),
        Step(
            "mean",
            le(E.of(square(MOVED)), _REACH * E.of(STEPS.of(square(EARLIER)))),
            Expect("path", E),
        ),
        Step(
            "in all steps",
            le(STEPS.of(E.of(square(EARLIER))), Gt**2),
            Expect("second moments", STEPS),
        ),
        Step("size", le(E.of(STEPS.of(square(EARLIER))), Gt**2), Swap("in all steps", STEPS, E)),
        Step("one", le(E.of(square(MOVED)), _REACH * Gt**2), Combine({"mean": 1, "size": _REACH})),
        Step("each", le(AVG.of(E.of(square(MOVED))), _REACH * Gt**2), Expect("one", AVG)),
        Step("all", le(E.of(AVG.of(square(MOVED))), _REACH * Gt**2), Swap("each", AVG, E)),
        Step("each with others", ge(AVG.of(E.of(_TOGETHER)), 0), Expect("alike", AVG)),
        Step(
            "together",
            ge(E.of(AVG.of(_TOGETHER)), 0),
            Swap("each with others", AVG, E),
            "E‖ū‖² is at least 1/N times the mean of the E‖u_r‖²",
        ),
        Step(
            "expected mean move",
            eq(E.of(AVG.of(dot(MOVED, MEAN_MOVED))), E.of(square(MEAN_MOVED))),
            Expect("mean move", E),
        ),
        Step(
            "expected spread",
            eq(E.of(SPREAD), E.of(AVG.of(square(MOVED - MEAN_MOVED)))),
            Expect("spread of moves", E),
        ),
    ),
    lhs=E.of(SPREAD),
    terms={"drift": (1 - 1 / N) * gamma**2 * (H - 1) ** 2 * Gt**2},
    conclude=Found("expected spread", "expected mean move", "together", "all", PERIOD.name),
)

CLAIM: Final = beside(as_claim(THEOREM), alike)
