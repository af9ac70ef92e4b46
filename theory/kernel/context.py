"""Γ: what every name of a theorem depends on, and the one side condition of rules that bind.

A name is a constant, an index, or it changes: from iteration to iteration, along a path, or with
the outcome of a mean. Whatever is made of a name that changes changes with it: the value and the
gradient at a point with its position, factors included, and what an equation ties to it. The author
may declare a name `given` to a mean instead; rows show that as an assumption.

A rule that binds a variable (a mean, a sum, an integral, an induction, "for every k") may do so if
the variable is free in nothing that the proof takes for granted beyond what the rule discharges:
`free_in` looks for it, through hypotheses, points, smoothness constants and sequences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.equations import is_equation
from theory.kernel.means import GIVEN, LAW, OVER, Mean, is_average, is_random, marked, random_names
from theory.kernel.relations import Relation
from theory.kernel.values import named
from theory.kernel.vectors import Gram, Point, Scalar

if TYPE_CHECKING:
    from theory.kernel.theorem import Theorem

_VALUE: Final = "value of "
"""How the place of a sequence's value is called."""

Ties = tuple[tuple[str, Relation], ...]
"""Hypotheses, with their places."""


@dataclass(frozen=True)
class Measure:
    """What a theorem says of one of its means.

    Attributes
    ----------
    name : str
    random : frozenset of str
        Names that are random to it, wherever it occurs.
    given : frozenset of str
        Names that are declared not to be.
    average : bool
        Whether it is one over indices, which are drawn in no iteration.
    """

    name: str
    random: frozenset[str]
    given: frozenset[str]
    average: bool = False


def require_context(theorem: Theorem) -> None:
    """Refuse a theorem in which a name passes for something that it is not.

    Raises
    ------
    TheoryError
    """
    found = measures(theorem)
    _require_own_variables(theorem)
    _require_one_meaning(theorem, found)
    for measure in found:
        _require_random_points(theorem, measure)
        _require_random_functions(theorem, measure)
        _require_random_stale_points(theorem, measure)
        _require_random_since(theorem, measure)
        _require_declared_random(theorem, measure)
        _require_not_constant(theorem, measure)
        _require_averaged(theorem, measure)
    _require_still_points(theorem)


def means_in(theorem: Theorem) -> Iterator[tuple[str, Any]]:
    """Every mean that a theorem names, with the place where."""
    for place, _, means in _formulas(theorem):
        for mean in means:
            yield place, mean


def _formulas(theorem: Theorem) -> Iterator[tuple[str, Scalar, frozenset[Any]]]:
    """Every formula with its means: relations, and what sequences are the means of."""
    for place, relation in theorem.relations:
        yield place, relation.gap, atoms(relation.lhs, Mean) | atoms(relation.rhs, Mean)
    for sequence, value in theorem.sequences.items():
        yield f"{_VALUE}{sequence}", value, atoms(value, Mean)


@lru_cache(maxsize=2**12)
def measures(theorem: Theorem) -> tuple[Measure, ...]:
    """The means of a theorem, each once."""
    random: dict[str, frozenset[str]] = {}
    given: dict[str, frozenset[str]] = {}
    averages = set()
    for _, mean in means_in(theorem):
        name = str(mean.args[0])
        random[name] = random.get(name, frozenset()) | random_names(mean)
        given[name] = given.get(name, frozenset()) | marked(mean, GIVEN)
        averages |= {name} if is_average(mean) else set()
    return tuple(Measure(n, random[n], given[n], n in averages) for n in sorted(random))


@lru_cache(maxsize=2**12)
def drawn(theorem: Theorem) -> frozenset[str]:
    """Values and gradients of functions that are drawn: f_i, if ∇f_i(x) is random at an iterate x.

    f_i(x) and f_i(x⁺) are of one i within an iteration, and of another i in the next one. Indices
    of averages are drawn in no iteration.
    """
    from theory.kernel.theorem import Delayed

    random: dict[str, frozenset[str]] = {}
    for _, mean in means_in(theorem):
        if not is_average(mean):
            name = str(mean.args[0])
            random[name] = random.get(name, frozenset()) | random_names(mean)
    there = {name for now, _ in theorem.following for name in now.position.names}
    there |= {name for one in theorem.fixed for name in one.names}
    there |= {n for h in theorem.hypotheses if isinstance(h, Delayed) for n in h.old.position.names}
    anew = {
        one.function
        for one in theorem.points
        for names in random.values()
        if one.position.names <= there - names and names & {one.value.name, *one.gradient.names}
    }
    of_these = [one for one in theorem.points if one.function in anew]
    return frozenset(name for one in of_these for name in (one.value.name, *one.gradient.names))


def drawn_functions(points: Iterable[Point], random: Set[str]) -> frozenset[str]:
    """Functions that are random themselves, such as f_i if ∇f_i(x) is and x is not."""
    return frozenset(
        one.function
        for one in points
        if random & {one.value.name, *one.gradient.names} and not _position(one) & random
    )


def _require_own_variables(theorem: Theorem) -> None:
    """What a mean is over is none of the symbols: over k, D(k) would be the same at every k."""
    relations = [relation for _, relation in theorem.relations]
    forms = [side for one in relations for side in (one.lhs, one.rhs)]
    named = {*theorem.symbols, *theorem.scalars, *theorem.indices}
    named |= {one for form in (*forms, *theorem.sequences.values()) for one in form.free_symbols}
    named |= {one.limits[0][0] for form in forms for one in atoms(form, sympy.Sum)}
    for place, mean in means_in(theorem):
        words = {word for said in marked(mean, OVER) for word in re.findall(r"\w+", said)}
        clash = words & {str(one) for one in named}
        if clash:
            raise TheoryError(
                f"{mean.args[0]} is over {min(clash)}, which the theorem names: nothing that it "
                f"bounds depends on {min(clash)}",
                f"{theorem.id}: {place}",
                "name what the mean is over in words that are no symbol, such as workers; a mean "
                "over iterations is a sum, such as total(F(k), k, K) / K",
            )


def _require_one_meaning(theorem: Theorem, found: tuple[Measure, ...]) -> None:
    """A mean has one kind, variable and law; where it lists less as random, no more is named."""
    random = {measure.name: measure.random for measure in found}
    declared: dict[tuple[str, str], frozenset[str]] = {}
    for place, mean in means_in(theorem):
        name = str(mean.args[0])
        kind = frozenset({"an average" if is_average(mean) else "an expectation"})
        for mark, said in ((OVER, marked(mean, OVER)), (LAW, marked(mean, LAW)), ("", kind)):
            known = declared.setdefault((name, mark), said) if said else said
            if known != said:
                raise TheoryError(
                    f"{name} is one mean, found "
                    f"{' and '.join(f'{mark[1:-2]} {min(s)}'.strip() for s in (known, said))}",
                    f"{theorem.id}: {place}",
                    "give two means two names",
                )
    for place, form, means in _formulas(theorem):
        for mean in means:
            name = str(mean.args[0])
            beside = names_in(_outside(form, name)) | names_in(mean.args[2])
            if place.startswith(_VALUE):  # F(k + 1) is the mean of what follows
                beside |= _next(theorem, names_in(mean.args[2]))
            hidden = (random[name] - random_names(mean)) & beside
            if hidden:
                raise TheoryError(
                    f"{min(hidden)} is random to {name} elsewhere, and is not listed so",
                    f"{theorem.id}: {place}",
                    "list it as random, or give two means two names",
                )


def _next(theorem: Theorem, names: frozenset[str]) -> frozenset[str]:
    """What takes the place of these names in the next iteration, and of points made of them."""
    moves = {n: _position(then) for now, then in theorem.following for n in now.position.names}
    found = frozenset[str]().union(*(moves.get(name, ()) for name in names))
    for one in theorem.points:
        if names & {one.value.name, *one.gradient.names} and _position(one) & moves.keys():
            found |= frozenset[str]().union(*(moves.get(name, ()) for name in _position(one)))
            values = (at for at in theorem.points if _position(at) & found)
            found |= {n for at in values for n in (at.value.name, *at.gradient.names)}
    return found


@lru_cache(maxsize=2**12)
def names_in(form: Scalar) -> frozenset[str]:
    """Names of symbols, vectors and sequences in an expression."""
    called = {str(call.func) for call in atoms(form, AppliedUndef)}
    return frozenset({*map(str, named(form)), *called})


def _require_random_points(theorem: Theorem, measure: Measure) -> None:
    """Where a position is random, so are the value and the gradient there, and what follows it."""
    for one in theorem.points:
        fixed = ({one.value.name} | one.gradient.names) - measure.random
        if fixed and _position(one) & measure.random:
            raise TheoryError(
                f"{min(fixed)} is not listed as random to {measure.name}, but its point is",
                theorem.id,
                "list the value and the gradient of the point as well",
            )
    for now, then in theorem.following:
        if now.position.names & measure.random and not _position(then) & measure.random:
            raise TheoryError(
                f"{min(now.position.names)} is random to {measure.name}, and nothing of "
                f"{then.position}, which takes its place, is",
                theorem.id,
                "list what takes its place as well",
            )
        same = now.position.names - measure.random
        if measure.average and same and _position(then) & measure.random:
            raise TheoryError(
                f"{min(same)} is the same for all that {measure.name} is over, and what takes its "
                f"place, {then.position}, is not",
                theorem.id,
                f"list {min(same)} as random to {measure.name}; it may begin as the same for all",
            )


def _require_random_functions(theorem: Theorem, measure: Measure) -> None:
    """Where ∇f_i(x) is random and x is not, f_i is: so is ∇f_i(x*), or it is declared otherwise."""
    relations = tuple(one for one in theorem.relations if one[0].startswith("hypothesis"))
    still = measure.given | _shown_still(relations, measure, theorem)
    named = frozenset[str]().union(*(names_in(one.gap) for _, one in theorem.relations))
    after = {then for _, then in theorem.following if not _position(then) & named}
    anew = drawn_functions((one for one in theorem.points if one not in after), measure.random)
    for one in theorem.points:
        fixed = named & {one.value.name, *one.gradient.names} - measure.random - still
        if one.function in anew and fixed:
            raise TheoryError(
                f"{one.function} is random to {measure.name} at one point, and {min(fixed)} is not "
                "listed so",
                theorem.id,
                f"list it as random to {measure.name}; or, if it is the same at every outcome, "
                "under `given` of that mean",
            )


def _require_random_stale_points(theorem: Theorem, measure: Measure) -> None:
    """Where a point is random, so is what it was some iterations ago, or it is declared `given`."""
    from theory.kernel.theorem import Delayed

    for one in theorem.hypotheses:
        if isinstance(one, Delayed) and one.now.position.names & measure.random:
            fixed = one.old.position.names - measure.random - measure.given
            if fixed:
                raise TheoryError(
                    f"{min(fixed)} is a stale {min(one.now.position.names)}, which is random to "
                    f"{measure.name}, and is not listed so",
                    f"{theorem.id}: hypothesis {one.name!r}",
                    f"list it as random to {measure.name}; or, if it is the same at every "
                    f"outcome, under `given` of that mean",
                )


def require_random_since(theorem: Theorem, ties: Iterable[frozenset[str]]) -> None:
    """Refuse what is known before it is drawn, and has moved something by what is tied to it.

    Parameters
    ----------
    theorem : Theorem
    ties : iterable of frozenset of str
        Names that depend on one another, besides those that equations tie.

    Raises
    ------
    TheoryError
    """
    for measure in measures(theorem):
        _require_random_since(theorem, measure, tuple(ties))


def _require_random_since(
    theorem: Theorem, measure: Measure, ties: tuple[frozenset[str], ...] = ()
) -> None:
    """Where what is stale is random, so is all that it has moved since, or it is `given`.

    x_k is made of g_{k−τ}, so the mean of ⟨g_{k−τ}, x_k⟩ is no inner product with the mean of
    g_{k−τ}. Where x takes g_{k−τ} in iteration k, x_k is made of older ones, and need not be
    random; nor need x_k if the x̂ that it was is random because the delay is.
    """
    for place, old, moved in (*_moved_since(theorem, ties), *_moved_before(theorem, measure, ties)):
        fixed = moved - measure.random - measure.given
        if old & measure.random and fixed:
            raise TheoryError(
                f"{min(old)} is random to {measure.name}, and has moved {min(fixed)} since, which "
                "is not listed so",
                f"{theorem.id}: {place}",
                f"list it as random to {measure.name}; or, if it is the same at every outcome, "
                "under `given` of that mean",
            )


def _moved_since(
    theorem: Theorem, ties: tuple[frozenset[str], ...]
) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """What is stale, and what it has moved."""
    from theory.kernel.theorem import Delayed

    for one in theorem.hypotheses:
        if isinstance(one, Delayed):
            drawn = frozenset() if one.exact else one.now.position.names
            moved = _moved_by(one.now, theorem, ties) - drawn
            if one.exact and not sympy.sympify(one.constant).is_positive:  # it may be that itself
                moved |= one.now.position.names
            yield f"hypothesis {one.name!r}", one.old.position.names, moved


def _moved_before(
    theorem: Theorem, measure: Measure, ties: tuple[frozenset[str], ...]
) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """What is drawn and was known before, and what that has moved.

    It may be made of what it was, such as g⁺ = g, or share with others what was drawn so many
    iterations ago: h in g⁺ = h and y⁺ = y + h.
    """
    if measure.average:
        return
    late = [pair for pair in theorem.following if pair[0].position.names & measure.random]
    for now, then in late:
        moved = _moved_by(now, theorem, ties)
        if moved & now.position.names:
            yield f"what follows {now.position} is {then.position}", now.position.names, moved
    known = {f"what follows {now.position} is {then.position}": now.position for now, then in late}
    stale = {f"{o.position} is late": o.position for o, _ in _exact(theorem)}
    known |= {place: at for place, at in stale.items() if at.names & measure.random}
    for together in _made_of_one(theorem, measure, ties) if known else ():
        for place, at in known.items():
            if at.names & together:
                yield place, at.names, together


def _exact(theorem: Theorem) -> list[tuple[Point, Point]]:
    """What is so many iterations old, and what it is now."""
    from theory.kernel.theorem import Delayed

    return [(o.old, o.now) for o in theorem.hypotheses if isinstance(o, Delayed) and o.exact]


def _copies(names: frozenset[str], theorem: Theorem) -> frozenset[str]:
    """What may be one of these now or some iterations later: stale by up to so many."""
    from theory.kernel.theorem import Delayed

    late = (one for one in theorem.hypotheses if isinstance(one, Delayed) and not one.exact)
    olds = (one.old.position.names for one in late if one.now.position.names & names)
    return frozenset[str]().union(*olds)


def _made_of_one(
    theorem: Theorem, measure: Measure, ties: tuple[frozenset[str], ...]
) -> Iterator[frozenset[str]]:
    """Iterates that what was drawn some iterations ago has gone into by now, draw by draw.

    What is not known before is taken for drawn: all but constants, iterates that are not random,
    and values and gradients there.
    """
    moves = [(now.position.names, _position(then)) for now, then in theorem.following]
    known = constants(theorem).union(*(names for names, _ in moves)) - measure.random
    values = {n for o in theorem.points if _position(o) <= known for n in _own(o)}
    known |= values - measure.random
    sources = frozenset[str]().union(*(then for _, then in moves))
    for source in sorted(sources - known):
        reached = _depending(frozenset({source}), theorem, ties, known)
        old = seen = frozenset[str]()
        for _ in (*moves, None):
            step = frozenset[str]().union(*(now for now, then in moves if then & reached))
            yield step | old
            late = (o.position.names for o, now in _exact(theorem) if now.position.names & step)
            old = old.union(*late)  # from the next iteration on it may be that
            seen |= step
            reached = _depending(step | _copies(seen, theorem), theorem, ties, known)


def _own(one: Point) -> frozenset[str]:
    return one.gradient.names | {one.value.name}


def _depending(
    names: frozenset[str],
    theorem: Theorem,
    ties: tuple[frozenset[str], ...],
    known: frozenset[str],
) -> frozenset[str]:
    """What may depend on these within an iteration, but for what is known before.

    A point depends on its value and gradient as these on it; of a function that is drawn, all
    values depend on one another.
    """
    lines = (*_tied(theorem), *ties, drawn(theorem))
    points = [(_position(one), _own(one)) for one in theorem.points]
    while True:
        more = names.union(*(own for at, own in points if at & names))
        more = more.union(*(at - known for at, own in points if own & names))
        more = more.union(*(line - known for line in lines if line & names))
        if more == names:
            return names
        names = more


def _moved_by(point: Point, theorem: Theorem, ties: tuple[frozenset[str], ...]) -> frozenset[str]:
    """The iterates into which a vector of iteration k goes by iteration k + 1, or later."""
    moves = [(now.position.names, _position(then)) for now, then in theorem.following]
    known = constants(theorem).union(*(names for names, _ in moves))  # these are followed in turn
    found, reached = frozenset[str](), point.position.names | _own(point)
    while True:
        reached = _depending(reached | _copies(reached | found, theorem), theorem, ties, known)
        more = found.union(*(names for names, then in moves if then & reached))
        if more == found:
            return found
        found, reached = more, reached | more


@lru_cache(maxsize=2**10)
def _tied(theorem: Theorem) -> tuple[frozenset[str], ...]:
    """What changes and stands in one equation without means, such as m and g in m = g."""
    ties = tuple(one for place, one in theorem.relations if place.startswith("hypothesis"))
    moving = changing(theorem) - constants(theorem)
    found = ((one, names_in(one.gap) & moving) for one in ties if not one.gap.has(Mean))
    return tuple(names for one, names in found if len(names) > 1 and is_equation(one, ties))


def _position(one: Point) -> frozenset[str]:
    """What a position is made of: vectors, and what is in their factors."""
    return frozenset(map(str, named(one.position)))


def _require_declared_random(theorem: Theorem, measure: Measure) -> None:
    """What an equation ties to something random is listed as random, or declared `given`."""
    ties = tuple(one for one in theorem.relations if one[0].startswith("hypothesis"))
    still = constants(theorem) | measure.given | _shown_still(ties, measure, theorem)
    moving = changing(theorem)
    everything = tuple(relation for _, relation in ties)
    for place, relation in (*ties, *_of_outcomes(ties, measure.random)):
        raw = _outside(relation.gap, measure.name)
        if not is_random(raw, measure.random):
            continue
        tied = (names_in(raw) & moving) - measure.random - still
        if not _has_slack(raw, measure, theorem):
            tied |= {name for name in _defined(raw, theorem) if name not in measure.given}
        if tied and is_equation(relation, everything):
            name = min(tied)
            raise TheoryError(
                f"{name} stands in an equation with what is random to {measure.name}, and is not "
                f"listed so, as {min(names_in(raw) & measure.random, default='the other')} is",
                f"{theorem.id}: {place}",
                f"list it as random to {measure.name}; or, if it is the same at every outcome, "
                f"under `given` of that mean, as in given=({name},)",
            )


def _has_slack(raw: Scalar, measure: Measure, theorem: Theorem) -> bool:
    """Whether an equation says what a random quantity is: r in c = ‖g‖² + r, and not c."""
    form = sympy.expand(raw)
    for one in theorem.scalars:
        factor = form.coeff(one)
        if one.name in measure.random and factor.is_Rational and factor != 0:
            return not (form - factor * one).has(one)
    return False


def _of_outcomes(ties: Ties, random: frozenset[str]) -> Iterator[tuple[str, Relation]]:
    """What may be said of every outcome by what is said of a mean: of E‖y − g‖² ≤ 0 it is."""
    for place, one in ties:
        bare = one.gap
        while bare.has(Mean):
            bare = bare.xreplace({mean: mean.args[2] for mean in atoms(bare, Mean)})
        forms = (bare, -bare) if one.kind == "==" else (bare,)
        for form in forms if bare != one.gap else ():
            terms = sympy.Add.make_args(sympy.expand(form))
            below = any((-term).is_nonnegative and is_random(term, random) for term in terms)
            if below and not any(term.is_nonnegative for term in terms):  # else it may be above 0
                yield place, Relation(sympy.S.Zero, "<=", form)


@lru_cache(maxsize=2**12)
def _outside(gap: Scalar, name: str) -> Scalar:
    """What is left of an expression without the means of this name."""
    taken = (mean for mean in atoms(gap, Mean) if str(mean.args[0]) == name)
    return gap.xreplace({mean: sympy.Dummy() for mean in taken})


def _shown_still(ties: Ties, measure: Measure, theorem: Theorem) -> frozenset[str]:
    """Names that equal something made of means alone: these are the same at every outcome."""
    found: frozenset[str] = frozenset()
    for _, relation in ties:
        raw = _outside(relation.gap, measure.name)
        if relation.kind == "==" and raw != relation.gap and not is_random(raw, measure.random):
            taken = atoms(relation.gap, Mean) - atoms(raw, Mean)
            within = [names_in(mean.args[2]) for mean in taken]
            found |= _determined(sympy.expand(raw), changing(theorem), within)
        found |= vanishing(relation)
    return found


def vanishing(relation: Relation) -> frozenset[str]:
    """The vector that is 0 if ‖v‖² = 0."""
    number, entry = sympy.expand(relation.gap).as_coeff_Mul()
    square = isinstance(entry, Gram) and entry.args[0] == entry.args[1]
    return frozenset(entry.names) if relation.kind == "==" and square and number else frozenset()


def _determined(
    form: Scalar, moving: frozenset[str], within: Iterable[frozenset[str]]
) -> frozenset[str]:
    """What an equation leaves one value: r in 2r = E s, and m in ‖m‖² = E⟨u, m⟩, the mean of u.

    That ⟨m, y⟩ = E⟨u, y⟩ leaves neither m nor y one value, ‖m‖² = E‖u‖² leaves m any direction, and
    c·r = c·E s leaves r any value where c may be 0.
    """
    names = names_in(form) & moving
    for one in (*form.free_symbols, *atoms(form, Gram)):
        factor = form.coeff(one)
        alone = set(map(str, one.args)) if isinstance(one, Gram) else {one.name}
        beside = names_in(factor + form - factor * one)
        met = not isinstance(one, Gram) or all(names <= each for each in within)
        sole = names == alone and len(alone) == 1 and not names & beside and met
        if sole and factor.is_zero is False:
            return names
    return frozenset()


@lru_cache(maxsize=2**12)
def constants(theorem: Theorem) -> frozenset[str]:
    """Names that are the same in every iteration and at every outcome."""
    fixed = {name for one in theorem.fixed for name in one.names}
    return frozenset({symbol.name for symbol in theorem.symbols} | fixed)


@lru_cache(maxsize=2**12)
def changing(theorem: Theorem) -> frozenset[str]:
    """Names that are not: quantities, points, vectors, and sequences."""
    found = {symbol.name for symbol in theorem.scalars}
    found |= {name for one in theorem.vectors for name in one.names}
    for one in theorem.points:
        found |= {one.value.name} | one.position.names | one.gradient.names
    for _, relation in theorem.relations:
        found |= {str(call.func) for call in atoms(relation.gap, AppliedUndef)}
    return frozenset(found)


def _defined(raw: Scalar, theorem: Theorem) -> frozenset[str]:
    """Constants that an equation says to be something else: s in s = ‖g‖²."""
    form = sympy.expand(raw)
    found = set()
    for symbol in form.free_symbols & set(theorem.symbols):
        factor = form.coeff(symbol)
        if (
            factor.is_Rational
            and factor != 0
            and symbol not in (form - factor * symbol).free_symbols
        ):
            found.add(symbol.name)
    return frozenset(found)


def _require_not_constant(theorem: Theorem, measure: Measure) -> None:
    """A constant, and what is the same in every iteration, is random to no mean."""
    wrong = constants(theorem) & measure.random
    if wrong:
        raise TheoryError(
            f"{min(wrong)} is the same in every iteration, and random to {measure.name}",
            theorem.id,
            "list it under scalars or vectors, and not under symbols or fixed",
        )


def _require_averaged(theorem: Theorem, measure: Measure) -> None:
    """A sequence is one for all that an average is over: under avg, D of ‖y_i‖² is no number."""
    for sequence, value in theorem.sequences.items() if measure.average else ():
        differs = names_in(_outside(value, measure.name)) & measure.random
        if differs:
            raise TheoryError(
                f"{sequence} is another one for each that {measure.name} is over, as "
                f"{min(differs)} is",
                theorem.id,
                f"take its mean under {measure.name}, and call that a sequence",
            )


def _require_still_points(theorem: Theorem) -> None:
    """A value or a gradient is constant only where its point is."""
    fixed = constants(theorem)
    for one in theorem.points:
        said = ({one.value.name} | one.gradient.names) & fixed
        moving = _position(one) - fixed
        if said and moving:
            raise TheoryError(
                f"{min(said)} is declared constant, but {min(moving)}, at which it is taken, is "
                "not",
                theorem.id,
                f"list {min(moving)} under `fixed`, or {min(said)} under scalars or vectors",
            )


def changes(theorem: Theorem, variable: Scalar) -> str:
    """Why a variable that a rule binds is no name of its own, or ``""``.

    A quantity or the value at a point is another one in each iteration, and what is random at each
    outcome; an index or a time that is called like it would be taken for it.
    """
    random = frozenset[str]().union(*(one.random for one in measures(theorem)))
    if variable.name in changing(theorem) | random:
        return f"{variable} is bound here, and a quantity that changes has that name"
    return ""


def free_in(theorem: Theorem, variable: Scalar, discharged: Mapping[str, Point]) -> str:
    """Where a variable is free in what a proof takes for granted, or ``""``.

    Parameters
    ----------
    theorem : Theorem
    variable : sympy symbol
    discharged : mapping of str to Point
        Points that the rule binds together with the variable; they are looked for as well.
    """
    bound = {name for one in discharged.values() for name in one.gradient.names}
    bound |= {one.value.name for one in discharged.values()}
    for name, one in _granted(theorem):
        if variable in one or bound & set(map(str, one)):
            return f"{name} is about one value of {variable}"
    moving = {variable.name, *bound}
    for point in theorem.points:
        if point not in discharged.values() and moving & set(map(str, named(point.position))):
            return f"{point.value} is at a point that depends on {variable}"
    for pair in theorem.following:
        if set(pair) & set(discharged.values()):
            return f"{pair[1].value} follows {pair[0].value}, and depends on {variable}"
    return changes(theorem, variable)


def _granted(theorem: Theorem) -> Iterator[tuple[str, set[Scalar | str]]]:
    """What hypotheses, smoothness constants and sequences name."""
    from theory.kernel.theorem import Hypothesis

    for one in theorem.hypotheses:
        if isinstance(one, Hypothesis):
            yield f"hypothesis {one.name!r}", named(one.relation.gap)
        else:
            yield f"the constant of {one.name!r}", named(one.constant)
    for sequence, value in theorem.sequences.items():
        yield f"{sequence}", named(value)
