"""The operators: each changes one thing that people and programs get wrong."""

from __future__ import annotations

from typing import Final

from tests.mutations.changes import (
    averages,
    before_its_forward,
    both_ends_dropped,
    computes,
    computes_or_updates,
    doubled,
    dropped,
    merged,
    moved,
    neighbours,
    of_a_stage,
    on_another_rank,
    receives,
    relabelled,
    same_channel,
    sends,
    split,
    swapped_computations,
    talks,
    updates,
)
from tests.mutations.mutant import Operator, on_rows

MESSAGE: Final = frozenset({"match", "deadlock-free", "causal"})
WEIGHTS: Final = frozenset(
    "stash versions staleness delay delay-any-timing skew vertical-sync flush update-once "
    "barrier".split()
)
SPACE: Final = frozenset({"in-flight", "activations"})
COMPLETE: Final = frozenset({"complete"})
BARRIER: Final = frozenset({"barrier"})
REPLICAS: Final = frozenset({"causal", "update-once"})
ORDER: Final = frozenset({"causal", "deadlock-free"})
REFUSED: Final = "refused"
"""Not an invariant: a message to a rank that does not exist is bad input."""

ON_ROWS: Final = (
    Operator(
        "swap neighbouring sends",
        "two sends of a rank change places",
        MESSAGE,
        on_rows(neighbours(sends)),
    ),
    Operator(
        "swap sends of a channel",
        "two sends to one rank change places",
        MESSAGE,
        on_rows(same_channel(sends)),
    ),
    Operator(
        "swap neighbouring receives",
        "two receives of a rank change places",
        MESSAGE,
        on_rows(neighbours(receives)),
    ),
    Operator(
        "swap receives of a channel",
        "two receives from one rank change places",
        MESSAGE,
        on_rows(same_channel(receives)),
    ),
    Operator(
        "swap a send and a receive",
        "a send and the next receive of a rank change places",
        MESSAGE,
        on_rows(neighbours(sends, receives)),
    ),
    Operator("drop a send", "its receive stays", MESSAGE, on_rows(dropped(sends))),
    Operator("drop a receive", "its send stays", MESSAGE, on_rows(dropped(receives))),
    Operator(
        "drop a message", "both its send and its receive", MESSAGE, on_rows(both_ends_dropped)
    ),
    Operator("repeat a message", "a send or a receive", MESSAGE, on_rows(doubled(talks))),
    Operator(
        "relabel a message",
        "next microbatch, or next stage",
        MESSAGE | {REFUSED},
        on_rows(relabelled(talks)),
    ),
    Operator(
        "message on another rank",
        "a send or a receive",
        MESSAGE,
        on_rows(on_another_rank(talks)),
    ),
    Operator("batch two messages", "neighbours start together", MESSAGE, on_rows(merged)),
    Operator("split a batch", "one by one, in order or backwards", MESSAGE, on_rows(split)),
    Operator(
        "swap neighbouring computations",
        "two computations of a rank change places",
        ORDER | WEIGHTS | SPACE | {"match"},
        on_rows(swapped_computations),
        may_differ=True,
    ),
    Operator(
        "backward before its forward",
        "of the same stage",
        frozenset({"causal"}),
        on_rows(before_its_forward),
    ),
    Operator(
        "drop a computation",
        "an F, B, I or W is left out",
        frozenset({"complete"}),
        on_rows(dropped(computes)),
    ),
    Operator(
        "repeat a computation",
        "it stands there twice",
        frozenset({"complete"}),
        on_rows(doubled(computes)),
    ),
    Operator(
        "relabel a computation",
        "next microbatch, or next stage",
        frozenset({"complete", "exclusive"}),
        on_rows(relabelled(computes)),
    ),
    Operator(
        "computation on another rank",
        "at the same place in its program",
        frozenset({"exclusive"}),
        on_rows(on_another_rank(computes)),
    ),
    Operator(
        "move an update",
        "past the next, or the last, computation",
        WEIGHTS,
        on_rows(moved(updates, computes)),
        may_differ=True,
    ),
    Operator("drop an update", "an action `U` is left out", WEIGHTS, on_rows(dropped(updates))),
    Operator("repeat an update", "it stands there twice", WEIGHTS, on_rows(doubled(updates))),
    Operator(
        "update on another rank",
        "at the same place in its program",
        frozenset({"exclusive"}),
        on_rows(on_another_rank(updates)),
    ),
    Operator(
        "move an averaging",
        "past the next, or the last, computation",
        ORDER | {"barrier"},
        on_rows(moved(averages, computes)),
    ),
    Operator(
        "move a collective of a stage",
        "past the next, or the last, computation or update",
        REPLICAS,
        on_rows(moved(of_a_stage, computes_or_updates)),
    ),
    Operator(
        "drop a collective of a stage",
        "an `UNSHARD`, `RESHARD` or `REDUCE` of a whole stage is left out",
        REPLICAS,
        on_rows(dropped(of_a_stage)),
    ),
    Operator(
        "drop an averaging",
        "of a round of LocalSGD",
        frozenset({"barrier"}),
        on_rows(dropped(averages)),
    ),
    Operator(
        "repeat an averaging",
        "it stands there twice",
        frozenset({"barrier"}),
        on_rows(doubled(averages)),
    ),
)
