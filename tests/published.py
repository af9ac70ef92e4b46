"""Rows of the published ledger, which tests/golden keeps to what the judge reaches anew.

Tests that look at a shipped claim's verdict, cases or witness read them here: judging it once more
would show nothing that tests/golden/test_published.py does not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from theory.ledger import Case, Controls, Evidence, Finding, Judgement, Repair, Row, Step
from theory.verdicts import Verdict

LEDGER = Path(__file__).parents[1] / "reports" / "published" / "ledger.json"


def row(name: str) -> Row:
    """The published row of an id, without what it shows of its formulas."""
    data = rows()[name]
    return Row(
        id=data["id"],
        paper=data["paper"],
        where=data["where"],
        statement=data["statement"],
        latex=data["latex"],
        judgement=_judgement(data),
        depends=tuple(data["depends"]),
        controls=Controls(**data["controls"] | {"survivors": tuple(data["controls"]["survivors"])}),
        origin=data["origin"],
    )


@cache
def rows() -> Mapping[str, Any]:
    """All published rows as JSON data, by id."""
    claims = json.loads(LEDGER.read_bytes())["claims"]
    return {data["id"]: data for data in claims}


def _judgement(data: Mapping[str, Any]) -> Judgement:
    return Judgement(
        verdict=Verdict[data["verdict"]],
        printed_proof=data["printed_proof"],
        cases=tuple(Case(c["when"], Verdict[c["verdict"]], c["says"]) for c in data["cases"]),
        assumes=tuple(data["assumes"]),
        steps=tuple(map(_step, data["steps"])),
        findings=tuple(map(_finding, data["findings"])),
        counterexample=data["counterexample"],
        evidence=tuple(Evidence(**one) for one in data["evidence"]),
        rests_on=tuple(data["rests_on"]),
        arguments=tuple(data["arguments"]),
    )


def _step(data: Mapping[str, Any]) -> Step:
    verdict, links = Verdict[data["verdict"]], tuple(data["rests_on"])
    return Step(data["where"], data["says"], data["rule"], verdict, links)


def _finding(data: Mapping[str, Any]) -> Finding:
    repaired = data["repaired"]
    return Finding(
        data["kind"],
        data["where"],
        data["says"],
        data["witness"],
        repaired and Repair(repaired["statement"], Verdict[repaired["verdict"]]),
    )
