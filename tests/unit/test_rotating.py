"""Tests that take turns are those of a list, and the list is of tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import rotating

MANY = "\n".join(
    f'<testcase classname="tests.unit.test_rotating" name="test_many[{i}]" time="0.125" />'
    for i in range(24)
)
RUN = f"""<testsuites><testsuite>
<testcase classname="tests.unit.test_rotating" name="test_long[a]" time="0.125" />
<testcase classname="tests.unit.test_rotating" name="test_long[b]" time="0.75" />
<testcase classname="tests.unit.test_rotating" name="test_short" time="0.125" />
{MANY}
<testcase classname="tests.golden.test_published" name="test_all_claims" time="300" />
</testsuite></testsuites>"""


def test_every_test_of_the_list_is_there() -> None:
    for name in rotating.listed():
        path, dotted = name.split("::")
        function = dotted.split(".")[-1]
        kept = re.search(
            rf"^ *(def {function}\(|{function}\b.* = )", Path(path).read_text(), re.MULTILINE
        )
        assert kept is not None, name


def test_the_list_is_what_a_run_measured_and_did_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = "tests/unit/test_rotating.py"
    report, kept = tmp_path / "run.xml", tmp_path / "rotating.txt"
    report.write_text(RUN)
    kept.write_text(f"{here}::test_of_another_day {here}::test_short tests/unit/gone.py::test_it\n")
    monkeypatch.setattr(rotating, "LIST", kept)
    rotating.main(report)
    names = ("test_long", "test_many", "test_of_another_day")
    assert kept.read_text().split() == [f"{here}::{name}" for name in names]
