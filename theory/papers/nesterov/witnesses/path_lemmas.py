"""What every run of the delayed method on Huber's function does, for all t, τ ≥ 2 and stepsizes.

Units and names are those of `energy`; g_t = h'(y_t), so that |g_t| ≤ 1, and k = τ − 1. Each lemma
is about a few real numbers and is decided by z3. Those about sums are steps of inductions on the
number of summands.
"""

from typing import Any

import z3

from theory.papers.nesterov.witnesses.energy import FLOOR, LATE, NEAR
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, decide

_t, _s, _k, _c, _tau = z3.Reals("t s k c tau")
_A, _then, _before, _g, _w = z3.Reals("A A_then A_before g w")
_term, _sum, _bound, _n = z3.Reals("term sum bound n")
_y, _e, _E, _T0, _h, _v, _root = z3.Reals("y e E T0 h v root")
_pull = z3.Real("step_s")


def _within(form: Term, bound: Term) -> Term:
    """|form| ≤ bound."""
    return z3.And(form <= bound, -form <= bound)


def _number(rational: Any) -> Term:
    return z3.RealVal(str(rational))


_STEP = _t * _then == (_t - 2) * _A - 2 * _g
"""A_t = (1 − 2/t) A_{t−1} − (2/t) g_t."""

STEPS = Statement(
    "steps",
    "|A_t| ≤ 1 follows from |A_{t−1}| ≤ 1, for t ≥ 2: no step is longer than η times the slope",
    (_t >= 2, _within(_A, 1), _within(_g, 1), _STEP),
    _within(_then, 1),
)
CHANGES = Statement(
    "changes",
    "|A_t − A_{t−1}| ≤ 4/t",
    (_within(_A, 1), _within(_g, 1), _STEP),
    _within(_t * (_then - _A), 4),
)
DRIFT = Statement(
    "drift",
    "if A changes by at most θ an iteration, it is at most nθ away after n: the step of induction",
    (_within(_term, _n * _bound), _within(_then - _term, _bound)),
    _within(_then, (_n + 1) * _bound),
)
SUMS = Statement(
    "sums",
    "and the sum of n such distances, from 0 to (n − 1)θ, is at most n(n − 1)θ/2: the step",
    (
        _within(2 * _sum, _n * (_n - 1) * _bound),
        _within(_term, _n * _bound),
    ),
    _within(2 * (_sum + _term), (_n + 1) * _n * _bound),
)
LOOK_AHEAD = Statement(
    "look-ahead",
    "with s = t − τ: y_t = w_{s+1} + (2c/s)g_s = w_t − κA_{t−1} + e_t with |e_t| ≤ 2κk/s",
    (
        _k >= 1,
        _c > 0,
        _within(_g, 1),
        _within(_s * _sum, 2 * _k * (_k - 1)),  # of A_{t−j} − A_{t−1}, j ≤ k, with θ = 4/s
        _s * _pull == 2 * _c * _g,
        _y == _w - _c * (_k * _A + _sum) + _pull,
    ),
    _within(_s * (_y - _w + _c * _k * _A), 2 * _c * _k * _k),
)
RETURN = Statement(
    "return",
    "if |y_t| ≥ 1, then |w − cτA| ≥ 9/10 for w = w_{t+1} and A = A_t, once t − τ ≥ 60κk",
    (
        _k >= 1,
        _c > 0,
        _s >= 60 * _c * _k * _k,
        _within(_s * (_A - _before), 4),
        _within(_s * _e, 2 * _c * _k * _k),
        _y == (_w - _c * _A) - _c * _k * _before + _e,
        z3.Or(_y >= 1, _y <= -1),
    ),
    z3.Not(
        z3.And(_w - _c * (_k + 1) * _A < _number(NEAR), _w - _c * (_k + 1) * _A > -_number(NEAR))
    ),
)
ERRORS = Statement(
    "errors",
    "|e_t| ≤ 2κk/(t − τ) and E_t ≥ FLOOR·T₀/t give e_t² ≤ b·E_t/t",
    (
        _t >= _T0,
        _T0 >= 1,
        _t <= _number(LATE) * _s,
        _s * _s * _e * _e <= _bound,  # (2κk)²
        _t * _E >= _number(FLOOR) * _T0,
    ),
    _number(FLOOR) * _T0 * _e * _e * _t <= _number(LATE**2) * _bound * _E,
)
QUIET = Statement(
    "quiet",
    "if |w_s| ≤ h from some s on, then |v_t| ≤ 2h, |y_t| ≤ 3h and t|v_t − v_{t−1}| ≤ (4 + 6c)h",
    (
        _c > 0,
        _within(_v, 2 * _h),
        _within(_w, _h),
        _n >= 0,
        _n <= 1,  # a momentum
        _within(_before, 2 * _h),
        _y == _w + _n * _before,
        _t * _then == (_t - 2) * _v - 2 * _c * _y,
    ),
    z3.And(_within(_y, 3 * _h), _within(_t * (_then - _v), (4 + 6 * _c) * _h)),
)
STILL = Statement(
    "still",
    "n|v| ≤ 2h + n(n − 1)θ/2 with θ = (4 + 6c)h/t and n = ⌈√t⌉ gives √t|v| ≤ (4 + 3c)h",
    (
        _c > 0,
        _v >= 0,
        _root >= 1,
        _root * _root == _t,
        _n >= _root,
        _n - 1 < _root,
        _n * _v * _t <= 2 * _h * _t + _n * (_n - 1) * (2 + 3 * _c) * _h,
    ),
    _root * _v <= (4 + 3 * _c) * _h,
)

LEMMAS = (STEPS, CHANGES, DRIFT, SUMS, LOOK_AHEAD, RETURN, ERRORS, QUIET, STILL)


@remembered
def decided() -> tuple[Outcome, ...]:
    """What z3 says of each lemma."""
    return tuple(decide(lemma) for lemma in LEMMAS)
