"""What is known of the norms that a theorem names, and of squares of means, offered unasked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import combinations, product
from typing import Any, Final

import sympy

from theory.kernel.atoms import atoms
from theory.kernel.means import Mean, Operator
from theory.kernel.relations import Relation, le
from theory.kernel.rules import Combine, Found, Lipschitz, Root, Schwarz, Triangle
from theory.kernel.signs import nonnegative
from theory.kernel.theorem import Hypothesis, Rule, Step
from theory.kernel.vectors import Gram, Scalar, Vector, squared, vector
from theory.notation.coercion import is_parameters
from theory.notation.names import text
from theory.verdicts import Verdict

SQUARED: Final = ", squared"
"""What a line a ≤ b is called where it is said as a² ≤ b²; it need not have a certificate."""


def norm(one: Vector) -> Scalar:
    """The norm of a vector: the root of its square.

    Examples
    --------
    >>> u, v = vector("u"), vector("v")
    >>> norm(u), norm(-2 * u), norm(u - v) ** 2 == (u - v) ** 2
    (sqrt(<u, u>), 2*sqrt(<u, u>), True)
    """
    return sympy.sqrt(one**2)


def _roots(said: Iterable[Relation]) -> list[Any]:
    powers = {one for relation in said for one in atoms(relation.gap, sympy.Pow)}
    found = {sympy.sqrt(one.base) for one in powers if one.exp.is_Rational and one.exp.q == 2}
    return sorted((one for one in found if one.is_Pow), key=str)


def lengths(said: Sequence[Relation]) -> dict[Vector, Scalar]:
    """Vectors of which formulas name norms, with these, and bounded ones between or in them."""
    found = {root: squared(root.base) for root in _roots(said)}
    known = {form[1] * sympy.sqrt(form[0]): root for root, form in found.items() if form}
    apart = [(u + sign * v).terms for u, v in combinations(known, 2) for sign in (1, -1)]
    parts = {name for one in known if len(one.terms) > 1 for name, _ in one.terms}
    between = sorted(parts.union(terms[0][0] for terms in apart if len(terms) == 1))
    bounded = [one for one in map(vector, between) if any(_bounds(r, one) for r in said)]
    return known | {one: norm(one) for one in bounded}


def _bounds(said: Relation, one: Vector) -> bool:
    """Whether a formula bounds the square of a vector, or its mean."""
    inside = said.lhs.args[2] if isinstance(said.lhs, Mean) else said.lhs
    return bool(said.kind == "<=" and inside == one**2)


def facts(said: Sequence[Relation], means: Sequence[Operator]) -> Iterator[Step]:
    """The inequalities of Cauchy and Schwarz, of the triangle, and of Jensen.

    Parameters
    ----------
    said : sequence of Relation
        All formulas of the theorem.
    means : sequence of Operator
    """
    offers = (*_of_lengths(lengths(said)), *(s for one in means for s in _means(said, one)))
    yield from {step.name: step for step in offers}.values()  # two formulas may ask for one


def _of_lengths(known: Mapping[Vector, Scalar]) -> Iterator[Step]:
    for one, other in combinations(known, 2):
        yield from _schwarz(Schwarz(one, other), known[one] * known[other])
    for whole, size in known.items():
        for parts in _sums(whole, known):
            yield from _triangle(whole, parts, size)


def _sums(whole: Vector, known: Mapping[Vector, Scalar]) -> Iterator[dict[Vector, Scalar]]:
    """Vectors of known norms that add up to another one, with these norms."""
    either = {sign * one: size for one, size in known.items() for sign in (1, -1)}
    for pair in combinations(either, 2):
        if not (whole - pair[0] - pair[1]).terms:
            yield {one: either[one] for one in pair}
    for one, size in either.items():
        match (whole - one).terms:
            case ((name, factor),) if (
                abs(factor) != 1
                and _sign(factor)
                and vector(name) in known
                and len(whole.terms) > 1
            ):
                yield {
                    one: size,
                    vector(name) * factor: known[vector(name)] * factor * _sign(factor),
                }
    signs = {name: _sign(factor) for name, factor in whole.terms}
    alone = all(vector(name) in known and sign for name, sign in signs.items())
    plain = len(signs) == 2 and all(abs(factor) == 1 for _, factor in whole.terms)
    if alone and len(signs) > 1 and not plain:
        yield {
            vector(name) * factor: known[vector(name)] * factor * signs[name]
            for name, factor in whole.terms
        }


def _sign(factor: Scalar) -> int:
    factor = sympy.sympify(factor)
    return 1 if factor.is_nonnegative else -1 if factor.is_nonpositive else 0


def _schwarz(rule: Schwarz, bound: Scalar | None = None) -> Iterator[Step]:
    """The inequality in squares and, if what bounds it has a root, in both directions."""
    name = f"Cauchy–Schwarz of {_text(rule.first)} and {_text(rule.second)}"
    name += f" under {rule.under.name}" if rule.under is not None else ""
    yield Step(name, rule.stated(), rule)
    middle = rule.mean(rule.first, rule.second)
    sides = (("root", middle), ("root, other way", -middle)) if bound is not None else ()
    for label, side in sides:
        yield Step(f"{name}, {label}", le(side, bound), Root(name))


def _text(one: Vector | Scalar) -> str:
    return text(one) if isinstance(one, Vector) else str(one)


def _triangle(whole: Vector, parts: Mapping[Vector, Scalar], size: Scalar) -> Iterator[Step]:
    name = f"triangle of {text(whole)} by {' and '.join(map(text, parts))}"
    told = [(f"{name}, {text(one)}", sympy.S.One, one, long) for one, long in parts.items()]
    yield from (Step(label, le(one**2, long**2), Combine()) for label, _, one, long in told)
    total = sympy.Add(*parts.values())
    yield Step(name, le(whole**2, total**2), Triangle(tuple(told)))
    yield Step(f"{name}, root", le(size, total), Root(name))


def _means(said: Sequence[Relation], operator: Operator) -> Iterator[Step]:
    """Of squares of means, of means of norms, and of roots of means that formulas name."""
    named = {mean for relation in said for mean in atoms(relation.gap, Mean)}
    own = sorted((one for one in named if operator.of(one.args[2]) == one), key=str)
    powers = {one for relation in said for one in atoms(relation.gap, sympy.Pow)}
    rooted = {one.base for one in _roots(said)}
    for mean in own:
        inside = mean.args[2]
        if mean**2 in powers or atoms(inside, sympy.Pow) & set(_roots([le(0, inside)])):
            one, other = _factors(inside)
            whole = operator.of(one**2) if other == 1 else None
            bound = sympy.sqrt(whole) if whole in rooted else None
            yield from _schwarz(Schwarz(one, other, operator), bound)
    ends = {vector(m.args[2].names[0]): m for m in own if m in rooted and _is_square(m.args[2])}
    for one, other in combinations(ends, 2):
        bound = sympy.sqrt(ends[one]) * sympy.sqrt(ends[other])
        yield from _schwarz(Schwarz(one, other, operator), bound)


def _is_square(form: Scalar) -> bool:
    return isinstance(form, Gram) and form.names[0] == form.names[1]


def _factors(product: Any) -> tuple[Any, Any]:
    """Two vectors, or two numbers, whose product this is."""
    if isinstance(product, Gram) and not _is_square(product):
        one, other = map(vector, product.names)
        return one, other
    parts = sympy.Mul.make_args(product)
    return (parts[0], sympy.Mul(*parts[1:])) if len(parts) == 2 else (product, sympy.S.One)


def turned(
    said: Sequence[Relation],
    hypotheses: Iterable[Hypothesis],
    steps: Iterable[Any],
    means: Sequence[Operator] = (),
) -> Iterator[Step]:
    """Bounds of norms as bounds of squares, and the other way: ‖g‖ ≤ G and ‖g‖² ≤ G².

    Parameters
    ----------
    said : sequence of Relation
        All formulas of the theorem.
    hypotheses : iterable of Hypothesis
    steps : iterable of Step and Offer
        Of which bounds by a Lipschitz constant are taken.
    means : sequence of Operator
        Where E‖g‖² ≤ G², E‖g‖ ≤ G.
    """
    known, about = lengths(said), [*hypotheses]
    yield from _one_bounded(known, about)
    bounds = (*about, *(step for step in steps if isinstance(step.rule, Lipschitz)))
    for one, (whole, size) in product(bounds if known else (), known.items()):
        bound = one.relation
        if bound.kind != "<=":
            continue
        domain = shown(bound.rhs, about) if bound.lhs == size else None
        if domain is not None:
            by = Combine({one.name: size + bound.rhs}, domain=domain)
            yield Step(f"{one.name}{SQUARED}", le(whole**2, bound.rhs**2), by)
        root = _root(sympy.expand(bound.gap + whole**2), known)
        domain = None if root is None else shown(root, about)
        if domain is not None:
            name = f"{one.name}, root of {text(whole)}"
            yield Step(name, le(size, root), Root(one.name, domain))
        for operator in means:
            root = _root(bound.rhs, known) if bound.lhs == operator.of(whole**2) else None
            domain = None if root is None else shown(root, about)
            if domain is not None:
                name, mean = f"mean of {text(whole)}", operator.of(size)
                yield from (jensen := [*_schwarz(Schwarz(size, sympy.S.One, operator))])
                by = Combine({jensen[0].name: 1, one.name: 1})
                yield Step(f"{name}{SQUARED}", le(mean**2, bound.rhs), by)
                yield Step(name, le(mean, root), Root(f"{name}{SQUARED}", domain))


def _one_bounded(
    known: Mapping[Vector, Scalar], hypotheses: Sequence[Hypothesis]
) -> Iterator[Step]:
    """Where ‖u‖ ≤ b is assumed, that ±⟨v, u⟩ ≤ b‖v‖, by Cauchy and Schwarz."""
    bounds = {one.relation.lhs: one for one in hypotheses if one.relation.kind == "<="}
    for (one, size), (other, length) in combinations(known.items(), 2):
        name = f"Cauchy–Schwarz of {_text(one)} and {_text(other)}"
        for whole, rest in ((size, length), (length, size)):
            bound = bounds.get(whole)
            if bound is None or atoms(bound.relation.rhs, Gram):
                continue
            for label, side in (("root", one @ other), ("root, other way", -(one @ other))):
                by = Combine({f"{name}, {label}": 1, bound.name: rest})
                yield Step(
                    f"{name}, {label}, by {bound.name}", le(side, rest * bound.relation.rhs), by
                )


def _root(form: Scalar, known: Mapping[Vector, Scalar]) -> Scalar | None:
    """The root of what is a square at a glance."""
    length = squared(form)
    if length is not None:
        root = sympy.sqrt(length[0]) * known.get(length[1], sympy.S.Zero)
        return root if root != 0 else None
    root = sympy.sqrt(sympy.factor(form))
    return None if any(not one.exp.is_Integer for one in atoms(root, sympy.Pow)) else root


def shown(size: Scalar, hypotheses: Iterable[Hypothesis]) -> tuple[str, ...] | None:
    """Facts about parameters by which an expression is at least 0; None if it is not shown."""
    about = {one.name: one.relation for one in hypotheses if is_parameters(one.relation)}
    for names in ((), tuple(about)):
        if nonnegative(size, [about[name] for name in names]).verdict is Verdict.PROVED:
            return names
    return None


def products(
    said: Sequence[Relation],
    bounds: Sequence[Hypothesis | Step],
    hypotheses: Iterable[Hypothesis],
    last: str = "",
) -> Iterator[Step]:
    """Of ‖u‖² ≤ a² and ‖v‖² ≤ b², that ±⟨u, v⟩ ≤ ab, also where a or b is 0.

    Parameters
    ----------
    said : sequence of Relation
        Formulas, of which some name inner products of these vectors.
    bounds : sequence of Hypothesis and Step
    hypotheses : iterable of Hypothesis
        By which a and b are shown to be at least 0.
    last : str
        The bound that is new, if only products with it are wanted.
    """
    about, entries = [*hypotheses], {one.names for r in said for one in atoms(r.gap, Gram)}
    roots = {power for one in said for power in atoms(one.gap, sympy.Pow)}
    known: dict[Vector, tuple[str, Scalar, tuple[str, ...]]] = {}
    for one in bounds:
        size = _size(one.relation, roots)
        domain = None if size is None else shown(size[1], about)
        if size is not None and domain is not None:
            known.setdefault(size[0], (one.name, size[1], domain))
    for (u, (of_u, a, by_a)), (v, (of_v, b, by_b)) in combinations(known.items(), 2):
        meet = any((x, y) in entries or (y, x) in entries for x in u.names for y in v.names)
        if not meet or (last and last not in (of_u, of_v)):
            continue
        name = f"product of {text(u)} and {text(v)}"
        schwarz = Step(f"{name}, squared", Schwarz(u, v).stated(), Schwarz(u, v))
        yield schwarz
        by = Combine({schwarz.name: 1, of_u: v**2, of_v: a**2})
        yield Step(f"{name}, bounded", le((u @ v) ** 2, a**2 * b**2), by)
        root = Root(f"{name}, bounded", tuple(dict.fromkeys((*by_a, *by_b))))
        yield Step(name, le(u @ v, a * b), root)
        yield Step(f"{name}, other way", le(-(u @ v), a * b), root)


def _size(said: Relation, roots: Set[Scalar]) -> tuple[Vector, Scalar] | None:
    """A vector, and what its length is at most, which has no roots but these."""
    if said.kind != "<=" or atoms(said.rhs, Gram) or not atoms(said.lhs, Gram):
        return None
    size = _side(said.rhs)
    broken = {one for one in atoms(size, sympy.Pow) if not one.exp.is_Integer}
    if size.has(sympy.Abs) or not broken <= roots:  # of most: asked before squares are looked for
        return None
    length = squared(said.lhs)
    return None if length is None or length[0] != 1 else (length[1], size)


@lru_cache(maxsize=2**10)
def _side(area: Scalar) -> Scalar:
    """The root of what a squared length is at most."""
    return sympy.sqrt(sympy.factor(area))


def lines(
    name: str, said: Relation, rule: Rule, hypotheses: Iterable[Hypothesis]
) -> Iterator[Step]:
    """For a line c√a ≤ b, or E√a ≤ b, that is searched for: its square, and the root of that."""
    under = said.lhs.args[2] if isinstance(said.lhs, Mean) else said.lhs
    roots = [one for one in sympy.Mul.make_args(under) if one.is_Pow and one.exp == sympy.S.Half]
    if type(rule) is not Found or said.kind != "<=" or len(roots) != 1:
        return
    if not (under / roots[0]).is_nonnegative:
        return
    domain = shown(said.rhs, hypotheses)
    if domain is not None:
        yield Step(f"{name}{SQUARED}", le(said.lhs**2, said.rhs**2), rule)
        yield Step(f"{name}, root", said, Root(f"{name}{SQUARED}", domain))
