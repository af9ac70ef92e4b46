"""Proposition 1 fails for every delay and every stepsize: a run that turns far outside.

Problem    cos(Δ_t, d̄_t) → 1 for every increasing γ_t → 1 (with the momentum of (29) at τ = 1
           `nesterov.prop-1` has a run of its own).
Method     The runs of `nesterov.look-ahead` on Huber's function. After a turn steps go back and
           grow, and d̄_t is γ times the last step before it, while all τ steps of Δ_t are behind it.
Guarantee  For every τ ≥ 1 and η > 0 a γ_t that strictly increases to 1, and cos(Δ_t, d̄_t) = −1 for
           infinitely many t.
Source     ours, beside Proposition 1 (2).
"""

from collections.abc import Iterator
from functools import partial

import sympy

from theory.judging import prover
from theory.papers.nesterov.look_ahead import ARGUMENT, LEMMAS, turns

_DELAYS = (1, 2, 3)
_SHOWN = 2


def _cosines(stated: sympy.Expr, tau: int) -> prover.Compared:
    found = turns(tau, _SHOWN, delayed=True)
    says = f"the cosine after the first turns of an exact run, τ = {tau}"
    code = "theory.papers.nesterov.look_ahead.turns"
    return prover.Compared(says, code, all(turn["cosine"] == stated for turn in found))


def grounds(formulas: prover.Formulas) -> Iterator[prover.Ground]:
    """The lemmas, and the cosine after turns of exact runs."""
    yield from prover.in_turn(LEMMAS)
    yield from map(partial(_cosines, formulas["cosine"]), _DELAYS)


CLAIM = prover.row(
    "nesterov.prop-1-any-delay",
    "ours",
    "For every delay τ ≥ 1 and every stepsize there are a convex smooth f with bounded gradients "
    "and a strictly increasing γ_t → 1 with cos(Δ_t, d̄_t) = −1 for infinitely many t.",
    r"\cos(\Delta_t, \bar d_t) = -1",
    {"cosine": sympy.Integer(-1)},
    grounds,
    assumes=("the run starts at rest: w_k = w_1 and d_k = 0 for k ≤ 1",),
    arguments=(
        f"{ARGUMENT} For d̄_t take the t whose d̄_t is the last step before a turn, times γ: by "
        "[goes on] the τ steps behind it are positive, as the run still reads h′ = −1, and Δ_t is "
        "their sum. That this last step is not 0 is arranged by the γ_t before it.",
    ),
    origin="ours",
)
