"""Files that import one another, and single edits to them, searched and judged in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from theory.judging.loading import load
from theory.kernel import prove
from theory.proving.certify import certify
from theory.verdicts import Verdict


@contextmanager
def neighbours(folder: Path, texts: Mapping[str, str] | None = None) -> Iterator[Path]:
    """A folder with files, by name without ``.py``, to be written; none of it stays imported."""
    for name, text in (texts or {}).items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    path = [*sys.path]
    sys.path.append(str(folder))
    yield folder
    sys.path[:] = path
    forget(folder)


def forget(folder: Path) -> None:
    """Files that others import are read again, with the certificates found meanwhile."""
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


def judged(path: Path) -> Verdict:
    """Of a file's last claim; certificates are only read."""
    theorem = load(str(path))[-1].theorem
    assert theorem is not None
    return prove(theorem).verdict


def searched(path: Path) -> Verdict:
    """What comes of a file after a search."""
    certify(load(str(path)))
    forget(path.parent)
    return judged(path)


def edited(path: Path, before: str, after: str) -> Path:
    """The copy of a file, beside it, in which one line is another."""
    text = path.read_text(encoding="utf-8")
    assert text.count(f"{before}\n") == 1
    wrong = path.with_name(f"{path.stem}_wrong.py")
    wrong.write_text(text.replace(f"{before}\n", f"{after}\n"), encoding="utf-8")
    return wrong
