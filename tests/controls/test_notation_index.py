"""What is assumed of A(k) is meant for every k, and where that is open nothing is refuted by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.certified import certified, claim_of, written
from theory.falsifier.indexed import in_every_iteration, reading
from theory.judging.as_claim import as_claim
from theory.judging.judge import judge
from theory.judging.shown import quantifiers
from theory.kernel import Combine, Theorem
from theory.notation import count, equal, index, theorem
from theory.notation.draft import Draft
from theory.verdicts import Verdict

j, k, n = index("j k n")
K = count("K")
NOTHING = Combine({})
"""A certificate that names no hypothesis, and proves nothing of what is stated here."""

Said = Callable[[Draft, Any, Any], Any]
"""Assumes something of two sequences, and gives what is to be shown."""


def falls(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(k + 1) <= A(k))
    return A(n + 1) <= A(0)


def falls_in_twos(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(k + 2) <= A(k))
    return A(4) <= A(0)


def at_least(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(k) >= 1)
    return A(n) >= 1


def at_least_next(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(k) >= 1)
    return A(n + 1) >= 1


def doubles(T: Draft, A: Any, _: Any) -> Any:
    T.assume(equal(A(k + 1), 2 * A(k) - 1))
    T.assume(equal(A(0), 1))
    return equal(A(n + 1), 1)


def below(T: Draft, A: Any, B: Any) -> Any:
    T.assume(A(k + 1) <= A(k))
    T.assume(B(j) <= A(j))
    return B(K) <= A(0)


def both_fall(T: Draft, A: Any, B: Any) -> Any:
    T.assume(A(k + 1) <= A(k))
    T.assume(B(j + 1) <= B(j))
    return A(K) + B(K) <= A(0) + B(0)


def at_two(T: Draft, A: Any, B: Any) -> Any:
    T.assume(A(k) <= B(j))
    return A(1) <= B(2)


def here(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(n) <= 1)
    return A(n) + A(0) <= 2


def too_small(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(k + 1) <= A(k))
    return A(n + 1) <= A(0) - 1


def too_small_here(T: Draft, A: Any, _: Any) -> Any:
    T.assume(A(n) <= 1)
    return A(n) + A(0) <= 1


def too_small_below(T: Draft, A: Any, B: Any) -> Any:
    T.assume(A(k + 1) <= A(k))
    T.assume(B(j) <= A(j))
    return B(K) + A(0) <= A(0)


def stated(said: Said) -> Theorem:
    T = theorem(f"mine.{said.__name__.replace('_', '-')}")
    return T.shows(said(T, T.sequence("A"), T.sequence("B")), by=NOTHING)


SETTLED = (falls, falls_in_twos, at_least, at_least_next, doubles)
OPEN = (below, both_fall, at_two, here)
FALSE = (too_small, too_small_here, too_small_below)


@pytest.mark.parametrize("said", SETTLED)
def test_the_index_at_which_hypotheses_alone_call_sequences_runs(said: Said) -> None:
    """K is no constant, and no number is given to it."""
    made = stated(said)
    assert k not in made.symbols
    assert reading(made) == ""
    assert in_every_iteration(made) is made


@pytest.mark.parametrize("said", [*SETTLED, *OPEN])
def test_what_holds_where_hypotheses_hold_in_every_iteration_is_not_refuted(said: Said) -> None:
    assert judge(as_claim(stated(said))).judgement.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("said", FALSE)
def test_what_is_false_in_every_reading_is_refuted(said: Said) -> None:
    assert judge(as_claim(stated(said))).judgement.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        (here, "of which n is A(n) <= 1 said? That it holds in every iteration is T.along(n)"),
        (
            below,
            "of which j is B(j) <= A(j) said? What holds in every iteration is said of one "
            "index, k",
        ),
    ],
)
def test_a_row_that_is_open_asks_of_which_index(said: Said, asks: str) -> None:
    row = judge(as_claim(stated(said)))
    assert asks in [one.says for one in row.judgement.evidence]


FILE = """
from theory.notation import index, theorem

k, n = index("k n")
T = theorem("mine.rates")
A = T.sequence("A")
T.assume({assumed})
CLAIM = T.shows({shown})
"""


@pytest.mark.parametrize(
    ("assumed", "shown"),
    [
        ("A(k + 1) <= A(k)", "A(n + 1) <= A(0)"),
        ("A(k) >= 1", "A(n) >= 1"),
        ("A(k + 2) <= A(k)", "A(2) <= A(0)"),
    ],
)
def test_what_holds_in_every_iteration_is_used_in_each(
    tmp_path: Path, assumed: str, shown: str
) -> None:
    path = written(tmp_path, FILE.format(assumed=assumed, shown=shown))
    certified(path)
    row = judge(claim_of(path))
    assert row.judgement.verdict is Verdict.PROVED
    assert any("in all of which the hypotheses hold" in one for one in row.shown.quantifiers)


def test_an_index_that_no_proof_ranges_over_is_shown_as_one() -> None:
    """The statement is refuted, and its hypothesis is about every k nevertheless."""
    said = list(quantifiers(stated(too_small)))
    assert any(one.startswith("for every iteration k") for one in said)
    assert not any("k" in one.split(":")[0].split() for one in said if "iteration" not in one)
