"""Check ``order``: every rank did what the schedule declares, in that order."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from gpu_validation.checks.finding import Finding, fails, holds, undecided
from gpu_validation.checks.observed import Observed
from gpu_validation.prediction import Prediction

NAME: Final = "order"

EARLY: Final = "the log is marked as partial: the run ended early, so it shows nothing of the whole"


def check(seen: Observed, predicted: Prediction) -> Finding:
    """Compare the orders of all ranks, action for action."""
    compared = 0
    for rank in range(predicted.schedule.ranks):
        done = seen.schedule.rank(rank) if rank < seen.schedule.ranks else ()
        pairs = zip_longest(predicted.schedule.rank(rank), done)
        for position, (declared, found) in enumerate(pairs):
            if declared != found:
                return fails(
                    NAME,
                    f"rank {rank} was to do {declared or 'nothing more'} at position {position}, "
                    f"and did {found or 'nothing more'}{_why(seen)}",
                    compared,
                    rank=rank,
                    position=position,
                    declared=str(declared) if declared else None,
                    found=str(found) if found else None,
                )
            compared += 1
    if seen.partial:
        return undecided(NAME, EARLY)
    ranks = predicted.schedule.ranks
    return holds(NAME, compared, f"{compared} actions of {ranks} ranks stand in declared order")


def _why(seen: Observed) -> str:
    return "; the run ended early" if seen.partial else ""
