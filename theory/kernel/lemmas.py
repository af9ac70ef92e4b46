"""Standard lemmas, proved from the axioms of inner products and of expectations."""

from __future__ import annotations

from typing import Final

import sympy

from theory.kernel.means import Operator
from theory.kernel.relations import eq, le
from theory.kernel.rules.algebra import Combine
from theory.kernel.rules.calculus import Integral, Lipschitz, lipschitz
from theory.kernel.rules.expectation import Expect
from theory.kernel.theorem import Hypothesis, Smooth, Step, Theorem
from theory.kernel.vectors import Point, dot, point, square, vector, vectors

_L: Final = sympy.Symbol("L", positive=True)
_T: Final = sympy.Symbol("t", positive=True)
_A: Final = sympy.Symbol("a", positive=True)
_U, _V = vectors("u v")
_X, _Y = point("x"), point("y")
_WAY: Final = _Y.position - _X.position
_Z: Final = Point(_X.position + _WAY * _T, sympy.Symbol("f(z)", real=True), vector("∇f(z)"))

YOUNG: Final = Theorem(
    id="kernel.young",
    where="standard",
    statement="⟨u, v⟩ ≤ (a/2)‖u‖² + ‖v‖²/(2a) for every a > 0.",
    latex=r"\langle u, v\rangle \le \tfrac{a}{2}\|u\|^2 + \tfrac{1}{2a}\|v\|^2",
    symbols=(_A,),
    vectors=(_U, _V),
    lhs=dot(_U, _V),
    terms={"first": _A / 2 * square(_U), "second": square(_V) / (2 * _A)},
    conclude=Combine(squares=((1 / (2 * _A), _A * _U - _V),)),
)

CAUCHY_SCHWARZ: Final = Theorem(
    id="kernel.cauchy-schwarz",
    where="standard",
    statement="⟨u, v⟩² ≤ ‖u‖²‖v‖² for v ≠ 0; for v = 0 both sides are 0.",
    latex=r"\langle u, v\rangle^2 \le \|u\|^2 \|v\|^2",
    symbols=(_A,),
    vectors=(_U, _V),
    hypotheses=(Hypothesis("not zero", "v ≠ 0, a being ‖v‖²", eq(square(_V), _A)),),
    lhs=dot(_U, _V) ** 2,
    terms={"product": square(_U) * square(_V)},
    conclude=Combine(
        {"not zero": (square(_U) * square(_V) - dot(_U, _V) ** 2) / _A},
        squares=((1 / _A, square(_V) * _U - dot(_U, _V) * _V),),
    ),
)

_AVERAGE: Final = Operator("avg", ("u",))
_MEAN: Final = vector("mean of u")

JENSEN: Final = Theorem(
    id="kernel.jensen",
    where="standard",
    statement="The squared norm of a mean is at most the mean of the squared norm.",
    latex=r"\|\mathbb{E} u\|^2 \le \mathbb{E}\|u\|^2",
    symbols=(),
    vectors=(_U, _MEAN),
    hypotheses=(
        Hypothesis("mean", "E u is the mean", eq(_AVERAGE.of(dot(_U, _MEAN)), square(_MEAN))),
    ),
    steps=(
        Step("square", le(0, square(_U - _MEAN)), Combine(squares=((1, _U - _MEAN),))),
        Step("spread", le(0, _AVERAGE.of(square(_U - _MEAN))), Expect("square", _AVERAGE)),
    ),
    lhs=square(_MEAN),
    terms={"mean": _AVERAGE.of(square(_U))},
    conclude=Combine({"spread": 1, "mean": -2}),
)

DESCENT: Final = Theorem(
    id="kernel.descent",
    where="standard",
    statement="f(y) ≤ f(x) + ⟨∇f(x), y − x⟩ + (L/2)‖y − x‖² for L-smooth f (descent lemma).",
    latex=r"f(y) \le f(x) + \langle \nabla f(x), y - x\rangle + \tfrac{L}{2}\|y - x\|^2",
    symbols=(_L, _T),
    points=(_X, _Y, _Z),
    hypotheses=(Smooth("smooth", "∇f is L-Lipschitz", _L),),
    steps=(
        Step("near", lipschitz(_L, _X, _Z), Lipschitz("smooth", _X, _Z)),
        Step(
            "slope",
            le(dot(_Z.gradient, _WAY), dot(_X.gradient, _WAY) + _L * _T * square(_WAY)),
            Combine(
                {"near": 1 / (2 * _L * _T)},
                squares=((1 / (2 * _L * _T), _Z.gradient - _X.gradient - _L * _T * _WAY),),
            ),
            "by Young's inequality",
        ),
        Step(
            "rise",
            le(_Y.value - _X.value, dot(_X.gradient, _WAY) + _L / 2 * square(_WAY)),
            Integral("slope", _T, _X, _Y, _Z),
        ),
    ),
    lhs=_Y.value,
    terms={
        "value": _X.value,
        "slope": dot(_X.gradient, _WAY),
        "curvature": _L / 2 * square(_WAY),
    },
    conclude=Combine({"rise": 1}),
    assumes=("fundamental theorem of calculus along the segment from x to y",),
)

_B: Final = sympy.Symbol("b", positive=True)

TRIANGLE: Final = Theorem(
    id="kernel.triangle",
    where="standard",
    statement="‖u + v‖ ≤ a + b if ‖u‖ ≤ a and ‖v‖ ≤ b, both sides squared, for a, b > 0.",
    latex=r"\|u + v\|^2 \le (a + b)^2",
    symbols=(_A, _B),
    vectors=(_U, _V),
    hypotheses=(
        Hypothesis("first", "‖u‖ ≤ a", le(square(_U), _A**2)),
        Hypothesis("second", "‖v‖ ≤ b", le(square(_V), _B**2)),
    ),
    lhs=square(_U + _V),
    terms={"lengths": (_A + _B) ** 2},
    conclude=Combine(
        {"first": 1 + _B / _A, "second": 1 + _A / _B},
        squares=((1 / (_A * _B), _B * _U - _A * _V),),
    ),
)

LEMMAS: Final = (YOUNG, CAUCHY_SCHWARZ, JENSEN, DESCENT, TRIANGLE)
