"""The fourth moment of the steps of SAPipe-DC where every element is stale.

Problem    that of `dc_fourths`.
Method     the same at κ = 1.
Guarantee  (1/T) Σ_{t<T} E‖x_t − x_{t−1}‖⁴ ≤ 4η⁴V₂².
Source     ours.
"""

from theory.kernel import Hypothesis, le
from theory.notation import theorem, total
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas import dc_sizes

V2, T, t, G = setting.letters("V2 T t G")

WHOLE = Hypothesis(
    "all stale",
    "κ = 1: every element of g is that of the compensated gradient",
    le(G**2, dc_method.COMPENSATED**2),
)

draft = dc_method.stepping(theorem("sapipe.dc-fourths-full"), WHOLE, dc_method.AT_REST[1])
dc_sizes.fourth_powers(draft, V2)
CLAIM = THEOREM = draft.shows(
    total(dc_method.Q(t), t, T) / T <= 4 * V2**2,
    {"steps": 4 * V2**2},
    says="If ληV₂ ≤ 1 − 1/√2 and every element is stale, then the mean over t < T of "
    "E‖x_t − x_{t−1}‖⁴ of SAPipe-DC is at most 4η⁴V₂² (written with g⁻ = (x_{t−1} − x_t)/η).",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 4\eta^4 V_2^2",
)
