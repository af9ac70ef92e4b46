"""Negative controls for programs: steps left out, relabelled, or in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from schedules.actions import Kind
from schedules.families.blog import two_waves
from schedules.programs import Entry, Number, Of, Part, Program, View, posts
from tests.verdicts_of import lazily
from theory.errors import UnsupportedFormError
from theory.laws.static_orders.parts import PARTS
from theory.papers.blog.lemmas.programs import GPIPE as BLOG_GPIPE
from theory.verdicts import Verdict

GPIPE = two_waves("gpipe", descending=False, least_stages=1)
PROGRAMS = (GPIPE, BLOG_GPIPE)


def with_entry(program: Program, name: str, change: Callable[[Entry], Entry]) -> Program:
    """A program with one kind of step changed."""
    assert name in [entry.name for entry in program.entries]
    entries = tuple(change(e) if e.name == name else e for e in program.entries)
    return replace(program, entries=entries)


def holds(program: Program, part: str) -> Verdict:
    """A part of the proof about a program, up to the first statement that falls short."""
    _, statements = PARTS[part]
    return lazily(statements(program))


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


@pytest.mark.parametrize("kind", [Kind.F, Kind.B, Kind.SEND_F, Kind.RECV_B])
def test_what_runs_twice_cannot_hide_behind_two_entries(kind: Kind) -> None:
    again = longer(kind, hidden, 2)
    counted = [action.kind for post in posts(again, 1, 3, 4) for action in post].count(kind)
    assert counted == 8
    with pytest.raises(UnsupportedFormError, match="goes up or down by one"):
        holds(again, "actions")
    bare = longer(kind, lambda v, n: n, 0)
    assert holds(bare, "places") is Verdict.PROVED
    assert holds(bare, "actions") is Verdict.REFUTED


@pytest.mark.parametrize("kind", [Kind.W, Kind.I, Kind.U, Kind.REDUCE])
def test_actions_that_nobody_looks_at_are_refused(kind: Kind) -> None:
    extra = longer(kind, lambda v, n: n, 0)
    assert holds(extra, "places") is Verdict.PROVED
    with pytest.raises(UnsupportedFormError, match=f"'extra' has {kind.name}"):
        holds(extra, "actions")


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
    expected = Verdict.REFUTED if crossed else Verdict.PROVED
    assert holds(program, "channels") is expected
