"""Random orders that divide, played action by action: what is proved is what occurs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import pytest
import sympy

from schedules.closed_forms.affine import ONE
from schedules.families import Family
from schedules.families.family import Parameter
from schedules.policies import PolicyName, WeightPolicy
from schedules.stamps import LINE, At, Number, Stamp, StampedOrder
from theory.derive import derive_rule
from theory.laws.own_orders import row_of
from theory.verdicts import Verdict

SIZES = [(p, M) for p in range(1, 7) for M in range(1, 15)]
BOUNDED = ("staleness", "in-flight")
ALIKE = [(2, 2), (3, 3)]
IN_TURN = [*ALIKE, (2, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3)]


def drawn(random: Random, blocks: Sequence[tuple[int, int]]) -> tuple[Family, StampedOrder]:
    """So many forwards and so many backwards in turn, on all ranks at once or one by one.

    The first forwards may be one fewer than later ones, or more with every rank that follows.
    """
    (forwards, backwards), apart = random.choice(blocks), random.choice([0, 0, 1])
    fewer, later = random.choice([0, 0, 0, 1]), random.choice([0, 0, 1])
    slope, more = random.choice([(0, 0), (0, 0), (1, 0), (1, 1), (2, 0)])

    def forward(at: At) -> Stamp:
        first: Number = slope * (at.p - at.rank) + more
        steady = 1 + at.divide(at.x - first + fewer, forwards)[0]
        block = at.choose(at.x < first, 0, steady) if slope else steady
        return (2 * block + apart * at.rank, at.rank, at.x)

    def backward(at: At) -> Stamp:
        block = 1 + at.divide(at.x, backwards)[0] + later
        return (2 * block + apart * (2 * at.p - 1 - at.rank), 2 * at.p - at.rank, at.x)

    policies: list[PolicyName] = ["stash", "stash", "latest", "vertical-sync", "flush"]
    policy = WeightPolicy(random.choice(policies), interval=random.choice([1, 1, 2, 3]))
    order = StampedOrder(LINE, forward, backward)
    return Family("drawn", "ours", "ours", policy, rule=order), order


def places(p: int, M: int, rank: int) -> list[At]:
    def choose(test: bool, yes: int, no: int) -> int:
        return yes if test else no

    return [At(p, M, {}, 0, rank, rank, x, choose, divmod) for x in range(M)]


def in_turn(order: StampedOrder, p: int, M: int, rank: int) -> list[tuple[str, int]]:
    """What a rank does: kinds and microbatches."""
    every = places(p, M, rank)
    actions = [(order.forward(at), "F", at.x) for at in every]
    actions += [(order.backward(at), "B", at.x) for at in every]
    return [(kind, x) for _, kind, x in sorted(actions)]


def played(order: StampedOrder, policy: WeightPolicy, p: int, M: int) -> dict[str, list[int]]:
    """The most in flight and the largest staleness, by rank, counted action by action."""
    every = M if policy.name == "flush" else policy.interval
    found: dict[str, list[int]] = {name: [] for name in BOUNDED}
    at_zero: dict[int, int] = {}
    for rank in range(p):
        read: dict[int, int] = {}
        flying = done = most = stalest = 0
        for kind, x in in_turn(order, p, M, rank):
            if kind == "F":
                flying += 1
                most = max(most, flying)
                read[x] = done // every
                continue
            used = at_zero[x] if policy.name == "vertical-sync" and rank else read[x]
            own = done // every
            if own < M // every:
                stalest = max(stalest, own - used)
            flying, done = flying - 1, done + 1
        at_zero = read if rank == 0 else at_zero
        found["in-flight"].append(most)
        found["staleness"].append(stalest)
    return found


def proved(family: Family) -> dict[str, str]:
    row = row_of(family)
    known = {one.name: one for one in row.invariants if one.outcome.verdict is Verdict.PROVED}
    return {name: known[name].bound for name in BOUNDED if name in known}


def stated(bound: str, p: int, M: int, **others: int) -> list[int]:
    numbers: list[Mapping[str, int]] = [{"p": p, "M": M, "s": s, **others} for s in range(p)]
    return [int(sympy.sympify(bound, locals=dict(one))) for one in numbers]


SEEDS = [
    range(6),
    *(pytest.param(range(n, n + 20), marks=pytest.mark.slow) for n in range(6, 206, 20)),
]


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: str(seeds[0]))
def test_a_proved_bound_is_the_most_that_occurs(seeds: range) -> None:
    quotients = 0
    for seed in seeds:
        family, order = drawn(Random(seed), IN_TURN)
        bounds = proved(family)
        quotients += sum("floor" in bound for bound in bounds.values())
        for p, M in SIZES if bounds else ():  # else it may not run
            if family.policy.name != "flush" and family.policy.interval > M:
                continue
            counted = played(order, family.policy, p, M)
            for name, bound in bounds.items():
                assert stated(bound, p, M) == counted[name], (seed, name, bound, p, M)
    assert quotients >= len(seeds) // 2


@pytest.mark.parametrize("usual", [1, 2])
def test_a_bound_for_every_interval_is_the_most_that_occurs(usual: int) -> None:
    order = StampedOrder(
        LINE,
        forward=lambda at: (at.divide(at.x, 2)[0], at.rank, at.x),
        backward=lambda at: (at.x, 2 * at.p - at.rank, 0),
        defaults={"K": usual},
    )
    family = Family(
        "own",
        "ours",
        "two forwards, one backward, an update after every K",
        WeightPolicy("stash", interval=usual),
        rule=order,
        parameters=(Parameter("K", "interval"),),
        interval="K",
    )
    bounds = proved(family)
    assert set(bounds) == set(BOUNDED)
    for every in range(1, 5):
        for p, M in SIZES:
            counted = played(order, WeightPolicy("stash", interval=every), p, M)
            for name, bound in bounds.items() if every <= M else ():
                assert stated(bound, p, M, K=every) == counted[name], (name, bound, p, M, every)


def begun(order: StampedOrder, p: int, M: int) -> dict[tuple[str, int, int], int]:
    """The slot of every action, which starts when its rank is free and its input is there."""
    waiting = [in_turn(order, p, M, rank)[::-1] for rank in range(p)]
    found: dict[tuple[str, int, int], int] = {}
    free = [0] * p
    while any(waiting):
        before = len(found)
        for rank, left in enumerate(waiting):
            while left:
                kind, x = left[-1]
                source = ("F", rank - 1, x) if kind == "F" else ("B", rank + 1, x)
                source = ("F", rank, x) if source[:2] == ("B", p) else source
                if source[1] >= 0 and source not in found:
                    break
                ready = found[source] + 1 if source in found else 0
                found[kind, rank, x] = max(ready, free[rank])
                free[rank] = found[kind, rank, x] + 1
                left.pop()
        assert len(found) > before, "nothing can start"
    return found


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: str(seeds[0]))
def test_proved_start_times_are_those_of_every_run(seeds: range) -> None:
    repeated = 0
    for seed in seeds:
        family, order = drawn(Random(seed), ALIKE)
        law = derive_rule(family, "ascending", None)
        if law.guess is None or {one.verdict for one in law.start_proof} != {Verdict.PROVED}:
            continue
        repeated += law.guess.period != ONE
        for p, M in SIZES:
            if p < law.guess.least:
                continue
            stage, m = np.indices((p, M))
            at = {"s": stage, "m": m, "p": p + 0 * m, "M": M + 0 * m, "pm": p * m}
            at |= law.guess.place(m, at["p"])
            starts = {"F": law.guess.forward.at(at, np.where)}
            starts["B"] = law.guess.backward.at(at, np.where)
            for (kind, rank, x), slot in begun(order, p, M).items():
                assert starts[kind][rank, x] == slot, (seed, kind, rank, x, p, M)
    assert repeated
