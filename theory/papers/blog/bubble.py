"""The bubble from the naive pipeline to GPipe to 1F1B: it shrinks once, and not twice.

With a slot for each forward and backward, GPipe's bubble (p − 1)/(M + p − 1) is below the naive
(p − 1)/p. Published 1F1B has exactly GPipe's. The blog's 1F1B, whose stages wait one forward
longer, has (M + p − 2)/(2M + p − 2), above GPipe's for all p and M, and the naive one at p = 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import sympy
import z3

from schedules.families import (
    blog_1f1b,
    blog_gpipe,
    blog_naive,
    interleaved_1f1b,
    one_f_one_b,
)
from schedules.timeline import timeline
from theory.account import (
    Account,
    Case,
    Compared,
    Decision,
    Exhausted,
    Finding,
    Ground,
    Line,
    Refutation,
    Repair,
)
from theory.claims import Claim, Formulas
from theory.judging.decide import proves
from theory.judging.outcomes import in_turn, lines
from theory.laws.delays.domains import a_microbatch, a_stage
from theory.laws.delays.domains import domain as sizes_of
from theory.laws.delays.symbols import Microbatch
from theory.laws.links import tied
from theory.laws.static_orders.program import SIZES, Program, View
from theory.laws.static_orders.proofs import domain
from theory.laws.static_orders.slots import law
from theory.laws.static_orders.symbols import M, p, term
from theory.papers.blog.lemmas.laws import ASSUMES, UNIT, compared, proof
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.blog.witnesses.runs import idle
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term

Grounds = tuple[Ground, ...]
Run = dict[str, int | str]
"""Sizes of a run, and the bubbles of all schedules there."""

_PROGRAMS: Final = {"naive": GPIPE, "gpipe": GPIPE, "1f1b": ONE_F_ONE_B}
_FAMILIES: Final = {
    "naive": blog_naive.FAMILY,
    "gpipe": blog_gpipe.FAMILY,
    "1f1b": blog_1f1b.FAMILY,
    "published": one_f_one_b.FAMILY,
}


def _end(program: Program, view: View) -> Term:
    """Slot in which the last backward of stage 0 is over, seen from any stage."""
    [backward] = (entry for entry in program.entries if entry.name == "backward")
    return backward.time(view.beside(-view.s), view.M - 1) + backward.duration


def makespan(program: Program) -> sympy.Expr:
    """End of the last backward of stage 0, from the proved start times.

    Examples
    --------
    >>> makespan(GPIPE), makespan(ONE_F_ONE_B)
    (2*M + 2*p - 2, 4*M + 2*p - 4)
    """
    return sympy.expand(_end(program, View(sympy.Integer(0), p, M, sympy.Piecewise)))


def last(program: Program) -> Iterator[Statement]:
    """No computation ends after the last backward of stage 0."""
    view, n = View.symbolic(), z3.Int("n")
    end = _end(program, view)
    for entry in program.entries:
        if entry.duration:
            yield Statement(
                f"{entry.name} in time",
                "no computation ends after the last backward of stage 0",
                (*domain(program, view), n >= 0, n < entry.count(view)),
                entry.time(view, n) + entry.duration <= end,
            )


@remembered
def _ends(name: str) -> tuple[Outcome, ...]:
    return tuple(in_turn(last(_PROGRAMS[name])))


def bubble(name: str) -> sympy.Expr:
    """Idle part of ranks · makespan: every rank works 2M slots.

    Examples
    --------
    >>> bubble("gpipe")
    (p - 1)/(M + p - 1)
    """
    idle = 1 - 2 * M / makespan(_PROGRAMS[name])
    return sympy.factor(idle.subs(M, 1) if name == "naive" else idle)


def _holds(formulas: Formulas) -> Iterator[Ground]:
    """Whether the stated bubbles are those of the schedules, for all p and M."""
    for name in _PROGRAMS:
        same = sympy.cancel(formulas[name] - bubble(name)) == 0
        says = f"the stated bubble of {name} is 1 − 2M/makespan"
        yield Compared(says, "theory.papers.blog.bubble.bubble", bool(same))
        yield from _ends(name)
    yield from proof(("blog-gpipe", "blog-1f1b"), "waits", "times")


def always_positive(form: sympy.Expr, stages: int) -> bool:
    """Whether a rational function is shown to be positive for p ≥ `stages` and M ≥ 2.

    Written in what p and M exceed their least values by, numerator and denominator have no
    negative coefficient and a positive constant.

    Examples
    --------
    >>> always_positive((M * p - 3) / p, 2), always_positive(p - M, 2)
    (True, False)
    """
    up, out = sympy.symbols("up out", nonnegative=True)
    parts = sympy.fraction(sympy.cancel(form.subs({p: stages + up, M: 2 + out})))
    polynomials = [sympy.Poly(part, up, out) for part in parts]
    return all(min(poly.coeffs()) >= 0 and poly.coeff_monomial(1) > 0 for poly in polynomials)


SPAN: Final = 2 * (M + p - 1)
"""Slots of published 1F1B."""


def _published() -> Grounds:
    """Published 1F1B ends in slot 2(M + p − 1), for all p and M, as GPipe does."""
    found = law("1f1b")
    at, stage, m = found.times, z3.Int("s"), Microbatch.named("m")
    size = at.size
    end = at.backward(z3.IntVal(0), size.shift(m, 0)) + 1
    inside = (*sizes_of(size), a_stage(size, stage), a_microbatch(size, m))
    span = term(SPAN, {M: size.microbatches, p: size.p})
    last = [
        Statement("end", "no backward ends later", inside, at.backward(stage, m) + 1 <= span),
        Statement("attained", "one does", (*inside, m.index == size.microbatches - 1), end == span),
    ]
    same = sympy.cancel(SPAN - makespan(GPIPE)) == 0
    as_long = Compared("GPipe ends there too", "theory.papers.blog.bubble.makespan", bool(same))
    return (*tied((*found.proof, *in_turn(last)), found.link), as_long)


def _replayed(stages: int, size: int) -> Run:
    bubbles = {name: str(idle(family, stages, size)) for name, family in _FAMILIES.items()}
    return {"p": stages, "M": size, **bubbles}


def _not_smaller() -> Run | None:
    """The first run in which neither 1F1B has a smaller bubble than GPipe."""
    for stages, size in SIZES:
        gpipe = idle(blog_gpipe.FAMILY, stages, size)
        if min(idle(f, stages, size) for f in (blog_1f1b.FAMILY, one_f_one_b.FAMILY)) >= gpipe:
            return _replayed(stages, size)
    return None


def _interleaved() -> Case:
    """With several stages a rank the bubble is smaller; on a grid."""
    grid = [
        (ranks, size, chunks)
        for ranks in (2, 3, 4)
        for size in range(ranks, 9, ranks)
        for chunks in (2, 3)
    ]
    smaller = all(
        timeline(interleaved_1f1b.build(ranks, size, chunks=chunks)).idle_fraction
        < idle(blog_gpipe.FAMILY, ranks, size)
        for ranks, size, chunks in grid
    )
    says = "p = 2, 3, 4, M ≤ 8 a multiple of p, 2 or 3 stages a rank"
    return Case("GPipe → interleaved 1F1B", Decision((Exhausted(says, len(grid), smaller),)), says)


def _larger(one: str, other: str, stages: int) -> Compared:
    """One schedule's bubble is above another's for p ≥ `stages` and M ≥ 2."""
    return Compared(
        f"the bubble of {one} is above that of {other} for p ≥ {stages} and M ≥ 2",
        "theory.papers.blog.bubble.always_positive",
        always_positive(bubble(one) - bubble(other), stages),
    )


def _slow() -> Grounds:
    """The blog's 1F1B has the stated bubble, between GPipe's and, for p ≥ 3, the naive one."""
    return (_larger("1f1b", "gpipe", 2), _larger("naive", "1f1b", 3), *_holds(_PRINTED))


def _cases(exact: Grounds, equal: Grounds, witness: Run | None) -> tuple[Case, ...]:
    def refuted(*because: Ground) -> Decision:
        return Decision(fails=Refutation(witness, (*exact, *because)) if witness else None)

    return (
        Case("naive → GPipe", Decision((*exact, _larger("naive", "gpipe", 2)))),
        Case(
            "GPipe → 1F1B as published",
            refuted(*equal),
            "equal for all p and M" if proves(*equal) else "not known",
        ),
        Case(
            "GPipe → 1F1B of the blog's code",
            refuted(_larger("1f1b", "gpipe", 2)),
            "larger for all p ≥ 2 and M ≥ 2",
        ),
        _interleaved(),
        Case(
            "naive → 1F1B of the blog's code, p ≥ 3",
            Decision((*exact, _larger("naive", "1f1b", 3))),
            "equal at p = 2, where every rank works half of the time under both",
        ),
    )


def _refuted(exact: Grounds, equal: Grounds, witness: Run | None) -> Refutation | None:
    """Under neither 1F1B, published or the blog's, is the bubble smaller than under GPipe."""
    because = (*exact, *equal, _larger("1f1b", "gpipe", 2))
    return Refutation(witness, because) if witness and proves(*because) else None


def _findings(witness: Mapping[str, Any], equal: Grounds) -> tuple[Finding, ...]:
    return (
        Finding(
            kind="false",
            where="refresher, item on 1F1B",
            says="plain 1F1B saves activations, not time: its bubble is GPipe's",
            witness=witness,
            repaired=Repair("1F1B's bubble is (p − 1)/(M + p − 1), as GPipe's.", equal),
        ),
        Finding(
            kind="false",
            where="1F1B pipeline, code and result",
            says=(
                "the code takes one microbatch every 4 slots, so its ranks work at most half of "
                "the time; with two stages its bubble is the naive pipeline's"
            ),
            witness=_replayed(2, 4),
            repaired=Repair(
                "The bubble of the blog's 1F1B is (M + p − 2)/(2M + p − 2): above GPipe's for all "
                "p and M, and below the naive pipeline's for p ≥ 3.",
                _slow(),
            ),
        ),
    )


def _account(formulas: Formulas) -> Account:
    exact, equal, witness = tuple(_holds(formulas)), _published(), _not_smaller()
    same, differs = compared()
    refuted = _refuted(exact, equal, witness)
    found = proof(("blog-gpipe", "blog-1f1b"), "waits", "times")
    says = "the stated bubbles are 1 − 2M/makespan"
    stated = Line("ours", says, "exact identities", Decision(exact))
    return Account(
        Decision(fails=refuted),
        cases=_cases(exact, equal, witness),
        assumes=(*ASSUMES, UNIT),
        steps=(*lines(found), stated, *same),
        findings=_findings(refuted.witness, equal) if refuted else (),
        evidence=differs,
    )


_PRINTED: Final = {
    "naive": (p - 1) / p,
    "gpipe": (p - 1) / (M + p - 1),
    "1f1b": (M + p - 2) / (2 * M + p - 2),
}

CLAIM: Final = Claim(
    id="blog.bubble",
    where="refresher on pipeline parallelism; results of 1F1B",
    statement=(
        "The pipeline bubble becomes smaller from the naive pipeline to GPipe, and smaller again "
        "from GPipe to 1F1B."
    ),
    latex=r"\beta_{\text{1F1B}} < \beta_{\text{GPipe}} < \beta_{\text{naive}}",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
