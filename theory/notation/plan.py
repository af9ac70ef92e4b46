"""What an author says, before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation
from theory.kernel.rules import Cite
from theory.kernel.rules.ranges import indices
from theory.kernel.signs import undefined
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Rule, Smooth, Theorem
from theory.kernel.values import Values
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.notation.clipping import Clipped
from theory.notation.counting import counting
from theory.notation.iterations import Iterates
from theory.notation.moving import is_gap, moved, sentence
from theory.notation.names import Function, plainly, text
from theory.notation.scene import Scene
from theory.notation.summed import MEANT, total

MEANS: Final[WeakKeyDictionary[Theorem, frozenset[str]]] = WeakKeyDictionary()
"""Names of the means of theorems that are written in this notation."""

CURVED: Final = ("convex", "quasi-convex", "Polyak–Łojasiewicz")
"""What is said of functions with a modulus, which may be 0."""

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
    free: set[str] = field(default_factory=set)
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
    averaged: dict[Scalar, tuple[Scalar, Scalar]] = field(default_factory=dict)
    equated: set[str] = field(default_factory=set)
    words: dict[str, None] = field(default_factory=dict)
    clipped: dict[Scalar, Clipped] = field(default_factory=dict)
    everywhere: dict[tuple[str, str, tuple[Scalar | Vector, ...]], None] = field(
        default_factory=dict
    )
    gaps: dict[Scalar, Scalar] = field(default_factory=dict)

    @property
    def lower_bounds(self) -> set[Scalar]:
        """The symbols of what functions are at least."""
        kinds = ("least", "Polyak–Łojasiewicz")
        said = (values[-1] for _, kind, values in self.everywhere if kind in kinds)
        return {s for one in said if not isinstance(one, Vector) for s in one.free_symbols}

    def as_sum(self, stated: Relation) -> Relation:
        """A statement about f at a mean of iterates as one of the mean of a sequence, if named.

        That f there is at most the mean is found for a convex f.
        """
        for value, (now, count) in self.averaged.items():
            if value in stated.lhs.free_symbols:
                each = stated.lhs.xreplace({value: now})
                for sequence, meant in self.sequences.items():
                    if sympy.expand(meant - each) == 0:
                        mean = total(sequence(self.index), self.index, count) / count
                        return Relation(mean, stated.kind, stated.rhs)
        return stated

    @property
    def moduli(self) -> list[Scalar]:
        """By how much functions are curved at least, of whatever kind."""
        return list(
            dict.fromkeys(v[0] for _, kind, v in self.everywhere if kind in CURVED and v[0])
        )

    def copied(self) -> Plan:
        """The same, to say more beside it."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        return Plan(**{n: one if n == "index" else one.copy() for n, one in parts.items()})

    def any_sequence(self, name: str, draft: str) -> None:
        """Say that a sequence may be any one."""
        self.free.add(name)
        self.require_free(draft)

    def require_free(self, draft: str) -> None:
        """What may be any sequence is not made the mean of something by another line."""
        for sequence, meant in self.sequences.items():
            if str(sequence) in self.free:
                raise TheoryError(
                    f"{sequence} may be any sequence by one line, and is the mean of {meant} by "
                    "another, or by a theorem that is cited",
                    draft,
                    f'give one of them another name, or say T.sequence("{sequence}", ...) of what '
                    "it is here too",
                )

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
        """Find the index of sequences where nothing iterates, and nobody has said it."""
        if self.index is None:
            assumed = [h.relation for h in self.assumed if h.relation not in self.cited]
            lines = [one.relation for one in self.written if not isinstance(one.rule, Cite)]
            self.index = counting(assumed, lines, said, sums=not self.cites)

    def start_of(self, first: Scalar) -> str:
        """What an assumption is called that says how large a(0) is at most, or ``""``."""
        return next((h.name for h in self.assumed if h.relation.lhs == first), "")

    def spelled(self, form: Scalar) -> Scalar:
        """With what sequences are instead of their names: what U(k) ≤ 0 says is said of U's."""
        known = {**MEANT, **self.sequences}
        put = {one: known[one.func] for one in atoms(form, AppliedUndef) if one.func in known}
        return form.xreplace(put) if put else form

    def ahead(self, form: Scalar) -> set[str]:
        """What iterates in sequences that are called one iteration later are made of."""
        known = {**MEANT, **self.sequences}
        calls = (one for one in atoms(form, AppliedUndef) if one.func in known and self.index)
        values = [known[one.func] for one in calls if (one.args[0] - self.index).is_positive]
        named = {n for form in values for entry in atoms(form, Gram) for n in entry.names}
        named |= {symbol.name for form in values for symbol in form.free_symbols}
        moved = (then.names for now, then in self.iterates if _is_named(now, named))
        return {name for names in moved for name in names}

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
        points = [one for f in functions for one in f.points.values()]
        points += [values.point(one) for lemma, values in self.cites for one in lemma.points]
        values = {one.value for one in points} - self.constants
        moving = {self.index} | self.cited_indices | self.varying | values
        gaps = (gap for way, gap in self.gaps.items() if way.free_symbols & moving)
        self.varying |= {symbol for gap in gaps for symbol in gap.free_symbols}
        for line in self.cited:  # at values that may vary
            symbols = line.gap.free_symbols
            if symbols & moving or (any(map(is_gap, symbols)) and atoms(line.gap, Gram)):
                self.varying |= set(filter(is_gap, symbols))

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
            told = moved(one, values)
            if isinstance(told, Hypothesis) and (self._says(told) or _says_nothing(told)):
                continue
            if isinstance(told, Smooth) and any(h.function == told.function for h in self.smooth):
                continue
            if isinstance(told, Hypothesis) and told not in self.assumed:
                self.cited.add(told.relation)
            if isinstance(told, Hypothesis):
                told = replace(told, name=self._free(told, lemma.id))
            self.take(told)
        for now, then in lemma.following:
            pair = values.vector(now.position), values.vector(then.position)
            known_pairs = [(first, plainly(second)) for first, second in self.iterates]
            self.iterates += [] if pair in known_pairs else [pair]
        for sequence, value in lemma.sequences.items():
            self.sequences.setdefault(sequence, values.scalar(value))
        self.words |= dict.fromkeys(sentence(said, values) for said in lemma.assumes)
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


def _is_named(iterate: Vector, names: set[str]) -> bool:
    """Whether these are made of an iterate, by name: ∇f(x[k]) is of x[k]."""
    parts = {part for name in names for part in re.split(r"[() ]|\*(?=\w)", name)}
    return bool(iterate.names & (parts | names))


def _says_nothing(one: Hypothesis) -> bool:
    """Whether a hypothesis is about numbers, and true: κ ≤ 1 at κ = 1."""
    gap, kind = one.relation.gap, one.relation.kind
    return bool(gap.is_number and (gap == 0 if kind == "==" else gap >= 0))
