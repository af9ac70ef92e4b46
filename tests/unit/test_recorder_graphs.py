"""`Recorder`: what a graph holds beside the weights of its backward, and gradients that stay."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, jvp, vjp, vmap
from torch.nn.utils import clip_grad_norm_, parametrizations, prune
from torch.optim.swa_utils import AveragedModel
from torch.utils.checkpoint import checkpoint

from gpu_validation.recorder import Derived, Recorder

Events = list[dict[str, Any]]
AUTOCAST = partial(torch.autocast, "cpu", torch.bfloat16)
ATTACHED = pytest.mark.parametrize("attached", [False, True], ids=["blocks", "attached"])


@contextmanager
def recorded(folder: Path, found: Events) -> Iterator[Recorder]:
    """Hands what was recorded over in `found`."""
    torch.manual_seed(0)
    with Recorder(folder / "log", rank=0, ranks=1, microbatches=8) as recorder:
        yield recorder
    found += map(json.loads, recorder.path.read_text().splitlines()[1:])


def fused(weights: Any) -> torch.optim.Optimizer:
    """Writes past autograd, so that a backward may read weights that were written to."""
    return torch.optim.SGD(weights, lr=0.1, fused=True)


def clones(module: nn.Module) -> dict[str, Tensor]:
    return {n: w.detach().clone().requires_grad_() for n, w in module.named_parameters()}


class Made(nn.Module):
    """Computes with what `make` makes of its weights."""

    def __init__(self, make: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.make, self.norm = make, nn.LayerNorm(8)
        self.one, self.two = (nn.Parameter(torch.rand(8, 8)) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        weight = self.make(self.one, self.two)
        out: Tensor = self.norm(nn.functional.linear(x.to(weight.dtype), weight).float())
        return out


class Saves(torch.autograd.Function):
    """Keeps a cast of its weight, which nobody sees."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight.double())
        return x @ weight.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        gradient = gradients[0].float()
        return gradient @ weight.float(), gradient.t() @ x


class Custom(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = Saves.apply(x, self.weight) + self.bias  # type: ignore[no-untyped-call]
        return out


def layers(wrap: Callable[[nn.Module], object]) -> nn.Module:
    both = nn.Linear(8, 8), nn.Linear(8, 8)
    for layer in both:
        wrap(layer)
    return nn.Sequential(both[0], nn.LayerNorm(8), both[1])


class Words(nn.Module):
    """Weights that a backward does not need: embeddings, positions, biases, an unused expert."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(3, 8), nn.Parameter(torch.rand(2, 8))
        self.scale, self.out, self.expert = nn.RMSNorm(8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        found = self.words(torch.tensor([0, 2])) + self.places
        out: Tensor = self.out(self.scale(found).tanh()) + x.sum()
        return out + 0.1 * self.out.weight.square().sum()


def normed(layer: nn.Module) -> None:
    parametrizations.weight_norm(layer)


def spectral(layer: nn.Module) -> None:
    parametrizations.spectral_norm(layer)


def pruned(layer: nn.Module) -> None:
    prune.l1_unstructured(layer, "weight", 0.5)  # type: ignore[no-untyped-call]


CONVOLUTIONS = (nn.Unflatten(1, (1, 8)), nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.PReLU(4))

DIRECT: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: nn.Linear(8, 8),
    "norm": lambda: layers(lambda layer: None),
    "words": Words,
    "convolution": lambda: nn.Sequential(*CONVOLUTIONS, nn.GroupNorm(1, 4)),
    "attention": lambda: nn.Sequential(
        nn.Linear(8, 8), nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    ),
    "recurrent": lambda: nn.GRU(8, 8),
    "long memory": lambda: nn.LSTM(8, 8),
    "picked": lambda: Shifted(lambda shift: shift[torch.arange(8)] + shift.square().sum()),
    "smooth": lambda: Shifted(nn.functional.gelu),
}


class Shifted(nn.Module):
    """Adds what is made of a weight to the result of a first layer, which needs no weight."""

    def __init__(
        self,
        make: Callable[..., Tensor],
        last: Callable[[Tensor, Tensor], Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.layer, self.shift, self.make = nn.Linear(8, 8), nn.Parameter(torch.rand(8)), make
        self.matrix = nn.Parameter(torch.eye(8) * 2 + torch.rand(8, 8) / 9)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.layer(x) + self.make(self.shift)
        return out if self.last is None else self.last(self.matrix, out.t()).t()


DERIVED: dict[str, Callable[[], nn.Module]] = {
    "weight_norm": lambda: layers(normed),
    "spectral_norm": lambda: layers(spectral),
    "pruned": lambda: layers(pruned),
    "cast": lambda: Made(lambda one, two: one.bfloat16()),
    "scaled": lambda: Made(lambda one, two: one * 2),
    "low rank": lambda: Made(lambda one, two: one + two @ two[:2].t() @ two[:2]),
    "side by side": lambda: Made(lambda one, two: torch.cat([one, two])[:8]),
    "custom": lambda: nn.Sequential(Custom(8, 8), nn.LayerNorm(8)),
    **{
        name: partial(Shifted, make)
        for name, make in dict[str, Callable[..., Tensor]](
            {
                "exp": torch.exp,
                "sigmoid": torch.sigmoid,
                "softmax": lambda shift: shift.softmax(0),
                "norm of a weight": torch.norm,
                "deviation": torch.std,
                "sum of exps": lambda shift: shift.logsumexp(0),
                "log of sigmoid": nn.functional.logsigmoid,
                "largest": lambda shift: shift.max(0).values,
            }
        ).items()
    },
    "solved": lambda: Shifted(nn.Identity(), torch.linalg.solve),
    "determinant": lambda: Shifted(nn.Identity(), lambda w, x: x + torch.linalg.slogdet(w)[1]),
}


@ATTACHED
@pytest.mark.parametrize("name", [*DIRECT, *DERIVED])
def test_a_graph_that_holds_what_was_made_of_weights_is_undecided(
    name: str, attached: bool, tmp_path: Path
) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = (DIRECT | DERIVED)[name]()
        optimizer, waits = fused(module.parameters()), []
        if attached:
            recorder.attach(module, optimizer)
        for m in range(4):
            with nullcontext() if attached else recorder.forward(0, m, module):
                out = module(torch.rand(2, 8, requires_grad=True))
                waits.append((m, (out[0] if isinstance(out, tuple) else out).square().sum()))
            if m:
                of, loss = waits.pop(0)
                with nullcontext() if attached else recorder.backward(0, of, module):
                    loss.backward()
                with nullcontext() if attached else recorder.update(0, of, module):
                    optimizer.step()
                optimizer.zero_grad()
    backwards = [event for event in found if event["op"] == "B"]
    assert [event["version"] for event in backwards] == [
        0,
        *([1, 2] if name in DIRECT else [None] * 2),
    ]
    for event in backwards[1:] if name in DERIVED else ():
        assert "nobody saw which" in event["extra"]["undecided"]


@pytest.mark.parametrize("context", [nullcontext, AUTOCAST], ids=["full", "autocast"])
@pytest.mark.parametrize("name", ["linear", "norm", "weight_norm", "scaled", "custom"])
@pytest.mark.parametrize("way", ["again", "checkpoint", "reentrant", "copies", "told of copies"])
def test_a_stash_is_known_whatever_is_made_of_it(
    way: str, name: str, context: Callable[[], Any], tmp_path: Path
) -> None:
    """Weights are put back and read anew, or a graph holds copies that no update writes to."""
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = (DIRECT | DERIVED)[name]()
        x, stash = torch.rand(2, 8, requires_grad=True), clones(module)
        used: Any = stash if "copies" in way else dict(module.named_parameters())

        def run(x: Tensor) -> Any:
            return functional_call(module, used, (x,))

        with recorder.forward(0, 0, stash if way == "copies" else module), context():
            reentrant = way == "reentrant"
            checked = partial(checkpoint, run, use_reentrant=reentrant)
            out = (checked if way in ("checkpoint", "reentrant") else run)(x)
        with recorder.update(0, 0, module), torch.no_grad():
            for weight in module.parameters():
                weight.data.add_(1)
        live = [weight.data for weight in module.parameters()]
        for weight, old in zip(module.parameters(), stash.values(), strict=True):
            weight.data = old.detach() if "copies" not in way else weight.data
        with recorder.backward(0, 0, stash if "copies" in way else module):
            if way == "again":
                with context():
                    out = run(x)
            out.float().square().sum().backward()
    assert live
    assert (found[-1]["op"], found[-1]["version"]) == ("B", 0), found[-1]["extra"]


@ATTACHED
@pytest.mark.parametrize(
    ("computes", "told", "version"),
    [
        ("live", "copies", 1),  # The stash is not what the graph holds.
        ("copies", "copies", 0),
        ("copies", "live", 0),  # The newest are not, either.
        ("live", "live", 1),
        ("nothing", "copies", None),
        ("others", "copies", None),  # Of which an attached module tells.
    ],
)
def test_where_a_backward_is_told_of_others_the_places_of_its_forward_are_watched(
    computes: str, told: str, version: int | None, attached: bool, tmp_path: Path
) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = layers(lambda layer: None)
        if attached:
            recorder.attach(module)
        live: dict[str, Tensor] = dict(module.named_parameters())
        frozen = {name: live[name] for name in ("1.weight", "1.bias")}
        given = {"live": live} | {n: clones(module) | frozen for n in ("copies", "others")}
        used = given.get(computes, live)
        with recorder.forward(0, 0, live if computes == "others" else used):
            out = functional_call(module, dict(used), (torch.rand(2, 8),)).square().sum()
        with recorder.update(0, 0, module):
            for name in live.keys() - frozen:
                live[name].data.add_(0.1)
        with recorder.backward(0, 0, given[told]):
            if computes != "nothing":
                torch.autograd.grad(out, list(used.values()))
    version = 0 if attached and computes == "others" else version
    assert (found[-1]["op"], found[-1]["version"]) == ("B", version), found[-1]["extra"]


@pytest.mark.parametrize("both", [False, True], ids=["newest", "old"])
def test_copies_do_not_hide_what_was_made_of_older_weights(both: bool, tmp_path: Path) -> None:
    """Copies of the newest; or of those of the forward, beside which its graph has its own."""
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = DERIVED["scaled"]()
        copies, x = clones(module), torch.rand(2, 8, requires_grad=True)
        with recorder.forward(0, 0, module):
            out = module(x) + (functional_call(module, copies, x) if both else 0)
        with recorder.update(0, 0, module):
            for weight in module.parameters():
                weight.data.add_(1)
        with recorder.backward(0, 0, copies if both else clones(module)):
            out.square().sum().backward()
    assert found[-1]["version"] is None
    assert "nobody saw which" in found[-1]["extra"]["undecided"]


def test_what_needs_no_value_of_a_cast_does_not_keep_it() -> None:
    weights = {name: torch.rand(8, 8, requires_grad=True) for name in ("one", "two", "bias")}
    leaves = {id(weight): name for name, weight in weights.items()}
    with AUTOCAST():
        out = nn.functional.linear(torch.rand(2, 8), weights["one"], weights["bias"][0])
    made = Derived([(out + weights["two"].mean()).grad_fn], leaves)
    assert (made.held, made.unknown, made.leaves) == ({"one"}, set(), set(leaves))


def test_a_weight_that_nobody_was_told_of_is_no_data() -> None:
    weight = torch.rand(8, 8, requires_grad=True)
    out = nn.functional.linear(torch.rand(2, 8), weight + nn.Parameter(torch.rand(8, 8)))
    assert "weight" in Derived([out.grad_fn], {id(weight): "weight"}).held


class Parts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x: Tensor, part: int) -> Tensor:
        out: Tensor = self.parts[part](x)
        return out


def noted(found: Events) -> list[str]:
    return [f"{e['op']}{e['microbatch']}" for e in found if "again" in e["extra"]]


@ATTACHED
@pytest.mark.parametrize("zeroed", [True, False])
def test_a_gradient_stays_noticed_while_other_parts_are_used(
    zeroed: bool, attached: bool, tmp_path: Path
) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = Parts()
        optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in module.parts]
        if attached:
            recorder.attach(module)
        for m in range(6):
            with nullcontext() if attached else recorder.forward(0, m, module):
                loss = module(torch.rand(2, 8), m % 2).square().sum()
            with nullcontext() if attached else recorder.backward(0, m, module):
                loss.backward()
            if m % 2:
                with recorder.update(0, m, module):
                    optimizers[0].step()
                    optimizers[1].step()
                optimizers[0].zero_grad(set_to_none=m == 1)
                if zeroed:
                    optimizers[1].zero_grad(set_to_none=m == 1)
    assert noted(found) == ([] if zeroed else ["B3", "B5"])


@pytest.mark.parametrize("zeroed", [True, False, "past autograd"])
@pytest.mark.parametrize("by_hand", [False, True], ids=["autograd", "by hand"])
def test_half_a_backward_does_not_use_up_what_was_applied(
    by_hand: bool, zeroed: bool | str, tmp_path: Path
) -> None:
    """PyTorch's runtime adds the gradients of W itself: autograd is not asked."""
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = nn.Linear(8, 8)
        optimizer, weights = torch.optim.SGD(module.parameters(), lr=0.1), list(module.parameters())
        for m in range(3):
            x = torch.rand(2, 8, requires_grad=True)
            with recorder.forward(0, m, module):
                loss = module(x).square().sum()
            with recorder.backward(0, m, module, kind="I"):
                torch.autograd.grad(loss, x, retain_graph=True)
            with recorder.backward(0, m, module, kind="W"):
                if by_hand:
                    for weight, grad in zip(
                        weights, torch.autograd.grad(loss, weights), strict=True
                    ):
                        if weight.grad is None:
                            weight.grad = grad
                        else:
                            weight.grad += grad
                else:
                    torch.autograd.backward(loss, inputs=weights)
            with recorder.update(0, m, module):
                optimizer.step()
            if zeroed is True:
                optimizer.zero_grad(set_to_none=m == 1)
            for weight in weights if zeroed == "past autograd" else ():
                assert weight.grad is not None
                weight.grad.data.zero_()
    versions = [event["version"] for event in found if event["op"] == "W"]
    assert versions == ([0, None, None] if by_hand and not zeroed else [0, 1, 2])
    assert noted(found) == ([] if by_hand or zeroed else ["W1", "W2"])
    says = [event["extra"].get("undecided", "") for event in found if event["op"] == "W"]
    assert ["zero gradients before" in entry for entry in says] == [v is None for v in versions]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("mine", ["optimizer", "by hand", "rounded", "past autograd", "nobody"])
def test_a_gradient_that_nobody_applied_may_stay(mine: str, sparse: bool, tmp_path: Path) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = nn.Sequential(nn.Embedding(3, 8, sparse=sparse), nn.Linear(8, 8))
        optimizer = torch.optim.SGD(module[1].parameters(), lr=0.1)
        table = torch.optim.SGD(module[0].parameters(), lr=0.1)
        (weight,) = module[0].parameters()
        for m in range(3):
            with recorder.forward(0, m, module):
                loss = module(torch.tensor([m])).square().sum()
            with recorder.backward(0, m, module):
                loss.backward()
            with recorder.update(0, m, module), torch.no_grad():
                optimizer.step()
                if mine == "optimizer":
                    table.step()
                elif mine != "nobody":
                    assert weight.grad is not None
                    changed = weight.data if mine == "past autograd" else weight
                    changed.add_(weight.grad, alpha=-1e-30 if mine == "rounded" else -0.1)
            optimizer.zero_grad()
    assert noted(found) == ([] if mine == "nobody" else ["B1", "B2"])


class Reads(torch.autograd.Function):
    """Computes its backward with whatever `read` gives by then."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, read: Callable[[], Tensor]) -> Tensor:
        ctx.save_for_backward(x)
        ctx.read = read
        return x @ weight.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        (x,) = ctx.saved_tensors
        return gradients[0] @ ctx.read().detach(), gradients[0].t() @ x, None


class Reading(nn.Linear):
    """Reads the weights of its module in a backward, whatever the forward was given."""

    def __init__(self, way: str) -> None:
        super().__init__(8, 8)
        self.way, self.module, self.last = way, [self.weight], [self.weight]
        if way == "module hook":
            self.register_full_backward_pre_hook(self.scales)

    def scales(self, _: Any, given: Any) -> Any:
        return (given[0] * self.module[0].detach().norm(),)

    def forward(self, x: Tensor) -> Tensor:
        mine = self.weight
        self.last[0] = mine
        if self.way == "checkpoint":  # Run again when `functional_call` has ended.
            again = partial(nn.Linear.forward, self)
            found: Tensor = checkpoint(lambda x: again(again(x).tanh()), x, use_reentrant=False)
            return found
        read = {"module": lambda: self.module[0], "last": lambda: self.last[0]}
        if self.way in ("module hook", "hook"):
            out = super().forward(x)
        else:
            out = Reads.apply(x, mine, read.get(self.way, lambda: mine)) + self.bias  # type: ignore[no-untyped-call]
        if self.way == "hook":
            out.register_hook(lambda gradient: self.scales(self, [gradient])[0])  # type: ignore[no-untyped-call]
        return out


@ATTACHED
@pytest.mark.parametrize("way", ["own", "module", "last", "hook", "module hook", "checkpoint"])
def test_a_backward_that_reads_weights_of_another_version_is_undecided(
    way: str, attached: bool, tmp_path: Path
) -> None:
    found: Events = []
    module, stash, outs = Reading(way), {}, {}
    optimizer, x = torch.optim.SGD(module.parameters(), lr=0.1), torch.rand(4, 8)

    with recorded(tmp_path, found) as recorder:
        if attached:
            recorder.attach(module, stage=0)

        def forward(number: int) -> None:
            weights = stash[number] = clones(module)
            with recorder.forward(0, number, weights):
                data = x.clone().requires_grad_()
                outs[number] = functional_call(module, weights, (data,)).square().sum()

        def backward(number: int) -> None:
            weights = stash.pop(number)
            with recorder.backward(0, number, weights):
                grads = torch.autograd.grad(outs.pop(number), [*weights.values()])
            for weight, grad in zip(module.parameters(), grads, strict=True):
                weight.grad = grad

        forward(0)
        forward(1)
        backward(1)
        with recorder.update(0, 1, module):
            optimizer.step()
        forward(2)
        backward(0)
    last = found[-1]
    assert (last["version"] == 0) is (way == "own")
    assert ("was read as another update left it" in last["extra"].get("undecided", "")) is (
        way != "own"
    )


Grads = Mapping[str, Tensor]
Backward = Callable[[nn.Module, dict[str, Tensor], Tensor], Grads]


def pulled(
    module: nn.Module, weights: Mapping[str, Tensor], x: Tensor, checked: bool = False
) -> Grads:
    """Gradients by autograd, of a forward that is computed again."""

    def run(x: Tensor) -> Tensor:
        out: Tensor = functional_call(module, dict(weights), (x,))
        return out

    loss = (checkpoint(run, x, use_reentrant=False) if checked else run(x)).square().sum()
    of = {name: weight for name, weight in weights.items() if weight.requires_grad}
    return dict(zip(of, torch.autograd.grad(loss, [*of.values()]), strict=True))


def by_hand(module: nn.Module, weights: Mapping[str, Tensor], x: Tensor) -> Grads:
    """Of two layers with a tanh between them."""
    with torch.no_grad():
        one, bias, two, last = weights.values()
        hidden = (x @ one.t() + bias).tanh()
        back = 2 * (hidden @ two.t() + last)
        inner = (back @ two) * (1 - hidden.square())
        found = inner.t() @ x, inner.sum(0), back.t() @ hidden, back.sum(0)
    return dict(zip(weights, found, strict=True))


def forwards(module: nn.Module, weights: Mapping[str, Tensor], x: Tensor) -> Grads:
    """Gradients by forward differentiation, an element at a time."""
    of = {name: weight.detach() for name, weight in weights.items()}

    def loss(weights: dict[str, Tensor]) -> Tensor:
        out: Tensor = functional_call(module, weights, (x,)).square().sum()
        return out

    def slope(name: str, element: int) -> Tensor:
        along = {other: torch.zeros_like(weight) for other, weight in of.items()}
        along[name].view(-1)[element] = 1
        found: Tensor = jvp(loss, (of,), (along,))[1]
        return found

    return {
        name: torch.stack([slope(name, k) for k in range(weight.numel())]).view(weight.shape)
        for name, weight in of.items()
    }


def by_vjp(module: nn.Module, weights: Mapping[str, Tensor], x: Tensor) -> Grads:
    plain = {name: weight.detach() for name, weight in weights.items()}
    found = vjp(lambda given: functional_call(module, given, (x,)).square().sum(), plain)
    gradients: Grads = found[1](torch.tensor(1.0))[0]
    return gradients


def by_sample(module: nn.Module, weights: Mapping[str, Tensor], x: Tensor) -> Grads:
    plain = {name: weight.detach() for name, weight in weights.items()}

    def loss(given: dict[str, Tensor], row: Tensor) -> Tensor:
        out: Tensor = functional_call(module, given, (row[None],)).square().sum()
        return out

    return {name: each.sum(0) for name, each in vmap(grad(loss), (None, 0))(plain, x).items()}


def in_thread(compute: Backward) -> Backward:
    def computed(module: nn.Module, weights: dict[str, Tensor], x: Tensor) -> Grads:
        found: list[Grads] = []
        thread = threading.Thread(target=lambda: found.append(compute(module, weights, x)))
        thread.start()
        thread.join()
        return found[0]

    return computed


def at(take: Callable[[nn.Module], dict[str, Tensor]], compute: Backward = pulled) -> Backward:
    """Of the weights that `take` finds, whatever was handed over."""
    return lambda module, _, x: compute(module, take(module), x)


def live(module: nn.Module) -> dict[str, Tensor]:
    return dict(module.named_parameters())


def through_numpy(module: nn.Module) -> dict[str, Tensor]:
    found = {name: weight.detach().numpy().copy() for name, weight in live(module).items()}
    return {name: torch.from_numpy(array).requires_grad_() for name, array in found.items()}


def half(module: nn.Module, weights: dict[str, Tensor], x: Tensor) -> Grads:
    """The stash, but of one weight a copy of the newest."""
    name = next(iter(weights))
    return pulled(module, weights | {name: clones(module)[name]}, x)


def halves(module: nn.Module, weights: dict[str, Tensor], x: Tensor) -> Grads:
    """In one buffer, half of which is of the newest."""
    sizes = [weight.numel() for weight in weights.values()]
    parts = torch.split(torch.empty(sum(sizes)), sizes)
    for part, old, new in zip(parts, weights.values(), live(module).values(), strict=True):
        part.copy_((new if part is parts[0] else old).detach().view(-1))
    given = {n: part.view_as(w) for (n, w), part in zip(weights.items(), parts, strict=True)}
    return by_hand(module, given, x)


class Gated(nn.Module):
    """Its gate has the shape of its data, and its last weight makes one number of a sample."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.last = nn.Parameter(torch.rand(5, 4)), nn.Parameter(torch.rand(4))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = (x * self.gate) @ self.last
        return out


def gated(name: str = "", inplace: bool = False) -> Backward:
    """The gradient of the data is kept, to be sent: of the newest of one weight, or the stash."""

    def computed(module: nn.Module, weights: dict[str, Tensor], x: Tensor) -> Grads:
        used = weights | ({name: live(module)[name]} if name else {})
        with torch.no_grad():
            back = 2 * ((x * weights["gate"]) @ weights["last"])
            if name == "gate":
                inner = back[:, None] @ weights["last"][None]
                module.sent = inner.mul_(used["gate"]) if inplace else inner * used["gate"]
            else:
                module.sent = back[0] * used["last"]
        return {"last": x.t() @ back}

    return computed


LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "sparse": lambda weight: weight.to_sparse().to_dense(),
    "csr": lambda weight: weight.to_sparse_csr().to_dense(),
    "mkldnn": lambda weight: weight.to_mkldnn().to_dense(),
    "nested": lambda weight: torch.nested.nested_tensor([weight]).to_padded_tensor(0.0)[0],
}


def laid_out(layout: str, newest: bool = False) -> Backward:
    """Of matrices that go through another layout."""

    def computed(module: nn.Module, weights: dict[str, Tensor], x: Tensor) -> Grads:
        of = live(module) if newest else weights
        with torch.no_grad():
            matrices = {n: LAYOUTS[layout](w.detach()) for n, w in of.items() if w.dim() == 2}
        return by_hand(module, weights | matrices, x)

    return computed


def squares() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


def first() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh())


def stale(
    folder: Path,
    compute: Backward,
    make: Callable[[], nn.Module] = squares,
    beside: Callable[[nn.Module, dict[str, Tensor]], object] = lambda module, weights: None,
    attached: bool = False,
) -> dict[str, Any]:
    """The backward of a stash, two updates old; `beside`: what else is done in its block."""
    found: Events = []
    with recorded(folder, found) as recorder:
        module = make()
        if attached:
            recorder.attach(module)
        averages: Any = [weight.detach() * 2 for weight in module.parameters()]
        module.averages = averages
        stash, x = clones(module), torch.rand(5, 4)
        with recorder.forward(0, 0, stash), torch.no_grad():
            functional_call(module, stash, (x,))
        for m in (1, 2):
            with recorder.update(0, m, module), torch.no_grad():
                for weight in module.parameters():
                    weight.sub_(0.1)
        with recorder.backward(0, 0, stash):
            given = compute(module, stash, x)
            for name, gradient in given.items():
                live(module)[name].grad = gradient.detach()
            beside(module, stash)
    return found[-1]


READ = "was read as another update left it"
UNUSED = "nothing that its backward was seen to compute uses"
WRONG: dict[str, tuple[Backward, str]] = {
    "live": (at(live), READ),
    "live, by hand": (at(live, by_hand), READ),
    "live, forwards": (at(live, forwards), READ),
    "live, vjp": (at(live, by_vjp), READ),
    "live, vmap": (at(live, by_sample), READ),
    "a copy": (at(clones), READ),
    "a copy, by hand": (at(clones, by_hand), READ),
    "half": (half, READ),
    "halves": (halves, READ),
    **{layout: (laid_out(layout, True), READ) for layout in LAYOUTS},
    "numpy": (at(through_numpy), UNUSED),
    "thread": (in_thread(at(live)), UNUSED),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_gradient_at_other_weights_than_the_stash_is_undecided(name: str, tmp_path: Path) -> None:
    compute, says = WRONG[name]
    event = stale(tmp_path, compute)
    assert event["version"] is None
    assert says in event["extra"]["undecided"]


@pytest.mark.parametrize("way", ["live", "a copy", "half", "thread"])
def test_a_first_layer_that_is_recomputed_with_other_weights_is_undecided(
    way: str, tmp_path: Path
) -> None:
    """Its backward reads no weight; only the forward that is computed again does."""
    compute, says = WRONG[way]
    event = stale(tmp_path, compute, first)
    assert event["version"] is None
    assert says in event["extra"]["undecided"]


@pytest.mark.parametrize("name", ["", "last", "gate", "gate in place"])
def test_data_of_the_shape_of_a_weight_that_is_made_of_older_ones_is_undecided(
    name: str, tmp_path: Path
) -> None:
    event = stale(tmp_path, gated(name[:4], "place" in name), Gated)
    assert event["version"] == (None if name else 0)
    assert (READ in event["extra"].get("undecided", "")) is bool(name)


def test_a_copy_that_was_taken_before_the_block_is_no_stash(tmp_path: Path) -> None:
    taken: list[dict[str, Tensor]] = []

    def taking() -> nn.Module:
        module = squares()
        taken.append({name: weight * 2 for name, weight in clones(module).items()})
        return module

    event = stale(tmp_path, lambda module, _, x: pulled(module, taken[0], x), taking)
    assert UNUSED in event["extra"]["undecided"]


RIGHT: dict[str, Backward] = {
    **{layout: laid_out(layout) for layout in LAYOUTS},
    "functional_call": pulled,
    "by hand": by_hand,
    "forwards": forwards,
    "vjp": by_vjp,
    "vmap": by_sample,
    "copies": lambda module, weights, x: pulled(
        module, {n: w.detach().clone().requires_grad_() for n, w in weights.items()}, x
    ),
}


def averaged(module: nn.Module, _: Any) -> None:
    average = AveragedModel(module)
    for _ in range(2):
        average.update_parameters(module)


def averaged_by_hand(module: nn.Module, _: Any) -> None:
    averages = [torch.zeros_like(weight) for weight in module.parameters()]
    with torch.no_grad():
        for average, weight in zip(averages, module.parameters(), strict=True):
            average.mul_(0.9).add_(weight, alpha=0.1)
            average.lerp_(weight, 0.1)
            average.copy_(0.9 * average + 0.1 * weight)
            torch.lerp(average, weight, 0.1, out=average)
        torch._foreach_lerp_(averages, [*module.parameters()], 0.1)


def averaged_before(module: nn.Module, _: Any) -> None:
    """Into averages that are older than the block, and outlive it."""
    averages: Any = module.averages
    for weight, average in zip(module.parameters(), averages, strict=True):
        average.mul_(0.9).add_(weight.detach(), alpha=0.1)
        torch.lerp(average, weight.detach(), 0.1, out=average)


def logged(module: nn.Module, weights: dict[str, Tensor]) -> None:
    norms = torch._foreach_norm([*module.parameters(), torch.rand(3, 3)])
    torch.stack(list(norms)).norm().item()
    for name, weight in module.named_parameters():
        drift = (weight - weights[name]).norm() / weight.norm()
        assert float(drift.detach()) >= 0
        assert bool(weight.isfinite().all())
        assert weight.grad is not None
        assert not torch.equal(weight, weight.grad)
        weight.detach().bfloat16(), weight.detach().abs().max(), weight.detach().std()


def clipped(module: nn.Module, _: Any) -> None:
    clip_grad_norm_(module.parameters(), 0.1)
    for weight in module.parameters():
        assert weight.grad is not None
        weight.grad.add_(torch.zeros_like(weight))


def stashed(module: nn.Module, _: Any) -> None:
    clones(module)


def put_in(module: nn.Module, weights: dict[str, Tensor]) -> None:
    """Its weights are replaced by the stash, for as long as it takes."""
    kept = clones(module)
    for given in (weights, kept):
        for name, weight in module.named_parameters():
            weight.data.copy_(given[name])
        if given is weights:
            module(torch.rand(5, 4)).sum().backward()


@pytest.mark.parametrize("name", RIGHT)
def test_a_gradient_at_the_stash_is_known_however_it_is_computed(name: str, tmp_path: Path) -> None:
    assert stale(tmp_path, RIGHT[name])["version"] == 0


@pytest.mark.parametrize("compute", [pulled, by_hand], ids=["autograd", "by hand"])
@pytest.mark.parametrize(
    "beside", [averaged, averaged_before, averaged_by_hand, logged, clipped, stashed, put_in]
)
def test_what_computes_no_gradient_may_read_the_newest_weights_beside(
    beside: Any, compute: Backward, tmp_path: Path
) -> None:
    event = stale(tmp_path, compute, beside=beside)
    assert event["version"] == 0, event["extra"]


@pytest.mark.parametrize("needs", [True, False])
def test_a_function_that_reads_its_weight_itself_is_known_if_its_data_needs_a_gradient(
    needs: bool, tmp_path: Path
) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = nn.Sequential(Reading("own"), nn.Tanh(), Reading("own"))
        optimizer, waits = fused(module.parameters()), []
        for m in range(3):
            with recorder.forward(0, m, module):
                waits.append(module(torch.rand(2, 8, requires_grad=needs)).square().sum())
            if m:
                with recorder.backward(0, m - 1, module):
                    waits.pop(0).backward()
                with recorder.update(0, m - 1, module):
                    optimizer.step()
                optimizer.zero_grad()
    versions = [event["version"] for event in found if event["op"] == "B"]
    assert versions == [0, 1 if needs else None]


class LowRank(nn.Linear):
    def __init__(self) -> None:
        super().__init__(4, 8)
        self.requires_grad_(False)
        self.down, self.up = nn.Parameter(torch.rand(2, 4)), nn.Parameter(torch.rand(8, 2))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + x @ self.down.t() @ self.up.t()


def tied() -> nn.Module:
    one, two = nn.Linear(4, 4), nn.Linear(4, 4)
    two.weight = one.weight
    return nn.Sequential(one, nn.Tanh(), two)


def with_norms(wrap: Callable[[nn.Module], object]) -> nn.Module:
    layer = nn.Linear(4, 8)
    wrap(layer)
    return nn.Sequential(layer, nn.Tanh(), nn.Linear(8, 2))


MODULES: dict[str, Callable[[], nn.Module]] = {
    "first": first,
    "low rank": lambda: nn.Sequential(LowRank(), nn.Tanh()),
    "tied": tied,
    "weight norm": lambda: with_norms(normed),
    "spectral norm": lambda: with_norms(spectral),
    "words": lambda: nn.Sequential(Indices(), nn.Embedding(4, 8), nn.Tanh()),
}


class Indices(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.argmax(1)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("checked", [False, True], ids=["again", "checkpoint"])
def test_a_stash_that_is_recomputed_is_known_whatever_the_layers(
    checked: bool, name: str, tmp_path: Path
) -> None:
    event = stale(tmp_path, partial(pulled, checked=checked), MODULES[name])
    assert event["version"] == 0, event["extra"]


@pytest.mark.parametrize("name", MODULES)
def test_the_newest_in_place_of_the_stash_are_noticed_whatever_the_layers(
    name: str, tmp_path: Path
) -> None:
    event = stale(tmp_path, at(live), MODULES[name])
    assert READ in event["extra"].get("undecided", ""), event["extra"]


@pytest.mark.parametrize("inside", [True, False])
def test_a_block_may_be_opened_in_the_thread_that_computes(inside: bool, tmp_path: Path) -> None:
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module, x = squares(), torch.rand(5, 4)
        stash = clones(module)
        with recorder.forward(0, 0, stash):
            loss = functional_call(module, stash, (x,)).square().sum()
        with recorder.update(0, 0, module), torch.no_grad():
            for weight in module.parameters():
                weight.sub_(0.1)

        def computes() -> None:
            loss.backward()

        def records() -> None:
            with recorder.backward(0, 0, stash):
                computes()

        thread = threading.Thread(target=records if inside else computes)
        with nullcontext() if inside else recorder.backward(0, 0, stash):
            thread.start()
            thread.join()
    assert found[-1]["version"] == (0 if inside else None)


def cloned() -> Any:
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)


def widened() -> Any:
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t.double(), lambda t: t.float())


class Packed(nn.Module):
    """Its second layer is computed in a context, or checkpointed."""

    def __init__(self, context: Callable[[], Any], checked: bool = False) -> None:
        super().__init__()
        self.context, self.checked = context, checked
        self.one, self.two = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.one(x).tanh()
        with self.context():
            out: Tensor = (
                checkpoint(self.two, inner, use_reentrant=False)
                if self.checked
                else self.two(inner)
            )
        return out


@ATTACHED
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "around"])
@pytest.mark.parametrize("context", [cloned, widened, nullcontext])
@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
def test_what_hooks_of_saved_tensors_keep_nobody_knows(
    make: Any, context: Any, inside: bool, attached: bool, tmp_path: Path
) -> None:
    """They may keep copies, and the optimizer writes in place."""
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = Packed(context if inside else nullcontext)
        optimizer, waits = make(module.parameters(), lr=0.1, fused=True), []
        if attached:
            recorder.attach(module, optimizer)
        for m in range(3):
            with nullcontext() if attached else recorder.forward(0, m, module):
                with nullcontext() if inside else context():
                    loss = module(torch.rand(2, 8)).square().sum()
                waits.append((m, loss + 0.1 * module.one.weight.square().sum()))
            if m:
                of, loss = waits.pop(0)
                with nullcontext() if attached else recorder.backward(0, of, module):
                    loss.backward()
                with nullcontext() if attached else recorder.update(0, of, module):
                    optimizer.step()
                optimizer.zero_grad()
    versions = [event["version"] for event in found if event["op"] == "B"]
    assert versions == [0, 1 if context is nullcontext else None]


@pytest.mark.parametrize("fused", [False, True], ids=["in turn", "written to"])
def test_a_checkpoint_within_an_attached_module_is_known(fused: bool, tmp_path: Path) -> None:
    """It packs saved tensors too; what is computed again is looked at."""
    found: Events = []
    with recorded(tmp_path, found) as recorder:
        module = Packed(nullcontext, checked=True)
        optimizer, waits = torch.optim.SGD(module.parameters(), lr=0.1, fused=True), []
        recorder.attach(module, optimizer)
        for m in range(3):
            waits.append(module(torch.rand(2, 8)).square().sum())
            if m or not fused:
                waits.pop(0).backward()
                optimizer.step()
                optimizer.zero_grad()
    versions = [event["version"] for event in found if event["op"] == "B"]
    assert versions == ([0, 1] if fused else [0, 1, 2])
