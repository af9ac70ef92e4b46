"""docs/reference.md is what the docstrings say; run this file to write it anew."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from theory import notation
from theory.kernel import rules
from theory.kernel.theorem import Delayed, Smooth
from theory.notation import Draft, Function

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference.md"
BEGINNING: Final = """# Reference

All words of the notation, and all rules of the kernel, with their exact meaning. The page is made
from the docstrings of `theory/notation` and `theory/kernel/rules`, and
`python tests/unit/test_reference_page.py` writes it anew; examples in them are run as tests.
"""


def said(thing: Any) -> Iterator[str]:
    """A docstring as Markdown: its text, its attributes or parameters, its examples."""
    lines = inspect.getdoc(thing).splitlines()  # type: ignore[union-attr]
    starts = [i for i, line in enumerate(lines[1:]) if re.fullmatch("-{3,}", line)]
    ends = [*starts[1:], len(lines)][: len(starts)]
    sections = {lines[i]: lines[i + 2 : j] for i, j in zip(starts, ends, strict=True)}
    yield "\n".join(lines[: starts[0] if starts else None]).strip()
    for name in ("Attributes", "Parameters", "Returns"):
        if any(sections.get(name, ())):
            yield "\n".join(_listed(sections[name]))
    if "Examples" in sections:
        yield "```python\n" + "\n".join(sections["Examples"]).strip() + "\n```"


def _listed(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            yield f"- `{name}`" + (f" ({kind})" if kind else "")
        elif line.strip():
            yield f"  {line.strip()}"


def named(things: dict[str, Any]) -> Iterator[str]:
    """Each thing under its name."""
    for name, thing in things.items():
        yield f"### `{name}`"
        yield from said(thing)


def page() -> str:
    """The page."""
    words = {name: getattr(notation, name) for name in notation.__all__}
    classes = {"Draft", "Expectation", "Function"}
    functions = {name: word for name, word in words.items() if name not in classes}
    methods = {
        f"T.{name}": method
        for name, method in vars(Draft).items()
        if not name.startswith("_") and inspect.isfunction(method)
    }
    points = {"f(x), f.grad(x)": Function}
    every = sorted(rules.RULES, key=lambda rule: rule.__name__)
    parts = [
        BEGINNING.strip(),
        "## Names and formulas",
        *named(functions | points),
        "## A theorem in the making",
        *named(methods),
        "## Assumptions of the kernel that are no formulas",
        *named({"Smooth": Smooth, "Delayed": Delayed}),
        "## Rules of the kernel",
        *named({rule.__name__: rule for rule in every}),
    ]
    return "\n\n".join(parts) + "\n"


def test_the_page_is_what_the_docstrings_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_everything_is_on_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"### `{rule.__name__}`" in text for rule in rules.RULES)
    assert all(f"`{name}" in text or name == "Draft" for name in notation.__all__ if name.islower())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
