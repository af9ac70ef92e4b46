"""Mutants, and the operators that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from schedules import WeightPolicy
from schedules.formats import Document
from schedules.messages.model import QueueModel
from tests.mutations.orders import Rows, rows_of, schedule_of
from tests.mutations.subjects import Subject

SEED: Final = 2026


@dataclass(frozen=True)
class Mutant:
    """A subject with one thing changed; `change` says what, a document of None is unreadable."""

    subject: Subject
    operator: str
    change: str
    document: Document | None
    model: QueueModel

    @property
    def policy(self) -> WeightPolicy:
        schedule = (self.document or self.subject.document).schedule
        return schedule.policy


Made = tuple[str, Callable[[], Document | None], QueueModel]
"""What was changed, how to make the document (None is unreadable), the model."""


@dataclass(frozen=True)
class Operator:
    """One way to break a schedule.

    Attributes
    ----------
    name, meaning : str
    names : frozenset of str
        The invariants that say what went wrong: one of them has to be among those a mutant
        breaks, unless it means the same as its subject.
    make : callable
        Every mutant of a subject.
    may_differ : bool
        Whether a mutant may be another schedule with nothing wrong in it.
    """

    name: str
    meaning: str
    names: frozenset[str]
    make: Callable[[Subject], Iterator[Made]]
    may_differ: bool = False

    def mutants(self, subject: Subject, at_most: int | None = None) -> list[Mutant]:
        """All mutants, or so many of them taken at random, always the same."""
        made = list(self.make(subject))
        if at_most is not None and len(made) > at_most:
            chosen = Random(f"{SEED} {self.name} {subject.name}").sample(range(len(made)), at_most)
            made = [made[number] for number in sorted(chosen)]
        return [
            Mutant(subject, self.name, change, document(), model)
            for change, document, model in made
        ]


def given(document: Document | None) -> Callable[[], Document | None]:
    """A document that is there already."""
    return lambda: document


def on_rows(
    make: Callable[[Subject, Rows], Iterator[tuple[str, Rows]]],
) -> Callable[[Subject], Iterator[Made]]:
    """An operator on program orders; orders that come out twice count once."""

    def mutants(subject: Subject) -> Iterator[Made]:
        rows = rows_of(subject.schedule)
        seen = {rows}
        for change, new in make(subject, rows):
            if new not in seen:
                seen.add(new)
                yield change, partial(_document, subject, new), subject.model

    return mutants


def _document(subject: Subject, rows: Rows) -> Document:
    return Document(schedule_of(subject.schedule, rows))
