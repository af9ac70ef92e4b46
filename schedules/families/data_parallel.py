"""Data-parallel training with the gradients of some layers one iteration late: what families share.

Ranks are workers, stages are layers, and every worker has weights of its own: pipeline w with
weight copy w on rank w. Iteration t of worker w is microbatch t·p + w: a batch of its own data. In
every iteration a rank does, layer by layer,

- F of all layers, from the first to the last. In front of it, a fresh layer makes the update with
  the gradient of the iteration before;
- the backward of all layers, from the last to the first, split: I, which reads weights, then W, the
  gradient, which reads none; and REDUCE behind it: the gradient goes to the all-reduce. Between I
  and W, a stale layer makes the update with the gradient of the iteration before, which its F has
  not seen.

An update is a BARRIER, where the rank waits until all workers have come to that update and so the
all-reduce can end, and U, which applies the mean over the workers. All copies stay equal. After the
last iteration everything is updated.

From the papers (PipeSGD; SAPipe, section 2, section 3.1 and Algorithm 1): which gradient an update
applies. A fresh layer's forward of iteration t + 1 has seen the gradients up to t, that of a stale
layer those up to t − 1, as x_t = x_{t−1} − η g_t has it. One weight version is kept; a stale
gradient waits in a buffer, here from its W to the U of the next iteration. Ours:

- the papers do not split backwards: the whole backward precedes the update. An update U applies all
  gradients in front of it, so here the half that has the newest one stands behind it. I and U are
  in the papers' order, and W has the same result behind U, as it reads no weights;
- communication takes no time, so nothing ever waits. Which layers have to be stale where it takes
  time is the question of `schedules.partial_staleness`;
- BARRIER, as the only action that joins ranks here: a rank waits for the others to come to the
  update, where the all-reduce only needs their backwards.

Known, for T = M/p iterations of L layers, the first K of them stale, with F = I = W = 1:

- local staleness of a stale layer's gradient is 0 in the first iteration, then 1; that of a fresh
  layer's is always 0;
- no update lies between a forward and its backward: every layer keeps one weight version, and the
  policies ``stash`` and ``latest`` are the same;
- a global delay counts the updates of all layers and workers, also those of one iteration, one
  after the other: it is above 0 even where nothing is stale (``stale`` = 0), and so is an
  equivalent delay against a layer that the same iteration has updated before;
- makespan 3·L·T, no idle slot; every rank holds up to L activations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from schedules.actions import Kind
from schedules.errors import ParameterError
from schedules.families.figures import Figures
from schedules.policies import WeightPolicy
from schedules.stamps import WORKERS, At, Number, Stamp, StampedOrder

DEFAULT_LAYERS: Final = 4
POLICY: Final = WeightPolicy("stash")
FIGURES: Final = Figures(
    makespan="3*layers*M/p", work="3*layers*M/p", peak="layers", staleness="Min(1, M/p - 1)"
)

UNEQUAL_RANKS: Final = (
    "the updates of the workers are counted one after the other, so that the rows of a layer "
    "differ from worker to worker, for every M; take p = 1, or p ≤ S and the linearization "
    "slot-start"
)


def layer_count(workers: int, values: Mapping[str, int]) -> int:
    """Stages: the layers of the model."""
    return values.get("layers", DEFAULT_LAYERS)


def stamped(stale: Callable[[At], Number], default: Mapping[str, int]) -> StampedOrder:
    """The order of every worker, from the number of stale layers.

    Stamps: forwards of iteration t are in phase 2t, its backwards in 2t + 1, and what is updated
    after the last iteration T − 1 in 2T; in a phase go the layers, then what a layer does.

    Examples
    --------
    >>> from schedules.stamps import run_stamped
    >>> order = stamped(lambda at: 1, {})
    >>> print(*run_stamped("example", POLICY, order, 1, 2, {"layers": 2}).rank(0))
    0F0 1F0 1I0 1W0 1REDUCE 0I0 0W0 0REDUCE 0F1 1BARRIER 1U 1F1 1I1 1W1 1REDUCE 0I1 0BARRIER 0U
    0W1 0REDUCE 1BARRIER 1U 0BARRIER 0U
    """

    def up(at: At) -> Number:
        return at.values["layers"] - 1 - at.lane

    def update(at: At, part: int) -> Stamp:
        """With the gradient of this iteration: in the next one, in front of F or behind I."""
        last = at.x + 1 == at.divide(at.M, at.p)[0]
        late = at.lane < stale(at)
        phase = at.choose(last, 2 * at.x + 2, at.choose(late, 2 * at.x + 3, 2 * at.x + 2))
        layer = at.choose(last, up(at), at.choose(late, up(at), at.lane))
        return phase, layer, part

    return StampedOrder(
        WORKERS,
        forward=lambda at: (2 * at.x, at.lane, 3),
        backward=lambda at: (2 * at.x + 1, up(at), 0),
        weight=lambda at: (2 * at.x + 1, up(at), 3),
        beside={
            Kind.REDUCE: lambda at: (2 * at.x + 1, up(at), 4),
            Kind.BARRIER: lambda at: update(at, 1),
            Kind.U: lambda at: update(at, 2),
        },
        microbatch=lambda at: at.x * at.p + at.rank,
        accept=_accept,
        defaults=default,
    )


def _accept(
    family: str, workers: int, microbatches: int, values: Mapping[str, int]
) -> Mapping[str, int]:
    if microbatches % workers:
        raise ParameterError(
            f"M (microbatches) is a multiple of p: one for each of p = {workers} workers an "
            f"iteration, found M = {microbatches}",
            f"family {family}",
            f"take M = {workers * (microbatches // workers + 1)}",
        )
    layers, stale = values["layers"], values.get("stale", 0)
    if stale > layers:
        raise ParameterError(
            f"the first K of L layers are stale, found stale = {stale} and layers = {layers}",
            f"family {family}",
            f"take stale ≤ {layers}, or more layers",
        )
    return {}
