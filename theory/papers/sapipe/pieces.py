"""Claims that rest on several theorems of the kernel: their lines, and their controls."""

from dataclasses import replace
from functools import partial

import sympy

from theory.account import Decision, Line
from theory.claims import Formulas
from theory.errors import VacuousError
from theory.judging.controls import without
from theory.judging.mutants import Control
from theory.kernel import Hypothesis, Point, Relation, Theorem, prove
from theory.kernel.theorem import Rule
from theory.kernel.vectors import Vector
from theory.smt.solver import Outcome


def lemma(
    id: str,
    statement: str,
    latex: str,
    goal: Relation,
    conclude: Rule,
    *given: Hypothesis,
    scalars: tuple[sympy.Symbol, ...] = (),
    vectors: tuple[Vector, ...] = (),
    points: tuple[Point, ...] = (),
) -> Theorem:
    """A theorem of ours; what its formulas name beside these scalars are constants.

    Examples
    --------
    >>> from theory.kernel import Combine, le
    >>> a, b = sympy.symbols("a b", positive=True)
    >>> lemma("mine.one", "a ≤ a + b.", "", le(a, a + b), Combine(plus=(b,))).symbols
    (a, b)
    """
    said = (goal, *(one.relation for one in given))
    named = {symbol for one in said for symbol in one.lhs.free_symbols | one.rhs.free_symbols}
    return Theorem(
        id=id,
        where="ours",
        statement=statement,
        latex=latex,
        kind=goal.kind,
        symbols=tuple(sorted(named - set(scalars), key=str)),
        scalars=scalars,
        vectors=vectors,
        points=points,
        hypotheses=given,
        lhs=goal.lhs,
        terms={"bound": goal.rhs},
        conclude=conclude,
    )


def lines(*grounds: Theorem | Outcome) -> tuple[Line, ...]:
    """One step of our own proof for each theorem or answer of the solver.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> [(step.where, step.rule) for step in lines(YOUNG)]
    [('ours', 'certificate: squares')]
    """
    return tuple(map(_line, grounds))


def _line(ground: Theorem | Outcome) -> Line:
    if isinstance(ground, Outcome):
        return Line("ours", ground.says, ground.note, Decision((ground,)))
    return Line("ours", ground.statement, _rule(ground), Decision((ground,)))


def _rule(theorem: Theorem) -> str:
    try:
        proof = prove(theorem)
    except VacuousError as error:  # hypotheses that are edited may contradict each other
        return error.what
    return next(line.rule for line in proof.lines if line.where == "statement")


def weakened(*theorems: Theorem) -> dict[str, Control]:
    """Each theorem without each of its hypotheses, by both names."""
    return {
        f"{hypothesis.name} ({theorem.id})": partial(without, theorem, hypothesis.name)
        for theorem in theorems
        for hypothesis in theorem.hypotheses
    }


def stating(theorem: Theorem, terms: Formulas) -> Theorem:
    """The theorem with these terms in place of its own of the same names."""
    known = {name: terms.get(name, form) for name, form in theorem.terms.items()}
    return theorem if known == dict(theorem.terms) else replace(theorem, terms=known)
