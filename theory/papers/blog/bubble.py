"""The bubble from the naive pipeline to GPipe to 1F1B: it shrinks once, and not twice.

Problem    the idle part of ranks · makespan, a slot for each forward and backward.
Method     the naive pipeline, GPipe, 1F1B as published, and the blog's, one forward shorter ahead.
Guarantee  GPipe's bubble (p − 1)/(M + p − 1) is below the naive (p − 1)/p, and published 1F1B has
           exactly GPipe's. The blog's 1F1B has (M + p − 2)/(2M + p − 2), above GPipe's for all p
           and M, and the naive one at p = 2. All from proved start times.
Source     refresher on pipeline parallelism.
"""

from collections.abc import Iterator
from dataclasses import replace

import sympy
import z3

from schedules import programs as orders
from schedules.families import blog_1f1b, blog_gpipe, blog_naive, interleaved_1f1b, one_f_one_b
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.delays import domains
from theory.laws.delays.symbols import Microbatch
from theory.laws.static_orders import proofs, slots
from theory.laws.static_orders.symbols import M, p, symbolic
from theory.papers.blog.lemmas import laws, programs
from theory.papers.blog.witnesses.runs import idle

_PROGRAMS = {"naive": programs.GPIPE, "gpipe": programs.GPIPE, "1f1b": programs.ONE_F_ONE_B}
_FAMILIES = {"naive": blog_naive, "gpipe": blog_gpipe, "1f1b": blog_1f1b, "published": one_f_one_b}


def _end(program: orders.Program, view: orders.View) -> prover.Term:
    """Slot in which the last backward of stage 0 is over, seen from any stage."""
    [backward] = (entry for entry in program.entries if entry.name == "backward")
    return backward.time(view.beside(-view.s), view.M - 1) + backward.duration


def makespan(program: orders.Program) -> sympy.Expr:
    """End of the last backward of stage 0, from the proved start times.

    Examples
    --------
    >>> makespan(programs.GPIPE), makespan(programs.ONE_F_ONE_B)
    (2*M + 2*p - 2, 4*M + 2*p - 4)
    """
    return sympy.expand(_end(program, orders.View(sympy.Integer(0), p, M, sympy.Piecewise)))


def last(program: orders.Program) -> Iterator[prover.Statement]:
    """No computation ends after the last backward of stage 0."""
    view, n = symbolic(), z3.Int("n")
    says = "no computation ends after the last backward of stage 0"
    for entry in program.entries:
        if entry.duration:
            inside = (*proofs.domain(program, view), n >= 0, n < entry.count(view))
            in_time = entry.time(view, n) + entry.duration <= _end(program, view)
            yield prover.Statement(f"{entry.name} in time", says, inside, in_time)


@prover.remembered
def _ends(name: str) -> tuple[prover.Outcome, ...]:
    return tuple(prover.in_turn(last(_PROGRAMS[name])))


def bubble(name: str) -> sympy.Expr:
    """Idle part of ranks · makespan: every rank works 2M slots.

    Examples
    --------
    >>> bubble("gpipe")
    (p - 1)/(M + p - 1)
    """
    idle = 1 - 2 * M / makespan(_PROGRAMS[name])
    return sympy.factor(idle.subs(M, 1) if name == "naive" else idle)


def holds(formulas: prover.Formulas) -> prover.Grounds:
    """Whether the stated bubbles are those of the schedules named, for all p and M."""
    for name in formulas:
        same = sympy.cancel(formulas[name] - bubble(name)) == 0
        says = f"the stated bubble of {name} is 1 − 2M/makespan"
        yield prover.Compared(says, f"{__name__}.bubble", bool(same))
        yield from _ends(name)
    yield from laws.proof(laws.PROGRAMS, "waits", "times")


def larger(one: str, other: str, stages: int) -> prover.Outcome:
    """One schedule's bubble is above another's for p ≥ `stages` and M ≥ 2."""
    more = sympy.factor(bubble(one) - bubble(other))
    sign = prover.nonnegative(more, (prover.le(stages, p), prover.le(2, M)), strict=True)
    says = f"the bubble of {one} is above that of {other} for p ≥ {stages} and M ≥ 2"
    return replace(sign, says=says)


SPAN = 2 * (M + p - 1)
"""Slots of published 1F1B."""


def _published() -> tuple[prover.Ground, ...]:
    """Published 1F1B ends in slot 2(M + p − 1), for all p and M, as GPipe does."""
    found = slots.law("1f1b")
    at, stage, m = found.times, z3.Int("s"), Microbatch.named("m")
    size, over = at.size, at.backward(stage, m) + 1
    one = (*domains.domain(size), domains.a_stage(size, stage), domains.a_microbatch(size, m))
    span = prover.term(SPAN, {M: size.microbatches, p: size.p})
    last = (*one, m.index == size.microbatches - 1)
    end = at.backward(z3.IntVal(0), m) + 1
    ends = (
        prover.Statement("end", "no backward ends later", one, over <= span),
        prover.Statement("attained", "one does", last, end == span),
    )
    same = sympy.cancel(SPAN - makespan(programs.GPIPE)) == 0
    as_long = prover.Compared("GPipe ends there too", f"{__name__}.makespan", bool(same))
    return (*found.proof, *prover.in_turn(ends), as_long)


def _replayed(stages: int, size: int) -> dict[str, int | str]:
    """Sizes of a run, and the bubbles of all schedules there."""
    found = {name: str(idle(one.FAMILY, stages, size)) for name, one in _FAMILIES.items()}
    return {"p": stages, "M": size, **found}


def _not_smaller() -> dict[str, int | str] | None:
    """The first run in which neither 1F1B has a smaller bubble than GPipe."""
    for at in laws.SIZES:
        gpipe, *others = (idle(_FAMILIES[k].FAMILY, *at) for k in ("gpipe", "1f1b", "published"))
        if min(others) >= gpipe:
            return _replayed(*at)
    return None


def _interleaved() -> prover.Decision:
    """With several stages a rank the bubble is smaller; on a grid."""
    sizes = [(ranks, size) for ranks in (2, 3, 4) for size in range(ranks, 9, ranks)]
    grid = [(at, chunks) for at in sizes for chunks in (2, 3)]
    smaller = all(
        timeline(interleaved_1f1b.build(*at, chunks=chunks)).idle_fraction
        < idle(blog_gpipe.FAMILY, *at)
        for at, chunks in grid
    )
    return prover.Decision((prover.Exhausted(_GRID, len(grid), smaller),))


_GRID = "p = 2, 3, 4, M ≤ 8 a multiple of p, 2 or 3 stages a rank"


def _account(formulas: prover.Formulas) -> prover.Account:
    exact, equal, witness = tuple(holds(formulas)), _published(), _not_smaller()
    slower, faster = larger("1f1b", "gpipe", 2), larger("naive", "1f1b", 3)

    def refuted(*because: prover.Ground) -> prover.Decision:
        fails = prover.Refutation(witness, (*exact, *because)) if witness else None
        return prover.Decision(fails=fails)

    # Under neither 1F1B, published or the blog's, is the bubble smaller than under GPipe.
    whole = refuted(*equal, slower) if prover.proves(*exact, *equal, slower) else prover.OPEN
    stated = ("the stated bubbles are 1 − 2M/makespan", "exact identities")
    cases = {
        ("naive → GPipe", ""): prover.Decision((*exact, larger("naive", "gpipe", 2))),
        (
            "GPipe → 1F1B as published",
            "equal for all p and M" if prover.proves(*equal) else "not known",
        ): refuted(*equal),
        ("GPipe → 1F1B of the blog's code", "larger for all p ≥ 2 and M ≥ 2"): refuted(slower),
        ("GPipe → interleaved 1F1B", _GRID): _interleaved(),
        (
            "naive → 1F1B of the blog's code, p ≥ 3",
            "equal at p = 2, where every rank works half of the time under both",
        ): prover.Decision((*exact, faster)),
    }
    known = prover.lines(laws.proof(laws.PROGRAMS, "waits", "times"))
    return laws.account(
        whole,
        cases=prover.cases(cases),
        assumes=(laws.UNIT,),
        steps=(*known, *prover.found_by({stated: exact})),
        findings=_findings(equal, slower, faster) if whole.fails else (),
    )


def _findings(
    equal: tuple[prover.Ground, ...], *between: prover.Outcome
) -> tuple[prover.Finding, ...]:
    return (
        prover.Finding(
            "false",
            "refresher, item on 1F1B",
            "plain 1F1B, unlike the interleaved one that the item names with it, saves "
            "activations, not time: its bubble is GPipe's",
            _not_smaller(),
            repaired=prover.Repair("1F1B's bubble is (p − 1)/(M + p − 1), as GPipe's.", equal),
        ),
        prover.Finding(
            "false",
            "refresher, item on 1F1B, and the code of 1F1B",
            "the code takes one microbatch every 4 slots, so its ranks work at most half of "
            "the time; with two stages its bubble is the naive pipeline's",
            _replayed(2, 4),
            repaired=prover.Repair(
                "The bubble of the blog's 1F1B is (M + p − 2)/(2M + p − 2): above GPipe's for all "
                "p and M, and below the naive pipeline's for p ≥ 3.",
                (*between, *holds(_PRINTED)),
            ),
        ),
    )


_PRINTED = {
    "naive": (p - 1) / p,
    "gpipe": (p - 1) / (M + p - 1),
    "1f1b": (M + p - 2) / (2 * M + p - 2),
}

CLAIM = prover.row(
    "blog.bubble",
    "refresher on pipeline parallelism",
    "The pipeline bubble becomes smaller from the naive pipeline to GPipe, and smaller again from "
    "GPipe to 1F1B.",
    r"\beta_{\text{1F1B}} < \beta_{\text{GPipe}} < \beta_{\text{naive}}",
    _PRINTED,
    holds,
    account=_account,
)
