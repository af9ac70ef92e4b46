"""The proof of Theorem 4 up to its last step: the bias is how far the predictions are from x_t.

Problem    every F_i is L-smooth, F is their mean and at least F(x_*); n workers, variance V₁.
Method     x_{t+1} = x_t − ηg, elements of g stale with probability κ: then they are of gradients
           at predictions x̃_i of the workers, whatever these are.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + LηV₁/n + κL² times the mean over t < T and i of
           E‖x_t − x̃_i‖², for η ≤ 1/L.
Source     SAPipe paper, appendix A, proof of Theorem 4; E‖x_t − x̃_i‖² is left as it is.
"""

from theory.kernel import Combine, le, lipschitz
from theory.notation import theorem, total
from theory.papers.sapipe import setting, wp_1_method
from theory.papers.sapipe.lemmas import elements, workers, wp_update

V1, L, T, eta, kappa, n, t, OFF, F = setting.letters("V1 L T eta kappa n t OFF F")
S, X, nu, OPTIMIZATION, VAR_0 = setting.letters("S X nu OPTIMIZATION VAR_0")
APART, AVG, HERE, PREDICTED = wp_1_method.letters("APART AVG HERE PREDICTED")
PROOF, SPREAD, W = wp_1_method.letters("PROOF SPREAD W")

_HALF = eta / 2
_VARIANCE = L * eta**2 * V1 / (2 * n)
_BIAS_WHERE = f"{PROOF}, the error of the gradient estimation"

draft = setting.along(
    theorem("sapipe.wp-1-average", PROOF),
    {W: SPREAD},
    wp_1_method.FOLLOWING,
    (HERE, PREDICTED, wp_1_method.AHEAD),
)
draft.varying(SPREAD)
setting.assuming(
    draft,
    *(wp_1_method.EACH_SMOOTH, *elements.drawn(OFF), elements.UNBIASED, *elements.SAMPLES),
    *(wp_1_method.OBJECTIVE, wp_1_method.SPREAD_IS, setting.START, setting.LOWER),
    *(setting.STEPSIZE, setting.SHARE),
)
draft.cite(
    workers.THEOREM,
    name="noise",
    says="the variance of the mean of n independent gradients is at most V₁/n",
    where=f"{PROOF}, the variance term",
)
draft.cite(elements.THEOREM, name="second moment")
draft.have(setting.mean_of(OFF).relation, "unbiased")
draft.have(le(0, (APART - OFF) ** 2), "square", by=Combine(squares=((1, APART - OFF),)))
draft.have(
    OFF**2 <= AVG.of(APART**2),
    "mean of squares",
    says="‖∇F(x) − (1/n)Σ∇F_i(x̃_i)‖² is at most the mean of the ‖∇F_i(x) − ∇F_i(x̃_i)‖²",
    where=f"{_BIAS_WHERE}, line 4",
)
draft.have(lipschitz(L, HERE, PREDICTED), "slopes")
draft.have(
    OFF**2 <= L**2 * SPREAD,
    "smoothness",
    says="at most L² times the mean of the ‖x − x̃_i‖²",
    where=f"{_BIAS_WHERE}, line 5",
)
draft.cite(wp_update.THEOREM, {nu: V1 / n}, name="update")
draft.have(1 - L * eta >= 0, "small")
draft.have(1 - kappa >= 0, "part")
draft.have(
    wp_update.AHEAD <= X.value - _HALF * X.gradient**2 + _HALF * kappa * L**2 * SPREAD + _VARIANCE,
    "together",
    by=Combine(
        {"update": 1, "smoothness": _HALF * kappa},
        squares=(
            (_HALF * (1 - L * eta) * kappa, X.gradient - OFF),
            (_HALF * (1 - L * eta) * (1 - kappa), X.gradient),
        ),
        domain=("small", "part"),
    ),
    says="the bias and the variance in Lemma 1, the bias with the factor κ",
    where=f"{PROOF}, putting together",
)
draft.have(
    F(t + 1) <= F(t) - _HALF * S(t) + _HALF * kappa * L**2 * W(t) + _VARIANCE,
    "total",
    says="total expectation, which re-arranged bounds ‖∇F(x_{t−1})‖²",
    where=f"{PROOF}, re-arranged",
)
draft.have(
    F(T) <= F(0) - _HALF * total(S(t) - kappa * L**2 * W(t), t, T) + T * _VARIANCE,
    "sum",
    says="sum over the iterations; κ is missing from the printed sum, and so are t = 1 and 2",
    where=f"{PROOF}, telescoping",
)
TERMS = {
    "optimization": OPTIMIZATION,
    "predictions": kappa * L**2 * total(W(t), t, T) / T,
    "variance": VAR_0,
}
CLAIM = THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    says=(
        "With η ≤ 1/L, the mean over t < T of E‖∇F(x_t)‖² is at most 2R₀/(ηT) + LηV₁/n + κL² times "
        "the mean over t < T and the workers of E‖x_t − x̃_i‖², whatever the predictions x̃_i are: "
        f"for κ = 1, and {wp_1_method.OWN_SAMPLES}."
    ),
)
