"""Shells complete commands, options and files; the scripts are run by the shell itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def completed(script: str, line: list[str], folder: Path) -> set[str]:
    """What bash offers for the last word of a line."""
    words = " ".join(map(repr, line))
    ask = f"COMP_WORDS=({words}); COMP_CWORD={len(line) - 1}; _shtab_staleproof\n"
    done = subprocess.run(
        ["bash", "-c", script + "\n" + ask + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    return {one.strip() for one in done.stdout.splitlines() if one.strip()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_files(run: Run, tmp_path: Path) -> None:
    script = run("completion", "bash").stdout
    (tmp_path / "step.csv").touch()
    assert completed(script, ["staleproof", "ver"], tmp_path) == {"verify"}
    assert completed(script, ["staleproof", "verify", "--no"], tmp_path) == {"--no-cache"}
    assert completed(script, ["staleproof", "check", "st"], tmp_path) == {"step.csv"}
    assert completed(script, ["staleproof", "families", "st"], tmp_path) == set()


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_command_is_in_the_script(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("partial-staleness", "no-cache", "certify"))


def test_another_shell_is_refused(run: Run) -> None:
    done = run("completion", "bsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("staleproof: completion: did you mean 'bash'?")
