"""Whether the functions of an instance keep what is said of them at every point.

Hypotheses of a theorem speak of the points that it names; a function that keeps them there may
break them elsewhere, and then refutes nothing. Functions here are sums over the coordinates, so
that each is looked at by itself, exactly. Of a mean of iterates, only one consequence is among the
hypotheses; no instance is known to have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import sympy

from theory.falsifier.finite_sums import AT, labels
from theory.falsifier.scalars import Piecewise, average
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar, Vector


def beyond_numbers(theorem: Theorem) -> bool:
    """Whether something is supposed that no numbers show: in words, or of a mean of iterates."""
    return bool(theorem.assumes) or any(kind == "averaged" for _, kind, _ in theorem.everywhere)


def everywhere(theorem: Theorem, numbers: Mapping[Scalar, Scalar], outcomes: int = 1) -> bool:
    """Whether functions with these coefficients are as a theorem says that they are everywhere.

    Parameters
    ----------
    theorem : Theorem
    numbers : mapping of sympy symbol to rational number
        Of an instance; the names are those of `Posed` and `Bent`.
    outcomes : int
        How many there are in it.

    Examples
    --------
    >>> from theory.notation import function, real, theorem, vector
    >>> f, x, low = function("f"), vector("x"), real("low")
    >>> T = theorem("mine.low")
    >>> T.lower_bound(f, low)
    >>> made = T.shows(low <= f(x))
    >>> line = {"f''": 0, "f'(0)": 1, "f(0)": 0, "low": 0}
    >>> [
    ...     everywhere(made, {sympy.Symbol(n): v for n, v in one.items()})
    ...     for one in (line, line | {"f'(0)": 0}, line | {"f''": 1, "low": -1})
    ... ]
    [False, True, True]
    """
    known = {one.name: Fraction(str(value)) for one, value in numbers.items()}
    return all(
        _keeps(labels(theorem, function, outcomes, k), kind, said, _at(known, k))
        for k in range(outcomes)
        for function, kind, said in theorem.everywhere
        if kind != "unbiased"  # which is among the relations
    )


def _at(known: Mapping[str, Fraction], outcome: int) -> dict[str, Fraction]:
    """With the numbers of an outcome under the names that they have at all of them."""
    end = f"{AT}{outcome + 1}"
    own = {n.replace(end, ""): value for n, value in known.items() if end in n}
    return {**known, **own}


def _keeps(
    members: Sequence[str],
    kind: str,
    constants: Sequence[Scalar | Vector],
    known: Mapping[str, Fraction],
) -> bool:
    """Of the mean of some functions."""
    ends = ["[1]", "[2]"] if any(name.endswith("[2]") for name in known) else [""]
    parts = [_mean([_part(one, end, known) for one in members]) for end in ends]
    numbers = [_number(one, known) for one in constants if not isinstance(one, Vector)]
    places = [_place(one, ends, known) for one in constants if isinstance(one, Vector)]
    if any(one is None for one in (*numbers, *places)):
        return False
    values, (place,) = [one for one in numbers if one is not None], (*places, None)[:1]
    if kind == "convex":
        return all(min(part.slopes()) >= values[0] for part in parts)
    if kind == "steepest":
        flat = all(part.left == 0 == part.right for part in parts)
        slopes = (max(map(abs, part.values)) for part in parts)
        return flat and sum(slope**2 for slope in slopes) <= values[0] ** 2
    if kind == "quasi-convex" and place is not None:
        return all(_quasi_convex(*one, values[0]) for one in zip(parts, place, strict=True))
    lows = [low for part in parts if (low := part.minimum()) is not None]
    if len(lows) < len(parts):
        return False
    if kind == "minimum" and place is not None:
        return all(
            x is None or part.value(x) == low
            for x, part, low in zip(place, parts, lows, strict=True)
        )
    named = [known[name] for one in members if (name := f"{one}(0)") in known]
    fall = (low - part.value(Fraction(0)) for low, part in zip(lows, parts, strict=True))
    least = None  # any will do where no relation names a value
    if len(named) == len(members):
        least = sum(fall, sum(named, Fraction(0)) / len(named))
    if kind == "Polyak–Łojasiewicz":
        steep = all(one.pl() >= values[0] or {*one.slopes(), *one.values} == {0} for one in parts)
        return steep and (least is None or least <= values[1])
    return kind == "least" and (least is None or least >= values[0])


def _mean(parts: Sequence[Piecewise]) -> Piecewise:
    found = average(parts)
    assert isinstance(found, Piecewise)
    return found


def _part(function: str, end: str, known: Mapping[str, Fraction]) -> Piecewise:
    """One coordinate of a function, by its derivative."""
    tilt, bend, above, below, knot = (
        known.get(f"{function}{name}{end}", Fraction(0))
        for name in ("'(0)", "''", "'' +", "'' -", " knot")
    )
    knots = (Fraction(0),) if knot == 0 else (-knot, knot)
    return Piecewise(
        knots, tuple(tilt + bend * x for x in knots), bend * (1 + below), bend * (1 + above)
    )


def _number(form: Scalar, known: Mapping[str, Fraction]) -> Fraction | None:
    put = {one: known[one.name] for one in form.free_symbols if one.name in known}
    value = sympy.sympify(form).subs(put)
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None


def _place(
    one: Vector, ends: Sequence[str], known: Mapping[str, Fraction]
) -> tuple[Fraction | None, ...] | None:
    """Coordinates of a vector; of one that the instance does not name it does not matter which."""
    if len(one.terms) != 1 or one.terms[0][1] != 1:
        return None
    return tuple(known.get(f"{one.terms[0][0]}{end}") for end in ends)


def _quasi_convex(part: Piecewise, star: Fraction | None, modulus: Fraction) -> bool:
    """Whether (x − x*)f'(x) ≥ f(x) − f(x*) + (μ/2)(x − x*)².

    The difference is 0 at x*, and monotone between a knot, x* and what is far away.
    """
    if min(part.slopes()) >= modulus or star is None:
        return min(part.slopes()) >= modulus
    gaps = (
        (x - star) * part.derivative(x)
        - part.value(x)
        + part.value(star)
        - modulus / 2 * (x - star) ** 2
        for x in part.knots
    )
    return min(part.left, part.right) >= modulus and all(gap >= 0 for gap in gaps)
