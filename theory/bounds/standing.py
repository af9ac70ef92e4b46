"""What is known of a bound, beyond its number: the verdict of its claim, and what else gives it.

A printed bound whose claim is not proved may still hold at given numbers: where it is no smaller
than a bound on the same method that is proved. Bounds that are tuned are about different stepsizes,
so nothing follows from one for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from theory.bounds.evaluation import Evaluation
from theory.bounds.model import PRINTED
from theory.bounds.numbers import Number
from theory.bounds.tuning import Tuned
from theory.catalogue import CLAIMS
from theory.verdicts import Verdict


@cache
def verdict_of(claim: str) -> Verdict:
    """The verdict of a claim by its own prover, without its controls.

    Examples
    --------
    >>> verdict_of("sapipe.biased").name
    'PROVED'
    """
    stated = CLAIMS[claim]
    return stated.judge(stated.printed).verdict


Found = Evaluation | Tuned
"""A bound at numbers, or at its own best stepsize."""


@dataclass(frozen=True)
class Standing:
    """A bound at numbers and what is known of it.

    Attributes
    ----------
    found : Found
    verdict : Verdict
        Of the bound's claim.
    given_by : Found or None
        A proved bound on the same method that is no larger at these numbers; itself if proved.
    """

    found: Found
    verdict: Verdict
    given_by: Found | None

    @property
    def proved(self) -> bool:
        """Whether the bound's own claim is proved."""
        return self.verdict is Verdict.PROVED


def standings(found: Sequence[Found]) -> tuple[Standing, ...]:
    """What is known of each of several bounds, given all of them."""
    proved = [one for one in found if verdict_of(one.bound.claim) is Verdict.PROVED]
    return tuple(
        Standing(one, verdict_of(one.bound.claim), _given_by(one, proved)) for one in found
    )


def _given_by(one: Found, proved: Iterable[Found]) -> Found | None:
    if one in proved:
        return one
    alike = (
        other
        for other in proved
        if other.bound.method == one.bound.method and not isinstance(other, Tuned)
    )
    no_larger = (other for other in alike if not _less(one.total, other.total))
    return min(no_larger, key=lambda other: other.total.interval.high, default=None)


def _less(one: Number, other: Number) -> bool:
    """Whether it may be less: enclosures that overlap say nothing."""
    return one.interval.low < other.interval.high


def smallest(found: Sequence[Standing], *, printed: bool) -> tuple[Standing, ...]:
    """The smallest bounds as printed, or of those that are proved; of equals all, in order."""
    chosen = [one for one in found if (one.found.bound.form == PRINTED if printed else one.proved)]
    least = min((one.found.total.interval.high for one in chosen), default=None)
    return tuple(one for one in chosen if one.found.total.interval.high == least)
