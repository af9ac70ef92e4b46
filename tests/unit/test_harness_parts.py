"""The parts that a run is made of: optimizers, hashes, weight copies, recorder, messages, blame."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from gpu_validation.errors import MeasureError, NotRunnableError, RankState, SpecError, hang
from gpu_validation.event_log import EventLog, trace
from gpu_validation.hashing import content_hash
from gpu_validation.messages import Label, incoming
from gpu_validation.optimizers import OptimizerSpec, OptimizerState, update
from gpu_validation.orders import free_running, rule_of
from gpu_validation.stage import Stage
from gpu_validation.weights import Identities, Tag, WeightCopy, average
from schedules import Action, Kind, WeightPolicy, build
from schedules.errors import FormatError
from schedules.formats.trace import write_trace
from schedules.formats.trace_reader import parse_trace

STEPS = 7


def made(seed: int) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        "a": torch.randn(5, 3, generator=generator),
        "b": torch.randn(4, generator=generator),
    }


def torch_optimizer(spec: OptimizerSpec, weights: list[Tensor]) -> torch.optim.Optimizer:
    common: dict[str, Any] = {"lr": spec.lr, "foreach": False}
    adam = common | {"betas": spec.betas, "eps": spec.eps, "weight_decay": spec.weight_decay}
    if spec.name == "adamw":
        return torch.optim.AdamW(weights, **adam)
    if spec.name == "nadam":
        return torch.optim.NAdam(weights, **adam, decoupled_weight_decay=True)
    return torch.optim.SGD(weights, **common, momentum=spec.momentum * (spec.name == "momentum"))


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize("name", ["sgd", "momentum", "adamw", "nadam"])
def test_optimizers_equal_those_of_torch_to_the_bit(name: Any, decay: float) -> None:
    spec = OptimizerSpec(name, lr=0.03, weight_decay=decay)
    ours, state = made(0), OptimizerState()
    theirs = {key: tensor.clone().requires_grad_() for key, tensor in ours.items()}
    optimizer = torch_optimizer(spec, list(theirs.values()))
    for step in range(STEPS):
        gradients = made(1 + step)
        for key, tensor in theirs.items():
            if decay and name in ("sgd", "momentum"):
                # Torch couples it for these two; decoupled, it scales the weights beforehand.
                tensor.data.mul_(1 - spec.lr * decay)
            tensor.grad = gradients[key].clone()
        optimizer.step()
        ours, state = update(spec, ours, gradients, state)
        assert state.step == step + 1
        for key in ours:
            assert torch.equal(ours[key], theirs[key]), (step, key)


@pytest.mark.parametrize("name", ["sgd", "momentum", "adamw", "nadam"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_updates_are_out_of_place(name: Any, decay: float) -> None:
    weights, gradients, state = made(0), made(1), OptimizerState()
    spec = OptimizerSpec(name, weight_decay=decay)
    first, state = update(spec, weights, gradients, state)
    kept = {key: tensor.clone() for key, tensor in (state.first | {}).items()}  # type: ignore[operator]
    update(spec, first, made(2), state)
    for key, tensor in made(0).items():
        assert torch.equal(weights[key], tensor)
        assert torch.equal(gradients[key], made(1)[key])
        assert first[key].data_ptr() != weights[key].data_ptr()
    assert all(torch.equal(kept[key], state.first[key]) for key in kept)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "lion"}, {"lr": 0.0}, {"lr": float("nan")}, {"lr": float("inf")},
        {"momentum": 1.0}, {"betas": (0.9, 1.0)}, {"betas": (-0.1, 0.9)}, {"eps": 0.0},
        {"weight_decay": -1.0},
    ],
)  # fmt: skip
def test_optimizers_outside_the_domain(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError):
        OptimizerSpec(**wrong)


def test_hashes_depend_on_every_value_name_and_shape() -> None:
    one = made(0)
    assert content_hash(one) == content_hash({key: t.clone() for key, t in one.items()})
    changed = {**one, "a": one["a"].clone()}
    changed["a"][2, 1] += 1e-6
    others = [changed, {"a": one["a"], "c": one["b"]}, {**one, "a": one["a"].reshape(3, 5)}]
    assert len({content_hash(weights) for weights in [one, *others]}) == 4


def test_a_version_is_found_by_the_tensors_themselves() -> None:
    known = Identities()
    one, other = made(0), made(0)
    known.register(one, Tag(4))
    assert known.tag_of(one) == known.tag_of({"b": one["b"]}) == Tag(4)
    with pytest.raises(MeasureError, match="weights of one known version, found 1"):
        known.tag_of(other)
    known.register(other, Tag(5))
    with pytest.raises(MeasureError, match="weights of one known version, found 2"):
        known.tag_of({"a": one["a"], "b": other["b"]})
    del one, other
    gc.collect()
    assert known.alive() == set()


def copy_with(policy: WeightPolicy, gradients: int | None = 1) -> WeightCopy:
    forwards = [list(range(6))]
    return WeightCopy(made(0), policy, OptimizerSpec(lr=1.0), gradients, forwards)


def stepped(copy: WeightCopy, seed: int) -> None:
    copy.add(made(seed))
    for _, gradients in copy.due(0):
        copy.apply(gradients)


def test_old_versions_live_as_long_as_somebody_holds_them() -> None:
    copy = copy_with(WeightPolicy("stash"))
    held = copy.read(0, 0)
    stepped(copy, 1)
    stepped(copy, 2)
    assert copy.identities.alive() == {Tag(0), Tag(2)}
    assert copy.identities.tag_of(held) == Tag(0)
    del held
    assert copy.identities.alive() == {Tag(2)}


def test_versions_that_may_be_asked_for_are_kept() -> None:
    copy = copy_with(WeightPolicy("vertical-sync"))
    for seed in range(3):
        stepped(copy, seed)
    assert copy.identities.alive() == {Tag(v) for v in range(4)}
    copy.read(1, 2)
    # Microbatch 0 has not been here yet and may want any version.
    assert copy.identities.alive() == {Tag(v) for v in range(4)}
    copy.read(0, 1)
    assert copy.identities.alive() == {Tag(2), Tag(3)}
    with pytest.raises(MeasureError, match="the version that stage 0 read, but version 1 is not"):
        copy.read(2, 1)


def test_gradients_are_summed_until_the_update_and_left_as_they_were() -> None:
    copy = copy_with(WeightPolicy("stash", interval=3), gradients=3)
    gradients = [made(seed) for seed in (1, 2, 3)]
    complete = []
    for one in gradients:
        copy.add(one)
        complete.append(copy.complete)
    assert complete == [False, False, True]
    ((cause, total),) = copy.due(8)
    assert cause == 8
    for key in total:
        assert torch.equal(total[key], gradients[0][key] + gradients[1][key] + gradients[2][key])
        assert all(torch.equal(g[key], made(1 + i)[key]) for i, g in enumerate(gradients))
    assert not copy.complete


def test_an_update_without_gradients_makes_an_equal_version() -> None:
    copy = copy_with(WeightPolicy("stash"), gradients=None)
    assert not copy.complete
    ((_, zeros),) = copy.due(0)
    before = copy.newest
    copy.apply(zeros)
    assert copy.current == 1
    assert all(torch.equal(before[key], copy.newest[key]) for key in before)


def test_extrapolation() -> None:
    copy = copy_with(WeightPolicy("predict", horizon=2))
    assert copy.read(0, 0) is copy.newest
    stepped(copy, 1)
    ahead = copy.read(1, 0)
    assert ahead is copy.read(2, 0)
    assert copy.identities.tag_of(ahead) == Tag(1, horizon=2)
    for key, start in made(0).items():
        assert torch.allclose(ahead[key], start - 3 * made(1)[key], atol=1e-6)


def test_averages_replace_weights_without_a_new_number() -> None:
    copies = [copy_with(WeightPolicy("stash")) for _ in range(2)]
    stepped(copies[0], 1)
    stepped(copies[1], 2)
    before, value = copies[0].newest["a"], copies[0].newest["a"].detach().clone()
    expected = (copies[0].newest["a"] + copies[1].newest["a"]) / 2
    average(copies)
    assert torch.equal(before, value)
    assert [copy.current for copy in copies] == [1, 1]
    for copy in copies:
        assert copy.identities.tag_of(copy.newest) == Tag(1, averages=1)
        assert torch.equal(copy.newest["a"], expected)
    assert copies[0].newest["a"].data_ptr() != copies[1].newest["a"].data_ptr()


def test_the_first_stage_computes_no_gradient_of_its_input_and_stashes_no_clone() -> None:
    module = nn.Linear(3, 4)
    weights = {name: tensor.detach() for name, tensor in module.named_parameters()}
    for number in (0, 1):
        copy = WeightCopy(weights, WeightPolicy("stash"), OptimizerSpec(), 1)
        stage = Stage(number, 3, module, copy, keeps_version=True)
        output, used = stage.forward(0, torch.ones(2, 3), None, 0)
        assert all(used[name] is weights[name] for name in weights)
        gradient, used = stage.backward(0, torch.ones_like(output))
        assert all(used[name] is weights[name] for name in weights)
        assert (gradient is None) == (number == 0)
        assert not stage.stash


def test_recording_keeps_what_is_given_and_reads_it_at_the_end() -> None:
    recorder, asked = EventLog(0), []
    later = lambda: asked.append(1) or "found"  # type: ignore[func-returns-value]  # noqa: E731
    recorder.add(Kind.F, Action(Kind.F, 0, 3), 5, {"hash": later, "current": 2}, version=2)
    assert not asked
    assert (recorder.last, recorder.count) == ("0F3", 1)
    (event,) = recorder.finish()
    assert (event.extra["hash"], event.extra["current"], event.version) == ("found", 2, 2)
    assert event.start_ns == 5 < event.end_ns
    (event,) = recorder.finish(failed=True)
    assert "hash" not in event.extra
    assert event.extra["current"] == 2


def test_logs_of_two_runs_do_not_mix() -> None:
    schedule = build("naive", 1, 1)
    recorder = EventLog(0)
    recorder.add(Kind.F, Action(Kind.F, 0, 0), 0, {}, version=0)
    one, other = (write_trace(trace(schedule, [recorder.finish()], run)) for run in (1, 2))
    assert len(parse_trace(one + one.splitlines()[1] + "\n", "run").schedule) == 2
    with pytest.raises(FormatError, match="a header that comes again is the same"):
        parse_trace(one + other, "runs")


def test_incoming_messages() -> None:
    schedule = build("zbv", 2, 1)
    found = [[str(label) for label in incoming(schedule, rank)] for rank in range(2)]
    # Stages 1 and 2 share rank 1, so that nothing travels between them.
    assert found == [["2SEND_F0", "1SEND_B0"], ["0SEND_F0", "3SEND_B0"]]
    rounds = build("localsgd", 2, 2, replicas=1, local_steps=2)
    assert [str(label) for label in incoming(rounds, 1)][-1] == "1REDUCE1"
    assert str(Label(Kind.SEND_B, 1, 2, 3)) == "1SEND_B2@3"


def test_who_waits_is_not_to_blame_unless_all_do() -> None:
    waits = RankState(0, "0F1", "waits for 1SEND_B0 of rank 1", True)
    busy = RankState(1, "1F0", "does 1F1", False)
    assert hang([waits, busy], 2.0).rank == 1
    both = hang([waits, RankState(1, "none", "waits for 0SEND_F2 of rank 0", True)], 2.0)
    assert both.rank == -1
    assert both.where == "rank 0 and rank 1"
    assert "these ranks wait for each other" in both.fix


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        (0, "1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3"),
        # No gradient comes before three forwards are done: then the two kinds take turns.
        (3, "1F0 1F1 1F2 1B0 1F3 1B1 1B2 1B3"),
    ],
)
def test_a_free_rank_follows_the_rule(late: int, expected: str) -> None:
    done: list[Action] = []

    class Ready:
        rank = 1

        def ready(self, label: Label) -> bool:
            return label.kind is Kind.SEND_F or len(done) >= late

    order = free_running(build("pipedream", 3, 4), Ready())  # type: ignore[arg-type]
    for action in order:
        done.append(action)  # noqa: PERF402 - the rule looks at what is done so far
    assert " ".join(map(str, done)) == expected


def test_the_bound_of_a_rule() -> None:
    assert rule_of(build("pipedream", 3, 6))[1] == 3
    with pytest.raises(NotRunnableError):
        rule_of(build("zb-h1", 2, 4))


@pytest.mark.parametrize("name", ["", ".run", ".spec", ".event_log", ".transports", ".faults"])
def test_describing_a_run_does_not_import_torch(name: str) -> None:
    code = f"import sys, gpu_validation{name}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
