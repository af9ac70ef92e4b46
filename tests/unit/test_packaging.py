"""What the package declares, what it pins, and what the declaration leaves out."""

import tomllib
from importlib.metadata import requires, version
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import staleproof

ROOT = Path(__file__).resolve().parents[2]
LOWER_BOUNDS = {">=", "==", "~="}
UPPER_BOUNDS = {"<", "<=", "==", "~="}


def declared_requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = chain(project["dependencies"], *project["optional-dependencies"].values())
    return [req for req in map(Requirement, lines) if req.name != project["name"]]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): pinned for name, pinned in pairs}


def names_installed_without_extras() -> set[str]:
    requirements = map(Requirement, requires("staleproof") or [])
    return {
        canonicalize_name(req.name)
        for req in requirements
        if req.marker is None or req.marker.evaluate({"extra": ""})
    }


def test_plain_install_leaves_torch_out() -> None:
    names = names_installed_without_extras()
    assert "numpy" in names
    assert "torch" not in names


@pytest.mark.parametrize("requirement", declared_requirements(), ids=str)
def test_requirement_has_both_bounds(requirement: Requirement) -> None:
    operators = {specifier.operator for specifier in requirement.specifier}
    assert operators & LOWER_BOUNDS
    assert operators & UPPER_BOUNDS


@pytest.mark.parametrize("requirement", declared_requirements(), ids=str)
def test_pin_is_within_bounds(requirement: Requirement) -> None:
    pinned = pins().get(canonicalize_name(requirement.name))
    assert pinned is not None, f"constraints.txt does not pin {requirement.name}"
    assert requirement.specifier.contains(pinned)


def test_installed_version_is_the_source_version() -> None:
    assert version("staleproof") == staleproof.__version__
