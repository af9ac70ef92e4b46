"""Orders given by stamps: a rank does what it has to do in the order of numbers stated as data.

Legend: p ranks, M microbatches, stage s. A rank holds one or several *lanes*: a stage of a
pipeline each, as a `Shape` says. In every lane the microbatches of its pipeline are numbered
x = 0, 1, …; F, B (or I and W, where the backward is split) of number x have a stamp each.

A stamp says where an action stands on its rank, and is chosen so that it also grows from rank to
rank along what computations need: then the order is causal for all sizes, and that is one question
about the formulas (`theory.laws.stamped`). They are written with arithmetic operators, `At.choose`
and `At.divide`, so that the same data serve arrays here and solver terms there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, Final, Literal

import numpy as np

from schedules.actions import Kind, among
from schedules.errors import FamilyFileError, ParameterError
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import Group, IntArray, Schedule

Number = Any
"""An integer, an array of them, or a solver term."""

Stamp = tuple[Number, ...]
"""Compared from the first number on; as long for all actions of an order."""


@dataclass(frozen=True)
class At:
    """One microbatch in one lane of one rank.

    Attributes
    ----------
    p, M : number
        Ranks and microbatches.
    values : mapping of str to number
        Parameters, by name.
    lane, rank, stage : number
    x : number
        Which of the microbatches of its pipeline, from 0.
    choose : callable
        ``choose(test, yes, no)``.
    divide : callable
        ``divide(number, divisor)``: quotient, rounded down, and remainder.
    """

    p: Number
    M: Number
    values: Mapping[str, Number]
    lane: Number
    rank: Number
    stage: Number
    x: Number
    choose: Callable[[Any, Number, Number], Number]
    divide: Callable[[Number, Number], tuple[Number, Number]]

    def most(self, one: Number, other: Number) -> Number:
        """The larger of two numbers."""
        return self.choose(one > other, one, other)

    def number(self, x: Number) -> At:
        """Another microbatch in the same lane."""
        return replace(self, x=x)


@dataclass(frozen=True)
class Shape:
    """Which stages a rank holds.

    Attributes
    ----------
    name : str
    lanes : callable
        ``lanes(values)``: how many every rank has.
    stage : callable
        ``stage(lane, rank, p, choose)``.
    pipelines : str
        What is a pipeline with a copy of the weights of its own: each of the ``"lanes"``, each of
        the ``"ranks"``, or ``"one"`` pipeline of all; ``"turns"``: as many as the parameter
        ``replicas`` says, which take the numbers of the only lane in turn.
    """

    name: str
    lanes: Callable[[Mapping[str, Number]], Number]
    stage: Callable[[Number, Number, Number, Callable[..., Number]], Number]
    pipelines: Literal["one", "lanes", "ranks", "turns"] = "one"

    def stages(self, p: Number, values: Mapping[str, Number]) -> Number:
        """Stages of one pipeline."""
        lanes = self.lanes(values)
        return {"one": lanes * p, "lanes": p, "ranks": lanes, "turns": p}[self.pipelines]

    def microbatches(self, at: At) -> Number:
        """Microbatches of one pipeline."""
        if self.pipelines in ("one", "turns"):
            return at.M
        divisor = self.lanes(at.values) if self.pipelines == "lanes" else at.p
        return at.divide(at.M, divisor)[0]

    def pipeline(self, at: At) -> Number:
        """Which pipeline a number belongs to."""
        if self.pipelines == "turns":
            return at.divide(at.x, at.values["replicas"])[1]
        return {"one": 0 * at.lane, "lanes": at.lane, "ranks": at.rank}[self.pipelines]

    def placement(self, p: int, values: Mapping[str, int]) -> Placement:
        """Where they run, and which weights they use."""
        lanes, stages = self.lanes(values), self.stages(p, values)
        turns = values.get("replicas", 1)
        count = {"one": 1, "lanes": lanes, "ranks": p, "turns": turns}[self.pipelines]
        ranks = [[0] * stages for _ in range(count)]
        for lane, rank in product(range(lanes), range(p)):
            stage = self.stage(lane, rank, p, _choose)
            own = {"lanes": [lane], "ranks": [rank]}.get(self.pipelines, range(count))
            for pipeline in own:
                ranks[pipeline][stage] = rank
        copies = ((copy,) * stages for copy in range(count))
        return Placement(tuple(map(tuple, ranks)), tuple(copies))


def _choose(test: bool, yes: int, no: int) -> int:
    return yes if test else no


LINE: Final = Shape("line", lambda values: 1, lambda lane, rank, p, choose: rank)
"""Stage s on rank s."""

TURNS: Final = Shape(
    "turns", lambda values: 1, lambda lane, rank, p, choose: rank, pipelines="turns"
)
"""Stage s on rank s of as many pipelines as ``replicas``, in turn."""

LOOP: Final = Shape(
    "loop", lambda values: values["chunks"], lambda lane, rank, p, choose: lane * p + rank
)
"""Stage s on rank s mod p: from the last rank back to the first; lanes are chunks."""

VEE: Final = Shape(
    "vee", lambda values: 2, lambda lane, rank, p, choose: choose(lane == 0, rank, 2 * p - 1 - rank)
)
"""Stages 0 … p − 1 down the ranks, p … 2p − 1 up again."""

OPPOSITE: Final = Shape(
    "opposite",
    lambda values: 2,
    lambda lane, rank, p, choose: choose(lane == 0, rank, p - 1 - rank),
    pipelines="lanes",
)
"""Pipeline 0 has stage s on rank s, pipeline 1 on rank p − 1 − s, each with weights of its own."""

WORKERS: Final = Shape(
    "workers",
    lambda values: values["layers"],
    lambda lane, rank, p, choose: lane,
    pipelines="ranks",
)
"""Every rank has all stages, and is a pipeline of its own."""


Accept = Callable[[str, int, int, Mapping[str, int]], Mapping[str, int]]
"""``accept(family, p, M, values)`` → what the stamps use besides, or an error."""


def _identity(at: At) -> Number:
    return at.x


def any_size(family: str, p: int, M: int, values: Mapping[str, int]) -> Mapping[str, int]:
    """Accept every size."""
    return {}


def _no_condition(at: At) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True, eq=False)
class StampedOrder:
    """A program order given by stamps.

    Attributes
    ----------
    shape : Shape
    forward, backward : callable
        ``forward(at)``: stamp of F, and of B or I.
    weight : callable or None
        Stamp of W, where the backward is split.
    split : callable
        ``split(at)``: whether it is, in a family that splits some of them.
    beside : mapping of Kind to callable
        Stamps of further actions, one for every number; without a microbatch unless `closes`.
    closes : callable or None
        ``closes(at)``: the numbers that have such actions, which then name them.
    overlap : bool
        Whether actions with one first number overlap.
    microbatch : callable
        The microbatch that has number x in its lane.
    accept : callable
        ``accept(family, p, M, values)``: further values that the stamps use, or an error for a
        size that the family does not have.
    sizes : callable
        ``sizes(at)``: conditions on p, M and parameters, for numbers as for solver terms; a size
        that breaks one is refused, and what is proved supposes all.
    defaults : mapping of str to int
        Of the parameters.
    wide : bool
        Whether stamps are computed in whole numbers of any size, where arrays of 64 bits may wrap.
    """

    shape: Shape
    forward: Callable[[At], Stamp]
    backward: Callable[[At], Stamp]
    weight: Callable[[At], Stamp] | None = None
    split: Callable[[At], Any] = lambda at: True
    beside: Mapping[Kind, Callable[[At], Stamp]] = field(default_factory=dict)
    closes: Callable[[At], Any] | None = None
    overlap: bool = False
    microbatch: Callable[[At], Number] = _identity
    accept: Accept = any_size
    sizes: Callable[[At], tuple[Any, ...]] = _no_condition
    defaults: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False

    def mapped(self, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> StampedOrder:
        """The same order with every function wrapped."""
        shape = self.shape
        return replace(
            self,
            shape=replace(shape, lanes=wrap(shape.lanes), stage=wrap(shape.stage)),
            forward=wrap(self.forward),
            backward=wrap(self.backward),
            weight=None if self.weight is None else wrap(self.weight),
            split=wrap(self.split),
            beside={kind: wrap(of) for kind, of in self.beside.items()},
            closes=None if self.closes is None else wrap(self.closes),
            microbatch=wrap(self.microbatch),
            sizes=wrap(self.sizes),
        )

    def at_stage(self, s: Number, m: Number, p: Number, M: Number, choose: Any) -> At:
        """Microbatch m at stage s, of one stage a rank; parameters have their defaults."""
        return At(p, M, self.defaults, 0, s, s, m, choose, _divided)

    def stamp(self, kind: Kind, s: Number, m: Number, p: Number, M: Number, choose: Any) -> Stamp:
        """Where F, B (or I) or W of microbatch m stands at stage s, of one stage a rank.

        For numbers as for solver terms, in an order that divides nothing and has no parameters.

        Examples
        --------
        >>> from schedules.families.gpipe import ORDER
        >>> ORDER.stamp(Kind.B, 1, 0, p=4, M=8, choose=None)
        (13,)
        """
        assert self.shape.name == LINE.name, "several stages a rank have several stamps"
        of = {Kind.F: self.forward, Kind.B: self.backward, Kind.I: self.backward}
        known = of if self.weight is None else {**of, Kind.W: self.weight}
        return known[kind](self.at_stage(s, m, p, M, choose))


def _divided(number: Number, divisor: Number) -> tuple[Number, Number]:
    """Quotient and remainder; solver terms have no `divmod`, and round ``/`` down."""
    try:
        quotient, rest = divmod(number, divisor)
        return quotient, rest
    except TypeError:
        return number / divisor, number % divisor


Unit = tuple[str, ...]
"""Names of actions that are overlapped, mostly of one."""

Block = tuple[Sequence[Unit], Number]
"""Units one after the other, and how many times over; no name twice."""


def place(blocks: Sequence[Block], name: str, x: Number, choose: Callable[..., Number]) -> Stamp:
    """Place of the x-th action of a name among blocks one after the other: unit and part of it.

    Examples
    --------
    >>> blocks = [([("F",)], 2), ([("F", "B")], 3), ([("B",)], 2)]
    >>> [place(blocks, "F", x, _choose) for x in range(3)], place(blocks, "B", 3, _choose)
    ([(0, 0), (1, 0), (2, 0)], (8, 0))
    """
    begin: Number = 0
    seen: Number = 0
    found: list[tuple[Number, Number, int]] = []
    for units, times in blocks:
        length, offset = sum(map(len, units)), 0
        for unit in units:
            if name in unit:
                at = begin + length * (x - seen) + offset
                seen = seen + times
                found.append((seen, at, unit.index(name)))
            offset += len(unit)
        begin = begin + length * times
    *others, (_, at, part) = found
    which: Number = part
    for end, earlier, index in reversed(others):
        at, which = choose(x < end, earlier, at), choose(x < end, index, which)
    return at, which


def run_stamped(
    name: str,
    policy: WeightPolicy,
    order: StampedOrder,
    p: int,
    M: int,
    values: Mapping[str, int],
) -> Schedule:
    """Lay an order out: every action of every lane, each rank's by stamp.

    Parameters
    ----------
    name : str
        Of the family.
    policy : WeightPolicy
    order : StampedOrder
    p, M : int
        A multiple of the number of pipelines.
    values : mapping
        Its parameters, all of them.

    Raises
    ------
    ParameterError
        The order does not accept the size.
    FamilyFileError
        Its stamps are no tuples of integers, all of one length.

    Examples
    --------
    >>> from schedules.families.zb_h1 import ORDER
    >>> print(*run_stamped("example", WeightPolicy("flush"), ORDER, 2, 2, {}).rank(0))
    0F0 0F1 0I0 0W0 0I1 0W1
    """
    known, shape = {**values, **order.accept(name, p, M, values)}, order.shape
    _require_size(name, order, p, M, known)
    each = shape.microbatches(At(p, M, known, 0, 0, 0, 0, np.where, divmod))
    lane, rank, x = (axis.ravel() for axis in np.indices((shape.lanes(known), p, each)))
    stage = shape.stage(lane, rank, p, np.where)
    choose: Any = _choose_wide if order.wide else np.where
    exact: Any = _divide_wide if order.wide else np.divmod
    divide = partial(_pair, exact)
    kind_of = np.dtype(object if order.wide else np.int64)
    lanes, ranks, stages, numbers = (one.astype(kind_of) for one in (lane, rank, stage, x))
    at = At(p, M, known, lanes, ranks, stages, numbers, choose, divide)
    parts = list(_actions(order, at))
    lengths = sorted({len(stamp) for _, _, stamp in parts})
    if len(lengths) > 1 or not lengths[0]:
        raise FamilyFileError(
            f"stamps are compared number by number, found {' and '.join(map(str, lengths))} "
            "numbers",
            f"family {name}",
            "give F, B and all others tuples of one length",
        )
    who = np.concatenate([own for _, own, _ in parts])
    stamps = [np.concatenate(column) for column in zip(*(part[2] for part in parts), strict=True)]
    if order.wide:
        stamps = [np.unique(column, return_inverse=True)[1] for column in stamps]  # in their order
    sequence = np.lexsort((*reversed(stamps), rank[who]))
    kind = np.concatenate([kinds for kinds, _, _ in parts])[sequence]
    who = who[sequence]
    try:
        label = order.microbatch(at)
        _require_one(label, len(x), f"family {name}: `microbatch`")
        label = np.broadcast_to(np.asarray(label, np.int64), len(x))[who]
    except OverflowError as error:
        raise ParameterError(
            f"microbatches are numbers from 0 to M − 1 = {M - 1}, found larger ones",
            f"family {name}",
            "correct `microbatch`",
        ) from error
    nameless = list(order.beside) if order.closes is None else []
    pipeline = np.broadcast_to(np.asarray(shape.pipeline(at), np.int64), len(x))[who]
    return Schedule(
        name=name,
        kind=_column(kind),
        stage=_column(stage[who]),
        microbatch=_column(np.where(among(kind, nameless), -1, label)),
        pipeline=_column(pipeline),
        offsets=_column(np.searchsorted(rank[who], np.arange(p + 1))),
        microbatches=M,
        placement=shape.placement(p, known),
        policy=policy,
        parameters=dict(values),
        groups=tuple(_overlapped(rank[who], stamps[0][sequence]) if order.overlap else ()),
    )


def _require_size(
    name: str, order: StampedOrder, p: int, M: int, values: Mapping[str, int]
) -> None:
    """Refuse what the order says it does not have, and pipelines of unequal length."""
    shape = order.shape
    lanes = shape.lanes(values)
    if lanes < 1:
        raise ParameterError(
            f"a rank has one stage or more, found {lanes}", f"family {name}", "take a larger number"
        )
    pipelines = {"lanes": lanes, "ranks": p}.get(shape.pipelines, 1)
    broken = not all(order.sizes(At(p, M, values, 0, 0, 0, 0, _choose, divmod)))
    if broken or M % pipelines:
        rule = f"M is a multiple of {pipelines}, and " if pipelines > 1 else ""
        raise ParameterError(
            f"{rule}p, M and parameters keep the order's `sizes`, "
            f"found p = {p}, M = {M}" + "".join(f", {key} = {n}" for key, n in values.items()),
            f"family {name}",
            "take another size",
        )


def _actions(order: StampedOrder, at: At) -> Iterator[tuple[IntArray, IntArray, list[IntArray]]]:
    """Per kind of action: kinds, indices of what they are about, and the columns of stamps."""
    pairs = len(at.x)
    every = np.arange(pairs)
    split = np.broadcast_to(np.asarray(order.weight is not None and order.split(at), bool), pairs)
    found = [(np.full(pairs, Kind.F), every, order.forward(at))]
    found += [(np.where(split, Kind.I, Kind.B), every, order.backward(at))]
    if order.weight is not None:
        found += [(np.full(pairs, Kind.W), np.flatnonzero(split), order.weight(at))]
    closing = every
    if order.closes is not None:
        closing = np.flatnonzero(np.broadcast_to(np.asarray(order.closes(at), bool), pairs))
    found += [(np.full(pairs, kind), closing, of(at)) for kind, of in order.beside.items()]
    for kinds, own, stamp in found:
        if not isinstance(stamp, tuple):
            raise FamilyFileError(f"a stamp is a tuple, found {stamp!r}", "stamps", "write (n,)")
        for column in stamp:
            _require_one(column, pairs, f"stamp of {Kind(kinds[0]).name}")
        columns = [_whole(column, wide=order.wide) for column in stamp]
        yield kinds[own], own, [np.broadcast_to(column, pairs)[own] for column in columns]


def _require_one(found: Number, pairs: int, where: str) -> None:
    """Refuse a pair, or anything else that is not one number for each microbatch."""
    several = isinstance(found, (tuple, list))  # of numbers; of two microbatches it has their shape
    if several or np.shape(found) not in ((), (pairs,)):
        count = len(found)
        pair = " (quotient and remainder, as `at.divide` gives them)" if count == 2 else ""
        raise FamilyFileError(
            f"one number is needed at each place, found {count}{pair}",
            where,
            "write at.divide(number, divisor)[0] for a quotient, [1] for a remainder",
        )


def _whole(column: Number, *, wide: bool) -> IntArray:
    """One number of stamps; arrays of 64 bits may wrap, so of `wide` ones there are none."""
    found = np.asarray(column, object if wide and type(column) is int else None)
    if wide:
        whole = found.dtype == object and set(map(type, found.ravel())) <= {int}
    else:
        whole = np.issubdtype(found.dtype, np.integer)
    if not whole:
        kinds = sorted({type(one).__name__ for one in found.ravel().tolist()} - {"int"})
        what = " and ".join(kinds) or "numbers made of a comparison"
        raise FamilyFileError(
            f"stamps are whole numbers, found {what}, as in {found.ravel()[:3].tolist()}",
            "stamps",
            "divide by at.divide(number, divisor)[0], and take comparisons to at.choose alone",
        )
    return found


def _choose_wide(test: Any, yes: Number, no: Number) -> Any:
    return np.where(test, *(np.asarray(one, object) for one in (yes, no)))


class _Pair(tuple[Number, Number]):
    """Quotient and remainder. As one number they equal none, which a `choose` would not notice."""

    def _refuse(self, other: object) -> Any:
        raise TypeError("at.divide gives a pair: [0] is the quotient, [1] the remainder")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __mul__ = __rmul__ = _refuse
    __hash__ = tuple.__hash__


def _pair(divide: Callable[[Number, Number], Any], number: Number, divisor: Number) -> _Pair:
    return _Pair(divide(number, divisor))


def _divide_wide(number: Number, divisor: Number) -> Any:
    whole = np.asarray(number, object)  # which `np.divmod` does not take
    return whole // divisor, whole % divisor


def _column(values: IntArray) -> IntArray:
    column = values.astype(np.int64)
    column.setflags(write=False)
    return column


def _overlapped(rank: IntArray, first: IntArray) -> list[Group]:
    """What stands together because its stamps begin alike."""
    apart = np.flatnonzero((np.diff(rank) != 0) | (np.diff(first) != 0)) + 1
    begins = np.concatenate([[0], apart])
    counts = np.diff(np.append(begins, len(rank)))
    offsets = np.searchsorted(rank, rank[begins])
    several = counts > 1
    return [
        Group(int(rank[begin]), int(begin - offset), int(count), "overlap")
        for begin, offset, count in zip(
            begins[several], offsets[several], counts[several], strict=True
        )
    ]
