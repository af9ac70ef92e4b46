"""What a claim is: a statement with its formulas as data, and the prover that judges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import sympy

from theory.account import Account, Grounds
from theory.kernel.relations import Relation
from theory.kernel.theorem import Theorem
from theory.ledger import Evidence, Origin
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
    account : callable
        What is known of the statement with these formulas; the judge decides from it.
    core : mapping of str to sympy expression
        The formulas that `holds` proves: those printed, or their repair.
    holds : callable
        Grounds on which given formulas hold, by the same machinery, or the kernel's own verdict on
        them; it is run on mutants of `core`, none of which may come out PROVED.
    weakened : mapping of str to callable
        By the name of a hypothesis, the grounds of the same machinery without it; a control too,
        unless the hypothesis is not needed.
    depends : tuple of str
        Ids of the claims that the proof rests on.
    deeper : callable, optional
        Evidence that takes long to gather, from `printed`; asked for by ``--deep`` only.
    cost : float
        About how many seconds judging takes. Claims that run side by side start with the longest;
        nothing else follows from it.
    shares : str
        Name of work that is done once and kept, such as a derived law: in one process, for all
        claims that share it.
    source : str, optional
        The user's file that defines the claim; None for a claim of this package.
    origin : str
        Whose statement it is: ``"printed"`` in the source, ``"reconstructed"`` where the text lost
        the display, ``"implied"`` by the source, or ``"ours"``.
    theorem : Theorem, optional
        Where the kernel proves the statement.
    chosen : tuple of Relation
        What the statement says of its parameters as a whole, such as that one is a minimum.
    challenge : str
        By which the falsifier attacks it, or ``""``.
    """

    id: str
    where: str
    statement: str
    latex: str
    account: Callable[[Formulas], Account]
    printed: Formulas = field(default_factory=dict)
    core: Formulas = field(default_factory=dict)
    holds: Callable[[Formulas], Grounds | Verdict] | None = None
    weakened: Mapping[str, Callable[[], Grounds | Verdict]] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    deeper: Callable[[Formulas], tuple[Evidence, ...]] | None = None
    cost: float = 1.0
    shares: str = ""
    source: str | None = None
    origin: Origin = "printed"
    theorem: Theorem | None = None
    challenge: str = ""
    chosen: tuple[Relation, ...] = ()

    @property
    def paper(self) -> str:
        """The part of the id before the dot."""
        return self.id.partition(".")[0]
