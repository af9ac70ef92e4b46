"""`Problem`: a goal and facts as linear forms over a field, with points of its domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, eq
from theory.kernel.vectors import Scalar
from theory.proving.elimination import Solved, eliminate, reduced, replaced
from theory.proving.forms import Atoms, Element, Form, Monomial, Split, splits
from theory.proving.points import Pair, Point, at, pair_of, points

POINTS = 3
PROBES = 20
ROOT = "\0root "
"""Beginning of the name of an equation that says what a root is; a certificate does not need it."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be shown, with one choice of the field.

    Attributes
    ----------
    goal : Relation
    facts : mapping of str to Relation
    split : Split
    goal_form : Form
    fact_forms : mapping of str to Form
    parameters : frozenset of sympy symbols
        Constants of the theorem.
    count : int
        At how many points of the domain it is looked at.
    """

    goal: Relation
    facts: Mapping[str, Relation]
    split: Split
    goal_form: Form
    fact_forms: Mapping[str, Form]
    parameters: frozenset[Scalar] = frozenset()
    count: int = POINTS

    @cached_property
    def within(self) -> dict[str, Element]:
        """Facts that are about the field alone."""
        one = self.split.one
        return {
            name: form[one] for name, form in self.fact_forms.items() if form and set(form) == {one}
        }

    @cached_property
    def solved(self) -> tuple[Solved, ...]:
        """Equations of the field."""
        equations = {n: e for n, e in self.within.items() if self.facts[n].kind == "=="}
        return eliminate(self.split, equations)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Roots of the field that differ in a number under them, such as √k and √(k + 1)."""
        solved = {entry.fact for entry in self.solved}
        left = (e for n, e in self.within.items() if n.startswith(ROOT) and n not in solved)
        return tuple(filter(None, (pair_of(replaced(one, self.solved)) for one in left)))

    @cached_property
    def used_up(self) -> frozenset[str]:
        """Facts that are no columns: equations that are solved, and bounds of the field.

        And what a root of the field is, which is 0 everywhere.
        """
        known = {n for n in self.within if self.facts[n].kind == "<=" or n.startswith(ROOT)}
        return frozenset(known | {entry.fact for entry in self.solved})

    @cached_property
    def bounds(self) -> dict[str, Relation]:
        """Inequalities about the field alone."""
        return {n: self.facts[n] for n in self.within if self.facts[n].kind == "<="}

    @cached_property
    def domain(self) -> dict[str, Relation]:
        """Everything that is about the field alone, or about constants."""
        constant = (n for n, said in self.facts.items() if said.gap.free_symbols <= self.parameters)
        plain = {n: self.facts[n] for n in constant if not atoms(self.facts[n].gap, sympy.Function)}
        return {name: self.facts[name] for name in self.within} | plain

    @cached_property
    def points(self) -> list[Point]:
        """Points of the domain."""
        bounds = [self.within[name] for name in self.bounds]
        return points(self.split, self.solved, bounds, self.count, pairs=self.pairs)

    @cached_property
    def probes(self) -> list[Point]:
        """More points of the domain, at which a sign that is open is seen to be."""
        bounds = [self.within[name] for name in self.bounds]
        return points(
            self.split, self.solved, bounds, PROBES, seed=2, by_chance=True, pairs=self.pairs
        )

    @cached_property
    def reduced_goal(self) -> Form:
        """The goal modulo the equations."""
        return reduced(self.goal_form, self.solved)

    @cached_property
    def reduced_facts(self) -> dict[str, Form]:
        """The facts that are columns, modulo the equations."""
        return {
            name: reduced(form, self.solved)
            for name, form in self.fact_forms.items()
            if name not in self.used_up
        }

    @cached_property
    def monomials(self) -> tuple[Monomial, ...]:
        """All monomials of the goal and the columns; the empty one first."""
        forms = (self.reduced_goal, *self.reduced_facts.values())
        return tuple(dict.fromkeys((self.split.one, *(m for form in forms for m in form))))

    def at_points(self, form: Form) -> list[list[Fraction]] | None:
        """Coefficients of a form at the points, in the order of the monomials."""
        zero = self.split.field.zero
        rows = []
        for point in self.points:
            row = [at(form.get(monomial, zero), point) for monomial in self.monomials]
            known = [value for value in row if value is not None]
            if len(known) < len(row):
                return None
            rows.append(known)
        return rows

    def described(self, place: int) -> str:
        """At which point, in words; nothing where there are no numbers to choose."""
        nodes = [self.split.atoms.nodes[number] for number in self.split.inside]
        pairs = zip(nodes, self.points[place], strict=True)
        said = ", ".join(f"{sympy.sstr(node)} = {value}" for node, value in pairs)
        return f" at {said}" if said else ""


def stated(
    parameters: Iterable[sympy.Symbol], goal: Relation, facts: Mapping[str, Relation]
) -> Iterator[Problem]:
    """The problem, with one field after another; parameters are constants of the theorem."""
    known, named = Atoms(), frozenset(parameters)
    prepared = {name: known.add(relation.gap) for name, relation in facts.items()}
    aim = known.add(goal.gap)
    elements = {name: known.element(form) for name, form in prepared.items()}
    for number, (base, degree) in known.roots.items():
        name = f"{ROOT}{known.nodes[number]}"
        facts = {**facts, name: eq(base, known.nodes[number] ** degree)}
        elements[name] = known.element(base) - known.whole.gens[number] ** degree
    target = known.element(aim)
    equations = [e for name, e in elements.items() if facts[name].kind == "=="]
    for split in splits(known, [target, *elements.values()], equations, named):
        goal_form = split.form(target)
        forms = {name: split.form(element) for name, element in elements.items()}
        if goal_form is not None and all(form is not None for form in forms.values()):
            yield Problem(goal, facts, split, goal_form, forms, named)  # type: ignore[arg-type]
