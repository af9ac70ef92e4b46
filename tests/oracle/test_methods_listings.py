"""The update rules against the printed listings, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Final

import numpy as np
import pytest

from schedules.methods import delay_compensated
from tests.oracle.methods_machine import Case, Samples, Variant, compensate, models

T: Final = 5
KINDS: Final = (
    ("pipesgd", 1, "full"),
    ("dc", 1, "full"),
    ("dc", 1, "diagonal"),
    ("wp", 1, "full"),
    ("wp", 2, "full"),
    ("wp", 3, "full"),
    ("wp", 3, "diagonal"),
)
STALE: Final = ((), (True, False, False), (False, True, True), (False,) * 3, (True,) * 3)


def random_case(n: int, d: int, seed: int) -> Case:
    chance = Random(seed)
    return Case(n, tuple(Fraction(chance.randint(-4, 4), 4) for _ in range(d)))


def random_samples(n: int, seed: int) -> Samples:
    chance = Random(seed)
    return {(i, t): Fraction(chance.randint(-8, 8), 8) for i, t in product(range(n), range(T + 1))}


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_whole_and_partial_staleness_as_listed(kind: tuple[str, int, str], n: int) -> None:
    name, option, form = kind
    for seed, (stale, reading) in enumerate(product(STALE, ("system", "proofs"))):
        case = random_case(n, 3, seed)
        z = random_samples(n, 100 + seed)
        z2 = random_samples(n, 200 + seed) if reading == "proofs" else z
        variant = Variant(name, case, stale, reading, option, form)
        found = models(variant.method(), case, variant.rounds(z, z2, T), object)
        assert found == variant.expected(z, z2, T)
        assert len(found) == T + 1


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_other_sizes_as_listed(kind: tuple[str, int, str], d: int) -> None:
    name, option, form = kind
    case, z = random_case(2, d, d), random_samples(2, d)
    variant = Variant(name, case, (), "system", option, form)
    assert models(variant.method(), case, variant.rounds(z, z, 4), object) == variant.expected(
        z, z, 4
    )


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 13])
def test_compensation_equals_the_explicit_matrix(d: int, form: str) -> None:
    chance = Random(d)
    g, dx = ([Fraction(chance.randint(-9, 9), 7) for _ in range(d)] for _ in range(2))
    lam = Fraction(3, 11)
    found = delay_compensated(np.array(g), np.array(dx), lam, form)
    assert found.tolist() == compensate(g, dx, lam, form)
    floats = delay_compensated(np.array(g, float), np.array(dx, float), float(lam), form)
    outer = np.outer(np.array(g, float), np.array(g, float))
    matrix = outer if form == "full" else np.diag(np.diag(outer))
    wanted = np.array(g, float) + float(lam) * matrix @ np.array(dx, float)
    np.testing.assert_allclose(floats, wanted, rtol=1e-12, atol=1e-12)


def test_a_tensor_of_any_shape_is_one_vector() -> None:
    chance = Random(3)
    g, dx = (np.array([chance.uniform(-1, 1) for _ in range(24)]) for _ in range(2))
    shaped = delay_compensated(g.reshape(2, 3, 4), dx.reshape(2, 3, 4), 0.5)
    assert shaped.shape == (2, 3, 4)
    assert shaped.reshape(-1).tolist() == delay_compensated(g, dx, 0.5).tolist()
