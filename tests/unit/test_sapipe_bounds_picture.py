"""Maps of regions as pictures: every cell has the colour of its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex

from reports.drawing import save_picture
from reports.errors import PictureError
from reports.figures import picture_bytes
from reports.figures.regions import COLOURS, Panel, Regions
from reports.figures.style import PALE, style

PICTURE = Regions(
    title="two maps",
    note="L = 1",
    across="eta",
    up="V1",
    places=((0.1, 1.0, 10.0), (1.0, 2.0)),
    names=("one", "two"),
    panels=(
        Panel("left", ((0, 1, None), (1, 1, 0)), ((False, True, False), (False, False, True))),
        Panel("right", ((0, 0, 0), (0, 0, 0))),
    ),
)


def test_cells_have_the_colours_of_their_names() -> None:
    with style():
        figure = PICTURE.draw()
        left, right = figure.axes
        (mesh,) = (each for each in left.collections if isinstance(each, QuadMesh))
        shades = mesh.to_rgba(np.asarray(mesh.get_array())).reshape(6, 4).tolist()
        colours = [to_hex(tuple(shade)).upper() for shade in shades]
        one, two, none = COLOURS[0], COLOURS[1], PALE.upper()
        assert colours == [one, two, none, two, two, one]
        (dots,) = (each for each in left.collections if isinstance(each, PathCollection))
        assert np.asarray(dots.get_offsets()).tolist() == [[1.0, 1.0], [10.0, 2.0]]
        assert not any(isinstance(each, PathCollection) for each in right.collections)
        assert [text.get_text() for text in figure.legends[0].get_texts()] == [
            "one",
            "two",
            "no bound holds",
        ]
    assert "Colours: one, two" in PICTURE.caption()


@pytest.mark.slow
def test_formats_and_the_same_bytes_twice(tmp_path: Path) -> None:
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for suffix, start in starts.items():
        path = save_picture(PICTURE, tmp_path / f"map.{suffix}")
        assert path.read_bytes().startswith(start)
        assert [path.read_bytes()] == picture_bytes(PICTURE, suffix)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.pdf", "map.png", "map.svg"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"places": ((0.0, 1.0, 2.0), (1.0, 2.0))}, "above 0"),
        ({"places": ((1.0, 1.0, 2.0), (1.0, 2.0))}, "rise"),
        ({"places": ((1.0, 2.0, float("inf")), (1.0, 2.0))}, "rise"),
        ({"places": ((0.1, 1.0, 10.0), (1.0, 2.0, 3.0))}, "3 rows of 3 cells"),
        ({"places": ((0.1, 1.0), (1.0, 2.0))}, "2 rows of 2 cells"),
        ({"names": ("one",)}, "number of a name"),
        ({"names": ("one",) * 6}, "1 to 5 names"),
        ({"panels": ()}, "some map"),
        ({"panels": (Panel("left", ((0, 1, 0), (1, 1, 0)), ((True,),)),)}, "a mark or none"),
    ],
)
def test_what_cannot_be_drawn(changes: dict[str, object], says: str) -> None:
    with pytest.raises(PictureError, match=says):
        replace(PICTURE, **changes)  # type: ignore[arg-type]
