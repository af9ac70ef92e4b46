"""Exact counterexamples in every dimension: vectors by their inner products, functions by points.

A worst case in floating point is only a hint. It is moved inwards and rounded to rational numbers;
the matrix of inner products is positive semidefinite exactly, so there are such vectors, and values
and gradients satisfy what is necessary and sufficient for a function of the class to have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from math import inf
from typing import Any, Final

import sympy
from sympy.core.symbol import Str

from theory.errors import TheoryError
from theory.falsifier.effort import current
from theory.falsifier.gram.exact import Reduced, positive_semidefinite, reduced, rounded
from theory.falsifier.gram.lasting import tail
from theory.falsifier.gram.parameters import beside, drawn
from theory.falsifier.gram.plain import Plain, outcomes_of, plain
from theory.falsifier.gram.program import Atom, Row, linear
from theory.falsifier.gram.written import PATTERNS, Pattern, Shape, Written, written
from theory.falsifier.run_forms import by_side
from theory.falsifier.small_models import SmallModel
from theory.falsifier.small_runs import is_defined
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.prove import conditions
from theory.kernel.relations import Relation, eq
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Gram, Scalar

POSED: Final = 32
"""Combinations of numbers that are drawn."""
MORE: Final = 1 + 1e-4
"""By how much a combination has to be better than the best one."""
WORK: Final = 2400
"""Relations and vectors of all programs of a search together, after which it ends."""
SHAPES: Final[tuple[tuple[Pattern, bool], ...]] = (
    (PATTERNS[0], True),
    (PATTERNS[0], False),
    (PATTERNS[1], True),
)
"""How old stale points are, and whether all else is chosen plainly; for what is not stale, the
second of them."""
VECTORS: Final = 6
"""Of a theorem that is posed, points apart; with more, posing it once takes minutes."""
LARGEST: Final = 40
"""Vectors and scalars of a program."""
ENOUGH: Final = 1 + 1e-7
"""By how much the worst case has to break a statement to be worth rounding."""


@dataclass(frozen=True)
class _Posed:
    """A statement at numbers, as a program."""

    theorem: Plain
    at: Mapping[Scalar, Scalar]
    said: Written
    left: Row
    right: Row
    program: Reduced

    def needed(self) -> float:
        """How large the left side is beside the right one, at most; 0 if no float holds that."""
        try:
            return self._needed()
        except OverflowError:
            return 0.0

    def _needed(self) -> float:
        left, right = self.program.row(self.left), self.program.row(self.right)
        program = self.program.program
        if set(right) <= {""}:
            bound, found = float(right.get("", 0)), program.greatest(left)
            if found is None or found <= bound:
                return 0.0
            return found / bound if bound > 0 else inf
        one = {atom: x for atom, x in right.items() if atom}
        equal = {**one, "": right.get("", Fraction(0)) - 1}
        return replace(program, equal=(*program.equal, equal)).greatest(left) or 0.0

    def model(self) -> SmallModel | None:
        """An exact witness, if rounding leads to one."""
        gap = {**self.right}
        for atom, factor in self.left.items():
            gap[atom] = gap.get(atom, Fraction(0)) - factor
        known = rounded(self.program.program, self.program.row(gap))
        return None if known is None else self._named(known)

    def _named(self, known: Mapping[Atom, Fraction]) -> SmallModel:
        names = sorted(self.program.combinations)
        entries = {
            (a, b): _number(self.program.row({(a, b): Fraction(1)}), known)
            for n, a in enumerate(names)
            for b in names[n:]
        }
        forms = [side for r in (*self.said.under, self.said.goal) for side in (r.lhs, r.rhs)]
        symbols = {s for form in forms for s in form.free_symbols}
        numbers = dict(self.at) | {s: sympy.Rational(known[s.name]) for s in symbols}
        products = {Gram(Str(a), Str(b)): _product(a, b) for a, b in entries}
        numbers |= {_product(a, b): sympy.Rational(x) for (a, b), x in entries.items()}
        goal = by_side(self.said.goal, lambda side: side.xreplace(products))
        goal = Relation(goal.lhs, self.theorem.of.kind, goal.rhs)
        under = tuple(by_side(r, lambda side: side.xreplace(products)) for r in self.said.under)
        return SmallModel(
            self.theorem.of,
            numbers,
            (*conditions(self.theorem.of), *(eq(s, x) for s, x in self.at.items()), *under),
            goal,
            self._shown(numbers, names, entries)
            | {
                name: str(side.xreplace(numbers))
                for name, side in (("left", goal.lhs), ("right", goal.rhs))
            },
            partial(_is_real, numbers, names, self.theorem, self.at),
        )

    def _shown(
        self, numbers: Mapping[Scalar, Scalar], names: list[str], entries: Mapping[Any, Fraction]
    ) -> dict[str, str]:
        """Parameters, values, and inner products as a matrix."""
        plainly = {s.name: str(x) for s, x in numbers.items() if not s.name.startswith("<")}
        rows = [", ".join(str(entries[min(a, b), max(a, b)]) for b in names) for a in names]
        return plainly | {
            "vectors": ", ".join(names),
            "their inner products": "; ".join(rows),
        }


def _is_about_numbers(one: Relation) -> bool:
    """Whether exponentials of constants are compared: `admitted` has, and the judge does."""
    return one.gap.has(*ELEMENTARY) and not one.gap.free_symbols and not one.gap.atoms(Gram)


def _number(row: Row, known: Mapping[Atom, Fraction]) -> Fraction:
    return sum((a * (known[atom] if atom else 1) for atom, a in row.items()), Fraction(0))


def _product(one: str, other: str) -> Scalar:
    """The symbol for an inner product in a witness."""
    return sympy.Symbol(f"<{one}, {other}>", real=True)


def _is_real(
    numbers: Mapping[Scalar, Scalar], names: list[str], theorem: Plain, at: Mapping[Scalar, Scalar]
) -> bool:
    """Whether there are vectors with these inner products, and the run can go on."""
    products = ((a, b) for n, a in enumerate(names) for b in names[n:])
    entries = {
        pair: Fraction(int(x.p), int(x.q)) for pair in products for x in [numbers[_product(*pair)]]
    }
    return positive_semidefinite(entries, names) and tail(theorem, at) is not None


def gram_model(theorem: Theorem) -> SmallModel | None:
    """Look for vectors and functions that satisfy all hypotheses of a theorem and violate it.

    Returns
    -------
    SmallModel or None
        None says nothing: few numbers are tried for constants, and few iterations.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import YOUNG
    >>> gram_model(YOUNG) is None
    True
    >>> wrong = replace(YOUNG, terms={**YOUNG.terms, "second": YOUNG.terms["second"] / 2})
    >>> sorted(gram_model(wrong).shown)
    ['a', 'left', 'right', 'their inner products', 'vectors']
    """
    if theorem.assumes or inner_runs(theorem):  # what is said in words, numbers need not satisfy
        return None
    if len(theorem.vectors) > VECTORS:
        return None
    terms = {name: sympy.sympify(term) for name, term in theorem.terms.items()}
    theorem = replace(theorem, lhs=sympy.sympify(theorem.lhs), terms=terms)  # 0 may be Python's
    work = current().tries(WORK)
    for outcomes in outcomes_of(theorem):
        try:
            one = plain(theorem, outcomes)
        except TheoryError:
            return None
        stale = [late for late in one.delayed if not late.exact]
        shapes = SHAPES if stale else SHAPES[:2] if one.delayed else SHAPES[1:2]
        for pattern, plainly in shapes:
            found = _Search(one, pattern, plainly, work // len(shapes)).model()
            if found is not None:
                return found
    return None


@dataclass
class _Search:
    """Numbers that are drawn, then such beside those that come nearest.

    Attributes
    ----------
    theorem : Plain
    pattern : callable
    plainly : bool
        Take what an iteration may choose as plainly as it can be.
    work : int
        What may still be done.
    """

    theorem: Plain
    pattern: Pattern
    plainly: bool
    work: int
    _seen: set[tuple[Scalar, ...]] = field(default_factory=set)

    def model(self) -> SmallModel | None:
        """An exact witness, if one is found."""
        best = 0.0
        nearest: dict[Scalar, Scalar] | None = None
        waiting: Iterator[dict[Scalar, Scalar]] = islice(drawn(self.theorem.of), POSED)
        most, made = self.work, current()
        while self.work > 0:
            made.say("worst cases in every dimension", most - self.work, most)
            at = next((one for one in waiting if self._is_new(one)), None)
            if at is None:  # all were tried: go on beside the best, as long as there is a better
                if nearest is None:
                    return None
                waiting, nearest = beside(self.theorem.of, nearest), None
                continue
            posed = _posed(self.theorem, at, self.pattern, self.plainly)
            self.work -= WORK // (POSED // 2) if posed is None else posed.said.size
            needed = 0.0 if posed is None else posed.needed()
            if posed is not None and needed > ENOUGH:
                model = posed.model()
                if model is not None and model.lasts():
                    return model
            if needed > best * MORE:
                best, nearest = needed, at
        return None

    def _is_new(self, at: Mapping[Scalar, Scalar]) -> bool:
        key = tuple(at[s] for s in self.theorem.of.symbols)
        new = key not in self._seen and is_defined(self.theorem.of, at)
        self._seen.add(key)
        return new


def _posed(
    theorem: Plain, at: Mapping[Scalar, Scalar], pattern: Pattern, plainly: bool
) -> _Posed | None:
    """A statement as a program, or None where it is none, too large, or the run may end."""
    try:
        goes_on = tail(theorem, at)
        if goes_on is None:
            return None
        vectors = {**goes_on.ends, **(goes_on.plainly.vectors if plainly else {})}
        said = written(theorem, at, Shape(pattern, goes_on.bounded, vectors))
        left, right = linear(said.goal.lhs), linear(said.goal.rhs)
        settled = (one for one in said.under if not _is_about_numbers(one))
        rows = [(one.kind, linear(one.gap)) for one in settled]
        signs = [
            {s.name: Fraction(1)}
            for s in {s for r in (*said.under, said.goal) for s in (r.lhs - r.rhs).free_symbols}
            if s.is_nonnegative
        ]
    except TheoryError:
        return None
    if not said.whole:
        return None
    equal = [row for kind, row in rows if kind == "=="]
    least = [row for kind, row in rows if kind == "<="]
    program = reduced(equal, [*least, *signs], [left, right])
    if len(program.program.names) + len(program.program.scalars) > LARGEST:
        return None
    return _Posed(theorem, at, said, left, right, program)
