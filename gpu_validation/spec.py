"""What to run, and what a run leaves behind: plain data that travels between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpu_validation.errors import MeasureError, RankError, SpecError, require_one_of
from gpu_validation.event_log import Event
from gpu_validation.faults import Fault
from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.options import (
    DEVICES,
    HASHINGS,
    ORDERS,
    TRANSPORTS,
    Hashing,
    OrderPolicy,
)
from schedules.formats.trace import Trace
from schedules.schedule import Schedule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpu_validation.communication import RankProfile

CopyOfStage = tuple[int, int]
"""Stage and weight copy."""


@dataclass(frozen=True)
class RunSpec:
    """Everything that a run depends on.

    Attributes
    ----------
    schedule : Schedule
        Its sends and receives, if it has any, are left out: every rank sends what it has computed
        at once.
    transport : str
        One of `TRANSPORTS`.
    device : str
        One of `DEVICES`.
    share_gpus : bool
        Whether ranks that are processes may share a GPU. NCCL is then told that each of them is a
        host of its own, and goes over TCP.
    order : str
        ``static``: every rank follows its program. ``free-running``: every rank decides by the
        family's rule and by what has really arrived.
    hashing : str
        ``sampled``: at every update, and at every computation on each `SAMPLE`-th microbatch.
        ``full``: at every update and computation. ``off``: never.
    record : bool
        Whether events are kept; without them a run leaves weights only.
    profile : bool
        Whether the run goes under ``torch.profiler``, which disturbs its times.
    jitter : float
        Longest random pause before a computation, in seconds.
    seed : int
        Of the pauses. Weights and data depend on the model's own seed.
    timeout : float
        Seconds without progress after which a run is given up.

    Raises
    ------
    SpecError
        A name that does not exist, or a number outside its domain.
    """

    schedule: Schedule
    transport: str = "threads"
    device: str = "cpu"
    share_gpus: bool = False
    model: ModelSpec = field(default_factory=ModelSpec)
    optimizer: OptimizerSpec = field(default_factory=OptimizerSpec)
    order: OrderPolicy = "static"
    fault: Fault | None = None
    hashing: Hashing = "sampled"
    record: bool = True
    profile: bool = False
    jitter: float = 0.0
    seed: int = 0
    timeout: float = 60.0

    def __post_init__(self) -> None:
        require_one_of(self.transport, TRANSPORTS, "transport")
        require_one_of(self.device, DEVICES, "device")
        require_one_of(self.order, ORDERS, "order")
        require_one_of(self.hashing, HASHINGS, "hashing")
        if (self.transport, self.device) in (("gloo", "cuda"), ("nccl", "cpu")):
            raise SpecError(
                f"gloo connects CPUs and nccl GPUs, found {self.transport} with device "
                f"{self.device}",
                "transport",
                "use gloo with cpu, nccl with cuda, or threads with either",
            )
        if self.share_gpus and (self.device == "cpu" or self.transport == "threads"):
            raise SpecError(
                "ranks that share GPUs are processes, of nccl or torch with cuda, found "
                f"{self.transport} with device {self.device}",
                "share_gpus",
                "leave it out, or add --transport nccl --device cuda",
            )
        # A comparison with "not a number" is false, so that it is refused as well.
        if not 0 < self.timeout <= 1e6:
            raise SpecError(
                f"a time-out is a positive number of seconds up to 1e6, found {self.timeout!r}",
                "timeout",
                "give some seconds",
            )
        if not 0 <= self.jitter < self.timeout:
            raise SpecError(
                f"a pause lasts 0 or more seconds and less than the time-out of {self.timeout:g} "
                f"s, found {self.jitter!r}",
                "jitter",
                "shorten it",
            )


@dataclass(frozen=True)
class Memory:
    """Largest memory in use for a stage's weight copy, by purpose, in bytes.

    - `weights`: the newest version.
    - `stash`: other versions and extrapolated weights that were kept beside it.
    - `activations`: what forwards left for their backwards: most microbatches in flight, times what
      the first forward kept.
    - `optimizer`: state of the optimizer.
    - `versions`: most versions that existed at a time, the newest included.
    """

    weights: int = 0
    stash: int = 0
    activations: int = 0
    optimizer: int = 0
    versions: int = 1


@dataclass(frozen=True)
class RankOutcome:
    """What one rank leaves behind: plain data that can be pickled.

    - `weights`: (stage, copy) → name → values, on the host; empty if the rank did not finish.
    - `memory`: (stage, copy) → `Memory`.
    - `losses`: microbatch → loss, where the rank holds the last stage.
    - `device_peak`: most bytes that the device's allocator handed out during the run, 0 on a CPU.
    - `seconds`: from the first action to the end of the last one.
    - `cpu_seconds`: time that a processor spent on it.
    - `profile`: if the rank is a process and was profiled.
    """

    rank: int
    events: tuple[Event, ...] = ()
    weights: Mapping[CopyOfStage, Mapping[str, NDArray[np.generic]]] = field(default_factory=dict)
    memory: Mapping[CopyOfStage, Memory] = field(default_factory=dict)
    losses: Mapping[int, float] = field(default_factory=dict)
    device_peak: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    profile: RankProfile | None = None


@dataclass(frozen=True)
class Launched:
    """What a transport returns: an outcome a rank, partial ones where `failure` is set."""

    outcomes: tuple[RankOutcome, ...]
    failure: RankError | None = None


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run leaves behind.

    Attributes
    ----------
    trace : Trace
        The log; its schedule is what was executed.
    weights : mapping
        Final weights: (stage, copy) → name → values.
    digests : mapping
        (stage, copy) → content hash of the final weights.
    memory : mapping
        (stage, copy) → `Memory`.
    losses : tuple of float or None
        By microbatch; None where it was not reached.
    device_peak : int
        Most bytes that a device's allocator handed out.
    seconds, cpu_seconds : float
        Time of the slowest rank, start-up excluded, and of the one that keeps a processor busy
        longest.
    profiles : tuple of RankProfile
        Of the ranks that were profiled.
    unwritten : MeasureError or None
        Why the log could not be written, where it was to be.
    """

    spec: RunSpec
    trace: Trace
    weights: Mapping[CopyOfStage, Mapping[str, NDArray[np.generic]]]
    digests: Mapping[CopyOfStage, str]
    memory: Mapping[CopyOfStage, Memory]
    losses: tuple[float | None, ...]
    device_peak: int
    seconds: float
    cpu_seconds: float = 0.0
    profiles: tuple[RankProfile, ...] = ()
    unwritten: MeasureError | None = None
