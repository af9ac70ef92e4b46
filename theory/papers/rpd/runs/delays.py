"""Delay rules: which past iterate each block of the stale model is read from.

A rule gives d_i for every block i from the iterates so far, so that it may depend on the past but
not on the draw to come. Legend: k index of the update, p blocks, τ bound.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from schedules.delays import delays
from schedules.families import build
from schedules.timeline import timeline
from theory.falsifier.errors import RejectedInstanceError
from theory.falsifier.problem import Problem, Vector

Window = tuple[Vector, ...]
"""The latest iterates, oldest first; the last one is x^k."""

Rule = Callable[[int, Window], tuple[int, ...]]

FIXED = ("zero", "max", "by-block", "alternating")
"""Rules that look at k only."""

PAST = ("farthest",)
"""Rules that look at the past iterates."""


def rule(name: str, problem: Problem, tau: int) -> Rule:
    """The delay rule of this name.

    ``zero`` reads the newest; ``max`` the oldest allowed, d = min(τ, k); ``by-block`` delays the
    last block by 0, the one before it by at most 1, and so on; ``alternating`` takes turns between
    none and the oldest; ``farthest`` reads, block by block, the past value farthest from the
    present one; ``pipedream`` takes the exact delays of a PipeDream run.

    Raises
    ------
    RejectedInstanceError
        There is no such rule.
    """
    p = problem.p
    rules: dict[str, Rule] = {
        "zero": lambda k, past: (0,) * p,
        "max": lambda k, past: (min(tau, k),) * p,
        "by-block": lambda k, past: tuple(min(tau, k, p - 1 - i) for i in range(p)),
        "alternating": lambda k, past: (min(tau, k) * (k % 2),) * p,
        "farthest": lambda k, past: _farthest(problem, past, min(tau, k)),
        "pipedream": lambda k, past: pipedream_delays(p, k),
    }
    if name not in rules:
        raise RejectedInstanceError(
            f"no delay rule is called {name!r}", "falsifier", f"take one of {', '.join(rules)}"
        )
    return rules[name]


def checked(found: tuple[int, ...], k: int, tau: int) -> tuple[int, ...]:
    """The delays, if the theorem allows them.

    Raises
    ------
    RejectedInstanceError
        Not 0 ≤ d ≤ min(τ, k).
    """
    if not all(0 <= d <= min(tau, k) for d in found):
        raise RejectedInstanceError(
            f"Assumption B.2 needs 0 ≤ d ≤ min(τ, k) = {min(tau, k)} at k = {k}, found {found}",
            "falsifier",
            "raise τ or take another delay rule",
        )
    return found


def stale(problem: Problem, past: Window, found: tuple[int, ...]) -> Vector:
    """x̂^k: coordinate j is read d iterates back, d the delay of its block."""
    return tuple(past[-1 - found[block]][j] for j, block in enumerate(problem.blocks))


def _farthest(problem: Problem, past: Window, most: int) -> tuple[int, ...]:
    def distance(i: int, d: int) -> Any:
        return sum((past[-1][j] - past[-1 - d][j]) ** 2 for j in problem.members[i])

    return tuple(
        max(range(most + 1), key=lambda d, i=i: distance(i, d))  # type: ignore[misc]
        for i in range(problem.p)
    )


@cache
def pipedream_delays(p: int, k: int) -> tuple[int, ...]:
    """Row k of the delay matrix of a PipeDream run, start-up included.

    Examples
    --------
    >>> [pipedream_delays(2, k) for k in range(4)]
    [(0, 0), (1, 1), (2, 0), (3, 1)]
    """
    matrix = delays(timeline(build("pipedream", p, k + 2))).matrix
    return tuple(int(d) for d in matrix[k])
