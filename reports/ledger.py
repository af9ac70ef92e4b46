"""The ledger: plain JSON data, one row a claim, each with a verdict that somebody else reached.

This package counts and shows verdicts; it never computes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NotRequired, TypedDict

SCHEMA = "staleproof-ledger/2"
SCHEMAS = (SCHEMA, "staleproof-ledger/1")
OTHER_VERSION = "read it with the version that wrote it, or verify again"
"""A ledger of the first schema lacks what came with the second, and so does its report."""
VERDICTS = ("REFUTED", "UNKNOWN", "CHECKED", "CONDITIONAL", "PROVED")
"""From weakest to strongest."""
PRINTED_PROOFS = ("valid", "gap", "invalid", "none")

ORIGINS = {
    "printed": "as the source prints it",
    "reconstructed": "the source's own, from a display that its text has lost",
    "implied": "implied by the source",
    "ours": "ours",
}
AS_PRINTED = ("printed", "reconstructed")
"""Origins of rows that judge a statement of the source itself."""
LINKS = {
    "kernel": "rules of the kernel",
    "solver": "answers of an SMT solver",
    "comparison": "Python code that compares or replays, named and counted below",
    "grid": "a finite grid of sizes was tried, and nothing beyond them",
    "words": "an argument in words, printed in full, that a reader has to check",
}
"""What verdicts rest on, strongest first."""

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
    goal: NotRequired[str | None]


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


class Hypothesis(TypedDict):
    """What is assumed: in the words of the claim, and as the formula that the proof uses."""

    name: str
    says: str
    formula: str | None
    latex: str
    case: NotRequired[str]
    smooth: NotRequired[dict[str, str]]
    delayed: NotRequired[dict[str, str]]


class Symbol(TypedDict):
    """A name of the formulas."""

    name: str
    domain: str
    says: str


class Trusted(TypedDict):
    """A module whose code is taken on trust, and how long it is."""

    module: str
    lines: int


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
    origin: NotRequired[str]
    goal: NotRequired[str | None]
    goal_latex: NotRequired[str]
    hypotheses: NotRequired[list[Hypothesis]]
    symbols: NotRequired[list[Symbol]]
    quantifiers: NotRequired[list[str]]
    supplied: NotRequired[list[str]]
    rests_on: NotRequired[list[str]]
    checked_by: NotRequired[list[str]]
    arguments: NotRequired[list[str]]
    trusted: NotRequired[list[Trusted]]


class Ledger(TypedDict):
    """All claims of one run."""

    schema: str
    version: str
    claims: list[Row]


def survivor_count(controls: Controls) -> int:
    """How many false variants passed as true."""
    survivors = controls["survivors"]
    return survivors if isinstance(survivors, int) else len(survivors)


def verdict_text(row: Row) -> str:
    """The verdict of a row, and what it rests on.

    Examples
    --------
    >>> verdict_text({"verdict": "PROVED", "rests_on": ["grid", "solver"]})
    'PROVED · solver + grid'
    """
    if row["verdict"] == "UNKNOWN":  # which is no result
        return row["verdict"]
    links = [link for link in LINKS if link in row.get("rests_on", ())]
    return f"{row['verdict']} · {' + '.join(links)}" if links else row["verdict"]


def hypothesis_text(one: Hypothesis) -> str:
    """A hypothesis as its formula; the smoothness of a function and a delay have none.

    Examples
    --------
    >>> smooth = {"constant": "L", "function": "f"}
    >>> hypothesis_text({"name": "a", "says": "", "formula": None, "latex": "", "smooth": smooth})
    'the gradient of f is Lipschitz with constant L'
    """
    if "delayed" in one:
        about = one["delayed"]
        if "exact" in about:
            return (
                f"{about['old']} is {about['now']} of {about['delay']} iterations ago, or the first"
            )
        return f"{about['old']} is {about['now']} of one of the last {about['delay']} iterations"
    if one["formula"] is not None or "smooth" not in one:
        return one["formula"] or ""
    about = one["smooth"]
    return f"the gradient of {about['function']} is Lipschitz with constant {about['constant']}"


def slack_of(row: Row) -> str:
    """By how much the certificate of a proved inequality shows more than its statement, or ``""``.

    Examples
    --------
    >>> certificate = {"rule": "Combine", "plus": ["a/2", "b"]}
    >>> step = {"name": "statement", "verdict": "PROVED", "certificate": certificate}
    >>> slack_of({"verdict": "PROVED", "steps": [step]})
    'a/2 + b'
    """
    last = [one for one in row["steps"] if one.get("name") == "statement"]
    if row["verdict"] != "PROVED" or len(last) != 1:
        return ""
    certificate: Any = last[0].get("certificate") or {}
    return " + ".join(certificate.get("plus", ()))


def as_printed(rows: Iterable[Row]) -> list[Row]:
    """Rows that judge what a source says itself."""
    return [row for row in rows if row.get("origin") in AS_PRINTED]


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
