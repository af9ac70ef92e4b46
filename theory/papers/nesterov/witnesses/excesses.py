"""What small excesses would give, and where they are therefore not small: for every delay τ ≥ 2.

Here f has a minimiser w*, gradients are bounded by G, and η = 1/β: with (30) a sum of excesses of
o(t), or steps of o(t^−1/2), would make f(w_t) converge to f*, which it does not on the runs of
`growth`. The argument is in `arguments`, "small excesses".
"""

from fractions import Fraction
from functools import cache
from typing import Any

import z3

from theory.account import Decision, Ground, Line
from theory.papers.nesterov import eq_30
from theory.papers.nesterov.witnesses.energy import FLOOR, NO_CONVERGENCE
from theory.papers.nesterov.witnesses.growth import ASSUMES as GROWTH
from theory.papers.nesterov.witnesses.growth import Run, followed, horizon, keeps_away, replayed
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide

_t, _far, _small, _excess, _G, _beta = z3.Reals("t far small excess G beta")

SMALL = Statement(
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

ASSUMES = (
    *GROWTH,
    "(30), the lemma on small excesses and the run that does not converge are put together by "
    "hand: the argument 'small excesses'",
)
"""What is used and not decided here."""

START = Fraction(1, 2)
"""w_1 of the witness."""
MORE = 700
"""Iterations of the witness after the horizon of the certificate."""
TAU = 2
"""Delay of the witness."""


@remembered
def _small_ones() -> Outcome:
    return decide(SMALL)


def not_small() -> tuple[Ground, ...]:
    """That no run of any τ ≥ 2 which `growth` is about has small excesses, or small steps."""
    return (eq_30.THEOREM, _small_ones(), *keeps_away(NO_CONVERGENCE))


def pieces() -> tuple[Line, ...]:
    """What the argument "small excesses" rests on."""
    small = _small_ones()
    return (
        Line("ours", eq_30.THEOREM.statement, eq_30.THEOREM.id, Decision((eq_30.THEOREM,))),
        Line("ours", small.says, small.note, Decision((small,))),
        Line(
            "ours",
            "for every τ ≥ 2 some runs on Huber's function have f(w_t) not converging to f*",
            "no convergence",
            Decision(keeps_away(NO_CONVERGENCE)),
        ),
    )


@cache
def run_away() -> Run:
    """A run that does not converge, replayed in fractions and compared with the certificate."""
    found = replayed(TAU, Fraction(1), START, horizon(NO_CONVERGENCE, TAU) + MORE)
    followed(found, NO_CONVERGENCE)
    return found


def described() -> dict[str, Any]:
    """The function and the runs that do not converge."""
    return {
        "f": "Huber's function, a w²/2 for |w| ≤ 1 and a(|w| − 1/2) beyond; its minimum is 0",
        "for every τ ≥ 2": "a = β/(τ − 1) and every w_1 ≥ 401: f(w_t) does not converge to f*",
        "replayed with": f"τ = {TAU}, a = β, w_1 = {START}, t ≤ {len(run_away().read)}; it has "
        f"E_t ≥ {FLOOR} at t = {horizon(NO_CONVERGENCE, TAU)}, so that it does not converge either",
    }
