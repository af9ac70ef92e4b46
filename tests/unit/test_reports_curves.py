"""Curves: their data are checked, the picture shows them all, always the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reports.errors import LedgerError, PictureError
from reports.figures import picture_bytes
from reports.figures.curves import Curve, Curves

CURVES = Curves(
    "Bounds",
    "K = 10",
    "p",
    "bound",
    (1.0, 2.0, 4.0),
    (Curve("rpd, printed", "rpd", (1.0, 2.0, 40.0)), Curve("sgd", "sgd", (None, 3.0, 0.0))),
    (2.5,),
)


def test_pictures_are_reproducible() -> None:
    first, second = (picture_bytes(CURVES, "svg", "pdf") for _ in range(2))
    assert first == second
    assert first[0].startswith(b"<?xml")


def test_every_curve_is_drawn_with_its_gaps() -> None:
    figure = CURVES.draw()
    (axes,) = figure.axes
    heights = [np.asarray(line.get_ydata()).tolist() for line in axes.lines]
    assert heights[0] == [1.0, 2.0, 40.0]
    assert heights[1][0] != heights[1][0]
    assert heights[1][1:] == [3.0, 0.0]
    # The third line is the mark.
    assert np.asarray(axes.lines[2].get_xdata()).tolist() == [2.5, 2.5]
    assert {text.get_text() for text in axes.texts} == {"rpd, printed", "sgd"}
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.lines[0].get_color() != axes.lines[1].get_color()


def test_curves_of_a_group_share_the_colour_and_not_the_dashes() -> None:
    both = tuple(Curve(name, "rpd", (1.0, 2.0, 3.0)) for name in ("printed", "sharpened"))
    (axes,) = replace(CURVES, curves=both).draw().axes
    one, two = axes.lines[:2]
    assert one.get_color() == two.get_color()
    assert one.get_linestyle() != two.get_linestyle()


def test_a_curve_without_values_says_so() -> None:
    empty = Curve("none", "none", (None, None, None))
    (axes,) = replace(CURVES, curves=(*CURVES.curves, empty)).draw().axes
    assert "none: nowhere" in {text.get_text() for text in axes.texts}


def test_ticks_are_plain_numbers() -> None:
    figure = CURVES.draw()
    figure.canvas.draw()
    labels = {text.get_text() for text in figure.axes[0].get_xticklabels()}
    assert {"1", "2"} <= labels
    assert not any("$" in label for label in labels)


def test_caption_names_all() -> None:
    caption = CURVES.caption()
    assert all(words in caption for words in ("rpd, printed", "sgd", "against p", "K = 10"))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"places": (1.0, 1.0, 2.0)}, "places rise from above 0"),
        ({"places": (0.0, 1.0, 2.0)}, "places rise from above 0"),
        ({"places": ()}, "places rise from above 0"),
        ({"places": (1.0, 2.0, float("inf"))}, "places rise from above 0"),
        ({"places": (1.0, 2.0)}, "one value for each of the 2 places"),
        ({"curves": ()}, "1 to 16 curves"),
        ({"curves": CURVES.curves * 9}, "1 to 16 curves"),
        ({"curves": (Curve("a", "a", (None, 0.0, None)),)}, "finite and above 0"),
    ],
)
def test_wrong_data_are_refused(change: dict[str, object], rule: str) -> None:
    with pytest.raises(PictureError, match=rule):
        replace(CURVES, **change)  # type: ignore[arg-type]


READ: dict[str, object] = {
    "figure": "curves",
    "title": "drift",
    "note": "fitted",
    "across": "p",
    "up": "measured",
    "places": [2, 3],
    "curves": [{"label": "one", "group": "one", "values": [1, 2.5]}],
}


def test_curves_of_a_ledger_are_read() -> None:
    assert Curves.read(READ, "here").curves[0].values == (1.0, 2.5)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"places": [3, 2]}, "here"),
        ({"places": ["2", 3]}, "here.places"),
        ({"curves": []}, "here"),
        ({"curves": [{"label": "one", "group": "one", "values": [float("nan"), 1]}]}, "values"),
        ({"title": 5}, "here.title"),
    ],
    ids=str,
)
def test_wrong_curves_of_a_ledger_are_refused(change: dict[str, object], place: str) -> None:
    with pytest.raises(LedgerError, match=place):
        Curves.read(READ | change, "here")
