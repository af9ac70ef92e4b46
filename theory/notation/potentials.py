"""A sum of sequences as one: where a statement is about several, an induction is along their sum.

F(n) + c·G(n) ≤ qⁿ·(F(0) + c·G(0)) follows from V(k + 1) ≤ q·V(k) for V = F + c·G, and so does
F(n) ≤ qⁿ·(F(0) + c·G(0)) where G ≥ 0. Nothing rests on it but what is certified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.elementary import Exp
from theory.kernel.relations import Relation, le
from theory.kernel.vectors import Scalar, squared
from theory.notation.gains import base_of

NAMES = ("V", "Psi", "Lyapunov")
"""What the sum is called, unless something else is."""


@dataclass(frozen=True)
class Potential:
    """A sequence that nobody has named, and a bound of it from which the statement follows.

    Attributes
    ----------
    sequence : sympy function
    value : sympy expression
        What it is the mean of.
    bound : Relation
        ``V(n) <= ...``.
    parts : tuple of (expression, sympy function)
        What it is the sum of: a weight and a sequence each.
    """

    sequence: Scalar
    value: Scalar
    bound: Relation
    parts: tuple[tuple[Scalar, Scalar], ...]

    def of(self, i: Scalar) -> Scalar:
        """The sum in iteration i, by its parts."""
        return sympy.Add(*(weight * sequence(i) for weight, sequence in self.parts))

    def less(self, line: Relation, known: Iterable[Relation], k: Scalar) -> Relation | None:
        """A line of it by its parts, with what is assumed of these in their place; see `less`.

        Weights are taken to be at least 0: whether the line holds is for a certificate to say.
        """
        said = {w: sympy.Dummy(nonnegative=True) for w, _ in self.parts if w.is_nonnegative is None}
        signed = replace(self, parts=tuple((said.get(w, w), one) for w, one in self.parts))
        put = {self.sequence(i): signed.of(i) for i in (k, k + 1)}
        apart = less(le(line.lhs.xreplace(put), line.rhs.xreplace(put)), known, k)
        back = {dummy: weight for weight, dummy in said.items()}
        return None if apart is None else le(apart.lhs.xreplace(back), apart.rhs.xreplace(back))


def potential_of(
    goal: Relation, meant: Mapping[Scalar, Scalar], taken: Set[str] = frozenset()
) -> Potential | None:
    """The sum of sequences with which a bound starts; None if it starts with one of them alone.

    Parameters
    ----------
    goal : Relation
    meant : mapping of sympy function to sympy expression
        What sequences are the means of.
    taken : set of str
        Names that something else has, such as sequences of which nothing else is said.

    Examples
    --------
    >>> n = sympy.Symbol("n", integer=True, nonnegative=True)
    >>> c, q, u, v = sympy.symbols("c q u v", positive=True)
    >>> F, G = sympy.Function("F"), sympy.Function("G")
    >>> made = potential_of(le(F(n), q**n * (F(0) + c * G(0))), {F: u, G: v})
    >>> print(made.value, "and", made.bound)
    c*v + u and V(n) <= q**n*V(0)
    """
    right = sympy.expand(goal.rhs)
    starts = sorted(atoms(right, AppliedUndef), key=str)
    counts = {one.args for one in atoms(goal.lhs, AppliedUndef)}
    if goal.kind != "<=" or len(starts) < 2 or len(counts) != 1 or atoms(right, sympy.Sum):
        return None
    ((count,),) = counts
    shares = [sympy.powsimp(right.coeff(one)) for one in starts]
    split = [one.as_independent(count, as_Add=False) for one in shares]
    weights, ratios = [one for one, _ in split], {ratio for _, ratio in split}
    rest = sympy.expand(right - sympy.Add(*(right.coeff(one) * one for one in starts)))
    known = all(one.args == (0,) and one.func in meant for one in starts)
    if len(ratios) != 1 or not known or not count.is_Symbol or atoms(rest, AppliedUndef):
        return None
    (ratio,) = ratios
    taken = {*taken, *(str(one) for one in meant)}
    name = next((one for one in NAMES if one not in taken), None)
    kept = ratio == 1 and {one.func for one in atoms(goal.lhs, AppliedUndef)} <= {*meant}
    if name is None or not (kept or base_of(ratio, count)):
        return None
    parts = tuple(zip(weights, (one.func for one in starts), strict=True))
    value = sympy.Add(*(weight * meant[one] for weight, one in parts))
    least = value.is_nonnegative or squared(value)
    sequence = sympy.Function(name, **{"nonnegative" if least else "real": True})
    return Potential(sequence, value, le(sequence(count), ratio * sequence(0) + rest), parts)


def in_powers(goal: Relation) -> Relation:
    """A bound with (1 + c)ⁿ for exp(cn), which is at least as much where 1 + c is at least 0.

    Examples
    --------
    >>> n, c = sympy.Symbol("n", integer=True), sympy.Symbol("c")
    >>> A = sympy.Function("A")
    >>> print(in_powers(le(A(n), Exp(-c * n) * A(0))))
    A(n) <= (1 - c)**n*A(0)
    """
    calls = [one for one in atoms(goal.lhs, AppliedUndef) if one.args[0].is_Symbol]
    count = calls[0].args[0] if len(calls) == 1 else None
    put = {
        one: (1 + c) ** count for one in atoms(goal.rhs, Exp) if (c := _rate(one.args[0], count))
    }
    return le(goal.lhs, goal.rhs.xreplace(put)) if put and goal.kind == "<=" else goal


def from_start(bound: Relation) -> Relation:
    """A bound by qⁿ·(S(0) + c), less c: in iteration 0 it is then S(0).

    Examples
    --------
    >>> n, c, q = sympy.Symbol("n", integer=True), sympy.Symbol("c"), sympy.Symbol("q")
    >>> A = sympy.Function("A")
    >>> print(from_start(le(A(n), q**n * (A(0) + c))))
    A(n) <= c*q**n - c + q**n*A(0)
    """
    right = sympy.expand(bound.rhs)
    starts = [*atoms(right, AppliedUndef)]
    ratio = right.coeff(starts[0]) if len(starts) == 1 else sympy.S.One
    more = sympy.expand(right - ratio * starts[0]).coeff(ratio) if ratio != 1 else sympy.S.Zero
    return le(bound.lhs, right - more) if more != 0 else bound


def _rate(power: Scalar, count: Scalar | None) -> Scalar | None:
    rate = None if count is None else sympy.cancel(power / count)
    return None if rate is None or rate.has(count) else rate


def less(line: Relation, known: Iterable[Relation], k: Scalar) -> Relation | None:
    """A line with what is assumed of a(k + 1), or of every a(k), in its place, where it is bounded.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> p, mu = sympy.symbols("p mu", positive=True)
    >>> A, D, F = sympy.Function("A"), sympy.Function("D"), sympy.Function("F")
    >>> print(less(le(D(k + 1) + p * A(k + 1), D(k)), [le(A(k + 1), p * A(k))], k))
    p**2*A(k) + D(k + 1) <= D(k)
    >>> print(less(le((1 + p * mu) * D(k + 1), D(k)), [le(mu * D(k), F(k))], k))
    p*F(k + 1) + D(k + 1) <= D(k)
    """
    below = sympy.fraction(sympy.together(line.rhs))[1]
    below = below if below.is_positive else sympy.S.One
    before = sympy.expand(line.lhs * below)
    left = at_most(before, known, k)
    later = any(one.args == (k + 1,) for one in atoms(left, AppliedUndef))
    return (
        le(left, sympy.expand(sympy.cancel(line.rhs * below))) if left != before and later else None
    )


def at_most(form: Scalar, known: Iterable[Relation], k: Scalar) -> Scalar:
    """A form with what is assumed of a(k + 1), or of every a(k), in its place.

    Examples
    --------
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> p, A = sympy.Symbol("p", positive=True), sympy.Function("A")
    >>> print(at_most(3 * A(k + 1), [le(A(k + 1), p * A(k))], k))
    3*p*A(k)
    """
    left = sympy.expand(form)
    for one in known:
        calls = sorted(atoms(one.lhs, AppliedUndef), key=str)
        if one.kind != "<=" or len(calls) != 1 or calls[0].args not in ((k,), (k + 1,)):
            continue
        call, weight = calls[0].func(k + 1), one.lhs.coeff(calls[0])
        bound = one.rhs.subs(k, k + 1) if calls[0].args == (k,) else one.rhs
        if sympy.expand(one.lhs - weight * calls[0]) != 0 or bound.has(call):
            continue
        for term in sympy.Add.make_args(left.coeff(call)):
            share = sympy.cancel(term / weight)
            if share.is_nonnegative and not share.free_symbols & weight.free_symbols:
                left = sympy.expand(left - term * call + share * bound)
    return left
