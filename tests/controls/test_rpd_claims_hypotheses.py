"""Theorem 4.1 without each of its hypotheses: an exact run on which (3) fails; and false twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
import sympy

from theory.papers.rpd import thm_4_1
from theory.papers.rpd.lemmas import sharp_drift
from theory.papers.rpd.symbols import Delta, G, K, L, gamma, p, tau

Slope = Callable[[Fraction], Fraction]


def parabola(x: Fraction) -> Fraction:
    return x


def huber(x: Fraction) -> Fraction:
    return max(Fraction(-1), min(Fraction(1), x))


def line(x: Fraction) -> Fraction:
    del x
    return Fraction(1)


@dataclass(frozen=True)
class Case:
    """A run on f(x) = Σ h(x_i) from x⁰ = (start, …), and the constants that are declared for it."""

    slope: Slope
    gap: Fraction  # h(start) less what is declared to be its lower bound, per block
    step: Fraction
    start: Fraction = Fraction(1)
    blocks: int = 1
    updates: int = 1
    delay: int = 0
    draws: tuple[int, ...] = ()  # one block an update; all blocks in turn by default
    declared_smoothness: Fraction = Fraction(1)
    declared_bound: Fraction = Fraction(1)
    declared_delay: int = 0

    def measured(self) -> Fraction:
        """(1/K) Σ ‖∇f(x^k)‖² on the path of these draws."""
        points = [(self.start,) * self.blocks]
        total = Fraction(0)
        for k in range(self.updates):
            total += sum((self.slope(x) ** 2 for x in points[-1]), Fraction(0))
            read = points[max(0, k - self.delay)]
            drawn = self.draws[k] if self.draws else k % self.blocks
            points.append(
                tuple(
                    x - self.step * self.slope(read[i]) if i == drawn else x
                    for i, x in enumerate(points[-1])
                )
            )
        return total / self.updates

    def bound(self) -> Fraction:
        """(3) with the declared constants."""
        values = {
            p: self.blocks,
            K: self.updates,
            tau: self.declared_delay,
            gamma: sympy.Rational(self.step.numerator, self.step.denominator),
            L: rational(self.declared_smoothness),
            G: rational(self.declared_bound),
            Delta: rational(self.blocks * self.gap),
        }
        value = sympy.Add(*(term.subs(values) for term in thm_4_1.THEOREM.terms.values()))
        return Fraction(int(value.p), int(value.q))


def rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


HALF = Fraction(1, 2)

WITHOUT = {
    "(ii) L-smooth: L is 1, not 1/100": Case(
        parabola, HALF, Fraction(10), declared_smoothness=Fraction(1, 100)
    ),
    "(iii) bounded block gradients: they are 1, not 1/10": Case(
        parabola, HALF, Fraction(10), declared_bound=Fraction(1, 10)
    ),
    "(i) lower bounded: the line has no lower bound, declared Δ = 0": Case(
        line, Fraction(0), Fraction(1), declared_smoothness=Fraction(1, 10)
    ),
    "(iv) delays at most τ: they are 40, not 0": Case(
        huber, HALF, Fraction(1, 2), updates=400, delay=40
    ),
    "uniform sampling: always the first of two blocks": Case(
        parabola, HALF, Fraction(1, 8), blocks=2, updates=64, draws=(0,) * 64
    ),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_theorem_4_1_fails_without_this_hypothesis(name: str) -> None:
    case = WITHOUT[name]
    assert case.measured() > case.bound() > 0


@pytest.mark.parametrize(
    ("name", "repaired"),
    [
        ("(ii) L-smooth: L is 1, not 1/100", {"declared_smoothness": Fraction(1)}),
        (
            "(iii) bounded block gradients: they are 1, not 1/10",
            {"declared_bound": Fraction(1)},
        ),
        ("(iv) delays at most τ: they are 40, not 0", {"declared_delay": 40}),
    ],
)
def test_it_holds_on_the_same_run_with_the_right_constant(
    name: str, repaired: dict[str, Fraction | int]
) -> None:
    case = replace(WITHOUT[name], **repaired)  # type: ignore[arg-type]
    assert case.measured() <= case.bound()


def test_draws_that_are_not_uniform_break_the_mean_bound_of_the_stale_distance() -> None:
    blocks, late = 3, 3
    draws = (0,) * late
    counts = [draws.count(block) for block in range(blocks)]
    bound = sharp_drift.THEOREM.terms["drift"].subs({p: blocks, tau: late, gamma: 1, G: 1})
    assert sum(n * n for n in counts) == late**2 > bound


def spread(draws: Sequence[int], blocks: int) -> int:
    return sum(draws.count(block) ** 2 for block in range(blocks))


def test_the_pathwise_bound_is_attained_and_the_mean_one_is_smaller_on_some_path() -> None:
    assert spread((0, 0, 0), 3) == 9
    assert spread((0, 1, 2), 3) == 3
