"""What the arguments of a measurement ask for: a schedule, and how to run it."""

from __future__ import annotations

import dataclasses
import os
import re
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from gpu_validation.options import MODELS, OPTIMIZERS, shown
from schedules.errors import ParameterError
from schedules.policies import POLICY_NAMES, WeightPolicy

if TYPE_CHECKING:
    from gpu_validation.models import ModelSpec
    from gpu_validation.optimizers import OptimizerSpec
    from gpu_validation.spec import RunSpec
    from schedules.schedule import Schedule

MICROBATCHES_PER_RANK: Final = 4
"""M = 4p unless it is given, as in every other command."""

MOST_THREADS: Final = 1024

_RUN_ONLY: Final = (
    "transport", "device", "share_gpus", "o", "repeats", "profile", "jitter", "timeout",
    "tolerance", "hashing", "no_replay", "no_broken_runs",
)  # fmt: skip
_MODEL_ONLY: Final = (
    "model", "module", "width", "depth", "batch", "length", "optimizer", "lr", "momentum",
    "weight_decay", "seed",
)  # fmt: skip


def refuse_what_would_be_ignored(arguments: Namespace) -> None:
    """Refuse options that the others give no meaning.

    Raises `ParameterError`: with the first of them.
    """
    predicts = arguments.policy == "predict"
    for option, asked, belongs in (
        ("--interval", arguments.interval, arguments.policy is not None or "--policy"),
        ("--horizon", arguments.horizon, predicts or "--policy predict"),
        ("--against", arguments.against, arguments.check is not None or "--check"),
        ("--require", arguments.require, arguments.check is not None or "--check"),
        ("--replay", arguments.replay, arguments.check is not None or "--check"),
        ("--model", arguments.model, arguments.module is None or "runs without --module"),
    ):
        if asked is not None and belongs is not True:
            raise ParameterError(
                f"it belongs to {belongs}; here it says nothing", option, "drop it"
            )
    if arguments.check is None:
        return
    without = _RUN_ONLY if arguments.replay else _RUN_ONLY + _MODEL_ONLY
    for name in without:
        if getattr(arguments, name) is not None:
            option = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
            raise ParameterError(
                "nothing is run with --check, so it says nothing", option, "drop it"
            )


def require_torch() -> None:
    """Refuse to go on where torch cannot be loaded.

    Raises `CapacityError`: it is not installed, or its libraries do not load.
    """
    from gpu_validation.errors import CapacityError

    try:
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CapacityError(
            f"measuring needs torch 2.6 or newer, which cannot be loaded here ({reason})",
            "torch",
            "install it, for example with `pip install torch`",
        ) from None


def schedule_of(arguments: Namespace) -> Schedule:
    """Read a file, or generate a family.

    Raises `ScheduleError`: there is no such family or file, or a parameter lies outside its domain.
    """
    from schedules.families import FAMILIES, build, get_family, is_family_file
    from schedules.formats import format_of_name, read_document

    target, policy = _named(arguments), _policy(arguments)
    like_a_file = os.sep in target or format_of_name(target) is not None or os.path.isfile(target)
    if like_a_file and target not in FAMILIES and not is_family_file(target):
        for option, given in (("-p", arguments.p), ("--set", arguments.set or None)):
            if given is not None:
                raise ParameterError(
                    "it describes a family, and a file was named", option, "drop it"
                )
        return read_document(target, None, arguments.m, policy).schedule
    get_family(target)
    if arguments.p is None:
        raise ParameterError(
            f"the number of ranks is needed to build {target}", "-p", "add -p RANKS"
        )
    microbatches = arguments.m or MICROBATCHES_PER_RANK * arguments.p
    schedule = build(target, arguments.p, microbatches, **_parameters(arguments.set))
    return schedule if policy is None else dataclasses.replace(schedule, policy=policy)


def _named(arguments: Namespace) -> str:
    """The family or file, which is named once."""
    named = [name for name in (arguments.schedule, arguments.against) if name is not None]
    if len(named) != 1:
        raise ParameterError(
            f"one schedule is named, found {' and '.join(map(repr, named)) or 'none'}",
            "FAMILY|FILE",
            "name a family or a file, with --check by --against",
        )
    return str(named[0])


def _parameters(pairs: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*=-?[0-9]{1,18}", pair):
            raise ParameterError(
                f"name=value is needed, with a whole number; found {shown(pair)}",
                "--set",
                "write it as noam=4",
            )
        if name in found:
            raise ParameterError(f"{name} is given twice", "--set", "give it once")
        found[name] = int(value)
    return found


def _policy(arguments: Namespace) -> WeightPolicy | None:
    if arguments.policy is None:
        return None
    for name in POLICY_NAMES:
        if name == arguments.policy:
            return WeightPolicy(name, arguments.interval or 1, arguments.horizon or 0)
    raise ParameterError(
        f"a weight policy is one of {', '.join(POLICY_NAMES)}, not {shown(arguments.policy)}",
        "--policy",
        "name one of them",
    )


def spec_of(arguments: Namespace, schedule: Schedule) -> RunSpec:
    """What to run.

    Raises `SpecError`: a name that does not exist, or a number outside its domain.
    """
    from gpu_validation.spec import RunSpec

    names = (
        "transport", "device", "share_gpus", "order", "hashing", "jitter", "timeout", "seed",
    )  # fmt: skip
    model, optimizer = _model(arguments), _optimizer(arguments)
    spec = RunSpec(schedule, model=model, optimizer=optimizer, **_given(arguments, names))
    _require_few_threads(spec)
    return spec


def _require_few_threads(spec: RunSpec) -> None:
    """Refuse more threads than one process takes."""
    if spec.transport == "threads" and spec.schedule.ranks > MOST_THREADS:
        raise ParameterError(
            f"at most {MOST_THREADS} ranks run as threads of one process, found "
            f"p = {spec.schedule.ranks}",
            "-p",
            f"take {MOST_THREADS} or fewer, or spread them over machines with --transport nccl",
        )


def _model(arguments: Namespace) -> ModelSpec:
    from gpu_validation.models import ModelSpec

    sizes = _given(arguments, ("width", "depth", "batch", "length", "seed"))
    return ModelSpec(arguments.module or arguments.model or MODELS[0], **sizes)


def _optimizer(arguments: Namespace) -> OptimizerSpec:
    from gpu_validation.optimizers import OptimizerSpec

    numbers = _given(arguments, ("lr", "momentum", "weight_decay"))
    return OptimizerSpec(arguments.optimizer or OPTIMIZERS[0], **numbers)


def _given(arguments: Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Those of some options that were given."""
    values = {name: getattr(arguments, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}
