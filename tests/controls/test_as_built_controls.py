"""Negative controls: a family whose `build` alone is edited keeps no law, no proof and no row.

The rule stays as it is. A family that builds by anything else has no law of its rule, whatever it
builds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from schedules.actions import Action, Kind
from schedules.errors import ParameterError
from schedules.families import FAMILIES, get_family
from schedules.families.family import Family, from_rule
from schedules.families.pipedream import RULE
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from theory.derive import derive, derive_rule
from theory.judging.judge import judge
from theory.laws.stamped_families import prove
from theory.papers import blog, rpd
from theory.papers.schedules.matrix.rows import CLAIMS, stated
from theory.verdicts import Verdict

Build = Callable[..., Schedule]
Edit = Callable[[Family], Build]
When = Callable[[int, int], bool]

RPD = {claim.id: claim for claim in rpd.PAPER.claims}
CELLS = {claim.id: claim for claim in CLAIMS}


def changed(family: Family, change: Callable[[Schedule], Schedule], when: When) -> Build:
    """The family's build, its schedules changed at some sizes."""

    def build(p: int, M: int, **given: int) -> Schedule:
        schedule = family.build(p, M, **given)
        return change(schedule) if when(p, M) else schedule

    return build


def swapped(schedule: Schedule) -> Schedule:
    """The first rank's last two actions change places."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    orders[0][-2:] = reversed(orders[0][-2:])
    return from_orders(schedule, orders, schedule.policy)


def flushed(schedule: Schedule) -> Schedule:
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    stashes = schedule.policy.name == "stash"
    return from_orders(schedule, orders, WeightPolicy("flush" if stashes else "stash"))


def from_orders(schedule: Schedule, orders: list[list[Action]], policy: WeightPolicy) -> Schedule:
    size, parameters = schedule.microbatches, schedule.parameters
    return Schedule.from_orders(schedule.name, orders, size, policy, parameters=parameters)


def at(when: When, change: Callable[[Schedule], Schedule] = swapped) -> Edit:
    return lambda family: changed(family, change, when)


EDITS: dict[str, Edit] = {
    "two actions": at(lambda p, M: M > 1),
    "two actions, p >= 4": at(lambda p, M: p >= 4 and M > 1),
    "two actions, M > p": at(lambda p, M: p < M),
    "two actions, M >= 2p and p >= 5": at(lambda p, M: 2 * p <= M and p >= 5),
    "two actions, one size": at(lambda p, M: (p, M) == (7, 20)),
    "policy": at(lambda p, M: True, flushed),
}

OF_PIPEDREAM: dict[str, Edit] = {
    "noam p + 1": lambda family: lambda p, M: from_rule(family, p, M, noam=p + 1),
    "noam p + 1, p >= 6": lambda family: lambda p, M: from_rule(family, p, M, noam=p + (p >= 6)),
    "noam p - 1": lambda family: lambda p, M: from_rule(family, p, M, noam=max(p - 1, 1)),
    "F first": lambda family: (
        lambda p, M: from_rule(replace(family, rule=replace(RULE, prefer_first=Kind.F)), p, M)
    ),
    "refuses a size": lambda family: lambda p, M: refusing(family, p, M),
}


def refusing(family: Family, p: int, M: int) -> Schedule:
    if p == M:
        raise ParameterError("M is not p", "family", "take another")
    return family.build(p, M)


def rewrite(monkeypatch: pytest.MonkeyPatch, name: str, edit: Edit) -> None:
    """Edit the build of the registry's family, and nothing else of it."""
    own = get_family(name)
    monkeypatch.setitem(FAMILIES, name, replace(own, build=edit(own)))


DERIVED = [name for name, family in FAMILIES.items() if family.affine]


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "edit"), [*product(DERIVED, EDITS)])
def test_an_edited_build_takes_the_derived_law(
    monkeypatch: pytest.MonkeyPatch, name: str, edit: str
) -> None:
    rewrite(monkeypatch, name, EDITS[edit])
    law = derive(name)
    assert law.verdict is Verdict.UNKNOWN
    assert law.proof[-1].note == "something else builds its schedules than its rule"
    assert law.to_json()["max"] is None


OF_RPD = ("rpd.prop-4.1", "rpd.cor-c1", "rpd.lemma-c1-mean", "rpd.local-staleness")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("edit", OF_PIPEDREAM)
def test_an_edited_build_takes_the_rows_of_pipedream(
    monkeypatch: pytest.MonkeyPatch, edit: str
) -> None:
    rewrite(monkeypatch, "pipedream", OF_PIPEDREAM[edit])
    assert derive("pipedream").verdict is Verdict.UNKNOWN
    for name in OF_RPD:
        row = judge(replace(RPD[name], holds=None, weakened={}))
        assert row.verdict is Verdict.UNKNOWN
        assert "pipedream" in row.judgement.evidence[0].says
    for invariant in ("staleness", "in-flight", "causal"):
        found = prove("pipedream", invariant, stated("pipedream", invariant))
        assert found.verdict < Verdict.CHECKED
    cell = CELLS["schedules.pipedream.staleness"]
    assert judge(replace(cell, holds=None, weakened={})).verdict is not Verdict.PROVED


def test_a_rule_that_the_family_does_not_build_has_no_law_of_it() -> None:
    gpipe = get_family("gpipe")
    nothing = replace(gpipe, build=None)  # type: ignore[arg-type]
    assert derive_rule(nothing, "ascending", None).verdict is Verdict.UNKNOWN
    theirs = get_family("1f1b").rule
    stranger = replace(gpipe, rule=theirs, build=lambda p, M: gpipe.build(p, M))
    assert derive_rule(gpipe, "ascending", None).verdict is Verdict.PROVED
    assert derive_rule(stranger, "ascending", None).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", ["schedules.1f1b.in-flight", "schedules.asyncpp.staleness"])
def test_an_edited_build_takes_the_cell(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    claim = replace(CELLS[name], holds=None, weakened={})
    assert judge(claim).verdict is Verdict.PROVED
    rewrite(monkeypatch, name.split(".")[1], EDITS["two actions, p >= 4"])
    assert judge(claim).verdict is Verdict.UNKNOWN


OF_NO_BUILD = ("blog.loss-scaling", "blog.chunks", "blog.stage-bounds", "blog.initialize-p2p")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blog-1f1b", "blog-gpipe"])
def test_an_edited_build_takes_the_rows_of_the_blog(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rewrite(monkeypatch, name, EDITS["two actions, M >= 2p and p >= 5"])
    for claim in blog.PAPER.claims:
        if claim.id in OF_NO_BUILD:
            continue
        row = judge(replace(claim, holds=None, weakened={}))
        assert row.verdict <= Verdict.UNKNOWN
        assert all(case.verdict is not Verdict.PROVED for case in row.judgement.cases)
