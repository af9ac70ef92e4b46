"""Ledgers of `verify` that are kept for the next run with the very same sources.

The key is a digest of every source and data file of these packages, of the versions of what they
compute with, of Python's settings and of the options; so whatever is edited, nothing old is shown.
Files of users are never kept: what those read or import cannot be known. Where the store cannot be
read or written, it is as if there were none.
"""

import hashlib
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final

from staleproof import __version__

MOST: Final = 32
"""Ledgers that are kept, the newest ones."""
WAIT: Final = 5.0
"""Seconds for which another run may hold the store."""
PACKAGES: Final = ("schedules", "theory", "reports", "staleproof")
COMPUTING: Final = {
    "sympy": "sympy",
    "z3-solver": "z3",
    "mpmath": "mpmath",
    "numpy": "numpy",
    "networkx": "networkx",
}
"""Distributions, with the packages that they install."""
SETTINGS: Final = ("PYTHON", "SYMPY_", "MPMATH_")
"""How variables of the environment begin that change what Python and these packages do."""
OUTPUTS: Final = ("__pycache__", "published", "measured")
OFF: Final = "STALEPROOF_NO_CACHE"


def store() -> Path:
    """The file that holds them, in the place that the system has for such."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return folder / "staleproof" / "ledgers.sqlite3"


def key(names: Sequence[str], every: bool) -> str | None:
    """What a run depends on; None if it is not to be kept.

    Examples
    --------
    >>> key(["my_lemma.py"], False), key(["./mine"], False)
    (None, None)
    """
    if os.environ.get(OFF) or any(map(may_be_file, names)):
        return None
    try:
        if not all(map(_is_installed, COMPUTING)):
            return None
        versions = {name: metadata.version(name) for name in COMPUTING}
        sources = [list(_sources(Path(folder))) for folder in _folders()]
    except (OSError, metadata.PackageNotFoundError):
        return None
    told = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    told.pop("SYMPY_CACHE_SIZE", None)  # how much sympy remembers; this program sets it itself
    machine = (sys.version, tuple(sys.flags), platform.platform())
    what = (__version__, machine, versions, told, sources, list(names), every)
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _is_installed(name: str) -> bool:
    """Whether a package is imported from where it is installed, and not from a copy elsewhere."""
    place = metadata.distribution(name).locate_file(COMPUTING[name])
    found = util.find_spec(COMPUTING[name])
    origin = found.origin if found is not None else None
    return origin is not None and Path(origin).parent == Path(str(place))


def may_be_file(name: str) -> bool:
    """Whether a name of something to verify means a file, there or not.

    Examples
    --------
    >>> may_be_file("mine.py"), may_be_file("kernel")
    (True, False)
    """
    return name.endswith(".py") or os.path.dirname(name) != "" or os.path.exists(name)


def _folders() -> Iterator[str]:
    """Where these packages are imported from; nothing is imported for it."""
    for package in PACKAGES:
        found = util.find_spec(package)
        yield from found.submodule_search_locations or () if found is not None else ()
        if package == "theory" and found is not None and found.origin is not None:
            yield str(Path(found.origin).parents[1] / "rocq")  # what is accepted, and by what


def _sources(root: Path) -> Iterator[tuple[str, str]]:
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in OUTPUTS)
        for name in sorted(files):
            path = Path(folder, name)
            yield path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()


def kept(name: str | None) -> dict[str, Any] | None:
    """The ledger of this key, if it is there as it was written."""
    if name is None:
        return None
    try:
        if not store().is_file():
            return None
        with closing(_opened()) as database:
            row = database.execute("SELECT ledger, digest FROM kept WHERE name = ?", (name,))
            text, digest = row.fetchone() or ("", "")
            if digest != _digest(name, text):
                return None
            found = json.loads(text)
    except (OSError, sqlite3.Error, ValueError, TypeError, AttributeError, RuntimeError):
        return None  # a RuntimeError: nobody knows where the user's home is
    return found if isinstance(found, dict) else None


def keep(name: str | None, now: str | None, ledger: Mapping[str, Any]) -> None:
    """Keep a ledger, unless something was edited while it was made: then its key is another now."""
    if name is None or name != now:
        return
    try:
        text = json.dumps(ledger)
        store().parent.mkdir(parents=True, exist_ok=True)
        with closing(_opened()) as database, database:
            database.execute(
                "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (name, text, _digest(name, text))
            )
            newest = "SELECT rowid FROM kept ORDER BY rowid DESC LIMIT ?"
            database.execute(f"DELETE FROM kept WHERE rowid NOT IN ({newest})", (MOST,))
    except (OSError, sqlite3.Error, ValueError, TypeError, RuntimeError):
        return


def _opened() -> sqlite3.Connection:
    database = sqlite3.connect(store(), timeout=WAIT)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE IF NOT EXISTS kept (name PRIMARY KEY, ledger, digest)")
    except BaseException:
        database.close()
        raise
    return database


def _digest(name: str, text: str) -> str:
    return hashlib.sha256(f"{name}\n{text}".encode()).hexdigest()
