"""What changed between two ledgers: rows, verdicts, statements, hypotheses, witnesses.

Ledgers of both schemas can be compared; what only one of them has says nothing about a change.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from reports.checks import list_of, one_of, plain, record, text
from reports.errors import LedgerError
from reports.ledger import OTHER_VERSION, SCHEMAS, VERDICTS
from reports.reading import read_json

COMPARED: Final = ("verdict", "statement", "goal", "hypotheses", "cases", "origin")
"""Keys of a row, compared where both rows have them; witnesses beside."""

_ROW: Final = record({"id": text, "verdict": one_of(*VERDICTS)})
_LEDGER: Final = record({"schema": one_of(*SCHEMAS, remedy=OTHER_VERSION), "claims": list_of(_ROW)})

Rows = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Change:
    """Something that differs in a row.

    Attributes
    ----------
    id : str
        The row.
    what : str
        The key, or ``"witnesses"``.
    old, new : plain data
    """

    id: str
    what: str
    old: Any
    new: Any

    @property
    def of_verdict(self) -> bool:
        """Whether a verdict is another one: that of the row, or one of its cases'."""
        if self.what == "cases":
            return _case_verdicts(self.old) != _case_verdicts(self.new)
        return self.what == "verdict"


@dataclass(frozen=True)
class Changes:
    """What differs between two ledgers.

    Attributes
    ----------
    appeared, vanished : tuple of str
        Ids of rows.
    changed : tuple of Change
    """

    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    changed: tuple[Change, ...]

    @property
    def keeps_verdicts(self) -> bool:
        """Whether no verdict changed and no row vanished."""
        return not self.vanished and not any(change.of_verdict for change in self.changed)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "keeps_verdicts": self.keeps_verdicts,
            "appeared": list(self.appeared),
            "vanished": list(self.vanished),
            "changed": [asdict(change) for change in self.changed],
        }


def compare_rows(old: Rows, new: Rows) -> Changes:
    """Compare rows by their ids.

    Examples
    --------
    >>> found = compare_rows({"a": {"verdict": "PROVED"}}, {"a": {"verdict": "UNKNOWN"}, "b": {}})
    >>> found.appeared, found.changed[0].what, found.keeps_verdicts
    (('b',), 'verdict', False)
    """
    return Changes(
        appeared=tuple(name for name in new if name not in old),
        vanished=tuple(name for name in old if name not in new),
        changed=tuple(
            change
            for name in old
            if name in new
            for change in _row_changes(name, _compared(old[name]), _compared(new[name]))
        ),
    )


def rows_of(path: str | os.PathLike[str]) -> Rows:
    """Rows of a ledger by their ids; a folder is taken for the ledger.json in it.

    Raises
    ------
    LedgerError
        There is no ledger, or two of its rows have one id.
    """
    place = Path(path) / "ledger.json" if Path(path).is_dir() else Path(path)
    found = read_json(place)
    try:
        _LEDGER(found, "")
        plain(found, "ledger")
    except LedgerError as error:
        where = f"{place}: {error.place or 'ledger'}"
        raise LedgerError(error.rule, error.value, where, error.remedy) from None
    rows: dict[str, Mapping[str, Any]] = {}
    for row in found["claims"]:
        if rows.setdefault(row["id"], row) is not row:
            raise LedgerError("ids must differ", row["id"], str(place), "rename one of two claims")
    return rows


def _row_changes(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    return [
        Change(name, key, old[key], new[key]) for key in old if key in new and old[key] != new[key]
    ]


def _compared(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: row[key] for key in COMPARED if key in row}
    findings = row.get("findings")
    listed = findings if isinstance(findings, list) else []
    found = [one.get("witness") for one in listed if isinstance(one, dict)]
    return kept | {"witnesses": [one for one in (row.get("counterexample"), *found) if one]}


def _case_verdicts(cases: object) -> list[str]:
    listed = cases if isinstance(cases, list) else []
    return sorted(str(case.get("verdict")) for case in listed if isinstance(case, dict))
