"""Pages in a real browser: no network, no complaint, and what is pointed at lights up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from reports import load_ledger
from reports.pages import ledger_page, run_page, stuck_page
from schedules import build, timeline
from schedules.lowering import lower
from tests.browser import CHROMIUM, Browser, browser
from tests.firefox import FIREFOX, Firefox, firefox
from tests.published import LEDGER

pytestmark = pytest.mark.browser
Page = Browser | Firefox
STARTS: dict[str, tuple[str | None, Callable[[], AbstractContextManager[Page]]]] = {
    "chromium": (CHROMIUM, browser),
    "firefox": (FIREFOX, firefox),
}


@pytest.fixture(scope="module", params=STARTS)
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    program, start = STARTS[request.param]
    if program is None:
        pytest.skip(f"{request.param} is missing (Debian: chromium, firefox-esr)")
    with start() as found:
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
def quiet(page: Page) -> Iterator[None]:
    page.forget()
    yield
    assert page.complaints == []
    assert all(url.startswith("file://") for url in page.requests), page.requests


def test_claims_are_filtered_and_opened(page: Page, pages: Path) -> None:
    page.open(pages / "ledger.html")
    shown = "document.querySelectorAll('details.claim:not([hidden])').length"
    every = page.value(shown)
    changed = "document.forms[0].dispatchEvent(new Event('input', {bubbles: true}))"
    page.value(f"document.forms[0].by.value = 'rocq', {changed}")
    assert 0 < page.value(shown) < every
    choose = "document.forms[0].by.value = '', document.forms[0].verdict.value = 'REFUTED'"
    page.value(f"{choose}, {changed}")
    refuted = page.value(shown)
    assert 0 < refuted < every
    assert str(refuted) in page.value("document.getElementById('count').textContent")
    page.value("location.hash = '#kernel.young'")
    opened = "document.getElementById('kernel.young').querySelectorAll('math').length"
    page.value("new Promise(done => setTimeout(done, 200))")
    assert page.value(opened) >= 3


@pytest.mark.slow
def test_every_formula_is_drawn(page: Page, pages: Path) -> None:
    page.open(pages / "ledger.html")
    page.value("document.querySelectorAll('details.claim').forEach(one => { one.open = true; })")
    page.value("new Promise(done => setTimeout(done, 500))")
    count = "document.querySelectorAll('math').length"
    assert page.value(count) > 4000
    unknown = "[...document.querySelectorAll('math *')].filter(e => !(e instanceof MathMLElement))"
    assert page.value(f"{unknown}.length") == 0
    flat = "[...document.querySelectorAll('math')].filter(e => e.getBoundingClientRect().width < 1)"
    assert page.value(f"{flat}.length") == 0


def test_an_action_lights_up_what_belongs_to_it(page: Page, pages: Path) -> None:
    page.open(pages / "run.html")
    info = "document.querySelector('.info').textContent"
    box = page.value(
        "(() => { const b = [...document.querySelectorAll('.bar')].find(g => "
        "g.getAttribute('aria-label').startsWith('0B2')).getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    page.hover(*box)
    said = page.value(info)
    assert "Uses version 0; its forward read version 0 (stashed)." in said
    assert "Its update makes version 3: local staleness 2." in said
    near = page.value(
        "[...document.querySelectorAll('.near')].map(g => g.getAttribute('aria-label').slice(0, 3))"
    )
    assert {"0F2", "1B2"} <= set(near)
    assert "0F5" not in near


def test_what_is_drawn_is_the_run(page: Page, pages: Path) -> None:
    """Bars by their boxes and letters, whatever version draws them: a slot has one width."""
    page.open(pages / "run.html")
    drawn = page.value(
        """[...document.querySelectorAll('.bar')].map(g => {
        const box = n => { const b = n.getBoundingClientRect(); return [b.x, b.y, b.width]; };
        const [bar, name] = [g.querySelector('rect'), g.querySelector('text')].map(box);
        const inside = bar[0] <= name[0] && name[0] + name[2] <= bar[0] + bar[2];
        return [g.querySelector('text').textContent, ...bar, inside]; })"""
    )
    rows = sorted({y for _, _, y, *_ in drawn})
    left = min(x for _, x, *_ in drawn)
    slot = min(width for *_, width, _ in drawn) + 1  # bars are a pixel apart
    stated = timeline(build("pipedream", 3, 6)).rows()
    cells = [["."] * len(row.split()) for row in stated]
    for name, x, y, *_ in drawn:
        cells[rows.index(y)][round((x - left) / slot)] = name
    assert [" ".join(row) for row in cells] == stated
    assert all(inside for *_, inside in drawn)


def test_keys_move_along_a_rank_and_the_slider_hides_what_comes_later(
    page: Page, pages: Path
) -> None:
    page.open(pages / "run.html")
    page.value("document.querySelector('.bar').focus()")
    page.press("ArrowRight")
    page.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label').slice(0, 3)"
    assert page.value(focused) == "1F0"
    later = "document.querySelectorAll('.later').length"
    assert page.value(later) == 0
    page.value(
        "(() => { const s = document.querySelectorAll('input[type=range]')[1]; s.value = 4;"
        " s.dispatchEvent(new Event('input')); })()"
    )
    assert page.value(later) > 10


def test_a_deadlock_says_who_waits_for_whom(page: Page, pages: Path) -> None:
    page.open(pages / "stuck.html")
    text = page.value("document.body.innerText")
    assert "waits for its counterpart" in text
    assert page.value("document.querySelectorAll('.never').length") > 0


def test_both_colour_schemes_have_contrast(page: Page, pages: Path) -> None:
    """Letters against what they stand on: a ratio of 4.5 or more, as WCAG asks."""
    page.open(pages / "ledger.html")
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
        page.dark(dark)
        assert page.value(ratio) >= 4.5
        pictures.append(page.picture())
    page.dark(False)
    assert pictures[0] != pictures[1]


def test_complaints_and_requests_are_heard(page: Page, tmp_path: Path) -> None:
    """Else that there are none would show nothing."""
    loud, silent = tmp_path / "loud.html", tmp_path / "silent.html"
    start = '<!doctype html><meta charset="utf-8"><html data-ready="yes">'
    silent.write_text(start, encoding="utf-8")
    away = '<img src="https://example.org/x.png"><script>throw Error("heard")</script>'
    loud.write_text(start + away, encoding="utf-8")
    page.open(loud)
    assert any("heard" in one for one in page.complaints)
    assert any(url.startswith("https://example.org") for url in page.requests)
    page.open(silent)
    page.forget()
