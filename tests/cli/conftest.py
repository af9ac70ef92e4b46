"""The command line as its users meet it: `shell` starts a fresh interpreter, `run` does without."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from staleproof.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]

PUBLISHED = Path(__file__).parents[2] / "reports" / "published" / "ledger.json"


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where commands run, so that a stray file would be seen."""
    return tmp_path_factory.mktemp("working-folder")


@pytest.fixture(scope="session")
def shell(empty: Path) -> Run:
    """Run the command line in an interpreter of its own."""

    def shell(*arguments: object) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "staleproof", *map(str, arguments)],
            cwd=empty,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
            env=os.environ | {"COLUMNS": "120"},
        )
        assert not list(empty.iterdir()), "nothing is written unless asked for"
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return shell


@pytest.fixture(scope="session")
def run(empty: Path) -> Run:
    """Run the command line in this process: starting an interpreter would take most of the time."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        with chdir(empty):
            code, out, err = _main(words)
        assert not list(empty.iterdir()), "nothing is written unless asked for"
        return subprocess.CompletedProcess(words, code, out, err)

    return run


@pytest.fixture(scope="session")
def result(run: Run) -> Callable[..., Any]:
    """Run a command with ``--json`` and return its exit code and its one object."""

    def result(*arguments: object) -> tuple[int, Any]:
        done = run(*arguments, "--json")
        found = json.loads(done.stdout, parse_constant=_refuse)
        if "error" not in found:
            # What it is, and whose; every command says so, and tests are about the rest.
            schema, version = found["schema"], found["version"]
            assert re.fullmatch(r"staleproof-[a-z-]+/\d", schema)
            assert version
            if schema == f"staleproof-{arguments[0]}/1":
                del found["schema"], found["version"]
        return done.returncode, found

    return result


@pytest.fixture(scope="session")
def problem() -> Callable[..., dict[str, str]]:
    """Run a command on bad input, with and without ``--json``, and return what is wrong."""

    def problem(*arguments: object) -> dict[str, str]:
        words = [str(argument) for argument in arguments]
        code, out, err = _main(words)
        assert (code, out) == (2, "")
        code, json_out, json_err = _main([*words, "--json"])
        assert (code, json_err) == (2, "")
        found = json.loads(json_out)
        assert list(found) == ["schema", "version", "error"]
        error: dict[str, str] = found["error"]
        near = error["fix"].startswith("did you mean")
        said = " ".join if near else "; ".join
        order = ("fix", "what") if near else ("what", "fix")
        text = f"staleproof: {error['where']}: {said(error[one] for one in order)}\n"
        assert _at_any_time(err) == _at_any_time(text)
        assert all(error.values())
        return error

    return problem


def _at_any_time(text: str) -> str:
    """A text without how much memory is free, which changes between two runs."""
    return re.sub(r"[\d.]+ GiB are", "some GiB are", text)


def _main(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", "120")
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="session")
def ledger() -> Any:
    """The published ledger; a golden test keeps it what the provers reach."""
    return json.loads(PUBLISHED.read_text(encoding="utf-8"), parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not strict JSON")
