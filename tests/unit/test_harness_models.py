"""Models cut into stages: equal for whoever builds them, chained, and refused where they do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from gpu_validation.errors import ModelError, SpecError
from gpu_validation.models import ModelSpec, boundaries, build_stage, microbatch
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.run import RunSpec, run
from gpu_validation.single_thread import replay
from schedules import build
from tests.harness import same_weights

HEAD = """
import torch
from torch import nn
from gpu_validation.models import Parts
class Detached(nn.Linear):
    def forward(self, x):
        return super().forward(x).detach()
class Blind(nn.Linear):
    def forward(self, x):
        return super().forward(x.detach())
"""


def own(folder: Path, body: str, **sizes: int) -> ModelSpec:
    path = folder / "own.py"
    path.write_text(HEAD + "def factory():\n    " + body + "\n")
    return ModelSpec(f"{path}:factory", **sizes)


@pytest.mark.parametrize("name", ["mlp", "transformer"])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_stages_chain_and_end_in_a_loss(name: str, stages: int) -> None:
    spec = ModelSpec(name, width=8, depth=2, batch=3, length=5)
    value, labels = microbatch(spec, 4)
    shapes = []
    for stage in range(stages):
        module = build_stage(spec, stage, stages)
        value = module(value, labels) if stage == stages - 1 else module(value)
        shapes.append(tuple(value.shape))
    assert tuple(shapes[:-1]) == boundaries(spec, stages)
    assert shapes[-1] == ()
    assert 1 < value.item() < 10


@pytest.mark.parametrize("name", ["mlp", "transformer"])
def test_weights_and_data_follow_from_the_seed(name: str) -> None:
    def weights(spec: ModelSpec, stage: int) -> torch.Tensor:
        parameters = build_stage(spec, stage, 3).parameters()
        return torch.cat([tensor.detach().flatten() for tensor in parameters])

    spec, other = ModelSpec(name, width=4), ModelSpec(name, width=4, seed=1)
    assert torch.equal(weights(spec, 1), weights(spec, 1))
    assert not torch.equal(weights(spec, 1), weights(other, 1))
    for one, two, three in zip(
        microbatch(spec, 5), microbatch(spec, 5), microbatch(spec, 6), strict=True
    ):
        assert torch.equal(one, two)
        assert not torch.equal(one, three)


def test_building_leaves_random_numbers_alone(tmp_path: Path) -> None:
    spec = own(tmp_path, "return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))", width=4)
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    build_stage(spec, 0, 2)
    build_stage(ModelSpec(), 0, 2)
    microbatch(ModelSpec(), 0)
    assert torch.equal(torch.rand(2), expected)


def test_attention_is_causal() -> None:
    stage = build_stage(ModelSpec("transformer", width=8, length=6), 1, 3)
    x = torch.randn(1, 6, 8)
    changed = x.clone()
    changed[0, 3, 0] += 1
    difference = (stage(x) - stage(changed)).abs().sum(-1)[0]
    assert difference[:3].max() == 0
    assert difference[3:].min() > 0


def test_layers_of_your_own_are_cut_evenly_and_run(tmp_path: Path) -> None:
    body = "return nn.Sequential(*[nn.Linear(5, 5) for _ in range(7)])"
    spec = own(tmp_path, body, width=5)
    assert [len(list(build_stage(spec, s, 3).parameters())) // 2 for s in range(3)] == [2, 2, 3]
    assert boundaries(spec, 3) == ((4, 5), (4, 5))
    schedule, optimizer = build("pipedream", 3, 6), OptimizerSpec(lr=0.5)
    result = run(RunSpec(schedule, model=spec, optimizer=optimizer))
    assert same_weights(result.weights, replay(schedule, spec, optimizer))


def test_tied_weights_stay_tied(tmp_path: Path) -> None:
    body = (
        "a = nn.Linear(4, 4); b = nn.Linear(4, 4); b.weight = a.weight; return nn.Sequential(a, b)"
    )
    spec = own(tmp_path, body, width=4)
    result = run(RunSpec(build("naive", 1, 2), model=spec))
    assert len(result.weights[0, 0]) == 3
    assert same_weights(result.weights, replay(build("naive", 1, 2), spec, OptimizerSpec()))


def test_a_loss_and_data_of_your_own(tmp_path: Path) -> None:
    body = (
        "return Parts(nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)),"
        " lambda g: (torch.randn(6, 2, generator=g), torch.ones(6, 1)),"
        " nn.functional.mse_loss)"
    )
    spec = own(tmp_path, body)
    assert boundaries(spec, 2) == ((6, 3),)
    schedule = build("pipedream", 2, 40)
    result = run(RunSpec(schedule, model=spec, optimizer=OptimizerSpec(lr=0.1)))
    losses = np.array(result.losses, dtype=float)
    assert losses[-8:].mean() < 0.5 * losses[:8].mean()


@pytest.mark.parametrize(
    ("body", "stages", "message"),
    [
        ("return nn.Sequential(nn.Linear(4, 3), nn.Linear(4, 4))", 2, "but stage 1 fails on it"),
        ("return nn.Sequential(nn.Linear(4, 4))", 2, "found 1 layers for 2 stages"),
        ("return nn.Linear(4, 4)", 1, "returns an nn.Sequential or Parts, found Linear"),
        ("return 1 / 0", 1, "it fails: ZeroDivisionError"),
        ("return nn.Sequential(nn.LSTM(4, 4), nn.Linear(4, 4))", 2, "one tensor, .*returns tuple"),
        (
            "return nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))", 1,
            r"draws no random numbers, found Dropout\(p=0.1\) at 1",
        ),
        (
            "return Parts(nn.Sequential(nn.Linear(4, 4)), lambda g: (torch.randn(2, 4), None),"
            " lambda y, _: y.sum(0))", 1, r"the loss, one number.*shape \(4,\)",
        ),
        (
            "return nn.Sequential(nn.Linear(4, 4).double())", 1, "but stage 0 fails on it",
        ),
        ("return nn.Sequential(nn.Linear(4, 4), nn.ReLU())", 2, "every stage has weights.*stage 1"),
        ("raise SystemExit(3)", 1, "it fails: SystemExit: 3"),
        ("return nn.Sequential(nn.LazyLinear(4))", 1, "but 0.weight takes it from the first input"),
        (
            "return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4).requires_grad_(False))", 2,
            "every weight is trained here, but 1.weight is frozen",
        ),
        (
            "a = nn.Linear(4, 4); b = nn.Linear(4, 4); b.weight = a.weight;"
            " return nn.Sequential(a, b)", 2,
            "but 1.weight of stage 1 is also 0.weight of stage 0",
        ),
        (
            "return nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4))", 2,
            "stage 1 fails on it: .*in-place operation.* not work in place",
        ),
        (
            "return nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4))", 1,
            "leaves its input as it is, but stage 0 writes into it",
        ),
        (
            "return nn.Sequential(nn.Linear(4, 4), nn.Sigmoid(), nn.ReLU(inplace=True))", 1,
            "stage 0 fails: .*modified by an inplace operation",
        ),
        ("return nn.Sequential(Detached(4, 4))", 1, "in stage 0 none reaches its weights"),
        (
            "return nn.Sequential(nn.Linear(4, 4), Blind(4, 4))", 2,
            "in stage 1 none reaches its input",
        ),
        (
            "return Parts(nn.Sequential(nn.Linear(4, 4)), lambda g: 1 / 0, None)", 1,
            "a pair of tensors, inputs and labels, but ZeroDivisionError",
        ),
        (
            "return Parts(nn.Sequential(nn.Linear(4, 4)), lambda g: (1, 2), None)", 1,
            "but its inputs are of type int",
        ),
    ],
)  # fmt: skip
def test_models_that_do_not_fit(tmp_path: Path, body: str, stages: int, message: str) -> None:
    spec = own(tmp_path, body, width=4)
    with pytest.raises(ModelError, match=message):
        boundaries(spec, stages)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.py:factory", "there is no file 'missing.py'"),
        ("no_such_module_anywhere:factory", "it fails: ModuleNotFoundError"),
        ("json:no_function", "json has no function 'no_function'"),
    ],
)
def test_factories_that_are_not_there(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        boundaries(ModelSpec(name), 1)


@pytest.mark.parametrize(
    "wrong", [{"name": "cnn"}, {"width": 0}, {"depth": 1.5}, {"batch": True}, {"seed": -1}]
)
def test_models_outside_the_domain(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        ModelSpec(**wrong)


def test_modules_keep_no_weights_of_their_own() -> None:
    from gpu_validation.workplace import _taken_out

    module = build_stage(ModelSpec(), 0, 2)
    weights = _taken_out(module, "cpu")
    assert isinstance(module, nn.Module)
    assert all(tensor.is_meta for tensor in module.parameters())
    assert not any(tensor.is_meta for tensor in weights.values())
