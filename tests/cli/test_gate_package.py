"""`packaging/gate`: the gate with few libraries, from the same sources."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
GATE = ROOT / "packaging" / "gate"
EXAMPLE = ROOT / "examples" / "gate"


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[]", each)[0] for each in requirements}


def test_same_sources_and_fewer_libraries() -> None:
    whole, gate = project(ROOT), project(GATE)
    needed = gate["project"]["dependencies"] + gate["project"]["optional-dependencies"]["picture"]
    assert set(needed) < set(whole["project"]["dependencies"])
    targets = {
        name: each["targets"]["wheel"]
        for name, each in (
            ("whole", whole["tool"]["hatch"]["build"]),
            ("gate", gate["tool"]["hatch"]["build"]),
        )
    }
    assert sorted(targets["gate"]["force-include"].values()) == sorted(targets["whole"]["packages"])
    for source, name in targets["gate"]["force-include"].items():
        assert (GATE / source).resolve() == ROOT / name
    for key in ("scripts", "requires-python", "entry-points"):
        assert gate["project"][key] == whole["project"][key]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("check",), 0, "ok: schedules/1f1b.csv"),
        (("check", "broken/1f1b-just-in-time.csv"), 1, "step by step"),
        (("check", "--diff", "schedules/1f1b.csv", "broken/1f1b-just-in-time.csv"), 1, "not ok"),
        (("check", "schedules/1f1b.csv", "--format", "junit"), 0, "<testsuite"),
        (("compare", "gpipe", "1f1b", "-p", "4"), 0, "makespan"),
        (("verify", "schedules"), 2, "which is not installed; install staleproof whole"),
    ],
)
def test_without_the_other_libraries(command: tuple[str, ...], code: int, words: str) -> None:
    absent = names(project(ROOT)["project"]["dependencies"]) - names(
        project(GATE)["project"]["dependencies"]
    )
    modules = sorted({each.replace("-solver", "") for each in absent} | {"torch", "mpmath"})
    assert {"z3", "sympy", "scipy", "matplotlib", "clarabel"} <= set(modules)
    script = (
        f"import sys; sys.modules.update(dict.fromkeys({modules!r}))\n"
        "from staleproof.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command],
        cwd=EXAMPLE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr
