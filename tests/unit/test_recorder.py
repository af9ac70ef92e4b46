"""`Recorder` alone: what it writes of one rank, whatever the optimizer, layout and precision."""

from __future__ import annotations

import ast
import copy
import json
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.utils import parametrize
from torch.utils.checkpoint import checkpoint

from gpu_validation import recorder as recorder_file
from gpu_validation.recorder import Fingerprint, Recorder, RecorderError, tensors_of

Events = list[dict[str, Any]]


def made(folder: Path, microbatches: int = 8, **more: Any) -> Recorder:
    return Recorder(folder / "log", rank=0, ranks=1, microbatches=microbatches, **more)


def events(recorder: Recorder) -> Events:
    recorder.close()
    lines = recorder.path.read_text().splitlines()
    return [json.loads(line) for line in lines[1:]]


def trained(
    recorder: Recorder,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    steps: int = 3,
    before_step: Callable[[], object] = lambda: None,
) -> Events:
    """A forward, a backward and an update a microbatch."""
    for m in range(steps):
        with recorder.forward(0, m, module):
            loss = module(torch.ones(2, 8) * (m + 1)).square().mean()
        with recorder.backward(0, m, module):
            loss.backward()
        before_step()
        with recorder.update(0, m, module):
            optimizer.step()
            optimizer.zero_grad()
    return events(recorder)


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 8))


def shown(found: Events) -> list[tuple[str, Any, int]]:
    return [(event["op"], event["version"], event["extra"]["current"]) for event in found]


ONE_BY_ONE = [entry for m in range(3) for entry in [("F", m, m), ("B", m, m), ("U", None, m + 1)]]


OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adamw": lambda p: torch.optim.AdamW(p),
    "adamw foreach": lambda p: torch.optim.AdamW(p, foreach=True),
    "adamw fused": lambda p: torch.optim.AdamW(p, fused=True),
    "sgd fused": lambda p: torch.optim.SGD(p, lr=0.1, fused=True),
    "adagrad": lambda p: torch.optim.Adagrad(p),
    "rmsprop": lambda p: torch.optim.RMSprop(p),
    "nadam": lambda p: torch.optim.NAdam(p),
}


FUSED = pytest.mark.parametrize("fused", [False, True])
"""A fused optimizer writes past autograd's counters."""


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_makes_a_version_a_step(name: str, tmp_path: Path) -> None:
    module = net()
    optimizer = OPTIMIZERS[name](module.parameters())
    assert shown(trained(made(tmp_path), module, optimizer)) == ONE_BY_ONE


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_hooks_record_the_same(name: str, tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = OPTIMIZERS[name](module.parameters())
    recorder.attach(module, optimizer)
    for m in range(3):
        module(torch.ones(2, 8) * (m + 1)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    found = events(recorder)
    assert shown(found) == ONE_BY_ONE
    assert [event["microbatch"] for event in found] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("before", "named"),
    [
        (None, True),
        (lambda w: w.grad.zero_(), False),
        (lambda w: setattr(w, "grad", None), False),
        (lambda w: w.grad.data.zero_(), False),
        (lambda w: w.grad.mul_(0.5), False),  # Momentum of one's own: another gradient.
    ],
)
@pytest.mark.parametrize("anew", [False, True], ids=["kept", "anew"])
@FUSED
def test_a_gradient_counts_as_left_where_it_is_added_to_as_it_was(
    before: Callable[[Tensor], object] | None, named: bool, fused: bool, anew: bool, tmp_path: Path
) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, fused=fused)
    for m in range(2):
        with recorder.forward(0, m, module):
            loss = module(torch.ones(2, 8)).square().mean()
        with recorder.backward(0, m, module):
            for weight in module.parameters() if before is not None and m else ():
                before(weight)  # type: ignore[misc]
            if anew:
                del loss  # Its graph goes, and the nodes of the weights with it.
                loss = module(torch.ones(2, 8)).square().mean()
            loss.backward()
        with recorder.update(0, m, module):
            optimizer.step()
    found = events(recorder)
    assert [("again" in event["extra"]) for event in found] == [False] * 4 + [named, False]


@pytest.mark.parametrize("hand_over", ["assign", "copy"])
def test_what_autograd_grad_returns_is_added_to_no_gradient(hand_over: str, tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    weights: dict[str, Tensor] = dict(module.named_parameters())
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    for m in range(3):
        with recorder.forward(0, m, weights):
            loss = functional_call(module, dict(weights), torch.ones(2, 8)).square().mean()
        with recorder.backward(0, m, weights):
            found = torch.autograd.grad(loss, list(weights.values()))
        for weight, gradient in zip(weights.values(), found, strict=True):
            if hand_over == "assign" or weight.grad is None:
                weight.grad = gradient.clone()
            else:
                weight.grad.copy_(gradient)
        with recorder.update(0, m, module):
            optimizer.step()
    log = events(recorder)
    assert shown(log) == ONE_BY_ONE
    assert not any("again" in event["extra"] for event in log)


def test_a_step_that_writes_nothing_is_no_update(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    with recorder.forward(0, 0, module):
        pass
    with recorder.update(0, 0, module):
        torch.optim.SGD(module.parameters(), fused=True).step()  # There is no gradient.
    with recorder.forward(0, 1, module):
        pass
    assert shown(events(recorder)) == [("F", 0, 0), ("F", 0, 0)]


@FUSED
def test_a_step_of_size_zero_is_an_update_and_its_copies_are_undecided(
    fused: bool, tmp_path: Path
) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.0, fused=fused)
    with recorder.forward(0, 0, module):
        loss = module(torch.ones(8)).sum()
    loss.backward()
    with recorder.update(0, 0, module):
        optimizer.step()
    with recorder.forward(0, 1, module):
        pass
    copies = {name: tensor.clone() for name, tensor in module.named_parameters()}
    with recorder.forward(0, 2, copies):
        pass
    found = events(recorder)
    assert shown(found) == [("F", 0, 0), ("U", None, 1), ("F", 1, 1), ("F", None, 1)]
    assert found[-1]["extra"]["undecided"] == "versions 0 or 1 have the same content"


def test_an_update_out_of_place_hands_over_what_it_made(tmp_path: Path) -> None:
    weights, recorder = {"w": torch.ones(3)}, made(tmp_path)
    with recorder.forward(0, 0, weights):
        pass
    with recorder.update(0, 0, weights) as block:
        block.weights = {"w": weights["w"] * 2}
    with recorder.forward(0, 1, {"w": torch.full((3,), 2.0)}):
        pass
    with recorder.backward(0, 0, weights):
        pass
    assert shown(events(recorder)) == [("F", 0, 0), ("U", None, 1), ("F", 1, 1), ("B", 0, 1)]


def test_accumulation_and_clipping_make_one_version_a_step(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.AdamW(module.parameters())
    recorder.attach(module, optimizer)
    for m in range(4):
        module(torch.ones(2, 8) * (m + 1)).square().mean().backward()
        if m % 2:
            nn.utils.clip_grad_norm_(module.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad()
    versions = [event["version"] for event in events(recorder) if event["op"] == "F"]
    assert versions == [0, 0, 1, 1]


class DistributedDataParallel(nn.Module):
    """Called as that of torch, which wants a process group."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: torch.Tensor) -> Any:
        return self.module(x)


@pytest.mark.parametrize("hooks", [False, True])
def test_a_module_that_is_wrapped_and_compiled_has_the_weights_of_its_own(
    hooks: bool, tmp_path: Path
) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.AdamW(module.parameters())
    wrapped: Any = torch.compile(DistributedDataParallel(module), backend="eager")
    if hooks:
        recorder.attach(wrapped, optimizer)
    for m in range(3):
        with nullcontext() if hooks else recorder.forward(0, m, wrapped):
            loss = wrapped(torch.ones(2, 8) * (m + 1)).square().mean()
        with nullcontext() if hooks else recorder.backward(0, m, wrapped):
            loss.backward()
        with nullcontext() if hooks else recorder.update(0, m, module):
            optimizer.step()
        optimizer.zero_grad()
    assert shown(events(recorder)) == ONE_BY_ONE


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(8, 8), nn.Linear(8, 8)
        self.other.weight = self.one.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.other(self.one(x).tanh())
        return out


def test_tied_and_frozen_weights(tmp_path: Path) -> None:
    module = Tied()
    module.one.bias.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in module.parameters() if p.requires_grad])
    assert shown(trained(made(tmp_path), module, optimizer)) == ONE_BY_ONE


def test_mixed_precision(tmp_path: Path) -> None:
    module = net()
    optimizer, recorder = torch.optim.AdamW(module.parameters()), made(tmp_path)
    recorder.attach(module, optimizer)
    for m in range(3):
        with torch.autocast("cpu", torch.bfloat16):
            loss = module(torch.ones(2, 8) * (m + 1)).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    assert shown(events(recorder)) == ONE_BY_ONE


AUTOCAST = partial(torch.autocast, "cpu", torch.bfloat16)

CONTEXTS: dict[str, tuple[Callable[[], Any], Callable[[], Any], bool]] = {
    "whole": (AUTOCAST, nullcontext, True),
    "whole, entered again": (AUTOCAST, AUTOCAST, True),
    "whole and off": (lambda: AUTOCAST(enabled=False), nullcontext, False),
    "whole, without its cache": (lambda: AUTOCAST(cache_enabled=False), nullcontext, False),
    "each forward": (nullcontext, AUTOCAST, False),
}


CONTEXTS_OF_HOOKS = CONTEXTS | {
    "whole and off, entered again": (lambda: AUTOCAST(enabled=False), AUTOCAST, True)
}
"""Within a block of one's own nobody sees that autocast was entered again."""


@pytest.mark.parametrize(
    ("name", "attached"),
    [(name, False) for name in CONTEXTS] + [(name, True) for name in CONTEXTS_OF_HOOKS],
)
def test_casts_that_autocast_keeps_over_an_update_are_undecided(
    name: str, attached: bool, tmp_path: Path
) -> None:
    module, recorder, read = net(), made(tmp_path), []
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, fused=True)
    whole, each, kept = CONTEXTS_OF_HOOKS[name]
    if attached:
        recorder.attach(module, optimizer)
    with whole():
        for m in range(2):
            with nullcontext() if attached else recorder.forward(0, m, module), each():
                out = module(torch.ones(2, 8)).float().sum()
            read.append(out.item())
            with nullcontext() if attached else recorder.backward(0, m, module):
                out.backward()
            with nullcontext() if attached else recorder.update(0, m, module):
                optimizer.step()
            optimizer.zero_grad()
    found = events(recorder)
    assert (read[0] == read[1]) == kept
    versions = [event["version"] for event in found if event["op"] == "F"]
    assert versions == [0, None if kept else 1]
    assert kept == ("made of it that is cached" in str(found[3]["extra"].get("undecided")))


class Symmetric(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.triu() + x.triu(1).mT


@pytest.mark.parametrize("whole", [False, True])
def test_weights_that_parametrize_keeps_over_an_update_are_undecided(
    whole: bool, tmp_path: Path
) -> None:
    module, recorder, read = linear(), made(tmp_path), []
    parametrize.register_parametrization(module, "weight", Symmetric())
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    recorder.attach(module, optimizer)
    with parametrize.cached() if whole else nullcontext():
        for _ in range(2):
            with nullcontext() if whole else parametrize.cached():
                out = module(torch.ones(2, 8)).sum()
            read.append(out.item())
            out.backward(retain_graph=True)
            optimizer.step()
    assert (read[0] == read[1]) == whole
    versions = [event["version"] for event in events(recorder) if event["op"] == "F"]
    assert versions == [0, None if whole else 1]


def test_compiled_autograd_traces_nothing_of_ours(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)

    @torch.compile(backend="eager")
    def backward(loss: Tensor) -> None:
        loss.backward()  # type: ignore[no-untyped-call]

    with torch._dynamo.config.patch(compiled_autograd=True):
        for m in range(3):
            with recorder.forward(0, m, module):
                loss = module(torch.ones(2, 8)).sum()
            with recorder.backward(0, m, module):
                backward(loss)
            with recorder.update(0, m, module):
                optimizer.step()
                optimizer.zero_grad()
    assert shown(events(recorder)) == ONE_BY_ONE


@FUSED
def test_a_scaler_that_skips_a_step_leaves_no_update(fused: bool, tmp_path: Path) -> None:
    module = net()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, fused=fused)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
    recorder = made(tmp_path)
    for m in range(3):
        with recorder.forward(0, m, module):
            loss = module(torch.ones(2, 8)).square().mean()
        with recorder.backward(0, m, module):
            scaler.scale(loss).backward()
        if m == 1:
            next(module.parameters()).grad.fill_(float("inf"))  # type: ignore[union-attr]
        with recorder.update(0, m, module):
            scaler.step(optimizer)
            scaler.update()
        optimizer.zero_grad()
    ops = "".join(event["op"] for event in events(recorder))
    assert ops == "FBUFBFBU"


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("changed", [False, True])
def test_a_recomputed_forward_that_reads_other_weights_is_seen(
    tmp_path: Path, reentrant: bool, changed: bool
) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    stash = {name: tensor.detach().clone() for name, tensor in module.named_parameters()}
    given = torch.ones(2, 8, requires_grad=True)
    with recorder.forward(0, 0, module):
        made_ = checkpoint(module, given, use_reentrant=reentrant)
    if changed:
        # Another microbatch's gradient is applied before the backward runs the stage anew.
        for parameter in module.parameters():
            parameter.grad = torch.ones_like(parameter)
        with recorder.update(0, 0, module):
            optimizer.step()
    with warnings.catch_warnings(), recorder.backward(0, 0, stash):
        warnings.simplefilter("ignore")
        made_.sum().backward()
    found = shown(events(recorder))
    assert found[-1] == (("B", 1, 1) if changed else ("B", 0, 0))


def test_part_of_a_stage_recomputed_with_newer_weights_is_no_version(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    first = module[0]  # type: ignore[index]
    stash = {name: tensor.detach().clone() for name, tensor in module.named_parameters()}
    with recorder.forward(0, 0, module):
        made_ = checkpoint(first, torch.ones(2, 8, requires_grad=True), use_reentrant=False)
    with recorder.update(0, 0, module), torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(1)
    with recorder.backward(0, 0, stash):
        made_.sum().backward()
    event = events(recorder)[-1]
    assert event["version"] is None
    assert event["extra"]["no_version"] == "2.weight is of version 0, what precedes it of 1"


@pytest.mark.parametrize("order", ["old new", "new old", "old old", "new new", "new copy"])
def test_all_reads_of_a_block_count(order: str, tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    old = {name: tensor.detach().clone() for name, tensor in module.named_parameters()}
    with recorder.forward(0, 0, module):
        pass
    with recorder.update(0, 0, module), torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(1)
    new: dict[str, Tensor] = dict(module.named_parameters())
    used = {"old": old, "new": new, "copy": {name: new[name].clone() for name in new}}
    with recorder.forward(0, 1, module):
        for which in order.split():
            functional_call(module, used[which], torch.ones(2, 8))
    event = events(recorder)[-1]
    expected = {"old old": 0, "new new": 1, "new copy": 1}.get(order)
    assert event["version"] == expected
    says = None if expected is not None else "0.weight was read twice, and its content differs"
    assert event["extra"].get("no_version") == says


class Plain(nn.Module):
    """Autograd keeps its weight itself; of a linear layer it keeps a view."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(8, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.mm(x, self.weight)


def linear() -> nn.Module:
    return nn.Linear(8, 8, bias=False)


def written(weight: nn.Parameter) -> None:
    weight.data.add_(1)


def replaced(weight: nn.Parameter) -> None:
    weight.data = weight.data + 1


def restored(weight: nn.Parameter) -> Tensor:
    """Hands over what is to be put back: the graph may hold what the update wrote to."""
    stash = weight.detach().clone()
    weight.data.add_(1)
    return stash


@pytest.mark.parametrize("attached", [False, True], ids=["blocks", "attached"])
@pytest.mark.parametrize("anew", [False, True], ids=["kept", "anew"])
@pytest.mark.parametrize("make", [Plain, linear])
@pytest.mark.parametrize("change", [written, replaced, restored])
def test_a_backward_has_the_version_that_its_graph_reads(
    change: Callable[[nn.Parameter], Tensor | None],
    make: Callable[[], nn.Module],
    anew: bool,
    attached: bool,
    tmp_path: Path,
) -> None:
    torch.manual_seed(0)
    module, recorder = make(), made(tmp_path)
    if attached:
        recorder.attach(module)
    (weight,) = module.parameters()
    given = torch.ones(1, 8, requires_grad=True)
    rows = 1 if make is Plain else 0
    with recorder.forward(0, 0, module):
        out = module(given)
    sums = [weight.detach().sum(rows)]
    live = weight.data
    with recorder.update(0, 0, module):
        stash = change(weight)
    sums.append(weight.detach().sum(rows))
    if stash is not None:
        weight.data = stash
    with recorder.backward(0, 0, module):
        (module(given) if anew else out).sum().backward()
    assert given.grad is not None
    (used,) = (k for k, total in enumerate(sums) if torch.allclose(given.grad[0], total))
    found = shown(events(recorder))
    assert found == [("F", 0, 0), ("U", None, 1), ("B", used, 1)]
    assert live is not None


@pytest.mark.parametrize(("change", "version"), [(written, 1), (replaced, None), (restored, None)])
def test_what_the_graph_of_a_hooked_backward_reads_may_be_undecided(
    change: Callable[[nn.Parameter], Tensor | None], version: int | None, tmp_path: Path
) -> None:
    module, recorder = linear(), made(tmp_path)
    recorder.attach(module)
    (weight,) = module.parameters()
    out = module(torch.ones(1, 8, requires_grad=True))
    with recorder.update(0, 0, module):
        stash = change(weight)
    if stash is not None:
        weight.data = stash
    out.sum().backward()
    event = events(recorder)[-1]
    assert (event["op"], event["version"]) == ("B", version)
    assert ("nobody saw which" in event["extra"].get("undecided", "")) == (version is None)


@pytest.mark.parametrize("attached", [False, True])
def test_a_graph_that_holds_casts_of_weights_that_are_written_to_is_undecided(
    attached: bool, tmp_path: Path
) -> None:
    module, recorder = net(), made(tmp_path)
    if attached:
        recorder.attach(module)
    with nullcontext() if attached else recorder.forward(0, 0, module), AUTOCAST():
        out = module(torch.ones(1, 8)).float().sum()
    with recorder.update(0, 0, module), torch.no_grad():
        for weight in module.parameters():
            weight.add_(1)
    with nullcontext() if attached else recorder.backward(0, 0, module):
        out.backward()
    event = events(recorder)[-1]
    assert (event["op"], event["version"]) == ("B", None)
    assert "nobody saw which" in event["extra"]["undecided"]
    assert "hash" not in event["extra"]


def test_weights_that_nobody_made_are_no_version(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    with recorder.forward(0, 0, module):
        pass
    with torch.no_grad():
        next(module.parameters()).mul_(0.5)
    with recorder.forward(0, 1, module):
        pass
    event = events(recorder)[-1]
    assert event["version"] is None
    assert event["extra"]["no_version"] == "no recorded update left 0.weight as it is"


def test_a_write_past_autograd_keeps_the_number_and_shows_in_the_hash(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    with recorder.forward(0, 0, module):
        pass
    next(module.parameters()).data.mul_(0.5)
    with recorder.backward(0, 0, module):
        pass
    one, other = events(recorder)
    assert (one["version"], other["version"]) == (0, 0)
    assert one["extra"]["hash"] != other["extra"]["hash"]


def test_reading_a_part_looks_at_every_element_in_turn(tmp_path: Path) -> None:
    first, second = nn.Linear(100, 100), nn.Linear(100, 100)
    module, recorder = nn.Sequential(first, second), made(tmp_path, microbatches=20, part=4)
    for m in range(20):
        with recorder.forward(0, m, module):
            pass
        if m == 2:
            second.weight.data.view(-1)[4321] += 1  # One element, past autograd.
    found = events(recorder)
    hashes = [event["extra"].get("hash") for event in found]
    seen = [m for m in range(1, 20) if hashes[m] is not None]
    assert len(seen) == 1
    assert 2 < seen[0] <= 6
    assert hashes[seen[0]] != hashes[0]
    assert {event["version"] for event in found} == {0}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.complex64])
def test_a_fingerprint_sees_every_element(dtype: torch.dtype) -> None:
    for count in (0, 1, 7, 5000, 33333):
        tensor = torch.zeros(count, dtype=dtype)
        base = Fingerprint(tensor).digest()
        for place in {0, count // 3, count - 1} if count else ():
            changed = tensor.clone()
            changed[place] = 1
            assert Fingerprint(changed).digest() != base
    column = torch.arange(90000.0).reshape(300, 300)
    assert Fingerprint(column.t()).digest() == Fingerprint(column.t().contiguous()).digest()
    assert Fingerprint(column.t()).digest() != Fingerprint(column).digest()
    inner = torch.arange(90001.0)[1:]  # Its words do not begin where the storage's do.
    assert Fingerprint(inner).digest() == Fingerprint(inner.clone()).digest()


class DTensor(torch.Tensor):
    """Stands for one of torch.distributed, which needs a process group."""


class Quantized(Tensor):
    """A tensor that keeps its numbers elsewhere, and has no memory of its own."""

    @staticmethod
    def __new__(cls) -> Any:
        return Tensor._make_wrapper_subclass(cls, (2,))

    @classmethod
    def __torch_dispatch__(cls, *_: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (nn.Tanh(), "at least one tensor"),
        ([torch.ones(2)], "mapping name → tensor, found list"),
        ({"w": 3}, "int"),
        ({"w": torch.ones(2, device="meta")}, "no plain content"),
        ({"w": torch.ones(2).to_sparse()}, "no plain content"),
        ({"w": Quantized()}, "no plain content"),
        ({"w": torch.ones(2).as_subclass(DTensor)}, "sharded"),
    ],
)
def test_what_has_no_whole_content_is_refused_in_a_line(weights: Any, says: str) -> None:
    with pytest.raises(RecorderError, match=says) as error:
        tensors_of(weights, "stage 0")
    assert "\n" not in str(error.value)


def test_fsdp_is_refused(tmp_path: Path) -> None:
    from torch.distributed import HashStore  # type: ignore[attr-defined]
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    store = HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        module = nn.Linear(4, 4)
        mesh = init_device_mesh("cpu", (1,))
        fully_shard(module, mesh=mesh)
        with pytest.raises(RecorderError, match="sharded"):
            tensors_of(module, "stage 0")
        recorder = Recorder(tmp_path / "log", microbatches=1)
        other = Recorder(tmp_path / "log2", microbatches=1)
        assert recorder.run != 0
        assert recorder.run != other.run
    finally:
        torch.distributed.destroy_process_group()


def test_bad_input_is_explained(tmp_path: Path) -> None:
    recorder = made(tmp_path, 2)
    with pytest.raises(RecorderError, match="log of an earlier run"):
        made(tmp_path)
    with pytest.raises(RecorderError, match="there is none"):
        Recorder(tmp_path / "other", microbatches=2)
    with pytest.raises(RecorderError, match="from 0 to 1, found 2"), recorder.forward(0, 2, net()):
        pass
    with pytest.raises(RecorderError, match="B, I or W"), recorder.backward(0, 0, net(), kind="F"):
        pass
    with pytest.raises(RecorderError, match="stamps=True"):
        recorder.stamp(1)
    with pytest.raises(RecorderError, match="schedule of torch"):
        recorder.attach(3)
    with recorder.forward(0, 0, {"w": torch.ones(2)}):
        pass
    with pytest.raises(RecorderError, match="same names"), recorder.forward(0, 1, net()):
        pass


def test_an_attached_forward_that_fails_is_not_counted(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    with pytest.raises(RuntimeError):
        module(torch.ones(2, 9))
    module(torch.ones(2, 8))
    assert [(event["op"], event["microbatch"]) for event in events(recorder)] == [("F", 0)]


def test_a_copy_of_an_attached_module_is_not_attached(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    copied = copy.deepcopy(module)
    with torch.no_grad():
        next(copied.parameters()).mul_(2)
    copied(torch.ones(2, 8)).sum().backward()
    with recorder.forward(0, 0, module):
        copied(torch.ones(2, 8))
    assert shown(events(recorder)) == [("F", 0, 0)]


def test_too_many_microbatches_of_hooks_are_told_of_two_forwards_a_step(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path, 1)
    recorder.attach(module)
    module(torch.ones(2, 8))
    with pytest.raises(RecorderError, match="every forward of an attached module in train"):
        module(torch.ones(2, 8))


def test_a_closed_recorder_lets_the_training_go_on(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    recorder.attach(module, optimizer)
    for _ in range(3):
        module(torch.ones(2, 8)).sum().backward()
        optimizer.step()
        recorder.close()
    with recorder.forward(0, 7, module):
        pass
    assert [event["op"] for event in events(recorder)] == ["F", "B", "U"]


def test_numbers_of_numpy_and_weights_within_a_transform(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    recorder.attach(module)
    weights = dict(module.named_parameters())

    def loss(used: Mapping[str, Tensor]) -> Tensor:
        with recorder.forward(torch.tensor(0), np.int64(0), used):  # type: ignore[arg-type]
            return torch.sum(functional_call(module, dict(used), torch.ones(2, 8)))

    torch.func.grad(loss)(weights)
    with recorder.forward(0, 1, weights):
        others = {name: 2 * weight for name, weight in weights.items()}
        torch.func.grad(lambda used: functional_call(module, used, torch.ones(2, 8)).sum())(others)
    found = events(recorder)
    assert [event["version"] for event in found] == [0, None]


def test_a_copy_in_the_same_parameter_is_not_taken_for_the_newest(tmp_path: Path) -> None:
    module, recorder = nn.Linear(2, 2), made(tmp_path)
    first = [weight.detach().clone() for weight in module.parameters()]
    with recorder.forward(0, 0, module):
        pass
    with recorder.update(0, 0, module), torch.no_grad():
        for weight in module.parameters():
            weight.mul_(1)
    with recorder.forward(0, 1, module):
        pass
    for weight, old in zip(module.parameters(), first, strict=True):
        weight.data = old
    with recorder.forward(0, 2, module):
        pass
    assert shown(events(recorder)) == [("F", 0, 0), ("U", None, 1), ("F", 1, 1), ("F", None, 1)]


def test_weights_that_only_move_in_an_update_are_not_updated(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    with recorder.forward(0, 0, module):
        pass
    with recorder.update(0, 0, module):
        for weight in module.parameters():
            weight.data = weight.data.clone()
    assert shown(events(recorder)) == [("F", 0, 0)]


def test_stages_on_several_threads(tmp_path: Path) -> None:
    recorder, before = made(tmp_path, 24), sys.getswitchinterval()

    def work(stage: int) -> None:
        module = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        for m in range(24):
            with recorder.forward(stage, m, module):
                loss = module(torch.ones(2, 4)).sum()
            with recorder.backward(stage, m, module):
                loss.backward()
            with recorder.update(stage, m, module):
                optimizer.step()
                optimizer.step()

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
    finally:
        sys.setswitchinterval(before)
    found = events(recorder)
    assert [event["extra"].get("steps") for event in found if event["op"] == "U"] == [2] * 96
    assert len(found) == 3 * 96


def test_a_block_that_fails_is_not_logged(tmp_path: Path) -> None:
    recorder = made(tmp_path)
    with pytest.raises(ZeroDivisionError), recorder.forward(0, 0, net()):
        raise ZeroDivisionError
    with recorder.forward(0, 1, net()):
        pass
    assert [event["microbatch"] for event in events(recorder)] == [1]


def test_the_file_needs_torch_and_nothing_of_ours(tmp_path: Path) -> None:
    path = Path(recorder_file.__file__)
    tree = ast.parse(path.read_text())
    names = {
        name.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    } | {
        str(node.module).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert names - sys.stdlib_module_names == {"torch"}
    shutil.copy(path, tmp_path / "copied.py")
    script = (
        "import sys, torch; sys.path.insert(0, '.')\n"
        "from copied import Recorder\n"
        "module = torch.nn.Linear(2, 2)\n"
        "rec = Recorder('log', rank=0, ranks=1, microbatches=1)\n"
        "with rec.forward(0, 0, module): pass\n"
        "assert not {'gpu_validation', 'schedules'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-I", "-c", script], cwd=tmp_path, check=True, timeout=120)
    assert len((tmp_path / "log" / "rank0.jsonl").read_text().splitlines()) == 2


def test_killed_it_leaves_every_complete_line(tmp_path: Path) -> None:
    script = (
        "import torch\n"
        "from gpu_validation.recorder import Recorder\n"
        "module = torch.nn.Linear(2, 2)\n"
        "rec = Recorder('log', rank=0, ranks=1, microbatches=10**6)\n"
        "for m in range(10**6):\n"
        "    with rec.forward(0, m, module): pass\n"
        "    print(m, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        seen = [process.stdout.readline() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
    text = (tmp_path / "log" / "rank0.jsonl").read_text()
    assert text.endswith("\n")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) >= 1 + len(seen)
    assert [line["microbatch"] for line in lines[1:]] == list(range(len(lines) - 1))


def test_times_lie_around_the_block_and_not_around_the_hashing(tmp_path: Path) -> None:
    recorder, big = made(tmp_path), {"w": torch.zeros(4_000_000)}
    with recorder.forward(0, 0, big):
        pass
    with recorder.forward(0, 1, big):
        time.sleep(0.05)
    short, long = events(recorder)
    assert short["end"] - short["start"] < long["end"] - long["start"]
    assert long["end"] - long["start"] >= 50_000_000


def test_lines_wait_for_fingerprints_and_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, where the first block's contents are known after the last block has ended."""
    monkeypatch.setattr(Fingerprint, "ready", lambda _: False)
    module, recorder = net(), made(tmp_path)
    optimizer = torch.optim.AdamW(module.parameters())
    for m in range(3):
        with recorder.forward(0, m, module):
            loss = module(torch.ones(2, 8) * (m + 1)).square().mean()
        with recorder.backward(0, m, module):
            loss.backward()
        with recorder.update(0, m, module):
            optimizer.step()
            optimizer.zero_grad()
    assert len(recorder.path.read_text().splitlines()) == 1
    assert shown(events(recorder)) == ONE_BY_ONE


@pytest.mark.gpu
def test_versions_on_a_gpu(tmp_path: Path) -> None:
    module = net().cuda()
    recorder = made(tmp_path)
    optimizer = torch.optim.AdamW(module.parameters())
    for m in range(3):
        with recorder.forward(0, m, module):
            loss = module(torch.ones(2, 8, device="cuda") * (m + 1)).square().mean()
        with recorder.backward(0, m, module):
            loss.backward()
        with recorder.update(0, m, module):
            optimizer.step()
            optimizer.zero_grad()
    found = events(recorder)
    assert shown(found) == ONE_BY_ONE
    assert all(event["extra"]["host"].endswith("(launch times of rank 0)") for event in found)
    fast = {name: tensor.cpu() for name, tensor in module.named_parameters()}
    for name, tensor in module.named_parameters():
        assert Fingerprint(tensor).digest() == Fingerprint(fast[name]).digest()
