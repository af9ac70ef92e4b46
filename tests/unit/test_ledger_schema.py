"""The JSON Schema of a ledger: real rows, the reader of reports, and rows that are wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from reports.errors import LedgerError
from reports.reading import validate_ledger
from tests.json_schema import conforms
from tests.proof_ledgers import ledger_of
from theory.kernel.lemmas import LEMMAS

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "reports/schemas/ledger-2.schema.json").read_text(encoding="utf-8"))
PUBLISHED = json.loads((ROOT / "reports/published/ledger.json").read_text(encoding="utf-8"))


@pytest.fixture
def ledger() -> Any:
    """A published row with the proof of a lemma."""
    found = copy.deepcopy(PUBLISHED) | {"schema": "staleproof-ledger/2"}
    proved = ledger_of(LEMMAS)["claims"][0]
    hypotheses = [one | {"latex": ""} for one in proved["hypotheses"]]
    found["claims"][0] |= {"steps": proved["steps"], "hypotheses": hypotheses}
    return found


def test_published_rows_and_certificates_conform(ledger: Any) -> None:
    assert conforms(ledger, SCHEMA)
    for row in ledger_of(LEMMAS)["claims"]:
        for step in row["steps"]:
            assert conforms(step, {"$ref": "#/$defs/step"}, SCHEMA)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("id",), "a b"),
        (("verdict",), "TRUE"),
        (("printed_proof",), "good"),
        (("cases",), [{"when": "p = 2"}]),
        (("steps", 0, "verdict"), "TRUE"),
        (("controls", "tried"), -1),
        (("counterexample",), []),
        (("evidence",), [{"points": "for"}]),
        (("findings",), [{"kind": "false", "where": "", "says": ""}]),
    ],
)
def test_what_the_reader_refuses_does_not_conform(
    ledger: Any, path: tuple[str | int, ...], value: object
) -> None:
    _put(ledger["claims"][0], path, value)
    assert not conforms(ledger, SCHEMA)
    with pytest.raises(LedgerError):
        validate_ledger(ledger | {"schema": PUBLISHED["schema"]})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("origin",), "theirs"),
        (("rests_on",), ["faith"]),
        (("hypotheses",), [{"name": "h"}]),
        (("steps", 0, "premises"), "h"),
        (("steps", 0, "certificate"), {}),
        (("steps", 0, "certificate", "signs"), None),
        (("steps", 0, "certificate", "facts"), {"h": 1}),
        (("steps", 0, "certificate", "signs", 0, "reason"), "obvious"),
        (("steps", 0, "certificate", "more"), 1),
    ],
)
def test_wrong_keys_of_the_second_schema(
    ledger: Any, path: tuple[str | int, ...], value: object
) -> None:
    _put(ledger["claims"][0], path, value)
    assert not conforms(ledger, SCHEMA)


def _put(holder: Any, path: tuple[str | int, ...], value: object) -> None:
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
