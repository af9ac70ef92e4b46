"""Experiments on training: late updates, compensations, corrections, and verdicts that can fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpu_validation.models import ModelSpec
from gpu_validation.optimizers import OptimizerSpec
from gpu_validation.repeatable import one_torch_thread
from gpu_validation.run import run as run_in_processes
from gpu_validation.single_thread import replay
from gpu_validation.spec import RunSpec
from schedules import WeightPolicy, build, versions
from schedules.actions import Kind
from schedules.errors import ParameterError
from schedules.methods import DelayedNesterov, DistributedSGD, GradientError, PipeSGD, SAPipeWP
from staleproof.errors import UsageError
from staleproof.experiments.corrections import Corrected, Correction, extrapolation
from staleproof.experiments.data import NETWORKS, digits, text
from staleproof.experiments.momentum import Polyak
from staleproof.experiments.replay import microbatches_in
from staleproof.experiments.shipped import (
    amdp,
    compensation,
    delay_correction,
    delayed_nesterov,
    from_scratch,
    pd_vs_localsgd,
)
from staleproof.experiments.tasks import Classifier
from staleproof.experiments.training import Plain, _Trainer, train
from tests.harness import same_weights
from theory.falsifier.zoo import two_by_block
from theory.papers.nesterov.runs.delayed import Delayed, run


@pytest.mark.parametrize("tau", [0, 1, 2, 5])
def test_late_nesterov_is_the_run_that_the_proofs_are_about(tau: int) -> None:
    problem, eta = two_by_block(2), Fraction(1, 3)
    expected = run(problem, Delayed(eta, tau, Fraction(2)), 9).points
    method = DelayedNesterov(1, eta, tau)
    state = method.start(np.array([Fraction(x) for x in problem.start], dtype=object))
    found = [tuple(state.model)]
    for _ in range(9):
        (point,) = method.points(state)
        gradient = np.array(problem.gradient(tuple(point)), dtype=object)
        state = method.step(state, [gradient])
        found.append(tuple(state.model))
    assert found == list(expected)
    assert len(state.held or ()) == tau


def test_late_nesterov_refuses_what_does_not_fit() -> None:
    with pytest.raises(ParameterError, match="a delay is a whole number"):
        DelayedNesterov(1, 0.1, -1)
    with pytest.raises(ParameterError, match="at rest"):
        DelayedNesterov(1, 0.1, 1).start(np.zeros(1), [np.zeros(1)])
    other = PipeSGD(1, 0.1).start(np.zeros(1))
    with pytest.raises(GradientError, match=r"its own start"):
        DelayedNesterov(1, 0.1, 1).step(other, [np.zeros(1)])


def test_a_classifier_has_the_gradient_of_its_loss() -> None:
    rng = np.random.default_rng(0)
    net = Classifier(rng.standard_normal((6, 3)), np.array([0, 1, 2, 0, 1, 2]), 4)
    w, rows = net.start(0), np.array([0, 2, 3])
    for j in range(0, len(w), 7):
        e = np.zeros(len(w))
        e[j] = 1e-6
        rise = (net.loss(w + e, rows) - net.loss(w - e, rows)) / 2e-6
        assert net.gradient(w, rows)[j] == pytest.approx(rise, abs=1e-7)


def test_training_is_a_run_in_processes_to_the_bit_and_watches_the_delay() -> None:
    schedule, model = build("asyncpp", 2, 4), ModelSpec(f"{NETWORKS}:characters")
    optimizer = OptimizerSpec("sgd", lr=0.05)
    with one_torch_thread():
        trainer = _Trainer(schedule, model, Plain(optimizer))
        for position, index in enumerate(trainer.order):
            trainer.do(index, position)
    spec = RunSpec(schedule, "gloo", model=model, optimizer=optimizer, timeout=60.0)
    trained = {key: {name: w.detach().numpy() for name, w in copy.newest.items()}
               for key, copy in trainer.copies.items()}  # fmt: skip
    assert same_weights(run_in_processes(spec).weights, trained)
    fresh = replace(schedule, policy=WeightPolicy("latest"))
    assert not same_weights(trained, replay(fresh, model, optimizer))
    staleness = versions(schedule).local_staleness[0]
    assert [gap > 0 for gap in trainer.trained.gaps] == (staleness > 0).tolist()


def test_copies_of_both_directions_stay_alike_if_one_owner_updates_them() -> None:
    def copies(**settings: int) -> list[list[Any]]:
        schedule = build("amdp", 4, 16, **settings)
        trainer = _Trainer(schedule, ModelSpec(f"{NETWORKS}:images"), Plain(OptimizerSpec("sgd")))
        for position, index in enumerate(trainer.order):
            trainer.do(index, position)
        return [[copy.newest for key, copy in trainer.copies.items() if key[0] == stage]
                for stage in range(4)]  # fmt: skip

    def alike(stage: list[Any]) -> bool:
        return all(bool((stage[0][name] == w).all()) for name, w in stage[1].items())

    assert all(map(alike, copies(window=2, zero=1)))
    assert not any(map(alike, copies(window=2)))
    (start, _), *_ = copies(window=8, zero=1)  # no window is filled before the end
    (moved, _), *_ = copies(window=2, zero=1)
    assert not alike([start, moved])


class Counting(Plain):
    """Plain steps, counted by stage; both copies of a stage take one."""

    def step(self, seen: Any, weights: Any, gradients: Any, state: Any) -> Any:
        STEPS[seen.stage] += 1
        return super().step(seen, weights, gradients, state)


STEPS: Counter[int] = Counter()


@pytest.mark.parametrize(("window", "most"), [(4, 1), (1, 3)])
def test_windows_keep_gradients_of_all_pipelines_one_step_late(window: int, most: int) -> None:
    schedule = build("amdp", 8, 32, window=window, zero=1)
    trainer = _Trainer(schedule, ModelSpec(f"{NETWORKS}:images"), Counting(OptimizerSpec("sgd")))
    STEPS.clear()
    at, late = {}, []
    for position, index in enumerate(trainer.order):
        action = schedule.action(index)
        if action.kind is Kind.F:
            at[action.stage, action.microbatch] = STEPS[action.stage]
        if action.kind is Kind.B:
            late.append(STEPS[action.stage] - at[action.stage, action.microbatch])
        trainer.do(index, position)
    assert max(late) == 2 * most


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_with_one_worker_weights_are_predicted_with_their_momentum(momentum: float) -> None:
    def run(method: Any, rounds: int) -> Any:
        state = method.start(np.array([8.0, -3.0]))
        for _ in range(rounds):
            state = method.step(state, [np.sin(point) for point in method.points(state)])
        return state.model

    ahead = run(Polyak(SAPipeWP(1, 0.3, 1), 0.3, momentum), 9)
    assert ahead == pytest.approx(run(Polyak(DistributedSGD(1, 0.3), 0.3, momentum), 8), abs=1e-12)
    late = run(Polyak(PipeSGD(1, 0.3), 0.3, momentum), 9)
    assert abs(late - ahead).max() > 1e-3


@pytest.mark.parametrize(
    "settings",
    [{"discount": True}, {"forecast": "second-order"}, {"forecast": "polynomial"},
     {"estimate": True}, {"damped": False}, {"spread": 2}],
)  # fmt: skip
def test_every_correction_changes_a_run_with_delays(settings: dict[str, Any]) -> None:
    optimizer = OptimizerSpec("adamw", lr=0.01)
    family = "pipemare" if settings.get("estimate") else "asyncpp"
    model, stages = ModelSpec(f"{NETWORKS}:images"), 4

    def losses(**chosen: Any) -> list[float]:
        rule = Corrected(Correction(optimizer, 20, **chosen))
        return train(build(family, stages, 20), model, rule).losses

    plain, corrected = losses(), losses(**settings)
    assert plain[0] == corrected[0]
    assert plain[-1] != corrected[-1]
    assert np.isfinite(corrected).all()


def test_what_is_extrapolated_is_a_parabola_and_a_period() -> None:
    t = np.arange(8)
    rest = np.cos(2 * np.pi * 2 * t / 8)
    rest -= np.polyval(np.polyfit(t, rest, 2), t)
    assert extrapolation(8, 2) @ (3 * t**2 - t + rest) == pytest.approx(3 * 81 - 9 + rest[1])


def test_data_are_packaged_or_ones_own(tmp_path: Path) -> None:
    assert text()[:27] == "in the beginning god create"
    file = tmp_path / "own.txt"
    file.write_text("Ab 1 " * 5000)
    assert text(str(file))[:7] == "ab ab a"
    short = tmp_path / "short.txt"
    short.write_text("short")
    with pytest.raises(UsageError, match="10,000 characters"):
        text(str(short))
    np.savez(tmp_path / "own.npz", x=np.ones((4, 2, 2)), y=np.arange(4))
    assert digits(str(tmp_path / "own.npz"))[0].shape == (4, 4)
    with pytest.raises(UsageError, match=r"an \.npz"):
        digits(str(file))


@pytest.mark.parametrize(("period", "rate"), pd_vs_localsgd.AUTHORS)
def test_the_tridiagonal_quadratic_is_that_of_the_authors(period: int, rate: float) -> None:
    cell = {"objective": "quadratic", "period": period, "seeds": 1, "jobs": 600, "rate": rate}
    paper = pd_vs_localsgd.AUTHORS[period, rate]
    assert pd_vs_localsgd.compute(cell)["final"][0] == pytest.approx(paper, rel=1e-9)


@pytest.mark.parametrize(
    ("slots", "family", "p", "settings", "jobs"),
    [(814, "pipedream", 8, {}, 400), (1230, "pipedream", 16, {}, 600),
     pytest.param(2078, "localsgd", 16, {"local_steps": 5}, 874, marks=pytest.mark.slow)],
)  # fmt: skip
def test_time_is_shared_out_as_published(
    slots: int, family: str, p: int, settings: dict[str, int], jobs: int
) -> None:
    assert microbatches_in(slots, family, p, **settings) == jobs


def late_runs(safe: float, slow: bool, step: str = "1/β") -> list[tuple[Any, Any]]:
    """Every run at 1/(4τβ) at so many times its bound; whether a step gets slow from τ = 2."""
    return [
        (cell, {"windows": [1.0] * 5, "squared": 1.0, "early": 0.1 + safe * (cell["tau"] or 0.5),
                "late": 1e9 if slow and cell["tau"] > 1 and cell["step"] == step else 0.0})
        for cell in delayed_nesterov.cells(True)
    ]  # fmt: skip


def test_late_nesterov_verdict_can_fail() -> None:
    assert delayed_nesterov.conclude(late_runs(0.5, False)).verdict == "reproduced"
    assert delayed_nesterov.conclude(late_runs(0.5, True)).verdict == "reproduced with a change"
    assert delayed_nesterov.conclude(late_runs(1.5, True)).verdict == "not reproduced"
    slow = late_runs(0.5, True, "1/(4τβ)")
    assert delayed_nesterov.conclude(slow).verdict == "not reproduced"
    cell = {"tau": 2, "step": "1/β", "f": "Huber", "doublings": 8}
    assert delayed_nesterov.compute(cell)["late"] > delayed_nesterov.compute(cell)["early"]


def compensated(stale: float, repaired: float, own: float) -> list[tuple[Any, Any]]:
    """Loss 1 for synchronous SGD at the first rate; the others there, and `own` at all others."""
    loss = dict.fromkeys(compensation.METHODS, stale) | {"WP-1": repaired, "synchronous": 1.0}
    return [
        ({"problem": problem, "data_of": shares, "method": m, "lambda": 0.2, "seed": 0},
         {"loss": [loss[m], *[max(own, loss[m] if m == "WP-1" else own)] * (len(rates) - 1)],
          "right": [0.5] * len(rates)})
        for problem, rates in compensation.RATES.items()
        for shares in ("equal", "unequal") for m in loss
    ]  # fmt: skip


def test_a_compensation_has_to_repair_something() -> None:
    assert compensation.conclude(compensated(3.0, 1.5, 9.0)).verdict == "reproduced"
    assert compensation.conclude(compensated(3.0, 2.5, 9.0)).verdict == "not reproduced"
    assert compensation.conclude(compensated(0.9, 0.5, 9.0)).verdict == "not reproduced"
    tuned = compensation.conclude(compensated(3.0, 1.9, 1.95))
    assert tuned.verdict == "reproduced with a change"


def test_a_compensation_cell_of_a_divergent_rate_is_infinite(monkeypatch: Any) -> None:
    monkeypatch.setitem(compensation.RATES, "quadratic", np.array([0.1, 1e300]))
    cell = {"problem": "quadratic", "data_of": "equal", "method": "DC", "lambda": 0.2, "seed": 0,
            "rounds": 30}  # fmt: skip
    low, high = compensation.compute(cell)["loss"]
    assert 0 < low < 100
    assert high == float("inf")


def corrected(**ends: float) -> list[tuple[Any, Any]]:
    end = dict.fromkeys(delay_correction.METHODS, 3.0) | {"Ours": 1.0} | ends
    cosine = {"Ours": 0.9}
    return [({"method": m}, {"rate": 1, "tuning": [], "losses": [[value]], "end": [value],
                             "gap": [value], "cosine": [cosine.get(m, 0.5)]})
            for m, value in end.items()]  # fmt: skip


def test_their_method_has_to_lead() -> None:
    assert delay_correction.conclude(corrected()).verdict == "reproduced"
    assert delay_correction.conclude(corrected(GPipe=0.5)).verdict == "reproduced with a change"
    assert delay_correction.conclude(corrected(XPipe=0.5)).verdict == "not reproduced"
    assert delay_correction.conclude(corrected(**{"NAG-Base": 0.5})).verdict == "not reproduced"


def throughputs(own: float, late: float, scheme: float = 1.0) -> list[tuple[Any, Any]]:
    speed = {"amdp": own, "2bw": 0.9, "interleaved": {str(m): 0.8 for m in (4, 8, 16, 32)}}
    found = [({"d": d, "durations": name}, speed) for d in amdp.DEPTHS for name in amdp.DURATIONS]
    end = dict.fromkeys(amdp.METHODS, 2.0) | {amdp.SYNC: 1.0, amdp.OURS: late}
    end |= {amdp.SYNC_8: 1.2, amdp.SCHEME: 1.2 * scheme}
    return found + [({"method": m, "rate": 0.1, "seed": 0}, [end[m]]) for m in end]


def test_both_tables_have_to_hold() -> None:
    assert amdp.conclude(throughputs(0.95, 1.1)).verdict == "reproduced"
    assert amdp.conclude(throughputs(0.85, 1.1)).verdict == "not reproduced"
    assert amdp.conclude(throughputs(0.95, 1.9)).verdict == "not reproduced"
    assert amdp.conclude(throughputs(0.95, 1.1, 1.5)).verdict == "not reproduced"
    ours = amdp.throughput(4, "B = 2F")
    assert 0.8 < ours["amdp"] < ours["2bw"]  # it does not saturate its ranks


def sharing(**ratios: float) -> list[tuple[Any, Any]]:
    return [({"objective": what, "period": h},
             {"final": [ratios.get(what, 1.0) if h else 1.0], "rate": 1.0, "jobs": 1})
            for what in pd_vs_localsgd.RATES for h in (0, 2)]  # fmt: skip


def test_each_objective_has_its_winner() -> None:
    every = sharing(quadratic=2, logistic=0.5, Transformer=2)
    assert pd_vs_localsgd.conclude(every).verdict == "reproduced"
    two = sharing(quadratic=2, logistic=2, Transformer=2)
    assert pd_vs_localsgd.conclude(two).verdict == "reproduced with a change"
    assert pd_vs_localsgd.conclude(sharing(quadratic=0.5)).verdict == "not reproduced"


def measured(one: float, unit: float) -> list[tuple[Any, Any]]:
    row = {"device": "cpu", "transport": "gloo", "predicted": 0.2, "idle": None, "share": 0.3}
    kept = {"naive": (10.0, 0.5), "gpipe": (9.0, 0.2), "1f1b": (one, unit)}
    return [({}, {f"2 {name}": {**row, "memory": memory, "unit": bubble}
                  for name, (memory, bubble) in kept.items()})]  # fmt: skip


def test_memory_has_to_shrink() -> None:
    assert from_scratch.conclude(measured(4.0, 0.1)).verdict == "reproduced"
    assert from_scratch.conclude(measured(4.0, 0.2)).verdict == "reproduced with a change"
    assert from_scratch.conclude(measured(9.5, 0.1)).verdict == "not reproduced"
