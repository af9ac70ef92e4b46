"""Minibatches as rounds of n: m = nq + r, with p·q under a name of its own.

Neither n·q nor p·q is ever multiplied out, so that queries stay linear: minibatches compare by
round and place, and what is used of p·q are true facts about products with p ≥ 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from theory.smt.notation import terms
from theory.smt.solver import Term

Number = Any
"""An integer or a solver term."""


@dataclass(frozen=True)
class Minibatch:
    """A minibatch by round q and place r, and the product p·q."""

    round: Number
    place: Number
    product: Number

    @classmethod
    def named(cls, name: str) -> Minibatch:
        """A fresh minibatch symbol."""
        return cls(z3.Int(f"q{name}"), z3.Int(f"r{name}"), z3.Int(f"p*q{name}"))

    @property
    def is_first(self) -> Term:
        """It is minibatch 0."""
        return z3.And(self.round == 0, self.place == 0)

    def precedes(self, other: Minibatch) -> Term:
        """It has the lower number."""
        same_round = z3.And(self.round == other.round, self.place < other.place)
        return z3.Or(self.round < other.round, same_round)


@dataclass(frozen=True)
class Pipeline:
    """One pipeline: p stages, n minibatches admitted; numbers, or solver terms.

    Attributes
    ----------
    p, n : int or solver term
    choose : callable
        ``choose(test, yes, no)``.
    rounds : bool
        Whether minibatches are numbered by rounds of n; else all are in round 0.
    """

    p: Number
    n: Number
    choose: Callable[[Any, Number, Number], Number]
    rounds: bool = True

    @classmethod
    def symbolic(cls, rounds: bool = True) -> Pipeline:
        """Fresh symbols."""
        return cls(z3.Int("p"), z3.Int("n"), z3.If, rounds)

    @classmethod
    def of(cls, stages: int, admission: int, rounds: bool = True) -> Pipeline:
        """Numbers."""
        return cls(stages, admission, lambda test, yes, no: yes if test else no, rounds)

    def minibatch(self, number: int) -> Minibatch:
        """A minibatch of a pipeline in numbers.

        Examples
        --------
        >>> Pipeline.of(5, 3).minibatch(7)
        Minibatch(round=2, place=1, product=10)
        """
        q, r = divmod(number, self.n) if self.rounds else (0, number)
        return Minibatch(q, r, self.p * q)

    def back(self, m: Minibatch, by: Number) -> Minibatch:
        """The minibatch m − by, for 0 ≤ by ≤ n, or any `by` if there are no rounds.

        Examples
        --------
        >>> Pipeline.of(5, 3).back(Minibatch(2, 1, 10), 2)
        Minibatch(round=1, place=2, product=5)
        """
        if not self.rounds:
            return Minibatch(m.round, m.place - by, m.product)
        wraps = m.place < by
        return Minibatch(
            self.choose(wraps, m.round - 1, m.round),
            self.choose(wraps, m.place + self.n - by, m.place - by),
            self.choose(wraps, m.product - self.p, m.product),
        )

    def are_minibatches(self, *known: Minibatch) -> tuple[Term, ...]:
        """What is true of some minibatches and of their products with p."""
        facts = [fact for m in known for fact in self._alone(m)]
        pairs = ((one, two) for one in known for two in known if one is not two)
        return (*facts, *(fact for one, two in pairs for fact in self._beside(one, two)))

    def _alone(self, m: Minibatch) -> tuple[Term, ...]:
        known = {"q": m.round, "r": m.place, "pq": m.product, "p": self.p, "n": self.n}
        if not self.rounds:
            return terms("q == 0, r >= 0, pq == 0", known)
        product = "pq >= q, implies(q == 0, pq == 0), implies(q >= 1, pq >= p)"
        return terms(f"q >= 0, r >= 0, r < n, {product}", known)

    def _beside(self, one: Minibatch, two: Minibatch) -> tuple[Term, ...]:
        """The product keeps order, by steps of p."""
        known = {"p": self.p, "q": one.round, "q2": two.round, "pq": one.product}
        return terms(
            "implies(q2 == q, pq2 == pq), implies(q2 == q + 1, pq2 == pq + p), "
            "implies(q2 >= q + 2, pq2 >= pq + 2*p)",
            {**known, "pq2": two.product},
        )
