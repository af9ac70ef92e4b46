"""What happens between two averages: how far replicas move from their mean.

At step t the last average is j local steps ago, j ≤ H − 1. Then all models were equal, and each has
moved by −γ times the sum of its j stochastic gradients g_r^i since.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel import (
    Average,
    Combine,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Swap,
    dot,
    eq,
    le,
    square,
    vector,
)
from theory.papers.localsgd.method import AVG, AWAY, averages
from theory.papers.rpd.symbols import Gt, H, gamma

j: Final = sympy.Symbol("j", integer=True, nonnegative=True)
"""Local steps since the last average, at whatever step is looked at: every t has its own j."""

EARLIER, MEAN_EARLIER = vector("g_r^i"), vector("ḡ^i")
"""The stochastic gradient of replica r in step i since the last average; its mean over replicas."""

STEPS: Final = Average("steps", ("g_r^i", "ḡ^i"), over="local step")
"""The mean over the j steps since the last average."""

_RANDOM: Final = (
    *("x̄", "f(x̄)", "∇f(x̄)", "h", "d_r", "V", "u_r", "ū", "g_r^i", "ḡ^i", "ξ_r", "ξ̄"),
    *("f_r(x_r)", "∇f_r(x_r)", "f_r(x̄)", "∇f_r(x̄)", "f(x̄⁺)", "∇f(x̄⁺)"),
)
E: Final = Operator("E", _RANDOM, over="sample", law="run")
"""Expectation over everything."""

EXCESS: Final = EARLIER - MEAN_EARLIER

SINCE_AVERAGE: Final = Hypothesis(
    "since the average",
    "all replicas start at one point and are set to x̄ by every average, so x_r − x̄ is −γ times the "
    "sum of the g_r^i − ḡ^i of the j steps since",
    eq(square(AWAY), -gamma * j * STEPS.of(dot(EXCESS, AWAY))),
)
MEAN_GRADIENT: Final = averages(
    "mean gradient", "ḡ^i is the mean of the g_r^i", EARLIER, MEAN_EARLIER, MEAN_EARLIER
)
MOMENTS: Final = Hypothesis(
    "second moments",
    "stochastic gradients have second moment at most G̃²",
    le(E.of(square(EARLIER)), Gt**2),
)
PERIOD: Final = Hypothesis(
    "period",
    "replicas are averaged after every H local steps, so j ≤ H − 1 at every step t, whose own "
    "count j stands for; what is concluded for all t does not depend on it",
    le(j, H - 1),
)
SINCE: Final = (SINCE_AVERAGE, MEAN_GRADIENT, MOMENTS, PERIOD)
VECTORS: Final = (AWAY, EARLIER, MEAN_EARLIER)


_PATH: Final = AWAY + gamma * j * EXCESS
ALL: Final = E.of(STEPS.of(AVG.of(square(EARLIER))))

PATH_STEPS: Final = (
    Step("square", le(0, square(_PATH)), Combine(squares=((1, _PATH),))),
    Step("over steps", le(0, STEPS.of(square(_PATH))), Expect("square", STEPS)),
    Step(
        "path",
        le(square(AWAY), gamma**2 * j**2 * STEPS.of(square(EXCESS))),
        Combine({"over steps": 1, "since the average": 2}),
        "‖x_r − x̄‖² is at most γ²j times the sum of the ‖g_r^i − ḡ^i‖² (Cauchy–Schwarz)",
    ),
)
SIZE_STEPS: Final = (
    Step("of one", le(AVG.of(E.of(square(EARLIER))), Gt**2), Expect("second moments", AVG)),
    Step("of all", le(E.of(AVG.of(square(EARLIER))), Gt**2), Swap("of one", AVG, E)),
    Step(
        "in all steps",
        le(STEPS.of(E.of(AVG.of(square(EARLIER)))), Gt**2),
        Expect("of all", STEPS),
    ),
    Step(
        "size",
        le(ALL, Gt**2),
        Swap("in all steps", STEPS, E),
        "the mean of all E‖g_r^i‖² is at most G̃²",
    ),
)
