"""The bubble from the naive pipeline to GPipe to 1F1B: it shrinks once, and not twice.

With a slot for each forward and backward, GPipe's bubble (p − 1)/(M + p − 1) is below the naive
(p − 1)/p. Published 1F1B has exactly GPipe's. The blog's 1F1B, whose stages wait one forward
longer, has (M + p − 2)/(2M + p − 2), above GPipe's for all p and M, and the naive one at p = 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

import sympy
import z3

from schedules.closed_forms.start_times import StartTimes, guess_start_times, sample
from schedules.families import (
    blog_1f1b,
    blog_gpipe,
    blog_naive,
    interleaved_1f1b,
    one_f_one_b,
)
from schedules.families.family import Family
from schedules.rules import StaticOrder
from schedules.timeline import timeline
from theory.blog.laws import ASSUMES, UNIT, compared, proof
from theory.blog.programs import GPIPE, ONE_F_ONE_B
from theory.claims import Claim, Formulas
from theory.delay_laws.domains import a_microbatch, a_stage
from theory.delay_laws.domains import domain as sizes_of
from theory.delay_laws.start_times import prove_start_times
from theory.delay_laws.symbols import Microbatch, Size, Times
from theory.ledger import Case, Finding, Judgement, Repair, Step
from theory.outcomes import lazily, steps
from theory.programs.program import SIZES, Program, View
from theory.programs.proofs import domain
from theory.programs.symbols import M, p
from theory.queries import remembered
from theory.solver import Statement, Term, decide
from theory.verdicts import Verdict, weakest

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
def _ends(name: str) -> Verdict:
    return lazily(last(_PROGRAMS[name]))


def bubble(name: str) -> sympy.Expr:
    """Idle part of ranks · makespan: every rank works 2M slots.

    Examples
    --------
    >>> bubble("gpipe")
    (p - 1)/(M + p - 1)
    """
    idle = 1 - 2 * M / makespan(_PROGRAMS[name])
    return sympy.factor(idle.subs(M, 1) if name == "naive" else idle)


def _formula(formulas: Formulas, name: str) -> Verdict:
    """Whether a stated bubble is that of the schedule, for all p and M."""
    same = sympy.cancel(formulas[name] - bubble(name)) == 0
    return _ends(name) if same else Verdict.UNKNOWN


def _holds(formulas: Formulas) -> Verdict:
    if any(_formula(formulas, name) is not Verdict.PROVED for name in _PROGRAMS):
        return Verdict.UNKNOWN
    return weakest(found.verdict for found in proof(("blog-gpipe", "blog-1f1b"), "waits", "times"))


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


@remembered
def _published() -> Verdict:
    """Published 1F1B ends in slot 2(M + p − 1), for all p and M."""
    family = one_f_one_b.FAMILY
    guess = guess_start_times(sample(family, None))
    assert isinstance(family.rule, StaticOrder), "1F1B is a static order"
    if not isinstance(guess, StartTimes):
        return Verdict.UNKNOWN
    at, stage, m = Times(Size.symbolic(), guess), z3.Int("s"), Microbatch.named("m")
    size = at.size
    end = at.backward(z3.IntVal(0), size.shift(m, 0)) + 1
    inside = (*sizes_of(size), a_stage(size, stage), a_microbatch(size, m))
    span = 2 * (size.microbatches + size.p - 1)
    last = [
        Statement("end", "no backward ends later", inside, at.backward(stage, m) + 1 <= span),
        Statement("attained", "one does", (*inside, m.index == size.microbatches - 1), end == span),
    ]
    found = [outcome.verdict for outcome in prove_start_times(family.rule, None, guess)]
    return weakest([*found, *(decide(statement).verdict for statement in last)])


def idle(family: Family, stages: int, size: int) -> Fraction:
    """Bubble of one run.

    Examples
    --------
    >>> str(idle(blog_1f1b.FAMILY, 4, 8))
    '5/9'
    """
    return timeline(family.build(stages, 1 if family is blog_naive.FAMILY else size)).idle_fraction


def _replayed(stages: int, size: int) -> dict[str, int | str]:
    bubbles = {name: str(idle(family, stages, size)) for name, family in _FAMILIES.items()}
    return {"p": stages, "M": size, **bubbles}


def _not_smaller() -> dict[str, int | str] | None:
    """The first run in which neither 1F1B has a smaller bubble than GPipe."""
    for stages, size in SIZES:
        gpipe = idle(blog_gpipe.FAMILY, stages, size)
        if min(idle(f, stages, size) for f in (blog_1f1b.FAMILY, one_f_one_b.FAMILY)) >= gpipe:
            return _replayed(stages, size)
    return None


def _interleaved() -> Case:
    """With several stages a rank the bubble is smaller; on a grid."""
    grid = [(ranks, size) for ranks in (2, 3, 4) for size in range(ranks, 9, ranks)]
    smaller = all(
        timeline(interleaved_1f1b.build(ranks, size, chunks=chunks)).idle_fraction
        < idle(blog_gpipe.FAMILY, ranks, size)
        for ranks, size in grid
        for chunks in (2, 3)
    )
    verdict = Verdict.CHECKED if smaller else Verdict.REFUTED
    return Case(
        "GPipe → interleaved 1F1B",
        verdict,
        "p = 2, 3, 4, M ≤ 8 a multiple of p, 2 or 3 stages a rank",
    )


def _larger(one: str, other: str, stages: int) -> bool:
    """Whether one schedule's bubble is above another's for p ≥ `stages` and M ≥ 2."""
    return always_positive(bubble(one) - bubble(other), stages)


def _slow() -> Verdict:
    """The blog's 1F1B has the stated bubble, between GPipe's and, for p ≥ 3, the naive one."""
    between = _larger("1f1b", "gpipe", 2) and _larger("naive", "1f1b", 3)
    return _holds(_PRINTED) if between else Verdict.UNKNOWN


def _cases(exact: Verdict, witness: dict[str, int | str] | None) -> tuple[Case, ...]:
    equal, slow = _published(), _larger("1f1b", "gpipe", 2)

    def smaller(holds: bool) -> Verdict:
        return exact if holds else Verdict.UNKNOWN

    def refuted(holds: bool) -> Verdict:
        return Verdict.REFUTED if exact is Verdict.PROVED and holds and witness else Verdict.UNKNOWN

    return (
        Case("naive → GPipe", smaller(_larger("naive", "gpipe", 2))),
        Case(
            "GPipe → 1F1B as published",
            refuted(equal is Verdict.PROVED),
            f"equal for all p and M ({equal.name})",
        ),
        Case("GPipe → 1F1B of the blog's code", refuted(slow), "larger for all p ≥ 2 and M ≥ 2"),
        _interleaved(),
        Case(
            "naive → 1F1B of the blog's code, p ≥ 3",
            smaller(_larger("naive", "1f1b", 3)),
            "equal at p = 2, where every rank works half of the time under both",
        ),
    )


def _overall(exact: Verdict, cases: tuple[Case, ...]) -> Verdict:
    """The row compares naive, GPipe and 1F1B; it is refuted if either 1F1B is no better."""
    if exact is not Verdict.PROVED:
        return exact
    return weakest(case.verdict for case in cases[:3])


def _findings(cases: tuple[Case, ...], witness: dict[str, int | str]) -> tuple[Finding, ...]:
    return (
        Finding(
            kind="false",
            where="refresher, item on 1F1B",
            says="plain 1F1B saves activations, not time: its bubble is GPipe's",
            witness=witness,
            repaired=Repair("1F1B's bubble is (p − 1)/(M + p − 1), as GPipe's.", _published()),
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


def _judge(formulas: Formulas) -> Judgement:
    exact, witness = _holds(formulas), _not_smaller()
    same, differs = compared()
    cases = _cases(exact, witness)
    verdict = _overall(exact, cases) if not differs else Verdict.UNKNOWN
    found = proof(("blog-gpipe", "blog-1f1b"), "waits", "times")
    stated = Step("ours", "the stated bubbles are 1 − 2M/makespan", "exact identities", exact)
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=cases,
        assumes=(*ASSUMES, UNIT),
        steps=(*steps(found), stated, same),
        findings=_findings(cases, witness) if verdict is Verdict.REFUTED and witness else (),
        counterexample=witness if verdict is Verdict.REFUTED else None,
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
    judge=_judge,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
)
