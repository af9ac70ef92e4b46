"""Theorem 2 where the first iteration passes, as Algorithm 1 prints it.

Stale elements of the first update are then left as they are, as if their gradient were 0: it
misses ∇F(x_0) by all of ∇F(x_0), which the printed proof leaves out. The bound holds all the same.
What pays is what the proof drops: the first update moves fresh elements only, ‖∇F(x_0)‖² is at
most V₂ and at most 2LR₀, and for Lη < 1 the squared norms of the gradients count against it.
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
    Lipschitz,
    Sign,
    Step,
    Telescope,
    Theorem,
    Total,
    descent,
    dot,
    eq,
    le,
    lipschitz,
    square,
)
from theory.papers.sapipe.lemmas import workers
from theory.papers.sapipe.lemmas.elements import DRAWN, SAMPLES, UNBIASED
from theory.papers.sapipe.lemmas.same_samples import LOWEST, OLD, OLD_NEXT, U
from theory.papers.sapipe.setting import (
    E_T,
    F_STAR,
    NEXT,
    OFF,
    SHARE,
    SMOOTH,
    STEPSIZE,
    B,
    F,
    G,
    S,
    X,
)
from theory.papers.sapipe.stale_bias import OFF_NEXT, OFF_NOW, SIZE, STALE_MEAN
from theory.papers.sapipe.symbols import R0, V1, V2, L, eta, kappa, n, t

m: Final = sympy.Symbol("m", integer=True, nonnegative=True)
"""T − 2."""

Q: Final = sympy.Function("Q", nonnegative=True)
"""E‖g_t‖² by iteration."""

_COUNT = m + 2
_P = X.gradient
_S = OLD.position
_AHEAD = E_T.of(NEXT.value)
_ALL: Final = (t, 0, m - 1)
_HALF = eta / 2
_A = L * eta
_SPARE = 1 - _A
_WEIGHT = _HALF * kappa * _SPARE
_V = V1 / n
_THIRD = sympy.Rational(1, 3)
_EACH = 2 / (eta * _COUNT * (1 + _SPARE))
_AWAY = square(OFF_NEXT.position)
_SAYS = "an element of d is that of s with probability κ, else that of ∇F(x_t) (Assumption 5)"


def _potential(at: sympy.Expr) -> sympy.Expr:
    return F(at) - _WEIGHT * U(at)


def _added(at: sympy.Expr) -> sympy.Expr:
    """What an iteration adds to the potential, at most."""
    return -_HALF * (1 + _SPARE) * S(at) + _HALF * kappa * B(at) + _HALF * _A * _V


HYPOTHESES: Final = (
    SMOOTH,
    UNBIASED,
    *SAMPLES,
    STALE_MEAN,
    SIZE,
    STEPSIZE,
    SHARE,
    Hypothesis(
        "elements",
        _SAYS,
        eq(E_T.of(dot(DRAWN, _P)), (1 - kappa) * square(_P) + kappa * dot(_S, _P)),
    ),
    Hypothesis(
        "elements, squared",
        _SAYS,
        eq(E_T.of(square(DRAWN)), (1 - kappa) * square(_P) + kappa * square(_S)),
    ),
    Hypothesis("off", "b = ∇F(x_t) − s", eq(square(OFF), square(_P - _S))),
    Hypothesis("old", "fresh now, stale next", eq(square(OLD_NEXT.position), square(_P))),
    Hypothesis("pass", "stale elements of the first update have no gradient", eq(B(0), S(0))),
    Hypothesis(
        "first update",
        "only its fresh elements, a share 1 − κ on average, move",
        le(Q(0), (1 - kappa) * V2),
    ),
    Hypothesis("first gradient", "‖∇F(x_0)‖² ≤ V₂ (Assumption 2)", le(S(0), V2)),
    Hypothesis("start", "R₀ is F(x_0) − F(x_*)", eq(F(0), F_STAR + R0)),
    Hypothesis(
        "bounded", "F is at least F(x_*) everywhere (Assumption 6)", le(F_STAR, LOWEST.value)
    ),
)

_ENOUGH = _SPARE + kappa * _A**3 * (1 + kappa + 2 * _THIRD * _SPARE) - kappa * _A

THEOREM: Final = Theorem(
    id="sapipe.thm-2-first-pass",
    where="Theorem 2, the first iteration passes",
    statement=(
        "For vanilla SAPipe with η ≤ 1/L whose stale elements, drawn with probability κ, use "
        "samples of their own and are left as they are in the first update, the mean over t < T "
        "of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for every T ≥ 2."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}"
    ),
    symbols=(m, eta, L, kappa, n, V1, V2, R0, F_STAR),
    vectors=(G, OFF, DRAWN, workers.NOISE, workers.MEAN_NOISE),
    points=(X, NEXT, LOWEST, OFF_NOW, OFF_NEXT, OLD, OLD_NEXT),
    sequences={F: X.value, S: square(_P), B: square(OFF), U: square(_S), Q: square(G)},
    following=((X, NEXT), (OFF_NOW, OFF_NEXT), (OLD, OLD_NEXT)),
    hypotheses=HYPOTHESES,
    cites=(workers.THEOREM,),
    steps=(
        Step("small", le(0, _SPARE), Combine({"stepsize": L})),
        Step("part", le(0, 1 - kappa), Combine({"share": 1})),
        Step("enough", le(0, _ENOUGH), Sign(("small", "part"))),
        Step(
            "quarter",
            le(0, 1 - 4 * kappa * _A * _SPARE),
            Combine({"part": 1}, squares=((kappa, 1 - 2 * _A),)),
        ),
        Step("workers", workers.THEOREM.goal, Cite("sapipe.mean-of-workers")),
        Step("lipschitz", lipschitz(L, NEXT, X), Lipschitz("smooth", NEXT, X)),
        Step("away", le(_AWAY, L**2 * eta**2 * square(G)), Combine({"lipschitz": 1, "stale": 1})),
        Step("away, total", le(B(t + 1), L**2 * eta**2 * Q(t)), Total("away", t)),
        Step("size, total", le(Q(t), V2), Total("size", t)),
        Step("size, next", le(Q(t + 1), V2), Everywhere("size, total", {t: t + 1})),
        Step("descent", descent(L, X, NEXT), Descent("smooth", X, NEXT)),
        Step("mean", le(_AHEAD, E_T.of(descent(L, X, NEXT).rhs)), Expect("descent", E_T)),
        Step(
            "one update",
            le(
                _AHEAD,
                X.value
                - _HALF * (1 + (1 - kappa) * _SPARE) * square(_P)
                - _WEIGHT * square(_S)
                + _HALF * kappa * square(OFF)
                + _HALF * _A * _V,
            ),
            Combine(
                {
                    "mean": 1,
                    "elements": -eta,
                    "unbiased samples": -eta,
                    "elements, squared": L * eta**2 / 2,
                    "unbiased, with d": L * eta**2,
                    "of the workers": L * eta**2 / 2,
                    "workers": L * eta**2 / 2,
                    "off": -eta * kappa / 2,
                }
            ),
        ),
        Step(
            "one update, total",
            le(
                F(t + 1),
                F(t)
                - _HALF * (1 + (1 - kappa) * _SPARE) * S(t)
                - _WEIGHT * U(t)
                + _HALF * kappa * B(t)
                + _HALF * _A * _V,
            ),
            Total("one update", t),
        ),
        Step("old, total", eq(U(t + 1), S(t)), Total("old", t)),
        Step(
            "potential",
            le(_potential(t + 1), _potential(t) + _added(t)),
            Combine({"one update, total": 1, "old, total": -_WEIGHT}),
        ),
        Step(
            "sum",
            le(_potential(m), _potential(0) + sympy.Sum(_added(t), _ALL)),
            Telescope("potential", t, m),
        ),
        *(
            Step(
                f"potential, {more} more",
                le(_potential(at + 1), _potential(at) + _added(at)),
                Everywhere("potential", {t: at}),
            )
            for more, at in (("one", m), ("two", m + 1))
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
            "height, first",
            le(S(0) / (2 * L), F(0) - F_STAR),
            Everywhere("height, total", {t: sympy.S.Zero}),
        ),
        Step(
            "height, last",
            le(S(_COUNT) / (2 * L), F(_COUNT) - F_STAR),
            Everywhere("height, total", {t: _COUNT}),
        ),
        Step(
            "near",
            le(square(_S), 4 * square(_P) + 4 * _THIRD * square(OFF)),
            Combine({"off": -4 * _THIRD}, squares=((_THIRD, _P * 4 - _S),)),
        ),
        Step("near, total", le(U(t), 4 * S(t) + 4 * _THIRD * B(t)), Total("near", t)),
        Step(
            "near, last",
            le(U(_COUNT), 4 * S(_COUNT) + 4 * _THIRD * B(_COUNT)),
            Everywhere("near, total", {t: _COUNT}),
        ),
        Step(
            "biases",
            le(
                sympy.Sum(B(t), _ALL) + B(m) - B(0),
                L**2 * eta**2 * sympy.Sum(Q(t), _ALL),
            ),
            Telescope("away, total", t, m),
        ),
        Step(
            "biases, one more",
            le(B(m + 1), L**2 * eta**2 * Q(m)),
            Everywhere("away, total", {t: m}),
        ),
        Step(
            "biases, two more",
            le(B(m + 2), L**2 * eta**2 * Q(m + 1)),
            Everywhere("away, total", {t: m + 1}),
        ),
        Step("size, last", le(Q(m + 1), V2), Everywhere("size, total", {t: m + 1})),
        Step(
            "sizes", le(sympy.Sum(Q(t), _ALL) + Q(m) - Q(0), m * V2), Telescope("size, next", t, m)
        ),
    ),
    lhs=(sympy.Sum(S(t), _ALL) + S(m) + S(m + 1)) / _COUNT,
    terms={
        "optimization": 2 * R0 / (eta * _COUNT),
        "staleness": kappa * L**2 * eta**2 * V2,
        "variance": _A * _V,
    },
    conclude=Combine(
        {
            **dict.fromkeys(
                ("sum", "potential, one more", "potential, two more", "height, last"), _EACH
            ),
            "start": 2 / (eta * _COUNT),
            "height, first": _EACH * _SPARE,
            "near, last": _EACH * _WEIGHT,
            "quarter": _EACH * S(_COUNT) / (2 * L),
            **dict.fromkeys(("biases", "biases, one more", "pass"), kappa * _EACH * _HALF),
            "biases, two more": kappa * _EACH * _HALF * 4 * _THIRD * _SPARE,
            "size, last": kappa * _EACH * _HALF * 4 * _THIRD * _SPARE * _A**2,
            "sizes": kappa * _EACH * _HALF * _A**2,
            "first update": kappa * _EACH * _HALF * _A**2,
            "first gradient": kappa * _EACH * _HALF * _A**2 * (1 + kappa + 2 * _THIRD * _SPARE),
            "enough": _EACH * S(0) / (2 * L),
        },
        plus=(
            _EACH * _WEIGHT * U(0),
            _EACH * _HALF * _SPARE * _COUNT * _A * _V,
            kappa * _EACH * _HALF * _A**2 * V2 * _SPARE * m,
        ),
        domain=("small", "part"),
    ),
)

CLAIM: Final = as_claim(THEOREM)
