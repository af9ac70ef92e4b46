"""What a theorem turns out to name: vectors, points and means, found from what its author said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.context import drawn_functions
from theory.kernel.vectors import Gram, Point, Scalar, Vector, vector
from theory.notation.drawn import tell_apart
from theory.notation.interpolation import meetings
from theory.notation.names import MADE, Function, Pending, plainly
from theory.notation.plan import Plan, Statement
from theory.notation.scene import Scene, shifted


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
    factors = [factor for _, then in plan.iterates for _, factor in then.terms]
    moved = {name for _, then in plan.iterates for name in then.names}
    moved |= {one.name for factor in factors for one in sympy.sympify(factor).free_symbols}
    _require_listed(names | named | moved, listed, statement.id)
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
    about = tuple(one for one in points if one.position not in plan.averages)  # f there is at most
    between = meetings(plan.smooth, plan.convex, plan.assumed, about)
    randoms = _listed(forms, statement.id)
    means = tell_apart(randoms, plan, points, between, forms, names | named, statement.id)
    known = {name: frozenset(random) for name, random in randoms.items()}
    drawn = frozenset[str]().union(*known.values())
    still_there = (one for one in points if one.position.names <= plan.fixed)
    plan.constants |= {one.value for one in still_there}
    plan.constants -= {one.value for one in points if one.value.name in drawn}  # as f_i(x*) is
    universal = {name for pair in plan.spreads for one in pair for name in one.names}
    universal |= {n for one in points if one.value in plan.constants for n in one.gradient.names}
    if any(e.names & random for _, e in plan.spreads for random in known.values()):
        universal |= names - _equated(plan)  # they stand beside e as it is used with any vector
    given = frozenset(universal) if len(known) > 1 else frozenset()
    anew = frozenset[str]().union(*(drawn_functions(points, random) for random in known.values()))
    at_rest = (one.gradient.names & plan.zero for one in points if one.function in anew)
    rest = frozenset[str]().union(*at_rest)  # ∇f_i(x*) = 0, whatever is drawn
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
    """Numbers of iterations that formulas speak of; where none do, counts in the statement."""
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
    named = statement.relation.gap.free_symbols if plan.index is not None and not found else set()
    late = {one for *_, delay in plan.delays for one in delay.free_symbols}
    whole = (one for one in named - late - {plan.index} if one.is_integer and one.is_nonnegative)
    return tuple(found) or tuple(sorted(whole, key=str))
