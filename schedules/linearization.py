"""How updates of one slot are put into the one sequence that global delays count in.

A linearization is data: the direction of the pass over stages, and whether backwards and
forwards count the updates that the pass has already appended in their slot. The relation is
written with operators, so the same data serves integers, numpy arrays and solver terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from schedules.errors import UnknownNameError


@dataclass(frozen=True)
class Linearization:
    """One way to count inside a slot.

    Attributes
    ----------
    name : str
    ascending : bool
        Direction of the pass over stages in which updates are appended.
    backward_counts, forward_counts : bool
        Whether a backward (a forward) counts the updates appended earlier in its slot; if not,
        it takes the history length at the start of the slot.
    meaning : str
        One sentence.
    """

    name: str
    ascending: bool
    backward_counts: bool
    forward_counts: bool
    meaning: str

    def counted(self, update_stage: Any, stage: Any, *, by_forward: bool) -> Any:
        """Whether an event at `stage` counts an update at `update_stage` of the same slot.

        Stages may be integers, arrays or solver terms; the answer is of the matching kind.

        Examples
        --------
        >>> get_linearization("descending").counted(3, 1, by_forward=True)
        True
        >>> get_linearization("slot-start").counted(0, 1, by_forward=False)
        False
        """
        counts = self.forward_counts if by_forward else self.backward_counts
        if not counts:
            return False
        return update_stage < stage if self.ascending else update_stage > stage


LINEARIZATIONS: Final[dict[str, Linearization]] = {
    entry.name: entry
    for entry in (
        Linearization(
            "ascending",
            ascending=True,
            backward_counts=True,
            forward_counts=True,
            meaning="one pass over stages 0 … p−1: a forward records the present length, a "
            "backward takes it as its index, then appends",
        ),
        Linearization(
            "descending",
            ascending=False,
            backward_counts=True,
            forward_counts=True,
            meaning="the same pass from stage p−1 down to 0",
        ),
        Linearization(
            "forwards-first",
            ascending=True,
            backward_counts=True,
            forward_counts=False,
            meaning="all forwards record the length at the start of the slot, then the "
            "backwards ascending",
        ),
        Linearization(
            "slot-start",
            ascending=True,
            backward_counts=False,
            forward_counts=False,
            meaning="forwards record and backwards take the length at the start of the slot",
        ),
    )
}

DEFAULT: Final = "ascending"


def get_linearization(name: str) -> Linearization:
    """Look a linearization up by its name.

    Raises
    ------
    UnknownNameError
        No such name; the known ones and the nearest are listed.

    Examples
    --------
    >>> get_linearization("ascending").backward_counts
    True
    """
    if name in LINEARIZATIONS:
        return LINEARIZATIONS[name]
    near = get_close_matches(name, LINEARIZATIONS, n=1)
    raise UnknownNameError(
        f"a linearization is one of {', '.join(LINEARIZATIONS)}, not {name!r}",
        "linearization",
        f"did you mean {near[0]!r}?" if near else "name one of them",
    )
