"""Finished cells, kept in sqlite: a run that was killed goes on where it stopped."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from staleproof.errors import DestinationError
from staleproof.experiments.cells import Cell, Result

PATIENCE: Final = 60.0
"""Seconds to wait for another run that writes to the same store."""


class Store:
    """Results by experiment, cell, and the code that computed them.

    A result is written in one transaction when it is there, so ``kill -9`` loses none that was
    reported, and two runs on one store keep each other's.

    Parameters
    ----------
    path : path
        Made if it is not there; ``":memory:"`` keeps nothing.
    code : str
        Digest of the code: what other code has computed does not count.

    Examples
    --------
    >>> store = Store(":memory:", "v1")
    >>> store.put("growth", {"p": 2}, 3)
    >>> store.get("growth", {"p": 2}), store.get("growth", {"p": 3})
    ((3, None), None)
    """

    def __init__(self, path: str | Path, code: str) -> None:
        self._code = code
        self._file = sqlite3.connect(path, timeout=PATIENCE)
        with closing(self._file.cursor()) as cursor:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute(
                "CREATE TABLE IF NOT EXISTS runs (experiment TEXT, cell TEXT, code TEXT, "
                "result TEXT NOT NULL, mebibytes INTEGER, PRIMARY KEY (experiment, cell, code))"
            )
            self._file.commit()

    def get(self, experiment: str, cell: Cell) -> tuple[Result, int | None] | None:
        """The result, and mebibytes of the process that computed it if they are known."""
        with closing(self._file.cursor()) as cursor:
            found = cursor.execute(
                "SELECT result, mebibytes FROM runs WHERE experiment = ? AND cell = ? AND code = ?",
                (experiment, key_of(cell), self._code),
            ).fetchone()
        try:
            return None if found is None else (json.loads(found[0]), found[1])
        except ValueError as error:
            raise sqlite3.DatabaseError(f"the result of {key_of(cell)} is no JSON") from error

    def put(self, experiment: str, cell: Cell, result: Result, peak: int | None = None) -> None:
        """Keep a result; what another run has put there meanwhile stays."""
        kept = experiment, key_of(cell), self._code, json.dumps(result, allow_nan=True), peak
        with self._file:
            self._file.execute("INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?)", kept)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def key_of(cell: Cell) -> str:
    """Text of a cell's parameters, the same for the same.

    Examples
    --------
    >>> key_of({"q": 2, "p": 1})
    '{"p": 1, "q": 2}'
    """
    return json.dumps(cell, sort_keys=True)


def code_digest(*files: Path) -> str:
    """Digest of source files.

    Examples
    --------
    >>> len(code_digest(Path(__file__)))
    16
    """
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


@contextmanager
def opened(path: str | Path, code: str) -> Iterator[Store]:
    """A store for a while.

    Raises
    ------
    DestinationError
        It cannot be opened, read or written: no such folder, a full disk, another kind of file.
    """
    with written_to(path, sqlite3.Error), closing(Store(path, code)) as store:
        yield store


@contextmanager
def written_to(path: str | Path, kind: type[Exception] = OSError) -> Iterator[None]:
    """Say which file cannot be written, and what is not lost.

    Raises
    ------
    DestinationError
    """
    try:
        yield
    except kind as error:
        reason = getattr(error, "strerror", None) or error
        raise DestinationError(
            f"cannot be written or read ({reason})", str(path),
            "make room or name another folder; runs that were reported are kept",
        ) from error  # fmt: skip


@contextmanager
def alone(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """One run of an experiment in a folder at a time, so that no two compute the same.

    The lock is sqlite's on an empty file: it goes with the process, however that ends.

    Parameters
    ----------
    path : Path
        Of the lock, made if it is not there.
    wait : callable
        Called once if another run has it.

    Raises
    ------
    DestinationError
        The file cannot be made.
    """
    with written_to(path, sqlite3.Error):
        lock = sqlite3.connect(path, timeout=0, isolation_level=None)
    with closing(lock):
        if not _taken(lock, path):
            wait()
            lock.execute("PRAGMA busy_timeout = 2000")  # so long an interruption may have to wait
            while not _taken(lock, path):
                pass
        yield


def _taken(lock: sqlite3.Connection, path: Path) -> bool:
    """Whether the lock is ours now."""
    with written_to(path, sqlite3.Error):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            return False
        return True
