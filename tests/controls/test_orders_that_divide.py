"""Bounds with quotients and start times with a period, near the true ones: none is proved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy

from schedules.closed_forms.affine import Affine
from schedules.closed_forms.start_times import StartTimes
from schedules.errors import ScheduleError
from schedules.families import Family
from schedules.families.figures import Figures
from schedules.policies import PolicyName, WeightPolicy
from schedules.stamps import LINE, OPPOSITE, At, Number, StampedOrder
from schedules.timeline import timeline
from tests.controls.test_proof_mutants import piecewise_mutants
from theory.derive import derive_rule
from theory.laws.delays.start_times import prove_start_times
from theory.laws.figures import prove
from theory.laws.own_orders import row_of, subject_of
from theory.laws.stamped_bounds import BOUND
from theory.laws.stamped_families import queried
from theory.laws.static_orders.symbols import M, p, s
from theory.verdicts import Verdict, weakest


def family(policy: PolicyName, interval: int, period: int, *, ahead: bool = False) -> Family:
    """So many forwards, one backward, after p − s forwards if `ahead`."""

    def block(at: At) -> Number:
        more = at.x - at.p + at.rank
        return at.choose(more < 0, 0, 1 + at.divide(more, period)[0])

    order = StampedOrder(
        LINE,
        forward=lambda at: (block(at) if ahead else at.divide(at.x, period)[0], at.rank, at.x),
        backward=lambda at: (at.x + ahead, 2 * at.p - at.rank, 0),
    )
    return Family("own", "ours", "ours", WeightPolicy(policy, interval=interval), rule=order)


def proved(own: Family, column: str, form: sympy.Expr) -> bool:
    assert isinstance(own.rule, StampedOrder)
    found = queried(own.rule, subject_of(own), own.name, column, {BOUND: form})
    return found.verdict is Verdict.PROVED


def near(form: sympy.Expr) -> set[sympy.Expr]:
    """One more, one less, another divisor, another end."""
    quotients = form.atoms(sympy.floor)
    others = {form + 1, form - 1, form.subs(M, M + 1), form.subs(M, M - 1)}
    for one in quotients:
        others |= {form.subs(one, sympy.floor(one.args[0] * n / d)) for n, d in ((2, 3), (3, 2))}
    return others - {form}


CASES = {
    "two": (family("stash", 1, 2), "in-flight", sympy.floor(M / 2) + 1),
    "two stale": (family("stash", 1, 2), "staleness", sympy.floor(M / 2)),
    "three": (family("flush", 1, 3), "in-flight", sympy.floor(2 * M / 3) + 1),
    "windows": (family("latest", 2, 2), "staleness", sympy.floor(sympy.floor(M / 2) / 2)),
    "ahead": (
        family("stash", 1, 2, ahead=True),
        "staleness",
        sympy.Min(M - 1, sympy.floor((M + p - s) / 2)),
    ),
    "stage 0": (
        family("vertical-sync", 1, 2, ahead=True),
        "staleness",
        sympy.Min(M - 1, sympy.floor((M + p) / 2)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_control_a_bound_near_the_true_one_is_not_proved(case: str) -> None:
    own, column, form = CASES[case]
    assert proved(own, column, form)
    assert not {other for other in near(form) if proved(own, column, other)}


def test_control_a_bound_that_nothing_attains_is_not_proved() -> None:
    """M is one: an upper bound alone."""
    check = partial(proved, family("stash", 1, 2))
    assert not check("in-flight", M)
    assert not check("staleness", M - 1)
    assert not check("in-flight", sympy.Min(M, sympy.floor(M / 2) + 2))  # 3 at M = 3, where 2 are
    assert not check("staleness", sympy.Min(M - 1, sympy.floor(M / 2) + 1))
    assert not check("staleness", sympy.Max(1, sympy.floor(M / 2)))  # at M = 1 it is 0


def test_control_where_ends_go_by_no_numbers_all_forwards_stand_before_them() -> None:
    """Two forwards, one backward, the first microbatch ends last: M are seldom in flight."""
    late = StampedOrder(
        LINE,
        forward=lambda at: (at.divide(at.x, 2)[0], at.rank, at.x),
        backward=lambda at: (at.choose(at.x == 0, at.M, at.x), 2 * at.p - at.rank, 0),
    )
    own = Family("own", "ours", "ours", WeightPolicy("flush"), rule=late)
    subject = replace(subject_of(own), descending=True)
    assert queried(late, subject, "own", "causal", {}).verdict is Verdict.PROVED
    assert queried(late, subject, "own", "in-flight", {BOUND: M}).verdict is Verdict.REFUTED


def test_an_order_that_never_runs_has_no_bound() -> None:
    """Two pipelines that number their microbatches alike."""
    order = StampedOrder(
        OPPOSITE,
        forward=lambda at: (at.divide(at.x, 2)[0], at.stage, at.x),
        backward=lambda at: (at.x, 2 * at.p - at.stage, 0),
    )
    row = row_of(Family("own", "ours", "ours", WeightPolicy("flush"), rule=order))
    found = {one.name: one.outcome for one in row.invariants}
    assert found["causal"].verdict is Verdict.REFUTED
    assert found["in-flight"].note == "no short form fits small runs"


def in_pairs(blocking: int) -> StampedOrder:
    """Two forwards, two backwards; what comes next waits for all ranks, or for the next alone."""
    return StampedOrder(
        LINE,
        forward=lambda at: (
            2 * at.divide(at.x, 2)[0] + (1 - blocking) * at.rank,
            blocking * at.rank,
            at.x,
        ),
        backward=lambda at: (
            2 * at.divide(at.x, 2)[0] + (1 - blocking) * (2 * at.p - 1 - at.rank),
            blocking * (2 * at.p - at.rank),
            at.x,
        ),
    )


@pytest.mark.parametrize("blocking", [0, 1])
def test_control_start_times_near_the_true_ones_are_not_proved(blocking: int) -> None:
    order = in_pairs(blocking)
    law = derive_rule(Family("own", "", "", WeightPolicy("stash"), rule=order), "ascending", None)
    guess = law.guess
    assert guess is not None
    assert str(guess.period) == "2"

    def shown(times: StartTimes) -> bool:
        found = prove_start_times(order, None, times)
        return weakest(one.verdict for one in found) is Verdict.PROVED

    def slots(times: StartTimes) -> list[int]:
        s, m, p, M = np.indices((7, 14, 7, 15)).reshape(4, -1)
        real = (p >= 2) & (s < p) & (m < M)
        at = dict(zip("smpM", (one[real] for one in (s, m, p, M)), strict=True))
        at |= times.place(at["m"], at["p"])
        both = (times.forward, times.backward)
        return [int(n) for form in both for n in np.broadcast_to(form.at(at, np.where), sum(real))]

    near = [replace(guess, period=Affine((), every)) for every in (3, 4)]
    for which in ("forward", "backward"):
        for _, form in piecewise_mutants(getattr(guess, which)):
            near.append(replace(guess, **{which: form}))
    others = [times for times in near if slots(times) != slots(guess)]
    assert shown(guess)
    assert len(others) > 10
    assert not any(map(shown, others))


def handed_on(late: bool, other: bool) -> Family:
    """Blocks whose numbers are other microbatches at rank 9 from 41 microbatches on, if `other`."""

    def label(at: At) -> Number:
        turned = at.choose(at.rank == 9, at.M - 1 - at.x, at.x)
        return at.choose(at.M > 40, turned, at.x) if late else turned

    order = StampedOrder(
        LINE,
        forward=lambda at: (2 * at.x + at.rank, 0),
        backward=lambda at: (2 * at.x + 2 * at.p - at.rank, 1),
        microbatch=label if other else lambda at: at.x,
    )
    makespan = Figures(makespan="2*M + 2*p - 2", work="2*M", peak="Min(M, 2*p - 2*r)")
    return Family("own", "ours", "ours", WeightPolicy("flush"), rule=order, figures=makespan)


@pytest.mark.parametrize("late", [True, False])
def test_control_a_number_is_one_microbatch_at_all_stages(late: bool) -> None:
    """Rank 8 waits for 9, and rank 9 for it, where small runs do not show it."""
    right, wrong = (handed_on(late, other) for other in (False, True))
    with pytest.raises(ScheduleError, match="wait for each other"):
        timeline(wrong.build(11, 41))
    for column in ("causal", "deadlock-free"):
        assert proved(right, column, sympy.S.Zero)
        assert not proved(wrong, column, sympy.S.Zero)
    verdicts = {}
    for own in (right, wrong):
        assert own.figures is not None
        law = prove(own, own.figures)
        verdicts[own is right] = {one.name: one.verdict for one in law.proof}["makespan"]
    assert verdicts == {True: Verdict.PROVED, False: Verdict.UNKNOWN}
