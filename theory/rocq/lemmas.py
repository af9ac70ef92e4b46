"""A question to z3, with its answer, as a lemma of Rocq: what it says, and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from theory.rocq.names import Names
from theory.rocq.questions import is_number, question, read_back, symbols, text
from theory.rocq.tableau import refutation
from theory.rocq.text import UnsupportedError
from theory.smt.queries import Query
from theory.smt.solver import RLIMIT, fresh_solver


def proposition(query: Query) -> tuple[str, list[str], list[Any]]:
    """What a question says with its answer, the numbers that it binds, and its facts.

    Raises
    ------
    UnsupportedError
        It is about other numbers than whole ones, has no answer, or reads otherwise.
    """
    asked, names = question(query.text), Names()
    facts = asked.facts + (asked.below if query.answer == "sat" else [])
    known = {names(name): one for name, one in symbols(facts).items()}
    bound = " ".join(f"({name} : {'Z' if z3.is_int(one) else 'R'})" for name, one in known.items())
    said = [text(one, names) for one in facts]
    if not all(z3.eq(read_back(told, known), one) for told, one in zip(said, facts, strict=True)):
        raise UnsupportedError("a question that reads otherwise")
    if query.answer == "unsat":
        head = f"forall {bound},\n  " if bound else ""
        return head + "".join(f"{one} ->\n  " for one in said) + "False", [*known], facts
    if query.answer == "sat":
        head = f"exists {bound},\n  " if bound else ""
        return head + " /\\\n  ".join(said or ["True"]), [*known], facts
    raise UnsupportedError("a question without an answer")


def lemma(name: str, query: Query) -> str:
    """A question, with its answer, as a lemma with its proof.

    Raises
    ------
    UnsupportedError
        It has no form, or no proof is found.

    Examples
    --------
    >>> asked = "(declare-fun x () Int)(assert (> x 1))(assert (not (> x 0)))(check-sat)"
    >>> print(lemma("one", Query("x > 1 implies x > 0", asked, "unsat", 9)))
    Lemma one : forall (x : Z),
      (x > 1) ->
      (x <= 0) ->
      False.
    Proof.
      intros x H0 H1.
      clear - H0 H1; first [timeout 60 lia | ... | timeout 60 nia].
    Qed.
    """
    said, bound, facts = proposition(query)
    if query.answer == "unsat":
        proof = refutation(facts, bound)
    else:
        proof = f"exists {', '.join(_values(facts))}. held." if bound else "held."
    return f"Lemma {name} : {said}.\nProof.\n  {proof}\nQed."


def _values(facts: Sequence[Any]) -> list[str]:
    """What numbers are in a model, in the order of `symbols`."""
    solver = fresh_solver(10 * RLIMIT)
    solver.add(*(fact.translate(solver.ctx) for fact in facts))
    if solver.check() != z3.sat:
        raise UnsupportedError("a question of which no model is found again")
    model = solver.model()
    numbers = (one.translate(solver.ctx) for one in symbols(facts).values())
    values = [model.eval(one, model_completion=True) for one in numbers]
    if not all(map(is_number, values)):
        raise UnsupportedError("a question whose model has a number that is no fraction")
    return [f"({text(one, Names())}){'%R' * z3.is_real(one)}" for one in values]
