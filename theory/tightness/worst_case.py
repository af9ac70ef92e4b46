"""Worst cases of short runs as semidefinite programs (PEPit; extra ``sdp``).

Positions are linear in the gradients of a run, so the worst function of a class is the worst Gram
matrix of its gradients. All branches of the random draws are in one program, which makes the
expectation linear in its unknowns. Blocks of the model are a block partition.

Values are floating point, within the solver's tolerance, and belong to the run described: delays
fixed, noise of two equally likely values. So they are at most what the theorems' hypotheses allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from importlib.util import find_spec
from itertools import product
from typing import Any, Final

from theory.errors import TheoryError

SOLVER: Final = "CLARABEL"
"""The one solver that is used, so that a value depends on no choice made elsewhere."""

TOLERANCE: Final = 1e-5
"""Primal and dual value are this close, relative to the larger of 1 and the value."""

Move = tuple["Place", int, int]
"""What a step subtracts: where its gradient is taken, sign of the noise, block."""

Place = frozenset[tuple[Move, Fraction]]
"""How often each move was subtracted from x⁰. Branches that meet have one gradient there."""

START: Final[Place] = frozenset()


class MissingProgramError(TheoryError):
    """PEPit is not installed."""


class UnsolvedError(TheoryError):
    """The solver found no value within the tolerance."""


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


def available() -> bool:
    """Whether the extra ``sdp`` is installed."""
    return all(find_spec(name) is not None for name in ("PEPit", "cvxpy", "clarabel"))


def versions() -> dict[str, str]:
    """Versions of what computes the values."""
    return {name: version(name) for name in ("PEPit", "cvxpy", "clarabel")}


def worst_rpd(run: Rpd) -> float:
    """Largest mean of E‖∇f(x^k)‖² over k < K.

    f is L-smooth, f(x⁰) − inf f is at most Δ, block gradients along the run have norm at most G.

    Raises
    ------
    MissingProgramError, UnsolvedError
    """
    program = _Program(run.L, run.gamma, run.p)
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
                longer.append((*history, _moved(history[-1], move)))
        histories = longer
    return program.worst(total / run.K, run.Delta)


def worst_local(run: Local) -> float:
    """Largest mean of E‖∇f(x̄^t)‖² over t < T, where x̄ is the average of the two replicas.

    f is L-smooth and f(x⁰) − inf f is at most Δ; the second moment of a stochastic gradient is at
    most G̃², its variance at most σ².

    Raises
    ------
    MissingProgramError, UnsolvedError
    """
    program = _Program(run.L, run.gamma, blocks=1)
    pairs: list[tuple[Place, Place]] = [(START, START)]
    total: Any = 0
    for t in range(run.T):
        total += program.mean_square([_average(pair) for pair in pairs])
        for place in {place for pair in pairs for place in pair}:
            program.at_most(program.noise(place), run.sigma2)
            program.at_most(program.gradient(place), run.Gt2, program.noise(place))
        pairs = [
            (_moved(one, (one, sign, 0)), _moved(other, (other, opposite, 0)))
            for one, other in pairs
            for sign, opposite in product((1, -1), repeat=2)
        ]
        if (t + 1) % run.H == 0:
            pairs = [(_average(pair),) * 2 for pair in pairs]
    return program.worst(total / run.T, run.Delta)


def _moved(place: Place, move: Move) -> Place:
    moves = dict(place)
    moves[move] = moves.get(move, Fraction(0)) + 1
    return frozenset(moves.items())


def _average(pair: tuple[Place, Place]) -> Place:
    moves: dict[Move, Fraction] = {}
    for place in pair:
        for move, count in place:
            moves[move] = moves.get(move, Fraction(0)) + count / 2
    return frozenset(moves.items())


class _Program:
    """The program while it is being written: gradients and noise by place."""

    def __init__(self, L: Fraction, gamma: Fraction, blocks: int) -> None:
        if not available():
            raise MissingProgramError(
                "worst cases need PEPit and cvxpy, which are not installed",
                "--deep",
                "run: pip install 'staleproof[sdp]'",
            )
        from PEPit import PEP
        from PEPit.functions import SmoothFunction

        self._pep = PEP()
        self._L, self._gamma = float(L), float(gamma)
        self._f = self._pep.declare_function(SmoothFunction, L=self._L)
        self._blocks = self._pep.declare_block_partition(d=blocks)
        self._points: dict[Place, Any] = {START: self._pep.set_initial_point()}
        self._noise: dict[Place, Any] = {}

    def gradient(self, place: Place) -> Any:
        """∇f at a place."""
        return self._f.gradient(self._point(place))

    def noise(self, place: Place) -> Any:
        """The e of a place."""
        from PEPit import Point

        if place not in self._noise:
            self._noise[place] = Point()
        return self._noise[place]

    def vector(self, move: Move) -> Any:
        """What a move subtracts, before the stepsize."""
        place, sign, block = move
        vector = self._blocks.get_block(self.gradient(place), block)
        if sign:
            vector = vector + sign * self._blocks.get_block(self.noise(place), block)
        return vector

    def mean_square(self, places: list[Place]) -> Any:
        """Mean of ‖∇f‖² over equally likely places."""
        return sum(self.gradient(place) ** 2 for place in places) / len(places)

    def at_most(self, vector: Any, bound: Fraction, more: Any = None) -> None:
        """Bound the square of a vector, or the sum of the squares of two."""
        square = vector**2 if more is None else vector**2 + more**2
        self._pep.add_constraint(square <= float(bound))

    def worst(self, measure: Any, Delta: Fraction) -> float:
        """Maximize; inf f is 0, and f lies above it by what one step from any point gains."""
        import cvxpy

        for _, gradient, value in self._f.list_of_points:
            self._pep.add_constraint(value - gradient**2 / (2 * self._L) >= 0)
        self._pep.add_constraint(self._f.value(self._points[START]) <= float(Delta))
        self._pep.set_performance_metric(measure)
        try:
            dual = self._pep.solve(verbose=0, solver=cvxpy.CLARABEL)
            primal = None if dual is None else float(self._pep.objective.eval())
        except (cvxpy.SolverError, ValueError) as error:
            raise _unsolved(str(error)) from error
        if primal is None or abs(primal - dual) > TOLERANCE * max(1.0, abs(primal)):
            raise _unsolved(f"primal value {primal}, dual value {dual}")
        return primal

    def _point(self, place: Place) -> Any:
        if place not in self._points:
            point = self._points[START]
            for move, count in place:
                point = point - self._gamma * float(count) * self.vector(move)
            self._points[place] = point
        return self._points[place]


def _unsolved(what: str) -> UnsolvedError:
    return UnsolvedError(what, SOLVER, "scale the constants to about 1, or take a shorter run")
