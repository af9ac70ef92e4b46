"""Invariants of schedules: what each means, how requirements name them, and their check.

=============== ==============================================================================
module          holds
=============== ==============================================================================
`registry`      `INVARIANTS`: every invariant by its name
`requirement`   what ``stash,staleness<=3,memory<=60GiB`` asks for
`check`         `check`: decides the base and what is required; `Report`
`run`           what the invariants of one check share: timeline, versions, history
=============== ==============================================================================

The other modules decide one invariant or a family of them. What is decided, how, and how far it
reaches is in ``docs/reference/invariants.md``.
"""

from schedules.invariants.check import Report, check
from schedules.invariants.invariant import Invariant, Undecided
from schedules.invariants.registry import BASE, INVARIANTS
from schedules.invariants.requirement import GRAMMAR, Requirement, parse_requirements

__all__ = [
    "BASE",
    "GRAMMAR",
    "INVARIANTS",
    "Invariant",
    "Report",
    "Requirement",
    "Undecided",
    "check",
    "parse_requirements",
]
