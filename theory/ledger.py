"""Ledger rows: what a machine found out about one claim, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from theory.verdicts import Verdict

SCHEMA = "staleproof-ledger/1"

FindingKind = Literal[
    "false",
    "invalid-step",
    "missing-condition",
    "loose",
    "superfluous-condition",
    "not-reproducible",
    "typo",
]
PrintedProof = Literal["valid", "gap", "invalid", "none"]


@dataclass(frozen=True)
class Case:
    """A named part of what the source leaves open, with its own verdict."""

    when: str
    verdict: Verdict
    says: str = ""


@dataclass(frozen=True)
class Step:
    """A step of the printed proof, or of ours where `where` is "ours"."""

    where: str
    says: str
    rule: str
    verdict: Verdict


@dataclass(frozen=True)
class Repair:
    """A statement that stands in for a printed one, with its own verdict."""

    statement: str
    verdict: Verdict


@dataclass(frozen=True)
class Finding:
    """Something about a claim that its reader should know."""

    kind: FindingKind
    where: str
    says: str
    witness: Mapping[str, Any] | None = None
    repaired: Repair | None = None


@dataclass(frozen=True)
class Evidence:
    """Numbers that support or contradict, but decide nothing.

    Attributes
    ----------
    points : str
        ``"for"``, ``"against"`` or ``"neither"``.
    says : str
    data : mapping
        Plain data; with a key ``figure`` reports draw it.
    """

    points: Literal["for", "against", "neither"]
    says: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Controls:
    """Mutants of the proved core that the same prover was given.

    Attributes
    ----------
    tried, killed : int
    survivors : tuple of str
        Mutants that were proved as well.
    """

    tried: int = 0
    killed: int = 0
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """What a prover reached for a claim."""

    verdict: Verdict
    printed_proof: PrintedProof
    cases: tuple[Case, ...] = ()
    assumes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    counterexample: Mapping[str, Any] | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Row:
    """One line of the ledger."""

    id: str
    paper: str
    where: str
    statement: str
    latex: str
    judgement: Judgement
    controls: Controls = field(default_factory=Controls)
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Verdict of the statement as printed."""
        return self.judgement.verdict

    def to_json(self) -> dict[str, Any]:
        """The row in the published schema."""
        judged = self.judgement
        return {
            "id": self.id,
            "paper": self.paper,
            "where": self.where,
            "statement": self.statement,
            "latex": self.latex,
            "verdict": judged.verdict.name,
            "cases": [_plain(case) for case in judged.cases],
            "assumes": list(judged.assumes),
            "printed_proof": judged.printed_proof,
            "steps": [_plain(step) for step in judged.steps],
            "findings": [_plain(finding) for finding in judged.findings],
            "counterexample": _plain(judged.counterexample),
            "evidence": [_plain(evidence) for evidence in judged.evidence],
            "controls": _plain(self.controls),
            "seconds": round(self.seconds, 3),
        }


def _plain(value: Any) -> Any:
    """Dataclasses, verdicts and tuples as JSON data."""
    if isinstance(value, Verdict):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value
