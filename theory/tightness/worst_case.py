"""Worst cases of short runs as semidefinite programs (PEPit; extra ``sdp``).

Positions are linear in the gradients of a run, so the worst function of a class is the worst Gram
matrix of its gradients. All branches of the random draws are in one program, which makes the
expectation linear in its unknowns. Blocks of the model are a block partition.

Values are floating point, within the solver's tolerance, and belong to the run described. So they
are at most what the hypotheses of a theorem allow.
"""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import version
from importlib.util import find_spec
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


def available() -> bool:
    """Whether the extra ``sdp`` is installed."""
    return all(find_spec(name) is not None for name in ("PEPit", "cvxpy", "clarabel"))


def versions() -> dict[str, str]:
    """Versions of what computes the values."""
    return {name: version(name) for name in ("PEPit", "cvxpy", "clarabel")}


def require() -> None:
    """Refuse where the extra is not installed.

    Raises
    ------
    MissingProgramError
    """
    if not available():
        raise MissingProgramError(
            "worst cases need PEPit and cvxpy, which are not installed",
            "worst cases",
            "run: pip install 'staleproof[sdp]'",
        )


def solved(program: Any) -> float:
    """The value of a program of PEPit's.

    Raises
    ------
    UnsolvedError
        The solver fails, or primal and dual value differ by more than `TOLERANCE`.
    """
    import cvxpy

    try:
        dual = program.solve(verbose=0, solver=cvxpy.CLARABEL)
        primal = None if dual is None else float(program.objective.eval())
    except (cvxpy.SolverError, ValueError) as error:
        raise _unsolved(str(error)) from error
    if primal is None or abs(primal - dual) > TOLERANCE * max(1.0, abs(primal)):
        raise _unsolved(f"primal value {primal}, dual value {dual}")
    return primal


def _unsolved(what: str) -> UnsolvedError:
    return UnsolvedError(what, SOLVER, "scale the constants to about 1, or take a shorter run")


def moved(place: Place, move: Move) -> Place:
    """Where one more move leads."""
    moves = dict(place)
    moves[move] = moves.get(move, Fraction(0)) + 1
    return frozenset(moves.items())


class Program:
    """The program while it is being written: gradients and noise by place."""

    def __init__(self, L: Fraction, gamma: Fraction, blocks: int) -> None:
        require()
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
        for _, gradient, value in self._f.list_of_points:
            self._pep.add_constraint(value - gradient**2 / (2 * self._L) >= 0)
        self._pep.add_constraint(self._f.value(self._points[START]) <= float(Delta))
        self._pep.set_performance_metric(measure)
        return solved(self._pep)

    def _point(self, place: Place) -> Any:
        if place not in self._points:
            point = self._points[START]
            for move, count in place:
                point = point - self._gamma * float(count) * self.vector(move)
            self._points[place] = point
        return self._points[place]
