"""Claims for all timings: static orders, and free runs of E.1's rule."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np
import pytest
import sympy

from schedules import Action, Kind, build
from schedules.errors import InvalidScheduleError, ParameterError, ScheduleError
from schedules.families.pipedream import RULE
from schedules.free_running import free_run
from schedules.timeline import run_to_end
from schedules.versions import versions
from theory.judging.verify import judge
from theory.papers.schedules import free_running, static_staleness
from theory.papers.schedules.free_running import N_
from theory.papers.schedules.free_runs import pile_up, slow_end, worst_run
from theory.papers.schedules.static_staleness import staleness_by_the_clock, two_ranks
from theory.verdicts import Verdict

# A free run


def test_hand_example_with_delays() -> None:
    """F(0, 0) arrives at 1 + 2; B(1, 0) ends at 6, F(1, 1) goes next; B(1, 1) arrives at 10."""
    run = free_run(
        RULE,
        2,
        2,
        2,
        duration=lambda action: 2 if action.kind is Kind.B else 1,
        delay=lambda action: 2 if action.kind is Kind.F else 1,
    )
    assert run.rows() == [
        "F0 F1 . . . . . B0 B0 . B1 B1",
        ". . . F0 B0 B0 F1 B1 B1 . . .",
    ]


def test_what_ends_at_a_moment_counts_for_all_decisions_at_it() -> None:
    """Stage 0 is free at 2, just as B(1, 0) ends: before its first B it prefers B to F."""
    run = free_run(RULE, 2, 3, 3, lambda action: 2 if action == Action(Kind.F, 0, 1) else 1)
    assert run.rows()[0].split()[:4] == ["F0", "F1", "F1", "B0"]


def test_schedule_holds_the_order_that_came_out() -> None:
    slow = free_run(RULE, 3, 6, 3, slow_end(3, 4)).schedule
    assert list(slow.rank(1)) != list(build("pipedream", 3, 6).rank(1))
    assert slow.policy.name == "stash"
    assert len(slow) == 36


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"duration": lambda _: 0}, ParameterError, "at least 1, found 0"),
        ({"duration": lambda _: 1.5}, ParameterError, "duration of 0F0"),
        ({"delay": lambda _: -1}, ParameterError, "delay of 0F0"),
        ({"limit": 0}, InvalidScheduleError, "after 0 of 8 actions"),
        ({"rule": replace(RULE, finished=operator.le)}, ParameterError, "once it has ended"),
    ],
)
def test_bad_input(change: dict[str, object], error: type[ScheduleError], says: str) -> None:
    given: dict[str, object] = {
        "rule": RULE,
        "stages": 2,
        "microbatches": 2,
        "limit": 2,
        "duration": lambda _: 1,
    }
    with pytest.raises(error, match=says):
        free_run(**{**given, **change})  # type: ignore[arg-type]


# Worst executions


@pytest.mark.parametrize("p", range(2, 7))
@pytest.mark.parametrize("noam", [1, 2, 3, 6, 8])
def test_worst_run_attains_the_bound_at_every_stage(p: int, noam: int) -> None:
    found = versions(worst_run(p, noam).schedule).local_staleness.max(axis=1)
    assert found.tolist() == [noam - 1] * (p - 1) + [0]


def test_pile_up_takes_its_time_once() -> None:
    taken = pile_up(3, 4)
    assert [taken(Action(Kind.F, 2, m)) for m in (0, 1)] == [7, 1]
    assert taken(Action(Kind.B, 2, 0)) == taken(Action(Kind.F, 1, 0)) == 1


@pytest.mark.parametrize("p", range(2, 8))
@pytest.mark.parametrize("times", [1, 2, 3, 5, 9])
def test_slow_last_stage_in_the_steady_state(p: int, times: int) -> None:
    M = 6 * p
    run = free_run(RULE, p, M, p, slow_end(p, times))
    window = versions(run.schedule).local_staleness[:, p : M - p]
    expected = [p - 1 - s // times for s in range(p - 1)] + [0]
    assert (window == np.array(expected)[:, None]).all()


def test_static_order_keeps_its_staleness_where_a_free_run_does_not() -> None:
    p, M = 4, 16
    static = build("pipedream", p, M)
    slow = np.where(static.stage == p - 1, 4, 1)
    kept = staleness_by_the_clock(static, slow)[:, p : M - p]
    assert (kept == np.arange(p)[::-1, None]).all()
    free = free_run(RULE, p, M, p, slow_end(p, 4)).schedule
    assert versions(free).local_staleness[:, p : M - p].max(axis=1).tolist() == [3, 3, 3, 0]


# Static orders


@pytest.mark.parametrize("family", ["pipedream", "gpipe", "zbv", "dualpipev", "localsgd"])
def test_clock_and_program_order_count_alike(family: str) -> None:
    schedule = build(family, 2, 8)
    expected = versions(schedule).local_staleness
    numbers = np.random.default_rng(0)
    for _ in range(5):
        taken = numbers.integers(1, 30, len(schedule))
        assert (staleness_by_the_clock(schedule, taken) == expected).all()


def test_clock_looks_at_times() -> None:
    """With the order of one rank ignored, staleness would follow the durations."""
    assert sorted(two_ranks().values()) == [0, 1]
    schedule = build("pipedream", 2, 4)
    start, stuck = run_to_end(schedule, np.full(len(schedule), 2))
    assert not stuck
    assert start.max() > 0


# Rows of the ledger


def test_finding_names_a_run_in_which_the_steady_law_fails() -> None:
    [finding] = judge(replace(free_running.CLAIM, holds=None)).judgement.findings
    witness = finding.witness
    assert witness is not None
    p, s = witness["p"], witness["s"]
    found = versions(free_run(RULE, p, 6 * p, p, slow_end(p, 2)).schedule).local_staleness
    assert set(found[s, p:-p].tolist()) == {witness["steady staleness"]}
    assert witness["printed"] == p - 1 - s != witness["steady staleness"]
    assert finding.repaired is not None
    assert finding.repaired.verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("key", "form", "verdict"),
    [
        ("inner", N_, Verdict.UNKNOWN),
        ("inner", N_ - 2, Verdict.REFUTED),
        ("inner", sympy.Integer(0), Verdict.REFUTED),
        ("last", sympy.Integer(1), Verdict.UNKNOWN),
        ("last", sympy.Integer(-1), Verdict.REFUTED),
    ],
)
def test_other_bounds_are_not_proved(key: str, form: sympy.Expr, verdict: Verdict) -> None:
    printed = {**free_running.CLAIM.printed, key: form}
    row = judge(replace(free_running.CLAIM, printed=printed, holds=None))
    assert row.verdict is verdict
    witness = row.judgement.counterexample
    if verdict is Verdict.UNKNOWN:
        assert witness is None
        assert row.judgement.findings == ()
        return
    assert witness is not None
    found = versions(worst_run(witness["p"], witness["NOAM"]).schedule).local_staleness
    assert found[witness["s"]].max() == witness["staleness"] > witness["stated"]


def test_replay_that_contradicts_the_static_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(*given: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return staleness_by_the_clock(*given) + 1  # type: ignore[arg-type]

    monkeypatch.setattr(static_staleness, "staleness_by_the_clock", shifted)
    assert judge(static_staleness.CLAIM).verdict is Verdict.UNKNOWN
