"""Makespans with durations F, B or I, and W as symbols, region by region.

Durations of a region (`theory.laws.duration_regions`) are sums, with coefficients of 0 or more, of
a few triples of whole numbers. Timetables of these, added up likewise, are one of every sum. So a
makespan that is linear on the region is proved by a timetable of each triple, and by what cannot
be shorter, one of

- a path: forwards down to the middle rank, all that it does, and backwards from there if none is
  split;
- what paths that are the longest inside the region count, action by action
  (`theory.laws.exact_starts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import sympy

from schedules.families.family import Family
from schedules.stamps import OPPOSITE, TURNS, WORKERS, StampedOrder
from theory.laws.duration_regions import Costs, Region, counted_runs, regions
from theory.laws.exact_starts import Exact, causes, told_by_number
from theory.laws.figure_forms import SYMBOLS, read_forms
from theory.laws.figure_runs import at_size, size_of
from theory.laws.stamped_families import HARD, proof
from theory.laws.stated_figures import Stated
from theory.laws.timetable_guesses import starts_of, timetable
from theory.laws.timetable_proofs import filled, in_time, merged, unhindered
from theory.laws.timetables import KINDS, Places, queues
from theory.smt.solver import Outcome, Statement
from theory.verdicts import Verdict, weakest

LARGEST_LEAST: Final = 3
"""From which p on a law has to hold at most."""

_LONGEST: Final = "a path of any durations is as long"


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
            "proof": [one.to_json() for one in self.proof],
        }


def span_laws(family: Family) -> tuple[SpanLaw, ...]:
    """Makespans that are proved of a family with figures; none where no region has one.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> str(span_laws(get_family("zb-h1"))[0].makespan)
    'F*M + I*M + I*p - I + M*W'
    """
    assert family.figures is not None
    order = family.rule
    if not isinstance(order, StampedOrder) or order.shape.name == TURNS.name:
        return ()
    stated = Stated(family, family.figures, read_forms(family.figures))
    if order.shape.name == WORKERS.name:
        return (_unhindered(stated),)
    found = (_law(stated, region) for region in regions(stated))
    return tuple(law for law in found if law is not None)


def _unhindered(stated: Stated) -> SpanLaw:
    """Ranks that never wait work all the time, whatever durations are."""
    each = stated.forms.work / 3
    alike = proof(stated.order, stated.family.name, "deadlock-free", {}, stated.subject)
    end = stated.term(stated.forms.work)
    shown = merged("work", "ranks do the same together", unhindered(stated.lanes, end, end))
    makespan = sympy.expand(each * sympy.Add(*sympy.symbols("F I W")))
    return SpanLaw("F, I, W >= 0", makespan, (replace(alike, name="alike"), shown))


def _law(stated: Stated, region: Region) -> SpanLaw | None:
    """A makespan with its proof, of what is proved of a region; None where that is nothing."""
    least = 1 + max(_unlike(stated, region), default=0)
    if least > LARGEST_LEAST:
        return None
    stated, kept = replace(stated, least=least), dict[Costs, Outcome | None]()
    while region.whole:
        kept |= {one: _in_time(stated, region, one) for one in region.corners if one not in kept}
        without = [one for one in region.corners if kept[one] is None]
        if not without:
            break
        region = region.without(without)
    shown = (_path(stated, region) or _counted(stated, region)) if region.whole else None
    if shown is None or shown.verdict is not Verdict.PROVED:
        return None
    names = ("F", "I", "W") if region.kinds == 3 else ("F", "B")
    parts = (
        sympy.Symbol(name) * sympy.factor(sympy.expand(n))
        for name, n in zip(names, region.counts, strict=True)
    )
    words = region.words + (f", p >= {least}" if least > 1 else "")
    makespan = sympy.expand(sympy.Add(*parts)).replace(sympy.floor, lambda one: one)  # p divides M
    proof = (shown, *(one for one in (kept[corner] for corner in region.corners) if one))
    return SpanLaw(words, makespan, proof)


def _unlike(stated: Stated, region: Region) -> Iterator[int]:
    """Values of p at which runs are not as long."""
    for corner in region.corners:
        span = region.span(corner)
        for run in stated.runs(dict(zip(KINDS, corner, strict=True))):
            if run.length != at_size(span, size_of(run)):
                yield run.at.p


def _in_time(stated: Stated, region: Region, corner: Costs) -> Outcome | None:
    """A timetable of some durations ends then; None where none does that is proved."""
    costs = dict(zip(KINDS, corner, strict=True))
    runs, span = list(stated.runs(costs)), stated.term(region.span(corner))
    start = timetable(stated.order, runs, [run.length for run in runs], costs)
    if start is None:
        return None
    words = ", ".join(f"{kind} = {cost}" for kind, cost in costs.items())
    claim = in_time(stated.lanes, start, span, costs)
    shown = merged(f"timetable {words}", "it ends there", claim)
    return shown if shown.verdict is Verdict.PROVED else None


def _path(stated: Stated, region: Region) -> Outcome | None:
    """Forwards to the middle rank, all of it, and backwards, where that is as long."""
    p, split = SYMBOLS["p"], stated.order.weight is not None
    each = stated.forms.work / (3 if split else 2)
    head = (p / 2 if stated.order.shape.name == OPPOSITE.name else p) - 1
    counts = (each + head, each + (0 if split else head), each)
    if any(sympy.expand(a - b) != 0 for a, b in zip(counts, region.counts, strict=False)):
        return None
    number = stated.term(head)
    return merged("path", _LONGEST, filled(stated.lanes, lambda stage: stage >= number))


def _counted(stated: Stated, region: Region) -> Outcome | None:
    """Paths that are the longest inside: how often they count durations, and what they go through.

    Every action stands behind an action, or a message, whose path is its own but for that action.
    """
    weights = range(1, len(region.corners) + 1)
    for factors in ([1] * len(weights), weights, weights[::-1]):
        durations = np.array(factors) @ np.array(region.corners)
        claim = _counting(stated, region, durations.tolist())
        shown = merged("path", _LONGEST, claim, HARD)
        if shown.verdict is Verdict.PROVED:
            return shown
    return None


def _counting(stated: Stated, region: Region, inside: Sequence[int]) -> Iterator[Statement]:
    runs = counted_runs(stated, inside[: region.kinds])
    if not told_by_number(stated.order, runs[0][0].at):
        return
    places = Places(stated.order, queues(stated.order, runs[0]) or {})
    found = [starts_of(places, some) for some in zip(*runs, strict=True)]
    counts = tuple(one for one in found if one is not None)
    if len(counts) == len(found):
        costs = tuple({kind: int(kind == one) for kind in KINDS} for one in KINDS[: region.kinds])
        exact = Exact(stated.lanes, counts, places, causes(places, runs, costs), costs)
        yield exact.reached(tuple(map(stated.term, region.counts)))
        yield from exact.statements()
