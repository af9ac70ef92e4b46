"""Whether what is proved of a rule is said of what its family builds."""

from __future__ import annotations

from schedules.families.family import Family
from theory.smt.solver import Outcome
from theory.verdicts import Verdict


def built(family: Family) -> Outcome:
    """What a family builds is what its rule generates: nothing else builds it.

    Examples
    --------
    >>> from schedules.families import get_family
    >>> built(get_family("gpipe")).verdict.name, built(get_family("amdp")).verdict.name
    ('PROVED', 'UNKNOWN')
    """
    says = "the family builds what its rule generates"
    if family.generated:
        return Outcome("built", says, Verdict.PROVED, {}, "from_rule builds it", 0, ())
    why = "something else builds its schedules than its rule"
    return Outcome("built", says, Verdict.UNKNOWN, {}, why, 0, ())
