"""The two bounds of the rule of stale iterates hold on runs with any delays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st


@given(st.data())
def test_no_run_breaks_them(data: st.DataObject) -> None:
    delay = data.draw(st.integers(0, 4), label="delay")
    moves = data.draw(st.lists(st.integers(-3, 3), min_size=1, max_size=12), label="moves")
    at = [sum(moves[:k]) for k in range(len(moves))]
    read = [
        data.draw(st.integers(max(0, k - delay), k), label=f"read in {k}") for k in range(len(at))
    ]
    drifts = [(at[k] - at[j]) ** 2 for k, j in enumerate(read)]
    assert sum(drifts) <= delay**2 * sum(move**2 for move in moves)
    assert max(drifts) <= delay**2 * max(move**2 for move in moves)


def test_the_square_of_the_delay_is_needed() -> None:
    """With equal moves and a full delay the sum comes near τ² times that of the moves."""
    delay, count = 3, 1000
    drifts = [min(k, delay) ** 2 for k in range(count)]
    assert (delay**2 - 1) * count < sum(drifts) <= delay**2 * count
