"""The mismatch of every minibatch, from the start times of one pipeline.

An update follows every backward, and both kinds run in the order of minibatches. So if k
backwards of the stage are over when F(s, m) starts, and the others start after it, m − k
updates fall between F(s, m) and B(s, m). Order alone decides that (schedules.static-staleness).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import sympy
import z3

from schedules.actions import Kind
from theory.claims import Formulas
from theory.laws.static_orders.symbols import term
from theory.papers.amdp.lemmas.greedy import SMALLEST, decided
from theory.papers.amdp.lemmas.minibatches import Minibatch, Pipeline
from theory.papers.amdp.lemmas.start_times import CAPPED, CROWDED, FREE, TWO, Law, before, letters
from theory.papers.amdp.symbols import d, i, n, q, r
from theory.smt.instances import Instance
from theory.smt.notation import stated
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term


def value(form: sympy.Expr, line: Pipeline, s: Term, m: Minibatch) -> Term:
    """A formula in d, n, i, q and r as a solver term."""
    return term(form, {d: line.p, n: line.n, i: s, q: m.round, r: m.place})


def counted(law: Law, form: sympy.Expr, *, first_round: bool) -> Statement:
    """The mismatch of every minibatch of the first round, or of every other, is `form`.

    Parameters
    ----------
    law : Law
    form : sympy expression in d, n, i and r
        With r = m where the law has no rounds; there all minibatches m < n make up the first.
    first_round : bool
    """
    line, s, m = law.somewhere("m")
    found = value(form, line, s, m)
    head = line.back(m, found)
    last = line.back(head, 1)
    return Statement(
        f"{law.name}, {'first round' if first_round else 'later rounds'}",
        "exactly the backwards up to the stated one are over when the forward starts",
        (*law.inside(line, s, m), _in_first_round(law, line, m) == first_round),
        z3.And(
            found >= 0,
            found <= line.n,
            z3.Or(m.round > 0, found <= m.place),
            z3.Or(head.is_first, before(law, line, s, (Kind.B, last), (Kind.F, m))),
            before(law, line, s, (Kind.F, m), (Kind.B, head)),
        ),
    )


def _in_first_round(law: Law, line: Pipeline, m: Minibatch) -> Term:
    """Whether m < n."""
    return m.round == 0 if law.rounds else m.place < line.n


def _of(law: Law, formulas: Formulas, name: str, says: str, given: str, goal: str) -> Statement:
    """A statement about minibatch nq + r at stage s of p, in the letters of a law and formulas."""
    line, s, m = law.somewhere("m")
    forms = {key.replace(" ", "_"): value(form, line, s, m) for key, form in formulas.items()}
    first = _in_first_round(law, line, m)
    known = {**letters(line, s, m), **forms, "cap": law.admits(line, s)[0], "first_round": first}
    statement = stated(name, says, given, goal, **known)
    return replace(statement, hypotheses=(*law.inside(line, s, m), *statement.hypotheses))


def largest(
    law: Law, form: sympy.Expr, most: sympy.Expr, *, first_round: bool, attained: bool = True
) -> Iterator[Statement]:
    """No mismatch exceeds `most`, and the last of every n minibatches attains it at every stage."""
    forms = {"found": form, "bound": most}
    here, where = (
        ("first_round", "first round") if first_round else ("not first_round", "later rounds")
    )
    name, says = f"{law.name}: at most, {where}", "no mismatch exceeds the largest"
    yield _of(law, forms, name, says, here, "found <= bound")
    if attained:
        name = f"{law.name}: attained, {where}"
        says = "the last of every n minibatches has the largest mismatch, at every stage"
        yield _of(law, forms, name, says, f"{here}, r == n - 1", "found == bound")


def _every(
    law: Law, names: tuple[str, str, str], formulas: Formulas, *, attained: bool = True
) -> Iterator[Statement]:
    """The mismatch of every minibatch, and the largest."""
    most, first, later = (formulas[name] for name in names)
    yield counted(law, first, first_round=True)
    yield counted(law, later, first_round=False)
    yield from largest(law, first, most, first_round=True)
    yield from largest(law, later, most, first_round=False, attained=attained)


def _who(formulas: Formulas) -> Iterator[Statement]:
    """Which minibatches m ≥ n attain the largest mismatch."""
    yield _of(
        CAPPED,
        formulas,
        "who attains it",
        "m ≥ n attains the largest mismatch iff m mod n ≥ min(n, d − i) − 1, i = 0 or n = d",
        "q > 0",
        "(later == mismatch) == (r >= mismatch or s == 0 or n == p)",
    )


def _needless(formulas: Formulas) -> Iterator[Statement]:
    """More than d minibatches are never under way, whatever n is."""
    line, s, m = CAPPED.somewhere("m")
    just = Pipeline(line.p, line.p, z3.If)
    same = value(formulas["mismatch"], line, s, m) == value(formulas["mismatch"], just, s, m)
    yield Statement(
        "n > d",
        "for n ≥ d every stage has the cap and the stated mismatch of n = d",
        (line.p >= 1, line.n >= line.p, s >= 0, s < line.p),
        z3.And(CAPPED.admits(line, s)[0] == CAPPED.admits(just, s)[0], same),
    )


def _one_stage(formulas: Formulas) -> Iterator[Statement]:
    says = "with d = 1 the largest mismatch is as stated for all n"
    yield _of(CROWDED, formulas, "one stage", says, "p == 1", "uncapped == mismatch")


def _exceeded(formulas: Formulas) -> Iterator[Statement]:
    """At stage d − 2 minibatch 2 already has a mismatch of 2."""
    says = "at stage d − 2 minibatch 2 has a larger mismatch than stated, for n ≥ 3 and d ≥ 2"
    given, goal = "n >= 3, s == p - 2, q == 0, r == 2", "uncapped_first > mismatch"
    for law in (FREE, CROWDED):
        yield _of(law, formulas, f"{law.name}: exceeded", says, given, goal)


def _within_cap(formulas: Formulas) -> Iterator[Statement]:
    says = "the stated mismatch is one less than the cap of its stage"
    yield _of(CAPPED, formulas, "cap", says, "", "mismatch == cap - 1")


@dataclass(frozen=True)
class Part:
    """Part of what is proved, given the start times.

    Attributes
    ----------
    says : str
    needs : tuple of str
        Names of the formulas that it speaks of.
    statements : callable
    smallest : mapping of str to int
        An instance that its statements have to admit.
    """

    says: str
    needs: tuple[str, ...]
    statements: Callable[[Formulas], Iterator[Statement]]
    smallest: Instance = field(default_factory=lambda: SMALLEST)


_EXACT: Final = "the mismatch of every minibatch, and the largest"
_BOUNDED: Final = ("mismatch", "first", "later")
_FREE: Final = ("uncapped", "uncapped first", "later")
_CROWDED: Final = ("uncapped", "uncapped first", "crowded later")

PARTS: Final = {
    "capped": Part(
        f"a cap at every stage, n ≤ d: {_EXACT}", _BOUNDED, partial(_every, CAPPED, _BOUNDED)
    ),
    "who": Part(
        "a cap at every stage, n ≤ d: which minibatches m ≥ n attain the largest mismatch",
        ("mismatch", "later"),
        _who,
    ),
    "n > d": Part("a cap at every stage, n > d: all is as for n = d", ("mismatch",), _needless),
    "cap": Part("the stated mismatch is one less than the cap", ("mismatch",), _within_cap),
    "two": Part(
        f"stage 0 alone bounded, n ≤ 2: {_EXACT}", _BOUNDED, partial(_every, TWO, _BOUNDED)
    ),
    "free": Part(
        f"stage 0 alone bounded, n ≤ d: {_EXACT}",
        _FREE,
        partial(_every, FREE, _FREE, attained=False),
    ),
    "crowded": Part(
        f"stage 0 alone bounded, n ≥ d: {_EXACT}",
        _CROWDED,
        partial(_every, CROWDED, _CROWDED, attained=False),
    ),
    "one stage": Part(
        "stage 0 alone bounded, d = 1: as stated", ("uncapped", "mismatch"), _one_stage
    ),
    "exceeded": Part(
        "stage 0 alone bounded, n ≥ 3, d ≥ 2: stage d − 2 exceeds what is stated",
        ("uncapped first", "mismatch"),
        _exceeded,
        {"p": 3, "n": 3, "s": 1},
    ),
}


def part(name: str, formulas: Formulas) -> Outcome:
    """One of `PARTS`, decided for given formulas.

    Parameters
    ----------
    name : str
    formulas : mapping of str to sympy expression in d, n, i and r
        The largest mismatch as stated ("mismatch"), and without a cap ("uncapped"); the mismatch
        of minibatch m = r < n with a cap and without ("first", "uncapped first"), and of those
        from n on ("later"), without a cap and rounds if n ≥ d ("crowded later").
    """
    return _decided(name, tuple(formulas[needed] for needed in PARTS[name].needs))


@remembered
def _decided(name: str, forms: tuple[sympy.Expr, ...]) -> Outcome:
    entry = PARTS[name]
    statements = entry.statements(dict(zip(entry.needs, forms, strict=True)))
    return decided(name, entry.says, statements, entry.smallest)
