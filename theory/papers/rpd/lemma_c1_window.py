"""Lemma C.1, window: 2p − i − j + 1 slots from the forward of block j to the backward at i.

Problem    how many slots lie between the forward of block j and the backward at stage i, in the
           steady state. Stages count from 1 here, as in the paper.
Method     the proved start times F(s, m) = 2m + s and B(s, m) = 2m + 2p − 1 − s of microbatches m ≥
           p; no linearization is involved.
Guarantee  2p − i − j + 1.
Source     RPD paper, Lemma C.1, window.
"""

from functools import partial

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from schedules.dependencies import tables
from schedules.families import build
from schedules.timeline import timeline
from theory.judging import prover
from theory.laws.delays.counts import equals
from theory.laws.delays.domains import a_microbatch, domain
from theory.laws.delays.matrix import i_, j_
from theory.laws.delays.symbols import Microbatch
from theory.papers.rpd.lemmas.entries import SEARCHED, STAGES
from theory.papers.rpd.lemmas.laws import ASSUMES, start_time_steps, times

_LAST = "p"

SMALLEST = {"p": 2, "M": 3, "m": 2, "i": 1, "j": 1}
"""The first steady microbatch of the shortest pipeline."""


def _span(claimed: sympy.Expr, name: str, start: str, stop: str) -> prover.Statement:
    """``claimed`` slots pass from one named event of a steady microbatch to another.

    Events are ``F j``, ``F p`` and ``B i``: forward or backward at that stage.
    """
    at, m = times(), Microbatch.named("m")
    size = at.size
    i, j, value = z3.Ints("i j value")
    stages = {"i": i, "j": j, _LAST: size.p}

    def slot(event: str) -> prover.Term:
        kind, stage = event.split()
        return (at.forward if kind == "F" else at.backward)(stages[stage] - 1, m)

    return prover.Statement(
        name,
        f"from {start} to {stop}",
        (
            *domain(size),
            *(z3.And(stage >= 1, stage <= size.p) for stage in (i, j)),
            a_microbatch(size, m),
            m.index >= size.p,
            equals(value, claimed, {p_: size.p, i_: i, j_: j}),
        ),
        slot(stop) - slot(start) == value,
    )


def _spans(claimed: sympy.Expr, name: str, start: str, stop: str) -> prover.Decision:
    """The proof of `_span`, or the slots counted in a run where the solver finds others."""
    outcome = prover.decide_from(_span(claimed, name, start, stop), SMALLEST)
    if not outcome.witness:
        return prover.Decision((outcome,))
    p, i, j, m = (outcome.witness.get(name, 1) for name in ("p", "i", "j", "m"))
    at = {p_: p, i_: i, j_: j}
    witness = {"p": p, "i (from 1)": i, "j (from 1)": j, "m": m}
    counted = partial(_slots, p, i, j, m, start, stop)
    sides = {"slots": counted(), "printed": outcome.witness["value"]}
    violation = prover.Violation(counted, "==", claimed, at, (prover.le(2, p_), *STAGES))
    return prover.Decision(fails=prover.Refutation(witness | sides, violation))


def _slots(p: int, i: int, j: int, m: int, start: str, stop: str) -> int:
    """From one event of microbatch m to another in a run; events as in `_span`."""
    schedule = build("pipedream", p, m + 1)
    line, index = timeline(schedule), tables(schedule)

    def slot(event: str) -> int:
        kind, stage = event.split()
        table = index.forward if kind == "F" else index.backward
        return int(line.start[table[{"i": i, "j": j, _LAST: p}[stage] - 1, m]])

    return slot(stop) - slot(start)


def _longest(formulas: prover.Formulas) -> prover.Decision:
    """Whether the window falls in i and in j, and is as long as said where both are 1."""
    window, longest = formulas["window"], formulas["longest"]
    falls = all(window.coeff(stage) < 0 for stage in (i_, j_))
    gap = sympy.expand(window.subs({i_: 1, j_: 1}) - longest)
    same = prover.Compared(
        "the window at i = j = 1, and that it falls", "sympy", gap == 0 and falls
    )
    p, steady = SMALLEST["p"], SMALLEST["m"]
    while p < SEARCHED and gap.subs(p_, p) == 0:
        p += 1
    counted = partial(_slots, p, 1, 1, max(p, steady), "F j", "B i")
    witness = {"p": p, "longest": counted(), "printed": str(longest.subs(p_, p))}
    violation = prover.Violation(counted, "==", longest, {p_: p}, (prover.le(2, p_),))
    return prover.Decision((same,), None if same.holds else prover.Refutation(witness, violation))


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome]:
    return (prover.decide_from(_span(formulas["window"], "window", "F j", "B i"), SMALLEST),)


def _account(formulas: prover.Formulas) -> prover.Account:
    rule = "z3 on proved start times"
    onward = "the forward path from stage j to the last one takes p − j slots"
    back = "the backward path down to stage i takes p − i + 1 slots"
    spans = (
        (onward, rule, _spans(formulas["remaining"], "remaining", "F j", "F p")),
        (back, rule, _spans(formulas["return"], "return", "F p", "B i")),
        (
            "the longest window has i = j = 1 and length 2p − 1",
            "sympy: the window falls in i and in j",
            _longest(formulas),
        ),
    )
    return prover.Account(
        _spans(formulas["window"], "window", "F j", "B i"),
        assumes=ASSUMES[1:],
        steps=(*(prover.Line("Lemma C.1, proof", *span) for span in spans), *start_time_steps()),
    )


_WINDOW = 2 * p_ - i_ - j_ + 1

CLAIM = prover.Claim(
    "rpd.lemma-c1-window",
    "Lemma C.1, window",
    "In the steady state the delay window of active stage i and block j (1-based) has "
    "2p − i − j + 1 slots.",
    r"t_B(i,m) - t_F(j,m) = 2p - i - j + 1",
    account=_account,
    printed={"window": _WINDOW, "remaining": p_ - j_, "return": p_ - i_ + 1, "longest": 2 * p_ - 1},
    core={"window": _WINDOW},
    holds=_holds,
    shares="delay laws",
)
