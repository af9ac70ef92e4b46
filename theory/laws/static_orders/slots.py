"""Start times of a family, proved from its rule, and the order that they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import PRODUCT, Piecewise
from schedules.closed_forms.start_times import StartTimes, guess_start_times, sample
from schedules.families import get_family
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.stamps import LINE, At, Stamp, StampedOrder
from theory.errors import NoClosedFormError
from theory.laws.delays.built import built
from theory.laws.delays.start_times import prove_start_times
from theory.laws.delays.symbols import Microbatch, Size, Times
from theory.smt.queries import remembered
from theory.smt.solver import Outcome


@dataclass(frozen=True)
class Law:
    """Start times of a family, and the proof that its rule generates them.

    Attributes
    ----------
    times : Times
    proof : tuple of Outcome
    """

    times: Times
    proof: tuple[Outcome, ...]


def law(name: str) -> Law:
    """The start times of a family, guessed from small runs and proved for all p ≥ 2 and M ≥ 1.

    Raises
    ------
    NoClosedFormError
        They are not piecewise affine in p, M, stage and microbatch.

    Examples
    --------
    >>> {outcome.verdict.name for outcome in law("pipedream").proof}
    {'PROVED'}
    """
    return _law(get_family(name))


@remembered
def _law(family: Family) -> Law:
    guess = guess_start_times(sample(family, family.admission))
    rule = family.rule
    stated = isinstance(rule, (GreedyRule, StampedOrder))
    if not stated or isinstance(guess, Kind) or multiplies(guess):
        raise NoClosedFormError(
            f"start times of {family.name!r} are not piecewise affine in p, M, stage and "
            "microbatch",
            "stamps",
            "state the family's order by stamps",
        )
    assert isinstance(rule, (GreedyRule, StampedOrder))
    proof = prove_start_times(rule, family.admission, guess, family.in_flight)
    return Law(Times(Size.symbolic(), guess), (*proof, built(family)))


def played(found: Law) -> StampedOrder:
    """The order of a family's start times: its slots are stamps."""

    def slot(kind: Kind, at: At) -> Stamp:
        return (found.times.at(kind, at.rank, Microbatch(at.x, z3.Int("p*m"))),)

    return StampedOrder(LINE, forward=partial(slot, Kind.F), backward=partial(slot, Kind.B))


def multiplies(guess: StartTimes) -> bool:
    """Whether the product p·m occurs."""
    forms: tuple[Piecewise, ...] = (guess.forward, guess.backward)
    affine = [
        part for form in forms for piece in form.pieces for part in (piece.guard, piece.value)
    ]
    return any(part is not None and part.coefficient(PRODUCT) for part in affine)
