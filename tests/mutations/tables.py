"""Markdown tables, and pages that hold them between marks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

END: Final = "<!-- end -->"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, numbers on the right; a 0 is left empty."""
    body = [list(row) for row in rows]
    columns = range(len(head))
    numeric = [all(isinstance(row[k], int) or not row[k] for row in body) for k in columns]
    rule: list[object] = ["--:" if right else ":--" for right in numeric]
    lines: list[list[object]] = [list(head), rule, *body]
    return "\n".join(
        "| " + " | ".join("" if cell == 0 else str(cell) for cell in line) + " |" for line in lines
    )


def filled(page: str, parts: Mapping[str, str]) -> str:
    """A page with its parts written anew; a part stands between its mark and the next end."""
    for name, text in parts.items():
        before, begin, rest = page.partition(mark(name))
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise ValueError(f"the page has no part {name!r}")
        page = f"{before}{begin}{text}\n{end}{after}"
    return page


def part(page: str, name: str) -> str:
    """What stands in a part of a page."""
    return page.partition(mark(name))[2].partition(END)[0].rstrip("\n")


def mark(name: str) -> str:
    return f"<!-- {name} -->\n"
