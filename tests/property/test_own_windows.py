"""A rule of one's own that updates after several gradients: its law against its runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import sympy

from schedules import Kind
from schedules.closed_forms.affine import Affine, Piecewise
from schedules.closed_forms.let_in import read_bound
from schedules.closed_forms.start_times import StartTimes, build_from_rule
from schedules.delays import delays
from schedules.errors import ParameterError
from schedules.families import get_family
from schedules.families.family import Family
from schedules.linearization import LINEARIZATIONS
from schedules.policies import WeightPolicy
from schedules.rules import GreedyRule
from schedules.timeline import timeline
from schedules.versions import versions
from theory.derive import derive_rule
from theory.errors import NoClosedFormError
from theory.laws.delays import window_beginning, window_closed
from theory.laws.delays.pace import Pace
from theory.laws.delays.symbols import Size, Times
from theory.smt.solver import decide
from theory.verdicts import Verdict

BOUNDS = {"p": (1, 0), "p + 1": (1, 1), "p + 2": (1, 2), "p + 5": (1, 5)}
BOUNDS |= {"2p - 2": (2, -2), "3p": (3, 0)}

PARTS = [(1, bound) for bound in ("p + 2", "p + 5", "2p - 2")]
PARTS += [(K, bound) for K in (2, 3) for bound in BOUNDS]
"""Where every gradient makes an update and all stages have one pace, there is a shorter law."""


def admission(bound: str) -> Callable[[int], int]:
    slope, more = BOUNDS[bound]
    return lambda p: slope * p + more


CEILING = [{"ceiling": lambda k: math.ceil(k - 1e-9)}]  # of quotients of small numbers


def rule(K: int, bound: str) -> Family:
    greedy = get_family("pipedream")
    policy = WeightPolicy("stash", interval=K)
    return replace(greedy, name=f"every {K}, {bound}", policy=policy, admission=admission(bound))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize(("K", "bound"), PARTS)
def test_the_law_is_that_of_every_run(K: int, bound: str, linearization: str) -> None:
    family = rule(K, bound)
    law = derive_rule(family, linearization, family.admission)
    assert law.verdict is Verdict.PROVED
    printed = law.to_json()
    names = sympy.symbols("p i j r", integer=True)
    delay, local = (
        sympy.lambdify(names, sympy.sympify(printed[key][0]["expr"]), CEILING)
        for key in ("delay", "local_staleness")
    )
    for p in range(2, 8):
        M = 6 * p + 5 * K + 12
        schedule = build_from_rule(family, p, M, family.admission)
        found, stale = delays(timeline(schedule), linearization), versions(schedule).local_staleness
        later = -(-(p - (linearization != "descending")) // (2 * K))
        first = min(admission(bound)(p), max(p, 2 * p - 2))
        first = max(first, admission(bound)(p) if admission(bound)(p) <= 2 * p + 5 else first)
        steady = (found.microbatch >= first) & (found.microbatch // K + later <= M // K)
        assert steady.any()
        for i, m, row in zip(
            found.stage[steady], found.microbatch[steady], found.matrix[steady], strict=True
        ):
            at = p, int(i)
            assert row.tolist() == [delay(*at, j, int(m) % K) for j in range(p)]
            assert stale[i, m] == local(*at, 0, int(m) % K)
        last = found.microbatch // K == (M // K - later - 1)
        mean = sympy.sympify(printed["mean"], locals={"p": p})
        assert mean == sympy.Rational(int(found.matrix[last].sum()), p * p * K)
        size = {"p": p, "M": M}
        if printed["whole_run_max"] is not None:
            whole = sympy.sympify(printed["whole_run_max"], locals=size)
            assert found.matrix.max() == whole
        most = printed["local_staleness_whole_run"]
        if most is not None:
            bounds = [local(p, i, 0, 0) for i in range(p)]
            assert stale.max(axis=1).tolist() == bounds


@pytest.mark.parametrize("part", ["slots", "forward", "backward", "first"])
@pytest.mark.parametrize("bound", ["p + 2", "3p"])
def test_no_other_pace_is_proved(bound: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, family, less = window_closed.paces, rule(3, bound), Affine((), -1)

    def moved(times: StartTimes) -> Iterator[Pace]:
        for pace in list(right(times))[-1:]:
            value = getattr(pace, part)
            if part == "slots":
                changed = value - 1
            elif part == "forward":
                *others, last = value.pieces
                changed = Piecewise((*others, replace(last, value=last.value.plus(less))))
            else:
                changed = value.plus(less if part == "backward" else Affine((("p", -1),)))
            yield replace(pace, **{part: changed})

    monkeypatch.setattr(window_closed, "paces", moved)
    assert derive_rule(family, "ascending", family.admission).verdict is Verdict.UNKNOWN


@pytest.mark.sampled(4)
@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("bound", [lambda p: 3 * p // 2, lambda p: 7 * p // 4 + 1])
def test_a_mean_and_a_largest_delay_where_many_are_let_in(
    K: int, bound: Callable[[int], int], linearization: str
) -> None:
    family = replace(rule(K, "p"), admission=bound)
    law = derive_rule(family, linearization, bound)
    found = law.to_json()
    assert law.verdict is Verdict.PROVED
    assert found["mean"] is not None
    for p in range(law.proved.start_times.least, 8):
        at, M = law.at(p), 6 * p + 5 * K + 12
        matrix = delays(timeline(build_from_rule(family, p, M, bound)), linearization)
        if at.get("whole_run_max") is not None:
            text = sympy.sympify(found["whole_run_max"], locals={"p": p, "M": M})
            assert matrix.matrix.max() == text
        far = -(-p // (2 * K)) + 1
        last = matrix.microbatch // K == M // K - far - 1
        mean = sympy.Rational(int(matrix.matrix[last].sum()), p * p * K)
        assert sympy.sympify(found["mean"], locals={"p": p}) == mean


def after_all_forwards(K: int) -> Family:
    """Updates come after every K backwards, and no F is left by then."""
    greedy = GreedyRule(operator.lt, Kind.F, {Kind.B: Kind.F, Kind.F: Kind.F})
    policy = WeightPolicy("stash", interval=K)
    return replace(get_family("gpipe"), name=f"unread {K}", rule=greedy, policy=policy)


@pytest.mark.parametrize("linearization", LINEARIZATIONS)
@pytest.mark.parametrize("K", [1, 2, 5])
def test_where_no_forward_counts_an_update(K: int, linearization: str) -> None:
    """Delays of microbatch m are what its update counts, and grow with m."""
    family = after_all_forwards(K)
    law = derive_rule(family, linearization, None)
    assert law.verdict is Verdict.PROVED
    found = law.to_json()
    assert law.at(3, 0, 0, *[0] * (K > 1))["p"] == 3
    for p, M in ((2, 9), (3, 17), (5, 23), (6, 6 * K)):
        size = {"p": p, "M": M}
        run = delays(timeline(build_from_rule(family, p, M, None)), linearization)
        later = -(-(p - (linearization != "descending")) // K)
        for m in (m for m in range(p, M) if m // K + later <= M // K):
            own = run.matrix[run.microbatch == m]
            stages = run.stage[run.microbatch == m]
            for i, row in zip(stages.tolist(), own.tolist(), strict=True):
                at = {**size, "m": m, "i": i, "r": m % K}
                stated = sympy.sympify(found["delay"][0]["expr"], locals=at)
                assert row == [stated] * p
            for key, number in (("max", own.max()), ("min", own.min())):
                assert sympy.sympify(found[key], locals={**size, "m": m}) == number
            mean = sympy.Rational(int(own.sum()), own.size)
            assert sympy.sympify(found["mean"], locals={**size, "m": m}) == mean
        assert sympy.sympify(found["whole_run_max"], locals=size) == run.matrix.max(initial=0)


def test_one_update_before_a_forward_is_no_such_run() -> None:
    """A pace without forwards of PipeDream, and of updates that begin a slot sooner, is refused."""
    later = derive_rule(after_all_forwards(1), "ascending", None)
    early = derive_rule(get_family("pipedream"), "ascending", lambda p: p)
    for law in (later, early):
        assert law.guess is not None
        times = Times(Size.symbolic(law.guess), law.guess)
        [unread] = [one for one in window_closed.paces(law.guess) if one.forward is None]
        proved = decide(window_closed._at_pace(times, unread)).verdict is Verdict.PROVED
        assert proved == (law is later)
        moved = replace(unread, backward=unread.backward.plus(Affine((), -1)))
        assert decide(window_closed._at_pace(times, moved)).verdict is Verdict.REFUTED


def test_what_is_no_beginning_is_refused() -> None:
    """Slots of the first stage, and updates that it counts in them, that are others."""

    def admission(p: int) -> int:
        return 3 * p // 2

    law = derive_rule(replace(rule(1, "p"), admission=admission), "ascending", admission)
    assert isinstance(law.closed, window_closed.WindowClosed)
    windowed, lines = law.closed.windows, LINEARIZATIONS["ascending"]
    assert windowed.pushed
    assert windowed.falls
    times = Times(Size.symbolic(law.guess), law.closed.start_times)
    pace, one = windowed.pace, Affine((), 1)
    right = [
        window_beginning.every_slot(times, pace),
        window_beginning.falling(pace, lines, times.size, 1),
    ]
    right += window_beginning.by_slots(pace, lines, times.size)
    assert {decide(one).verdict for one in right} == {Verdict.PROVED}
    later = replace(pace, first=pace.first.plus(one))
    assert decide(window_beginning.every_slot(times, later)).verdict is Verdict.REFUTED
    sooner = replace(pace, backward=pace.backward.plus(Affine((("p", 1),)), -1))
    refused = [decide(one).verdict for one in window_beginning.by_slots(sooner, lines, times.size)]
    assert Verdict.REFUTED in refused
    assert decide(window_beginning.falling(pace, lines, times.size, 40)).verdict is Verdict.REFUTED


def test_a_law_of_later_p_is_asked_nothing_before() -> None:
    family = replace(rule(1, "p"), admission=lambda p: max(p + 3, 12))
    law = derive_rule(family, "ascending", family.admission)
    assert law.verdict is Verdict.PROVED
    found = delays(timeline(build_from_rule(family, 9, 40, family.admission)))
    row = (found.stage == 2) & (found.microbatch == 20)
    assert found.matrix[row].tolist() == [[law.at(9, 2, j)["delay"] for j in range(9)]]
    with pytest.raises(NoClosedFormError, match="p ≥ 9, found p = 8"):
        law.at(8)


def test_a_bound_that_knows_small_p_alone_has_no_form() -> None:
    def few(p: int) -> int:
        if p > 7:
            raise ParameterError("p is too large", "admission", "take a smaller one")
        return p + 1

    assert read_bound(few) is None
    assert read_bound(lambda p: p + 1) is not None
