"""Single lines of the proofs of Theorems 4 and 5 that do not hold: their witnesses by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.papers.sapipe.witnesses import wp_1_lines, wp_2_lines


@pytest.mark.parametrize(
    ("witness", "larger", "smaller"),
    [
        (wp_1_lines.three_squares, "three squares", "left"),
        (wp_1_lines.diversity, "left", "(rho/n − 1)|F'|²"),
        (wp_1_lines.different_points, "left", "(n rho − 1)|F'(x_1)|²"),
        (wp_1_lines.fading_noise, "|F'(1)|²", "V2 − V1"),
        (wp_2_lines.every_second, "‖g_3 − g_2‖²", "bound"),
        (
            wp_2_lines.partly_predicted,
            "E‖g_4 − g_3‖²",
            "2L²η²E‖g_2 − g_1‖² + 2V1 + 2L²η²V2",
        ),
    ],
)
def test_witnesses_against_single_lines(witness: object, larger: str, smaller: str) -> None:
    found = witness()  # type: ignore[operator]
    assert found[larger] > found[smaller]


def test_values_of_the_witnesses() -> None:
    squares = wp_1_lines.three_squares()
    assert squares is not None
    assert (squares["left"], squares["three squares"]) == (Fraction(1, 2), Fraction(3, 2))
    apart = wp_1_lines.different_points()
    assert apart is not None
    assert apart["left"] == Fraction(8, 9)
    models = wp_1_lines.only_models_known()
    assert models is not None
    assert models["∇F_1 at the first worker's prediction"] == [Fraction(-1, 2), Fraction(1, 2)]
    start = wp_2_lines.first_difference()
    assert start is not None
    assert start["E‖g_1 − g_2‖²"] == 2
    second = wp_2_lines.every_second()
    assert second is not None
    assert (second["‖g_3 − g_2‖²"], second["bound"]) == (Fraction(1, 25), Fraction(1, 49))


def mixed_by_hand(updates: int) -> list[Fraction]:
    """E‖g_{t+1} − g_t‖² of option 2, an element predicted or fresh with probability 1/2 each."""
    step, signs = Fraction(1, 10), (Fraction(1), Fraction(-1))

    def slope(x: Fraction) -> Fraction:
        return max(-Fraction(1, 2), min(Fraction(1, 2), x))

    # x_{t−1}, the gradient held for update t, g_{t−1}
    states = [(Fraction(0), draw, Fraction(0)) for draw in signs]
    found = []
    for _ in range(updates):
        following = []
        for x, held, last in states:
            for moved in (held, held, *(slope(x) + draw for draw in signs)):
                ahead = slope(x - step * last)
                following += [(x - step * moved, ahead + draw, moved) for draw in signs]
        befores = [state[2] for state in states for _ in range(8)]
        squares = [(then[2] - g) ** 2 for then, g in zip(following, befores, strict=True)]
        found.append(sum(squares, Fraction(0)) / len(squares))
        states = following
    return found[1:]


def test_updates_of_which_a_share_is_predicted_by_hand() -> None:
    mixed = wp_2_lines.partly_predicted()
    assert mixed is not None
    first, _, third = mixed_by_hand(4)
    # a = 1/10: half of it 1 + (1 + a)² and half of it 2
    assert mixed["E‖g_2 − g_1‖²"] == first == (1 + Fraction(11, 10) ** 2) / 2 + 1
    assert mixed["E‖g_4 − g_3‖²"] == third
    assert mixed["2L²η²E‖g_2 − g_1‖² + 2V1 + 2L²η²V2"] == 2 + (first + Fraction(9, 4)) / 50
    assert (mixed["t"], mixed["V1"], mixed["V2"]) == (5, 1, Fraction(9, 4))
