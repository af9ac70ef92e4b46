"""What families with several stages a rank, placed in a loop, share.

Legend: p ranks, v chunks (stages a rank), M microbatches, stages 0 … vp−1 with stage s on rank
s mod p; chunk c of rank r is stage cp + r.

A rank takes its (chunk, microbatch) pairs in *rounds*: the microbatches of a round pass one chunk,
then the next. Its work is then a queue for each kind of action, and a schedule says by how many
*turns* one queue lags behind another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from schedules.errors import ParameterError
from schedules.families.family import Parameter
from schedules.stamps import At, Number

DEFAULT_CHUNKS: Final = 2
DEFAULTS: Final = {"chunks": DEFAULT_CHUNKS}
CHUNKS: Final = Parameter("chunks", f"stages a rank v (default {DEFAULT_CHUNKS})")


def chunked(ranks: int, values: Mapping[str, int]) -> int:
    """Stages of a family with `CHUNKS`."""
    return ranks * values.get(CHUNKS.name, DEFAULT_CHUNKS)


def even_rounds(
    family: str, ranks: int, microbatches: int, values: Mapping[str, int]
) -> Mapping[str, int]:
    """Size of one of max(1, ⌊M/p⌋) equal rounds: p microbatches or more, but for M < p.

    Raises
    ------
    ParameterError
        M is not a multiple of the number of rounds.

    Examples
    --------
    >>> even_rounds("interleaved-1f1b", 4, 10, {})
    {'round_size': 5}
    """
    rounds = max(1, microbatches // ranks)
    if microbatches % rounds:
        raise ParameterError(
            f"M (microbatches) is a multiple of the number of rounds, max(1, ⌊M/p⌋); found "
            f"M = {microbatches}, p = {ranks} and so {rounds} rounds",
            f"family {family}",
            f"take M = {ranks * rounds} or {ranks * (rounds + 1)}, multiples of p",
        )
    return {"round_size": microbatches // rounds}


def turn(at: At, chunk: Number, behind: Number | None = None) -> Number:
    """When a rank comes to a place of its queue, which goes round by round through all chunks.

    Where a round has k < p microbatches its chunks are p turns apart, so that the first rank of a
    chunk comes behind the last rank of the chunk before.

    Parameters
    ----------
    at : At
        Its values have ``chunks`` and ``round_size``.
    chunk : number
        In the order of the queue.
    behind : number, optional
        Further places.
    """
    size = at.values["round_size"]
    rounds, within = at.divide(at.x, size)
    passes: Number = 0
    if behind is not None:
        passes, within = at.divide(within + behind, size)
    return (rounds * at.values["chunks"] + chunk + passes) * at.most(size, at.p) + within


def from_last(at: At) -> Number:
    """The chunk, counted from the last one: backwards go down the chunks."""
    return at.values["chunks"] - 1 - at.lane


def ahead(at: At, per_hop: int) -> Number:
    """Turns by which backwards lag: a round through all chunks but the last, and more a hop.

    Where a rank has fewer forwards than that, all of them come first.
    """
    length = at.most(at.values["round_size"], at.p)
    return (at.values["chunks"] - 1) * length + per_hop * (at.p - 1 - at.rank)
