"""The mismatch of every minibatch, from the start times of one pipeline.

An update follows every backward, and both kinds run in the order of minibatches. So if k
backwards of the stage are over when F(s, m) starts, and the others start after it, m − k
updates fall between F(s, m) and B(s, m). Order alone decides that (schedules.static-staleness).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import sympy
import z3

from schedules.actions import Kind
from theory.claims import Formulas
from theory.laws.static_orders.symbols import term
from theory.papers.amdp.lemmas.greedy import SMALLEST, decided
from theory.papers.amdp.lemmas.minibatches import Minibatch, Pipeline
from theory.papers.amdp.lemmas.start_times import CAPPED, CROWDED, FREE, TWO, Law, before
from theory.papers.amdp.symbols import d, i, n, q, r
from theory.smt.instances import Instance
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


def largest(
    law: Law, form: sympy.Expr, most: sympy.Expr, *, first_round: bool, attained: bool = True
) -> Iterator[Statement]:
    """No mismatch exceeds `most`, and the last of every n minibatches attains it at every stage."""
    line, s, m = law.somewhere("m")
    found, bound = value(form, line, s, m), value(most, line, s, m)
    here = (*law.inside(line, s, m), _in_first_round(law, line, m) == first_round)
    where = "first round" if first_round else "later rounds"
    yield Statement(
        f"{law.name}: at most, {where}", "no mismatch exceeds the largest", here, found <= bound
    )
    if attained:
        yield Statement(
            f"{law.name}: attained, {where}",
            "the last of every n minibatches has the largest mismatch, at every stage",
            (*here, m.place == line.n - 1),
            found == bound,
        )


def _capped(law: Law, formulas: Formulas) -> Iterator[Statement]:
    most, first, later = (formulas[name] for name in ("mismatch", "first", "later"))
    yield counted(law, first, first_round=True)
    yield counted(law, later, first_round=False)
    yield from largest(law, first, most, first_round=True)
    yield from largest(law, later, most, first_round=False)


def _uncapped(law: Law, formulas: Formulas) -> Iterator[Statement]:
    most, first = formulas["uncapped"], formulas["uncapped first"]
    later = formulas["later" if law is FREE else "crowded later"]
    yield counted(law, first, first_round=True)
    yield counted(law, later, first_round=False)
    yield from largest(law, first, most, first_round=True)
    yield from largest(law, later, most, first_round=False, attained=False)


def _who(formulas: Formulas) -> Iterator[Statement]:
    """Which minibatches m ≥ n attain the largest mismatch."""
    line, s, m = CAPPED.somewhere("m")
    most, later = (value(formulas[name], line, s, m) for name in ("mismatch", "later"))
    attains = z3.Or(m.place >= most, s == 0, line.n == line.p)
    yield Statement(
        "who attains it",
        "m ≥ n attains the largest mismatch iff m mod n ≥ min(n, d − i) − 1, i = 0 or n = d",
        (*CAPPED.inside(line, s, m), m.round > 0),
        (later == most) == attains,
    )


def _needless(formulas: Formulas) -> Iterator[Statement]:
    """More than d minibatches are never under way, whatever n is."""
    line, s, m = CAPPED.somewhere("m")
    just = Pipeline(line.p, line.p, z3.If)
    stated = value(formulas["mismatch"], line, s, m) == value(formulas["mismatch"], just, s, m)
    yield Statement(
        "n > d",
        "for n ≥ d every stage has the cap and the stated mismatch of n = d",
        (line.p >= 1, line.n >= line.p, s >= 0, s < line.p),
        z3.And(CAPPED.cap(line, s) == CAPPED.cap(just, s), stated),
    )


def _one_stage(formulas: Formulas) -> Iterator[Statement]:
    line, s, m = CROWDED.somewhere("m")
    most, stated = (value(formulas[name], line, s, m) for name in ("uncapped", "mismatch"))
    yield Statement(
        "one stage",
        "with d = 1 the largest mismatch is as stated for all n",
        (*CROWDED.inside(line, s, m), line.p == 1),
        most == stated,
    )


def _exceeded(formulas: Formulas) -> Iterator[Statement]:
    """At stage d − 2 minibatch 2 already has a mismatch of 2."""
    for law in (FREE, CROWDED):
        line, s, m = law.somewhere("m")
        found = value(formulas["uncapped first"], line, s, m)
        at = (line.n >= 3, s == line.p - 2, m.round == 0, m.place == 2)
        yield Statement(
            f"{law.name}: exceeded",
            "at stage d − 2 minibatch 2 has a larger mismatch than stated, for n ≥ 3 and d ≥ 2",
            (*law.inside(line, s, m), *at),
            found > value(formulas["mismatch"], line, s, m),
        )


def _within_cap(formulas: Formulas) -> Iterator[Statement]:
    line, s, m = CAPPED.somewhere("m")
    yield Statement(
        "cap",
        "the stated mismatch is one less than the cap of its stage",
        CAPPED.inside(line, s, m),
        value(formulas["mismatch"], line, s, m) == CAPPED.cap(line, s) - 1,
    )


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
_CAPPED_NEEDS: Final = ("mismatch", "first", "later")

PARTS: Final = {
    "capped": Part(
        f"a cap at every stage, n ≤ d: {_EXACT}", _CAPPED_NEEDS, partial(_capped, CAPPED)
    ),
    "who": Part(
        "a cap at every stage, n ≤ d: which minibatches m ≥ n attain the largest mismatch",
        ("mismatch", "later"),
        _who,
    ),
    "n > d": Part("a cap at every stage, n > d: all is as for n = d", ("mismatch",), _needless),
    "cap": Part("the stated mismatch is one less than the cap", ("mismatch",), _within_cap),
    "two": Part(f"stage 0 alone bounded, n ≤ 2: {_EXACT}", _CAPPED_NEEDS, partial(_capped, TWO)),
    "free": Part(
        f"stage 0 alone bounded, n ≤ d: {_EXACT}",
        ("uncapped", "uncapped first", "later"),
        partial(_uncapped, FREE),
    ),
    "crowded": Part(
        f"stage 0 alone bounded, n ≥ d: {_EXACT}",
        ("uncapped", "uncapped first", "crowded later"),
        partial(_uncapped, CROWDED),
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
