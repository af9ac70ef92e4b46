"""The fourth moment of the steps of SAPipe-DC, where elements are drawn independently.

Problem    that of `dc_fourths`.
Method     the same; every element of g is that of the compensated gradient c with probability κ,
           independently of the others, and else that of the fresh one, f.
Guarantee  (1/T) Σ_{t<T} E‖x_t − x_{t−1}‖⁴ ≤ 4η⁴V₂² for every κ: ‖g‖² has the variance
           κ(1 − κ)Σ(f_j² − c_j²)², at most κ(1 − κ)(‖f‖⁴ + ‖c‖⁴), so that E‖g‖⁴ ≤ (1 − κ)‖f‖⁴ +
           κ‖c‖⁴ + 2κ(1 − κ)‖f‖²‖c‖² given f and c. The moments then follow linear recurrences,
           with a fixed point of at most 4V₂².
Source     ours.
"""

import sympy

from theory.kernel import Combine, Hypothesis, le
from theory.kernel.vectors import Scalar
from theory.notation import theorem
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas import dc_sizes

V2, T, t, kappa, G = setting.letters("V2 T t kappa G")
COMPENSATED, E_T, FRESH, Q, U = dc_method.letters("COMPENSATED E_T FRESH Q U")

KEPT, LENGTH = dc_sizes.KEPT, dc_sizes.LENGTH
_FRESH, _COMPENSATED = FRESH**2, COMPENSATED**2
_ROOT = sympy.sqrt(2)
_MOST = 1 - 1 / _ROOT
"""The largest ληV₂."""

_SIZE = _ROOT * V2 + _MOST * LENGTH
_SPARE = 1 - kappa

DRAWN = Hypothesis(
    "drawn",
    "the elements of g are drawn independently of each other and of the samples, each stale with "
    "probability κ (Assumption 5)",
    le(
        E_T.of((G**2) ** 2),
        _SPARE * E_T.of(_FRESH**2)
        + kappa * E_T.of(_COMPENSATED**2)
        + 2 * kappa * _SPARE * E_T.of(_FRESH * _COMPENSATED),
    ),
)


def _square(length: Scalar) -> Scalar:
    """Most that E‖g‖² is after a step with this square of its length over η²."""
    return _SPARE * V2 + kappa * (_ROOT * V2 + _MOST * length)


def _fourth(length: Scalar, its_square: Scalar) -> Scalar:
    """Most that E‖g‖⁴ is."""
    mixed = 2 * kappa * _SPARE * V2 * (_ROOT * V2 + _MOST * length)
    compensated = 2 * V2**2 + 2 * _ROOT * _MOST * V2 * length + _MOST**2 * its_square
    return _SPARE * V2**2 + kappa * compensated + mixed


draft = dc_method.stepping(
    theorem("sapipe.dc-fourths-drawn"), dc_method.FRESH_SIZE, dc_method.MIXED_MEAN, DRAWN
)
setting.assuming(draft, setting.SHARE, *dc_method.AT_REST)
dc_sizes.growing(draft)
draft.have(1 / KEPT <= _ROOT, "room")
draft.have(_COMPENSATED <= _SIZE, "size")
draft.have(_COMPENSATED**2 <= _SIZE**2, "size, squared", by=Combine({"size": _COMPENSATED + _SIZE}))
draft.have(_FRESH**2 <= V2**2, "fresh size, squared", by=Combine({"fresh size": _FRESH + V2}))
draft.have(
    _FRESH * _COMPENSATED <= V2 * _SIZE,
    "product",
    by=Combine({"fresh size": _COMPENSATED, "size": V2}),
)
draft.have(1 - kappa >= 0, "part")
draft.have(U(t + 1) <= _square(U(t)), "square")
draft.have(Q(t + 1) <= _fourth(U(t), Q(t)), "fourth power")

CLAIM = THEOREM = draft.shows(
    sympy.Sum(Q(t), (t, 0, T - 1)) / T <= 4 * V2**2,
    {"steps": 4 * V2**2},
    says="If ληV₂ ≤ 1 − 1/√2 and the elements of g are drawn independently of each other, then the "
    "mean over t < T of E‖x_t − x_{t−1}‖⁴ of SAPipe-DC, with samples of their own for stale "
    "elements and a compensation that sees all of Δx, is at most 4η⁴V₂² for every 0 ≤ κ ≤ 1 "
    "(written with g⁻ = (x_{t−1} − x_t)/η).",
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 4\eta^4 V_2^2",
)
