"""`INVARIANTS`: every invariant by its name.

``docs/reference/invariants.md`` shows the same table; a test keeps both equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from schedules.invariants.any_timing import decide_delay_any_timing
from schedules.invariants.base import (
    decide_causal,
    decide_complete,
    decide_deadlock_free,
    decide_exclusive,
    decide_forward_only,
    decide_match,
    decide_policy,
)
from schedules.invariants.invariant import Invariant
from schedules.invariants.memory import (
    decide_activations,
    decide_in_flight,
    decide_memory,
    decide_rank_memory,
    decide_send_buffers,
)
from schedules.invariants.recorded import unlike_pairs
from schedules.invariants.rounds import decide_barrier
from schedules.invariants.slots import decide_buffer_safe
from schedules.invariants.staleness import decide_delay, decide_staleness
from schedules.invariants.steps import decide_flush
from schedules.invariants.updates import decide_update_once
from schedules.invariants.weights import (
    decide_skew,
    decide_stash,
    decide_versions,
    decide_vertical_sync,
)

BASE: Final = ("complete", "causal", "exclusive", "policy", "match", "deadlock-free")
"""What is decided of every schedule; the rest is decided where it is required."""

_ALL: Final = (
    Invariant(
        "complete",
        "each (stage, microbatch) has one F and either one B or one I and one W; nothing is out "
        "of range",
        "none",
        "the number of microbatches is the one stated, or that of stage 0",
        decide_complete,
        needs_base=False,
    ),
    Invariant(
        "causal",
        "nothing stands before what it needs, gathered parameters, recomputed and reloaded "
        "activations included, no ranks wait for each other in a circle, what comes from another "
        "rank is received, a microbatch stays in one pipeline; recorded times agree",
        "none",
        "queues and buffers are left to deadlock-free; times of different hosts are not compared",
        decide_causal,
        needs_base=False,
    ),
    Invariant(
        "exclusive",
        "a stage of a pipeline, and a weight copy, lives on one rank, the one stated",
        "none",
        "without a stated placement, a stage lives where it first appears",
        decide_exclusive,
        needs_base=False,
    ),
    Invariant(
        "policy",
        "the weight policy asks for no version that does not exist, and a recorded run used the "
        "versions that it says",
        "none",
        "decided where complete, causal and exclusive hold; double-buffer keeps two versions, the "
        "others as many as they ask for",
        decide_policy,
        needs_base=False,
    ),
    Invariant(
        "stash",
        "every backward uses the version that its forward read",
        "none",
        "what the policy says is kept is taken to be kept, unless versions were recorded; of "
        "flush, no older version is",
        decide_stash,
        seen=unlike_pairs,
    ),
    Invariant(
        "versions",
        "a weight copy needs at most K versions at one time, the newest included",
        "count",
        "from the update that makes one to its last backward; what is needed, not what a runtime "
        "allocates",
        decide_versions,
        least=1,
    ),
    Invariant(
        "staleness",
        "a stage's weights are updated at most K times between a forward and the update that "
        "applies its gradient, or the gradient where no update follows it (local, whole run)",
        "count",
        "holds for all durations",
        decide_staleness,
    ),
    Invariant(
        "delay",
        "a gradient is applied at most K entries of the global history after what any of its "
        "forwards saw (whole run)",
        "count",
        "in unit time, counted by the named linearization; else see delay-any-timing",
        decide_delay,
    ),
    Invariant(
        "delay-any-timing",
        "the same, whatever the durations, for microbatches S ≤ m < M − S (S stages)",
        "count",
        "up to 16 ranks; messages buffered without limit",
        decide_delay_any_timing,
    ),
    Invariant(
        "skew",
        "the versions that one microbatch reads differ by at most K between stages",
        "count",
        "version indices are compared, so stages with different windows differ by nature",
        decide_skew,
    ),
    Invariant(
        "vertical-sync",
        "a microbatch reads the same version index at all stages (skew 0)",
        "none",
        "as skew",
        decide_vertical_sync,
    ),
    Invariant(
        "flush",
        "no version changes inside a step: F, B and the update of a microbatch see one version, "
        "the same at all stages",
        "none",
        "steps are those between updates; which microbatches form one is left to update-once",
        decide_flush,
    ),
    Invariant(
        "in-flight",
        "at a stage, at most K microbatches are between their F and the end of their B or W",
        "count",
        "holds for all durations",
        decide_in_flight,
        least=1,
    ),
    Invariant(
        "activations",
        "at a stage, the activations of at most K microbatches are kept at one time",
        "count",
        "nothing is freed after I; a rank is sequential, so other positive durations keep as many",
        decide_activations,
        least=1,
    ),
    Invariant(
        "memory",
        "a stage keeps at most SIZE bytes on a rank: activations, weight versions, optimizer",
        "size",
        "in unit time; fragmentation, temporary tensors, and buffers of messages without WAIT_SEND "
        "are not counted",
        decide_memory,
    ),
    Invariant(
        "rank-memory",
        "a rank keeps at most SIZE bytes for all its stages together",
        "size",
        "as memory; peaks of different stages may lie at different times",
        decide_rank_memory,
    ),
    Invariant(
        "send-buffers",
        "a rank keeps the buffers of at most K sends at one time: each from the computation that "
        "makes the tensor to its WAIT_SEND, without one to the end",
        "count",
        "undecided without WAIT_SEND; a rank is sequential, so other positive durations keep as "
        "many",
        decide_send_buffers,
    ),
    Invariant(
        "barrier",
        "all ranks have every BARRIER, all stages every REDUCE that names a microbatch, in the "
        "same order, and rounds do not mix",
        "none",
        "undecided without any; a BARRIER takes all ranks; one missing everywhere is not noticed",
        decide_barrier,
        needs_base=False,
    ),
    Invariant(
        "update-once",
        "each gradient is applied by exactly one update, the one that closes its window; where "
        "there are reductions over replicas, behind one, not two in a row",
        "none",
        "windows are what the policy says: interval gradients; for flush, a step of all stages",
        decide_update_once,
    ),
    Invariant(
        "forward-only",
        "each (stage, microbatch) has one F and no backward; nothing is out of range",
        "none",
        "takes the place of complete and policy where it is required: nothing is updated",
        decide_forward_only,
        needs_base=False,
    ),
    Invariant(
        "match",
        "the n-th send of a channel and its n-th receive carry the same tensor; none is left over "
        "or comes twice",
        "none",
        "labels are believed: what is in the tensor is not known, and a recorded run may repeat "
        "them; undecided if named where ranks depend on each other without messages",
        decide_match,
        needs_base=False,
    ),
    Invariant(
        "deadlock-free",
        "every queue of every rank comes to its end",
        "none",
        "the model: see docs/explanation/deadlock.md; undecided as match",
        decide_deadlock_free,
        needs_base=False,
    ),
    Invariant(
        "buffer-safe",
        "no buffer of an instruction list is overwritten while its content is still needed, and "
        "labels are those of the input",
        "none",
        "always decided of a file with buffers (DeepSpeed), undecided of others; a send counts as "
        "done where it stands",
        decide_buffer_safe,
        needs_base=False,
    ),
)

INVARIANTS: Final[Mapping[str, Invariant]] = MappingProxyType(
    {invariant.name: invariant for invariant in _ALL}
)
"""Every invariant by its name."""
