"""Theorem 5 after a single update, whose gradient is taken at x_0 itself: there is no bias yet."""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Everywhere, Hypothesis, Step, Theorem, le
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas import workers, wp_update
from theory.papers.sapipe.lemmas.wp_2_steps import ONE_UPDATE

R0, V1, L, T, eta, n, t, F_STAR, F = setting.letters("R0 V1 L T eta n t F_STAR F")
S, OPTIMIZATION, VAR_0 = setting.letters("S OPTIMIZATION VAR_0")
A = wp_2_method.letters("A")


_A = L * eta
_ONE = {T: sympy.Integer(1)}

THEOREM = Theorem(
    id="sapipe.wp-2-first",
    where="ours",
    statement=(
        "With η ≤ 1/L, E‖∇F(x_0)‖² is at most 2R₀/η + LηV₁/n for the first update of SAPipe-WP "
        "with option 2, T = 1, round 0 not counted."
    ),
    latex=r"\|\nabla F(x_0)\|^2 \le \tfrac{2R_0}{\eta} + \tfrac{L\eta V_1}{n}",
    symbols=(n, eta, L, V1, R0, F_STAR),
    vectors=wp_2_method.VECTORS,
    points=wp_2_method.POINTS,
    sequences=wp_2_method.SEQUENCES,
    following=wp_2_method.FOLLOWING,
    hypotheses=(
        setting.SMOOTH,
        *(
            one
            for one in wp_2_method.SAMPLES
            if one.name in ("unbiased", "unbiased, with its mean")
        ),
        *wp_2_method.SAMPLES[-4:],
        wp_2_method.AT_START[0],
        setting.START,
        Hypothesis("lower bound", setting.LOWER.says, le(F_STAR, F(1))),
        Hypothesis("stepsize", "η ≤ 1/L", le(eta, 1 / L)),
    ),
    cites=(workers.THEOREM, wp_update.THEOREM),
    steps=(
        *ONE_UPDATE,
        Step(
            "first update",
            ONE_UPDATE[-1].relation.replaced({t: sympy.S.Zero}),
            Everywhere("one update, total", {t: sympy.S.Zero}),
        ),
        Step("small", le(0, 1 - _A), Combine({"stepsize": L})),
    ),
    lhs=S(0),
    terms={"optimization": OPTIMIZATION.subs(_ONE), "variance": VAR_0},
    conclude=Combine(
        {
            **dict.fromkeys(("first update", "lower bound", "start"), 2 / eta),
            "first gap": L**2,
        },
        plus=((1 - _A) * A(0),),
        domain=("small",),
    ),
)

CLAIM = as_claim(THEOREM)
