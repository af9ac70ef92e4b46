"""The fourth moment of the steps of SAPipe-DC, where elements are drawn independently.

Let f and c be the fresh and the compensated gradient. If every element of g is that of c with
probability κ, independently of the others, then ‖g‖² has the variance κ(1 − κ)Σ(f_j² − c_j²)², at
most κ(1 − κ)(‖f‖⁴ + ‖c‖⁴), and so E‖g‖⁴ ≤ (1 − κ)‖f‖⁴ + κ‖c‖⁴ + 2κ(1 − κ)‖f‖²‖c‖² given f and c.
The moments then follow linear recurrences, with a fixed point of at most 4V₂² for every κ.
"""

import sympy

from theory.judging.as_claim import as_claim
from theory.kernel import Combine, Expect, Hypothesis, Step, Telescope, Theorem, Total, le, square
from theory.kernel.vectors import Scalar
from theory.papers.sapipe import dc_method, setting
from theory.papers.sapipe.lemmas.dc_sizes import ALL, GROWTH, KEPT, LENGTH

V2, T, eta, kappa, lambda_, t, G = setting.letters("V2 T eta kappa lambda_ t G")
ALONG, COMPENSATED, E_T, FRESH = dc_method.letters("ALONG COMPENSATED E_T FRESH")
LAST, STALE, Q, U = dc_method.letters("LAST STALE Q U")


_FRESH, _COMPENSATED = square(FRESH), square(COMPENSATED)
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
        E_T.of(square(G) ** 2),
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


_EACH = (
    Step("room", le(1 / KEPT, _ROOT), Combine({"small": _ROOT / KEPT}, domain=("small",))),
    Step(
        "size",
        le(_COMPENSATED, _SIZE),
        Combine({"compensated size": 1, "room": V2, "small": LENGTH}, domain=("small",)),
    ),
    Step("size, squared", le(_COMPENSATED**2, _SIZE**2), Combine({"size": _COMPENSATED + _SIZE})),
    Step("fresh size, squared", le(_FRESH**2, V2**2), Combine({"fresh size": _FRESH + V2})),
    Step(
        "product",
        le(_FRESH * _COMPENSATED, V2 * _SIZE),
        Combine({"fresh size": _COMPENSATED, "size": V2}),
    ),
)
_MEANS = tuple(
    Step(f"{name}, mean", le(E_T.of(form), bound), Expect(name, E_T))
    for name, form, bound in (
        ("fresh size", _FRESH, V2),
        ("size", _COMPENSATED, _SIZE),
        ("fresh size, squared", _FRESH**2, V2**2),
        ("size, squared", _COMPENSATED**2, _SIZE**2),
        ("product", _FRESH * _COMPENSATED, V2 * _SIZE),
    )
)
_MOMENTS = (
    Step(
        "square",
        le(E_T.of(square(G)), _square(LENGTH)),
        Combine(
            {"mixed mean": 1, "fresh size, mean": _SPARE, "size, mean": kappa}, domain=("share",)
        ),
    ),
    Step(
        "fourth power",
        le(E_T.of(square(G) ** 2), _fourth(LENGTH, LENGTH**2)),
        Combine(
            {
                "drawn": 1,
                "fresh size, squared, mean": _SPARE,
                "size, squared, mean": kappa,
                "product, mean": 2 * kappa * _SPARE,
            },
            domain=("share",),
        ),
    ),
    Step("square, total", le(U(t + 1), _square(U(t))), Total("square", t)),
    Step("fourth power, total", le(Q(t + 1), _fourth(U(t), Q(t))), Total("fourth power", t)),
    Step(
        "squares",
        le(
            U(T) - U(0) + (1 - kappa * _MOST) * sympy.Sum(U(t), ALL),
            T * _square(sympy.S.Zero),
        ),
        Telescope("square, total", t, T),
    ),
    Step(
        "fourth powers",
        le(
            Q(T) - Q(0) + (1 - kappa * _MOST**2) * sympy.Sum(Q(t), ALL),
            T * _fourth(sympy.S.Zero, sympy.S.Zero)
            + 2 * kappa * _MOST * V2 * (_ROOT + _SPARE) * sympy.Sum(U(t), ALL),
        ),
        Telescope("fourth power, total", t, T),
    ),
)

_FOURTHS = 1 / (T * (1 - kappa * _MOST**2))
_SQUARES = 2 * kappa * _MOST * V2 * (_ROOT + _SPARE) / (1 - kappa * _MOST) * _FOURTHS
_LEFT = (sympy.Rational(3, 2) * _ROOT - 2) + (3 - _ROOT / 2) * _SPARE + (2 - _ROOT) * _SPARE**2
"""What 4 exceeds the fixed point by is so many times 1 − κ, over the two denominators."""

THEOREM = Theorem(
    id="sapipe.dc-fourths-drawn",
    where="ours",
    statement=(
        "If ληV₂ ≤ 1 − 1/√2 and the elements of g are drawn independently of each other, then the "
        "mean over t < T of E‖x_t − x_{t−1}‖⁴ of SAPipe-DC, with samples of their own for stale "
        "elements and a compensation that sees all of Δx, is at most 4η⁴V₂² for every 0 ≤ κ ≤ 1 "
        "(written with g⁻ = (x_{t−1} − x_t)/η)."
    ),
    latex=r"\tfrac1T \sum_{t<T} \mathbb{E}\|x_t - x_{t-1}\|^4 \le 4\eta^4 V_2^2",
    symbols=(T, eta, lambda_, V2, kappa),
    scalars=(ALONG,),
    vectors=(G, FRESH, STALE),
    points=(LAST, dc_method.FOLLOWING[1][1]),
    sequences=dc_method.LENGTHS,
    following=dc_method.FOLLOWING[1:],
    hypotheses=(
        *dc_method.SIZES,
        dc_method.MIXED_MEAN,
        DRAWN,
        setting.SHARE,
        dc_method.SMALL,
        *dc_method.AT_REST,
    ),
    steps=(*GROWTH, *_EACH, *_MEANS, *_MOMENTS),
    lhs=sympy.Sum(Q(t), ALL) / T,
    terms={"steps": 4 * V2**2},
    conclude=Combine(
        {
            "fourth powers": _FOURTHS,
            "at rest, fourth power": _FOURTHS,
            "squares": _SQUARES,
            "at rest": _SQUARES,
            "share": V2**2 * _LEFT * T * _FOURTHS / (1 - kappa * _MOST),
        },
        plus=(_FOURTHS * Q(T), _SQUARES * U(T)),
        domain=("share",),
    ),
)
CLAIM = as_claim(THEOREM)
