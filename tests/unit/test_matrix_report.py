"""Rows that form a table, in reports: one table, its picture, and details as a list."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest

from reports import Ledger, LedgerError, render_report, validate_ledger
from reports.figures.verdicts import Verdicts
from reports.render import FIGURE_FILE, pictures

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


def test_a_table_stands_for_its_rows_and_what_fails_is_shown_whole(ledger: Ledger) -> None:
    text = render_report(ledger)["schedules.md"].decode()
    assert "|  | causal | in-flight |" in text
    assert "| amdp | REFUTED | CHECKED |" in text
    assert "### `schedules.alone` a paper: **CHECKED**" in text
    assert "### `schedules.amdp.causal` a paper: **REFUTED**" in text
    assert "### `schedules.amdp.in-flight`" not in text
    assert "**SURVIVOR:** without a stash" in text
    assert "a cell" not in text, "where a cell stands is seen"


@pytest.mark.slow
def test_domains_are_notes_of_the_lines_that_share_them(ledger: Ledger) -> None:
    text = render_report(ledger)["schedules.md"].decode()
    assert "- naive (causal, in-flight): for every p\n" in text
    notes = "- 1f1b (causal, in-flight); amdp (causal, in-flight): for every p ≤ 4\n"
    assert notes in text


def test_latex_has_the_same(ledger: Ledger) -> None:
    text = render_report(ledger)["schedules.tex"].decode("ascii")
    assert r"\raggedright amdp & \raggedright REFUTED & \raggedright CHECKED" in text
    assert text.count(r"\label{schedules.amdp.causal}") == 1
    assert r"\textbf{SURVIVOR:} without a stash" in text
    assert "schedules-verdicts.pdf" in text


def test_every_link_has_its_place(ledger: Ledger) -> None:
    for name, text in render_report(ledger).items():
        if name.endswith(".md"):
            for link in re.findall(r"\]\(#([^)]*)\)", text.decode()):
                assert text.decode().count(f'<a id="{link}"></a>') == 1
        elif name.endswith(".tex"):
            for link in re.findall(r"\\hyperref\[([^]]*)\]", text.decode()):
                assert text.decode().count(f"\\label{{{link}}}") == 1


def test_the_picture_has_every_verdict_in_words(ledger: Ledger) -> None:
    found = render_report(ledger)
    assert "figures/schedules-verdicts.svg" in found
    assert FIGURE_FILE.fullmatch("schedules-verdicts.svg")
    [(_, picture)] = pictures(ledger)
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
