"""Communication share and overlap of real runs, in the report and in the published table."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from gpu_validation import communication, profiling, seed_table  # noqa: E402
from gpu_validation.cli import main  # noqa: E402
from gpu_validation.communication import shares  # noqa: E402
from gpu_validation.errors import RankError  # noqa: E402
from gpu_validation.faults import Fault  # noqa: E402
from gpu_validation.intervals import Plain  # noqa: E402
from gpu_validation.measure import measure  # noqa: E402
from gpu_validation.models import ModelSpec  # noqa: E402
from gpu_validation.profiling import SEND, WAIT  # noqa: E402
from gpu_validation.report import lines, of_measurement  # noqa: E402
from gpu_validation.run import RunResult, RunSpec, run  # noqa: E402
from schedules import build  # noqa: E402
from schedules.actions import MESSAGES  # noqa: E402

NOT_MEASURED = "not measured"
PIPEDREAM = RunSpec(build("pipedream", 2, 6))
SLOW = replace(PIPEDREAM, jitter=0.01, profile=True)
"""Pauses of milliseconds beside which what the profiler itself takes is little."""


def in_messages(result: RunResult) -> list[int]:
    """Nanoseconds that each rank has spent in receives and sends, by the log."""
    trace = result.trace
    taken = np.where(
        np.isin(trace.schedule.kind, list(MESSAGES)), trace.timeline.end - trace.timeline.start, 0
    )
    ranks = range(trace.schedule.ranks)
    return [int(taken[trace.schedule.rank_of_action == rank].sum()) for rank in ranks]


def time_of(intervals: Plain) -> int:
    return sum(end - start for start, end in intervals)


# Real runs


def test_waits_of_a_profile_are_those_of_its_log() -> None:
    result = run(SLOW)
    assert [profile.rank for profile in result.profiles] == [0, 1]
    for profile, logged in zip(result.profiles, in_messages(result), strict=True):
        assert time_of(profile.communication) == pytest.approx(logged, rel=0.2, abs=5e6)
        assert time_of(profile.computation) > 0
        start, end = profile.run
        assert start <= profile.communication[0][0] < profile.communication[-1][1] <= end


def test_ranks_that_take_turns_wait_for_each_other() -> None:
    model = ModelSpec(width=256, depth=4, batch=64)
    result = run(replace(PIPEDREAM, schedule=build("naive", 2, 6), model=model, profile=True))
    found = shares(result.profiles, result.profiles, "threads")
    assert found.share is not None
    assert found.overlap_any is not None
    assert found.share > Fraction(1, 4)
    # While one waits the other computes, if the machine lets it.
    assert found.overlap_any > Fraction(1, 10)


def test_a_free_run_waits_as_well() -> None:
    result = run(replace(SLOW, order="free-running"))
    talking = sum(time_of(profile.communication) for profile in result.profiles)
    # It waits for anything to become ready, which is in no receive of the log.
    assert talking > sum(in_messages(result)) + 3e6


def test_a_run_without_it_leaves_no_profile() -> None:
    assert run(PIPEDREAM).profiles == ()
    assert profiling.marker(False)(WAIT) is profiling.marker(False)(SEND)


def test_an_older_torch_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def older(**_: object) -> None:
        raise TypeError("incompatible constructor arguments")

    monkeypatch.setattr("torch._C._profiler._ExperimentalConfig", older)
    found = of_measurement(measure(PIPEDREAM, profile=True))["measured"]["communication"]
    assert found["share"] == found["ranks"][0]["share"] == NOT_MEASURED
    assert "version of torch" in found["why_not"]["share"]


def test_the_profiler_is_off_again_after_a_failure() -> None:
    with pytest.raises(RankError):
        run(replace(PIPEDREAM, profile=True, fault=Fault("error", 1, 2)))
    assert len(run(replace(PIPEDREAM, profile=True)).profiles) == 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("transport", ["gloo", "torch"])
def test_processes_show_messages_under_way(transport: str) -> None:
    spec = replace(PIPEDREAM, transport=transport, model=ModelSpec(width=512, batch=256))
    result = run(replace(spec, profile=True))
    found = communication.described(result.profiles, 2, transport, "cpu", "missing")
    for part in (found, *found["ranks"]):
        assert 0 < part["share"] <= 1
        assert 0 <= part["overlap"] <= 1
        assert set(part["why_not"]) == {"overlap_any"}
    # A send is under way longer than it takes to hand it over: some computation runs meanwhile.
    assert found["overlap"] > 0


# Report


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return of_measurement(measure(PIPEDREAM, repeats=2, profile=True))


def test_the_profiled_run_is_none_of_the_measured(result: dict[str, Any]) -> None:
    measured = result["measured"]
    assert measured["runs"] == 2
    assert "one more run" in measured["communication"]["run"]
    assert result["agree"]
    assert [part["rank"] for part in measured["communication"]["ranks"]] == [0, 1]
    assert all(0 < part["share"] < 1 for part in measured["communication"]["ranks"])
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize(("cores", "noted"), [(1, True), (2, False), (None, False)])
def test_ranks_that_share_cores_are_noted(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, noted: bool
) -> None:
    monkeypatch.setattr("gpu_validation.environment.cores", lambda: cores)
    found = of_measurement(measure(PIPEDREAM, profile=True))["measured"]["communication"]
    assert ("note" in found) is noted


def test_the_profiled_run_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(spec: RunSpec, *others: Any, **named: Any) -> RunResult:
        fault = Fault("dropped-update", 0, 2) if spec.profile else spec.fault
        return run(replace(spec, fault=fault), *others, **named)

    monkeypatch.setattr("gpu_validation.measure.run", faulty)
    assert measure(PIPEDREAM).agree
    found = measure(PIPEDREAM, profile=True)
    assert not found.agree
    assert all(control.caught for control in found.controls)


def test_text_says_what_was_not_measured_and_why(result: dict[str, Any]) -> None:
    text = "\n".join(lines(result))
    assert f"communication: {result['measured']['communication']['share']:.1%} of the run" in text
    assert f"while the same rank computes: not measured ({communication.ONE_THREAD})" in text


def test_without_the_option_the_report_names_it() -> None:
    result = of_measurement(measure(PIPEDREAM))
    found = result["measured"]["communication"]
    assert found["share"] == NOT_MEASURED
    assert "--profile" in found["why_not"]["overlap"]
    assert "run" not in found
    assert "  communication: not measured (no run was profiled; add --profile)" in list(
        lines(result)
    )


def test_a_log_from_elsewhere_cannot_be_profiled(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gpipe", "-p", "2", "--check", "a.jsonl", "--profile", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["where"] == "--profile"


@pytest.mark.parametrize(("ranks", "cores"), [(4, 2), (4, None), (2, 1)])
def test_the_published_table_has_no_shares_of_stages_that_share_cores(
    ranks: int, cores: int | None
) -> None:
    row = seed_table.PUBLISHED[0]
    found = seed_table.profiled(seed_table.specification(row, ranks, 8, ModelSpec()), cores)
    assert found.share is None
    assert f"{ranks} ranks share" in found.why_not["share"]


@pytest.mark.slow
def test_the_published_table_has_shares_where_stages_run_side_by_side() -> None:
    row = next(row for row in seed_table.PUBLISHED if row.schedule == "gpipe")
    model = ModelSpec("transformer", width=16, batch=2)
    found = seed_table.profiled(seed_table.specification(row, 2, 4, model), 2)
    rows = seed_table.rows({}, {("scratch", "gpipe"): found}, {})
    assert found.overlap is not None
    assert rows[1]["measured"]["overlap"] == round(float(found.overlap), 6)
    assert rows[1]["measured"]["communication_share"] != NOT_MEASURED
    assert rows[1]["measured"]["compute_utilisation"] != NOT_MEASURED
    assert rows[2]["measured"]["communication_share"] == NOT_MEASURED


# Devices


@pytest.mark.gpu
def test_streams_of_one_gpu_show_no_communication() -> None:
    found = of_measurement(measure(replace(PIPEDREAM, device="cuda"), 1, 1e-3, profile=True))
    seen = found["measured"]["communication"]
    assert seen["share"] == NOT_MEASURED
    assert "by reference" in seen["why_not"]["share"]


@pytest.mark.gpu
def test_kernels_of_a_real_device_are_sorted() -> None:
    spec = replace(PIPEDREAM, transport="nccl", device="cuda", profile=True)
    a = torch.ones(512, 512, device="cuda")
    with profiling.of_rank(spec, 0) as found:
        for _ in range(4):
            a = a @ a.clone()
    [profile] = found
    assert profile.communication == ()
    assert 0 < time_of(profile.computation) <= profile.run[1] - profile.run[0]


@pytest.mark.gpu
def test_nccl_shows_kernels() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("NCCL wants a GPU of its own for every rank")
    result = run(replace(PIPEDREAM, transport="nccl", device="cuda", profile=True))
    found = communication.described(result.profiles, 2, "nccl", "cuda", "missing")
    for part in (found, *found["ranks"]):
        assert 0 < part["share"] <= 1
        assert 0 < part["computation"] <= 1
        assert not math.isnan(part["overlap"])
