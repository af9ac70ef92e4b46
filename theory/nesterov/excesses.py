"""What small excesses would give, and where they are therefore not small: for every delay τ ≥ 2.

Here f has a minimiser w*, gradients are bounded by G, and η = 1/β.

1. By (30) δ_{t+1} ≤ (Ω_1 + … + Ω_t)/t + β‖w_1 − w*‖²/(2t). If the sum is at most o(t), then
   f(w_t) → f*.
2. Let √t‖w_{t+1} − w_t‖ → 0. As Δ̄_t = (w_t + d_t) − (w_{t−τ} + d_{t−τ}) is no longer than the
   last τ + 1 steps and the last one again, √t‖Δ̄_t‖ → 0, so that Ω_t is at most a number that tends
   to 0 (`SMALL`). Then so is the mean (Ω_1 + … + Ω_t)/t, and f(w_t) → f* by 1.
3. On Huber's function of curvature β/(τ − 1) f(w_t) does not converge to f*
   (`theory.nesterov.growth`). So on these runs the sum is not o(t), and √t‖w_{t+1} − w_t‖ does not
   tend to 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, Final

import z3

from theory.kernel import prove
from theory.ledger import Step
from theory.nesterov import eq_30
from theory.nesterov.energy import FLOOR, NO_CONVERGENCE
from theory.nesterov.growth import ASSUMES as GROWTH
from theory.nesterov.growth import Run, followed, horizon, keeps_away, replayed
from theory.queries import remembered
from theory.solver import Outcome, Statement, decide
from theory.verdicts import Verdict, weakest

_t, _far, _small, _excess, _G, _beta = z3.Reals("t far small excess G beta")

SMALL: Final = Statement(
    "small",
    "√t‖Δ̄_t‖ ≤ ε gives Ω_t ≤ βε²/2 + 2Gε, by Cauchy–Schwarz",
    (
        _t >= 1,
        _G >= 0,
        _beta > 0,
        _small >= 0,
        _t * _far * _far <= _small * _small,
        2 * _excess <= _t * _beta * _far * _far + 4 * _G * _far,
    ),
    2 * _excess <= _beta * _small * _small + 4 * _G * _small,
)
"""Ω_t ≤ (tβ/2)‖Δ̄_t‖² + 2‖ḡ_t‖‖Δ̄_t‖."""

ASSUMES: Final = (
    *GROWTH,
    "(30), the lemma on small excesses and the run that does not converge are put together by "
    "hand: excesses.py 1–3",
)
"""What is used and not decided here."""

START: Final = Fraction(1, 2)
"""w_1 of the witness."""
MORE: Final = 700
"""Iterations of the witness after the horizon of the certificate."""
TAU: Final = 2
"""Delay of the witness."""


@remembered
def _small_ones() -> Outcome:
    return decide(SMALL)


def pieces() -> tuple[Step, ...]:
    """What 1 to 3 rest on.

    Examples
    --------
    >>> {step.verdict.name for step in pieces()}
    {'PROVED'}
    """
    small = _small_ones()
    return (
        Step("ours", eq_30.THEOREM.statement, eq_30.THEOREM.id, prove(eq_30.THEOREM).verdict),
        Step("ours", small.says, small.note, small.verdict),
        Step(
            "ours",
            "for every τ ≥ 2 some runs on Huber's function have f(w_t) not converging to f*",
            "growth.py",
            keeps_away(NO_CONVERGENCE),
        ),
    )


def not_small() -> Verdict:
    """REFUTED if 1 to 3 hold: no run of any τ ≥ 2 having small excesses, or small steps."""
    proved = weakest(step.verdict for step in pieces()) is Verdict.PROVED
    return Verdict.REFUTED if proved else Verdict.UNKNOWN


@cache
def run_away() -> Run:
    """A run that does not converge, replayed in fractions and compared with the certificate."""
    found = replayed(TAU, Fraction(1), START, horizon(NO_CONVERGENCE, TAU) + MORE)
    followed(found, NO_CONVERGENCE)
    return found


def described() -> dict[str, Any]:
    """The function and the runs of 3."""
    return {
        "f": "Huber's function, a w²/2 for |w| ≤ 1 and a(|w| − 1/2) beyond; its minimum is 0",
        "for every τ ≥ 2": "a = β/(τ − 1) and every w_1 ≥ 401: f(w_t) does not converge to f*",
        "replayed with": f"τ = {TAU}, a = β, w_1 = {START}, t ≤ {len(run_away().read)}; it has "
        f"E_t ≥ {FLOOR} at t = {horizon(NO_CONVERGENCE, TAU)}, so that it does not converge either",
    }
