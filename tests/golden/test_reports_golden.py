"""The text of a whole report, compared character by character."""

from pathlib import Path

import pytest

from reports import load_ledger, render_report

GOLDEN = Path(__file__).parent


@pytest.mark.parametrize("name", ["report.md", "report.tex"])
def test_report_is_as_expected(name: str) -> None:
    rendered = render_report(load_ledger(GOLDEN / "ledger.json"))[name].decode()
    expected = (GOLDEN / name).read_text(encoding="utf-8")
    assert rendered == expected, "if meant: python tests/golden/regenerate.py, then read the diff"
