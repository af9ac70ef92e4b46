"""The warm-up of 1F1B: min(p − s − 1, M) forwards, and what follows from starting with a backward.

A steady round of the code is a backward and then a forward, so the warm-up is all that a stage
does before its first backward; only the last stage, whose warm-up is empty, does its first
forward in between. Published 1F1B has the same number, but a round is a forward and then a
backward there, which makes one forward more before the first backward.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import sympy
import z3

from schedules.actions import Kind
from schedules.families import blog_1f1b, one_f_one_b
from schedules.families.family import Family
from schedules.schedule import Schedule
from schedules.timeline import timeline
from theory.blog import programs
from theory.blog.laws import ASSUMES, compared, parts_hold, proof
from theory.blog.loops import one_f_one_b_statements
from theory.blog.pairing import fault
from theory.blog.programs import ONE_F_ONE_B, one_more
from theory.claims import Claim, Formulas
from theory.instances import in_words
from theory.ledger import Case, Finding, Judgement, Repair, Step
from theory.outcomes import steps, verdict_of
from theory.programs.order import of_program
from theory.programs.program import SIZES, Program, View, as_schedule
from theory.programs.proofs import domain, positions
from theory.programs.symbols import M, p, s, term
from theory.solver import Outcome, Statement, decide, merge
from theory.verdicts import Verdict, weakest

PUBLISHED: Final = programs.one_f_one_b(count=one_more)
"""1F1B with one forward more ahead."""


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


def _proof(formulas: Formulas) -> list[Outcome]:
    """With so many iterations of the warm-up loop the code runs the program, which has as many."""
    view = View.symbolic()
    before = term(formulas["warmup"], {p: view.p, s: view.s, M: view.M})
    found = [decide(statement) for statement in one_f_one_b_statements(before, view)]
    loops = merge("loops", "with the stated warm-up the code's loops run these entries", found)
    return [loops, decide(counted(ONE_F_ONE_B, formulas["warmup"], 1))]


def _holds(formulas: Formulas) -> Verdict:
    return weakest(found.verdict for found in (*proof(["blog-1f1b"]), *_proof(formulas)))


def forwards_first(schedule: Schedule, stage: int) -> int:
    """Forwards of a stage before its first backward.

    Examples
    --------
    >>> [forwards_first(blog_1f1b.build(4, 8), s) for s in range(4)]
    [3, 2, 1, 1]
    """
    kinds = [action.kind for action in schedule.rank(stage)]
    return kinds[: kinds.index(Kind.B)].count(Kind.F)


def _witness(form: sympy.Expr, family: Family, last: int) -> dict[str, int] | None:
    """The first stage of a run that does another number of forwards before its first backward."""
    for stages, size in SIZES:
        schedule = family.build(stages, size)
        for stage in range(stages):
            stated = int(form.subs({p: stages, s: stage, M: size}))
            stated += last if stage == stages - 1 else 0
            found = forwards_first(schedule, stage)
            if found != stated:
                at = {"p": stages, "M": size, "s": stage}
                return {**at, "forwards": found, "stated": stated}
    return None


def _readings(formulas: Formulas, proved: Verdict) -> tuple[Case, ...]:
    form = formulas["warmup"]
    every = _witness(form, blog_1f1b.FAMILY, 0)
    published = _witness(form, one_f_one_b.FAMILY, 0)
    refuted = decide(counted(ONE_F_ONE_B, form, 0)).verdict
    other = decide(counted(PUBLISHED, form, 0)).verdict
    return (
        Case(
            "iterations of the warm-up loop", proved, "the last stage's own forward stands behind"
        ),
        Case(
            "all forwards before the first backward",
            _read(refuted, every),
            f"the last stage does one, not none{_at(every)}",
        ),
        Case(
            "all forwards before the first backward in published 1F1B",
            _read(other, published),
            f"there they are min(p − s, M){_at(published)}",
        ),
    )


def _at(witness: Mapping[str, int] | None) -> str:
    return f": {in_words(witness)}" if witness else ""


def _read(verdict: Verdict, witness: Mapping[str, int] | None) -> Verdict:
    """Solver and replay have to agree."""
    agree = (verdict is Verdict.REFUTED) == (witness is not None)
    return verdict if agree else Verdict.UNKNOWN


def _repaired() -> tuple[Verdict, Step]:
    """With one forward more ahead the computations are in DAPPLE's order, and nothing hangs."""

    def position(kind: Kind) -> Any:
        place = one_f_one_b.ORDER.position[kind]
        return lambda view, label: place(view.s, label, view.p, view.M, view.choose)

    order = {kind: position(kind) for kind in (Kind.F, Kind.B)}
    found = [parts_hold(PUBLISHED, "places", "actions", "channels")]
    found += [decide(statement).verdict for statement in positions(PUBLISHED, order)]
    runs = all(fault(as_schedule(PUBLISHED, stages, size)) is None for stages, size in SIZES)
    checked = Verdict.CHECKED if runs else Verdict.UNKNOWN
    says = "with min(p − s, M) the same pairs do not hang either, p ≤ 6 and M ≤ 9"
    return weakest(found), Step("ours", says, "runs in the strictest model", checked)


def _finding(repaired: Verdict) -> Finding:
    stages, size = 2, 8
    lines = [
        timeline(family.build(stages, size)) for family in (blog_1f1b.FAMILY, one_f_one_b.FAMILY)
    ]
    slow, published = (str(line.idle_fraction) for line in lines)
    return Finding(
        kind="false",
        where="1F1B pipeline, warm-up phase",
        says=(
            "the warm-up is said to fill the pipeline so that no stage starves; since a round "
            "begins with the backward, it is one forward short of that at every stage but the last"
        ),
        witness={"p": stages, "M": size, "bubble": slow, "bubble of published 1F1B": published},
        repaired=Repair(
            "With a warm-up of min(p − s, M) forwards and the same rounds, every stage runs its "
            "computations in the order of DAPPLE's and PyTorch's 1F1B.",
            repaired,
        ),
    )


def _judge(formulas: Formulas) -> Judgement:
    found = [*proof(["blog-1f1b"]), *_proof(formulas)]
    witness = _witness(formulas["warmup"], blog_1f1b.FAMILY, 1)
    same, differs = compared()
    verdict = verdict_of(found, witness)
    repaired, runs = _repaired()
    return Judgement(
        verdict=verdict if not differs else Verdict.UNKNOWN,
        printed_proof="none",
        cases=_readings(formulas, verdict),
        assumes=ASSUMES,
        steps=(*steps(found), runs, same),
        findings=(_finding(repaired),),
        counterexample=witness,
        evidence=differs,
    )


_PRINTED: Final = {"warmup": sympy.Min(p - s - 1, M)}

CLAIM: Final = Claim(
    id="blog.warmup",
    where="1F1B pipeline, warm-up phase",
    statement=(
        "Stage s (from 0) of 1F1B begins with min(p − s − 1, M) warm-up forwards; its first "
        "backward follows them, at the last stage, which has none, behind its first forward."
    ),
    latex=r"w(s) = \min(p - s - 1, M)",
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
