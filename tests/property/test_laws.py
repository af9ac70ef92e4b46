"""Derived laws equal what is extracted from runs.

The texts that `derive` prints are read back with sympy and evaluated, so what is compared is
what a user sees, not the objects behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from schedules import (
    FAMILIES,
    LINEARIZATIONS,
    Delays,
    Kind,
    Steady,
    build,
    delays,
    steady,
    timeline,
    versions,
)
from theory.derive import DelayLaw, derive
from theory.errors import NoClosedFormError

AFFINE = [name for name, family in FAMILIES.items() if family.affine]
LAWS = list(product(AFFINE, LINEARIZATIONS))
SIZES = range(2, 8)
HUGE = 10**6

every_law = pytest.mark.parametrize(("family", "linearization"), LAWS)
every_family = pytest.mark.parametrize("family", AFFINE)


@cache
def law_of(family: str, linearization: str = "ascending") -> DelayLaw:
    return derive(family, linearization)


@cache
def texts(family: str, linearization: str = "ascending") -> dict[str, Any]:
    return law_of(family, linearization).to_json()


@cache
def parsed(text: str) -> sympy.Basic:
    return sympy.S(sympy.sympify(text))  # "True" is read as Python's True at first


def value(text: str, **symbols: int) -> int | sympy.Rational:
    result = parsed(text).subs(symbols)
    assert result.is_Rational, f"{text} at {symbols} is {result}"
    return result


def holding(cases: list[dict[str, str]], **symbols: int) -> list[str]:
    """Expressions of the cases whose condition holds."""
    return [case["expr"] for case in cases if parsed(case["when"]).subs(symbols) == sympy.true]


def chosen(cases: str | list[dict[str, str]], **symbols: int) -> int | sympy.Rational:
    """The value of a formula or of the one case that applies."""
    if isinstance(cases, str):
        return value(cases, **symbols)
    expressions = holding(cases, **symbols)
    assert len(expressions) == 1, f"at {symbols} the cases {expressions} hold"
    return value(expressions[0], **symbols)


def matrix_of_law(law: dict[str, Any], p: int) -> list[list[int]]:
    return [[int(chosen(law["delay"], p=p, i=i, j=j)) for j in range(p)] for i in range(p)]


def extracted(family: str, linearization: str, p: int, M: int) -> Delays:
    return delays(timeline(build(family, p, M)), linearization)


def periodic_rows(found: Delays, p: int) -> np.ndarray[Any, Any]:
    """The rows a law speaks of: the steady ones, or all where every microbatch has the same."""
    rows = steady(found)
    if isinstance(rows, Steady):
        return rows.rows
    by_stage = [found.matrix[found.stage == s] for s in range(p)]
    assert all((rows == rows[0]).all() for rows in by_stage)
    return np.stack([rows[0] for rows in by_stage])


@pytest.mark.sampled(4)
@every_law
def test_law_is_proved(family: str, linearization: str) -> None:
    law = texts(family, linearization)
    assert law["verdict"] == "PROVED"
    assert {outcome["verdict"] for outcome in law["proof"]} == {"PROVED"}


@pytest.mark.sampled(4)
@every_law
@pytest.mark.parametrize("p", SIZES)
def test_delays_and_their_statistics(family: str, linearization: str, p: int) -> None:
    law = texts(family, linearization)
    rows = periodic_rows(extracted(family, linearization, p, 4 * p), p)
    assert matrix_of_law(law, p) == rows.tolist()
    assert value(law["max"], p=p) == rows.max()
    assert value(law["min"], p=p) == rows.min()
    assert value(law["mean"], p=p) == sympy.Rational(int(rows.sum()), p * p)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("family", ["gpipe", "naive"])
def test_laws_without_start_up_hold_for_every_microbatch(family: str, linearization: str) -> None:
    law = texts(family, linearization)
    assert "0 <= m < M" in law["domain"]
    for p, M in product(range(2, 5), range(1, 6)):
        found = extracted(family, linearization, p, M)
        assert found.matrix.tolist() == [matrix_of_law(law, p)[s] for s in found.stage]


@pytest.mark.sampled(4)
@every_law
@pytest.mark.parametrize("p", SIZES)
def test_whole_run_supremum_and_least_m(family: str, linearization: str, p: int) -> None:
    law = texts(family, linearization)
    supremum, least = value(law["whole_run_max"], p=p), value(law["whole_run_least_m"], p=p)
    largest = {
        M: int(extracted(family, linearization, p, M).matrix.max()) for M in range(1, 3 * p + 1)
    }
    assert max(largest.values()) == supremum
    assert min(M for M, found in largest.items() if found == supremum) == least


@every_family
@pytest.mark.parametrize("p", SIZES)
def test_local_staleness(family: str, p: int) -> None:
    law = texts(family)
    largest = [int(chosen(law["local_staleness_whole_run"], p=p, i=i)) for i in range(p)]
    for M in range(1, 4 * p + 1):
        staleness = versions(build(family, p, M)).local_staleness
        assert (staleness.max(axis=1) <= largest).all()
    assert staleness.max(axis=1).tolist() == largest
    expected = [int(chosen(law["local_staleness"], p=p, i=i)) for i in range(p)]
    assert (staleness[:, p : M - p] == np.array(expected)[:, None]).all()


@pytest.mark.sampled(4)
@every_law
def test_local_staleness_does_not_depend_on_the_linearization(
    family: str, linearization: str
) -> None:
    for name in ("local_staleness", "local_staleness_whole_run", "start_times"):
        assert texts(family, linearization)[name] == texts(family)[name]


@every_family
@pytest.mark.parametrize("p", SIZES)
def test_start_times(family: str, p: int) -> None:
    law = texts(family)
    for M in (1, p, 2 * p + 1):
        line = timeline(build(family, p, M))
        for index, start in enumerate(line.start.tolist()):
            action = line.schedule.action(index)
            at = {"p": p, "M": M, "s": action.stage, "m": action.microbatch}
            assert chosen(law["start_times"][action.kind.name], **at) == start
        assert {Kind(kind).name for kind in line.schedule.kind} == set(law["start_times"])


# Conditions


def residues(q: int = 4) -> Iterator[dict[str, int]]:
    """One (p, i, j) for every class of residues modulo q, all inside the domain."""
    for a, b, c in product(range(q), repeat=3):
        yield {"p": 2 * q + a, "i": b, "j": c}


@pytest.mark.sampled(4)
@every_law
def test_cases_of_delays_are_disjoint_and_exhaustive(family: str, linearization: str) -> None:
    law = texts(family, linearization)
    for at in residues():
        assert len(holding(law["delay"], **at)) == 1
        if not isinstance(law["local_staleness"], str):
            assert len(holding(law["local_staleness"], **at)) == 1


@every_family
@given(p=st.integers(2, HUGE), share=st.fractions(0, 1), m=st.integers(0, 2 * HUGE))
def test_cases_with_inequalities_are_disjoint_and_exhaustive(
    family: str, p: int, share: Any, m: int
) -> None:
    law, stage = texts(family), int(share * (p - 1))
    assert len(holding(law["local_staleness_whole_run"], p=p, i=stage)) == 1
    for cases in law["start_times"].values():
        assert len(holding(cases, p=p, s=stage, m=m, M=m + 1)) == 1


# Evaluation at numbers


def check_at(family: str, linearization: str, p: int, i: int, j: int) -> None:
    law, found = texts(family, linearization), law_of(family, linearization).at(p, i, j)
    assert (found["p"], found["i"], found["j"]) == (p, i, j)
    for name in ("delay", "local_staleness", "max", "min", "mean"):
        assert sympy.Rational(found[name]) == chosen(law[name], p=p, i=i, j=j), name
    for name in ("whole_run_max", "whole_run_least_m"):
        assert sympy.Rational(found[name]) == value(law[name], p=p), name


@pytest.mark.sampled(4)
@every_law
def test_evaluation_at_a_million_stages(family: str, linearization: str) -> None:
    for p, i, j in product((HUGE, HUGE + 1), (0, 1, HUGE - 1), (0, 1, HUGE - 1)):
        check_at(family, linearization, p, i, j)


@pytest.mark.slow
@given(st.sampled_from(LAWS), st.integers(2, HUGE), st.fractions(0, 1), st.fractions(0, 1))
def test_evaluation_agrees_with_the_texts(law: tuple[str, str], p: int, i: Any, j: Any) -> None:
    check_at(*law, p, int(i * (p - 1)), int(j * (p - 1)))


@every_family
@pytest.mark.parametrize(
    ("p", "i", "j"),
    [(1, 0, 0), (0, None, None), (-4, None, None), (4, 4, 0), (4, -1, 0), (4, 0, 4), (4, 0, -1)],
)
def test_evaluation_outside_the_domain(family: str, p: int, i: int | None, j: int | None) -> None:
    with pytest.raises(NoClosedFormError, match="the law is stated for"):
        law_of(family).at(p, i, j)


def test_part_of_the_values_without_stages() -> None:
    found = law_of("pipedream").at(6)
    assert found == {
        "p": 6, "max": 33, "min": 2, "mean": "35/2", "whole_run_max": 39, "whole_run_least_m": 8
    }  # fmt: skip
    assert law_of("pipedream").at(6, 1)["local_staleness"] == 4


def test_family_without_closed_forms() -> None:
    with pytest.raises(NoClosedFormError, match=r"pipedream.*, not for 'localsgd'"):
        derive("localsgd")
