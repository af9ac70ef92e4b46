"""The report of a check: what is decided, what is not, and what `ok` means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schedules import Schedule, WeightPolicy, build
from schedules.analysis import parse_sizes
from schedules.errors import FormatError, InvalidScheduleError, UnknownNameError
from schedules.formats import read_document
from schedules.formats.pytorch_csv import parse_csv
from schedules.invariants import BASE, INVARIANTS, Report, check, parse_requirements
from schedules.lowering import lower
from schedules.messages.model import QueueModel
from schedules.validate import facts
from tests.rows import rows

DATA = Path(__file__).parents[1] / "data" / "schedules"
FILES = sorted(path for path in DATA.iterdir() if path.suffix in (".csv", ".json"))
BUG = "torch2.13_1F1B_p4_m4_last-rank-bug.compute.csv"
SIZES = parse_sizes("[default]\nweights = 100\nactivations = 8\noptimizer = 1000", "sizes.toml")
ALWAYS = [name for name in INVARIANTS if name in BASE]


def required(schedule: Schedule, text: str) -> Report:
    return check(schedule, parse_requirements(text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_keep_what_synchronous_schedules_keep(path: Path) -> None:
    document = read_document(path)
    text = "stash,versions<=1,staleness<=0,vertical-sync,flush,update-once"
    if document.instructions is not None:
        text += ",buffer-safe"
    report = check(document, parse_requirements(text))
    assert report.ok is (path.name != BUG)
    if report.ok:
        names = [name for name in INVARIANTS if name in BASE or name in text]
        assert [name for name in names if name != "versions"] == [
            name for name in report.decided if name != "versions"
        ]
        assert "deadlock" in report.facts


def test_base_is_decided_without_any_requirement() -> None:
    report = check(build("pipedream", 3, 7))
    assert report.ok
    assert list(report.decided) == ALWAYS
    assert report.facts == {
        **facts(build("pipedream", 3, 7)),
        "deadlock": {"rank": 0, "peer": 0, "direction": 0},
    }


def test_requiring_the_base_changes_nothing() -> None:
    schedule = lower(build("gpipe", 2, 3))
    report = required(schedule, ",".join(BASE))
    assert (report.ok, list(report.decided)) == (True, ALWAYS)


@pytest.mark.parametrize("name", ["match", "deadlock-free"])
def test_messages_that_are_named_have_to_be_there(name: str) -> None:
    [(undecided, why)] = required(build("gpipe", 2, 3), f"{name}, stash").undecided
    assert undecided == name
    assert "no messages" in why
    assert required(build("gpipe", 1, 3), name).ok
    assert required(lower(build("gpipe", 2, 3)), name).ok
    assert check(build("gpipe", 2, 3)).ok


def test_what_is_found_without_messages_stays() -> None:
    circle = parse_csv("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0", "a.csv")
    report = required(circle, "deadlock-free")
    assert "deadlock-free" in {violation.invariant for violation in report.violations}
    assert "deadlock-free" not in dict(report.undecided)


def test_violations_come_in_the_order_of_the_registry() -> None:
    report = required(build("pipedream", 3, 9), "flush,skew<=0,staleness<=0,versions<=1")
    names = list(dict.fromkeys(violation.invariant for violation in report.violations))
    assert names == ["versions", "staleness", "skew", "flush"]


def test_broken_base_leaves_the_rest_undecided() -> None:
    report = required(parse_csv("0F0,0F1,0B0\n1F0,1B0,1F1,1B1", "a.csv"), "stash,in-flight<=9")
    assert {violation.invariant for violation in report.violations} == {"complete"}
    assert dict(report.undecided) == {
        "policy": "it is decided where complete, causal, exclusive hold; here not: complete",
        "stash": f"it is decided where {', '.join(BASE)} hold; here not: complete, policy",
        "in-flight": f"it is decided where {', '.join(BASE)} hold; here not: complete, policy",
    }
    assert not report.ok
    assert list(report.facts) == ["deadlock"]
    assert set(report.decided) == {"complete", "causal", "exclusive", "match", "deadlock-free"}


def test_hang_leaves_the_rest_undecided_in_that_model_only() -> None:
    text = "0F0,0SEND_F0,0RECV_B0,0B0\n1SEND_B0,1RECV_F0,1F0,1B0"
    schedule = parse_csv(
        text.replace("1SEND_B0,1RECV_F0,1F0,1B0", "1RECV_F0,1F0,1B0,1SEND_B0"), "a"
    )
    assert check(schedule, parse_requirements("stash")).ok
    crossed = parse_csv(
        "0F0,0F1,0SEND_F0,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
        "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1",
        "a.csv",
    )
    strict = check(crossed, parse_requirements("stash"), QueueModel("rank", 0))
    loose = check(crossed, parse_requirements("stash"), QueueModel("rank", 1))
    assert {found.invariant for found in strict.violations} == {"deadlock-free"}
    assert dict(strict.undecided)["stash"].endswith("here not: deadlock-free")
    assert loose.ok
    assert strict.facts["deadlock"] == loose.facts["deadlock"] == {
        "rank": 1, "peer": 1, "direction": 0,
    }  # fmt: skip


@pytest.mark.parametrize("text", [",", "0UNSHARD,0RESHARD"])
def test_empty_schedule(text: str) -> None:
    report = required(parse_csv(text, "a.csv"), "stash")
    assert [violation.invariant for violation in report.violations] == ["complete"]
    assert [name for name, _ in report.undecided] == [
        name for name in INVARIANTS if name in (*BASE, "stash") and name != "complete"
    ]
    assert report.decided == ("complete",)
    assert report.facts == {}


def test_message_to_nobody_is_refused() -> None:
    schedule = parse_csv("0F0,0SEND_F0,0B0", "a.csv")
    with pytest.raises(InvalidScheduleError, match="row 1:cell 2: a message goes"):
        check(schedule)


def test_policy_is_part_of_the_base() -> None:
    late = "0F0,0B0,0F1,0B1\n1F0,1I0,1F1,1W0,1B1"
    schedule = parse_csv(late, "a.csv", policy=WeightPolicy("vertical-sync"))
    report = required(schedule, "stash")
    assert [violation.invariant for violation in report.violations] == ["policy"]
    assert [name for name, _ in report.undecided] == ["stash"]


def test_unknown_linearization() -> None:
    with pytest.raises(UnknownNameError, match="ascending"):
        check(build("gpipe", 2, 2), linearization="upwards")


# Sizes


def test_memory_without_sizes_is_undecided() -> None:
    report = required(build("gpipe", 2, 2), "memory<=60GiB,rank-memory<=60GiB")
    assert [name for name, _ in report.undecided] == ["memory", "rank-memory"]
    assert not report.ok
    assert "memory" not in report.facts


def test_memory_facts_and_bounds() -> None:
    schedule = build("pipedream", 2, 8)
    report = check(schedule, parse_requirements("memory<=1216,rank-memory<=1216"), sizes=SIZES)
    assert report.ok
    assert report.facts["memory"] == report.facts["rank_memory"] == [1216, 1108]


def test_stage_without_sizes() -> None:
    sizes = parse_sizes("[stage.0]\nweights = 1\nactivations = 1", "sizes.toml")
    with pytest.raises(FormatError, match="stage 1 of 2 has none"):
        check(build("gpipe", 2, 2), sizes=sizes)


# Documents


def test_buffers_of_a_document_are_looked_at() -> None:
    document = read_document(DATA / "deepspeed0.19.8_train_p2_m4.json")
    requirements = parse_requirements("buffer-safe")
    assert check(document, requirements).ok
    [(name, why)] = check(document.schedule, requirements).undecided
    assert name == "buffer-safe"
    assert "DeepSpeed" in why


def test_recorded_channels_of_a_trace_are_looked_at(tmp_path: Path) -> None:
    lines = ['{"schema": "staleproof-trace/1", "unit": "slot"}']
    event = '{{"rank": {}, "op": "{}", "stage": {}, "microbatch": {}, "start": {}, "end": {}{}}}'

    def add(rank: int, op: str, stage: int, m: int, at: int, channel: str = "") -> None:
        more = f', "peer": {1 - rank}, "channel": "{channel}"' if channel else ""
        lines.append(event.format(rank, op, stage, m, at, at + 1, more))

    for m, channel in ((0, "a"), (1, "b")):
        add(0, "F", 0, m, 2 * m)
        add(0, "SEND_F", 0, m, 2 * m + 1, channel)
    for at, m, channel in ((10, 1, "b"), (20, 0, "a")):
        add(1, "RECV_F", 1, m, at, channel)
        add(1, "F", 1, m, at + 1)
        add(1, "B", 1, m, at + 2)
        add(1, "SEND_B", 1, m, at + 3, channel)
        add(0, "RECV_B", 0, m, at + 4, channel)
        add(0, "B", 0, m, at + 5)
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(lines) + "\n")
    document = read_document(path)
    model = QueueModel("rank", None)
    assert check(document, model=model).ok
    without = check(document.schedule, model=model)
    assert {found.invariant for found in without.violations} == {"match"}


def test_report_keeps_what_was_checked() -> None:
    schedule = replace(build("gpipe", 2, 2), name="mine")
    model = QueueModel("peer", 3)
    report = check(schedule, model=model)
    assert (report.schedule, report.model) == (schedule, model)
    assert (report.run.schedule, report.run.links) == (schedule, None)
    assert report.run.progress.finished


def test_helper_reads_what_it_shows() -> None:
    schedule = rows("0F0 0B0 0U\n1F0 1B0 1U")
    assert [str(action) for action in schedule.rank(1)] == ["1F0", "1B0", "1U"]
