"""The page about checking, and the example project, do what they say."""

import doctest
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from staleproof.cli import main
from staleproof.settings import CHECK_KEYS, GENERAL_KEYS, find_settings, read_settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "docs/how-to/checking.md", ROOT / "docs/reference/check.md")
PAGE = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
GATE = ROOT / "examples" / "gate"
WORKFLOW = (GATE / ".github" / "workflows" / "schedules.yml").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def sessions() -> Iterator[tuple[str, str]]:
    """Every command of the page and what it is said to print."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example project, to be in."""
    folder = tmp_path / "gate"
    shutil.copytree(GATE, folder)
    monkeypatch.chdir(folder)
    return folder


def printed(command: str) -> tuple[int, str]:
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main(shlex.split(command)[1:])
    return code, out.getvalue()


@pytest.mark.parametrize(("command", "output"), list(sessions()))
def test_commands_of_the_page(gate: Path, command: str, output: str) -> None:
    code, found = printed(command)
    assert doctest.OutputChecker().check_output(output, found, doctest.ELLIPSIS), found
    expected = {"ok": 0, "from": 0, "{": 0, "not ok": 1, "staleproof": 2}
    begins = next(word for word in expected if output.startswith(word))
    assert code == expected[begins]


def test_settings_of_the_page() -> None:
    [text] = blocks("toml")
    table = tomllib.loads(text)["tool"]["staleproof"]
    settings = read_settings(table, "pyproject.toml", ROOT)
    assert [check.targets for check in settings.checks] == [("schedules/*.csv",), ("zb-h1",)]
    assert settings.checks[1].options.ranks == 4
    for key in {*GENERAL_KEYS, *CHECK_KEYS} - {"check"}:
        assert f"`{key}`" in PAGE


def test_example_passes_and_its_broken_file_does_not(gate: Path) -> None:
    assert printed("staleproof check")[0] == 0
    assert printed("staleproof check broken/1f1b-just-in-time.csv")[0] == 1
    assert find_settings(gate).checks[0].expanded() == ["schedules/1f1b.csv"]


def test_tests_of_the_example(gate: Path) -> None:
    plugin = ["-p", "staleproof.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:staleproof", *plugin, "tests"]
    done = subprocess.run(command, cwd=gate, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


def test_commands_of_the_workflow(gate: Path) -> None:
    commands = re.findall(r"^ +(?:- run: )?(staleproof .*)$", WORKFLOW, re.MULTILINE)
    assert len(commands) == 3
    shutil.copy("schedules/1f1b.csv", "old.csv")
    for command in commands:
        words, _, _ = command.partition(" > ")
        assert printed(words)[0] == 0, command
    assert not (gate / "pictures").exists()


def test_comparison_of_the_workflow(gate: Path) -> None:
    """It comes also behind a check that failed, and passes over a file that is new."""
    [step] = [part for part in WORKFLOW.split("\n      - ") if "--diff" in part]
    assert step.startswith("if: always()\n")
    script = textwrap.dedent(step.partition("run: |\n")[2].partition("\n\n")[0])
    done = subprocess.run(["bash", "-e", "-c", script], cwd=gate, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_commands_of_the_readme(gate: Path) -> None:
    text = (gate / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    commands = [line.partition("#")[0] for line in block.splitlines() if "staleproof" in line]
    assert [printed(command)[0] for command in commands] == [0, 1, 1, 1]
    assert list((gate / "pictures").iterdir())
    for name in re.findall(r"^\| `(.*?)` \|", text, re.MULTILINE):
        assert (gate / name).is_file(), name


@pytest.mark.parametrize(
    "path", [ROOT / ".pre-commit-hooks.yaml", GATE / ".pre-commit-config.yaml"]
)
def test_hook_takes_the_files_of_the_example(gate: Path, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    [entry] = re.findall(r"entry: (.*)$", text, re.MULTILINE)
    [pattern] = re.findall(r"files: (.*)$", text, re.MULTILINE)
    every = [str(file.relative_to(gate)) for file in sorted(gate.rglob("*")) if file.is_file()]
    files = [file for file in every if re.search(pattern, file)]
    assert files == ["schedules/1f1b.csv", "schedules/pipedream.json"]
    assert printed(f"{entry} {' '.join(files)}")[0] == 0
