"""What `Recorder` costs a training loop of one's own; ratios of neighbouring steps in one process.

Run with ``python -m benchmarks.own_loop``; it needs torch.
"""

from __future__ import annotations

import statistics
import tempfile
from contextlib import AbstractContextManager, nullcontext
from time import process_time
from typing import Any, Final

import torch
from torch import nn

from benchmarks.measure import CELLS, Sample, main, table, timed
from gpu_validation.recorder import Fingerprint, Recorder

WIDTH, LAYERS = 1000, 10
SAMPLES: Final = (64, 256, 1024)
PAIRS: Final = 15
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
        rec = Recorder(folder, rank=0, ranks=1, microbatches=10_000)
        for samples in SAMPLES:
            x = torch.randn(samples, WIDTH)
            times: dict[bool, list[float]] = {True: [], False: []}
            loop.step(x, rec, m)
            for pair in range(PAIRS):
                # Which of the two comes first changes, so that a drift of the machine hits both.
                for on in (True, False) if pair % 2 else (False, True):
                    m += 1
                    times[on].append(seconds(loop, x, rec if on else None, m))
            ratios = [on / off - 1 for on, off in zip(times[True], times[False], strict=True)]
            rows.append(
                (
                    str(samples),
                    *Sample(tuple(times[False])).cells(),
                    f"{100 * statistics.median(ratios):+.1f} %",
                    f"{100 * min(ratios):+.1f} … {100 * max(ratios):+.1f} %",
                    f"{100 * (min(times[True]) / min(times[False]) - 1):+.1f} %",
                )
            )
        rec.close()
    columns = ("samples", *CELLS, "recorded", "from … to", "fastest against fastest")
    alone = timed(lambda: [Fingerprint(p) for p in loop.module.parameters()], RUNS)
    return (
        f"One stage of {count / 1e6:.1f} million weights ({LAYERS} linear layers of {WIDTH} × "
        f"{WIDTH}), AdamW, one thread. A step is forward, backward and update, in processor time; "
        f"recorded against not recorded in {PAIRS} pairs. Three blocks a step read all weights; "
        f"one reading takes {1000 * alone.median:.2f} ms (from {1000 * min(alone.seconds):.2f} to "
        f"{1000 * max(alone.seconds):.2f}).\n\n{table(columns, rows)}"
    )


def sections() -> list[str]:
    torch.set_num_threads(1)
    return [f"torch {torch.__version__}", f"### Recording a loop of one's own\n\n{recording()}"]


if __name__ == "__main__":
    main(__doc__ or "", sections)
