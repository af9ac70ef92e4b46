"""Gradient clipping: the factor min(1, c/‖g‖), said of a number without a division by ‖g‖.

With c > 0, of a vector that may be 0 as well, a number θ > 0 is that factor if, and only if,

    θ ≤ 1,  θ²‖g‖² ≤ c²  and  (1 − θ)(c² − θ²‖g‖²) = 0.

Where g = 0, the last one says θ = 1. So whatever refutes a theorem has no other θ; and what
follows, such as that θg is the point of the ball next to g, needs a proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from theory.errors import TheoryError
from theory.kernel.relations import eq, le
from theory.kernel.rules import Combine
from theory.kernel.theorem import Hypothesis, Step
from theory.kernel.vectors import Scalar, Vector
from theory.notation.names import text


@dataclass(frozen=True)
class Clipped:
    """A vector that is cut down to a length where it is longer.

    Attributes
    ----------
    factor : sympy symbol
        θ = min(1, c/‖g‖).
    of : Vector
        g.
    most : sympy expression
        c.

    Raises
    ------
    TheoryError
        The length, or the factor, may be 0.

    Examples
    --------
    >>> from theory.notation import positive, vector
    >>> c, theta = positive("c theta")
    >>> for one in Clipped(theta, vector("g"), c).facts():
    ...     print(one.relation)
    theta <= 1
    theta**2*<g, g> <= c**2
    (1 - theta)*(c**2 - theta**2*<g, g>) == 0
    """

    factor: Scalar
    of: Vector
    most: Scalar

    def __post_init__(self) -> None:
        plain = self.factor.is_Symbol and self.factor.is_positive and self.factor.is_integer is None
        if not (plain and self.most.is_positive):
            raise TheoryError(
                f"{text(self.of)} is clipped to length {self.most} by the factor {self.factor}: "
                "both are positive, and the factor is a name for min(1, c/‖g‖)",
                str(self.factor),
                'write theta, c = positive("theta c"), T.clipped(theta, g, c)',
            )

    @property
    def vector(self) -> Vector:
        """The vector as it is clipped."""
        made: Vector = self.of * self.factor
        return made

    def facts(self) -> Iterator[Hypothesis]:
        """What the factor is."""
        size, says = self.vector**2, f"{self.factor} = min(1, {self.most}/‖{text(self.of)}‖)"
        yield Hypothesis(f"{self.factor} is at most 1", says, le(self.factor, 1))
        yield Hypothesis(f"{self.factor} clips", says, le(size, self.most**2))
        either = eq((1 - self.factor) * (self.most**2 - size), 0)
        yield Hypothesis(f"{self.factor} clips no more", says, either)

    def nearest(self, other: Clipped) -> Step:
        """That another vector of the ball is on the other side: ⟨g − θg, y − θg⟩ ≤ 0 for y = ηh.

        It is (1 − θ)/(2θ)·(‖y − θg‖² + c² − ‖y‖²), and that the second or the third fact is tight.
        """
        one, way = self.factor, other.vector - self.vector
        weight = (1 - one) / (2 * one)
        (least, _, either), (_, inside, _) = self.facts(), other.facts()
        return Step(
            f"{text(self.vector)} is nearest, from {text(other.vector)}",
            le((1 - one) * (self.of @ way), 0),
            Combine(
                {either.name: 1 / (2 * one), inside.name: weight},
                squares=((weight, way),),
                domain=(least.name,),
            ),
        )


def facing(one: Clipped, others: Iterable[Clipped]) -> Iterator[Step]:
    """The same of two vectors that are clipped to one length, both ways."""
    for other in others:
        if other.most == one.most:
            yield from (one.nearest(other), other.nearest(one))
