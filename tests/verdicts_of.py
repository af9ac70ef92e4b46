"""Accounts by the verdicts that they reach, and verdicts of what a prover is asked in turn."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from theory.account import (
    OPEN,
    Account,
    Case,
    Compared,
    Decision,
    Exhausted,
    Readings,
    Refutation,
    Violation,
)
from theory.claims import Claim, Formulas
from theory.judging.mutants import passes
from theory.judging.outcomes import in_turn
from theory.ledger import Evidence
from theory.smt.solver import Outcome, Statement
from theory.verdicts import Verdict, first_short


def first(outcomes: Iterable[Outcome]) -> Verdict:
    """PROVED if all of them are, else the verdict of the first that is not."""
    return first_short(outcome.verdict for outcome in outcomes)


def lazily(statements: Iterable[Statement]) -> Verdict:
    """The same of statements, none of them decided behind the first that falls short."""
    return first(in_turn(statements))


def of_formulas(claim: Claim, formulas: Formulas) -> Verdict:
    """What the prover of a claim's controls makes of formulas."""
    assert claim.holds is not None
    return passes(partial(claim.holds, formulas))


_HELD = Decision((Compared("1 = 1", __name__, holds=True),))
_REACHED: dict[Verdict, tuple[Decision | Readings, tuple[Case, ...]]] = {
    Verdict.PROVED: (_HELD, ()),
    Verdict.CONDITIONAL: (Readings(("a",)), (Case("a", _HELD), Case("b", OPEN))),
    Verdict.CHECKED: (Decision((Exhausted("p = 2", 1, holds=True),)), ()),
    Verdict.UNKNOWN: (OPEN, ()),
    Verdict.REFUTED: (
        Decision(fails=Refutation({"p": 2}, Violation(lambda: 2, "<=", 1, {}))),
        (),
    ),
}


def reaching(verdict: Verdict, evidence: tuple[Evidence, ...] = ()) -> Account:
    """An account that is found to have this verdict."""
    decision, cases = _REACHED[verdict]
    return Account(decision, cases, evidence=evidence)
