"""Family × invariant for all p and M: families whose order is affine, and what holds of each.

An invariant with a closed form (``staleness``, ``in-flight``) is the statement that its maximum is
that form, attained: neither a smaller nor a larger one is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Final

import sympy

from schedules.families import get_family
from schedules.families.family import Family
from theory.errors import NoClosedFormError, UnknownClaimError, UnsupportedFormError
from theory.laws.links import Grid, Link
from theory.laws.static_orders.as_built import as_built
from theory.laws.static_orders.in_flight import peak
from theory.laws.static_orders.parts import PARTS, decided
from theory.laws.static_orders.program import Program
from theory.laws.static_orders.replays import Witness, not_stashed, runs, unlike
from theory.laws.static_orders.slots import law, statements
from theory.laws.static_orders.subjects import IN_FLIGHT, STALENESS, SUBJECTS, Subject
from theory.laws.static_orders.versions import applied_once, largest_staleness, stashed
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide, merge
from theory.verdicts import Verdict

__all__ = ["AFFINE", "INVARIANTS", "Subject", "by_slots", "link", "proof", "prove", "stated"]

UPDATE_ONCE: Final = "update-once"
"""For every M that the family's K divides."""

INVARIANTS: Final[tuple[str, ...]] = (
    "causal",
    "exclusive",
    "stash",
    STALENESS,
    IN_FLIGHT,
    UPDATE_ONCE,
    "deadlock-free",
)


AFFINE: Final[Mapping[str, Subject]] = MappingProxyType(
    {subject.family: subject for subject in SUBJECTS}
)
"""Families whose order is affine, by name."""

_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "causal": ("places", "actions", "joint order"),
    "deadlock-free": ("places", "actions", "channels", "waits"),
}
"""Parts of the proof about a program; for every other invariant `_ORDERED`."""

_ORDERED: Final = ("places", "actions")


def by_slots(family: str) -> bool:
    """Whether what is proved of a family is about messages that stand by slots.

    Examples
    --------
    >>> [family for family in AFFINE if by_slots(family)]
    ['pipedream']
    """
    return family in AFFINE and AFFINE[family].program is None


def stated(family: str, invariant: str) -> sympy.Expr | None:
    """The closed form in p, s, M and K of an invariant's maximum, None where it has none.

    Examples
    --------
    >>> stated("1f1b", "in-flight"), stated("1f1b", "causal")
    (Min(M, p - s), None)
    """
    return _known(family, invariant).closed.get(invariant)


def prove(family: str, invariant: str, bound: sympy.Expr | None = None) -> Outcome:
    """Prove or refute that a family keeps an invariant, for all p, M and intervals K.

    Parameters
    ----------
    family : str
        One of `AFFINE`.
    invariant : str
        One of `INVARIANTS`.
    bound : sympy expression, optional
        In p, s, M and K of `theory.laws.static_orders.symbols`: what the maximum is said to be,
        instead of the stated closed form.

    Returns
    -------
    Outcome
        PROVED for the whole `Subject.domain`; REFUTED by a run of small size, the witness; else
        UNKNOWN.

    Raises
    ------
    NoClosedFormError
        The family is not in `AFFINE`.
    UnknownClaimError
        No such invariant.
    UnsupportedFormError
        A bound that is no integer formula, or for an invariant that has none.

    Examples
    --------
    >>> prove("asyncpp", "staleness").verdict.name
    'PROVED'
    >>> prove("pipemare", "stash").witness
    {'p': 2, 'M': 2, 'K': 1, 's': 0, 'm': 1, 'read': 0, 'used': 1}
    """
    _known(family, invariant)
    return _prove(get_family(family), invariant, bound)


@remembered
def _prove(family: Family, invariant: str, bound: sympy.Expr | None) -> Outcome:
    subject = AFFINE[family.name]
    form = _form(subject, invariant, bound)
    says = f"{family.name} keeps {invariant}"
    if form is not None:
        says = f"{invariant} of {family.name} is {form}"
    found = merge(f"{family.name}.{invariant}", says, list(proof(subject, invariant, form)))
    found = replace(found, rests_on=(*found.rests_on, "grid"))
    tie, witness = link(family.name), _witness(subject, invariant, form)
    if not tie.ties:
        return _undecided(found, f"its order is {tie.note}")
    if witness is None:
        proved = found.verdict is Verdict.PROVED
        return (
            found if proved else _undecided(found, f"no run of small size shows it: {found.note}")
        )
    if found.verdict is Verdict.PROVED:
        return _undecided(found, f"a run contradicts the proof: {witness}")
    return replace(found, verdict=Verdict.REFUTED, witness=witness, note="replayed")


def _undecided(found: Outcome, why: str) -> Outcome:
    return replace(found, verdict=Verdict.UNKNOWN, witness={}, note=why)


def _known(family: str, invariant: str) -> Subject:
    if family not in AFFINE:
        raise NoClosedFormError(
            f"programs are known for {', '.join(AFFINE)}, not for {family!r}",
            "programs",
            "check it size by size",
        )
    if invariant not in INVARIANTS:
        raise UnknownClaimError(
            f"invariants proved of programs are {', '.join(INVARIANTS)}, not {invariant!r}",
            "programs",
            "name one of them",
        )
    return AFFINE[family]


def _form(subject: Subject, invariant: str, bound: sympy.Expr | None) -> sympy.Expr | None:
    form = subject.closed.get(invariant)
    if bound is not None and form is None:
        raise UnsupportedFormError(
            f"{' and '.join(subject.closed)} have a bound, {invariant} has none, found {bound}",
            "programs",
            "drop it",
        )
    return form if bound is None else bound


def proof(subject: Subject, invariant: str, form: sympy.Expr | None) -> Iterator[Outcome]:
    """What has to be PROVED of a subject, piece by piece.

    Parameters
    ----------
    subject : Subject
    invariant : str
        One of `INVARIANTS`.
    form : sympy expression or None
        What the maximum is said to be.
    """
    if subject.program is not None:
        for part in _PARTS.get(invariant, _ORDERED):
            yield _part(subject.program, part)
    else:
        found = law(subject.family)
        yield merge("start times", "the rule generates these start times", found.proof)
        if invariant == "deadlock-free":
            yield _merged("slots", "messages in this order cannot hang", statements(found.times))
    order = subject.order
    if invariant == STALENESS and form is not None:
        says = f"the largest local staleness of stage s is {form}"
        pieces = largest_staleness(order, subject.updates, form, subject.worst)
        yield _merged(invariant, says, pieces)
    if invariant == IN_FLIGHT and form is not None:
        yield _merged(invariant, f"stage s keeps at most {form}, attained", peak(order, form))
    if invariant == UPDATE_ONCE:
        says = "one update applies every gradient, and closes its window"
        yield _merged(invariant, says, applied_once(order, subject.updates))
    if invariant == "stash":
        says = "every backward uses the version that its forward read"
        yield _merged(invariant, says, stashed(order, subject.updates))


@remembered
def _part(program: Program, part: str) -> Outcome:
    return decided(program, part, PARTS[part])


def _merged(name: str, says: str, pieces: Iterator[Statement]) -> Outcome:
    return merge(name, says, [decide(piece) for piece in pieces])


def link(family: str) -> Link:
    """What ties a family to what is proved of it: the sizes at which they were compared.

    Programs are compared with the family's schedules, their messages placed as soon as possible,
    action by action; start times with those of the family's timeline.

    Examples
    --------
    >>> {link(family).verdict.name for family in AFFINE}
    {'CHECKED'}
    """
    return _link(get_family(family))


@cache
def _link(family: Family) -> Link:
    program, updates = AFFINE[family.name].program, AFFINE[family.name].updates
    if program is None:
        return law(family.name).link
    fewest = (program.least_stages, program.least)
    grid = Grid(*fewest, interval=updates.interval, at_least_p=updates.at_least_p)
    return as_built(family, program, grid, lowered=True)


def _witness(subject: Subject, invariant: str, form: sympy.Expr | None) -> Witness | None:
    """A run that shows that an invariant is not kept, or its maximum another one."""
    interval = subject.updates.interval
    if invariant == "stash":
        return not_stashed(subject.family, interval)
    if form is None:
        return None
    found = runs(subject.family, interval)
    numbers = (
        (run.size, run.staleness if invariant == STALENESS else run.in_flight) for run in found
    )
    return unlike(invariant, form, numbers)
