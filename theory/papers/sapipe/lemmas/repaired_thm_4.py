"""Theorem 4 with what Assumption 3 gives, and with each gradient where it is taken.

Problem    that of `wp_1_average`, Σ‖∇F_i‖² ≤ ρ‖Σ∇F_i‖² (Assumption 3), ‖∇F(x_t)‖² ≤ V₂.
Method     worker i predicts with its own gradient: x̃_i = x_t − ηg_i. Its gradient is at x̃_i, and
           Assumption 3 speaks of one point: ∇F_i(x̃_i) = ∇F_i(x_t) − e_i, ‖e_i‖ ≤ L‖x_t − x̃_i‖.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²[(1 − 1/n)V₁ + 2(nρ − 1)V₂]/(1 − 2L²η²) +
           LηV₁/n: how far predictions are off obeys a recursion, which contracts for 2L²η² < 1.
Source     ours.
"""

from theory.judging import prover
from theory.kernel import Combine, Hypothesis
from theory.notation import theorem, total
from theory.papers.sapipe import setting, wp_1_average, wp_1_method
from theory.papers.sapipe.lemmas import wp_1_noise
from theory.papers.sapipe.lemmas.wp_update import ROOM, SMALL
from theory.papers.sapipe.runs.challenges import CHALLENGES

V1, V2, L, T, eta, kappa, n, rho, t = setting.letters("V1 V2 L T eta kappa n rho t")
AVERAGE, E_T, X, OPTIMIZATION = setting.letters("AVERAGE E_T X OPTIMIZATION")
VAR_0 = setting.letters("VAR_0")
AVG, AWAY, HERE, MEAN_MISSED = wp_1_method.letters("AVG AWAY HERE MEAN_MISSED")
MISSED, NEXT_SPREAD, PREDICTED = wp_1_method.letters("MISSED NEXT_SPREAD PREDICTED")
SPREAD, W = wp_1_method.letters("SPREAD W")

_DIVERSE = HERE.gradient - X.gradient
_OFF = MISSED - MEAN_MISSED
_FIXED = _DIVERSE - _OFF
_NOISY = wp_1_noise.APART
_RATIO = 2 * L**2 * eta**2

ERR = L**2 * eta**2 / (1 - _RATIO) * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2)
"""The error term that takes the place of Err_WP-1."""

_BOUND = eta**2 * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * V2)

PARTS = (
    Hypothesis(
        "predictions",
        "x̃_i is x_t − ηg_i and x_{t+1} is x_t − ηg (Algorithm 3, option 1), with g_i = "
        "∇F_i(x_t) − a_i + ζ_i: V⁺ is η² times the mean of the ‖g_i − g‖²",
        prover.le(NEXT_SPREAD, eta**2 * AVG.of((_FIXED + _NOISY) ** 2)),
    ),
    Hypothesis(
        "stale part",
        "a_i is made of the stale elements of ∇F_i(x_t) − ∇F_i(x̃_i), 0 in the others",
        prover.le(MISSED**2, (HERE.gradient - PREDICTED.gradient) ** 2),
    ),
    Hypothesis(
        "mean of the stale parts",
        "a is the mean over the workers of the a_i",
        prover.eq(AVG.of(MISSED @ MEAN_MISSED), MEAN_MISSED**2),
    ),
    Hypothesis(
        "no tilt",
        "ζ_i has the mean 0 given the past and the stale elements (taken with what these fix)",
        prover.eq(E_T.of(_NOISY @ _FIXED), 0),
    ),
    *wp_1_noise.HYPOTHESES,
    Hypothesis(
        "objective",
        "∇F(x) is the mean of the ∇F_i(x)",
        prover.eq(AVG.of(HERE.gradient @ X.gradient), X.gradient**2),
    ),
    Hypothesis(
        "diversity",
        "Σ‖∇F_i(x)‖² ≤ ρ‖Σ∇F_i(x)‖² at x_t (Assumption 3)",
        prover.le(AVG.of(HERE.gradient**2), n * rho * X.gradient**2),
    ),
    Hypothesis(
        "slope",
        "‖∇F(x_t)‖² ≤ V₂, the mean of stochastic gradients there (Assumption 2)",
        prover.le(X.gradient**2, V2),
    ),
    Hypothesis(
        "diverse", "ρ ≥ 1/n, as Assumption 3 implies where ∇F is not 0", prover.le(1, n * rho)
    ),
)

draft = setting.along(theorem("sapipe.repaired-thm-4"), {W: SPREAD}, wp_1_method.FOLLOWING)
draft.cite(wp_1_average.THEOREM, name="average")
setting.assuming(draft, *PARTS, SMALL, wp_1_method.AT_START)
draft.have(MISSED**2 <= L**2 * AWAY**2, "stale")
_SQUARE = _DIVERSE + _OFF
draft.have(prover.le(0, _SQUARE**2), "square", by=Combine(squares=((1, _SQUARE),)))
draft.have(AVG.of(_FIXED**2) <= 2 * (n * rho - 1) * X.gradient**2 + 2 * L**2 * SPREAD, "fixed")
draft.cite(wp_1_noise.THEOREM)
draft.have(
    E_T.of(NEXT_SPREAD)
    <= eta**2 * ((1 - 1 / n) * V1 + 2 * (n * rho - 1) * X.gradient**2) + _RATIO * SPREAD,
    "recursion",
)
draft.have(n * rho - 1 >= 0, "more")
draft.have(E_T.of(NEXT_SPREAD) <= _BOUND + _RATIO * SPREAD, "bounded")
TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0}
_SHARE = kappa * L**2 / (T * ROOM)
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    by=Combine(
        {
            "average": 1,
            "bounded, each t, summed to T": _SHARE,
            "first prediction": _SHARE,
            "small": _SHARE * (total(W(t), t, T) - T * _BOUND / (1 - _RATIO)),
        },
        plus=(_SHARE * W(T),),
        domain=("small",),
    ),
    says="With η ≤ 1/L and 2L²η² < 1, SAPipe-WP with option 1 has a mean over t < T of "
    "E‖∇F(x_t)‖² of at most 2R₀/(ηT) + κL²η²[(1 − 1/n)V₁ + 2(nρ − 1)V₂]/(1 − 2L²η²) + LηV₁/n "
    "for every T ≥ 1, V₂ being at least every ‖∇F(x_t)‖². "
    f"{wp_1_method.READ_SO}",
)

CLAIM = prover.as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-1"], where=_RATIO < 1, cost=2)
