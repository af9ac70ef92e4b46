"""Check ``stash``: a backward used the very weights that its forward read.

The same version, and the same content where the log has a hash that was taken when the backward
ran: what a version held when it was made says nothing about what a backward used. Policies that
let a backward use newer weights (``latest``) have nothing to check here.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from gpu_validation.checks.finding import Finding, fails, holds, inapplicable, undecided
from gpu_validation.checks.observed import UNSEEN, Content, Observed
from gpu_validation.prediction import Prediction
from schedules.actions import Kind, among
from schedules.dependencies import MISSING, first_indices

NAME: Final = "stash"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare version and content of every backward with those of its forward."""
    policy = predicted.schedule.policy
    if not policy.keeps_forward_version:
        return inapplicable(
            NAME, f"under the policy {policy.name!r} a backward may use newer weights"
        )
    forward = first_indices(seen.schedule, Kind.F)
    versions = contents = unseen = 0
    for kind in (Kind.B, Kind.I, Kind.W):
        backward = first_indices(seen.schedule, kind)
        pairs = np.argwhere((forward != MISSING) & (backward != MISSING))
        for stage, m in pairs.tolist():
            f, b = int(forward[stage, m]), int(backward[stage, m])
            known = UNSEEN not in (seen.version[f], seen.version[b])
            if known and seen.version[f] != seen.version[b]:
                return _differs(seen, f, b, "version", seen.version[f], seen.version[b])
            versions, unseen = versions + known, unseen + (not known)
            read, used = content(seen, f) if known else seen.hashes[f], seen.hashes[b]
            if read is not None and used is not None:
                if read != used:
                    return _differs(seen, f, b, "content", read, used)
                contents += 1
    if unseen:
        return undecided(NAME, f"the log lacks the versions of {unseen} forwards and backwards")
    return holds(
        NAME,
        versions,
        f"{versions} backwards used the version of their forwards, {contents} of them compared "
        "by content too",
    )


def coverage(seen: Observed) -> tuple[int, int]:
    """Backwards of a log, and those of them whose weights were hashed when they ran."""
    backwards = np.flatnonzero(among(seen.schedule.kind, (Kind.B, Kind.I, Kind.W)))
    return len(backwards), sum(seen.hashes[index] is not None for index in backwards.tolist())


def content(seen: Observed, index: int) -> str | None:
    """Hash of the weights that an action used: its own, or the one from when they were made."""
    own = seen.hashes[index]
    return seen.created.get(content_key(seen, index)) if own is None else own


def content_key(seen: Observed, index: int) -> Content:
    """What the hash of an action's weights should depend on, and on nothing else."""
    return Content(
        int(seen.weights[index]),
        int(seen.version[index]),
        int(seen.rounds[index]),
        int(seen.horizon[index]),
    )


def _differs(seen: Observed, f: int, b: int, what: str, read: object, used: object) -> Finding:
    forward, backward = seen.action(f), seen.action(b)
    return fails(
        NAME,
        f"{backward} was to use the weights of {forward}, and their {what} differs: {read} then, "
        f"{used} now",
        forward=str(forward),
        backward=str(backward),
        differs=what,
        read=str(read),
        used=str(used),
    )
