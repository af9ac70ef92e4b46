"""(31): the steps are said to shrink as O(1/t).

The display is lost; the text before it says what it shows, by induction, from bounded gradients. On
a line no step shrinks: w_{t+1} − w_t is a mean of the last step and of −ηḡ_t, and both are −ηG.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import z3

from theory.claims import Claim, Formulas
from theory.falsifier.nesterov_runs import Delayed, Path, replay, run
from theory.falsifier.problem import Problem
from theory.falsifier.scalars import linear
from theory.kernel import as_claim, prove
from theory.ledger import Finding, Judgement, Repair, Step
from theory.nesterov import step_bound
from theory.nesterov.symbols import t
from theory.nesterov.vanishing import vanishes
from theory.queries import remembered
from theory.rpd.exact_runs import require
from theory.solver import Outcome, Statement, decide
from theory.verdicts import Verdict

_t, _move, _then, _C = z3.Reals("t v v_then C")

STEADY: Final = Statement(
    "steady",
    "on a line v_t = −ηG follows from v_{t−1} = −ηG for every t ≥ 2 (here ηG = 1)",
    (_t >= 2, _move == -1, _t * _then == (_t - 2) * _move - 2),
    _then == -1,
)
"""v_t = γ_t v_{t−1} − (1 − γ_t)ηG; and v_1 = −ηG, as γ_1 = 0."""

INDUCTION: Final = Statement(
    "induction",
    "‖v_{t−1}‖ ≤ C/t gives γ_t C/t + (1 − γ_t)ηG ≤ C/(t + 1) (here ηG = 1)",
    (_t >= 2, _C > 0),
    ((_t - 2) * _C + 2 * _t) * (_t + 1) <= _C * _t * _t,
)
"""The step of the printed induction, reconstructed."""
NO_CONSTANT: Final = Statement(
    "no constant",
    "that is false for every C once t ≥ C",
    (*INDUCTION.hypotheses, _t >= _C),
    z3.Not(INDUCTION.goal),
)

DELAYS: Final = (0, 1, 2, 5)
"""Delays of the runs beside the verdict."""
UNTIL: Final = 40
"""Iterations of these runs."""
SLOPE: Final = Fraction(3)
"""G of the line that is run."""
SMOOTHNESS: Final = Fraction(2)
"""β in its stepsize 1/β."""

_REPAIRED: Final = as_claim(step_bound.THEOREM)


@remembered
def steady() -> Outcome:
    """Whether the steps on a line never change."""
    return decide(STEADY)


@remembered
def _induction() -> Outcome:
    return decide(NO_CONSTANT)


def _verdict(printed: Formulas) -> Verdict:
    holds_off = vanishes(printed["step"]) and steady().verdict is Verdict.PROVED
    return Verdict.REFUTED if holds_off else Verdict.UNKNOWN


def _judge(printed: Formulas) -> Judgement:
    verdict = _verdict(printed)
    witness = _witness(printed) if verdict is Verdict.REFUTED else None
    no_constant = _induction().verdict is Verdict.PROVED
    return Judgement(
        verdict=verdict,
        printed_proof="invalid" if no_constant else "gap",
        assumes=("the run starts at rest: w_k = w_1 and d_k = 0 for k ≤ 1",),
        steps=(
            Step("ours", steady().says, steady().note, steady().verdict),
            Step(
                "(31), reconstructed",
                INDUCTION.says,
                f"{NO_CONSTANT.says}: {_induction().note}",
                Verdict.REFUTED if no_constant else Verdict.UNKNOWN,
            ),
        ),
        findings=(_finding(witness, no_constant),) if witness else (),
        counterexample=witness,
    )


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


def _witness(printed: Formulas) -> dict[str, Any]:
    moves = set().union(*map(_moves, DELAYS))
    formula = -SLOPE / SMOOTHNESS
    require(moves == {formula}, "nesterov.eq-31", run=sorted(moves), formula=formula)
    return {
        "f": "f(w) = G w, convex and β-smooth for every β, |f'| = G",
        "for every C and every delay": f"‖w_{{t+1}} − w_t‖ = G/β is above C·({printed['step']}) "
        "for every large t",
        "replayed with": f"G = {SLOPE}, β = {SMOOTHNESS}, τ in {DELAYS}, t ≤ {UNTIL}",
        "w_{t+1} − w_t": str(formula),
    }


def _finding(witness: dict[str, Any], no_constant: bool) -> Finding:
    why = "; the induction fails for every C once tG ≥ Cβ" if no_constant else ""
    return Finding(
        "false",
        "(31)",
        f"bounded gradients bound the steps, they do not make them shrink{why}",
        witness,
        Repair(step_bound.THEOREM.statement, prove(step_bound.THEOREM).verdict),
    )


CLAIM: Final = Claim(
    id="nesterov.eq-31",
    where="(31)",
    statement=(
        "With η = 1/β and γ_t = (t − 2)/t, ‖w_{t+1} − w_t‖ = O(1/t) for every fixed delay and "
        "every convex β-smooth f with bounded gradients."
    ),
    latex=r"\|w_{t+1} - w_t\| = O\left(\tfrac1t\right)",
    judge=_judge,
    printed={"step": 1 / t},
    core=_REPAIRED.core,
    holds=_REPAIRED.holds,
    weakened=_REPAIRED.weakened,
    depends=_REPAIRED.depends,
)
