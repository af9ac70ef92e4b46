"""Actions: the vocabulary every schedule is written in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kind(IntEnum):
    """What an action does; the integer is its code in the arrays of a `Schedule`.

    ``F`` forward, ``B`` full backward, ``I`` input gradient, ``W`` weight gradient, ``U``
    weight update; ``SEND_F``/``RECV_F`` activations and ``SEND_B``/``RECV_B`` gradients
    between stages; ``REDUCE`` a collective over weight copies (gradient reduction, model
    averaging), ``BARRIER`` a synchronization point, ``UNSHARD``/``RESHARD`` parameter
    gathering and release. ``WAIT_SEND_F``/``WAIT_SEND_B`` hold the rank until that send is
    complete, ``WAIT_REDUCE`` until that reduction is. ``R`` runs a forward again for the
    activations that were not kept; ``OFFLOAD`` has taken them off the device when it is over,
    ``RELOAD`` brings them back.
    """

    F = 0
    B = 1
    I = 2  # noqa: E741 - the field's own letter
    W = 3
    U = 4
    SEND_F = 5
    RECV_F = 6
    SEND_B = 7
    RECV_B = 8
    REDUCE = 9
    BARRIER = 10
    UNSHARD = 11
    RESHARD = 12
    WAIT_SEND_F = 13
    WAIT_SEND_B = 14
    WAIT_REDUCE = 15
    R = 16
    OFFLOAD = 17
    RELOAD = 18


COMPUTE = frozenset({Kind.F, Kind.B, Kind.I, Kind.W})
"""Kinds that run a stage's layers, each once."""

RUNS = COMPUTE | {Kind.R}
"""Kinds that run a stage's layers, once or again."""

KEEPING = frozenset({Kind.R, Kind.OFFLOAD, Kind.RELOAD})
"""Kinds that say what is kept of a microbatch's activations between its forward and backward."""

MESSAGES = frozenset({Kind.SEND_F, Kind.RECV_F, Kind.SEND_B, Kind.RECV_B})
"""Kinds that move a tensor between two stages."""

WAITED_SENDS = {Kind.SEND_F: Kind.WAIT_SEND_F, Kind.SEND_B: Kind.WAIT_SEND_B}
"""Kind of a send → kind of the wait for it."""

NEEDS_MICROBATCH = COMPUTE | KEEPING | MESSAGES | frozenset(WAITED_SENDS.values())
"""Kinds that always name their microbatch."""

NO_MICROBATCH = -1
"""Microbatch of actions that concern a whole stage (``UNSHARD``, ``RESHARD``, ``REDUCE`` …)."""


def among(kind: NDArray[Any], kinds: Iterable[Kind]) -> NDArray[np.bool_]:
    """Which codes are of these kinds; what is no code is of none. Much faster than `numpy.isin`.

    Examples
    --------
    >>> among(np.array([0, 4, 1, -1, 99]), {Kind.F, Kind.B, Kind.RELOAD}).tolist()
    [True, False, True, False, False]
    """
    table = np.zeros(len(Kind) + 2, dtype=np.bool_)  # one place more at each end
    table[[one + 1 for one in kinds]] = True
    return np.asarray(table.take(kind + 1, mode="clip"))


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """One thing a rank does.

    Attributes
    ----------
    kind : Kind
    stage : int
        0-based stage.
    microbatch : int
        0-based microbatch, `NO_MICROBATCH` where the action has none.
    pipeline : int
        Which of several concurrent pipelines or replicas it belongs to; 0 if there is one.

    Examples
    --------
    >>> str(Action(Kind.F, 2, 0))
    '2F0'
    """

    kind: Kind
    stage: int
    microbatch: int = NO_MICROBATCH
    pipeline: int = 0

    def __str__(self) -> str:
        microbatch = "" if self.microbatch == NO_MICROBATCH else str(self.microbatch)
        return f"{self.stage}{self.kind.name}{microbatch}"
