"""Negative controls for versions of stamped orders: other maxima, windows, policies, builders."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
import sympy
import z3

from schedules.families import FAMILIES, get_family
from schedules.policies import WeightPolicy
from schedules.programs import View
from schedules.schedule import Schedule
from schedules.stamps import StampedOrder
from tests.verdicts_of import lazily
from theory.laws.stamped import Lanes
from theory.laws.stamped_families import STAMPED, prove
from theory.laws.static_orders.order import of_stamps
from theory.laws.static_orders.symbols import K, M, p, s
from theory.laws.static_orders.versions import Updates, stashed
from theory.papers.schedules.matrix.forms import BOUND
from theory.papers.schedules.matrix.rows import stated
from theory.verdicts import Verdict

UPDATED = [name for name, subject in STAMPED.items() if subject.updates is not None]
BOUNDED = [(name, column) for name in UPDATED for column in ("staleness", "in-flight")]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("family", "column"), BOUNDED)
def test_no_other_maximum_is_proved(family: str, column: str) -> None:
    formulas = stated(family, column)
    form = formulas[BOUND]
    assert prove(family, column, formulas).verdict is Verdict.PROVED
    fewer = [sympy.Max(form - 1, least) for least in (0, 1)]
    for other in (form + 1, form - 1, *fewer, sympy.Integer(2), form.subs(M, M + 1)):
        if other != form:
            found = prove(family, column, {**formulas, BOUND: other})
            assert found.verdict is Verdict.UNKNOWN, other


@pytest.mark.parametrize(
    "form",
    [
        sympy.Min(sympy.floor((p - 1 - s) / K), sympy.floor(M / K) - 1),
        sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.floor((M - 1) / K)),
        sympy.Min(sympy.ceiling((p - s) / K), sympy.floor(M / K) - 1),
        sympy.ceiling((p - 1 - s) / K),
    ],
)
def test_near_misses_of_the_staleness_in_windows_are_not_proved(form: sympy.Expr) -> None:
    formulas = {**stated("asyncpp", "staleness"), BOUND: form}
    assert prove("asyncpp", "staleness", formulas).verdict is Verdict.UNKNOWN


def test_the_same_form_written_otherwise_is_proved() -> None:
    written = sympy.Min(sympy.floor((p + K - 2 - s) / K), sympy.floor((M - K) / K))
    formulas = {**stated("asyncpp", "staleness"), BOUND: written}
    assert prove("asyncpp", "staleness", formulas).verdict is Verdict.PROVED


@dataclass(frozen=True)
class Short(Updates):
    """Windows that are shorter than the pipeline by at most `by`."""

    by: int = 0

    def domain(self, view: View) -> tuple[z3.BoolRef, ...]:
        every = self.every(view)
        return (every >= view.p - self.by, every >= 1, every <= view.M)


def versions(family: str, updates: Updates) -> Verdict:
    rule = get_family(family).rule
    assert isinstance(rule, StampedOrder)
    return lazily(stashed(of_stamps(Lanes(rule, STAMPED[family].size)), updates))


def test_two_versions_are_enough_for_windows_one_shorter_but_not_two() -> None:
    policy = WeightPolicy("double-buffer")
    for by, expected in ((0, Verdict.PROVED), (1, Verdict.PROVED), (2, Verdict.REFUTED)):
        assert versions("pipedream-2bw", Short(policy, "window", by=by)) is expected
    assert versions("pipedream-2bw", Updates(policy, "window")) is Verdict.REFUTED


def test_without_a_stash_b_uses_other_weights() -> None:
    latest = Updates(WeightPolicy("latest"))
    assert versions("pipedream-runtime", latest) is Verdict.REFUTED
    assert versions("naive", latest) is Verdict.PROVED


@pytest.mark.parametrize("family", ["1f1b", "pipedream", "asyncpp"])
def test_a_family_that_is_built_otherwise_loses_its_proof(
    monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    own = get_family(family)

    def other(p: int, M: int, **given: int) -> Schedule:
        return own.build(p, M, **given)

    monkeypatch.setitem(FAMILIES, family, replace(own, build=other))
    assert prove(family, "causal", {}).verdict is Verdict.UNKNOWN
    assert "built by something else" in prove(family, "exclusive", {}).note
    monkeypatch.setitem(FAMILIES, family, replace(own, policy=WeightPolicy("latest")))
    assert prove(family, "stash", {}).verdict is Verdict.UNKNOWN


def test_forwards_in_the_place_of_backwards_are_seen() -> None:
    """Where stamps tie, which of two comes first is not said, and nothing is proved of versions."""
    rule = get_family("naive").rule
    assert isinstance(rule, StampedOrder)
    tied = replace(rule, forward=lambda at: (at.x, 0), backward=lambda at: (at.x, 0))
    order = of_stamps(Lanes(tied, STAMPED["naive"].size))
    assert lazily(stashed(order, Updates(WeightPolicy("stash")))) is not Verdict.PROVED
