"""Expectations as atoms: linear, with what is not random pulled out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy
from sympy.core.function import UndefinedFunction
from sympy.core.symbol import Str

from theory.kernel.vectors import Gram, Scalar, Vector, in_gram


class Mean(sympy.Function):  # type: ignore[misc]
    """The mean of an expression under a named operator; made by `Operator.of`.

    Arguments: the operator's name, the names of what is random to it, and the expression. Sums are
    split and factors that are not random pulled out, so equal means are the same atom.
    """

    nargs = 3

    @classmethod
    def eval(cls, name: Any, random: Any, expression: Any) -> Any:
        """Split sums and pull out factors, until one product of random atoms is left."""
        names = frozenset(map(str, random))
        terms = []
        for term in sympy.Add.make_args(sympy.expand(expression)):
            factors = sympy.Mul.make_args(term)
            inside = sympy.Mul(*(part for part in factors if is_random(part, names)))
            outside = sympy.Mul(*(part for part in factors if not is_random(part, names)))
            terms.append((outside, inside))
        if len(terms) == 1 and terms[0][0] == 1 and terms[0][1] != 1:
            return None if terms[0][1] == expression else cls(name, random, terms[0][1])
        return sympy.Add(*(a * (1 if b == 1 else cls(name, random, b)) for a, b in terms))

    def _eval_is_real(self) -> bool:
        return True

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[2].is_nonnegative else None

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0]}[{printer.doprint(self.args[2])}]"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\mathbb{{E}}\left[{printer.doprint(self.args[2])}\right]"
        return text if exp is None else rf"{text}^{{{exp}}}"


@dataclass(frozen=True)
class Operator:
    """A (conditional) expectation, or an average over finitely many indices.

    Attributes
    ----------
    name : str
    random : tuple of str
        Names of vectors and scalar symbols that are random to it; all others are pulled out.

    Examples
    --------
    >>> from theory.kernel.vectors import dot, square, vectors
    >>> g, v = vectors("g v")
    >>> Operator("E_k", ("g",)).of(square(v - g))
    <v, v> + E_k[<g, g>] - 2*E_k[<g, v>]
    """

    name: str
    random: tuple[str, ...]

    _kind: ClassVar[tuple[str, ...]] = ()
    """What tells the means of one kind of operator from those of another."""

    def of(self, expression: Scalar) -> Scalar:
        """The mean of an expression."""
        names = sympy.Tuple(*(Str(name) for name in sorted((*self.random, *self._kind))))
        return Mean(Str(self.name), names, expression)


def is_sequence(one: Any) -> bool:
    """Whether something is a function without a definition, such as ``sympy.Function("F")``.

    Examples
    --------
    >>> (
    ...     is_sequence(sympy.Function("F", real=True)),
    ...     is_sequence(lambda k: k),
    ...     is_sequence(sympy.exp),
    ... )
    (True, False, False)
    """
    return type(one) is UndefinedFunction


def is_random(expression: Scalar, names: frozenset[str]) -> bool:
    """Whether an expression depends on one of these vectors or symbols."""
    if any(symbol.name in names for symbol in expression.free_symbols):
        return True
    return any(name in names for entry in expression.atoms(Gram) for name in entry.names)


def with_vectors(expression: Scalar, values: Mapping[str, Vector]) -> Scalar:
    """Put vectors in place of names, inside means too; means are split anew."""
    # Means are set aside, or what is put into them would be replaced once more.
    aside = {mean: sympy.Dummy() for mean in expression.atoms(Mean)}
    changed = {dummy: _mean_with(mean, values) for mean, dummy in aside.items()}
    return in_gram(expression.xreplace(aside), values).xreplace(changed)


def _mean_with(mean: Any, values: Mapping[str, Vector]) -> Scalar:
    name, random, inside = mean.args
    return Mean(name, random, in_gram(inside, values))
