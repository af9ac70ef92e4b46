"""Facts about the exponentials, logarithms and powers that a theorem names, offered unasked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product

import sympy
from sympy.concrete.gosper import gosper_sum
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.elementary import Exp, Log
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules import ClosedSum, Combine, Elementary, Sign, Split, Telescope
from theory.kernel.rules.elementary import unmet
from theory.kernel.theorem import Hypothesis, Step
from theory.kernel.vectors import Gram, Scalar
from theory.notation.coercion import is_parameters


def facts(said: Sequence[Relation], hypotheses: Iterable[Hypothesis]) -> Iterator[Step]:
    """What the kernel's list says of these formulas, where its conditions are shown.

    Parameters
    ----------
    said : sequence of Relation
        All formulas of the theorem.
    hypotheses : iterable of Hypothesis
        Those about constants may be used for the conditions.
    """
    about = [one for one in hypotheses if is_parameters(one.relation)]
    free = {symbol for one in said for symbol in one.gap.free_symbols}
    for rule in dict.fromkeys(_rules(said)):
        stated = rule.stated()
        if isinstance(stated, str) or not stated.relation.gap.free_symbols <= free:
            continue  # it is about the index of a sum, of which nothing is said outside
        domain = _domain(rule, about)
        if domain is not None and stated.relation.lhs != stated.relation.rhs:
            made = Elementary(rule.entry, rule.at, domain)
            yield Step(f"{rule.entry}({', '.join(map(str, rule.at))})", stated.relation, made)


def roots(said: Iterable[Relation]) -> Iterator[Step]:
    """That roots of counts are at least 1, such as √K in a stepsize 1/(L√K)."""
    forms = [side for one in said for side in (one.lhs, one.rhs)]
    powers = {one.base ** abs(one.exp) for form in forms for one in atoms(form, sympy.Pow)}
    for root in sorted(powers, key=str):
        count = root.base if root.is_Pow and not root.exp.is_Integer else sympy.S.Zero
        if count.is_Symbol and count.is_integer and count.is_positive and root.exp.is_Rational:
            yield Step(f"{root} is at least 1", le(1, root), Sign())


def sums(
    said: Sequence[Relation], index: Scalar | None, counts: Iterable[Scalar]
) -> Iterator[Step]:
    """Sums over k < n, for each count n of which ln(n + 1) or ln n, or √n, is named.

    Σ 1/(k + 1) is at most ln(n + 1) + n/(n + 1), and at most 1 + ln n. Each term is at most
    ln(k + 2) − ln(k + 1) + 1/(k + 1) − 1/(k + 2), since ln x ≤ x − 1 at (k + 1)/(k + 2), and these
    have a closed sum. Σ 1/√(k + 1) is at least √n and at most 2√n: each term is at least
    √(k + 1) − √k, and at most twice that. Where √(n + 1) is named, it is at least 2√(n + 1) − 2.
    Terms are found as lines have them: 1/(μk + μ). Σ 1/(k + 1)² is at most 2 − 2/(n + 1), whatever
    is named.
    """
    sides = [side for one in said for side in (one.lhs, one.rhs)]
    logs = set(_arguments(sides, Log))
    powers = {one for side in sides for one in atoms(side, sympy.Pow)}
    if index is None:
        return
    for n in counts:
        if n.is_Symbol and logs & {n, n + 1}:
            for term, weight in _terms(said, index, index + 1).items():
                yield from _harmonic(term, weight, index, n)
                if n in logs and n.is_positive:
                    yield from _one_less(term, weight, index, n)
        if n.is_Symbol and powers & {sympy.sqrt(n), 1 / sympy.sqrt(n)}:
            yield from _of_roots(said, index, n)
        if n.is_Symbol and sympy.sqrt(n + 1) in powers:
            yield from _of_later_roots(said, index, n)
        if n.is_Symbol:
            for term, weight in _terms(said, index, (index + 1) ** 2).items():
                grows = 2 * weight / ((index + 1) * (index + 2))
                by = Combine(plus=(weight * index / ((index + 1) ** 2 * (index + 2)),))
                yield from _bounded(term, grows, 2 * weight * n / (n + 1), by, index, n)


def geometric(
    said: Sequence[Relation], k: Scalar | None, counts: Iterable[Scalar]
) -> Iterator[Step]:
    """Sums of q^k in closed form, as Σ (q^k − q^(k + 1)), which divides by nothing."""
    if k is None:
        return
    powers = {one for form in _summed(said, k) for one in atoms(form, sympy.Pow)}
    rates = {one.base ** (one.exp.coeff(k)) for one in powers if one.exp.coeff(k) in (1, -1)}
    for q, n in product(sorted(rates, key=str), counts):
        if n.is_Symbol and not q.is_number and not q.has(k, Gram):
            closed = eq(sympy.Sum(q**k - q ** (k + 1), (k, 0, n - 1)), 1 - q**n)
            yield Step(f"sum of {q**k} to {n}", closed, ClosedSum(k, n))


def telescoped(fact: Relation, k: Scalar | None, counts: Iterable[Scalar]) -> Iterator[Step]:
    """The sum of what a line about iterations k and k + 1 has beside these, in closed form.

    Such as Σ ((k + 1)(k + 2)/(k + 3) − k(k + 1)/(k + 2)) = n(n + 1)/(n + 2), as Gosper finds it.
    """
    parts = sympy.Add.make_args(sympy.expand(fact.gap))
    if k is None or not any(one.args == (k + 1,) for one in atoms(fact.gap, AppliedUndef)):
        return
    rest = sympy.Add(*(one for one in parts if not atoms(one, sympy.Function)))
    if rest.has(k) and rest.is_rational_function(k) and not rest.is_polynomial(k):
        for n in (n for n in counts if n.is_Symbol):
            closed = gosper_sum(rest, (k, 0, n - 1))
            if closed is not None and not closed.has(sympy.Piecewise):
                said = eq(sympy.Sum(rest, (k, 0, n - 1)), closed)
                yield Step(f"sum of {rest} to {n}", said, ClosedSum(k, n))


def _summed(said: Iterable[Relation], k: Scalar) -> list[Scalar]:
    """What sums over k run over."""
    sums = {one for relation in said for one in atoms(relation.gap, sympy.Sum)}
    return sorted((one.function for one in sums if one.limits[-1][0] == k), key=str)


def _of_roots(said: Sequence[Relation], k: Scalar, n: Scalar) -> Iterator[Step]:
    """Sums of 1/√(k + 1), and of √(k + 1) − √k."""
    later, now = sympy.sqrt(k + 1), sympy.sqrt(k)
    closed = eq(sympy.Sum(later - now, (k, 0, n - 1)), sympy.sqrt(n))
    yield Step(f"sum of {later - now} to {n}", closed, ClosedSum(k, n))
    for term, weight in _terms(said, k, later).items():
        grows = 2 * weight * (later - now)
        by = Combine(squares=((weight / later, later - now),))
        yield from _bounded(term, grows, 2 * weight * sympy.sqrt(n), by, k, n)
        more = Combine(plus=(weight * now / (later * (later + now)),))
        yield from _bounded(term, grows / 2, weight * sympy.sqrt(n), more, k, n, least=True)


def _of_later_roots(said: Sequence[Relation], k: Scalar, n: Scalar) -> Iterator[Step]:
    """Sums of 1/√(k + 1) from below: each is at least 2(√(k + 2) − √(k + 1))."""
    later, now = sympy.sqrt(k + 2), sympy.sqrt(k + 1)
    for term, weight in _terms(said, k, now).items():
        by = Combine(squares=((weight / now, later - now),))
        grows, closed = 2 * weight * (later - now), 2 * weight * (sympy.sqrt(n + 1) - 1)
        yield from _bounded(term, grows, closed, by, k, n, least=True)


def _terms(said: Iterable[Relation], k: Scalar, below: Scalar) -> dict[Scalar, Scalar]:
    """What stands for c/(k + 1) in sums, with c; it is positive, and the same for every k."""
    found = {}
    for form in (*(one.gap for one in said), *_summed(said, k)):
        if not any(one.exp.is_negative and one.base.has(k) for one in atoms(form, sympy.Pow)):
            continue  # before it is expanded, which takes long
        for part in sympy.Add.make_args(sympy.expand(form)):
            term = part.as_independent(k)[1]
            weight = sympy.cancel(term * below)
            if term.has(k) and not weight.has(k) and weight.is_positive:
                found[term] = weight
    return found


def _harmonic(term: Scalar, weight: Scalar, k: Scalar, n: Scalar) -> Iterator[Step]:
    """The sum over one such term."""
    name = f"sum of {term} to {n}"
    tangent = Elementary("log_tangent", (k + 2, k + 1))
    stated = tangent.stated()
    assert not isinstance(stated, str)
    yield Step(f"{name}, tangent", stated.relation, tangent)
    closed, by = weight * (Log(n + 1) + n / (n + 1)), Combine({f"{name}, tangent": weight})
    yield from _bounded(term, _growth(term, weight, k), closed, by, k, n)


def _bounded(
    term: Scalar,
    grows: Scalar,
    closed: Scalar,
    by: Combine,
    k: Scalar,
    n: Scalar,
    least: bool = False,
) -> Iterator[Step]:
    """A sum of terms, each of which is at most, or at least, what has a closed sum."""
    name = f"sum of {term} to {n}{', at least' if least else ''}"
    each = le(grows, term) if least else le(term, grows)
    yield Step(f"{name}, each", each, by)
    over = Telescope(f"{name}, each", k, n)
    yield Step(f"{name}, summed", le(0, over.total(each.gap)), over)
    total = eq(sympy.Sum(grows, (k, 0, n - 1)), closed)
    yield Step(f"{name}, closed", total, ClosedSum(k, n))
    parts = {f"{name}, summed": 1, f"{name}, closed": -1 if least else 1}
    whole = sympy.Sum(term, (k, 0, n - 1))
    yield Step(name, le(closed, whole) if least else le(whole, closed), Combine(parts))


def _growth(term: Scalar, weight: Scalar, k: Scalar) -> Scalar:
    """What is at least the term, and has a closed sum."""
    return weight * (Log(k + 2) - Log(k + 1) - 1 / (k + 2)) + term


def _one_less(term: Scalar, weight: Scalar, k: Scalar, n: Scalar) -> Iterator[Step]:
    """The same without what the last term is too large by: 1 + ln n."""
    name = f"sum of {term} to {n}"
    over = Telescope(f"{name}, each", k, n - 1)
    grows = _growth(term, weight, k)
    yield Step(f"{name}, summed before the last", le(0, over.total(grows - term)), over)
    parts = {f"{name}, summed before the last": 1, f"{name}, closed": 1}
    for form, factor in ((term, 1), (grows, -1)):
        last = f"{name}, last of {form}"
        before = sympy.Sum(form, (k, 0, n - 2)) + form.subs(k, n - 1)
        yield Step(last, eq(sympy.Sum(form, (k, 0, n - 1)), before), Split(k, last=1))
        parts[last] = factor
    least = le(sympy.Sum(term, (k, 0, n - 1)), weight * (1 + Log(n)))
    yield Step(f"{name}, by log({n})", least, Combine(parts))


def _rules(said: Sequence[Relation]) -> Iterator[Elementary]:
    """Entries at what formulas name."""
    forms = [side for one in said for side in (one.lhs, one.rhs)]
    exps, logs = (_arguments(forms, kind) for kind in (Exp, Log))
    powers = [one for form in forms for one in atoms(form, sympy.Pow) if not one.exp.is_number]
    for x in exps:
        yield Elementary("exp_tangent", (sympy.S.Zero, x))
        yield Elementary("exp_tangent", (x, sympy.S.Zero))
        yield from (Elementary("halving", (-x, z)) for z in logs)
    for x in logs:
        yield Elementary("log_tangent", (sympy.S.One, x))
    for x, y in permutations(exps, 2):
        yield Elementary("exp_grows", (x, y))
    for x, y in permutations(logs, 2):
        yield Elementary("log_grows", (x, y))
    for power in sorted(set(powers), key=str):
        if exps:
            yield Elementary("decay", (1 - power.base, power.exp))
        yield Elementary("power_sign", (power.base, power.exp))
        yield Elementary("power_grows", (power.base, sympy.S.One, power.exp))
        yield Elementary("bernoulli", (power.base - 1, power.exp))
        yield Elementary("bernoulli_inverse", (1 - power.base, power.exp))


def _arguments(forms: Iterable[Scalar], kind: type) -> list[Scalar]:
    """What exponentials, or logarithms, are taken of."""
    return sorted({one.args[0] for form in forms for one in atoms(form, kind)}, key=str)


def _domain(rule: Elementary, about: Sequence[Hypothesis]) -> tuple[str, ...] | None:
    """The facts that the conditions of an entry need, none too many; None if all do not suffice."""
    stated = rule.stated()
    assert not isinstance(stated, str)

    def enough(some: Sequence[Hypothesis]) -> bool:
        return not unmet(stated, rule.at, tuple(one.relation for one in some))

    if enough(()):
        return ()
    if not enough(about):
        return None
    needed = list(about)
    for one in about:
        fewer = [other for other in needed if other is not one]
        needed = fewer if enough(fewer) else needed
    return tuple(one.name for one in needed)
