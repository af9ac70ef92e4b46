"""Single paths of NAG-RPD on ±linear components, replayed exactly: how far x̃ comes from x.

f_m = ±⟨1, x⟩ on p blocks of one coordinate, γ = 1, so G = 1; τ + 1 updates from x⁰ = 0.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.falsifier.problem import Problem, square
from theory.falsifier.scalars import linear
from theory.papers.rpd.runs.chain import extrapolated
from theory.papers.rpd.runs.delays import checked


@dataclass(frozen=True)
class Path:
    """What is drawn in τ + 1 updates, and the delays of the update after them.

    Attributes
    ----------
    stages : int
        Blocks p.
    draws : tuple of (int, int), length τ + 1
        Block and sign of the component, oldest first.
    delays : tuple of int, length p
        0 ≤ d_i ≤ τ.
    """

    stages: int
    draws: tuple[tuple[int, int], ...]
    delays: tuple[int, ...]

    @property
    def tau(self) -> int:
        """The bound of the delays: every update but the oldest may be missed."""
        return len(self.draws) - 1

    @classmethod
    def dealt(cls, tau: int, stages: int, blocks: int) -> "Path":
        """All blocks but the first are drawn once, in the latest updates, and extrapolated from it.

        The first block has the other τ + 2 − blocks updates; the oldest one, from which it is
        extrapolated, has the other sign.

        Examples
        --------
        >>> Path.dealt(tau=2, stages=3, blocks=1).replay(Fraction(1, 2))
        Fraction(25, 4)
        >>> Path.dealt(tau=1, stages=2, blocks=2).replay(Fraction(4))
        Fraction(32, 1)
        """
        own = tau + 2 - blocks
        draws = [(0, -1), *[(0, 1)] * (own - 1), *((i, 1) for i in range(blocks - 1, 0, -1))]
        delays = (tau, *range(blocks - 1), *[0] * (stages - blocks))
        return cls(stages, tuple(draws), delays)

    def replay(self, beta: Fraction) -> Fraction:
        """‖x^k − x̃^k‖² after these updates, k = τ + 1.

        Raises
        ------
        RejectedInstanceError
            A delay is not in 0, …, τ.
        """
        components = tuple((linear(sign),) * self.stages for sign in (1, -1))
        start = (Fraction(0),) * self.stages
        problem = Problem("two lines", components, start, tuple(range(self.stages)))
        past = [start]
        for block, sign in self.draws:
            slope = problem.component_gradient(0 if sign == 1 else 1, past[-1])[block]
            moved = list(past[-1])
            moved[block] -= slope
            past.append(tuple(moved))
        read = checked(self.delays, len(self.draws), self.tau)
        ahead = extrapolated(problem, tuple(past), read, beta)
        return Fraction(square(a - b for a, b in zip(past[-1], ahead, strict=True)))

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "p": self.stages,
            "tau": self.tau,
            "gamma": 1,
            "G": 1,
            "components": "f_1 = Σ_j x_j and f_2 = −f_1",
            "draws (block, sign), oldest first": [list(draw) for draw in self.draws],
            "delays": list(self.delays),
        }
