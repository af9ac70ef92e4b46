"""The steps of the proof of Theorem 5: one update, and from one prediction to the next.

All elements are predicted; means are still conditional on the past, and V₁/n stands for V₁.
"""

from theory.kernel import Cite, Combine, Lipschitz, Step, Total, le, lipschitz, square
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas import workers, wp_update

V1, V2, L, eta, kappa, n, t, E_T = setting.letters("V1 V2 L eta kappa n t E_T")
OFF, F, G, S, X, nu = setting.letters("OFF F G S X nu")
AIM, E_AHEAD, GAP, GAP_AHEAD = wp_2_method.letters("AIM E_AHEAD GAP GAP_AHEAD")
LAST, LAST_AHEAD, NOISE = wp_2_method.letters("LAST LAST_AHEAD NOISE")
PREDICTED, PREDICTED_NEXT, PROOF = wp_2_method.letters("PREDICTED PREDICTED_NEXT PROOF")
TURN, TURN_AHEAD, A, Q, U, W = wp_2_method.letters("TURN TURN_AHEAD A Q U W")


_A = L * eta
_HALF = eta / 2
_NOISE = V1 / n
ONE = L * eta**2 * _NOISE / 2
"""What the variance adds in one update."""
_BIAS = {OFF.terms[0][0]: X.gradient - AIM}
_UPDATE = wp_update.THEOREM.goal.replaced({nu: _NOISE, kappa: 1}, _BIAS)

ONE_UPDATE = (
    Step(
        "noise",
        workers.THEOREM.goal,
        Cite("sapipe.mean-of-workers"),
        "the variance of the mean of n independent gradients is at most V₁/n",
        f"{PROOF}, the variance term",
    ),
    Step(
        "noise of g",
        le(E_T.of(square(NOISE)), _NOISE),
        Combine({"of the workers": 1, "noise": 1}),
    ),
    Step(
        "second moment",
        le(E_T.of(square(G)), square(AIM) + _NOISE),
        Combine({"noise of g": 1, "unbiased, with its mean": 2}),
    ),
    Step(
        "lipschitz",
        lipschitz(L, X, PREDICTED),
        Lipschitz("smooth", X, PREDICTED),
        "‖∇F(x) − ∇F(x̃)‖² is at most L²‖x − x̃‖²",
        f"{PROOF}, the error of the gradient estimation, line 4",
    ),
    Step("update", _UPDATE, Cite("sapipe.wp-update", {nu: _NOISE, kappa: 1}, _BIAS)),
    Step(
        "together",
        le(
            wp_update.AHEAD,
            X.value
            - _HALF * square(X.gradient)
            - _HALF * (1 - _A) * square(AIM)
            + _HALF * L**2 * square(GAP.position)
            + ONE,
        ),
        Combine({"update": 1, "lipschitz": _HALF}),
        "the bias and the variance in Lemma 1",
        f"{PROOF}, putting together",
    ),
    Step(
        "one update, total",
        le(F(t + 1), F(t) - _HALF * (S(t) + (1 - _A) * A(t) - L**2 * W(t)) + ONE),
        Total("together", t),
        "total expectation, which re-arranged bounds ‖∇F(x_{t−1})‖²",
        f"{PROOF}, re-arranged",
    ),
)
"""The printed proof up to what is telescoped."""

RECURSION = (
    Step(
        "gap ahead",
        le(E_AHEAD.of(square(GAP_AHEAD.position)), square(TURN.position) + eta**2 * _NOISE),
        Combine(
            {
                "next gap": 1,
                "turn": -1,
                "noise of g": eta**2,
                "unbiased, with its mean": 2 * eta**2,
                "unbiased, with the last update": -2 * eta**2,
            }
        ),
        "the noise of the newer of two gradients is uncorrelated with the rest",
        f"{PROOF}, the upper bound, lines 3 and 4",
    ),
    Step(
        "lipschitz ahead",
        lipschitz(L, PREDICTED_NEXT, PREDICTED),
        Lipschitz("smooth", PREDICTED_NEXT, PREDICTED),
        "‖∇F(x̃_{t−2}) − ∇F(x̃_{t−3})‖² is at most L²‖x̃_{t−2} − x̃_{t−3}‖²",
        f"{PROOF}, the upper bound, line 5",
    ),
    Step(
        "apart",
        le(
            square(PREDICTED_NEXT.position - PREDICTED.position),
            2 * eta**2 * square(LAST.position) + 2 * square(GAP.position),
        ),
        Combine(squares=((1, GAP.position - eta * LAST.position),)),
        "x̃_{t−2} − x̃_{t−3} is x_{t−3} − x_{t−4} less η(g_{t−3} − g_{t−4})",
        f"{PROOF}, the upper bound, lines 6 and 7",
    ),
    Step(
        "turn ahead",
        le(
            E_AHEAD.of(square(TURN_AHEAD.position)),
            2 * _A**2 * (eta**2 * square(LAST.position) + square(GAP.position)) + eta**2 * _NOISE,
        ),
        Combine(
            {
                "next turn": 1,
                "lipschitz ahead": eta**2,
                "apart": eta**2 * L**2,
                "noise of g": eta**2,
                "unbiased, with its mean": 2 * eta**2,
                "unbiased, with the next mean": -2 * eta**2,
            }
        ),
        "the noise of the older one is uncorrelated with both means: z_{t−3} is not in x̃_{t−2}",
        f"{PROOF}, the upper bound, lines 3 and 4",
    ),
    Step("gaps", le(W(t + 1), Q(t) + eta**2 * _NOISE), Total("gap ahead", t)),
    Step(
        "turns",
        le(Q(t + 1), 2 * _A**2 * (eta**2 * U(t) + W(t)) + eta**2 * _NOISE),
        Total("turn ahead", t),
        "the recursion from g_{t−3} − g_{t−4} to g_{t−1} − g_{t−2}, with 2V₁/n for 2V₁",
        f"{PROOF}, the recursive upper bound",
    ),
    Step(
        "next size",
        le(E_AHEAD.of(square(LAST_AHEAD.position)), V2),
        Combine({"next last update": 1, "size": 1}),
        "‖x_{t−3} − x_{t−4}‖² is η²‖g_{t−3}‖², at most η²V₂",
        f"{PROOF}, the upper bound, lines 8 and 9",
    ),
    Step("sizes", le(U(t + 1), V2), Total("next size", t)),
)
"""From one prediction to the next."""
