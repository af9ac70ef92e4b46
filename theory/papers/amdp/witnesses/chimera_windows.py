"""Accumulation windows where pipelines are placed as in Chimera: what fails, and what does not.

From d = 8 on a rank then has other stages of other pipelines, so that tokens do not go through the
same visits: `queue_order` says nothing of it. Windows of d, and of 2d, do not bound the mismatch
by one; windows of what can overtake a minibatch at most do (`overtaking`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import sympy

from schedules.actions import Kind
from theory.account import Compared, Exhausted, Refutation, Violation
from theory.kernel import eq
from theory.kernel.vectors import Scalar
from theory.papers.amdp.lemmas.overtaking import most_between
from theory.papers.amdp.placements import CHIMERA, SAYS
from theory.papers.amdp.runs.fifo import QUEUE, TIES, Job, Play, Tie
from theory.papers.amdp.runs.witness_runs import MOST_UNITS, first_beyond
from theory.papers.amdp.symbols import W, d
from theory.papers.amdp.witnesses.window_plays import Domain, exhausted
from theory.smt.queries import remembered

_BY_MINIBATCH, _BY_PIPELINE = TIES[::2], TIES[1::2]

RUNS: Final[tuple[tuple[Play, Tie], ...]] = tuple(
    (Play(stages, *pair, QUEUE, placement=CHIMERA), tie)
    for stages, pair, tie in (
        (8, (2, 1), _BY_PIPELINE[2]),
        (12, (1, 2), _BY_PIPELINE[0]),
        (12, (1, 1), _BY_PIPELINE[2]),
    )
)
"""Runs with windows of d in which a minibatch sees two updates: F and B the same everywhere."""

_SLOW: Final[Mapping[Job, int]] = {
    Job(0, 2, Kind.B, 2): 5,
    Job(1, 3, Kind.F, 2): 8,
    Job(1, 3, Kind.F, 4): 10,
    Job(1, 6, Kind.F, 4): 10,
    Job(1, 7, Kind.F, 4): 8,
    Job(1, 3, Kind.B, 0): 20,
    Job(1, 4, Kind.B, 4): 20,
    Job(1, 3, Kind.B, 4): 20,
    Job(1, 1, Kind.B, 4): 8,
    Job(3, 5, Kind.B, 4): 20,
}
SLOW: Final = Play(8, 1, 1, QUEUE, tuple(_SLOW.items()), placement=CHIMERA)
"""Ten slow actions: with windows of 2d a minibatch sees two updates."""

REGULAR: Final = Domain((8,), ((1, 1), (1, 2), (2, 1)), _BY_MINIBATCH, (1, 2), (QUEUE,), CHIMERA)
LATE: Final = Domain((8,), ((2, 1),), _BY_PIPELINE[2:], (2,), (QUEUE,), CHIMERA)
"""Plays in which every mismatch is one step, of others than the first d by their numbers too."""

WINDOWS: Final[Mapping[int, int]] = {8: 19, 12: 33, 16: 47}
"""By d a window that is as long as all that can overtake."""


@remembered
def _beyond(play: Play, tie: Tie, window: int, most: int) -> dict[str, Any] | None:
    return first_beyond(play, tie, window, most)


def one_window(most: sympy.Expr) -> tuple[dict[str, Any], ...]:
    """Runs with windows of d and a larger mismatch than stated; empty unless all of `RUNS` are."""
    found = [_beyond(play, tie, play.stages, most) for play, tie in RUNS]
    return () if None in found else tuple(run for run in found if run is not None)


def one_window_fails(most: sympy.Expr) -> Refutation | None:
    """The least mismatch of these runs, each replayed."""
    runs = one_window(most)
    if not runs:
        return None

    def least() -> Scalar:
        found = [_mismatch(play, tie, play.stages, most) for play, tie in RUNS]
        return sympy.nan if sympy.nan in found else min(found)

    return Refutation(runs[0], Violation(least, "<=", most, {}))


def _mismatch(play: Play, tie: Tie, window: int, most: sympy.Expr) -> Scalar:
    """The run once more: the first mismatch beyond what is stated, or no number."""
    found = first_beyond(play, tie, window, most)
    return sympy.nan if found is None else int(found["mismatch"])


def two_windows(most: sympy.Expr) -> Refutation | None:
    """A run with windows of 2d, some actions being slow, and a larger mismatch than stated."""
    window = 2 * SLOW.stages
    found = _beyond(SLOW, TIES[0], window, most)
    if found is None:
        return None
    slow = {
        f"{job.kind.name} of minibatch {SLOW.number(job)} at stage {job.stage}": taken
        for job, taken in _SLOW.items()
    }
    again = partial(_mismatch, SLOW, TIES[0], window, most)
    at, supposed = {d: SLOW.stages, W: window}, (eq(W, 2 * d),)
    return Refutation(found | {"slow": slow}, Violation(again, "<=", most, at, supposed))


def two_windows_of_equal(most: int) -> dict[str, Any]:
    """What `RUNS` show with windows of 2d: evidence only."""
    found = [_beyond(play, tie, 2 * play.stages, most) for play, tie in RUNS]
    return {
        "runs": [f"d = {play.stages}, {play.forward}, {play.backward}" for play, _ in RUNS],
        "units of time": MOST_UNITS,
        "larger mismatches": sum(one is not None for one in found),
    }


def _is_enough() -> bool:
    return all(most_between(at, CHIMERA) <= window for at, window in WINDOWS.items())


def counted() -> Compared:
    """That no more can overtake than the windows named for each d.

    Examples
    --------
    >>> counted().holds
    True
    """
    says = "no more backwards than the window named can be between a forward and its backward"
    return Compared(says, "theory.papers.amdp.lemmas.overtaking.most_between", _is_enough())


def walks() -> Exhausted:
    """The same as a search: of every pipeline and stage, of each d."""
    named = ", ".join(f"{window} for d = {at}" for at, window in WINDOWS.items())
    return Exhausted(
        "in Chimera's placement, all that is ready in one queue, so many backwards of a stage are "
        f"between a forward and its backward at most, at all durations: {named}",
        sum(at // 2 * at for at in WINDOWS),
        _is_enough(),
    )


def late(stated: Mapping[str, Any]) -> Refutation | None:
    """A play with a mismatch of one step of a minibatch that is not among a window's first d."""
    against = exhausted(LATE, stated).against
    if against is None or against.witness["most"] > stated["mismatch"]:
        return None
    return replace(against, witness={**against.witness, "placement": SAYS[CHIMERA]})
