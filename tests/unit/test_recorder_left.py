"""`Recorder`: what a loop leaves lying about, such as old stashes and their gradients."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from gpu_validation.recorder import FACTORS, ROW, Fingerprint, Recorder, RecorderError, _sums

Weights = dict[str, Tensor]


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))


def made(folder: Path) -> Recorder:
    return Recorder(folder / "log", rank=0, ranks=1, microbatches=8)


def events(recorder: Recorder) -> list[dict[str, Any]]:
    recorder.close()
    return [json.loads(line) for line in recorder.path.read_text().splitlines()[1:]]


def clones(module: nn.Module) -> Weights:
    return {n: w.detach().clone().requires_grad_() for n, w in module.named_parameters()}


@pytest.mark.parametrize("again", [False, True], ids=["its own", "the one before"])
def test_the_stash_of_a_backward_that_is_over_is_no_stash_of_the_next(
    again: bool, tmp_path: Path
) -> None:
    """As in a last stage, where the stash of a microbatch is the newest version."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    optimizer, stashes = torch.optim.SGD(module.parameters(), lr=0.1), []
    for m in range(3):
        told = clones(module)
        stashes.append(told)
        used = stashes[max(m - 1, 0)] if again else told
        with recorder.forward(0, m, told), torch.no_grad():
            functional_call(module, told, (x,))
        with recorder.backward(0, m, told):
            loss = functional_call(module, used, (x,)).square().sum()
            found = torch.autograd.grad(loss, list(used.values()))
        for weight, gradient in zip(module.parameters(), found, strict=True):
            weight.grad = gradient
        with recorder.update(0, m, module):
            optimizer.step()
    versions = [event["version"] for event in events(recorder) if event["op"] == "B"]
    assert versions == ([0, None, None] if again else [0, 1, 2])


def test_an_old_copy_that_an_update_replaced_is_no_newest(tmp_path: Path) -> None:
    """Updates out of place leave the weights before them where they were."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    kept = [clones(module)]
    for m in range(4):
        newest, used = kept[-1], kept[max(0, m - 1)] if m > 1 else kept[-1]
        with recorder.forward(0, m, newest), torch.no_grad():
            functional_call(module, newest, (x,))
        with recorder.backward(0, m, newest):
            loss = functional_call(module, used, (x,)).square().sum()
            found = torch.autograd.grad(loss, list(used.values()))
        with recorder.update(0, m, newest) as block:
            steps = zip(newest.items(), found, strict=True)
            after = {n: (w - 0.1 * g).detach().requires_grad_() for (n, w), g in steps}
            block.weights = after
        kept.append(after)
    versions = [event["version"] for event in events(recorder) if event["op"] == "B"]
    assert versions == [0, 1, None, None]


@pytest.mark.parametrize("told", ["module", "stash"])
@pytest.mark.parametrize("mode", [nullcontext, torch.no_grad], ids=["on", "within"])
def test_gradients_may_be_on_within_a_forward_alone(
    mode: Callable[[], Any], told: str, tmp_path: Path
) -> None:
    """As an engine does that runs without them: a graph holds what its forward read."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    used: Any = module if told == "module" else clones(module)
    weights = dict(module.named_parameters()) if told == "module" else used
    with mode(), recorder.forward(0, 0, used), torch.enable_grad():
        loss = functional_call(module, weights, (x,)).square().sum()
    with recorder.update(0, 0, module):
        for weight in module.parameters():
            weight.data = weight.detach() * 0.5
    with recorder.backward(0, 0, module):
        torch.autograd.grad(loss, list(weights.values()))
    assert events(recorder)[-1]["version"] == 0


@pytest.mark.parametrize("zeroed", ["not", "none", "zero"])
def test_a_gradient_that_a_stash_keeps_is_added_to(zeroed: str, tmp_path: Path) -> None:
    """A ring of two stashes, whose gradients the module is handed: the third adds to the first."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    ring = [clones(module) for _ in range(2)]
    for m in range(4):
        stash = ring[m % 2]
        with torch.no_grad():
            for name, weight in module.named_parameters():
                stash[name].copy_(weight)
        for kept in stash.values() if zeroed != "not" else ():
            if zeroed == "none" or kept.grad is None:
                kept.grad = None
            else:
                kept.grad.zero_()
        with recorder.forward(0, m, stash):
            loss = functional_call(module, stash, (x,)).square().sum()
        with recorder.backward(0, m, stash):
            loss.backward()
        for name, weight in module.named_parameters():
            weight.grad = stash[name].grad
        with recorder.update(0, m, module):
            optimizer.step()
        optimizer.zero_grad()
    found = [event for event in events(recorder) if event["op"] == "B"]
    wrong = zeroed == "not"
    assert [("again" in event["extra"]) for event in found] == [False, False, wrong, wrong]


def buffered(module: nn.Module) -> Weights:
    """Clones that are leaves, and parts of one buffer."""
    buffer = torch.cat([weight.detach().flatten() for weight in module.parameters()])
    parts = torch.split(buffer, [weight.numel() for weight in module.parameters()])
    named = zip(module.named_parameters(), parts, strict=True)
    return {n: part.view(w.shape).detach().requires_grad_() for (n, w), part in named}


@pytest.mark.parametrize("take", [clones, buffered])
@pytest.mark.parametrize("zeroed", [False, True])
@pytest.mark.parametrize("handed", ["clone", "taken off", "left"])
def test_a_gradient_of_a_stash_that_microbatches_share_is_added_to(
    handed: str, zeroed: bool, take: Callable[[nn.Module], Weights], tmp_path: Path
) -> None:
    """Two forwards of each version, and an update behind every backward."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    stash, losses = take(module), []
    for m in range(2):
        with recorder.forward(0, m, stash):
            losses.append(functional_call(module, stash, (x,)).square().sum())
    for m, loss in enumerate(losses):
        for kept in stash.values() if zeroed else ():
            kept.grad = None
        with recorder.backward(0, m, stash):
            loss.backward()
        for name, weight in module.named_parameters():
            gradient = stash[name].grad
            assert gradient is not None
            weight.grad = gradient.clone() if handed == "clone" else gradient
        with recorder.update(0, m, module):
            optimizer.step()
            if handed == "taken off":
                optimizer.zero_grad()
        optimizer.zero_grad()
    (one, two) = [event for event in events(recorder) if event["op"] == "B"]
    assert one["version"] == 0
    assert ("again" in two["extra"]) is (handed == "left" and not zeroed)
    assert ("was zeroed first" in two["extra"].get("undecided", "")) is (
        handed != "left" and not zeroed
    )


@pytest.mark.parametrize("op", ["F", "B"])
@pytest.mark.parametrize("way", ["copy", "data", "same"])
def test_weights_that_change_within_a_block_are_undecided(
    way: str, op: str, tmp_path: Path
) -> None:
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    other = {n: w.data * (1 if way == "same" else 2) for n, w in module.named_parameters()}

    def load(weights: Weights) -> None:
        for name, weight in module.named_parameters():
            if way == "data":
                weight.data = weights[name]
            else:
                with torch.no_grad():
                    weight.copy_(weights[name])

    with recorder.forward(0, 0, module):
        if op == "F":
            load(other)
        loss = module(x).square().sum()
    with recorder.backward(0, 0, module):
        if op == "B":
            load(other)
            loss = module(x).square().sum()
        torch.autograd.grad(loss, list(module.parameters()))
    found = events(recorder)[0 if op == "F" else 1]
    says = found["extra"].get("undecided", "")
    assert ("was written to within its block" in says) is (way != "same")
    assert found["version"] == (0 if way == "same" else None)


@dataclass
class Output:
    made: Tensor
    note: str = ""


class Structured(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Output:
        return Output(self.layer(x))


def test_a_module_may_make_a_dataclass(tmp_path: Path) -> None:
    module, recorder = Structured(), made(tmp_path)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    recorder.attach(module, optimizer)
    for _ in range(2):
        module(torch.ones(2, 8)).made.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    found = [(event["op"], event["version"]) for event in events(recorder)]
    assert found == [("F", 0), ("B", 0), ("U", None), ("F", 1), ("B", 1), ("U", None)]


def test_a_conjugate_is_another_content() -> None:
    weights = torch.rand(4, 4, dtype=torch.complex64)
    assert Fingerprint(weights.conj()).digest() != Fingerprint(weights).digest()
    assert Fingerprint(weights.conj()).digest() == Fingerprint(weights.conj().clone()).digest()
    assert Fingerprint(weights.conj().imag).digest() != Fingerprint(weights.imag).digest()


@pytest.mark.parametrize("first", [True, False], ids=["first layer", "second layer"])
def test_a_convolution_reads_its_weight_for_the_gradient_of_its_input_alone(
    first: bool, tmp_path: Path
) -> None:
    """Live weights, updated out of place, are of the wrong version where they are read."""
    torch.manual_seed(0)
    layers = [nn.Conv1d(1, 1, 3, padding=1), nn.Tanh(), nn.Flatten(), nn.Linear(8, 8)]
    module = nn.Sequential(*(layers if first else [nn.Conv1d(1, 1, 3, padding=1), *layers]))
    recorder, x = made(tmp_path), torch.rand(4, 1, 8)
    losses = []
    for m in range(2):
        with recorder.forward(0, m, module):
            losses.append(module(x).square().sum())
    for m, loss in enumerate(losses):
        weights = [*module.parameters()]
        with recorder.backward(0, m, module):
            found = torch.autograd.grad(loss, weights)
        for weight, gradient in zip(weights, found, strict=True):
            weight.grad = gradient
        with recorder.update(0, m, module):
            for weight, gradient in zip(weights, found, strict=True):
                weight.data = weight.data - 0.1 * gradient
        for weight in weights:
            weight.grad = None
    versions = [event["version"] for event in events(recorder) if event["op"] == "B"]
    assert versions == ([0, 0] if first else [0, None])


def swapped(words: Tensor) -> None:
    words[:2] = words[:2].flip(0)


def moved(words: Tensor) -> None:
    words.view(torch.int64)[3] += 7
    words.view(torch.int64)[9] -= 7


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.bfloat16])
@pytest.mark.parametrize(
    "change",
    [
        lambda words: words.neg_(),
        lambda words: words[::2].neg_(),
        lambda words: words.view(torch.int64).bitwise_xor_(-1 << 63),
        lambda words: words.view(torch.int64)[4:6].bitwise_xor_(-1 << 63),
        swapped,
        moved,
    ],
    ids=["all negated", "every second one", "top bits", "two of them", "swapped", "moved"],
)
def test_a_fingerprint_of_a_long_tensor_sees_changes_that_make_up_for_one_another(
    change: Callable[[Tensor], object], dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    before = torch.randn(16384, dtype=dtype)
    after = before.clone()
    assert Fingerprint(after).digest() == Fingerprint(before).digest()
    rows = before.view(torch.int32).view(-1, ROW // 4)
    by_hand = torch.stack([(rows * each).sum(1) for each in torch.tensor(FACTORS).t()], 1)
    assert torch.equal(_sums(rows), by_hand)  # As on a device.
    change(after)
    assert not torch.equal(before, after)
    assert Fingerprint(after).digest() != Fingerprint(before).digest()


@pytest.mark.parametrize("own", [True, False])
def test_a_slot_of_a_ring_counts_as_what_it_holds_by_now(own: bool, tmp_path: Path) -> None:
    """At its forward it held what the other slot holds; it has been filled anew since."""
    module, recorder, x = net(), made(tmp_path), torch.rand(4, 8)
    ring = [clones(module) for _ in range(2)]
    for m in range(2):
        with recorder.forward(0, m, ring[m]), torch.no_grad():
            functional_call(module, ring[m], (x,))
    with recorder.update(0, 0, module), torch.no_grad():
        for weight in module.parameters():
            weight.mul_(2)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            ring[0][name].copy_(weight)
    used = ring[1] | ({} if own else {"2.weight": ring[0]["2.weight"]})
    with recorder.backward(0, 1, ring[1]):
        loss = functional_call(module, used, (x,)).square().sum()
        torch.autograd.grad(loss, list(used.values()))
    assert events(recorder)[-1]["version"] == (0 if own else None)


@pytest.mark.parametrize("told", ["parameters", "buffers too"])
def test_running_means_beside_the_weights_are_undecided(told: str, tmp_path: Path) -> None:
    module, recorder = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)), made(tmp_path)
    optimizer, losses = torch.optim.SGD(module.parameters(), lr=0.1), []
    buffers = dict(module.named_buffers()) if told == "buffers too" else {}
    for m in range(3):
        stash = clones(module) | {name: buffer.clone() for name, buffer in buffers.items()}
        with recorder.forward(0, m, stash):
            losses.append(functional_call(module, stash, (torch.rand(4, 8),)).square().sum())
        with recorder.backward(0, m, stash):
            losses[m].backward()
        for name, weight in module.named_parameters():
            weight.grad = stash[name].grad
        with recorder.update(0, m, dict(module.named_parameters()) | buffers):
            optimizer.step()
    found = events(recorder)
    assert not any("no_version" in event["extra"] for event in found)
    versions = [event["version"] for event in found if event["op"] != "U"]
    assert versions == ([None] * 6 if buffers else [0, 0, 1, 1, 2, 2])
    assert all(("hash" in event["extra"]) is not bool(buffers) for event in found)


def test_types_are_the_same_in_every_block(tmp_path: Path) -> None:
    module, recorder = net(), made(tmp_path)
    half = {name: weight.bfloat16() for name, weight in module.named_parameters()}
    with recorder.forward(0, 0, half):
        pass
    says = r"same names, types and shapes.*float32.*bfloat16"
    with pytest.raises(RecorderError, match=says), recorder.update(0, 0, module):
        torch._foreach_mul_([weight.data for weight in module.parameters()], 2.0)
