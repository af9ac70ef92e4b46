"""An exact run with a name for everything in it, as the judge replays it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy

from theory.falsifier.forever import forever
from theory.falsifier.iterations import Iteration
from theory.falsifier.numbers import fraction, written
from theory.falsifier.small_models import SmallModel
from theory.kernel.relations import Relation, eq
from theory.kernel.vectors import Scalar


@dataclass(frozen=True)
class Run:
    """A run as far as it is looked at.

    Attributes
    ----------
    states : tuple of tuples of tuples of Fraction
        By iteration and by branch; the last ones begin what is not looked at.
    inputs : tuple of tuples of Fraction
        By iteration; the last ones stay.
    marks : tuple of Fraction
        Sequences at numbers.
    """

    states: tuple[tuple[tuple[Fraction, ...], ...], ...]
    inputs: tuple[tuple[Fraction, ...], ...]
    marks: tuple[Fraction, ...]


def named_model(
    one: Iteration, at: Mapping[Scalar, Fraction], run: Run, violated: int
) -> SmallModel:
    """The instance: numbers, all that is supposed of them in every iteration, and the goal.

    Parameters
    ----------
    one : Iteration
    at : mapping of sympy symbol to Fraction
        Constants.
    run : Run
    violated : int
        The place, among all iterations and branches, at which the goal is.
    """
    numbers = {c: sympy.Rational(x) for c, x in at.items()}
    numbers |= dict(zip(one.marks.values(), map(sympy.Rational, run.marks), strict=True))
    places: list[list[dict[Scalar, Scalar]]] = []  # the names of a place, by iteration and branch
    under: list[Relation] = []
    goals: list[Relation] = []
    for k, (states, inputs) in enumerate(zip(run.states, run.inputs, strict=True)):
        places.append([])
        for branch, state in enumerate(states):
            where = f" at {k}" + (f", branch {branch + 1}" if len(states) > 1 else "")
            names = {s: _renamed(s, where) for s in one.state}
            names |= {s: _renamed(s, f" at {k}") for s in one.inputs}
            values = map(sympy.Rational, (*state, *inputs))
            numbers |= dict(zip(names.values(), values, strict=True))
            names[one.index] = sympy.Integer(k)
            places[k].append(names)
            if k == 0:
                under += [eq(names[s], names[t]) for s, t in one.starts.items()]
            if k > 0:
                before, step = divmod(branch, len(one.then))
                then = (form.xreplace(places[k - 1][before]) for form in one.then[step])
                under += [eq(names[s], form) for s, form in zip(one.state, then, strict=True)]
            if k <= one.last:
                under += [placed_at(each, names) for each in one.relations]
                goals.append(placed_at(one.goal, names))
    for call, symbol in one.marks.items():
        value = one.values[str(call.func)]
        parts = [value.xreplace(names) for names in places[int(call.args[0])]]
        under.append(eq(symbol, sympy.Add(*parts) / len(parts)))
    last = numbers | dict(zip(one.inputs, map(sympy.Rational, run.inputs[-1]), strict=True))
    goal = goals[violated]
    return SmallModel(
        one.theorem,
        numbers,
        tuple(under),
        goal,
        shown(one, at, run) | sides_of(goal, numbers),
        partial(_lasts, one, last, run),
    )


def _lasts(one: Iteration, known: Mapping[Scalar, Scalar], run: Run) -> bool:
    """Whether what is supposed holds in all later iterations as well."""
    return forever(
        [placed_at(each, known) for each in one.relations],
        [
            {s: form.xreplace(known) for s, form in zip(one.state, then, strict=True)}
            for then in one.then
        ],
        [dict(zip(one.state, map(sympy.Rational, state), strict=True)) for state in run.states[-1]],
        one.index,
        one.last + 1,
    )


def shown(one: Iteration, at: Mapping[Scalar, Fraction], run: Run) -> dict[str, str]:
    """Parameters, what the function is, where the run starts, and what is chosen in it."""
    own = {c.name: str(x) for c, x in at.items() if c in one.theorem.symbols}
    others = {c.name: x for c, x in at.items() if c.name not in own and x != 0}
    said = own | {name: str(x) for name, x in curvatures(others).items()}
    said |= {_first(s.name): str(x) for s, x in zip(one.state, run.states[0][0], strict=True)}
    chosen = zip(*run.inputs[:-1], strict=True)
    near = {n: f"{n}, less {base}" for n, base in one.around.items()}
    names = (s.name for s in one.inputs)
    labels = (
        next((b + n[len(a) :] for a, b in near.items() if n.partition(" at ")[0] == a), n)
        for n in names
    )
    return said | {label: ", ".join(map(str, xs)) for label, xs in zip(labels, chosen, strict=True)}


def curvatures(numbers: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Coefficients of functions, none 0, with curvatures beyond knots as such, not as parts of f''.

    Examples
    --------
    >>> bent = {"f(0)": 5, "f''": 2, "f'' +": -1, "f'' -": 1, "f knot": 3}
    >>> list(curvatures({name: Fraction(x) for name, x in bent.items()}))
    ['f(0)', "f''", "f'' above 3", "f'' below -3"]
    >>> curvatures({"f'' -": Fraction(1), "f''": Fraction(2)})["f'' below 0"]
    Fraction(4, 1)

    Parts of nothing are nothing:

    >>> curvatures({"f'' +": Fraction(-1), "f knot": Fraction(1)})
    {}
    """
    found: dict[str, Fraction] = {}
    for name, x in numbers.items():
        function, _, end = name.partition("''")
        sign, coordinate = end[:2], end[2:]
        bend = numbers.get(f"{function}''{coordinate}")
        if sign in (" +", " -") and bend:
            width = numbers.get(f"{function} knot{coordinate}", Fraction(0))
            where = f"above {width}" if sign == " +" else f"below {-width}"
            found[f"{function}''{coordinate} {where}"] = bend * (1 + x)
        elif sign not in (" +", " -") and " knot" not in name:
            found[name] = x
    return found


def _first(name: str) -> str:
    """What a part of the state is called where a run starts: A(0) of a sequence."""
    return f"{name.removesuffix('(k)')}(0)" if name.endswith("(k)") else f"{name} at 0"


def sides_of(goal: Relation, numbers: Mapping[Scalar, Scalar]) -> dict[str, str]:
    """Both sides of a statement at these numbers."""
    sides = (("left", goal.lhs), ("right", goal.rhs))
    values = ((name, side.xreplace(dict(numbers))) for name, side in sides)
    return {name: written(fraction(x)) if x.is_Rational else str(x) for name, x in values}


def _renamed(symbol: Scalar, where: str) -> Scalar:
    return sympy.Symbol(f"{symbol.name}{where}", **symbol.assumptions0)


def placed_at(one: Relation, put: Mapping[Scalar, Scalar]) -> Relation:
    """A relation with these in place of symbols."""
    return Relation(one.lhs.xreplace(dict(put)), one.kind, one.rhs.xreplace(dict(put)))
