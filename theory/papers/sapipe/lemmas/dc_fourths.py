"""The fourth moment of the steps of SAPipe-DC, in whatever way elements depend on each other.

Problem    ‖g_f‖² and ‖g_s‖² are at most V₂ on every draw, ληV₂ ≤ 1 − 1/√2.
Method     SAPipe-DC from the first update that is done; every element is of g_f or compensated.
Guarantee  (1/T) Σ_{t<T} E‖x_t − x_{t−1}‖⁴ ≤ 16η⁴V₂², whichever elements are stale.
Source     ours.
"""

from theory.notation import theorem, total
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas import dc_sizes

V2, T, t = setting.letters("V2 T t")

draft = dc_method.stepping(
    theorem("sapipe.dc-fourths"), dc_method.FRESH_SIZE, dc_method.MIXED, dc_method.AT_REST[1]
)
dc_sizes.fourth_powers(draft, 2 * V2)
CLAIM = THEOREM = draft.shows(
    total(dc_method.Q(t), t, T) / T <= 16 * V2**2,
    {"steps": 16 * V2**2},
    says="If ληV₂ ≤ 1 − 1/√2, then the mean over t < T of E‖x_t − x_{t−1}‖⁴ of SAPipe-DC, with "
    "samples of their own for stale elements and a compensation that sees all of Δx, is at "
    "most 16η⁴V₂², whichever elements are stale (written with g⁻ = (x_{t−1} − x_t)/η).",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 16\eta^4 V_2^2",
)
