"""Worst cases of theorems as written: known factors, and false twins that they show to be false."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from tests.controls.test_small_models import PAIRS as ONE_STEP
from tests.controls.test_small_runs import PAIRS, Delta, G, K, L, gamma, lowest
from theory.kernel.lemmas import YOUNG
from theory.tightness.gram import theorem_evidence, tightness

pytest.importorskip("clarabel")

HALF, QUARTER = sympy.Rational(1, 2), sympy.Rational(1, 4)
AT = {L: HALF, gamma: QUARTER, K: 2, Delta: 1, lowest: QUARTER}


@pytest.mark.parametrize("name", ["gradient descent, 1/K", "update as an equation"])
def test_gradient_descent_is_loose_by_what_a_short_step_leaves(name: str) -> None:
    (found,) = tightness(PAIRS[name][0], AT)
    assert found.part == pytest.approx(1 / float(2 - HALF * QUARTER), abs=1e-3)


def test_a_false_twin_needs_more_than_it_has() -> None:
    true, false_side = PAIRS["gradient descent, 1/K"]
    (found,) = tightness(replace(true, terms={"right": false_side}), AT)
    assert found.part > 1.05
    assert "violated" in theorem_evidence(replace(true, terms={"right": false_side})).says


def test_a_delayed_step_is_as_long_as_its_bound() -> None:
    (found,) = tightness(PAIRS["delayed gradients"][0], {L: HALF, gamma: 1, K: 1, G: HALF})
    assert found.part == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("factor", [1, 2, 4])
def test_what_is_loose_by_a_factor_is_said_to_be(factor: int) -> None:
    second = factor * YOUNG.terms["second"]
    first = factor * YOUNG.terms["first"]
    loose = replace(YOUNG, terms={"first": first, "second": second})
    (a,) = YOUNG.symbols
    # The product of the two factors decides: the other one is as it stands.
    assert [one.part for one in tightness(loose, {a: 2})] == [
        pytest.approx(1 / factor**2, abs=1e-3)
    ] * 2


def test_what_cannot_be_posed_says_why() -> None:
    assert "means are not posed" in theorem_evidence(ONE_STEP["variance"][0]).says
    assert "is linear in" in theorem_evidence(ONE_STEP["two coordinates"][0]).says
