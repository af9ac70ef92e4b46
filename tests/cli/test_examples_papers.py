"""The papers under ``examples/papers``: every statement is proved, no false twin is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.edited_files import edited, judged, neighbours, searched
from theory.verdicts import Verdict

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
STATEMENTS = sorted(PAPERS.glob("*/*.py"))
TWINS = [
    (readme.parent / name, before, after)
    for readme in sorted(PAPERS.glob("*/README.md"))
    for name, before, after in re.findall(
        r"\n`(\w+\.py)`: [^`]*?\n\n```diff\n-(.*?)\n\+(.*?)\n```",
        readme.read_text(encoding="utf-8"),
        re.S,
    )
]


def name(path: Path) -> str:
    """``paper/file``."""
    return path.relative_to(PAPERS).with_suffix("").as_posix()


def texts(paper: Path) -> dict[str, str]:
    """The files of a paper."""
    return {path.stem: path.read_text(encoding="utf-8") for path in paper.glob("*.py")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", STATEMENTS, ids=name)
def test_a_statement_is_proved(path: Path) -> None:
    with neighbours(path.parent):
        assert judged(path) is Verdict.PROVED


@pytest.mark.sampled(5)
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: name(twin[0]))
def test_a_false_twin_is_not_proved(twin: tuple[Path, str, str], tmp_path: Path) -> None:
    path, before, after = twin
    with neighbours(tmp_path, texts(path.parent)):
        assert searched(edited(tmp_path / path.name, before, after)) is not Verdict.PROVED


def test_every_statement_has_a_false_twin() -> None:
    assert len(STATEMENTS) >= 5
    assert sorted(path for path, *_ in TWINS) == STATEMENTS
