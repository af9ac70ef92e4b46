"""A free run as counters: what every event keeps true, for a stage, its neighbour and the last.

A free run is a sequence of events: a stage starts or ends a forward or a backward. Each event
has a guard; durations and message delays only make a guard hold later. What holds at the
beginning and is kept by every event therefore holds in every run, whatever p, M, durations and
delays, and whatever else keeps a rank busy. Kept are: stage s + 1 has no more minibatches under
way than stage s, and stage 0 no more than it admits. So no stage has more than n under way, by
induction over stages. Of those one is the minibatch whose forward starts, so at most n − 1
backwards of the stage come between its forward and its backward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import z3

from schedules.actions import Kind
from schedules.rules import GreedyRule
from theory.smt.solver import Statement, Term


@dataclass(frozen=True)
class Stage:
    """What one stage has done so far.

    Attributes
    ----------
    forwards, forwards_ended, backwards, backwards_ended : solver terms
        Actions started, and actions ended.
    last_forward : solver term
        Whether the action started last is a forward.
    """

    forwards: Term
    forwards_ended: Term
    backwards: Term
    backwards_ended: Term
    last_forward: Term

    @classmethod
    def named(cls, name: str) -> Stage:
        """A stage with symbols of its own."""
        forwards, backwards = z3.Ints(f"forwards_{name} backwards_{name}")
        ended = z3.Ints(f"forwards_ended_{name} backwards_ended_{name}")
        return cls(forwards, ended[0], backwards, ended[1], z3.Bool(f"last_forward_{name}"))

    @property
    def free(self) -> Term:
        """Nothing is running."""
        return z3.And(self.forwards == self.forwards_ended, self.backwards == self.backwards_ended)

    @property
    def in_flight(self) -> Term:
        """Microbatches past the start of their forward but not the end of their backward."""
        return self.forwards - self.backwards_ended

    @property
    def fresh(self) -> Term:
        """Nothing has been done yet."""
        zero = (self.forwards, self.forwards_ended, self.backwards, self.backwards_ended)
        return z3.And(*(counter == 0 for counter in zero), z3.Not(self.last_forward))

    @property
    def sound(self) -> Term:
        """One action at a time, and no backward without its forward."""
        return z3.And(
            self.backwards_ended >= 0,
            self.forwards_ended <= self.forwards,
            self.backwards_ended <= self.backwards,
            self.forwards + self.backwards <= self.forwards_ended + self.backwards_ended + 1,
            self.backwards <= self.forwards_ended,
        )


@dataclass(frozen=True)
class Event:
    """Something that happens at a stage, if its guard holds."""

    name: str
    guard: Term
    after: Stage


def events(stage: Stage, may_forward: Term, may_backward: Term) -> tuple[Event, ...]:
    """What can happen at a stage, given when it may start a forward or a backward."""
    free, one = stage.free, z3.IntVal(1)
    yes, no = z3.BoolVal(True), z3.BoolVal(False)
    started = replace(stage, forwards=stage.forwards + one, last_forward=yes)
    ended = replace(stage, forwards_ended=stage.forwards_ended + one)
    back_started = replace(stage, backwards=stage.backwards + one, last_forward=no)
    back_ended = replace(stage, backwards_ended=stage.backwards_ended + one)
    return (
        Event("F starts", z3.And(free, may_forward), started),
        Event("F ends", stage.forwards_ended < stage.forwards, ended),
        Event("B starts", z3.And(free, may_backward), back_started),
        Event("B ends", stage.backwards_ended < stage.backwards, back_ended),
    )


def usable(rule: GreedyRule, started: Term, ended: Term) -> Term:
    """How many actions count as finished: those that ended, if the rule's causality is strict."""
    return started if rule.finished(0, 0) else ended


def own_forward_done(rule: GreedyRule, stage: Stage) -> Term:
    """The forward of the stage's next backward is finished; no message is needed."""
    return usable(rule, stage.forwards, stage.forwards_ended) > stage.backwards


def pair_statements(rule: GreedyRule) -> Iterator[Statement]:
    """Stages s and s + 1: never more in flight at s + 1 than at s."""
    upper, lower = Stage.named("s"), Stage.named("next")

    def holds(here: Stage, there: Stage) -> Term:
        return z3.And(
            here.sound,
            there.sound,
            there.forwards <= here.forwards_ended,
            here.backwards <= there.backwards_ended,
        )

    anything = z3.BoolVal(True)
    handed_on = lower.forwards < usable(rule, upper.forwards, upper.forwards_ended)
    handed_back = upper.backwards < usable(rule, lower.backwards, lower.backwards_ended)
    at_upper = events(upper, anything, z3.And(own_forward_done(rule, upper), handed_back))
    at_lower = events(lower, handed_on, own_forward_done(rule, lower))
    yield _begins("two neighbours", z3.And(upper.fresh, lower.fresh), holds(upper, lower))
    yield from _kept(
        "stage s and its neighbour", holds(upper, lower), at_upper, lambda s: holds(s, lower)
    )
    yield from _kept(
        "stage s + 1 and its neighbour", holds(upper, lower), at_lower, lambda s: holds(upper, s)
    )
    yield Statement(
        "neighbours",
        "stage s + 1 has no more microbatches in flight than stage s",
        (holds(upper, lower),),
        lower.in_flight <= upper.in_flight,
    )


def admission_statements(rule: GreedyRule) -> Iterator[Statement]:
    """Stage 0: never more in flight than the rule admits."""
    stage, noam = Stage.named("0"), z3.Int("N")

    def holds(here: Stage) -> Term:
        return z3.And(noam >= 1, here.sound, here.in_flight <= noam)

    admitted = stage.forwards_ended - stage.backwards_ended < noam
    possible = events(stage, admitted, own_forward_done(rule, stage))
    yield _begins("stage 0", z3.And(noam >= 1, stage.fresh), holds(stage))
    yield from _kept("stage 0 and its admission", holds(stage), possible, holds)


def last_stage_statements(rule: GreedyRule, staleness: Term) -> Iterator[Statement]:
    """The last stage: `staleness` versions between every forward and its update."""
    stage, arrived = Stage.named("last"), z3.Bool("forward_arrived")

    def holds(here: Stage) -> Term:
        alternating = here.forwards - here.backwards == z3.If(here.last_forward, 1, 0)
        return z3.And(here.sound, alternating)

    backward_ready = own_forward_done(rule, stage)
    forward = z3.And(arrived, z3.Or(z3.Not(backward_ready), _prefers_forward(rule, stage)))
    backward = z3.And(backward_ready, z3.Not(forward))
    possible = events(stage, forward, backward)
    yield _begins("the last stage", stage.fresh, holds(stage))
    yield from _kept("the last stage: F and B alternate", holds(stage), possible, holds)
    yield Statement(
        "last stage",
        "the last stage starts a forward only when no update of an earlier one is outstanding",
        (holds(stage), possible[0].guard),
        stage.in_flight == staleness,
    )


def _prefers_forward(rule: GreedyRule, stage: Stage) -> Term:
    after_forward, after_backward = (rule.prefer_after[kind] is Kind.F for kind in (Kind.F, Kind.B))
    return z3.If(
        stage.backwards_ended == 0,
        z3.BoolVal(rule.prefer_first is Kind.F),
        z3.If(stage.last_forward, z3.BoolVal(after_forward), z3.BoolVal(after_backward)),
    )


def _begins(who: str, beginning: Term, holds: Term) -> Statement:
    return Statement(
        f"{who}: beginning", f"{who}: it holds before anything runs", (beginning,), holds
    )


def _kept(
    who: str, before: Term, possible: tuple[Event, ...], holds: Callable[[Stage], Term]
) -> Iterator[Statement]:
    for event in possible:
        says = f"{who}: it still holds when {event.name}"
        yield Statement(f"{who}: {event.name}", says, (before, event.guard), holds(event.after))
