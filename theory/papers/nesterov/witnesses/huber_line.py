"""What no bound can be below: Huber's function on whose line a whole run stays.

With β = 1 and ‖w_1 − w*‖ = 1 its edge, which is its slope g, is at 1/(2η(t − 1) + 1). Then w_t is
1 − ηg(t − 1), still beyond the edge, whatever the delay, and f(w_t) − f* = 1/(4η(t − 1) + 2): the
bound 1/(4η(t − 1)) of the repaired theorems, but for the 2.
"""

from fractions import Fraction

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.papers.nesterov.runs.delayed import Delayed, replay, run
from theory.papers.rpd.witnesses.exact_runs import require


def attained(tau: int, eta: Fraction, t: int) -> Fraction:
    """f(w_t) − f* by an exact run, both methods of the falsifier and the formula agreeing.

    Parameters
    ----------
    tau : int
        Delay.
    eta : Fraction
        Stepsize, in units of 1/β.
    t : int
        Iteration, at least 2.

    Returns
    -------
    Fraction
        In units of β‖w_1 − w*‖².

    Examples
    --------
    >>> [str(attained(1, Fraction(1, 4), t)) for t in (2, 3, 40)]
    ['1/3', '1/4', '1/41']
    """
    edge = 1 / (2 * eta * (t - 1) + 1)
    problem = Problem("huber", ((huber(1, edge),),), (Fraction(1),), (0,))
    method = Delayed(eta, tau, Fraction(1))
    found, again = (one(problem, method, t - 1).points[-1] for one in (run, replay))
    height = Fraction(problem.value(found)) - Fraction(problem.value((Fraction(0),)))
    formula = 1 / (4 * eta * (t - 1) + 2)
    require(
        found == again and height == formula,
        "a run on Huber's line",
        run=height,
        again=again,
        formula=formula,
    )
    return height
