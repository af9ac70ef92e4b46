"""The papers under ``examples/papers``: every statement is proved, no false twin is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.judging.loading import load
from theory.kernel import prove
from theory.verdicts import Verdict

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
STATEMENTS = sorted(PAPERS.glob("*/*.py"))
FALSE = PAPERS.parent / "false_twins"
TWINS = sorted(FALSE.glob("*/*.py"))


def name(path: Path) -> str:
    """``papers/paper/file``, or ``false_twins/paper/file``."""
    return path.relative_to(PAPERS.parent).with_suffix("").as_posix()


@pytest.fixture(autouse=True)
def own_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files import their neighbours; nothing of it stays."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for module in set(sys.modules) - before:
        if Path(getattr(sys.modules[module], "__file__", None) or "/").is_relative_to(
            PAPERS.parent
        ):
            del sys.modules[module]


def verdicts(path: Path) -> list[Verdict]:
    """Of a file's claims and of what they cite; certificates are only read."""
    found = []
    for claim in load(str(path)):
        assert claim.theorem is not None
        found.append(prove(claim.theorem).verdict)
    return found


@pytest.mark.parametrize("path", STATEMENTS, ids=name)
def test_a_statement_is_proved(path: Path) -> None:
    assert set(verdicts(path)) == {Verdict.PROVED}


@pytest.mark.parametrize("path", TWINS, ids=name)
def test_a_false_twin_is_not_proved(path: Path) -> None:
    assert verdicts(path)[-1] is not Verdict.PROVED


def test_every_statement_has_a_false_twin() -> None:
    assert len(STATEMENTS) >= 5
    assert [PAPERS / one.relative_to(FALSE) for one in TWINS] == STATEMENTS


def test_the_readmes_name_every_file() -> None:
    for path in STATEMENTS:
        assert f"`{path.name}`" in (path.parent / "README.md").read_text(encoding="utf-8")
