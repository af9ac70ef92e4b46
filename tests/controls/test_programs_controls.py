"""Negative controls for family × invariant: broken programs, orders, windows and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import pytest
import sympy

from schedules.actions import Action, Kind
from schedules.families import FAMILIES, get_family, gpipe, one_f_one_b
from schedules.families.family import Family
from schedules.lowering import lower as lowered
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from tests.verdicts_of import lazily
from theory.errors import UnsupportedFormError
from theory.laws.delays.as_built import wrong_start
from theory.laws.static_orders import replays, slots
from theory.laws.static_orders.gpipe import GPIPE
from theory.laws.static_orders.matrix import AFFINE, INVARIANTS, Subject, proof, prove, stated
from theory.laws.static_orders.naive import NAIVE
from theory.laws.static_orders.one_f_one_b import ONE_F_ONE_B
from theory.laws.static_orders.parts import PARTS
from theory.laws.static_orders.program import (
    Entry,
    Number,
    Of,
    Part,
    Program,
    View,
    posts,
    unlike,
)
from theory.laws.static_orders.symbols import K, M, p, s
from theory.laws.static_orders.versions import Updates
from theory.papers.schedules.matrix import proving
from theory.verdicts import Verdict, weakest

PROGRAMS = (GPIPE, NAIVE, ONE_F_ONE_B)


def with_entry(program: Program, name: str, change: Callable[[Entry], Entry]) -> Program:
    """A program with one kind of step changed."""
    assert name in [entry.name for entry in program.entries]
    entries = tuple(change(e) if e.name == name else e for e in program.entries)
    return replace(program, entries=entries)


def holds(program: Program, part: str) -> Verdict:
    """A part of the proof about a program, up to the first statement that falls short."""
    _, statements = PARTS[part]
    return lazily(statements(program))


def of(subject: Subject, invariant: str) -> Verdict:
    form = subject.closed.get(invariant)
    return weakest(found.verdict for found in proof(subject, invariant, form))


def one_fewer(entry: Entry) -> Entry:
    return replace(entry, count=lambda v: entry.count(v) - 1)


def lower(entry: Entry) -> Entry:
    def rank(view: View, n: Number) -> Number:
        found = entry.rank(view, n)
        return (found[0], found[1] - 4) if isinstance(found, tuple) else found - 12

    return replace(entry, rank=rank)


def shifted(entry: Entry) -> Entry:
    [first] = entry.parts
    return replace(entry, parts=(Part(first.kind, lambda v, n: first.microbatch(v, n) + 1),))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_no_step_can_be_left_out_or_relabelled(program: Program) -> None:
    for entry in program.entries:
        fewer = with_entry(program, entry.name, one_fewer)
        assert holds(fewer, "places") is not Verdict.PROVED, entry.name
        relabelled = with_entry(program, entry.name, shifted)
        assert holds(relabelled, "actions") is not Verdict.PROVED, entry.name


@pytest.mark.sampled(3)
@pytest.mark.parametrize("invariant", INVARIANTS)
def test_a_warm_up_forward_that_is_dropped_takes_every_invariant(invariant: str) -> None:
    dropped = with_entry(ONE_F_ONE_B, "warm-up forward", one_fewer)
    subject = replace(AFFINE["1f1b"], program=dropped)
    assert of(subject, invariant) is not Verdict.PROVED


@pytest.mark.parametrize("part", ["waits", "joint order"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_wrong_rank_function_is_no_proof(program: Program, part: str) -> None:
    flat = tuple(replace(entry, rank=lambda v, n: 0) for entry in program.entries)
    assert holds(replace(program, entries=flat), part) is Verdict.REFUTED
    alone = tuple(replace(entry, rank=entry.place) for entry in program.entries)
    assert holds(replace(program, entries=alone), part) is Verdict.REFUTED
    for entry in program.entries:
        if entry.duration:  # some messages have room to spare
            assert holds(with_entry(program, entry.name, lower), part) is Verdict.REFUTED


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("receive gradient", "receive later"),
        ("send gradient", "steady forward"),
        ("send", "receive"),
        ("send gradient", "send later"),
    ],
)
def test_swapped_steps_have_no_growing_rank(one: str, other: str) -> None:
    """1F1B's messages in another order; where it is harmless, the ranks are other ones."""
    [first] = (entry for entry in ONE_F_ONE_B.entries if entry.name == one)
    [second] = (entry for entry in ONE_F_ONE_B.entries if entry.name == other)
    swapped = with_entry(ONE_F_ONE_B, one, lambda e: replace(e, place=second.place))
    swapped = with_entry(swapped, other, lambda e: replace(e, place=first.place))
    assert holds(swapped, "places") is Verdict.PROVED
    assert holds(swapped, "waits") is Verdict.REFUTED
    subject = replace(AFFINE["1f1b"], program=swapped)
    assert of(subject, "deadlock-free") is Verdict.REFUTED


def longer(kind: Kind, label: Of, more: int) -> Program:
    """GPipe with M + `more` entries behind it."""
    extra = Entry(
        "extra",
        lambda v: v.M + more,
        lambda v, n: 6 * v.M + n,
        (Part(kind, label),),
        lambda v, n: 100 * (v.M + v.p) + n,
    )
    entries = (*GPIPE.entries, extra)
    return replace(GPIPE, name="longer", entries=entries, length=lambda v: 7 * v.M + more)


def hidden(view: View, n: Number) -> Number:
    """No microbatch for n = 0 and 1, then all of them: one up from 0 to 1."""
    return view.choose(n < 2, view.M + n, n - 2)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("invariant", "kind"),
    [*product(INVARIANTS, [Kind.F, Kind.B, Kind.SEND_F, Kind.RECV_B])],
)
def test_what_runs_twice_cannot_hide_behind_two_entries(kind: Kind, invariant: str) -> None:
    again = longer(kind, hidden, 2)
    counted = [action.kind for post in posts(again, 1, 3, 4) for action in post].count(kind)
    assert counted == 8
    with pytest.raises(UnsupportedFormError, match="goes up or down by one"):
        of(replace(AFFINE["gpipe"], program=again), invariant)
    bare = longer(kind, lambda v, n: n, 0)
    assert holds(bare, "places") is Verdict.PROVED
    assert holds(bare, "actions") is Verdict.REFUTED


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("invariant", "kind"), [*product(INVARIANTS, [Kind.W, Kind.I, Kind.U, Kind.REDUCE])]
)
def test_actions_that_nobody_looks_at_are_refused(kind: Kind, invariant: str) -> None:
    extra = longer(kind, lambda v, n: n, 0)
    assert holds(extra, "places") is Verdict.PROVED
    with pytest.raises(UnsupportedFormError, match=f"'extra' has {kind.name}"):
        of(replace(AFFINE["gpipe"], program=extra), invariant)


def test_an_entry_is_one_computation_or_messages() -> None:
    def with_parts(*kinds: Kind) -> Program:
        parts = tuple(Part(kind, lambda v, n: n) for kind in kinds)
        return with_entry(GPIPE, "forward", lambda entry: replace(entry, parts=parts))

    assert holds(with_parts(Kind.F), "actions") is Verdict.PROVED
    for kinds in ((), (Kind.F, Kind.F), (Kind.F, Kind.SEND_F), (Kind.RECV_F, Kind.F)):
        with pytest.raises(UnsupportedFormError, match="one F, one B, or messages"):
            holds(with_parts(*kinds), "actions")


_CROSSED: dict[str, tuple[int, Of]] = {
    "receive": (0, lambda v, n: (2 * v.s - 1, n)),
    "forward": (1, lambda v, n: (2 * v.s, n)),
    "send": (2, lambda v, n: (2 * v.s + 1, n)),
    "receive gradient": (3, lambda v, n: (4 * v.p - 2 * v.s - 1, n)),
    "backward": (4, lambda v, n: (4 * v.p - 2 * v.s, n)),
    "send gradient": (5, lambda v, n: (4 * v.p - 2 * v.s + 1, n)),
}
"""A stage receives everything, computes, and sends everything: by step, its turn and its rank."""


def step_by_step(entry: Entry, *, crossed: bool) -> Entry:
    turn, rank = _CROSSED[entry.name]
    [part] = entry.parts
    if crossed and part.kind in (Kind.SEND_F, Kind.RECV_F):
        part = Part(part.kind, lambda v, n: v.M - 1 - n)
    return replace(entry, place=lambda v, n: turn * v.M + n, parts=(part,), rank=rank)


@pytest.mark.parametrize("crossed", [False, True])
def test_deadlock_free_needs_channels_in_microbatch_order(crossed: bool) -> None:
    """Labels that are crossed at both ends are seen by nothing else."""
    entries = tuple(step_by_step(entry, crossed=crossed) for entry in GPIPE.entries)
    program = replace(GPIPE, entries=entries)
    for part in ("places", "actions", "waits", "joint order"):
        assert holds(program, part) is Verdict.PROVED, part
    subject = replace(AFFINE["gpipe"], program=program)
    assert of(subject, "causal") is Verdict.PROVED
    expected = Verdict.REFUTED if crossed else Verdict.PROVED
    assert of(subject, "deadlock-free") is expected


def beside(one: Entry, other: Entry) -> Entry:
    """An entry that stands where `one` has it at stage 0, and where `other` has it elsewhere."""
    place: Of = lambda v, n: v.choose(v.s == 0, one.place(v, n), other.place(v, n))  # noqa: E731
    return replace(other, place=place)


@pytest.mark.parametrize("ranked", [NAIVE, GPIPE], ids=lambda program: program.name)
def test_causal_needs_a_joint_order_of_all_stages(ranked: Program) -> None:
    """F1 of stage 1 stands before its B0, but its tensor is made behind B0 of stage 0."""
    pairs = zip(NAIVE.entries, GPIPE.entries, ranked.entries, strict=True)
    entries = tuple(replace(beside(one, other), rank=last.rank) for one, other, last in pairs)
    circular = replace(GPIPE, entries=entries)
    for part in ("places", "actions", "channels"):
        assert holds(circular, part) is Verdict.PROVED, part
    subject = replace(AFFINE["gpipe"], program=circular)
    for invariant in ("causal", "deadlock-free"):
        assert of(subject, invariant) is Verdict.REFUTED


BOUNDED = [(f, i) for f in AFFINE for i in INVARIANTS if stated(f, i) is not None]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("family", "invariant"), BOUNDED)
def test_no_other_maximum_is_proved(family: str, invariant: str) -> None:
    form = stated(family, invariant)
    assert form is not None
    fewer = [sympy.Max(form - 1, least) for least in (0, 1)]
    for other in (form + 1, form - 1, *fewer, sympy.Integer(2)):
        if other == form:
            continue
        found = prove(family, invariant, other)
        assert found.verdict is Verdict.REFUTED, other
        assert found.witness["stated"] != found.witness[invariant]


@pytest.mark.parametrize("invariant", ["staleness", "in-flight"])
def test_a_maximum_has_to_be_attained_by_a_microbatch_that_exists(invariant: str) -> None:
    subject = AFFINE["pipedream"]
    longer = {name: form.subs(M, M + 1) for name, form in subject.closed.items()}
    spoiled = replace(subject, closed=longer, worst=longer["staleness"])
    assert of(subject, invariant) is Verdict.PROVED
    assert of(spoiled, invariant) is Verdict.REFUTED


@pytest.mark.parametrize(
    "form",
    [
        sympy.Min(sympy.floor((p - 1 - s) / K), sympy.floor(M / K) - 1),
        sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.floor(M / K)),
        sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.floor((M - 1) / K)),
        sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.ceiling(M / K) - 1),
        sympy.Min(sympy.ceiling((p - s) / K), sympy.floor(M / K) - 1),
        sympy.ceiling((p - 1 - s) / K),
        sympy.Min(p - 1 - s, sympy.floor(M / K) - 1),
    ],
)
def test_near_misses_of_the_staleness_in_windows_are_refuted(form: sympy.Expr) -> None:
    assert prove("asyncpp", "staleness", form).verdict is Verdict.REFUTED


def test_the_same_form_written_otherwise_is_proved() -> None:
    written = sympy.Min(sympy.floor((p + K - 2 - s) / K), sympy.floor((M - K) / K))
    assert prove("asyncpp", "staleness", written).verdict is Verdict.PROVED


def test_two_versions_are_not_enough_for_any_window() -> None:
    """The family asks for windows of p; the same policy with any window is no stash."""
    double_buffer = AFFINE["pipedream-2bw"]
    assert of(double_buffer, "stash") is Verdict.PROVED
    free = replace(double_buffer, updates=replace(double_buffer.updates, at_least_p=False))
    assert of(free, "stash") is Verdict.REFUTED


@dataclass(frozen=True)
class Short(Updates):
    """Windows that are shorter than the pipeline by at most `by`."""

    by: int = 0

    def domain(self, view: View) -> tuple[Number, ...]:
        every = self.every(view)
        return (every >= view.p - self.by, every >= 1, every <= view.M)


def test_two_versions_are_enough_for_windows_one_shorter_but_not_two() -> None:
    subject = AFFINE["pipedream-2bw"]
    for by, expected in ((1, Verdict.PROVED), (2, Verdict.REFUTED)):
        short = Short(subject.updates.policy, "window", by=by)
        assert of(replace(subject, updates=short), "stash") is expected


@pytest.mark.parametrize("family", ["pipedream-runtime", "asyncpp", "pipedream"])
def test_without_a_stash_b_uses_other_weights(family: str) -> None:
    subject = AFFINE[family]
    latest = replace(subject, updates=replace(subject.updates, policy=WeightPolicy("latest")))
    assert of(subject, "stash") is Verdict.PROVED
    assert of(latest, "stash") is Verdict.REFUTED


def test_naive_needs_no_stash() -> None:
    latest = replace(AFFINE["naive"], updates=Updates(WeightPolicy("latest")))
    assert of(latest, "stash") is Verdict.PROVED


def with_build(
    monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[Schedule], Schedule]
) -> None:
    """Let the registry's family build other schedules, and nothing else change."""
    own = get_family(name)
    other = replace(own, build=lambda p, M, **given: change(own.build(p, M, **given)))
    monkeypatch.setitem(FAMILIES, name, other)


def test_a_family_that_changes_loses_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    with_build(monkeypatch, "1f1b", lambda one: gpipe.build(one.stages, one.microbatches))
    found = prove("1f1b", "in-flight")
    assert found.verdict is Verdict.UNKNOWN
    assert found.note.startswith("its order is another one at {'p': 1")


def moved(schedule: Schedule) -> Schedule:
    """B of the first stage on a rank of its own, where it starts no later."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    backwards = [action for action in orders[0] if action.kind is Kind.B]
    orders[0] = [action for action in orders[0] if action.kind is not Kind.B]
    return from_orders(schedule, [*orders, backwards])


def exchanged(schedule: Schedule) -> Schedule:
    """The last rank runs the first stage, and the first the last."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    return from_orders(schedule, orders[::-1])


def idle(schedule: Schedule) -> Schedule:
    """One more rank, which runs nothing."""
    return from_orders(schedule, [*(list(schedule.rank(r)) for r in range(schedule.ranks)), []])


def with_weight_gradients(schedule: Schedule) -> Schedule:
    """One more action on the last rank."""
    orders = [list(schedule.rank(rank)) for rank in range(schedule.ranks)]
    orders[-1].append(Action(Kind.W, schedule.stages - 1, 0))
    return from_orders(schedule, orders)


def from_orders(schedule: Schedule, orders: list[list[Action]]) -> Schedule:
    return Schedule.from_orders(schedule.name, orders, schedule.microbatches, schedule.policy)


@pytest.mark.parametrize("change", [moved, exchanged, idle])
@pytest.mark.parametrize("family", ["pipedream", "1f1b", "gpipe"])
def test_a_stage_on_another_rank_takes_the_proof(
    monkeypatch: pytest.MonkeyPatch, family: str, change: Callable[[Schedule], Schedule]
) -> None:
    with_build(monkeypatch, family, lambda one: change(one) if one.stages > 1 else one)
    found, differs = prove(family, "exclusive"), not proving.link(family).ties
    monkeypatch.undo()
    assert found.verdict is Verdict.UNKNOWN
    assert found.note.startswith("its order is another one at {'p': 2, 'M': 1")
    assert differs
    assert proving.link(family).ties


def test_programs_are_compared_with_ranks_and_placements() -> None:
    def different(change: Callable[[Schedule], Schedule]) -> int | None:
        return unlike(GPIPE, change(lowered(gpipe.build(2, 3))), 2, 3)

    def elsewhere(schedule: Schedule) -> Schedule:
        return replace(schedule, placement=Placement(((1, 0),), ((0, 0),)))

    def another_copy(schedule: Schedule) -> Schedule:
        return replace(schedule, placement=Placement(((0, 1),), ((0, 1),)))

    assert different(lambda schedule: schedule) is None
    for change in (exchanged, idle, elsewhere, another_copy):
        assert different(change) == 0


def test_start_times_are_compared_with_ranks_and_kinds() -> None:
    times, schedule = slots.law("pipedream").times, get_family("pipedream").build(4, 6)
    assert wrong_start(times.guess, schedule) is None
    for change, stage in ((moved, 0), (exchanged, 0), (idle, 0), (with_weight_gradients, 3)):
        assert wrong_start(times.guess, change(schedule)) == {"s": stage}


def test_a_run_that_contradicts_takes_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(family: Family, interval: str, size: dict[str, int]) -> Schedule:
        return one_f_one_b.build(size["p"], size["M"] + 1)

    monkeypatch.setattr(replays, "built", other)
    monkeypatch.setitem(FAMILIES, "1f1b", replace(get_family("1f1b")))  # nothing is remembered
    found = prove("1f1b", "in-flight")
    assert found.verdict is Verdict.UNKNOWN
    assert found.note.startswith("a run contradicts the proof")


@pytest.mark.parametrize(
    "number",
    [
        lambda kind, stage, slot: 4 * slot + (2 if kind in slots.OF_TENSOR else 0),
        lambda kind, stage, slot: 4 * slot + slots.sender(kind, stage),
        lambda kind, stage, slot: 2 * slot + slots.sender(kind, stage),
        lambda kind, stage, slot: (
            4 * slot + stage + (2 if kind in (Kind.SEND_F, Kind.SEND_B) else -6)
        ),
    ],
)
def test_other_orders_of_messages_are_not_proved(
    monkeypatch: pytest.MonkeyPatch, number: Callable[..., Number]
) -> None:
    times = slots.law("pipedream").times
    assert lazily(slots.statements(times)) is Verdict.PROVED
    monkeypatch.setattr(slots, "number", number)
    assert lazily(slots.statements(times)) is not Verdict.PROVED
