"""Runs of the delayed method on a parabola that turn back for ever; τ = 1 and η = a/β, 1 ≤ a ≤ 2.

Units: f(w) = w²/2, so that ḡ_t = y_t = w_{t−1} + d_{t−1}; v_t = w_{t+1} − w_t and
M_t = t(t − 1)v_t. Call t − 1 a departure if v_{t−1} > 0 > y_{t−1}, or both the other way round.
That the run turns after every departure, and departs again, is said in `arguments`, "turning for
ever".
"""

from fractions import Fraction

import z3

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import quadratic
from theory.papers.nesterov.runs.delayed import Delayed, momentum, replay, run
from theory.papers.rpd.witnesses.exact_runs import require
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide

_t, _n, _m, _M, _gap = z3.Reals("t n m M gap")
_w, _v, _y, _a = z3.Reals("w v y a")
_v1, _y1, _w1, _d1 = z3.Reals("v_last y_last w_last d_last")

_READ = (_t - 1) * _y == (_t - 1) * _w + 2 * _a * _y1
_MOVE = _t * _v == (_t - 2) * _v1 - 2 * _a * _y

LEMMAS = (
    Statement(
        "read",
        "y_t = w_t + 2a/(t − 1)·y_{t−1}, from y_t = w_{t−1} + d_{t−1} and the step before",
        (_y == _w1 + _d1, (_t - 1) * (_w - _w1 - _d1) == -2 * _a * _y1),
        _READ,
    ),
    Statement(
        "below",
        "y_{t−1} < 0 gives y_t ≤ w_t",
        (_t >= 3, _a >= 1, _y1 < 0, _READ),
        _y <= _w,
    ),
    Statement(
        "way",
        "while M_n ≥ M, w_n − w_t ≥ M(1/(t − 1) − 1/(n − 1)): the step from n to n + 1",
        (
            _t >= 3,
            _n >= _t,
            _gap * (_t - 1) * (_n - 1) >= _M * (_n - _t),
            _n * (_n - 1) * _v >= _M,
        ),
        (_gap + _v) * (_t - 1) * _n >= _M * (_n + 1 - _t),
    ),
    Statement(
        "crosses",
        "M_{t−1} > 0 and y_t ≤ w_t < 0 give w_n > 0 for n = 2t − 1",
        (
            _t >= 3,
            _a >= 1,
            _n == 2 * _t - 1,
            (_t - 1) * (_t - 2) * _v1 > 0,
            _M + 2 * _a * (_t - 1) * _y == (_t - 1) * (_t - 2) * _v1,
            _y <= _w,
            _w < 0,
            _gap * (_t - 1) * (_n - 1) >= _M * (_n - _t),
        ),
        _w + _gap > 0,
    ),
    Statement(
        "shrinks",
        "w_t ≥ m > 0 and y_{t−1} < −m give y_t > y_{t−1}/2, for t ≥ 9",
        (_t >= 9, _a <= 2, _m > 0, _w >= _m, _y1 < -_m, _READ),
        2 * _y > _y1,
    ),
    Statement(
        "stays",
        "w_t ≥ m > 0 and y_{t−1} ≥ −m give y_t ≥ m/2, for t ≥ 9",
        (_t >= 9, _a >= 1, _a <= 2, _m > 0, _w >= _m, _y1 >= -_m, _READ),
        2 * _y >= _m,
    ),
    Statement(
        "falls",
        "y_t ≥ m/2 > 0 gives M_t ≤ M_{t−1} − (t − 1)m",
        (_t >= 3, _a >= 1, _m > 0, 2 * _y >= _m, _MOVE),
        _t * (_t - 1) * _v <= (_t - 1) * (_t - 2) * _v1 - (_t - 1) * _m,
    ),
    Statement(
        "turned",
        "v_t ≤ 0 < v_{t−1} gives y_t > 0, and w_t ≥ 0 since else y_t ≤ w_t",
        (_t >= 3, _a >= 1, _v1 > 0, _v <= 0, _MOVE, z3.Implies(_w < 0, _y <= _w)),
        z3.And(_y > 0, _w >= 0),
    ),
    Statement(
        "rests",
        "v_{t−1} = 0, y_{t−1} > 0 and w_t ≥ 0 give v_t < 0 < y_t",
        (_t >= 3, _a >= 1, _v1 == 0, _y1 > 0, _w >= 0, _READ, _MOVE),
        z3.And(_v < 0, _y > 0),
    ),
    Statement(
        "linear",
        "−1 is the coefficient of a in every v_t/w_1: t·c_t = (t − 2)c_{t−1} − 2, y_t/w_1 being "
        "1 + …",
        (_t >= 2, _v1 == -1, _t * _v == (_t - 2) * _v1 - 2),
        _v == -1,
    ),
)

START = Fraction(1)
"""w_1; v_2 = −a and y_2 = 1, a departure."""


@remembered
def decided() -> tuple[Outcome, ...]:
    """What z3 says of each lemma."""
    return tuple(decide(lemma) for lemma in LEMMAS)


def departs(until: int = 10) -> bool:
    """Whether the run has a departure at t = 2, by both methods of the falsifier."""
    problem, method = _setting(1)
    found = run(problem, method, until)
    require(found == replay(problem, method, until), "nesterov.prop-1", t=until)
    ((_,), (before,), (after,)), (read,) = found.points[:3], found.read[1]
    return bool((after - before) * read < 0)


def cosines(tau: int, until: int) -> dict[int, int | None]:
    """cos(Δ_t, d̄_t) for τ + 3 ≤ t ≤ until on an exact run; on a line ±1, or None if there is none.

    Examples
    --------
    >>> cosines(1, 6)
    {4: 1, 5: -1, 6: 1}
    """
    problem, method = _setting(tau)
    points = [w for (w,) in run(problem, method, until).points]
    found: dict[int, int | None] = {}
    for t in range(tau + 3, until + 1):
        now, then = points[t - 1], points[t - 1 - tau]
        product = (now - then) * momentum(t - tau) * (then - points[t - 2 - tau])
        found[t] = (1 if product > 0 else -1) if product else None
    return found


def _setting(tau: int) -> tuple[Problem, Delayed]:
    problem = Problem("parabola", ((quadratic(1),),), (START,), (0,))
    return problem, Delayed(Fraction(1), tau, Fraction(1))
