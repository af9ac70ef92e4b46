"""Whether what is supposed of every iteration can hold in those that are not written out.

A method goes on with whatever its function gives; what is said of functions everywhere holds there
too. All else must hold once everything that an iteration may choose is plain: vectors without a
meaning are 0, or what is said to be their mean, or an iterate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import sympy
from sympy.core.function import AppliedUndef

from theory.falsifier.gram.classes import in_classes
from theory.falsifier.gram.plain import Plain
from theory.falsifier.gram.written import is_run
from theory.falsifier.run_forms import calls_in, index_of, nonnegative_domain
from theory.kernel.relations import Relation
from theory.kernel.values import Values
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, Vector, vector


def lasts(theorem: Plain, at: Mapping[Scalar, Scalar]) -> bool:
    """Whether a run, with these constants, can always go on.

    Functions without a smoothness, and values with a domain, are not known to.

    Examples
    --------
    >>> from theory.falsifier.gram.plain import Outcomes, plain
    >>> from theory.kernel.lemmas import DESCENT, YOUNG
    >>> lasts(plain(YOUNG, Outcomes()), {}), lasts(plain(DESCENT, Outcomes()), {})
    (True, False)
    """
    _, rest = in_classes(theorem)
    if not is_run(theorem):
        return not any(_of_functions_alone(one, theorem) for one in rest)
    if not theorem.following or any(not _is_meant(one, theorem) for one in rest):
        return False
    moving = [p.value for p in theorem.points if p.position.names & theorem.moving]
    if any(nonnegative_domain(one) for one in moving):
        return False
    if any(not one.is_zero and one.is_positive for one in theorem.scalars):
        return False
    said = [one for one in rest if not _is_about_the_start(one, theorem)]
    return any(all(_holds(one, theorem, at, put) for one in said) for put in _plain(theorem))


def _of_functions_alone(one: Relation, theorem: Plain) -> bool:
    """Whether a hypothesis is about a function at points, and about nothing else.

    Its author may mean all points; then values at some of them are no such function.
    """
    values = {p.value for p in theorem.points}
    own = {n for p in theorem.points for v in (p.position, p.gradient) for n in v.names}
    chosen = own & {*theorem.free} - {n for p in theorem.points for n in p.position.names}
    entries = {n for entry in one.gap.atoms(Gram) for n in entry.names}
    symbols = one.gap.free_symbols & values
    of_function = symbols or entries & {n for p in theorem.points for n in p.gradient.names}
    return bool(of_function) and entries <= own - chosen and not one.gap.free_symbols & {
        *theorem.scalars
    }


def _is_meant(one: Relation, theorem: Plain) -> bool:
    """Whether it names sequences only at numbers or now, and these have a meaning."""
    index = index_of(theorem.of)
    return all(
        str(call.func) in theorem.sequences
        and (call.args[0] == index or index not in call.args[0].free_symbols)
        for call in calls_in(one)
    )


def _is_about_the_start(one: Relation, theorem: Plain) -> bool:
    """Whether it speaks of sequences at numbers and of constants alone."""
    index = index_of(theorem.of)
    symbols = {*theorem.of.symbols}
    for side in (one.lhs, one.rhs):
        bound = {limit[0] for total in side.atoms(sympy.Sum) for limit in total.limits}
        if side.atoms(Gram) or index in side.free_symbols - bound or side.free_symbols - symbols:
            return False
    return True


def _plain(theorem: Plain) -> Iterator[Values]:
    """What an iteration may choose, as plainly as it can be chosen."""
    followed = [vector(name) for now, _ in theorem.following for name in now.position.names]
    at_points = {n for p in theorem.points for n in p.position.names} & {*theorem.free}
    choices = []
    for name in theorem.free:
        known = _mean_of(name, theorem)
        first = [known] if known is not None else []
        more = dict.fromkeys(followed) if name in at_points else ()
        choices.append([*first, *more, ZERO])
    scalars = dict.fromkeys(theorem.scalars, sympy.S.Zero)
    for chosen in product(*choices) if len(theorem.free) <= 6 else ():
        put = dict(zip(theorem.free, chosen, strict=True))
        for _ in put:  # a choice may be made of others
            put = {name: one.replaced(put) for name, one in put.items()}
        if not any(one.names & put.keys() for one in put.values()):
            yield _with_points(theorem, Values(scalars, put))


def _mean_of(name: str, theorem: Plain) -> Vector | None:
    """The vector w in equations ⟨v, u⟩ = ⟨w, u⟩, where v has this name."""
    for one in theorem.relations:
        form = sympy.expand(one.gap)
        entries = form.atoms(Gram)
        beside = [set(entry.names) - {name} for entry in entries if name in entry.names]
        if one.kind != "==" or form.free_symbols - {*theorem.of.symbols} or len(beside) != 1:
            continue
        (other,) = beside[0] or {name}
        parts = {n: form.coeff(e) for e in entries for n in _beside(e.names, other)}
        if other == name or len(parts) != len(entries) or form.atoms(AppliedUndef):
            continue
        rest = {n: sympy.cancel(-a / parts[name]) for n, a in parts.items() if n != name}
        return Vector(tuple(sorted((n, a) for n, a in rest.items() if a != 0)))
    return None


def _beside(names: tuple[str, str], one: str) -> set[str]:
    """What stands beside a name in an inner product."""
    return {one} if names == (one, one) else set(names) - {one} if one in names else set()


def _with_points(theorem: Plain, put: Values) -> Values:
    """With values and gradients of points that come to lie where others are."""
    known: dict[tuple[str, Vector], Point] = {}
    scalars, vectors = dict(put.scalars), dict(put.vectors)
    for one in sorted(theorem.points, key=lambda p: bool(p.position.names & put.vectors.keys())):
        other = known.setdefault((one.function, put.vector(one.position)), one)
        if other is not one and one.gradient.names:
            scalars[one.value] = other.value
            vectors[min(one.gradient.names)] = other.gradient
    twice = Values(scalars, vectors)
    return Values(scalars, {name: twice.vector(one) for name, one in vectors.items()})


def _holds(one: Relation, theorem: Plain, at: Mapping[Scalar, Scalar], put: Values) -> bool:
    """Whether a hypothesis holds whatever the iterates are, by its form."""
    index = index_of(theorem.of)
    meant = {
        call: theorem.sequences[str(call.func)] for call in calls_in(one) if call.args[0] == index
    }
    gap = put.scalar(one.gap.xreplace(meant)).xreplace(dict(at))
    terms = sympy.Add.make_args(sympy.expand(gap))
    if one.kind == "==":
        return terms == (0,)
    return all(_is_nonnegative(term) for term in terms)


def _is_nonnegative(term: Scalar) -> bool:
    factor, atom = term.as_coeff_Mul()
    squared = isinstance(atom, Gram) and atom.args[0] == atom.args[1]
    return bool(factor >= 0 and (atom == 1 or squared))
