"""Exactly when a sequential model never stalls, for all durations at once: z3, layer by layer.

The argument for every number of layers is in `schedules.partial_staleness.stalls`. Here its steps
are decided for m layers with durations left open, as real numbers above 0; an iteration is the
recursion of the channel, from any backlog that may come before it. What is left to words is the
induction over iterations, and that a backlog that grows by a fixed amount passes any bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import z3

from theory.smt.solver import Outcome, Statement, Term, decide

Number: TypeAlias = Any
"""A z3 term or an exact number."""


@dataclass(frozen=True)
class Chain:
    """A sequential model: durations by layer, and how to take the larger of two of them.

    Attributes
    ----------
    b, u, v : tuple
        Backward, forward and communication, from the first layer on.
    larger : callable
        `max` for numbers.
    """

    b: tuple[Number, ...]
    u: tuple[Number, ...]
    v: tuple[Number, ...]
    larger: Callable[[Number, Number], Number] = max

    @property
    def count(self) -> int:
        """Number of layers, m."""
        return len(self.b)

    @property
    def computation(self) -> Number:
        """P, what an iteration computes."""
        return sum(self.b) + sum(self.u)

    def ends(self) -> list[Number]:
        """R_i: when backward i ends."""
        return list(accumulate(reversed(self.b)))[::-1]

    def begins(self) -> list[Number]:
        """S_i: when forward i begins without a stall."""
        return list(accumulate(self.u[:-1], initial=sum(self.b)))

    def sent(self, backlog: Number) -> list[Number]:
        """When each gradient has been sent, in an iteration whose channel is busy at first."""
        ends, found, free = self.ends(), list[Number](), backlog
        for layer in reversed(range(self.count)):
            free = self.larger(free, ends[layer]) + self.v[layer]
            found.append(free)
        return found[::-1]

    def in_time(self, stale: int) -> list[Number]:
        """The condition on k stale layers: for every j > k, R_j + v_j + … + v_{k+1} ≤ S_{k+1}.

        Examples
        --------
        >>> Chain((2, 1), (1, 1), (1, 1)).in_time(0), Chain((2, 1), (1, 1), (1, 1)).in_time(1)
        ([False, True], [True])
        """
        ends, begins = self.ends(), self.begins()
        return [
            ends[j] + sum(self.v[stale : j + 1]) <= begins[stale] for j in range(stale, self.count)
        ]

    def printed(self, stale: int) -> Number:
        """The second constraint of the paper's program."""
        return sum(self.v[stale:]) <= sum(self.b[:-1]) + sum(self.u[:stale])


def symbolic(count: int) -> tuple[Chain, tuple[Term, ...]]:
    """A chain with durations left open, and that they are above 0."""
    names = [[f"{kind}_{i}" for i in range(1, count + 1)] for kind in "buv"]
    b, u, v = (tuple(z3.Real(name) for name in row) for row in names)
    positive = tuple(term > 0 for term in (*b, *u, *v))
    return Chain(b, u, v, lambda x, y: z3.If(x >= y, x, y)), positive


def proofs(most: int) -> list[Outcome]:
    """Decide every step for 1 … `most` layers and every k.

    Examples
    --------
    >>> {outcome.verdict.name for outcome in proofs(2)}
    {'PROVED'}
    """
    return [decide(statement) for count in range(1, most + 1) for statement in statements(count)]


def statements(count: int) -> list[Statement]:
    """The steps for one number of layers."""
    chain, positive = symbolic(count)
    fits = sum(chain.v) <= chain.computation
    found = [_growing(chain, (*positive, z3.Not(fits)))]
    found.append(_never(chain, positive))
    for k in range(1, count + 1):
        enough = z3.And(z3.BoolVal(True), *chain.in_time(k))  # none is left for k = m
        found.append(_sufficient(chain, k, (*positive, fits, enough)))
        if k < count:
            found.append(_necessary(chain, k, (*positive, z3.Not(enough))))
            found.append(_follows(chain, k, (*positive, enough)))
    return found


def _named(name: str, chain: Chain, k: int | None = None) -> str:
    return f"{name}, m = {chain.count}" + ("" if k is None else f", k = {k}")


def _sufficient(chain: Chain, k: int, given: Sequence[Term]) -> Statement:
    """From a backlog of at most max(0, X − P): no stall, and no more than that is left again."""
    backlog = z3.Real("backlog")
    before = [z3.Real(f"before_{i}") for i in range(1, k + 1)]
    last = chain.sent(0)[0]
    most = chain.larger(last - chain.computation, z3.RealVal(0))
    sent, begins = chain.sent(backlog), chain.begins()
    in_time = [before[i] <= begins[i] for i in range(k)]
    in_time += [sent[i] <= begins[i] for i in range(k, chain.count)]
    state = (backlog >= 0, backlog <= most, *(each <= backlog for each in before))
    again = sent[0] - chain.computation <= most
    return Statement(
        _named("sufficient", chain, k),
        "an iteration that begins with the largest backlog or less never stalls and leaves no more",
        (*given, *state),
        z3.And(*in_time, again),
    )


def _necessary(chain: Chain, k: int, given: Sequence[Term]) -> Statement:
    """Otherwise the first iteration stalls."""
    sent, begins = chain.sent(z3.RealVal(0)), chain.begins()
    return Statement(
        _named("necessary", chain, k),
        "where the condition fails, a gradient of the first iteration is late",
        tuple(given),
        z3.Or(*(sent[i] > begins[i] for i in range(k, chain.count))),
    )


def _growing(chain: Chain, given: Sequence[Term]) -> Statement:
    """With Σv > P an iteration without a stall leaves Σv − P more than it found."""
    backlog = z3.Real("backlog")
    more = sum(chain.v) - chain.computation
    return Statement(
        _named("growing", chain),
        "without a stall the backlog grows by as much in every iteration",
        (*given, backlog >= 0),
        z3.And(chain.sent(backlog)[0] - chain.computation >= backlog + more, more > 0),
    )


def _never(chain: Chain, given: Sequence[Term]) -> Statement:
    return Statement(
        _named("never", chain, 0),
        "with no stale layer the first gradient is late, whatever the durations",
        tuple(given),
        z3.And(z3.Not(z3.And(*chain.in_time(0))), chain.sent(z3.RealVal(0))[0] > chain.begins()[0]),
    )


def _follows(chain: Chain, k: int, given: Sequence[Term]) -> Statement:
    """What the condition on k layers implies: that on k + 1, and the paper's second constraint."""
    return Statement(
        _named("follows", chain, k),
        "k + 1 stale layers are enough where k are, and the printed constraint is necessary",
        tuple(given),
        z3.And(*chain.in_time(k + 1), chain.printed(k)),
    )
