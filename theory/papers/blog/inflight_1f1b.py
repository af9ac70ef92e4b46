"""Activations of 1F1B and GPipe: the exact peak of every stage, and where 1F1B's is lower.

A stage keeps a microbatch from the start of its forward to the end of its backward. GPipe keeps
all M at every stage. 1F1B keeps min(max(p − 1 − s, 1), M) at stage s in the blog's code and
min(p − s, M) as published: no stage keeps more than under GPipe and the last keeps one, but with
few microbatches the first stages keep all M as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import sympy

from schedules.families import blog_1f1b, blog_gpipe, one_f_one_b
from schedules.families.family import Family
from schedules.validation.facts import in_flight
from theory.account import (
    Account,
    Case,
    Compared,
    Decision,
    Finding,
    Ground,
    Readings,
    Refutation,
    Repair,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.judging.outcomes import in_turn, lines
from theory.laws.links import tied
from theory.laws.static_orders.in_flight import peak
from theory.laws.static_orders.order import of_program
from theory.laws.static_orders.program import SIZES, View
from theory.laws.static_orders.symbols import M, p, s, term
from theory.ledger import Evidence
from theory.papers.blog.lemmas.laws import ASSUMES, OF_A_STAGE, compared, proof
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.blog.warmup import PUBLISHED
from theory.smt.instances import in_words
from theory.smt.solver import Outcome, Statement, Term, decide, merge

_FAMILIES: Final = {"1f1b": blog_1f1b.FAMILY, "gpipe": blog_gpipe.FAMILY}
_PROGRAMS: Final = {"1f1b": ONE_F_ONE_B, "gpipe": GPIPE}
PUBLISHED_PEAK: Final = sympy.Min(p - s, M)


def _value(form: sympy.Expr, view: View) -> Term:
    return term(form, {p: view.p, s: view.s, M: view.M})


def _statements(formulas: Formulas) -> Iterator[Statement]:
    for name, program in _PROGRAMS.items():
        yield from peak(of_program(program), formulas[name])


def _holds(formulas: Formulas) -> Iterator[Outcome]:
    yield from proof(("blog-1f1b", "blog-gpipe"))
    yield from in_turn(_statements(formulas))


def _less(
    name: str,
    one: sympy.Expr,
    other: sympy.Expr,
    *,
    strictly: bool,
    least: Any,
    only_last: bool = False,
) -> Outcome:
    """A stage keeps at most as many, or fewer, under `one`, if M ≥ `least`."""
    view = View.symbolic()
    few, many = _value(one, view), _value(other, view)
    where = view.s == view.p - 1 if only_last else view.s < view.p
    hypotheses = (view.p >= 2, view.s >= 0, where, _value(least, view) <= view.M)
    return decide(Statement(name, name, hypotheses, few < many if strictly else few <= many))


def _average(formulas: Formulas, two: sympy.Expr) -> Outcome:
    """The mean over ranks is lower under 1F1B, if M ≥ `two`."""
    one, other = formulas["1f1b"], formulas["gpipe"]
    average = [
        _less("no stage keeps more than under GPipe", one, other, strictly=False, least=two),
        _less("the last keeps fewer", one, other, strictly=True, least=two, only_last=True),
    ]
    return merge("average", "no stage keeps more than under GPipe, the last one fewer", average)


def _comparison(formulas: Formulas) -> tuple[Outcome, Outcome, Outcome]:
    """On average over ranks; at every stage; at every stage where M ≥ p."""
    one, other, two = formulas["1f1b"], formulas["gpipe"], sympy.Integer(2)
    return (
        _average(formulas, two),
        _less("every stage keeps fewer", one, other, strictly=True, least=two),
        _less("every stage keeps fewer if M ≥ p", one, other, strictly=True, least=p),
    )


def _mismatch(formulas: Formulas) -> Refutation | None:
    """The first run whose peaks are not as stated."""
    for name, family in _FAMILIES.items():
        form = formulas[name]
        for stages, size in SIZES:
            found = in_flight(family.build(stages, size))
            stated = [int(form.subs({p: stages, s: stage, M: size})) for stage in range(stages)]
            if found != stated:
                at = {"schedule": family.name, "p": stages, "M": size}
                stage = next(k for k in range(stages) if found[k] != stated[k])
                return Refutation(
                    {**at, "peaks": found, "stated": stated},
                    Violation(
                        partial(_peak, family, stages, size, stage),
                        "==",
                        form,
                        {p: stages, M: size, s: stage},
                        OF_A_STAGE,
                    ),
                )
    return None


def _peak(family: Family, stages: int, size: int, stage: int) -> int:
    return in_flight(family.build(stages, size))[stage]


def _no_lower() -> Refutation | None:
    """The first run in which some stage keeps as much under 1F1B as under GPipe."""
    for stages, size in SIZES:
        peaks = {name: in_flight(family.build(stages, size)) for name, family in _FAMILIES.items()}
        for stage, pair in enumerate(zip(*peaks.values(), strict=True)):
            if pair[0] >= pair[1]:
                witness = {"p": stages, "M": size, "s": stage, **peaks}
                return Refutation(witness, _no_fewer(stages, size, stage))
    return None


def _no_fewer(stages: int, size: int, stage: int) -> Violation:
    """How many fewer the stage keeps under 1F1B, where it is to be one at least."""

    def fewer() -> int:
        here, there = (_peak(_FAMILIES[name], stages, size, stage) for name in ("1f1b", "gpipe"))
        return there - here

    at = {p: stages, M: size, s: stage}
    return Violation(fewer, ">=", sympy.Integer(1), at, OF_A_STAGE)


def _boundary() -> Evidence:
    """What the lists of the printed code keep, beside what autograd does."""
    stages, size = 4, 8
    return Evidence(
        "neither",
        "inputs and outputs of a stage stand in the code's lists to the end of the step, M of each "
        "under 1F1B too; what a backward frees is what autograd saved inside the stage",
        {
            "p": stages,
            "M": size,
            "saved inside": in_flight(blog_1f1b.FAMILY.build(stages, size)),
            "inputs and outputs": [size] * stages,
        },
    )


def _account(formulas: Formulas) -> Account:
    statements = [decide(statement) for statement in _statements(formulas)]
    numbers = (
        *proof(("blog-1f1b", "blog-gpipe")),
        merge("peaks", "the peaks of every stage are as stated", statements),
    )
    same, differs = compared()
    mismatch, same_at = None if differs else _mismatch(formulas), _no_lower()
    average, every, enough = _comparison(formulas)
    return Account(
        Decision(numbers, mismatch) if mismatch else Readings(holds=(_AVERAGE, _ENOUGH)),
        cases=(
            Case(_AVERAGE, Decision((*numbers, average)), "for all p ≥ 2 and M ≥ 2"),
            Case(_ENOUGH, Decision((*numbers, enough))),
            Case(
                "every stage, any M",
                Decision((*numbers, every), same_at),
                "with few microbatches the first stages keep all of them"
                + (f": {in_words(same_at.witness)}" if same_at else ""),
            ),
            Case(
                "1F1B as published, average over ranks",
                Decision((*numbers, *_published())),
                "min(p − s, M) at stage s; every stage keeps fewer only if M > p",
            ),
        ),
        assumes=(
            *ASSUMES,
            "a stage keeps a microbatch from its forward to its backward's end",
            "the whole batch of the naive pipeline counts as M microbatches",
        ),
        steps=(*lines((*numbers, average, enough)), *same),
        findings=(_missing(same_at, numbers, enough),) if same_at else (),
        evidence=(*differs, _boundary()),
    )


_AVERAGE: Final = "average over ranks, as the blog measures it"
_ENOUGH: Final = "every stage, M ≥ p"


def _published() -> tuple[Ground, ...]:
    """The same comparison for published 1F1B, whose runs of small size have these peaks."""
    statements = peak(of_program(PUBLISHED), PUBLISHED_PEAK)
    average = _average({"1f1b": PUBLISHED_PEAK, "gpipe": M}, sympy.Integer(2))
    same = all(
        in_flight(one_f_one_b.FAMILY.build(stages, size))
        == [min(stages - stage, size) for stage in range(stages)]
        for stages, size in SIZES
    )
    runs = Compared(
        "published 1F1B keeps min(p − s, M), p ≤ 6 and M ≤ 9",
        "schedules.validation.facts.in_flight",
        same,
    )
    return (runs, *tied((*in_turn(statements), average)))


def _missing(same_at: Refutation, numbers: tuple[Outcome, ...], enough: Outcome) -> Finding:
    return Finding(
        kind="missing-condition",
        where="1F1B pipeline",
        says="a stage with at least M stages behind it keeps all M microbatches too",
        witness=same_at.witness,
        shown=numbers,
        repaired=Repair(
            "If M ≥ p, every stage of the blog's 1F1B keeps fewer microbatches at its peak, "
            "max(p − 1 − s, 1), than under GPipe, M.",
            (*numbers, enough),
        ),
    )


_PRINTED: Final = {"1f1b": sympy.Min(sympy.Max(p - 1 - s, 1), M), "gpipe": M}

CLAIM: Final = Claim(
    id="blog.inflight-1f1b",
    where="hypothesis, and 1F1B pipeline",
    statement=(
        "1F1B has a lower peak of activations than GPipe and the naive pipeline, as a stage frees "
        "microbatches before its last forward: min(max(p − 1 − s, 1), M) instead of M at stage s."
    ),
    latex=r"\min(\max(p - 1 - s, 1), M) \quad\text{instead of}\quad M",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    weakened={"M ≥ 2": lambda: (_average(_PRINTED, sympy.Integer(1)),)},
)
