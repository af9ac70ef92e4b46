"""The ledger: plain JSON data, one row a claim, each with a verdict that somebody else reached.

This package counts and shows verdicts; it never computes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NotRequired, TypedDict

SCHEMA = "staleproof-ledger/1"
VERDICTS = ("REFUTED", "UNKNOWN", "CHECKED", "CONDITIONAL", "PROVED")
"""From weakest to strongest."""
PRINTED_PROOFS = ("valid", "gap", "invalid", "none")

Verdict = Literal["REFUTED", "UNKNOWN", "CHECKED", "CONDITIONAL", "PROVED"]


class Case(TypedDict):
    """A part of the domain with a verdict of its own."""

    when: str
    verdict: Verdict
    says: NotRequired[str]


class Step(TypedDict):
    """One step of an argument and the rule that gives it."""

    where: str
    says: str
    rule: str
    verdict: Verdict


class Repair(TypedDict):
    """A statement that holds in place of the printed one."""

    statement: str
    verdict: Verdict


class Finding(TypedDict):
    """Something that does not hold as printed."""

    kind: str
    where: str
    says: str
    witness: dict[str, Any] | None
    repaired: Repair | None


class Evidence(TypedDict):
    """An observation that decides nothing; ``data`` may be a figure."""

    points: str
    says: str
    data: Any


class Controls(TypedDict):
    """False variants of the claim: how many were tried, and which passed as true."""

    tried: int
    killed: int
    survivors: list[str] | int
    known: NotRequired[int]


class Row(TypedDict):
    """One claim."""

    id: str
    paper: str
    where: str
    statement: str
    latex: str
    depends: NotRequired[list[str]]
    verdict: Verdict
    cases: list[Case]
    assumes: list[str]
    printed_proof: Literal["valid", "gap", "invalid", "none"]
    steps: list[Step]
    findings: list[Finding]
    counterexample: dict[str, Any] | None
    evidence: list[Evidence]
    controls: Controls
    seconds: NotRequired[float]


class Ledger(TypedDict):
    """All claims of one run."""

    schema: str
    version: str
    claims: list[Row]


def survivor_count(controls: Controls) -> int:
    """How many false variants passed as true."""
    survivors = controls["survivors"]
    return survivors if isinstance(survivors, int) else len(survivors)


def count_verdicts(rows: Iterable[Row]) -> dict[str, int]:
    """Count rows by verdict, weakest first, absent verdicts included.

    Examples
    --------
    >>> count_verdicts([])["REFUTED"]
    0
    """
    counts = dict.fromkeys(VERDICTS, 0)
    for row in rows:
        counts[row["verdict"]] += 1
    return counts
