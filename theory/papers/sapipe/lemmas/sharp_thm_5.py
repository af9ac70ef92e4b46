"""Theorem 5 where it means something, with the variance of n workers in place of that of one.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁, squared norms at most V₂.
Method     SAPipe-WP with option 2, all elements predicted (κ = 1), round 0 not counted, g_0 = 0.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + L²η²(2V₁/n + 2L²η²V₂)/(1 − 2L²η²) + LηV₁/n for
           T ≥ 2 and 2L²η² < 1.
Source     SAPipe paper, proof of Theorem 5: its recursion, with the noise kept apart, which does
           not depend on what is predicted from it before the next iteration but one. The first two
           gradients are both taken at x_0; what Lemma 1 drops there pays for the one gap that the
           recursion does not cover, that of x_1 from x_0.
"""

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Lipschitz, Split, Telescope, lipschitz
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas.wp_update import ROOM, SMALL
from theory.papers.sapipe.runs.challenges import CHALLENGES

V1, V2, L, T, eta, kappa, n, t = setting.letters("V1 V2 L T eta kappa n t")
E_T, F, G, S, AVERAGE, OPTIMIZATION, VAR_0 = setting.letters("E_T F G S AVERAGE OPTIMIZATION VAR_0")
A, Q, U, W, AIM, LAST, GAP, PROOF = wp_2_method.letters("A Q U W AIM LAST GAP PROOF")
PREDICTED, AHEAD = wp_2_method.letters("PREDICTED PREDICTED_NEXT")

_CHAIN = f"{PROOF}, the upper bound"
_NOISE = eta**2 * V1 / n
_HALF = eta / 2
_ALL, _BUT_LAST, _LATER = (t, 0, T - 1), (t, 0, T - 2), (t, 2, T - 1)
_C = L**2 / (T * ROOM)
_LEFT = 1 - 2 * L**2 * eta**2

ERR = L**2 * eta**2 / _LEFT * (2 * V1 / n + 2 * L**2 * eta**2 * V2)
"""The error term, with V₁/n for the printed V₁."""

TWO = Hypothesis("two updates", "T ≥ 2; the first one alone has no bias", prover.le(2, T))


def total(sequence: sympy.Function, limits: tuple[sympy.Expr, ...] = _ALL) -> sympy.Sum:
    """A sum over iterations."""
    return sympy.Sum(sequence(t), limits)


draft = wp_2_method.updating(wp_2_method.along(theorem("sapipe.sharp-thm-5")))
setting.assuming(draft, wp_2_method.unbiased(LAST.position, ", with the last update"))
setting.assuming(draft, wp_2_method.unbiased(AHEAD.gradient, ", with the next mean"))
setting.assuming(draft, wp_2_method.SIZE, wp_2_method.FIRST_GAP, wp_2_method.AT_REST)
setting.assuming(draft, setting.START, setting.LOWER, SMALL, TWO)
draft.assume(prover.eq(Q(0), eta**2 * A(0)), "first turn", "g⁻ is 0 at first (open in Algorithm 3)")
draft.assume(prover.eq(A(1), A(0)), "second prediction", "so that x̃_1 is x_0, as x̃_0 is")
draft.have(
    E_T.of((G - LAST.position) ** 2) <= (AIM - LAST.position) ** 2 + V1 / n,
    "gap ahead",
    says="the noise of the newer of two gradients is uncorrelated with the rest",
    where=f"{_CHAIN}, lines 3 and 4",
)
draft.have(
    lipschitz(L, AHEAD, PREDICTED),
    "lipschitz ahead",
    by=Lipschitz("smooth", AHEAD, PREDICTED),
    says="‖∇F(x̃_{t−2}) − ∇F(x̃_{t−3})‖² is at most L²‖x̃_{t−2} − x̃_{t−3}‖²",
    where=f"{_CHAIN}, line 5",
)
_APART = 2 * eta**2 * LAST.position**2 + 2 * GAP.position**2
draft.have(
    (AHEAD.position - PREDICTED.position) ** 2 <= _APART,
    "apart",
    says="x̃_{t−2} − x̃_{t−3} is x_{t−3} − x_{t−4} less η(g_{t−3} − g_{t−4})",
    where=f"{_CHAIN}, lines 6 and 7",
)
draft.have(
    E_T.of((AHEAD.gradient - G) ** 2) <= L**2 * _APART + V1 / n,
    "turn ahead",
    says="the noise of the older one is uncorrelated with both means: z_{t−3} is not in x̃_{t−2}",
    where=f"{_CHAIN}, lines 3 and 4",
)
draft.have(W(t + 1) <= Q(t) + _NOISE, "gaps")
draft.have(
    Q(t + 1) <= 2 * L**2 * eta**2 * (eta**2 * U(t) + W(t)) + _NOISE,
    "turns",
    says="the recursion from g_{t−3} − g_{t−4} to g_{t−1} − g_{t−2}, with 2V₁/n for 2V₁",
    where=f"{PROOF}, the recursive upper bound",
)
draft.have(
    E_T.of((eta * G) ** 2) <= eta**2 * V2,
    says="‖x_{t−3} − x_{t−4}‖² is η²‖g_{t−3}‖², at most η²V₂",
    where=f"{_CHAIN}, lines 8 and 9",
)
draft.have(U(t + 1) <= V2, "sizes")
draft.have(A(t) <= V2, "slopes")
draft.have(
    F(T)
    <= F(0) - _HALF * (total(S) + (1 - L * eta) * total(A) - L**2 * total(W)) + T * L * _NOISE / 2,
    "sum",
    says="sum over the iterations",
    where=f"{PROOF}, telescoping",
)
draft.have(
    total(W, _BUT_LAST) + W(T - 1) - W(0) <= total(Q, _BUT_LAST) + (T - 1) * _NOISE,
    "sum of gaps",
    by=Telescope("gaps", t, T - 1),
)
draft.have(
    total(Q, _BUT_LAST) + Q(T - 1) - Q(0)
    <= 2 * L**2 * eta**2 * (eta**2 * total(U, _BUT_LAST) + total(W, _BUT_LAST)) + (T - 1) * _NOISE,
    "sum of turns",
    by=Telescope("turns", t, T - 1),
)
draft.have(
    total(U, _BUT_LAST) + U(T - 1) - U(0) <= (T - 1) * V2,
    "sum of sizes",
    by=Telescope("sizes", t, T - 1),
)
draft.have(prover.eq(total(W), total(W, _BUT_LAST) + W(T - 1)), "last gap", by=Split(t, last=1))
draft.have(
    prover.eq(total(A), A(0) + A(1) + total(A, _LATER)),
    "first means",
    by=Split(t, first=2, domain=("two updates",)),
)
draft.have(1 - L * eta >= 0, "small enough")
draft.have(2 - 2 * L * eta - L**2 * eta**2 >= 0, "enough at the start")
TERMS = {"optimization": OPTIMIZATION, "error": ERR, "variance": VAR_0}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            **dict.fromkeys(("sum", "lower bound", "start"), 2 / (eta * T)),
            "last gap": L**2 / T,
            **dict.fromkeys(("first means", "second prediction"), -(1 - L * eta) / T),
            **dict.fromkeys(("sum of gaps", "sum of turns", "first gap", "first turn"), _C),
            **dict.fromkeys(("sum of sizes", "at rest", "slopes, at 0"), 2 * L**2 * eta**4 * _C),
            "small": _C
            * (
                total(W, _BUT_LAST)
                + W(T - 1)
                - eta**2 * A(0)
                - T * (2 * _NOISE + 2 * L**2 * eta**4 * V2) / _LEFT
            ),
            "small enough": total(A, _LATER) / T,
            "enough at the start": A(0) / T,
        },
        plus=(
            _C * (Q(T - 1) + 2 * L**2 * eta**2 * (eta**2 * U(T - 1) + W(T - 1))),
            2 * _C * _NOISE,
        ),
        domain=("small", "two updates"),
    ),
    says="With 2L²η² < 1, and all elements predicted (κ = 1), SAPipe-WP with option 2, round 0 not "
    "counted and g_0 = 0, has a mean over t < T of E‖∇F(x_t)‖² of at most 2R₀/(ηT) + "
    "L²η²(2V₁/n + 2L²η²V₂)/(1 − 2L²η²) + LηV₁/n for every T ≥ 2.",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"\tfrac{L^2\eta^2}{1 - 2L^2\eta^2}\bigl(\tfrac{2V_1}{n} + 2L^2\eta^2V_2\bigr) + "
    r"\tfrac{L\eta V_1}{n}",
)

COVERED = sympy.And(2 * L**2 * eta**2 < 1, sympy.Eq(kappa, 1), T >= 2)
"""What the hypotheses say of the constants."""

CLAIM = prover.as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], where=COVERED, cost=3)
