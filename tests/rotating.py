"""Write ``rotating.txt``, the tests that take long, from what a run measured.

    python -m pytest -n auto --dist loadfile --doctest-modules --junitxml=run.xml tests theory …
    python -m tests.rotating run.xml

Of these tests one case in twelve is part of a run of all, every day others (`tests.conftest`).
What was left out of that run, as another day's, stays listed.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

LIST: Final = Path(__file__).with_suffix(".txt")

LONG: Final = 0.15
"""Seconds that a case takes in the mean, with all cores busy."""

TOGETHER: Final = 3.0
"""Seconds that all cases of a test take."""

DAILY: Final = "tests/golden/"
"""Never left out: all verdicts against the published ones."""


def listed() -> frozenset[str]:
    """Test functions that take long, as pytest names them, without parameters."""
    return frozenset(LIST.read_text().split())


def measured(report: Path) -> dict[str, list[float]]:
    """Seconds of every case, by test function, from a report in JUnit's format."""
    found = defaultdict[str, list[float]](list)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        function, _, _ = case.attrib["name"].partition("[")
        path = case.attrib["classname"].replace(".", "/") + ".py"
        found[f"{path}::{function}"].append(float(case.attrib["time"]))
    return found


def main(report: Path) -> None:
    times = measured(report)
    kept = {name for name in listed() - times.keys() if Path(name.split("::")[0]).exists()}
    long = {
        name
        for name, each in times.items()
        if sum(each) >= min(LONG * len(each), TOGETHER) and not name.startswith(DAILY)
    }
    LIST.write_text("\n".join(sorted(kept | long)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
