"""Negative controls: an asynchronous family whose rule is changed must break a law it is known for.

Every change is one of data: a position formula, a preference, a cap, a direction, a policy. The
laws are those that the families' files state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from schedules import FAMILIES, Kind, Placement, WeightPolicy, build, timeline, versions
from schedules.analysis import peaks
from schedules.errors import ScheduleError
from schedules.families import amdp
from schedules.families.family import from_rule
from schedules.families.gpipe import ORDER as GPIPE
from schedules.families.naive import ORDER as NAIVE
from schedules.families.one_f_one_b import ORDER
from schedules.families.pipedream import RULE
from schedules.invariants import check, parse_requirements
from schedules.stamps import At, Stamp, StampedOrder

F, B = Kind.F, Kind.B

Patch = pytest.MonkeyPatch


def holds(law: Callable[[], bool]) -> bool:
    """Whether a law holds; a schedule that cannot be built, or cannot run, keeps none."""
    try:
        return law()
    except (ScheduleError, AssertionError, IndexError):
        return False


# PipeDream's static order


def order_law(order: StampedOrder = ORDER) -> bool:
    """Mismatch min(m, p − 1 − s), p − s activations, makespan 2(M + p − 1)."""
    family = replace(FAMILIES["pipedream-runtime"], rule=order)
    for p, M in product(range(1, 5), (1, 3, 9)):
        schedule = from_rule(family, p, M)
        s, m = np.indices((p, M))
        line = timeline(schedule)
        if (versions(schedule).mismatch != np.minimum(m, p - 1 - s)).any():
            return False
        if peaks(line).activations_by_stage != tuple(min(p - s, M) for s in range(p)):
            return False
        if line.length != 2 * (M + p - 1):
            return False
    return True


def ahead_by(more: int) -> StampedOrder:
    """1F1B with `more` further forwards before the first backward, of those there are."""

    def ahead(at: At) -> Any:
        return at.most(at.p - at.rank - 1 + more, 0)

    return replace(
        ORDER,
        forward=lambda at: (
            at.choose(at.x <= ahead(at), 2 * at.x - 2 * ahead(at), 2 * (at.x - ahead(at))),
        ),
        backward=lambda at: (2 * at.x + 1,),
    )


def turned_round(stamp: Callable[[At], Stamp]) -> Callable[[At], Stamp]:
    """What stage p − 1 − s does."""
    return lambda at: stamp(replace(at, rank=at.p - 1 - at.rank))


ORDERS = {
    "one forward more ahead": ahead_by(1),
    "one forward fewer ahead": ahead_by(-1),
    "all forwards first": GPIPE,
    "one microbatch at a time": NAIVE,
    "the stages turned round": replace(
        ORDER, forward=turned_round(ORDER.forward), backward=turned_round(ORDER.backward)
    ),
}


def test_order_law_holds() -> None:
    assert order_law()


def test_written_otherwise_the_order_keeps_the_law() -> None:
    """The mutants below differ by what they change, not by how they are written."""
    assert order_law(ahead_by(0))


@pytest.mark.parametrize("change", ORDERS)
def test_changed_order_breaks_the_law(change: str) -> None:
    assert not holds(partial(order_law, ORDERS[change]))


# Policies


POLICY_LAWS = {
    "pipedream-runtime": "stash, update-once, staleness<=3",
    "pipedream-2bw": "stash, update-once, vertical-sync, versions<=2, staleness<=1",
    "pipemare": "update-once, versions<=1",
    "asyncpp": "stash, update-once",
    "xpipe": "stash, update-once",
}
"""What holds of each at p = 4 and M = 16."""

CHANGED = [
    ("pipedream-runtime", WeightPolicy("latest")),
    ("pipedream-runtime", WeightPolicy("vertical-sync", 3)),
    ("pipedream-2bw", WeightPolicy("stash", 4)),
    ("pipedream-2bw", WeightPolicy("latest", 4)),
    ("pipedream-2bw", WeightPolicy("double-buffer", 2)),
    ("pipedream-2bw", WeightPolicy("double-buffer", 5)),
    ("pipemare", WeightPolicy("stash")),
    ("pipemare", WeightPolicy("latest", 3)),
    ("asyncpp", WeightPolicy("latest")),
    ("asyncpp", WeightPolicy("stash", 5)),
    ("xpipe", WeightPolicy("latest")),
]


@pytest.mark.parametrize("family", POLICY_LAWS)
def test_policy_law_holds(family: str) -> None:
    assert check(build(family, 4, 16), parse_requirements(POLICY_LAWS[family])).ok


@pytest.mark.parametrize(("family", "policy"), CHANGED, ids=str)
def test_changed_policy_breaks_the_law(family: str, policy: WeightPolicy) -> None:
    schedule = replace(build(family, 4, 16), policy=policy)
    assert not check(schedule, parse_requirements(POLICY_LAWS[family])).ok


def horizon_law(change: int) -> bool:
    """At stage 0 the horizon reaches exactly the version that the gradient is applied to."""
    for p, interval in product(range(2, 6), range(1, 5)):
        schedule = build("xpipe", p, 6 * interval * p, update_interval=interval)
        found = versions(schedule)
        first = np.arange(p * interval, 6 * interval * p, interval)
        late = (found.at_update - found.read)[0, first]
        if (late != schedule.policy.horizon + change).any():
            return False
    return True


def test_horizon_is_neither_shorter_nor_longer() -> None:
    assert horizon_law(0)
    assert not horizon_law(1)
    assert not horizon_law(-1)


# AMDP


def one_pipeline_law() -> bool:
    """Exact mismatch under the cap, and the makespan."""
    for p in range(1, 6):
        for n, M in product(range(1, p + 1), (2, 7, 16)):
            schedule = build("amdp", p, M, admission=n, pipelines=1, stage_cap=1)
            if timeline(schedule).length != 2 * (p * ((M - 1) // n + 1) + (M - 1) % n):
                return False
            found = versions(schedule).mismatch
            for s, m in product(range(p), range(M)):
                ahead, r = p - 1 - s, m % n
                stated = min(m, ahead) if m < n else min(r, ahead) + max(0, n - 1 - s - r)
                if found[s, m] != stated:
                    return False
    return True


def two_directions_law() -> bool:
    """Four stages: two pipelines fill the ranks, and each has a mismatch of one step."""
    schedule = build("amdp", 4, 48)
    line = timeline(schedule)
    low, high = line.length // 3, 2 * line.length // 3
    busy = np.clip(line.end, low, high) - np.clip(line.start, low, high)
    return bool(busy.sum() == 4 * (high - low)) and int(versions(schedule).mismatch.max()) == 1


CAPS: dict[str, Callable[[int, int, int, int], list[int]]] = {
    "one more": lambda p, M, n, cap: [min(n, p - s) + 1 for s in range(p)],
    "one fewer": lambda p, M, n, cap: [max(min(n, p - s) - 1, 1) for s in range(p)],
    "only stage 0": lambda p, M, n, cap: [n] + [M] * (p - 1),
    "all but stage 0": lambda p, M, n, cap: [M] + [min(n, p - s) for s in range(1, p)],
    "by the depth alone": lambda p, M, n, cap: [p - s for s in range(p)],
}

RULES = {
    "F first": replace(RULE, prefer_first=F),
    "F after B, F after F": replace(RULE, prefer_after={B: F, F: F}),
}

DIRECTIONS: dict[str, Callable[[int, int], Placement]] = {
    "all down, on the same weights": lambda p, lanes: Placement(
        (tuple(range(p)),) * lanes, ((0,) * p,) * lanes
    ),
    "odd ones moved on by one rank": lambda p, lanes: Placement(
        tuple(tuple((s + lane % 2) % p for s in range(p)) for lane in range(lanes)),
        tuple((lane % 2,) * p for lane in range(lanes)),
    ),
}


def test_laws_of_amdp_hold() -> None:
    assert one_pipeline_law()
    assert two_directions_law()


@pytest.mark.parametrize("change", CAPS)
def test_changed_caps_break_the_law(monkeypatch: Patch, change: str) -> None:
    monkeypatch.setattr(amdp, "caps", CAPS[change])
    assert not holds(one_pipeline_law)


@pytest.mark.parametrize("change", RULES)
def test_changed_preferences_break_a_law(monkeypatch: Patch, change: str) -> None:
    monkeypatch.setattr(amdp, "RULE", RULES[change])
    assert not (holds(one_pipeline_law) and holds(two_directions_law) and without_cap_law())


def without_cap_law() -> bool:
    """n = p without a cap is PipeDream."""
    for p in range(1, 6):
        ours, theirs = build("amdp", p, 12, admission=p, pipelines=1), build("pipedream", p, 12)
        if [list(ours.rank(r)) for r in range(p)] != [list(theirs.rank(r)) for r in range(p)]:
            return False
    return True


@pytest.mark.parametrize("change", DIRECTIONS)
def test_changed_directions_break_the_law(monkeypatch: Patch, change: str) -> None:
    monkeypatch.setattr(amdp, "directions", DIRECTIONS[change])
    assert not holds(two_directions_law)


def test_greedy_rule_itself_is_pipedream() -> None:
    assert without_cap_law()


def test_no_family_of_these_is_free_of_controls() -> None:
    """Families that update more than once a run without a flush, and are not older than this.

    Those of data parallelism have theirs in ``test_sapipe_family_controls.py``.
    """
    unflushed = {name for name, family in FAMILIES.items() if family.policy.name != "flush"}
    assert unflushed - {"pipedream", "localsgd", "naive", "pipesgd", "sapipe"} == {
        *POLICY_LAWS,
        "amdp",
    }
