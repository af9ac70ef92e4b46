"""All that a claim with a prover of its own needs, for one import.

What it states and hands over (`theory.account`, `theory.claims`), theorems, questions to the solver
(`theory.smt`), refutations by runs, and tables of cases and lines.
"""

from __future__ import annotations

from theory.account import (
    OPEN,
    Account,
    Case,
    Compared,
    Decision,
    Exhausted,
    Finding,
    Ground,
    Grounds,
    Line,
    Readings,
    Refutation,
    Repair,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.judging.as_claim import account, as_claim, assumptions
from theory.judging.decide import proves
from theory.judging.outcomes import cases, found_by, in_turn, lines
from theory.judging.plain_rows import row
from theory.judging.replaying import first_violation, witnessed
from theory.kernel import eq, le
from theory.kernel.signs import nonnegative
from theory.laws.static_orders.symbols import term
from theory.ledger import Evidence
from theory.smt.instances import decide_from, in_words
from theory.smt.notation import stated, terms
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, Term, decide, merge, undecided

__all__ = [
    "OPEN",
    "Account",
    "Case",
    "Claim",
    "Compared",
    "Decision",
    "Evidence",
    "Exhausted",
    "Finding",
    "Formulas",
    "Ground",
    "Grounds",
    "Line",
    "Outcome",
    "Readings",
    "Refutation",
    "Repair",
    "Statement",
    "Term",
    "Violation",
    "account",
    "as_claim",
    "assumptions",
    "cases",
    "decide",
    "decide_from",
    "eq",
    "first_violation",
    "found_by",
    "in_turn",
    "in_words",
    "le",
    "lines",
    "merge",
    "nonnegative",
    "proves",
    "remembered",
    "row",
    "stated",
    "term",
    "terms",
    "undecided",
    "witnessed",
]
