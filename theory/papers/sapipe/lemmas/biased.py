"""SGD with a biased part: what Theorems 2 to 6 have in common.

Problem    F is L-smooth and at least F(x_*).
Method     x_{t+1} = x_t − ηg. Elements of g are stale with probability κ, drawn anew (Assumption
           5); stale ones have the mean s, fresh ones ∇F(x_t), and the variance is at most ν.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κe + Lην for η ≤ 1/L, e bounding the mean of
           E‖∇F(x_t) − s‖². The draw adds to the second moment of g what it takes from the bias, so
           that κ, and not √κ or 1, multiplies the error.
Source     ours; the paper puts its bounds of bias and variance into Lemma 1.
"""

from theory.kernel import Hypothesis, le
from theory.notation import theorem, total
from theory.papers.sapipe import setting

L, T, eta, kappa, t, OFF, B, F, S = setting.letters("L T eta kappa t OFF B F S")
e, nu, OPTIMIZATION = setting.letters("e nu OPTIMIZATION")

BIAS = Hypothesis(
    "bias",
    "the mean over t < T of E‖b‖², b = ∇F(x_t) − s, is at most e",
    le(total(B(t), t, T) / T, e),
)

draft = setting.along(theorem("sapipe.biased"), {B: OFF**2})
setting.assuming(draft, setting.mean_of(OFF), setting.second_moment(OFF, nu), BIAS)
setting.assuming(draft, setting.START, setting.LOWER, setting.STEPSIZE, setting.SHARE)
draft.have(1 - L * eta >= 0, "small")
draft.have(1 - kappa >= 0, "part")
draft.have(
    F(t + 1) <= F(t) - eta / 2 * S(t) + eta / 2 * kappa * B(t) + L * eta**2 * nu / 2, "one update"
)
TERMS = {"optimization": OPTIMIZATION, "error": kappa * e, "variance": L * eta * nu}
CLAIM = THEOREM = draft.shows(
    setting.AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="If stale elements of the gradient have the mean s with E‖∇F(x_t) − s‖² ≤ e on average, "
    "the variance is at most ν and η ≤ 1/L, then the mean over t < T of E‖∇F(x_t)‖² is at most "
    "2R₀/(ηT) + κe + Lην for every T ≥ 1 and 0 ≤ κ ≤ 1, the stale elements being drawn as in "
    "Assumption 5.",
)
