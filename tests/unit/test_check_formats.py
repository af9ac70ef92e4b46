"""Forms of a result: JSON, text, JUnit XML and annotations say the same, each in its grammar."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from schedules.messages.model import QueueModel
from staleproof.checking.changes import Change, Comparison, compared, comparison_lines
from staleproof.checking.github import annotation, github_lines
from staleproof.checking.junit import junit
from staleproof.checking.outcome import Fault, Outcome, plain, plain_results
from staleproof.checking.text import lines, summary, value_text, verdict

SCHEMA = xmlschema.XMLSchema(Path(__file__).resolve().parents[1] / "data" / "junit.xsd")

BASE = ("complete", "causal", "match", "deadlock-free")
GOOD = Outcome("ci/a.csv", True, 8, True, True, QueueModel(), decided=BASE)
FAULT = Fault(
    "match",
    "ci/b.csv:row 2:cell 3: 100% wrong, <&> found",
    "ci/b.csv:row 2:cell 3",
    {"steps": ["rank 0 starts 0SEND_F0"], "sent": 1},
    line=2,
    excerpt=("rank 0  >0SEND_F0<", "         ^^^^^^^"),
)
BAD = replace(
    GOOD,
    target="ci/b.csv",
    ok=False,
    required=("stash", "memory<=60GiB"),
    undecided=(("memory", "there are no sizes"),),
    faults=(FAULT, replace(FAULT, line=None, excerpt=(), witness={})),
)
SILENT = replace(GOOD, target="gpipe", has_messages=False, from_file=False)


def suites(*outcomes: Outcome) -> list[ET.Element]:
    text = junit(outcomes)
    SCHEMA.validate(text)
    return list(ET.fromstring(text))


def cases(suite: ET.Element) -> dict[str, list[str]]:
    """Name of each test case, and what stands in it."""
    return {case.get("name", ""): [each.tag for each in case] for case in suite.iter("testcase")}


def test_plain_data_has_the_keys_that_others_rely_on() -> None:
    found = plain(BAD)
    assert {"ok", "actions", "violations", "facts"} <= set(found)
    assert set(found["violations"][0]) == {"invariant", "message", "place", "witness"}
    assert found["undecided"] == [{"invariant": "memory", "why": "there are no sizes"}]
    assert "pictures" not in found
    assert plain(replace(BAD, pictures=("a.svg",), query="a.smt2"))["smt"] == "a.smt2"
    assert plain_results([BAD]) == found
    assert plain_results([GOOD, BAD]) == {"ok": False, "results": [plain(GOOD), found]}


def test_broken_and_held() -> None:
    assert BAD.broken == ("match",)
    assert BAD.held == ("complete", "causal", "deadlock-free")
    assert SILENT.held == ("complete", "causal")
    assert (BAD.term("memory"), BAD.term("stash"), BAD.term("match")) == (
        "memory<=60GiB", "stash", "match",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (GOOD, f"ok: ci/a.csv: 8 actions; holds: {', '.join(BASE)}; one queue a rank, buffer 0"),
        (
            BAD,
            "not ok: ci/b.csv: 8 actions; broken: match; undecided: memory<=60GiB; holds: complete,"
            " causal, deadlock-free; one queue a rank, buffer 0",
        ),
        (
            SILENT,
            "ok: gpipe: 8 actions; holds: complete, causal; no messages in the schedule: match and "
            "deadlock-free hold of nothing (--lower as-soon-as-possible adds them)",
        ),
        (
            replace(GOOD, model=QueueModel("direction", None)),
            f"ok: ci/a.csv: 8 actions; holds: {', '.join(BASE)}; one queue a rank, peer and "
            "direction, buffer without limit",
        ),
    ],
)
def test_verdict(outcome: Outcome, expected: str) -> None:
    assert verdict(outcome) == expected


def test_reasons() -> None:
    assert list(summary(BAD))[1:] == [
        "  match: ci/b.csv:row 2:cell 3: 100% wrong, <&> found",
        "    rank 0  >0SEND_F0<",
        "             ^^^^^^^",
        "    step by step:",
        "      1. rank 0 starts 0SEND_F0",
        "  match: ci/b.csv:row 2:cell 3: 100% wrong, <&> found",
        "  undecided: memory<=60GiB: there are no sizes",
    ]


def test_people_are_shown_the_first_faults() -> None:
    faults = [replace(FAULT, message=f"no {k}", excerpt=(), witness={}) for k in range(50)]
    rest = replace(FAULT, message="… and 70 more", witness={"more": 70, "mistakes": {"x": 70}})
    outcome = replace(BAD, faults=(*faults, rest), undecided=())
    assert list(summary(outcome))[1:] == [
        *(f"  match: no {k}" for k in range(5)),
        "  match: … and 115 more; --format json lists them",
    ]
    assert len([line for line in github_lines(outcome) if line.startswith("::error")]) == 5
    [suite] = suites(outcome)
    [failure] = suite.iter("failure")
    assert failure.text is not None
    assert failure.text.splitlines()[-2:] == ["no 4", "… and 115 more; --format json lists them"]
    assert len(plain(outcome)["violations"]) == 51


@pytest.mark.parametrize(
    ("least", "buffer", "found"), [(2, None, True), (2, 2, True), (0, 0, False), (None, 0, False)]
)
def test_finding_is_there_whatever_the_buffer(
    least: int | None, buffer: int | None, found: bool
) -> None:
    facts = {"deadlock": {"rank": least, "peer": 3, "direction": 0}}
    outcome = replace(GOOD, facts=facts, model=QueueModel("rank", buffer))
    assert bool(outcome.findings) == found
    assert all("room for 2 messages a channel" in finding for finding in outcome.findings)
    assert any(line.startswith("  finding: ") for line in lines(outcome)) == found
    of_directions = replace(outcome, model=QueueModel("direction", buffer))
    assert of_directions.findings == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, 2], "1 2"),
        ([0] * 40, "0 " * 32 + "… (40 in all)"),
        (None, "none"),
        (True, "yes"),
        ({"a": [1, 2], "b": False}, "a 1 2, b no"),
        ("3/11", "3/11"),
    ],
)
def test_values_in_words(value: object, expected: str) -> None:
    assert value_text("anything", value) == expected


def test_facts_about_deadlock_of_a_schedule_without_messages_are_not_printed() -> None:
    facts = {"ranks": 2, "deadlock": {"rank": 0, "peer": 0, "direction": 0}}
    assert any("without deadlock" in line for line in lines(replace(GOOD, facts=facts)))
    assert not any("without deadlock" in line for line in lines(replace(SILENT, facts=facts)))


def test_junit_counts_what_it_holds() -> None:
    good, bad, silent = suites(GOOD, BAD, SILENT)
    assert cases(good) == {name: [] for name in BASE}
    assert cases(bad) == {
        "match": ["failure"],
        "complete": [],
        "causal": [],
        "deadlock-free": [],
        "memory<=60GiB": ["error"],
    }
    assert cases(silent)["deadlock-free"] == cases(silent)["match"] == ["skipped"]
    for suite in (good, bad, silent):
        inside = [tag for tags in cases(suite).values() for tag in tags]
        counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        assert suite.get("tests") == str(len(cases(suite)))
        for attribute, tag in counts.items():
            assert suite.get(attribute) == str(inside.count(tag))
    root = ET.fromstring(junit([GOOD, BAD, SILENT]))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("13", "1", "1")


def test_junit_shows_every_fault_where_it_is() -> None:
    [suite] = suites(BAD)
    [case] = [case for case in suite.iter("testcase") if case.get("name") == "match"]
    assert (case.get("file"), case.get("line")) == ("ci/b.csv", "2")
    [failure] = case
    assert failure.get("message") == FAULT.message
    assert failure.text is not None
    assert failure.text.count(FAULT.message) == 2
    assert ">0SEND_F0<" in failure.text
    [family] = suites(replace(BAD, from_file=False))
    assert all(case.get("file") is None for case in family.iter("testcase"))


def test_junit_of_strange_names() -> None:
    name = "a\x00b\ud800<&>\"'\n.csv"
    outcome = replace(BAD, target=name, faults=(replace(FAULT, message=f"{name}: no"),))
    [suite] = suites(outcome)
    assert suite.get("name") == "a\\x00b\\ud800<&>\"'\\n.csv"


@pytest.mark.parametrize(
    "change",
    [
        ('tests="4"', 'tests="-1"'),
        ("<testcase ", "<test "),
        ('classname="ci/a.csv"', ""),
        ("<properties>", "<properties><other />"),
    ],
)
def test_schema_refuses_what_is_no_report(change: tuple[str, str]) -> None:
    text = junit([GOOD])
    assert SCHEMA.is_valid(text)
    wrong = text.replace(*change).replace("</test ", "</testcase ")
    assert wrong != text
    assert not SCHEMA.is_valid(wrong)


def test_schema_refuses_two_answers_for_one_case() -> None:
    text = junit([BAD])
    twice = text.replace("<failure ", "<skipped /><failure ")
    assert not SCHEMA.is_valid(twice)


def test_annotations() -> None:
    found = [line for line in github_lines(BAD) if line.startswith("::")]
    assert found == [
        "::error file=ci/b.csv,line=2,title=match::ci/b.csv:row 2:cell 3: 100%25 wrong, <&> found"
        "%0Arank 0  >0SEND_F0<%0A         ^^^^^^^%0Arank 0 starts 0SEND_F0",
        "::error file=ci/b.csv,title=match::ci/b.csv:row 2:cell 3: 100%25 wrong, <&> found",
        "::error file=ci/b.csv,title=memory<=60GiB is undecided::there are no sizes",
    ]
    assert [line for line in github_lines(GOOD) if "::" in line] == []


def test_finding_is_a_warning() -> None:
    outcome = replace(SILENT, facts={"deadlock": {"rank": 1}})
    [warning] = [line for line in github_lines(outcome) if line.startswith("::")]
    assert warning.startswith("::warning title=finding::small tests pass")


def test_nothing_in_a_name_becomes_a_command() -> None:
    name = "a,b:c%\n::set-output name=x::y.csv"
    outcome = replace(BAD, target=name, faults=(replace(FAULT, message=f"{name}: no"),))
    for line in github_lines(outcome):
        assert "\n" not in line
        assert line.lstrip().startswith("::") == line.startswith(("::error", "::warning"))
    assert annotation("error", "t", "m", "a,b:c%\n.csv") == (
        "::error file=a%2Cb%3Ac%25%0A.csv,title=t::m"
    )


OLD: dict[str, Any] = {
    "length": 22,
    "idle_fraction": "3/11",
    "activations": [4, 3],
    "policy": "stash",
    "deadlock": {"rank": 0, "peer": 0},
}
NEW: dict[str, Any] = {
    "length": 24,
    "idle_fraction": "1/3",
    "activations": [4, 2, 1],
    "policy": "stash",
    "deadlock": {"rank": None, "peer": 0},
}


def test_changes() -> None:
    comparison = Comparison(replace(GOOD, facts=OLD), replace(BAD, facts=NEW))
    assert comparison.changes == [
        Change("length", "", 22, 24),
        Change("idle_fraction", "", "3/11", "1/3"),
        Change("activations", "stage 1", 3, 2),
        Change("activations", "stage 2", None, 1),
        Change("deadlock", "rank", 0, None),
    ]
    assert comparison.unchanged == ["policy"]
    assert (comparison.lost, comparison.gained) == (["match"], [])
    assert list(comparison_lines(comparison)) == [
        "from ci/a.csv to ci/b.csv:",
        "  holds no more: match",
        "  length: 22 -> 24 (+2)",
        "  idle fraction: 3/11 -> 1/3 (27.3% -> 33.3%)",
        "  activations: stage 1 3 -> 2 (-1), stage 2 none -> 1",
        "  least buffer without deadlock: rank 0 -> never completes",
        "  unchanged: policy",
    ]


def test_changes_back() -> None:
    comparison = Comparison(replace(BAD, facts=NEW), replace(GOOD, facts=OLD))
    assert (comparison.lost, comparison.gained) == ([], ["match"])
    assert "  holds now: match" in comparison_lines(comparison)
    found = compared(comparison)
    assert found["ok"]
    assert set(found) == {"ok", "old", "new", "lost", "gained", "changes", "unchanged"}
    assert found["changes"][0] == {"quantity": "length", "at": "", "old": 24, "new": 22}


def test_what_was_broken_before_is_not_lost() -> None:
    comparison = Comparison(BAD, BAD)
    assert (comparison.lost, comparison.gained, comparison.changes) == ([], [], [])


def test_numbers_of_ranks_are_numbered_by_rank() -> None:
    old, new = ({"rank_memory": [value]} for value in (1, 2))
    [change] = Comparison(replace(GOOD, facts=old), replace(GOOD, facts=new)).changes
    assert change.at == "rank 0"


def test_what_cannot_run_is_not_compared() -> None:
    alone = {"deadlock": OLD["deadlock"]}
    comparison = Comparison(replace(GOOD, facts=OLD), replace(BAD, facts=alone))
    told = list(comparison_lines(comparison))
    assert "  not compared: ci/b.csv cannot run, so there are no numbers" in told
    assert not any("length" in line for line in told)
