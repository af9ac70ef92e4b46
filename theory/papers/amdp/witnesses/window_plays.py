"""Plays that show what accumulation windows leave: to their period, so for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import sympy

from schedules.actions import Kind
from theory.account import Exhausted, Refutation, Violation
from theory.kernel import eq, le
from theory.kernel.relations import Relation
from theory.kernel.vectors import Scalar
from theory.papers.amdp.placements import SAYS, STRAIGHT
from theory.papers.amdp.runs.fifo import QUEUE, READINGS, TIES, TURNS, Play, Tie
from theory.papers.amdp.runs.windows import Mismatches, mismatches
from theory.papers.amdp.symbols import W, d
from theory.smt.queries import remembered

_IN_WORDS: Final = {
    (TURNS,): "kinds in turns (ours)",
    (QUEUE,): "all that is ready queues",
    READINGS: "both readings of the queue",
}


@dataclass(frozen=True)
class Domain:
    """Plays that are looked at to their end: durations the same everywhere."""

    stages: tuple[int, ...]
    durations: tuple[tuple[int, int], ...]
    ties: tuple[Tie, ...]
    windows: tuple[int, ...]
    readings: tuple[str, ...] = (TURNS,)
    placement: str = STRAIGHT

    @property
    def says(self) -> str:
        """In words."""
        return (
            f"{_IN_WORDS[self.readings]}, {SAYS[self.placement]}, d in {self.stages}, (F, B) in "
            f"{self.durations} everywhere, windows of {', '.join(map(str, self.windows))} times d, "
            f"ties: {'; '.join(tie.name for tie in self.ties)}"
        )

    def plays(self) -> Iterator[tuple[Play, Tie, int]]:
        """All of them, with tie rule and window."""
        for stages, pair, reading, tie, times in product(
            self.stages, self.durations, self.readings, self.ties, self.windows
        ):
            play = Play(stages, *pair, reading, placement=self.placement)
            yield play, tie, times * stages


SMALL: Final = Domain((2, 4, 6), ((1, 1), (1, 2)), TIES[:2], (1, 2))
LARGE: Final = Domain((2, 4, 6, 8), ((1, 1), (1, 2), (2, 3)), TIES, (1, 2, 4), READINGS)

ATTAINED: Final = tuple((Play(stages, 1, 1), TIES[1]) for stages in (4, 6))
"""Plays in which d − 1 minibatches of a window of d see its update."""

_SLOW: Final = {(Kind.F, 4): 5, (Kind.F, 5): 5}
UNEVEN: Final = Play(6, 1, 1, TURNS, tuple(_SLOW.items()))
"""The forwards of the last two stages are slow, those of all pipelines."""


@remembered
def _of(play: Play, tie: Tie, window: int) -> Mismatches | None:
    return mismatches(play, tie, window)


def attained(form: sympy.Expr) -> bool:
    """Whether so many of a window do see its update.

    Examples
    --------
    >>> attained(d - 1), attained(d)
    (True, False)
    """
    found = ((play.stages, _of(play, tie, play.stages)) for play, tie in ATTAINED)
    return all(seen is not None and seen.affected == form.subs(d, at) for at, seen in found)


@dataclass(frozen=True)
class Search:
    """What all plays of a domain show, and the first of them that shows something else."""

    ground: Exhausted
    against: Refutation | None = None


def exhausted(domain: Domain, stated: Mapping[str, Any]) -> Search:
    """Whether in all plays of a domain only the first minibatches have a mismatch, of so much.

    Looked at by three orders at once: of forwards, of backwards, and of minibatch numbers.

    Examples
    --------
    >>> exhausted(Domain((4,), ((1, 1),), TIES[:1], (2,)), {"first": d, "mismatch": 1}).ground
    Exhausted(says='kinds in turns (ours), ...', tried=1, holds=True)
    """
    for tried, (play, tie, window) in enumerate(domain.plays(), 1):
        found = _of(play, tie, window)
        against = _beyond(play, tie, window, found, stated) if found else None
        if found is None or against is not None:
            return Search(Exhausted(domain.says, tried, False), against)
    return Search(Exhausted(domain.says, tried, True))


def _beyond(
    play: Play, tie: Tie, window: int, found: Mismatches, stated: Mapping[str, Any]
) -> Refutation | None:
    """A larger mismatch than stated, or one behind the first minibatches."""
    at = {"d": play.stages, "F": play.forward, "B": play.backward, "queue": play.reading}
    witness = {**at, "tie": tie.name, "window": window, **vars(found)}
    for seen, bound in ((most, stated["mismatch"]), (last_place, stated["first"])):
        if seen(found) > sympy.sympify(bound).subs(d, play.stages):
            return Refutation(witness, replayed(play, tie, window, seen, bound, le(d, W)))
    return None


def most(found: Mismatches) -> int:
    """The largest mismatch."""
    return found.most


def last_place(found: Mismatches) -> int:
    """The last place of a minibatch with a mismatch in its window, in any of the three orders."""
    return max(found.by_forward, found.by_backward, found.by_number)


def replayed(
    play: Play,
    tie: Tie,
    window: int,
    seen: Callable[[Mismatches], int],
    stated: sympy.Expr,
    supposed: Relation,
) -> Violation:
    """The play once more, to its period; without one it is no number, and violates nothing."""

    def again() -> Scalar:
        found = mismatches(play, tie, window)
        return sympy.nan if found is None else seen(found)

    return Violation(again, "<=", stated, {d: play.stages, W: window}, (le(2, d), supposed))


def uneven(stated: Any) -> Refutation | None:
    """A play with slow stages in which minibatches see two updates of windows of d."""
    slow = {f"{kind.name} at stage {stage}": taken for (kind, stage), taken in _SLOW.items()}
    more = {"F = B": 1, "but": slow}
    return _more_updates(UNEVEN, TIES[0], UNEVEN.stages, stated, more, eq(W, d))


def short(stated: Any) -> Refutation | None:
    """A play with a window of one in which a minibatch sees more updates."""
    play, tie = ATTAINED[0]
    return _more_updates(play, tie, 1, stated, {"F = B": 1}, le(W + 1, d))


def _more_updates(
    play: Play,
    tie: Tie,
    window: int,
    stated: Any,
    more: Mapping[str, Any],
    supposed: Relation,
) -> Refutation | None:
    found = _of(play, tie, window)
    if found is None or found.most <= stated:
        return None
    at = {"d": play.stages, "window": window, **more, "queue": play.reading, "tie": tie.name}
    wrong = replayed(play, tie, window, most, stated, supposed)
    return Refutation({**at, "mismatch": found.most}, wrong)
