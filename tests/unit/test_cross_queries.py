"""What is recorded while something is judged, and what is written of it."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
import z3

from tests.verdicts_of import reaching
from theory.errors import TheoryError
from theory.judging.catalogue import CLAIMS
from theory.judging.judge import judge
from theory.judging.opinions import second_opinion, with_opinion
from theory.smt import cvc5 as engine
from theory.smt.files import smt_files
from theory.smt.queries import Query, recording, remembered
from theory.smt.solver import Statement, decide, satisfiable
from theory.verdicts import Verdict

x = z3.Int("x")
TRIVIAL = Statement("trivial", "x > 1 implies\nx > 0", (x > 1,), x > 0)


def test_every_call_of_the_solver_is_recorded() -> None:
    with recording() as queries:
        outcome = decide(TRIVIAL)
        satisfiable({"up": x > 3, "down": x < 3})
    assert outcome.queries == 2
    assert [query.answer for query in queries] == ["unsat", "sat", "unsat"]
    assert all(query.text.endswith("(check-sat)\n") for query in queries)
    assert "\n" not in queries[0].asks


def test_the_text_asks_what_z3_was_asked() -> None:
    with recording() as queries:
        decide(TRIVIAL)
    for query in queries:
        again = z3.Solver()
        again.from_string(query.text)
        assert str(again.check()) == query.answer


def test_nothing_is_kept_without_a_listener_or_after_it() -> None:
    with recording() as queries:
        pass
    decide(TRIVIAL)
    assert queries == []


def test_an_error_ends_the_recording() -> None:
    with pytest.raises(ZeroDivisionError), recording() as queries:
        raise ZeroDivisionError
    decide(TRIVIAL)
    assert queries == []


def test_a_listener_hears_its_own_thread_and_block_only() -> None:
    with recording() as outer:
        other = threading.Thread(target=decide, args=(TRIVIAL,))
        other.start()
        other.join()
        with recording() as inner:
            decide(TRIVIAL)
    assert (len(outer), len(inner)) == (0, 2)


def test_what_is_remembered_is_recorded_for_everybody() -> None:
    calls = []

    @remembered
    def proved(size: int, *, twice: bool = False) -> int:
        calls.append(size)
        decide(TRIVIAL)
        return size * (2 if twice else 1)

    assert [proved(3), proved(3)] == [3, 3]
    assert calls == [3], "nobody listened, and it was remembered"
    for _ in range(2):
        with recording() as queries:
            assert proved(3) == 3
        assert len(queries) == 2
    assert proved(3) == 3
    assert calls == [3, 3], "asked once more, by the first who listened"
    assert proved(3, twice=True) == 6


@pytest.mark.parametrize(
    ("goal", "logic"),
    [
        (z3.Real("r") ** 2 >= 0, "QF_NRA"),
        (x * x >= 0, "ALL"),
        (z3.ToReal(x) >= z3.Real("r"), "ALL"),
        (z3.ForAll([z3.Real("r")], z3.Real("r") > 0), "ALL"),
        (z3.Function("f", z3.RealSort(), z3.RealSort())(z3.Real("r")) > 0, "ALL"),
        (True, "QF_NRA"),
    ],
)
def test_the_logic_fits_the_terms(goal: object, logic: str) -> None:
    with recording() as queries:
        decide(Statement("goal", "", (), goal))
    assert {query.text.splitlines()[0] for query in queries[:1]} == {f"(set-logic {logic})"}


def test_mutants_are_not_what_a_proof_rests_on() -> None:
    claim = CLAIMS["localsgd.schedule"]
    with recording() as of_mutants:
        row = judge(claim, listen=True)
    assert row.controls.tried > 0
    own = {query.digest for query in row.queries}
    assert own
    assert {query.digest for query in of_mutants} - own
    silent = judge(claim)
    assert (silent.queries, silent.asked) == ((), row.asked)


def test_files_name_every_claim_of_a_query_once() -> None:
    shared = Query("one", "(set-logic ALL)\n(check-sat)\n", "sat", 1)
    own = Query("two", "(set-logic ALL)\n(assert false)\n(check-sat)\n", "unsat", 1)
    files = smt_files({"a.first": [shared, shared], "a.second": [shared, own]})
    assert list(files) == ["0001.smt2", "0002.smt2"]
    assert files["0001.smt2"].decode().splitlines()[:3] == [
        "; claim: a.first",
        "; claim: a.second",
        "; asks: one",
    ]
    assert "; z3 answers: unsat" in files["0002.smt2"].decode()


def test_without_cvc5_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    with pytest.raises(TheoryError, match="staleproof\\[cross\\]") as raised:
        second_opinion([])
    assert "\n" not in str(raised.value)


def test_real_arithmetic_of_several_unknowns_is_decided() -> None:
    pytest.importorskip("cvc5")
    a, b, c = z3.Reals("a b c")
    mean = Statement("mean", "", (a > 0, b > 0, c > 0), a**3 + b**3 + c**3 >= 3 * a * b * c)
    ratio = Statement("ratio", "", (a > 0, b > 0), a / b + b / a >= 2)
    with recording() as queries:
        decide(mean)
        decide(ratio)
    opinion = second_opinion(queries)
    assert (opinion.queries, opinion.confirmed) == (4, 4)


def test_a_claim_without_queries_is_not_called_confirmed() -> None:
    pytest.importorskip("cvc5")
    claim = CLAIMS["localsgd.schedule"]
    proved = reaching(Verdict.PROVED)
    silent = replace(claim, account=lambda formulas: proved, holds=None, weakened={})
    judged = judge(silent, listen=True)
    row = with_opinion(judged, second_opinion(judged.queries))
    assert (judged.queries, row.verdict) == ((), Verdict.PROVED)
    assert row.judgement.evidence[-1].points == "neither"


def test_sums_and_products_of_one_part_are_written_as_that_part() -> None:
    pytest.importorskip("cvc5")
    r = z3.Real("r")
    one = z3.Product([z3.Sum([z3.Product([r])])])
    with recording() as queries:
        decide(Statement("one", "", (one > 1, one <= 5), r * one > 1))
    opinion = second_opinion(queries)
    assert (opinion.queries, opinion.confirmed) == (2, 2)
