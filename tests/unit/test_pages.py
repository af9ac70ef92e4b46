"""Pages without a browser: one small file each, the same bytes every time."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from reports import load_ledger
from reports.errors import PictureError
from reports.pages import hangs, ledger_page, run_page
from reports.pages.data import run_data
from schedules import build, timeline, versions
from schedules.lowering import lower
from tests.published import LEDGER

LARGEST = 3_000_000


class Links(HTMLParser):
    """Collects what a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {value}" for name, value in attrs if name in ("src", "href")]


def test_the_ledger_is_one_small_file_that_loads_nothing() -> None:
    ledger = load_ledger(LEDGER)
    page = ledger_page(ledger)
    assert len(page.encode()) < LARGEST
    assert page == ledger_page(ledger)
    links = Links()
    links.feed(page)
    assert all(link.startswith("a #") for link in links.found)
    assert all(f'id="{row["id"]}"' in page for row in ledger["claims"])


def test_markup_in_a_name_stays_text() -> None:
    page = run_page(timeline(build("gpipe", 2, 2)), "</script><img src=x>")
    links = Links()
    links.feed(page)
    assert links.found == []


@pytest.mark.parametrize("family", ["pipedream", "gpipe", "zbv", "chimera", "pipemare"])
def test_versions_of_a_page_are_those_of_the_model(family: str) -> None:
    schedule = build(family, 4, 8)
    found, model = run_data(timeline(schedule), family), versions(schedule)
    for _, _, _, kind, stage, microbatch, _, read, used, makes, _ in found["actions"]:
        if kind == "F":
            assert read == model.read[stage, microbatch]
        if kind in "BI":
            assert used == model.used[stage, microbatch]
        if kind == "B" and makes is not None:
            assert makes - 1 - read <= model.local_staleness[stage, microbatch]


def test_what_hangs_is_told_from_what_does_not() -> None:
    plain = build("1f1b", 4, 8)
    assert hangs(lower(plain, "just-in-time"))
    assert not hangs(lower(plain))
    assert not hangs(plain)


def test_too_much_for_a_browser_is_refused() -> None:
    with pytest.raises(PictureError, match="at most 6000 actions"):
        run_page(timeline(build("gpipe", 8, 512)), "much")
