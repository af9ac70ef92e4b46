"""Few microbatches let in, and an update after several gradients: the law against runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import pytest
import sympy
import z3

from schedules.closed_forms.start_times import build_from_rule
from schedules.delays import delays
from schedules.families import get_family
from schedules.families.family import Family
from schedules.linearization import LINEARIZATIONS
from schedules.policies import WeightPolicy
from schedules.timeline import timeline
from schedules.versions import versions
from theory.derive import derive_rule
from theory.errors import NoClosedFormError
from theory.laws.delays import let_in, let_in_proof
from theory.laws.delays.symbols import Size, Times
from theory.laws.own_slots import row_of_slots
from theory.laws.static_orders.slots import Law
from theory.smt.solver import decide
from theory.verdicts import Verdict

BOUNDS: dict[str, Callable[[Any], Any]] = {
    "3": lambda _: 3,
    "p // 2": lambda p: max(1, p // 2),
    "p - 1": lambda p: p - 1,
}
SYMBOLS = {name: sympy.Symbol(name, integer=True) for name in "p M i j m r".split()}


def rule(K: int, bound: str) -> Family:
    policy = WeightPolicy("stash", interval=K)
    own = replace(get_family("pipedream"), name=f"{bound} by {K}", policy=policy)
    return replace(own, admission=BOUNDS[bound])


def value(text: str, **numbers: int) -> sympy.Expr:
    named = {SYMBOLS[name]: sympy.Integer(one) for name, one in numbers.items()}
    return form(text).subs(named).doit()


@cache
def form(text: str) -> sympy.Expr:
    return sympy.sympify(text, locals=SYMBOLS)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("bound", BOUNDS)
def test_the_law_is_that_of_every_run(bound: str, K: int, linearization: str) -> None:
    family = rule(K, bound)
    law = derive_rule(family, linearization, family.admission)
    assert law.verdict is Verdict.PROVED
    found = law.to_json()
    assert {found[key] for key in ("max", "min", "mean", "whole_run_max")} == {None}
    least = law.proved.start_times.least
    for p in (least, 4):
        N, compared = BOUNDS[bound](p), 0
        M = 2 * N + 2 * K + p
        schedule = build_from_rule(family, p, M, family.admission)
        run, stale = delays(timeline(schedule), linearization), versions(schedule).local_staleness
        later = found["domain"].rsplit(", ", 1)[1]
        for i, m, row in zip(
            run.stage.tolist(), run.microbatch.tolist(), run.matrix.tolist(), strict=True
        ):
            if m < N or not value(later, p=p, M=M, m=m):
                continue
            at = {"p": p, "i": i, "m": m}
            j = (i + m) % p  # every entry would take too long
            assert row[j] == value(found["delay"][0]["expr"], **at, j=j)
            assert stale[i, m] == value(found["local_staleness"][0]["expr"], **at)
            compared += 1
        assert compared


@pytest.mark.parametrize(("policy", "verdict"), [("stash", "PROVED"), ("latest", "REFUTED")])
def test_a_stash_is_kept_whatever_the_interval(
    policy: Literal["stash", "latest"], verdict: str
) -> None:
    family = replace(rule(2, "p - 1"), policy=WeightPolicy(policy, interval=2))
    law = derive_rule(family, "ascending", family.admission)
    assert law.guess is not None
    known = Law(Times(Size.symbolic(law.guess), law.guess), law.start_proof)
    row = row_of_slots(family, known)
    found = {one.name: one.outcome.verdict.name for one in row.invariants}
    assert row.domain.endswith("M >= 2")
    assert found["stash"] == verdict
    assert found["update-once"] == "PROVED"
    assert row.invariants[5].of == ", where windows end with M"  # of others nothing is said


@pytest.mark.parametrize(("K", "bound"), [(1, 2), (2, 3), (2, 4), (3, 3)])
def test_two_versions_are_enough_where_few_are_in_flight(K: int, bound: int) -> None:
    """A forward of window t has version t − 1 where at most K are between it and its backward."""
    policy = WeightPolicy("double-buffer", interval=K)
    own = get_family("pipedream").rule
    family = Family("f", "f", "f", policy, rule=own, admission=lambda _: bound)
    law = derive_rule(family, "ascending", family.admission)
    assert law.guess is not None
    known = Law(Times(Size.symbolic(law.guess), law.guess), law.start_proof)
    found = {one.name: one for one in row_of_slots(family, known).invariants}
    kept = found["stash"].outcome.verdict
    assert kept is (Verdict.PROVED if bound <= K + 1 else Verdict.REFUTED)
    assert found["staleness"].outcome.verdict is kept
    for p, M in ((5, K), (5, 2 * K), (6, 5 * K)) if kept is Verdict.PROVED else ():
        stale = versions(family.build(p, M)).local_staleness.max(axis=1)
        assert set(stale.tolist()) == {value(found["staleness"].bound, p=p, M=M)}


def test_a_delay_in_m_is_asked_without_r() -> None:
    family = rule(2, "p - 1")
    law = derive_rule(family, "ascending", family.admission)
    assert {one.name for one in sympy.sympify(law.at(5, 0, 1)["delay"]).free_symbols} == {"m"}
    with pytest.raises(NoClosedFormError, match="leave out r"):
        law.at(5, 0, 1, 1)


def test_another_number_of_gradients_is_refused() -> None:
    right = let_in_proof._windows(3)
    assert decide(right).verdict is Verdict.PROVED
    n, v = z3.Ints("n v")
    for wrong in ((3 * v + 3 < n) == (v < n / 3), (3 * v + 2 < n) == (v < n / 4)):
        assert decide(replace(right, goal=wrong)).verdict is Verdict.REFUTED


def test_a_law_of_another_interval_is_not_that_of_a_run() -> None:
    """What is printed depends on K, and on where an event counts updates of its slot."""
    family = rule(2, "3")
    law = derive_rule(family, "ascending", family.admission).closed
    assert isinstance(law, let_in.LetIn)
    schedule = build_from_rule(family, 5, 20, family.admission)
    run = delays(timeline(schedule), "ascending")
    here = run.microbatch == 7
    rows = {int(i): row for i, row in zip(run.stage[here], run.matrix[here].tolist(), strict=True)}

    def stated(one: let_in.LetIn) -> list[list[Any]]:
        text = one.to_json()["delay"][0]["expr"]
        return [[value(text, p=5, i=i, j=j, m=7) for j in range(5)] for i in range(5)]

    assert stated(law) == [rows[i] for i in range(5)]
    assert stated(replace(law, interval=4)) != [rows[i] for i in range(5)]
    other = replace(law, lines=LINEARIZATIONS["descending"])
    assert stated(other) != [rows[i] for i in range(5)]
