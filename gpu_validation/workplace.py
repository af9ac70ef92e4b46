"""What one rank has at hand before it starts: stages, weight copies, data."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from gpu_validation.faulty import stage_of, weight_copy_of
from gpu_validation.messages import Label
from gpu_validation.models import build_stage, microbatch
from gpu_validation.spec import CopyOfStage, Memory, RunSpec
from gpu_validation.stage import Stage
from gpu_validation.weights import WeightCopy, Weights
from schedules.actions import Action, Kind, among
from schedules.schedule import Schedule

Data: TypeAlias = tuple[Tensor | None, Tensor | None]
"""Inputs and labels of a microbatch, where a stage takes them."""


class Workplace:
    """The stages of a rank, by (stage, pipeline), their weights and their data."""

    def __init__(self, spec: RunSpec, rank: int) -> None:
        self.spec = spec
        schedule = spec.schedule
        placement = schedule.placement
        self.stages: dict[tuple[int, int], Stage] = {}
        self._copies: dict[CopyOfStage, WeightCopy] = {}
        self._by_copy: dict[CopyOfStage, Stage] = {}
        modules: dict[int, nn.Module] = {}
        initial: dict[int, Weights] = {}
        for pipeline, row in enumerate(placement.ranks):
            for stage in (s for s, place in enumerate(row) if place == rank):
                key = (stage, placement.copies[pipeline][stage])
                if stage not in modules:
                    modules[stage] = build_stage(spec.model, stage, schedule.stages)
                    initial[stage] = _taken_out(modules[stage], spec.device)
                if key not in self._copies:
                    self._copies[key] = _copy(spec, key, initial[stage])
                    self._by_copy[key] = stage_of(spec, stage, modules[stage], self._copies[key])
                self.stages[stage, pipeline] = self._by_copy[key]
        self._data = _data(spec, rank)
        self._barriers = _barriers(schedule)

    def stage(self, action: Action) -> Stage:
        """The stage that an action works on."""
        return self.stages[action.stage, action.pipeline]

    def copy(self, stage: int, pipeline: int) -> WeightCopy:
        """The weights of a stage."""
        return self.stages[stage, pipeline].copy

    def copies_of(self, stage: int) -> list[WeightCopy]:
        """All weight copies of a stage that this rank holds, by number."""
        return [self._copies[key] for key in sorted(self._copies) if key[0] == stage]

    def data(self, action: Action) -> Data:
        """Inputs for stage 0 and labels for the last stage, on the device."""
        return self._data.get((action.stage, action.microbatch), (None, None))

    def barriers(self, number: int) -> list[tuple[Label, int]]:
        """Who waits for the backward of a microbatch at stage 0: the token and the rank."""
        return self._barriers.get(number, [])

    def final_weights(self) -> dict[CopyOfStage, dict[str, NDArray[np.generic]]]:
        """The newest weights, on the host."""
        return {
            key: {name: tensor.detach().cpu().numpy() for name, tensor in copy.newest.items()}
            for key, copy in self._copies.items()
        }

    def memory(self) -> dict[CopyOfStage, Memory]:
        """Largest memory in use, by weight copy."""
        return {key: stage.memory() for key, stage in self._by_copy.items()}


def _copy(spec: RunSpec, key: CopyOfStage, initial: Weights) -> WeightCopy:
    """A weight copy with its own version 0."""
    schedule = spec.schedule
    stage, copy = key
    mine = [p for p, row in enumerate(schedule.placement.copies) if row[stage] == copy]
    here = (schedule.stage == stage) & np.isin(schedule.pipeline, mine)
    gradients: int | None = schedule.policy.interval
    if (here & (schedule.kind == Kind.U)).any():
        gradients = None
    elif schedule.policy.name == "flush":
        gradients = int((here & among(schedule.kind, (Kind.B, Kind.W))).sum())
    at_zero = (schedule.stage == 0) & (schedule.kind == Kind.F)
    forwards = [schedule.microbatch[at_zero & (schedule.pipeline == p)].tolist() for p in mine]
    return weight_copy_of(
        spec,
        stage,
        {name: tensor.detach().clone() for name, tensor in initial.items()},
        gradients,
        forwards,
    )


def _taken_out(module: nn.Module, device: str) -> Weights:
    """The weights of a freshly built stage; the module keeps only their places."""
    module.to(device)
    weights = {name: tensor.detach() for name, tensor in module.named_parameters()}
    places: dict[int, nn.Parameter] = {}
    for part in module.modules():
        for name, tensor in part._parameters.items():
            if tensor is not None:
                # Weights that are tied stay tied.
                part._parameters[name] = places.setdefault(
                    id(tensor), nn.Parameter(tensor.detach().to("meta"))
                )
    return weights


def _data(spec: RunSpec, rank: int) -> dict[tuple[int, int], Data]:
    """Data of every microbatch whose first or last stage is on this rank, made beforehand."""
    schedule = spec.schedule
    last = schedule.stages - 1
    ends = np.isin(schedule.stage, (0, last)) & (schedule.kind == Kind.F)
    found: dict[tuple[int, int], Data] = {}
    for index in np.flatnonzero(ends & (schedule.rank_of_action == rank)).tolist():
        stage, number = int(schedule.stage[index]), int(schedule.microbatch[index])
        inputs, labels = (tensor.to(spec.device) for tensor in microbatch(spec.model, number))
        found[stage, number] = (inputs if stage == 0 else None, labels if stage == last else None)
    return found


def _barriers(schedule: Schedule) -> dict[int, list[tuple[Label, int]]]:
    """For every microbatch: the REDUCE of which stages, on which rank, wait for it."""
    found: dict[int, list[tuple[Label, int]]] = {}
    ranks = schedule.rank_of_action
    for index in np.flatnonzero(schedule.kind == Kind.REDUCE).tolist():
        action = schedule.action(index)
        if action.microbatch >= 0:
            label = Label(Kind.REDUCE, action.stage, action.microbatch, action.pipeline)
            found.setdefault(action.microbatch, []).append((label, int(ranks[index])))
    return found
