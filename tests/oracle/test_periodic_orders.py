"""Random orders that divide, played action by action: a proved bound is the most that occurs."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
import sympy

from schedules.families import Family
from schedules.policies import PolicyName, WeightPolicy
from schedules.stamps import LINE, At, Number, Stamp, StampedOrder
from theory.laws.own_orders import row_of
from theory.verdicts import Verdict

SIZES = [(p, M) for p in range(1, 7) for M in range(1, 15)]
BOUNDED = ("staleness", "in-flight")
IN_TURN = [(2, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (4, 3)]


def drawn(random: Random) -> tuple[Family, StampedOrder]:
    """So many forwards and so many backwards in turn, on all ranks at once or one by one.

    The first forwards may be one fewer than later ones, or more with every rank that follows.
    """
    (forwards, backwards), apart = random.choice(IN_TURN), random.choice([0, 0, 1])
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


def played(order: StampedOrder, policy: WeightPolicy, p: int, M: int) -> dict[str, list[int]]:
    """The most in flight and the largest staleness, by rank, counted action by action."""
    every = M if policy.name == "flush" else policy.interval
    found: dict[str, list[int]] = {name: [] for name in BOUNDED}
    at_zero: dict[int, int] = {}
    for rank in range(p):
        places = [
            At(p, M, {}, 0, rank, rank, x, lambda test, yes, no: yes if test else no, divmod)
            for x in range(M)
        ]
        actions = [(order.forward(at), "F", at.x) for at in places]
        actions += [(order.backward(at), "B", at.x) for at in places]
        read: dict[int, int] = {}
        flying = done = most = stalest = 0
        for _, kind, x in sorted(actions):
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


def stated(bound: str, p: int, M: int) -> list[int]:
    numbers: list[Mapping[str, int]] = [{"p": p, "M": M, "s": s} for s in range(p)]
    return [int(sympy.sympify(bound, locals=dict(one))) for one in numbers]


SEEDS = [
    range(6),
    *(pytest.param(range(n, n + 20), marks=pytest.mark.slow) for n in range(6, 206, 20)),
]


@pytest.mark.parametrize("seeds", SEEDS, ids=lambda seeds: str(seeds[0]))
def test_a_proved_bound_is_the_most_that_occurs(seeds: range) -> None:
    quotients = 0
    for seed in seeds:
        family, order = drawn(Random(seed))
        bounds = proved(family)
        quotients += sum("floor" in bound for bound in bounds.values())
        for p, M in SIZES:
            if family.policy.name != "flush" and family.policy.interval > M:
                continue
            counted = played(order, family.policy, p, M)
            for name, bound in bounds.items():
                assert stated(bound, p, M) == counted[name], (seed, name, bound, p, M)
    assert quotients >= len(seeds) // 2
