"""What torch makes of a batch, beside the pieces and weights that the blog's rows speak of."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.papers.blog.lemmas.chunks import sizes

torch = pytest.importorskip("torch")


def gradient(batch: int, pieces: int) -> list[Fraction]:
    """What the blog's backward pass gives the loss of each sample, by torch."""
    losses = torch.zeros(batch, dtype=torch.float64, requires_grad=True)
    for piece in losses.chunk(pieces, dim=0):
        (piece.mean() / pieces).backward()
    return [Fraction(weight).limit_denominator(1000) for weight in losses.grad.tolist()]


@pytest.mark.parametrize("pieces", range(1, 9))
def test_pieces_are_those_of_torch(pieces: int) -> None:
    for batch in range(1, 21):
        found = torch.zeros(batch).chunk(pieces, dim=0)
        assert [len(one) for one in found] == sizes(batch, pieces)


def test_the_last_sample_of_ten_in_four_pieces_weighs_a_quarter() -> None:
    assert gradient(10, 4) == [Fraction(1, 12)] * 9 + [Fraction(1, 4)]
    assert gradient(12, 4) == [Fraction(1, 12)] * 12
