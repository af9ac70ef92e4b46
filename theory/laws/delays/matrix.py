"""From proved counts to the delay matrix, its extremes and its mean, for all p.

D[i][j] = A(i) − R(j): A sums over stages what a backward at i counts, R what a forward at j
counts, both relative to the microbatch. Everything is a polynomial on residue classes of
(p, i, j) modulo the period.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import sympy
import z3

from schedules.actions import Kind
from schedules.closed_forms.affine import Affine
from schedules.closed_forms.counts import CountForm, Region
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
from theory.errors import UnsupportedFormError
from theory.laws.delays.counts import equals
from theory.laws.delays.polynomials import LEAST, nonnegative_from
from theory.smt.solver import Outcome, Statement, Term, decide, have_model, merge
from theory.verdicts import Verdict

i_, j_, n_ = sympy.symbols("i j n", integer=True)
ByResidue = Mapping[int, sympy.Expr]
"""Polynomials in p by the residue of p."""


Table = Mapping[tuple[int, int], sympy.Expr]
"""Polynomials in p and the stage ``x`` by the residues of p and x."""


@dataclass(frozen=True)
class Columns:
    """What forwards have recorded, at the stages with ``guard`` ≥ 0 (None: at all others)."""

    guard: Affine | None
    recorded: Table

    def covers(self, stage: sympy.Expr) -> bool | None:
        """Whether a stage, affine in p, is one of these for every p ≥ 2; None where p decides."""
        if self.guard is None:
            return True
        at = sympy.Poly(self.guard.at({"x": stage, "p": p_}).subs(p_, p_ + LEAST), p_)
        slope, start = at.coeff_monomial(p_), at.coeff_monomial(1)
        if slope >= 0 and start >= 0:
            return True
        return False if slope <= 0 and start < 0 else None


@dataclass(frozen=True)
class DelayMatrix:
    """The closed form of a delay matrix on residue classes.

    Attributes
    ----------
    period : int
        Modulus q of the classes.
    index : mapping
        A: ``index[a, b]`` for p ≡ a and i ≡ b, in p and the stage symbol ``x``.
    recorded : mapping
        R, in the same form, by the stage that recorded.
    apart : tuple of Columns
        Stages that recorded otherwise; the first of them that applies is right.
    """

    period: int
    index: Table
    recorded: Table
    apart: tuple[Columns, ...] = ()

    @property
    def columns(self) -> tuple[Columns, ...]:
        """R as a decision list that ends without a guard."""
        return (*self.apart, Columns(None, self.recorded))

    def entry(self, a: int, b: int, c: int, columns: int = -1) -> sympy.Expr:
        """D[i][j] for p ≡ a, i ≡ b, j ≡ c, and j among these columns."""
        recorded = self.columns[columns].recorded[a, c]
        return sympy.expand(self.index[a, b].subs(x_, i_) - recorded.subs(x_, j_))

    def corner(self, a: int, *, last: bool) -> sympy.Expr:
        """D[0][0], or D[p−1][p−1], for p ≡ a.

        Raises
        ------
        UnsupportedFormError
            Which columns that stage belongs to depends on p.
        """
        stage, residue = (p_ - 1, (a - 1) % self.period) if last else (sympy.Integer(0), 0)
        for columns in self.columns:
            covered = columns.covers(stage)
            if covered:
                at = self.index[a, residue] - columns.recorded[a, residue]
                return sympy.expand(at.subs(x_, stage))
            if covered is None:
                break
        raise UnsupportedFormError(
            f"a stage has one form for every p, found several at {stage}", "matrix", "split p"
        )

    def sums(self, a: int) -> Iterator[tuple[int, Table, int, sympy.Expr]]:
        """Σ over x < p of A(x) − R(x) for p ≡ a, as sign · Σ over x < n of a table, n affine in p.

        Yields
        ------
        int, mapping, int, sympy expression
            Sign, table, the residue of n, and n.
        """
        yield 1, self.index, a, p_
        for columns, start, stop in self._intervals():
            for sign, end in ((-1, stop), (1, start)):
                yield sign, columns.recorded, int(end.subs(p_, a)) % self.period, end

    def _intervals(self) -> Iterator[tuple[Columns, sympy.Expr, sympy.Expr]]:
        """The stages of each entry of the decision list, as start ≤ x < stop, in p.

        Raises
        ------
        UnsupportedFormError
            They are no such ranges for every p ≥ 2.
        """
        start, stop = sympy.Integer(0), p_ + 0
        for columns in self.columns:
            if columns.guard is None:
                yield columns, start, stop
                return
            slope = columns.guard.coefficient("x")
            rest = sympy.sympify(columns.guard.at({"x": 0, "p": p_}))
            cut = -rest if slope == 1 else rest + 1
            inside = (nonnegative_from(cut - start, LEAST), nonnegative_from(stop - cut, LEAST))
            if abs(slope) != 1 or not all(inside):
                raise UnsupportedFormError(
                    f"stages that count alike follow each other, found {columns.guard} ≥ 0",
                    "matrix",
                    "split p",
                )
            if slope == 1:
                yield columns, cut, stop
                stop = cut
            else:
                yield columns, start, cut
                start = cut


def delay_matrix(counts: CountForm) -> DelayMatrix:
    """Sum the counts over stages.

    Examples
    --------
    >>> from theory.derive import derive
    >>> derive("gpipe").matrix.entry(0, 0, 0)
    -i + p - 1
    """
    classes = [(a, b) for a in range(counts.period) for b in range(counts.period)]

    def sums(numerator: Mapping[Region, Affine]) -> dict[tuple[int, int], sympy.Expr]:
        numerators = tuple(numerator.items())
        return {(a, b): floor_sum(numerators, counts.period, a, b) for a, b in classes}

    index, recorded = (sums(counts.numerator[kind]) for kind in (Kind.B, Kind.F))
    apart = tuple(Columns(one.guard, sums(one.numerator)) for one in counts.apart)
    return DelayMatrix(counts.period, index, recorded, apart)


def prove_matrix(matrix: DelayMatrix, counts: CountForm) -> Outcome:
    """Tie the matrix to the counts: each A and R is the sum of its proved floors.

    On every residue class the floors are affine in k over a proved range (`prove_floor_sums`).
    Here their sums are taken again, by an antidifference that is checked on the spot, and
    compared with the matrix as polynomials in the quotients.
    """
    q, left_over = matrix.period, []
    forwards = counts.forwards()
    says = "the delay matrix is the sum of the proved floors over all stages"
    if [one.guard for one in forwards] != [columns.guard for columns in matrix.columns]:
        return identities("matrix", says, [])
    tables = [(counts.numerator[Kind.B], matrix.index)]
    tables += [
        (one.numerator, columns.recorded)
        for one, columns in zip(forwards, matrix.columns, strict=True)
    ]
    for numerator, table in tables:
        numerators = tuple(numerator.items())
        for a, b in product(range(q), repeat=2):
            on_class = table[a, b].subs({p_: q * P + a, x_: q * X + b}, simultaneous=True)
            total = sympy.Integer(0)
            for term in floor_terms(numerators, q, a, b):
                slope, offset = term.value.coeff(K), term.value.subs(K, 0)
                summed = slope * K * (K - 1) / 2 + offset * K
                left_over.append(summed.subs(K, K + 1) - summed - term.value)
                total += summed.subs(K, term.stop) - summed.subs(K, term.first)
            left_over.append(on_class - total)
    return identities("matrix", says, left_over)


def prove_extremes(matrix: DelayMatrix) -> Outcome:
    """Prove that D falls in i and in j, so that corners hold its maximum and its minimum."""
    q, outcomes = matrix.period, []
    rows = (Columns(None, matrix.index),)
    for name, tables, sign in (("i", rows, 1), ("j", matrix.columns, -1)):
        for (here, there), a, b in product(product(tables, repeat=2), range(q), range(q)):
            following = there.recorded[a, (b + 1) % q].subs(x_, x_ + 1)
            step = sympy.expand(sign * (following - here.recorded[a, b]))
            x = z3.Int("x")
            beside = (
                *_on_class(q, a, b, step),
                x + 1 < z3.Int("p"),
                *_among(tables, here, x),
                *_among(tables, there, x + 1),
            )
            if have_model(beside, "stages beside one another") == "unsat":
                continue
            says = f"D does not grow with {name}"
            outcomes.append(
                decide(Statement(f"falls-in-{name}", says, beside, z3.Int("step") <= 0))
            )
    says = "D falls in i and j: the maximum is D[0][0], the minimum D[p−1][p−1]"
    return merge("extremes", says, outcomes)


def _among(tables: Sequence[Columns], own: Columns, stage: Term) -> Iterator[Term]:
    """A stage is one of these columns, and of none before them in the list."""
    for columns in tables:
        if columns.guard is not None:
            at_least = columns.guard.at({"x": stage, "p": z3.Int("p")}) >= 0
            yield at_least if columns is own else z3.Not(at_least)
        if columns is own:
            return


def _on_class(q: int, a: int, b: int, step: sympy.Expr) -> tuple[Term, ...]:
    p, x = z3.Ints("p x")
    defined = equals(z3.Int("step"), step, {p_: p, x_: x})
    return (p >= 2, x >= 0, x < p, p % q == a, x % q == b, defined)


def mean(matrix: DelayMatrix) -> ByResidue:
    """The mean entry by the residue of p: (Σ A − Σ R) / p, an exact sum."""
    return {
        a: sympy.expand(
            sympy.cancel(
                sympy.Add(
                    *(
                        sign * _partial_sums(table, matrix.period, a, c).subs(n_, end)
                        for sign, table, c, end in matrix.sums(a)
                    )
                )
                / p_
            )
        )
        for a in range(matrix.period)
    }


def prove_mean(matrix: DelayMatrix, claimed: ByResidue) -> Outcome:
    """Check a mean by induction on the number n of stages summed over.

    The sum S(n) of a table over x < n is a polynomial on each class of n; it is right iff it is
    right at the least n of the class and grows by one period's terms from n to n + q. The mean is
    made of sums up to the ends of the ranges of stages that count alike, which lie in 0 … p.
    """
    q, left_over = matrix.period, []
    for a in range(q):
        total = sympy.Integer(0)
        for sign, table, c, end in matrix.sums(a):
            partial = _partial_sums(table, q, a, c)
            growth = sum(table[a, b].subs(x_, n_ + (b - c) % q) for b in range(q))
            least = sum(table[a, b].subs(x_, b) for b in range(c))
            left_over += [
                sympy.expand(partial.subs(n_, n_ + q) - partial - growth),
                sympy.expand(partial.subs(n_, c) - least),
            ]
            total += sign * partial.subs(n_, end)
        left_over.append(sympy.expand(total - p_ * claimed[a]))
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


def _partial_sums(table: Table, q: int, a: int, c: int) -> sympy.Expr:
    """Σ over x < n of a table, for p ≡ a and n ≡ c."""
    k = sympy.Symbol("k", integer=True)
    total = sympy.Integer(0)
    for b in range(q):
        term = table[a, b].subs(x_, q * k + b)
        how_many = (n_ - c) / sympy.Integer(q) - (b - c) // q
        total += antidifference(sympy.expand(term), k).subs(k, how_many)
    return sympy.expand(total)
