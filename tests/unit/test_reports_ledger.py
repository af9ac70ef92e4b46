"""Reading ledgers: what is refused, and that nothing but one clear line ever comes of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import LedgerError, load_ledger, validate_ledger
from reports.documents.as_latex import latex_text
from reports.documents.as_markdown import markdown_text
from reports.ledger import count_verdicts
from reports.render import documents

GOLDEN = Path(__file__).parents[1] / "golden" / "ledger.json"
LEDGER: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def broken(change: Callable[[Any], object]) -> Any:
    ledger = copy.deepcopy(LEDGER)
    change(ledger)
    return ledger


def test_golden_ledger_is_valid() -> None:
    assert [row["id"] for row in load_ledger(GOLDEN)["claims"]] == [
        "rpd.lemma-c1-entry",
        "rpd.prop-4.1",
        "rpd.stash-invariant",
        "amdp.eta2",
    ]


@pytest.mark.parametrize(
    ("change", "rule", "place"),
    [
        (lambda x: x.pop("claims"), "needs the key 'claims'", "ledger"),
        (
            lambda x: x.update(schema="other/1"),
            "one of staleproof-ledger/2, staleproof-ledger/1",
            "schema",
        ),
        (lambda x: x.update(claims={}), "must be a list", "claims"),
        (lambda x: x["claims"].append(3), "must be an object", "claims[4]"),
        (lambda x: x["claims"][2].pop("steps"), "needs the key 'steps'", "claims[2] (rpd.stash"),
        (lambda x: x["claims"][1].update(verdict="TRUE"), "one of REFUTED", "claims[1] (rpd.prop"),
        (lambda x: x["claims"][1].update(verdict=["PROVED"]), "one of REFUTED", ".verdict"),
        (lambda x: x["claims"][1].update(printed_proof="good"), "one of valid, gap", ".printed"),
        (lambda x: x["claims"][0].update(statement=None), "must be text", ".statement"),
        (lambda x: x["claims"][0].update(id="a/../b"), "letters, digits", "claims[0]"),
        (lambda x: x["claims"][0].update(id="AMDP.eta2"), "differ in more than case", "claims[3]"),
        (lambda x: x["claims"][1]["cases"][0].pop("when"), "needs the key 'when'", ".cases[0]"),
        (lambda x: x["claims"][0]["steps"][1].update(rule=1), "must be text", ".steps[1].rule"),
        (lambda x: x["claims"][0]["findings"][0].update(witness=[1]), "an object", ".witness"),
        (lambda x: x["claims"][0]["findings"][0]["repaired"].pop("verdict"), "'verdict'", ".rep"),
        (lambda x: x["claims"][0].update(counterexample={"x": float("nan")}), "finite", ".x"),
        (lambda x: x["claims"][0]["controls"].update(killed=-1), "whole number", ".killed"),
        (lambda x: x["claims"][0]["controls"].update(killed=True), "whole number", ".killed"),
        (lambda x: x["claims"][0]["controls"].update(survivors=1), "exceed tried", ".controls"),
        (lambda x: x["claims"][1].update(origin="theirs"), "one of printed", ".origin"),
        (lambda x: x["claims"][1].update(rests_on=["faith"]), "one of kernel", ".rests_on[0]"),
        (lambda x: x["claims"][1]["hypotheses"][0].pop("formula"), "'formula'", ".hypotheses[0]"),
        (lambda x: x["claims"][2]["trusted"][0].update(lines=-1), "whole number", ".lines"),
        (
            lambda x: x["claims"][0]["evidence"][0].update(says=2),
            "must be text",
            "evidence[0].says",
        ),
        (
            lambda x: x["claims"][0]["evidence"][0]["data"].update(figure="pie"),
            "growth, heatmap, timeline",
            ".data.figure",
        ),
    ],
)
def test_what_does_not_fit_is_named(change: Callable[[Any], object], rule: str, place: str) -> None:
    with pytest.raises(LedgerError) as caught:
        validate_ledger(broken(change))
    assert rule in caught.value.what
    assert place in caught.value.where
    assert caught.value.fix
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "must be JSON"),
        (b"{", "must be JSON"),
        (b"\xff\xfe\x00PK\x03\x04", "must be UTF-8 text"),
        (b"[1, 2]", "must be an object"),
        (b'{"schema": NaN}', "must be JSON"),
        (b"[" * 100_000, "must be JSON"),
        (b"9" * 10_000, "must be JSON"),
    ],
)
def test_files_that_are_no_ledger(tmp_path: Path, content: bytes, rule: str) -> None:
    path = tmp_path / "ledger.json"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=rule) as caught:
        load_ledger(path)
    assert "ledger.json" in caught.value.where
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("path", ["missing.json", ".", "nul\0l"])
def test_files_that_cannot_be_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(LedgerError, match="readable file"):
        load_ledger(tmp_path / path)


def test_counts_come_from_the_rows_and_never_from_the_summary() -> None:
    ledger = validate_ledger(broken(lambda x: x.update(summary={"PROVED": 1_000})))
    assert count_verdicts(ledger["claims"]) == {
        "REFUTED": 1,
        "UNKNOWN": 1,
        "CHECKED": 0,
        "CONDITIONAL": 1,
        "PROVED": 1,
    }


def test_optional_keys_may_be_missing() -> None:
    def change(ledger: Any) -> None:
        ledger.pop("summary")
        for row in ledger["claims"]:
            row.pop("seconds")
            for case in row["cases"]:
                case.pop("says")

    validate_ledger(broken(change))


@given(st.data())
def test_any_damage_gives_a_ledger_error_or_a_report(data: st.DataObject) -> None:
    ledger = copy.deepcopy(LEDGER)
    node: Any = ledger
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            break
        node = inner
    node[key] = data.draw(json_values)
    try:
        valid = validate_ledger(ledger)
    except LedgerError as error:
        message = str(error)
    else:
        for document in documents(valid, {}):
            markdown_text(document).encode()
            message = latex_text(document).partition("\n")[0]
    assert len(message.splitlines()) == 1
    assert message.encode()
