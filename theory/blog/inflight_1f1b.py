"""Activations of 1F1B and GPipe: the exact peak of every stage, and where 1F1B's is lower.

A stage keeps a microbatch from the start of its forward to the end of its backward. GPipe keeps
all M at every stage. 1F1B keeps min(max(p − 1 − s, 1), M) at stage s in the blog's code and
min(p − s, M) as published: no stage keeps more than under GPipe and the last keeps one, but with
few microbatches the first stages keep all M as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import sympy

from schedules.families import blog_1f1b, blog_gpipe, one_f_one_b
from schedules.validation.facts import in_flight
from theory.blog.laws import ASSUMES, compared, proof
from theory.blog.programs import GPIPE, ONE_F_ONE_B
from theory.blog.warmup import PUBLISHED
from theory.claims import Claim, Formulas
from theory.instances import in_words
from theory.ledger import Case, Evidence, Finding, Judgement, Repair
from theory.outcomes import lazily, steps, verdict_of
from theory.programs.in_flight import peak
from theory.programs.order import of_program
from theory.programs.program import SIZES, View
from theory.programs.symbols import M, p, s, term
from theory.solver import Outcome, Statement, Term, decide, merge
from theory.verdicts import Verdict, weakest

_FAMILIES: Final = {"1f1b": blog_1f1b.FAMILY, "gpipe": blog_gpipe.FAMILY}
_PROGRAMS: Final = {"1f1b": ONE_F_ONE_B, "gpipe": GPIPE}
PUBLISHED_PEAK: Final = sympy.Min(p - s, M)


def _value(form: sympy.Expr, view: View) -> Term:
    return term(form, {p: view.p, s: view.s, M: view.M})


def _statements(formulas: Formulas) -> Iterator[Statement]:
    for name, program in _PROGRAMS.items():
        yield from peak(of_program(program), formulas[name])


def _holds(formulas: Formulas) -> Verdict:
    programs = weakest(found.verdict for found in proof(("blog-1f1b", "blog-gpipe")))
    return min(programs, lazily(_statements(formulas)))


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


def _mismatch(formulas: Formulas) -> dict[str, Any] | None:
    """The first run whose peaks are not as stated."""
    for name, family in _FAMILIES.items():
        for stages, size in SIZES:
            found = in_flight(family.build(stages, size))
            stated = [
                int(formulas[name].subs({p: stages, s: stage, M: size})) for stage in range(stages)
            ]
            if found != stated:
                at = {"schedule": family.name, "p": stages, "M": size}
                return {**at, "peaks": found, "stated": stated}
    return None


def _no_lower() -> dict[str, Any] | None:
    """The first run in which some stage keeps as much under 1F1B as under GPipe."""
    for stages, size in SIZES:
        peaks = {name: in_flight(family.build(stages, size)) for name, family in _FAMILIES.items()}
        for stage, pair in enumerate(zip(*peaks.values(), strict=True)):
            if pair[0] >= pair[1]:
                return {"p": stages, "M": size, "s": stage, **peaks}
    return None


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


def _judge(formulas: Formulas) -> Judgement:
    statements = [decide(statement) for statement in _statements(formulas)]
    numbers = [
        *proof(("blog-1f1b", "blog-gpipe")),
        merge("peaks", "the peaks of every stage are as stated", statements),
    ]
    mismatch, same_at = _mismatch(formulas), _no_lower()
    same, differs = compared()
    average, every, enough = _comparison(formulas)
    exact = verdict_of(numbers, mismatch)
    cases = (
        Case(
            "average over ranks, as the blog measures it",
            min(exact, average.verdict),
            "for all p ≥ 2 and M ≥ 2",
        ),
        Case("every stage, M ≥ p", min(exact, enough.verdict)),
        Case(
            "every stage, any M",
            Verdict.REFUTED if every.verdict is Verdict.REFUTED and same_at else Verdict.UNKNOWN,
            "with few microbatches the first stages keep all of them"
            + (f": {in_words(same_at)}" if same_at else ""),
        ),
        Case(
            "1F1B as published, average over ranks",
            min(exact, _published()),
            "min(p − s, M) at stage s; every stage keeps fewer only if M > p",
        ),
    )
    return Judgement(
        verdict=_overall(exact, cases) if not differs else Verdict.UNKNOWN,
        printed_proof="none",
        cases=cases,
        assumes=(
            *ASSUMES,
            "a stage keeps a microbatch from its forward to its backward's end",
            "the whole batch of the naive pipeline counts as M microbatches",
        ),
        steps=(*steps((*numbers, average, enough)), same),
        findings=_findings(exact, cases, same_at),
        counterexample=mismatch,
        evidence=(*differs, _boundary()),
    )


def _published() -> Verdict:
    """The same comparison for published 1F1B."""
    statements = peak(of_program(PUBLISHED), PUBLISHED_PEAK)
    average = _average({"1f1b": PUBLISHED_PEAK, "gpipe": M}, sympy.Integer(2))
    same = all(
        in_flight(one_f_one_b.FAMILY.build(stages, size))
        == [min(stages - stage, size) for stage in range(stages)]
        for stages, size in SIZES
    )
    return min(lazily(statements), average.verdict) if same else Verdict.UNKNOWN


def _overall(exact: Verdict, cases: tuple[Case, ...]) -> Verdict:
    """CONDITIONAL where the average is proved lower, but not every stage's peak."""
    if exact is not Verdict.PROVED:
        return exact
    average, _, every, _ = (case.verdict for case in cases)
    if average is not Verdict.PROVED:
        return average
    return Verdict.PROVED if every is Verdict.PROVED else Verdict.CONDITIONAL


def _findings(
    exact: Verdict, cases: tuple[Case, ...], same_at: dict[str, Any] | None
) -> tuple[Finding, ...]:
    if exact is not Verdict.PROVED or same_at is None:
        return ()
    return (
        Finding(
            kind="missing-condition",
            where="1F1B pipeline",
            says="a stage with at least M stages behind it keeps all M microbatches too",
            witness=same_at,
            repaired=Repair(
                "If M ≥ p, every stage of the blog's 1F1B keeps fewer microbatches at its peak, "
                "max(p − 1 − s, 1), than under GPipe, M.",
                cases[1].verdict,
            ),
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
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    weakened={"M ≥ 2": lambda: _average(_PRINTED, sympy.Integer(1)).verdict},
)
