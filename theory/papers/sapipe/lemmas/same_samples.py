"""Vanilla SAPipe as Algorithm 1 draws its samples: stale elements reuse those of the last update.

The stale gradient c = ∇F(x_{t−1}) + n is known before update t, and x_t depends on n. What this
adds, at most 2κ√(1 − κ)·LηV₁/n, is partly paid by what the printed proof drops: with Lη < 1 the
squared norms of the means of fresh and of stale elements count against the bound, and so does
‖∇F(x_T)‖² at its end. The run starts at rest; `thm_2_reuse_pass` has the other one.
"""

from __future__ import annotations

from typing import Final

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Cite,
    Combine,
    Descent,
    Everywhere,
    Expect,
    Hypothesis,
    Point,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    dot,
    eq,
    le,
    point,
    square,
    vector,
)
from theory.papers.sapipe import stale_bias
from theory.papers.sapipe.error_terms import ERR_0, OPTIMIZATION, VAR_0
from theory.papers.sapipe.lemmas import reused_noise, workers
from theory.papers.sapipe.lemmas.reused_noise import BEFORE, KEPT, NOISE, r
from theory.papers.sapipe.setting import (
    AVERAGE,
    E_T,
    F_STAR,
    NEXT,
    OFF,
    START,
    STEPSIZE,
    B,
    F,
    G,
    S,
    X,
)
from theory.papers.sapipe.stale_bias import AT_REST, OFF_NEXT, OFF_NOW, SIZE, STALE_MEAN
from theory.papers.sapipe.symbols import R0, V1, V2, L, T, eta, kappa, n, t

OLD: Final = point("s", "old")
"""∇F(x_{t−1}), as a thing that another follows."""

OLD_NEXT: Final = Point(vector("s⁺"), sympy.Symbol("old(s⁺)", real=True), vector("∇old(s⁺)"), "old")
"""∇F(x_t) in that role."""

LOWEST: Final = Point(
    X.position - X.gradient / L, sympy.Symbol("F(x−)", real=True), vector("∇F(x−)"), "F"
)
"""Where a gradient step of length 1/L from x_t would lead."""

U, N = (sympy.Function(name, nonnegative=True) for name in ("U", "N"))
P, W = (sympy.Function(name, real=True) for name in ("P", "W"))
"""Total expectations by iteration: ‖s‖², ‖n⁻‖², ⟨∇F(x_t), n⁻⟩ and ⟨s, n⁻⟩."""

_P = X.gradient
_S = OLD.position
_FRESH = _P + workers.MEAN_NOISE
_C = _S + NOISE
_AHEAD = E_T.of(NEXT.value)
_ELEMENTS = (
    "an element of g is that of c with probability κ, else that of the fresh gradient "
    "(Assumption 5)"
)
_ALL: Final = (t, 0, T - 1)
_HALF = eta / 2
_SPARE = 1 - L * eta
_WEIGHT = _HALF * kappa * _SPARE
_V = V1 / n
_DROP = _HALF * L * eta * _V * (1 + 2 * kappa * r)
_PROGRESS = 2 - L * eta
_EACH = 2 / (eta * T * _PROGRESS)

HYPOTHESES: Final = (
    *reused_noise.HYPOTHESES,
    *workers.THEOREM.hypotheses,
    STALE_MEAN,
    SIZE,
    AT_REST,
    START,
    STEPSIZE,
    Hypothesis("share", "r² = 1 − κ", eq(kappa, 1 - r**2)),
    Hypothesis(
        "unbiased", "fresh samples are unbiased", eq(E_T.of(dot(workers.MEAN_NOISE, _P)), 0)
    ),
    Hypothesis(
        "elements",
        _ELEMENTS,
        eq(E_T.of(dot(G, _P)), (1 - kappa) * square(_P) + kappa * dot(_C, _P)),
    ),
    Hypothesis(
        "elements, squared",
        _ELEMENTS,
        eq(E_T.of(square(G)), (1 - kappa) * E_T.of(square(_FRESH)) + kappa * square(_C)),
    ),
    Hypothesis("off", "b = ∇F(x_t) − ∇F(x_{t−1})", eq(square(OFF), square(_P - _S))),
    Hypothesis("old", "what is fresh now is stale next", eq(square(OLD_NEXT.position), square(_P))),
    Hypothesis(
        "stale, unbiased", "n was drawn after x_{t−1}", eq(reused_noise.E_S.of(dot(NOISE, _S)), 0)
    ),
    Hypothesis(
        "bounded", "F is at least F(x_*) everywhere (Assumption 6)", le(F_STAR, LOWEST.value)
    ),
)

_ONE = (
    -eta * (1 - kappa) * square(_P)
    - eta * kappa * (square(_P) + square(_S) - square(OFF)) / 2
    - eta * kappa * dot(NOISE, _P)
    + L * eta**2 / 2 * ((1 - kappa) * (square(_P) + _V) + kappa * square(_C))
)
_ONE_TOTAL = (
    -eta * (1 - kappa) * S(t)
    - eta * kappa * (S(t) + U(t) - B(t)) / 2
    - eta * kappa * P(t)
    + L * eta**2 / 2 * ((1 - kappa) * (S(t) + _V) + kappa * (U(t) + 2 * W(t) + N(t)))
)

THEOREM: Final = Theorem(
    id="sapipe.same-samples",
    where="ours",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L and 0 ≤ κ < 1 whose stale elements reuse the samples of "
        "the update before, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/((2 − Lη)ηT) + "
        "κL²η²V₂ + (1 + 2κ√(1 − κ))/(2 − Lη)·LηV₁/n for every T ≥ 1, from rest."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{(2 - L\eta)\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{1 + 2\kappa\sqrt{1-\kappa}}{2 - L\eta}\tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, eta, L, kappa, r, n, V1, V2, R0, F_STAR),
    vectors=(G, OFF, NOISE, KEPT, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT, BEFORE, LOWEST, OFF_NOW, OFF_NEXT, OLD, OLD_NEXT),
    sequences={
        F: X.value,
        S: square(_P),
        B: square(OFF),
        U: square(_S),
        N: square(NOISE),
        P: dot(NOISE, _P),
        W: dot(NOISE, _S),
    },
    following=((X, NEXT), (OFF_NOW, OFF_NEXT), (OLD, OLD_NEXT)),
    hypotheses=HYPOTHESES,
    cites=(workers.THEOREM, reused_noise.THEOREM, stale_bias.THEOREM),
    steps=(
        Step("small", le(0, _SPARE), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1}, plus=(r**2,))),
        Step(
            "quarter",
            le(0, 1 - 4 * kappa * L * eta * _SPARE),
            Combine({"part": 1}, squares=((kappa, 1 - 2 * L * eta),)),
        ),
        Step("workers", workers.THEOREM.goal, Cite("sapipe.mean-of-workers")),
        Step("reuse", reused_noise.THEOREM.goal, Cite("sapipe.reused-noise")),
        Step("reuse, total", le(-P(t), L * eta * r * _V), Total("reuse", t)),
        Step("stale, unbiased, total", eq(W(t), 0), Total("stale, unbiased", t)),
        Step("stale, size", le(N(t), _V), Total("size of the noise", t)),
        Step("error", stale_bias.THEOREM.goal, Cite("sapipe.stale-bias")),
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step(
            "one update",
            le(_AHEAD, X.value + _ONE),
            Combine(
                {
                    "mean": 1,
                    "elements": -eta,
                    "elements, squared": L * eta**2 / 2,
                    "unbiased": L * eta**2 * (1 - kappa),
                    "workers": L * eta**2 / 2 * (1 - kappa),
                    "off": -eta * kappa / 2,
                },
                domain=("part",),
            ),
        ),
        Step("one update, total", le(F(t + 1), F(t) + _ONE_TOTAL), Total("one update", t)),
        Step("old, total", eq(U(t + 1), S(t)), Total("old", t)),
        Step(
            "potential",
            le(
                F(t + 1) - _WEIGHT * U(t + 1),
                F(t) - _WEIGHT * U(t) - _HALF * _PROGRESS * S(t) + _HALF * kappa * B(t) + _DROP,
            ),
            Combine(
                {
                    "one update, total": 1,
                    "old, total": -_WEIGHT,
                    "reuse, total": eta * kappa,
                    "stale, unbiased, total": L * eta**2 * kappa,
                    "stale, size": L * eta**2 * kappa / 2,
                }
            ),
        ),
        Step(
            "sum",
            le(
                F(T) - _WEIGHT * U(T),
                F(0)
                - _WEIGHT * U(0)
                - _HALF * _PROGRESS * sympy.Sum(S(t), _ALL)
                + _HALF * kappa * sympy.Sum(B(t), _ALL)
                + T * _DROP,
            ),
            Telescope("potential", t, T),
        ),
        Step("down", descent(L, X, LOWEST), Descent("smooth", X, LOWEST)),
        Step(
            "height",
            le(square(_P) / (2 * L), X.value - F_STAR),
            Combine({"down": 1, "bounded": 1}),
            "‖∇F‖² ≤ 2L(F − F(x_*))",
        ),
        Step("height, total", le(S(t) / (2 * L), F(t) - F_STAR), Total("height", t)),
        Step(
            "height, last", le(S(T) / (2 * L), F(T) - F_STAR), Everywhere("height, total", {t: T})
        ),
        Step(
            "near",
            le(square(_S), 4 * square(_P) + sympy.Rational(4, 3) * square(OFF)),
            Combine(
                {"off": -sympy.Rational(4, 3)},
                squares=((sympy.Rational(1, 3), _P * 4 - _S),),
            ),
        ),
        Step("near, total", le(U(t), 4 * S(t) + sympy.Rational(4, 3) * B(t)), Total("near", t)),
        Step(
            "near, last",
            le(U(T), 4 * S(T) + sympy.Rational(4, 3) * B(T)),
            Everywhere("near, total", {t: T}),
        ),
    ),
    lhs=AVERAGE,
    terms={
        "optimization": OPTIMIZATION / _PROGRESS,
        "staleness": kappa * ERR_0,
        "variance": (1 + 2 * kappa * r) * VAR_0 / _PROGRESS,
    },
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "height, last", "start"), _EACH),
            "near, last": _EACH * _WEIGHT,
            "quarter": _EACH * S(T) / (2 * L),
            "error": kappa / T,
            "at rest": kappa / T,
        },
        plus=(
            _EACH * _WEIGHT * U(0),
            _EACH * _WEIGHT * sympy.Sum(B(t), _ALL),
            kappa * (2 + L * eta) / (3 * T * _PROGRESS) * B(T),
        ),
        domain=("small", "part"),
    ),
)

CLAIM: Final = as_claim(THEOREM)
