"""Every page stands in the list of its layer, and leads to what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LAYERS = ("tutorials", "how-to", "reference", "explanation")
PAGES = sorted(DOCS.rglob("*.md"))


def listed(text: str) -> list[str]:
    [block] = re.findall(r"```\{toctree\}(.*?)```", text, re.S)
    return re.findall(r"^([a-z][a-z0-9/-]+)$", block, re.M)


def test_pages_are_in_four_layers() -> None:
    assert listed((DOCS / "index.md").read_text()) == [f"{layer}/index" for layer in LAYERS]
    assert {page.parent for page in PAGES} == {DOCS, *(DOCS / layer for layer in LAYERS)}


@pytest.mark.parametrize("layer", LAYERS)
def test_both_lists_of_a_layer_have_every_page(layer: str) -> None:
    text = (DOCS / layer / "index.md").read_text()
    assert set(listed(text)) == {page.stem for page in (DOCS / layer).glob("*.md")} - {"index"}
    assert re.findall(r"\]\(([a-z0-9-]+)\.md\)", text) == listed(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text())
    assert [one for one in targets if not (page.parent / one).exists()] == []
