"""Delays where a stage updates after every K ≥ p gradients: one pipeline, one stage a rank.

Update t of stage i is number p·t + p − 1 − i of the history, and F of number r of window t ≥ 1
counts all updates of earlier windows but the last, and some of the last: how many, is guessed from
small runs and proved. The first window counts none. Where two versions are kept, F reads the older
one, so that against what it read every gradient is one window late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.closed_forms.affine import ONE, Affine, Piecewise
from schedules.closed_forms.fit import fit
from schedules.families.family import Family
from schedules.linearization import Linearization, get_linearization
from schedules.stamps import Number
from theory.laws.delays.guarded_sums import border, decided, on_class, one_polynomial, summed
from theory.laws.delays.polynomials import by_parity
from theory.laws.delays.round_law import in_p
from theory.laws.exact_starts import Exact
from theory.laws.proved_delays import NO_FORMS, StepDelays, Values
from theory.laws.stamp_terms import higher, neighbours, products
from theory.laws.step_delays import Known, timed
from theory.laws.timetable_proofs import merged
from theory.laws.timetables import Run
from theory.smt.solver import Statement, Term

_TRIED: Final = range(1, 9)
"""Values of p that extremes are guessed from."""

_P, _K = sympy.symbols("p K", integer=True)

_COUNTED: Final = "updates stand where it is said, and every F counts those in front of it"


@dataclass(frozen=True)
class Extreme:
    """A number of p: an affine form, but for some small p."""

    form: Affine
    small: tuple[tuple[int, int], ...]

    def at(self, p: Term) -> Term:
        """For a solver."""
        found = self.form.at({"p": p})
        for size, value in self.small:
            found = z3.If(p == size, z3.IntVal(value), found)
        return found

    def to_sympy(self) -> sympy.Expr:
        """As it is printed."""
        small = ((sympy.Integer(value), sympy.Eq(_P, size)) for size, value in self.small)
        return sympy.Piecewise(*small, (self.form.to_sympy(), True))


@dataclass(frozen=True)
class Windows:
    """Delays of the gradients of a window, from the second on.

    Attributes
    ----------
    counted : Piecewise
        Updates of the window before that F counts, over its number m in its window, its stage s,
        and p.
    largest, least : Extreme
        Of all delays.
    late : tuple of sympy expression
        Sum over m and s of p − `counted`, by p mod 2.
    interval : sympy expression
        K.
    older : bool
        Whether F reads the version before the newest of its window.
    """

    counted: Piecewise
    largest: Extreme
    least: Extreme
    late: tuple[sympy.Expr, ...]
    interval: sympy.Expr = _K
    older: bool = False

    def delay(self, i: Number, j: Number, r: Number, p: Number, choose: Any) -> Number:
        """Of stage i and number r of a window, against block j."""
        return 2 * p - 1 - i - self.counted.at({"m": r, "s": j, "p": p}, choose)

    def to_json(self, chosen: Values) -> dict[str, Any]:
        """As plain data; the first window is in ``delay_of`` alone."""
        names = {"m": "r", "s": "j"}
        i, j = sympy.symbols("i j", integer=True)
        rows = self.counted.renamed(names).described()
        symbols = {name: sympy.Symbol(name, integer=True) for name in ("r", "j", "p")}
        whole = [sympy.sympify(row["expr"], locals=symbols) for row in rows]
        K, M = self.interval.subs(chosen), sympy.Symbol("M", integer=True)
        mean = {
            rest: sympy.expand((_P - 1) / 2 + late / (_P * K))
            for rest, late in enumerate(self.late)
        }
        largest, few = self.largest.to_sympy(), 2 * K > M
        forms = {
            "max": largest,
            "min": self.least.to_sympy(),
            "mean": by_parity(mean),
            "whole_run_max": sympy.piecewise_fold(sympy.Piecewise((_P - 1, few), (largest, True))),
        }
        return {
            "delay": [
                {"when": row["when"], "expr": sympy.sstr(2 * _P - 1 - i - form)}
                for row, form in zip(rows, whole, strict=True)
            ],
            "delay_of": f"number r of every window but the first, of {K} ≥ p microbatches",
            "equivalent_delay": sympy.sstr(_P + j - i) if self.older else None,
            **{name: sympy.sstr(form) for name, form in forms.items()},
        }


def window_delays(known: Known, family: Family, linearization: str) -> StepDelays:
    """Guess how many updates forwards count and prove it, of a line whose B is not split."""
    lines, interval = get_linearization(linearization), sympy.Symbol(family.interval, integer=True)
    (exact, proof), found = timed(known), from_runs(known.runs, lines)
    if exact is None or found is None:
        return StepDelays(linearization, None, (), NO_FORMS)
    proof.append(merged("delay", _COUNTED, by_windows(exact, found, lines)))
    older = family.policy.name == "double-buffer"
    return StepDelays(linearization, replace(found, interval=interval, older=older), tuple(proof))


def from_runs(runs: Sequence[Run], lines: Linearization) -> Windows | None:
    """What fits small runs; None where no form does."""
    tables = [_table(run, K, lines) for run in runs for K in _intervals(run)]
    if not tables:
        return None
    m, s, p, target = np.concatenate(tables, axis=1)
    counted = fit({"m": m, "s": s, "p": p}, target, [("m", "s", "p")])
    if counted is None:
        return None
    largest, least = (_extreme(counted, which) for which in (max, min))
    return Windows(counted, largest, least, tuple(_late(counted, rest) for rest in (0, 1)))


def _intervals(run: Run) -> Iterator[int]:
    p = run.at.p
    yield from (K for K in (p, p + 1, 2 * p) if 2 * K <= run.at.M)


def _table(run: Run, K: int, lines: Linearization) -> Any:
    """Numbers, stages, p, and what F of the second window counts of the first."""
    at, start = run.at, {kind: np.zeros((run.at.p, run.at.M), int) for kind in "FB"}
    for kind, of in start.items():
        of[at.rank, at.x] = run.starts[kind]
    m, s, i = np.meshgrid(np.arange(K), np.arange(at.p), np.arange(at.p), indexing="ij")
    slot, begin = start["B"][i, K - 1], start["F"][s, K + m]
    same = (slot == begin) & lines.counted(i, s, by_forward=True)
    found = ((slot < begin) | same).sum(axis=2)
    return np.stack([m[..., 0], s[..., 0], np.full(found.shape, at.p), found]).reshape(4, -1)


def _extreme(counted: Piecewise, which: Callable[[Iterable[int]], int]) -> Extreme:
    values = []
    for p in _TRIED:
        m, s, i = np.indices((p + 1, p, p))
        found = 2 * p - 1 - i - counted.at({"m": m, "s": s, "p": p}, np.where)
        values.append(which(found.ravel().tolist()))
    slope = values[-1] - values[-2]
    form = Affine((("p", slope),) if slope else (), values[-1] - slope * _TRIED[-1])
    tried = zip(_TRIED, values, strict=True)
    return Extreme(form, tuple((p, one) for p, one in tried if one != form.at({"p": p})))


def _late(counted: Piecewise, rest: int) -> sympy.Expr:
    """The sum of p − `counted` over all stages and numbers, for p ≡ rest modulo 2.

    Raises
    ------
    UnsupportedFormError
        The sum is no polynomial.
    """
    r, x, p = (Affine(((name, 1),)) for name in "rxp")
    inside = (r, p.plus(r, -1), x, p.plus(x, -1).plus(ONE, -1))  # from r = p − 1 on none is left
    late = Piecewise(tuple(replace(one, value=p.plus(one.value, -1)) for one in counted.pieces))
    terms = decided(late.renamed({"m": "r", "s": "x"}), frozenset(map(border, inside)))
    by_stage = on_class(summed(terms, "x", frozenset({p.plus(ONE, -1)})), "p", 2, rest)
    least = frozenset({p.plus(ONE, rest - 1)})  # p = 2·P + rest ≥ 1
    return in_p(one_polynomial(summed(by_stage, "r", least), least), 2, rest)


def by_windows(exact: Exact, found: Windows, lines: Linearization) -> Iterator[Statement]:
    """Updates stand where it is said, and forwards count what it is said that they do."""
    whole, divide = exact.whole, exact.lanes.size.divisions()
    p, M = exact.lanes.size.p, exact.lanes.size.M
    K, t, u, r, y = z3.Ints("K t u r y")
    windows = [t, u, z3.IntVal(0)]
    sizes = [p <= K, t >= 0, u >= 0, *products(windows, K), *products(windows, p)]
    sizes += neighbours(windows, K) + neighbours(windows, p)

    def update(rank: str, window: Term) -> tuple[Any, Term, Term]:
        """The gradient that closes a window, its last slot, and its place in the history."""
        at = whole.one(z3.IntVal(0), rank, "x", divide).number(K * window + K - 1)
        return at, exact.over(at) - 1, p * window + p - 1 - at.rank

    one = whole.one(z3.IntVal(0), "rank", "x", divide)
    known = (*whole.known(divide, one), y >= 0, y < one.x)
    says = "a stage has its gradients in the order of microbatches"
    yield Statement("in turn", says, known, exact.over(one.number(y)) < exact.over(one))
    (one, slot, place), (two, other, there) = update("rank", t), update("rank_2", u)
    keys = [
        ((end, at.stage if lines.ascending else -at.stage) if lines.backward_counts else (end,))
        for end, at in ((slot, one), (other, two))
    ]
    same = z3.And(one.rank == two.rank, t == u)
    goal = z3.And(higher(*keys) == (place > there), z3.Implies(place == there, same), place >= 0)
    known = (*whole.known(divide, one, two), *sizes)
    yield Statement("place", "updates stand where it is said", known, goal)
    begun = one.number(K * t + r)
    begin = exact.start("F", begun)
    some = found.counted.at({"m": r, "s": begun.rank, "p": p}, z3.If)
    recorded = z3.If(t >= 1, p * (t - 1) + some, 0)
    counts = lines.counted(two.stage, begun.stage, by_forward=True)
    seen = z3.Or(other < begin, z3.And(other == begin, counts))
    known = (*whole.known(divide, begun, two), *sizes, r >= 0, r < K, K * t + K <= M)
    goal = z3.And(seen == (there < recorded), recorded >= 0, recorded <= p * t)
    yield Statement("recorded", "forwards count the updates in front of a place", known, goal)
    yield from _extremes(found)


def _extremes(found: Windows) -> Iterator[Statement]:
    """No delay of a window from the second on is larger or less, and some are these."""
    p, K, i, j, r = z3.Ints("p K i j r")
    largest, least = found.largest.at(p), found.least.at(p)
    known = (p >= 1, p <= K, *(z3.And(one >= 0, one < p) for one in (i, j)), r >= 0, r < K)
    one = found.delay(i, j, r, p, z3.If)
    within = z3.And(one <= largest, one >= least, z3.Implies(r >= p - 1, one == p - 1 - i))
    yield Statement("extremes", "delays lie between the extremes", known, within)
    ends = product((z3.IntVal(0), p - 1), repeat=3)
    some = [found.delay(i, j, r, p, z3.If) for i, j, r in ends]
    goal = z3.And(*(z3.Or(*(one == most for one in some)) for most in (largest, least)))
    yield Statement("attained", "the extremes are delays", (p >= 1,), goal)
