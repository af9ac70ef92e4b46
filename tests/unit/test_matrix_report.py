"""Rows that form a table, in reports: one table, its picture, and details as a list."""

from __future__ import annotations

from typing import Any, cast

import pytest

from reports import Ledger, LedgerError, render_report, validate_ledger
from reports.figures.verdicts import Verdicts
from reports.view import FIGURE_FILE, make_view

COLUMNS = ("causal", "in-flight")
FAMILIES = ("naive", "1f1b", "amdp")


def row(family: str, column: str, verdict: str = "CHECKED") -> dict[str, Any]:
    place = {
        "row": family,
        "column": column,
        "bound": "min(M, p)",
        "domain": "for every p ≤ 4" if family != "naive" else "for every p",
    }
    return {
        "id": f"schedules.{family}.{column}",
        "paper": "schedules",
        "where": "a paper",
        "statement": f"The statement of {family} and {column}.",
        "latex": "",
        "verdict": verdict,
        "cases": [],
        "assumes": ["a premise"],
        "printed_proof": "none",
        "steps": [{"where": "ours", "says": "each size", "rule": "checked", "verdict": verdict}],
        "findings": [],
        "counterexample": {"p": 2} if verdict == "REFUTED" else None,
        "evidence": [{"points": "neither", "says": "a cell", "data": {"cell": place}}],
        "controls": {"tried": 5, "killed": 4, "survivors": ["without a stash"]},
    }


@pytest.fixture
def ledger() -> Ledger:
    rows = [row(family, column) for family in FAMILIES for column in COLUMNS]
    rows[4] = row("amdp", "causal", "REFUTED")
    alone = {**row("free", "running"), "id": "schedules.alone", "evidence": []}
    return cast(Ledger, {"schema": "staleproof-ledger/2", "version": "1", "claims": [alone, *rows]})


def test_markdown_has_one_table_and_no_section_a_cell(ledger: Ledger) -> None:
    text = render_report(ledger)["report.md"].decode()
    assert "| | causal | in-flight |" in text
    assert (
        "| amdp | [REFUTED](#schedules.amdp.causal) | [CHECKED](#schedules.amdp.in-flight) |"
        in text
    )
    assert "### `schedules.alone`: CHECKED" in text
    assert "### `schedules.amdp" not in text
    assert text.count("The statement of amdp and causal.") == 1
    assert '- <a id="schedules.amdp.causal"></a>`schedules.amdp.causal`: **REFUTED.**' in text
    assert "Counterexample: `p = 2`." in text
    assert "**SURVIVOR:** without a stash." in text
    assert "| schedules | 1 | 0 | 6 | 0 | 0 | 7 |" in text
    assert "a cell" not in text, "where a cell stands is seen"


def test_domains_are_notes_of_the_lines_that_share_them(ledger: Ledger) -> None:
    text = render_report(ledger)["report.md"].decode()
    assert "- **naive** (causal, in-flight): for every p\n" in text
    assert "- **1f1b, amdp** (causal, in-flight): for every p ≤ 4\n" in text


def test_latex_has_the_same(ledger: Ledger) -> None:
    text = render_report(ledger)["report.tex"].decode("ascii")
    cells = (
        r"\hyperref[schedules.amdp.causal]{REFUTED} & \hyperref[schedules.amdp.in-flight]{CHECKED}"
    )
    assert rf"amdp & {cells} \\" in text
    assert text.count(r"\label{schedules.amdp.causal}") == 1
    assert r"\subsection*{\texttt{schedules.\brk{}alone}" in text
    assert r"\textbf{SURVIVOR:} without a stash." in text
    assert "schedules-verdicts.pdf" in text


def test_every_link_has_its_place(ledger: Ledger) -> None:
    found = render_report(ledger)
    for name, link, place in (
        ("report.md", "(#{})", '<a id="{}"></a>'),
        ("report.tex", "[{}]", "\\label{{{}}}"),
    ):
        text = found[name].decode()
        for claim in ledger["claims"]:
            assert link.format(claim["id"]) in text
            assert text.count(place.format(claim["id"])) == 1


def test_the_picture_has_every_verdict_in_words(ledger: Ledger) -> None:
    found = render_report(ledger)
    assert "figures/schedules-verdicts.svg" in found
    assert FIGURE_FILE.fullmatch("schedules-verdicts.svg")
    [(_, picture)] = make_view(ledger).pictures()
    assert isinstance(picture, Verdicts)
    assert picture.words == (
        ("CHECKED", "CHECKED"),
        ("CHECKED", "CHECKED"),
        ("REFUTED", "CHECKED"),
    )
    assert "5 CHECKED, 1 REFUTED" in picture.caption()
    drawn = [text.get_text() for text in picture.draw().axes[0].texts]
    assert sorted(drawn) == ["CHECKED"] * 5 + ["REFUTED"]


def test_verdicts_differ_in_lightness_or_hue_and_have_ink_to_match() -> None:
    from reports.figures.verdicts import _COLOURS
    from reports.ledger import VERDICTS

    assert set(_COLOURS) == set(VERDICTS)
    assert len({colour for colour, _ in _COLOURS.values()}) == len(_COLOURS)


def test_a_paper_with_any_name_gives_a_safe_file(ledger: Ledger) -> None:
    for claim in ledger["claims"]:
        claim["paper"] = "../a b"
    names = [name for name in render_report(ledger) if name.endswith(".svg")]
    assert names == ["figures/a-b-verdicts.svg"]


@pytest.mark.parametrize("spoiled", [{"row": 3}, {"column": None}, {"domain": ["p"]}])
def test_a_cell_is_text(ledger: Ledger, spoiled: dict[str, Any]) -> None:
    ledger["claims"][1]["evidence"][0]["data"]["cell"].update(spoiled)
    with pytest.raises(LedgerError, match=f"data.cell.{next(iter(spoiled))}"):
        validate_ledger(ledger)


def test_a_cell_says_all_four_things(ledger: Ledger) -> None:
    del ledger["claims"][1]["evidence"][0]["data"]["cell"]["bound"]
    with pytest.raises(LedgerError, match="needs the key 'bound'"):
        validate_ledger(ledger)
