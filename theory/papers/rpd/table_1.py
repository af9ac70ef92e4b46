"""Table 1: whether its two rows use the same constants.

RPD's G bounds the gradient of one block, LocalSGD's G̃ that of the whole vector, which has p
blocks. So the least G̃² that is right can be pG², and is where all blocks are at the bound. In
RPD's constants LocalSGD's drift term then has p⁴, as has the stale term of (3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import sympy

from theory.account import Account, Decision, Finding, Line, Refutation, Repair, Violation
from theory.claims import Claim, Formulas
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import huber
from theory.kernel import (
    Combine,
    Hypothesis,
    Step,
    Telescope,
    Theorem,
    Total,
    eq,
    le,
    square,
    vector,
)
from theory.papers.rpd.lemmas.drift_by_counts import i
from theory.papers.rpd.lemmas.mathematics import written
from theory.papers.rpd.symbols import G, Gt, p
from theory.papers.rpd.witnesses.exact_runs import alike, rational, require

WHOLE, PART = vector("∇f_m"), vector("∇_i f_m")
_BLOCK: Final = sympy.Function("∇²", nonnegative=True)
_BLOCKS: Final = sympy.Sum(_BLOCK(i), (i, 0, p - 1))

UPPER: Final = Theorem(
    id="rpd.whole-gradient",
    where="ours",
    statement="‖∇f_m(x)‖² ≤ pG² where every block gradient has norm at most G.",
    latex=r"\|\nabla f_m(x)\|^2 \le p G^2",
    symbols=(p, G),
    vectors=(WHOLE, PART),
    sequences={_BLOCK: square(PART)},
    hypotheses=(
        Hypothesis("block", "a block gradient has norm at most G", le(square(PART), G**2)),
        Hypothesis("blocks", "a squared norm is the sum over blocks", eq(square(WHOLE), _BLOCKS)),
    ),
    steps=(
        Step("every block", le(_BLOCK(i), G**2), Total("block", i)),
        Step("all blocks", le(_BLOCKS, p * G**2), Telescope("every block", i, p)),
    ),
    lhs=square(WHOLE),
    terms={"second moment": p * G**2},
    conclude=Combine({"all blocks": 1, "blocks": 1}),
)
"""G̃² = pG² is always enough."""

ATTAINED: Final = replace(
    UPPER,
    id="rpd.whole-gradient-attained",
    statement="‖∇f_m(x)‖² is pG² where every block gradient has norm G.",
    hypotheses=(
        Hypothesis("block", "a block gradient has norm G", eq(square(PART), G**2)),
        UPPER.hypotheses[1],
    ),
    steps=(
        Step("every block", eq(_BLOCK(i), G**2), Total("block", i)),
        Step("all blocks", eq(_BLOCKS, p * G**2), Telescope("every block", i, p)),
    ),
    kind="==",
)
"""And nothing less is, where all blocks are at the bound."""

SHOWN: Final = 4
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


def _known(moment: sympy.Expr) -> Decision:
    ratio = sympy.cancel(ATTAINED.terms["second moment"] / moment)
    if not (ratio.is_Rational or ratio.free_symbols == {p}) or not ratio.subs(p, SHOWN) > 1:
        return Decision(tuple(_equal(moment)))
    witness = {**_described(SHOWN), "least right G̃² / claimed": sympy.sstr(ratio)}
    at = {p: SHOWN, G: sympy.sqrt(rational(_squares(_instance(SHOWN))[0]))}

    def measured() -> sympy.Rational:
        return rational(_squares(_instance(SHOWN))[1])

    return Decision(fails=Refutation(witness, Violation(measured, "<=", moment, at)))


def _account(printed: Formulas) -> Account:
    decision = _known(printed["second moment"])
    return Account(
        decision,
        steps=tuple(
            Line("ours", one.statement, one.id, Decision((one,))) for one in (UPPER, ATTAINED)
        ),
        findings=(_finding(decision.fails),) if decision.fails else (),
    )


def _drift() -> sympy.Expr:
    """The drift term of LocalSGD's tuned rate with N = p, as in Table 1."""
    from theory.papers.localsgd import eq_6  # that package imports this one for its symbols

    return eq_6.CLAIM.printed["drift"]


def _finding(fails: Refutation) -> Finding:
    printed = _drift()
    drift = printed.subs(Gt**2, ATTAINED.terms["second moment"])
    return Finding(
        kind="missing-condition",
        where="Table 1 and section 6",
        says=(
            "G bounds block gradients and G̃ whole ones, σ is a third constant, and the rows are "
            "compared as if G̃ did not depend on p"
        ),
        witness=fails.witness,
        shown=(UPPER, ATTAINED),
        repaired=Repair(
            "in RPD's constants G̃² is pG² at worst, and LocalSGD's drift term "
            f"{written(printed)} is then {written(drift)}, with p⁴ as the stale term of (3) "
            "has at τ = Θ(p²)",
            tuple(_equal(_CORE["second moment"])),
        ),
    )


_CORE: Final = {"second moment": p * G**2}

CLAIM: Final = Claim(
    id="rpd.table-1",
    where="Table 1",
    statement=(
        "The two rows of Table 1 use the same constants: a bound G̃ of LocalSGD's gradients does "
        "not grow with p against RPD's G."
    ),
    latex=r"\tilde G^2 = G^2",
    account=_account,
    printed={"second moment": G**2},
    core=_CORE,
    holds=lambda edited: _equal(edited["second moment"]),
    depends=(UPPER.id, ATTAINED.id),
)
