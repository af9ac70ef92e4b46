"""What all RPD claims share: PipeDream's proved delay laws, and exact replays of single runs."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import sympy

from schedules.closed_forms.floor_sums import p_
from schedules.delays import Delays, Steady, delays, steady
from schedules.families import build, get_family
from schedules.families.family import Family
from schedules.linearization import LINEARIZATIONS
from schedules.timeline import timeline
from theory.account import Account, Case, Decision, Finding, Line, Refutation
from theory.claims import Formulas
from theory.derive import derive
from theory.kernel import Relation, eq, le
from theory.laws.delays.closed import Closed
from theory.laws.delays.law import DelayLaw
from theory.laws.delays.matrix import ByResidue
from theory.laws.delays.symbols import Size, Times
from theory.laws.delays.whole_run import WholeRun
from theory.ledger import Evidence
from theory.papers.rpd.witnesses.exact_runs import rational
from theory.smt.queries import remembered

PAPER = "ascending"
"""The linearization of the authors' simulator: appendix C appends "in stage order"."""

_WHEN = "linearization = "

ASSUMES = (
    "the paper's embedding is the linearization `ascending`, as in the authors' public code",
    "one slot for every forward and backward, as in appendix G.5",
)


HALF = sympy.Symbol("h", integer=True, nonnegative=True)
"""⌊p/2⌋ of an instance."""

SIZES: dict[int, tuple[Relation, ...]] = {
    parity: (le(2, p_), eq(p_, 2 * HALF + parity)) for parity in (0, 1)
}
"""What statements about even p, and about odd p, suppose of it."""


def law(linearization: str = PAPER) -> DelayLaw:
    """PipeDream's delay law; claims are judged only by a proved one."""
    return _law(get_family("pipedream"), linearization)


@remembered
def _law(family: Family, linearization: str) -> DelayLaw:
    return derive(family.name, linearization)


def closed(linearization: str = PAPER) -> Closed:
    """The proved closed forms.

    Raises
    ------
    theory.errors.NoClosedFormError
        The law is not proved for the family's present rule, or not of what it builds.
    """
    return law(linearization).established


def whole_run(linearization: str = PAPER) -> WholeRun:
    """The proved largest delay of a run.

    Raises
    ------
    theory.errors.NoClosedFormError
        As `closed`.
    """
    return law(linearization).whole_run


def times() -> Times:
    """The proved start times, as functions on solver terms."""
    return Times(Size.symbolic(), closed().start_times)


def largest(linearization: str = PAPER) -> ByResidue:
    """Largest steady delay by the parity of p."""
    matrix = closed(linearization).matrix
    return {a: matrix.corner(a, last=False) for a in range(matrix.period)}


def by_linearization(known: Callable[[str], tuple[Decision, str]]) -> tuple[Case, ...]:
    """One case a linearization, from a function that gives what is known of it, and a reason."""
    return tuple(Case(f"{_WHEN}{name}", *known(name)) for name in LINEARIZATIONS)


def in_paper(cases: tuple[Case, ...]) -> Decision:
    """What is known of the case that the paper is in."""
    return next(case.decision for case in cases if linearization_of(case) == PAPER)


def judged(
    formulas: Formulas,
    known: Callable[[Formulas, str], tuple[Decision, str]],
    found: Callable[[Refutation], Iterable[Finding]],
    *before: Line,
    evidence: tuple[Evidence, ...] = (),
) -> Account:
    """A row by linearization, decided by the paper's own; what is found if that is refuted."""
    cases = by_linearization(partial(known, formulas))
    decision = in_paper(cases)
    return Account(
        decision,
        cases=cases,
        assumes=ASSUMES,
        steps=(*before, *our_steps()),
        findings=tuple(found(decision.fails)) if decision.fails else (),
        evidence=evidence,
    )


def our_steps() -> tuple[Line, ...]:
    """The parts of our own proof of the delay laws."""
    return tuple(
        Line(f"ours ({PAPER})", part.says, part.note, Decision((part,))) for part in law().proof
    )


def start_time_steps() -> tuple[Line, ...]:
    """The parts about start times alone, and the comparison."""
    found = our_steps()
    return (*found[:5], *found[-1:])


def replay(p: int, microbatches: int, linearization: str = PAPER) -> Delays:
    """Delays of one run, in exact integers, straight from the rule."""
    return delays(timeline(build("pipedream", p, microbatches)), linearization)


def replayed_entry(p: int, i: int, j: int, linearization: str) -> int:
    """Steady delay of one entry (0-based) at M = 4p, from a replay."""
    run = replay(p, 4 * p, linearization)
    row = np.flatnonzero((run.stage == i) & (run.microbatch == 2 * p))[0]
    return int(run.matrix[row, j])


def mean_in_replay(p: int, linearization: str) -> sympy.Rational:
    """Mean steady delay at M = 4p, from a replay."""
    return rational(_steady(p, linearization).mean)


def largest_in_replay(p: int, linearization: str) -> int:
    """Largest steady delay at M = 4p, from a replay."""
    return _steady(p, linearization).max


def _steady(p: int, linearization: str) -> Steady:
    found = steady(replay(p, 4 * p, linearization))
    assert isinstance(found, Steady), "PipeDream is periodic at M = 4p"
    return found


def linearization_of(case: Case) -> str:
    """The linearization that a case of `by_linearization` is about."""
    return case.when.removeprefix(_WHEN)


def worst(run: Delays) -> dict[str, Any]:
    """The first largest delay of a run and where it occurs."""
    row, block = np.unravel_index(int(run.matrix.argmax()), run.matrix.shape)
    return {
        "delay": int(run.matrix[row, block]),
        "history_index": int(run.index[row]),
        "stage": int(run.stage[row]),
        "microbatch": int(run.microbatch[row]),
        "block": int(block),
    }
