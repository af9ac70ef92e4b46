"""The command line as its users meet it: a fresh interpreter for every call."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from staleproof.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]

PUBLISHED = Path(__file__).parents[2] / "reports" / "published" / "ledger.json"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the command line in an empty folder, so that a stray file would be seen."""
    folder = tmp_path_factory.mktemp("working-folder")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "staleproof", *map(str, arguments)],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
            env=os.environ | {"COLUMNS": "120"},
        )
        assert not list(folder.iterdir()), "nothing is written unless asked for"
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def result(run: Run) -> Callable[..., Any]:
    """Run a command with ``--json`` and return its exit code and its one object."""

    def result(*arguments: object) -> tuple[int, Any]:
        done = run(*arguments, "--json")
        return done.returncode, json.loads(done.stdout, parse_constant=_refuse)

    return result


@pytest.fixture(scope="session")
def problem() -> Callable[..., dict[str, str]]:
    """Run a command on bad input, with and without ``--json``, and return what is wrong.

    In this process: starting an interpreter would take most of the time.
    """

    def problem(*arguments: object) -> dict[str, str]:
        words = [str(argument) for argument in arguments]
        code, out, err = _main(words)
        assert (code, out) == (2, "")
        code, json_out, json_err = _main([*words, "--json"])
        assert (code, json_err) == (2, "")
        found = json.loads(json_out)
        assert list(found) == ["error"]
        error: dict[str, str] = found["error"]
        assert err == f"staleproof: {error['where']}: {error['what']}; {error['fix']}\n"
        assert all(error.values())
        return error

    return problem


def _main(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="session")
def ledger() -> Any:
    """The published ledger; a golden test keeps it what the provers reach."""
    return json.loads(PUBLISHED.read_text(encoding="utf-8"), parse_constant=_refuse)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not strict JSON")
