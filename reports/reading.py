"""Reading a ledger: its shape as data, and one clear line for whatever does not fit it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, cast

from reports import checks
from reports.cells import CELL, KEYS
from reports.checks import list_of, maybe, one_of, plain, plain_object, record, text
from reports.errors import LedgerError
from reports.figures import read_figure
from reports.ledger import (
    LINKS,
    ORIGINS,
    OTHER_VERSION,
    PRINTED_PROOFS,
    SCHEMAS,
    VERDICTS,
    Controls,
    Evidence,
    Ledger,
    survivor_count,
)

_verdict = one_of(*VERDICTS)


def _row_id(value: object, place: str) -> None:
    """An id names files and links, so it is kept to characters that do both everywhere."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,119}", value):
        rule = "must be 1 to 120 letters, digits or . _ + -, and start with a letter or digit"
        raise LedgerError(rule, value, place, "rename the claim")


def _controls(value: object, place: str) -> None:
    count = checks.integer(0)

    def survivors(value: object, place: str) -> None:
        (list_of(text) if isinstance(value, list) else count)(value, place)

    optional = {"known": count}
    record({"tried": count, "killed": count, "survivors": survivors}, optional)(value, place)
    controls = cast(Controls, value)
    if controls["killed"] + survivor_count(controls) > controls["tried"]:
        raise LedgerError(
            "killed and survivors must not exceed tried",
            f"{controls['killed']} + {survivor_count(controls)} of {controls['tried']}",
            place,
            "count the controls again",
        )


def _evidence(value: object, place: str) -> None:
    record({"points": text, "says": text, "data": plain})(value, place)
    data = cast(Evidence, value)["data"]
    if isinstance(data, dict) and "figure" in data:
        read_figure(data, f"{place}.data")
    if isinstance(data, dict) and CELL in data:
        record(dict.fromkeys(KEYS, text))(data[CELL], f"{place}.data.{CELL}")


def _row(value: object, place: str) -> None:
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        place = f"{place} ({value['id'][:60]})"
    _ROW(value, place)


_REPAIR = record({"statement": text, "verdict": _verdict})
_FINDING = record(
    {
        "kind": text,
        "where": text,
        "says": text,
        "witness": maybe(plain_object),
        "repaired": maybe(_REPAIR),
    }
)
_STEP = record(
    {"where": text, "says": text, "rule": text, "verdict": _verdict}, {"goal": maybe(text)}
)
_HYPOTHESIS = record(
    {"name": text, "says": text, "formula": maybe(text), "latex": text},
    {
        "case": text,
        "smooth": record({"constant": text, "function": text}),
        "delayed": record({"old": text, "now": text, "delay": text}, {"exact": text}),
    },
)
_ROW = record(
    {
        "id": _row_id,
        "paper": text,
        "where": text,
        "statement": text,
        "latex": text,
        "verdict": _verdict,
        "cases": list_of(record({"when": text, "verdict": _verdict}, {"says": text})),
        "assumes": list_of(text),
        "printed_proof": one_of(*PRINTED_PROOFS),
        "steps": list_of(_STEP),
        "findings": list_of(_FINDING),
        "counterexample": maybe(plain_object),
        "evidence": list_of(_evidence),
        "controls": _controls,
    },
    {
        "depends": list_of(text),
        "anchor": _row_id,
        "origin": one_of(*ORIGINS),
        "goal": maybe(text),
        "goal_latex": text,
        "hypotheses": list_of(_HYPOTHESIS),
        "symbols": list_of(record({"name": text, "domain": text, "says": text})),
        "quantifiers": list_of(text),
        "supplied": list_of(text),
        "rests_on": list_of(one_of(*LINKS)),
        "checked_by": list_of(text),
        "arguments": list_of(text),
        "trusted": list_of(record({"module": text, "lines": checks.integer(0)})),
    },
)
_LEDGER = record(
    {"schema": one_of(*SCHEMAS, remedy=OTHER_VERSION), "version": text, "claims": list_of(_row)}
)


def validate_ledger(obj: object) -> Ledger:
    """Check that an object in memory has the shape of a ledger.

    A ``summary``, if there is one, is ignored: every count is taken from the rows.

    Returns
    -------
    Ledger
        `obj` itself, now with a type.

    Raises
    ------
    LedgerError
        With the rule, the value found, the row and key, and the remedy.

    Examples
    --------
    >>> validate_ledger({"version": "0.1.0"})
    Traceback (most recent call last):
    reports.errors.LedgerError: ledger: needs the key 'schema', found 'version'; add 'schema'
    """
    record({})(obj, "ledger")
    try:
        _LEDGER(obj, "")
    except LedgerError as error:
        raise LedgerError(error.rule, error.value, error.place or "ledger", error.remedy) from None
    plain(obj, "ledger")
    ledger = cast(Ledger, obj)
    seen: dict[str, int] = {}
    for index, row in enumerate(ledger["claims"]):
        # Without regard to case: ids name files, and some file systems have no case.
        first = seen.setdefault(row["id"].lower(), index)
        if first != index:
            raise LedgerError(
                f"ids must differ in more than case (claims[{first}] has this one)",
                row["id"],
                f"claims[{index}].id",
                "rename one of the two claims",
            )
    return ledger


def load_ledger(path: str | os.PathLike[str]) -> Ledger:
    """Read a ledger from a JSON file.

    Raises
    ------
    LedgerError
        If the file cannot be read, is not JSON, or is not a ledger: always this error, always
        one line.
    """
    obj = read_json(path)
    try:
        return validate_ledger(obj)
    except LedgerError as error:
        where = f"{Path(path)}: {error.place}"
        raise LedgerError(error.rule, error.value, where, error.remedy) from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file that should hold a ledger.

    Raises
    ------
    LedgerError
        If the file cannot be read or is not JSON.
    """
    place = str(Path(path))
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise LedgerError(
            "a ledger must be a readable file", reason, place, "check the path"
        ) from None
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise LedgerError(
            "a ledger must be UTF-8 text", content[:12], place, "pass the JSON file of `verify`"
        ) from None
    except (ValueError, RecursionError) as error:
        raise LedgerError(
            "a ledger must be JSON", str(error), place, "pass the JSON file of `verify`"
        ) from None


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")
