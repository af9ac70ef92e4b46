"""Training loops as somebody else might write them, recorded: all ranks in one process.

A loop follows the order of a schedule in slots, so that no message is needed: what a stage makes
lies in a dictionary until the next one takes it. Stages, optimizers and stashes are real, and
`bug` puts a real fault into them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from gpu_validation.prediction import computations
from gpu_validation.recorder import Recorder
from schedules import Kind, Schedule, build, timeline
from schedules.versions import update_after

Make = Callable[[Any], torch.optim.Optimizer]


def adamw(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, lr=1e-2)


def stage_module(width: int = 8) -> nn.Module:
    return nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width))


@contextmanager
def put_back(weights: Sequence[Tensor], stash: Sequence[Tensor]) -> Iterator[None]:
    """Let weights lie where a stash does."""
    lay = [weight.data for weight in weights]
    for weight, old in zip(weights, stash, strict=True):
        weight.data = old
    yield
    for weight, new in zip(weights, lay, strict=True):
        weight.data = new


class OwnLoop:
    """A hand-written loop with stashing: B uses a clone of what F read.

    Parameters
    ----------
    bug : str
        ``newest``: B uses the newest weights; ``alias``: the stash holds the live tensors;
        ``skip``: a step of stage 1 is left out; ``bare``: weights are written to beside the
        optimizer; ``data``: the stash is written to past autograd; ``past``: so are the weights,
        before an update; ``old``, ``old data``: an update finds the weights of its backward;
        ``put back``: forwards use the live weights, and backwards put a stash into their place,
        while the graph holds what the optimizer wrote to (past autograd, as fused ones do).
    """

    def __init__(
        self,
        schedule: Schedule,
        folder: Path,
        *,
        bug: str | None = None,
        make: Make = adamw,
        module: Callable[[], nn.Module] = stage_module,
        stamps: bool = False,
        at: int = 2,
        part: int = 1,
    ) -> None:
        torch.manual_seed(0)
        self.schedule, self.bug, self.stamps, self.at = computations(schedule), bug, stamps, at
        S = schedule.stages
        self.modules = [module() for _ in range(S)]
        self.optimizers = [make(module.parameters()) for module in self.modules]
        self.recorders = [
            Recorder(
                folder, rank=rank, ranks=schedule.ranks, microbatches=schedule.microbatches,
                policy=schedule.policy.name, run=7, stamps=stamps, part=part,
            )
            for rank in range(schedule.ranks)
        ]  # fmt: skip
        self.stash: dict[tuple[int, int], Mapping[str, Tensor]] = {}
        self.clones: dict[tuple[int, int], AbstractContextManager[None]] = {}
        self.graphs: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}
        self.sent: dict[tuple[str, int, int], Tensor] = {}
        self.stamped: dict[tuple[str, int, int], Tensor] = {}

    def run(self) -> None:
        """Do every action of the schedule, and the updates that its policy asks for."""
        order, line, marks = self.schedule, timeline(self.schedule), update_after(self.schedule)
        rank_of = order.rank_of_action.tolist()
        indices = range(len(order))
        for index in sorted(indices, key=lambda i: (line.start[i], line.end[i])):
            action = order.action(index)
            recorder = self.recorders[rank_of[index]]
            stage, m = action.stage, action.microbatch
            if action.kind is Kind.F:
                self.forward(recorder, stage, m)
            else:
                self.backward(recorder, stage, m)
            if marks[index]:
                self.update(recorder, stage, m)
        for recorder in self.recorders:
            recorder.close()

    def weights(self, stage: int, m: int) -> Mapping[str, Tensor]:
        live = dict(self.modules[stage].named_parameters())
        if self.bug in ("alias", "newest", "put back"):
            return live
        return {name: w.detach().clone().requires_grad_() for name, w in live.items()}

    def forward(self, recorder: Recorder, stage: int, m: int) -> None:
        used = self.stash[stage, m] = self.weights(stage, m)
        clones = [weight.detach().clone() for weight in used.values()]
        if self.bug == "put back":
            self.clones[stage, m] = put_back(list(used.values()), clones)
        given = self.sent.pop(("F", stage, m), torch.ones(2, 8) * (m + 1))
        self.arrives(recorder, "F", stage, m)
        given = given.detach().requires_grad_(stage > 0)
        with recorder.forward(stage, m, used):
            made = functional_call(self.modules[stage], dict(used), (given,))
        self.graphs[stage, m] = given, made
        self.sent["F", stage + 1, m] = made
        if stage + 1 < self.schedule.stages:
            self.leaves(recorder, "F", stage, stage + 1, m)

    def backward(self, recorder: Recorder, stage: int, m: int) -> None:
        given, made = self.graphs.pop((stage, m))
        used = self.stash.pop((stage, m))
        gradient = self.sent.pop(("B", stage, m), torch.ones_like(made))
        self.arrives(recorder, "B", stage, m)
        if self.bug == "data" and (stage, m) == (0, self.at):
            next(iter(used.values())).data.mul_(1.5)
        if self.bug in ("newest", "alias"):
            # The graph of the forward is useless once its weights were written to: a loop with
            # this fault computes the stage anew.
            used = dict(self.modules[stage].named_parameters())
            made = functional_call(self.modules[stage], dict(used), (given,))
        with self.clones.pop((stage, m), nullcontext()), recorder.backward(stage, m, used):
            wanted = [*used.values(), *([given] if stage else [])]
            found = torch.autograd.grad(made, wanted, gradient)
        self.used = list(used.values())
        live = self.modules[stage].named_parameters()
        for (_, parameter), grad in zip(live, found, strict=False):
            parameter.grad = grad if parameter.grad is None else parameter.grad + grad
        if stage:
            self.sent["B", stage - 1, m] = found[-1]
            self.leaves(recorder, "B", stage, stage - 1, m)

    def update(self, recorder: Recorder, stage: int, m: int) -> None:
        if self.bug == "skip" and (stage, m) == (1, self.at):
            return
        for live, old in zip(self.modules[stage].parameters(), self.used, strict=True):
            if self.bug == "past" and (stage, m) == (1, self.at):
                live.data.mul_(0.5)
            elif self.bug == "old":
                live.detach().copy_(old.detach())
            elif self.bug == "old data":
                live.data = old.detach().clone()
        with recorder.update(stage, m, self.modules[stage]):
            self.optimizers[stage].step()
            self.optimizers[stage].zero_grad()
        if self.bug == "bare" and (stage, m) == (1, self.at):
            with torch.no_grad():
                next(self.modules[stage].parameters()).mul_(0.5)

    def leaves(self, recorder: Recorder, kind: str, stage: int, to: int, m: int) -> None:
        rank = int(self.schedule.placement.ranks[0][to])
        if self.stamps and rank != recorder.rank:
            self.stamped[kind, to, m] = recorder.stamp(to=rank)

    def arrives(self, recorder: Recorder, kind: str, stage: int, m: int) -> None:
        if (kind, stage, m) in self.stamped:
            recorder.received(self.stamped.pop((kind, stage, m)))


def two_chunks(folder: Path, bug: str | None = None, hooks: bool = False) -> Schedule:
    """Two steps of interleaved 1F1B as it is usually written; returns what it should have done.

    Weights are the modules' own, gradients add up in them under autocast, are clipped, and one
    optimizer of a process has both of its chunks. With `hooks` nothing but `attach` records.

    Parameters
    ----------
    bug : str
        All of process 1: ``again``: gradients are not zeroed after the first step; ``double``: the
        second step is made twice; ``tied``: something else writes into weights before it.
    """
    torch.manual_seed(0)
    schedule = build("interleaved-1f1b", 2, 4, chunks=2)
    ranks = schedule.placement.ranks[0]
    modules = [stage_module() for _ in ranks]
    recorders = [Recorder(folder, rank=r, ranks=2, microbatches=4, run=7) for r in (0, 1)]
    mine = [[stage for stage, rank in enumerate(ranks) if rank == r] for r in (0, 1)]
    weights = [[w for stage in stages for w in modules[stage].parameters()] for stages in mine]
    optimizers = [torch.optim.AdamW(parameters) for parameters in weights]
    for stage, rank in enumerate(ranks) if hooks else ():
        recorders[rank].attach(modules[stage], optimizers[rank], stage=stage)
    line, rank_of = timeline(schedule), schedule.rank_of_action.tolist()
    order = sorted(range(len(schedule)), key=lambda i: (line.start[i], line.end[i]))
    for step in range(2):
        sent: dict[tuple[str, int, int], Tensor] = {}
        graphs: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}
        for recorder in recorders:
            recorder.next_step()
        for action, rank in ((schedule.action(i), rank_of[i]) for i in order):
            where, recorder = (action.stage, action.microbatch), recorders[rank]
            block = recorder.forward if action.kind is Kind.F else recorder.backward
            with nullcontext() if hooks else block(*where, modules[action.stage]):
                if action.kind is Kind.F:
                    x = sent.get(("F", *where), torch.ones(2, 8)).detach().requires_grad_()
                    with torch.autocast("cpu", torch.bfloat16):
                        y = modules[action.stage](x)
                    graphs[where], sent["F", where[0] + 1, where[1]] = (x, y), y
                else:
                    x, y = graphs[where]
                    torch.autograd.backward(y, sent.get(("B", *where), torch.ones_like(y)))
                    assert x.grad is not None
                    sent["B", where[0] - 1, where[1]] = x.grad.to(torch.bfloat16)
        for rank, recorder in enumerate(recorders):
            torch.nn.utils.clip_grad_norm_(weights[rank], 1.0)
            wrong = bug if rank else None
            if (wrong, step) == ("tied", 1):
                weights[1][0].detach().copy_(weights[1][4].detach())
            with ExitStack() as stack:
                for stage in () if hooks else mine[rank]:
                    stack.enter_context(recorder.update(stage, 3, modules[stage]))
                for _ in range(2 if (wrong, step) == ("double", 1) else 1):
                    optimizers[rank].step()
            if wrong != "again":
                optimizers[rank].zero_grad()
    for recorder in recorders:
        recorder.close()
    return schedule
