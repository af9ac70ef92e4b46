"""The repaired bound by look-aheads: s(f(x_s) − f*) is bounded for every s ≥ 1, x_s = w_s + d_s.

`nesterov.repaired-step` is summed by an energy that decreases: ‖z‖² + 4η(s − 1)(f(x_{s−1}) − f*),
and what the gradients of the last τ iterations still may cost. `nesterov.repaired-start` bounds it
where it begins. S(j) is ‖∇f‖² at the look-aheads in order, those before x_1 being x_1: ‖g_s‖² is
S(k + τ) for s = k + 2.
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
from theory.papers.nesterov.lemmas import gradient_window, repaired_start, repaired_step
from theory.papers.nesterov.lemmas.gradient_window import j
from theory.papers.nesterov.lemmas.repaired_start import FIRST, LATE, ONWARD, START, STEPSIZE, a
from theory.papers.nesterov.lemmas.repaired_step import (
    AFTER_FIRST,
    AFTER_LAST,
    CH,
    COUNT,
    F_STAR,
    NEXT,
    OC,
    RUN,
    WEIGHT,
    WINDOW,
    F,
    N,
    Q,
    V,
    energy,
    k,
)
from theory.papers.nesterov.symbols import R, beta, eta, tau

K: Final = sympy.Symbol("K", integer=True, nonnegative=True)
"""s − 1."""
L: Final = sympy.Function("L", real=True)
S: Final = sympy.Function("S", nonnegative=True)

_SEEN: Final = {"z_first": AFTER_FIRST, "z_last": AFTER_LAST, "g": NEXT.gradient}
_YOUNG: Final = {WEIGHT: a}
_STEP: Final = Cite("nesterov.repaired-step", scalars=_YOUNG, domain=("delay",))


def _sum(form: Scalar) -> Scalar:
    return sympy.Sum(form, (j, 0, tau - 1))


def _whole(at: Scalar) -> Scalar:
    """The energy with what the windows hold."""
    return energy(at) + 4 * eta**2 * (_sum(j * S(at + j)) + a * _sum(OC(at + j)))


_SIZE = square(FIRST.gradient)

ENERGY: Final = Hypothesis("energy", "L is short for the energy", eq(L(k), _whole(k)))
WINDOWS: Final = (
    *gradient_window.along(_SEEN),
    Hypothesis(
        "window sizes",
        "the gradients from z_{s+1} to z_{s+τ+1} are g_{s−τ+1}, …, g_s",
        eq(Q(k), _sum(S(k + 1 + j))),
    ),
    Hypothesis("newest", "S holds ‖g_s‖² τ places on", eq(S(k + tau), N(k + 1))),
    Hypothesis("handed on", "τ iterations later a change is the old one", eq(OC(k + tau), CH(k))),
)
BEGINNING: Final = (
    Hypothesis("count from", "k begins at 0", eq(COUNT(0), 0)),
    Hypothesis("first value", "x_1 = w_1", eq(F(0), FIRST.value)),
    Hypothesis("first z", "z_{τ+2} has seen ∇f(w_1) alone", eq(V(0), square(ONWARD))),
    Hypothesis(
        "first sizes",
        "gradients before x_1 are ∇f(w_1)",
        eq(_sum(j * S(j)), tau * (tau - 1) / 2 * _SIZE),
    ),
    Hypothesis(
        "first changes",
        "they do not change, but that ḡ_1 counts half",
        eq(_sum(OC(j)), _SIZE / 4),
    ),
)

THEOREM: Final = Theorem(
    id="nesterov.repaired-look-ahead",
    where="ours",
    statement=(
        "For τ ≥ 1 and η ≤ a/(2(a² + 1)β), a = 2τ − 1, f(x_s) − f* ≤ ‖w_1 − w*‖²/(4ηs) at every "
        "look-ahead x_s = w_s + d_s, s = K + 1 ≥ 1."
    ),
    latex=r"f(w_s + d_s) - f^* \le \tfrac{1}{4\eta s}\|w_1 - w^*\|^2",
    symbols=(beta, eta, tau, R, F_STAR, K),
    scalars=repaired_step.THEOREM.scalars,
    vectors=(gradient_window.MOVE, *repaired_step.THEOREM.vectors),
    points=(
        *repaired_step.THEOREM.points,
        gradient_window.PLACE,
        gradient_window.FURTHER,
        *(one for one in repaired_start.THEOREM.points if one != repaired_step.STAR),
    ),
    sequences={**gradient_window.sequences(NEXT.gradient), **repaired_step.SEQUENCES},
    following=(*gradient_window.FOLLOWING, *repaired_step.FOLLOWING),
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
    cites=(gradient_window.THEOREM, repaired_step.THEOREM, repaired_start.THEOREM),
    steps=(
        Step("window", WINDOW.relation, gradient_window.cited(_SEEN), WINDOW.says),
        Step("step", repaired_step.THEOREM.goal.replaced(_YOUNG), _STEP),
        Step("start", repaired_start.THEOREM.goal, Cite("nesterov.repaired-start")),
        Step(
            "sizes move on",
            eq(_sum((j + 1) * S(k + j + 1) - j * S(k + j)), tau * S(k + tau)),
            ClosedSum(j, tau),
        ),
        Step(
            "changes move on",
            eq(_sum(OC(k + j + 1) - OC(k + j)), OC(k + tau) - OC(k)),
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
                    "sizes move on": 4 * eta**2,
                    "changes move on": 4 * eta**2 * a,
                    "newest": 4 * eta**2 * tau,
                    "handed on": 4 * eta**2 * a,
                    "stepsize": 2 * eta / (beta * a) * (N(k + 1) + CH(k)),
                },
                plus=(
                    2 * eta / beta * COUNT(k) * CH(k),
                    4 * eta**2 / a * CH(k),
                ),
                domain=("delay",),
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
                    "first sizes": 4 * eta**2,
                    "first changes": 4 * eta**2 * a,
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
            "bounded": 1 / (4 * eta * (K + 1)),
            "last energy": -1 / (4 * eta * (K + 1)),
            "counted": -(F(K) - F_STAR) / (K + 1),
            "count from": -(F(K) - F_STAR) / (K + 1),
        },
        plus=(
            V(K) / (4 * eta * (K + 1)),
            eta / (K + 1) * _sum(j * S(K + j)),
            eta * a / (K + 1) * _sum(OC(K + j)),
        ),
        domain=("delay",),
    ),
)

CLAIM: Final = as_claim(THEOREM)
