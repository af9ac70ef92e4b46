"""What a schedule costs on measured layers: durations and bytes by stage, times by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from schedules.actions import Kind
from schedules.analysis.sizes import MOST, Sizes, StageSizes
from schedules.durations import KindAtStage
from schedules.errors import SizeError
from schedules.links import Crossings
from schedules.placement import Placement
from schedules.planning.layers import Layers
from schedules.planning.partition import longest_stage, require_enough
from schedules.schedule import IntArray, Schedule
from schedules.timeline import Timeline, timeline

COLUMN_OF = {
    "activations": "activation_bytes",
    "weights": "parameter_bytes",
    "optimizer": "optimizer_bytes",
    "gradients": "gradient_bytes",
}
"""Size of a stage → column of the layers that it sums up."""


@dataclass(frozen=True, eq=False)
class Costs:
    """Layers on the stages of a schedule.

    Attributes
    ----------
    layers : Layers
    bounds : tuple of int
        S + 1 boundaries: stage s has the layers from ``[s]`` to before ``[s + 1]``.
    """

    layers: Layers
    bounds: tuple[int, ...]

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.bounds) - 1

    @cached_property
    def durations(self) -> dict[KindAtStage, int]:
        """Ticks of F, R, B, I and W at every stage."""
        forward, inputs, weights = (
            self._by_stage(name) for name in ("forward", "input_gradient", "weight_gradient")
        )
        found = {}
        for s in range(self.stages):
            found[Kind.F, s], found[Kind.I, s], found[Kind.W, s] = forward[s], inputs[s], weights[s]
            found[Kind.B, s], found[Kind.R, s] = inputs[s] + weights[s], forward[s]
        return found

    @cached_property
    def sizes(self) -> Sizes:
        """Bytes at every stage.

        Raises
        ------
        SizeError
            A stage has more than sums in 64 bits leave room for.
        """
        columns = {size: self._by_stage(name) for size, name in COLUMN_OF.items()}
        columns["output"] = self._outputs
        # What the first stage is given is not in the file: no less than it could be is assumed.
        columns["checkpoint"] = [columns["activations"][0], *self._outputs[:-1]]
        for size, values in columns.items():
            if max(values) > MOST:
                raise SizeError(
                    f"a stage has at most {MOST} bytes of {size}, found {max(values)}",
                    self.layers.file,
                    "take more stages",
                )
        stages = {
            s: StageSizes(**{size: values[s] for size, values in columns.items()})
            for s in range(self.stages)
        }
        return Sizes(self.layers.file, stages)

    def message_time(self, crossed: Crossings) -> IntArray:
        """Ticks of messages, rounded up where they are no whole number of them."""
        return message_ticks(self.layers, self._outputs, crossed)

    def timeline(self, schedule: Schedule) -> Timeline:
        """The run of a schedule that has these stages."""
        return timeline(schedule, self.durations, self.message_time)

    @property
    def _outputs(self) -> list[int]:
        return [self.layers.layers[end - 1].output_bytes for end in self.bounds[1:]]

    def _by_stage(self, name: str) -> list[int]:
        sums = self.layers.sums(name)
        return [sums[b] - sums[a] for a, b in pairwise(self.bounds)]


def message_ticks(layers: Layers, outputs: Sequence[int], crossed: Crossings) -> IntArray:
    """Ticks of messages that carry the output of their lower stage."""
    network, ticks = layers.network, layers.ticks
    rows = np.stack([crossed.lower, crossed.source, crossed.target], axis=1)
    several, which = np.unique(rows, axis=0, return_inverse=True)
    times = [
        -(-network.link(source, target).time(outputs[lower]) * ticks // 1)
        for lower, source, target in several.tolist()
    ]
    return np.array(times, dtype=np.int64)[which.reshape(-1)]


def split(layers: Layers, placement: Placement) -> Costs:
    r"""The layers on the stages of a placement, so that the longest stage is shortest.

    Raises
    ------
    ParameterError
        More stages than layers.

    Examples
    --------
    >>> from schedules import build
    >>> from schedules.planning.layers import parse_layers
    >>> columns = "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes"
    >>> layers = parse_layers(f"{columns}\na,1,1,1,8,4\nb,1/2,1,1,8,4\nc,1,1,0,8,4\n")
    >>> schedule = build("gpipe", 2, 2)
    >>> found = split(layers, schedule.placement)
    >>> found.bounds, layers.time(found.timeline(schedule).length)
    ((0, 1, 3), 12)
    """
    require_enough(layers.count, placement.stages)
    return Costs(
        layers, longest_stage(stage_times(layers), placement.stages, crossing(layers, placement))
    )


def stage_times(layers: Layers) -> list[int]:
    """Ticks of every layer: forward and both gradients."""
    columns = (layers.sums(name) for name in ("forward", "input_gradient", "weight_gradient"))
    sums = [sum(column) for column in zip(*columns, strict=True)]
    return [b - a for a, b in pairwise(sums)]


def crossing(layers: Layers, placement: Placement) -> list[list[int]]:
    """``[s][j]``: ticks, up and down, of what crosses behind stage s if s + 1 begins at layer j.

    The largest over the pipelines; nothing between stages of one rank.
    """
    if layers.network.is_instant:
        return []
    outputs = [0, *(layer.output_bytes for layer in layers.layers)]
    found = []
    for s in range(placement.stages - 1):
        pairs = {(ranks[s], ranks[s + 1]) for ranks in placement.ranks}
        both = [
            _both_ways(layers, outputs, source, target)
            for source, target in pairs
            if source != target
        ]
        found.append(np.max(both, axis=0).tolist() if both else [0] * len(outputs))
    return found


def _both_ways(layers: Layers, outputs: Sequence[int], source: int, target: int) -> IntArray:
    every = np.arange(len(outputs))
    up, down = np.full(len(outputs), source), np.full(len(outputs), target)
    there = message_ticks(layers, outputs, Crossings(every, up, down))
    return there + message_ticks(layers, outputs, Crossings(every, down, up))
