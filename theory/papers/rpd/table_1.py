"""Table 1: whether its two rows use the same constants.

Problem    RPD's G bounds the gradient of one block, LocalSGD's G̃ that of the whole vector, which
           has p blocks.
Method     None: two constants of one function.
Guarantee  The least G̃² that is right can be pG², and is where all blocks are at the bound. In RPD's
           constants LocalSGD's drift term then has p⁴, as has the stale term of (3).
Source     RPD paper, Table 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.judging import prover
from theory.kernel import Theorem
from theory.kernel.relations import Relation
from theory.notation import Draft, equal, theorem, total, vectors
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.lemmas.mathematics import written
from theory.papers.rpd.symbols import G, Gt, p
from theory.papers.rpd.witnesses.exact_runs import alike, rational, require

_WHOLE, _PART = vectors("∇f_m ∇_if_m")


def _moment(T: Draft, sign: Callable[..., Relation]) -> Relation:
    """‖∇f_m(x)‖² beside pG², from every block beside G²."""
    T.along(i)
    block = T.sequence("∇²", _PART**2)
    T.assume(sign(_PART**2, G**2), "block", "the norm of a block gradient, and G")
    T.assume(
        equal(_WHOLE**2, total(block(i), i, p)),
        "blocks",
        "a squared norm is the sum over blocks",
    )
    return sign(_WHOLE**2, p * G**2)


T = theorem("rpd.whole-gradient")
UPPER = T.shows(
    _moment(T, prover.le),
    {"second moment": p * G**2},
    says="‖∇f_m(x)‖² ≤ pG² where every block gradient has norm at most G.",
)
"""G̃² = pG² is always enough."""

T = theorem("rpd.whole-gradient-attained")
ATTAINED = T.shows(
    _moment(T, prover.eq),
    {"second moment": p * G**2},
    says="‖∇f_m(x)‖² is pG² where every block gradient has norm G.",
)
"""And nothing less is, where all blocks are at the bound."""

SHOWN = 4
"""Blocks of the instance beside the refutation."""


def _instance(blocks: int) -> Problem:
    """f(x) = Σ h(x_i) with Huber's h, far out."""
    return alike(huber(1, 1), blocks, Fraction(2))


def _squares(problem: Problem) -> tuple[Fraction, Fraction]:
    """Both constants by their definitions, at x⁰: of a block gradient, and of the whole one."""
    gradient = problem.gradient(problem.start)
    return Fraction(max(g * g for g in gradient)), Fraction(sum(g * g for g in gradient))


def _described(blocks: int) -> dict[str, Any]:
    problem = _instance(blocks)
    part, whole = _squares(problem)
    least = ATTAINED.terms["second moment"].subs({p: blocks, G: sympy.sqrt(rational(part))})
    require(rational(whole) == least, "Table 1", instance=whole, formula=least)
    return {
        "f": "Σ h(x_i), h(x) = |x| − 1/2 where |x| ≥ 1, else x²/2: |h′| ≤ 1 everywhere",
        "L": str(problem.smoothness),
        "x⁰": [str(entry) for entry in problem.start],
        "p": blocks,
        "G², the largest square of a block gradient": str(part),
        "G̃², the square of the whole gradient": str(whole),
    }


def _equal(moment: sympy.Expr) -> Iterator[Theorem]:
    """Whether the least right G̃² can be this and need never be more."""
    for one in (UPPER, ATTAINED):
        yield replace(one, terms={"second moment": moment})


def _known(moment: sympy.Expr) -> prover.Decision:
    ratio = sympy.cancel(ATTAINED.terms["second moment"] / moment)
    if not (ratio.is_Rational or ratio.free_symbols == {p}) or not ratio.subs(p, SHOWN) > 1:
        return prover.Decision(tuple(_equal(moment)))
    witness = {**_described(SHOWN), "least right G̃² / claimed": sympy.sstr(ratio)}
    at = {p: SHOWN, G: sympy.sqrt(rational(_squares(_instance(SHOWN))[0]))}

    def measured() -> sympy.Rational:
        return rational(_squares(_instance(SHOWN))[1])

    return prover.Decision(
        fails=prover.Refutation(witness, prover.Violation(measured, "<=", moment, at))
    )


def _account(printed: prover.Formulas) -> prover.Account:
    decision = _known(printed["second moment"])
    return prover.Account(
        decision,
        steps=tuple(
            prover.Line("ours", one.statement, one.id, prover.Decision((one,)))
            for one in (UPPER, ATTAINED)
        ),
        findings=(_finding(decision.fails),) if decision.fails else (),
    )


def _drift() -> sympy.Expr:
    """The drift term of LocalSGD's tuned rate with N = p, as in Table 1."""
    from theory.papers.localsgd import eq_6  # that package imports this one for its symbols

    return eq_6.TERMS["drift"]


def _finding(fails: prover.Refutation) -> prover.Finding:
    printed = _drift()
    drift = printed.subs(Gt**2, ATTAINED.terms["second moment"])
    return prover.Finding(
        "missing-condition",
        "Table 1 and section 6",
        "G bounds block gradients and G̃ whole ones, σ is a third constant, and powers of p are "
        "compared as if G̃ did not depend on p (that neither bound shows a method to be better "
        "is said there)",
        fails.witness,
        shown=(UPPER, ATTAINED),
        repaired=prover.Repair(
            "in RPD's constants G̃² is pG² at worst, and LocalSGD's drift term "
            f"{written(printed)} is then {written(drift)}, with p⁴ as the stale term of (3) "
            "has at τ = Θ(p²)",
            tuple(_equal(_CORE["second moment"])),
        ),
    )


_CORE = {"second moment": p * G**2}

CLAIM = prover.Claim(
    "rpd.table-1",
    "Table 1",
    "The two rows of Table 1 use the same constants: a bound G̃ of LocalSGD's gradients does "
    "not grow with p against RPD's G.",
    r"\tilde G^2 = G^2",
    account=_account,
    printed={"second moment": G**2},
    core=_CORE,
    holds=lambda edited: _equal(edited["second moment"]),
    depends=(UPPER.id, ATTAINED.id),
)
