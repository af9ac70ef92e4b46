"""Pages in a real browser: no network, no complaint, and what is pointed at lights up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reports import load_ledger
from reports.pages import ledger_page, run_page, stuck_page
from schedules import build, timeline
from schedules.lowering import lower
from tests.browser import CHROMIUM, Browser, browser
from tests.published import LEDGER

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is missing (Debian: chromium)"),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    late = lower(build("1f1b", 4, 8), "just-in-time")
    texts = {
        "ledger.html": ledger_page(load_ledger(LEDGER)),
        "run.html": run_page(timeline(build("pipedream", 3, 6)), "a run"),
        "stuck.html": stuck_page(late, "a deadlock"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def quiet(chromium: Browser) -> Iterator[None]:
    chromium.complaints.clear()
    chromium.requests.clear()
    yield
    assert chromium.complaints == []
    assert all(url.startswith("file://") for url in chromium.requests), chromium.requests


def test_claims_are_filtered_and_opened(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "ledger.html")
    shown = "document.querySelectorAll('details.claim:not([hidden])').length"
    every = chromium.value(shown)
    changed = "document.forms[0].dispatchEvent(new Event('input', {bubbles: true}))"
    chromium.value(f"document.forms[0].by.value = 'rocq'; {changed}")
    assert 0 < chromium.value(shown) < every
    choose = "document.forms[0].by.value = ''; document.forms[0].verdict.value = 'REFUTED';"
    chromium.value(f"{choose} {changed}")
    refuted = chromium.value(shown)
    assert 0 < refuted < every
    assert str(refuted) in chromium.value("document.getElementById('count').textContent")
    chromium.value("location.hash = '#kernel.young'")
    opened = "document.getElementById('kernel.young').querySelectorAll('math').length"
    chromium.value("new Promise(done => setTimeout(done, 200))")
    assert chromium.value(opened) >= 3


@pytest.mark.slow
def test_every_formula_is_drawn(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "ledger.html")
    chromium.value(
        "document.querySelectorAll('details.claim').forEach(one => { one.open = true; })"
    )
    chromium.value("new Promise(done => setTimeout(done, 500))")
    count = "document.querySelectorAll('math').length"
    assert chromium.value(count) > 4000
    unknown = "[...document.querySelectorAll('math *')].filter(e => !(e instanceof MathMLElement))"
    assert chromium.value(f"{unknown}.length") == 0
    flat = "[...document.querySelectorAll('math')].filter(e => e.getBoundingClientRect().width < 1)"
    assert chromium.value(f"{flat}.length") == 0


def test_an_action_lights_up_what_belongs_to_it(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "run.html")
    info = "document.querySelector('.info').textContent"
    box = chromium.value(
        "(() => { const b = [...document.querySelectorAll('.bar')].find(g => "
        "g.getAttribute('aria-label').startsWith('0B2')).getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    chromium.hover(*box)
    said = chromium.value(info)
    assert "Uses version 0; its forward read version 0 (stashed)." in said
    assert "Its update makes version 3: local staleness 2." in said
    near = chromium.value(
        "[...document.querySelectorAll('.near')].map(g => g.getAttribute('aria-label').slice(0, 3))"
    )
    assert {"0F2", "1B2"} <= set(near)
    assert "0F5" not in near


def test_keys_move_along_a_rank_and_the_slider_hides_what_comes_later(
    chromium: Browser, pages: Path
) -> None:
    chromium.open(pages / "run.html")
    chromium.value("document.querySelector('.bar').focus()")
    chromium.press("ArrowRight")
    chromium.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label').slice(0, 3)"
    assert chromium.value(focused) == "1F0"
    later = "document.querySelectorAll('.later').length"
    assert chromium.value(later) == 0
    chromium.value(
        "(() => { const s = document.querySelectorAll('input[type=range]')[1]; s.value = 4;"
        " s.dispatchEvent(new Event('input')); })()"
    )
    assert chromium.value(later) > 10


def test_a_deadlock_says_who_waits_for_whom(chromium: Browser, pages: Path) -> None:
    chromium.open(pages / "stuck.html")
    text = chromium.value("document.body.innerText")
    assert "waits for its counterpart" in text
    assert chromium.value("document.querySelectorAll('.never').length") > 0


def test_both_colour_schemes_have_contrast(chromium: Browser, pages: Path) -> None:
    """Letters against what they stand on: a ratio of 4.5 or more, as WCAG asks."""
    chromium.open(pages / "ledger.html")
    ratio = """(() => {
      const light = c => { const p = c.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255;
        return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]; };
      const back = light(getComputedStyle(document.body).backgroundColor);
      const names = ['.says', 'a', '.PROVED', '.REFUTED', '.CONDITIONAL', '.CHECKED', 'h1'];
      const found = names.map(name => {
        const ink = light(getComputedStyle(document.querySelector(name)).color);
        return (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05); });
      return Math.min(...found); })()"""
    pictures = []
    for dark in (False, True):
        chromium.dark(dark)
        assert chromium.value(ratio) >= 4.5
        pictures.append(chromium.picture())
    chromium.dark(False)
    assert pictures[0] != pictures[1]
