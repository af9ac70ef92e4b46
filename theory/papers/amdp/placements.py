"""Where the stages of AMDP's pipelines are: the source says "Chimera-style" and two directions.

`STRAIGHT` turns the direction only; `CHIMERA` also shifts, as Chimera does from four pipelines on
(Li and Hoefler 2021, section 3.6: with f pipelines a direction the j-th starts on rank jd/f). For
d = 4 they are the same. Chimera's is defined where d/2 pipelines make pairs: 4 divides d.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

STRAIGHT, CHIMERA = "straight", "chimera"

SAYS: Final[Mapping[str, str]] = {
    STRAIGHT: "stage s on rank s in even pipelines and on rank d − 1 − s in odd ones",
    CHIMERA: "Chimera's placement, 4 | d: stage s of pipelines 2j and 2j + 1 on ranks (4j + s) mod "
    "d and (4j + d − 1 − s) mod d",
}
"""Each placement in the words of a row."""

SHIFT: Final[Mapping[str, int]] = {STRAIGHT: 0, CHIMERA: 4}
"""How many ranks further on the next pair of pipelines is; d/2 pipelines are f = d/4 pairs."""


def _choose(test: bool, yes: int, no: int) -> int:
    return yes if test else no


def rank(
    placement: str, stages: Any, way: int, pair: Any, stage: Any, choose: Any = _choose
) -> Any:
    """The rank of a stage of a pipeline; numbers, or solver terms with z3's ``If``.

    Parameters
    ----------
    placement : str
        One of `SHIFT`.
    stages : int or solver term
    way : int
        0 for pipelines that go down the ranks, 1 for those that go up.
    pair : int or solver term
        Pipelines 2j and 2j + 1 are pair j.
    stage : int or solver term
    choose : callable
        ``choose(test, yes, no)``.

    Examples
    --------
    >>> [rank(STRAIGHT, 8, way, pair, 2) for pair in (0, 1) for way in (0, 1)]
    [2, 5, 2, 5]
    >>> [rank(CHIMERA, 8, way, pair, 2) for pair in (0, 1) for way in (0, 1)]
    [2, 5, 6, 1]
    """
    at = (stages - 1 - stage if way else stage) + SHIFT[placement] * pair
    return at if SHIFT[placement] == 0 else choose(at >= stages, at - stages, at)


def rank_of(placement: str, stages: int, pipeline: int, stage: int) -> int:
    """The same by the pipeline's number.

    Examples
    --------
    >>> [rank_of(CHIMERA, 12, pipeline, 0) for pipeline in range(6)]
    [0, 11, 4, 3, 8, 7]
    """
    return int(rank(placement, stages, pipeline % 2, pipeline // 2, stage))
