"""Sums over the last iterations and fixed delays: what is false is not proved, a true twin is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import sympy

from theory.errors import TheoryError, VacuousError
from theory.kernel import (
    Cite,
    Combine,
    Delayed,
    Drift,
    Everywhere,
    Hypothesis,
    Point,
    Reread,
    Start,
    Step,
    Telescope,
    Theorem,
    Total,
    Windows,
    dot,
    le,
    point,
    prove,
    square,
    vector,
)
from theory.kernel.means import Mean, random_names
from theory.kernel.rules.windows import is_window, window
from theory.notation import equal, function, iterates, mean, total
from theory.notation import theorem as begin
from theory.notation import window as written
from theory.notation.building import offered
from theory.proving.search import search
from theory.verdicts import Verdict

i, j, k, tau = sympy.symbols("i j k tau", integer=True, nonnegative=True)
K = sympy.Symbol("K", integer=True, positive=True)
FROM_ONE = sympy.Symbol("k", integer=True, positive=True)
M, gamma, c = sympy.symbols("M gamma c", positive=True)
r = sympy.Symbol("r", nonnegative=True)
D, N, S, LATER = (sympy.Function(name, nonnegative=True) for name in "DNSO")
R, P = (sympy.Function(name, real=True) for name in "RP")
X, OLD, STEP = point("x"), point("x̂"), vector("g")
NEXT = Point(X.position - STEP * gamma, sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
AWAY = square(X.position - OLD.position)
LATE = Delayed("late", "x̂ is x of τ iterations ago", OLD, X, tau, True)
STALE = replace(LATE, exact=False)


def over(form: Any, last: Any = K - 1) -> Any:
    return sympy.Sum(form, (k, 0, last))


def last(term: Any = None, length: Any = tau, of: Any = j) -> Any:
    return window(N(of) if term is None else term, of, k, length)


TWICE = Theorem(
    id="mine.windows",
    where="ours",
    statement="",
    latex="",
    symbols=(tau, K),
    lhs=over(last()),
    terms={"all": tau * over(N(k))},
    conclude=Windows(N, k, j, tau, count=K),
)
EACH = replace(
    TWICE,
    symbols=(tau, M),
    indices=(k,),
    hypotheses=(Hypothesis("each", "", le(N(k), M)),),
    lhs=last(),
    terms={"bound": tau * M},
    conclude=Windows(N, k, j, tau, each="each"),
)
DRIFT = Theorem(
    id="mine.drift",
    where="ours",
    statement="",
    latex="",
    symbols=(tau, gamma),
    vectors=(STEP,),
    points=(X, OLD, NEXT),
    indices=(k,),
    sequences={D: AWAY, N: square(STEP)},
    following=((X, NEXT),),
    hypotheses=(LATE,),
    lhs=D(k),
    terms={"moves": gamma**2 * tau * last()},
    conclude=Drift("late", k, inner=j, moves=N),
)
ALL = replace(
    DRIFT,
    symbols=(tau, K, gamma),
    indices=(),
    lhs=over(D(k)),
    terms={"moves": gamma**2 * tau**2 * over(N(k))},
    conclude=Drift("late", k, count=K),
)
READ = replace(
    DRIFT,
    symbols=(tau, K, gamma),
    indices=(),
    sequences={S: square(X.gradient), LATER: square(OLD.gradient)},
    lhs=over(LATER(k)),
    terms={"first": tau * S(0), "all": over(S(k))},
    conclude=Reread("late", LATER, k, K),
)
BEGUN = replace(
    DRIFT,
    symbols=(gamma,),
    hypotheses=(replace(STALE, constant=sympy.Integer(3)),),
    indices=(),
    lhs=D(0),
    kind="==",
    terms={"none": sympy.S.Zero},
    conclude=Start("late", D, k),
)
SAME = replace(READ, lhs=LATER(0), kind="==", terms={"now": S(0)}, conclude=Start("late", LATER, k))
MULTIPLE = replace(
    SAME,
    sequences={S: square(X.gradient), LATER: gamma * square(OLD.gradient)},
    terms={"now": gamma * S(0)},
)
TRUE = {
    "nothing is late at the start": BEGUN,
    "the start is the start": SAME,
    "a multiple of the start": MULTIPLE,
    "each term in τ windows": TWICE,
    "windows of τ + 1": replace(
        TWICE,
        lhs=over(last(length=tau + 1)),
        terms={"all": (tau + 1) * over(N(k))},
        conclude=Windows(N, k, j, tau + 1, count=K),
    ),
    "windows of 2": replace(
        TWICE,
        symbols=(K,),
        lhs=over(last(length=2)),
        terms={"all": 2 * over(N(k))},
        conclude=Windows(N, k, j, 2, count=K),
    ),
    "windows of none": replace(
        TWICE,
        symbols=(K,),
        lhs=over(last(length=0)),
        terms={"all": sympy.S.Zero},
        conclude=Windows(N, k, j, 0, count=K),
    ),
    "terms below M": EACH,
    "the drift by moves": DRIFT,
    "of one of the last τ": replace(
        DRIFT, hypotheses=(STALE,), conclude=Drift("late", k, inner=j, moves=N)
    ),
    "a move that is three gradients": replace(
        DRIFT,
        sequences={D: AWAY, N: 9 * square(STEP)},
        terms={"moves": gamma**2 * tau / 9 * last()},
    ),
    "the drift, summed, by gradients": ALL,
    "read late": READ,
}
FALSE: dict[str, tuple[Theorem, dict[str, Any]]] = {
    "fewer windows": (TWICE, {"terms": {"all": (tau - 1) * over(N(k))}}),
    "one window": (TWICE, {"terms": {"all": over(N(k))}}),
    "fewer terms": (TWICE, {"terms": {"all": tau * over(N(k), K - 2)}}),
    "turned round": (TWICE, {"lhs": tau * over(N(k)), "terms": {"all": over(last())}}),
    "an equation": (TWICE, {"kind": "=="}),
    "another sequence": (TWICE, {"terms": {"all": tau * over(S(k))}}),
    "terms below 0": (
        TWICE,
        {
            "lhs": over(last(R(j))),
            "terms": {"all": tau * over(R(k))},
            "conclude": Windows(R, k, j, tau, count=K),
        },
    ),
    "one more window than terms": (
        TWICE,
        {"lhs": over(last(length=tau + 1)), "conclude": Windows(N, k, j, tau + 1, count=K)},
    ),
    "windows that end at k": (TWICE, {"lhs": over(sympy.Sum(N(j), (j, sympy.Max(0, k - tau), k)))}),
    "windows as long as k": (
        TWICE,
        {
            "lhs": over(last(length=k)),
            "terms": {"all": over(k * N(k))},
            "conclude": Windows(N, k, j, k, count=K),
        },
    ),
    "windows as long as j": (TWICE, {"conclude": Windows(N, k, j, j, count=K)}),
    "a length that is no integer": (
        TWICE,
        {
            "symbols": (r, K),
            "lhs": over(window(N(j), j, k, r)),
            "terms": {"all": r * over(N(k))},
            "conclude": Windows(N, k, j, r, count=K),
        },
    ),
    "a length that may be -1": (
        TWICE,
        {
            "lhs": over(last(length=tau - 1)),
            "terms": {"all": (tau - 1) * over(N(k))},
            "conclude": Windows(N, k, j, tau - 1, count=K),
        },
    ),
    "one index for both": (TWICE, {"conclude": Windows(N, k, k, tau, count=K)}),
    "a count with j": (TWICE, {"conclude": Windows(N, k, j, tau, count=j + 1)}),
    "a count with k": (TWICE, {"conclude": Windows(N, k, j, tau, count=k)}),
    "no count": (TWICE, {"conclude": Windows(N, k, j, tau)}),
    "fewer than τ terms": (EACH, {"terms": {"bound": (tau - 1) * M}}),
    "one term": (EACH, {"terms": {"bound": M}}),
    "a bound that changes": (
        EACH,
        {
            "symbols": (tau,),
            "scalars": (r,),
            "hypotheses": (Hypothesis("each", "", le(N(k), r)),),
            "terms": {"bound": tau * r},
        },
    ),
    "a bound that is smaller before": (
        EACH,
        {
            "hypotheses": (Hypothesis("each", "", le(N(k), M * (10 - k) ** 2)),),
            "terms": {"bound": tau * M * (10 - k) ** 2},
        },
    ),
    "a bound of the first": (
        EACH,
        {"hypotheses": (Hypothesis("each", "", le(N(0), M)),)},
    ),
    "a bound by another term": (
        EACH,
        {
            "hypotheses": (Hypothesis("each", "", le(N(k), S(k))),),
            "terms": {"bound": tau * S(k)},
        },
    ),
    "the drift without τ": (DRIFT, {"terms": {"moves": gamma**2 * last()}}),
    "the drift of a shorter window": (
        DRIFT,
        {"terms": {"moves": gamma**2 * tau * last(length=tau - 1)}},
    ),
    "the drift without γ²": (DRIFT, {"terms": {"moves": tau * last()}}),
    "another factor": (DRIFT, {"sequences": {D: AWAY, N: square(STEP) / 4}}),
    "a drift of something else": (DRIFT, {"sequences": {D: AWAY * 4, N: square(STEP)}}),
    "a step that changes": (
        DRIFT,
        {
            "symbols": (tau,),
            "scalars": (gamma,),
            "terms": {"moves": gamma**2 * tau * last()},
        },
    ),
    "the moves of k + 1": (
        DRIFT,
        {"terms": {"moves": gamma**2 * tau * window(N(j + 1), j, k, tau)}},
    ),
    "summed, without γ²": (ALL, {"terms": {"moves": tau**2 * over(N(k))}}),
    "summed, with τ alone": (ALL, {"terms": {"moves": gamma**2 * tau * over(N(k))}}),
    "summed, a step that changes": (ALL, {"symbols": (tau, K), "scalars": (gamma,)}),
    "summed, moves and something else": (
        ALL,
        {"sequences": {D: AWAY, N: square(STEP + X.position)}},
    ),
    "no moves": (DRIFT, {"conclude": Drift("late", k, inner=j)}),
    "other moves": (DRIFT, {"conclude": Drift("late", k, inner=j, moves=D)}),
    "unknown moves": (DRIFT, {"conclude": Drift("late", k, inner=j, moves=R)}),
    "k for j": (DRIFT, {"conclude": Drift("late", k, inner=k, moves=N)}),
    "two goals at once": (DRIFT, {"conclude": Drift("late", k, count=K, inner=j, moves=N)}),
    "late by up to τ": (READ, {"hypotheses": (STALE,)}),
    "late, without the start": (READ, {"terms": {"all": over(S(k))}}),
    "late, the start once": (READ, {"terms": {"first": S(0), "all": over(S(k))}}),
    "late, of what may be below 0": (
        READ,
        {
            "sequences": {R: X.value, P: OLD.value},
            "lhs": over(P(k)),
            "terms": {"first": tau * R(0), "all": over(R(k))},
            "conclude": Reread("late", P, k, K),
        },
    ),
    "late, with what is present": (
        READ,
        {"sequences": {S: square(X.gradient), LATER: square(OLD.gradient - X.gradient)}},
    ),
    "late, times what changes": (
        READ,
        {
            "scalars": (r,),
            "sequences": {S: r * square(X.gradient), LATER: r * square(OLD.gradient)},
        },
    ),
    "late, another one": (
        READ,
        {"sequences": {S: square(X.position), LATER: square(OLD.gradient)}},
    ),
    "late in iteration 1": (BEGUN, {"lhs": D(1)}),
    "late in iteration k": (BEGUN, {"lhs": D(k), "indices": (k,)}),
    "moves at the start": (BEGUN, {"lhs": N(0), "conclude": Start("late", N, k)}),
    "the start, by an index from 1": (SAME, {"conclude": Start("late", LATER, FROM_ONE)}),
    "the start, of one k": (SAME, {"symbols": (tau, K, gamma, k)}),
    "late, by an index from 1": (READ, {"conclude": Reread("late", LATER, FROM_ONE, K)}),
    "late, of one k": (READ, {"symbols": (tau, K, gamma, k)}),
    "twice the start": (SAME, {"terms": {"now": 2 * S(0)}}),
    "twice a multiple of the start": (MULTIPLE, {"terms": {"now": 2 * gamma * S(0)}}),
    "the start without its multiple": (MULTIPLE, {"terms": {"now": S(0)}}),
    "a multiple that changes": (
        MULTIPLE,
        {"symbols": (tau, K), "scalars": (*MULTIPLE.scalars, gamma)},
    ),
    "the start of another one": (
        SAME,
        {"sequences": {S: square(X.position), LATER: square(OLD.gradient)}},
    ),
    "the start, as a bound": (SAME, {"kind": "<="}),
    "the start of what is not late": (SAME, {"conclude": Start("nothing", LATER, k)}),
    "the start of itself": (
        SAME,
        {"sequences": {S: square(X.gradient), LATER: square(X.gradient)}},
    ),
    "late, turned round": (
        READ,
        {"lhs": tau * S(0) + over(S(k)), "terms": {"all": over(LATER(k))}},
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_one_is_proved(name: str) -> None:
    assert prove(TRUE[name]).verdict is Verdict.PROVED


@pytest.mark.parametrize("name", FALSE)
def test_a_false_one_is_not(name: str) -> None:
    base, changes = FALSE[name]
    assert prove(replace(base, **changes)).verdict is Verdict.UNKNOWN


def test_some_are_no_theorems() -> None:
    with pytest.raises(TheoryError, match="j runs from k - tau on"):
        replace(TWICE, lhs=over(sympy.Sum(N(j), (j, k - tau, k - 1))))
    with pytest.raises(TheoryError, match="class function"):
        replace(TWICE, conclude=Windows(lambda at: sympy.S.One, k, j, tau, count=K))
    with pytest.raises(TheoryError, match="stale"):
        replace(DRIFT, following=())
    with pytest.raises(VacuousError):
        prove(replace(DRIFT, hypotheses=(LATE, Hypothesis("early", "", le(k, 5)))))


def ago(late: Any, name: str, exact: bool = True) -> Delayed:
    return Delayed(f"{name} by {late}", "", point(name), X, sympy.sympify(late), exact)


CHAIN = replace(
    BEGUN,
    points=(X, point("x₁"), point("x₂"), NEXT),
    sequences={D: square(X.position - point("x₁").position)},
    hypotheses=(ago(1, "x₁"), ago(2, "x₂")),
    following=((X, NEXT), (point("x₁"), X), (point("x₂"), point("x₁"))),
    conclude=Start("x₁ by 1", D, k),
)


def test_what_is_late_by_two_is_followed_by_what_is_late_by_one() -> None:
    assert prove(CHAIN).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "changes",
    [
        {"hypotheses": (ago(1, "x₁", exact=False), ago(2, "x₂"))},
        {"hypotheses": (ago(1, "x₁"), ago(3, "x₂"))},
        {"hypotheses": (ago(2, "x₁"), ago(2, "x₂"))},
        {"hypotheses": (ago(tau, "x₁"), ago(tau + 1, "x₂")), "symbols": (gamma, tau)},
        {"following": ((X, NEXT), (point("x₁"), NEXT))},
        {"following": ((X, NEXT), (point("x₂"), X))},
        {"following": ((X, NEXT), (point("x₁", "h"), point("x₂", "h")))},
    ],
)
def test_nothing_else_follows_what_is_stale(changes: dict[str, Any]) -> None:
    with pytest.raises(TheoryError, match="stale"):
        replace(CHAIN, **changes)


def test_a_window_is_told_from_other_sums() -> None:
    assert is_window(last(), k)
    others = (
        sympy.Sum(N(j), (j, 0, k - 1)),
        sympy.Sum(N(j), (j, sympy.Max(0, k - tau), k)),
        sympy.Sum(N(j + 1), (j, sympy.Max(0, k - tau), k - 1)),
        sympy.Sum(N(j) * k, (j, sympy.Max(0, k - tau), k - 1)),
        sympy.Sum(N(j), (j, sympy.Max(0, i - tau), i - 1)),
        sympy.Sum(N(j), (j, sympy.Max(1, k - tau), k - 1)),
        N(j),
    )
    assert not any(is_window(one, k) for one in others)


# What the rules say, on runs in exact fractions.


def drawn(source: Random, length: int) -> list[Fraction]:
    return [Fraction(source.randrange(-3, 4), source.randrange(1, 4)) for _ in range(length)]


def recent(a: list[Fraction], at: int, length: int) -> Fraction:
    return sum((a[n] for n in range(max(0, at - length), at)), Fraction(0))


@pytest.mark.parametrize("length", range(5))
def test_they_hold_on_runs(length: int) -> None:
    source = Random(length)
    for _ in range(60):
        moves, steps = drawn(source, 9), source.randrange(1, 9)
        x = [sum(moves[:n], Fraction(3)) for n in range(10)]
        a = [move**2 for move in moves]
        whole = sum(a[:steps])
        assert sum(recent(a, n, length) for n in range(steps)) <= length * whole
        for n in range(steps):
            read = source.randrange(max(0, n - length), n + 1)
            assert (x[n] - x[read]) ** 2 <= length * recent(a, n, length)
            assert recent(a, n, length) <= length * max(a)
        s = [one**2 for one in x]
        late = [s[max(0, n - length)] for n in range(steps)]
        assert sum(late) <= length * s[0] + sum(s[:steps])


def test_they_are_tight_or_nearly_so() -> None:
    """τ cannot be left out anywhere: runs that break what the false twins say."""
    one = [Fraction(1)] * 9
    assert recent(one, 3, 3) < (3 - 0) ** 2  # ‖x_3 − x_0‖² with unit moves
    assert sum(recent([Fraction(1), *[Fraction(0)] * 8], n, 3) for n in range(9)) > 2
    assert 3 * 4 > 4 + 4 + 0 + 0  # x = 2, 0, 0: read twice too late, x_0 three times


# A run inside each iteration, in a lemma, is not ours.

SMALL = Theorem(
    id="mine.small",
    where="ours",
    statement="",
    latex="",
    symbols=(tau, r),
    vectors=(STEP,),
    sequences={N: square(STEP)},
    hypotheses=(Hypothesis("step", "", le(square(STEP), r)),),
    steps=(
        Step("each", le(N(j), r), Total("step", j)),
        Step(
            "sum",
            le(sympy.Sum(N(j), (j, 0, tau - 1)), tau * r),
            Telescope("each", j, tau),
        ),
    ),
    lhs=sympy.Sum(N(j), (j, 0, tau - 1)),
    terms={"r": tau * r},
    conclude=Combine({"sum": 1}),
)


def mixed(**changes: Any) -> Verdict:
    made = replace(
        DRIFT,
        id="mine.mixed",
        symbols=(tau, gamma),
        scalars=(r,),
        cites=(SMALL,),
        hypotheses=(LATE, Hypothesis("step", "", le(square(STEP), r))),
        steps=(
            Step("drift", DRIFT.goal, Drift("late", k, inner=j, moves=N)),
            Step("small", SMALL.goal, Cite("mine.small")),
        ),
        lhs=D(k) + sympy.Sum(N(j), (j, 0, tau - 1)),
        terms={"window": gamma**2 * tau * last(), "small": tau * r},
        conclude=Combine({"drift": 1, "small": 1}),
    )
    return prove(replace(made, **changes)).verdict


def test_windows_are_none_of_a_run_inside() -> None:
    """r bounds this step alone: in the lemma N(j) goes along a run in which r is fixed."""
    assert mixed() is Verdict.UNKNOWN
    assert mixed(symbols=(tau, gamma, r), scalars=()) is Verdict.PROVED


def test_windows_are_none_of_a_run_inside_where_the_statement_is_silent() -> None:
    quiet: dict[str, Any] = {"lhs": sympy.S.Zero, "terms": {"one": sympy.S.One}}
    uses = {"conclude": Combine({"drift": 0, "small": 0}, plus=(sympy.S.One,))}
    assert mixed(**quiet, **uses) is Verdict.UNKNOWN
    assert mixed(**quiet, **uses, symbols=(tau, gamma, r), scalars=()) is Verdict.PROVED


FIRST = replace(
    SMALL,
    symbols=(r,),
    vectors=(),
    points=(X,),
    sequences={S: square(X.gradient)},
    hypotheses=(Hypothesis("step", "", le(square(X.gradient), r)),),
    steps=(Step("each", le(S(j), r), Total("step", j)),),
    lhs=S(0),
    terms={"r": r},
    conclude=Everywhere("each", {j: sympy.S.Zero}),
)


def test_the_start_is_none_of_a_run_inside() -> None:
    """r of a later iteration says nothing of iteration 0, though S(0) ≤ r in the lemma's run."""
    made = replace(
        SAME,
        id="mine.mixed",
        scalars=(r,),
        cites=(FIRST,),
        hypotheses=(LATE, *FIRST.hypotheses),
        steps=(Step("start", SAME.goal, SAME.conclude), Step("first", FIRST.goal, Cite(FIRST.id))),
        kind="<=",
        terms={"r": r},
        conclude=Combine({"start": 1, "first": 1}),
    )
    assert prove(made).verdict is Verdict.UNKNOWN
    held = replace(made, symbols=(*made.symbols, r), scalars=())
    assert prove(held).verdict is Verdict.PROVED


# A delay that is exact, where one is cited that need not be, and the other way round.


def cites(lemma: Theorem, hypothesis: Delayed) -> Verdict:
    made = replace(
        lemma,
        id="mine.cites",
        hypotheses=(hypothesis,),
        cites=(lemma,),
        conclude=Cite(lemma.id),
    )
    return prove(made).verdict


def test_an_exact_delay_is_one_of_the_last() -> None:
    general = replace(DRIFT, hypotheses=(STALE,))
    assert cites(general, LATE) is Verdict.PROVED
    assert cites(general, STALE) is Verdict.PROVED
    assert cites(READ, LATE) is Verdict.PROVED
    assert cites(READ, STALE) is Verdict.UNKNOWN


# The notation.


def method() -> tuple[Any, Any, Any]:
    f, x = function("f"), iterates("x", k)
    T = begin("mine.late", "ours", f)
    return T, f, x


def test_what_is_older_than_the_start_is_the_start() -> None:
    T, f, x = method()
    T.iterate(x, x[k] - gamma * f.grad(x[k - tau]))
    made = T.shows(le(0, square(x[k - tau])))
    (delay,) = (one for one in made.hypotheses if isinstance(one, Delayed))
    assert delay.exact
    assert delay.constant == tau
    assert "max(0, k − constant)" in (Delayed.__doc__ or "")


NOT_THERE: dict[str, Callable[[Any], Any]] = {
    "the next, before it is said": lambda x: x[k + 1],
    "two ahead": lambda x: x[k + 2],
    "a start": lambda x: x[0],
    "k iterations ago": lambda x: x[k - k],
    "half as far": lambda x: x[2 * k],
    "a real delay": lambda x: x[k - r],
    "a delay that may be negative": lambda x: x[k - (tau - 1)],
    "a delay that is": lambda x: x[k + tau],
    "a fraction": lambda x: x[k - sympy.Rational(1, 2)],
}


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_not_known_is_refused(name: str) -> None:
    with pytest.raises(TheoryError):
        NOT_THERE[name](iterates("x", k))
    x = iterates("x", k)
    assert x[k - 0] == x[k] != x[k - tau] != x[k - (tau + 1)]


def test_what_nothing_moves_is_not_late() -> None:
    T, _, x = method()
    g = iterates("g", k)
    T.iterate(x, x[k] - gamma * g[k])
    T.assume(square(g[k - tau]) <= 1)
    with pytest.raises(TheoryError, match="has moved"):
        T.shows(square(g[k - tau]) <= 2)


def test_iterates_move_in_one_way() -> None:
    T, f, x = method()
    T.iterate(x, x[k] - gamma * f.grad(x[k]))
    assert x[k + 1] == x[k] - gamma * f.grad(x[k])
    with pytest.raises(TheoryError, match="one thing"):
        T.iterate(x, x[k] - 2 * gamma * f.grad(x[k]))


@pytest.mark.parametrize(("index_of_sum", "length"), [(k, tau), (j, j), (j, j + 1)])
def test_a_window_has_an_index_of_its_own(index_of_sum: Any, length: Any) -> None:
    with pytest.raises(TheoryError, match="index of its own"):
        written(N(j), index_of_sum, k, length)
    assert written(N(j), j, k, tau) == last()


def delays(made: Theorem) -> set[str]:
    return {str(one.constant) for one in made.hypotheses if isinstance(one, Delayed)}


def test_only_what_a_theorem_names_is_late_in_it() -> None:
    """Another theorem of the same file may look back further."""
    T, f, x = method()
    T.iterate(x, x[k] - gamma * f.grad(x[k - tau]))
    assert delays(T.shows(le(0, square(x[k] - x[k - 2 * tau])))) == {"tau", "2*tau"}
    T = begin("mine.other", "ours", f)
    T.iterate(x, x[k] - gamma * f.grad(x[k - tau]))
    assert delays(T.shows(le(0, square(x[k])))) == {"tau"}


def test_a_gradient_that_is_late_only_in_an_equation_is_late() -> None:
    T, f, x = method()
    g = vector("g")
    T.assume(equal(g, f.grad(x[k - tau])))
    T.iterate(x, x[k] - gamma * g)
    assert delays(T.shows(le(0, square(x[k])))) == {"tau"}


def test_what_was_drawn_before_is_not_drawn_again() -> None:
    """x̂ is given to the mean over g; where x itself is drawn, so is what it was."""
    T, f, x = method()
    g = vector("g")
    E = mean("E", g)
    T.iterate(x, x[k] - gamma * g)
    made = T.shows(le(E(dot(g, x[k - tau])), dot(x[k], x[k - tau])))
    (mean_of_g,) = made.goal.lhs.atoms(Mean)
    assert "x[k - tau]" not in random_names(mean_of_g)
    T = begin("mine.drawn", "ours", f)
    whole = mean("E", x[k], g)
    T.iterate(x, x[k] - gamma * g)
    made = T.shows(le(whole(dot(x[k], x[k - tau])), 1))
    (mean_of_x,) = made.goal.lhs.atoms(Mean)
    assert {"x[k]", "x[k - tau]"} <= random_names(mean_of_x)


def found(theorem: Theorem) -> bool:
    """Whether a certificate of the statement is found; what is offered is proved by its rule."""
    whole = offered(theorem)
    facts = {
        one.name: one.relation
        for one in (*whole.hypotheses, *whole.steps)
        if isinstance(one, (Hypothesis, Step))
    }
    combine = search(whole, whole.goal, facts).combine
    if combine is None:
        return False
    return prove(replace(whole, conclude=combine)).verdict is Verdict.PROVED


def drawn_late(
    *,
    also: bool = False,
    part: Any = 1,
    outside: bool = False,
) -> Theorem:
    """x⁺ = x − γ g_{k−τ} with g_j drawn at x_j, and how far x moves in τ iterations."""
    xs, gs = iterates("x", k), iterates("g", k)
    E = mean("E", gs[k - tau])
    T = begin("mine.drawn", "ours", function("f"))
    T.unbiased(E, gs[k - tau], 0 * STEP)
    T.bounded_variance(E, gs[k - tau], 0 * STEP, c)
    T.iterate(xs, xs[k] - gamma * gs[k - tau])
    D = T.sequence("D", square(xs[k] - xs[k - tau]))
    if also:
        T.assume(square(gs[k]) <= c**2)
    if outside:
        T.assume(square(xs[j]) <= c**2)
    moves = written(square(gs[j - tau]), j, k, tau)
    return T.shows(D(k) <= part * gamma**2 * tau * moves)


def test_what_is_drawn_late_is_summed_without_a_sequence_of_its_own() -> None:
    made = drawn_late()
    assert found(made)
    (moves,) = (one for one in made.sequences if str(one) == "‖g[-tau]‖²")
    assert made.sequences[moves] == square(vector("g[k - tau]"))
    assert made.goal.rhs.atoms(sympy.Sum) == {
        sympy.Sum(moves(j), (j, sympy.Max(0, k - tau), k - 1))
    }


def test_half_of_the_moves_are_too_few() -> None:
    assert not found(drawn_late(part=sympy.Rational(1, 2)))


def test_what_is_drawn_late_has_no_other_members() -> None:
    with pytest.raises(TheoryError, match="has moved since"):
        drawn_late(also=True)


def test_a_member_by_another_index_stays_inside_of_its_sum() -> None:
    with pytest.raises(TheoryError, match="outside of a sum over its index"):
        drawn_late(outside=True)


def test_a_quantity_that_is_summed_is_the_sequence_that_is_declared() -> None:
    f = function("f")
    T, x = begin("mine.sums", "ours", f), vector("x")
    T.iterate(x, x - gamma * f.grad(x), k)
    S = T.sequence("S", square(f.grad(x)))
    whole = total(2 * square(f.grad(x)), k, K)
    made = T.shows(total(S(k), k, K) <= whole)
    assert set(made.sequences) == {S}
    assert found(made)
    other = begin("mine.others", "ours", f)
    other.iterate(x, x - gamma * f.grad(x), k)
    assert not found(other.shows(whole <= total(square(f.grad(x)), k, K)))
