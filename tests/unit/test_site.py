"""The site and docs/README.md lead to the same pages; the site says of no file that it is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem for path in DOCS.glob("*.md")} - {"README", "index"}


def linked(text: str) -> set[str]:
    return set(re.findall(r"\]\(([a-z0-9-]+)\.md\)", text))


def listed(text: str) -> set[str]:
    blocks = re.findall(r"```\{toctree\}(.*?)```", text, re.S)
    lines = (line for block in blocks for line in block.splitlines())
    return {line for line in lines if re.fullmatch(r"[a-z][a-z0-9-]+", line)}


def test_both_lists_have_every_page() -> None:
    assert listed((DOCS / "index.md").read_text()) == PAGES
    assert linked((DOCS / "README.md").read_text()) == PAGES - {"api"}


@pytest.mark.parametrize("page", sorted(PAGES))
def test_links_out_of_the_folder_lead_somewhere(page: str) -> None:
    targets = re.findall(r"\]\((\.\./[^)#]+)", (DOCS / f"{page}.md").read_text())
    assert [one for one in targets if not (DOCS / one).exists()] == []
