"""What SAPipe's refuted rows hand to the judge is replayed, and stands for what it says only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import pytest
import sympy

from theory.account import Account, Decision, Line, Violation
from theory.judging.decide import decided, violated
from theory.kernel.lemmas import YOUNG
from theory.papers.sapipe import PAPER, thm_5
from theory.papers.sapipe.arguments import ARGUMENTS, RESTS
from theory.papers.sapipe.pieces import lines, stating
from theory.papers.sapipe.symbols import L, eta, kappa
from theory.papers.sapipe.witnesses.refuting import above, broken, unlike
from theory.verdicts import Verdict

BY_ID = {claim.id: claim for claim in PAPER.claims}
REFUTED = (
    "program",
    "assumption-3",
    "assumption-4",
    "thm-2",
    "prefix",
    "thm-4",
    "thm-5",
    "thm-6",
    "alg-4",
    "alg-5",
)
"""Rows whose statement is refuted by an instance."""
PARTLY = ("remark-4", "remark-6")
"""Rows of which a case is."""


@cache
def account_of(name: str) -> Account:
    claim = BY_ID[f"sapipe.{name}"]
    assert claim.account is not None
    return claim.account(claim.printed)


def violations(account: Account) -> Iterator[Violation]:
    """Of the statement, of its cases and of printed lines."""
    stated = (account.decision,) if isinstance(account.decision, Decision) else ()
    cases = (case.decision for case in account.cases)
    printed = (line.decision for line in account.steps if isinstance(line, Line))
    for decision in (*stated, *cases, *printed):
        if decision.fails is not None and isinstance(decision.fails.because, Violation):
            yield decision.fails.because


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*REFUTED, *PARTLY])
def test_every_instance_is_replayed(name: str) -> None:
    found = list(violations(account_of(name)))
    assert found
    assert all(map(violated, found))


@pytest.mark.parametrize("name", [*REFUTED, *PARTLY])
def test_an_instance_that_does_what_is_stated_refutes_nothing(name: str) -> None:
    for one in violations(account_of(name)):
        at = {symbol: sympy.sympify(value) for symbol, value in one.at.items()}
        allowed = sympy.sympify(one.stated).subs(at, simultaneous=True)
        assert not violated(replace(one, measured=partial(sympy.sympify, allowed)))


@pytest.mark.parametrize("name", [*REFUTED, *PARTLY])
def test_an_instance_of_which_nothing_is_known_refutes_nothing(name: str) -> None:
    for one in violations(account_of(name)):
        if one.under:
            assert not violated(replace(one, at={}))


def test_a_run_outside_the_domain_refutes_nothing() -> None:
    inside = {eta: 1, L: 1, kappa: 1}
    assert violated(above(lambda: 2, {"all": sympy.S.One}, inside))
    for wrong in ({eta: 2}, {kappa: 2}, {L: -1}):
        assert not violated(above(lambda: 2, {"all": sympy.S.One}, {**inside, **wrong}))
    assert not violated(above(lambda: 1, {"all": sympy.S.One}, inside))


def test_a_line_without_an_instance_is_open() -> None:
    assert unlike(lambda: None, "left", "<=") is None
    line, wrong = broken("it holds", "here", "why", None, YOUNG)
    assert (line.decision.fails, wrong) == (None, ())
    same = unlike(lambda: {"left": 1, "right": 1}, "left", "<=", "right")
    line, _ = broken("it holds", "here", "why", same, YOUNG)
    found = decided(Account(Decision((YOUNG,)), steps=(line,)))
    assert [step.verdict for step in found.steps] == [Verdict.UNKNOWN]


def test_an_error_that_is_not_negative_outside_is_not_refuted_there() -> None:
    """The case is about all η beyond 1/(√2 L), for which one run is not enough."""
    printed = thm_5.CLAIM.printed
    known = thm_5._account({**printed, "error": printed["error"] + kappa * L**2 * eta**2})
    assert decided(known).cases[0].verdict is not Verdict.REFUTED


def test_terms_of_other_names_are_left_out() -> None:
    assert stating(YOUNG, {"third": sympy.S.One}) is YOUNG
    [line] = lines(stating(YOUNG, {"second": sympy.S.Zero}))
    assert decided(Account(line.decision)).verdict is Verdict.UNKNOWN


@pytest.mark.slow
def test_rows_hand_over_their_arguments_in_full() -> None:
    for name, said in RESTS.items():
        found = BY_ID[name].account
        assert found is not None
        known = account_of(name.removeprefix("sapipe."))
        assert all(any(ARGUMENTS[one] in text for text in known.arguments) for one in said)
