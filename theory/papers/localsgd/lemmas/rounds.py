"""What happens between two averages: how far replicas move from their mean.

At step t the last average is j local steps ago, j ≤ H − 1. Then all models were equal, and each has
moved by −γ times the sum of its j stochastic gradients g_r^i since.
"""

import sympy

from theory.kernel import Average, Hypothesis, Operator, Swap, eq, le
from theory.notation import Draft, vectors
from theory.papers.localsgd.method import AVG, averages, away
from theory.papers.rpd.symbols import Gt, H, gamma

j = sympy.Symbol("j", integer=True, nonnegative=True)
"""Local steps since the last average, at whatever step is looked at: every t has its own j."""

earlier, mean_earlier = vectors("g_r^i ḡ^i")
"""The stochastic gradient of replica r in step i since the last average; its mean over replicas."""

STEPS = Average("steps", ("g_r^i", "ḡ^i"), over="local step")
"""The mean over the j steps since the last average."""

_RANDOM = (
    *("x̄", "f(x̄)", "∇f(x̄)", "h", "d_r", "V", "u_r", "ū", "g_r^i", "ḡ^i", "ξ_r", "ξ̄"),
    *("f_r(x_r)", "∇f_r(x_r)", "f_r(x̄)", "∇f_r(x̄)"),
    *("f(x̄⁺)", "∇f(x̄⁺)", "f_r(x̄⁺)", "∇f_r(x̄⁺)"),
)
E = Operator("E", _RANDOM, over="sample", law="run")
"""Expectation over everything."""

EXCESS = earlier - mean_earlier

MOMENTS = Hypothesis(
    "second moments",
    "stochastic gradients have second moment at most G̃²",
    le(E.of(earlier**2), Gt**2),
)
PERIOD = Hypothesis(
    "period",
    "replicas are averaged after every H local steps, so j ≤ H − 1 at every step t, whose own "
    "count j stands for; what is concluded for all t does not depend on it",
    le(j, H - 1),
)


def since_average(T: Draft) -> None:
    """Assume what a round is, and bound what it moves one replica (Cauchy–Schwarz)."""
    T.assume(
        eq(away**2, -gamma * j * STEPS.of(EXCESS @ away)),
        "since the average",
        "all replicas start at one point and are set to x̄ by every average, so x_r − x̄ is −γ times "
        "the sum of the g_r^i − ḡ^i of the j steps since",
    )
    T.assume(
        averages(
            "mean gradient", "ḡ^i is the mean of the g_r^i", earlier, mean_earlier, mean_earlier
        )
    )
    T.assume(MOMENTS)
    T.assume(PERIOD)
    T.have(le(0, (away + gamma * j * EXCESS) ** 2))
    T.have(
        away**2 <= gamma**2 * j**2 * STEPS.of(EXCESS**2),
        "path",
        says="‖x_r − x̄‖² is at most γ²j times the sum of the ‖g_r^i − ḡ^i‖² (Cauchy–Schwarz)",
    )


def size(T: Draft) -> None:
    """Bound the mean of all ‖g_r^i‖², in whatever order means are taken."""
    T.have(
        E.of(AVG.of(earlier**2)) <= Gt**2,
        "size",
        by=Swap(f"{AVG.name}[{MOMENTS.name}]", AVG, E),
        says="the mean of all E‖g_r^i‖² is at most G̃²",
    )
