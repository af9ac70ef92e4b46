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

import sympy

from theory.judging import prover
from theory.laws.delays.counts import linear_term
from theory.papers.amdp.symbols import d, n

CORE = {"affected": d - 1, "window": n - 1}
"""Minibatches of a window that see its update, and one pipeline's least window, proved."""

UNDER_WAY = (n * d / 2).subs(n, 2)
"""Minibatches of d/2 pipelines that are between forward and backward, at most."""

_READ = "uF >= 0, restF >= 0, restF < W"
_USED = "uB >= 0, restB >= 0, restB < W"
"""Backwards so far, at the forward and at the backward: W·u + rest."""

_SPAN = f"W >= 1, {_READ}, {_USED}, W*uB + restB - (W*uF + restF) == between, between >= 0"
"""A forward and its backward with so many backwards of the stage in between."""


def statements(forms: prover.Formulas) -> Iterator[prover.Statement]:
    """What is proved of all durations.

    Examples
    --------
    >>> [prover.decide(one).verdict.name for one in statements(CORE)]
    ['PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED']
    """
    stages, admitted = prover.terms("d, n")
    yield prover.stated(
        "affected",
        "of the n·d/2 = d minibatches between forward and backward, the one that closes the window "
        "is past its own: at most d − 1 others see the update, or end their backward behind it",
        "e >= 1, d == 2*e, under_way <= 2*e, left == under_way - 1, affected <= left",
        "affected <= seen",
        seen=linear_term(forms["affected"], {d: stages}),
    )
    # What is used of products; z3 need not look for it among the instances below.
    yield prover.stated(
        "product",
        "a product of nonnegative integers is nonnegative",
        "left >= 0, right >= 0",
        "left * right >= 0",
    )
    # Who of a window has its forward no later than one with a mismatch; ends count from 1.
    yield prover.stated(
        "no later update",
        "x has seen no update behind the window that it ends in",
        f"W >= 1, {_USED}, W*window < endX, endX <= W*window + W, W*uB + restB < endX, "
        "implies(uB - window - 1 >= 0, W * (uB - window - 1) >= 0)",
        "uB <= window",
    )
    yield prover.stated(
        "under way",
        "if x has a mismatch and y of its window has its forward no later, then y is between "
        "forward and backward at the first update that x sees, and does not close it",
        f"W >= 1, {_READ}, W*window < endY, endY <= W*window + W, readY <= W*uF + restF, uB > uF, "
        "uB <= window, implies(uB - uF - 1 >= 0, W * (uB - uF - 1) >= 0), "
        "implies(window - uB >= 0, W * (window - uB) >= 0)",
        "readY < W * (uF + 1) < endY",
    )
    yield prover.stated(
        "span",
        "with at most W backwards of the stage between forward and backward it sees one update",
        f"{_SPAN}, between <= W",
        "uB - uF <= 1",
    )
    yield prover.stated(
        "one pipeline",
        "in one pipeline backwards are in order, so that n − 1 are in between at most",
        f"{_SPAN}, n >= 2, between <= n - 1, W >= least, least >= 1",
        "uB - uF <= 1",
        least=linear_term(forms["window"], {n: admitted}),
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
    least = linear_term(form, dict(zip((n,), prover.terms("n"), strict=True)))
    facts = f"{_SPAN}, n >= 3, between <= n - 1, W == least - 1"
    return bool(
        prover.decide(
            prover.stated("shorter", "one update", facts, "uB - uF <= 1", least=least)
        ).witness
    )
