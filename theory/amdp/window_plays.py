"""Plays that show what accumulation windows leave: to their period, so for ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import sympy

from schedules.actions import Kind
from theory.amdp.fifo import READINGS, TIES, TURNS, Play, Tie, Uneven
from theory.amdp.symbols import d
from theory.amdp.windows import Mismatches, mismatches
from theory.queries import remembered
from theory.verdicts import Verdict

_IN_WORDS: Final = {
    (TURNS,): "kinds in turns (ours)",
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

    @property
    def says(self) -> str:
        """In words."""
        return (
            f"{_IN_WORDS[self.readings]}, d in {self.stages}, (F, B) in {self.durations} "
            f"everywhere, windows of {', '.join(map(str, self.windows))} times d, ties: "
            f"{'; '.join(tie.name for tie in self.ties)}"
        )


SMALL: Final = Domain((2, 4, 6), ((1, 1), (1, 2)), TIES[:2], (1, 2))
LARGE: Final = Domain((2, 4, 6, 8), ((1, 1), (1, 2), (2, 3)), TIES, (1, 2, 4), READINGS)

ATTAINED: Final = tuple((Play(stages, 1, 1), TIES[1]) for stages in (4, 6))
"""Plays in which d − 1 minibatches of a window of d see its update."""

UNEVEN: Final = Uneven(6, 1, 1, TURNS, (((Kind.F, 4), 5), ((Kind.F, 5), 5)))
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


def exhausted(domain: Domain, stated: Mapping[str, Any]) -> tuple[Verdict, dict[str, Any] | None]:
    """Whether in all plays of a domain only the first minibatches have a mismatch, of so much.

    Looked at by three orders at once: of forwards, of backwards, and of minibatch numbers.

    Examples
    --------
    >>> exhausted(Domain((4,), ((1, 1),), TIES[:1], (2,)), {"first": d, "mismatch": 1})[0].name
    'CHECKED'
    """
    for stages in domain.stages:
        for pair in domain.durations:
            for reading in domain.readings:
                for tie in domain.ties:
                    for times in domain.windows:
                        play = Play(stages, *pair, reading)
                        found = _of(play, tie, times * stages)
                        if found is None:
                            return Verdict.UNKNOWN, None
                        last = max(found.by_forward, found.by_backward, found.by_number)
                        first = stated["first"].subs(d, stages)
                        if found.most > stated["mismatch"] or last > first:
                            at = {"d": stages, "F": pair[0], "B": pair[1], "queue": reading}
                            more = {"tie": tie.name, "window": times * stages, **vars(found)}
                            return Verdict.REFUTED, at | more
    return Verdict.CHECKED, None


def uneven(stated: Any) -> dict[str, Any] | None:
    """A play with slow stages in which minibatches see two updates of windows of d."""
    found = _of(UNEVEN, TIES[0], UNEVEN.stages)
    if found is None or found.most <= stated:
        return None
    slow = {f"{kind.name} at stage {stage}": taken for (kind, stage), taken in UNEVEN.slow}
    at = {"d": UNEVEN.stages, "window": UNEVEN.stages, "F = B": 1, "but": slow}
    return {**at, "queue": UNEVEN.reading, "tie": TIES[0].name, "mismatch": found.most}


def short(stated: Any) -> dict[str, Any] | None:
    """A play with a window of one in which a minibatch sees more updates."""
    play, tie = ATTAINED[0]
    found = _of(play, tie, 1)
    if found is None or found.most <= stated:
        return None
    at = {"d": play.stages, "window": 1, "F = B": 1, "queue": play.reading, "tie": tie.name}
    return {**at, "mismatch": found.most}
