"""The cookbook: each recipe is found and proved; with its edit, nothing is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.edited_files import edited, neighbours, searched
from theory.verdicts import Verdict

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "cookbook.md").read_text(encoding="utf-8")
RECIPES = re.findall(
    r"```python\n# (\w+)\.py\n(.*?)```\n\n```diff\n-(.*?)\n\+(.*?)\n```", PAGE, re.S
)


def test_there_are_recipes() -> None:
    assert len(RECIPES) == PAGE.count("\n## ") >= 10


@pytest.mark.sampled(5)
@pytest.mark.parametrize("recipe", RECIPES, ids=[name for name, *_ in RECIPES])
def test_a_recipe_is_proved_and_its_edit_is_not(
    recipe: tuple[str, str, str, str], tmp_path: Path
) -> None:
    name, _, before, after = recipe
    with neighbours(tmp_path, {name: text for name, text, *_ in RECIPES}):
        assert searched(tmp_path / f"{name}.py") is Verdict.PROVED
        wrong = edited(tmp_path / f"{name}.py", before, after)
        assert searched(wrong) is Verdict.UNKNOWN
