"""The page about adding a claim: its files and commands, in its order, do what it says."""

import doctest
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from staleproof.cli import main

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs/tutorials/adding-a-claim.md", ROOT / "docs/how-to/claims.md")
PAGE = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODES = {
    "1 claim: 1 PROVED": 0,
    "2 claims: 2 PROVED": 0,
    "1 of 1 certificate": 0,
    "2 of 2 certificates": 0,
    "3 of 3 certificates": 0,
    "is required": 1,
}


@pytest.fixture(autouse=True)
def plain_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a reader who pipes the output; test runners may set the width."""
    monkeypatch.delenv("COLUMNS", raising=False)


def written(block: str) -> str | None:
    """The name of the file that a block of Python is, if it is one."""
    found = re.match(r"# (\w+\.py)\n", block)
    return found.group(1) if found else None


def edited(text: str, change: str) -> str:
    """The text with the lines of a diff replaced."""
    removed = [line[1:] for line in change.splitlines() if line.startswith("-")]
    added = [line[1:] for line in change.splitlines() if line.startswith("+")]
    before, after = "\n".join(removed), "\n".join(added)
    assert text.count(before) == 1
    return text.replace(before, after)


def check(session: str) -> str:
    """Run the command of a session; the output must be as printed, and the exit code fit it."""
    command, _, expected = session.removeprefix("$ ").partition("\n")
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(shlex.split(command)[1:])
    wanted = next(code for words, code in CODES.items() if words in expected.splitlines()[-1])
    assert code == wanted
    pattern = expected.replace("…", "...")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(pattern, out.getvalue(), options), out.getvalue()
    return command


def test_files_and_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    ran, lemma, change = [], "", ""
    for kind, block in BLOCK.findall(PAGE):
        name = written(block) if kind == "python" else None
        if name is not None:
            Path(name).write_text(block, encoding="utf-8")
            lemma = block if name == "my_lemma.py" else lemma
        elif kind == "diff":
            change = block
            Path("my_lemma.py").write_text(edited(lemma, block), encoding="utf-8")
        elif kind == "console":
            ran.append((check(block), change))
            if " verify " in block:
                assert "my_lemma" not in sys.modules, "files are run in another process"
            sys.modules.pop("my_lemma", None)  # certify imports it here
            change = ""
            Path("my_lemma.py").write_text(lemma, encoding="utf-8")
    files = [command.split()[-1] for command, _ in ran]
    ours = ["my_theorem.py"] * 2 + ["my_delayed_sgd.py"] * 2 + ["my_step.py"]
    assert files == ["my_lemma.py"] * 3 + ours
    assert [bool(change) for _, change in ran] == [False, False, True] + [False] * len(ours)


def test_files_are_short() -> None:
    blocks = {written(block): block for kind, block in BLOCK.findall(PAGE) if kind == "python"}
    assert len(blocks["my_lemma.py"].splitlines()) <= 10
    assert len(blocks["my_delayed_sgd.py"].splitlines()) <= 27


@pytest.mark.parametrize("edit", [lambda text: text.replace("PROVED", "REFUTED"), str.upper])
def test_another_output_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[str], str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE)
    Path("my_lemma.py").write_text(blocks[0][1], encoding="utf-8")
    check(blocks[1][1])
    command, _, output = blocks[2][1].partition("\n")
    check(f"{command}\n{output}")
    lines = output.splitlines(keepends=True)
    with pytest.raises(AssertionError):
        check("".join((f"{command}\n", *map(edit, lines[:-1]), lines[-1])))
