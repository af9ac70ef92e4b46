"""Attacks a statement that is not proved: numbers that satisfy its hypotheses and violate it.

Vectors get one or two coordinates, every function is a quadratic with a diagonal Hessian, a mean is
one over up to three outcomes of equal weight. All of the statement is then about real numbers, and
z3 looks for some. They are made rational, and replayed by whoever decides. Statements with
sequences or sums are about whole runs, and are not attacked here; nor are those with roots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import NotExactError, UnsupportedFormError
from theory.falsifier.everywhere import beyond_numbers, everywhere
from theory.falsifier.numbers import in_domain
from theory.falsifier.posed import Posed, has_roots, named_means, printed
from theory.falsifier.shrinking import plainer
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.relations import Relation
from theory.kernel.rules.ranges import indices
from theory.kernel.signs import Translator
from theory.kernel.theorem import Delayed, Theorem
from theory.kernel.vectors import Scalar
from theory.smt.rational import rational_model

SHAPES: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2))
"""Coordinates of vectors, and outcomes of a mean, in the order in which they are tried."""
COUNTS: Final = (1, 2, 3, 5)
"""Values that integer symbols take."""
RLIMIT: Final = 200_000
"""z3's budget for one shape and one combination: what is violated is mostly violated quickly."""
UNKNOWNS: Final = 10
MONOMIALS: Final = 80
"""What a question may hold at most: z3 does not keep to its budget on larger ones."""
DENOMINATORS: Final = (1, 2, 10)
"""Of plain numbers near those that z3 finds."""
TRIES: Final = 3
"""Combinations of them."""


@dataclass(frozen=True)
class SmallModel:
    """An instance of a statement's hypotheses that violates it.

    Attributes
    ----------
    of : Theorem
        What is violated.
    numbers : mapping of sympy symbol to rational number
        Symbols as in the theorem, coordinates, coefficients of functions.
    under : tuple of Relation
        What the hypotheses say of these numbers.
    goal : Relation
        What the statement says of them, and what is not so.
    shown : mapping
        The instance for a reader, as plain data.
    lasts : callable
        Whether what is supposed of every iteration holds in those that come later, too.
    """

    of: Theorem
    numbers: Mapping[Scalar, Scalar]
    under: tuple[Relation, ...]
    goal: Relation
    shown: Mapping[str, Any]
    lasts: Callable[[], bool] = lambda: True

    def left(self) -> Scalar:
        """The left-hand side, exactly; no number if the instance cannot go on for ever."""
        if not self.lasts():
            return sympy.nan
        return self.goal.lhs.subs(dict(self.numbers), simultaneous=True)


def small_model(theorem: Theorem) -> SmallModel | None:
    """Look for numbers that satisfy all hypotheses of a theorem and violate it.

    Returns
    -------
    SmallModel or None
        None says nothing: the search is small, and does not know sequences, sums, and means under
        several laws.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.kernel.lemmas import YOUNG
    >>> small_model(YOUNG) is None
    True
    >>> wrong = replace(YOUNG, terms={**YOUNG.terms, "second": YOUNG.terms["second"] / 2})
    >>> model = small_model(wrong)
    >>> sorted(model.shown)
    ['a', 'left', 'right', 'u', 'v']
    """
    if not _in_reach(theorem):
        return None
    random = any(named_means(theorem))
    for dimension, outcomes in SHAPES:
        if outcomes == 1 or random:
            posed = Posed(theorem, dimension, outcomes)
            for counts in islice(_counts(theorem), TRIES):
                for asked in _questions(posed, counts):
                    found = asked.model()
                    numbers = {} if found is None else {**counts, **found.numbers}
                    if found is not None and everywhere(theorem, numbers, outcomes):
                        return found
    return None


def _questions(posed: Posed, counts: Mapping[Scalar, Scalar]) -> Iterator[_Question]:
    """Numbers that are put in before z3 is asked, so that not too much is left to be found.

    None, unless that is too much: then functions and their gradients are 0 at 0, those of drawn
    functions in the mean, and so is what is the same in every iteration, or every vector that is
    not random: noise at x = x* = 0 is left. Of what is supposed the longest is then left out, such
    as convexity between points far apart, which `everywhere` implies; whoever replays it sees.
    """
    under, goal = posed.under, posed.goal  # in this order: the first names what the others use
    fixed = {name for one in posed.theorem.fixed for name in one.names}
    still = [*posed.still()]
    at_rest = [one for name, one in still if name in fixed]
    flat = posed.flat()
    for zeros, slopes in (([], {}), (at_rest, flat), ([one for _, one in still], flat)):
        at = {**counts, **dict.fromkeys(zeros, sympy.S.Zero), **slopes}
        try:
            said = [one.replaced(at) for one in (goal, *under)]
        except NotExactError:  # something is divided by 0 there
            continue
        kept = _shortest(said) if slopes else said
        if _unknowns(kept) <= UNKNOWNS and sum(map(_length, kept)) <= MONOMIALS:
            yield _Question(posed, at, tuple(kept[1:]), kept[0])
            if not slopes:
                return


def _shortest(said: Sequence[Relation]) -> list[Relation]:
    """The first of some relations, and the others as long as there is room, the shortest first."""
    lengths = [_length(one) for one in said]
    kept, total = {0}, lengths[0]
    for n in sorted(range(1, len(said)), key=lengths.__getitem__):
        total += lengths[n]
        kept |= {n} if total <= MONOMIALS else set()
    return [one for n, one in enumerate(said) if n in kept]


def _length(one: Relation) -> int:
    """Monomials in the numerator of a gap."""
    return len(sympy.Add.make_args(sympy.expand(sympy.fraction(sympy.together(one.gap))[0])))


def _unknowns(relations: Iterable[Relation]) -> int:
    return len({symbol for one in relations for symbol in one.gap.free_symbols})


def _in_reach(theorem: Theorem) -> bool:
    forms = [*printed(theorem), *(relation.gap for _, relation in theorem.relations)]
    if any(isinstance(one, Delayed) for one in theorem.hypotheses):  # about a whole run
        return False
    if beyond_numbers(theorem) or theorem.sequences:
        return False
    if theorem.indices or theorem.following or indices(theorem):  # hypotheses hold for every k
        return False
    beyond = (AppliedUndef, sympy.Sum, *ELEMENTARY)
    if any(form.atoms(*beyond) or has_roots(form) for form in forms):
        return False
    return len({mean.args[0] for mean in named_means(theorem)}) <= 1


def _counts(theorem: Theorem) -> Iterator[dict[Scalar, Scalar]]:
    """Small values for integer symbols."""
    free = {one for _, relation in theorem.relations for one in relation.gap.free_symbols}
    named = sorted((one for one in free if one.is_integer), key=str)
    yield from (
        dict(zip(named, map(sympy.Integer, values), strict=True))
        for values in sorted(product(COUNTS, repeat=len(named)), key=sum)
    )


@dataclass(frozen=True)
class _Question:
    """What z3 is asked of a theorem: some numbers put in, and what is supposed of the others."""

    posed: Posed
    at: Mapping[Scalar, Scalar]
    under: tuple[Relation, ...]
    goal: Relation

    def model(self) -> SmallModel | None:
        """An instance, plain numbers in it where that is possible."""
        values = self._solved()
        if values is None or not self._breaks(values):
            return None
        for one in 2 * sorted(values, key=str):
            near = Fraction(int(values[one].p), int(values[one].q))
            plain = (*plainer(near), *map(near.limit_denominator, DENOMINATORS))
            others = ({**values, one: sympy.Rational(x)} for x in plain)
            found = (other for other in others if self._breaks(other))
            values = next(found, values)
        return self._named(values)

    def _solved(self) -> dict[Scalar, Scalar] | None:
        """Numbers for what is left open."""
        translator = Translator()
        try:
            facts = [translator.fact(one) for one in self.under]
            for side in (side for one in self.under for side in (one.lhs, one.rhs)):
                translator.term(side)  # none of its denominators is 0
            gap = translator.term(self.goal.gap)
        except (UnsupportedFormError, ValueError):
            return None
        violated = gap < 0 if self.goal.kind == "<=" else gap != 0
        asked = (*facts, violated, *translator.domain())
        about = f"an instance that violates {self.posed.theorem.id}"
        values = rational_model(asked, about, RLIMIT)
        if values is None:
            return None
        read = translator.read(values).items()
        return {one: sympy.Rational(x.numerator, x.denominator) for one, x in read}

    def _numbers(self, values: Mapping[Scalar, Scalar]) -> dict[Scalar, Scalar]:
        """A number for every symbol that the relations name."""
        relations = (*self.posed.under, self.posed.goal)
        named = {one for each in relations for one in (each.lhs + each.rhs).free_symbols}
        named |= {one for each in relations for one in each.gap.free_symbols}
        free = {one: values.get(one, _any(one)) for one in named - self.at.keys()}
        put = {one: sympy.sympify(form).subs(free) for one, form in self.at.items()}
        return {one: {**free, **put}[one] for one in sorted(named, key=str)}

    def _breaks(self, values: Mapping[Scalar, Scalar]) -> bool:
        """Whether all is satisfied, what is left out as well, and the statement is not."""
        numbers = self._numbers(values)
        gaps = [one.gap.xreplace(numbers) for one in self.posed.under]
        met = all(
            gap.is_zero if one.kind == "==" else gap.is_nonnegative
            for one, gap in zip(self.posed.under, gaps, strict=True)
        )
        domains = all(in_domain(value, one) for one, value in numbers.items())
        gap = self.posed.goal.gap.xreplace(numbers)
        broken = gap.is_negative if self.posed.goal.kind == "<=" else gap.is_nonzero
        return bool(domains and met and broken)

    def _named(self, values: Mapping[Scalar, Scalar]) -> SmallModel:
        posed, numbers = self.posed, self._numbers(values)
        sides = (("left", posed.goal.lhs), ("right", posed.goal.rhs))
        ends = {name: sympy.sstr(side.subs(numbers, simultaneous=True)) for name, side in sides}
        return SmallModel(
            posed.theorem, numbers, posed.under, posed.goal, posed.shown(numbers) | ends
        )


def _any(one: Scalar) -> Scalar:
    """A value for what makes no difference."""
    return sympy.S.One if one.is_positive else sympy.S.Zero
