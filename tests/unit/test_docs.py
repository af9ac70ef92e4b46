"""The examples in the README and in docs/ run as printed."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference.md"
"""Its examples are those of docstrings, which run where they stand."""

PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").glob("*.md")} - {REFERENCE})]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path) -> None:
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_some_pages_have_examples() -> None:
    with_examples = [page.name for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
    assert {"README.md", "adding-a-claim.md", "adding-a-schedule.md"} <= set(with_examples)
