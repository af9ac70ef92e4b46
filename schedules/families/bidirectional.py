"""What families of two pipelines in opposite directions share.

Pipeline 0 runs stage s on rank s, pipeline 1 on rank p − 1 − s, each with its own copy of the
weights: every rank holds two stages, every stage has two copies.
"""

from __future__ import annotations

from schedules.errors import ParameterError
from schedules.placement import Placement


def opposite_directions(stages: int) -> Placement:
    """The placement of two pipelines in opposite directions on p ranks.

    Examples
    --------
    >>> opposite_directions(2)
    Placement(ranks=((0, 1), (1, 0)), copies=((0, 0), (1, 1)), owners=None)
    """
    down = tuple(range(stages))
    return Placement(ranks=(down, down[::-1]), copies=((0,) * stages, (1,) * stages))


def require_even_stages(family: str, stages: int) -> None:
    """Refuse an odd number of stages: the two directions meet between two ranks.

    Raises
    ------
    ParameterError
        With the nearest even numbers.
    """
    if stages % 2:
        raise ParameterError(
            f"two pipelines in opposite directions need an even p (stages), found p = {stages}",
            f"family {family}",
            f"take p = {stages + 1}" + (f" or p = {stages - 1}" if stages > 1 else ""),
        )
