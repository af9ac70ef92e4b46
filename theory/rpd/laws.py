"""What all RPD claims share: PipeDream's proved delay laws, and exact replays of single runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from schedules.delays import Delays, Steady, delays, steady
from schedules.families import build
from schedules.linearization import LINEARIZATIONS
from schedules.timeline import timeline
from theory.delay_laws.law import Closed, DelayLaw
from theory.delay_laws.matrix import ByResidue
from theory.delay_laws.symbols import Size, Times
from theory.derive import derive
from theory.ledger import Case, Step
from theory.queries import remembered
from theory.verdicts import Verdict

PAPER: Final = "ascending"
"""The linearization of the authors' simulator: appendix C appends "in stage order"."""

_WHEN: Final = "linearization = "

ASSUMES: Final = (
    "the paper's embedding is the linearization `ascending`, as in the authors' public code",
    "one slot for every forward and backward, as in appendix G.5",
)


@remembered
def law(linearization: str = PAPER) -> DelayLaw:
    """PipeDream's delay law; claims are judged only by a proved one."""
    return derive("pipedream", linearization)


def closed(linearization: str = PAPER) -> Closed:
    """The proved closed forms.

    Raises
    ------
    theory.errors.NoClosedFormError
        The law is not proved for the family's present rule.
    """
    return law(linearization).established


def times() -> Times:
    """The proved start times, as functions on solver terms."""
    return Times(Size.symbolic(), closed().start_times)


def largest(linearization: str = PAPER) -> ByResidue:
    """Largest steady delay by the parity of p."""
    matrix = closed(linearization).matrix
    return {a: matrix.corner(a, last=False) for a in range(matrix.period)}


def by_linearization(judge: Callable[[str], tuple[Verdict, str]]) -> tuple[Case, ...]:
    """One case a linearization, from a function that gives verdict and reason."""
    return tuple(Case(f"{_WHEN}{name}", *judge(name)) for name in LINEARIZATIONS)


def verdict_in_paper(cases: tuple[Case, ...]) -> Verdict:
    """The verdict of the case that the paper is in."""
    return next(case.verdict for case in cases if linearization_of(case) == PAPER)


def our_steps(*linearizations: str) -> tuple[Step, ...]:
    """The parts of our own proof of the delay laws."""
    return tuple(
        Step(f"ours ({name})", outcome.says, outcome.note, outcome.verdict)
        for name in linearizations or (PAPER,)
        for outcome in law(name).proof
    )


def replay(p: int, microbatches: int, linearization: str = PAPER) -> Delays:
    """Delays of one run, in exact integers, straight from the rule."""
    return delays(timeline(build("pipedream", p, microbatches)), linearization)


def replayed_entry(p: int, i: int, j: int, linearization: str) -> int:
    """Steady delay of one entry (0-based) at M = 4p, from a replay."""
    run = replay(p, 4 * p, linearization)
    row = np.flatnonzero((run.stage == i) & (run.microbatch == 2 * p))[0]
    return int(run.matrix[row, j])


def largest_in_replay(p: int, linearization: str) -> int:
    """Largest steady delay at M = 4p, from a replay."""
    found = steady(replay(p, 4 * p, linearization))
    assert isinstance(found, Steady), "PipeDream is periodic at M = 4p"
    return found.max


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
