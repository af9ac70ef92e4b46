"""The README of a paper's folder is a map: every row, in the file that states it, and no other."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import theory.papers

ROOT = Path(theory.papers.__path__[0])
LINE = re.compile(r"^\| (.+) \| \[([\w/.]+)\]\(([\w/.]+)\) \| `([\w.-]+)` \|$")
MAPS = sorted(ROOT.glob("*/README.md"))


def lines(page: str) -> list[tuple[str, str, str]]:
    """File, its link and the id of each line of a map's table.

    Raises
    ------
    ValueError
        A line of the table cannot be read.
    """
    table = [line for line in page.splitlines() if line.startswith("| ")][1:]
    found = [LINE.match(line) for line in table]
    if not all(found):
        raise ValueError(f"no line of a map: {table[found.index(None)]}")
    return [(m[2], m[3], m[4]) for m in found if m]


@pytest.mark.parametrize("page", MAPS, ids=lambda page: page.parent.name)
def test_every_row_has_its_line(page: Path) -> None:
    paper = import_module(f"theory.papers.{page.parent.name}").PAPER
    ids = [id for *_, id in lines(page.read_text("utf-8"))]
    assert len(ids) == len(set(ids))
    assert set(ids) == {claim.id for claim in paper.claims}


@pytest.mark.parametrize("page", MAPS, ids=lambda page: page.parent.name)
def test_every_file_exists_and_names_its_row(page: Path) -> None:
    for file, link, id in lines(page.read_text("utf-8")):
        assert file == link
        text = (page.parent / file).read_text("utf-8")
        assert re.search(rf'"{re.escape(id)}"', text), f"{page.parent.name}/{file}: {id}"


def test_a_line_that_cannot_be_read_is_an_error() -> None:
    good = "| statement | file | id |\n|:--|:--|:--|\n| (1) | [a.py](a.py) | `p.eq-1` |\n"
    assert lines(good) == [("a.py", "a.py", "p.eq-1")]
    with pytest.raises(ValueError, match="no line of a map"):
        lines(good + "| (2) | b.py | `p.eq-2` |\n")


def test_there_are_maps() -> None:
    assert MAPS
