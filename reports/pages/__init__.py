"""Pages to explore, each one file that needs no other and no network."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from reports.documents.as_html import html_text, line_html
from reports.documents.blocks import prose
from reports.documents.claim import ABBREVIATION, KINDS, claim_blocks
from reports.documents.graph import layout
from reports.documents.paper import titles
from reports.ledger import VERDICTS, Ledger, Row, count_verdicts
from reports.pages.data import delay_data, hangs, run_data, stuck_data
from schedules import Schedule, Timeline, build, timeline
from schedules.lowering import lower

__all__ = ["hangs", "ledger_page", "run_page", "stuck_page"]

_HERE: Final = Path(__file__).parent
SHOWN: Final = (
    ("pipedream", 4, 10),
    ("1f1b", 4, 8),
    ("gpipe", 4, 8),
    ("zb-h1", 4, 8),
    ("zbv", 3, 6),
    ("interleaved-1f1b", 3, 6),
    ("chimera", 4, 8),
    ("dualpipev", 3, 6),
    ("pipemare", 3, 6),
)
"""Schedules of the ledger's page; the last one does not stash."""
BY: Final = {
    "kernel": "the kernel's rules",
    "solver": "an SMT solver",
    "comparison": "code that compares",
    "grid": "a grid of sizes",
    "words": "an argument in words",
    "rocq": "Rocq as well",
}
"""What checked a row, as the page says it."""
LARGEST: Final = 12
"""Ranks up to which the page has delays."""


def run_page(line: Timeline, title: str, note: str = "") -> str:
    """One run of a schedule, as a page.

    Examples
    --------
    >>> page = run_page(timeline(build("gpipe", 2, 2)), "gpipe, p = 2")
    >>> page.startswith("<!doctype html>"), "://" in page.replace("http://www.w3.org", "")
    (True, False)
    """
    return _explorer_page(run_data(line, title, note), title)


def stuck_page(schedule: Schedule, title: str) -> str:
    """A schedule as far as it gets before it hangs, as a page."""
    return _explorer_page(stuck_data(schedule, title), title)


def _explorer_page(data: Mapping[str, Any], title: str) -> str:
    text = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    body = f'<main><h1>{escape(title)}</h1><div id="run"></div></main>'
    start = (
        'explore(document.getElementById("run"), DATA);\n'
        'document.documentElement.dataset.ready = "yes";'
    )
    return _page(title, body, f"{_file('explorer.js')}\nconst DATA = {text};\n{start}")


def ledger_page(ledger: Ledger) -> str:
    """A ledger to browse, with schedules to look into."""
    papers = list(dict.fromkeys(row["paper"] for row in ledger["claims"]))
    title = "What holds of the theory"
    body = "\n".join(_body(ledger, papers, title))
    store = {
        "claims": {row["id"]: html_text(claim_blocks(row)) for row in ledger["claims"]},
        "graphs": {paper: _graph(ledger, paper) for paper in papers},
        "runs": dict(_runs()),
        "delays": [delay_data("pipedream", LARGEST), delay_data("1f1b", LARGEST)],
    }
    packed = base64.b64encode(gzip.compress(json.dumps(store).encode(), 9, mtime=0)).decode()
    body += f'\n<script type="application/octet-stream" id="store">{packed}</script>'
    return _page(title, body, _file("explorer.js") + _file("ledger.js"))


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _page(title: str, body: str, script: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_file('page.css')}</style>\n</head>\n"
        f"<body>\n{body}\n<script>\n{script}\n</script>\n</body>\n</html>\n"
    )


def _body(ledger: Ledger, papers: Sequence[str], title: str) -> Iterator[str]:
    rows = ledger["claims"]
    counts = count_verdicts(rows)
    said = ", ".join(f"{counts[name]} {name}" for name in reversed(VERDICTS) if counts[name])
    yield f"<header><h1>{title}</h1><p>staleproof {escape(ledger['version'])}: {said}.</p>"
    yield '<nav><a href="#claims">Claims</a> <a href="#rests">What rests on what</a> '
    yield '<a href="#schedules">Schedules</a></nav></header>'
    yield '<main><section id="claims"><h2>Claims</h2>'
    yield (
        "<p>A verdict is about the statement, by a proof or a counterexample of our own. PROVED "
        "covers every value of the stated domain, REFUTED has an exact witness inside it, "
        "CONDITIONAL holds in a named part, CHECKED exhausted a finite domain, and UNKNOWN is "
        f"never a pass. {escape(ABBREVIATION.replace('`', ''))}</p>"
    )
    kinds = [kind for kind in KINDS if any(f["kind"] == kind for r in rows for f in r["findings"])]
    yield '<form class="filters" role="search">'
    yield _select("paper", {paper: titles(ledger, paper)[0] for paper in papers})
    yield _select("verdict", {name: name for name in reversed(VERDICTS) if counts[name]})
    yield _select("finding", {kind: KINDS[kind] for kind in kinds})
    links = {link for row in rows for link in checkers(row)}
    yield _select("by", {link: BY[link] for link in BY if link in links})
    yield '<label>words <input type="search" name="words"></label>'
    yield f'<output id="count" aria-live="polite">{len(rows)} claims</output></form>'
    yield from (_summary(row) for row in rows)
    yield '</section><section id="rests"><h2>What rests on what</h2>'
    options = "".join(
        f'<option value="{escape(paper)}">{escape(titles(ledger, paper)[0])}</option>'
        for paper in papers
        if layout(row for row in rows if row["paper"] == paper).places
    )
    yield f'<label>paper <select id="graphs">{options}</select></label>'
    yield '<div class="scroll graph" id="graph" tabindex="0"></div></section>'
    yield '<section id="schedules"><h2>Schedules</h2>'
    names = [name for name, _ in _runs()]
    options = "".join(f'<option value="{escape(name)}">{escape(name)}</option>' for name in names)
    yield f'<label>schedule <select id="runs">{options}</select></label>'
    yield '<div id="run"></div><div id="delays"></div></section></main>'


def _select(name: str, options: Mapping[str, str]) -> str:
    inside = "".join(
        f'<option value="{escape(value)}">{escape(words)}</option>'
        for value, words in options.items()
    )
    every = '<option value="">all</option>'
    return f'<label>{name} <select name="{name}">{every}{inside}</select></label>'


def checkers(row: Row) -> tuple[str, ...]:
    """Who checked a row: what its verdict rests on, and programs that are not ours."""
    outside: Sequence[str] = dict(row).get("checked_by", ())  # type: ignore[assignment]
    return (*row.get("rests_on", ()), *outside)


def _summary(row: Row) -> str:
    kinds = " ".join(dict.fromkeys(one["kind"] for one in row["findings"]))
    verdict = row["verdict"]
    return (
        f'<details class="claim" id="{row["id"]}" data-paper="{escape(row["paper"])}" '
        f'data-verdict="{verdict}" data-findings="{escape(kinds)}" '
        f'data-by="{" ".join(checkers(row))}"><summary>'
        f'<code>{row["id"]}</code><span class="verdict {verdict}">{verdict}</span>'
        f'<span class="says">{line_html(prose(row["statement"]))}</span></summary>'
        '<div class="body"></div></details>'
    )


def _graph(ledger: Ledger, paper: str) -> str:
    """The layout of a paper as SVG, whose nodes are links."""
    rows = {row["id"]: row for row in ledger["claims"] if row["paper"] == paper}
    found = layout(rows.values())
    if not found.places:
        return ""
    wide, high = 220, 26
    columns = max(column for column, _ in found.places.values()) + 1
    lines = max(line for _, line in found.places.values()) + 1
    at = {
        name: (12 + wide * column, 20 + high * line)
        for name, (column, line) in found.places.items()
    }
    parts = []
    for start, end in found.edges:
        (x, y), (u, v) = at[start], at[end]
        x += 180
        parts.append(
            f'<path class="edge" d="M{x},{y - 4}C{x + 30},{y - 4} {u - 30},{v - 4} {u},{v - 4}"/>'
        )
    for name, (x, y) in at.items():
        letter = {"CHECKED": "▦", "PROVED": "✓", "REFUTED": "✗", "CONDITIONAL": "◐"}
        sign, short = letter.get(rows[name]["verdict"], "?"), name.partition(".")[2]
        parts.append(
            f'<a class="node" href="#{name}"><text x="{x}" y="{y}">{sign} {escape(short)}'
            f"<title>{escape(rows[name]['statement'])}</title></text></a>"
        )
    size = f'width="{wide * columns}" height="{high * lines + 20}"'
    return f'<svg {size} role="group" aria-label="{escape(paper)}">{"".join(parts)}</svg>'


def _runs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Schedules by name: runs, and one that hangs."""
    for family, ranks, microbatches in SHOWN:
        title = f"{family}, p = {ranks}, M = {microbatches}"
        line = timeline(build(family, ranks, microbatches))
        yield title, run_data(line, title, f"{line.length} slots, idle {line.idle_fraction}")
    late = lower(build("1f1b", 4, 8), "just-in-time")
    title = "1f1b whose sends come just in time: a deadlock"
    yield title, stuck_data(late, title)
