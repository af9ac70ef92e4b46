"""What Assumption 4 alone makes of an objective: short gradients, and curvature of at most 2Δ.

Problem    f is twice differentiable on all of R^d, ‖∇f∇fᵀ − ∇²f‖ ≤ Δ everywhere.
Method     h = exp(−f) has ∇²h = h(∇f∇fᵀ − ∇²f), so that Assumption 4 is |h″| ≤ Δh along every line,
           with h > 0. Along a gradient that is longer than √Δ h would fall to 0. How the theorems
           below make a proof is said in `arguments`, "comparison along the gradient".
Guarantee  ‖∇f‖² ≤ Δ and −Δ ≤ ∇²f ≤ 2Δ everywhere, so that the least L is at most 2Δ.
Source     ours.
"""

from functools import cache

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem, vectors
from theory.kernel.vectors import Scalar
from theory.papers.sapipe.pieces import lemma, lines, weakened
from theory.papers.sapipe.symbols import Delta

_G, _U = vectors("∇f(x) u")
_k, _q = sympy.symbols("k q", real=True)
_m = sympy.Symbol("m", nonnegative=True)
_excess, _start, _here, _factor = sympy.symbols("excess h(0) h(s) E", positive=True)
_damped, _then = sympy.symbols("W h(r)", real=True)
_s = sympy.Symbol("s", real=True)

_BELOW = Hypothesis(
    "approximation from above",
    "⟨∇f, u⟩² − ⟨u, ∇²f u⟩ ≤ Δ for the direction u (Assumption 4)",
    prover.le(_k**2 - _q, Delta),
)


def damped_slope() -> Scalar:
    """(e^{−ms}(h′ + mh))′ over e^{−ms}h, for h = e^{−φ} with φ′ = k and φ″ = q.

    Examples
    --------
    >>> damped_slope()
    k**2 - m**2 - q
    """
    along = sympy.Function("phi")(_s)
    height = sympy.exp(-along)
    damped = sympy.exp(-_m * _s) * (height.diff(_s) + _m * height)
    slope = sympy.expand(sympy.simplify(damped.diff(_s) / (sympy.exp(-_m * _s) * height)))
    return slope.subs(along.diff(_s, 2), _q).subs(along.diff(_s), _k)


@cache
def _falls(bound: Scalar) -> Theorem:
    return lemma(
        "sapipe.damped-slope",
        "e^{−ms}(h′ + mh) never grows along a line, where m² is the bound of ‖∇f‖².",
        r"(e^{-ms}(h' + mh))' \le 0",
        prover.le(damped_slope(), sympy.S.Zero),
        Combine({_BELOW.name: 1, "root": 1}),
        _BELOW,
        Hypothesis("root", "m² is the bound", prover.eq(bound, _m**2)),
        scalars=(_k, _q),
    )


_STEEP = lemma(
    "sapipe.steep",
    "If k exceeds m at the start, h′ stays at or below h′(0) + mh(0) < 0.",
    r"h'(s) \le -(k - m)h(0)",
    prover.le(_factor * _damped - _m * _here, -_excess * _start),
    Combine({"no growth": _factor, "factor": _excess * _start}, plus=(_m * _here,)),
    Hypothesis(
        "no growth",
        "W = e^{−ms}(h′ + mh) is at most what it is at 0",
        prover.le(_damped, -_excess * _start),
    ),
    Hypothesis("factor", "E = e^{ms} is at least 1", prover.le(1, _factor)),
    scalars=(_here, _factor, _damped),
)

_CROSSES = lemma(
    "sapipe.crosses",
    "Then h is 0 or less at r = 1/(k − m), which no e^{−f} is.",
    r"h\left(\tfrac1{k - m}\right) \le 0",
    prover.le(_then, sympy.S.Zero),
    Combine({"mean value": 1}),
    Hypothesis(
        "mean value",
        "h(r) is at most h(0) + r times the largest h′ in between",
        prover.le(_then, _start - _excess * _start / _excess),
    ),
    scalars=(_then,),
)

_UNIT = Hypothesis("unit", "u has length 1", prover.eq(_U**2, 1))


@cache
def _curvature(bound: Scalar, most: Scalar) -> Theorem:
    return lemma(
        "sapipe.curvature",
        "⟨u, ∇²f u⟩ is at most twice Δ for every u of length 1.",
        r"\langle u, \nabla^2 f\, u\rangle \le 2\Delta",
        prover.le(_q, most),
        Combine(
            {"approximation": 1, "gradient": 1, "unit": (_G @ _U) ** 2},
            squares=((1, _G - (_G @ _U) * _U),),
        ),
        Hypothesis("approximation", "Assumption 4", prover.le(_q - (_G @ _U) ** 2, Delta)),
        Hypothesis("gradient", "‖∇f‖² is at most its bound", prover.le(_G**2, bound)),
        _UNIT,
        scalars=(_q,),
        vectors=(_G, _U),
    )


@cache
def _least(most: Scalar) -> Theorem:
    return lemma(
        "sapipe.least-curvature",
        "⟨u, ∇²f u⟩ is at least −Δ for every u of length 1.",
        r"-\Delta \le \langle u, \nabla^2 f\, u\rangle",
        prover.le(-_q, most),
        Combine({_BELOW.name: 1}, squares=((1, _k),)),
        _BELOW,
        scalars=(_k, _q),
    )


PRINTED = {"gradient": Delta, "curvature": 2 * Delta, "least": Delta}
"""Bounds of ‖∇f‖², of the curvature, and of minus the curvature."""


def holds(formulas: prover.Formulas = PRINTED) -> tuple[Theorem, ...]:
    """Why these bounds follow from Assumption 4."""
    gradient, curvature, least = (formulas[name] for name in PRINTED)
    return (_falls(gradient), _STEEP, _CROSSES, _curvature(gradient, curvature), _least(least))


ASSUMES = (
    "a function on the line whose derivative is nowhere positive does not grow, and h(r) ≤ h(0) + "
    "rc if h′ ≤ c between 0 and r (mean value theorem)",
    "the norm of a symmetric matrix is the largest |⟨u, Au⟩| over u of length 1; a gradient whose "
    "derivative is bounded by L in norm is L-Lipschitz",
    "the comparison is put together by hand from the machine-checked steps: the argument "
    "'comparison along the gradient'",
)


def _account(formulas: prover.Formulas) -> prover.Account:
    theorems = holds(formulas)
    return prover.Account(prover.Decision(theorems), assumes=ASSUMES, steps=lines(*theorems))


CLAIM = prover.Claim(
    "sapipe.assumption-4-gradient",
    "ours",
    "Every twice differentiable f on all of R^d with ‖∇f∇fᵀ − ∇²f‖ ≤ Δ everywhere has "
    "‖∇f‖² ≤ Δ and −Δ ≤ ∇²f ≤ 2Δ everywhere, so that its least L is at most 2Δ.",
    r"\|\nabla f \nabla f^\top - \nabla^2 f\| \le \Delta \implies \|\nabla f\|^2 \le \Delta,\;"
    r" -\Delta \le \nabla^2 f \le 2\Delta",
    account=_account,
    printed=PRINTED,
    core=PRINTED,
    holds=holds,
    weakened=weakened(*holds(PRINTED)),
)
