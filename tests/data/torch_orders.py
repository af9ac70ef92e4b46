"""Write the orders of PyTorch's schedule classes in several versions to `torch_orders.json`.

python torch_orders.py FOLDER: FOLDER/VERSION holds `torch/distributed/pipelining` of that version's
wheel (`pip download --no-deps torch==VERSION`, any platform; `unzip WHEEL
'torch/distributed/pipelining/*'`). Its `schedules.py` is run on the PyTorch that is installed.
Names that it imports and this one lacks are empty: its constructors compute orders and use none of
them, or this script stops.

An order stands there once, with the versions that state it, for 4 ranks and 8 microbatches:
`compute` is what the object holds, or null; `comms` is what it holds, or what `_add_send_recv` of
that version makes of `compute`, which `passed` says, or null if that fails; `loop` is what the loop
of a class of one stage calls, with batches of messages in brackets.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from schedules.adapters.torch_schedules import CLASSES, StandIn, TorchClass

PACKAGE = "torch.distributed.pipelining"
RANKS, MICROBATCHES = 4, 8


def load(folder: Path) -> ModuleType:
    """`schedules.py` of that folder, on the installed PyTorch."""
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    package = ModuleType(PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE] = package
    while True:
        try:
            return importlib.import_module(f"{PACKAGE}.schedules")
        except ModuleNotFoundError as error:
            sys.modules[str(error.name)] = ModuleType(str(error.name))
        except ImportError as error:
            found = re.findall(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
            [(name, module)] = found
            setattr(importlib.import_module(module), name, type(name, (), {}))


def nothing(*_: Any, **__: Any) -> None:
    """What a loop calls and no order depends on."""


class Recording(StandIn):
    """A stage that writes down what a loop of one stage calls."""

    def __init__(self, stages: int, rank: int) -> None:
        super().__init__(stages, stages, rank)
        self.stage_index = rank
        self.calls: list[str] = []
        self.is_first, self.is_last = rank == 0, rank == stages - 1
        self.get_fwd_recv_ops = lambda m: [] if self.is_first else [f"{rank}RECV_F{m}"]
        self.get_fwd_send_ops = lambda m: [] if self.is_last else [f"{rank}SEND_F{m}"]
        self.get_bwd_recv_ops = lambda m: [] if self.is_last else [f"{rank}RECV_B{m}"]
        self.get_bwd_send_ops = lambda m: [] if self.is_first else [f"{rank}SEND_B{m}"]
        self.forward_one_chunk = lambda m, *_, **__: self.calls.append(f"{rank}F{m}")
        self.backward_one_chunk = lambda m, **_: self.calls.append(f"{rank}B{m}")
        self.clear_runtime_states = self.scale_grads = self.perform_reduce_grad = nothing


@dataclass
class Work:
    """A batch of messages that was posted: whoever waits for it waits for its sends."""

    ops: list[str]
    calls: list[str]

    def wait(self) -> None:
        sends = [op for op in self.ops if "SEND" in op]
        self.calls.extend(op.replace("SEND", "WAIT_SEND") for op in sends)
        self.ops = []


def wait(*given: Any) -> None:
    """Wait for whatever works are among the arguments, in lists or not."""
    for work in given:
        if isinstance(work, list):
            wait(*work)
        elif isinstance(work, Work):
            work.wait()


def loop(module: Any, name: str) -> list[str]:
    """What every rank of a class of one stage calls, batches of messages in brackets."""
    module.record_function = lambda _: nullcontext()
    module._wait_batch_p2p = module._wait_and_release_fwd_send = wait
    rows = []
    for rank in range(RANKS):
        stage = Recording(RANKS, rank)

        def post(ops: list[str], calls: list[Any] = stage.calls, **_: object) -> Any:
            calls.extend([f"[{' '.join(ops)}]"] if ops else [])
            return Work(list(ops), calls)

        module._batch_p2p = post
        module._sorted_batch_p2p = lambda ops, desc="", post=post: {0: post(ops)}
        schedule = getattr(module, name)(stage, MICROBATCHES)
        for hook in ("_initialize_stage", "_maybe_compute_loss", "_maybe_get_loss"):
            setattr(schedule, hook, nothing)
        schedule._update_losses, schedule._has_backward = nothing, True
        schedule._check_inputs = lambda *_: ([None] * MICROBATCHES,) * 2
        schedule._stage_initialized = schedule._stage_forward_initialized = True
        schedule._step_microbatches()
        rows.append(" ".join(stage.calls))
    return rows


def row(actions: list[Any]) -> str:
    """A line of the CSV."""
    return ",".join("" if action is None else str(action) for action in actions)


def orders(module: Any, found: TorchClass) -> dict[str, Any]:
    """The orders of one class."""
    stages = [StandIn(RANKS * found.chunks, RANKS) for _ in range(found.chunks)]
    made = getattr(module, found.name)(stages[0] if found.single else stages, MICROBATCHES)
    compute = getattr(made, "pipeline_order", None)
    stated = comms = getattr(made, "pipeline_order_with_comms", None)
    if comms is None and compute is not None:
        cells = ((rank, cell) for rank, line in compute.items() for cell in line if cell)
        where = {cell.stage_index: rank for rank, cell in cells}
        rows = {rank: [cell for cell in line if cell] for rank, line in compute.items()}
        with suppress(AssertionError):  # it does not get through an order that is wrong
            comms = module._add_send_recv(rows, where.__getitem__, RANKS * found.chunks)
    return {
        "compute": compute and [row(compute[rank]) for rank in range(RANKS)],
        "comms": comms and [row(comms[rank]) for rank in range(RANKS)],
        "passed": stated is None and compute is not None,
    }


def stated(module: Any) -> Iterator[dict[str, Any]]:
    """All that one version says."""
    for family, found in CLASSES.items():
        if hasattr(module, found.name):
            yield {"family": family} | orders(module, found)
            if found.single:
                yield {"family": family, "loop": loop(module, found.name)}


def main(folder: Path) -> None:
    distinct: dict[str, dict[str, Any]] = {}
    for version in sorted(folder.iterdir(), key=lambda at: [*map(int, at.name.split("."))]):
        for entry in stated(load(version / "torch/distributed/pipelining")):
            entry = distinct.setdefault(json.dumps(entry), {"versions": []} | entry)
            entry["versions"].append(".".join(version.name.split(".")[:2]))
    lines = ",\n".join(json.dumps(entry) for entry in distinct.values())
    Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
