"""Who may import whom, and what must not be imported at all."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("schedules", "theory", "gpu_validation", "reports", "staleproof")
HEAVY = {"z3", "rich", "matplotlib", "torch", "sympy"}
LINT_IMPORTS = "from importlinter.cli import lint_imports_command as run; run()"

FORBIDDEN_IMPORTS = [
    ("schedules", "theory"),
    ("schedules", "gpu_validation"),
    ("schedules", "reports"),
    ("schedules", "staleproof"),
    ("theory", "gpu_validation"),
    ("theory", "reports"),
    ("theory", "staleproof"),
    ("gpu_validation", "theory"),
    ("gpu_validation", "reports"),
    ("gpu_validation", "staleproof"),
    ("reports", "theory"),
    ("reports", "gpu_validation"),
    ("reports", "staleproof"),
    *[
        (importer, library)
        for importer in ("schedules", "gpu_validation")
        for library in ("z3", "rich", "matplotlib")
    ],
]


def run_python(code: str, *args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *args], cwd=cwd, capture_output=True, text=True, check=False
    )


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    return run_python(LINT_IMPORTS, "--no-cache", "--no-logo", cwd=tree)


def modules_after(statement: str) -> set[str]:
    done = run_python(f"import sys; {statement}; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    skip = shutil.ignore_patterns("__pycache__", "published", "measured")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=skip)
    return tmp_path


def test_contracts_are_kept(tree: Path) -> None:
    done = lint_imports(tree)
    assert done.returncode == 0, done.stdout
    assert "4 kept, 0 broken" in done.stdout


def test_each_forbidden_import_is_caught(tree: Path) -> None:
    for importer, imported in FORBIDDEN_IMPORTS:
        with (tree / importer / "__init__.py").open("a", encoding="utf-8") as source:
            source.write(f"\nimport {imported}\n")
    done = lint_imports(tree)
    assert done.returncode == 1
    missed = [pair for pair in FORBIDDEN_IMPORTS if " -> ".join(pair) not in done.stdout]
    assert not missed


def test_importing_schedules_stays_light() -> None:
    assert not HEAVY & modules_after("import schedules")


@pytest.mark.parametrize("package", ["schedules", "gpu_validation"])
def test_imports_on_a_compute_node(package: str) -> None:
    absent = dict.fromkeys(["z3", "rich", "matplotlib"])
    assert package in modules_after(f"sys.modules.update({absent}); import {package}")


def test_command_line_starts_without_extras() -> None:
    absent = dict.fromkeys(["torch", "pytest", "hypothesis", "PEPit", "cvxpy"])
    assert "staleproof" in modules_after(f"sys.modules.update({absent}); import staleproof.cli")
