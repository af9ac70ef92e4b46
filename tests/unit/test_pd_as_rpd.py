"""PipeDream as RPD: the claim, and small runs worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedules import build, timeline
from schedules.delays import delays
from theory.papers.rpd.lemmas.embedding import h, k
from theory.papers.rpd.witnesses.fed_runs import fed, insufficient, mismatch, mismatch_of_equivalent
from theory.papers.rpd.witnesses.replays import (
    SUM,
    Problem,
    Row,
    first_difference,
    pipedream,
    problem,
    rpd,
)


def test_what_is_not_sufficient_differs() -> None:
    assert len(insufficient()) == 5
    assert all(differs for _, differs in insufficient())


def test_rows_that_rpd_is_fed_with() -> None:
    """Two stages: F0 F1 B0 F2 B1 …; the last stage's backwards come first."""
    rows = fed(delays(timeline(build("pipedream", 2, 2))), k - h)
    assert rows == [
        Row(1, 0, (0, 0)),
        Row(0, 0, (1, 1)),
        Row(1, 1, (2, 0)),
        Row(0, 1, (3, 1)),
    ]


def by_hand() -> Problem:
    """½(1 + x₀ + x₁ − 3)² and ½(1 + x₀ + 2x₁)²: two microbatches, one number a block."""
    one, two = Fraction(1), Fraction(2)
    features = (((one,), (one,)), ((one,), (two,)))
    zero = ((Fraction(0),), (Fraction(0),))
    return Problem(SUM, lambda out, target: out - target, features, (3, 0), zero, Fraction(1, 2))


def test_a_run_by_hand() -> None:
    """F(0,0), F(0,1) and F(1,0) read zeros, so microbatch 0 has slope 1 − 3 = −2 at both stages.

    B(1,0) takes x₁ to 1, and F(1,1) reads that: microbatch 1 has slope 1 + 0 + 2·1 = 3. B(0,0)
    takes x₀ to 1. B(1,1) takes x₁ to 1 − ½·3·2 = −2, and B(0,1) takes x₀ to 1 − ½·3 = −½.
    """
    line = timeline(build("pipedream", 2, 2))
    stage0 = ((Fraction(0),), (Fraction(1),), (Fraction(-1, 2),))
    stage1 = ((Fraction(0),), (Fraction(1),), (Fraction(-2),))
    assert pipedream(line, by_hand()) == (stage0, stage1)
    assert rpd(fed(delays(line), k - h), by_hand()) == (stage0, stage1)


def test_no_delays_by_hand() -> None:
    """Without delays B(0,0) sees x₁ = 1: slope 1 + 0 + 1 − 3 = −1, so x₀ becomes ½, not 1."""
    rows = [Row(1, 0, (0, 0)), Row(0, 0, (0, 0))]
    found = rpd(rows, by_hand())
    assert found is not None
    assert found[0][1] == (Fraction(1, 2),)


def test_delays_outside_of_the_history() -> None:
    assert rpd([Row(0, 0, (1, 0))], by_hand()) is None
    assert rpd([Row(0, 0, (-1, 0))], by_hand()) is None
    assert first_difference(((),), None) == {"rpd": "reads outside of its history"}


@pytest.mark.parametrize("linearization", ["ascending", "descending", "forwards-first"])
def test_runs_agree(linearization: str) -> None:
    assert mismatch(linearization, k - h) is None


def test_slot_start_and_equivalent_delays() -> None:
    assert mismatch("slot-start", k - h) is not None
    assert mismatch_of_equivalent() is None


def test_first_difference_sees_a_bit_and_a_missing_version() -> None:
    one = (((1.0,), (2.0,)),)
    assert first_difference(one, one) is None
    found = first_difference(one, (((1.0,), (2.0000000000000004,)),))
    assert found is not None
    assert (found["stage"], found["version"]) == (0, 1)
    assert first_difference(one, (((1.0,),),)) is not None


def test_data_are_fixed_and_exact_where_asked() -> None:
    given = problem("quadratic", 2, 3, exact=True)
    assert given == problem("quadratic", 2, 3, exact=True)
    assert all(isinstance(x, Fraction) for block in given.start for x in block)
    assert all(x != 0 for batch in given.features for block in batch for x in block)
