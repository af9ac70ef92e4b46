"""The largest mismatch of stage i if stage 0 alone is bounded, at all durations F and B.

Problem    d stages, F and B equally long at all; stage 0 admits n minibatches, messages take no
           time. An update follows every backward.
Method     A stage that has something to do does it; straight after a forward it starts another
           one only if no backward is ready: backwards first, or kinds in turn.
Guarantee  The largest mismatch of stage i is min(n − 1, (d − 1 − i)(1 + ⌈B/F⌉)), and attained.
Source     ours, beside `amdp.mismatch`, which has every minibatch's for F = B.

Count time in forwards, B = b and c = ⌈b⌉. Let X be the forwards of stage i less those of stage
i + 1, and Y the backwards of stage i + 1 less those of stage i, parts of those under way included.

1. X − bY ≤ 1 at all times. It is 0 at first. While stage i + 1 is idle, every forward that stage i
   has finished is started, so X ≤ 1, and Y ≥ 0 ["idle"]; while it is busy, X − bY does not grow, as
   stage i does at most as much work in the same time ["busy"].
2. Let stage i start a forward when no backward is ready for it, and Q minibatches are between its
   forward and that of stage i + 1. If stage i + 1 is f < 1 into a forward, X = Q + 1 − f and Y = 0
   ["in a forward"]; else it is a part y < 1 into a backward, or idle, X = Q and Y = y ["in a
   backward"]. So Q ≤ c.
3. The mismatch of a minibatch is how many are past the start of their forward at its stage, and not
   past their backward, when its own forward starts; so it is below n. If the job before was no
   backward, it is Q and what stage i + 1 has, which is at most one more than a mismatch of that
   stage ["forward after forward"]; if it was, there were at least as many at the last forward
   ["after a backward"]. At the last stage the first is 0, and a backward is ready after every
   forward ["last stage"]. By induction on time, and from the last stage on, none is larger.
4. If m is at most as stated, F(i, m) starts at time i + m, and no backward of stage i is over then:
   the first of stage j does not start before min(j + n, d + (d − 1 − j)c). That is so at the last
   stage, at d. While stage j has forwards to do, it starts them at whole times, up to j + n, and so
   its first backward, which begins b after that of stage j + 1 at the least ["back"]; F(i, m) is
   earlier ["attained"].
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import sympy
import z3

from schedules.actions import Action, Kind
from schedules.families.pipedream import RULE
from schedules.free_running import free_run
from theory.judging import prover
from theory.laws.static_orders.symbols import term
from theory.papers.amdp.runs import replays
from theory.papers.amdp.symbols import d, i, n

c = sympy.Symbol("c", integer=True, positive=True)
"""⌈B/F⌉."""
RULES = (RULE, replace(RULE, prefer_after=dict.fromkeys(Kind, Kind.B)))
"""Kinds in turn from the first backward on; backwards first."""
SIZES = ((2, 9, 1, 3), (3, 20, 2, 3), (4, 5, 3, 1), (4, 12, 2, 5), (5, 30, 3, 4))
"""d, n, F and B of runs."""

_X, _Y, _b, _y, _f, _own_f, _own_b, _next_f, _next_b = z3.Reals("X Y b y f F_i B_i F_j B_j")
_d, _n, _i, _c, _Q, _N, _M, _m, _g = z3.Ints("d n i c Q N M m g")
_early, _late = z3.Reals("t_j t_i")
_INSIDE = (_d >= 1, _n >= 1, _c >= 1, _i >= 0)
_LENGTH = (_c - 1 < _b, _b <= _c)

WORK = (
    prover.Statement("idle", "X ≤ 1 and Y ≥ 0", (_b > 0, _X <= 1, _Y >= 0), _X - _b * _Y <= 1),
    prover.Statement(
        "busy",
        "stage i does at most as much work as stage i + 1, which is busy",
        (_X - _b * _Y <= 1, _own_f + _b * _own_b <= _next_f + _b * _next_b),
        _X + _own_f - _next_f - _b * (_Y + _next_b - _own_b) <= 1,
    ),
    prover.Statement(
        "in a forward", "Q + 1 − f ≤ 1 gives Q ≤ c", (_c >= 1, _f < 1, _Q + 1 - _f <= 1), _Q <= _c
    ),
    prover.Statement(
        "in a backward",
        "Q − by ≤ 1 gives Q ≤ c",
        (*_LENGTH, _b > 0, _y >= 0, _y < 1, _Q - _b * _y <= 1),
        _Q <= _c,
    ),
    prover.Statement(
        "back",
        "if stage i + 1 waits for its first backward until min(i + 1 + n, M), stage i, which then "
        "is in a forward or has none left, waits until min(i + n, M + c)",
        (
            *(*_LENGTH, _b > 0, _late >= _early + _b, z3.Or(_late >= _i + _n, _late == _g)),
            z3.Or(_early >= _i + 1 + _n, _early >= _M),
        ),
        z3.Or(_late >= _i + _n, _late >= _M + _c),
    ),
)


def _bounded(most: sympy.Expr) -> Iterator[prover.Statement]:
    """That nothing is larger than stated, and that it is attained."""

    def at(stage: z3.ArithRef) -> z3.ArithRef:
        return term(most, {d: _d, n: _n, i: stage, c: _c})

    behind = (*_INSIDE, _i <= _d - 2)
    yield prover.Statement(
        "forward after forward",
        "N = Q + M < n with Q ≤ c, and M at most one more than stated at stage i + 1",
        (*behind, _N == _Q + _M, _N <= _n - 1, _Q <= _c, _M <= 1 + at(_i + 1)),
        _N <= at(_i),
    )
    yield prover.Statement(
        "after a backward",
        "one more forward and at least one backward since a mismatch of M",
        (*_INSIDE, _i <= _d - 1, _M <= at(_i), _N <= _M + 1 - _m, _m >= 1),
        _N <= at(_i),
    )
    yield prover.Statement("last stage", "0 is as stated", (*_INSIDE, _i == _d - 1), at(_i) == 0)
    first = _d + (_d - 1 - _i) * _c
    yield prover.Statement(
        "attained",
        "F(i, m) starts before the first backward of the stage, for the largest m stated",
        (*_INSIDE, _i <= _d - 1, _m == at(_i), z3.Or(_late >= _i + _n, _late >= first)),
        _i + _m < _late,
    )


def _time(takes: dict[Kind, int], action: Action) -> int:
    return takes[action.kind]


def as_stated(most: sympy.Expr) -> bool:
    """Whether the largest mismatch of every stage is so in runs of 5n minibatches.

    Examples
    --------
    >>> as_stated(sympy.Min(n - 1, (d - 1 - i) * (1 + c)))
    True
    """
    for rule in RULES:
        for p, admitted, forward, back in SIZES:
            takes = {Kind.F: forward, Kind.B: back}
            run = free_run(rule, p, 5 * admitted, admitted, partial(_time, takes))
            at = {d: p, n: admitted, c: -(-back // forward)}
            for stage in range(p):
                found = max(replays.by_order(run.schedule, stage).values())
                if found != most.subs({**at, i: stage}):
                    return False
    return True


def _grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    most = formulas["mismatch"]
    yield from prover.in_turn((*WORK, *_bounded(most)))
    says = "the largest mismatch of every stage of exact runs, kinds in turn and backwards first"
    yield prover.Compared(says, f"{__name__}.as_stated", as_stated(most))


CLAIM = prover.row(
    "amdp.free-mismatch",
    "ours",
    "If stage 0 alone is bounded, by n, and stages run freely with backwards first or kinds in "
    "turn, the largest mismatch of stage i is min(n − 1, (d − 1 − i)(1 + ⌈B/F⌉)), for all d, n, F "
    "and B.",
    r"\max_m \mathrm{mismatch}(i, m) = \min(n - 1, (d - 1 - i)(1 + \lceil B/F \rceil))",
    {"mismatch": sympy.Min(n - 1, (d - 1 - i) * (1 + c))},
    _grounds,
    assumes=(
        "an update follows every backward of the pipeline, and nothing else updates its weights",
        "F takes equally long at all stages, and so does B; messages take no time",
        "at least n minibatches come",
    ),
    origin="ours",
)
