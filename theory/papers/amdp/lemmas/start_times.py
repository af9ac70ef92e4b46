"""When one AMDP pipeline starts its forwards and backwards, as data.

Four laws, by what the rule admits; minibatch m = nq + r, i = p − 1 − s stages behind stage s:

- every stage s < p admits min(n, p − s), or n ≤ 2 and only stage 0 is bounded: for all F, B > 0,

  - B(s, m) starts at (F + B)(pq + r) + pF + iB,
  - F(s, m) at (F + B)(pq + r) + sF, but at (s + m)F if m < n and m ≤ i;

- only stage 0 is bounded and n ≤ p: the same, except that stage s > 0 goes on with forwards until
  its first backward, with 2i + 1 of them if F = B. With the order of F = B it starts F(s, m) for
  m < n at (s + m)F if m ≤ 2i and as B(s, m − 2i − 1) ends otherwise, for all B ≥ F;
- only stage 0 is bounded, n ≥ p and F = B: stages soon do a forward and a backward in turn.

A law for integers and for solver terms alike; what generates it is proved in `greedy`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import z3

from schedules.actions import Kind
from theory.papers.amdp.lemmas.durations import ANY, EQUAL, Cone, Time
from theory.papers.amdp.lemmas.minibatches import Minibatch, Number, Pipeline
from theory.smt.solver import Term

Start = Callable[[Pipeline, Number, Minibatch], Time]
"""When an action of a stage and a minibatch starts."""


@dataclass(frozen=True)
class Law:
    """Start times of one pipeline, and the rule that generates them.

    Attributes
    ----------
    name, says : str
        What the rule admits, in words.
    forward, backward : callable
        When F and B of a stage and a minibatch start.
    cap : callable
        Most minibatches between F and B at stage s.
    capped : callable
        Whether stage s has a cap.
    domain : callable
        Hypotheses on p and n.
    cone : sequence of rays
        Durations for which the rule generates these times.
    rounds : bool
        Whether its minibatches are numbered by rounds.
    """

    name: str
    says: str
    forward: Start
    backward: Start
    cap: Callable[[Pipeline, Number], Number]
    capped: Callable[[Number], Any]
    domain: Callable[[Pipeline], tuple[Term, ...]]
    cone: Cone
    rounds: bool = True

    def start(self, kind: Kind, line: Pipeline, s: Number, m: Minibatch) -> Time:
        """When the action starts."""
        return (self.forward if kind is Kind.F else self.backward)(line, s, m)

    def somewhere(self, *names: str) -> tuple[Any, ...]:
        """A pipeline, a stage and minibatches of these names, as symbols."""
        return Pipeline.symbolic(self.rounds), z3.Int("s"), *map(Minibatch.named, names)

    def inside(self, line: Pipeline, s: Number, *known: Minibatch) -> tuple[Term, ...]:
        """What is true of them."""
        return (*self.domain(line), s >= 0, s < line.p, *line.are_minibatches(*known))

    def end(self, kind: Kind, line: Pipeline, s: Number, m: Minibatch) -> Time:
        """When the action is over."""
        return self.start(kind, line, s, m).after(kind)


def _steady(line: Pipeline, s: Number, m: Minibatch) -> Time:
    """F if it follows the rhythm of the backwards."""
    return Time(m.product + m.place + s, m.product + m.place)


def _backward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    behind = line.p - 1 - s
    return Time(m.product + m.place + line.p, m.product + m.place + behind)


def _choose(line: Pipeline, test: Any, yes: Time, no: Time) -> Time:
    return Time(
        line.choose(test, yes.forwards, no.forwards),
        line.choose(test, yes.backwards, no.backwards),
    )


def _capped_forward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    """The first round comes as fast as it can, as long as the cap admits it."""
    at_once = line.choose(m.round == 0, m.place, line.p) <= line.p - 1 - s
    return _choose(line, at_once, Time(s + m.place, 0), _steady(line, s, m))


def _free_forward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    """The first round comes as fast as it can, until the first backward does."""
    behind = line.p - 1 - s
    waited = m.place - 2 * behind - 1
    in_turn = Time(waited + line.p, waited + 1 + behind)
    first = _choose(line, waited < 0, Time(s + m.place, 0), in_turn)
    return _choose(line, m.round == 0, first, _steady(line, s, m))


def _crowded_forward(line: Pipeline, s: Number, m: Minibatch) -> Time:
    """More admitted than there are stages; only with F = B, so all is counted as forwards."""
    behind, number = line.p - 1 - s, m.place
    free = line.choose(number <= 2 * behind, number, 2 * number - 2 * behind)
    admitted = line.choose(number < line.n, 0, 2 * (number - line.n) + 2 * line.p)
    return Time(s + line.choose(free >= admitted, free, admitted), 0)


def _least_cap(line: Pipeline, s: Number) -> Number:
    return line.choose(line.n < line.p - s, line.n, line.p - s)


def _admission(line: Pipeline, s: Number) -> Number:
    return line.n


def _everywhere(s: Number) -> Any:
    return s >= 0


def _at_stage_0(s: Number) -> Any:
    return s == 0


CAPPED: Final = Law(
    name="every stage is bounded",
    says="stage s admits min(n, d − s), n ≤ d",
    forward=_capped_forward,
    backward=_backward,
    cap=_least_cap,
    capped=_everywhere,
    domain=lambda line: (line.p >= 1, line.n >= 1, line.n <= line.p),
    cone=ANY,
)

TWO: Final = replace(
    CAPPED,
    name="only stage 0 is bounded, n ≤ 2",
    says="only stage 0 is bounded, by n ≤ 2, n ≤ d",
    cap=_admission,
    capped=_at_stage_0,
    domain=lambda line: (line.p >= 1, line.n >= 1, line.n <= line.p, line.n <= 2),
)

FREE: Final = replace(
    TWO,
    name="only stage 0 is bounded",
    says="only stage 0 is bounded, n ≤ d",
    forward=_free_forward,
    domain=CAPPED.domain,
    cone=EQUAL,
)

CROWDED: Final = replace(
    FREE,
    name="only stage 0 is bounded, n ≥ d",
    says="only stage 0 is bounded, n ≥ d",
    forward=_crowded_forward,
    domain=lambda line: (line.p >= 1, line.n >= line.p),
    rounds=False,
)

LAWS: Final = (CAPPED, TWO, FREE, CROWDED)


def before(
    law: Law, line: Pipeline, s: Number, one: tuple[Kind, Minibatch], two: tuple[Kind, Minibatch]
) -> Any:
    """Whether the first of two actions of a stage is over when the second starts, if F = B.

    One of two is, so this is the stage's order: `greedy` proves that it is that of all durations.
    """
    ends, starts = law.end(one[0], line, s, one[1]), law.start(two[0], line, s, two[1])
    return ends.forwards + ends.backwards <= starts.forwards + starts.backwards
