"""How tight the bounds of the paper are: runs that attain them, and worst cases of short runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.papers.rpd import symbols as s
from theory.papers.rpd import thm_4_1
from theory.papers.rpd.lemmas import sharp_thm_4_1
from theory.papers.rpd.runs import extremal
from theory.tightness.evidence import (
    Attained,
    Comparison,
    Table,
    Tightness,
    constants,
    root,
    valued,
)
from theory.tightness.worst_case import START, Place, Program, moved


@dataclass(frozen=True)
class Rpd:
    """K updates of RPD in which update k reads every block min(τ, k) updates back.

    Attributes
    ----------
    p, K, tau : int
    gamma, L, G2, Delta : Fraction
        `G2` is G².
    noisy : bool
        Two components, whose gradients at a point are ∇f ± e for any e; else one.
    """

    p: int
    K: int
    tau: int
    gamma: Fraction
    L: Fraction
    G2: Fraction
    Delta: Fraction
    noisy: bool = False


_ONE = Fraction(1)
_HALF = Fraction(1, 2)

RPD_RUNS = (
    Rpd(p=1, K=2, tau=0, gamma=_HALF, L=_ONE, G2=_ONE, Delta=_ONE),
    Rpd(p=1, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE),
    Rpd(p=1, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE, noisy=True),
    Rpd(p=1, K=3, tau=1, gamma=Fraction(2), L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=2, tau=0, gamma=_ONE, L=_ONE, G2=_ONE, Delta=_ONE, noisy=True),
    Rpd(p=2, K=3, tau=0, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE),
    Rpd(p=2, K=3, tau=1, gamma=_ONE, L=_ONE, G2=_HALF, Delta=_ONE, noisy=True),
    Rpd(p=2, K=4, tau=2, gamma=Fraction(2), L=_ONE, G2=_HALF, Delta=_ONE),
)
"""Small enough to be solved in seconds; γ = 2/L is among them, as (3) holds there too."""


def worst_rpd(run: Rpd) -> float:
    """Largest mean of E‖∇f(x^k)‖² over k < K.

    f is L-smooth, f(x⁰) − inf f is at most Δ, block gradients along the run have norm at most G.

    Raises
    ------
    MissingProgramError, UnsolvedError
    """
    program = Program(run.L, run.gamma, run.p)
    signs = (1, -1) if run.noisy else (0,)
    histories: list[tuple[Place, ...]] = [(START,)]
    total: Any = 0
    for k in range(run.K):
        total += program.mean_square([history[-1] for history in histories])
        longer = []
        for history in histories:
            read = history[k - min(run.tau, k)]
            for sign, block in product(signs, range(run.p)):
                move = (read, sign, block)
                program.at_most(program.vector(move), run.G2)
                longer.append((*history, moved(history[-1], move)))
        histories = longer
    return program.worst(total / run.K, run.Delta)


def rpd_bounds(run: Rpd) -> tuple[Fraction, Fraction]:
    """Theorem 4.1's bound as printed and as sharpened.

    Examples
    --------
    >>> rpd_bounds(RPD_RUNS[-1])
    (Fraction(21, 2), Fraction(17, 2))
    """
    values = {s.p: run.p, s.K: run.K, s.tau: run.tau, s.gamma: run.gamma}
    values |= {s.L: run.L, s.Delta: run.Delta, s.G: root(run.G2)}
    return valued(thm_4_1.CLAIM.printed, values), valued(sharp_thm_4_1.CLAIM.printed, values)


def compare_rpd() -> list[Comparison]:
    """Theorem 4.1 on `RPD_RUNS`.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    return [Comparison(constants(run), *rpd_bounds(run), worst_rpd(run)) for run in RPD_RUNS]


TIGHTNESS: Mapping[str, Tightness] = {
    "rpd.lemma-b2": Attained(lambda: extremal.stale_distance(3, 4, Fraction(1, 2))),
    "rpd.lemma-b2-expected": Attained(
        lambda: extremal.expected_stale_distance(3, 4, Fraction(1, 2)), "γ²G²τ(τ+p−1)/p"
    ),
    "rpd.lemma-i2": Attained(
        lambda: extremal.extrapolated_distance(3, 4, Fraction(1, 2), Fraction(9, 10)), "(γG(τ+β))²"
    ),
    "rpd.thm-h1": Attained(lambda: extremal.gap_after_one_step(3, Fraction(2), Fraction(1, 5))),
    "rpd.eq-15": Attained(lambda: extremal.gap_at_largest_stepsize(3, Fraction(2))),
    "rpd.thm-4.1": Table(
        "Theorem 4.1",
        "The mean of E‖∇f(x^k)‖² over k < K. *Sharpened* has τ(τ+p−1)/p in place of τ². L = Δ = 1.",
        ("p", "K", "tau", "gamma", "G2", "noisy"),
        compare_rpd,
    ),
}
