"""Broken rules, caps, laws and formulas of one AMDP pipeline must not be proved."""

from __future__ import annotations

import inspect
import operator
from dataclasses import replace

import pytest
import sympy

from schedules.actions import Kind
from schedules.families import amdp
from schedules.families.pipedream import RULE
from schedules.families.sharing import run_sharing
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.schedule import Schedule
from schedules.timeline import timeline
from tests.amdp_rows import judged
from theory.judging.decide import decided
from theory.papers.amdp import active_ratio, mismatch, one_step
from theory.papers.amdp.lemmas import free_mismatch, long_run, start_times
from theory.papers.amdp.lemmas.durations import ANY, EQUAL, LONG_BACKWARDS, Cone
from theory.papers.amdp.lemmas.greedy import SMALLEST, feasible, generated, static_times, supported
from theory.papers.amdp.lemmas.mismatches import PARTS, part
from theory.papers.amdp.lemmas.start_times import CAPPED, CROWDED, FREE, LAWS, TWO, Law
from theory.papers.amdp.runs.replays import one_pipeline
from theory.papers.amdp.symbols import d, i, n, r
from theory.smt.instances import decide_from
from theory.smt.solver import Outcome, Statement
from theory.verdicts import Verdict, weakest

F, B = Kind.F, Kind.B
PROVED = Verdict.PROVED
CLAIMS = (mismatch.CLAIM, one_step.CLAIM, active_ratio.CLAIM)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_laws_are_generated(law: Law) -> None:
    assert generated(law).verdict is PROVED


def test_without_the_cap_the_capped_law_fails() -> None:
    assert generated(replace(CAPPED, capped=FREE.capped)).verdict is Verdict.REFUTED


def test_with_the_cap_the_uncapped_law_fails() -> None:
    capped = replace(FREE, cap=CAPPED.cap, capped=CAPPED.capped)
    assert generated(capped).verdict is not PROVED


@pytest.mark.parametrize("law", [CAPPED, TWO], ids=lambda law: law.name)
def test_a_cap_of_one_more_or_less_fails(law: Law) -> None:
    for change in (1, -1):
        other = f"({law.cap}) + {change}"
        assert generated(replace(law, cap=other)).verdict is not PROVED


def test_two_is_the_most_that_stage_0_alone_can_bound() -> None:
    three = replace(TWO, domain=f"{FREE.domain}, n <= 3")
    assert generated(three).verdict is Verdict.REFUTED


@pytest.mark.parametrize("law", [TWO, FREE, CROWDED], ids=lambda law: law.name)
def test_forwards_first_fails_where_the_first_backward_competes(law: Law) -> None:
    assert generated(law, replace(RULE, prefer_first=F)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("law", [FREE, CROWDED], ids=lambda law: law.name)
def test_forwards_all_the_time_fail(law: Law) -> None:
    assert generated(law, GreedyRule(operator.lt, B, {B: F, F: F})).verdict is Verdict.REFUTED


def test_causality_has_to_be_strict() -> None:
    found = generated(CAPPED, replace(RULE, finished=operator.le))
    assert found.verdict is Verdict.UNKNOWN


def _moved(start: tuple[str, str], forwards: str, backwards: str) -> tuple[str, str]:
    return f"({start[0]}) + {forwards}", f"({start[1]}) + {backwards}"


STEPS = (("1", "0"), ("0", "1"), ("-1", "0"), ("s", "0"), ("0", "r"), ("q", "0"), ("1", "-1"))


@pytest.mark.parametrize("law", [CAPPED, FREE], ids=lambda law: law.name)
@pytest.mark.parametrize("step", range(len(STEPS)))
def test_moved_times_fail(law: Law, step: int) -> None:
    """With F = B a time that trades an F for a B is the same."""
    same = law is FREE and step == len(STEPS) - 1
    for changed in (
        replace(law, forward=_moved(law.forward, *STEPS[step])),
        replace(law, backward=_moved(law.backward, *STEPS[step])),
    ):
        assert (generated(changed).verdict is PROVED) is same


@pytest.mark.parametrize(
    ("law", "cone", "holds"),
    [
        (CAPPED, ANY, True),
        (FREE, EQUAL, True),
        (FREE, LONG_BACKWARDS, True),
        (FREE, ANY, False),
        (CROWDED, EQUAL, True),
        (CROWDED, ANY, False),
    ],
)
def test_durations_for_which_a_static_order_starts_so(law: Law, cone: Cone, holds: bool) -> None:
    assert (static_times(law, cone).verdict is PROVED) is holds


def _holds(*statements: Statement) -> bool:
    return weakest(decide_from(one, SMALLEST).verdict for one in statements) is PROVED


def test_bounds_of_the_long_run_cannot_be_tightened_at_will() -> None:
    assert _holds(*feasible(long_run.LATEST, ANY))
    assert _holds(*supported(long_run.EARLIEST, ANY))
    assert not _holds(*feasible(FREE, ANY))
    ahead = replace(long_run.EARLIEST, backward=_moved(long_run.EARLIEST.backward, "1", "0"))
    assert not _holds(*supported(ahead, ANY))


def test_a_late_backward_alone_is_not_feasible() -> None:
    changed = replace(long_run.LATEST, forward=FREE.forward)
    assert not _holds(*feasible(changed, ANY))


EDITED = {
    "mismatch": sympy.Min(n, d - i),
    "first": sympy.Min(r, d - i),
    "later": sympy.Min(r, d - 1 - i),
    "uncapped": sympy.Min(n, d - i) - 1,
    "uncapped first": sympy.Min(r, d - 1 - i),
    "crowded later": d - 1 - i,
}


@pytest.mark.parametrize("name", list(EDITED))
def test_every_formula_is_needed_by_its_parts(name: str) -> None:
    """Where a formula is wrong, each part that speaks of it fails, or states an inequality."""
    edited = {**mismatch.CLAIM.core, name: EDITED[name]}
    failing = {known for known in PARTS if part(known, edited).verdict is not PROVED}
    speaking = {known for known, entry in PARTS.items() if name in entry.needs}
    assert failing <= speaking
    assert failing


def test_weak_upper_bounds_are_not_the_largest_mismatch() -> None:
    edited = {**mismatch.CLAIM.core, "mismatch": n - 1}
    assert part("capped", edited).verdict is Verdict.REFUTED


def test_laws_are_data_that_differ() -> None:
    assert len({law.name for law in LAWS}) == len(LAWS) == 4
    assert start_times.CAPPED is LAWS[0]


def test_who_attains_it_is_an_equivalence() -> None:
    """If every minibatch had the largest mismatch, more would attain it than is said."""
    everyone = {**mismatch.CLAIM.core, "later": mismatch.CLAIM.core["mismatch"]}
    assert part("who", everyone).verdict is Verdict.REFUTED


def test_three_minibatches_exceed_one_step() -> None:
    edited = {"admission": sympy.Integer(3), "mismatch": sympy.Integer(1)}
    assert one_step.at_most(edited).verdict is Verdict.REFUTED


@pytest.mark.parametrize("more", [1, -1])
def test_the_makespan_is_exact(more: int) -> None:
    form = active_ratio.CLAIM.core["makespan"]
    assert active_ratio.decided_of(0, "makespan", form).verdict is PROVED
    assert active_ratio.decided_of(0, "makespan", form + more).verdict is not PROVED


def test_a_cap_changes_the_order() -> None:
    assert _holds(long_run.same_order(long_run.LATEST))
    assert not _holds(long_run.same_order(CAPPED))


def test_a_mismatch_is_counted_from_both_sides() -> None:
    """The backwards behind the stated one start after the forward: else larger ones would do."""
    edited = {**mismatch.CLAIM.core, "later": mismatch.CLAIM.core["mismatch"]}
    assert part("capped", edited).verdict is Verdict.REFUTED


def test_a_larger_bound_than_the_mismatch_is_not_refuted() -> None:
    """ "At most 2" is true of n = 2; it is not attained, so that it is not proved as printed."""
    edited = {"admission": sympy.Integer(2), "mismatch": sympy.Integer(2)}
    found = judged(one_step.CLAIM, edited)
    assert found.counterexample is None
    assert found.verdict is Verdict.UNKNOWN


def _long_run() -> Outcome:
    """Decided anew."""
    found: Outcome = inspect.unwrap(long_run.long_run)()
    return found


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("LATEST", CAPPED),
        (
            "EARLIEST",
            replace(
                long_run.EARLIEST,
                backward=_moved(long_run.EARLIEST.backward, "1", "0"),
            ),
        ),
    ],
    ids=["another order", "a backward too late"],
)
def test_the_long_run_asks_for_order_and_support(
    name: str, law: Law, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _long_run().verdict is PROVED
    monkeypatch.setattr(long_run, name, law)
    assert _long_run().verdict is not PROVED


def test_no_stage_works_beyond_the_makespan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backwards of later stages that come much later leave the last one of stage 0 as it is."""
    late = _moved(CAPPED.backward, "3*p*s", "0")
    monkeypatch.setattr(active_ratio, "_LAWS", ((replace(CAPPED, backward=late), ANY),))
    form = active_ratio.CLAIM.core["makespan"]
    decided_anew = inspect.unwrap(active_ratio.decided_of)
    assert decided_anew(0, "makespan", form).verdict is not PROVED


def test_the_free_rule_is_not_its_static_order_if_backwards_are_longer() -> None:
    """Why cases with B ≥ F name the order of F = B: here the rule itself takes longer."""
    taken = {F: 3, B: 7}
    line = run_sharing(RULE, amdp.directions(5, 1), 6, amdp.caps(5, 6, 5, 0), taken)
    free = Schedule.from_orders("run", line, 6, WeightPolicy("latest"))
    static = one_pipeline(5, 5, 6, stage_cap=False)
    assert [timeline(one, taken).length for one in (free, static)] == [102, 100]
    cases = judged(active_ratio.CLAIM).cases
    longer = [case.when for case in cases if "B ≥ F" in case.when]
    assert longer
    assert all("B ≥ F in the static order of F = B" in when for when in longer)


@pytest.mark.parametrize(
    "most",
    [
        n - 1,
        (d - 1 - i) * (1 + free_mismatch.c),
        sympy.Min(n - 1, (d - 1 - i) * free_mismatch.c),
        sympy.Min(n - 1, d - 1 - i),
    ],
)
def test_statements_alone_refuse_other_free_mismatches(
    most: sympy.Expr, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_mismatch, "as_stated", lambda form: True)
    account = free_mismatch.CLAIM.account
    assert decided(account(free_mismatch.CLAIM.core)).verdict is PROVED
    assert decided(account({"mismatch": most})).verdict is Verdict.UNKNOWN


def test_a_stage_that_prefers_forwards_has_a_larger_mismatch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    eager = replace(RULE, prefer_first=Kind.F, prefer_after=dict.fromkeys(Kind, Kind.F))
    monkeypatch.setattr(free_mismatch, "RULES", (eager,))
    assert not free_mismatch.as_stated(free_mismatch.CLAIM.core["mismatch"])
