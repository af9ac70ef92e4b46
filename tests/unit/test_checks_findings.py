"""Findings and verdicts: what counts as agreement, and what never does."""

import pytest

from gpu_validation.checks import CHECKS, final_weights
from gpu_validation.checks.finding import Finding, Outcome, fails, holds, inapplicable, undecided
from gpu_validation.controls import CONTROLS
from gpu_validation.judging import ControlResult, agree, caught, merged
from gpu_validation.report import verdict

GOOD = holds("order", 3, "three things are equal")
CAUGHT = ControlResult("no-stash", True, True, ("stash",), "")
MISSED = ControlResult("no-stash", True, False, (), "")
NOT_HERE = ControlResult("no-stash", False, False, (), "")


def test_a_check_that_compared_nothing_does_not_hold() -> None:
    assert holds("order", 0, "nothing differs").holds is None


@pytest.mark.parametrize(
    ("finding", "expected", "applies"),
    [
        (GOOD, True, True),
        (fails("order", "differs"), False, True),
        (undecided("order", "no versions"), None, True),
        (inapplicable("order", "no meaning"), None, False),
    ],
)
def test_outcomes(finding: Finding, expected: bool | None, applies: bool) -> None:
    assert (finding.holds, finding.applies) == (expected, applies)


def test_agreement_needs_a_check_and_a_control() -> None:
    assert agree([GOOD], [CAUGHT])
    assert not agree([], [CAUGHT])
    assert not agree([GOOD], [])
    assert not agree([GOOD], [NOT_HERE])
    assert not agree([GOOD], [CAUGHT, MISSED])
    assert agree([GOOD], [CAUGHT, NOT_HERE])


@pytest.mark.parametrize("bad", [fails("hash", "differs"), undecided("hash", "no hashes")])
def test_nothing_but_holding_is_agreement(bad: Finding) -> None:
    assert not agree([GOOD, bad], [CAUGHT])


def test_a_control_is_caught_by_the_checks_that_are_there_for_it() -> None:
    control = CONTROLS["no-stash"]
    assert control.by == ("versions", "stash")
    seen, other = fails("versions", "differs"), fails("order", "differs")
    assert caught(control, [seen, fails("stash", "differs")], "").caught
    assert not caught(control, [seen, other, holds("stash", 3, "")], "").caught
    assert not caught(control, [seen, undecided("stash", "")], "").caught
    assert not caught(control, [seen], "").caught, "a check that is gone sees nothing"
    assert caught(control, [seen, inapplicable("stash", "latest")], "").caught
    nothing = [inapplicable("versions", ""), inapplicable("stash", "")]
    assert not caught(control, [*nothing, other], "").applicable


def test_every_check_has_a_control_that_it_has_to_see() -> None:
    assert {name for control in CONTROLS.values() for name in control.by} == {
        *CHECKS,
        final_weights.NAME,
    }
    assert all(control.by for control in CONTROLS.values())


def test_what_does_not_apply_is_neither_for_nor_against() -> None:
    assert agree([GOOD, inapplicable("stash", "latest")], [CAUGHT])
    assert not agree([inapplicable("stash", "latest")], [CAUGHT])


def test_the_worst_repeat_counts() -> None:
    other = undecided("order", "no versions")
    assert merged([[GOOD], [other], [GOOD]]) == [other]
    assert merged([[GOOD], [other], [fails("order", "x")]])[0].outcome is Outcome.FAILS
    assert merged([[GOOD], [GOOD]]) == [GOOD]


def test_a_check_that_one_repeat_lacks_still_counts() -> None:
    bound = fails("staleness-bound", "too stale")
    assert merged([[GOOD], [GOOD, bound]]) == [GOOD, bound]


def test_json_keeps_undecided_apart_from_passing() -> None:
    found = verdict([GOOD, undecided("hash", "off"), inapplicable("stash", "latest")], [CAUGHT])
    assert {check["name"]: check["holds"] for check in found["checks"]} == {
        "order": True,
        "hash": None,
    }
    assert [entry["name"] for entry in found["not_applicable"]] == ["stash"]
    assert found["agree"] is False
