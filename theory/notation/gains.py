"""What one iteration gains, where a statement about many says it all: a line that is tried unasked.

Σ X(k) ≤ a·S(0) + b·K follows from X(k) ≤ a·(S(k) − S(k + 1)) + b, and S(n) ≤ qⁿ·S(0) + b from
S(k + 1) ≤ q·S(k) + (1 − q)·b; w(n)·F(n) ≤ a·S(0) from w(k + 1)·F(k + 1) + a·S(k + 1) ≤ w(k)·F(k) +
a·S(k), and F(n) ≤ c(n) from F(k + 1) ≤ r·F(k) + c(k + 1) − r·c(k), with 1 for r, or what the step
tells.
Where steps γ(k) fall, Σ w·F(k) ≤ c(K) from w·F(k) ≤ p(k)·S(k) − p(k + 1)·S(k + 1) + c(k + 1) −
c(k), with S(k) = ‖x − x*‖² and p(k + 1) = w/(2γ(k)).
The line is one like any other: without a certificate it is dropped, and nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.atoms import atoms
from theory.kernel.elementary import Log
from theory.kernel.means import Mean
from theory.kernel.relations import Relation, le
from theory.kernel.vectors import Gram, Scalar, Vector, squared


def gains(
    goal: Relation,
    k: Scalar,
    least: Collection[Scalar] = frozenset(),
    known: Iterable[Relation] = (),
    ratios: Iterable[Scalar] = (),
    distances: Iterable[tuple[Scalar, Scalar]] = (),
) -> tuple[Relation, ...]:
    """Lines from each of which a statement about sequences follows by summing, or by induction.

    Parameters
    ----------
    goal : Relation
    k : sympy symbol
        What counts iterations.
    least : collection of sympy symbols
        Lower bounds: they stand for what is left in the end, and no iteration has a part of them.
    known : iterable of Relation
        What is assumed. A line about iteration k does not name K; a stepsize that is made of K may.
    ratios : iterable of sympy expressions
        What an iteration may leave of what it begins with, as `ratios_of` tells them.
    distances : iterable of (sympy function, sympy expression)
        Sequences that are squares of distances, with the steps of what moves: see `distances_of`.

    Examples
    --------
    >>> from theory.notation.names import count, index, positive
    >>> from theory.notation.summed import total
    >>> k, K, (a, q) = index("k"), count("K"), positive("a q")
    >>> X, S = sympy.Function("X"), sympy.Function("S")
    >>> def said(goal):
    ...     return [str(one) for one in gains(goal, k, ratios=[k / (k + 2)])]
    >>> said(le(total(X(k), k, K) / K, S(0) / (a * K) + q))
    ['X(k) <= q + (S(k) - S(k + 1))/a']
    >>> said(le(S(K), q**K * S(0) + a / (1 - q)))
    ['S(k + 1) <= a + q*S(k)']
    >>> said(le(X(K), a * S(0) / K))
    ['a*S(k + 1) + (k + 1)*X(k + 1) <= a*S(k) + k*X(k)']
    >>> said(le(X(K), a / (K + 2)))
    ['X(k + 1) <= a*(k + 4)/((k + 2)**2*(k + 3)) + k*X(k)/(k + 2)']
    """
    if goal.kind != "<=":
        return ()
    sums = sorted(atoms(goal.lhs, sympy.Sum), key=str)
    if sums:
        most = _most(goal, k, sums[0])
        if most is None:
            return ()
        line, count = _of_sum(most, k, sums[0], least), sums[0].limits[0][2] + 1
        one = line if line is None or not line.gap.has(count) else _without(line, count, known)
        falling = _of_distances(most, k, sums[0], distances)
        weighted = _of_weights(most, k, sums[0])
        return (*falling, *weighted, *([] if one is None else [one]))
    last = _last(goal, k)
    if last is None:
        return ()
    plain = _of_powers(goal, k)
    potentials = () if plain is not None else tuple(_of_potential(goal, k, last))
    return (plain,) if plain is not None else potentials or (*_of_bound(goal, k, last, ratios),)


def ratios_of(
    iterates: Iterable[tuple[Vector, Vector]],
    moduli: Iterable[Scalar],
    known: Iterable[Relation] = (),
) -> list[Scalar]:
    """What an iteration may leave: of x⁺ = r·x + …, r; of x⁺ = x − γg, 1 − γμ or 1 − 2γμ.

    Where ‖w‖² ≤ r·‖d‖² is assumed, r, what is half-way to 1, or √r: the rest is for what disturbs.

    Parameters
    ----------
    iterates : iterable of (Vector, Vector)
        What moves, and where to.
    moduli : iterable of sympy expressions
        Of strong convexity, and the like.
    known : iterable of Relation
        What is assumed.
    """
    found: dict[Scalar, None] = {}
    moduli = [*moduli]
    for now, then in iterates:
        for name, factor in then.terms:
            own = [factor] if name in now.names else []
            steps = (factor * modulus for modulus in moduli if name not in now.names)
            falls = (1 + j * step for step in steps if not step.is_nonnegative for j in (1, 2))
            found |= dict.fromkeys([*own, *falls])
    for said in (one for one in known if one.kind == "<="):
        shares = (one.as_independent(Gram, Mean, as_Add=False) for one in (said.lhs, said.rhs))
        (over, left), (left_of, right) = shares
        share = left_of / over
        if left != 1 and right != 1 and share.free_symbols and not (share - 1).is_nonnegative:
            root = sympy.sqrt(share)
            plain = [root] if all(one.exp.is_Integer for one in atoms(root, sympy.Pow)) else []
            found |= dict.fromkeys([share, (1 + share) / 2, *plain])
    return [one for form in found if (one := sympy.cancel(form)) != 1]


def start_of(goal: Relation, k: Scalar) -> Relation | None:
    """What a statement about every n says of n = 0, said of iteration k.

    Examples
    --------
    >>> n, k = sympy.symbols("n k", integer=True, nonnegative=True)
    >>> F, S = sympy.Function("F"), sympy.Function("S")
    >>> print(start_of(le((n + 2) * F(n), S(0)), k))
    2*F(k) <= S(k)
    """
    last = _last(goal, k)
    starts = atoms(goal.rhs, AppliedUndef)
    if last is None or not starts or any(one.args != (0,) for one in starts):
        return None
    first = {last.args[0]: sympy.S.Zero}
    sides = [
        one.subs(first).replace(_is_start, lambda one: one.func(k)) for one in (goal.lhs, goal.rhs)
    ]
    defined = all(not one.has(sympy.zoo, sympy.nan) for one in sides) and sides[0] != 0
    return le(*sides) if defined else None


def _is_start(form: Scalar) -> bool:
    return isinstance(form, AppliedUndef) and form.args == (0,)


def distances_of(
    iterates: Iterable[tuple[Vector, Vector]],
    sequences: Mapping[Scalar, Scalar],
    k: Scalar,
    known: Iterable[Relation] = (),
) -> list[tuple[Scalar, Scalar]]:
    """Of x⁺ = x − γ(k)·(g + …), every sequence that is the square of a distance of x, with γ(k).

    Of a projection y of x − γ(k)·g, by which x⁺ = y is no further from u, likewise.

    Parameters
    ----------
    iterates : iterable of (Vector, Vector)
        What moves, and where to.
    sequences : mapping of sympy function to sympy expression
        What they are the means of.
    k : sympy symbol
        What counts iterations.
    known : iterable of Relation
        What is assumed.
    """
    found, known = [], [*known]
    for now, y in iterates:
        then = _projected(now, y, known)
        steps = {-factor for name, factor in (then - now).terms}
        if len(steps) == 1 and not now.names & (then - now).names:
            (step,) = steps
            near = (S for S, value in sequences.items() if sympy.expand(value).coeff(now**2) == 1)
            found += [(S, step) for S in near if sympy.sympify(step).has(k)]
    return found


def _projected(now: Vector, y: Vector, known: Iterable[Relation]) -> Vector:
    """What y is projected from, if ‖y − u‖² ≤ ‖x − γg − u‖² is assumed; else y."""
    for one in known:
        near = squared(one.lhs) if one.kind == "<=" and atoms(one.lhs, Gram) else None
        far = None if near is None else squared(one.rhs)
        if near is None or far is None or near[0] != far[0] or not y.names <= near[1].names:
            continue
        same = near[1] if dict(near[1].terms)[y.terms[0][0]] == 1 else -near[1]
        for point in (far[1], -far[1]):
            moved = point - same + y
            if not now.names & (moved - now).names and not y.names & moved.names:
                return moved
    return y


def _of_distances(
    bound: tuple[Scalar, Scalar],
    k: Scalar,
    summed: Scalar,
    distances: Iterable[tuple[Scalar, Scalar]],
) -> Iterator[Relation]:
    """Of Σ w·F(k) ≤ c(K), lines with distances of which the first has no weight."""
    count, (kept, most) = summed.limits[0][2] + 1, bound
    if _calls(most):
        return
    weight = sympy.Mul(kept, *(f for f in sympy.Mul.make_args(summed.function) if not _calls(f)))
    for S, step in distances:
        later = sympy.cancel(weight / (2 * step))
        now = later.subs(k, k - 1)
        if now.subs(k, 0) == 0:
            potential = sympy.factor(now) * S(k) - sympy.factor(later) * S(k + 1)
            line = le(kept * summed.function, potential + _added(most, k, count))
            if not line.gap.has(count):
                yield line


def _of_weights(bound: tuple[Scalar, Scalar], k: Scalar, summed: Scalar) -> Iterator[Relation]:
    """Of Σ rᵏ·X(k) ≤ a·S(0) + c(K), a line with a·rᵏ·S(k) for the potential."""
    count, (kept, most) = summed.limits[0][2] + 1, bound
    factors = sympy.Mul.make_args(summed.function)
    weight = sympy.Mul(*(one for one in factors if not _calls(one)))
    ratio = sympy.powsimp(sympy.expand_power_exp(weight.subs(k, k + 1) / weight))
    starts = atoms(most, AppliedUndef)
    if ratio == 1 or ratio.has(k) or len(starts) != 1 or atoms(most, sympy.Sum):
        return
    (start,) = starts
    size = sympy.factor(most.coeff(start))
    rest = sympy.expand(most - most.coeff(start) * start)
    if start.args == (0,) and not size.has(count) and not _calls(rest):
        now, later = size * ratio**k * start.func(k), size * ratio ** (k + 1) * start.func(k + 1)
        more = sympy.factor(rest.subs(count, k + 1) - rest.subs(count, k))
        yield le(kept * summed.function, now - later + more)


def unweighted(line: Relation, k: Scalar) -> Relation | None:
    """A line with weights rᵏ, divided by them; None if no other k is then left.

    Examples
    --------
    >>> k, q = sympy.Symbol("k", integer=True, nonnegative=True), sympy.Symbol("q", positive=True)
    >>> X, S = sympy.Function("X"), sympy.Function("S")
    >>> print(unweighted(le(q ** (-k - 1) * X(k), q**-k * S(k) - q ** (-k - 1) * S(k + 1)), k))
    X(k)/q <= S(k) - S(k + 1)/q
    """
    powers = [one for one in atoms(line.gap, sympy.Pow) if one.exp.has(k) and not one.base.has(k)]
    if not powers:
        return None
    each = sympy.expand_power_exp(powers[0]).as_independent(k, as_Add=False)[1]
    sides = []
    for side in (line.lhs, line.rhs):
        terms = (sympy.expand_power_exp(one) / each for one in sympy.Add.make_args(side))
        sides.append(sympy.Add(*(sympy.powsimp(sympy.simplify(one)) for one in terms)))
    left = (one for side in sides for one in atoms(side, sympy.Pow))
    return None if any(one.exp.has(k) for one in left) else le(*sides)


def _most(goal: Relation, k: Scalar, summed: Scalar) -> tuple[Scalar, Scalar] | None:
    """What a sum over iterations 0 to K − 1 is at most, after a factor that may be 0."""
    running, first, last = summed.limits[0]
    total = sympy.Dummy()
    left = sympy.expand(goal.lhs.xreplace({summed: total}))
    factor = left.coeff(total)
    if (running, first) != (k, 0) or not (last + 1).is_Symbol or factor == 0:
        return None
    own, rate = sympy.together(factor).as_independent(last + 1, as_Add=False)
    kept, over = (sympy.S.One, factor) if own.is_positive else (own, rate)
    rest = sympy.expand((goal.rhs - sympy.expand(left - factor * total)) / over)
    if sympy.fraction(sympy.together(rest))[1].has(last + 1):
        return kept, sympy.expand(sympy.cancel(rest))
    terms = sympy.Add.make_args(rest)  # K·G(0)/(K − Kr), where K goes out again
    return kept, sympy.Add(*(sympy.cancel(t) if t.has(last + 1) else t for t in terms))


def _added(most: Scalar, k: Scalar, count: Scalar) -> Scalar:
    """What iteration k adds to what is bounded: c/(k + 1) to c·ln K."""
    logs = most.coeff(Log(count))
    rest = most - logs * Log(count)
    return logs / (k + 1) + sympy.factor(rest.subs(count, k + 1) - rest.subs(count, k))


def _calls(form: Scalar) -> bool:
    return bool(atoms(form, AppliedUndef, sympy.Sum))


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
    bound: tuple[Scalar, Scalar], k: Scalar, summed: Scalar, least: Collection[Scalar]
) -> Relation | None:
    """Of Σ X ≤ a·(S(0) − S(K)) + b·K + Σ Y, what one iteration has of it."""
    kept, most = bound
    starts = {one.func for one in atoms(most, AppliedUndef) if one.args == (0,)}
    terms = sympy.Add.make_args(most)
    parts = [_part(term, k, summed.limits, least, starts) for term in terms]
    said = [one for one in parts if one is not None]
    return le(kept * summed.function, sympy.Add(*said)) if len(said) == len(parts) else None


def _part(
    term: Scalar, k: Scalar, limits: Any, least: Collection[Scalar], starts: Collection[Scalar]
) -> Scalar | None:
    """What one of so many iterations has of a term; None if that is not told by the term.

    Of c·S(K), where nothing is said of S(0), how much S grows: it is at least 0 at the start.
    """
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
    if call.args == (0,):
        return weight * (call.func(k) - call.func(k + 1))
    grows = weight.is_positive and call.is_nonnegative and call.func not in starts
    return weight * (call.func(k + 1) - call.func(k)) if grows else sympy.S.Zero


def _last(goal: Relation, k: Scalar) -> Scalar | None:
    """The one sequence that is bounded, in iteration n."""
    calls = [*atoms(goal.lhs, AppliedUndef)]
    if len(calls) != 1 or not calls[0].args[0].is_Symbol or calls[0].args[0] == k:
        return None
    rest = sympy.expand(goal.lhs - goal.lhs.coeff(calls[0]) * calls[0])
    return calls[0] if rest == 0 else None


def _of_powers(goal: Relation, k: Scalar) -> Relation | None:
    call = goal.lhs
    if not isinstance(call, AppliedUndef):
        return None
    now, count = call.func, call.args[0]
    powers = [one for one in atoms(goal.rhs, sympy.Pow) if one.exp in (count, -count)]
    ratio = goal.rhs.coeff(now(0)) or (powers[0] if len(powers) == 1 else sympy.S.Zero)
    base = base_of(ratio, count)
    rest = sympy.expand(goal.rhs - goal.rhs.coeff(now(0)) * now(0))
    if ratio == 1:  # as much in every iteration, or nothing
        each = rest.coeff(count)
        grows = sympy.expand(rest - each * count) == 0 and not atoms(each, AppliedUndef)
        return le(now(k + 1), now(k) + each) if grows else None
    rest = sympy.expand(rest - rest.coeff(ratio) * ratio)  # what the start has beside S(0)
    if base is None or rest.has(count) or atoms(rest, AppliedUndef):
        return None
    return le(now(k + 1), base * now(k) + sympy.cancel((1 - base) * rest))


def base_of(ratio: Scalar, count: Scalar) -> Scalar | None:
    """The q of qⁿ, also where it is made of several powers; None if a ratio is no such one.

    Examples
    --------
    >>> n, a, b = sympy.Symbol("n", integer=True), *sympy.symbols("a b", positive=True)
    >>> base_of((a / b) ** (2 * n), n), base_of(a ** (n + 1), n), base_of(a, n)
    (a**2/b**2, None, None)
    """
    split = [one.as_base_exp() for one in sympy.Mul.make_args(ratio)]
    powers = [(base, sympy.cancel(power / count)) for base, power in split]
    if any(one.has(count) for pair in powers for one in pair):
        return None
    return sympy.Mul(*(base**power for base, power in powers))


def _of_potential(goal: Relation, k: Scalar, last: Scalar) -> Iterator[Relation]:
    """Of w(n)·F(n) ≤ a·S(0) + b·n, that w·F + a·S grows by b at most; w may stand below a and b.

    Where F(0) is not part of what it starts with, w(k) − w(0) may do: the rest is at most a·S(n).
    """
    count = last.args[0]
    above, below = sympy.fraction(sympy.together(goal.rhs))
    over, weight = below.as_independent(count, as_Add=False)
    rest, weight = sympy.expand(above / over), goal.lhs.coeff(last) * weight
    starts = atoms(rest, AppliedUndef)
    weights = {call: rest.coeff(call) for call in sorted(starts, key=str)}
    rest = sympy.expand(rest - sympy.Add(*(w * call for call, w in weights.items())))
    each = rest.coeff(count)
    mixed = any(w == 0 or w.has(count, AppliedUndef) for w in weights.values())
    strange = any(call.args != (0,) for call in starts)
    if strange or mixed or not weights or rest.has(AppliedUndef) or rest != each * count:
        return

    def potential(i: Scalar, less: Scalar) -> Scalar:
        others = (w * call.func(i) for call, w in weights.items() if call.func != last.func)
        return sympy.expand(weight.subs(count, i) - less) * last.func(i) + sympy.Add(*others)

    first = weight.subs(count, 0)
    for less in dict.fromkeys((first, sympy.S.Zero) if last.func(0) not in weights else (0,)):
        yield le(potential(k + 1, less), potential(k, less) + each)


def _of_bound(
    goal: Relation, k: Scalar, last: Scalar, ratios: Iterable[Scalar]
) -> Iterator[Relation]:
    """Of F(n) ≤ c(n), that an iteration leaves r of F, and adds what keeps it below."""
    now, count = last.func, last.args[0]
    bound = goal.rhs / goal.lhs.coeff(last)
    if not atoms(bound, AppliedUndef):
        alike = [ratio for ratio in ratios if ratio.has(k) == bound.has(count)]
        grows = bound.has(count) and not sympy.fraction(sympy.together(bound))[1].has(count)
        unlike = [(k + 2) / (k + 1)] if grows and bound.subs(count, 0) == 0 else []
        for ratio in (*alike, *([sympy.S.One] if grows else []), *unlike):
            added = bound.subs(count, k + 1) - ratio * bound.subs(count, k)
            yield le(now(k + 1), ratio * now(k) + _defined(sympy.factor(added), k))


def _defined(added: Scalar, k: Scalar) -> Scalar:
    """What is added, less where it would be without bound in iteration 0: c/(k + 1) for c/k."""
    above, below = sympy.fraction(added)
    while below.subs(k, 0) == 0:
        below = sympy.cancel(below / k) * (k + 1)
    return sympy.factor(above / below)
