"""The trusted part in docs/explanation/trust.md: all of it is named, and its lines are counted.

``python tests/unit/test_trusted_lines.py`` counts anew; which files there are is written by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "trust.md"
JUDGE = "theory.judging.decide"
ROW = re.compile(r"^\| ([^|]*) \| `(theory/[a-z/]*)` ([^|]*) \| (\d+) \|$", re.MULTILINE)
SUM = re.compile(r"^\| \*\*all\*\* \| \| \*\*(\d+)\*\* \|$", re.MULTILINE)
REMEDY = "name the file in docs/explanation/trust.md, or do without it; then run this file"


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def named(row: re.Match[str]) -> list[Path]:
    return [ROOT / row[2] / f"{part.split()[0]}.py" for part in row[3].split(", ")]


def counted(row: re.Match[str]) -> str:
    files = named(row)
    listed = ", ".join(f"{path.stem} {lines(path)}" for path in files)
    return f"| {row[1]} | `{row[2]}` {listed} | {sum(map(lines, files))} |"


def recounted(page: str) -> str:
    """The page with the lines of the files that it names."""
    total = sum(lines(path) for row in ROW.finditer(page) for path in named(row))
    return SUM.sub(f"| **all** | | **{total}** |", ROW.sub(counted, page))


def module_file(name: str) -> Path | None:
    path = ROOT / name.replace(".", "/")
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def imported(path: Path) -> Iterator[str]:
    """What a file imports when it runs, functions included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in guarded:
            name = node.module or ""
            yield from (name, *(f"{name}.{alias.name}" for alias in node.names))


def believed() -> set[Path]:
    """The judge and whatever it imports, and what those import."""
    found, waiting = set[Path](), [JUDGE]
    while waiting:
        path = module_file(waiting.pop())
        if path is not None and path not in found and path.is_relative_to(ROOT / "theory"):
            found.add(path)
            waiting += imported(path)
    return found


def test_every_file_that_the_judge_uses_is_named() -> None:
    listed = {path for row in ROW.finditer(PAGE.read_text(encoding="utf-8")) for path in named(row)}
    assert believed() <= listed, REMEDY


def test_lines_are_as_counted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == recounted(page), "run `python tests/unit/test_trusted_lines.py`"


def test_another_count_would_be_seen() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert SUM.search(page)
    wrong = SUM.sub("| **all** | | **1** |", page).replace("decide ", "decide 1", 1)
    assert wrong != page
    assert recounted(wrong) == page


if __name__ == "__main__":
    PAGE.write_text(recounted(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
