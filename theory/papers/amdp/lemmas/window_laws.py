"""Laws of accumulation windows that hold for all durations, wherever stages are.

At one stage, backwards of all pipelines are counted, and after every W of them the stage
updates. Whoever is between forward and backward then sees the update. Backwards so far are
written W·u + rest, u the updates so far, so that a mismatch is a difference of two such u.
Those of a window with a mismatch are among its first d − 1 by their forwards. For let x be one
of them and U the first update after its forward; x's backward starts behind U, so U comes
before the window. A member y of the window whose forward is no later than x's has its forward
before U and its backward behind U ("under way"). So y is one of the at most d minibatches
between forward and backward at U, and not the one that closes it ("affected"): at most d − 1
such y, x among them. Not all of them need have a mismatch: a stage runs on several ranks, and
y's backward may start before U and end behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import sympy
import z3

from theory.claims import Formulas
from theory.laws.delays.counts import linear_term
from theory.papers.amdp.symbols import d, n
from theory.smt.solver import Statement, Term, decide

CORE: Final = {"affected": d - 1, "window": n - 1}
"""Minibatches of a window that see its update, and one pipeline's least window, proved."""

UNDER_WAY: Final = (n * d / 2).subs(n, 2)
"""Minibatches of d/2 pipelines that are between forward and backward, at most."""


def _updates(window: Term, last: str) -> tuple[Term, tuple[Term, ...], Term]:
    """Backwards so far as window · updates + rest: their number, what is known, the updates."""
    updates, rest = z3.Ints(f"u{last} rest{last}")
    return window * updates + rest, (updates >= 0, rest >= 0, rest < window), updates


def _span(between: Term, *facts: Term) -> tuple[tuple[Term, ...], Term]:
    """Facts about a forward and its backward with so many backwards of the stage in between."""
    window = z3.Int("W")
    at_forward, known_f, read = _updates(window, "F")
    at_backward, known_b, used = _updates(window, "B")
    spans = (window >= 1, *known_f, *known_b, at_backward - at_forward == between, between >= 0)
    return (*spans, *facts), used - read


def statements(forms: Formulas) -> Iterator[Statement]:
    """What is proved of all durations.

    Examples
    --------
    >>> [decide(one).verdict.name for one in statements(CORE)]
    ['PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED']
    """
    stages, half, under_way, left, affected = z3.Ints("d e under_way left affected")
    seen = linear_term(forms["affected"], {d: stages})
    yield Statement(
        "affected",
        "of the n·d/2 = d minibatches between forward and backward, the one that closes the window "
        "is past its own: at most d − 1 others see the update, or end their backward behind it",
        (
            half >= 1,
            stages == 2 * half,
            under_way <= 2 * half,
            left == under_way - 1,
            affected <= left,
        ),
        affected <= seen,
    )
    yield _product()
    yield from _under_way()
    between, window = z3.Ints("between W")
    spans, mismatch = _span(between, between <= window)
    yield Statement(
        "span",
        "with at most W backwards of the stage between forward and backward it sees one update",
        spans,
        mismatch <= 1,
    )
    admitted = z3.Int("n")
    least = linear_term(forms["window"], {n: admitted})
    facts = (admitted >= 2, between <= admitted - 1, window >= least, least >= 1)
    spans, mismatch = _span(between, *facts)
    yield Statement(
        "one pipeline",
        "in one pipeline backwards are in order, so that n − 1 are in between at most",
        spans,
        mismatch <= 1,
    )


def _product() -> Statement:
    """What is used of products; z3 need not look for it among the instances below."""
    left, right = z3.Ints("left right")
    return Statement(
        "product",
        "a product of nonnegative integers is nonnegative",
        (left >= 0, right >= 0),
        left * right >= 0,
    )


def _under_way() -> Iterator[Statement]:
    """Who of a window has its forward no later than one with a mismatch; ends count from 1."""
    window, number, end, other_end, other_read = z3.Ints("W window endX endY readY")
    read, known_f, updates = _updates(window, "F")
    used, known_b, updates_then = _updates(window, "B")
    seen = window * (updates + 1)

    def products(gap: Term) -> Term:
        return z3.Implies(gap >= 0, window * gap >= 0)

    def inside(at: Term) -> tuple[Term, Term]:
        return window * number < at, at <= window * number + window

    yield Statement(
        "no later update",
        "x has seen no update behind the window that it ends in",
        (window >= 1, *known_b, *inside(end), used < end, products(updates_then - number - 1)),
        updates_then <= number,
    )
    yield Statement(
        "under way",
        "if x has a mismatch and y of its window has its forward no later, then y is between "
        "forward and backward at the first update that x sees, and does not close it",
        (
            *(window >= 1, *known_f, *inside(other_end), other_read <= read),
            *(updates_then > updates, updates_then <= number),
            *(products(updates_then - updates - 1), products(number - updates_then)),
        ),
        z3.And(other_read < seen, seen < other_end),
    )


def is_least(form: sympy.Expr) -> bool:
    """Whether one pipeline with a window one shorter, n ≥ 3, can see two updates.

    In one pipeline a stage runs forwards in the order of minibatches, and backwards too: who comes
    first is served first. So between F and B of minibatch m at a stage there are the backwards of
    those before it that are under way there, at most n − 1, and no others. With windows of n − 1 or
    more that is one update at most, and n − 1 is the least such window.

    Examples
    --------
    >>> is_least(n - 1), is_least(n)
    (True, False)
    """
    between, admitted, window = z3.Ints("between n W")
    least = linear_term(form, {n: admitted})
    facts = (admitted >= 3, between <= admitted - 1, window == least - 1)
    spans, mismatch = _span(between, *facts)
    shorter = Statement("shorter", "one update", spans, mismatch <= 1)
    return bool(decide(shorter).witness)
