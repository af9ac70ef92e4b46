"""SAPipe-WP, option 1, keeps within the bound of vanilla SAPipe: its error term may be Err₀.

Problem    that of `wp_1_average`, and E‖g_i‖² ≤ V₂; nothing is asked of diversity or variance.
Method     worker i predicts with its own gradient: x̃_i = x_t − ηg_i.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + κL²η²V₂ + LηV₁/n for η ≤ 1/L: the workers'
           gradients deviate from their mean by at most what they measure themselves.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.kernel import eq
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_1_average, wp_1_method
from theory.papers.sapipe.runs.challenges import CHALLENGES

V2, eta, kappa, t, AVERAGE, E_T, G = setting.letters("V2 eta kappa t AVERAGE E_T G")
ERR_0, OPTIMIZATION, VAR_0 = setting.letters("ERR_0 OPTIMIZATION VAR_0")
AVG, NEXT_SPREAD, OWN, SPREAD, W = wp_1_method.letters("AVG NEXT_SPREAD OWN SPREAD W")

draft = setting.along(theorem("sapipe.wp-1-moment"), {W: SPREAD}, wp_1_method.FOLLOWING)
draft.cite(wp_1_average.THEOREM)
draft.assume(
    NEXT_SPREAD <= eta**2 * AVG.of((OWN - G) ** 2),
    "predictions",
    "x̃_i is x_t − ηg_i and x_{t+1} is x_t − ηg (Algorithm 3, option 1): V⁺ is η² times the "
    "mean of the ‖g_i − g‖²",
)
draft.assume(
    eq(AVG.of(OWN @ G), G**2), "contributions", "g is the mean over the workers of the g_i"
)
draft.assume(
    E_T.of(OWN**2) <= V2,
    "size",
    "stochastic gradients have squared norms of at most V₂ (Assumption 2); so has g_i on "
    "average over its stale elements",
)
draft.assume(wp_1_method.AT_START)
draft.have(
    NEXT_SPREAD <= eta**2 * AVG.of(OWN**2),
    says="‖g_i − g‖² is on average the mean of the ‖g_i‖² less ‖g‖²",
)
draft.have(W(t + 1) <= eta**2 * V2)
TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR_0, "variance": VAR_0}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With η ≤ 1/L, SAPipe-WP with option 1 has a mean over t < T of E‖∇F(x_t)‖² of at most "
    "2R₀/(ηT) + κL²η²V₂ + LηV₁/n, as vanilla SAPipe, for every T ≥ 1 and whatever the "
    f"diversity of the workers. {wp_1_method.READ_SO}",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-1"])
