"""`merge`: what a theorem can do without, and the best constant that a certificate gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import sympy
from scipy.optimize import linprog

from theory.kernel.relations import Relation, le
from theory.kernel.rules.algebra import Combine
from theory.kernel.rules.found import Found
from theory.kernel.theorem import Hypothesis, Rule, Theorem
from theory.kernel.vectors import Scalar
from theory.notation.building import offered
from theory.proving.cheapest import least_with_squares
from theory.proving.forms import factored
from theory.proving.linear import columns_of, solved_for
from theory.proving.problem import Problem, stated
from theory.proving.search import search
from theory.proving.support import SMALL

BEST: Final = "\0best"
"""Name of the column whose multiplier is the constant."""


@dataclass(frozen=True)
class Merged:
    """Something that a theorem can do without, or the best value of a constant of its statement.

    Attributes
    ----------
    theorem, name : str
    kind : str
        ``"step"``, ``"hypothesis"`` or ``"constant"``.
    says : str
    """

    theorem: str
    kind: Literal["step", "hypothesis", "constant"]
    name: str
    says: str


def merge(theorem: Theorem) -> Iterator[Merged]:
    """Look for what a theorem can do without, one thing at a time.

    A line that no source prints can go if a certificate of every line that uses it is found without
    it; a hypothesis likewise. A symbol that only the statement names, and linearly, is a
    constant of which the least value is looked for.
    """
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    facts |= {step.name: step.relation for step in theorem.steps}
    lines = [(step.name, step.relation, step.rule) for step in theorem.steps]
    lines.append(("", theorem.goal, theorem.conclude))
    unprinted = [s.name for s in theorem.steps if s.where == "ours"]
    assumed = [h.name for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    for kind, names in (("step", unprinted), ("hypothesis", assumed)):
        for name in names:
            if _spared(theorem, name, lines, facts):
                says = f"{kind} {name!r} can go: certificates are found without it"
                yield Merged(theorem.id, "step" if kind == "step" else "hypothesis", name, says)
    for symbol in _constants(theorem, facts):
        best = least(offered(theorem), symbol)
        if best is not None and best != 0:
            says = f"the least {symbol} of the certificates that are found is {best}"
            yield Merged(theorem.id, "constant", str(symbol), says)


def _spared(
    theorem: Theorem,
    name: str,
    lines: list[tuple[str, Relation, Rule]],
    facts: Mapping[str, Relation],
) -> bool:
    """Whether every line that uses a fact has a certificate without it."""
    users = [line for line in lines if name in line[2].uses]
    if not users or any(type(rule) not in (Combine, Found) for _, _, rule in users):
        return False
    known = [h.name for h in theorem.hypotheses if isinstance(h, Hypothesis)]
    for own, goal, _ in users:
        before = [*known]
        for step in theorem.steps:
            if step.name == own:
                break
            before.append(step.name)
        allowed = {one: facts[one] for one in before if one != name}
        if search(theorem, goal, allowed).combine is None:
            return False
    return True


def _constants(theorem: Theorem, facts: Mapping[str, Relation]) -> list[Scalar]:
    """Symbols that only the statement names, each linearly."""
    named = {symbol for one in facts.values() for symbol in one.gap.free_symbols}
    named |= {s for one in theorem.points for _, f in one.position.terms for s in f.free_symbols}
    gap = sympy.expand(theorem.goal.gap)
    alone = (theorem.goal.gap.free_symbols & set(theorem.symbols)) - named
    linear = [s for s in alone if sympy.diff(gap, s, 2) == 0 and s.is_nonnegative]
    return sorted(linear, key=str)


def least(theorem: Theorem, symbol: Scalar) -> Scalar | None:
    """The least value of a symbol for which a certificate of the statement is found.

    Parameters
    ----------
    theorem : Theorem
        Whose goal is linear in the symbol.
    symbol : sympy symbol

    Returns
    -------
    sympy expression or None
        None if there is none, or if it changes its form inside the domain.

    Examples
    --------
    >>> from theory.notation import function, positive, theorem, vector
    >>> L, gamma, c = positive("L gamma c")
    >>> f, x = function("f"), vector("x")
    >>> T = theorem("mine.step")
    >>> _ = T.smooth(f, L)
    >>> gained = f(x) - f(x - gamma * f.grad(x))
    >>> made = T.shows(gamma * f.grad(x) ** 2 <= gained + c * f.grad(x) ** 2)
    >>> least(offered(made), c)
    L*gamma**2/2
    """
    goal = theorem.goal
    gain = sympy.diff(sympy.expand(goal.gap), symbol)
    facts = {h.name: h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis)}
    facts |= {step.name: step.relation for step in theorem.steps}
    without = le(0, sympy.expand(goal.gap - symbol * gain))
    bare = replace(theorem, steps=(), conclude=Combine())
    for problem in stated(bare.symbols, without, {**facts, BEST: le(gain, 0)}):
        for element, numbers in least_with_squares(problem, BEST):
            exact = problem.at_points({problem.split.one: element})
            value = factored(problem.split.scalar(element))
            if exact is None or not _alike(exact, numbers, 1e-3):
                continue
            if search(bare, goal.replaced({symbol: value}), facts).combine is not None:
                return value
        found = _least(problem)
        if found is not None:
            return found
    return None


def _alike(exact: Sequence[Sequence[Any]], numbers: Sequence[float], close: float) -> bool:
    return all(
        abs(float(one[0]) - value) <= close * max(1.0, abs(value))
        for one, value in zip(exact, numbers, strict=True)
    )


def _least(problem: Problem) -> Scalar | None:
    names, terms, columns = columns_of(problem)
    goal = problem.at_points(problem.reduced_goal)
    if goal is None or columns is None or BEST not in names:
        return None
    place = names.index(BEST)
    values, chosen = [], list[int]()
    for number, target in enumerate(goal):
        matrix = np.stack([column.values[number] for column in columns], axis=1)
        costs = np.full(len(columns), 1e-6)
        costs[[k for k, column in enumerate(columns) if column.free]] = 0
        costs[place] = 1
        result = linprog(
            costs,
            A_eq=matrix,
            b_eq=np.array([float(value) for value in target]),
            bounds=[(None, None) if column.free else (0, None) for column in columns],
            method="highs-ds",
        )
        if result.status != 0:
            return None
        values.append(float(result.x[place]))
        chosen = chosen or [k for k, size in enumerate(result.x) if abs(size) > SMALL]
    draft = solved_for(
        problem,
        [names[k] for k in chosen if k < len(names)],
        [terms[k - len(names)] for k in chosen if k >= len(names)],
    )
    if draft is None:
        return None
    element = draft.facts.get(BEST, problem.split.field.zero)
    exact = problem.at_points({problem.split.one: element})
    if exact is None:
        return None
    alike = _alike(exact, values, 1e-6)
    return factored(problem.split.scalar(element)) if alike else None
