"""Vectors by iteration, and sums over the last iterations: x[k − τ] and Σ_{j=k−τ}^{k−1}."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from theory.errors import TheoryError
from theory.kernel.rules.windows import window as window_of
from theory.kernel.vectors import Scalar, Vector, vector
from theory.notation.names import index as index_of
from theory.notation.names import plainly, text
from theory.notation.summed import renamed, summed


def window(form: Scalar, j: Scalar, k: Scalar, length: Scalar) -> Scalar:
    """Σ over the last iterations before k: j from max(0, k − length) to k − 1.

    While k is below the length there are fewer terms, and none at k = 0. The terms are sequences
    at j, or quantities of iteration j such as ``g[j]**2``.

    Raises
    ------
    TheoryError
        j is k, or in the length, or the terms do not depend on it.

    Examples
    --------
    >>> k, j, tau = sympy.symbols("k j tau", integer=True, nonnegative=True)
    >>> window(sympy.Function("N")(j), j, k, tau)
    Sum(N(j), (j, Max(0, k - tau), k - 1))
    """
    if j == k or j in sympy.sympify(length).free_symbols:
        raise TheoryError(
            f"{j} runs over the last iterations before {k}, and nothing else is called so",
            "window",
            "take an index of its own",
        )
    form = summed(form, j, k)
    if j not in sympy.sympify(form).free_symbols:
        raise TheoryError(
            f"the terms of a sum over the last iterations depend on {j}, found {form}",
            "window",
            f"name vectors by iterates and take them at {j}, or make a sequence by T.sequence",
        )
    return window_of(form, j, k, sympy.sympify(length))


@dataclass
class Iterates:
    """A vector in each iteration, made by `iterates`.

    Attributes
    ----------
    name : str
    index : sympy symbol
        k.
    then : Vector, optional
        What ``x[k + 1]`` is, once `T.iterate` has said so.
    older : dict of Vector to expression
        The stale ones that have been asked for, and by how much they are late.
    """

    name: str
    index: Scalar
    then: Vector | None = None
    older: dict[Vector, Scalar] = field(default_factory=dict)

    def __getitem__(self, at: Scalar) -> Vector:
        """The vector of iteration k, of the next one, or of a fixed number of iterations ago.

        Inside a sum over j it is asked for by j, or by j − τ.

        Raises
        ------
        TheoryError
            It is that of another iteration, or the next one is not known yet.
        """
        running = _running(at)
        if running not in (None, self.index):  # inside a sum over another index
            return renamed(self[at.subs(running, self.index)], self.index, running)
        late = sympy.expand(self.index - at)
        if late == 0:
            return vector(f"{self.name}[{self.index}]")
        if late == -1 and self.then is not None:
            return self.then
        if not (late.is_integer and late.is_nonnegative) or self.index in late.free_symbols:
            raise TheoryError(
                f"{self.name} is known in iteration {self.index}, and a constant number of "
                f"iterations before, found {self.name}[{at}]",
                self.name,
                f"say by T.iterate what {self.name}[{self.index} + 1] is, which may be a vector y "
                "with an equation, such as T.assume(equal(y, x - gamma * f.grad(y))); name what is "
                "read late "
                f"{self.name}[{self.index} - tau], with tau an index; what happens at numbers is "
                "said by sequences",
            )
        one = vector(f"{self.name}[{self.index} - {f'({late})' if late.is_Add else late}]")
        self.older[one] = late
        return one


def _running(at: Scalar) -> Scalar | None:
    """The index that runs: j in j − τ."""
    form = sympy.expand(at)
    found = [s for s in form.free_symbols if form.coeff(s) == 1]
    return found[0] if len(found) == 1 else None


def iterates(name: str, index: Scalar) -> Iterates:
    """A vector in each iteration: ``x[k]``, ``x[k + 1]`` and, some iterations late, ``x[k - tau]``.

    What is older than the start is the start: ``x[k - tau]`` is the first x while k < τ. The delay
    is the same in every iteration; `T.delayed` is for one that may change. How x moves is said by
    ``T.iterate(x, …)``.

    Examples
    --------
    >>> k, tau = sympy.symbols("k tau", integer=True, nonnegative=True)
    >>> x = iterates("x", k)
    >>> print(x[k] - x[k - tau])
    (-1)*x[k - tau] + x[k]
    """
    return Iterates(name, index)


def require_index(index: Scalar, where: str) -> None:
    """What counts iterations runs through 0, 1, 2, … and nothing else.

    Raises
    ------
    TheoryError
        It is a count from 1 on, a number, or nothing.
    """
    if index != index_of(str(index)):
        kind = "is never 0" if getattr(index, "is_positive", False) else "need not be one"
        found = "none" if index is None else f"{index}, which {kind}"
        raise TheoryError(
            f"iterations are counted by an index that runs through 0, 1, 2, …, found {found}",
            where,
            'make it by k = index("k"), and write k + 1 for what is 1 at first',
        )


def require_step(now: Vector, then: Vector, index: Scalar, where: str) -> None:
    """A step moves, and is defined from iteration 0 on.

    Raises
    ------
    TheoryError
        It divides by the index, stays where it is, or is counted by no index.
    """
    require_index(index, where)
    if plainly(then) == plainly(now):
        raise TheoryError(f"{text(now)} never moves", where, f"say T.constant({text(now)}) instead")
    for name, factor in then.terms:
        if sympy.sympify(factor).subs(index, 0).has(sympy.zoo, sympy.nan):
            raise TheoryError(
                f"iterations count from 0, where {factor} times {name} is not defined",
                where,
                f"write {index} + 1 for {index}",
            )
