"""Recomputation and offloading: rules, what is kept, formats."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from schedules import Kind, Schedule, build, timeline
from schedules.analysis import byte_peaks, parse_sizes, peaks
from schedules.formats import read_document
from schedules.formats.pytorch_csv import parse_csv, write_csv
from schedules.formats.schedule_json import parse_json, write_json
from schedules.invariants import check, parse_requirements
from schedules.lowering import gather_parameters, lower
from schedules.timeline import Timeline
from schedules.validation.kept import not_kept

SIZES = "[default]\nweights = 1000\nactivations = 10\ncheckpoint = 1\n"


@pytest.mark.parametrize(
    ("order", "place"),
    [
        ("0F0,0OFFLOAD0,0B0", 3),
        ("0R0,0F0,0B0", 1),
        ("0F0,0R0,0R0,0B0", 3),
        ("0F0,0I0,0R0,0W0", 3),
        ("0F0,0RELOAD0,0B0", 2),
        ("0F0,0B0,0OFFLOAD0", 3),
        ("0F0,0OFFLOAD0,0R0,0B0", 3),
        ("0F0,0OFFLOAD0,0OFFLOAD0,0RELOAD0,0B0", 3),
        ("0F0,0I0,0OFFLOAD0,0W0", 4),
        ("0F0,0B0,0R0", 3),
        ("0F0,0R0,0OFFLOAD0,0RELOAD0,0R0,0B0", 5),
        ("0F0,0OFFLOAD1,0F1,0B0,0B1", 2),
    ],
)
def test_what_cannot_be_is_found_where_it_stands(order: str, place: int) -> None:
    report = check(parse_csv(order, "a.csv"))
    assert [found.invariant for found in report.violations] == ["causal"]
    assert report.violations[0].place == f"a.csv:row 1:cell {place}"


def test_the_remedy_mends() -> None:
    found = not_kept(parse_csv("0F0,0OFFLOAD0,0R0,0B0", "a.csv")).describe(0)
    assert found.fix == "add 0RELOAD0 before 0R0"
    assert check(parse_csv("0F0,0OFFLOAD0,0RELOAD0,0R0,0B0", "a.csv")).ok


def test_on_another_rank_there_is_nothing_to_run_again() -> None:
    report = check(parse_csv("0F0,0B0\n1F0,0R0,1B0", "a.csv"))
    assert not report.ok
    assert report.violations[0].place == "a.csv:row 2:cell 2"


def test_the_forward_runs_on_gathered_parameters() -> None:
    order = "0UNSHARD,0F0,0RESHARD,0R0,0UNSHARD,0B0,0RESHARD"
    assert "0R0 stands behind 0RESHARD" in check(parse_csv(order, "a.csv")).violations[0].message
    gathered = gather_parameters(parse_csv("0F0,1F0,1R0,1B0,0R0,0B0", "a.csv"), active=1)
    assert check(gathered).ok


def drawn(random_: random.Random) -> Schedule:
    """1F1B with recomputations and moves at random places where they may stand."""
    rows = []
    base = lower(build("1f1b", 3, 5)) if random_.random() < 0.5 else build("zb-h1", 3, 5)
    for rank in range(3):
        cells: list[str] = []
        for action in base.rank(rank):
            label = f"{action.stage}{{}}{action.microbatch}"
            if action.kind in (Kind.B, Kind.I):
                if label.format("OFFLOAD") in cells:
                    cells.append(label.format("RELOAD"))
                if random_.random() < 0.5:
                    cells.append(label.format("R"))
            cells.append(str(action))
            if action.kind in (Kind.F, Kind.I) and random_.random() < 0.5:
                cells.insert(len(cells), label.format("OFFLOAD"))
                if action.kind is Kind.I:
                    cells.append(label.format("RELOAD"))
        rows.append(",".join(cells))
    return parse_csv("\n".join(rows), "drawn.csv")


def kept_at(line: Timeline, rank: int, time: float) -> int:
    """Bytes of activations and checkpoints of a rank at a time, step by step."""
    schedule, total = line.schedule, 0
    mine = np.flatnonzero((schedule.rank_of_action == rank) & (schedule.microbatch >= 0))
    again = {
        (int(schedule.stage[i]), int(schedule.microbatch[i]))
        for i in mine[schedule.kind[mine] == Kind.R]
    }
    state: dict[tuple[int, int], str] = {}
    for i in mine.tolist():
        kind = Kind(int(schedule.kind[i]))
        label = (int(schedule.stage[i]), int(schedule.microbatch[i]))
        begun, done = line.start[i] <= time, line.end[i] <= time
        if kind is Kind.F and begun:
            state[label] = "checkpoint" if done and label in again else "whole"
        elif kind is Kind.R and begun:
            state[label] = "whole"
            again.discard(label)
        elif kind is Kind.OFFLOAD and done:
            state[label] = "away"
        elif kind is Kind.RELOAD and begun:
            state[label] = "checkpoint" if label in again else "whole"
        elif kind in (Kind.B, Kind.W) and done:
            state[label] = "away"
    for held in state.values():
        total += {"whole": 10, "checkpoint": 1, "away": 0}[held]
    return total


@pytest.mark.parametrize("seed", range(20))
def test_what_is_kept_is_what_a_run_keeps(seed: int) -> None:
    schedule = drawn(random.Random(seed))
    assert check(schedule).ok
    line = timeline(schedule)
    # Moves take no time: looked at between the times at which something happens.
    times = [time + 0.5 for time in range(line.length)]
    most = [max(kept_at(line, rank, time) for time in times) for rank in range(3)]
    assert list(byte_peaks(line, parse_sizes(SIZES, "s.toml")).activations) == most


def test_a_checkpoint_weighs_as_much_as_what_it_stands_for_unless_said() -> None:
    line = timeline(parse_csv("0F0,0F1,0R0,0B0,0R1,0B1", "a.csv"))
    unsaid = "[default]\nweights = 1000\nactivations = 10\n"
    assert byte_peaks(line, parse_sizes(unsaid, "s.toml")).activations == (20,)
    assert byte_peaks(line, parse_sizes(SIZES, "s.toml")).activations == (11,)
    assert peaks(line).activations_by_stage == (1,)
    assert line.length == 6
    assert not check(line.schedule, parse_requirements("in-flight<=1")).ok


def test_messages_do_not_mind() -> None:
    lowered = lower(parse_csv("0F0,0F1,0R0,0B0,0R1,0B1\n1F0,1B0,1F1,1B1", "a.csv"))
    assert check(lowered).ok


def test_written_and_read_back(tmp_path: Path) -> None:
    schedule = drawn(random.Random(3))
    for read in (
        parse_csv(write_csv(schedule), "a.csv"),
        parse_json(write_json(schedule), "a.json"),
    ):
        assert np.array_equal(read.kind, schedule.kind)
        assert np.array_equal(read.microbatch, schedule.microbatch)
    path = tmp_path / "a.csv"
    path.write_text(write_csv(schedule))
    assert np.array_equal(read_document(path).schedule.kind, schedule.kind)
