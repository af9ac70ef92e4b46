"""The mismatch of every minibatch, from the start times of one pipeline.

An update follows every backward, and both kinds run in the order of minibatches. So if k
backwards of the stage are over when F(s, m) starts, and the others start after it, m − k
updates fall between F(s, m) and B(s, m). Order alone decides that (schedules.static-staleness).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

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

_ROUND: Final = ("later rounds", "first round")


def value(form: sympy.Expr, line: Pipeline, s: Term, m: Minibatch) -> Term:
    """A formula in d, n, i, q and r as a solver term."""
    return term(form, {d: line.p, n: line.n, i: s, q: m.round, r: m.place})


def _of(law: Law, name: str, says: str, given: str, goal: str, **forms: sympy.Expr) -> Statement:
    """A statement about minibatch nq + r at stage s of p, in the letters of a law and of forms."""
    line, s, m = law.somewhere("m")
    known = {key: value(form, line, s, m) for key, form in forms.items()}
    # The minibatch that many before this one, and that before it.
    head = line.back(m, known["found"]) if "found" in known else m
    last = line.back(head, 1)
    order = {
        "first": m.round == 0 if law.rounds else m.place < line.n,
        "nobody": head.is_first,
        "last_is_over": before(law, line, s, (Kind.B, last), (Kind.F, m)),
        "head_comes_later": before(law, line, s, (Kind.F, m), (Kind.B, head)),
    }
    names = {**letters(line, s, m), "cap": law.admits(line, s)[0], **order, **known}
    statement = stated(name, says, given, goal, **names)
    return replace(statement, hypotheses=(*law.inside(line, s, m), *statement.hypotheses))


def counted(law: Law, form: sympy.Expr, *, first_round: bool) -> Statement:
    """The mismatch of every minibatch of the first round, or of every other, is `form`.

    Parameters
    ----------
    law : Law
    form : sympy expression in d, n, i and r
        With r = m where the law has no rounds; there all minibatches m < n make up the first.
    first_round : bool
    """
    return _of(
        law,
        f"{law.name}, {_ROUND[first_round]}",
        "exactly the backwards up to the stated one are over when the forward starts",
        "first" if first_round else "not first",
        "0 <= found, found <= n, q > 0 or found <= r, nobody or last_is_over, head_comes_later",
        found=form,
    )


def largest(
    law: Law, form: sympy.Expr, most: sympy.Expr, *, first_round: bool, attained: bool = True
) -> Iterator[Statement]:
    """No mismatch exceeds `most`, and the last of every n minibatches attains it at every stage."""
    here, where = "first" if first_round else "not first", _ROUND[first_round]
    forms = {"mismatch": form, "bound": most}
    name, says = f"{law.name}: at most, {where}", "no mismatch exceeds the largest"
    yield _of(law, name, says, here, "mismatch <= bound", **forms)
    if attained:
        name = f"{law.name}: attained, {where}"
        says = "the last of every n minibatches has the largest mismatch, at every stage"
        yield _of(law, name, says, f"{here}, r == n - 1", "mismatch == bound", **forms)


def _every(
    law: Law, attained: bool, most: sympy.Expr, first: sympy.Expr, later: sympy.Expr
) -> Iterator[Statement]:
    """The mismatch of every minibatch, and the largest."""
    yield counted(law, first, first_round=True)
    yield counted(law, later, first_round=False)
    yield from largest(law, first, most, first_round=True)
    yield from largest(law, later, most, first_round=False, attained=attained)


def _who(most: sympy.Expr, later: sympy.Expr) -> Iterator[Statement]:
    """Which minibatches m ≥ n attain the largest mismatch."""
    says = "m ≥ n attains the largest mismatch iff m mod n ≥ min(n, d − i) − 1, i = 0 or n = d"
    goal = "(later == mismatch) == (r >= mismatch or s == 0 or n == p)"
    yield _of(CAPPED, "who attains it", says, "q > 0", goal, later=later, mismatch=most)


def _needless(most: sympy.Expr) -> Iterator[Statement]:
    """More than d minibatches are never under way, whatever n is."""
    line, s, m = CAPPED.somewhere("m")
    just = Pipeline(line.p, line.p, z3.If)
    same = value(most, line, s, m) == value(most, just, s, m)
    yield Statement(
        "n > d",
        "for n ≥ d every stage has the cap and the stated mismatch of n = d",
        (line.p >= 1, line.n >= line.p, s >= 0, s < line.p),
        z3.And(CAPPED.admits(line, s)[0] == CAPPED.admits(just, s)[0], same),
    )


def _one_stage(uncapped: sympy.Expr, most: sympy.Expr) -> Iterator[Statement]:
    says = "with d = 1 the largest mismatch is as stated for all n"
    forms = {"uncapped": uncapped, "mismatch": most}
    yield _of(CROWDED, "one stage", says, "p == 1", "uncapped == mismatch", **forms)


def _exceeded(first: sympy.Expr, most: sympy.Expr) -> Iterator[Statement]:
    """At stage d − 2 minibatch 2 already has a mismatch of 2."""
    says = "at stage d − 2 minibatch 2 has a larger mismatch than stated, for n ≥ 3 and d ≥ 2"
    given, goal = "n >= 3, s == p - 2, q == 0, r == 2", "uncapped > mismatch"
    for law in (FREE, CROWDED):
        yield _of(law, f"{law.name}: exceeded", says, given, goal, uncapped=first, mismatch=most)


def _within_cap(most: sympy.Expr) -> Iterator[Statement]:
    says = "the stated mismatch is one less than the cap of its stage"
    yield _of(CAPPED, "cap", says, "", "mismatch == cap - 1", mismatch=most)


class Part(NamedTuple):
    """Part of what is proved given the start times: of which formulas, by what statements on them.

    Its statements have to admit the smallest instance.
    """

    says: str
    needs: tuple[str, ...]
    statements: Callable[..., Iterator[Statement]]
    smallest: Instance = SMALLEST


_EXACT: Final = "the mismatch of every minibatch, and the largest"
_BOUNDED: Final = ("mismatch", "first", "later")
_FREE: Final = ("uncapped", "uncapped first", "later")
_CROWDED: Final = ("uncapped", "uncapped first", "crowded later")

PARTS: Final = {
    "capped": Part(
        f"a cap at every stage, n ≤ d: {_EXACT}", _BOUNDED, partial(_every, CAPPED, True)
    ),
    "who": Part(
        "a cap at every stage, n ≤ d: which minibatches m ≥ n attain the largest mismatch",
        ("mismatch", "later"),
        _who,
    ),
    "n > d": Part("a cap at every stage, n > d: all is as for n = d", ("mismatch",), _needless),
    "cap": Part("the stated mismatch is one less than the cap", ("mismatch",), _within_cap),
    "two": Part(f"stage 0 alone bounded, n ≤ 2: {_EXACT}", _BOUNDED, partial(_every, TWO, True)),
    "free": Part(f"stage 0 alone bounded, n ≤ d: {_EXACT}", _FREE, partial(_every, FREE, False)),
    "crowded": Part(
        f"stage 0 alone bounded, n ≥ d: {_EXACT}", _CROWDED, partial(_every, CROWDED, False)
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
    return decided(name, entry.says, entry.statements(*forms), entry.smallest)
