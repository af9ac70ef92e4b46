"""The picture of computation beside communication."""

import pytest

from reports.errors import PictureError
from reports.figures import picture_bytes
from reports.figures.overlap import MOST_BARS, Operation, Overlap

BARS = (
    Operation("backward", "conv", 0, 2),
    Operation("communication", "conv", 2, 5),
    Operation("stall", "", 2, 4.5),
    Operation("forward", "conv", 4.5, 6),
)


def test_same_picture_same_bytes() -> None:
    picture = Overlap("two", "a note", "ms", BARS, (6.0,))
    first, second = (picture_bytes(picture, "svg")[0] for _ in range(2))
    assert first == second
    assert first.startswith(b"<?xml")
    other = Overlap("two", "a note", "ms", BARS[:-1], (6.0,))
    assert picture_bytes(other, "svg")[0] != first


def test_caption_names_only_what_is_shown() -> None:
    text = Overlap("two", "a note.", "", BARS).caption()
    assert "(forward, backward, communication, computation waits)" in text
    assert "stale" not in text


@pytest.mark.parametrize(
    "bars",
    [
        (),
        (Operation("update", "a", 0, 1),),
        (Operation("forward", "a", 1, 1),),
        (Operation("forward", "a", -1, 1),),
        (Operation("forward", "a", 0, float("inf")),),
        (BARS[0],) * (MOST_BARS + 1),
    ],
)
def test_what_cannot_be_drawn(bars: tuple[Operation, ...]) -> None:
    with pytest.raises(PictureError, match="this picture shows"):
        Overlap("wrong", "", "", bars)
