"""What an author says, before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import measures
from theory.kernel.means import GIVEN, Mean, marked, random_names
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite
from theory.kernel.rules.ranges import indices
from theory.kernel.signs import undefined
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Rule, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector
from theory.notation.interpolation import meetings
from theory.notation.iterations import Iterates
from theory.notation.names import MADE, Function, Pending, index, plainly, text
from theory.notation.scene import Scene, shifted

Places = Mapping[str, frozenset[str]]
"""By the name of a value or a gradient, what its point is made of."""

MEANS: Final[WeakKeyDictionary[Theorem, frozenset[str]]] = WeakKeyDictionary()
"""Names of the means of theorems that are written in this notation."""

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
class Plan:
    """All that an author has said before the statement."""

    assumed: list[Hypothesis] = field(default_factory=list)
    smooth: list[Smooth] = field(default_factory=list)
    convex: list[tuple[Function, Scalar]] = field(default_factory=list)
    offered: list[Template] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    iterates: list[tuple[Vector, Vector]] = field(default_factory=list)
    index: Scalar | None = None
    sequences: dict[Scalar, Scalar] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    varying: set[Scalar] = field(default_factory=set)
    cited_indices: set[Scalar] = field(default_factory=set)
    constants: set[Scalar] = field(default_factory=set)
    zero: set[str] = field(default_factory=set)
    spreads: list[tuple[Vector, Vector]] = field(default_factory=list)
    meant: list[Scalar] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    expected: dict[str, set[str]] = field(default_factory=dict)
    equations: dict[str, Vector] = field(default_factory=dict)
    delays: list[tuple[str, Vector, Vector, Scalar]] = field(default_factory=list)
    cites: list[tuple[Theorem, Values]] = field(default_factory=list)
    exact: set[str] = field(default_factory=set)
    moved: list[Iterates] = field(default_factory=list)
    cited: set[Relation] = field(default_factory=set)
    averages: list[Vector] = field(default_factory=list)
    equated: set[str] = field(default_factory=set)
    words: dict[str, None] = field(default_factory=dict)
    everywhere: dict[tuple[str, str, tuple[Scalar | Vector, ...]], None] = field(
        default_factory=dict
    )
    gaps: dict[Scalar, Scalar] = field(default_factory=dict)

    def take(self, one: Assumption) -> str:
        """Assume something of the kernel; the name is changed if another has it."""
        if isinstance(one, Delayed):
            delay = (one.name, one.old.position, one.now.position, one.constant)
            self.delays += [] if delay in self.delays else [delay]
            self.exact |= {one.name} if one.exact else set()
        elif isinstance(one, Smooth):
            self.smooth += [] if one in self.smooth else [one]
        elif not any(h.relation == one.relation for h in self.assumed):
            self.assumed.append(one)
        return one.name

    def count_along(self, *said: Relation) -> None:
        """Find the index of sequences where nothing iterates: a(k + 1) names it, or Σ a(k).

        What is cited has summed already.
        """
        if self.index is None:
            lines = (h.relation for h in self.assumed if h.relation not in self.cited)
            own = [
                *lines,
                *(w.relation for w in self.written if not isinstance(w.rule, Cite)),
                *said,
            ]
            calls = {call for one in own for call in atoms(one.gap, AppliedUndef)}
            sums = {total.limits[-1] for one in own for total in atoms(one.gap, sympy.Sum)}
            ahead = {one for call in calls for one in call.free_symbols if call.args == (one + 1,)}
            summed = {one for one, first, _ in sums if first == 0 and not self.cites}
            found = [one for one in ahead or summed if one == index(str(one))]
            self.index = found[0] if len(found) == 1 else None

    def placed(self, at: Vector) -> Vector:
        """A place with gaps of strict inequalities by name: they are not 0 on their own account."""

        def named(factor: Scalar) -> Scalar:
            # 1 + q may become 2 - gap(1 - q), of which nobody sees that it is not 0
            ways = factor.subs(self.gaps), factor.xreplace(self.gaps), factor
            return next((one for one in ways if not undefined(one)), ways[0])

        terms = ((name, named(sympy.sympify(factor))) for name, factor in at.terms)
        return Vector(tuple(terms))

    def let_gaps_vary(self, functions: Iterable[Function]) -> None:
        """The gap of s < 1 is another one wherever s is, and that of f(x) < c where x is."""
        values = {one.value for f in functions for one in f.points.values()} - self.constants
        moving = {self.index} | self.cited_indices | self.varying | values
        gaps = (gap for way, gap in self.gaps.items() if way.free_symbols & moving)
        self.varying |= {symbol for gap in gaps for symbol in gap.free_symbols}
        for symbols in (line.gap.free_symbols for line in self.cited):  # at values that may vary
            if symbols & moving:
                self.varying |= {symbol for symbol in symbols if symbol.name.startswith("gap(")}

    def look_back(self, said: Relation) -> None:
        """Take the stale ones among iterates that are named here."""
        forms = (*self.forms, said.lhs, said.rhs)
        names = {n for form in forms for entry in atoms(form, Gram) for n in entry.names}
        names |= {one.name for form in forms for one in form.free_symbols}
        names |= self.anchors.union(self.equated, *self.expected.values())
        names |= {name for pair in self.iterates for one in pair for name in one.names}
        for one in self.moved:
            named = {
                late
                for old, late in one.older.items()
                if any(text(old) in name for name in names)  # as in ∇f(x[k - tau])
            }
            whole = range(1, 1 + max((int(late) for late in named if late.is_Integer), default=0))
            for late in sorted(named | {*map(sympy.Integer, whole)}, key=str):
                self._late(one, late)
            for late in whole:  # x[k - 2] is followed by x[k - 1], and that by x[k]
                pair = (one[one.index - late], one[one.index - late + 1])
                self.iterates += [] if pair in self.iterates else [pair]

    def _late(self, one: Iterates, late: Scalar) -> None:
        """Take what an iterate was a fixed number of iterations ago."""
        old, now = one[one.index - late], one[one.index]
        label = f"{text(old)} is late"
        known = any((o, n) == (old, now) for _, o, n, _ in self.delays)
        self.delays += [] if known else [(label, old, now, late)]
        self.exact |= set() if known else {label}
        self.anchors |= old.names

    def cite(self, lemma: Theorem, values: Values, unused: Iterable[str] = ()) -> None:
        """Take over what a cited theorem assumes and no line says; it can do without some."""
        self.cites.append((lemma, values))
        for function, kind, constants in lemma.everywhere:
            put = (
                values.vector(c) if isinstance(c, Vector) else values.scalar(c) for c in constants
            )
            self.everywhere[function, kind, tuple(put)] = None
            if kind == "averaged":  # the mean of iterates, which depends on all that is drawn
                self.averages += [one for one in constants if isinstance(one, Vector)]
        self.constants |= {one.value for one in lemma.points} & set(lemma.symbols)
        for one in (h for h in lemma.hypotheses if h.name not in unused):
            moved = _moved(one, values)
            if isinstance(moved, Hypothesis) and (self._says(moved) or _says_nothing(moved)):
                continue
            if isinstance(moved, Smooth) and any(h.function == moved.function for h in self.smooth):
                continue
            if isinstance(moved, Hypothesis) and moved not in self.assumed:
                self.cited.add(moved.relation)
            if isinstance(moved, Hypothesis):
                moved = replace(moved, name=self._free(moved, lemma.id))
            self.take(moved)
        for now, then in lemma.following:
            pair = values.vector(now.position), values.vector(then.position)
            known_pairs = [(first, plainly(second)) for first, second in self.iterates]
            self.iterates += [] if pair in known_pairs else [pair]
        for sequence, value in lemma.sequences.items():
            self.sequences.setdefault(sequence, values.scalar(value))
        self.words |= dict.fromkeys(lemma.assumes)
        self.fixed |= {n for one in lemma.fixed if values.vector(one) == one for n in one.names}
        self.varying |= set(lemma.scalars)
        self.cited_indices |= {*lemma.indices, *indices(lemma)}

    def _free(self, one: Hypothesis, source: str) -> str:
        """A name for a hypothesis of a cited theorem that no other one has."""
        taken = {h.name for h in self.assumed if h.relation != one.relation}
        numbered = (f"{one.name} ({source}, {number})" for number in range(2, len(taken) + 3))
        names = (one.name, f"{one.name} ({source})", *numbered)
        return next(name for name in names if name not in taken)

    def _says(self, one: Hypothesis) -> bool:
        """Whether a line that is written already says this."""
        said = one.relation
        shown = (line.relation for line in self.written if line.relation.kind == said.kind)
        return any(is_zero(known.gap - said.gap) for known in shown)

    @property
    def forms(self) -> Iterator[Scalar]:
        """Every expression so far."""
        for relation in (*(h.relation for h in self.assumed), *(w.relation for w in self.written)):
            yield from (relation.lhs, relation.rhs)
        yield from self.sequences.values()
        yield from self.meant


def _says_nothing(one: Hypothesis) -> bool:
    """Whether a hypothesis is about numbers, and true: κ ≤ 1 at κ = 1."""
    gap, kind = one.relation.gap, one.relation.kind
    return bool(gap.is_number and (gap == 0 if kind == "==" else gap >= 0))


def _moved(one: Assumption, values: Values) -> Assumption:
    """An assumption at the values at which its theorem is cited."""
    if isinstance(one, Delayed):
        old, now = values.point(one.old), values.point(one.now)
        return replace(one, old=old, now=now, constant=values.scalar(one.constant))
    if isinstance(one, Smooth):
        return replace(one, constant=values.scalar(one.constant))
    return replace(one, relation=values.relation(one.relation))


def scene_of(statement: Statement, plan: Plan, functions: tuple[Function, ...]) -> Scene:
    """Find out what a theorem names."""
    forms = [*plan.forms, statement.relation.lhs, statement.relation.rhs]
    points, idle = _points(forms, plan, functions)
    if plan.gaps:
        put = {one: replace(one, position=plan.placed(one.position)) for one in points}
        points, idle = tuple(put.values()), frozenset(put[one] for one in idle)
        plan.iterates = [(now, plan.placed(then)) for now, then in plan.iterates]
    names = {name for form in forms for entry in atoms(form, Gram) for name in entry.names}
    named = {symbol.name for form in forms for symbol in form.free_symbols}
    cited = [one for lemma, _ in plan.cites for one in lemma.points]
    listed = [*cited, *(one for f in functions for one in f.points.values())]
    _require_listed(names | named, listed, statement.id)
    for one in points:
        called = one.value.name.removeprefix(f"{one.function}(").removesuffix(")")
        if called in names and one.position != vector(called):
            raise TheoryError(
                f"{called} is the name of two vectors, and {one.value} is a value at one of them",
                statement.id,
                "name one of them otherwise",
            )
    names |= {n for one in points for part in (one.position, one.gradient) for n in part.names}
    names |= {name for pair in plan.iterates for one in pair for name in one.names}
    names |= plan.equated
    randoms = _listed(forms, statement.id)
    places = {n: o.position.names for o in points for n in (o.value.name, *o.gradient.names)}
    between = meetings(plan.smooth, plan.convex, plan.assumed, points)
    elsewhere = _cited_means(plan)
    for name, random in (*randoms.items(), *elsewhere.items()):
        _close(name, random, (*points, *(one.u for one in between)), plan, places)
    averages = _averages(forms)
    _require_drawn(plan, randoms, names | named, statement.id)
    for name in (*randoms, *(elsewhere.keys() - randoms)):
        still = _still(name, plan, places, forms)
        random = randoms.get(name, set()) | elsewhere.get(name, set())
        of_drawn = _of_drawn(points, random)
        _require_told_apart(name, random, plan, still, statement.id, places, of_drawn)
        _require_told_of_constants(name, random, plan, points, still, statement.id)
        if name not in averages:
            _require_told_of_means(name, random, plan, still, statement.id, places)
    known = {name: frozenset(random) for name, random in randoms.items()}
    drawn = frozenset[str]().union(*known.values())
    still_there = (one for one in points if one.position.names <= plan.fixed)
    plan.constants |= {one.value for one in still_there}
    plan.constants -= {one.value for one in points if one.value.name in drawn}  # as f_i(x*) is
    universal = {name for pair in plan.spreads for one in pair for name in one.names}
    universal |= {n for one in points if one.value in plan.constants for n in one.gradient.names}
    if any(e.names & random for _, e in plan.spreads for random in known.values()):
        universal |= names - _equated(
            plan
        )  # they stand beside e because it is used with any vector
    given = frozenset(universal) if len(known) > 1 else frozenset()
    anew = frozenset[str]().union(*(_drawn(points, random) for random in known.values()))
    at_rest = (one.gradient.names & plan.zero for one in points if one.function in anew)
    rest = frozenset[str]().union(*at_rest)  # ∇f_i(x*) = 0, whatever is drawn
    means = frozenset((*known, *elsewhere))
    return Scene(points, tuple(sorted(names)), known, means, given | rest, rest, between, idle)


def _listed(forms: Iterable[Scalar], where: str) -> dict[str, set[str]]:
    """What is listed as random to each mean.

    Raises
    ------
    TheoryError
        Two means of one name.
    """
    found: dict[str, Any] = {}
    for form in forms:
        for node in sympy.preorder_traversal(form):
            if isinstance(node, Pending):
                known = found.setdefault(str(node.args[1]), node)
                if known.args[:-1] != node.args[:-1]:
                    raise TheoryError(
                        f"two means are called {node.args[1]}, over {_words(known)} and over "
                        f"{_words(node)}",
                        where,
                        "give them two names, or take one mean in all lines",
                    )
    return {name: set(node.random) for name, node in found.items()}


def _cited_means(plan: Plan) -> dict[str, set[str]]:
    """What is random to the means of theorems that are cited; of the kernel's own they say it."""
    conclusions = (w.relation for w in plan.written if isinstance(w.rule, Cite))
    written = frozenset[str]().union(*(MEANS.get(lemma, ()) for lemma, _ in plan.cites))
    found: dict[str, set[str]] = {}
    for relation in (*plan.cited, *conclusions):
        for one in atoms(relation.lhs, Mean) | atoms(relation.rhs, Mean):
            if str(one.args[0]) in written:
                found.setdefault(str(one.args[0]), set()).update(random_names(one))
    return found


def _asked_before(mean: str, plan: Plan) -> set[Relation]:
    """Lines of cited theorems that have this mean: their authors have said what is drawn."""
    return {
        values.relation(one.relation)
        for lemma, values in plan.cites
        if any(mean == measure.name for measure in measures(lemma))
        for one in lemma.hypotheses
        if isinstance(one, Hypothesis)
    }


def _averages(forms: Iterable[Scalar]) -> frozenset[str]:
    """Means over indices."""
    nodes = (node for form in forms for node in atoms(form, Pending))
    return frozenset(str(node.args[1]) for node in nodes if str(node.args[0]) == "average")


def _words(mean: Any) -> str:
    return ", ".join(sorted(mean.random))


def _require_listed(names: Set[str], listed: Iterable[Point], where: str) -> None:
    """Values and gradients are random, and move, with their points; a plain name would not."""
    known = {name for one in listed for name in (one.value.name, *one.gradient.names)}
    for name in sorted(names & MADE.keys() - known):
        raise TheoryError(
            f"{name} is named, and nothing is said of {MADE[name]}",
            where,
            "say it, or list the function: theorem(id, where, f)",
        )


def _equated(plan: Plan) -> set[str]:
    """Vectors that equations of the author name."""
    equations = (h.relation.gap for h in plan.assumed if h.relation.kind == "==")
    return plan.equated.union(*(e.names for gap in equations for e in atoms(gap, Gram)))


def _still(mean: str, plan: Plan, places: Places, forms: Iterable[Scalar]) -> frozenset[str]:
    """Vectors that are there before a mean is taken, unless a point of theirs is random.

    These are iterates, and what this mean is given.
    """
    named = {name for now, _ in plan.iterates for name in now.names}
    for form in forms:
        for node in sympy.preorder_traversal(form):
            if isinstance(node, Pending) and str(node.args[1]) == mean:
                named |= set(map(str, node.args[3]))
            if isinstance(node, Mean) and str(node.args[0]) == mean:
                named |= marked(node, GIVEN)
    named |= plan.fixed | plan.anchors
    return frozenset(named.union(*(places.get(name, ()) for name in named)))


def _means_of_all(
    mean: str, drawn: Set[str], plan: Plan, places: Places, functions: Mapping[str, Set[str]]
) -> frozenset[str]:
    """What each of these has for its mean, or its mean is made of: that is there before.

    Of a drawn function it is what any of its gradients has.
    """
    found: dict[str, set[str]] = {name: set() for name in drawn}
    for of, later, expected in _unbiased(plan):
        at = expected.names.union(*(places.get(name, ()) for name in expected.names))
        same = later.names.union(*(functions.get(name, ()) for name in later.names))
        for name in same & drawn if of == mean else ():
            found[name] |= at
    return frozenset(set.intersection(*found.values())) if found else frozenset()


def _close(
    mean: str, random: set[str], points: tuple[Point, ...], plan: Plan, places: Places
) -> None:
    """What is made of something random is random: values and gradients, and stale iterates.

    So is what has it for its mean under another mean: that is drawn afterwards. And so is the gap
    of a strict inequality about it, such as c − ‖g‖² > 0.
    """
    gaps = {symbol.name for gap in plan.gaps.values() for symbol in gap.free_symbols}
    while True:
        more = {
            name
            for one in points
            if _made(one) & random
            for name in (one.value.name, *one.gradient.names)
        }
        anew = _drawn(points, random)
        more |= {
            name
            for one in points
            if one.function in anew
            for name in {one.value.name, *one.gradient.names} - plan.fixed - plan.zero
        }
        for _, old, now, _ in plan.delays:
            more |= old.names if now.names & random else set()
        for later, expected in plan.spreads:
            more |= later.names if expected.names & random else set()
        for hypothesis in plan.assumed if gaps else ():
            named = _named(_outside(hypothesis.relation.gap, mean), plan.varying, places)
            more |= gaps & named if named & random else set()
        if more <= random:
            return
        random |= more


def _require_told_apart(
    mean: str,
    random: set[str],
    plan: Plan,
    still: frozenset[str],
    where: str,
    places: Places,
    functions: Mapping[str, Set[str]],
) -> None:
    """What a line relates to something random is listed as random too, or there before.

    Such as the compressed gradient c in ‖c − g‖² ≤ (1 − δ)‖g‖²: nobody else knows which it is.
    Values and gradients are what their points are: of f(y) ≤ f(x − γg) y is asked. Under the mean
    what is not listed is the same at every outcome, as rows say.
    """
    asked = _asked_before(mean, plan)
    for hypothesis in (one for one in plan.assumed if one.relation not in asked):
        named = _named(_outside(hypothesis.relation.gap, mean), plan.varying, places)
        drawn = named & random
        beside = {n for one in named for n in places.get(one, {one})} - still - random
        made_of = {n for one in drawn for n in places.get(one, {one}) & random or {one}}
        beside -= _means_of_all(mean, made_of, plan, places, functions)
        if drawn and beside:
            raise TheoryError(
                f"{min(beside)} stands in a line with {min(drawn)}, which is random to {mean}, "
                "and nothing says whether it is drawn as well",
                f"{where}: {hypothesis.name!r}",
                f"list it in the mean {mean} if it is made of what is drawn; or else under "
                "given=(…,) of that mean, if it is there before",
            )


def _of_drawn(points: Iterable[Point], random: Set[str]) -> dict[str, frozenset[str]]:
    """By the name of a value or gradient of a drawn function, all that there are of it."""
    found: dict[str, frozenset[str]] = {}
    for function in _drawn(points, random):
        own = [one for one in points if one.function == function]
        names = frozenset(n for one in own for n in (one.value.name, *one.gradient.names))
        found |= dict.fromkeys(names, names)
    return found


def _unbiased(plan: Plan) -> Iterator[tuple[str, Vector, Vector]]:
    """Means, vectors, and what these are in the mean."""
    for mean, kind, parts in plan.everywhere:
        if kind == "unbiased":
            later, expected = parts
            assert isinstance(later, Vector)
            assert isinstance(expected, Vector)
            yield mean, later, expected


def _require_drawn(
    plan: Plan, randoms: Mapping[str, Set[str]], names: Set[str], where: str
) -> None:
    """What has a mean is drawn under it, and its mean is not."""
    for mean, random in randoms.items():
        if not random & names:
            raise TheoryError(
                f"{mean} is a mean over {', '.join(sorted(random))}, and nothing of that is named",
                where,
                f"list what is drawn in the mean {mean}",
            )
    for mean, later, expected in _unbiased(plan):
        random = randoms.get(mean, frozenset())
        if random and not later.names & random:
            raise TheoryError(
                f"{text(later)} has a mean under {mean}, and nothing of it is drawn there: it "
                "would be its mean",
                where,
                f"list {text(later)} in the mean {mean}, or what it is made of",
            )
        if expected.names & random:
            raise TheoryError(
                f"{min(expected.names & random)} is random to {mean}, and cannot be the mean of "
                f"{text(later)} under {mean}",
                where,
                f"say it of a mean over {text(later)} alone, given the rest",
            )


def _require_told_of_means(
    mean: str, random: set[str], plan: Plan, still: frozenset[str], where: str, places: Places
) -> None:
    """What is another mean of something random is random too, or there before.

    Such as the mean of a batch, of which another draw has it for its mean. Where the function is
    drawn and not its point, the mean over functions is a function of that point.
    """
    for other, later, expected in _unbiased(plan):
        drawn = {n for one in later.names & random for n in places.get(one, {one})} & random
        beside = {n for one in expected.names for n in places.get(one, {one})} - still - random
        if other != mean and drawn and beside:
            raise TheoryError(
                f"{min(beside)} is the mean of {min(drawn)} under {other}, and {min(drawn)} is "
                f"random to {mean}: nothing says whether {min(beside)} is",
                where,
                f"list it in the mean {mean} if it is made of what is drawn; or else under "
                "given=(…,) of that mean, if it is there before",
            )


def _require_told_of_constants(
    mean: str,
    random: set[str],
    plan: Plan,
    points: Iterable[Point],
    still: frozenset[str],
    where: str,
) -> None:
    """Scalars that may vary are told apart in what is assumed everywhere, as L_i of f_i is."""
    drawn = {o.function for o in points if random & {o.value.name, *o.gradient.names}}
    varying = {one.name for one in plan.varying} - random - still
    smooth = ((one.function, "smooth", (one.constant,)) for one in plan.smooth)
    for about, kind, parts in (*plan.everywhere, *smooth):
        if about in drawn or (about, kind) == (mean, "unbiased"):
            factors = [form for one in parts for form in _factors(one)]
            named = {s.name for form in factors for s in form.free_symbols} & varying
            if named:
                raise TheoryError(
                    f"{min(named)} may vary, and nothing says whether it does with what is random "
                    f"to {mean}",
                    f"{where}: what is assumed of {about}",
                    f"list it in the mean {mean} if it is made of what is drawn; or else under "
                    "given=(…,) of that mean, if it is there before; or leave out T.varying",
                )


def _factors(one: Scalar | Vector) -> list[Scalar]:
    """The scalars in a part of an assumption."""
    parts = [factor for _, factor in one.terms] if isinstance(one, Vector) else [one]
    return [sympy.sympify(part) for part in parts]


def _made(one: Point) -> frozenset[str]:
    """What a position is made of: vectors, and what is in their factors."""
    factors = (factor for _, factor in one.position.terms)
    return one.position.names.union(*({s.name for s in f.free_symbols} for f in factors))


def _drawn(points: Iterable[Point], random: Set[str]) -> frozenset[str]:
    """Functions that are random themselves, such as f_i if ∇f_i(x) is and x is not."""
    return frozenset(
        one.function
        for one in points
        if random & {one.value.name, *one.gradient.names} and not one.position.names & random
    )


def _outside(gap: Scalar, mean: str) -> Scalar:
    """What a formula says outside of a mean."""
    return gap.replace(
        lambda node: (
            (isinstance(node, Pending) and str(node.args[1]) == mean)
            or (isinstance(node, Mean) and str(node.args[0]) == mean)
        ),
        lambda node: sympy.S.One,
    )


def _named(form: Scalar, varying: Set[Scalar], places: Places) -> set[str]:
    """Vectors, values at points, and scalars that may change, which a formula names."""
    scalars = {one.name for one in form.free_symbols if one in varying or one.name in places}
    return scalars.union(*(entry.names for entry in atoms(form, Gram)))


def _points(
    forms: list[Scalar], plan: Plan, functions: tuple[Function, ...]
) -> tuple[tuple[Point, ...], frozenset[Point]]:
    """The points that formulas name, those that they are made of, and those that follow.

    Of the iterates at which no function is looked at, nothing but their place is of use.
    """
    linked = [*plan.iterates, *((old, now) for _, old, now, _ in plan.delays)]
    owners = [_owner(pair, functions) for pair in linked]
    for f in functions:
        for pair in linked:
            _ = [f.at(one) for one in pair]
    known = [one for f in functions for one in f.points.values()]
    symbols = {s for form in forms for s in form.free_symbols} | plan.constants
    names = {n for form in forms for entry in atoms(form, Gram) for n in entry.names}
    names |= {name for _, then in plan.iterates for name in then.names} | plan.equated
    names |= {name for random, _ in plan.spreads for name in random.names}  # as in avg ∇f(x_i)
    found = dict.fromkeys(v.point(one) for lemma, v in plan.cites for one in lemma.points)
    while True:
        names |= {name for one in found for name in one.position.names}
        more = [o for o in known if o.value in symbols or o.gradient.names & names]
        more += [f.at(one) for f in functions for one in _next(f, found, plan)]
        more += [
            f.at(one)
            for f in functions
            for pair in linked
            for one in pair
            if any(f.at(each) in found for each in pair)
        ]
        if set(more) <= set(found):
            break
        found |= dict.fromkeys(more)
    at, idle = {one.position for one in found}, set[Point]()
    for pair, owner in zip(linked, owners, strict=True):
        if not {plainly(one) for one in pair} <= at:  # a point without a value is one all the same
            idle |= {owner.at(one) for one in pair}
            found |= dict.fromkeys(owner.at(one) for one in pair)
    return tuple(found), frozenset(idle)


def _owner(pair: tuple[Vector, Vector], functions: tuple[Function, ...]) -> Function:
    """The function that knows both ends of an iteration, or else the first one."""
    known = [f for f in functions if all(plainly(one) in f.points for one in pair)]
    return (*known, *functions, Function("f"))[0]


def _next(f: Function, found: Iterable[Point], plan: Plan) -> list[Vector]:
    """Where points made of iterates alone, such as x − e, are in the next iteration.

    Only sequences speak of the next iteration.
    """
    moves = {next(iter(now.names)): plainly(then) for now, then in plan.iterates}
    named = moves.keys() | plan.fixed
    meant = [sympy.sympify(form) for form in plan.sequences.values()]
    said = {s for form in meant for s in form.free_symbols}
    said |= {n for form in meant for entry in atoms(form, Gram) for n in entry.names}
    among = [
        one
        for one in found
        if one.function == f.name and one.position.names <= named
        if said & {one.value, *one.gradient.names}
    ]
    ahead = {
        one.position.replaced(moves)
        for one in among
        if one.position.replaced(moves) != one.position
    }
    return [
        one.position.replaced(moves)
        for one in among
        if one.position not in ahead  # what comes two iterations later is of no use
        and one.position.names & moves.keys()
        and len(one.position.terms) > 1
        and one.position.replaced(moves) != one.position
        and not any(one.position.replaced(moves) == other.position for other in list(found))
        and not _is_later(one.position, moves)
    ]


def _is_later(position: Vector, moves: Mapping[str, Vector]) -> bool:
    """Whether a position is one of the next iteration already, or of a later one."""
    return any(set(then.terms) <= set(position.terms) for then in moves.values())


def counts(statement: Statement, plan: Plan) -> tuple[Scalar, ...]:
    """Numbers of iterations that formulas speak of."""
    found: dict[Scalar, None] = {}
    for form in (statement.relation.lhs, statement.relation.rhs, *plan.forms):
        for total in atoms(form, sympy.Sum):
            _, first, last = shifted(total).limits[-1]
            if plan.index not in last.free_symbols:  # else it is a sum over the last iterations
                found[last + 1 if first == 0 else last] = None
        bound = {limit[0] for total in atoms(form, sympy.Sum) for limit in total.limits}
        for call in atoms(form, AppliedUndef):
            at = call.args[0]
            if len(call.args) == 1 and at != 0 and not at.free_symbols & ({plan.index} | bound):
                found[at] = None
    return tuple(found)
