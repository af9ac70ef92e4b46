"""What a theorem must satisfy before anything is proved of it: names, domains, points, means."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError, UndeclaredSymbolError
from theory.kernel.atoms import atoms
from theory.kernel.context import require_context
from theory.kernel.means import Mean, is_sequence
from theory.kernel.names import (
    require_names_apart,
    require_one_thing_a_name,
    require_readable_names,
)
from theory.kernel.signs import undefined
from theory.kernel.vectors import Gram, Scalar, Vector, squared

if TYPE_CHECKING:
    from theory.kernel.theorem import Theorem


def require_wellformed(theorem: Theorem) -> None:
    """Refuse a theorem that does not say what it is about.

    Raises
    ------
    UndeclaredSymbolError
        A formula names what is not declared, or a symbol has no domain.
    TheoryError
        Another rule is broken; the message says which.
    """
    hypotheses, steps = theorem.hypotheses, theorem.steps
    _require_distinct([h.name for h in hypotheses] + [s.name for s in steps], theorem.id)
    _require_declared(theorem)
    require_one_thing_a_name(theorem)
    _require_meant(theorem)
    _require_begun(theorem)
    _require_sums_of_sequences(theorem)
    _require_plain_points(theorem)
    require_readable_names(theorem)
    require_names_apart(theorem)
    _require_different_points(theorem)
    _require_stale_points(theorem)
    _require_one_follower(theorem)
    _require_one_index(theorem)
    _require_fixed_names(theorem)
    require_context(theorem)


def _require_distinct(names: list[str], where: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TheoryError(
            f"hypotheses and steps have different names, found {', '.join(twice)} twice",
            where,
            "rename one",
        )


def _require_declared(theorem: Theorem) -> None:
    scalars = {*theorem.symbols, *theorem.scalars, *theorem.indices}
    scalars |= {point.value for point in theorem.points}
    named = [*theorem.vectors]
    for point in theorem.points:
        named += [point.position, point.gradient]
    vectors = {name for one in named for name in one.names}
    for place, relation in theorem.relations:
        for side in (relation.lhs, relation.rhs):
            found = {s.name for s in side.free_symbols - scalars if not _is_index(s, side)}
            found |= {n for entry in atoms(side, Gram) for n in entry.names} - vectors
            if found:
                raise _undeclared(min(found), place, theorem, scalars, vectors)
    for symbol in scalars:
        if not symbol.is_real:
            raise UndeclaredSymbolError(
                f"the domain of {symbol} is not declared",
                theorem.id,
                f"give it one, such as sympy.Symbol({str(symbol)!r}, positive=True)",
            )


_TOO_MUCH: Final = (
    *("positive", "negative", "nonpositive", "zero", "nonzero", "imaginary"),
    *("integer", "rational", "irrational", "algebraic", "transcendental", "even", "odd"),
)
"""What a mean is not declared to be."""


def _require_meant(theorem: Theorem) -> None:
    """A sequence has no sign that its value has not, no other property, and a value of its own."""
    named = {*theorem.symbols, *theorem.scalars, *(one.value for one in theorem.points)}
    for sequence, value in theorem.sequences.items():
        if not is_sequence(sequence):
            raise TheoryError(
                f"a sequence is a function without a definition, found {sequence}",
                theorem.id,
                'take one such as sympy.Function("F", real=True)',
            )
        if atoms(value, AppliedUndef, sympy.Sum) or not value.free_symbols <= named:
            raise TheoryError(
                f"the value of {sequence} is made of quantities of one iteration, found {value}",
                theorem.id,
                "name them under scalars, and say by a hypothesis what they are in iteration k",
            )
        known = sequence(sympy.Dummy(integer=True))
        if known.is_nonnegative and not (value.is_nonnegative or squared(value)):
            raise TheoryError(
                f"{sequence} is declared nonnegative, but {value} need not be",
                theorem.id,
                "declare the function real",
            )
        if any(getattr(known, f"is_{word}") for word in _TOO_MUCH):
            raise TheoryError(
                f"a mean is real or nonnegative, and {sequence} is declared to be more",
                theorem.id,
                "declare the function real or nonnegative",
            )


def _require_begun(theorem: Theorem) -> None:
    """A sequence is the mean of something in iterations 0, 1, 2, …: of F(−1) nothing is known."""
    for place, relation in theorem.relations:
        for call in atoms(relation.lhs, AppliedUndef) | atoms(relation.rhs, AppliedUndef):
            if call.func in theorem.sequences:
                require_begun(call, f"{theorem.id}: {place}")


def require_begun(call: Scalar, where: str) -> None:
    """A member of a sequence has a number 0, 1, 2, …: of A(k − 1) ≤ A(k) − 1 there is no A(−1).

    Raises
    ------
    TheoryError
    """
    if not all(at.is_integer and at.is_nonnegative for at in call.args):
        raise TheoryError(
            f"{call} is not one of an iteration 0, 1, 2, … by the domains of its symbols",
            where,
            "say it of k and k + 1, or call by a name how far it is from the start",
        )


def _require_sums_of_sequences(theorem: Theorem) -> None:
    """Σ_k ‖x‖² would be a number of times the ‖x‖² of one iteration, and read as another thing."""
    one_iteration = {*theorem.scalars, *(one.value for one in theorem.points)} - {*theorem.symbols}
    for place, relation in theorem.relations:
        for total in atoms(relation.lhs, sympy.Sum) | atoms(relation.rhs, sympy.Sum):
            if atoms(total, Gram, Mean) or total.free_symbols & one_iteration:
                raise TheoryError(
                    f"sums are of sequences and constants, found {total}",
                    f"{theorem.id}: {place}",
                    "name by a sequence what is summed; in the notation, write it with `total`",
                )
            for index, first, _ in total.limits:
                if not _may_run_from(index, first):
                    raise TheoryError(
                        f"{index} runs from {first} on, and is declared to be another number",
                        f"{theorem.id}: {place}",
                        f'take an index, {index} = index("{index}") in the notation',
                    )


def _may_run_from(index: Scalar, first: Scalar) -> bool:
    """Whether what is declared of an index holds of every integer from the first on."""
    positive, nonnegative = first.is_positive or None, first.is_nonnegative or None
    every = sympy.Dummy(integer=True, positive=positive, nonnegative=nonnegative)
    return bool(index.assumptions0.items() <= every.assumptions0.items())


def _require_plain_points(theorem: Theorem) -> None:
    """The value at a point is a symbol and its gradient a name: anything else would assume more."""
    for one in theorem.points:
        if not one.value.is_Symbol or not _is_name(one.gradient):
            raise TheoryError(
                f"the value at a point is a symbol and its gradient one vector, found {one.value} "
                f"and {one.gradient}",
                theorem.id,
                "name them, and say as a hypothesis what is known of them",
            )
        problem = undefined(one.position)
        if problem:
            raise TheoryError(
                f"a point is at a real combination of vectors, found {problem}",
                theorem.id,
                "declare the domains of its factors",
            )
    for now, then in theorem.following:
        if now.function != then.function:
            raise TheoryError(
                f"what follows a point of {now.function} is a point of {now.function}, found "
                f"{then.value}",
                theorem.id,
                "take the next point of the same function",
            )
        if not _is_name(now.position):
            raise TheoryError(
                f"a point that another follows is a vector of its own, found {now.position}",
                theorem.id,
                "name the point of iteration k",
            )


def _is_name(one: Vector) -> bool:
    return len(one.terms) == 1 and one.terms[0][1] == 1


def _require_stale_points(theorem: Theorem) -> None:
    """What is stale is a point of its own, that of an iterate, and its delay a number."""
    from theory.kernel.theorem import Delayed

    moves = {(now.position, then.position) for now, then in theorem.following}
    steady = moves - _later(theorem)
    moving = {position for pair in steady for position in pair}
    for one in theorem.hypotheses:
        if not isinstance(one, Delayed):
            continue
        delay = sympy.sympify(one.constant)
        if not (delay.is_integer and delay.is_nonnegative) or delay.free_symbols - {
            *theorem.symbols
        }:
            raise TheoryError(
                f"a delay is a constant integer of at least 0, found {delay}",
                theorem.id,
                "declare it so, and list it under symbols",
            )
        known = {one.old, one.now} <= {*theorem.points} and one.old.function == one.now.function
        followed = any(now == one.now for now, _ in theorem.following)
        if not (known and followed and _is_name(one.old.position)) or one.old.position in moving:
            raise TheoryError(
                f"{one.old.value} is not shown to be a stale {one.now.value}",
                theorem.id,
                "take a point with a position of its own, of the same function, which nothing "
                "follows, and say by `following` how the current one moves",
            )


def _later(theorem: Theorem) -> set[tuple[Vector, Vector]]:
    """What was x exactly c ≥ 1 iterations ago, and what was x exactly c − 1 ago: that follows."""
    from theory.kernel.theorem import Delayed

    exact = [one for one in theorem.hypotheses if isinstance(one, Delayed) and one.exact]
    ago = {(one.now.position, sympy.sympify(one.constant)): one.old.position for one in exact}
    ago |= {(one.now.position, sympy.S.Zero): one.now.position for one in exact}
    return {(old, ago[now, late - 1]) for (now, late), old in ago.items() if (now, late - 1) in ago}


def _require_one_follower(theorem: Theorem) -> None:
    """What takes the place of a point is one point, and that of a constant is itself."""
    takes: dict[Scalar | Vector, Scalar | Vector] = {}
    for now, then in theorem.following:
        for old, new in (
            (now.value, then.value),
            (now.position, then.position),
            (now.gradient, then.gradient),
        ):
            if takes.setdefault(old, new) != new:
                raise TheoryError(
                    f"{old} is followed by one thing, found {takes[old]} and {new}",
                    theorem.id,
                    "say by a hypothesis that they are equal",
                )
        if {now.value, then.value} & set(theorem.symbols):
            raise TheoryError(
                f"what is followed changes, and {now.value} or {then.value} is a constant",
                theorem.id,
                "drop it from `symbols` or from `following`",
            )


def _require_one_index(theorem: Theorem) -> None:
    """Sequences run along one index, and so do points; hypotheses hold at each of its values."""
    rules = [step.rule for step in theorem.steps] + [theorem.conclude]
    indices = {str(vars(rule)["index"]) for rule in rules if getattr(rule, "iterates", False)}
    moving = [then.position for _, then in theorem.following if indices]
    factors = {symbol for one in moving for _, a in one.terms for symbol in a.free_symbols}
    indices |= {one.name for one in factors & {*theorem.indices}}
    if len(indices) > 1:
        raise TheoryError(
            f"a theorem has one index of iterations, found {', '.join(sorted(indices))}",
            theorem.id,
            "prove a lemma for each, and cite it",
        )


def _require_different_points(theorem: Theorem) -> None:
    """A value and a gradient belong to one point: two of them would make f many-valued."""
    for one in theorem.points:
        for other in theorem.points:
            shared = one.value == other.value or one.gradient == other.gradient
            if shared and one != other:
                raise TheoryError(
                    f"{one.value} and its gradient belong to two different points",
                    theorem.id,
                    "name the value and the gradient of each point differently",
                )


def _is_index(symbol: Scalar, side: Scalar) -> bool:
    """Whether a symbol is an argument of sequences such as F(k + 1), and nothing else."""
    rest = side.replace(lambda node: isinstance(node, AppliedUndef), lambda node: sympy.S.One)
    return symbol not in rest.free_symbols


def _undeclared(
    name: str, place: str, theorem: Theorem, scalars: set[Scalar], vectors: set[str]
) -> UndeclaredSymbolError:
    known = sorted({str(scalar) for scalar in scalars} | vectors)
    near = get_close_matches(name, known, n=1)
    remedy = "list it under symbols, scalars, vectors or points"
    if name in known:
        remedy = "two symbols of one name differ in their assumptions: use one and the same"
    elif near:
        remedy = f"did you mean {near[0]!r}? else {remedy}"
    return UndeclaredSymbolError(
        f"{name!r} occurs in the {place} but is not declared", theorem.id, remedy
    )


def _require_fixed_names(theorem: Theorem) -> None:
    """What is the same in every iteration is declared, and nothing follows it.

    It may be part of what follows: x⁺ = x + a.
    """
    now = [part for one, _ in theorem.following for part in (one.position, one.gradient)]
    slopes = [then.gradient for _, then in theorem.following]
    moving = {name for part in (*now, *slopes) for name in part.names}
    declared = {name for one in theorem.vectors for name in one.names}
    for one in theorem.fixed:
        if not _is_name(one) or not one.names <= declared - moving:
            raise TheoryError(
                f"what is the same in every iteration is a vector that is declared, and does not "
                f"move, found {one}",
                theorem.id,
                "declare it, or say nothing of it in T.iterate; or do not say that it is constant",
            )
