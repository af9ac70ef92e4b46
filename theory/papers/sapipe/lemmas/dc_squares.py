"""The second moment of the steps of SAPipe-DC, for every share of stale elements.

Problem    ‖g_f‖² and ‖g_s‖² are at most V₂ on every draw, ληV₂ ≤ 1 − 1/√2.
Method     SAPipe-DC from the first update that is done, elements stale with probability κ.
Guarantee  (1/T) Σ_{t<T} E‖x_t − x_{t−1}‖² ≤ 2η²V₂.
Source     ours.
"""

from theory.kernel import Combine
from theory.notation import theorem, total
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas import dc_sizes
from theory.papers.sapipe.lemmas.dc_sizes import KEPT

V2, T, t, kappa = setting.letters("V2 T t kappa")
U, q = dc_method.letters("U q")

draft = dc_method.stepping(theorem("sapipe.dc-squares"), dc_method.FRESH_SIZE, dc_method.MIXED_MEAN)
setting.assuming(draft, setting.SHARE, dc_method.AT_REST[0])
dc_sizes.growing(draft)
draft.have(1 - kappa >= 0)
draft.have(U(t + 1) <= V2 / KEPT + q * U(t))
draft.have(1 / KEPT**2 <= 2, by=Combine({"small": dc_sizes.ROOM}, domain=("small",)))
CLAIM = THEOREM = draft.shows(
    total(U(t), t, T) / T <= 2 * V2,
    {"steps": 2 * V2},
    says="If ληV₂ ≤ 1 − 1/√2, then the mean over t < T of E‖x_t − x_{t−1}‖² of SAPipe-DC, with "
    "samples of their own for stale elements and a compensation that sees all of Δx, is at "
    "most 2η²V₂ for every 0 ≤ κ ≤ 1 (written with g⁻ = (x_{t−1} − x_t)/η).",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^2 \le 2\eta^2 V_2",
)
