"""Delays of a static order with an update every K microbatches, by quotients and remainders.

At stage i, from 1, let L = P − i. In PipeDream's order m − L backwards precede forward m ≥ L, and m
precede backward m. So ⌊m/K⌋ − ⌊(m − L)/K⌋ updates fall between them. With m = Ka + x and
L = Kc + y, 0 ≤ x, y < K, these are c if x ≥ y and c + 1 if x < y.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Self

import sympy
import z3

from schedules.actions import Kind
from schedules.families import asyncpp
from schedules.families.one_f_one_b import ORDER
from schedules.schedule import Schedule
from schedules.stamps import StampedOrder
from schedules.versions import versions
from theory.laws.static_orders.symbols import term
from theory.ledger import Evidence
from theory.smt.instances import decide_from
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, merge

P = sympy.Symbol("P", integer=True, positive=True)
"""Stages."""

i = sympy.Symbol("i", integer=True, positive=True)
"""Stage, from 1."""

K = sympy.Symbol("K", integer=True, positive=True)
"""Microbatches an update."""

ORDER_IS = (
    "stage i runs 1F1B as PipeDream's runtime does, with P − i forwards ahead; a scheduler that "
    "takes more of them in start-up, as that of `rpd.local-staleness`, has larger delays there"
)
"""What rows about the static order take for granted."""

SIZES = tuple(product(range(1, 6), range(1, 5)))
"""(P, K) of the runs that are replayed."""


@dataclass(frozen=True)
class View:
    """Stage i of P and a microbatch of its steady state, by quotients and remainders by K."""

    stages: Term
    stage: Term
    interval: Term
    m: Term
    a: Term
    x: Term
    c: Term
    y: Term

    @classmethod
    def symbolic(cls) -> Self:
        """Fresh symbols."""
        return cls(*z3.Ints("P i K m a x c y"))

    @property
    def behind(self) -> Term:
        """L = P − i."""
        return self.stages - self.stage

    @property
    def hypotheses(self) -> tuple[Term, ...]:
        """M ≥ L, m = Ka + x and L = Kc + y."""
        first, second = (self.m, self.a, self.x), (self.behind, self.c, self.y)
        divided = [
            fact
            for number, quotient, rest in (first, second)
            for fact in (number == self.interval * quotient + rest, rest >= 0, rest < self.interval)
        ]
        return (
            self.interval >= 1,
            self.stage >= 1,
            self.stage <= self.stages,
            self.m >= self.behind,
            *divided,
        )

    @property
    def delay(self) -> Term:
        """Updates between forward and backward."""
        return self.delay_at(self.x)

    def delay_at(self, x: Term) -> Term:
        """The same for a microbatch m with m mod K = x."""
        return self.c + z3.If(x < self.y, 1, 0)

    def value(self, form: sympy.Expr) -> Term:
        """A formula in P, i and K."""
        return term(form, {P: self.stages, i: self.stage, K: self.interval})


def order(rule: StampedOrder = ORDER) -> Outcome:
    """Prove how many backwards a stage does before forward m and before backward m.

    Examples
    --------
    >>> order().verdict.name
    'PROVED'
    """
    stages, s, one, other, size = z3.Ints("P s m n M")
    place = {
        (kind, name): rule.stamp(kind, s, number, stages, size, z3.If)[0]
        for kind in (Kind.F, Kind.B)
        for name, number in (("m", one), ("n", other))
    }
    inside = (s >= 0, s < stages, one >= 0, one < size, other >= 0, other < size)
    behind = stages - 1 - s
    ahead = Statement(
        "forward",
        "backward n precedes forward m iff n < m − (P − i)",
        inside,
        (place[Kind.B, "n"] < place[Kind.F, "m"]) == (other < one - behind),
    )
    back = Statement(
        "backward",
        "backwards run in order, behind their forwards",
        inside,
        z3.And(
            (place[Kind.B, "n"] < place[Kind.B, "m"]) == (other < one),
            place[Kind.F, "m"] < place[Kind.B, "m"],
        ),
    )
    smallest = {"P": 1, "s": 0, "M": 1, "m": 0, "n": 0}
    found = [decide_from(statement, smallest) for statement in (ahead, back)]
    says = "m − (P − i) backwards precede forward m ≥ P − i, and m precede backward m"
    return merge("order", says, found)


def decided(
    name: str, says: str, goal: Callable[[View], Term], when: Callable[[View], Term]
) -> Outcome:
    """Decide a statement about the microbatches `when` something holds."""
    view = View.symbolic()
    statement = Statement(name, says, (*view.hypotheses, when(view)), goal(view))
    return decide_from(statement, {"P": 2, "i": 1})


def always(view: View) -> Term:
    """Every microbatch of the steady state."""
    return z3.BoolVal(True)


@remembered
def updates_between() -> Outcome:
    """⌊(m − L)/K⌋ is a − c, or one less; with ⌊m/K⌋ = a that is the delay."""

    def goal(view: View) -> Term:
        before = view.a - view.delay
        done = view.m - view.behind
        return z3.And(view.interval * before <= done, done < view.interval * before + view.interval)

    says = "⌊m/K⌋ − ⌊(m − L)/K⌋ updates in between are c, or c + 1 if m mod K < L mod K"
    return decided("updates", says, goal, always)


@remembered
def varies() -> Outcome:
    """Unless y = 0, the last of every K microbatches has another delay than the first."""

    def goal(view: View) -> Term:
        first, last = view.delay_at(z3.IntVal(0)), view.delay_at(view.interval - 1)
        divides = view.y == 0
        return z3.And((first == last) == divides, z3.Implies(divides, view.delay == first))

    says = "the delay is the same at m mod K = 0 and K − 1 iff K divides P − i, and then at every m"
    return decided("varies", says, goal, always)


def delays(schedule: Schedule, stage: int) -> list[int]:
    """Updates between forward and backward of every microbatch, counted in program order.

    Examples
    --------
    >>> delays(asyncpp.build(2, 6, update_interval=2), 0)
    [0, 0, 1, 0, 1, 0]
    """
    order = [(action.kind, action.microbatch) for action in schedule.rank(stage)]
    interval = schedule.policy.interval

    def updates(entry: tuple[Kind, int]) -> int:
        return sum(kind is Kind.B for kind, _ in order[: order.index(entry)]) // interval

    return [updates((Kind.B, m)) - updates((Kind.F, m)) for m in range(schedule.microbatches)]


def runs() -> Iterator[tuple[dict[str, int], Schedule]]:
    """Every stage of every run, with the run."""
    for stages, interval in SIZES:
        schedule = asyncpp.build(stages, stages + 2 * interval, update_interval=interval)
        for stage in range(1, stages + 1):
            yield {"P": stages, "i": stage, "K": interval}, schedule


def compared() -> Evidence:
    """The family's versions, beside ⌊m/K⌋ − ⌊max(0, m − L)/K⌋."""
    for at, schedule in runs():
        behind, interval = at["P"] - at["i"], at["K"]
        found = versions(schedule).mismatch[at["i"] - 1].tolist()
        stated = [
            m // interval - max(0, m - behind) // interval for m in range(schedule.microbatches)
        ]
        if found != stated:
            return Evidence("against", "a stage whose delays are others", {**at, "delays": found})
    says = "every microbatch of the family's runs has the delay that is proved, P ≤ 5 and K ≤ 4"
    return Evidence("for", says, {"family": asyncpp.FAMILY.name})
