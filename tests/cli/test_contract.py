"""What holds for every command: streams, exit codes, help, interruptions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import staleproof

COMMANDS = (
    "verify",
    "list",
    "show",
    "certify",
    "delays",
    "derive",
    "check",
    "compare",
    "completion",
    "convert",
    "diff",
    "draw",
    "export",
    "families",
    "bounds",
    "measure",
    "partial-staleness",
    "plan",
    "report",
)
HEAVY = {"z3", "sympy", "matplotlib", "jinja2", "rich", "torch", "networkx"}
Run = Callable[..., subprocess.CompletedProcess[str]]
Problem = Callable[..., dict[str, str]]


def test_version(shell: Run) -> None:
    done = shell("--version")
    assert (done.returncode, done.stdout) == (0, f"staleproof {staleproof.__version__}\n")


def test_without_a_command_there_are_examples_and_no_success(run: Run) -> None:
    done = run()
    assert done.returncode == 2, "a script that lost its command must not pass"
    assert "staleproof show kernel.descent" in done.stdout


def test_help_names_every_command(shell: Run) -> None:
    done = shell("--help")
    assert done.returncode == 0
    first = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("    ")}
    assert set(COMMANDS) <= first


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: staleproof {command} ")


def test_installed_script_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("staleproof")
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"staleproof {staleproof.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (["verfy"], "'verify'"),
        (["Delays"], "'delays'"),
        (["--versoin"], "'--version'"),
        (["families", "--jsn"], "'--json'"),
        (["delays", "pipedream", "--linearisation", "descending"], "'--linearization'"),
        (["verify", "--requires=PROVED"], "'--require'"),
    ],
)
def test_nearest_word_is_suggested(problem: Problem, arguments: list[str], nearest: str) -> None:
    assert problem(*arguments)["fix"] == f"did you mean {nearest}?"


def test_unknown_command_lists_the_known(problem: Problem) -> None:
    error = problem("launch")
    assert "no command 'launch'" in error["what"]
    assert all(command in error["what"] for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["families", "extra"],
        ["delays"],
        ["delays", "pipedream", "-p"],
        ["delays", "pipedream", "-p", "4", "-m"],
        ["derive"],
        ["check"],
    ],
)
def test_incomplete_arguments(problem: Problem, arguments: list[str]) -> None:
    assert "--help" in problem(*arguments)["fix"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--", "families"],
        ["report"],
        ["report", "ledger.json"],
        ["families", "--jsn"],
        ["delays", "pipedream", "-p", "4.0"],
        ["derive", "pipdream"],
        ["check", "missing.csv"],
        ["verify", "--require", "SURE"],
    ],
)
def test_bad_input_is_one_line(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("staleproof: ")


def test_bad_input_is_one_object(shell: Run) -> None:
    done = shell("delays", "pipedream", "-p", "-1", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    found = json.loads(done.stdout)
    assert set(found["error"]) == {"what", "where", "fix"}
    assert (found["schema"], found["version"]) == ("staleproof-error/1", staleproof.__version__)


def test_families_starts_light() -> None:
    code = (
        "import sys; from staleproof.cli import main; main(['families', '--json']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.split())
    assert json.loads(done.stdout)["families"]


def test_reader_that_leaves_ends_it_quietly() -> None:
    ends = os.pipe()
    os.close(ends[0])
    command = [sys.executable, "-m", "staleproof", "families"]
    done = subprocess.run(command, stdout=ends[1], stderr=subprocess.PIPE, text=True, check=False)
    os.close(ends[1])
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["families"], ["families", "--json"]])
def test_full_disk_is_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "staleproof", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("staleproof: standard output: cannot be written")
    assert done.stderr.count("\n") == 1


def test_any_encoding_of_the_terminal_will_do() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "staleproof", "delays", "gpipe", "-p", "3"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.isascii()


def test_ctrl_c_ends_it_quietly() -> None:
    code = (
        "import sys; from staleproof import cli\n"
        "def interrupted(*_): raise KeyboardInterrupt\n"
        "cli._run = interrupted; sys.exit(cli.main([]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "staleproof: interrupted\n"


def test_families(run: Run, result: Callable[..., Any]) -> None:
    code, found = result("families")
    assert code == 0
    by_name = {family["name"]: family for family in found["families"]}
    assert {"pipedream", "localsgd", "gpipe", "naive"} <= set(by_name)
    for family in by_name.values():
        assert {"name", "source", "parameters", "policy", "affine", "summary"} <= set(family)
    assert by_name["pipedream"]["parameters"][0]["name"] == "noam"
    assert by_name["gpipe"]["policy"] == "flush"
    lines = run("families").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(by_name)
