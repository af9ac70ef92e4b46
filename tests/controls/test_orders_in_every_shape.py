"""Orders without a flush in every shape: what is near the true one, or spoiled, is not proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest
import sympy

from schedules import versions
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.policies import PolicyName, WeightPolicy
from schedules.stamps import LINE, LOOP, OPPOSITE, VEE, WORKERS, At, Shape, StampedOrder
from schedules.validation.facts import in_flight
from tests.controls.test_orders_that_divide import proved
from theory.laws import own_orders
from theory.laws.own_orders import row_of, subject_of, subject_of_order, turned
from theory.laws.stamped_bounds import BOUND
from theory.laws.stamped_families import queried
from theory.laws.static_orders.symbols import M, p, s
from theory.verdicts import Verdict

LATE_W = StampedOrder(
    LINE,
    forward=lambda at: (3 * at.x + at.rank,),
    backward=lambda at: (3 * (at.x + at.p - 1 - at.rank) + at.rank + 1,),
    weight=lambda at: (3 * (at.x + at.p - at.rank) + at.rank + 2,),
)
BOTH_WAYS = StampedOrder(
    OPPOSITE,
    forward=lambda at: (2 * at.x + at.stage, 0, at.lane),
    backward=lambda at: (2 * at.x + 2 * at.p - at.stage, 1, at.lane),
    microbatch=lambda at: at.x + at.lane * at.divide(at.M, 2)[0],
    sizes=lambda at: (at.divide(at.p, 2)[1] == 0,),
)
AT_ONCE = StampedOrder(
    WORKERS,
    forward=lambda at: (0, at.x, at.stage),
    backward=lambda at: (1, at.x, at.values["layers"] - at.stage),
    microbatch=lambda at: at.x * at.p + at.rank,
    defaults={"layers": 2},
)


def first(shape: Shape, down: int, last: Callable[[At], Any]) -> StampedOrder:
    """All forwards, then all backwards, from the last microbatch on if `down`."""
    return StampedOrder(
        shape,
        forward=lambda at: (0, at.x + at.stage, at.lane),
        backward=lambda at: (1, (1 - 2 * down) * at.x + last(at), at.lane),
        defaults={"chunks": 2},
    )


VEE_FIRST = first(VEE, 0, lambda at: 2 * at.p - at.stage)
LOOP_FIRST = first(LOOP, 0, lambda at: at.values["chunks"] * at.p - at.stage)
LINE_DOWN = first(LINE, 1, lambda at: at.p - at.stage)


def family(order: StampedOrder, policy: PolicyName = "stash", interval: int = 1) -> Family:
    named = {LOOP.name: ("chunks",), WORKERS.name: ("layers",)}.get(order.shape.name, ())
    parameters = tuple(Parameter(name, name) for name in named)
    policies = WeightPolicy(policy, interval=interval)
    return Family("own", "ours", "ours", policies, rule=order, parameters=parameters)


BOUNDED = {
    "line": (family(LATE_W), sympy.Min(M - 1, p - s), sympy.Min(M, p - s + 1)),
    "opposite": (family(BOTH_WAYS), sympy.Min(M / 2 - 1, p - s), sympy.Min(M / 2, p - s + 1)),
    "stage 0": (
        family(BOTH_WAYS, "vertical-sync"),
        sympy.Min(M / 2 - 1, p),
        sympy.Min(M / 2, p - s + 1),
    ),
    "workers": (family(AT_ONCE, interval=2), sympy.floor(M / p / 2) - 1, M / p),
    "vee": (family(VEE_FIRST, interval=3), sympy.floor(M / 3) - 1, M),
    "loop": (family(LOOP_FIRST, "latest"), M - 1, M),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_a_bound_is_proved_and_none_near_it(name: str) -> None:
    own, stale, held = BOUNDED[name]
    row = row_of(own)
    found = {one.name: one.bound for one in row.invariants if one.bound}
    symbols = {"p": p, "M": M, "s": s}
    for column, form in (("staleness", stale), ("in-flight", held)):
        assert sympy.expand(sympy.sympify(found[column], locals=symbols) - form) == 0
        for other in (form + 1, form - 1, form.subs(M, M + 2), form.subs(M, 2 * M), form * 2):
            assert other == form or not proved(own, column, other), other
    assert row.proofs == 7 - (own.policy.name == "latest")


def tied(shape: Shape, wide: int, lead: Callable[[At], Any], turns: tuple[int, int]) -> Family:
    """One number that F and B have in common, and a second one that may say which of them is first.

    Backwards begin `lead` numbers behind the forwards of stage 0.
    """
    first, second = turns
    order = StampedOrder(
        shape,
        forward=lambda at: (wide * at.x + at.stage, first),
        backward=lambda at: (wide * at.x + lead(at) - at.stage, second),
    )
    return family(order)


TIED: dict[str, tuple[Family, sympy.Expr]] = {
    "line": (tied(LINE, 2, lambda at: 2 * at.p, (0, 0)), p - s),
    "F first": (tied(LINE, 2, lambda at: 2 * at.p, (0, 1)), p - s),
    "B first": (tied(LINE, 2, lambda at: 2 * at.p, (1, 0)), p - s - 1),
    "vee": (tied(VEE, 4, lambda at: 4 * at.p, (0, 0)), sympy.floor(p - s / 2)),
    "half": (tied(LINE, 2, lambda at: 3 * at.p, (0, 0)), sympy.floor((3 * p - 2 * s) / 2)),
}


@pytest.mark.parametrize("name", TIED)
def test_what_ties_is_told_apart(name: str) -> None:
    """F comes before B; of stamps that grow by several with x, bounds are fractions of p and s."""
    own, ahead = TIED[name]
    row = row_of(own)
    found = {one.name: one.bound for one in row.invariants if one.bound}
    for column, form in (
        ("staleness", sympy.Min(M - 1, ahead)),
        ("in-flight", sympy.Min(M, ahead + 1)),
    ):
        stated = sympy.sympify(found[column], locals={"p": p, "M": M, "s": s})
        for number, other in product(range(1, 9), repeat=2):
            at = {p: number, M: other}
            assert all(stated.subs(at | {s: n}) == form.subs(at | {s: n}) for n in range(number))
    assert row.proofs == 7


def test_control_stamps_in_common_do_not_say_which_is_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = TIED["line"][0]
    assert not proved(own, "staleness", sympy.Min(M - 1, p - s))
    monkeypatch.setattr(own_orders, "untied", lambda order: order)
    assert not row_of(own).proved
    late = TIED["B first"][0].rule
    assert isinstance(late, StampedOrder)
    monkeypatch.setattr(own_orders, "untied", lambda order: late)
    assert not row_of(own).proved  # that of another order: runs refute it


D, K = sympy.Symbol("set_d", integer=True), sympy.Symbol("K", integer=True, positive=True)


def later(interval: str) -> Family:
    """Backwards come d rounds behind their forwards; a parameter says how many rounds."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.x, 0, at.rank),
        backward=lambda at: (at.x + at.values["d"], 1, at.p - at.rank),
        defaults={"d": 2, **dict.fromkeys(interval, 2)},
    )
    parameters = tuple(Parameter(name, name) for name in order.defaults)
    return replace(family(order), parameters=parameters, interval=interval)


@pytest.mark.parametrize("interval", ["", "K"])
def test_bounds_are_found_in_a_parameter(interval: str) -> None:
    own = later(interval)
    stale = sympy.Min(sympy.floor(M / K) - 1, sympy.ceiling(D / K))
    stale, held = stale if interval else sympy.Min(M - 1, D), sympy.Min(M, D + 1)
    row = row_of(own)
    found = {one.name: one.bound for one in row.invariants if one.bound}
    symbols = {"p": p, "M": M, "s": s, "d": D, "K": K}
    for column, form in (("staleness", stale), ("in-flight", held)):
        assert sympy.sympify(found[column], locals=symbols) == form
        for other in (form, form + 1, form - 1, form.subs(D, D + 1), form.subs(D, 2 * D), M):
            assert proved(own, column, other) == (other == form), other
    assert row.proofs == 7
    number = sympy.lambdify([p, M, D, K], [stale, held], "math")
    for ranks, each, late, every in product((1, 2, 5), (1, 3, 4, 9), range(1, 6), (1, 2, 3)):
        if each % every == 0 and (interval or every == 1):
            more = {"K": every} if interval else {}
            run = own.build(ranks, each, d=late, **more)
            local = versions(run).local_staleness.max(axis=1).tolist()
            assert [local, list(in_flight(run))] == [
                [one] * ranks for one in number(ranks, each, late, every)
            ]


def test_control_a_parameter_that_accept_may_change_is_in_no_bound() -> None:
    own = later("K")
    assert isinstance(own.rule, StampedOrder)
    doubled = replace(own.rule, accept=lambda name, p, M, values: {"d": 2, "K": 2})
    row = row_of(replace(own, rule=doubled))
    assert [one.name for one in row.invariants if one.outcome.verdict is Verdict.PROVED] == [
        "exclusive"  # which says nothing of stamps
    ]


@pytest.mark.parametrize("interval", ["K", "every"])
def test_a_witness_is_in_the_domain_that_is_printed(interval: str) -> None:
    """The policy's own interval, 4, is no matter where a parameter says what it is."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.choose(at.M < 4, 0, at.x), 0, at.x + at.rank),
        backward=lambda at: (at.choose(at.M < 4, 1, at.x), 1, at.x + at.p - at.rank),
        defaults={interval: 4},
    )
    own = replace(family(order, "latest", 4), parameters=(Parameter(interval, ""),))
    row = row_of(replace(own, interval=interval))
    assert row.domain == f"p >= 1, {interval} >= 1, M >= 1, {interval} <= M"
    stash = next(one.outcome for one in row.invariants if one.name == "stash")
    assert (stash.verdict, stash.witness["M"] < 4) == (Verdict.REFUTED, True)
    assert "report it" not in stash.note
    only_p = subject_of_order(own, order, 2).size  # as where start times are proved from p = 2 on
    sizes = [{"p": ranks, "M": 4, interval: 1} for ranks in (1, 2)]
    found = [own_orders._run(own, order, only_p, size) for size in sizes]
    assert [run is None for run in found] == [True, False]


def test_a_parameter_is_the_interval_where_the_family_says_so_alone() -> None:
    interval = 2
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.x, 0, at.rank),
        backward=lambda at: (at.x + at.values["K"], 1, at.p - at.rank),
        defaults={"K": 1},
    )
    own = replace(family(order, interval=interval), parameters=(Parameter("K", ""),))
    row = row_of(own)
    assert (row.domain, row.proofs) == (f"p >= 1, K >= 1, M >= {interval}", 7)
    late = sympy.Symbol("set_K", integer=True)
    stale = sympy.Min(sympy.floor(M / interval) - 1, sympy.ceiling(late / interval))
    for other in (stale, stale.subs(late, late + interval)):
        assert proved(own, "staleness", other) == (other == stale)
    says = next(one.bound for one in row.invariants if one.name == "staleness")
    assert sympy.sympify(says, locals={"K": late, "M": M}) == stale
    for ranks, windows, most in product((1, 2, 5), (1, 2, 3, 5), range(1, 6)):
        run = own.build(ranks, windows * interval, K=most)
        found = {*versions(run).local_staleness.max(axis=1).tolist()}
        assert found == {stale.subs({M: windows * interval, late: most})}
    for named, every in (("", interval), ("K", 0)):
        subject = replace(own, interval=named)
        for one in own_orders.small_runs(subject, order, 1):
            ends = one.size["M"] % (every or one.size["K"]) == 0
            assert own_orders.whole(subject, one) == ends == ("update-once" not in one.broken)


def windows(
    size: Callable[[At], Any], turn: int, interval: int = 1, lead: int = 0, named: str = ""
) -> Family:
    """Forwards of a window, then its backwards, from its last number on where `turn` is −1.

    The first windows of forwards stand `lead` windows ahead.
    """
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.divide(at.x, size(at))[0] - lead, 0, at.x + at.rank),
        backward=lambda at: (at.divide(at.x, size(at))[0], 1, turn * at.x + at.M + at.p - at.rank),
        defaults=dict.fromkeys(named, 3),
    )
    parameters = tuple(Parameter(name, name) for name in named)
    return replace(family(order, interval=interval), parameters=parameters, interval=named)


WINDOWS: dict[str, tuple[Family, sympy.Expr, sympy.Expr]] = {
    "of four, down": (windows(lambda at: 4, -1, interval=4), sympy.S.Zero, sympy.Min(4, M)),
    "of two, down": (windows(lambda at: 2, -1, interval=2), sympy.S.Zero, sympy.Min(2, M)),
    "of three, down, an update each": (
        windows(lambda at: 3, -1),
        sympy.Min(2, M - 1),
        sympy.Min(3, M),
    ),
    "of p": (windows(lambda at: at.p, 1), sympy.Min(M, p) - 1, sympy.Min(M, p)),
    "of K": (windows(lambda at: at.values["K"], 1, named="K"), sympy.S.Zero, K),
    "of three, one ahead": (
        windows(lambda at: 3, -1, interval=3, lead=1),
        sympy.Min(1, sympy.floor(M / 3) - 1),
        sympy.Min(6, M),
    ),
}


def in_any_way(own: Family, column: str, form: sympy.Expr) -> bool:
    """Whether a bound is proved of the numbers as they are, or counted down."""
    order, subject = own.rule, subject_of(own)
    assert isinstance(order, StampedOrder)
    ways = [(order, subject), *own_orders._downwards(order, subject, [2, 3, 4])]
    found = (queried(*way, own.name, column, {BOUND: form}) for way in ways)
    return any(one.verdict is Verdict.PROVED for one in found)


@pytest.mark.parametrize("name", WINDOWS)
def test_bounds_of_windows_are_those_of_runs(name: str) -> None:
    own, stale, held = WINDOWS[name]
    row = row_of(own)
    assert row.proofs == 7, [one.outcome.note for one in row.invariants]
    every = own.policy.interval
    for ranks, each, more in product((1, 2, 5), range(1, 14), (1, 2, 4) if own.interval else (0,)):
        window = more or every
        if each % window == 0:
            run = own.build(ranks, each, **({"K": more} if more else {}))
            local = versions(run).local_staleness.max(axis=1).tolist()
            at = {p: ranks, M: each, K: window}
            assert local == [stale.subs(at)] * ranks
            assert list(in_flight(run)) == [held.subs(at)] * ranks
    found = {one.name: one.bound for one in row.invariants if one.bound}
    symbols = {"p": p, "M": M, "s": s, "K": K}
    for column, form in (("staleness", stale), ("in-flight", held)):
        stated = sympy.sympify(found[column], locals=symbols)
        for number, count, window in product(range(1, 6), range(1, 14), range(1, 5)):
            at = {p: number, M: count, K: window}
            small = count < (window if own.interval else every)
            assert small or stated.subs(at) == form.subs(at)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WINDOWS)
def test_control_bounds_near_those_of_windows_are_not_proved(name: str) -> None:
    own, stale, held = WINDOWS[name]
    for column, form in (("staleness", stale), ("in-flight", held)):
        assert in_any_way(own, column, form)
        for other in (form + 1, form - 1, 2 * form + 1, M):
            assert not in_any_way(own, column, other), other


def test_control_windows_are_counted_down_one_by_one() -> None:
    """Windows of three are no windows of two; the place of a number is that of one number."""
    own, _, held = WINDOWS["of three, down, an update each"]
    order, subject = own.rule, subject_of(own)
    assert isinstance(order, StampedOrder)
    verdicts = {}
    for window in (2, 3):
        ending = partial(own_orders.from_last, order.shape, window=window)
        found = queried(order, replace(subject, ending=ending), "own", "in-flight", {BOUND: held})
        verdicts[window] = found.verdict is Verdict.PROVED
    assert verdicts == {2: False, 3: True}
    for count, window in product(range(1, 14), (0, 1, 2, 3, 5)):
        at = At(1, count, {}, 0, 0, 0, 0, lambda test, yes, no: yes if test else no, divmod)
        places = [own_orders.from_last(LINE, at.number(x), window) for x in range(count)]
        assert sorted(places) == [*range(count)]


SPOILED: dict[str, Callable[[StampedOrder], StampedOrder]] = {
    "swapped": lambda one: replace(one, forward=one.backward, backward=one.forward),
    "alike": lambda one: replace(one, backward=one.forward),
    "backwards first": lambda one: replace(
        one, backward=lambda at: tuple(-9 * at.p - at.x - part for part in one.backward(at))
    ),
    "one place": lambda one: replace(
        one, forward=lambda at: tuple(0 * part for part in one.forward(at))
    ),
    "stages apart": lambda one: replace(
        one, shape=replace(one.shape, stage=lambda lane, rank, p, choose: 0 * rank)
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("spoil", SPOILED)
@pytest.mark.parametrize("name", BOUNDED)
def test_control_of_a_spoiled_order_nothing_is_proved_of_runs(name: str, spoil: str) -> None:
    own = BOUNDED[name][0]
    assert isinstance(own.rule, StampedOrder)
    for policy in ("stash", "latest", "double-buffer", "vertical-sync"):
        spoilt = family(SPOILED[spoil](own.rule), policy, own.policy.interval)
        verdicts = {one.name: one.outcome.verdict for one in row_of(spoilt).invariants}
        for column in ("causal", "deadlock-free", "stash", "staleness"):
            assert verdicts[column] is not Verdict.PROVED, (policy, column)


def test_control_weights_of_an_input_gradient_are_those_of_its_own_place() -> None:
    """W of 0 stands between F and I of 1: the newest weights are others then; kept ones are not."""

    def verdict(policy: PolicyName, early: int) -> Verdict:
        order = StampedOrder(
            LINE,
            forward=lambda at: (4 * at.x, at.rank),
            backward=lambda at: (4 * at.x + 1, at.p - at.rank),
            weight=lambda at: (4 * at.x + 3 + 2 * early, 0),
        )
        row = row_of(family(order, policy))
        return {one.name: one.outcome.verdict for one in row.invariants}["stash"]

    assert [verdict(policy, 0) for policy in ("stash", "latest")] == [Verdict.PROVED] * 2
    wanted = [Verdict.PROVED, Verdict.REFUTED]
    assert [verdict(policy, 1) for policy in ("stash", "latest")] == wanted


def test_control_other_numbers_are_other_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends that go down are counted from the last; off by one they are those of no schedule."""
    own = family(LINE_DOWN, interval=3)
    assert not proved(own, "staleness", sympy.floor(M / 3) - 1)
    right = replace(own, rule=turned(LINE_DOWN))
    assert proved(right, "staleness", sympy.floor(M / 3) - 1)
    assert not proved(right, "staleness", sympy.floor(M / 3))
    assert row_of(own).proved
    monkeypatch.setattr(own_orders, "turned", lambda order: order)
    assert not row_of(own).proved
