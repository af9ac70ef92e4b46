"""SAPipe-WP with option 2 for every η ≤ 1/L and every share κ: four times Err₀.

Problem    F is L-smooth and at least F(x_*); n workers, variance V₁, E‖g‖² ≤ V₂.
Method     option 2. Where κ < 1, an update is a mixture of fresh and stale elements, and the
           samples of the stale ones are not used before.
Guarantee  (1/T) Σ_{t<T} E‖∇F(x_t)‖² ≤ 2R₀/(ηT) + 4κL²η²V₂ + LηV₁/n for η ≤ 1/L. The predicted
           weights miss by the difference of two updates, each of mean square at most η²V₂: no
           recursion is needed, so no condition beyond η ≤ 1/L is either.
Source     ours.
"""

from theory.judging.as_claim import as_claim
from theory.notation import theorem
from theory.papers.sapipe import setting, wp_2_method
from theory.papers.sapipe.lemmas import elements, workers
from theory.papers.sapipe.runs.challenges import CHALLENGES

V2, L, eta, kappa, t, E_T, F, G, S, X = setting.letters("V2 L eta kappa t E_T F G S X")
AVERAGE, OPTIMIZATION, VAR_0 = setting.letters("AVERAGE OPTIMIZATION VAR_0")
AIM, LAST, U, W = wp_2_method.letters("AIM LAST U W")

_MISSED = X.gradient - AIM

ERR = 4 * L**2 * eta**2 * V2
"""The error term."""

draft = wp_2_method.along(theorem("sapipe.repaired-thm-5"))
setting.assuming(draft, *elements.drawn(_MISSED), elements.UNBIASED, *elements.SAMPLES)
setting.assuming(draft, wp_2_method.SIZE, wp_2_method.FIRST_GAP, wp_2_method.AT_REST)
setting.assuming(draft, setting.START, setting.LOWER, setting.STEPSIZE, setting.SHARE)
draft.cite(workers.THEOREM)
draft.cite(elements.THEOREM, vectors={setting.OFF: _MISSED})
draft.have(setting.mean_of(_MISSED).relation)
draft.have(1 - L * eta >= 0, "small")
draft.have(1 - kappa >= 0, "part")
draft.have(
    F(t + 1) <= F(t) - eta / 2 * (S(t) - kappa * L**2 * W(t)) + eta / 2 * VAR_0, "one update"
)
draft.have((G - LAST.position) ** 2 <= 2 * G**2 + 2 * LAST.position**2, "two updates")
draft.have(W(t + 1) <= 2 * eta**2 * (V2 + U(t)), "gaps")
draft.have(U(t + 1) <= V2, "sizes")
TERMS = {"optimization": OPTIMIZATION, "error": kappa * ERR, "variance": VAR_0}
THEOREM = draft.shows(
    AVERAGE <= sum(TERMS.values()),
    TERMS,
    says="With η ≤ 1/L, SAPipe-WP with option 2 has a mean over t < T of E‖∇F(x_t)‖² of at most "
    "2R₀/(ηT) + 4κL²η²V₂ + LηV₁/n for every T ≥ 1. This is Algorithm 3 for κ = 1, round 0 not "
    "counted and g_0 = 0; for 0 < κ < 1 if stale elements have samples of their own.",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|\nabla F(x_t)\|^2 \le \tfrac{2R_0}{\eta T} + "
    r"4\kappa L^2\eta^2 V_2 + \tfrac{L\eta V_1}{n}",
)

CLAIM = as_claim(THEOREM, challenge=CHALLENGES["sapipe-wp-2"], cost=2)
