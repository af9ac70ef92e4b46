"""Compare a formula for the entries of a delay matrix with the derived one, class by class.

Formulas use the paper's 1-based i and j, and may contain floor and ceiling.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import sympy

from schedules.closed_forms.floor_sums import p_
from theory.account import Compared, Decision, Line, Refutation, Violation
from theory.kernel import le
from theory.laws.delays.comparison import bounded
from theory.laws.delays.matrix import i_, j_
from theory.papers.rpd.lemmas.laws import HALF, PAPER, SIZES, closed, replayed_entry

_QUOTIENTS = sympy.symbols("P I J", integer=True, nonnegative=True)


def gaps(
    claimed: sympy.Expr, linearization: str, parity: int
) -> Iterator[tuple[tuple[int, int], sympy.Expr]]:
    """Derived minus claimed entry on the classes of (i, j), 0-based, for p of one parity."""
    matrix = closed(linearization).matrix
    q = matrix.period
    for b, c in product(range(q), repeat=2):
        on_class = {
            symbol: q * quotient + residue
            for symbol, quotient, residue in zip(
                (p_, i_, j_), _QUOTIENTS, (parity % q, b, c), strict=True
            )
        }
        shifted = claimed.subs({i_: i_ + 1, j_: j_ + 1}, simultaneous=True)
        gap = matrix.entry(parity % q, b, c) - shifted
        here = sympy.expand(gap.subs(on_class, simultaneous=True))
        back = {
            quotient: (symbol - residue) / sympy.Integer(q)
            for symbol, quotient, residue in zip(
                (p_, i_, j_), _QUOTIENTS, (parity % q, b, c), strict=True
            )
        }
        yield (b, c), sympy.expand(here.subs(back, simultaneous=True))


SEARCHED = 12
"""Largest p at which entries are compared with replays."""

BY_SLOTS = p_ / 2 * (2 * p_ - i_ - j_ + 1)
"""What the printed proof counts: p/2 updates in every slot of the window."""

STAGES = (le(1, i_), le(i_, p_), le(1, j_), le(j_, p_))
"""What every statement about an entry supposes of it."""


def by_slots() -> Line:
    """The line of the printed proofs that takes `BY_SLOTS` for the delay."""
    return Line(
        "Lemma C.1, proof, case 1",
        "the delay is the number of updates in the window's slots, (p/2)(2p − i − j + 1)",
        "compared with the derived delay matrix",
        entry_is(BY_SLOTS, PAPER, 0),
    )


def entry_is(claimed: sympy.Expr, linearization: str, parity: int) -> Decision:
    """Whether the claimed entry is right for every p ≥ 2 of a parity and every i and j."""
    same = entries_equal(claimed, linearization, parity)
    return Decision((same,), None if same.holds else wrong_entry(claimed, linearization, parity))


def entries_equal(claimed: sympy.Expr, linearization: str, parity: int) -> Compared:
    """The comparison with the derived entry, class by class."""
    return Compared(
        f"in `{linearization}` it is the derived entry on all classes of i and j, p = {parity} "
        "mod 2",
        "theory.papers.rpd.lemmas.entries.gaps",
        all(gap == 0 for _, gap in gaps(claimed, linearization, parity)),
    )


def wrong_entry(claimed: sympy.Expr, linearization: str, parity: int) -> Refutation | None:
    """The least p, i, j at which a replay differs from the claim; None if none does."""
    for p in range(2 + parity % 2, SEARCHED + 1, 2):
        for i, j in product(range(p), repeat=2):
            at = {p_: p, i_: i + 1, j_: j + 1, HALF: p // 2}
            found, printed = replayed_entry(p, i, j, linearization), claimed.subs(at)
            if printed != found:
                witness = {
                    "linearization": linearization,
                    "p": p,
                    "i (from 1)": i + 1,
                    "j (from 1)": j + 1,
                    "delay": found,
                    "printed": str(printed),
                }
                again = partial(replayed_entry, p, i, j, linearization)
                under = (*SIZES[parity], *STAGES)
                return Refutation(witness, Violation(again, "==", claimed, at, under))
    return None


def corner_excess(claimed: sympy.Expr, linearization: str, parity: int) -> str:
    """For every C: which p of a parity have an entry that misses the claim by more than C.

    Looks at i = p, j = 1 and at i = 1, j = p; empty if both stay bounded.
    """
    for stages, label in (
        ({i_: p_ - 1, j_: 0}, "i = p, j = 1 (from 1)"),
        ({i_: 0, j_: p_ - 1}, "i = 1, j = p (from 1)"),
    ):
        residues = tuple(int(sympy.sympify(stages[s]).subs(p_, parity)) % 2 for s in (i_, j_))
        gap = next(g for key, g in gaps(claimed, linearization, parity) if key == residues)
        outcome = bounded({0: sympy.expand(gap.subs(stages))}, sympy.Integer(0))
        if outcome.exceeds:
            return f"{label}: {outcome.exceeds}"
    return ""
