"""Start times of a family, proved from its rule, and the order that they make."""

from __future__ import annotations

from dataclasses import dataclass

from schedules.actions import Kind
from schedules.closed_forms.affine import ONE, PRODUCT, Piecewise
from schedules.closed_forms.start_times import StartTimes, guess_start_times, sample
from schedules.families import get_family
from schedules.families.family import Family
from schedules.rules import GreedyRule
from schedules.stamps import StampedOrder
from theory.errors import NoClosedFormError
from theory.laws.delays.built import built
from theory.laws.delays.start_times import prove_start_times, slots_as_stamps
from theory.laws.delays.symbols import Size, Times
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
    return Law(Times(Size.symbolic(guess), guess), (*proof, built(family)))


def played(found: Law) -> StampedOrder:
    """The order of a family's start times: these are stamps."""
    return slots_as_stamps(found.times)


def multiplies(guess: StartTimes) -> bool:
    """Whether p·m occurs, or N, or start times repeat after several microbatches."""
    if guess.period != ONE or guess.many is not None:
        return True
    forms: tuple[Piecewise, ...] = (guess.forward, guess.backward)
    affine = [
        part for form in forms for piece in form.pieces for part in (*piece.conditions, piece.value)
    ]
    return any(part.coefficient(PRODUCT) for part in affine)
