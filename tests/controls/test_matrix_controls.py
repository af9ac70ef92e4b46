"""Negative controls of the matrix: what is broken or false must not pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest
import sympy

from schedules import build
from schedules.families import FAMILIES, get_family
from schedules.invariants import INVARIANTS
from schedules.schedule import Schedule
from theory.judging.catalogue import CLAIMS
from theory.judging.decide import proves
from theory.judging.mutants import mutants, passes, run_controls
from theory.judging.verify import judge
from theory.laws.static_orders.symbols import M, p, s
from theory.papers.blog.lemmas.laws import built
from theory.papers.schedules.matrix import checking, proving, rows, runs
from theory.papers.schedules.matrix.checking import Found, checked, compared, fault, refused
from theory.papers.schedules.matrix.forms import bounded
from theory.papers.schedules.matrix.grid import ALL, Grid, Limit
from theory.papers.schedules.matrix.proving import bound_holds, without_order, without_ranks
from theory.papers.schedules.matrix.rows import stated
from theory.papers.schedules.matrix.runs import Run, observe, with_messages
from theory.papers.schedules.matrix.spoiled import (
    CONTROLS,
    answer_first,
    backward_first,
    no_update,
    on_two_ranks,
    one_version,
    overtaken,
    sends_exchanged,
)
from theory.papers.schedules.matrix.table import STATED
from theory.verdicts import Verdict

FINITE = [
    "localsgd",
    "zb-h1",
    "zb-h2",
    "zbv",
    "dualpipe",
    "dualpipev",
    "chimera",
    "interleaved-1f1b",
    "interleaved-zero-bubble",
    "looped-bfs",
    "amdp",
    "pipesgd",
    "sapipe",
]

SPOILED: list[tuple[Callable[[Schedule], Schedule | None], str]] = [
    (backward_first, "causal"),
    (on_two_ranks, "exclusive"),
    (one_version, "stash"),
    (no_update, "update-once"),
    (sends_exchanged, "deadlock-free"),
    (answer_first, "deadlock-free"),
]


@pytest.mark.parametrize(("change", "column"), SPOILED)
@pytest.mark.parametrize("family", ["1f1b", "zbv", "dualpipe", "blog-1f1b", "interleaved-1f1b"])
def test_a_spoiled_schedule_is_refused(
    family: str, change: Callable[[Schedule], Schedule | None], column: str
) -> None:
    schedule = with_messages(build(family, 4, 8))
    whole = observe({"p": 4, "M": 8}, schedule)
    assert column not in whole.broken
    assert not whole.undecided
    if change not in (sends_exchanged, answer_first):
        schedule = build(family, 4, 8)
    spoiled = change(schedule)
    assert spoiled is not None
    assert column in observe({"p": 4, "M": 8}, spoiled).broken


def test_a_microbatch_that_overtakes_is_refused_where_nothing_overlaps() -> None:
    schedule = overtaken(build("naive", 3, 4))
    assert schedule is not None
    found = observe({"p": 3, "M": 4}, schedule)
    assert set(found.broken) == {"stash"}
    assert found.bounds["staleness"] == (1, 0, 0)


@pytest.mark.parametrize("change", [one_version, overtaken, sends_exchanged, on_two_ranks])
def test_there_is_nothing_to_spoil_in_one_microbatch_on_one_rank(
    change: Callable[[Schedule], Schedule | None],
) -> None:
    assert change(build("1f1b", 1, 1)) is None


@pytest.mark.sampled(5)
@pytest.mark.parametrize("family", ["zb-h2", "chimera"])
@pytest.mark.parametrize("column", CONTROLS)
def test_a_checker_that_refuses_nothing_is_noticed(
    family: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(size: Any, schedule: Schedule) -> Run:
        found = observe(size, build(family, schedule.ranks, schedule.microbatches))
        return replace(found, size=size)

    monkeypatch.setattr(checking, "observe", blind)
    for control in CONTROLS[column]:
        if control.change is not overtaken:
            assert not refused(family, column, stated(family, column), control)
    controls = run_controls(CLAIMS[f"schedules.{family}.{column}"])
    assert bool(controls.survivors) == bool(CONTROLS[column])


def test_a_control_without_anything_to_try_has_not_refused() -> None:
    assert not refused("naive", "stash", {}, CONTROLS["stash"][0])


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("family", "more", "column"), [*product(FINITE, [1, -1], ["staleness", "in-flight"])]
)
def test_neither_more_nor_less_than_the_bound(family: str, more: int, column: str) -> None:
    small = Grid(3 if family == "localsgd" else 2, 4, STATED[family].grid.values)
    formulas = stated(family, column)
    assert checked(family, column, formulas, small).holds
    shifted = {**formulas, "bound": formulas["bound"] + more}
    found = checked(family, column, shifted, small)
    assert not found.holds
    assert found.witness is not None
    assert found.witness["stated"] == found.witness[column] + more


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("family", "column", "form"),
    [
        ("1f1b", "in-flight", p - s),
        ("1f1b", "in-flight", sympy.Min(p - s, M) + 1),
        ("1f1b", "staleness", sympy.Integer(1)),
        ("pipedream", "in-flight", sympy.Min(p - s, M)),
        ("blog-1f1b", "in-flight", sympy.Min(p - s, M)),
        ("blog-gpipe", "staleness", sympy.Integer(1)),
    ],
)
def test_a_false_bound_is_refuted_for_all_sizes(family: str, column: str, form: Any) -> None:
    assert not proves(*bound_holds(family, column, bounded(form)))
    claim = CLAIMS[f"schedules.{family}.{column}"]
    row = judge(replace(claim, printed=bounded(form), holds=None, weakened={}))
    assert row.verdict < Verdict.CHECKED


def test_a_mutant_without_a_value_is_refused_when_its_grounds_are_asked_for() -> None:
    """Grounds may be worked out late: a division by 0 in them is no fault of the row."""
    claim = CLAIMS["schedules.interleaved-1f1b.in-flight"]
    assert claim.holds is not None
    formulas = {**claim.core, "k": M / sympy.floor(M / p)}
    assert passes(partial(claim.holds, formulas)) is Verdict.UNKNOWN


def test_another_interval_is_not_proved() -> None:
    formulas = stated("asyncpp", "staleness")
    assert proves(*bound_holds("asyncpp", "staleness", formulas))
    for form in mutants(formulas["K"]).values():
        assert not proves(*bound_holds("asyncpp", "staleness", {**formulas, "K": form}))


@pytest.mark.parametrize("family", ["blog-gpipe", "blog-1f1b"])
def test_provers_refuse_a_spoiled_program(family: str) -> None:
    assert not proves(*without_order(family))
    for column in ("causal", "deadlock-free"):
        assert not proves(*without_ranks(family, column))


def test_another_program_than_the_family_has_is_not_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert proving.proved("blog-1f1b", "exclusive", {}).verdict is Verdict.PROVED
    other = replace(get_family("blog-1f1b"), build=lambda p, M: get_family("1f1b").build(p, M))
    monkeypatch.setitem(FAMILIES, "blog-1f1b", other)
    assert proving.proved("blog-1f1b", "exclusive", {}).verdict is Verdict.UNKNOWN
    assert not built("blog-1f1b")


def test_runs_that_contradict_a_proof_leave_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def contradicting(family: str, grid: Grid | None = None) -> tuple[Run, ...]:
        found = runs.runs(family, grid)
        return (replace(found[0], broken={"causal": {"invariant": "causal"}}), *found[1:])

    monkeypatch.setattr(checking, "runs", contradicting)
    row = judge(replace(CLAIMS["schedules.gpipe.causal"], holds=None, weakened={}))
    assert row.verdict is Verdict.UNKNOWN
    # Where nothing is proved, a fault that is not there when the size is run again refutes nothing.
    row = judge(replace(CLAIMS["schedules.zb-h1.causal"], holds=None))
    assert row.verdict is Verdict.UNKNOWN


def test_a_false_bound_is_refuted_by_a_run_that_is_run_again() -> None:
    for family, form in (("zb-h1", M), ("chimera", p - s), ("looped-bfs", M - 1)):
        claim = CLAIMS[f"schedules.{family}.in-flight"]
        row = judge(replace(claim, printed=bounded(form), holds=None, weakened={}))
        assert row.verdict is Verdict.REFUTED
        witness = row.judgement.counterexample
        assert witness is not None
        assert witness["stated"] != witness["in-flight"]


def test_a_proof_that_fails_is_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finite grid decides nothing about all sizes."""
    unproved = proving.proved("gpipe", "causal", {})
    unproved = replace(unproved, verdict=Verdict.UNKNOWN, note="z3 gave up")
    monkeypatch.setattr(rows, "proved", lambda *given: unproved)
    row = judge(replace(CLAIMS["schedules.gpipe.causal"], holds=None, weakened={}))
    assert row.verdict is Verdict.UNKNOWN
    assert row.judgement.steps[0].rule == "z3 gave up"


def nothing_known(found: Found) -> bool:
    return not found.holds and found.witness is None


def test_no_size_and_an_undecided_size_check_nothing() -> None:
    whole = runs.runs("zb-h1", Grid(2, 3))
    assert compared(whole, "causal", {}).holds
    assert nothing_known(compared((), "causal", {}))
    nowhere = Limit("nowhere", lambda size: False)
    assert nothing_known(compared(whole, "causal", {}, nowhere))
    unclear = (replace(whole[0], undecided=frozenset({"causal"})), *whole[1:])
    assert nothing_known(compared(unclear, "causal", {}, ALL))


def test_a_broken_base_leaves_what_rests_on_it_undecided() -> None:
    spoiled = backward_first(build("zb-h1", 2, 3))
    assert spoiled is not None
    found = observe({"p": 2, "M": 3}, spoiled)
    assert {"stash", "staleness", "in-flight", "update-once"} <= found.undecided
    assert fault(found, "staleness", bounded(0)) is None
    assert nothing_known(compared([found], "staleness", bounded(0)))


def test_facts_that_the_checker_does_not_confirm_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    careless = replace(INVARIANTS["in-flight"], decide=lambda run, bound: [])
    patched = {**INVARIANTS, "in-flight": careless}
    monkeypatch.setattr(runs, "INVARIANTS", patched)
    found = observe({"p": 3, "M": 4}, build("1f1b", 3, 4))
    assert found.bounds["in-flight"] == ()
    assert "in-flight" in found.undecided


def test_a_schedule_that_needs_a_buffer_is_not_what_is_stated() -> None:
    found = replace(observe({"p": 3, "M": 4}, build("1f1b", 3, 4)), buffer=1)
    assert fault(found, "deadlock-free", bounded(0)) == {
        "p": 3,
        "M": 4,
        "least buffer": 1,
        "stated": 0,
    }
    assert fault(found, "deadlock-free", bounded(1)) is None


def test_messages_of_one_batch_have_no_order() -> None:
    """The first send and the first receive of two ranks are posted together there."""
    assert answer_first(build("blog-1f1b", 2, 4)) is None
    assert answer_first(build("blog-1f1b", 3, 4)) is not None
