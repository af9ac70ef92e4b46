"""Negative controls for family × invariant: broken programs, orders, windows and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
import sympy

from schedules.actions import Kind
from schedules.families import gpipe, one_f_one_b
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from theory.outcomes import lazily
from theory.programs import matrix, replays, slots
from theory.programs.gpipe import GPIPE
from theory.programs.matrix import AFFINE, INVARIANTS, Subject, proof, prove, stated
from theory.programs.naive import NAIVE
from theory.programs.one_f_one_b import ONE_F_ONE_B
from theory.programs.parts import PARTS
from theory.programs.program import Entry, Number, Part, Program, View
from theory.programs.symbols import K, M, p, s
from theory.programs.versions import Updates
from theory.solver import Outcome
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


BOUNDED = [(f, i) for f in AFFINE for i in INVARIANTS if stated(f, i) is not None]


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
        sympy.Min(sympy.floor((p - 1 - s) / K), sympy.floor((M - 1) / K)),
        sympy.Min(sympy.ceiling((p - 1 - s) / K), sympy.floor(M / K)),
        sympy.Min(sympy.ceiling((p - s) / K), sympy.floor((M - 1) / K)),
        sympy.ceiling((p - 1 - s) / K),
        sympy.Min(p - 1 - s, sympy.floor((M - 1) / K)),
    ],
)
def test_near_misses_of_the_staleness_in_windows_are_refuted(form: sympy.Expr) -> None:
    assert prove("asyncpp", "staleness", form).verdict is Verdict.REFUTED


def test_the_same_form_written_otherwise_is_proved() -> None:
    written = sympy.Min(sympy.floor((p + K - 2 - s) / K), sympy.ceiling(M / K) - 1)
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


def test_a_family_that_changes_loses_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(family: str, interval: str, size: dict[str, int]) -> Schedule:
        return gpipe.build(size["p"], size["M"])

    monkeypatch.setattr(matrix, "built", other)
    matrix.difference.cache_clear()
    unremembered = prove.__wrapped__  # type: ignore[attr-defined]
    found: Outcome = unremembered("1f1b", "in-flight")
    matrix.difference.cache_clear()
    assert found.verdict is Verdict.UNKNOWN
    assert found.note.startswith("its order is another one at {'p': 1")


def test_a_run_that_contradicts_takes_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(family: str, interval: str, size: dict[str, int]) -> Schedule:
        return one_f_one_b.build(size["p"], size["M"] + 1)

    monkeypatch.setattr(replays, "built", other)
    replays.runs.cache_clear()
    unremembered = prove.__wrapped__  # type: ignore[attr-defined]
    found: Outcome = unremembered("1f1b", "in-flight")
    replays.runs.cache_clear()
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
