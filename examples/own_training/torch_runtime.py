"""PyTorch's own pipeline runtime (`torch.distributed.pipelining`), recorded by hooks.

    torchrun --nproc-per-node 2 examples/own_training/torch_runtime.py -o logs
    staleproof measure --check logs --against 1f1b -p 2 -m 4

`--schedule` takes other names of PyTorch's; judge them as

    GPipe                     gpipe
    1F1B                      1f1b
    Interleaved1F1B           interleaved-1f1b --set chunks=2
    LoopedBFS                 looped-bfs --set chunks=2
    InterleavedZeroBubble     interleaved-zero-bubble --set chunks=2
    ZBVZeroBubble             zbv

One line records all of it: ``rec.attach(schedule, optimizer)``. With ``--profile DIR`` traces of
the profiler go there as well; they show order and times without a line, and no versions:

    staleproof measure --check DIR --against interleaved-zero-bubble -p 2 -m 4 --set chunks=2
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import PipelineScheduleSingle, get_schedule_class

from gpu_validation import Recorder

MICROBATCHES, STEPS, BATCH, WIDTH = 4, 2, 4, 32


def stages_of(rank: int, ranks: int, name: str, single: bool) -> list[int]:
    """One stage a rank, or two: the V of ZBV, or one loop behind the other."""
    if single:
        return [rank]
    return [rank, 2 * ranks - 1 - rank if name.startswith("ZBV") else ranks + rank]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", metavar="DIR", required=True, help="where the logs go")
    parser.add_argument("--schedule", default="1F1B", help="a name of PyTorch's (1F1B)")
    parser.add_argument("--profile", metavar="DIR", help="where traces of torch.profiler go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()

    kind = get_schedule_class(arguments.schedule)
    single = issubclass(kind, PipelineScheduleSingle)
    numbers = stages_of(rank, ranks, arguments.schedule, single)
    count = ranks * len(numbers)
    torch.manual_seed(0)
    modules = [nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()) for _ in range(count)]
    mine = [PipelineStage(modules[s], s, count, torch.device("cpu")) for s in numbers]
    schedule = kind(mine[0] if single else mine, MICROBATCHES, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.AdamW([p for s in numbers for p in modules[s].parameters()], lr=1e-2)

    rec = Recorder(arguments.o, microbatches=MICROBATCHES, policy="flush")
    rec.attach(schedule, optimizer)

    profiler = torch.profiler.profile() if arguments.profile else nullcontext()
    with profiler as profile:
        for step in range(STEPS):
            data = torch.Generator().manual_seed(step)
            x = torch.randn(BATCH * MICROBATCHES, WIDTH, generator=data)
            target = {"target": torch.tanh(x)} if count - 1 in numbers else {}
            schedule.step(*([x] if 0 in numbers else []), **target)
            optimizer.step()
            optimizer.zero_grad()
    if profile is not None:
        folder = Path(arguments.profile)
        folder.mkdir(parents=True, exist_ok=True)
        profile.export_chrome_trace(str(folder / f"rank{rank}.json"))
    rec.close()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
