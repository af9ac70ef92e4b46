"""Figures: their data are checked, their files are pictures, always the same, and alone."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import FIGURES, LedgerError, OutputError, draw_timeline
from reports.figures import picture_bytes, read_figure
from reports.figures.heatmap import Heatmap
from reports.figures.style import spread

GOLDEN = Path(__file__).parents[1] / "golden" / "ledger.json"
DATA: dict[str, Any] = {
    item["data"]["figure"]: item["data"]
    for row in json.loads(GOLDEN.read_text(encoding="utf-8"))["claims"]
    for item in row["evidence"]
    if "figure" in item["data"]
}


def test_golden_ledger_shows_every_figure() -> None:
    assert set(DATA) == set(FIGURES)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FIGURES)
def test_pictures_are_reproducible(name: str) -> None:
    first, second = (picture_bytes(read_figure(DATA[name], name), "svg", "pdf") for _ in range(2))
    assert first == second
    assert first[0].startswith(b"<?xml")
    assert first[1].startswith(b"%PDF")
    assert b"<dc:date>" not in first[0]
    assert b"CreationDate" not in first[1]


@pytest.mark.parametrize(
    ("name", "change", "rule", "place"),
    [
        ("growth", lambda x: x.pop("laws"), "needs the key 'laws'", "here"),
        ("growth", lambda x: x.update(p=[]), "rising numbers", ".p"),
        ("growth", lambda x: x["p"].reverse(), "rising numbers", ".p"),
        ("growth", lambda x: x["mean"].pop(), "one value for each of the 6 p", ".mean"),
        ("growth", lambda x: x["mean"].__setitem__(0, "1/0"), "a fraction", ".mean[0]"),
        ("growth", lambda x: x["mean"].__setitem__(0, "1e999999999"), "a fraction", ".mean[0]"),
        ("growth", lambda x: x["p10"].__setitem__(1, 10**40), "below 10^30", ".p10[1]"),
        ("growth", lambda x: x["max"].__setitem__(1, 1.5), "whole number", ".max[1]"),
        ("growth", lambda x: x["laws"][1]["values"].pop(), "one value", ".laws[1].values"),
        ("heatmap", lambda x: x.update(p=3), "3 by 3", ".rows"),
        ("heatmap", lambda x: x["law"][2].pop(), "4 by 4", ".law"),
        ("heatmap", lambda x: x.update(p=0), "at least 1", ".p"),
        ("timeline", lambda x: x.update(rows=[]), "cells", ".rows"),
        ("timeline", lambda x: x["rows"].append("F0 X1"), "a slot must be", ".rows[4], slot 1"),
        ("timeline", lambda x: x["marks"][0].update(slot=99), "must lie inside", ".marks[0]"),
        ("timeline", lambda x: x["marks"][0].update(stage="0"), "whole number", ".stage"),
        ("timeline", lambda x: x.update(figure="pie"), "curves, growth, heatmap", ".figure"),
    ],
)
def test_wrong_data_are_named(
    name: str, change: Callable[[Any], object], rule: str, place: str
) -> None:
    data = copy.deepcopy(DATA[name])
    change(data)
    with pytest.raises(LedgerError) as caught:
        read_figure(data, "here")
    assert rule in caught.value.what
    assert place in caught.value.where


def test_difference_to_the_law_is_exact() -> None:
    heatmap = read_figure(DATA["heatmap"], "here")
    assert isinstance(heatmap, Heatmap)
    assert [[int(value) for value in row] for row in heatmap.difference] == [
        [0, -1, -1, -2],
        [0, -1, -1, -2],
        [1, 0, 0, -1],
        [1, 0, 0, -1],
    ]
    assert "10 of 16 entries differ" in heatmap.caption()


@pytest.mark.parametrize(
    "data",
    [
        {"figure": "heatmap", "linearization": "x", "p": 1, "rows": [[0]], "law": [["0"]]},
        {
            "figure": "heatmap",
            "linearization": "$x_",
            "p": 20,
            "rows": [[3] * 20] * 20,
            "law": [["7/2"] * 20] * 20,
        },
        {
            "figure": "growth",
            "linearization": "\ud800 漢",
            "p": [4],
            "mean": [0],
            "max": [0],
            "p10": [0],
            "whole_run_max": [0],
            "laws": [{"label": "$\\x" * 30, "latex": "", "values": [-1]}],
        },
        {"figure": "timeline", "title": "$", "rows": ["F0", "", "I0 W0 . B123456"]},
        {"figure": "timeline", "title": "long", "rows": ["F0 B0 " * 400] * 70},
        {
            "figure": "timeline",
            "title": "marks",
            "rows": ["F0 B0 " * 10],
            "marks": [{"stage": 0, "slot": t, "label": "x" * 90} for t in range(20)],
        },
    ],
    ids=["one-cell", "large", "one-p", "ragged", "too-small-for-numbers", "many-marks"],
)
def test_extreme_pictures_are_drawn(data: dict[str, Any]) -> None:
    svg, pdf = picture_bytes(read_figure(data, "here"), "svg", "pdf")
    assert len(svg) < 1_500_000
    assert pdf.startswith(b"%PDF")


@given(st.lists(st.floats(-100, 100), max_size=8), st.floats(0.1, 10))
def test_spread_labels_keep_their_distance_and_order(wanted: list[float], gap: float) -> None:
    placed = spread(wanted, gap)
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    for one, other in pairwise(order):
        assert placed[other] - placed[one] >= gap - 1e-6


@pytest.mark.parametrize(
    ("suffix", "magic"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89")]
)
def test_draw_timeline(tmp_path: Path, suffix: str, magic: bytes) -> None:
    marks = [{"stage": 1, "slot": 1, "label": "first"}]
    path = draw_timeline(["F0 . B0", ". F0 B0"], "two stages", tmp_path / f"t.{suffix}", marks)
    assert path.read_bytes().startswith(magic)
    assert list(tmp_path.iterdir()) == [path]


def test_draw_timeline_refuses_other_formats(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"\.svg, \.pdf or \.png"):
        draw_timeline(["F0"], "title", tmp_path / "t.gif")


def run_alone(code: str) -> int:
    return subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_matplotlib_waits_until_a_figure_is_drawn() -> None:
    assert run_alone("import sys, reports; sys.exit('matplotlib' in sys.modules)") == 0


def test_drawing_does_without_pyplot(tmp_path: Path) -> None:
    code = f"""
import sys, reports
reports.draw_timeline(["F0 B0"], "title", {str(tmp_path / "t.svg")!r})
sys.exit("matplotlib.pyplot" in sys.modules)
"""
    assert run_alone(code) == 0


def test_drawing_leaves_matplotlib_as_it_was() -> None:
    import matplotlib

    # Looking up the backend would choose one.
    names = [name for name in matplotlib.rcParams if name != "backend"]
    before = {name: matplotlib.rcParams[name] for name in names}
    picture_bytes(read_figure(DATA["heatmap"], "here"), "svg")
    assert {name: matplotlib.rcParams[name] for name in names} == before
