"""The repaired rate: (t − 1)(f(w_t) − f*) is bounded, for every delay.

`nesterov.iterate-step` is summed by an energy that decreases: ‖z‖² + 4η(s − 1)(f(w_s) − f*), and
what the gradients of the last τ iterations still may cost. `nesterov.iterate-start` bounds it
where it begins.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    ClosedSum,
    Combine,
    Everywhere,
    Hypothesis,
    Induction,
    Step,
    Telescope,
    Theorem,
    eq,
    le,
    square,
)
from theory.kernel.vectors import Scalar
from theory.papers.nesterov.lemmas import gradient_window, iterate_start, iterate_step
from theory.papers.nesterov.lemmas.gradient_window import j
from theory.papers.nesterov.lemmas.iterate_start import SECOND, STEPSIZE
from theory.papers.nesterov.lemmas.iterate_step import (
    AFTER_FIRST,
    AFTER_LAST,
    AHEAD,
    RUN,
    WINDOW,
    N,
    S,
    energy,
)
from theory.papers.nesterov.lemmas.repaired_start import FIRST, LATE, ONWARD, START
from theory.papers.nesterov.lemmas.repaired_step import COUNT, F_STAR, STAR, F, Q, V, k
from theory.papers.nesterov.symbols import R, beta, eta, tau

K: Final = sympy.Symbol("K", integer=True, nonnegative=True)
"""t − 2."""
L: Final = sympy.Function("L", real=True)
_SEEN: Final = {"z_first": AFTER_FIRST, "z_last": AFTER_LAST, "g": AHEAD.gradient}


def _sum(form: Scalar) -> Scalar:
    return sympy.Sum(form, (j, 0, tau - 1))


def _whole(at: Scalar) -> Scalar:
    """The energy with what the windows hold."""
    return energy(at) + 4 * eta**2 * (_sum(j * S(at + j)) + beta * eta * _sum(S(at + j)))


_SIZE = square(FIRST.gradient)

ENERGY: Final = Hypothesis("energy", "L is short for the energy", eq(L(k), _whole(k)))
WINDOWS: Final = (
    *gradient_window.along(_SEEN),
    Hypothesis(
        "window sizes",
        "the gradients from z_{s+1} to z_{s+τ+1} are ḡ_{s+1}, …, ḡ_{s+τ}",
        eq(Q(k), _sum(S(k + 1 + j))),
    ),
    Hypothesis("seen late", "ḡ_{s+τ} is g_s", eq(S(k + tau), N(k))),
)
BEGINNING: Final = (
    Hypothesis("count from", "k begins at 0", eq(COUNT(0), 0)),
    Hypothesis("first value", "w_2 = w_1 − η∇f(w_1)", eq(F(0), SECOND.value)),
    Hypothesis("first z", "z_{τ+2} has seen ∇f(w_1) alone", eq(V(0), square(ONWARD))),
    Hypothesis("first sizes", "ḡ_2, …, ḡ_{τ+1} are ∇f(w_1)", eq(_sum(S(j)), tau * _SIZE)),
    Hypothesis(
        "first sizes, weighted",
        "the same, each counted by its place",
        eq(_sum(j * S(j)), tau * (tau - 1) / 2 * _SIZE),
    ),
)
_LAST = 1 / (4 * eta * (K + 1))

THEOREM: Final = Theorem(
    id="nesterov.iterate-rate",
    where="ours",
    statement=(
        "For τ ≥ 1 and (4τ − 2)βη + 2β²η² ≤ 1, f(w_{K+2}) − f* ≤ ‖w_1 − w*‖²/(4η(K + 1)) for every "
        "K ≥ 0."
    ),
    latex=r"f(w_{K+2}) - f^* \le \tfrac{1}{4\eta(K+1)}\|w_1 - w^*\|^2",
    symbols=(beta, eta, tau, R, F_STAR, K),
    scalars=iterate_step.THEOREM.scalars,
    vectors=(gradient_window.MOVE, *iterate_step.THEOREM.vectors),
    points=(
        *iterate_step.THEOREM.points,
        gradient_window.PLACE,
        gradient_window.FURTHER,
        *(one for one in iterate_start.THEOREM.points if one != STAR),
    ),
    sequences={**gradient_window.sequences(AHEAD.gradient), **iterate_step.SEQUENCES},
    following=(*gradient_window.FOLLOWING, *iterate_step.FOLLOWING),
    hypotheses=(
        *RUN,
        *(one for one in START if one not in RUN),
        LATE,
        STEPSIZE,
        *WINDOWS,
        *BEGINNING,
        ENERGY,
    ),
    assumes=(gradient_window.ONE_EACH,),
    cites=(gradient_window.THEOREM, iterate_step.THEOREM, iterate_start.THEOREM),
    steps=(
        Step("window", WINDOW.relation, gradient_window.cited(_SEEN), WINDOW.says),
        Step("step", iterate_step.THEOREM.goal, Cite("nesterov.iterate-step")),
        Step("start", iterate_start.THEOREM.goal, Cite("nesterov.iterate-start")),
        Step(
            "weighted sizes move on",
            eq(_sum((j + 1) * S(k + j + 1) - j * S(k + j)), tau * S(k + tau)),
            ClosedSum(j, tau),
        ),
        Step(
            "sizes move on",
            eq(_sum(S(k + j + 1) - S(k + j)), S(k + tau) - S(k)),
            ClosedSum(j, tau),
        ),
        Step("next energy", eq(L(k + 1), _whole(k + 1)), Everywhere("energy", {k: k + 1})),
        Step(
            "decrease",
            le(L(k + 1), L(k)),
            Combine(
                {
                    "step": 1,
                    "energy": -1,
                    "next energy": 1,
                    "window sizes": 4 * eta**2,
                    "weighted sizes move on": 4 * eta**2,
                    "sizes move on": 4 * beta * eta**3,
                    "seen late": 4 * eta**2 * (tau + beta * eta),
                    "stepsize": 2 * eta / beta * N(k),
                }
            ),
            "the energy decreases; this is what bounds η",
        ),
        Step(
            "first energy",
            eq(L(0), _whole(sympy.S.Zero)),
            Everywhere("energy", {k: sympy.S.Zero}),
        ),
        Step(
            "from the start",
            le(L(0), R**2),
            Combine(
                {
                    "start": 1,
                    "first energy": 1,
                    "first z": 1,
                    "first value": 4 * eta,
                    "count from": 4 * eta * (F(0) - F_STAR),
                    "first sizes": 4 * beta * eta**3,
                    "first sizes, weighted": 4 * eta**2,
                }
            ),
        ),
        Step("bounded", le(L(K), R**2), Induction("decrease", k, K, L, "from the start")),
        Step("last energy", eq(L(K), _whole(K)), Everywhere("energy", {k: K})),
        Step("counted", eq(COUNT(K), COUNT(0) + K), Telescope("count", k, K)),
    ),
    lhs=F(K) - F_STAR,
    terms={"distance": R**2 / (4 * eta * (K + 1))},
    conclude=Combine(
        {
            "bounded": _LAST,
            "last energy": -_LAST,
            "counted": -(F(K) - F_STAR) / (K + 1),
            "count from": -(F(K) - F_STAR) / (K + 1),
        },
        plus=(
            _LAST * V(K),
            eta / (K + 1) * _sum(j * S(K + j)),
            beta * eta**2 / (K + 1) * _sum(S(K + j)),
        ),
    ),
)

CLAIM: Final = as_claim(THEOREM)
