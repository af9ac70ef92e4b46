"""`Closed`: the closed forms of a delay law, and how they read as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import sympy

from schedules.closed_forms.affine import ONE
from schedules.closed_forms.counts import CountForm
from schedules.closed_forms.floor_sums import p_, x_
from schedules.closed_forms.start_times import StartTimes
from theory.laws.delays.matrix import ByResidue, Columns, DelayMatrix, i_, j_
from theory.laws.delays.polynomials import by_parity
from theory.laws.delays.shape import Shape
from theory.laws.delays.staleness import LocalStaleness
from theory.laws.delays.whole_run import WholeRun

_SYMBOLS: Final = {str(symbol): symbol for symbol in (p_, i_, j_)}


@dataclass(frozen=True)
class Closed:
    """The closed forms of a delay law, before or after proof."""

    start_times: StartTimes
    counts: CountForm
    matrix: DelayMatrix
    mean: ByResidue
    whole: WholeRun | None
    staleness: LocalStaleness
    shape: Shape


def by_residue(closed: Closed) -> dict[str, ByResidue | None]:
    """What depends on p alone, by the residue of p; None where no closed form is known."""
    classes = range(closed.matrix.period)
    return {
        "max": {a: closed.matrix.corner(a, last=False) for a in classes},
        "min": {a: closed.matrix.corner(a, last=True) for a in classes},
        "mean": closed.mean,
        "whole_run_max": None if closed.whole is None else closed.whole.supremum,
        "whole_run_least_m": None if closed.whole is None else closed.whole.least_m,
    }


def closed_json(closed: Closed) -> dict[str, Any]:
    """The closed forms by the keys of ``derive``; `sympy.sstr` texts."""
    largest = closed.staleness.largest
    assert largest is not None, "a proved law has one"
    tables = by_residue(closed)
    return {
        "start_times": described(closed.start_times),
        "delay": delay_cases(closed.matrix),
        **{
            name: None if table is None else sympy.sstr(by_parity(table))
            for name, table in tables.items()
        },
        "local_staleness": _staleness(closed),
        "makespan": sympy.sstr(closed.shape.makespan),
        "bubble": sympy.sstr(closed.shape.bubble),
        "in_flight": closed.shape.in_flight.renamed({"s": "i"}).described(),
        "local_staleness_whole_run": largest.renamed({"s": "i"}).described(),
    }


def described(times: StartTimes) -> dict[str, Any]:
    """Start times as ``{"when", "expr"}`` texts, by kind, and their period beyond 1."""
    forms = {"F": times.forward, "B": times.backward}
    texts: dict[str, Any] = {kind: form.described(times.many) for kind, form in forms.items()}
    if times.period != ONE:
        texts["period"] = sympy.sstr(times.period.to_sympy())
    return texts


def delay_cases(matrix: DelayMatrix) -> list[dict[str, str]]:
    """The matrix as ``{"when", "expr"}`` texts, disjoint and exhaustive, merged where equal."""
    q = range(matrix.period)
    return _apart(
        matrix.columns,
        j_,
        [
            _cases(
                {(a, b, c): matrix.entry(a, b, c, place) for a, b, c in product(q, q, q)},
                matrix.period,
            )
            for place in range(len(matrix.columns))
        ],
    )


def _apart(
    columns: Sequence[Columns], stage: sympy.Symbol, cases: Sequence[list[dict[str, str]]]
) -> list[dict[str, str]]:
    """Cases of every entry of a decision list by a stage, each under its own condition."""
    rows: list[dict[str, str]] = []
    earlier: list[Any] = []
    for one, own in zip(columns, cases, strict=True):
        here = list(earlier)
        if one.guard is not None:
            guard = one.guard.at({"x": stage, "p": p_}) >= 0
            here, earlier = [*here, guard], [*earlier, sympy.Not(guard)]
        for case in own:
            when = sympy.And(*here, sympy.sympify(case["when"], locals=_SYMBOLS))
            rows.append({**case, "when": sympy.sstr(when)})
    return rows


def _cases(table: Mapping[tuple[int, int, int], sympy.Expr], q: int) -> list[dict[str, str]]:
    """Split by the residues of p, then i, then j, but only where the formulas differ."""
    rows: list[dict[str, str]] = []

    def split(known: tuple[int, ...]) -> None:
        inside = {form for key, form in table.items() if key[: len(known)] == known}
        if len(inside) > 1:
            for residue in range(q):
                split((*known, residue))
            return
        tests = zip((p_, i_, j_), known, strict=False)
        when = sympy.And(*(sympy.Eq(sympy.Mod(symbol, q), residue) for symbol, residue in tests))
        rows.append({"when": sympy.sstr(when), "expr": sympy.sstr(inside.pop())})

    split(())
    return rows


def _staleness(closed: Closed) -> Any:
    q, steady = closed.matrix.period, closed.staleness.columns
    cases = [
        _cases(
            {(a, b, c): one.recorded[a, b].subs(x_, i_) for a, b, c in product(range(q), repeat=3)},
            q,
        )
        for one in steady
    ]
    rows = _apart(steady, i_, cases)
    return rows[0]["expr"] if len(rows) == 1 else rows
