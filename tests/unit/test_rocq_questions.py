"""Questions to z3 in Rocq: they say the same, and coqc refuses what is not so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import z3

from theory.rocq.asked import Asked
from theory.rocq.compiling import compiled
from theory.rocq.lemmas import lemma, proposition
from theory.rocq.questions import question, read_back
from theory.rocq.recorded import Answers
from theory.rocq.tableau import HEAD
from theory.rocq.text import UnsupportedError
from theory.smt import cvc5
from theory.smt.queries import Query, digest_of, recording, remembered
from theory.smt.solver import Statement, decide

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

x, y, z = z3.Ints("x y z")
b = z3.Bool("b")
r, s = z3.Reals("r s")
f = z3.Function("f", z3.IntSort(), z3.IntSort())
h = z3.Function("h", z3.IntSort(), z3.BoolSort())
STATEMENTS = {
    "cases": ((x > y,), z3.If(x > y, x, y) == z3.If(y < x, x, y)),
    "division": ((x >= 0,), z3.And(x / 3 * 3 + x % 3 == x, x % 3 < 3)),
    "divisor": ((y >= 1, x == 2 * y), z3.And(x / y * y <= x, x % y < y)),
    "function": ((x == y + 1,), f(x - 1) == f(y)),
    "truth": ((z3.Or(b, x > 3), z3.Not(b)), z3.And(x > 2, b == (x < 0))),
    "distinct": ((z3.Distinct(x, y, z), x <= y, y <= z), x < z),
    "choice": ((z3.If(b, x > 1, x > 2),), z3.Implies(b != (x > 5), x > 1)),
    "product": ((x >= 1, y >= 2), x * y >= x + 1),
    "real": ((r > 1, s == r / 2), z3.And(s * 2 > 1, z3.ToReal(x + 1) > z3.ToReal(x))),
    "fraction": ((r > 1,), 1 / r > 0),
    "half": ((h(x) != h(y),), z3.Or(x < y, x > y)),
}


def asked(name: str) -> list[Query]:
    hypotheses, goal = STATEMENTS[name]
    with recording() as queries:
        assert decide(Statement(name, name, hypotheses, goal)).verdict.name == "PROVED"
    return queries


def meant(form: z3.BoolRef, stands: list[tuple[z3.ExprRef, z3.ExprRef]]) -> z3.BoolRef:
    """With what numbers of their own stand for; one may stand in what another stands for."""
    for _ in stands:
        form = z3.substitute(form, *stands)
    return z3.substitute(form, (z3.Int("b"), z3.If(b, z3.IntVal(1), z3.IntVal(0))))


def holds(form: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.add(z3.Not(form))
    return bool(solver.check() == z3.unsat)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_question_says_what_was_asked(name: str) -> None:
    """With what its numbers stand for it is equivalent, and what is said of those is true."""
    for query in asked(name):
        found = question(query.text)
        stands = [(z3.Const(one, term.sort()), term) for one, term in found.defined.items()]
        assert holds(z3.And(*(meant(form, stands) for form in found.said)))
        whole = z3.And(*z3.parse_smt2_string(query.text))
        assert holds(whole == z3.And(*(meant(form, stands) for form in found.asserted)))
        proposition(query)  # it reads back


def test_other_questions_are_refused() -> None:
    with recording() as queries:
        decide(Statement("each", "", (z3.ForAll([z], z > x),), x > 0))
    with pytest.raises(UnsupportedError):
        lemma("each", queries[0])
    unsat, sat = asked("cases")
    for wrong in (replace(unsat, answer="sat"), replace(sat, answer="unsat")):
        with pytest.raises(UnsupportedError):
            lemma("wrong", wrong)
    with pytest.raises(UnsupportedError):
        read_back("(x < 1 + 2)", {"x": x})


def test_digests_are_of_what_is_asked_and_answered() -> None:
    unsat, sat = asked("cases")
    with recording(texts=False) as short:
        decide(Statement("else", "", *STATEMENTS["cases"]))
    assert digest_of(short) == digest_of([sat, unsat]) != digest_of([unsat])
    assert all(not one.text for one in short)
    assert len({one.digest for name in STATEMENTS for one in asked(name)}) == 2 * len(STATEMENTS)

    @remembered
    def again() -> str:
        return decide(Statement("again", "", *STATEMENTS["truth"])).note

    with recording(texts=False) as short:
        again()
    with recording() as whole:
        again()
    assert all(one.text for one in whole)
    assert digest_of(short) == digest_of(whole)


def test_who_answers_alike() -> None:
    assert Answers(3, 3, 2).checkers == ("rocq",)
    assert Answers(3, 2, 2).checkers == Answers(0, 0, 0).checkers == ()
    assert Answers(1, 1, 1).checkers == ("rocq", "cvc5")


def weakened(query: Query) -> Iterator[str]:
    """The lemma with a premise that it needs taken away."""
    told, facts = lemma("mutant", query), question(query.text).facts
    head, *_ = told.split(":\nProof.")[0].split("False.")
    parts = head.split(" ->\n")
    assert len(parts) == len(facts) + 1
    for place in range(len(facts)):
        solver = z3.Solver()
        solver.add(*facts[:place], *facts[place + 1 :])
        if solver.check() == z3.sat:
            start = parts[place].split("Z,\n")[0] + "Z,\n" if place == 0 else ""
            fewer = [*parts[:place], f"{start}  True", *parts[place + 1 :]]
            yield told.replace(head, " ->\n".join(fewer))


def survivors(folder: Path, mutants: list[str]) -> list[str]:
    found = []
    for place, mutant in enumerate(mutants):
        source = f"{HEAD}{mutant}\nPrint Assumptions mutant.\n"
        (folder / f"m{place}.v").write_text(source, encoding="utf-8")
        if not compiled(folder, f"m{place}"):
            found.append(mutant)
    return found


@needs_coqc
def test_coqc_accepts_what_is_so_and_refuses_what_is_not(tmp_path: Path) -> None:
    every = Asked()
    for name in ("cases", "truth", "product", "real", "half"):
        every.add(name, asked(name))
    assert not every.refused
    good = every.accepted(1)
    assert every.judged(good) == ([*every.queries], {})
    own = every.queries["cases"][0]
    mutants = [*weakened(own), lemma("mutant", own).replace("lia", "idtac")]
    assert survivors(tmp_path, [lemma("mutant", own)])
    assert survivors(tmp_path, mutants[-2:]) == []
    every.lemmas[own.digest] = mutants[0].replace("mutant", f"q_{own.digest[:20]}")
    assert every.accepted(1) == good - {own.digest}
    every.log(good - {own.digest}, tmp_path)
    assert (tmp_path / f"q_{own.digest[:20]}.cpc").read_text("utf-8") == every.proofs[own.digest]
    assert list(every.judged(good - {own.digest})[1]) == ["cases"]
    found = {one: said for one, (_, said) in every.answers(good - {own.digest}).items()}
    assert (found["cases"].rocq, found["cases"].logged, found["truth"].logged) == (1, 1, 0)


@pytest.mark.parametrize(
    ("says", "accepts"),
    [
        ("echo correct", True),
        ("echo incomplete", False),
        ("echo correct; exit 1", False),
        ("", False),
    ],
)
def test_what_ethos_says_of_a_proof(
    says: str, accepts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ethos"
    program.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert not cvc5.ethos(tmp_path, tmp_path, tmp_path)  # it may not be run yet
    program.chmod(0o755)
    assert cvc5.ethos(tmp_path, tmp_path, tmp_path) is accepts


@pytest.mark.slow
@needs_coqc
def test_every_premise_that_is_needed_is_missed(tmp_path: Path) -> None:
    mutants = [one for name in STATEMENTS for one in weakened(asked(name)[0])]
    assert len(mutants) > 15
    assert survivors(tmp_path, mutants) == []
