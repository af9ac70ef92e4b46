"""Timelines and delays against the RPD authors' own simulator.

`tests/data/oracle_rpd.json` holds what their public code printed; its first entry says in which
conventions. Nothing here was computed by this project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedules import Kind, Schedule, Steady, build, delays, steady, timeline, versions

ORACLE: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[1] / "data" / "oracle_rpd.json").read_text(encoding="utf-8")
)
PIPELINES = [int(p) for p in ORACLE["delay_stats"]]


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def localsgd(stages: int, jobs: int, replicas: int, local_steps: int) -> Schedule:
    return build("localsgd", stages, jobs, replicas=replicas, local_steps=local_steps)


def schedule_named(title: str) -> Schedule:
    """The schedule behind a title such as "lsgd p=4 M=16 n=4 K=2"."""
    family, *assignments = title.split()
    given = dict(word.split("=") for word in assignments)
    p, M = int(given["p"]), int(given["M"])
    if family == "lsgd":
        return localsgd(p, M, int(given["n"]), int(given["K"]))
    if family.startswith("noam"):
        return build("pipedream", p, M, noam=int(family.removeprefix("noam")))
    return build({"pd": "pipedream", "gpipe": "gpipe"}[family], p, M)


@pytest.mark.parametrize("title", ORACLE["timelines"])
def test_timeline_slot_for_slot(title: str) -> None:
    assert timeline(schedule_named(title)).rows() == ORACLE["timelines"][title]


def lengths() -> Iterator[Any]:
    tables = ORACLE["timeline_len"]
    makers = {
        "pd(p,M)->[T,idle_cells,total_cells]": lambda p, M: build("pipedream", p, M),
        "lsgd(p,M,n,K)->[T,idle,total]": localsgd,
        "gpipe_fill_drain(p,M)": lambda p, M: build("gpipe", p, M),
        "pd noam=1 (p,M)": lambda p, M: build("pipedream", p, M, noam=1),
    }
    assert set(makers) == set(tables)
    for title, table in tables.items():
        for sizes, expected in table.items():
            yield pytest.param(makers[title], numbers(sizes), expected, id=f"{title}:{sizes}")


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("make", "sizes", "expected"), list(lengths()))
def test_length_and_idle_slots(make: Any, sizes: list[int], expected: list[int]) -> None:
    line = timeline(make(*sizes))
    assert [line.length, line.idle, line.schedule.ranks * line.length] == expected


def budgets() -> Iterator[Any]:
    """(family, p, local steps, target, M, T): the smallest M that reaches a target."""
    for title, table in ORACLE["matched_budget"].items():
        if title.startswith("llm_target_2078"):
            for steps, (M, T) in table.items():
                yield budget("lsgd", 16, int(steps), 2078, M, T)
            continue
        target = int(title.split(":")[0].split()[-1])
        for p, entry in table.items():
            yield budget("pd", int(p), 0, target, *entry["pd"])
            yield budget("lsgd", int(p), 5, target, *entry["lsgd"])


def budget(family: str, p: int, steps: int, target: int, M: int, T: int) -> Any:
    marks = [pytest.mark.slow] if p > 4 else []
    name = f"{family}-p{p}-K{steps}-target{target}"
    return pytest.param(family, p, steps, target, M, T, id=name, marks=marks)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("family", "p", "steps", "target", "M", "T"), list(budgets()))
def test_fewest_microbatches_that_reach_a_budget(
    family: str, p: int, steps: int, target: int, M: int, T: int
) -> None:
    def length(microbatches: int) -> int:
        if family == "pd":
            return timeline(build("pipedream", p, microbatches)).length
        return timeline(localsgd(p, microbatches, p, steps)).length

    assert length(M) == T >= target
    assert length(M - 1) < target


@pytest.mark.parametrize("sizes", ORACLE["full_delays"])
def test_delay_matrix_row_for_row(sizes: str) -> None:
    found = delays(timeline(build("pipedream", *numbers(sizes))))
    expected = ORACLE["full_delays"][sizes]
    assert np.stack([found.stage, found.microbatch], axis=1).tolist() == expected["ops"]
    assert found.matrix.tolist() == expected["delays"]
    assert found.index.tolist() == list(range(len(expected["ops"])))


@pytest.mark.parametrize("stages", PIPELINES)
def test_delay_statistics(stages: int) -> None:
    expected = ORACLE["delay_stats"][str(stages)]
    line = timeline(build("pipedream", stages, expected["M"]))
    assert line.length == expected["T"]

    found = delays(line)
    rows = steady(found)
    assert isinstance(rows, Steady)
    assert (rows.max, rows.min) == (expected["steady_max"], expected["steady_min"])
    assert rows.rows.sum() == expected["steady_sum_over_period"]
    assert rows.mean == expected["steady_mean"]

    assert found.matrix.max() == expected["whole_run_max"]
    row, block = np.unravel_index(found.matrix.argmax(), found.matrix.shape)
    place = [row, found.stage[row], found.microbatch[row], block]
    assert place == expected["whole_run_argmax_k_stage_mb_block"]


@pytest.mark.parametrize("stages", PIPELINES)
def test_statistic_printed_in_the_paper(stages: int) -> None:
    """The paper looks at the second half of the sequence, which ends in the drain."""
    expected = ORACLE["delay_stats"][str(stages)]
    matrix = delays(timeline(build("pipedream", stages, expected["M"]))).matrix
    half = matrix[len(matrix) // 2 :]
    assert expected["paper_stat_second_half"] == {
        "mean": pytest.approx(float(half.mean()), abs=1e-9),
        "p10": float(np.percentile(half, 10)),
        "max": half.max(),
        "min": half.min(),
    }


@pytest.mark.parametrize("stages", [int(p) for p in ORACLE["steady_rows"]])
def test_steady_period(stages: int) -> None:
    """Two slots of the steady state: who is active on what, and with which delays."""
    expected = ORACLE["steady_rows"][str(stages)]
    line = timeline(build("pipedream", stages, ORACLE["delay_stats"][str(stages)]["M"]))
    found = delays(line)
    first, last = expected["slots"]
    slots = {
        (int(s), int(m)): int(slot)
        for s, m, kind, slot in zip(
            line.schedule.stage,
            line.schedule.microbatch,
            line.schedule.kind,
            line.start,
            strict=True,
        )
        if kind == Kind.B
    }
    events = [
        [slots[s, m] - first, s, m, row]
        for s, m, row in zip(
            found.stage.tolist(), found.microbatch.tolist(), found.matrix.tolist(), strict=True
        )
        if first <= slots[s, m] <= last
    ]
    assert events == expected["events"]


def test_local_staleness_of_eight_stages() -> None:
    expected = ORACLE["backward_staleness_p8"]
    staleness = versions(build("pipedream", 8, 80)).local_staleness
    assert [sorted(set(row)) for row in staleness[:, 8:72].tolist()] == (
        expected["per_stage_unique_steady"]
    )
    assert staleness.max(axis=1).tolist() == expected["whole_run_max"]
