"""What a claim's prover hands to the judge: grounds and witnesses, cases and findings.

It names no verdict. `theory.judging.decide` replays the witnesses, asks the grounds, and decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from theory.errors import TheoryError
from theory.falsifier.numbers import Number
from theory.kernel.prove import Proof
from theory.kernel.relations import Relation
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.laws.delays.comparison import Bounded, Comparison
from theory.ledger import Evidence, FindingKind, Step
from theory.smt.solver import Outcome


@dataclass(frozen=True)
class Compared:
    """Whether Python code found two things equal, or one of them as it should be, exactly.

    Attributes
    ----------
    says : str
        What was compared.
    code : str
        The function whose lines are trusted, such as ``"my_paper.entries.compared"``.
    holds : bool
    """

    says: str
    code: str
    holds: bool


@dataclass(frozen=True)
class Exhausted:
    """Whether all of a finite domain has a property.

    Attributes
    ----------
    says : str
        Which domain, and what was asked of each of its members.
    tried : int
        How many members it has.
    holds : bool
    """

    says: str
    tried: int
    holds: bool


Ground = Theorem | Proof | Outcome | Comparison | Bounded | Compared | Exhausted
"""Something that a machine reached; a theorem stands for its proof by the kernel."""

Grounds = Iterable[Ground]
"""All are needed; a generator is asked for no more of them than is needed to see one fail."""


@dataclass(frozen=True)
class Violation:
    """A number that is replayed, and the formula that does not allow it.

    Attributes
    ----------
    measured : callable
        Runs the instance once more; returns an exact number, or a certified enclosure of one.
    kind : str
        How the statement says the number stands to the formula.
    stated : sympy expression
        The formula.
    at : mapping of sympy symbol to exact number
        The instance.
    under : tuple of Relation
        What the statement supposes; the instance must satisfy it.
    """

    measured: Callable[[], Scalar | Number]
    kind: Literal["<=", "==", ">="]
    stated: Scalar
    at: Mapping[Scalar, Scalar | Number]
    under: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class Refutation:
    """Why a statement is false.

    Attributes
    ----------
    witness : mapping
        The instance for a reader, as plain data.
    because : Violation or tuple of grounds
        What is replayed; or what proves the negation in general, of which the witness is an
        instance.
    """

    witness: Mapping[str, Any]
    because: Violation | tuple[Ground, ...]

    def __post_init__(self) -> None:
        if not self.witness or self.because == ():
            raise TheoryError(
                "a refutation has a witness, and something that shows it",
                f"witness {dict(self.witness)!r:.80}",
                "give the instance, and how it is replayed",
            )


@dataclass(frozen=True)
class Decision:
    """What is known of one statement; nothing at all leaves it open.

    Attributes
    ----------
    grounds : tuple of grounds
        All together show that it holds.
    fails : Refutation, optional
    """

    grounds: tuple[Ground, ...] = ()
    fails: Refutation | None = None


OPEN = Decision()
"""Nothing is known."""


@dataclass(frozen=True)
class Readings:
    """The source leaves something open: the statement holds in some of the cases.

    Attributes
    ----------
    holds : tuple of str
        Cases in which it holds, by what they say `when`; the others may be false or open.
    """

    holds: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A named part of what the source leaves open, and what is known of it."""

    when: str
    decision: Decision
    says: str = ""


@dataclass(frozen=True)
class Line:
    """A step of the printed proof, or of ours where `where` is ``"ours"``, and its grounds."""

    where: str
    says: str
    rule: str
    decision: Decision


@dataclass(frozen=True)
class Repair:
    """A statement that stands in for a printed one, and why it holds."""

    statement: str
    grounds: Grounds

    @classmethod
    def by(cls, theorem: Theorem) -> Repair:
        """A theorem of the kernel."""
        return cls(theorem.statement, (theorem,))


@dataclass(frozen=True)
class Finding:
    """Something about a claim that its reader should know, and what shows it.

    Attributes
    ----------
    kind, where, says : str
    witness : mapping, optional
    shown : iterable of grounds
        Instead of a witness, or beside one.
    repaired : Repair, optional

    Raises
    ------
    TheoryError
        There is neither a witness nor a ground.
    """

    kind: FindingKind
    where: str
    says: str
    witness: Mapping[str, Any] | None = None
    shown: tuple[Ground, ...] = ()
    repaired: Repair | None = None

    def __post_init__(self) -> None:
        if not self.witness and not self.shown:
            raise TheoryError(
                f"a finding has a witness or a ground, this one ({self.kind}) has neither",
                self.where,
                "give the instance, or what proves it",
            )


@dataclass(frozen=True)
class Account:
    """All that is known of a claim.

    Attributes
    ----------
    decision : Decision or Readings
        Of the statement as printed; or in which of the cases it holds.
    cases : tuple of Case
    assumes : tuple of str
    steps : tuple of Line or theory.ledger.Step
        The latter come from the kernel.
    findings : tuple of Finding
    evidence : tuple of Evidence
    arguments : tuple of str
        Arguments in words that put the grounds together.

    Raises
    ------
    TheoryError
        A part is something else.
    """

    decision: Decision | Readings
    cases: tuple[Case, ...] = ()
    assumes: tuple[str, ...] = ()
    steps: tuple[Line | Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    arguments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, kinds in _PARTS.items():
            given = getattr(self, name)
            parts = given if isinstance(given, tuple) else (given,)
            single = name == "decision"
            wrong = [part for part in parts if not isinstance(part, kinds)]
            if wrong or isinstance(given, tuple) is single:
                said = " or ".join(kind.__name__ for kind in kinds)
                raise TheoryError(
                    f"{name} of an account is {'a' if single else 'a tuple of'} {said}, found "
                    f"{(wrong or [given])[0]!r:.80}",
                    "account",
                    "correct it",
                )


_PARTS: Final[Mapping[str, tuple[type, ...]]] = {
    "decision": (Decision, Readings),
    "cases": (Case,),
    "assumes": (str,),
    "steps": (Line, Step),
    "findings": (Finding,),
    "evidence": (Evidence,),
    "arguments": (str,),
}
