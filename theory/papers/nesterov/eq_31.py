"""(31): the steps are said to shrink as O(1/t).

Problem    f is convex and β-smooth with a minimiser and bounded gradients; a fixed delay τ.
Method     (14) with η = 1/β and γ_t = (t − 2)/t. The display is lost; the text before it says what
           it shows, by induction, from bounded gradients. It is a step of the proof of Theorem 1,
           whose f has a minimiser.
Guarantee  With a constant that may depend on f and w_1 ‖w_{t+1} − w_t‖ = O(1/t) is true without
           delay (`nesterov.no-delay-steps`), open for τ = 1, and false for every τ ≥ 2: by (30)
           even steps of o(t^−1/2) would make the runs of `growth` converge
           (`theory.papers.nesterov.witnesses.excesses`).
Source     Nesterov paper, (31).

On a line no step shrinks: w_{t+1} − w_t is a mean of the last step and of −ηḡ_t, and both are −ηG.
So no constant made of β, G and τ will do even with a minimiser, as a run on Huber's function is on
a line for as long as one likes.

A warm-up, which the paper offers for the base case of its induction, changes nothing: with v_t for
w_{t+1} − w_t, t(t − 1)(v_t + ηG) is the same in all iterations after it, so that v_t → −ηG.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy
import z3

from theory.falsifier.problem import Problem
from theory.falsifier.scalars import linear
from theory.judging import prover
from theory.judging.as_claim import as_claim
from theory.papers.nesterov import eq_30
from theory.papers.nesterov.lemmas import no_delay_steps, step_bound
from theory.papers.nesterov.runs.delayed import Delayed, Path, momentum, replay, run
from theory.papers.nesterov.symbols import t
from theory.papers.nesterov.witnesses.excesses import (
    ASSUMES,
    described,
    not_small,
    pieces,
    run_away,
)
from theory.papers.nesterov.witnesses.vanishing import bounded_by, slower, vanishes
from theory.papers.rpd.witnesses.exact_runs import require

_t, _move, _then, _C = z3.Reals("t v v_then C")

STEADY = prover.Statement(
    "steady",
    "on a line v_t = −ηG follows from v_{t−1} = −ηG for every t ≥ 2 (here ηG = 1)",
    (_t >= 2, _move == -1, _t * _then == (_t - 2) * _move - 2),
    _then == -1,
)
"""v_t = γ_t v_{t−1} − (1 − γ_t)ηG; and v_2 = −ηG, as γ_2 = 0."""

SETTLES = prover.Statement(
    "settles",
    "on a line t(t − 1)(v_t + ηG) = (t − 1)(t − 2)(v_{t−1} + ηG) for every v_{t−1} (here ηG = 1)",
    (_t * _then == (_t - 2) * _move - 2,),
    _t * (_t - 1) * (_then + 1) == (_t - 1) * (_t - 2) * (_move + 1),
)
"""So v_t → −ηG however the run began, as long as it is (10) with (29) from some iteration on."""

INDUCTION = prover.Statement(
    "induction",
    "‖v_{t−1}‖ ≤ C/t gives γ_t C/t + (1 − γ_t)ηG ≤ C/(t + 1) (here ηG = 1)",
    (_t >= 2, _C > 0),
    ((_t - 2) * _C + 2 * _t) * (_t + 1) <= _C * _t * _t,
)
"""The step of the printed induction, reconstructed."""
NO_CONSTANT = prover.Statement(
    "no constant",
    "that is false for every C once t ≥ C",
    (*INDUCTION.hypotheses, _t >= _C),
    z3.Not(INDUCTION.goal),
)

DELAYS = (0, 1, 2, 5)
"""Delays of the runs beside the verdict."""
UNTIL = 40
"""Iterations of these runs."""
SLOPE = Fraction(3)
"""G of the line that is run."""
SMOOTHNESS = Fraction(2)
"""β in its stepsize 1/β."""
WARM = ((2, Fraction(0)), (10, Fraction(5)), (7, Fraction(-4, 3)))
"""Last iterations s of warm-ups, and steps v_s that they end with."""

LEVELS = (1, 10, 30)
"""Values that t‖w_{t+1} − w_t‖ passes."""

_REPAIRED = as_claim(step_bound.THEOREM)


@prover.remembered
def steady() -> prover.Outcome:
    """Whether the steps on a line never change."""
    return prover.decide(STEADY)


@prover.remembered
def settles() -> prover.Outcome:
    """Whether steps on a line tend to one length, whatever the first of them is."""
    return prover.decide(SETTLES)


@prover.remembered
def _induction() -> prover.Outcome:
    return prover.decide(NO_CONSTANT)


def on_a_line(printed: prover.Formulas, steps: prover.Outcome) -> prover.Decision:
    """The line where the steps are −ηG, or tend to it: no rate that tends to 0 bounds them."""
    if not vanishes(printed["step"]):
        return prover.OPEN
    tends = prover.Compared(
        "the rate tends to 0", "theory.papers.nesterov.witnesses.vanishing.vanishes", True
    )
    return prover.Decision(
        fails=prover.Refutation({"f": "G w", "limit of the steps": "−ηG"}, (steps, tends))
    )


def with_a_minimiser(printed: prover.Formulas) -> prover.Decision:
    """The line for τ ≥ 2: steps of o(t^−1/2) give f(w_t) → f*."""
    if not slower(1 / sympy.sqrt(t), printed["step"]) or not prover.proves(*not_small()):
        return prover.OPEN
    small = prover.Compared(
        "it is o(t^−1/2)", "theory.papers.nesterov.witnesses.vanishing.slower", True
    )
    return prover.Decision(fails=prover.Refutation(_witness(printed), (small, *not_small())))


def without_delay(printed: prover.Formulas) -> prover.Decision:
    """The line for τ = 0: 1/t, and all that is slower."""
    if not bounded_by(1 / t, printed["step"]):
        return prover.OPEN
    return prover.Decision((no_delay_steps.THEOREM,))


def _cases(printed: prover.Formulas, beyond: prover.Decision) -> tuple[prover.Case, ...]:
    return (
        prover.Case("tau = 0", without_delay(printed), no_delay_steps.THEOREM.statement),
        prover.Case("tau = 1", prover.OPEN, "no proof and no counterexample is known here"),
        prover.Case(
            "tau >= 2",
            beyond,
            "steps of o(t^−1/2) would give f(w_t) → f*, on every f with a minimiser",
        ),
        prover.Case(
            "C from beta, G, tau only",
            on_a_line(printed, steady()),
            "Huber's function from afar: the run is on its line until any t, for every τ",
        ),
        prover.Case(
            "no minimiser",
            on_a_line(printed, settles()),
            "on a line steps tend to ηG, after any warm-up and for every τ; from rest they are ηG",
        ),
    )


def _account(printed: prover.Formulas) -> prover.Account:
    decision = with_a_minimiser(printed)
    return prover.Account(
        decision,
        cases=_cases(printed, decision),
        assumes=ASSUMES,
        steps=(
            *(
                prover.Line("ours", one.says, one.note, prover.Decision((one,)))
                for one in (steady(), settles())
            ),
            *pieces(),
            _printed_induction(),
        ),
        findings=(_finding(decision.fails),) if decision.fails else (),
    )


def _printed_induction() -> prover.Line:
    """The step of the printed proof, which is false for every C."""
    false = prover.Refutation({"for every C": "it fails at every t ≥ C"}, (_induction(),))
    rule = f"{NO_CONSTANT.says}: {_induction().note}"
    return prover.Line("(31), reconstructed", INDUCTION.says, rule, prover.Decision(fails=false))


def line_run(tau: int) -> Path:
    """An exact run on a line, by both methods of the falsifier.

    Examples
    --------
    >>> [str(w) for (w,) in line_run(3).points[:4]]
    ['0', '-3/2', '-3', '-9/2']
    """
    problem = Problem("line", ((linear(SLOPE),),), (Fraction(0),), (0,))
    method = Delayed(1 / SMOOTHNESS, tau, SMOOTHNESS)
    found, again = run(problem, method, UNTIL), replay(problem, method, UNTIL)
    require(found == again, "nesterov.eq-31", run=found.points[-1], again=again.points[-1])
    return found


def _moves(tau: int) -> set[Fraction]:
    """All w_{t+1} − w_t of the run."""
    return {then - now for (now,), (then,) in pairwise(line_run(tau).points)}


def warmed(last: int, move: Fraction) -> Fraction:
    """v_t at t = UNTIL by (10) with (29), on the line, after a warm-up that ends with v_s = move.

    Examples
    --------
    >>> str(warmed(39, Fraction(0))), str(warmed(2, Fraction(0)))
    ('-3/40', '-779/520')
    """
    found = move
    for now in range(last + 1, UNTIL + 1):
        found = momentum(now) * found - (1 - momentum(now)) * SLOPE / SMOOTHNESS
    left = Fraction(last * (last - 1), UNTIL * (UNTIL - 1)) * (move + SLOPE / SMOOTHNESS)
    formula = left - SLOPE / SMOOTHNESS
    require(found == formula, "nesterov.eq-31", run=found, formula=formula)
    return found


def passes(level: int) -> int | None:
    """The first t with t|w_{t+1} − w_t| ≥ level in the run that does not converge."""
    moves = pairwise(run_away().points)
    found = (at for at, (now, then) in enumerate(moves, 1) if at * abs(then - now) >= level)
    return next(found, None)


def _witness(printed: prover.Formulas) -> dict[str, Any]:
    moves = set().union(*map(_moves, DELAYS))
    formula = -SLOPE / SMOOTHNESS
    require(moves == {formula}, "nesterov.eq-31", run=sorted(moves), formula=formula)
    return {
        **described(),
        "for every C": f"‖w_{{t+1}} − w_t‖ ≤ C·({printed['step']}) for every t would give "
        "f(w_t) → f*, by (30)",
        "t ‖w_{t+1} − w_t‖ passes": {str(level): passes(level) for level in LEVELS},
        "without a minimiser": "f(w) = G w, convex and β-smooth for every β, |f'| = G; every step "
        "from rest is G/β, for every delay, and after any warm-up steps tend to that",
        "line replayed with": f"G = {SLOPE}, β = {SMOOTHNESS}, τ in {DELAYS}, t ≤ {UNTIL}",
        "w_{t+1} − w_t": str(formula),
        f"after warm-ups with v_s, v_{UNTIL}": {
            f"s = {last}, v_s = {move}": str(warmed(last, move)) for last, move in WARM
        },
    }


def _finding(fails: prover.Refutation) -> prover.Finding:
    why = "; the induction fails for every C once tG ≥ Cβ" if prover.proves(_induction()) else ""
    statement = f"{step_bound.THEOREM.statement} {no_delay_steps.THEOREM.statement}"
    return prover.Finding(
        "false",
        "(31)",
        "bounded gradients bound the steps, they do not make them shrink; for τ ≥ 2 a minimiser "
        f"does not help either{why}",
        fails.witness,
        repaired=prover.Repair(statement, (step_bound.THEOREM, no_delay_steps.THEOREM)),
    )


CLAIM = prover.Claim(
    id="nesterov.eq-31",
    where="(31)",
    statement=(
        "With η = 1/β and γ_t = (t − 2)/t, ‖w_{t+1} − w_t‖ = O(1/t) for every fixed delay τ ≥ 0 "
        "and every convex β-smooth f with a minimiser and bounded gradients; the constant may "
        "depend on f and w_1."
    ),
    latex=r"\|w_{t+1} - w_t\| = O\left(\tfrac1t\right)",
    account=_account,
    printed={"step": 1 / t},
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=(*_REPAIRED.depends, no_delay_steps.THEOREM.id, eq_30.THEOREM.id),
)
