"""Decide one universally quantified statement with z3, guarded against vacuity.

A statement is a set of hypotheses and a goal over integer symbols. It is proved when
hypotheses ∧ ¬goal has no model while the hypotheses alone have one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import z3

from theory.smt.named_products import with_named_products
from theory.smt.queries import record
from theory.verdicts import Verdict

RLIMIT: Final = 2_000_000
"""Budget of one query in z3's resource units, so that no verdict depends on the machine."""

Term = Any
"""A z3 expression; z3 ships no usable types."""


@dataclass(frozen=True)
class Statement:
    """``for all symbols: hypotheses imply goal``."""

    name: str
    says: str
    hypotheses: tuple[Term, ...]
    goal: Term


@dataclass(frozen=True)
class Outcome:
    """What came of a statement.

    Attributes
    ----------
    name, says : str
    verdict : Verdict
        PROVED, REFUTED or UNKNOWN.
    witness : dict
        A counterexample, symbol by symbol, where refuted.
    note : str
        Why it is UNKNOWN; which engine decided it otherwise.
    queries : int
        Solver calls that this outcome stands for.
    rests_on : tuple of str
        ``"solver"``, ``"comparison"`` (expressions compared by Python), ``"grid"``: a program
        compared with its family at small sizes.
    """

    name: str
    says: str
    verdict: Verdict
    witness: dict[str, int]
    note: str
    queries: int = 1
    rests_on: tuple[str, ...] = ("solver",)

    def to_json(self) -> dict[str, Any]:
        """As a line of a proof."""
        return {
            "name": self.name,
            "says": self.says,
            "method": self.note,
            "verdict": self.verdict.name,
            "queries": self.queries,
        }


def decide(statement: Statement, rlimit: int = RLIMIT) -> Outcome:
    """Prove or refute a statement.

    Examples
    --------
    >>> x = z3.Int("x")
    >>> decide(Statement("square", "x > 1 implies x > 0", (x > 1,), x > 0)).verdict.name
    'PROVED'
    >>> decide(Statement("empty", "nothing satisfies it", (x > 1, x < 1), x > 9)).note
    'vacuous: no value satisfies the hypotheses'
    >>> decide(Statement("all", "every part holds", (x > 1,), z3.And(*[]))).note
    'a conjunction of nothing is stated'
    """
    if _states_nothing(statement.goal):
        note = "a conjunction of nothing is stated"
        return Outcome(statement.name, statement.says, Verdict.UNKNOWN, {}, note, 0, ())
    against = [*statement.hypotheses, z3.Not(statement.goal)]
    asks = f"{statement.name}: {statement.says}"
    answer, model = _check(against, rlimit, asks, refuting=True)
    if answer == z3.sat:
        return _refuted(statement, against, dict(model), rlimit)
    if answer == z3.unknown:
        note = f"z3 gave up within rlimit {rlimit}"
        return Outcome(statement.name, statement.says, Verdict.UNKNOWN, {}, note)
    possible, _ = _check(
        list(statement.hypotheses), rlimit, f"{statement.name}: its hypotheses alone"
    )
    if possible != z3.sat:
        note = "vacuous: no value satisfies the hypotheses"
        if possible == z3.unknown:
            note = f"z3 found no value that satisfies the hypotheses within rlimit {rlimit}"
        return Outcome(statement.name, statement.says, Verdict.UNKNOWN, {}, note, 2)
    return Outcome(statement.name, statement.says, Verdict.PROVED, {}, "z3 unsat", 2)


def _states_nothing(goal: Term) -> bool:
    """Whether a goal, or what it leads to, is a conjunction or a disjunction of no parts."""
    if z3.is_implies(goal):
        return _states_nothing(goal.arg(1))
    if z3.is_and(goal) or z3.is_or(goal):
        return goal.num_args() == 0 or any(map(_states_nothing, goal.children()))
    return False


def _refuted(
    statement: Statement, against: Sequence[Term], values: dict[str, int], rlimit: int
) -> Outcome:
    """Report a counterexample, once it holds with the true products in place of their names.

    A symbol called ``p*m`` stands for the product of p and m; a model may give it another
    value, and then it is a counterexample to the abstraction only.
    """
    products = [name for name in values if name.startswith("p*")]
    factors = {name: name.removeprefix("p*") for name in products}
    exact = not products
    if products and "p" in values and all(factor in values for factor in factors.values()):
        pinned = [z3.Int(n) == v for n, v in values.items() if n not in factors]
        true = [z3.Int(n) == values["p"] * values[factor] for n, factor in factors.items()]
        asks = f"{statement.name}: a counterexample with true products"
        answer, _ = _check([*against, *pinned, *true], rlimit, asks)
        exact = answer == z3.sat
    if not exact:
        note = "neither shown nor refuted: what z3 finds against it takes another number for p·m"
        return Outcome(statement.name, statement.says, Verdict.UNKNOWN, {}, note, 2)
    witness = {name: value for name, value in values.items() if name.isidentifier()}
    return Outcome(statement.name, statement.says, Verdict.REFUTED, witness, "z3 counterexample")


def undecided(outcome: Outcome, note: str) -> Outcome:
    """The same question without an answer: what the solver found says nothing of what is asked."""
    return replace(outcome, verdict=Verdict.UNKNOWN, witness={}, note=note)


def merge(name: str, says: str, outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome for several statements that are needed together.

    The verdict is the weakest; the first that fell short gives witness and note.
    """
    queries = sum(outcome.queries for outcome in outcomes)
    rests_on = tuple(dict.fromkeys(kind for outcome in outcomes for kind in outcome.rests_on))
    short = [outcome for outcome in outcomes if outcome.verdict is not Verdict.PROVED]
    if not outcomes:
        return Outcome(name, says, Verdict.UNKNOWN, {}, "nothing was decided", 0, ())
    if not short:
        return Outcome(name, says, Verdict.PROVED, {}, outcomes[0].note, queries, rests_on)
    worst = min(short, key=lambda outcome: outcome.verdict)
    note = f"{worst.name}: {worst.note}"
    return Outcome(name, says, worst.verdict, worst.witness, note, queries, rests_on)


def satisfiable(named: Mapping[str, Term], rlimit: int = RLIMIT) -> tuple[str, frozenset[str]]:
    """Whether named assertions about differences of integers have a model, or which have none.

    Returns
    -------
    str
        ``"sat"``, ``"unsat"`` or ``"unknown"``.
    frozenset of str
        Where unsat: names of assertions that have no model, while all but any one of them do.

    Examples
    --------
    >>> x, y = z3.Ints("x y")
    >>> answer, core = satisfiable({"up": x - y <= 3, "down": y - x <= -4, "far": x - y >= 0})
    >>> answer, sorted(core)
    ('unsat', ['down', 'up'])
    """
    solver = fresh_solver(rlimit)
    solver.set("core.minimize", True)
    solver.set("arith.solver", 1)  # Bellman–Ford: for differences only, and much faster there
    for name, assertion in named.items():
        solver.assert_and_track(assertion.translate(solver.ctx), name)
    answer = solver.check()
    record("a model of named assertions", named.values(), str(answer), rlimit)
    core = solver.unsat_core() if answer == z3.unsat else ()
    return str(answer), frozenset(str(name) for name in core)


def fresh_solver(rlimit: int) -> Any:
    """A solver with a context, a budget and a seed of its own."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 0)
    solver.set("ctrl_c", False)  # else Ctrl-C reads as "unknown" and the run goes on
    return solver


def have_model(assertions: Sequence[Term], asks: str, rlimit: int = RLIMIT) -> str:
    """Whether assertions have a model together: ``"sat"``, ``"unsat"`` or ``"unknown"``.

    Examples
    --------
    >>> x = z3.Real("x")
    >>> have_model((x * x == 2, x > 0), "a root of 2"), have_model((x * x < 0,), "no square")
    ('sat', 'unsat')
    """
    return str(_check(assertions, rlimit, asks)[0])


def _check(
    assertions: Sequence[Term], rlimit: int, asks: str, *, refuting: bool = False
) -> tuple[Any, Mapping[str, int]]:
    """Whether assertions have a model together, and the whole numbers in it.

    Where none is expected, one is looked for first with products as numbers of their own.
    """
    given = tuple(z3.BoolVal(one) if isinstance(one, bool) else one for one in assertions)
    named = with_named_products(given) if refuting else None
    found = _answered(tuple(named), rlimit) if named is not None else None
    if found is None or found[0] != z3.unsat:
        found = _answered(given, rlimit)
    answer, values = found
    record(asks, assertions, str(answer), rlimit)
    return answer, values


@cache
def _answered(assertions: tuple[Term, ...], rlimit: int) -> tuple[Any, Mapping[str, int]]:
    """What a solver of its own says: mutants ask most of what their originals did."""
    solver = fresh_solver(rlimit)
    for term in assertions:
        solver.add(term.translate(solver.ctx))
    answer = solver.check()
    return answer, _values(solver.model()) if answer == z3.sat else {}


def _values(model: Any) -> dict[str, int]:
    found = {str(symbol): model[symbol] for symbol in model.decls() if symbol.arity() == 0}
    return {
        name: value.as_long() for name, value in sorted(found.items()) if z3.is_int_value(value)
    }
