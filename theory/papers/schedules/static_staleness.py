"""For a static order, local staleness does not depend on how long anything takes.

Problem    a weight copy lives on one rank, and the rank runs its actions in program order. Let P(n)
           be the number of updates of the copy among the rank's first n actions, start(n) and
           end(n) the times of action n in some run. An update belongs to the action that triggers
           it, or is one itself.
Method     by the clock, an action at position a finds the updates that ended by start(a). By
           induction on positions, for any number of actions and any real times, that number is
           P(a).
Guarantee  the updates between a forward at a and a gradient at b are P(b) − P(a) in every run.
Source     ours: docs/explanation/all-timings.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy
import z3

from schedules.actions import Action, Kind
from schedules.dependencies import tables
from schedules.families import build
from schedules.placement import Placement
from schedules.policies import WeightPolicy
from schedules.schedule import IntArray, Schedule
from schedules.timeline import run_to_end
from schedules.versions import update_after, versions, weights_of_action
from theory.judging import prover
from theory.laws.delays.counts import linear_term

a_ = sympy.Symbol("a", integer=True)
REPLAYED = ("pipedream", "1f1b", "zb-h1", "interleaved-1f1b", "localsgd")
TIMINGS = 4
"""Runs of each replayed schedule, each with other durations."""

_START = z3.Function("start", z3.IntSort(), z3.RealSort())
_END = z3.Function("end", z3.IntSort(), z3.RealSort())
_RUN = {
    "start": _START,
    "end": _END,
    "updates": z3.Function("updates", z3.IntSort(), z3.BoolSort()),
    "P": z3.Function("P", z3.IntSort(), z3.IntSort()),
    "counted": z3.Function("counted", z3.IntSort(), z3.IntSort()),
}


def statements(upto: sympy.Expr) -> tuple[prover.Statement, ...]:
    """The induction: what the clock counts at action a is what program order counts at `upto`.

    Examples
    --------
    >>> [prover.decide(statement).verdict.name for statement in statements(a_)]
    ['PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED', 'PROVED']
    """
    return (
        prover.stated(
            "past",
            "an action before a in program order has ended when a starts (induction on a)",
            "n <= a, implies(n < a, end(n) <= start(a)), "
            "start(a) <= end(a), end(a) <= start(a + 1)",
            "end(n) <= start(a + 1)",
            **_RUN,
        ),
        prover.stated(
            "itself",
            "an action that takes time has not ended when it starts",
            "n == a, start(a) < end(a)",
            "end(n) > start(a)",
            **_RUN,
        ),
        prover.stated(
            "future",
            "an action after a has not ended when a starts (induction on n)",
            "end(n) > start(a), end(n) <= start(n + 1), start(n + 1) <= end(n + 1)",
            "end(n + 1) > start(a)",
            **_RUN,
        ),
        prover.stated(
            "no action",
            "among the first 0 actions neither the clock nor program order counts any",
            "a >= 0, counted(0) == 0, P(0) == 0",
            "counted(0) == P(0 if 0 <= limit else limit)",
            **_RUN,
            limit=linear_term(upto, {a_: z3.Int("a")}),
        ),
        _one_more(upto, ", implies(n < a, end(n) <= start(a)), implies(n >= a, end(n) > start(a))"),
        _two_runs(),
    )


def _one_more(upto: sympy.Expr, ordered: str) -> prover.Statement:
    """The step from the first n actions to the first n + 1."""
    return prover.stated(
        "one more action",
        "the updates that have ended when a starts are those before a in program order "
        "(induction on the number of actions looked at)",
        "n >= 0, a >= 0, counted(n) == P(n if n <= limit else limit), "
        "counted(n + 1) == counted(n) + (1 if updates(n) and end(n) <= start(a) else 0), "
        f"P(n + 1) == P(n) + (1 if updates(n) else 0){ordered}",
        "counted(n + 1) == P(n + 1 if n + 1 <= limit else limit)",
        **_RUN,
        limit=linear_term(upto, {a_: z3.Int("a")}),
    )


def _two_runs() -> prover.Statement:
    return prover.stated(
        "two runs",
        "the updates between a forward at a and a gradient at b are as many in any two runs",
        "forward_x == P(a), gradient_x == P(b), forward_y == P(a), gradient_y == P(b)",
        "gradient_x - forward_x == gradient_y - forward_y",
        **_RUN,
    )


def _without_order() -> prover.Statement:
    """The same step for a copy that several ranks update: no order between a and the updates."""
    return _one_more(a_, "")


def staleness_by_the_clock(schedule: Schedule, taken: IntArray) -> IntArray:
    """Updates of its copy that end between F(s, m) and its gradient in one run.

    Parameters
    ----------
    schedule : Schedule
    taken : ndarray of int, shape (actions,)
        Duration of every action, positive.

    Returns
    -------
    ndarray of int, shape (stages, microbatches)

    Examples
    --------
    >>> schedule = build("pipedream", 2, 4)
    >>> staleness_by_the_clock(schedule, np.full(len(schedule), 3)).tolist()
    [[0, 1, 1, 1], [0, 0, 0, 0]]
    """
    start, _ = run_to_end(schedule, taken)
    end, updates, weights = start + taken, update_after(schedule), weights_of_action(schedule)
    index = tables(schedule)

    def seen(action: int) -> int:
        same = updates & (weights == weights[action])
        return int((same & (end <= start[action])).sum())

    pairs = zip(index.forward.ravel().tolist(), index.gradient.ravel().tolist(), strict=True)
    found = [seen(gradient) - seen(forward) for forward, gradient in pairs]
    return np.array(found, dtype=np.int64).reshape(index.forward.shape)


def _durations(count: int, run: int) -> IntArray:
    """Durations from 1 to 9 without a pattern that a schedule could share."""
    number = np.arange(1, count + 1)
    return np.asarray(1 + (number * number * (2 * run + 3) + 5 * run) % 11 % 9)


def _replay() -> prover.Evidence:
    for family in REPLAYED:
        schedule = build(family, 3, 12)
        expected = versions(schedule).local_staleness
        for run in range(TIMINGS):
            found = staleness_by_the_clock(schedule, _durations(len(schedule), run))
            differs = np.argwhere(found != expected)
            if len(differs):
                s, m = differs[0].tolist()
                witness = {"family": family, "run": run, "s": s, "m": m, "found": int(found[s, m])}
                return prover.Evidence(
                    "against", "a run in which the clock counts otherwise", witness
                )
    says = f"{TIMINGS} runs each, with uneven durations: the clock counts what program order counts"
    return prover.Evidence("for", says, {"families": list(REPLAYED), "p": 3, "M": 12})


def two_ranks() -> dict[str, int]:
    """Two runs that differ: one rank's forwards read weights that another rank updates too.

    Examples
    --------
    >>> two_ranks()
    {'B of the other rank takes 1': 1, 'B of the other rank takes 9': 0}
    """
    orders = [
        [Action(kind, 0, m, pipeline) for m in own for kind in (Kind.F, Kind.B)]
        for pipeline, own in enumerate(((0,), (1,)))
    ]
    shared = Placement(ranks=((0,), (1,)), copies=((0,), (0,)))
    schedule = Schedule.from_orders("shared", orders, 2, WeightPolicy("stash"), placement=shared)
    found = {}
    for slow in (1, 9):
        taken = np.array([2, 2, 1, slow], dtype=np.int64)
        staleness = int(staleness_by_the_clock(schedule, taken)[0, 0])
        found[f"B of the other rank takes {slow}"] = staleness
    return found


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    return prover.in_turn(statements(formulas["counted"]))


def _account(formulas: prover.Formulas) -> prover.Account:
    # A model of an induction step need not be a run, so it refutes nothing.
    outcomes = tuple(prover.decide(statement) for statement in statements(formulas["counted"]))
    return prover.Account(
        prover.Decision(outcomes),
        assumes=(
            "every weight copy is updated by one rank, which runs its actions in program order, "
            "one after the other",
            "forwards and backwards take time; other actions may take none",
        ),
        steps=(*prover.lines(outcomes), _control(prover.decide(_without_order()))),
        evidence=(
            _replay(),
            prover.Evidence("neither", "a copy updated by two ranks", two_ranks()),
        ),
    )


def _control(outcome: prover.Outcome) -> prover.Line:
    differs = len(set(two_ranks().values())) > 1
    says = "without program order it fails: a copy that two ranks update has runs that differ"
    code = "theory.papers.schedules.static_staleness.two_ranks"
    fails = prover.Compared(says, code, bool(outcome.witness) and differs)
    return prover.Line("ours", says, "z3 counterexample, and two runs", prover.Decision((fails,)))


_PRINTED = {"counted": a_}

CLAIM = prover.Claim(
    id="schedules.static-staleness",
    where="docs/explanation/all-timings.md",
    statement=(
        "In a static order local staleness does not depend on durations: when the action at "
        "position a of a rank starts, exactly the updates before position a have been made."
    ),
    latex=r"\#\{u : t_u \le t_a\} = \#\{u : u < a\}",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    origin="ours",
)
