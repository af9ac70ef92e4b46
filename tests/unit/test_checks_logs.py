"""Reading logs, measured memory, and the published table beside what was measured."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from gpu_validation import seed_table
from gpu_validation.capacity import memory_by_stage
from gpu_validation.checks import observed
from gpu_validation.checks.observed import Content, rounds_before
from gpu_validation.controls import CONTROLS, other_order
from gpu_validation.files import require_writable, write_text
from gpu_validation.logs import final_digests, read_log
from gpu_validation.models import ModelSpec
from gpu_validation.prediction import predict
from gpu_validation.run import RunSpec, run
from schedules import Action, Kind, build, timeline
from schedules.errors import ScheduleError
from schedules.formats.trace import write_trace
from tests.run_logs import content, event, faithful_log, with_extra


def test_what_a_log_says_is_read_as_it_is() -> None:
    seen = observed(faithful_log(build("pipedream", 2, 4)))
    assert [str(action) for action in seen.schedule.rank(0)] == [
        "0F0", "0F1", "0B0", "0F2", "0B1", "0F3", "0B2", "0B3",
    ]  # fmt: skip
    assert seen.version.tolist()[:8] == [0, 0, 0, 1, 0, 2, 1, 2]
    assert seen.current.tolist()[:8] == [0, 0, 0, 1, 1, 2, 2, 3]
    assert seen.updated.tolist()[:8] == [False, False, True, False, True, False, True, True]
    assert seen.created[Content(0, 2)] == content(0, 2)
    assert seen.hosts == ("here",)
    assert not seen.partial


def test_an_average_makes_other_content_of_the_same_version() -> None:
    schedule = build("localsgd", 1, 4, replicas=1, local_steps=2)
    seen = observed(faithful_log(schedule))
    assert seen.version.tolist() == [0, 0, 1, 1, -1, 2, 2, 3, 3, -1]
    assert seen.rounds.tolist() == rounds_before(schedule).tolist()
    assert Content(0, 2, 0) in seen.created
    assert Content(0, 3, 1) in seen.created


def test_final_weights_of_a_log_are_those_of_its_last_updates() -> None:
    result = run(RunSpec(build("pipedream", 2, 4)))
    assert final_digests(result.trace) == result.digests


def test_nothing_is_said_of_weights_that_were_averaged_last() -> None:
    averaged = build("localsgd", 1, 4, replicas=1, local_steps=2)
    assert final_digests(faithful_log(averaged)) == {}
    going_on = build("localsgd", 1, 3, replicas=1, local_steps=2)
    assert list(final_digests(faithful_log(going_on))) == [(0, 0)]


def test_a_log_of_two_ranks_can_be_put_together(tmp_path: Path) -> None:
    schedule = build("pipedream", 2, 4)
    header, *lines = write_trace(faithful_log(schedule)).splitlines(keepends=True)
    ranks = [[line for line in lines if f'"rank": {rank},' in line] for rank in (0, 1)]
    path = tmp_path / "run.jsonl"
    path.write_text("".join([header, *ranks[1], header, *ranks[0]]), encoding="utf-8")
    assert write_trace(read_log(path, schedule)) == header + "".join(lines)
    path.write_text("".join([header, *ranks[0]]), encoding="utf-8")
    with pytest.raises(ScheduleError, match="none of rank 1"):
        read_log(path, schedule)


def test_memory_stands_beside_the_prediction() -> None:
    schedule = build("pipedream", 3, 9)
    result = run(RunSpec(schedule))
    rows = memory_by_stage(result.memory, predict(schedule))
    assert [row["versions"] for row in rows] == [3, 2, 1]
    assert [row["predicted_versions"] for row in rows] == [3, 2, 1]
    assert [row["predicted_activations"] for row in rows] == [3, 3, 1]
    assert rows[0]["stash"] == 2 * rows[0]["weights"]
    assert rows[2]["stash"] == 0
    assert all(
        row["total"] == sum(row[key] for key in ("weights", "stash", "activations", "optimizer"))
        for row in rows
    )


@pytest.mark.parametrize(
    ("family", "control", "expected"),
    [
        ("pipedream", "no-stash", Action(Kind.B, 0, 1)),
        ("pipedream", "swapped-microbatch", Action(Kind.B, 0, 0)),
        ("pipedream", "delayed-update", Action(Kind.B, 0, 0)),
        ("pipedream", "dropped-update", Action(Kind.B, 0, 0)),
        ("gpipe", "no-stash", None),
        ("gpipe", "in-place-write", None),
        ("gpipe", "swapped-microbatch", Action(Kind.B, 0, 0)),
        ("gpipe", "delayed-update", None),
        ("gpipe", "dropped-update", Action(Kind.B, 0, 3)),
        ("naive", "no-stash", None),
        ("naive", "swapped-microbatch", None),
        ("naive", "delayed-update", Action(Kind.B, 0, 0)),
    ],
)
def test_where_a_control_applies(family: str, control: str, expected: Action | None) -> None:
    assert CONTROLS[control].target(predict(build(family, 2, 4))) == expected


def test_other_orders_by_hand() -> None:
    other = other_order(build("zbv", 1, 2))
    assert other is not None
    assert " ".join(map(str, other.rank(0))) == "0F0 1F0 1I0 1W0 0I0 0W0 0F1 1F1 1I1 1W1 0I1 0W1"
    assert other_order(build("gpipe", 3, 1)) is None


@pytest.mark.slow
def test_the_published_table_is_compared_in_ratios() -> None:
    found = seed_table.table(2, 4, ModelSpec("transformer", width=16, batch=2))
    rows = {(row["implementation"], row["schedule"]): row for row in found["rows"]}
    assert rows["scratch", "gpipe"]["measured"]["memory_over_gpipe"] == 1.0
    ratio = rows["scratch", "1f1b"]["measured"]["memory_over_gpipe"]
    assert 0 < ratio < 1
    for row in rows.values():
        assert row["why"]


def test_every_schedule_of_the_table_trains_on_the_same_samples() -> None:
    model = ModelSpec(batch=3)
    for row in seed_table.PUBLISHED:
        spec = seed_table.specification(row, 4, 8, model)
        assert spec.schedule.microbatches * spec.model.batch == 24


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_text(str(path), "one")
    write_text(str(path), "two")
    assert path.read_text(encoding="utf-8") == "two"
    assert list(tmp_path.iterdir()) == [path]
    (tmp_path / "folder").mkdir()
    for bad in (tmp_path / "folder", tmp_path / "none" / "a.json"):
        with pytest.raises(ScheduleError, match="written to a file"):
            require_writable(str(bad))
        with pytest.raises(ScheduleError, match="cannot be written"):
            write_text(str(bad), "x")
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "folder"]


@pytest.mark.parametrize(
    ("kind", "field", "value", "says"),
    [
        (Kind.U, "version", 3, "0U1 has a version"),
        (Kind.SEND_F, "version", 3, "0SEND_F1 has a version"),
        (Kind.F, "peer", 1, "0F1 has a peer"),
        (Kind.F, "channel", "0>1", "0F1 has a channel"),
        (Kind.F, "hash", 7, "0F1 has a hash that is no text"),
        (Kind.F, "hash", None, "0F1 has a hash that is no text"),
        (Kind.F, "current", "1", "0F1 has current '1'"),
        (Kind.F, "read_zero", None, "0F1 has read_zero None"),
        (Kind.U, "lamport_end", -1, "0U1 has lamport_end -1"),
        (Kind.U, "run", 2, "but there are events of 2"),
    ],
)
def test_what_no_recorder_writes_is_refused(
    kind: Kind, field: str, value: object, says: str, tmp_path: Path
) -> None:
    schedule = build("pipedream", 2, 4)
    log = faithful_log(schedule)
    lines = write_trace(log).splitlines(keepends=True)
    at = event(log, kind, 0, 1) + 1
    fields = json.loads(lines[at])
    (fields if field in fields else fields["extra"])[field] = value
    path = tmp_path / "run.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    read_log(path, schedule)
    lines[at] = json.dumps(fields) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(ScheduleError) as error:
        read_log(path, schedule)
    assert says in str(error.value)


def test_a_batch_of_computations_is_refused(tmp_path: Path) -> None:
    schedule = build("gpipe", 1, 2)
    lines = write_trace(faithful_log(schedule, timeline(schedule))).splitlines(keepends=True)
    for at in (1, 2):
        lines[at] = lines[at].replace('"batch": null', '"batch": 0')
    path = tmp_path / "run.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(ScheduleError, match="has a batch"):
        read_log(path, schedule)


def test_ranks_of_two_runs_do_not_mix(tmp_path: Path) -> None:
    schedule = build("pipedream", 2, 4)
    one, other = (
        write_trace(faithful_log(schedule, run=run)).splitlines(keepends=True) for run in (1, 2)
    )
    mixed = [*(line for line in one if '"rank": 1,' not in line),
             *(line for line in other if '"rank": 1,' in line)]  # fmt: skip
    path = tmp_path / "run.jsonl"
    path.write_text("".join(mixed), encoding="utf-8")
    with pytest.raises(ScheduleError, match="every event is of the run of the header"):
        read_log(path, schedule)


def test_final_weights_are_those_of_the_last_update_or_unknown() -> None:
    log = faithful_log(build("pipedream", 2, 4))
    assert set(final_digests(log)) == {(0, 0), (1, 0)}
    bare = with_extra(log, event(log, Kind.U, 0, 3), hash=None)
    assert set(final_digests(bare)) == {(1, 0)}
    again = with_extra(log, event(log, Kind.U, 0, 3), current=1)
    assert final_digests(again) == final_digests(log)
