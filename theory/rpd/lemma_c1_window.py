"""Lemma C.1, window: 2p − i − j + 1 slots from the forward of block j to the backward at i.

Stages count from 1 here, as in the paper. The proved start times F(s, m) = 2m + s and
B(s, m) = 2m + 2p − 1 − s of microbatches m ≥ p decide it; no linearization is involved.
"""

from __future__ import annotations

from typing import Final

import sympy
import z3

from schedules.closed_forms.floor_sums import p_
from schedules.dependencies import tables
from schedules.families import build
from schedules.timeline import timeline
from theory.claims import Claim, Formulas
from theory.delay_laws.counts import equals
from theory.delay_laws.domains import a_microbatch, domain
from theory.delay_laws.matrix import i_, j_
from theory.delay_laws.symbols import Microbatch
from theory.instances import decide_from
from theory.ledger import Judgement, Step
from theory.rpd.laws import ASSUMES, our_steps, times
from theory.solver import Outcome, Statement, Term
from theory.verdicts import Verdict, weakest

_LAST: Final = "p"

SMALLEST: Final = {"p": 2, "M": 3, "m": 2, "i": 1, "j": 1}
"""The first steady microbatch of the shortest pipeline."""


def _span(claimed: sympy.Expr, name: str, start: str, stop: str) -> Statement:
    """``claimed`` slots pass from one named event of a steady microbatch to another.

    Events are ``F j``, ``F p`` and ``B i``: forward or backward at that stage.
    """
    at, m = times(), Microbatch.named("m")
    size = at.size
    i, j, value = z3.Ints("i j value")
    stages = {"i": i, "j": j, _LAST: size.p}

    def slot(event: str) -> Term:
        kind, stage = event.split()
        return (at.forward if kind == "F" else at.backward)(stages[stage] - 1, m)

    return Statement(
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


def _window(formulas: Formulas) -> Outcome:
    return decide_from(_span(formulas["window"], "window", "F j", "B i"), SMALLEST)


def _holds(formulas: Formulas) -> Verdict:
    return _window(formulas).verdict


def _witness(found: dict[str, int]) -> dict[str, int]:
    """A counterexample of the solver, with the slots counted in a run."""
    p, i, j, m = (found[name] for name in ("p", "i", "j", "m"))
    schedule = build("pipedream", p, m + 1)
    line, index = timeline(schedule), tables(schedule)
    slots = line.start[index.backward[i - 1, m]] - line.start[index.forward[j - 1, m]]
    return {
        "p": p,
        "i (from 1)": i,
        "j (from 1)": j,
        "m": m,
        "slots": int(slots),
        "printed": found["value"],
    }


def _judge(formulas: Formulas) -> Judgement:
    printed_steps = (
        ("the forward path from stage j to the last one takes p − j slots", "remaining", "F p"),
        ("the backward path down to stage i takes p − i + 1 slots", "return", "B i"),
    )
    origins = ("F j", "F p")
    steps = tuple(
        Step(
            "Lemma C.1, proof",
            says,
            "z3 on proved start times",
            decide_from(_span(formulas[name], name, origin, stop), SMALLEST).verdict,
        )
        for (says, name, stop), origin in zip(printed_steps, origins, strict=True)
    )
    longest = formulas["window"].subs({i_: 1, j_: 1})
    steps += (
        Step(
            "Lemma C.1, proof",
            "the longest window has i = j = 1 and length 2p − 1",
            "sympy: the window falls in i and in j",
            Verdict.PROVED
            if sympy.expand(longest - formulas["longest"]) == 0
            and all(formulas["window"].coeff(stage) < 0 for stage in (i_, j_))
            else Verdict.REFUTED,
        ),
    )
    outcome = _window(formulas)
    refuted = outcome.verdict is Verdict.REFUTED
    valid = weakest(step.verdict for step in steps) is Verdict.PROVED
    return Judgement(
        verdict=outcome.verdict,
        printed_proof="valid" if valid else "invalid",
        assumes=ASSUMES[1:],
        steps=(*steps, *our_steps()[:5]),
        counterexample=_witness(outcome.witness) if refuted else None,
    )


_WINDOW: Final = 2 * p_ - i_ - j_ + 1

CLAIM: Final = Claim(
    id="rpd.lemma-c1-window",
    where="Lemma C.1, window",
    statement=(
        "In the steady state the delay window of active stage i and block j (1-based) has "
        "2p − i − j + 1 slots."
    ),
    latex=r"t_B(i,m) - t_F(j,m) = 2p - i - j + 1",
    judge=_judge,
    printed={
        "window": _WINDOW,
        "remaining": p_ - j_,
        "return": p_ - i_ + 1,
        "longest": 2 * p_ - 1,
    },
    core={"window": _WINDOW},
    holds=_holds,
    shares="delay laws",
)
