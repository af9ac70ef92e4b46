"""Equation (5): the delay of stage i is ⌊(2(P − i) + 1)/(2K)⌋, constant if K divides P − i only.

Problem    with an update after every K microbatches, how often stage i (from 1) of P updates its
           weights between the forward and the backward of a microbatch. The paper assumes a
           constant delay at each stage, and leaves open for which K there is one.
Method     `interval_delays` proves that, in the order of the family ``asyncpp``, ⌊m/K⌋ − ⌊(m −
           L)/K⌋ updates fall between forward and backward of microbatch m ≥ L = P − i (the first L
           see ⌊m/K⌋). Order alone decides, not durations.
Guarantee  It is ⌊L/K⌋ or one more, and constant if and only if K divides L. Equation (5) is ⌊L/K⌋:
           its 1 never matters.
Source     Nesterov paper, section 2.2, (5).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import sympy
import z3

from theory.judging import prover
from theory.papers.nesterov.lemmas.interval_delays import (
    ORDER_IS,
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

_PRINTED = {"delay": sympy.floor((2 * (P - i) + 1) / (2 * K))}
_CORE = {
    "least": sympy.floor((P - i) / K),
    "more often": P - i - K * sympy.floor((P - i) / K),
    "mean": (P - i) / K,
}
"""The lesser of two delays; how many of every K microbatches have the greater one; the mean."""


@prover.remembered
def _least(form: sympy.Expr) -> prover.Outcome:
    return decided(
        "least",
        "the delay is ⌊(P − i)/K⌋ if m mod K ≥ (P − i) mod K, and one more otherwise",
        lambda view: view.delay == view.value(form) + z3.If(view.x < view.y, 1, 0),
        always,
    )


@prover.remembered
def _more_often(form: sympy.Expr) -> prover.Outcome:
    return decided(
        "more often",
        "of every K microbatches (P − i) mod K have the greater delay",
        lambda view: view.value(form) == view.y,
        always,
    )


@prover.remembered
def _mean(form: sympy.Expr) -> prover.Outcome:
    return decided("mean", "the mean delay is (P − i)/K", partial(_is_mean, form), always)


def _is_mean(form: sympy.Expr, view: View) -> prover.Term:
    """K − y of every K microbatches have delay c, y have c + 1."""
    total = (view.interval - view.y) * view.c + view.y * (view.c + 1)
    above, below = (view.value(part) for part in sympy.fraction(sympy.together(form)))
    return z3.And(below > 0, total * below == above * view.interval)


@prover.remembered
def _at_each_stage() -> prover.Outcome:
    """Stage P − 1 has a constant delay for K = 1 only, and then every stage has."""
    return decided(
        "each stage",
        "K divides 1, as it does where the delay of stage P − 1 is constant, iff K = 1",
        lambda view: (view.y == 0) == (view.interval == 1),
        lambda view: view.stage == view.stages - 1,
    )


_order = prover.remembered(order)


def _proof(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    """The delays, whatever is printed, and what is made of them."""
    yield from (_order(), updates_between())
    yield _least(formulas["least"])
    yield _more_often(formulas["more often"])
    yield _mean(formulas["mean"])


def _printed(formulas: prover.Formulas, when: Callable[[View], prover.Term]) -> prover.Outcome:
    says = "the delay is as printed"
    return decided("printed", says, lambda view: view.delay == view.value(formulas["delay"]), when)


def _witness(formulas: prover.Formulas, constant: bool) -> prover.Refutation | None:
    """The first microbatch of a steady state with another delay than printed, or None.

    Parameters
    ----------
    formulas : Formulas
    constant : bool
        At a stage of constant delay, or at one of another.
    """
    for at, schedule in runs():
        first = at["P"] - at["i"]
        if (first % at["K"] == 0) is not constant:
            continue
        stated = int(formulas["delay"].subs({P: at["P"], i: at["i"], K: at["K"]}))
        for number, found in enumerate(delays(schedule, at["i"] - 1)[first:], first):
            if found != stated:
                witness = {**at, "m": number, "delay": found, "stated": stated}
                return prover.Refutation(witness, _violation(formulas, at, number))
    return None


def _violation(formulas: prover.Formulas, at: Mapping[str, int], number: int) -> prover.Violation:
    """One microbatch of a run, counted again, at a stage whose P − i is Kc + y."""
    symbols = {P: at["P"], i: at["i"], K: at["K"]}
    whole, rest = divmod(at["P"] - at["i"], at["K"])
    divided = (
        prover.eq(P - i, K * _WHOLE + rest),
        prover.le(1, i),
        prover.le(i, P),
        prover.le(1, K),
    )
    counted = partial(_counted, at, number)
    return prover.Violation(counted, "==", formulas["delay"], {**symbols, _WHOLE: whole}, divided)


_WHOLE = sympy.Symbol("c", integer=True, nonnegative=True)
"""⌊(P − i)/K⌋."""


def _counted(at: Mapping[str, int], number: int) -> int:
    """The delay of a microbatch in a run."""
    return next(delays(run, at["i"] - 1)[number] for one, run in runs() if one == at)


CONSTANT = "constant delay at stage i, which is K divides P − i"


def _cases(
    formulas: prover.Formulas, proof: tuple[prover.Outcome, ...]
) -> tuple[prover.Case, prover.Case, prover.Case]:
    against, varying = (_witness(formulas, constant) for constant in (True, False))
    divides = _printed(formulas, lambda view: view.y == 0)
    one = _printed(formulas, lambda view: view.interval == 1)
    at_one = against if against and against.witness["K"] == 1 else None
    taken = (
        f"{prover.in_words(varying.witness)}; ⌊(P − i)/K⌋ and one more take turns"
        if varying
        else ""
    )
    return (
        prover.Case(
            CONSTANT,
            prover.Decision((*proof, divides), against),
            prover.in_words(against.witness) if against else "",
        ),
        prover.Case(
            "constant delay at each stage of P ≥ 2, which is K = 1",
            prover.Decision((*proof, one), at_one),
            "P − i",
        ),
        prover.Case(
            "no constant delay at stage i, K not dividing P − i; every microbatch m ≥ P − i",
            prover.Decision((*proof, _printed(formulas, always)), varying),
            taken,
        ),
    )


def _finding(
    varying: prover.Refutation, constant: prover.Decision, proof: tuple[prover.Outcome, ...]
) -> prover.Finding:
    return prover.Finding(
        kind="missing-condition",
        where="section 2.2, (5)",
        says=(
            "a delay is constant only if K divides P − i, at each stage of P ≥ 2 only if K = 1; "
            "otherwise (5) is the smaller of two delays that take turns, and below their mean"
        ),
        witness=varying.witness,
        shown=constant.grounds,
        repaired=prover.Repair(
            "Of every K microbatches m ≥ P − i in a row, (P − i) mod K have the delay "
            "⌊(P − i)/K⌋ + 1 and the others ⌊(P − i)/K⌋; the mean is (P − i)/K.",
            proof,
        ),
    )


def _account(formulas: prover.Formulas) -> prover.Account:
    """It holds for a constant delay, as the paper assumes it, and only then."""
    proof = (*_proof(_CORE), varies(), _at_each_stage())
    cases = _cases(formulas, proof)
    constant, varying = cases[0].decision, cases[2].decision.fails
    return prover.Account(
        constant if constant.fails else prover.Readings((CONSTANT,)),
        cases=cases,
        assumes=(f"there is no flush, and {ORDER_IS}",),
        steps=tuple(
            prover.Line("ours", one.says, one.note, prover.Decision((one,))) for one in proof
        ),
        findings=(_finding(varying, constant, proof),) if varying else (),
        evidence=(compared(),),
    )


CLAIM = prover.Claim(
    id="nesterov.eq-5",
    where="section 2.2, (5)",
    statement=(
        "With an update after every K ≥ 1 microbatches, and assuming constant delay at each stage, "
        "stage i (from 1) of P updates its weights ⌊(2(P − i) + 1)/(2K)⌋ times between forward and "
        "backward of a microbatch m ≥ P − i."
    ),
    latex=r"\tau_i = \left\lfloor \frac{2(P - i) + 1}{2K} \right\rfloor",
    account=_account,
    printed=_PRINTED,
    core=_CORE,
    holds=_proof,
    weakened={"K divides P − i": lambda: (_printed(_PRINTED, always),)},
)
