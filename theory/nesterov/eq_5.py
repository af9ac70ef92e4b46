"""Equation (5): the delay of stage i is ⌊(2(P − i) + 1)/(2K)⌋, constant if K divides P − i only.

Problem: with an update after every K microbatches, how often stage i (from 1) of P updates its
weights between the forward and the backward of a microbatch. The paper takes that to be constant.

Method: `interval_delays` proves that, in the order of the family ``asyncpp``, ⌊m/K⌋ − ⌊(m − L)/K⌋
updates fall between forward and backward of microbatch m ≥ L = P − i (the first L see ⌊m/K⌋): ⌊L/K⌋
or one more. Equation (5) is ⌊L/K⌋: its 1 never matters. Order alone decides, not durations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import sympy
import z3

from theory.claims import Claim, Formulas
from theory.instances import in_words
from theory.ledger import Case, Finding, Judgement, Repair
from theory.nesterov.interval_delays import (
    K,
    P,
    View,
    always,
    compared,
    decided,
    delays,
    i,
    order,
    runs,
    updates_between,
    varies,
)
from theory.outcomes import steps, verdict_of
from theory.queries import remembered
from theory.solver import Outcome, Term
from theory.verdicts import Verdict, weakest

_PRINTED: Final = {"delay": sympy.floor((2 * (P - i) + 1) / (2 * K))}
_CORE: Final = {
    "least": sympy.floor((P - i) / K),
    "more often": P - i - K * sympy.floor((P - i) / K),
    "mean": (P - i) / K,
}
"""The lesser of two delays; how many of every K microbatches have the greater one; the mean."""


@remembered
def _least(form: sympy.Expr) -> Outcome:
    return decided(
        "least",
        "the delay is ⌊(P − i)/K⌋ if m mod K ≥ (P − i) mod K, and one more otherwise",
        lambda view: view.delay == view.value(form) + z3.If(view.x < view.y, 1, 0),
        always,
    )


@remembered
def _more_often(form: sympy.Expr) -> Outcome:
    return decided(
        "more often",
        "of every K microbatches (P − i) mod K have the greater delay",
        lambda view: view.value(form) == view.y,
        always,
    )


@remembered
def _mean(form: sympy.Expr) -> Outcome:
    return decided("mean", "the mean delay is (P − i)/K", partial(_is_mean, form), always)


def _is_mean(form: sympy.Expr, view: View) -> Term:
    """K − y of every K microbatches have delay c, y have c + 1."""
    total = (view.interval - view.y) * view.c + view.y * (view.c + 1)
    above, below = (view.value(part) for part in sympy.fraction(sympy.together(form)))
    return z3.And(below > 0, total * below == above * view.interval)


_order: Final = remembered(order)


def _proof(formulas: Formulas) -> Iterator[Outcome]:
    """The delays, whatever is printed, and what is made of them."""
    yield from (_order(), updates_between())
    yield _least(formulas["least"])
    yield _more_often(formulas["more often"])
    yield _mean(formulas["mean"])


def _holds(formulas: Formulas) -> Verdict:
    short = (found.verdict for found in _proof(formulas) if found.verdict is not Verdict.PROVED)
    return next(short, Verdict.PROVED)


def _printed(formulas: Formulas, when: Callable[[View], Term]) -> Outcome:
    says = "the delay is as printed"
    return decided("printed", says, lambda view: view.delay == view.value(formulas["delay"]), when)


def _witness(formulas: Formulas) -> dict[str, int] | None:
    """The first microbatch of a steady state with another delay than printed."""
    for at, schedule in runs():
        stated = int(formulas["delay"].subs({P: at["P"], i: at["i"], K: at["K"]}))
        first = at["P"] - at["i"]
        for number, found in enumerate(delays(schedule, at["i"] - 1)[first:], first):
            if found != stated:
                return {**at, "m": number, "delay": found, "stated": stated}
    return None


def _cases(
    proof: tuple[Outcome, ...], formulas: Formulas, witness: dict[str, int] | None
) -> tuple[Case, ...]:
    known = weakest(found.verdict for found in proof)
    divides = min(known, _printed(formulas, lambda view: view.y == 0).verdict)
    one = min(known, _printed(formulas, lambda view: view.interval == 1).verdict)
    return (
        Case(
            "every K ≥ 1, every microbatch m ≥ P − i",
            verdict_of((*proof, _printed(formulas, always)), witness),
            in_words(witness) if witness else "",
        ),
        Case(
            "K divides P − i, which a constant delay amounts to",
            min(divides, varies().verdict),
            "at every stage of P ≥ 2 that is K = 1",
        ),
        Case("K = 1", one, "P − i"),
    )


def _finding(witness: dict[str, int], repaired: Verdict) -> Finding:
    return Finding(
        kind="missing-condition",
        where="section 2.2, (5)",
        says=(
            "the delay is constant only if K divides P − i; otherwise (5) is the smaller of two "
            "delays that take turns, and below their mean"
        ),
        witness=witness,
        repaired=Repair(
            "Of every K microbatches m ≥ P − i in a row, (P − i) mod K have the delay "
            "⌊(P − i)/K⌋ + 1 and the others ⌊(P − i)/K⌋; the mean is (P − i)/K.",
            repaired,
        ),
    )


def _judge(formulas: Formulas) -> Judgement:
    outcomes, witness = (*_proof(_CORE), varies()), _witness(formulas)
    cases = _cases(outcomes, formulas, witness)
    right_for_one = cases[-1].verdict is Verdict.PROVED
    repaired = weakest(found.verdict for found in outcomes)
    return Judgement(
        verdict=cases[0].verdict,
        printed_proof="none",
        cases=cases,
        assumes=("every stage runs PipeDream's static order, without a flush",),
        steps=steps(outcomes),
        findings=(_finding(witness, repaired),) if witness and right_for_one else (),
        counterexample=witness,
        evidence=(compared(),),
    )


CLAIM: Final = Claim(
    id="nesterov.eq-5",
    where="section 2.2, (5)",
    statement=(
        "With an update after every K ≥ 1 microbatches, stage i (from 1) of P updates its weights "
        "⌊(2(P − i) + 1)/(2K)⌋ times between forward and backward of a microbatch m ≥ P − i."
    ),
    latex=r"\tau_i = \left\lfloor \frac{2(P - i) + 1}{2K} \right\rfloor",
    judge=_judge,
    printed=_PRINTED,
    core=_CORE,
    holds=_holds,
    weakened={"K divides P − i": lambda: _printed(_PRINTED, always).verdict},
)
