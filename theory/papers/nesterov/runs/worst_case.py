"""Worst cases of Nesterov's method with a fixed delay, as semidefinite programs (PEPit).

The worst convex β-smooth function with a minimizer, in any number of dimensions, for a run from
‖w_1 − w*‖ ≤ R at rest. β = R = 1. Floating point: evidence, never a proof.
"""

from __future__ import annotations

from fractions import Fraction

from theory.ledger import Evidence
from theory.papers.nesterov.runs.delayed import momentum
from theory.tightness.worst_case import SOLVER, TOLERANCE, available, require, solved, versions


def worst_gap(t: int, tau: int, eta: Fraction) -> float:
    """Largest f(w_t) − f*.

    Parameters
    ----------
    t : int
        From 2 on; w_1 is the start.
    tau : int
    eta : Fraction
        In units of 1/β.

    Raises
    ------
    MissingProgramError, UnsolvedError
    """
    require()
    from PEPit import PEP
    from PEPit.functions import SmoothConvexFunction

    program = PEP()
    f = program.declare_function(SmoothConvexFunction, L=1.0)
    lowest, point = f.stationary_point(), program.set_initial_point()
    program.set_initial_condition((point - lowest) ** 2 <= 1.0)
    points, ahead = [point], [point]
    for k in range(1, t):
        slope = f.gradient(ahead[max(k - tau, 1) - 1])
        step = float(eta * (1 - momentum(k)))
        points.append(ahead[-1] - step * slope)
        ahead.append(points[-1] + float(momentum(k + 1)) * (points[-1] - points[-2]))
    program.set_performance_metric(f.value(points[-1]) - f.value(lowest))
    return solved(program)


def extremal_gap(t: int, eta: Fraction) -> Fraction:
    """1/(4η(t−1) + 2): f(w_t) − f* of Huber's function on whose line the whole run stays.

    Any delay; of all slopes the best one.

    Examples
    --------
    >>> extremal_gap(2, Fraction(1))
    Fraction(1, 6)
    """
    return 1 / (4 * eta * (t - 1) + 2)


def one_delay_evidence(last: int = 16) -> Evidence | None:
    """Whether t(f(w_t) − f*) looks bounded at τ = 1 and η = 1/β; None without the extra."""
    if not available():
        return None
    values = {t: t * worst_gap(t, 1, Fraction(1)) for t in range(2, last + 1)}
    return Evidence(
        "neither",
        f"worst cases at τ = 1 and η = 1/β ({SOLVER}, floating point, no proof): "
        f"t(f(w_t) − f*)/(β‖w_1 − w*‖²) is at most {max(values.values()):.3f} for t ≤ {last}",
        {
            "solver": SOLVER,
            "tolerance": TOLERANCE,
            "versions": versions(),
            "rows": [{"t": t, "worst": round(value, 3)} for t, value in values.items()],
        },
    )
