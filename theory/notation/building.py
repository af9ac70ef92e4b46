"""From what an author writes to a theorem of the kernel: names, points and facts are inferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Operator
from theory.kernel.prove import _closure
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite, Combine, Found, Total
from theory.kernel.theorem import Delayed, Given, Hypothesis, Rule, Smooth, Step, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector
from theory.notation import offers
from theory.notation.names import Function, Pending, text


@dataclass(frozen=True)
class Scene:
    """What a theorem turns out to name.

    Attributes
    ----------
    points : tuple of Point
    names : tuple of str
        Of vectors.
    randoms : mapping of str to frozenset of str
        By mean, the names that are random to it.
    """

    points: tuple[Point, ...]
    names: tuple[str, ...]
    randoms: Mapping[str, frozenset[str]]

    def points_of(self, f: Function) -> tuple[Point, ...]:
        """The points of one function."""
        return tuple(one for one in self.points if one.function == f.name)

    def random(self, mean: str) -> frozenset[str]:
        """What is random to a mean."""
        return self.randoms.get(mean, frozenset())

    def resolved(self, form: Scalar) -> Scalar:
        """An expression with means of the kernel."""
        known = form.replace(
            lambda node: isinstance(node, Pending),
            lambda node: node.operator(
                self.random(str(node.args[1])) or node.random
            ).of(node.args[-1]),
        )
        return known.replace(lambda node: isinstance(node, sympy.Sum), shifted)

    def relation(self, said: Relation) -> Relation:
        """A relation with means of the kernel."""
        return Relation(self.resolved(said.lhs), said.kind, self.resolved(said.rhs))


Template = Callable[[Scene], Iterator[Hypothesis]]
"""An assumption that holds everywhere: its instances at what a theorem names."""


@dataclass(frozen=True)
class Written:
    """A line of the proof as it was written."""

    name: str
    relation: Relation
    rule: Rule
    says: str
    where: str


@dataclass(frozen=True)
class Statement:
    """What is to be shown."""

    id: str
    where: str
    relation: Relation
    terms: Mapping[str, Scalar]
    rule: Rule
    says: str
    latex: str


@dataclass
class Building:
    """All that an author has said before the statement."""

    assumed: list[Hypothesis] = field(default_factory=list)
    smooth: list[Smooth] = field(default_factory=list)
    offered: list[Template] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    iterates: list[tuple[Vector, Vector]] = field(default_factory=list)
    index: Scalar | None = None
    sequences: dict[Scalar, Scalar] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    varying: set[Scalar] = field(default_factory=set)
    constants: set[Scalar] = field(default_factory=set)
    delays: list[tuple[str, Vector, Vector, Scalar]] = field(default_factory=list)
    cites: list[tuple[Theorem, Values]] = field(default_factory=list)

    def cite(self, lemma: Theorem, values: Values) -> None:
        """Take over what a cited theorem assumes."""
        self.cites.append((lemma, values))
        for one in lemma.hypotheses:
            if isinstance(one, Delayed):
                moved_pair = values.vector(one.old.position), values.vector(one.now.position)
                delay = (one.name, *moved_pair, values.scalar(one.constant))
                self.delays += [] if delay in self.delays else [delay]
                continue
            if isinstance(one, Smooth):
                moved = replace(one, constant=values.scalar(one.constant))
                known = any(h.function == one.function for h in self.smooth)
                self.smooth += [] if known else [moved]
                continue
            said = values.relation(one.relation)
            if not any(h.relation == said for h in self.assumed):
                taken = any(h.name == one.name for h in self.assumed)
                name = f"{one.name} ({lemma.id})" if taken else one.name
                self.assumed.append(Hypothesis(name, one.says, said))
        for sequence, value in lemma.sequences.items():
            self.sequences.setdefault(sequence, value)
        self.fixed |= {name for one in lemma.fixed for name in one.names}
        self.varying |= set(lemma.scalars)

    @property
    def forms(self) -> Iterator[Scalar]:
        """Every expression so far."""
        for relation in (*(h.relation for h in self.assumed), *(w.relation for w in self.written)):
            yield from (relation.lhs, relation.rhs)
        yield from self.sequences.values()


_FULL: WeakKeyDictionary[Theorem, Theorem] = WeakKeyDictionary()


def offered(theorem: Theorem) -> Theorem:
    """The theorem with all facts that a search for its certificates may use."""
    return _FULL.get(theorem, theorem)


def built(statement: Statement, plan: Building, functions: Iterable[Function]) -> Theorem:
    """The theorem of the kernel.

    Where all certificates are stored, facts that none of them uses are left out; `offered` has
    them.
    """
    scene = _scene(statement, plan, tuple(functions))
    full = _assembled(statement, plan, scene)
    slim = _without_unused(full, plan)
    _FULL[slim] = full
    return slim


def _scene(statement: Statement, plan: Building, functions: tuple[Function, ...]) -> Scene:
    forms = [*plan.forms, statement.relation.lhs, statement.relation.rhs]
    points = _points(forms, plan, functions)
    names = {name for form in forms for entry in form.atoms(Gram) for name in entry.names}
    names |= {n for one in points for part in (one.position, one.gradient) for n in part.names}
    names |= {name for pair in plan.iterates for one in pair for name in one.names}
    randoms: dict[str, set[str]] = {}
    for form in forms:
        for node in sympy.preorder_traversal(form):
            if isinstance(node, Pending):
                randoms.setdefault(str(node.args[1]), set()).update(node.random)
    for random in randoms.values():
        _close(random, points)
    return Scene(points, tuple(sorted(names)), {n: frozenset(r) for n, r in randoms.items()})


def _close(random: set[str], points: tuple[Point, ...]) -> None:
    """Values and gradients at random points are random."""
    while True:
        more = {
            name
            for one in points
            if one.position.names & random
            for name in (one.value.name, *one.gradient.names)
        }
        if more <= random:
            return
        random |= more


def _points(
    forms: list[Scalar], plan: Building, functions: tuple[Function, ...]
) -> tuple[Point, ...]:
    """The points that formulas name, those that they are made of, and those that follow."""
    known = [one for f in functions for one in list(f.points.values())]
    for f in functions:
        for now, then in plan.iterates:
            known += [f.at(now), f.at(then)]
        known += [f.at(old) for _, old, _, _ in plan.delays]
    symbols = {s for form in forms for s in form.free_symbols}
    names = {n for form in forms for entry in form.atoms(Gram) for n in entry.names}
    for _, then in plan.iterates:
        names |= then.names
    found: dict[Point, None] = {}
    for lemma, values in plan.cites:
        found |= dict.fromkeys(values.point(one) for one in lemma.points)
    while True:
        for one in found:
            names |= one.position.names
        for f in functions:
            for now, then in (*plan.iterates, *((old, now) for _, old, now, _ in plan.delays)):
                if f.at(now) in found or f.at(then) in found:
                    found |= {f.at(now): None, f.at(then): None}
        more = [o for o in known if o.value in symbols or o.gradient.names & names]
        if set(more) <= set(found):
            return tuple(found)
        found |= dict.fromkeys(more)


def _assembled(statement: Statement, plan: Building, scene: Scene) -> Theorem:
    hypotheses = [replace(h, relation=scene.relation(h.relation)) for h in plan.assumed]
    said = {h.relation for h in hypotheses}
    for template in plan.offered:
        hypotheses += [h for h in template(scene) if h.relation not in said]
    bare = _bare(statement, plan, scene, tuple(hypotheses))
    run = offers.Run(plan.index, _counts(statement, plan))
    means = _operators(statement, plan, scene)
    steps: list[Step] = []

    def follow(name: str, fact: Relation) -> None:
        under = list(offers.expected(name, fact, means))
        steps.extend(under)
        for label, relation in ((name, fact), *((s.name, s.relation) for s in under)):
            steps.extend(offers.along(label, relation, run, bare))

    sums = [total for form in (bare.lhs, *bare.terms.values()) for total in form.atoms(sympy.Sum)]
    steps += [step for total in dict.fromkeys(sums) for step in offers.ends(total)]
    for hypothesis in hypotheses:
        follow(hypothesis.name, hypothesis.relation)
    for assumed in plan.smooth:
        for step in offers.smooth(assumed, scene.points):
            steps.append(step)
            follow(step.name, step.relation)
    steps += offers.drifts(bare, run)
    for written in plan.written:
        relation, rule = scene.relation(written.relation), written.rule
        before = _in_one_iteration(relation, rule, run, bare, means)
        if before is not None:
            inside = f"{written.name}, in one iteration"
            steps.append(Step(inside, before, rule))
            follow(inside, before)
            rule = Total(inside, run.index)
        steps.append(Step(written.name, relation, rule, written.says, written.where))
        follow(written.name, relation)
    return replace(bare, steps=tuple(steps), conclude=statement.rule)


def _in_one_iteration(
    said: Relation, rule: Rule, run: offers.Run, bare: Theorem, means: tuple[Operator, ...]
) -> Relation | None:
    """What a line about sequences at k and k + 1 says of one iteration, if it is to be found so.

    Where an assumption is about sequences, the line may follow from that one alone.
    """
    assumed = [h.relation.gap for h in bare.hypotheses if isinstance(h, Hypothesis)]
    if type(rule) is not Found or any(run.index in gap.free_symbols for gap in assumed):
        return None
    return offers.spelled(said, run.index, bare, means)


def _bare(
    statement: Statement, plan: Building, scene: Scene, hypotheses: tuple[Hypothesis, ...]
) -> Theorem:
    """The theorem without a proof."""
    goal = scene.relation(statement.relation)
    terms = {name: scene.resolved(sympy.sympify(form)) for name, form in statement.terms.items()}
    sequences = {one: scene.resolved(value) for one, value in plan.sequences.items()}
    following = _following(plan, scene)
    forms = [part for h in hypotheses for part in (h.relation.lhs, h.relation.rhs)]
    forms += [scene.resolved(form) for form in plan.forms]
    forms += [goal.lhs, goal.rhs, *sequences.values(), *(s.constant for s in plan.smooth)]
    forms += [factor for one in scene.points for _, factor in one.position.terms]
    forms += [sympy.sympify(form) for form in forms]
    free = {symbol for form in forms for symbol in sympy.sympify(form).free_symbols}
    values = {one.value for one in scene.points} - plan.constants
    indices = {plan.index} & free if plan.index is not None else set()
    beside = {i for i in indices if any(not _only_in_calls(i, form) for form in forms)}
    grams = {n for form in forms for entry in sympy.sympify(form).atoms(Gram) for n in entry.names}
    named = {n for one in (*scene.points, *(p for pair in following for p in pair))
             for part in (one.position, one.gradient) for n in part.names}
    vectors = sorted((grams - named) | plan.fixed)
    return Theorem(
        id=statement.id,
        where=statement.where,
        statement=statement.says or f"{goal}",
        latex=statement.latex or _latex(goal),
        symbols=tuple(sorted(free - values - indices - plan.varying, key=str)),
        scalars=tuple(sorted(plan.varying & free, key=str)),
        indices=tuple(sorted(beside, key=str)),
        vectors=tuple(vector(name) for name in vectors),
        fixed=tuple(vector(name) for name in sorted(plan.fixed)),
        points=tuple(dict.fromkeys((*scene.points, *(p for pair in following for p in pair)))),
        sequences=sequences,
        following=following,
        hypotheses=(*plan.smooth, *_delays(plan, scene), *hypotheses),
        cites=tuple(dict.fromkeys(lemma for lemma, _ in plan.cites)),
        lhs=goal.lhs,
        terms=terms,
        kind=goal.kind,
        conclude=Combine(),
    )


def _following(plan: Building, scene: Scene) -> tuple[tuple[Point, Point], ...]:
    pairs = []
    for now, then in plan.iterates:
        at = {one.position: one for one in scene.points if one.position == now}
        same = [
            (one, other)
            for one in scene.points
            for other in scene.points
            if one.position == now
            and other.position == Vector(then.terms)
            and one.function == other.function
        ]
        if not same and not at:
            f = Function("position of ")
            same = [(f.at(now), f.at(then))]
        pairs += same
    return tuple(dict.fromkeys(pairs))


def _delays(plan: Building, scene: Scene) -> Iterator[Delayed]:
    for name, old, now, delay in plan.delays:
        at = {(one.position, one.function): one for one in scene.points}
        for function in dict.fromkeys(one.function for one in scene.points):
            if (old, function) in at and (now, function) in at:
                says = f"{text(old)} is {text(now)} of one of the last {delay} iterations"
                yield Delayed(name, says, at[old, function], at[now, function], delay)
                break


def _operators(statement: Statement, plan: Building, scene: Scene) -> tuple[Operator, ...]:
    """The means that formulas name, with all that is random to them."""
    found: dict[str, Operator] = {}
    for form in (*plan.forms, statement.relation.lhs, statement.relation.rhs):
        for node in sympy.preorder_traversal(form):
            if isinstance(node, Pending):
                name = str(node.args[1])
                found.setdefault(name, node.operator(scene.random(name)))
    return tuple(found.values())


def shifted(total: Any) -> Any:
    """A sum of terms F(k + 1) as one of terms F(k).

    Examples
    --------
    >>> k, K, F = *sympy.symbols("k K"), sympy.Function("F")
    >>> shifted(sympy.Sum(F(k + 1), (k, 0, K - 1)))
    Sum(F(k), (k, 1, K))
    """
    if len(total.limits) != 1:
        return total
    ((i, first, last),) = total.limits
    moves = {call.args[0] - i for call in total.function.atoms(AppliedUndef) if call.has(i)}
    if len(moves) != 1 or not (move := moves.pop()).is_Integer or move <= 0:
        return total
    return sympy.Sum(total.function.subs(i, i - move), (i, first + move, last + move))


def _counts(statement: Statement, plan: Building) -> tuple[Scalar, ...]:
    """Numbers of iterations that formulas speak of."""
    found: dict[Scalar, None] = {}
    for form in (statement.relation.lhs, statement.relation.rhs, *plan.forms):
        for total in form.atoms(sympy.Sum):
            _, first, last = shifted(total).limits[0]
            found[last + 1 if first == 0 else last] = None
        bound = {limit[0] for total in form.atoms(sympy.Sum) for limit in total.limits}
        for call in form.atoms(AppliedUndef):
            (at,) = call.args
            if at != 0 and not at.free_symbols & ({plan.index} | bound):
                found[at] = None
    return tuple(found)


def _only_in_calls(symbol: Scalar, form: Any) -> bool:
    rest = sympy.sympify(form).replace(
        lambda node: isinstance(node, AppliedUndef), lambda node: sympy.S.One
    )
    return symbol not in rest.free_symbols


def _latex(goal: Relation) -> str:
    sign = "=" if goal.kind == "==" else r"\le"
    return f"{sympy.latex(goal.lhs)} {sign} {sympy.latex(goal.rhs)}"


def _without_unused(full: Theorem, plan: Building) -> Theorem:
    """Leave out offers that no certificate uses; all of them where a certificate is missing."""
    lines = {step.name: step for step in full.steps}
    written = {one.name for one in plan.written}
    searched = {name for name, step in lines.items() if type(step.rule) is Found}
    rules = [*(lines[name].rule for name in searched), full.conclude]
    if any(type(rule) is Found and rule.problem for rule in rules):
        return replace(full, steps=tuple(s for s in full.steps if s.name in written | searched))
    given = Given(full, {})
    needs = {name: _needs(step.rule, given) for name, step in lines.items()}
    used = _closure(_needs(full.conclude, given) | written, needs)
    own = {h.name for h in (*plan.assumed, *plan.smooth)} | {name for name, *_ in plan.delays}
    return replace(
        full,
        hypotheses=tuple(h for h in full.hypotheses if h.name in used | own),
        steps=tuple(step for step in full.steps if step.name in used),
    )


def _needs(rule: Rule, given: Given) -> frozenset[str]:
    names = frozenset(rule.uses)
    if isinstance(rule, Cite):
        facts = {h.name: h.relation for h in given.theorem.hypotheses if isinstance(h, Hypothesis)}
        facts |= {step.name: step.relation for step in given.theorem.steps}
        names |= rule.needed(Given(given.theorem, facts))
    return names
