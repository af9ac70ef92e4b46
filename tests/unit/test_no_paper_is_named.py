"""Nothing outside a paper's folder names a paper: machines find folders through their records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from theory.falsifier import Challenge
from theory.judging.catalogue import papers
from theory.papers import PAPERS
from theory.record import Paper

ROOT: Final = Path(__file__).parents[2]
NAMES: Final = [name for name in PAPERS if name != "schedules"]  # a package is called so too
NAMED: Final = re.compile(rf"(?<![a-z])({'|'.join(NAMES)})(?![a-z])", re.IGNORECASE)
MACHINES: Final = [
    path
    for package in ("theory", "staleproof", "reports")
    for path in sorted((ROOT / package).rglob("*.py"))
    if not path.is_relative_to(ROOT / "theory" / "papers")
    if not path.is_relative_to(ROOT / "staleproof" / "experiments" / "shipped")  # theirs as well
    if path.name != "stamped_families.py"  # schedules, of which one is called like its paper
    if path.name != "works.py"  # titles of what is cited
]


def lines_naming(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if NAMED.search(line) and "get_family(" not in line:  # one is called like its paper
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def test_no_machine_names_a_paper() -> None:
    assert len(MACHINES) > 100
    assert [line for path in MACHINES for line in lines_naming(path)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_name_would_be_found(name: str, tmp_path: Path) -> None:
    folder = ROOT / "theory" / "papers" / name
    assert any(True for path in folder.glob("*.py") for _ in lines_naming(path))
    assert NAMED.search(f"from {name}_runs import x")
    assert NAMED.search(f'"{name.upper()}-drift"')
    assert not NAMED.search(f"x{name}y")


def test_every_folder_has_a_record() -> None:
    assert list(papers()) == list(PAPERS)
    folders = {path.parent.name for path in (ROOT / "theory" / "papers").glob("*/__init__.py")}
    assert folders == set(PAPERS)
    for name, record in papers().items():
        assert type(record) is Paper
        assert {claim.paper for claim in record.claims} == {name}
        assert all(type(one) is Challenge for one in record.challenges.values())
        assert set(record.tightness) <= {claim.id for claim in record.claims}


def test_bounds_of_a_paper_are_of_its_claims() -> None:
    for record in papers().values():
        ids = {claim.id for claim in record.claims}
        readings = () if record.bounds is None else record.bounds.methods.values()
        for bounds in (bounds for reading in readings for bounds in reading.values()):
            assert {bound.claim for bound in bounds} <= ids
