"""One AMDP pipeline at random sizes and durations against the proved formulas."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
import sympy
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules import Kind, Schedule, WeightPolicy, timeline
from schedules.families import amdp
from schedules.families.pipedream import RULE
from schedules.families.sharing import run_sharing
from theory.papers.amdp import mismatch
from theory.papers.amdp.lemmas.durations import ANY, EQUAL, LONG_BACKWARDS, Time, later, no_earlier
from theory.papers.amdp.lemmas.greedy import tight
from theory.papers.amdp.lemmas.minibatches import Pipeline
from theory.papers.amdp.lemmas.start_times import CAPPED, CROWDED, FREE, TWO, Law, before
from theory.papers.amdp.runs.replays import by_order, one_pipeline
from theory.papers.amdp.symbols import d, i, n, r
from theory.smt.instances import admits

F, B = Kind.F, Kind.B
depths = st.integers(1, 9)
numbers = st.integers(-4, 4)
many = st.integers(1, 30)
durations = st.fixed_dictionaries({F: st.integers(1, 9), B: st.integers(1, 9)})


def played(p: int, admission: int, M: int, stage_cap: int, taken: dict[Kind, int]) -> Schedule:
    """The rule itself at these durations, not the order of F = B."""
    limits = amdp.caps(p, M, admission, stage_cap)
    orders = run_sharing(RULE, amdp.directions(p, 1), M, limits, taken)
    return Schedule.from_orders("run", orders, M, WeightPolicy("latest"))


def check_starts(law: Law, line: Pipeline, schedule: Schedule, taken: dict[Kind, int]) -> None:
    starts = timeline(schedule, taken).start.tolist()
    actions = zip(schedule.kind, schedule.stage, schedule.microbatch, starts, strict=True)
    for kind, stage, m, found in actions:
        at = law.start(Kind(kind), line, int(stage), line.minibatch(int(m)))
        assert at.at(taken) == found


@settings(max_examples=40, deadline=None)
@given(depths, st.data(), many, durations)
def test_capped_pipelines_at_any_durations(
    p: int, data: st.DataObject, M: int, taken: dict[Kind, int]
) -> None:
    admission = data.draw(st.integers(1, p))
    schedule = played(p, admission, M, 1, taken)
    check_starts(CAPPED, Pipeline.of(p, admission), schedule, taken)


@settings(max_examples=30, deadline=None)
@given(depths, st.integers(1, 2), many, durations)
def test_two_at_stage_0_at_any_durations(
    p: int, admission: int, M: int, taken: dict[Kind, int]
) -> None:
    admission = min(admission, p)
    schedule = played(p, admission, M, 0, taken)
    check_starts(TWO, Pipeline.of(p, admission), schedule, taken)


@settings(max_examples=40, deadline=None)
@given(depths, st.data(), many, st.integers(1, 5), st.integers(0, 5))
def test_uncapped_order_with_backwards_no_shorter(
    p: int, data: st.DataObject, M: int, forward: int, more: int
) -> None:
    admission = data.draw(st.integers(1, p))
    schedule = one_pipeline(p, admission, M, stage_cap=False)
    check_starts(FREE, Pipeline.of(p, admission), schedule, {F: forward, B: forward + more})


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 9), many)
def test_crowded_pipelines(p: int, more: int, M: int) -> None:
    schedule = one_pipeline(p, p + more, M, stage_cap=False)
    check_starts(CROWDED, Pipeline.of(p, p + more, rounds=False), schedule, {F: 1, B: 1})


@settings(max_examples=40, deadline=None)
@given(depths, st.data(), many, durations)
def test_minibatches_are_back_between_the_bounds(
    p: int, data: st.DataObject, M: int, taken: dict[Kind, int]
) -> None:
    admission = data.draw(st.integers(1, p))
    schedule = one_pipeline(p, admission, M, stage_cap=False)
    ends = timeline(schedule, taken).end
    both = taken[F] + taken[B]
    for m in range(M):
        q, rest = divmod(m, admission)
        own = (schedule.kind == B) & (schedule.stage == 0) & (schedule.microbatch == m)
        back = int(ends[own][0])
        assert both * p * (q + 1) <= back <= both * (p * (q + 1) + rest) + admission * taken[F]


@settings(max_examples=40, deadline=None)
@given(depths, st.integers(1, 12), many, st.booleans())
def test_every_mismatch(p: int, admission: int, M: int, stage_cap: bool) -> None:
    core = mismatch.CLAIM.core
    crowded = admission > p and not stage_cap
    size = min(admission, p) if stage_cap else admission
    schedule = one_pipeline(p, admission, M, stage_cap=stage_cap)
    first = "first" if stage_cap or admission <= 2 else "uncapped first"
    later_ones = "crowded later" if crowded else "later"
    for stage in range(p):
        for m, found in by_order(schedule, stage).items():
            known = {d: p, n: size, i: stage, r: m if m < size else m % size}
            form: sympy.Expr = core[first if m < size else later_ones]
            assert form.subs(known) == found


times = st.builds(Time, numbers, numbers)


@settings(max_examples=60, deadline=None)
@given(times, times, st.sampled_from([ANY, EQUAL, LONG_BACKWARDS]), st.integers(1, 7), many)
def test_comparison_at_all_durations(
    one: Time, two: Time, cone: tuple[tuple[int, int], ...], first: int, second: int
) -> None:
    """What holds for the cone holds at each of its points."""
    weights = (first, second)[: len(cone)]
    taken = {
        kind: Fraction(sum(w * ray[at] for w, ray in zip(weights, cone, strict=True)))
        for at, kind in enumerate((F, B))
    }
    as_terms = [Time(z3.IntVal(t.forwards), z3.IntVal(t.backwards)) for t in (one, two)]
    if z3.is_true(z3.simplify(no_earlier(cone, *as_terms))):
        assert one.at(taken) >= two.at(taken)
    if z3.is_true(z3.simplify(later(cone, *as_terms))):
        assert one.at(taken) > two.at(taken)


@settings(max_examples=40, deadline=None)
@given(depths, st.data(), many, st.booleans())
def test_order_of_a_law_is_that_of_the_program(
    p: int, data: st.DataObject, M: int, stage_cap: bool
) -> None:
    admission = data.draw(st.integers(1, p))
    law, line = CAPPED if stage_cap else FREE, Pipeline.of(p, admission)
    schedule = one_pipeline(p, admission, M, stage_cap=stage_cap)
    for rank in range(p):
        order = [(action.kind, line.minibatch(action.microbatch)) for action in schedule.rank(rank)]
        for one, two in pairwise(order):
            assert before(law, line, rank, one, two)


@given(st.integers(1, 9), st.integers(1, 9), st.lists(st.integers(0, 60), min_size=3, max_size=3))
def test_facts_about_products_are_true(p: int, admission: int, known: list[int]) -> None:
    line = Pipeline.of(p, admission)
    for fact in line.are_minibatches(*map(line.minibatch, known)):
        assert fact if isinstance(fact, bool) else z3.is_true(z3.simplify(fact))


@pytest.mark.parametrize(("law", "p", "admission"), [(CAPPED, 4, 3), (FREE, 3, 3), (TWO, 3, 2)])
def test_the_induction_speaks_of_every_state_of_a_run(law: Law, p: int, admission: int) -> None:
    """What a stage has done and does next is a case of the statement about that."""
    M, line = 2 * admission + 1, Pipeline.of(p, admission)
    schedule = one_pipeline(p, admission, M, stage_cap=law is CAPPED)
    statements = {statement.name: statement for statement in tight(law, law.cone)}
    last = line.minibatch(M - 1)
    for stage in range(p):
        done = {F: 0, B: 0}
        for action in schedule.rank(stage):
            a, b = line.minibatch(done[F]), line.minibatch(done[B])
            state = {
                **{"p": p, "n": admission, "s": stage},
                **{"qa": a.round, "ra": a.place, "p*qa": a.product},
                **{"qb": b.round, "rb": b.place, "p*qb": b.product},
                **{"ql": last.round, "rl": last.place, "p*ql": last.product},
            }
            assert admits(statements[f"tight {action.kind.name}"], state)
            done[action.kind] += 1
