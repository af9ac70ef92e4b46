"""Timetables (`theory.laws.timetables`) and what else small runs tell, guessed.

The timetable is guessed from small runs, one of

- the stamps, where they are slots;
- the start times, as decision lists of affine forms;
- stamps between the earliest starts of forwards alone and the latest ones of backwards alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from schedules.closed_forms.fit import MAX_PIECES, exact_affine, fit
from schedules.dependencies import MISSING
from schedules.schedule import IntArray
from schedules.stamps import LINE, LOOP, OPPOSITE, TURNS, At, Number, StampedOrder
from theory.laws.timetables import (
    ENDS,
    UNIT,
    Form,
    Forms,
    Places,
    Run,
    Start,
    duration,
    kinds,
    queues,
    stamp,
)

MOST_ROWS: Final = 1200
"""Actions of a kind that a guess is made from; all are compared with it."""

WAYS: Final = ("number", "stamp", "round", "rounds")
"""A number, a stamp, or the number in a round of as many as there are stages to the middle.

The last one counts rounds too."""

MOST_BENDS: Final = 2 * (MAX_PIECES - 1)

FEW: Final = 3
"""Pieces of a form for which no other is looked for."""

_BASES: Final = (("m", "s", "p"), ("m", "s", "p", "M"))

_IN_A_LOOP: Final = (*_BASES[:1], ("m", "s", "p", "V"), ("m", "s", "p", "M", "V"))


def guessed(
    places: Places, runs: Sequence[Run], kind: str, target: Callable[[Run], IntArray]
) -> dict[tuple[str, bool], Form] | None:
    """Forms of a number of the actions of a kind, by track; None where one has none."""
    found: dict[tuple[str, bool], Form] = {}
    for track in (True, False):
        best: Form | None = None
        for way in WAYS:
            columns, wanted = _tabulated(places, runs, kind, way, track, target)
            if not len(wanted):
                break
            if _bends(columns, wanted) > MOST_BENDS:
                continue
            bases = _IN_A_LOOP if "V" in columns else _BASES
            some = slice(None, None, max(1, len(wanted) // MOST_ROWS))
            form = fit(
                {name: one[some] for name, one in columns.items()}, wanted[some], bases, wide=True
            )
            if form is not None and (form.at(columns, np.where) == wanted).all():
                if best is None or len(form.pieces) < len(best.piecewise.pieces):
                    best = Form(form, way)
                if len(form.pieces) <= FEW:
                    break
        else:
            if best is None:
                return None
        if best is not None:
            found[kind, track] = best
    return found


def _bends(columns: Mapping[str, IntArray], wanted: IntArray) -> int:
    """How often a number bends along m, at most: a list of few forms does not do so often."""
    others = [column for name, column in columns.items() if name != "m"]
    sequence = np.lexsort((columns["m"], *others))
    where = np.stack(others)[:, sequence]
    same = (np.diff(where) == 0).all(axis=0)
    step, rise = np.diff(columns["m"][sequence]), np.diff(wanted[sequence])
    bends = same[1:] & same[:-1] & (rise[1:] * step[:-1] != rise[:-1] * step[1:])
    return int(np.bincount(np.cumsum(~same)[1:], bends).max()) if len(bends) else 0


def _tabulated(
    places: Places,
    runs: Sequence[Run],
    kind: str,
    way: str,
    track: bool,
    target: Callable[[Run], IntArray],
) -> tuple[dict[str, IntArray], IntArray]:
    names: tuple[str, ...] = ()
    parts = []
    for run in runs:
        first, values = places.of(kind, run.at)
        values, wanted = dict(places.by(way, kind, run.at, values)), target(run)
        names = tuple(values)
        table = np.stack([np.broadcast_to(one, len(wanted)) for one in (*values.values(), wanted)])
        parts.append(table[:, (first == track) & (run.starts.get(kind, wanted) != MISSING)])
    *columns, wanted = np.concatenate(parts, axis=1)
    return dict(zip(names, columns, strict=True)), wanted


def timetable(
    order: StampedOrder,
    runs: Sequence[Run],
    ends: Sequence[int],
    costs: Mapping[str, int] = UNIT,
    *,
    exact: bool = False,
) -> Start | None:
    """A timetable that every run keeps and that ends as is said; None where none is guessed.

    An exact one is what every run does.
    """

    def fits(start: Start) -> bool:
        return not (exact and late(order, runs, start)) and all(
            _kept(order, run, start, end, costs) for run, end in zip(runs, ends, strict=True)
        )

    def by_stamps(kind: str, at: At) -> Number:
        return stamp(order, kind, at)[0]

    if fits(by_stamps):
        return by_stamps
    rows = queues(order, runs)
    if rows is None:
        return None
    places = Places(order, rows)
    starts: Start | None = starts_of(places, runs) or _clipped(places, runs, ends)
    return starts if starts is not None and fits(starts) else None


def starts_of(places: Places, runs: Sequence[Run]) -> Forms | None:
    """Forms of all starts; None where one has none."""
    forms: dict[tuple[str, bool], Form] = {}
    for kind in kinds(places.order):
        found = guessed(places, runs, kind, _starts(kind))
        if found is None:
            return None
        forms |= found
    return Forms(places, forms)


def late(order: StampedOrder, runs: Sequence[Run], start: Start) -> bool:
    """Whether a timetable has other starts than a run."""
    return any(
        ((run.starts[kind] != MISSING) & (run.starts[kind] != start(kind, run.at))).any()
        for run in runs
        for kind in kinds(order)
    )


def _starts(kind: str) -> Callable[[Run], IntArray]:
    return lambda run: run.starts[kind]


def _numbers(kind: str) -> Callable[[Run], IntArray]:
    return lambda run: run.numbers(kind)


def _kept(order: StampedOrder, run: Run, start: Start, end: int, costs: Mapping[str, int]) -> bool:
    """Whether a timetable is one of a run, and ends when that is said."""
    ranks, begins, takes, stamps = [], [], [], []
    for kind in kinds(order):
        own = run.starts[kind] != MISSING
        begin = np.broadcast_to(start(kind, run.at), len(own))[own]
        if (begin < run.starts[kind][own]).any():
            return False
        begins.append(begin)
        takes.append(np.broadcast_to(duration(order, kind, run.at, costs), len(own))[own])
        ranks.append(run.at.rank[own])
        stamps.append(np.stack(run.stamps[kind])[:, own])
    rank, begin, over = (np.concatenate(parts) for parts in (ranks, begins, begins))
    over = over + np.concatenate(takes)
    sequence = np.lexsort((*np.concatenate(stamps, axis=1)[::-1], rank))
    same = np.diff(rank[sequence]) == 0
    return bool((over <= end).all() and (begin[sequence][1:] >= over[sequence][:-1])[same].all())


def _clipped(places: Places, runs: Sequence[Run], ends: Sequence[int]) -> Start | None:
    """Stamps, moved, but forwards no earlier and backwards no later than one a slot allows.

    They are moved so that the last rank begins its forwards when it can.
    """
    order = places.order
    if order.weight is not None or order.shape.name not in (LINE.name, LOOP.name):
        return None
    rows = []
    for run, end in zip(runs, ends, strict=True):
        last = run.at.rank == run.at.p - 1
        move = (run.starts["F"] - run.stamps["F"][0])[last].min()
        _, values = places.of("F", run.at)
        sizes = [values["p"], values["M"], values.get("V", 0)]
        rows.append([*sizes, move, end])
    p, M, V, move, end = np.array(rows).T
    columns, every = {"p": p, "M": M, "V": V}, np.ones(len(p), dtype=np.bool_)
    known = [exact_affine(columns, one, every, ("p", "M", "V")) for one in (move, end)]
    if None in known:
        return None
    moved, over = (form for form in known if form is not None)

    def start(kind: str, at: At) -> Number:
        _, values = places.of(kind, at)
        usual = stamp(order, kind, at)[0] + moved.at(values)
        if kind == "F":
            return at.most(values["m"] + values["s"], usual)
        latest = over.at(values) - values["M"] + values["m"] - values["s"]
        return at.choose(usual < latest, usual, latest)

    return start


def numbers(order: StampedOrder, runs: Sequence[Run]) -> Start | None:
    """Which forward, and which end of a backward, of its rank one is; None where no form fits."""
    rows = queues(order, runs)
    if rows is None:
        return None
    places = Places(order, rows)
    if rows or order.shape.name in (LINE.name, TURNS.name):
        return lambda kind, at: places.of(kind, at)[1]["m"]
    forms: dict[tuple[str, bool], Form] = {}
    for kind in ("F", ENDS):
        found = guessed(places, runs, kind, _numbers(kind))
        if found is None:
            return None
        forms |= found
    return Forms(places, forms)


def reached(order: StampedOrder, runs: Sequence[Run]) -> Callable[[At], Number] | None:
    """How many ends stand before the forward with which a rank first keeps the most."""
    rows = []
    for run in runs:
        begun, ended = (run.stamps[kind] for kind in ("F", ENDS))
        for rank in range(run.at.p):
            own = np.flatnonzero(run.at.rank == rank)
            stamps = np.concatenate([np.stack(one)[:, own] for one in (ended, begun)], axis=1)
            steps = np.repeat([-1, 1], len(own))[np.lexsort(stamps[::-1])]
            first = int(np.argmax(np.cumsum(steps)))
            rows.append((*_hops(order, rank, run.at), (steps[:first] < 0).sum()))
    s, p, ended = np.array(rows).T
    every = np.ones(len(s), dtype=np.bool_)
    form = exact_affine({"s": s, "p": p}, ended, every, ("s", "p"))
    if form is None:
        return None
    return lambda at: form.at(dict(zip(("s", "p"), _hops(order, at.rank, at), strict=True)))


def _hops(order: StampedOrder, rank: Number, of: At) -> tuple[Number, Number]:
    """Distance of a rank from where its pipelines begin, and from there to the middle."""
    if order.shape.name != OPPOSITE.name:
        return rank, of.p
    half = of.divide(of.p, 2)[0]
    return of.choose(rank < half, rank, of.p - 1 - rank), half
