"""Negative controls of the second opinion: a wrong first answer must come to light."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import z3

from theory.judging.catalogue import CLAIMS
from theory.judging.judge import judge
from theory.judging.opinions import contradictions, second_opinion, with_opinion
from theory.smt import solver
from theory.smt.queries import Query, record, recording
from theory.smt.solver import Statement, decide
from theory.verdicts import Verdict

pytest.importorskip("cvc5")

CLAIM = CLAIMS["localsgd.schedule"]


def _negated(query: Query) -> Query:
    """The query with its last assertion turned round, and z3's answer to the original."""
    head, last = query.text.rsplit("(assert", 1)
    body = last.rsplit(")", 2)[0]
    return replace(query, text=f"{head}(assert (not {body}))\n(check-sat)\n")


def test_a_tampered_query_is_a_contradiction() -> None:
    x = z3.Int("x")
    with recording() as queries:
        decide(Statement("even", "twice x is no 3", (x > 1,), 2 * x != 3))
    assert [query.answer for query in queries] == ["unsat", "sat"]
    assert second_opinion(queries).disagreements == ()
    tampered = _negated(queries[0])
    (found,) = second_opinion([tampered, queries[1]]).disagreements
    assert found == (tampered, "sat")


@pytest.mark.parametrize("lie", ["sat", "unsat"])
def test_a_contradicted_row_is_unknown_and_says_where(lie: str) -> None:
    row = judge(CLAIM, listen=True)
    queries = row.queries
    assert row.verdict is Verdict.PROVED
    position = next(i for i, query in enumerate(queries) if query.answer != lie)
    wrong = replace(queries[position], answer=lie)
    opinion = second_opinion([*queries[:position], wrong, *queries[position + 1 :]])
    left = with_opinion(row, opinion)
    assert left.verdict is Verdict.UNKNOWN
    evidence = left.judgement.evidence[-1]
    assert evidence.points == "against"
    assert evidence.says.endswith("1 contradicted")
    assert evidence.data["disagreements"][0]["z3"] == lie
    (line,) = contradictions(CLAIM.id, opinion)
    assert line.startswith(f"{CLAIM.id}: z3 says {lie}, cvc5 says {queries[position].answer}: ")


class _Broken(z3.Solver):  # type: ignore[misc]  # z3 ships no types
    """A solver that calls every second question without a model, whatever it is."""

    checks = 0

    def check(self, *assumptions: Any) -> Any:
        type(self).checks += 1
        answer = super().check(*assumptions)
        return z3.unsat if type(self).checks % 2 else answer


def test_a_broken_solver_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    x = z3.Int("x")
    false = Statement("false", "every x above 1 is above 5", (x > 1,), x > 5)

    def broken(rlimit: int) -> Any:
        made = _Broken(ctx=z3.Context())
        made.set("rlimit", rlimit)
        return made

    monkeypatch.setattr(solver, "fresh_solver", broken)
    with recording() as queries:
        outcome = decide(false)
    assert outcome.verdict is Verdict.PROVED, "the stand-in misleads the first solver's guard"
    opinion = second_opinion(queries)
    assert [answer for _, answer in opinion.disagreements] == ["sat"]


def test_a_claim_whose_answers_are_turned_round_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    flipped = {"sat": "unsat", "unsat": "sat", "unknown": "unknown"}

    def turned_round(asks: str, terms: Any, answer: str, rlimit: int) -> None:
        record(asks, terms, flipped[answer], rlimit)

    monkeypatch.setattr("theory.smt.solver.record", turned_round)
    row = judge(CLAIM, listen=True)
    opinion = second_opinion(row.queries)
    assert len(opinion.disagreements) == opinion.queries > 0
    assert with_opinion(row, opinion).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "(set-logic ALL)(assert (= 1))(check-sat)",
        "(set-logic ALL)(assert (> x 1))(check-sat)",
        "(set-logic ALL)",
        "(set-logic ALL)(check-sat)(check-sat)",
        "",
    ],
)
def test_a_query_that_cannot_be_read_is_never_confirmed(text: str) -> None:
    opinion = second_opinion([Query("unreadable", text, "unsat", 1)])
    assert (opinion.confirmed, len(opinion.undecided), opinion.disagreements) == (0, 1, ())
    assert opinion.undecided[0][1]


def test_a_spent_budget_is_never_a_pass() -> None:
    x, y, z = z3.Ints("x y z")
    cubes = Statement(
        "cubes", "no cube is a sum of two", (x > 0, y > 0, z > 0), x**3 + y**3 != z**3
    )
    with recording() as queries:
        decide(cubes, rlimit=1000)
    hard = replace(queries[0], answer="unsat")
    opinion = second_opinion([hard], rlimit=20_000)
    assert opinion.confirmed == 0
    left = with_opinion(judge(CLAIM), opinion)
    assert left.verdict is Verdict.PROVED, "an undecided query takes no verdict away"
    assert left.judgement.evidence[-1].points == "neither"
    assert left.judgement.evidence[-1].data["undecided"][0]["why"]


def test_what_z3_left_open_counts_for_nothing() -> None:
    text = "(set-logic ALL)(declare-fun x () Int)(assert (< x 0))(check-sat)"
    opinion = second_opinion([Query("open", text, "unknown", 1)])
    assert (opinion.queries, opinion.confirmed, opinion.disagreements) == (0, 0, ())


def test_the_budget_decides_whether_there_is_an_answer() -> None:
    queries = judge(CLAIM, listen=True).queries
    assert second_opinion(queries).undecided == ()
    undecided = second_opinion(queries, rlimit=1).undecided
    assert undecided
    assert {reason for _, reason in undecided} == {"unknown (RESOURCEOUT)"}
