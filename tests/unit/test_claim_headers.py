"""Every file of a numbered statement opens with its problem, method, guarantee and source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import theory.papers

PAPERS = Path(next(iter(theory.papers.__path__)))
FIELDS = ["Problem", "Method", "Guarantee", "Source"]


def claims(text: str) -> bool:
    return re.search(r"^(CLAIM|THEOREM)\b.*=", text, re.MULTILINE) is not None


def fields(text: str) -> list[str]:
    """The fields of a docstring, each on a line of its own with its text in column 12."""
    known = ast.get_docstring(ast.parse(text)) or ""
    return re.findall(rf"^({'|'.join(FIELDS)})(?= {{2,}}\S)", known, re.MULTILINE)


def test_claim_files_say_what_is_claimed_and_where() -> None:
    files = [path for path in PAPERS.rglob("*.py") if claims(path.read_text(encoding="utf-8"))]
    assert len(files) > 200
    bare = [str(at) for at in files if fields(at.read_text(encoding="utf-8")) != FIELDS]
    assert bare == []


def test_a_file_that_leaves_one_out_is_noticed() -> None:
    whole = '"""A claim.\n\nProblem    x.\nMethod     y.\nGuarantee  z.\nSource     ours.\n"""\n'
    assert fields(whole) == FIELDS
    assert fields(whole.replace("Method     y.\n", "")) != FIELDS
    assert fields(whole.replace("Source     ours.", "Source")) != FIELDS
    assert claims(f"{whole}CLAIM = THEOREM = 1\n")
    assert not claims(whole)
