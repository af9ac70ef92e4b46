"""From proved counts to the delay matrix, its extremes and its mean, for all p.

D[i][j] = A(i) − R(j): A sums over stages what a backward at i counts, R what a forward at j
counts, both relative to the microbatch. Everything is a polynomial on residue classes of
(p, i, j) modulo the period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.counts import CountForm
from schedules.closed_forms.floor_sums import (
    K,
    P,
    X,
    antidifference,
    floor_sum,
    floor_terms,
    p_,
    x_,
)
from theory.laws.delays.counts import equals
from theory.smt.solver import Outcome, Statement, Term, decide, merge
from theory.verdicts import Verdict

i_, j_ = sympy.symbols("i j", integer=True)
ByResidue = Mapping[int, sympy.Expr]
"""Polynomials in p by the residue of p."""


@dataclass(frozen=True)
class DelayMatrix:
    """The closed form of a delay matrix on residue classes.

    Attributes
    ----------
    period : int
        Modulus q of the classes.
    index, recorded : mapping
        A and R: ``index[a, b]`` for p ≡ a and i ≡ b, in p and the stage symbol ``x``.
    """

    period: int
    index: Mapping[tuple[int, int], sympy.Expr]
    recorded: Mapping[tuple[int, int], sympy.Expr]

    def entry(self, a: int, b: int, c: int) -> sympy.Expr:
        """D[i][j] for p ≡ a, i ≡ b, j ≡ c."""
        entry = self.index[a, b].subs(x_, i_) - self.recorded[a, c].subs(x_, j_)
        return sympy.expand(entry)

    def corner(self, a: int, *, last: bool) -> sympy.Expr:
        """D[0][0], or D[p−1][p−1], for p ≡ a."""
        stage, residue = (p_ - 1, (a - 1) % self.period) if last else (sympy.Integer(0), 0)
        at = self.index[a, residue] - self.recorded[a, residue]
        return sympy.expand(at.subs(x_, stage))


def delay_matrix(counts: CountForm) -> DelayMatrix:
    """Sum the counts over stages.

    Examples
    --------
    >>> from theory.derive import derive
    >>> derive("gpipe").matrix.entry(0, 0, 0)
    -i + p - 1
    """
    classes = [(a, b) for a in range(counts.period) for b in range(counts.period)]

    def sums(kind: Kind) -> dict[tuple[int, int], sympy.Expr]:
        numerators = tuple(counts.numerator[kind].items())
        return {(a, b): floor_sum(numerators, counts.period, a, b) for a, b in classes}

    return DelayMatrix(counts.period, sums(Kind.B), sums(Kind.F))


def prove_matrix(matrix: DelayMatrix, counts: CountForm) -> Outcome:
    """Tie the matrix to the counts: each A and R is the sum of its proved floors.

    On every residue class the floors are affine in k over a proved range (`prove_floor_sums`).
    Here their sums are taken again, by an antidifference that is checked on the spot, and
    compared with the matrix as polynomials in the quotients.
    """
    q, left_over = matrix.period, []
    for kind, table in ((Kind.B, matrix.index), (Kind.F, matrix.recorded)):
        numerators = tuple(counts.numerator[kind].items())
        for a, b in product(range(q), repeat=2):
            on_class = table[a, b].subs({p_: q * P + a, x_: q * X + b}, simultaneous=True)
            total = sympy.Integer(0)
            for term in floor_terms(numerators, q, a, b):
                slope, offset = term.value.coeff(K), term.value.subs(K, 0)
                summed = slope * K * (K - 1) / 2 + offset * K
                left_over.append(summed.subs(K, K + 1) - summed - term.value)
                total += summed.subs(K, term.stop) - summed.subs(K, term.first)
            left_over.append(on_class - total)
    says = "the delay matrix is the sum of the proved floors over all stages"
    return identities("matrix", says, left_over)


def prove_extremes(matrix: DelayMatrix) -> Outcome:
    """Prove that D falls in i and in j, so that corners hold its maximum and its minimum."""
    q, outcomes = matrix.period, []
    for name, table, sign in (("i", matrix.index, 1), ("j", matrix.recorded, -1)):
        for a, b in product(range(q), repeat=2):
            following = table[a, (b + 1) % q].subs(x_, x_ + 1)
            step = sympy.expand(sign * (following - table[a, b]))
            outcomes.append(
                decide(
                    Statement(
                        f"falls-in-{name}",
                        f"D does not grow with {name}",
                        (*_on_class(q, a, b, step), z3.Int("x") + 1 < z3.Int("p")),
                        z3.Int("step") <= 0,
                    )
                )
            )
    says = "D falls in i and j: the maximum is D[0][0], the minimum D[p−1][p−1]"
    return merge("extremes", says, outcomes)


def _on_class(q: int, a: int, b: int, step: sympy.Expr) -> tuple[Term, ...]:
    p, x = z3.Ints("p x")
    defined = equals(z3.Int("step"), step, {p_: p, x_: x})
    return (p >= 2, x >= 0, x < p, p % q == a, x % q == b, defined)


def mean(matrix: DelayMatrix) -> ByResidue:
    """The mean entry by the residue of p: (Σ A − Σ R) / p, an exact sum."""
    n = sympy.Symbol("n", integer=True)
    return {
        a: sympy.expand(sympy.cancel(_partial_sums(matrix, a, n).subs(n, p_) / p_))
        for a in range(matrix.period)
    }


def prove_mean(matrix: DelayMatrix, claimed: ByResidue) -> Outcome:
    """Check a mean by induction on the number n of stages summed over.

    The sum S(n) of A(x) − R(x) over x < n is a polynomial on each class of n; it is right iff
    it is right at the least n of the class and grows by one period's terms from n to n + q.
    """
    q, left_over = matrix.period, []
    n = sympy.Symbol("n", integer=True)
    for a in range(q):
        partial = _partial_sums(matrix, a, n)
        per_stage = {b: matrix.index[a, b] - matrix.recorded[a, b] for b in range(q)}
        growth = sum(form.subs(x_, n + (b - a) % q) for b, form in per_stage.items())
        least = sum(per_stage[b].subs(x_, b) for b in range(a))
        left_over += [
            sympy.expand(partial.subs(n, n + q) - partial - growth),
            sympy.expand(partial.subs(n, a) - least),
            sympy.expand(partial.subs(n, p_) - p_ * claimed[a]),
        ]
    return identities(
        "mean", "mean over all (i, j), by telescoping sums over the stages", left_over
    )


def identities(name: str, says: str, left_over: Sequence[sympy.Expr]) -> Outcome:
    """PROVED if every expression is 0 when it is expanded; UNKNOWN if one is not, or for none.

    Examples
    --------
    >>> [identities("a", "b", rests).verdict.name for rests in ([x_ - x_], [x_], [])]
    ['PROVED', 'UNKNOWN', 'UNKNOWN']
    """
    wrong = [rest for rest in map(sympy.expand, left_over) if rest != 0]
    holds = bool(left_over) and not wrong
    note = f"left over: {wrong[0]}" if wrong else "sympy identities"
    note = note if left_over else "nothing is compared"
    verdict = Verdict.PROVED if holds else Verdict.UNKNOWN
    return Outcome(name, says, verdict, {}, note, len(left_over), ("comparison",))


def _partial_sums(matrix: DelayMatrix, a: int, n: sympy.Symbol) -> sympy.Expr:
    """Σ over x < n of A(x) − R(x), for n ≡ p ≡ a."""
    q = matrix.period
    k = sympy.Symbol("k", integer=True)
    total = sympy.Integer(0)
    for b in range(q):
        term = (matrix.index[a, b] - matrix.recorded[a, b]).subs(x_, q * k + b)
        how_many = (n - a) / sympy.Integer(q) - (b - a) // q
        total += antidifference(sympy.expand(term), k).subs(k, how_many)
    return sympy.expand(total)
