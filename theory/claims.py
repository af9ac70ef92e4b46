"""What a claim is: a statement with its formulas as data, and the prover that judges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import sympy

from theory.ledger import Judgement
from theory.verdicts import Verdict

Formulas = Mapping[str, sympy.Expr]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper.

    Attributes
    ----------
    id : str
        ``paper.name``; stable.
    where : str
        Place in the paper.
    statement, latex : str
        One declarative sentence; its formula in LaTeX.
    printed : mapping of str to sympy expression
        The formulas of the statement as printed; the only place where they stand.
    judge : callable
        Reaches the judgement from `printed`.
    core : mapping of str to sympy expression
        The formulas that `holds` proves: those printed, or their repair.
    holds : callable
        Verdict on given formulas by the same machinery; it is run on mutants of `core`, none
        of which may come out PROVED.
    """

    id: str
    where: str
    statement: str
    latex: str
    judge: Callable[[Formulas], Judgement]
    printed: Formulas = field(default_factory=dict)
    core: Formulas = field(default_factory=dict)
    holds: Callable[[Formulas], Verdict] | None = None

    @property
    def paper(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]
