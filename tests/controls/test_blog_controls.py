"""Negative controls for the blog's claims: broken programs, families and formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy

from schedules import Schedule
from schedules.actions import Kind
from schedules.families import FAMILIES, blog_1f1b, blog_gpipe, gpipe, one_f_one_b
from schedules.families.blog import two_waves
from schedules.families.blog_1f1b import warm_up
from schedules.families.family import Family
from schedules.policies import WeightPolicy
from schedules.programs import Entry, Number, Part, Program, View
from tests.verdicts_of import first, lazily
from theory.claims import Claim
from theory.errors import UnsupportedFormError
from theory.judging.judge import judge
from theory.laws.static_orders.symbols import M, m, p, s, symbolic, term
from theory.papers.blog import bubble, gpipe_order, inflight_1f1b, pairing, warmup
from theory.papers.blog.lemmas import laws, loops
from theory.papers.blog.lemmas.laws import parts_hold
from theory.papers.blog.lemmas.loops import one_f_one_b_statements
from theory.papers.blog.lemmas.programs import GPIPE, ONE_F_ONE_B
from theory.papers.blog.pairing import a, b
from theory.papers.schedules.matrix.proving import proved
from theory.papers.schedules.matrix.rows import stated
from theory.verdicts import Verdict

EVERYTHING = ("places", "actions", "channels", "waits", "times")


def with_entry(program: Program, name: str, change: Callable[[Entry], Entry]) -> Program:
    """A program with one kind of step changed."""
    names = [entry.name for entry in program.entries]
    assert name in names
    entries = tuple(change(e) if e.name == name else e for e in program.entries)
    return replace(program, entries=entries)


def later(entry: Entry) -> Entry:
    return replace(entry, place=lambda v, n: entry.place(v, n) + 1)


def one_fewer(entry: Entry) -> Entry:
    return replace(entry, count=lambda v: entry.count(v) - 1)


def slower(entry: Entry) -> Entry:
    return replace(entry, time=lambda v, n: entry.time(v, n) + 1)


def lower(entry: Entry) -> Entry:
    return replace(entry, rank=lambda v, n: entry.rank(v, n) - 3)


def relabelled(entry: Entry) -> Entry:
    first, *rest = entry.parts
    part = Part(first.kind, lambda v, n: first.microbatch(v, n) + 1)
    return replace(entry, parts=(part, *rest))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", [GPIPE, ONE_F_ONE_B], ids=lambda program: program.name)
@pytest.mark.parametrize(
    ("change", "part"),
    [
        (later, "places"),
        (one_fewer, "places"),
        (one_fewer, "actions"),
        (relabelled, "actions"),
        (slower, "times"),
    ],
)
def test_no_step_of_a_program_can_be_changed(
    program: Program, change: Callable[[Entry], Entry], part: str
) -> None:
    for entry in program.entries:
        assert (
            first(parts_hold(with_entry(program, entry.name, change), part)) is not Verdict.PROVED
        )


@pytest.mark.parametrize("program", [GPIPE, ONE_F_ONE_B], ids=lambda program: program.name)
def test_a_rank_function_that_dips_is_no_proof(program: Program) -> None:
    """Some steps have room to spare; a computation between messages has none."""
    for entry in program.entries:
        if entry.parts[0].kind in (Kind.F, Kind.B):
            lowered = with_entry(program, entry.name, lower)
            assert first(parts_hold(lowered, "waits")) is not Verdict.PROVED


@pytest.mark.parametrize("program", [GPIPE, ONE_F_ONE_B], ids=lambda program: program.name)
def test_equal_ranks_are_no_proof(program: Program) -> None:
    flat = tuple(replace(entry, rank=lambda v, n: 0) for entry in program.entries)
    assert first(parts_hold(replace(program, entries=flat), "waits")) is Verdict.REFUTED


def test_a_rank_that_stands_still_behind_a_computation_is_no_proof() -> None:
    [forward] = (entry for entry in GPIPE.entries if entry.name == "forward")
    still = with_entry(GPIPE, "send", lambda entry: replace(entry, rank=forward.rank))
    assert first(parts_hold(still, "waits")) is Verdict.REFUTED


def twice(entry: Entry) -> Entry:
    return replace(entry, parts=(*entry.parts, *entry.parts))


@pytest.mark.parametrize("program", [GPIPE, ONE_F_ONE_B], ids=lambda program: program.name)
def test_an_action_that_occurs_twice_is_noticed(program: Program) -> None:
    for entry in program.entries:
        doubled = with_entry(program, entry.name, twice)
        if entry.duration:
            with pytest.raises(UnsupportedFormError, match="one F, one B, or messages"):
                first(parts_hold(doubled, "actions"))
        else:
            assert first(parts_hold(doubled, "actions")) is Verdict.REFUTED


@pytest.mark.parametrize("program", [GPIPE, ONE_F_ONE_B], ids=lambda program: program.name)
def test_a_computation_behind_the_makespan_is_noticed(program: Program) -> None:
    for entry in program.entries:
        if entry.duration:
            late = replace(entry, time=lambda v, n: 2 * v.p + 4 * v.M)
            entries = tuple(late if e is entry else e for e in program.entries)
            if entry.name != "backward":
                slow = replace(program, entries=entries)
                assert lazily(bubble.last(slow)) is Verdict.REFUTED


@pytest.mark.parametrize(
    "form", [sympy.Min(p - s, M), p - s - 1, sympy.Min(p - s - 2, M), sympy.Integer(1)]
)
def test_other_warm_ups_run_another_program(form: sympy.Expr) -> None:
    view = symbolic()
    before = term(form, {p: view.p, s: view.s, M: view.M})
    assert lazily(one_f_one_b_statements(before, view)) is Verdict.REFUTED


@pytest.mark.parametrize("name", [entry.name for entry in GPIPE.entries])
def test_loops_do_not_run_a_program_with_a_step_elsewhere(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(loops, "GPIPE", with_entry(GPIPE, name, later))
    assert lazily(loops.gpipe_statements()) is Verdict.REFUTED


@pytest.mark.parametrize("name", [entry.name for entry in ONE_F_ONE_B.entries])
def test_loops_do_not_run_a_1f1b_with_a_step_elsewhere(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(loops, "ONE_F_ONE_B", with_entry(ONE_F_ONE_B, name, later))
    view = symbolic()
    found = lazily(loops.one_f_one_b_statements(warm_up(view), view))
    assert found is Verdict.REFUTED


def split(program: Program) -> Program:
    """The pairs of 1F1B posted one after the other, with twice the room in every place and rank."""
    entries = []
    for entry in program.entries:
        for number, part in enumerate(entry.parts):
            entries.append(
                replace(
                    entry,
                    name=f"{entry.name} {number}",
                    parts=(part,),
                    place=lambda v, n, e=entry, i=number: 2 * e.place(v, n) + i,  # type: ignore[misc]
                    rank=lambda v, n, e=entry, i=number: 2 * e.rank(v, n) + i,  # type: ignore[misc]
                )
            )
    return replace(program, entries=tuple(entries))


def test_gradients_in_microbatch_order_at_one_end_only() -> None:
    in_order = with_entry(
        GPIPE,
        "receive gradient",
        lambda entry: replace(entry, parts=(Part(Kind.RECV_B, lambda v, n: n),)),
    )
    assert first(parts_hold(in_order, "channels")) is Verdict.REFUTED


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("claim", "name", "form"),
    [
        (warmup.CLAIM, "warmup", sympy.Min(p - s, M)),
        (warmup.CLAIM, "warmup", p - s - 1),
        (inflight_1f1b.CLAIM, "1f1b", sympy.Min(p - s, M)),
        (inflight_1f1b.CLAIM, "1f1b", sympy.Max(p - 1 - s, 1)),
        (inflight_1f1b.CLAIM, "gpipe", M - 1),
        (pairing.CLAIM, "sent", a + b),
        (pairing.CLAIM, "received", a + b - 1),
        (gpipe_order.CLAIM, "backward", 2 * M - m),
        (gpipe_order.CLAIM, "backward", M + m),
    ],
)
def test_plausible_but_wrong_formulas_are_refuted_with_a_witness(
    claim: Claim, name: str, form: sympy.Expr
) -> None:
    row = judge(replace(claim, printed={**claim.printed, name: form}, holds=None))
    assert row.verdict is Verdict.REFUTED
    assert row.judgement.counterexample


def test_a_wrong_bubble_is_not_compared() -> None:
    wrong = {**bubble.CLAIM.printed, "1f1b": (p - 1) / (M + p - 1)}
    row = judge(replace(bubble.CLAIM, printed=wrong, holds=None))
    assert row.verdict is Verdict.UNKNOWN
    assert row.judgement.findings == ()


def test_a_family_that_changes_takes_every_verdict_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def standard(stages: int, microbatches: int) -> Schedule:
        return one_f_one_b.build(stages, microbatches)

    other = replace(blog_1f1b.FAMILY, build=standard)
    monkeypatch.setattr(blog_1f1b, "FAMILY", other)
    monkeypatch.setitem(FAMILIES, "blog-1f1b", other)
    for module in (bubble, gpipe_order, inflight_1f1b, pairing, warmup):
        row = judge(replace(module.CLAIM, holds=None))
        assert row.verdict <= Verdict.UNKNOWN
        proved = [case for case in row.judgement.cases if case.verdict is Verdict.PROVED]
        assert proved == []


def test_a_gpipe_in_microbatch_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ascending = two_waves("blog-gpipe", descending=False, least_stages=2)
    for other in (
        replace(blog_gpipe.FAMILY, build=lambda p, M: gpipe.build(p, M)),
        Family("blog-gpipe", "", "", blog_gpipe.FAMILY.policy, rule=ascending),
        Family("blog-gpipe", "", "", WeightPolicy("stash"), rule=blog_gpipe.FAMILY.rule),
        Family("blog-gpipe", "", "", blog_gpipe.FAMILY.policy, rule=replace(GPIPE, least=0)),
        Family("blog-gpipe", "", "", blog_gpipe.FAMILY.policy, rule=gpipe.FAMILY.rule),
    ):
        monkeypatch.setitem(FAMILIES, "blog-gpipe", other)
        assert [laws.built(name) for name in ("blog-gpipe", "blog-naive")] == [False, True]
        cell = proved("blog-gpipe", "in-flight", stated("blog-gpipe", "in-flight"))
        assert cell.verdict is Verdict.UNKNOWN


def test_a_step_that_skips_microbatches_is_refused() -> None:
    def twice(view: View, n: Number) -> Number:
        return 2 * n

    skipping = with_entry(
        GPIPE, "forward", lambda entry: replace(entry, parts=(Part(Kind.F, twice),))
    )
    with pytest.raises(UnsupportedFormError, match="goes up or down by one"):
        first(parts_hold(skipping, "actions"))


def test_pairs_posted_one_by_one_have_no_growing_rank() -> None:
    assert first(parts_hold(ONE_F_ONE_B, "waits")) is Verdict.PROVED
    assert first(parts_hold(split(ONE_F_ONE_B), "waits")) is not Verdict.PROVED


@pytest.mark.parametrize("form", [M, p - 1, sympy.Min(p - s - 1, M - 1), s, p - s])
def test_other_warm_ups_do_not_fall_to_none(form: sympy.Expr) -> None:
    assert warmup.falls(sympy.Min(p - s - 1, M)).verdict is Verdict.PROVED
    assert warmup.falls(form).verdict is Verdict.REFUTED


def test_a_warm_up_with_one_more_forward_fills_the_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def verdict() -> Verdict:
        cases = judge(replace(warmup.CLAIM, holds=None)).judgement.cases
        return next(case.verdict for case in cases if case.when.startswith("it fills"))

    assert verdict() is Verdict.REFUTED
    monkeypatch.setattr(blog_1f1b, "FAMILY", one_f_one_b.FAMILY)
    assert verdict() is Verdict.UNKNOWN
