"""Forms of a result: JSON, text, JUnit XML and annotations say the same, each in its grammar."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from schedules import WeightPolicy
from schedules.messages.model import QueueModel
from staleproof.checking.github import annotation, github_lines
from staleproof.checking.junit import junit
from staleproof.checking.outcome import Fault, Outcome, plain, plain_results
from staleproof.checking.text import lines, summary, value_text, verdict

SCHEMA = xmlschema.XMLSchema(Path(__file__).resolve().parents[1] / "data" / "junit.xsd")

BASE = ("complete", "causal", "match", "deadlock-free")
GOOD = Outcome("ci/a.csv", True, 8, True, True, QueueModel(), WeightPolicy("flush"), decided=BASE)
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
        (
            GOOD,
            f"ok: ci/a.csv: 8 actions; holds: {', '.join(BASE)}; one queue a rank, buffer 0; "
            "policy flush",
        ),
        (
            BAD,
            "not ok: ci/b.csv: 8 actions; broken: match; undecided: memory<=60GiB; holds: complete,"
            " causal, deadlock-free; one queue a rank, buffer 0; policy flush",
        ),
        (
            SILENT,
            "ok: gpipe: 8 actions; holds: complete, causal; no messages in the schedule: match and "
            "deadlock-free hold of nothing (--lower as-soon-as-possible adds them); policy flush",
        ),
        (
            replace(GOOD, model=QueueModel("direction", None)),
            f"ok: ci/a.csv: 8 actions; holds: {', '.join(BASE)}; one queue a rank, peer and "
            "direction, buffer without limit; policy flush",
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


def test_finding_needs_all_else_to_hold() -> None:
    """Small tests do not pass where something else is wrong, or nobody knows."""
    facts = {"deadlock": {"rank": 1}}
    hang = replace(FAULT, invariant="deadlock-free")
    assert replace(GOOD, facts=facts, faults=(hang,)).findings
    assert replace(GOOD, facts=facts, faults=(replace(FAULT, invariant="stash"),)).findings
    for invariant in ("match", "causal"):
        assert not replace(BAD, facts=facts, faults=(replace(FAULT, invariant=invariant),)).findings
    assert not replace(GOOD, facts=facts, undecided=(("policy", "why"),)).findings


@pytest.mark.parametrize(
    ("policy", "assumed", "expected"),
    [
        (WeightPolicy("flush"), True, "policy flush (assumed, the file states none)"),
        (WeightPolicy("stash"), False, "policy stash"),
        (WeightPolicy("stash", 4), False, "policy stash, an update every 4 gradients"),
    ],
)
def test_grounds(policy: WeightPolicy, assumed: bool, expected: str) -> None:
    outcome = replace(GOOD, policy=policy, assumed=assumed)
    assert verdict(outcome).endswith(f"buffer 0; {expected}")
    counted = replace(outcome, required=("delay<=3",), linearization="descending")
    assert verdict(counted).endswith(f"; {expected}; delay counted descending")
    [suite] = suites(counted)
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties["policy"] == f"{expected}; delay counted descending"
    stated = plain(counted)
    assert (stated["policy"]["name"], stated["policy"]["interval"]) == (
        policy.name, policy.interval,
    )  # fmt: skip
    assert (stated["policy"]["assumed"], stated["linearization"]) == (assumed, "descending")


def test_undecided_messages_do_not_hold_of_nothing() -> None:
    outcome = replace(
        SILENT,
        decided=(*BASE[:2], "match"),
        undecided=(("deadlock-free", "no messages"),),
        ok=False,
    )
    assert "no messages in the schedule: match holds of nothing (--lower as" in verdict(outcome)
    [suite] = suites(outcome)
    assert (cases(suite)["match"], cases(suite)["deadlock-free"]) == (["skipped"], ["error"])
    none = replace(outcome, decided=BASE[:2], undecided=(("match", ""), ("deadlock-free", "")))
    assert "of nothing" not in verdict(none)


def test_remedy_that_was_tried_is_not_offered() -> None:
    assert "hold of nothing (--lower added none)" in verdict(replace(SILENT, lowered=True))


def test_old_form_of_commands_is_not_printed() -> None:
    name = "##[error]q.csv"
    outcome = replace(BAD, target=name, faults=(replace(FAULT, message=f"{name}: no"),))
    text = [line for line in github_lines(outcome) if not line.startswith("::")]
    assert any(r"##\x5berror]q.csv: no" in line for line in text)
    assert not any("##[" in line for line in text)
