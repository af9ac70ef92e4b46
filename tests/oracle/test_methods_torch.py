"""The update rules on torch tensors: the same bits as in numpy, on the CPU and on a GPU."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

import numpy as np
import pytest

from schedules.methods import SAPipe, delay_compensated, run
from tests.oracle.methods_machine import Case, Variant

torch = pytest.importorskip("torch")

T: Final = 6
D: Final = 5
KINDS: Final = (
    ("pipesgd", 1, "full"),
    ("dc", 1, "full"),
    ("dc", 1, "diagonal"),
    ("wp", 1, "full"),
    ("wp", 2, "full"),
    ("wp", 3, "full"),
)
DEVICES: Final = ("cpu", pytest.param("cuda", marks=pytest.mark.gpu))


def float_case(n: int) -> Case:
    chance = Random(n)
    return Case(n, tuple(chance.uniform(-1, 1) for _ in range(D)), 0.13, 0.7)


def samples(n: int, seed: int) -> dict[tuple[int, int], float]:
    chance = Random(seed)
    return {(i, t): chance.uniform(-1, 1) for i in range(n) for t in range(T + 1)}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("stale", [(), (True, False, True, False, True)], ids=["all", "some"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_torch_and_numpy_agree_in_every_bit(
    kind: tuple[str, int, str], stale: tuple[bool, ...], device: str
) -> None:
    name, option, form = kind
    case = float_case(3)
    z = samples(3, 1)
    variant = Variant(name, case, stale, "system", option, form)
    rounds = variant.rounds(z, z, T)

    def on_tensors(x: Any, worker: int, draw: float) -> Any:
        # The gradient is the same Python arithmetic for both, so that only the rules differ.
        found = case.gradient(x.tolist(), worker, draw)
        return torch.tensor(found, dtype=torch.float64, device=device)

    x0 = np.array(case.x0)
    there = torch.tensor(case.x0, dtype=torch.float64, device=device)
    pairs = zip(
        run(variant.method(), x0, case.on_arrays, rounds),
        run(variant.method(), there, on_tensors, rounds),
        strict=True,
    )
    for left, right in pairs:
        assert left.model.tobytes() == right.model.cpu().numpy().tobytes()
        assert left == right
        assert str(right.model.device).startswith(device)


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 4097])
def test_the_inner_product_adds_in_one_order(size: int) -> None:
    chance = np.random.default_rng(size)
    g, dx = chance.normal(size=size), chance.normal(size=size)
    there = delay_compensated(torch.tensor(g), torch.tensor(dx), 0.3)
    assert delay_compensated(g, dx, 0.3).tobytes() == there.numpy().tobytes()


def test_a_prefix_and_its_mask_are_the_same() -> None:
    case, z = float_case(2), samples(2, 2)
    variant = Variant("wp", case, (True, True, False, False, False), "system", 3)
    masked = variant.method()
    assert isinstance(masked, SAPipe)
    rounds = variant.rounds(z, z, T)
    sliced = replace(masked, stale=2)
    x0 = torch.tensor(case.x0, dtype=torch.float64)

    def on_tensors(x: Any, worker: int, draw: float) -> Any:
        return torch.tensor(case.gradient(x.tolist(), worker, draw), dtype=torch.float64)

    assert list(run(masked, x0, on_tensors, rounds)) == list(run(sliced, x0, on_tensors, rounds))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_other_precisions_stay_what_they_are(dtype: str) -> None:
    kind = getattr(torch, dtype)
    method = Variant("dc", float_case(2), (True, False, True, False, False)).method()
    x0 = torch.ones(D, dtype=kind)
    last = list(run(method, x0, lambda x, worker, z: x / 2, [(None,) * 2] * 4))[-1]
    assert last.model.dtype is kind
    assert not torch.equal(last.model, x0)
    assert torch.equal(x0, torch.ones(D, dtype=kind))
