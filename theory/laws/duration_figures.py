"""Makespans with durations F, B or I, and W as symbols, region by region.

Durations of a region are sums, with coefficients of 0 or more, of a few triples of whole numbers.
Timetables of these, added up likewise, are one of every sum. So a makespan that is linear on the
region is proved by a timetable of each triple, and by a path of any durations that is as long:

- forwards down to the middle rank, all that it does, and backwards from there if none is split;
- in one stage a rank, forwards down to the last, all that it does up to its last I, the I of that
  microbatch up to the first rank, and the W that are left there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import sympy
import z3

from schedules.closed_forms.fit import exact_affine
from schedules.families.family import Family
from schedules.stamps import LINE, OPPOSITE, WORKERS, StampedOrder
from theory.laws.figures import SYMBOLS, Stated, at_size, read_forms, size_of
from theory.laws.timetable_proofs import behind_last, filled, in_time, merged
from theory.laws.timetables import KINDS, Run, timetable
from theory.smt.solver import Outcome, Statement
from theory.verdicts import Verdict, weakest

Costs = tuple[int, int, int]
"""Of F, of B or I, and of W."""


@dataclass(frozen=True)
class Region:
    """Durations, in words, and the triples that they are sums of."""

    words: str
    corners: tuple[Costs, ...]


WHOLE: Final = (
    (Region("F, B >= 0", ((1, 0, 0), (0, 1, 0))),),
    (
        Region("B >= F >= 0", ((1, 1, 0), (0, 1, 0))),
        Region("F >= B >= 0", ((1, 1, 0), (1, 0, 0))),
    ),
)
SPLIT: Final = (
    (
        Region("F >= W and I >= W >= 0", ((1, 1, 1), (1, 0, 0), (0, 1, 0))),
        Region("F >= W >= I >= 0", ((1, 1, 1), (1, 0, 1), (1, 0, 0))),
    ),
    (
        Region("F >= W and I >= 2*W >= 0", ((1, 2, 1), (1, 0, 0), (0, 1, 0))),
        Region("F >= W and 2*W >= I >= 0", ((1, 2, 1), (1, 0, 1), (1, 0, 0))),
    ),
)
"""Those of one line stand beside each other; the first line with most laws counts."""


@dataclass(frozen=True)
class SpanLaw:
    """A makespan for all durations of a region.

    Attributes
    ----------
    region, makespan : str and sympy expression
    proof : tuple of Outcome
    """

    region: str
    makespan: sympy.Expr
    proof: tuple[Outcome, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "verdict": weakest(one.verdict for one in self.proof).name,
            "domain": self.region,
            "starts": {},
            "makespan": sympy.sstr(self.makespan),
            "proof": [
                {
                    "name": one.name,
                    "says": one.says,
                    "verdict": one.verdict.name,
                    "method": one.note,
                }
                for one in self.proof
            ],
        }


Path = tuple[tuple[sympy.Expr, ...], list[Statement]]
"""How often each duration counts, and what shows that such a path is in every run."""


def span_laws(family: Family) -> tuple[SpanLaw, ...]:
    """Makespans that are proved of a family with figures; none where no region has one.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> str(span_laws(get_family("zb-h1"))[1].makespan)
    'F*M + F*p - F + I*M + M*W'
    """
    assert family.figures is not None
    order = family.rule
    if not isinstance(order, StampedOrder) or order.shape.name == WORKERS.name:
        return ()
    stated = Stated(family, family.figures, read_forms(family.figures))
    paths = list(_paths(stated, order))
    best: tuple[SpanLaw, ...] = ()
    for regions in SPLIT if order.weight is not None else WHOLE:
        laws = (
            next(filter(None, (_law(stated, region, path) for path in paths)), None)
            for region in regions
        )
        found = tuple(law for law in laws if law is not None)
        if len(found) == len(regions):
            return found
        best = max(best, found, key=len)
    return best


def _paths(stated: Stated, order: StampedOrder) -> Iterator[Path]:
    p, each = SYMBOLS["p"], stated.forms.work / (3 if order.weight is not None else 2)
    head = (p / 2 if order.shape.name == OPPOSITE.name else p) - 1
    number = stated.term(head)
    tail = 0 if order.weight is not None else head
    full = list(filled(stated.lanes, lambda stage: stage >= number))
    yield (each + head, each + tail, each), full
    left = _left(stated) if order.weight is not None and order.shape.name == LINE.name else None
    if left is not None:
        first, last = left
        proof = [
            *behind_last(stated.lanes, z3.IntVal(0), stated.term(first)),
            *behind_last(stated.lanes, stated.lanes.size.p - 1, stated.term(last)),
        ]
        yield (each + p - 1, each + p - 1, each - last + first), proof


def _left(stated: Stated) -> tuple[sympy.Expr, sympy.Expr] | None:
    """How many W stand behind the last I, on the first rank and on the last."""
    rows = []
    for run in stated.runs():
        back, weight = (run.stamps[kind][0] for kind in ("B", "W"))
        ends = [(run.at.rank == rank) for rank in (0, run.at.p - 1)]
        rows.append([run.at.p, *((weight[own] > back[own].max()).sum() for own in ends)])
    p, *counts = np.array(rows).T
    every = np.ones(len(p), dtype=np.bool_)
    forms = [exact_affine({"p": p}, one, every, ("p",)) for one in counts]
    found = [form.at({"p": SYMBOLS["p"]}) for form in forms if form is not None]
    return (sympy.sympify(found[0]), sympy.sympify(found[1])) if len(found) == 2 else None


def _law(stated: Stated, region: Region, path: Path) -> SpanLaw | None:
    counts, shown = path
    corners = []
    for corner in region.corners:
        costs = dict(zip(KINDS, corner, strict=True))
        end = sympy.Add(*(cost * count for cost, count in zip(corner, counts, strict=True)))
        runs = list(stated.runs(costs))
        if not _ends(runs, end):
            return None
        corners.append((costs, end, runs))
    proof = [merged("path", "a path of any durations is as long", shown)]
    for costs, end, runs in corners:
        ends = [run.length for run in runs]
        start = timetable(stated.order, runs, ends, costs)
        if start is None:
            return None
        claim = in_time(stated.lanes, start, stated.term(end), costs)
        words = ", ".join(f"{kind} = {cost}" for kind, cost in costs.items())
        proof.append(merged(f"timetable {words}", "it ends there", claim))
        if proof[-1].verdict is not Verdict.PROVED:
            return None
    names = ("F", "I", "W") if stated.order.weight is not None else ("F", "B")
    parts = (
        sympy.Symbol(name) * sympy.factor(sympy.expand(n))
        for name, n in zip(names, counts, strict=False)
    )
    return SpanLaw(region.words, sympy.expand(sympy.Add(*parts)), tuple(proof))


def _ends(runs: Sequence[Run], end: sympy.Expr) -> bool:
    return all(run.length == at_size(end, size_of(run)) for run in runs)
