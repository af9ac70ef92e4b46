"""Exact runs of RPD against the drift theorems: random draws, and delays chosen from the past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from schedules.closed_forms.floor_sums import p_
from theory.papers.rpd.lemmas import draw_counts, sharp_drift
from theory.papers.rpd.lemmas.missed_updates import replayed, worst_squares
from theory.papers.rpd.symbols import G, gamma, p, tau

Rule = Callable[[int, tuple[int, ...]], Sequence[int]]
"""(k, blocks drawn so far) → delay of every block."""


@dataclass(frozen=True)
class Run:
    """One path: x^0 … x^K, the delays and stale points, and what each update moved."""

    gamma: Fraction
    points: tuple[tuple[Fraction, ...], ...]
    delays: tuple[tuple[int, ...], ...]
    stale: tuple[tuple[Fraction, ...], ...]
    moved: tuple[tuple[int, Fraction], ...]

    @property
    def largest(self) -> Fraction:
        """The largest square of a drawn gradient."""
        return max((g * g for _, g in self.moved), default=Fraction(0))

    def away(self, k: int) -> list[Fraction]:
        """x^k − x̂^k."""
        return [a - b for a, b in zip(self.points[k], self.stale[k], strict=True)]

    def missed(self, k: int, block: int) -> list[Fraction]:
        """Gradients by which x̂^k misses that block was updated."""
        window = self.moved[k - self.delays[k][block] : k]
        return [g for drawn, g in window if drawn == block]


def run(
    blocks: int, step: Fraction, centres: Sequence[int], draws: Sequence[int], rule: Rule
) -> Run:
    """f_m(x) = ½Σ_i (x_i − c_m)² + ½(Σ_i x_i)², with component k mod len(centres) at update k."""
    points = [tuple(Fraction(i + 1) for i in range(blocks))]
    delays, stale, moved = [], [], []
    for k, block in enumerate(draws):
        late = tuple(rule(k, tuple(draws[:k])))
        read = tuple(points[k - d][i] for i, d in enumerate(late))
        slope = read[block] - centres[k % len(centres)] + sum(read)
        delays.append(late)
        stale.append(read)
        moved.append((block, slope))
        points.append(
            tuple(x - step * slope if i == block else x for i, x in enumerate(points[-1]))
        )
    return Run(step, tuple(points), tuple(delays), tuple(stale), tuple(moved))


def adaptive(blocks: int, most: int, salt: int) -> Rule:
    """Delays that look arbitrary and depend on all draws before."""

    def rule(k: int, past: tuple[int, ...]) -> list[int]:
        state = salt
        for block in past:
            state = (state * 31 + block + 7) % 10_007
        return [(state // (i + 1) + i) % (min(most, k) + 1) for i in range(blocks)]

    return rule


@st.composite
def runs(draw: st.DrawFn) -> tuple[Run, int]:
    blocks = draw(st.integers(1, 4))
    most = draw(st.integers(0, 5))
    draws = draw(st.lists(st.integers(0, blocks - 1), min_size=1, max_size=10))
    rule = adaptive(blocks, most, draw(st.integers(0, 10_006)))
    step = draw(st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(5, 2)]))
    centres = draw(st.lists(st.integers(-3, 3), min_size=1, max_size=3))
    return run(blocks, step, centres, draws, rule), most


@given(runs())
def test_a_block_of_the_stale_distance_is_the_sum_of_the_updates_it_misses(
    case: tuple[Run, int],
) -> None:
    found, _ = case
    for k in range(len(found.stale)):
        for block, distance in enumerate(found.away(k)):
            assert distance == -found.gamma * sum(found.missed(k, block))


@given(runs())
def test_pathwise_bounds_of_the_stale_distance(case: tuple[Run, int]) -> None:
    found, most = case
    scale = found.gamma**2 * found.largest
    for k in range(len(found.stale)):
        away = found.away(k)
        counts = [len(found.missed(k, block)) for block in range(len(away))]
        assert all(a * a <= scale * n * n for a, n in zip(away, counts, strict=True))
        squares = sum(n * n for n in counts)
        assert sum(a * a for a in away) <= scale * squares
        assert squares <= most**2


@pytest.mark.parametrize(("blocks", "draws"), [(1, 3), (2, 0), (2, 5), (3, 1), (3, 4), (5, 3)])
def test_mean_square_of_counts_by_enumeration(blocks: int, draws: int) -> None:
    total = sum(
        sum(path.count(block) ** 2 for block in range(blocks))
        for path in product(range(blocks), repeat=draws)
    )
    claimed = sympy.Add(*draw_counts.THEOREM.terms.values())
    value = claimed.subs({p: blocks, draw_counts.w: draws})
    assert Fraction(total, blocks**draws) == Fraction(int(value.p), int(value.q))


@settings(max_examples=15)
@given(
    st.integers(1, 3), st.integers(0, 4), st.integers(0, 10_006), st.sampled_from([(0,), (-2, 3)])
)
def test_mean_stale_distance_with_delays_chosen_from_the_past(
    blocks: int, most: int, salt: int, centres: tuple[int, ...]
) -> None:
    length, step = 4, Fraction(1, 2)
    rule = adaptive(blocks, most, salt)
    paths = [
        run(blocks, step, centres, draws, rule)
        for draws in product(range(blocks), repeat=length + 1)
    ]
    largest = max(path.largest for path in paths)
    for k in range(length + 1):
        window = min(most, k)
        bound = sharp_drift.THEOREM.terms["drift"].subs({p: blocks, tau: window, gamma: 1, G: 1})
        mean = sum(a * a for path in paths for a in path.away(k)) / Fraction(len(paths))
        assert mean <= step**2 * largest * Fraction(int(bound.p), int(bound.q))


@pytest.mark.parametrize("blocks", range(2, 9))
def test_updates_missed_in_pipedream_follow_the_closed_form(blocks: int) -> None:
    squares = [sum(n * n for n in replayed(blocks, i)) for i in range(blocks)]
    assert squares[0] == worst_squares()[blocks % 2].subs(p_, blocks)
    assert squares == sorted(squares, reverse=True)
