"""What becomes of a mutant: its fate.

caught      an invariant that names the operator's mistake does not hold
equivalent  nothing is broken, and the machine computes the same terms as for the subject
within      nothing is broken; it computes something else, but the machine runs it to its end,
            everything has its own input, and what it measures is what the contract allows
missed      none of these: the checker has overlooked a mistake
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from schedules.errors import InvalidScheduleError
from schedules.invariants import INVARIANTS, Requirement, check, parse_requirements
from tests.mutations.machine import Meaning, meaning
from tests.mutations.measures import broken, measures
from tests.mutations.mutant import Mutant, Operator
from tests.mutations.operators import REFUSED
from tests.mutations.subjects import Subject
from tests.mutations.symbols import Terms

Fate = Literal["caught", "equivalent", "within", "missed"]
TERMS: Final = Terms()

MOST: Final = 64
"""Largest bound that a contract tries."""


@dataclass(frozen=True)
class Verdict:
    """What the checker and the machine say of a mutant.

    Attributes
    ----------
    broken : tuple of str
        The invariants that do not hold, in the order of the registry; or `REFUSED`.
    meaning : Meaning or None
        What the machine makes of it, None if it cannot be run.
    """

    mutant: Mutant
    operator: Operator
    broken: tuple[str, ...]
    meaning: Meaning | None

    @property
    def means_the_same(self) -> bool:
        subject = self.mutant.subject
        return self.meaning is not None and self.meaning.same_as(meaning_of(subject))

    @property
    def fate(self) -> Fate:
        if self.operator.names.intersection(self.broken):
            return "caught"
        if self.broken or self.meaning is None or not self.meaning.sound:
            return "missed"
        if self.means_the_same:
            return "equivalent"
        return "within" if self.operator.may_differ and self.keeps_the_contract else "missed"

    @property
    def keeps_the_contract(self) -> bool:
        """Whether the machine measures what the contract of the subject allows."""
        return not self.measured_as_broken

    @property
    def measured_as_broken(self) -> set[str]:
        """The measured invariants of the contract that a sound run breaks."""
        assert self.meaning is not None
        found = measures(self.meaning, self.mutant.policy)
        return broken(found, contract(self.mutant.subject))


@cache
def meaning_of(subject: Subject) -> Meaning:
    return meaning(subject.schedule, subject.model, TERMS)


@cache
def contract(subject: Subject) -> tuple[Requirement, ...]:
    """Everything that holds for a subject, with the least bounds that hold."""
    found: list[Requirement] = []
    for invariant in INVARIANTS.values():
        if invariant.bound == "count":
            texts = [f"{invariant.name}<={k}" for k in range(invariant.least, MOST)]
        else:
            texts = [invariant.name] if invariant.bound == "none" else []
        for text in texts:
            requirement = parse_requirements(text)
            report = check(subject.document, requirement, subject.model)
            if report.undecided:
                break
            if report.ok:
                found += requirement
                break
    return tuple(found)


def judged(operator: Operator, mutant: Mutant) -> Verdict:
    if mutant.document is None:
        return Verdict(mutant, operator, (REFUSED,), None)
    try:
        report = check(mutant.document, contract(mutant.subject), mutant.model)
    except InvalidScheduleError:
        return Verdict(mutant, operator, (REFUSED,), None)
    found = {violation.invariant for violation in report.violations}
    broken = tuple(name for name in INVARIANTS if name in found)
    assert len(broken) == len(found), found
    return Verdict(mutant, operator, broken, meaning(mutant.document.schedule, mutant.model, TERMS))
