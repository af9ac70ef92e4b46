"""`Theorem`: a statement with its hypotheses and its proof, all of it data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, Protocol, get_args

import sympy

from theory.errors import TheoryError
from theory.kernel.normal import is_zero, linear_sums
from theory.kernel.plain import copied, plain
from theory.kernel.relations import Relation, exact
from theory.kernel.vectors import Point, Scalar, Vector
from theory.kernel.wellformed import require_wellformed
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Hypothesis:
    """Something that is assumed.

    Attributes
    ----------
    name, says : str
    relation : Relation
        The instance that is used; it may be one of a universal assumption.
    """

    name: str
    says: str
    relation: Relation


@dataclass(frozen=True)
class Smooth:
    """The assumption that a function has an L-Lipschitz gradient.

    Attributes
    ----------
    name, says : str
    constant : sympy expression
        L.
    function : str
        Which function.
    """

    name: str
    says: str
    constant: Scalar
    function: str = "f"


@dataclass(frozen=True)
class Delayed:
    """The assumption that a point is what another one was up to some iterations ago.

    In iteration k, `old` is `now` of an iteration j with max(0, k − constant) ≤ j ≤ k; j may be
    another one at each k and each outcome. If the delay is `exact`, j is max(0, k − constant): what
    is older than the start is the start.

    Attributes
    ----------
    name, says : str
    old, now : Point
        The stale point, and the one that `following` moves.
    constant : sympy expression
        The largest delay, an integer.
    exact : bool
        Whether the delay is this one in every iteration from this one on.
    """

    name: str
    says: str
    old: Point
    now: Point
    constant: Scalar
    exact: bool = False

    @property
    def function(self) -> str:
        """Whose points they are."""
        return self.now.function


Assumption = Hypothesis | Smooth | Delayed

Facts = Mapping[str, Relation]
"""What is known so far, by name."""


@dataclass(frozen=True)
class Checked:
    """What a rule says of a relation.

    Attributes
    ----------
    verdict : Verdict
        PROVED or UNKNOWN.
    note : str
        How, or what is missing.
    """

    verdict: Verdict
    note: str


class Rule(Protocol):
    """One way to conclude a relation from facts; see `theory.kernel.rules`."""

    @property
    def uses(self) -> tuple[str, ...]:
        """Names of the facts and assumptions it needs."""
        ...

    def check(self, goal: Relation, given: Given) -> Checked:
        """Decide whether it gives this relation."""
        ...


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a proof.

    Attributes
    ----------
    name : str
        By which later steps use it.
    relation : Relation
    rule : Rule
    says : str
        In words.
    where : str
        Place in the paper if the line is printed there, else ``"ours"``.
    """

    name: str
    relation: Relation
    rule: Rule
    says: str = ""
    where: str = "ours"


@dataclass(frozen=True, eq=False)
class Theorem:
    """A statement ``lhs <= sum of terms`` (or ``==``), hypotheses and a proof.

    Attributes
    ----------
    id, where, statement, latex : str
        As in `theory.claims.Claim`.
    symbols : tuple of sympy symbols
        Constants; their sympy assumptions are their domains.
    lhs : sympy expression
    terms : mapping of str to sympy expression
        The right-hand side as printed, term by term.
    conclude : Rule
        How the statement follows from hypotheses and steps.
    kind : str
        ``"<="`` or ``"=="``.
    hypotheses : tuple of Hypothesis, Smooth or Delayed
    steps : tuple of Step
    vectors, points : tuples
        What else the formulas name.
    scalars : tuple of sympy symbols
        Other scalar quantities, which may depend on the run.
    sequences : mapping of sympy function to expression
        ``F: value`` says that F(k) is the mean of that value in iteration k.
    following : tuple of (Point, Point)
        A point of iteration k, and the one that takes its place in iteration k + 1.
    fixed : tuple of Vector
        Names of vectors that are the same in every iteration.
    indices : tuple of sympy symbols
        Indices that formulas name besides as arguments of sequences: k in (k + 1)·F(k).
    cites : tuple of Theorem
        Theorems that rules may cite by id.
    assumes : tuple of str
        What is taken from outside, in words.
    everywhere : tuple of (function, kind, constants)
        What hypotheses at points are instances of. No proof uses it; who refutes has to keep it.
    unused : tuple of Hypothesis
        What is assumed as well, and no certificate names. No proof uses it; who refutes has to
        keep it, see `whole`.
    """

    id: str
    where: str
    statement: str
    latex: str
    symbols: tuple[Scalar, ...]
    lhs: Scalar
    terms: Mapping[str, Scalar]
    conclude: Rule
    kind: Literal["<=", "=="] = "<="
    hypotheses: tuple[Assumption, ...] = ()
    steps: tuple[Step, ...] = ()
    vectors: tuple[Vector, ...] = ()
    points: tuple[Point, ...] = ()
    scalars: tuple[Scalar, ...] = ()
    sequences: Mapping[Scalar, Scalar] = field(default_factory=dict)
    following: tuple[tuple[Point, Point], ...] = ()
    fixed: tuple[Vector, ...] = ()
    indices: tuple[Scalar, ...] = ()
    cites: tuple[Theorem, ...] = ()
    assumes: tuple[str, ...] = ()
    everywhere: tuple[tuple[str, str, tuple[Scalar | Vector, ...]], ...] = ()
    unused: tuple[Hypothesis, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in ("<=", "=="):
            raise TheoryError(
                f"a statement is '<=' or '==', found {self.kind!r}", self.id, "take one of them"
            )
        self._copy()  # a proof is remembered, so its theorem must not change
        self._fill()
        require_wellformed(self)

    def _copy(self) -> None:
        listed_kinds = {
            "hypotheses": get_args(Assumption),
            "steps": (Step,),
            "unused": (Hypothesis,),
        }
        for name, kinds in listed_kinds.items():
            listed = tuple(getattr(self, name))
            if any(type(one) not in kinds for one in listed):
                raise TheoryError(
                    f"{name} are made of {' and '.join(kind.__name__ for kind in kinds)}",
                    self.id,
                    "use the kernel's own classes",
                )
            object.__setattr__(self, name, listed)
        if any(type(one) is not Theorem for one in self.cites):
            raise TheoryError("what is cited is a Theorem itself", self.id, "cite the theorem")
        rules = (*(step.rule for step in self.steps), self.conclude)
        for one in (*self.hypotheses, *self.unused, *rules):
            if is_dataclass(one):  # anything else is no rule of the kernel, and proves nothing
                copied(one, self.id)
        for step in self.steps:
            plain((step.name, step.relation, step.says, step.where), self.id)
        kept = ("hypotheses", "steps", "conclude", "cites", "unused")
        for part in fields(self):
            if part.name not in kept:
                object.__setattr__(self, part.name, plain(getattr(self, part.name), self.id))
        object.__setattr__(self, "cites", tuple(self.cites))
        terms = {name: exact(form) for name, form in self.terms.items()}  # 0 may be Python's
        object.__setattr__(self, "terms", MappingProxyType(terms))

    def _fill(self) -> None:
        """Put stored certificates into the rules that stand for them."""
        from theory.kernel.rules.found import Found

        if not any(type(rule) is Found for rule in (*(s.rule for s in self.steps), self.conclude)):
            return
        facts = {h.name: h.relation for h in self.hypotheses if isinstance(h, Hypothesis)}
        steps = []
        for step in self.steps:
            rule = step.rule
            if type(rule) is Found:
                step = replace(step, rule=rule.filled(self, step.name, step.relation, facts))
            steps.append(step)
            facts[step.name] = step.relation
        object.__setattr__(self, "steps", tuple(steps))
        if type(self.conclude) is Found:
            rule = self.conclude.filled(self, "statement", self.goal, facts)
            object.__setattr__(self, "conclude", rule)

    @property
    def goal(self) -> Relation:
        """The statement."""
        return Relation(exact(self.lhs), self.kind, sympy.Add(*map(exact, self.terms.values())))

    @property
    def whole(self) -> Theorem:
        """The theorem with all that is assumed, whether a certificate names it or not."""
        more = (*self.hypotheses, *self.unused)
        return replace(self, hypotheses=more, unused=()) if self.unused else self

    @property
    def relations(self) -> Iterator[tuple[str, Relation]]:
        """Every relation, with its place."""
        for hypothesis in self.hypotheses:
            if isinstance(hypothesis, Hypothesis):
                yield f"hypothesis {hypothesis.name!r}", hypothesis.relation
        for step in self.steps:
            yield f"step {step.name!r}", step.relation
        yield "statement", self.goal


@dataclass(frozen=True)
class Given:
    """What a rule may look at.

    Attributes
    ----------
    theorem : Theorem
    facts : mapping of str to Relation
        Hypotheses, and steps that are proved.
    brief : bool
        Whether nobody reads by how much a certificate misses.
    """

    theorem: Theorem
    facts: Facts
    brief: bool = False

    def fact(self, name: str) -> Relation | None:
        """The fact of this name."""
        return self.facts.get(name)

    def smooth(self, name: str, points: Iterable[Point]) -> Smooth | None:
        """The smoothness assumption of this name, if it is about the function of these points."""
        known = [point for point in points if point in self.theorem.points]
        for hypothesis in self.theorem.hypotheses:
            if isinstance(hypothesis, Smooth) and hypothesis.name == name:
                same = all(point.function == hypothesis.function for point in known)
                return hypothesis if same and known == list(points) else None
        return None


def unlike(what: str, kind: str, gap: Scalar, goal: Relation) -> Checked | None:
    """An UNKNOWN that says by what a goal differs from what a rule makes, or None."""
    if goal.kind != kind:
        return Checked(Verdict.UNKNOWN, f"not {what}: that is one with {kind}")
    if is_zero(goal.gap - gap):
        return None
    off = sympy.sstr(sympy.expand(linear_sums(gap - goal.gap)))
    short = off if len(off) <= LONGEST else f"{off[:LONGEST]}…"
    return Checked(Verdict.UNKNOWN, f"not {what}: there, right minus left is more by {short}")


LONGEST: Final = 200
"""Characters of a difference that is told."""


def missing(names: Iterable[str], given: Given) -> Checked | None:
    """An UNKNOWN that names facts that are not there, or None."""
    absent = [name for name in names if given.fact(name) is None]
    return Checked(Verdict.UNKNOWN, f"not shown: {', '.join(absent)}") if absent else None
