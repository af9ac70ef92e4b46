"""What hypotheses say of a function everywhere, and when such a function goes through given points.

The conditions are necessary and sufficient, so values and gradients that satisfy them are those of
a real function. With L the Lipschitz constant of its gradient, i and j any two points:

smooth              f_i ≥ f_j + ⟨g_j, x_i − x_j⟩ + ‖g_i − g_j‖²/(2L)
                    − (L/4)‖x_i − x_j − (g_i − g_j)/L‖²
smooth, μ-convex    f_i ≥ f_j + ⟨g_j, x_i − x_j⟩ + (‖g_i − g_j‖²/L + μ‖x_i − x_j‖²
                    − (2μ/L)⟨g_i − g_j, x_i − x_j⟩)/(2(1 − μ/L)), 0 ≤ μ < L

(Taylor, Hendrickx and Glineur 2017, Theorems 3.10 and 4). The largest of these functions, if μ = 0
or f need not be convex, is f(y) = min Σ a_i(f_i + ⟨g_i, y_i − x_i⟩ + (L/2)‖y_i − x_i‖²) + s over
all convex combinations y = Σ a_i y_i, where s is 0 for a convex f, else (L/2)(Σ a_i‖y_i‖² − ‖y‖²);
so f is at least `c` everywhere if, and only if, f_i − ‖g_i‖²/(2L) ≥ c at all points. The smallest
convex one has gradients in the convex hull of the g_i; so if all of these are bounded by G, it is
so everywhere, and its least value is that of a point without a slope.

Of functions with ‖∇f‖² ≥ 2μ(f − c) no such condition is known; the μ-convex ones whose least value
is c at most are among them, and a witness is one of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.falsifier.gram.plain import Plain
from theory.falsifier.run_forms import unsupported
from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, eq, le
from theory.kernel.values import Values
from theory.kernel.vectors import ZERO, Gram, Point, Scalar, dot, square, vector

_FIELDS: Final = {"convex": "moduli", "least": "least", "steepest": "steepest"}
PL: Final = "Polyak–Łojasiewicz"
STEEP: Final = 64
"""Where nothing says how smooth a function is, it is looked for among those with this L, or
this part more than its convexity."""


@dataclass(frozen=True)
class FunctionClass:
    """What is said of a function everywhere.

    Attributes
    ----------
    function : str
    smooth : tuple of expressions
        Lipschitz constants of the gradient.
    moduli : tuple of expressions
        Of strong convexity, 0 for convexity; empty if f need not be convex.
    least : tuple of expressions
        Lower bounds.
    steepest : tuple of expressions
        Upper bounds of ‖∇f‖².
    low : tuple of expressions
        Upper bounds of the least value, of a function that is strongly convex.
    """

    function: str
    smooth: tuple[Scalar, ...] = ()
    moduli: tuple[Scalar, ...] = ()
    least: tuple[Scalar, ...] = ()
    steepest: tuple[Scalar, ...] = ()
    low: tuple[Scalar, ...] = ()

    @property
    def limits(self) -> tuple[Scalar, ...]:
        """All that values and gradients are compared with; that may be another value."""
        return (*self.smooth, *self.moduli, *self.least, *self.steepest, *self.low)

    def at(self, values: Values) -> FunctionClass:
        """With numbers for constants."""

        def put(forms: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
            return tuple(dict.fromkeys(values.scalar(one) for one in forms))

        kinds = (self.smooth, self.moduli, self.least, self.steepest, self.low)
        return FunctionClass(self.function, *map(put, kinds))

    def curved(self) -> tuple[Scalar, Scalar | None]:
        """L and μ, which are numbers; μ is None if a function of the class need not be convex.

        Raises
        ------
        UnsupportedFormError
            There is no function of this class, or no condition is known.
        """
        try:
            modulus = max(self.moduli, default=None)
            constant = min(self.smooth, default=STEEP * max(sympy.S.One, modulus or 0))
            known = constant > (modulus or 0) and (modulus is None or modulus >= 0)
        except TypeError as error:  # roots that are equal in other words, or 0/0
            raise unsupported(f"L in {self.smooth} and μ in {self.moduli}") from error
        if not known:
            raise unsupported(f"a function with L = {constant} and μ = {modulus}")
        if any(one.is_negative for one in self.steepest):
            raise unsupported(f"gradients with squared norms of {min(self.steepest)} at most")
        return constant, modulus

    def through(self, points: Sequence[Point], exact: bool = True) -> Iterator[Relation]:
        """What is necessary and sufficient for such a function through these points.

        Its constants are numbers. Points at one position have one value and one gradient. If it
        need not be `exact`, bounds of values and gradients are left out.

        Raises
        ------
        UnsupportedFormError
            No condition is known to be both.
        """
        constant, modulus = self.curved()
        if not exact:
            yield from replace(self, least=(), steepest=(), low=()).through(points)
            return
        if self.steepest and (modulus is None or modulus != 0):
            raise unsupported("bounded gradients of a function that is not just convex")
        if self.low and not modulus:
            raise unsupported("a least value of a function that need not have one")
        yield from _one_a_position(points)
        found = list(points)
        flat = any(one.gradient == ZERO for one in found)
        lows = [c for c in self.least if modulus is None or c not in _bottoms(found)]
        if (lows and (modulus or self.steepest)) or self.low:
            name = f"argmin {self.function}"
            value = sympy.Symbol(f"{self.function}({name})", real=True)
            bottom = Point(vector(name), value, ZERO, self.function)
            if flat:  # it is the least already
                bottom = next(one for one in found if one.gradient == ZERO)
            else:
                found.append(bottom)
            yield from (le(c, bottom.value) for c in lows)
            yield from (le(bottom.value, c) for c in self.low)
        else:
            for one in found:
                yield from (le(c, one.value - square(one.gradient) / (2 * constant)) for c in lows)
        for one in found:
            yield from (le(square(one.gradient), bound) for bound in self.steepest)
        for one, other in permutations(found, 2):
            yield _between(one, other, constant, modulus)


def _bottoms(points: Sequence[Point]) -> set[Scalar]:
    """Values of points without a slope: the least ones of a convex function."""
    return {one.value for one in points if one.gradient == ZERO}


def _one_a_position(points: Sequence[Point]) -> Iterator[Relation]:
    first: dict[object, Point] = {}
    for one in points:
        other = first.setdefault(one.position, one)
        if other is not one:
            yield eq(one.value, other.value)
            yield eq(square(one.gradient - other.gradient), 0)


def _between(one: Point, other: Point, constant: Scalar, modulus: Scalar | None) -> Relation:
    step, bend = one.position - other.position, one.gradient - other.gradient
    tangent = other.value + dot(other.gradient, step)
    if modulus is None:
        above = square(bend) / (2 * constant) - constant / 4 * square(step - bend / constant)
    else:
        whole = square(bend) / constant + modulus * square(step)
        whole -= 2 * modulus / constant * dot(bend, step)
        above = whole / (2 * (1 - modulus / constant))
    return le(tangent + above, one.value)


@lru_cache(maxsize=2**6)
def in_classes(
    theorem: Plain,
) -> tuple[dict[str, FunctionClass], tuple[Relation, ...]]:
    """What is said of functions everywhere, by their names, and all other hypotheses.

    A hypothesis at one point counts as one everywhere: then it supposes more.

    Examples
    --------
    >>> from theory.falsifier.gram.plain import Outcomes, plain
    >>> from theory.kernel.lemmas import DESCENT
    >>> classes, rest = in_classes(plain(DESCENT, Outcomes()))
    >>> sorted(classes), len(rest) < len(DESCENT.hypotheses)
    (['f'], True)
    """
    classes = {one.function: FunctionClass(one.function) for one in theorem.points}
    for one in theorem.smooth:
        found = classes.setdefault(one.function, FunctionClass(one.function))
        classes[one.function] = replace(found, smooth=(*found.smooth, one.constant))
    for function, name, constants in theorem.of.everywhere:
        if name == "unbiased":  # which is among the relations
            continue
        found = classes.setdefault(function, FunctionClass(function))
        if name == PL:
            modulus, low = map(sympy.sympify, constants)
            said = {"moduli": (*found.moduli, modulus), "low": (*found.low, low)}
            classes[function] = replace(found, **said)  # type: ignore[arg-type]
            continue
        if name not in _FIELDS:
            if name != "minimum":  # which hypotheses at points say
                raise unsupported(f"what is {name}")
            continue
        bounds = tuple(sympy.sympify(c) ** (2 if name == "steepest" else 1) for c in constants)
        said = {_FIELDS[name]: (*getattr(found, _FIELDS[name]), *bounds)}
        classes[function] = replace(found, **said)  # type: ignore[arg-type]
    rest = []
    for relation in theorem.relations:
        kind = next(_kinds(relation, theorem), None)
        if kind is None and _is_steep(relation, theorem):
            continue  # which strong convexity implies
        if kind is None:
            rest.append(relation)
            continue
        function, name, constant = kind
        said = {name: (*getattr(classes[function], name), constant)}
        classes[function] = replace(classes[function], **said)  # type: ignore[arg-type]
    return classes, tuple(rest)


def _kinds(relation: Relation, theorem: Plain) -> Iterator[tuple[str, str, Scalar]]:
    """The function, the field of its class and the constant that a hypothesis is implied by."""
    gap = relation.gap
    if relation.kind != "<=" or gap.atoms(AppliedUndef):
        return
    entries = gap.atoms(Gram)
    values = {one.value: one for one in theorem.points}
    named = [values[one] for one in gap.free_symbols if one in values]
    for one in named if not entries else ():
        least = sympy.expand(one.value - gap)
        if one.value not in least.free_symbols and _still(least, theorem):
            yield one.function, "least", least
    for one in theorem.points if entries and not named else ():
        if one.gradient != ZERO:
            bound = sympy.expand(gap + square(one.gradient))
            if not bound.atoms(Gram) and _still(bound, theorem):
                yield one.function, "steepest", bound
    for one, other in permutations(named, 2):
        if one.function == other.function:
            modulus = _modulus(gap, one, other)
            if modulus is not None and _still(modulus, theorem):
                yield one.function, "moduli", modulus


def _is_steep(said: Relation, theorem: Plain) -> bool:
    """Whether a hypothesis is ‖∇f(x)‖² ≥ 2μ(f(x) − c) with what is said of f everywhere."""
    stated = (
        le(2 * modulus * (one.value - low), square(one.gradient))
        for function, name, (modulus, low) in (e for e in theorem.of.everywhere if e[1] == PL)
        for one in theorem.points
        if one.function == function
    )
    return said.kind == "<=" and any(is_zero(said.gap - one.gap) for one in stated)


def _modulus(gap: Scalar, one: Point, other: Point) -> Scalar | None:
    """The μ in f(y) ≥ f(x) + ⟨∇f(x), y − x⟩ + (μ/2)‖y − x‖², if a gap says this."""
    way = one.position - other.position
    left = sympy.expand(one.value - other.value - dot(other.gradient, way) - gap)
    if left == 0:
        return sympy.S.Zero
    length = square(way)
    for entry in length.atoms(Gram):
        modulus = sympy.cancel(2 * left.coeff(entry) / sympy.expand(length).coeff(entry))
        if is_zero(left - modulus / 2 * length):
            return modulus
        return None
    return None


def _still(form: Scalar, theorem: Plain) -> bool:
    """Whether an expression is made of constants, and of values at points that do not move."""
    still = {*theorem.of.symbols}
    still |= {one.value for one in theorem.points if not one.position.names & theorem.moving}
    return not form.atoms(Gram, sympy.Function) and form.free_symbols <= still
