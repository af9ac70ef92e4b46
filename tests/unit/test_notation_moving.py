"""The words of a row say what is assumed where a theorem is cited, not where it was stated."""

from __future__ import annotations

from typing import Any

import pytest

from theory.judging.as_claim import assumptions
from theory.kernel import Hypothesis, Theorem
from theory.notation import function, le, positive, theorem, vectors

L, M, a, b = positive("L M a b")
f, (x, y) = function("f"), vectors("x y")


def ordered(said: Any, *named: str) -> Theorem:
    T = theorem("mine.ordered")
    T.assume(said, *named)
    return T.shows(le(a / b, 1))


def cited(lemma: Theorem, scalars: Any, vectors: Any = None) -> Theorem:
    T = theorem("mine.cited", "ours", f)
    T.cite(lemma, scalars, vectors)
    return T.shows(le(b / a, 1))


@pytest.mark.parametrize(
    ("said", "put", "says"),
    [
        (a < b, {a: b, b: a}, "b < a"),
        (b > a, {a: b, b: a}, "a > b"),
        (a < b, {a: 2 * b, b: a}, "2*b < a"),
        (a <= b, {a: b, b: a}, "b <= a"),
        (b >= a, {a: b, b: a}, "a >= b"),
    ],
)
def test_an_assumption_is_worded_as_it_is_meant(said: Any, put: Any, says: str) -> None:
    lemma = ordered(said)
    made = cited(lemma, put)
    (hypothesis,) = (h for h in made.hypotheses if isinstance(h, Hypothesis))
    assert hypothesis.says == says
    assert str(lemma.hypotheses[0].says) == str(said)
    assert says in assumptions(made) or f"{hypothesis.name}: {says}" in assumptions(made)
    assert str(said) not in f"{assumptions(made)}"


def test_where_nothing_is_put_in_the_words_stay() -> None:
    assert "a < b" in assumptions(cited(ordered(a < b), {}))


def test_words_of_its_author_tell_what_stands_for_what() -> None:
    made = cited(ordered(a < b, "order", "a is the smaller one"), {a: b, b: a})
    assert assumptions(made) == ("order: a is the smaller one, with b for a",)


def test_smoothness_has_the_constant_that_is_put_in() -> None:
    T = theorem("mine.smooth")
    T.smooth(f, L)
    made = cited(T.shows(le(M * f(x), M * f(x))), {L: M, M: L})
    assert "f is M-smooth" in assumptions(made)
    assert "f is L-smooth" not in f"{assumptions(made)}"


def test_sentences_and_points_tell_it_as_well() -> None:
    T = theorem("mine.sentences", "ours", f)
    T.assume("a is the size of the machine")
    T.assume(f(x) <= a, "top", "f is small at x")
    made = cited(T.shows(f(x) <= 2 * a), {a: b}, {x: y})
    assert "a is the size of the machine, with b for a" in assumptions(made)
    assert "top: f is small at x, with y for x" in assumptions(made)
