"""The circling run's constants hold on the whole plane: L, M, Δ, and how long a gradient may be.

F(x, y) = p(x) + p(y) with an even p that is checked piece by piece. The Hessian of F is diagonal
and between 0 and L, so that ∇F∇Fᵀ − ∇²F lies between −L and ‖∇F‖².
"""

from fractions import Fraction
from functools import cache

import sympy

from theory.account import Ground
from theory.kernel import Combine, Hypothesis, Theorem, eq, le, vectors
from theory.kernel.vectors import Scalar
from theory.papers.sapipe.pieces import lemma
from theory.papers.sapipe.symbols import L
from theory.papers.sapipe.witnesses.exact_objectives import Constants, Piece, exact, shown, u
from theory.papers.sapipe.witnesses.limit_cycle import Circling


def coordinate(run: Circling) -> tuple[Piece, ...]:
    """The function p for u ≥ 0: up to U, and from there on until its curvature is 0."""
    bend, reach = exact(run.bend), exact(run.reach)
    slope, curvature = u - bend * u**3, 1 - 3 * bend * u**2
    start, left = slope.subs(u, reach), curvature.subs(u, reach)
    fall = 6 * bend * reach
    last = Fraction(int((left / fall).p), int((left / fall).q))
    return (
        Piece(slope, curvature, Fraction(0), run.reach),
        Piece(start + left * u - fall * u**2 / 2, left - fall * u, Fraction(0), last),
    )


_G, _U = vectors("∇F u")
_q = sympy.Symbol("q", real=True)
_UNIT = Hypothesis("unit", "u has length 1", eq(_U**2, 1))
_CONVEX = Hypothesis("convex", "q = ⟨u, ∇²F u⟩ is at least 0", le(0, _q))
_CURVED = Hypothesis("curved", "q = ⟨u, ∇²F u⟩ is at most L", le(_q, L))
_FIT = (_G @ _U) ** 2 - _q


def _side(
    name: str, fit: Scalar, most: Scalar, hypotheses: tuple[Hypothesis, ...], conclude: Combine
) -> Theorem:
    return lemma(
        f"sapipe.convex-misfit-{name}",
        "⟨∇F, u⟩² − ⟨u, ∇²F u⟩ is between −L and ‖∇F‖² for a convex F and every u of length "
        f"1: the bound from {name}.",
        r"-L \le \langle\nabla F, u\rangle^2 - \langle u, \nabla^2F\,u\rangle \le "
        r"\|\nabla F\|^2",
        le(fit, most),
        conclude,
        *hypotheses,
        scalars=(_q,),
        vectors=(_G, _U),
    )


MISFIT = (
    _side(
        "above",
        _FIT,
        _G**2,
        (_CONVEX, _UNIT),
        Combine({"convex": 1, "unit": (_G @ _U) ** 2}, squares=((1, _G - (_G @ _U) * _U),)),
    ),
    _side("below", -_FIT, L, (_CURVED,), Combine({"curved": 1}, squares=((1, _G @ _U),))),
)
"""Why Δ is max(L, ‖∇F‖²) at most."""


@cache
def hold(run: Circling) -> tuple[Ground, ...]:
    """Why L, M, Δ and the bound of ‖∇F‖² are right everywhere.

    Examples
    --------
    >>> from theory.papers.sapipe.witnesses.limit_cycle import RUN
    >>> from theory.judging.decide import proves
    >>> proves(*hold(RUN))
    True
    """
    claimed = Constants(run.smoothness, run.remainder, run.steepest)
    return (*shown(coordinate(run), claimed), *MISFIT)
