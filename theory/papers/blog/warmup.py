"""The warm-up of 1F1B: min(p − s − 1, M) forwards, and what follows from starting with a backward.

The row is about the number. What the text says of it besides is a case of its own, each with its
own verdict. A steady round of the code is a backward and then a forward, so the warm-up is all that
a stage does before its first backward; only the last stage, whose warm-up is empty, does its first
forward in between. Published 1F1B has the same number, but a round is a forward and then a
backward there, which makes one forward more before the first backward. Without it the pipeline is
not full: stages wait for microbatches, the last one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import sympy
import z3

from schedules.actions import Kind
from schedules.families import blog_1f1b, one_f_one_b
from schedules.families.family import Family
from schedules.timeline import timeline
from theory.account import (
    Account,
    Case,
    Decision,
    Exhausted,
    Finding,
    Line,
    Refutation,
    Repair,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.judging.outcomes import in_turn, lines
from theory.laws.links import tied
from theory.laws.static_orders.matrix import link
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.program import SIZES, Program, View, as_schedule
from theory.laws.static_orders.proofs import domain, positions
from theory.laws.static_orders.symbols import M, p, s, term
from theory.papers.blog.lemmas import programs
from theory.papers.blog.lemmas.laws import (
    ASSUMES,
    OF_A_STAGE,
    SUPPOSED,
    compared,
    parts_hold,
    proof,
)
from theory.papers.blog.lemmas.loops import one_f_one_b_statements
from theory.papers.blog.lemmas.programs import ONE_F_ONE_B, one_more
from theory.papers.blog.pairing import fault
from theory.papers.blog.witnesses.runs import forwards_first, waits
from theory.smt.instances import in_words
from theory.smt.solver import Outcome, Statement, decide, merge

PUBLISHED: Final = programs.one_f_one_b(count=one_more)
"""1F1B with one forward more ahead."""

RUN: Final = (2, 8)
"""p and M of the run that shows that stages wait."""


def counted(program: Program, form: sympy.Expr, last: int) -> Statement:
    """Exactly the first `form` forwards stand before the first backward.

    Parameters
    ----------
    program : Program
    form : sympy expression in p, s and M
    last : int
        Forwards of the last stage beyond these.
    """
    view, x = View.symbolic(), z3.Int("x")
    number = term(form, {p: view.p, s: view.s, M: view.M})
    number = number + z3.If(view.s == view.p - 1, last, 0)
    return Statement(
        "warm-up",
        "exactly the stated forwards stand before the first backward",
        (*domain(program, view), x >= 0, x < view.M),
        z3.And(
            number >= 0,
            number <= view.M,
            of_program(program).stands_before(view, x, z3.IntVal(0)) == (x < number),
        ),
    )


def _counts(formulas: Formulas) -> Outcome:
    """With so many iterations of the warm-up loop the code runs the program, which has as many."""
    view = View.symbolic()
    before = term(formulas["warmup"], {p: view.p, s: view.s, M: view.M})
    found = [decide(statement) for statement in one_f_one_b_statements(before, view)]
    return merge("loops", "with the stated warm-up the code's loops run these entries", found)


def _follows(formulas: Formulas) -> Outcome:
    """The first backward follows these forwards, at the last stage one more."""
    return decide(counted(ONE_F_ONE_B, formulas["warmup"], 1))


def _holds(formulas: Formulas) -> Iterator[Outcome]:
    yield from proof(["blog-1f1b"])
    yield _counts(formulas)
    yield _follows(formulas)


def falls(form: sympy.Expr) -> Outcome:
    """Whether every stage has fewer than the one before it, and the last none, if M ≥ p − 1."""
    view = View.symbolic()
    here, behind = (term(form, {p: at.p, s: at.s, M: at.M}) for at in (view, view.beside(1)))
    return decide(
        Statement(
            "falls",
            "with M ≥ p − 1 every stage warms up with fewer forwards than the one before, the last "
            "with none",
            (*domain(ONE_F_ONE_B, view), view.p - 1 <= view.M),
            z3.And(
                z3.Implies(view.s < view.p - 1, behind < here),
                z3.Implies(view.s == view.p - 1, here == 0),
            ),
        )
    )


def _otherwise(form: sympy.Expr, family: Family, last: int) -> Refutation | None:
    """The first stage of a run that does another number of forwards before its first backward."""
    for stages, size in SIZES:
        schedule = family.build(stages, size)
        for stage in range(stages):
            number = form + (last if stage == stages - 1 else 0)
            stated = int(number.subs({p: stages, s: stage, M: size}))
            found = forwards_first(schedule, stage)
            if found != stated:
                at = {"p": stages, "M": size, "s": stage}
                witness = {**at, "forwards": found, "stated": stated}
                return Refutation(witness, _counted_again(number, family, stages, size, stage))
    return None


def _counted_again(
    number: sympy.Expr, family: Family, stages: int, size: int, stage: int
) -> Violation:
    return Violation(
        lambda: forwards_first(family.build(stages, size), stage),
        "==",
        number,
        {p: stages, M: size, s: stage},
        OF_A_STAGE,
    )


def _readings(
    formulas: Formulas, exact: Decision, repaired: tuple[Outcome, ...]
) -> tuple[Case, ...]:
    form = formulas["warmup"]
    every = _otherwise(form, blog_1f1b.FAMILY, 0)
    published = _otherwise(form, one_f_one_b.FAMILY, 0)
    program = proof(["blog-1f1b"])
    return (
        Case("iterations of the warm-up loop", exact, "the last stage's own forward stands behind"),
        Case(
            "the first backward follows them",
            exact,
            "at the last stage, which has none, it follows the first forward",
        ),
        Case(
            "fewer at every later stage, none at the last",
            Decision((*exact.grounds, falls(form))),
            "if M ≥ p − 1; with fewer microbatches the first stages have M each",
        ),
        _full(),
        Case(
            "all forwards before the first backward",
            Decision((*program, decide(counted(ONE_F_ONE_B, form, 0))), every),
            f"the last stage does one, not none{_at(every)}",
        ),
        Case(
            "all forwards before the first backward in published 1F1B",
            Decision((*repaired, decide(counted(PUBLISHED, form, 0))), published),
            f"there they are min(p − s, M){_at(published)}",
        ),
    )


def _full() -> Case:
    """Whether the warm-up fills the pipeline, so that no stage starves."""
    stages, size = RUN
    slots, published = (waits(family, *RUN) for family in (blog_1f1b.FAMILY, one_f_one_b.FAMILY))
    words = (
        f"with a slot for each forward and backward, p = {stages} and M = {size}, the last stage"
    )
    waiting = Refutation(
        {"p": stages, "M": size, "slots": slots},
        Violation(
            lambda: len(waits(blog_1f1b.FAMILY, *RUN)),
            "==",
            sympy.Integer(0),
            {p: stages, M: size},
            SUPPOSED,
        ),
    )
    return Case(
        "it fills the pipeline: the last stage does not wait once it has begun",
        Decision(fails=waiting if slots and not published else None),
        f"{words} waits in slots {', '.join(map(str, slots))}, in published 1F1B in none",
    )


def _at(found: Refutation | None) -> str:
    return f": {in_words(found.witness)}" if found else ""


def _repaired() -> tuple[Outcome, ...]:
    """With one forward more ahead the computations are in DAPPLE's order."""

    def position(kind: Kind) -> Any:
        place = one_f_one_b.ORDER.position[kind]
        return lambda view, label: place(view.s, label, view.p, view.M, view.choose)

    order = {kind: position(kind) for kind in (Kind.F, Kind.B)}
    parts = parts_hold(PUBLISHED, "places", "actions", "channels")
    return tied((*parts, *in_turn(positions(PUBLISHED, order))), link("1f1b"))


def _runs() -> Line:
    """With one forward more ahead nothing hangs."""
    faults = [fault(as_schedule(PUBLISHED, stages, size)) for stages, size in SIZES]
    says = "with min(p − s, M) the same pairs do not hang either, p ≤ 6 and M ≤ 9"
    tried = Exhausted(says, len(SIZES), all(found is None for found in faults))
    return Line("ours", says, "runs in the strictest model", Decision((tried,)))


def _finding(repaired: tuple[Outcome, ...]) -> Finding:
    stages, size = RUN
    lines = [timeline(family.build(*RUN)) for family in (blog_1f1b.FAMILY, one_f_one_b.FAMILY)]
    slow, published = (str(line.idle_fraction) for line in lines)
    return Finding(
        kind="false",
        where="1F1B pipeline, warm-up phase",
        says=(
            "the warm-up is said to fill the pipeline so that no stage starves; since a round "
            "begins with the backward, it is one forward short of that at every stage but the last"
        ),
        witness={
            "p": stages,
            "M": size,
            "bubble": slow,
            "bubble of published 1F1B": published,
        },
        repaired=Repair(
            "With a warm-up of min(p − s, M) forwards and the same rounds, every stage runs its "
            "computations in the order of DAPPLE's and PyTorch's 1F1B.",
            repaired,
        ),
    )


def _account(formulas: Formulas) -> Account:
    found = tuple(_holds(formulas))
    same, differs = compared()
    otherwise = None if differs else _otherwise(formulas["warmup"], blog_1f1b.FAMILY, 1)
    exact, repaired = Decision(found, otherwise), _repaired()
    return Account(
        exact,
        cases=_readings(formulas, exact, repaired),
        assumes=ASSUMES,
        steps=(*lines(found), _runs(), *same),
        findings=(_finding(repaired),),
        evidence=differs,
    )


_PRINTED: Final = {"warmup": sympy.Min(p - s - 1, M)}

CLAIM: Final = Claim(
    id="blog.warmup",
    where="1F1B pipeline, warm-up phase",
    statement=(
        "The number of warm-up steps, forwards only, of stage s (from 0) of 1F1B is "
        "min(p − s − 1, M)."
    ),
    latex=r"w(s) = \min(p - s - 1, M)",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
