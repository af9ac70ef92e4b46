"""Timelines from bars and heatmaps: true to the run, told apart by everybody, always the same."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import re
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from reports.drawing import Bar, Gantt, Matrix, draw_bars, draw_matrix, run_bars, run_picture
from reports.errors import OutputError, PictureError
from reports.figures import Picture, picture_bytes
from reports.figures.gantt import KINDS, MOST_BARS
from reports.figures.shades import shades_of
from reports.figures.style import style
from schedules import FAMILIES, build, timeline, versions
from schedules.families import blog_1f1b

DOCS = Path(__file__).parents[2] / "docs"
REMEDY = "run `python docs/pictures/regenerate.py`"
SEES = {
    "everybody": np.eye(3),
    "protanope": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranope": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanope": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
"""What is left of linear RGB: Machado, Oliveira and Fernandes 2009, severity 1."""


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("regenerate", DOCS / "pictures/regenerate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


regenerate = _script()


def svg(picture: Picture) -> str:
    return picture_bytes(picture, "svg")[0].decode()


# Pictures of the documentation


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_its_picture_and_its_section(name: str) -> None:
    page = (DOCS / "reference" / "families.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in page
    assert f"(../pictures/{name}.svg)" in page
    stored = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    drawn = regenerate.picture(FAMILIES[name]).decode()
    assert _fills(stored) == _fills(drawn), REMEDY
    if f"matplotlib=={version('matplotlib')}\n" in (DOCS.parent / "constraints.txt").read_text():
        assert stored == drawn, REMEDY


def _fills(svg_text: str) -> list[str]:
    """The colours in the order of drawing, which no version of the drawing library changes."""
    return re.findall(r"fill: (#[0-9a-f]{6})", svg_text)


def test_the_page_is_current_and_has_no_picture_too_many() -> None:
    page = (DOCS / "reference" / "families.md").read_text(encoding="utf-8")
    assert page == regenerate.page(), REMEDY
    assert {path.stem for path in (DOCS / "pictures").glob("*.svg")} == set(FAMILIES), REMEDY


# Timelines


@pytest.mark.parametrize("name", FAMILIES)
def test_bars_are_the_run(name: str) -> None:
    """Slot by slot they say what the rows of the timeline say, and never overlap."""
    line = timeline(build(name, 4, regenerate.size(FAMILIES[name])))
    cells = np.full((line.schedule.ranks, line.length), ".", dtype=object)
    for bar in run_bars(line):
        slots = cells[bar.rank, int(bar.start) : int(bar.end)]
        assert (slots == ".").all()
        slots[:] = f"{bar.stage}{bar.kind}{bar.microbatch}"
    stages = max(len(set(row)) for row in _stages(line.schedule))
    for drawn, row in zip(cells, line.rows(), strict=True):
        shown = drawn if stages > 1 else [re.sub(r"^\d+", "", cell) for cell in drawn]
        assert " ".join(shown) == row


def _stages(schedule: object) -> list[list[int]]:
    from schedules import Schedule

    assert isinstance(schedule, Schedule)
    return [[action.stage for action in schedule.rank(r)] for r in range(schedule.ranks)]


def test_messages_are_not_drawn_and_take_their_time() -> None:
    line = timeline(blog_1f1b.build(2, 2), message_time=3)
    bars = run_bars(line)
    assert {bar.kind for bar in bars} == {"F", "B"}
    assert len(bars) == 8
    assert max(bar.end for bar in bars) == line.length


def test_a_recorded_run_starts_at_zero() -> None:
    line = timeline(build("gpipe", 2, 2))
    later = type(line)(line.schedule, line.start + 10**12, line.end + 10**12)
    assert run_bars(later) == run_bars(line)


def test_two_actions_exchanged_are_another_picture() -> None:
    picture = run_picture(timeline(build("zbv", 3, 6)), "zbv")
    one, other, *rest = picture.bars
    moved = (
        dataclasses.replace(one, start=other.start, end=other.end),
        dataclasses.replace(other, start=one.start, end=one.end),
    )
    assert svg(dataclasses.replace(picture, bars=(*moved, *rest))) != svg(picture)


def test_same_picture_same_bytes() -> None:
    first, second = (run_picture(timeline(build("zbv", 3, 6)), "zbv") for _ in range(2))
    assert first == second
    assert svg(first) == svg(second)


def test_every_bar_is_one_rectangle_and_one_number() -> None:
    picture = run_picture(timeline(build("zb-h1", 3, 4)), "zb-h1")
    with style():
        (axes,) = picture.draw().axes
        bars = [c for c in axes.collections if isinstance(c, PolyCollection) and len(c.get_paths())]
        assert len({c.get_hatch() for c in bars}) == len(bars) == 3, "F, I and W without colours"
        drawn = sorted(tuple(p.get_extents().bounds[:3]) for c in bars for p in c.get_paths())
        assert [(x, round(y - 0.03), w) for x, y, w in drawn] == sorted(
            (bar.start, bar.rank, bar.end - bar.start) for bar in picture.bars
        )
        numbers = sorted(text.get_text() for text in axes.texts)
    assert numbers == sorted(str(bar.microbatch) for bar in picture.bars)


def test_a_long_run_continues_below_and_loses_nothing() -> None:
    picture = run_picture(timeline(build("1f1b", 16, 64)), "1f1b")
    with style():
        bands = picture.draw().axes
        limits = [axes.get_xlim() for axes in bands]
        texts = [float(text.get_fontsize()) for axes in bands for text in axes.texts]
    assert len(bands) == 3
    assert limits[0][0] == 0
    assert limits[-1][1] >= picture.length
    assert all(one[1] == other[0] for one, other in itertools.pairwise(limits))
    assert len(texts) == len(picture.bars)
    assert min(texts) >= 5


def test_a_wide_bar_across_two_bands_is_in_both() -> None:
    bars = (*(Bar(0, t, t + 1, "F", 0, t) for t in range(57)), Bar(0, 57, 59, "B", 0, 9))
    bars += (Bar(1, 28, 32, "B", 1, 7), *(Bar(1, t, t + 1, "F", 1, t) for t in range(20)))
    with style():
        first, second = Gantt("two bands", "", 2, bars).draw().axes
        assert first.get_xlim()[1] == 30
        assert all("7" in [t.get_text() for t in axes.texts] for axes in (first, second))


@pytest.mark.slow
def test_the_largest_timeline_is_drawn() -> None:
    bars = tuple(
        Bar(r, t, t + 1, "FB"[t % 2], r, t) for r in range(50) for t in range(MOST_BARS // 50)
    )
    with style():
        figure = Gantt("large", "", 50, bars).draw()
    assert max(figure.get_size_inches()) < 100


@pytest.mark.parametrize("ranks", [1, 64, 5000])
def test_any_number_of_ranks_fits_on_a_page(ranks: int) -> None:
    bars = tuple(Bar(rank, rank, rank + 1, "F", rank, 0) for rank in range(ranks))
    with style():
        figure = Gantt("ranks", "", ranks, bars).draw()
    assert max(figure.get_size_inches()) < 60


@pytest.mark.parametrize(
    "bar",
    [
        Bar(2, 0, 1, "F", 0, 0),
        Bar(-1, 0, 1, "F", 0, 0),
        Bar(0, 0, 1, "X", 0, 0),
        Bar(0, 0, 1, "U", 0, 0),
        Bar(0, 1, 1, "F", 0, 0),
        Bar(0, 2, 1, "F", 0, 0),
        Bar(0, -1, 1, "F", 0, 0),
        Bar(0, 0, float("inf"), "F", 0, 0),
        Bar(0, float("nan"), 1, "F", 0, 0),
    ],
)
def test_what_is_no_bar(bar: Bar) -> None:
    with pytest.raises(PictureError, match="a bar is one of F, B, I, W"):
        Gantt("bars", "", 2, (bar,))


def test_nothing_and_too_much() -> None:
    with pytest.raises(PictureError, match="needs a bar"):
        Gantt("none", "", 1, ())
    with pytest.raises(PictureError, match="at most 100000 bars, found 100001"):
        Gantt("many", "", 1, (Bar(0, 0, 1, "F", 0, 0),) * (MOST_BARS + 1))
    with pytest.raises(PictureError, match="at most 100000 bars"):
        run_bars(timeline(build("gpipe", 2, MOST_BARS // 4 + 1)))


# Shades


def test_two_directions_are_shades_and_replicas_are_dots() -> None:
    chimera, localsgd = (
        shades_of((bar.rank, bar.pipeline, bar.stage) for bar in run_bars(timeline(schedule)))
        for schedule in (build("chimera", 4, 4), build("localsgd", 2, 14, replicas=7))
    )
    assert chimera.shade_is_pipeline
    assert not chimera.dotted
    assert chimera.stages[3] == (3, 0)
    assert (localsgd.count, localsgd.dotted) == (1, True)
    assert [localsgd.dots(k) for k in range(7)] == [0, 1, 2, 3, 4, 0, 1]
    assert localsgd.legend()[0] == (1, "pipeline 1, 6")


def _lab(colour: tuple[float, float, float], sees: object) -> np.ndarray:
    """CIE L*a*b* of a colour as somebody sees it."""
    parts = np.array(colour)
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(sees) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.maximum(to_xyz @ seen / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("who", SEES)
def test_colours_are_told_apart_by_everybody(who: str) -> None:
    """Kinds and their two shades, pairwise and against the page; 10 is plain at a glance."""
    shades = [hue.shade(k, 2) for hue in KINDS.values() for k in (0, 1)]
    seen = [_lab(colour, SEES[who]) for colour in [*shades, (1.0, 1.0, 1.0)]]
    least = min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2))
    assert least > 10, least


# Heatmaps


def test_every_number_is_written() -> None:
    with style():
        (axes,) = Matrix("delays", "", "row", "column", ((1, -2), (30, 4))).draw().axes
        texts = [text.get_text() for text in axes.texts]
    assert texts == ["1", "−2", "30", "4"]


def test_a_large_heatmap_has_a_scale_in_place_of_numbers() -> None:
    with style():
        axes, _ = Matrix("delays", "", "row", "column", (tuple(range(400)),) * 3).draw().axes
        assert not axes.texts


@pytest.mark.parametrize("rows", [(), ((),), ((1,), (1, 2))])
def test_what_is_no_heatmap(rows: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(PictureError, match="rows of one length"):
        Matrix("none", "", "row", "column", rows)


# Files


@pytest.mark.parametrize(
    ("suffix", "magic"), [("svg", b"<?xml"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_suffix_chooses_the_format(tmp_path: Path, suffix: str, magic: bytes) -> None:
    target = tmp_path / f"a.{suffix}"
    assert draw_bars([Bar(0, 0, 1, "F", 0, 0)], "one", target) == target
    assert target.read_bytes().startswith(magic)
    draw_matrix([[1]], "one", target, row="i", column="j")
    assert target.read_bytes().startswith(magic)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["a.txt", "svg", "", ".svg", "folder.svg"])
def test_what_is_no_destination(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OutputError):
        draw_matrix([[1]], "one", f"{tmp_path}/{name}", row="i", column="j")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


@pytest.mark.parametrize("name", ["pipedream", "pipemare", "gpipe", "pipedream-2bw"])
def test_versions_in_the_picture_are_the_strokes_before(name: str) -> None:
    """Counted by hand from the picture: what a forward reads newest is what was updated before."""
    line = timeline(build(name, 4, 12))
    picture = run_picture(line, name, read=versions(line.schedule))
    for bar in picture.bars:
        before = sum(one.rank == bar.rank and one.time <= bar.start for one in picture.updates)
        if bar.kind == "F" and name != "pipedream-2bw":
            assert bar.version == before
        assert bar.version is not None
        assert bar.version <= before
    forwards = {(b.rank, b.microbatch): b.version for b in picture.bars if b.kind == "F"}
    same = [forwards[b.rank, b.microbatch] == b.version for b in picture.bars if b.kind == "B"]
    assert all(same) == (name != "pipemare")


def in_short(name: str, ranks: int, microbatches: int) -> tuple[Gantt, Gantt]:
    line = timeline(build(name, ranks, microbatches))
    whole = run_picture(line, name, read=versions(line.schedule))
    return whole, whole.in_short()


@pytest.mark.parametrize("name", ["1f1b", "pipedream", "gpipe", "zbv", "chimera"])
def test_a_gap_can_be_filled_again_from_what_stands_before_it(name: str) -> None:
    whole, short = in_short(name, 4, 64)
    assert short.gaps
    known = {
        (bar.rank, bar.kind, bar.stage, bar.pipeline, bar.microbatch, bar.start)
        for bar in whole.bars
    }
    for gap in short.gaps:
        for start in range(gap.start, gap.stop, gap.period):
            after = {one for one in known if start <= one[-1] < start + gap.period}
            before = {one for one in known if start - gap.period <= one[-1] < start}
            assert after == {
                (*one, number + gap.microbatches, begin + gap.period)
                for *one, number, begin in before
            }
    hidden = sum(
        any(g.start <= bar.start and bar.end <= g.stop for g in short.gaps) for bar in whole.bars
    )
    assert len(short.bars) == len(whole.bars) - hidden < len(whole.bars) / 2
    shown = {tick.get_text() for tick in short.draw().axes[-1].get_xticklabels()}
    assert f"{whole.length:g}" in shown or max(map(float, shown)) > whole.length - 8


def test_what_does_not_repeat_is_drawn_whole() -> None:
    whole, _short = in_short("1f1b", 4, 64)
    exchanged = list(whole.bars)
    for start in range(11, 120, 6):  # an odd bar out in every third period
        place = next(k for k, bar in enumerate(exchanged) if (bar.rank, bar.start) == (3, start))
        exchanged[place] = dataclasses.replace(exchanged[place], microbatch=99)
    assert not dataclasses.replace(whole, bars=tuple(exchanged)).in_short().gaps
    small, same = in_short("1f1b", 4, 16)  # short enough as it is
    assert same is small
