"""What `Recorder` costs a training loop of one's own; ratios of neighbouring steps in one process.

Run with ``python -m benchmarks.own_loop``; it needs torch.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from time import process_time
from typing import Any, Final

import torch
from torch import nn
from torch.func import functional_call

from benchmarks.measure import CELLS, Sample, main, table, timed
from gpu_validation.recorder import Fingerprint, Recorder

WIDTH, LAYERS = 1000, 10
SAMPLES: Final = (64, 256, 1024)
PARTS: Final = (1, 16)
SHAPES: Final = ((64, 10), (256, 24), (1000, 10))
FEW: Final = 64
OFF: Final = 0
TURNS: Final = 25
RUNS: Final = 15


class Loop:
    """A stage of 10 million weights with AdamW: forward, backward, update."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        layers = [nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()) for _ in range(LAYERS)]
        self.module = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.module.parameters())

    def step(self, x: torch.Tensor, rec: Recorder | None, m: int) -> None:
        with self.around(rec, "forward", m):
            loss = self.module(x).square().mean()
        with self.around(rec, "backward", m):
            loss.backward()
        with self.around(rec, "update", m):
            self.optimizer.step()
        self.optimizer.zero_grad()

    def around(self, rec: Recorder | None, what: str, m: int) -> AbstractContextManager[Any]:
        if rec is None:
            return nullcontext()
        found: AbstractContextManager[Any] = getattr(rec, what)(0, m, self.module)
        return found


def seconds(loop: Loop, x: torch.Tensor, rec: Recorder | None, m: int) -> float:
    start = process_time()
    loop.step(x, rec, m)
    return process_time() - start


def recording() -> str:
    loop, rows, m = Loop(), [], 0
    count = sum(parameter.numel() for parameter in loop.module.parameters())
    with tempfile.TemporaryDirectory() as folder:
        recorders: dict[int, Recorder | None] = {
            part: Recorder(f"{folder}/{part}", rank=0, ranks=1, microbatches=10_000, part=part)
            for part in PARTS
        }
        recorders[OFF] = None
        for samples in SAMPLES:
            x = torch.randn(samples, WIDTH)
            times: dict[int, list[float]] = {part: [] for part in recorders}
            for turn in range(TURNS + 1):
                # Which comes first changes, so that a drift of the machine hits all alike.
                for part in list(recorders)[:: 1 if turn % 2 else -1]:
                    m += 1
                    taken = seconds(loop, x, recorders[part], m)
                    if turn:
                        times[part].append(taken)
            rows += [
                (str(samples), _read(part), *_compared(times[part], times[OFF])) for part in PARTS
            ]
        for recorder in filter(None, recorders.values()):
            recorder.close()
    columns = ("samples", "read", *CELLS, "recorded", "from … to", "fastest against fastest")
    alone = timed(lambda: [Fingerprint(p) for p in loop.module.parameters()], RUNS)
    return (
        f"One stage of {count / 1e6:.1f} million weights ({LAYERS} linear layers of {WIDTH} × "
        f"{WIDTH}), AdamW, one thread. A step is forward, backward and update, in processor time; "
        f"recorded against not recorded in {TURNS} turns. Reading all weights once takes "
        f"{1000 * alone.median:.2f} ms (from {1000 * min(alone.seconds):.2f} to "
        f"{1000 * max(alone.seconds):.2f}); a step has three blocks.\n\n{table(columns, rows)}"
    )


def watched() -> str:
    """Backwards of stashes an update old: every operation of theirs is looked at."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for width, layers in SHAPES:
            path = f"{folder}/{width}"
            with Recorder(path, rank=0, ranks=1, microbatches=10_000) as recorder:
                times: dict[bool, list[float]] = {True: [], False: []}
                for m in range(2 * TURNS + 2):
                    taken = stale(width, layers, recorder if m % 2 else None, m)
                    if m > 1:
                        times[bool(m % 2)].append(taken)
            more = statistics.median(times[True]) - statistics.median(times[False])
            rows.append((f"{layers} of {width}", *_compared(times[True], times[False])))
            rows[-1] = (*rows[-1], f"{1e6 * more / layers:.0f}")
    columns = ("layers", *CELLS, "recorded", "from … to", "fastest against fastest", "µs a layer")
    return (
        f"Linear layers, {FEW} samples: a backward of a stash that an update has replaced, with "
        f"the block around it and without, in {TURNS} turns.\n\n{table(columns, rows)}"
    )


def stale(width: int, layers: int, rec: Recorder | None, m: int) -> float:
    """Seconds that a backward of weights takes that were replaced since."""
    module = nn.Sequential(*(nn.Linear(width, width) for _ in range(layers)))
    stash = {n: w.detach().clone().requires_grad_() for n, w in module.named_parameters()}
    with nullcontext() if rec is None else rec.forward(m, m, stash):
        loss = functional_call(module, stash, (torch.randn(FEW, width),)).square().mean()
    with nullcontext() if rec is None else rec.update(m, m, module), torch.no_grad():
        for weight in module.parameters():
            weight.sub_(0.1)
    start = process_time()
    with nullcontext() if rec is None else rec.backward(m, m, stash):
        torch.autograd.grad(loss, [*stash.values()])
    return process_time() - start


def _read(part: int) -> str:
    return "all" if part == 1 else f"part={part}"


def _compared(on: Sequence[float], off: Sequence[float]) -> tuple[str, ...]:
    """Cells of a row: times without a recorder, and the ratios of neighbouring steps."""
    ratios = [one / other - 1 for one, other in zip(on, off, strict=True)]
    return (
        *Sample(tuple(off)).cells(),
        f"{100 * statistics.median(ratios):+.1f} %",
        f"{100 * min(ratios):+.1f} … {100 * max(ratios):+.1f} %",
        f"{100 * (min(on) / min(off) - 1):+.1f} %",
    )


def sections() -> list[str]:
    torch.set_num_threads(1)
    title = "### Recording a loop of one's own"
    return [f"torch {torch.__version__}", f"{title}\n\n{recording()}", watched()]


if __name__ == "__main__":
    main(__doc__ or "", sections)
