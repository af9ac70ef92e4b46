"""Outcomes as SARIF 2.1.0: a result a violation, an undecided requirement or a finding.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, 27 March 2020.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from schedules.invariants import INVARIANTS
from staleproof import __version__
from staleproof.checking.outcome import Outcome, Result, Unreadable
from staleproof.checking.workspace import uri_of

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINDING: Final = "finding"

_OTHER_RULES: Final[Mapping[str, str]] = {
    FINDING: "what is worth knowing although nothing forbids it"
}


def sarif(outcomes: Sequence[Result]) -> dict[str, Any]:
    """The log of one run over all targets, as plain data.

    Faults are errors with the line of the schedule file where rows are lines, and the place in
    words in ``logicalLocations``; what is undecided is an error too, a finding a note. A target
    that could not be read is a notification, and the run was not successful.

    Examples
    --------
    >>> log = sarif([Unreadable("a.csv", "a file must be readable", "a.csv", "give a path")])
    >>> log["runs"][0]["invocations"][0]["executionSuccessful"]
    False
    """
    results = [found for each in outcomes for found in _results(each)]
    names = {**{name: entry.meaning for name, entry in INVARIANTS.items()}, **_OTHER_RULES}
    used = sorted({found["ruleId"] for found in results})
    unread = [each for each in outcomes if isinstance(each, Unreadable)]
    rules = [{"id": name, "shortDescription": {"text": names[name]}} for name in used]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "staleproof", "version": __version__, "rules": rules}},
                "invocations": [
                    {
                        "executionSuccessful": not unread,
                        "toolExecutionNotifications": [
                            {
                                "level": "error",
                                "message": {"text": each.message},
                                "locations": [_location(each.target, None, None)],
                            }
                            for each in unread
                        ],
                    }
                ],
                "results": results,
                "columnKind": "unicodeCodePoints",
            }
        ],
    }


def _results(outcome: Result) -> Iterator[dict[str, Any]]:
    if isinstance(outcome, Unreadable):
        return
    for fault in outcome.faults:
        yield _result(outcome, fault.invariant, "error", fault.message, fault.line, fault.place)
    for name, why in outcome.undecided:
        yield _result(outcome, name, "error", f"{outcome.term(name)} is undecided: {why}")
    for text in outcome.findings:
        yield _result(outcome, FINDING, "note", text)


def _result(
    outcome: Outcome,
    rule: str,
    level: str,
    text: str,
    line: int | None = None,
    place: str | None = None,
) -> dict[str, Any]:
    found: dict[str, Any] = {"ruleId": rule, "level": level, "message": {"text": text}}
    if outcome.from_file:
        found["locations"] = [_location(outcome.target, line, place)]
    elif place is not None:
        found["locations"] = [{"logicalLocations": [{"fullyQualifiedName": place}]}]
    return found


def _location(file: str, line: int | None, place: str | None) -> dict[str, Any]:
    uri, is_relative = uri_of(file)
    artifact = {"uri": uri, **({"uriBaseId": "%SRCROOT%"} if is_relative else {})}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if line is not None:
        physical["region"] = {"startLine": line}
    logical = {} if place is None else {"logicalLocations": [{"fullyQualifiedName": place}]}
    return {"physicalLocation": physical, **logical}
