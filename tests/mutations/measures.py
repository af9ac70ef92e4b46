"""The weight invariants by their definitions, counted in the logs of the machine.

The logs hold, for every weight copy, its forwards, backwards, gradients, reductions and updates in
order.
Nothing of the checkers is used. The limits are those of program order: what depends on when
things happen (``delay``, ``activations``) is not measured here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schedules import WeightPolicy
from schedules.invariants import Requirement
from tests.mutations.machine import Meaning
from tests.mutations.symbols import Log

Measures = Mapping[str, int]
"""By invariant: the least bound that holds; of those without a bound, 0 if they hold."""

MEASURED: Final = frozenset(
    "stash versions staleness skew vertical-sync flush in-flight update-once".split()
)


def measures(meaning: Meaning, policy: WeightPolicy) -> Measures:
    """What the logs of a sound run come to."""
    logs = meaning.logs
    skew = _skew(logs)
    return {
        "stash": int(any(_used(log)[m] != v for log in logs for m, v in _read(log).items())),
        "versions": max(_versions_kept(log) for log in logs),
        "staleness": max(max(_staleness(log).values()) for log in logs),
        "skew": skew,
        "vertical-sync": int(skew > 0),
        "flush": int(any(map(_changes_inside_a_step, logs)) or skew > 0),
        "in-flight": meaning.in_flight,
        "update-once": int(not _updates_once(logs, policy)),
    }


def broken(found: Measures, requirements: tuple[Requirement, ...]) -> set[str]:
    """The measured invariants of a contract that do not hold."""
    return {
        requirement.name
        for requirement in requirements
        if requirement.name in MEASURED and found[requirement.name] > (requirement.bound or 0)
    }


def _read(log: Log) -> dict[int, int]:
    return {m: version for word, m, version in log if word == "F"}


def _used(log: Log) -> dict[int, int]:
    return {m: version for word, m, version in log if word == "B"}


def _updates_before(log: Log, word: str) -> dict[int, int]:
    """Updates in front of each microbatch's F, B or G."""
    count, found = 0, {}
    for kind, m, _ in log:
        count += kind == "U"
        if kind == word:
            found[m] = count
    return found


def _staleness(log: Log) -> dict[int, int]:
    """Updates between a forward and the update that applies its gradient."""
    forward, gradient = _updates_before(log, "F"), _updates_before(log, "G")
    return {m: gradient[m] - forward[m] for m in gradient}


def _versions_kept(log: Log) -> int:
    """Most versions at one time that are the newest, or that a later backward uses."""
    most = newest = 0
    for place in range(len(log) + 1):
        before, after = log[:place], log[place:]
        newest = sum(word == "U" for word, _, _ in before)
        used = {version for word, _, version in after if word == "B" and version <= newest}
        most = max(most, len(used | {newest}))
    return most


def _skew(logs: tuple[Log, ...]) -> int:
    read: dict[int, list[int]] = {}
    for log in logs:
        for m, version in _read(log).items():
            read.setdefault(m, []).append(version)
    return max(max(found) - min(found) for found in read.values())


def _changes_inside_a_step(log: Log) -> bool:
    return any(_staleness(log).values()) or (_updates_before(log, "F") != _updates_before(log, "B"))


def _updates_once(logs: tuple[Log, ...], policy: WeightPolicy) -> bool:
    """Every gradient is applied, every update closes its window, all stages have the same steps.

    Where anything is reduced over replicas, every gradient is before it is applied.
    """
    steps: dict[int, set[int]] = {}
    reduces = any(word == "R" for log in logs for word, _, _ in log)
    for log in logs:
        *applied, rest = "".join(word for word, _, _ in log).split("U")
        if "G" in rest or (reduces and any("G" in part.rpartition("R")[2] for part in applied)):
            return False
        sizes = {count for word, count, _ in log if word == "U"}
        if 0 in sizes or (policy.name != "flush" and sizes - {policy.interval}):
            return False
        for m, number in _updates_before(log, "G").items():
            steps.setdefault(m, set()).add(number)
    return policy.name != "flush" or all(len(numbers) == 1 for numbers in steps.values())
