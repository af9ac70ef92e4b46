"""The cookbook: each recipe is found and proved; with its edit, nothing is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.judging.loading import load
from theory.kernel import prove
from theory.proving.certify import certify
from theory.verdicts import Verdict

PAGE = (Path(__file__).parents[2] / "docs" / "cookbook.md").read_text(encoding="utf-8")
RECIPES = re.findall(
    r"```python\n# (\w+)\.py\n(.*?)```\n\n```diff\n-(.*?)\n\+(.*?)\n```", PAGE, re.S
)


@pytest.fixture(autouse=True)
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Recipes import one another as neighbours of a folder."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    for name, text, *_ in RECIPES:
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    yield
    forget()


def forget() -> None:
    """Recipes that others import are read again, with the certificates found meanwhile."""
    for name, *_ in RECIPES:
        sys.modules.pop(name, None)


def verdict(path: Path) -> Verdict:
    """What comes of a file after a search."""
    certify(load(str(path)))
    forget()
    theorem = load(str(path))[-1].theorem
    assert theorem is not None
    return prove(theorem).verdict


def test_there_are_recipes() -> None:
    assert len(RECIPES) == PAGE.count("\n## ") >= 10


@pytest.mark.parametrize("recipe", RECIPES, ids=[name for name, *_ in RECIPES])
def test_a_recipe_is_proved_and_its_edit_is_not(
    recipe: tuple[str, str, str, str], tmp_path: Path
) -> None:
    name, text, before, after = recipe
    assert verdict(tmp_path / f"{name}.py") is Verdict.PROVED
    assert text.count(f"{before}\n") == 1
    wrong = tmp_path / f"{name}_wrong.py"
    wrong.write_text(text.replace(f"{before}\n", f"{after}\n"), encoding="utf-8")
    assert verdict(wrong) is Verdict.UNKNOWN
