"""The rule of one AMDP pipeline generates a law's start times, at all durations of its cone.

A rule generates a law's start times. Suppose it does not, and look at the first time t at which
some action starts in the run but not in the law, or the other way round. Before t both agree,
so whatever is over by t in one of them is over in the other. Call action Z of a stage due if it
is the stage's first in the law that has not started before t, and X the next action of the
other kind.
- Z starts at t in the law. Its stage is free then and all that Z waits for is over ("order",
  "exclusive", "causal"). X is not chosen in its place: it still waits for something that ends
  after t, or the rule prefers Z ("choice"). So Z starts at t in the run too.
- Z starts later in the law, and Z or X starts at t in the run. But until Z starts in the law
  the stage is busy, or Z waits for an action that is not over ("tight"), and so does X
  ("patience").
Each is a statement about start times, without time or run. Any M is covered: `last` is M − 1.
The same statements but "choice" and "patience" establish the times of the static order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

import z3

from schedules.actions import Kind
from schedules.families.pipedream import RULE
from schedules.rules import GreedyRule
from theory.judging.decide import proves
from theory.papers.amdp.lemmas.durations import START, Cone, Time, later, no_earlier
from theory.papers.amdp.lemmas.minibatches import Minibatch, Pipeline
from theory.papers.amdp.lemmas.start_times import Law, before
from theory.smt.instances import Instance, decide_from
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, merge, undecided

Waits = list[tuple[Term, Time]]
"""What an action waits for: whether it exists, and when it is over."""

_KINDS: Final = (Kind.F, Kind.B)
_OTHER: Final = {Kind.F: Kind.B, Kind.B: Kind.F}

SMALLEST: Final[Instance] = {"p": 1, "n": 1, "s": 0}
"""One stage that admits one minibatch."""


@dataclass(frozen=True)
class _Stage:
    """A stage about to start forward a or backward b, whichever the law has first."""

    law: Law
    line: Pipeline
    s: Term
    next: dict[Kind, Minibatch]
    last: Minibatch

    @classmethod
    def symbolic(cls, law: Law) -> _Stage:
        line, s, forward, backward, last = law.somewhere("a", "b", "l")
        return cls(law, line, s, {Kind.F: forward, Kind.B: backward}, last)

    @property
    def domain(self) -> tuple[Term, ...]:
        return self.law.inside(self.line, self.s, *self.next.values(), self.last)

    def begun(self, kind: Kind) -> Term:
        """The stage has done an action of this kind."""
        return z3.Not(self.next[kind].is_first)

    def done(self, kind: Kind) -> tuple[Kind, Minibatch]:
        """The latest action of this kind."""
        return kind, self.line.back(self.next[kind], 1)

    def left(self, kind: Kind) -> Term:
        """There is another action of this kind."""
        return z3.Not(self.last.precedes(self.next[kind]))

    def start(self, kind: Kind) -> Time:
        return self.law.start(kind, self.line, self.s, self.next[kind])

    def waits(self, kind: Kind) -> Waits:
        """What the next action of this kind waits for, apart from its stage."""
        law, line, s, m = self.law, self.line, self.s, self.next[kind]
        if kind is Kind.B:
            below = law.end(Kind.B, line, s + 1, m)
            return [(z3.BoolVal(True), law.end(Kind.F, line, s, m)), (s < line.p - 1, below)]
        cap, capped = law.admits(line, s)
        exists = z3.And(capped, z3.Or(m.round > 0, m.place >= cap))
        above = law.end(Kind.F, line, s - 1, m)
        return [(s > 0, above), (exists, law.end(Kind.B, line, s, line.back(m, cap)))]

    def occupied(self) -> Waits:
        """What the stage has done last of each kind."""
        ends = ((kind, self.done(kind)[1]) for kind in _KINDS)
        return [(self.begun(k), self.law.end(k, self.line, self.s, m)) for k, m in ends]

    def due(self, kind: Kind) -> tuple[Term, ...]:
        """The next action of this kind is the first of what the stage has not done."""
        other, m = _OTHER[kind], self.next[kind]
        rival, here = self.next[other], (self.law, self.line, self.s)
        over = [
            z3.Or(self.next[k].is_first, z3.Not(self.last.precedes(self.done(k)[1])))
            for k in _KINDS
        ]
        return (
            *self.domain,
            *over,
            self.left(kind),
            z3.Or(self.last.precedes(rival), before(*here, (kind, m), (other, rival))),
            z3.Or(rival.is_first, before(*here, self.done(other), (kind, m))),
        )

    def preferred(self, rule: GreedyRule, kind: Kind) -> Term:
        """The rule prefers this kind where both are ready."""
        here = (self.law, self.line, self.s)
        last_was_forward = z3.And(
            self.begun(Kind.F), before(*here, self.done(Kind.B), self.done(Kind.F))
        )
        after = {k: z3.BoolVal(rule.prefer_after[k] is kind) for k in _KINDS}
        afterwards = z3.If(last_was_forward, after[Kind.F], after[Kind.B])
        return z3.If(self.begun(Kind.B), afterwards, z3.BoolVal(rule.prefer_first is kind))


def _some(cone: Cone, waits: Waits, until: Time) -> Term:
    """Something that is waited for lasts until then."""
    return z3.Or(*(z3.And(exists, no_earlier(cone, end, until)) for exists, end in waits))


def feasible(law: Law, cone: Cone) -> Iterator[Statement]:
    """Every action starts when its stage is free and all that it waits for is over."""
    stage = _Stage.symbolic(law)
    for kind, (begun, over) in zip(_KINDS, stage.occupied(), strict=True):
        start = stage.start(kind)
        says = f"a stage starts {kind.name} in the order of minibatches, one after the other"
        in_order = no_earlier(cone, start, over)
        yield Statement(f"order {kind.name}", says, (*stage.domain, begun), in_order)
        says = f"{kind.name} starts when all that it waits for is over"
        waits = (
            z3.Implies(there, no_earlier(cone, start, end)) for there, end in stage.waits(kind)
        )
        causal = z3.And(no_earlier(cone, start, START), *waits)
        yield Statement(f"causal {kind.name}", says, stage.domain, causal)
    a, b = (stage.start(kind) for kind in _KINDS)
    says = "of a forward and a backward of a stage one is over when the other starts"
    apart = z3.Or(no_earlier(cone, b, a.after(Kind.F)), no_earlier(cone, a, b.after(Kind.B)))
    yield Statement("exclusive", says, stage.domain, apart)


def tight(law: Law, cone: Cone) -> Iterator[Statement]:
    """No action starts later than its stage and what it waits for make it."""
    stage = _Stage.symbolic(law)
    for kind in _KINDS:
        says = f"{kind.name} starts as soon as its stage is free and all that it waits for is over"
        goal = _lasting(cone, [*stage.waits(kind), *stage.occupied()], stage.start(kind))
        yield Statement(f"tight {kind.name}", says, stage.due(kind), goal)


def supported(law: Law, cone: Cone) -> Iterator[Statement]:
    """No action starts later than what it waits for makes it, its stage apart."""
    stage = _Stage.symbolic(law)
    for kind in _KINDS:
        says = f"{kind.name} waits for something that ends no earlier than the stated time"
        goal = _lasting(cone, stage.waits(kind), stage.start(kind))
        yield Statement(f"supported {kind.name}", says, stage.domain, goal)


def _lasting(cone: Cone, waits: Waits, start: Time) -> Term:
    return z3.Or(no_earlier(cone, START, start), _some(cone, waits, start))


def _choices(law: Law, rule: GreedyRule) -> Iterator[Statement]:
    """The rule waits for what comes first in the law, and takes it."""
    stage, cone = _Stage.symbolic(law), law.cone
    for kind, other in _OTHER.items():
        start, waits = stage.start(kind), stage.waits(other)
        both = (*stage.due(kind), stage.left(other))
        says = f"before {kind.name}, which comes first, {other.name} could not have started"
        goal = _some(cone, [*waits, *stage.occupied()], start)
        yield Statement(f"patience {other.name}", says, both, goal)
        says = (
            f"when {kind.name} starts, {other.name} is not ready, or the rule prefers {kind.name}"
        )
        still = (z3.And(exists, later(cone, end, start)) for exists, end in waits)
        goal = z3.Or(stage.preferred(rule, kind), *still)
        yield Statement(f"choice {kind.name}", says, both, goal)


def decided(
    name: str, says: str, statements: Iterable[Statement], smallest: Instance = SMALLEST
) -> Outcome:
    """Decide statements that are needed together, up to the first that is not proved.

    Parameters
    ----------
    name, says : str
    statements : iterable of Statement
    smallest : mapping of str to int
        An instance that all of them have to admit.
    """
    found = []
    for statement in statements:
        found.append(decide_from(statement, smallest))
        if not proves(found[-1]):
            break
    return merge(name, says, found)


def static_times(law: Law, cone: Cone) -> Outcome:
    """Prove that the law is the start times of its order at all durations of a cone.

    Examples
    --------
    >>> from theory.papers.amdp.lemmas.durations import ANY, LONG_BACKWARDS
    >>> from theory.papers.amdp.lemmas.start_times import FREE
    >>> [static_times(FREE, cone).verdict.name for cone in (LONG_BACKWARDS, ANY)]
    ['PROVED', 'REFUTED']
    """
    statements = chain(feasible(law, cone), tight(law, cone))
    return decided(law.name, f"{law.says}: the start times of a static order", statements)


def generated(law: Law, rule: GreedyRule = RULE) -> Outcome:
    """Prove that the rule generates the law, for all p, n, M, stages and minibatches.

    Examples
    --------
    >>> from theory.papers.amdp.lemmas.start_times import CAPPED
    >>> generated(CAPPED).verdict.name
    'PROVED'
    """
    says = f"{law.says}: the rule generates these start times"
    if rule.finished(0, 0):
        note = "the argument needs strict causality: what ends in a slot is ready in the next"
        return undecided(merge(law.name, says, []), note)
    statements = chain(feasible(law, law.cone), tight(law, law.cone), _choices(law, rule))
    return decided(law.name, says, statements)


established = remembered(generated)
"""`generated`, kept for all that rests on a law."""
