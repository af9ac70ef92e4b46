"""Updates that a file states action by action, as `measure` reads them: as `check` does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpu_validation import RunSpec, judge
from gpu_validation.errors import NotRunnableError
from gpu_validation.measure import measure
from gpu_validation.prediction import predict
from gpu_validation.steps import by_policy
from schedules import WeightPolicy, versions
from schedules.families import build
from schedules.policies import PolicyName
from tests.rows import rows
from tests.run_logs import faithful_log

TWO = "0F0 0B0 0F1 0B1 0U1 0F2 0B2 0F3 0B3 0U3"

STEPS = "0F0 0F1 0B0 0B1 0U 0F2 0F3 0B2 0B3 0U\n1F0 1B0 1F1 1B1 1U 1F2 1B2 1F3 1B3 1U"


@pytest.mark.parametrize(
    ("text", "policy", "interval", "read"),
    [
        (TWO, "stash", 1, "stash/2"),
        (TWO.replace("0U1", "0U").replace("0U3", "0U"), "latest", 1, "latest/2"),
        (TWO, "stash", 3, "stash/2"),
        (TWO, "stash", 2, "stash/2"),
        (TWO, "flush", 1, "stash/2"),
        ("0F0 0B0 0F1 0B1 0U", "flush", 1, "flush/1"),
        ("0F0 0I0 0W0 0U 0F1 0I1 0W1 0U", "stash", 1, "stash/1"),
        (STEPS, "flush", 1, "stash/2"),
        ("0F0 0B0 0F1 0B1 0U 0F2 0B2", "stash", 1, "stash/2"),  # the last is never applied
    ],
)
def test_the_file_s_updates_are_the_steps(
    text: str, policy: PolicyName, interval: int, read: str
) -> None:
    """Whatever interval is stated, or none; versions stay what `check` says."""
    schedule = replace(rows(text), policy=WeightPolicy(policy, interval))
    found = by_policy(schedule)
    assert f"{found.policy.name}/{found.policy.interval}" == read
    assert "U" not in " ".join(str(action) for action in found.rank(0))
    for name in ("read", "used", "local_staleness"):
        stated = getattr(versions(schedule), name).tolist()
        assert getattr(predict(found).versions, name).tolist() == stated


@pytest.mark.parametrize(
    ("text", "says", "where"),
    [
        ("0F0 0B0 0F1 0U 0B1 0U", "right behind the last gradient they apply, but 0U", "[0][3]"),
        ("0U 0F0 0B0 0U", "right behind the last gradient they apply, but 0U", "[0][0]"),
        ("0F0 0B0 0U 0U", "right behind the last gradient they apply, but 0U", "[0][3]"),
        ("0F0 0B0 0U 0F1 0B1 0F2 0B2 0U", "as many gradients each", "[0][2]"),
        ("0F0 0B0 0F1 0B1 0U 0F2 0B2 0F3 0B3", "as many gradients each", "[0][4]"),
        ("0F0 0F1 0B0 0U 0B1 0U", "as many gradients each", "[0][3]"),  # no flush
    ],
)
def test_other_updates_are_refused(text: str, says: str, where: str) -> None:
    """They were left out, and every run held against an order that nobody wrote."""
    with pytest.raises(NotRunnableError, match=says) as caught:
        by_policy(rows(text, "flush"))
    assert caught.value.where.endswith(where)
    assert "`staleproof check`" in caught.value.fix


def test_what_states_none_stays() -> None:
    for name, more in (("pipedream", {}), ("sapipe", {"layers": 2, "stale": 1})):
        schedule = build(name, 2, 4, **more)
        assert by_policy(schedule) is schedule


def test_a_log_with_these_updates_agrees() -> None:
    """It was said that behind 0B0 an update was to come, which the file does not have."""
    schedule = rows(TWO, "stash")
    log = faithful_log(replace(by_policy(schedule), name=schedule.name))
    found = judge(log, schedule)
    assert found.agree, [finding.says for finding in found.findings]
    assert "2 updates came where predicted" in found.findings[1].says
    each = faithful_log(replace(by_policy(schedule), policy=WeightPolicy("stash")))
    assert not judge(each, schedule).agree


def test_a_run_makes_these_updates() -> None:
    assert measure(RunSpec(rows(TWO, "stash")), broken_runs=False).agree
