"""Runs of a rule, played once more slot by slot, and a printed law compared with them."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy

from schedules import Kind
from schedules.families import Family
from schedules.linearization import LINEARIZATIONS
from schedules.rules import GreedyRule

F, B = Kind.F, Kind.B
SYMBOLS = {name: sympy.Symbol(name, integer=True) for name in "p M s m i j q r t".split()}


@cache
def form(text: str) -> Any:
    return sympy.sympify(sympy.sympify(text, locals=SYMBOLS))


@cache
def value(text: str, values: tuple[tuple[str, int], ...]) -> Any:
    return form(text).xreplace({SYMBOLS[name]: sympy.Integer(number) for name, number in values})


def at(text: str, **values: int) -> Any:
    named = {symbol.name for symbol in form(text).free_symbols}
    return value(text, tuple((name, number) for name, number in values.items() if name in named))


def case(cases: str | list[dict[str, str]], **values: int) -> sympy.Expr:
    """The value of a form, and that exactly one of its cases applies."""
    if isinstance(cases, str):
        return at(cases, **values)
    held = [one for one in cases if at(one["when"], **values)]
    assert len(held) == 1, (cases, values)
    return at(held[0]["expr"], **values)


Start = dict[tuple[Kind, int, int], int]
Order = list[list[tuple[Kind, int]]]


def played(own: Family, p: int, M: int) -> Order:
    """What each stage does, one action a slot."""
    rule, slots, orders, slot = own.rule, Start(), Order([[] for _ in range(p)]), 0
    assert isinstance(rule, GreedyRule)
    limits = [[own.admission(p)] if s == 0 and own.admission else [] for s in range(p)]
    for s in range(p):
        limits[s] += [own.in_flight(s, p)] if own.in_flight else []

    def done(*key: Any) -> bool:
        return key in slots and bool(rule.finished(slots[key], slot))

    while any(len(order) < 2 * M for order in orders):
        for s, order in enumerate(orders):
            f, b = (sum(kind is one for kind, _ in order) for one in (F, B))
            ready = {
                F: f < M and (s == 0 or done(F, s - 1, f)) and all(f - b < n for n in limits[s])
            }
            ready[B] = b < M and done(F, s, b) and (s == p - 1 or done(B, s + 1, b))
            liked = rule.prefer_after[order[-1][0]] if b else rule.prefer_first
            for kind in sorted(ready, key=lambda one: one is not liked):
                if ready[kind]:
                    slots[kind, s, (f, b)[kind is B]] = slot
                    order.append((kind, (f, b)[kind is B]))
                    break
        slot += 1
    return orders


def started(orders: Order) -> Start:
    """As soon as what is needed has ended."""
    start, last = Start(), [-1] * len(orders)
    todo = [list(order) for order in orders]
    while any(todo):
        for s, order in enumerate(todo):
            while order:
                kind, m = order[0]
                needs = [(F, s - 1, m)] if kind is F else [(F, s, m), (B, s + 1, m)]
                needs = [key for key in needs if 0 <= key[1] < len(orders)]
                if not all(key in start for key in needs):
                    break
                last[s] = max([last[s], *(start[key] for key in needs)]) + 1
                start[(*order.pop(0)[:1], s, m)] = last[s]
    return start


def counted(start: Start, linearization: str, interval: int) -> Start:
    """How many updates of all stages each action counts in its slot."""
    lines = LINEARIZATIONS[linearization]
    ends = [key for key in start if key[0] is B and (key[2] + 1) % interval == 0]

    def counts(key: tuple[Kind, int, int], update: tuple[Kind, int, int]) -> bool:
        same = start[update] == start[key]
        return start[update] < start[key] or (
            same and bool(lines.counted(update[1], key[1], by_forward=key[0] is F))
        )

    return {key: sum(counts(key, update) for update in ends) for key in start}


def compare(found: dict[str, Any], own: Family, linearization: str, p: int, M: int) -> None:
    """A printed law, at the sizes that it is of, with a run."""
    least, *others = found["domain"].split(", ")
    rest = re.fullmatch(r"p % (\d+) == (\d+)", others[0])
    if p < int(least.removeprefix("p >= ")) or (rest and p % int(rest[1]) != int(rest[2])):
        return
    domain = ", ".join([least, *others[bool(rest) :]])
    orders, K = played(own, p, M), own.policy.interval
    start = started(orders)
    count = counted(start, linearization, K)
    every = int(at(found["start_times"].get("period", "1"), p=p))
    for kind, s, m in start:
        place = {"s": s, "m": m, "q": m // every, "r": m % every}
        stated = case(found["start_times"][kind.name], p=p, M=M, **place)
        assert stated == start[kind, s, m], (kind, p, M, s, m)
    steady = [m for m in range(M) if stated_of(domain, p, M, m, every, K)]
    places = max(every, K)
    law_at = {
        (i, j, r): entry(found, p=p, i=i, j=j, r=r)
        for i, j, r in product(range(p), range(p), range(places))
    }
    rows = {
        (i, j, m): count[B, i, m // K * K + K - 1] - count[F, j, m]
        for i, j, m in product(range(p), range(p), range(M // K * K))
    }
    for i, j, m in product(range(p), range(p), steady):
        assert law_at[i, j, m % places] == rows[i, j, m], (p, M, i, j, m)
    if steady:
        entries = [Fraction(int(entry)) for entry in law_at.values()]
        mean = sympy.Rational(sum(entries) / len(entries))
        for key, number in (("max", max(entries)), ("min", min(entries)), ("mean", mean)):
            assert found[key] is None or at(found[key], p=p) == number
    assert at(found["makespan"], p=p, M=M) == max(start.values()) + 1
    for s, order in enumerate(orders):
        held = [sum(1 if kind is F else -1 for kind, _ in order[:n]) for n in range(2 * M + 1)]
        assert min(M, case(found["in_flight"], p=p, i=s, M=M)) == max(held)
        ended = [sum(kind is B for kind, _ in order[: order.index((F, m))]) for m in range(M)]
        stale = [m // K - number // K for m, number in enumerate(ended)]
        if found["local_staleness_whole_run"] is not None:
            assert max(stale[: M // K * K], default=0) <= case(
                found["local_staleness_whole_run"], p=p, i=s
            )
        for m in (one for one in steady if one < M - p):
            assert stale[m] == case(found["local_staleness"], p=p, i=s, r=m % places)
    if found["whole_run_max"] is not None and M >= 2 * K:
        supremum, least = at(found["whole_run_max"], p=p, M=M), found["whole_run_least_m"]
        largest = max(rows.values(), default=0)
        reached = largest == supremum
        assert largest <= supremum
        assert reached == (at(least, p=p) <= M) if least else reached or 4 * p > M


def stated_of(domain: str, p: int, M: int, m: int, every: int, interval: int) -> bool:
    """Whether a domain has a microbatch: what it says of m, of its round or of its window."""
    if interval > 1:
        return all(at(text, p=p, M=M, m=m, t=m // interval) for text in domain.split(", ")[5:])
    rounds, window = domain.split(", ")[-2:]
    first, stop = (part.strip(" =") for part in ("0<<" + window).split("<")[-3::2])
    start = f"{rounds.split()[-1]}*{every}" if rounds.startswith("q") else first
    return bool(int(at(start, p=p, M=M)) <= m < int(at(stop, p=p, M=M)))


def entry(found: dict[str, Any], **values: int) -> sympy.Expr:
    if "index" not in found:
        return case(found["delay"], **values)
    difference = case(found["index"], **values) - case(found["recorded"], **values)
    if values["r"] == 1:  # all cases of all entries would take too long
        assert case(found["delay"], **values) == difference
    return difference
