"""How tight (11) is: worst cases of short runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.papers.localsgd import eq_12
from theory.papers.localsgd.lemmas import sharp_eq_12
from theory.papers.rpd import symbols as s
from theory.tightness.evidence import Comparison, Table, Tightness, constants, root, valued
from theory.tightness.worst_case import START, Move, Place, Program, moved

_ONE = Fraction(1)
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Local:
    """T local steps of LocalSGD with two replicas, averaged after every H-th.

    Attributes
    ----------
    T, H : int
    gamma, L, Gt2, sigma2, Delta : Fraction
        `Gt2` is G̃², `sigma2` is σ². A stochastic gradient is ∇f ± e, both equally likely, where e
        may differ from one local model to the next.
    """

    T: int
    H: int
    gamma: Fraction
    L: Fraction
    Gt2: Fraction
    sigma2: Fraction
    Delta: Fraction


LOCAL_RUNS = tuple(
    Local(T, H, gamma, L=_ONE, Gt2=_ONE, sigma2=_HALF, Delta=_ONE)
    for T, H, gamma in ((2, 2, _ONE), (3, 1, _ONE), (3, 2, _HALF), (3, 2, _ONE), (3, 3, _ONE))
)


def worst_local(run: Local) -> float:
    """Largest mean of E‖∇f(x̄^t)‖² over t < T, where x̄ is the average of the two replicas.

    f is L-smooth and f(x⁰) − inf f is at most Δ; the second moment of a stochastic gradient is at
    most G̃², its variance at most σ².

    Raises
    ------
    MissingProgramError, UnsolvedError
    """
    program = Program(run.L, run.gamma, blocks=1)
    pairs: list[tuple[Place, Place]] = [(START, START)]
    total: Any = 0
    for t in range(run.T):
        total += program.mean_square([_average(pair) for pair in pairs])
        for place in {place for pair in pairs for place in pair}:
            program.at_most(program.noise(place), run.sigma2)
            program.at_most(program.gradient(place), run.Gt2, program.noise(place))
        pairs = [
            (moved(one, (one, sign, 0)), moved(other, (other, opposite, 0)))
            for one, other in pairs
            for sign, opposite in product((1, -1), repeat=2)
        ]
        if (t + 1) % run.H == 0:
            pairs = [(_average(pair),) * 2 for pair in pairs]
    return program.worst(total / run.T, run.Delta)


def _average(pair: tuple[Place, Place]) -> Place:
    moves: dict[Move, Fraction] = {}
    for place in pair:
        for move, count in place:
            moves[move] = moves.get(move, Fraction(0)) + count / 2
    return frozenset(moves.items())


def local_bounds(run: Local) -> tuple[Fraction, Fraction]:
    """(11) as printed and as sharpened: (12) at p = 1, where K = N·T.

    Examples
    --------
    >>> local_bounds(LOCAL_RUNS[0])
    (Fraction(69, 4), Fraction(9, 4))
    """
    values = {s.p: 1, s.N: 2, s.K: 2 * run.T, s.H: run.H, s.gamma: run.gamma}
    values |= {s.L: run.L, s.Delta: run.Delta, s.Gt: root(run.Gt2), s.sigma: root(run.sigma2)}
    return valued(eq_12.CLAIM.printed, values), valued(sharp_eq_12.CLAIM.printed, values)


def compare_local() -> list[Comparison]:
    """(11) on `LOCAL_RUNS`.

    Raises
    ------
    theory.tightness.worst_case.MissingProgramError
    """
    return [Comparison(constants(run), *local_bounds(run), worst_local(run)) for run in LOCAL_RUNS]


TIGHTNESS: Mapping[str, Tightness] = {
    "localsgd.eq-11": Table(
        "LocalSGD, (11)",
        "The mean of E‖∇f(x̄^t)‖² over t < T, two replicas. *Sharpened* has (H−1)² in place of 4H². "
        "L = Δ = 1.",
        ("T", "H", "gamma", "Gt2", "sigma2"),
        compare_local,
    )
}
