"""A hand-written asynchronous 1F1B (PipeDream) with AdamW and weight stashing, recorded.

One stage a process, on gloo:

    torchrun --nproc-per-node 3 examples/own_training/pipedream_gloo.py -o logs
    staleproof measure --check logs --against pipedream-runtime -p 3 -m 8

A forward keeps its input and a copy of the weights; its backward computes the stage anew with
that copy. Each --bug is one that such loops have had; all of them train, and none raises:

    newest  the backward computes the stage anew with the newest weights
    alias   the stash holds the live tensors, which the optimizer writes into
    skip    stage 1 leaves out a step, as a loss scaler does after an overflow

The lines with `rec` are all that recording needs.
"""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.func import functional_call

from gpu_validation import Recorder  # or: copy gpu_validation/recorder.py beside this file

MICROBATCHES, BATCH, WIDTH = 8, 16, 32


class Pipeline:
    """One rank: its stage, its optimizer, and what its forwards leave for their backwards."""

    def __init__(self, folder: str, bug: str | None) -> None:
        self.stage, self.stages, self.bug = dist.get_rank(), dist.get_world_size(), bug
        self.last = self.stage == self.stages - 1
        torch.manual_seed(self.stage)
        self.module = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))
        self.optimizer = torch.optim.AdamW(self.module.parameters(), lr=1e-2)
        self.kept: dict[int, tuple[Tensor, dict[str, Tensor]]] = {}
        self.sending: list[tuple[dist.Work, Tensor]] = []
        self.rec = Recorder(folder, microbatches=MICROBATCHES, policy="stash", stamps=True)

    def run(self) -> None:
        """As many forwards ahead as there are stages behind; then one backward, one forward."""
        ahead = min(self.stages - self.stage, MICROBATCHES)
        for m in range(ahead):
            self.forward(m)
        for m in range(MICROBATCHES):
            self.backward(m)
            if m + ahead < MICROBATCHES:
                self.forward(m + ahead)
        for work, _ in self.sending:
            work.wait()
        self.rec.close()

    def forward(self, m: int) -> None:
        if self.stage == 0:
            x = torch.randn(BATCH, WIDTH, generator=torch.Generator().manual_seed(m))
        else:
            x = self.receive(self.stage - 1)
        weights = self.stash()
        with self.rec.forward(stage=self.stage, microbatch=m, weights=weights), torch.no_grad():
            y = functional_call(self.module, weights, (x,))
        self.kept[m] = x, weights
        if not self.last:
            self.send(y, self.stage + 1)

    def stash(self) -> dict[str, Tensor]:
        live = dict(self.module.named_parameters())
        if self.bug == "alias":
            return dict(live)  # A new dictionary, with the tensors that the optimizer writes into.
        return {name: tensor.detach().clone().requires_grad_() for name, tensor in live.items()}

    def backward(self, m: int) -> None:
        gradient = None if self.last else self.receive(self.stage + 1)
        x, weights = self.kept.pop(m)
        if self.bug == "newest":
            weights = dict(self.module.named_parameters())
        x = x.requires_grad_()
        with self.rec.backward(stage=self.stage, microbatch=m, weights=weights):
            y = functional_call(self.module, weights, (x,))
            made = y.square().mean() if self.last else y
            found = torch.autograd.grad(made, [x, *weights.values()], gradient)
        if self.stage:
            self.send(found[0], self.stage - 1)
        for parameter, grad in zip(self.module.parameters(), found[1:], strict=True):
            parameter.grad = grad
        if self.bug == "skip" and (self.stage, m) == (1, 3):
            return
        with self.rec.update(stage=self.stage, microbatch=m, weights=self.module):
            self.optimizer.step()

    def send(self, tensor: Tensor, to: int) -> None:
        for part in (tensor.contiguous(), self.rec.stamp(to)):
            self.sending.append((dist.isend(part, to), part))

    def receive(self, source: int) -> Tensor:
        tensor, stamp = torch.empty(BATCH, WIDTH), torch.empty(3, dtype=torch.int64)
        dist.recv(tensor, source)
        dist.recv(stamp, source)
        self.rec.received(stamp)
        return tensor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", metavar="DIR", required=True, help="where the logs go")
    parser.add_argument("--bug", choices=["newest", "alias", "skip"])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    Pipeline(arguments.o, arguments.bug).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
