"""Check ``hash``: a version of a weight copy has one content, whenever it is looked at.

And no other version of that copy has the same: where an update changes nothing, or a hash is blind,
equal hashes do not show that the same version was used, and the check is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import UNSEEN, Content, Observed
from gpu_validation.checks.stash import content_key
from gpu_validation.prediction import Prediction

NAME: Final = "hash"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare every hash of a version with the first one."""
    first: dict[Content, tuple[str, str]] = {}
    holder: dict[tuple[int, str], int] = {}
    same: tuple[int, int, int] | None = None
    compared = 0
    copies = max(seen.schedule.placement.copy_count, 1)
    for content, hashed, by in _hashes(seen):
        before, at = first.setdefault(content, (hashed, by))
        if before != hashed:
            stage = content.copy // copies
            return fails(
                NAME,
                f"version {content.version} of stage {stage} had the content {before} at {at} and "
                f"has {hashed} at {by}: it was written to, or made twice",
                compared,
                action=by,
                version=content.version,
                stage=stage,
                before=before,
                found=hashed,
            )
        compared += at != by
        version = holder.setdefault((content.copy, hashed), content.version)
        if version != content.version and same is None:
            same = content.copy, version, content.version
    if not first:
        return undecided(NAME, "the log has no hashes; measure with hashing on")
    if same is not None:
        return undecided(
            NAME,
            f"versions {same[1]} and {same[2]} of stage {same[0] // copies} have the same content, "
            "so that hashes cannot tell which was used; an update has to change its weights",
        )
    return holds(NAME, compared, f"{compared} hashes equal the first of their version")


def _hashes(seen: Observed) -> Iterator[tuple[Content, str, str]]:
    """Every hash of the log: of what, which, and where it was taken."""
    for content, hashed in seen.creations:
        yield content, hashed, f"its update ({content.version})"
    for index, used in enumerate(seen.hashes):
        if used is not None and seen.version[index] != UNSEEN:
            yield content_key(seen, index), used, str(seen.action(index))
