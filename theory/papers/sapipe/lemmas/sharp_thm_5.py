"""Theorem 5 where it means something, with the variance of n workers in place of that of one.

The printed recursion, with the noise kept apart: it does not depend on what is predicted from it
before the next iteration but one. The first two gradients are both taken at x_0; what Lemma 1 drops
there pays for the one gap that the recursion does not cover, that of x_1 from x_0.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import (
    Combine,
    Everywhere,
    Expect,
    Hypothesis,
    Split,
    Step,
    Telescope,
    Theorem,
    Total,
    eq,
    le,
    square,
)
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas import workers, wp_update
from theory.papers.sapipe.lemmas.wp_2_steps import ONE, ONE_UPDATE, RECURSION
from theory.papers.sapipe.lemmas.wp_update import ROOM, SMALL
from theory.papers.sapipe.runs.challenges import CHALLENGES

R0, V1, V2, L, T, eta, kappa, n, t = setting.letters("R0 V1 V2 L T eta kappa n t")
AVERAGE, E_T, F_STAR, F, S = setting.letters("AVERAGE E_T F_STAR F S")
OPTIMIZATION, VAR_0 = setting.letters("OPTIMIZATION VAR_0")
AIM, NOISE, PROOF, A, Q, U, W = wp_2_method.letters("AIM NOISE PROOF A Q U W")


_A = L * eta
_HALF = eta / 2
_NOISE = V1 / n
_LEFT = 1 - 2 * _A**2
_ALL, _BUT_LAST, _LATER = (t, 0, T - 1), (t, 0, T - 2), (t, 2, T - 1)

ERR = L**2 * eta**2 / _LEFT * (2 * V1 / n + 2 * L**2 * eta**2 * V2)
"""The error term, with V₁/n for the printed V₁."""

TWO = Hypothesis("two updates", "T ≥ 2; the first one alone has no bias", le(2, T))


def total(sequence: sympy.Function, limits: tuple[sympy.Expr, ...] = _ALL) -> sympy.Sum:
    """A sum over iterations."""
    return sympy.Sum(sequence(t), limits)


_SUMS = (
    Step(
        "sum",
        le(
            F(T),
            F(0) - _HALF * (total(S) + (1 - _A) * total(A) - L**2 * total(W)) + T * ONE,
        ),
        Telescope("one update, total", t, T),
        "sum over the iterations",
        f"{PROOF}, telescoping",
    ),
    Step(
        "sum of gaps",
        le(
            total(W, _BUT_LAST) + W(T - 1) - W(0),
            total(Q, _BUT_LAST) + (T - 1) * eta**2 * _NOISE,
        ),
        Telescope("gaps", t, T - 1),
    ),
    Step(
        "sum of turns",
        le(
            total(Q, _BUT_LAST) + Q(T - 1) - Q(0),
            2 * _A**2 * (eta**2 * total(U, _BUT_LAST) + total(W, _BUT_LAST))
            + (T - 1) * eta**2 * _NOISE,
        ),
        Telescope("turns", t, T - 1),
    ),
    Step(
        "sum of sizes",
        le(total(U, _BUT_LAST) + U(T - 1) - U(0), (T - 1) * V2),
        Telescope("sizes", t, T - 1),
    ),
    Step(
        "last gap",
        eq(total(W), total(W, _BUT_LAST) + W(T - 1)),
        Split(t, last=1),
    ),
    Step(
        "first means",
        eq(total(A), A(0) + A(1) + total(A, _LATER)),
        Split(t, first=2, domain=("two updates",)),
    ),
)

_C = L**2 / (T * ROOM)

THEOREM = Theorem(
    id="sapipe.sharp-thm-5",
    where="ours",
    statement=(
        "With 2L²η² < 1, and all elements predicted (κ = 1), SAPipe-WP with option 2, round 0 not "
        "counted and g_0 = 0, has a mean over t < T of E‖∇F(x_t)‖² of at most 2R₀/(ηT) + "
        "L²η²(2V₁/n + 2L²η²V₂)/(1 − 2L²η²) + LηV₁/n for every T ≥ 2."
    ),
    latex=(
        r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
        r"\tfrac{L^2\eta^2}{1 - 2L^2\eta^2}\bigl(\tfrac{2V_1}{n} + 2L^2\eta^2V_2\bigr) + "
        r"\tfrac{L\eta V_1}{n}"
    ),
    symbols=(T, n, eta, L, V1, V2, R0, F_STAR, ROOM),
    vectors=wp_2_method.VECTORS,
    points=wp_2_method.POINTS,
    sequences=wp_2_method.SEQUENCES,
    following=wp_2_method.FOLLOWING,
    hypotheses=(
        setting.SMOOTH,
        *wp_2_method.SAMPLES,
        *wp_2_method.MOVES,
        wp_2_method.SIZE,
        *wp_2_method.AT_START,
        setting.START,
        setting.LOWER,
        SMALL,
        TWO,
    ),
    cites=(workers.THEOREM, wp_update.THEOREM),
    steps=(
        *ONE_UPDATE,
        *RECURSION,
        Step("some square", le(0, square(NOISE)), Combine(squares=((1, NOISE),))),
        Step("mean square", le(0, E_T.of(square(NOISE))), Expect("some square", E_T)),
        Step(
            "slope",
            le(square(AIM), V2),
            Combine({"mean square": 1, "size": 1, "unbiased, with its mean": -2}),
        ),
        Step("slopes", le(A(t), V2), Total("slope", t)),
        Step("first slope", le(A(0), V2), Everywhere("slopes", {t: sympy.S.Zero})),
        *_SUMS,
        Step(
            "small enough",
            le(0, 1 - _A),
            Combine(
                {"small": sympy.S.Half},
                squares=((1, _A - sympy.S.Half),),
                plus=(ROOM / 2 + sympy.Rational(1, 4),),
            ),
        ),
        Step(
            "enough at the start",
            le(0, 2 - 2 * _A - _A**2),
            Combine({"small": 1}, squares=((1, 1 - _A),), plus=(ROOM,)),
        ),
    ),
    lhs=AVERAGE,
    terms={"optimization": OPTIMIZATION, "error": ERR, "variance": VAR_0},
    conclude=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", setting.START.name), 2 / (eta * T)),
            "last gap": L**2 / T,
            "first means": -(1 - _A) / T,
            "second prediction": -(1 - _A) / T,
            "sum of gaps": _C,
            "sum of turns": _C,
            "sum of sizes": 2 * _A**2 * eta**2 * _C,
            "first gap": _C,
            "first turn": _C,
            "at rest": 2 * _A**2 * eta**2 * _C,
            "first slope": 2 * _A**2 * eta**2 * _C,
            "small": _C
            * (
                total(W, _BUT_LAST)
                + W(T - 1)
                - eta**2 * A(0)
                - T * eta**2 * (2 * _NOISE + 2 * _A**2 * V2) / _LEFT
            ),
            "small enough": total(A, _LATER) / T,
            "enough at the start": A(0) / T,
        },
        plus=(
            _C * (Q(T - 1) + 2 * _A**2 * (eta**2 * U(T - 1) + W(T - 1))),
            2 * _C * eta**2 * _NOISE,
        ),
        domain=("small", "two updates"),
    ),
)

COVERED = sympy.And(2 * L**2 * eta**2 < 1, sympy.Eq(kappa, 1), T >= 2)
"""What the hypotheses say of the constants."""

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], where=COVERED, cost=3)
