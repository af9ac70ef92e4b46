"""What one iteration gains, where a statement about many says it all: a line that is tried unasked.

Σ X(k) ≤ a·S(0) + b·K follows from X(k) ≤ a·(S(k) − S(k + 1)) + b, and S(n) ≤ qⁿ·S(0) + b from
S(k + 1) ≤ q·S(k) + (1 − q)·b. The line is one like any other: without a certificate it is dropped,
and nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

import sympy
from sympy.core.function import AppliedUndef

from theory.errors import TheoryError
from theory.kernel.atoms import atoms
from theory.kernel.relations import Relation, le
from theory.kernel.rules import Found
from theory.kernel.stored import entries_of
from theory.kernel.theorem import Rule, Theorem
from theory.kernel.vectors import Scalar

LINE: Final = "one iteration"
"""What the line is called."""

LONGER: Final[WeakKeyDictionary[Theorem, Callable[[], Theorem]]] = WeakKeyDictionary()
"""Of theorems that lack a certificate, what makes the same theorem with the line."""


def gain(
    goal: Relation,
    k: Scalar | None,
    least: Collection[Scalar] = frozenset(),
    known: Iterable[Relation] = (),
) -> Relation | None:
    """The line from which a statement about sequences follows by summing, or by induction.

    Parameters
    ----------
    goal : Relation
    k : sympy symbol, optional
        What counts iterations.
    least : collection of sympy symbols
        Lower bounds: they stand for what is left in the end, and no iteration has a part of them.
    known : iterable of Relation
        What is assumed. A line about iteration k does not name K; a stepsize that is made of K may.

    Examples
    --------
    >>> from theory.notation.names import count, index, positive
    >>> from theory.notation.summed import total
    >>> k, K, (a, q) = index("k"), count("K"), positive("a q")
    >>> X, S = sympy.Function("X"), sympy.Function("S")
    >>> str(gain(le(total(X(k), k, K) / K, S(0) / (a * K) + q), k))
    'X(k) <= q + (S(k) - S(k + 1))/a'
    >>> str(gain(le(S(K), q**K * S(0) + a / (1 - q)), k))
    'S(k + 1) <= a + q*S(k)'
    """
    if k is None or goal.kind != "<=":
        return None
    sums = sorted(atoms(goal.lhs, sympy.Sum), key=str)
    if not sums:
        return _of_powers(goal, k)
    line = _of_sum(goal, k, sums[0], least)
    count = sums[0].limits[0][2] + 1
    return line if line is None or not line.gap.has(count) else _without(line, count, known)


def _without(line: Relation, count: Scalar, known: Iterable[Relation]) -> Relation | None:
    """The line with what an equation says of the count in its place, such as √K = 1/(Lγ)."""
    root = sympy.Dummy(positive=True)
    for one in known:
        gap = one.gap.subs(sympy.sqrt(count), root).subs(count, root**2)
        if one.kind == "==" and gap.has(root) and not atoms(gap, AppliedUndef):
            above = sympy.expand(sympy.fraction(sympy.together(gap))[0])
            if above.is_polynomial(root) and sympy.degree(above, root) == 1:
                value = -above.coeff(root, 0) / above.coeff(root, 1)
                put = line.rhs.subs(sympy.sqrt(count), value).subs(count, value**2)
                return None if put.has(count) else le(line.lhs, sympy.expand(put))
    return None


def _of_sum(
    goal: Relation, k: Scalar, summed: Scalar, least: Collection[Scalar]
) -> Relation | None:
    """Of Σ X ≤ a·(S(0) − S(K)) + b·K + Σ Y, what one iteration has of it."""
    running, first, last = summed.limits[0]
    count = last + 1
    factor = sympy.expand(goal.lhs).coeff(summed)
    if (running, first) != (k, 0) or not count.is_Symbol or factor == 0:
        return None
    parts = [
        _part(term, k, summed.limits, least)
        for term in sympy.Add.make_args(sympy.expand(goal.gap / factor + summed))
    ]
    said = [one for one in parts if one is not None]
    return le(summed.function, sympy.Add(*said)) if len(said) == len(parts) else None


def _part(term: Scalar, k: Scalar, limits: Any, least: Collection[Scalar]) -> Scalar | None:
    """What one of so many iterations has of a term; None if that is not told by the term."""
    count = limits[0][2] + 1
    sums = atoms(term, sympy.Sum)
    calls = atoms(term.xreplace(dict.fromkeys(sums, sympy.S.One)), AppliedUndef)
    if sums:
        alike = all(one.limits == limits for one in sums) and len(sums) == 1 and not calls
        return term.xreplace({one: one.function for one in sums}) if alike else None
    if not calls:
        return sympy.S.Zero if term.has(*least) else term / count
    call = min(calls, key=str)
    weight = term.coeff(call)
    if len(calls) > 1 or weight == 0 or call.args not in ((0,), (count,)):
        return None
    return weight * (call.func(k) - call.func(k + 1)) if call.args == (0,) else sympy.S.Zero


def _of_powers(goal: Relation, k: Scalar) -> Relation | None:
    call = goal.lhs
    if not isinstance(call, AppliedUndef) or not call.args[0].is_Symbol or call.args[0] == k:
        return None
    now, count = call.func, call.args[0]
    ratio = goal.rhs.coeff(now(0))
    base, power = ratio.as_base_exp()
    rest = sympy.expand(goal.rhs - ratio * now(0))
    if ratio == 1:  # as much in every iteration, or nothing
        each = rest.coeff(count)
        grows = sympy.expand(rest - each * count) == 0 and not atoms(each, AppliedUndef)
        return le(now(k + 1), now(k) + each) if grows else None
    if power != count or base.has(count) or rest.has(count) or atoms(rest, AppliedUndef):
        return None
    return le(now(k + 1), base * now(k) + sympy.cancel((1 - base) * rest))


def lacks(theorem: Theorem, beside: Iterable[str] = ()) -> bool:
    """Whether a line, or the statement, has no certificate; lines with these endings need none."""
    steps = [one for one in theorem.steps if not one.name.endswith(tuple(beside))]
    rules = (*(one.rule for one in steps), theorem.conclude)
    return any(type(rule) is Found and rule.problem for rule in rules)


def is_stored(rule: Rule, theorem: str) -> bool:
    """Whether the data file beside a claim has certificates of the line."""
    try:
        return isinstance(rule, Found) and bool(entries_of(rule.path, theorem, LINE))
    except TheoryError:  # no data file of certificates, which is said where one is looked for
        return False
