"""(30) over the iterations 2, …, t: the telescoping sum, where every line of it holds.

Problem    f is convex and β-smooth; no line asks where the points y_t are.
Method     (14) with η = 1/β and (29) from t = 2 on; iterations t = k + 2 with k = 0, 1, 2, … are
           summed.
Guarantee  δ_{t+1} ≤ (δ_2 + u_2/2 + Ω_2 + … + Ω_t)/t for every t ≥ 1.
Source     ours: (30) from line 2 on.
"""

from functools import reduce
from operator import add

import sympy

from theory.judging import prover
from theory.kernel import (
    Cite,
    Combine,
    Everywhere,
    Hypothesis,
    Point,
    Step,
    Telescope,
    Theorem,
    vector,
)
from theory.kernel.vectors import Scalar, Vector
from theory.papers.nesterov import method
from theory.papers.nesterov.lemmas import eq_30_later
from theory.papers.nesterov.lemmas.eq_30_later import NEXT
from theory.papers.nesterov.symbols import beta, t

STAR, D, W, Y = method.letters("STAR D W Y")

k = sympy.Symbol("k", integer=True, nonnegative=True)
"""Iterations t = k + 2."""
J = sympy.Function("J", integer=True, nonnegative=True)
"""The number k as a quantity of iteration k."""
F, U, E, P = (sympy.Function(name, real=True) for name in "FUEP")
"""By iteration: f(w_t), u_t, Ω_t, and λ_{t−1}δ_t."""

WEIGHT = J(k) + 2
"""λ_t."""

_LATER = {t: WEIGHT}


def _here(form: Scalar) -> Scalar:
    """What is said of iteration t, at t = J(k) + 2."""
    return form.subs(_LATER)


def _here_vector(one: Vector) -> Vector:
    parts: list[Vector] = [vector(name) * _here(factor) for name, factor in one.terms]
    return reduce(add, parts)


NEXT_HERE = Point(_here_vector(NEXT.position), NEXT.value, NEXT.gradient)
_LEFT = W.position + t * D - STAR.position
_WEIGHTED = prover.eq(P(k), (J(k) + 1) * (F(k) - STAR.value))

NAMES = (
    Hypothesis("first number", "the second iteration has k = 0", prover.eq(J(0), 0)),
    Hypothesis("next number", "k + 1 comes after k", prover.eq(J(k + 1), J(k) + 1)),
    Hypothesis("value", "F is f(w_t) by iteration", prover.eq(F(k), W.value)),
    Hypothesis(
        "value after", "one iteration later it is f(w_{t+1})", prover.eq(F(k + 1), NEXT.value)
    ),
    Hypothesis("u", "U is u_t by iteration", prover.eq(U(k), _here(eq_30_later.U))),
    Hypothesis(
        "u after",
        "one iteration later it is u_{t+1}",
        prover.eq(U(k + 1), _here(eq_30_later.U_NEXT)),
    ),
    Hypothesis(
        "excess", "E is Ω_t by iteration", prover.eq(E(k), _here(method.excess(t, method.MOMENTUM)))
    ),
    Hypothesis("weighted", "P is λ_{t−1}δ_t by iteration", _WEIGHTED),
)
SUM = sympy.Sum(E(k), (k, 0, t - 2))
"""Ω_2 + … + Ω_t."""
_HALF = sympy.Rational(1, 2)

CLAIM = THEOREM = Theorem(
    id="nesterov.eq-30-sum",
    where="ours",
    statement=(
        "With η = 1/β, λ_t = t and γ_t = (t − 2)/t from t = 2 on, δ_{t+1} ≤ (δ_2 + u_2/2 + Ω_2 + "
        "… + Ω_t)/t for every delay and every t ≥ 1."
    ),
    latex=r"\delta_{t+1} \le \tfrac1t\Big(\delta_2 + \tfrac12 u_2 + \sum_{k=2}^t \Omega_k\Big)",
    symbols=(beta, t, STAR.value),
    vectors=(D, STAR.position),
    points=(W, Y, NEXT_HERE),
    hypotheses=(method.SMOOTH, method.CONVEX_NOW, method.CONVEX_STAR, *NAMES),
    cites=(eq_30_later.THEOREM,),
    steps=(
        Step("later", prover.le(2, WEIGHT), Combine(plus=(J(k),))),
        Step(
            "line 2",
            eq_30_later.THEOREM.goal.replaced(_LATER),
            Cite("nesterov.eq-30-later", _LATER),
            "line 2 at every t ≥ 2",
        ),
        Step(
            "weighted after",
            prover.eq(P(k + 1), (J(k + 1) + 1) * (F(k + 1) - STAR.value)),
            Everywhere("weighted", {k: k + 1}),
        ),
        Step(
            "one",
            prover.le(P(k + 1) - P(k), E(k) + _HALF * (U(k) - U(k + 1))),
            Combine(
                {
                    "line 2": 1,
                    "weighted": -1,
                    "weighted after": 1,
                    "next number": F(k + 1) - STAR.value,
                    "value": -(J(k) + 1),
                    "value after": J(k) + 2,
                    "u": -_HALF,
                    "u after": _HALF,
                    "excess": -1,
                }
            ),
            "the same by iteration",
        ),
        Step(
            "sum",
            prover.le(P(t - 1) - P(0), SUM + _HALF * (U(0) - U(t - 1))),
            Telescope("one", k, t - 1),
            "summed over the iterations 2, …, t",
        ),
        Step("numbers", prover.eq(J(t - 1) - J(0), t - 1), Telescope("next number", k, t - 1)),
        Step(
            "weighted at last", _WEIGHTED.replaced({k: t - 1}), Everywhere("weighted", {k: t - 1})
        ),
        Step(
            "weighted at 2", _WEIGHTED.replaced({k: 0}), Everywhere("weighted", {k: sympy.S.Zero})
        ),
        Step(
            "length",
            prover.le(0, U(k)),
            Combine({"u": -1}, squares=((beta / 2, _here_vector(_LEFT)),)),
        ),
        Step("length at last", prover.le(0, U(t - 1)), Everywhere("length", {k: t - 1})),
    ),
    lhs=F(t - 1) - STAR.value,
    terms={
        "second value": (F(0) - STAR.value) / t,
        "second distance": U(0) / (2 * t),
        "excess": SUM / t,
    },
    conclude=Combine(
        {
            "sum": 1 / t,
            "weighted at last": -1 / t,
            "weighted at 2": 1 / t,
            "numbers": -(F(t - 1) - STAR.value) / t,
            "first number": (F(0) - F(t - 1)) / t,
            "length at last": _HALF / t,
        },
    ),
)
