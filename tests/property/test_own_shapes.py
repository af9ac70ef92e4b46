"""Random orders in every shape, mostly without a flush: what is PROVED holds of runs, played here.

Nothing of the package's engine is used: a rank's actions are sorted by their stamps, run as soon as
what they need has ended, and the updates of every weight copy are counted one by one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import product
from random import Random
from typing import Any

import pytest
import sympy

from schedules.errors import ParameterError
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.policies import POLICY_NAMES, WeightPolicy
from schedules.stamps import LINE, LOOP, OPPOSITE, VEE, WORKERS, At, Number, Stamp, StampedOrder
from theory.laws.own_orders import Row, row_of
from theory.laws.stamp_terms import untied
from theory.verdicts import Verdict

Place = tuple[int, int]
"""Pipeline and stage: a weight copy."""

MOST_P, MOST_M = 6, 12
ROUNDED = {"ceiling": lambda k: math.ceil(k - 1e-9), "floor": lambda k: math.floor(k + 1e-9)}
ROUNDED |= {"Min": min, "Max": max}
TIES = {"F": 0, "B": 1, "I": 1, "W": 2}
RUNS = {"causal", "deadlock-free"}


@dataclass
class Copy:
    """What happens to one weight copy."""

    read: dict[int, int] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)  # microbatches, by their gradients
    at_forward: dict[int, int] = field(default_factory=dict)
    used: dict[int, int] = field(default_factory=dict)
    most: int = 0


def lane_of(shape: str, p: int, chunks: int) -> Iterator[tuple[int, int, Place]]:
    """Lane, rank, and the weight copy there."""
    for rank in range(p):
        if shape == "line":
            yield 0, rank, (0, rank)
        if shape == "vee":
            yield 0, rank, (0, rank)
            yield 1, rank, (0, 2 * p - 1 - rank)
        if shape == "opposite":
            yield 0, rank, (0, rank)
            yield 1, rank, (1, p - 1 - rank)
        for lane in range(chunks):
            if shape == "loop":
                yield lane, rank, (0, lane * p + rank)
            if shape == "workers":
                yield lane, rank, (rank, lane)


def pipelines(shape: str, p: int) -> int:
    return {"opposite": 2, "workers": p}.get(shape, 1)


def sorted_ranks(order: StampedOrder, p: int, M: int, chunks: int) -> list[list[Any]]:
    """Of each rank, (kind, copy, x) in turn; what ties goes by kind, then lane."""
    ranks: list[list[Any]] = [[] for _ in range(p)]
    each = M // pipelines(order.shape.name, p)
    for lane, rank, place in lane_of(order.shape.name, p, chunks):
        for x in range(each):
            at = number(p, M, chunks, (lane, rank, place[1], x))
            split = order.weight is not None and bool(order.split(at))
            found = [("F", order.forward(at)), ("I" if split else "B", order.backward(at))]
            found += [("W", order.weight(at))] if split and order.weight else []
            for kind, stamp in found:
                ranks[rank].append((stamp, TIES[kind], lane, x, kind, place))
    return [[(kind, place, x) for *_, x, kind, place in sorted(one)] for one in ranks]


def runs(ranks: list[list[Any]], stages: int) -> bool:
    """Whether every action finds what it needs, sooner or later."""
    done, next_one, moved = set[Any](), [0] * len(ranks), True
    while moved:
        moved = False
        for rank, actions in enumerate(ranks):
            while next_one[rank] < len(actions):
                kind, (pipeline, stage), x = actions[next_one[rank]]
                needs = {("F", stage - 1)} if kind == "F" and stage else set()
                if kind in "BI":
                    needs = {("F", stage)} | ({("B", stage + 1)} if stage + 1 < stages else set())
                needs = {("B", stage)} if kind == "W" else needs
                if any((*need, pipeline, x) not in done for need in needs):
                    break
                done.add(("B" if kind == "I" else kind, stage, pipeline, x))
                next_one[rank], moved = next_one[rank] + 1, True
    return all(map(int.__eq__, next_one, map(len, ranks)))


def replayed(ranks: list[list[Any]], policy: WeightPolicy) -> Mapping[Place, Copy]:
    """Versions of every copy, an update after every `interval` gradients."""
    copies: dict[Place, Copy] = defaultdict(Copy)
    every = policy.interval
    for actions in ranks:
        for kind, place, x in actions:
            one = copies[place]
            made = 0 if policy.name == "flush" else len(one.ended) // every
            if kind == "F":
                one.at_forward[x] = one.read[x] = made
                one.most = max(one.most, len(one.at_forward) - len(one.ended))
            if kind in "BI":
                one.used[x] = made
            if kind in "BW":
                one.ended.append(x)
    return copies


def facts(order: StampedOrder, policy: WeightPolicy, p: int, M: int, chunks: int) -> dict[str, Any]:
    """What holds of one size: by invariant, whether, or the number at every stage."""
    shape = order.shape.name
    stages = len({stage for *_, (_, stage) in lane_of(shape, p, chunks)})
    ranks = sorted_ranks(order, p, M, chunks)
    if not runs(ranks, stages):
        return dict.fromkeys(RUNS, False)
    copies, every, flush = replayed(ranks, policy), policy.interval, policy.name == "flush"
    stale, most, stash = [0] * stages, [0] * stages, True
    each = M // pipelines(shape, p)
    for (pipeline, stage), one in copies.items():
        most[stage] = max(most[stage], one.most)
        for number, x in enumerate(one.ended):
            own = 0 if flush else number // every
            read = one.read[x]
            if policy.name == "double-buffer":
                read = max(own - 1, 0)
            if policy.name == "vertical-sync":
                read = copies[pipeline, 0].at_forward[x]
            used = one.used[x] if policy.name in ("latest", "flush") else read
            stash &= read == used and read <= one.at_forward[x]
            if flush or (own + 1) * every <= each:
                stale[stage] = max(stale[stage], own - read)
    found = {"exclusive": True, "stash": stash, "staleness": stale, "in-flight": most}
    whole = flush or each % every == 0
    return {**dict.fromkeys(RUNS, True), **found, "update-once": whole or None}


def holds(family: Family, row: Row) -> int:
    """Hold what is proved against every small run; how many of the seven are proved."""
    proved = {one.name: one.bound for one in row.invariants if one.outcome.verdict.name == "PROVED"}
    order, interval = family.rule, family.interval
    assert isinstance(order, StampedOrder)
    most_chunks = 3 if order.shape.name in NAMED else 1
    intervals = range(1, 4) if interval else [family.policy.interval]
    forms = {
        name: sympy.lambdify(sympy.symbols(NAMES), sympy.sympify(bound), [ROUNDED])
        for name, bound in proved.items()
        if bound
    }
    small = range(1, MOST_P + 1), range(1, MOST_M + 1), intervals, range(1, most_chunks + 1)
    for p, M, K, chunks in product(*small) if proved else []:
        policy, times = replace(family.policy, interval=K), pipelines(order.shape.name, p)
        asked = policy.name == "flush" or K * times <= M
        if M % times or not asked or not all(order.sizes(number(p, M, chunks))):
            continue
        found = facts(order, policy, p, M, chunks)
        for name in proved:
            fact = found.get(name)
            if name in forms and fact is not None:
                numbers = (K, chunks, chunks)
                fact = fact == [forms[name](p, M, s, *numbers) for s in range(len(fact))]
            assert fact is not False, (name, p, M, K, chunks)
    return len(proved)


def meant(row: Row) -> None:
    """Every witness is of a size of the domain, as that is printed."""
    says = row.domain.replace("M = ", "M == ").split(", ")
    for one in row.invariants:
        size = one.outcome.witness
        if size:
            numbers = {**size, "each": size["M"] // (2 if "2*each" in row.domain else size["p"])}
            assert all(eval(part, {}, numbers) for part in says), (row.domain, size)


def number(p: int, M: int, chunks: int, at: tuple[int, int, int, int] = (0, 0, 0, 0)) -> At:
    """Lane, rank, stage and x as numbers."""
    values = {"chunks": chunks, "layers": chunks}
    return At(p, M, values, *at, lambda test, yes, no: yes if test else no, divmod)


LAST: dict[str, Callable[[At], Number]] = {
    "loop": lambda at: at.values["chunks"] * at.p - at.stage,
    "vee": lambda at: 2 * at.p - at.stage,
    "workers": lambda at: at.values["layers"] - at.stage,
}
"""How far the stage is from the last one of its pipeline."""

LABELS: dict[str, Callable[[At], Number]] = {
    "workers": lambda at: at.x * at.p + at.rank,
    "opposite": lambda at: at.x + at.lane * at.divide(at.M, 2)[0],
}
NAMES = "p M s K chunks layers"
NAMED = {"loop": "chunks", "workers": "layers"}
SHAPES = [LINE, LOOP, VEE, OPPOSITE, WORKERS]
SPOILED = ["swapped", "tied", "early", "against", "early W", "label"]


def drawn(random: Random) -> Family:
    """All forwards first, or in turn with some ahead; then perhaps spoiled."""
    shape = random.choice(SHAPES)
    name = shape.name
    split = random.random() < (0.7 if name == "line" else 0.4)
    ahead, late, sign = random.randint(0, 2), random.randint(0, 2), random.choice([1, 1, 1, -1])
    grow, part = random.choice([0, 1, 1]), random.choice([1, 1, 2])
    turn, wide = random.choice([1, 1, -1]), random.choice([1, 2, 2, 3])
    spoil = random.choice(["", "", "", *SPOILED])
    last: Callable[[At], Number] = LAST.get(name, lambda at: at.p - at.stage)
    early, against, tied = (int(spoil == one) for one in ("early", "against", "tied"))

    def forward(at: At) -> Stamp:
        return (0, at.x + (1 - 2 * against) * at.stage, turn * at.lane)

    def backward(at: At) -> Stamp:
        return (1 - early, sign * at.x + last(at) - early * at.M, turn * at.lane)

    def weight(at: At) -> Stamp:
        return (1, sign * at.x + last(at) + late, 9)

    def forward_in_turn(at: At) -> Stamp:
        return (wide * at.x + (grow - 2 * against) * at.stage, 0, turn * at.lane)

    def backward_in_turn(at: At) -> Stamp:
        own = wide * (at.x + ahead) + (1 + grow) * last(at) + grow * at.stage
        return (own - 4 * early, 1 - tied, turn * at.lane)

    def weight_in_turn(at: At) -> Stamp:
        own = wide * (at.x + ahead + late) + (1 + grow) * last(at) + grow * at.stage
        return (own, 2, turn * at.lane)

    in_turn = (forward_in_turn, backward_in_turn, weight_in_turn)
    begins, backs, ends = random.choice([(forward, backward, weight), in_turn, in_turn])
    if spoil == "swapped":
        begins, backs = backs, begins
    order = StampedOrder(
        shape,
        forward=begins,
        backward=backs,
        weight=(begins if spoil == "early W" else ends) if split else None,
        split=lambda at: at.divide(at.x, part)[1] == 0,
        microbatch=LABELS.get(name, lambda at: at.x) if spoil != "label" else lambda at: at.x,
    )
    if name == "opposite" and random.random() < 0.5:
        order = replace(order, sizes=lambda at: (at.divide(at.p, 2)[1] == 0,))
    named = [NAMED[name]] if name in NAMED else []
    every, policy = random.choice([1, 1, 2, 3, 0]), random.choice(POLICY_NAMES + POLICY_NAMES[:2])
    interval = "" if every or policy == "flush" else "K"
    order = replace(order, defaults=dict.fromkeys([*named, *interval], 2))
    parameters = tuple(Parameter(one, one) for one in order.defaults)
    own = Family("drawn", "", "", WeightPolicy(policy, interval=every or 4), rule=order)
    return replace(own, parameters=parameters, interval=interval)


TODAY = date.today().toordinal() % 50 * 20
SEEDS = [
    pytest.param(range(TODAY, TODAY + 4), id="today"),
    *(
        pytest.param(range(n, n + 20), id=f"{n}", marks=pytest.mark.slow)
        for n in range(0, 1000, 20)
    ),
]
"""A thousand of them; every day another few."""


@pytest.mark.parametrize("seeds", SEEDS)
def test_what_is_proved_of_random_shapes_holds_of_runs(seeds: range) -> None:
    for seed in seeds:
        family = drawn(Random(seed))
        row = row_of(family)
        holds(family, row)
        meant(row)


def test_what_ties_is_laid_out_as_proofs_have_it() -> None:
    """Of every shape; stamps that are all alike leave nothing else to go by."""
    ties = 0
    for seed in range(150):
        family = drawn(Random(seed))
        order = family.rule
        assert isinstance(order, StampedOrder)
        flat = replace(order, forward=_flat, backward=_flat, weight=order.weight and _flat)
        for own in (order, flat):
            ties += own is flat or own.forward(number(3, 6, 2)) == own.backward(number(3, 6, 2))
            for p, M in ((1, 4), (2, 4), (4, 8)):
                with suppress(ParameterError):  # a size that it does not have
                    both = [replace(family, rule=one).build(p, M) for one in (own, untied(own))]
                    one, other = ([*map(schedule.rank, range(p))] for schedule in both)
                    assert [*map(list, one)] == [*map(list, other)]
    assert ties > 150


def _flat(at: At) -> Stamp:
    return (0 * at.x,)


@pytest.mark.parametrize("interval", ["", "K"])
def test_wrong_numbers_are_found(interval: str) -> None:
    """The comparison itself: a law with one number changed is not what runs say."""
    order = StampedOrder(
        LINE,
        forward=lambda at: (3 * at.x + at.rank,),
        backward=lambda at: (3 * (at.x + at.p - 1 - at.rank) + at.rank + 1,),
        weight=lambda at: (3 * (at.x + at.p - at.rank) + at.rank + 2,),
        defaults=dict.fromkeys(interval, 2),
    )
    family = Family("own", "", "", WeightPolicy("latest"), rule=order, interval=interval)
    family = replace(family, parameters=tuple(Parameter(one, one) for one in interval))
    row = row_of(family)
    assert holds(family, row) == 6
    meant(row)
    with pytest.raises(AssertionError):
        meant(replace(row, domain=f"{row.domain}, M >= 99"))
    for number, one in enumerate(row.invariants):
        wrong = one
        if one.bound:
            wrong = replace(one, bound=f"{one.bound} + 1")
        elif one.name == "stash":
            wrong = replace(one, outcome=replace(one.outcome, verdict=Verdict.PROVED))
        changed = (*row.invariants[:number], wrong, *row.invariants[number + 1 :])
        if wrong is not one:
            with pytest.raises(AssertionError):
                holds(family, replace(row, invariants=changed))
