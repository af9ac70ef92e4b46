"""How Sphinx makes a site of these pages: ``sphinx-build -W docs SITE``."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

import staleproof

project = "staleproof"
release = staleproof.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"staleproof {release}"
myst_heading_anchors = 4
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # one word, such as "relation", names attributes of two classes

_UP = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+)[^)]*\)")


def _name_what_is_outside(app: Sphinx, page: str, source: list[str]) -> None:
    """Links to files of the repository, which the site does not have, become their names."""

    root = Path(app.srcdir).resolve()

    def named(link: re.Match[str]) -> str:
        words, path = link.groups()
        there = (root / page).parent.joinpath(path).resolve()
        if not there.exists():
            raise FileNotFoundError(f"docs/{page}.md: there is no {path}")
        if there.is_relative_to(root):
            return link[0]
        return f"{words} (`{there.relative_to(root.parent)}` in the repository)"

    source[0] = _UP.sub(named, source[0])


def setup(app: Sphinx) -> None:
    """Say what Sphinx calls."""
    app.connect("source-read", _name_what_is_outside)
