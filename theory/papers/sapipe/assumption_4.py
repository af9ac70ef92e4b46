"""Assumption 4 and the unit of the loss.

Problem    Theorem 3 sets Δ beside L and a λ in [0, 1] beside 1, as if Assumption 4 read the same in
           every unit of the loss.
Method     f → cf multiplies ∇f∇fᵀ by c² and ∇²f by c.
Guarantee  False: no rule takes Δ to cΔ as L goes to cL; λ carries the unit of 1/loss, and 1 − λ has
           none. With a weight s beside the outer product, divided by c, all of it scales: s∇f∇fᵀ −
           ∇²f goes to c times itself, and λ/s stands for λ in Theorem 3.
Source     SAPipe paper, Assumption 4, as Theorem 3 uses it (our reading).
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from theory.judging import prover
from theory.kernel import Combine, Hypothesis, Theorem, vectors
from theory.kernel.vectors import Scalar
from theory.papers.sapipe.lemmas import assumption_4_gradient
from theory.papers.sapipe.pieces import lemma, lines, weakened
from theory.papers.sapipe.symbols import Delta
from theory.papers.sapipe.witnesses.log_cosh import Line, LogCosh

c = sympy.Symbol("c", positive=True)
"""By what the loss is multiplied."""

s = sympy.Symbol("s", positive=True)
"""Weight of the outer product; in the unit of 1/loss."""

_SIGN, _k, _q = sympy.symbols("sign k q", real=True)
_G, _U = vectors("∇f(x) u")

PRINTED = {"bound": c * Delta, "weight": s}
"""Of cf: the bound, and the weight of the outer product. Of f: Δ and s, where s = 1 as printed."""

REPAIRED = {"bound": c * Delta, "weight": s / c}


def _theorem(formulas: prover.Formulas) -> Theorem:
    """±(weight · c²k² − cq) ≤ bound from ±(sk² − q) ≤ Δ, along one direction."""
    bound, weight = (sympy.sympify(formulas[name]) for name in PRINTED)
    return lemma(
        "sapipe.scaled-hessian",
        "‖s∇f∇fᵀ − ∇²f‖ ≤ Δ for f is ‖(s/c)∇f∇fᵀ − ∇²f‖ ≤ cΔ for cf, for every c > 0: as "
        "L goes to cL, s goes to s/c and Δ to cΔ.",
        r"\|s \nabla f \nabla f^\top - \nabla^2 f\| \le \Delta",
        prover.le(_SIGN * (weight * (c * _k) ** 2 - c * _q), bound),
        Combine({"approximation": c}),
        Hypothesis(
            "approximation",
            "±(s⟨∇f, u⟩² − ⟨u, ∇²f u⟩) ≤ Δ for every u of length 1",
            prover.le(_SIGN * (s * _k**2 - _q), Delta),
        ),
        scalars=(_SIGN, _k, _q),
    )


AT_MINIMISER = lemma(
    "sapipe.curvature-at-minimiser",
    "Δ is at least ‖∇²f(x*)‖ at every minimiser x* of f, whatever else f is.",
    r"\|\nabla^2 f(x^*)\| \le \Delta",
    prover.le(_q, Delta),
    Combine(
        {"approximation": 1, "minimiser": 1, "unit": (_G @ _U) ** 2},
        squares=((1, _G - (_G @ _U) * _U),),
    ),
    Hypothesis("approximation", "Assumption 4", prover.le(_q - (_G @ _U) ** 2, Delta)),
    Hypothesis("minimiser", "∇f(x*) = 0", prover.eq(_G**2, 0)),
    Hypothesis("unit", "u has length 1", prover.eq(_U**2, 1)),
    scalars=(_q,),
    vectors=(_G, _U),
)

SCALES = (Fraction(1, 2), Fraction(2))


def holds(formulas: prover.Formulas) -> tuple[Theorem]:
    """That the bound of cf follows from that of f, for every c > 0."""
    return (_theorem(formulas),)


def _at(form: Scalar, numbers: Mapping[Scalar, Any]) -> Fraction | None:
    value = sympy.sympify(form).subs(dict(numbers))
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None


def exceeded(formulas: prover.Formulas) -> prover.Refutation | None:
    """Objectives cf whose least bound is above the stated one, for s = 1, or None."""
    found: dict[str, Any] = {}
    violations = []
    for name, kind in (("ln cosh x", LogCosh), ("x", Line)):
        given = kind(Fraction(1)).apart()
        for scale in SCALES:
            numbers = {c: scale, s: 1, Delta: given}
            stated, weight = (_at(formulas[part], numbers) for part in PRINTED)
            if stated is None or weight is None:
                continue
            least = partial(kind(scale).apart, weight)
            if least() > stated:
                sides = {"least bound for f": given, "for cf": least(), "stated for cf": stated}
                found[f"f = {name}, c = {scale}"] = sides
                violations.append(prover.Violation(least, "<=", formulas["bound"], numbers))
    return prover.Refutation(found, violations[0]) if violations else None


def _findings(refuted: prover.Refutation | None) -> Iterator[prover.Finding]:
    if refuted is not None:
        says = (
            "f → cf multiplies ∇f∇fᵀ by c² and ∇²f by c: Δ has no unit of its own, and λ has that "
            "of 1/loss, so that λ ∈ [0, 1], 1 − λ and the choice of λ depend on the unit"
        )
        repaired = prover.Repair(_theorem(REPAIRED).statement, holds(REPAIRED))
        yield prover.Finding(
            "missing-condition", CLAIM.where, says, refuted.witness, repaired=repaired
        )
    one = LogCosh(Fraction(1))
    curvature = one.curvature(Fraction(0))
    if one.gradient(Fraction(0)) == 0 and one.apart() >= curvature > 0:
        says = (
            "this Δ holds for every x, so it cannot tend to 0 as t grows: it is at least the "
            "curvature at a minimiser, and at least half of the largest one (what DC-ASGD lets "
            "tend to 0 is another quantity, its error at x_t)"
        )
        sides = {"f": "ln cosh x", "f'(0)": 0, "f''(0)": curvature, "least Delta": one.apart()}
        grounds = (AT_MINIMISER, *assumption_4_gradient.holds())
        repaired = prover.Repair("Δ ≥ ‖∇²f(x*)‖ at every minimiser x*, and L ≤ 2Δ", grounds)
        yield prover.Finding("false", "Assumption 4, note", says, sides, repaired=repaired)


def _account(formulas: prover.Formulas) -> prover.Account:
    refuted = exceeded(formulas)
    return prover.Account(
        prover.Decision(holds(formulas), refuted),
        cases=(
            prover.Case(
                "a weight s beside ∇f∇fᵀ, in the unit of 1/loss",
                prover.Decision(holds(REPAIRED)),
                "s → s/c, Δ → cΔ",
            ),
        ),
        assumes=(
            "read as Theorem 3 uses it, with Δ beside L and λ beside 1; the paper does not say it",
            "the norm of a symmetric matrix is the largest |⟨u, Au⟩| over u of length 1",
        ),
        steps=lines(_theorem(REPAIRED), AT_MINIMISER),
        findings=tuple(_findings(refuted)),
    )


CLAIM = prover.Claim(
    "sapipe.assumption-4",
    "Assumption 4, as Theorem 3 uses it (our reading)",
    "Assumption 4 does not depend on the unit of the loss: with ‖∇f∇fᵀ − ∇²f‖ ≤ Δ for f it "
    "holds for cf with cΔ, as Assumption 1 does with cL, for every c > 0.",
    r"\|\nabla f \nabla f^\top - \nabla^2 f\| \le \Delta \implies "
    r"\|\nabla (cf) \nabla (cf)^\top - \nabla^2 (cf)\| \le c\Delta",
    account=_account,
    printed=PRINTED,
    core=REPAIRED,
    holds=holds,
    weakened=weakened(_theorem(REPAIRED), AT_MINIMISER),
    depends=("sapipe.assumption-4-gradient",),
)
