"""The report in reports/published is what the provers reach today, byte for byte."""

from pathlib import Path

from reports import render_report, validate_ledger
from staleproof import __version__
from theory.verify import ledger, select, verify

PUBLISHED = Path(__file__).parents[2] / "reports" / "published"
REMEDY = "run `staleproof verify --report reports/published` and look at what changed"


def test_published_report_is_current() -> None:
    found = ledger(verify(select())) | {"version": __version__}
    rendered = render_report(validate_ledger(found))
    texts = [name for name in rendered if name.endswith((".md", ".tex", ".json"))]
    assert {"report.md", "report.tex", "ledger.json"} == set(texts)
    for name in texts:
        assert (PUBLISHED / name).read_bytes() == rendered[name], REMEDY


def test_published_pictures_belong_to_the_report() -> None:
    report = (PUBLISHED / "report.md").read_text(encoding="utf-8")
    pictures = sorted((PUBLISHED / "figures").glob("*.svg"))
    assert len(pictures) == 4
    assert all(f"figures/{picture.name}" in report for picture in pictures)
