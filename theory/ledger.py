"""Ledger rows: what a machine found out about one claim, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import sympy

from theory.verdicts import Verdict

if TYPE_CHECKING:
    from theory.smt.queries import Query

SCHEMA = "staleproof-ledger/2"

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
Link = Literal["kernel", "solver", "comparison", "grid", "words"]
"""What a step rests on: the kernel's rules; a solver's answer; Python code that compares; a finite
grid of sizes; an argument in words."""
Origin = Literal["printed", "reconstructed", "implied", "ours"]
"""Whose statement a row is: the source's as printed; its own, from a display that the text lost;
what it implies; ours."""
AS_PRINTED: Final[tuple[Origin, ...]] = ("printed", "reconstructed")
"""Origins of the rows that judge what a source says itself."""


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
    rests_on: tuple[Link, ...] = ()


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


REMARK: Final = "remark"
"""Key of the data of evidence that is shown beside a verdict, whatever the verdict is."""


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
    known : int
        Mutants that there are; `tried` may be a sample of them.
    """

    tried: int = 0
    killed: int = 0
    survivors: tuple[str, ...] = ()
    known: int = 0


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
    rests_on: tuple[Link, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """What a row says of its statement, made from the data that was judged: plain data.

    Attributes
    ----------
    goal, goal_latex : str
        The statement; None where nothing but a sentence states it.
    hypotheses, symbols : tuple of mappings
    quantifiers : tuple of str
        What the statement holds for.
    steps : tuple of mappings
        For each step of the judgement its goal, premises and certificate, or nothing.
    supplied : tuple of str
        Keys of the row that are the claim's own words, which no proof looks at.
    """

    goal: str | None = None
    goal_latex: str = ""
    hypotheses: tuple[Mapping[str, Any], ...] = ()
    symbols: tuple[Mapping[str, str], ...] = ()
    quantifiers: tuple[str, ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    supplied: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One line of the ledger.

    Its `queries` are what z3 was asked for the judgement, if anybody listened; they are written to
    files of their own, and `asked` is their digest. `trusted` has the lines of each module whose
    code is taken on trust, `closure` the ids of all that it rests on, `checked_by` who else came to
    the same answers.
    """

    id: str
    paper: str
    where: str
    statement: str
    latex: str
    judgement: Judgement
    depends: tuple[str, ...] = ()
    controls: Controls = field(default_factory=Controls)
    seconds: float = 0.0
    queries: tuple[Query, ...] = ()
    asked: str = ""
    origin: Origin = "printed"
    shown: Shown = field(default_factory=Shown)
    trusted: Mapping[str, int] = field(default_factory=dict)
    closure: tuple[str, ...] = ()
    checked_by: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Verdict of the statement as printed."""
        return self.judgement.verdict

    def to_json(self) -> dict[str, Any]:
        """The row in the published schema."""
        judged, shown = self.judgement, self.shown
        return {
            "id": self.id,
            "anchor": self.id,
            "paper": self.paper,
            "where": self.where,
            "origin": self.origin,
            "goal": shown.goal,
            "goal_latex": shown.goal_latex,
            "hypotheses": _plain(shown.hypotheses),
            "symbols": _plain(shown.symbols),
            "quantifiers": list(shown.quantifiers),
            "statement": self.statement,
            "latex": self.latex,
            "supplied": list(shown.supplied),
            "depends": list(self.depends),
            "closure": list(self.closure),
            "verdict": judged.verdict.name,
            "rests_on": list(judged.rests_on or _links(judged.steps)),
            "checked_by": list(self.checked_by),
            "cases": [_plain(case) for case in judged.cases],
            "assumes": list(judged.assumes),
            "arguments": list(judged.arguments),
            "trusted": [{"module": name, "lines": n} for name, n in self.trusted.items()],
            "printed_proof": judged.printed_proof,
            "steps": _steps(judged.steps, shown.steps),
            "findings": [_plain(finding) for finding in judged.findings],
            "counterexample": _plain(judged.counterexample),
            "evidence": [_plain(evidence) for evidence in judged.evidence],
            "controls": _plain(self.controls),
            "seconds": round(self.seconds, 3),
        }


def _links(steps: Sequence[Step]) -> list[Link]:
    """What the steps of a judgement rest on; what is no step has no links."""
    return sorted({link for step in steps for link in getattr(step, "rests_on", ())})


def _steps(steps: Sequence[Step], known: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Steps with what is known of them beside their words."""
    beside = [*known, *({} for _ in steps)]
    plain = [_plain(step) for step in steps]
    return [
        {**_NO_GOAL, **one, **_plain(more)} if isinstance(one, dict) else one
        for one, more in zip(plain, beside, strict=False)
    ]


_NO_GOAL: Final[Mapping[str, Any]] = {
    "name": "",
    "goal": None,
    "latex": "",
    "premises": [],
    "certificate": None,
}


def plainly(judgement: Judgement) -> Judgement:
    """The same judgement with witnesses and data as JSON data, whatever a prover put there.

    Raises
    ------
    TypeError
        Something in it has no JSON form.

    Examples
    --------
    >>> plainly(Judgement(Verdict.REFUTED, "none", counterexample={"p": Fraction(1, 2)}))
    Judgement(verdict=<Verdict.REFUTED: 0>, ..., counterexample={'p': '1/2'}, ...)
    """
    return replace(
        judgement,
        findings=tuple(replace(one, witness=_plain(one.witness)) for one in judgement.findings),
        counterexample=_plain(judgement.counterexample),
        evidence=tuple(replace(one, data=_plain(one.data)) for one in judgement.evidence),
    )


def _plain(value: Any) -> Any:
    """Dataclasses, verdicts, tuples, exact and numpy numbers and formulas as JSON data."""
    if isinstance(value, Verdict):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, (Fraction, sympy.Basic)):
        return str(value)
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r:.80}")
