"""A user's folder of claim files: read as the folders of papers are.

Its claims are those that ``__init__.py`` lists, as ``PAPER`` or ``CLAIMS``; without such a list
those of every file that defines ``CLAIM`` or ``CLAIMS``, in whatever way. Files import one another
by name, from the folder or, where that is a package, through its package; each is run once.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from importlib import invalidate_caches
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from symtable import SymbolTable, symtable
from types import ModuleType
from typing import Final

from theory.errors import ClaimFileError

_INIT: Final = "__init__.py"
_PACKAGE: Final = str(Path(__file__).parents[1])
_NAMES: Final = frozenset({"CLAIM", "CLAIMS", "PAPER"})

Run = Callable[[str, bytes], ModuleType]
"""Runs a file by itself, as a module that nobody can import."""

_ADDED: Final[list[str]] = []
"""What was added to the path for folders that were read before."""


def content_of_folder(folder: str) -> bytes:
    """What every Python file of a folder says, so that a change is seen."""
    parts = ((path, sha256(_read(path)).hexdigest()) for path in _files(folder))
    return "\n".join(f"{path} {digest}" for path, digest in parts).encode()


def modules(folder: str, alone: Run) -> Iterator[tuple[str, ModuleType]]:
    """Run the files of a folder that define claims; each with its path.

    Only ``__init__.py`` if that lists them.

    Raises
    ------
    ClaimFileError
        No file defines claims, or one cannot be read.
    """
    _forget()
    listing = os.path.join(folder, _INIT)
    listed = os.path.isfile(listing) and _assigned(listing)
    sure = {path: _assigned(path) for path in ([listing] if listed else _files(folder))}
    defined = False
    for path, assigned in sure.items():
        if assigned or _may_define(path):
            run = module(folder, path, alone)
            if assigned or _NAMES & vars(run).keys():
                defined = True
                yield path, run
    if not defined:
        raise ClaimFileError(
            "no Python file in this folder defines CLAIM or CLAIMS",
            folder,
            "name a folder of claim files",
        )


def _assigned(path: str) -> bool:
    """Whether a file assigns claims to a name of its module, wherever it does."""
    return bool(_NAMES & _globals(symtable(_read(path), path, "exec")))  # type: ignore[arg-type]


def _globals(table: SymbolTable) -> set[str]:
    """The names of its module that code assigns to."""
    top = table.get_type() == "module"
    symbols = (one for one in table.get_symbols() if one.is_assigned())
    own = {one.get_name() for one in symbols if top or one.is_declared_global()}
    return own.union(*map(_globals, table.get_children()))


def _may_define(path: str) -> bool:
    """Whether claims may come into a file by an import or by their name as text."""
    return any(map(_brings, ast.walk(ast.parse(_read(path), path))))


def _brings(node: ast.AST) -> bool:
    match node:
        case ast.alias(name=name, asname=other):
            return (other or name) in {*_NAMES, "*"}
        case ast.Constant(value=str(name)) | ast.keyword(arg=name):
            return name in _NAMES
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return name in _NAMES
    return False


def _forget() -> None:
    """Folders are read anew, and one may call its files as another does."""
    own = tuple(one + os.sep for one in _ADDED if not _within(one, _PACKAGE))
    for name, known in list(sys.modules.items()):
        if (getattr(known, "__file__", None) or "").startswith(own):
            del sys.modules[name]
    sys.path[:] = [one for one in sys.path if one not in _ADDED]
    _ADDED.clear()
    invalidate_caches()


def _within(folder: str, other: str) -> bool:
    return os.path.commonpath((folder, other)) == other


def module(folder: str, path: str, alone: Run) -> ModuleType:
    """Run a file of a folder as the module that its neighbours import, unless one of them did."""
    base = os.path.abspath(folder)
    while os.path.isfile(os.path.join(base, _INIT)):
        base = os.path.dirname(base)
    for where in (base, os.path.abspath(folder), os.path.dirname(os.path.abspath(path))):
        if where not in sys.path:
            sys.path.append(where)  # last, so that a neighbour cannot hide a library
            _ADDED.append(where)
    parts = Path(os.path.abspath(path)).relative_to(base).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    known = sys.modules.get(name)
    if known is not None and _same(known.__file__, path):
        return known
    spec = find_spec(name) if name.isidentifier() or "." in name else None
    if spec is None or spec.loader is None or not _same(spec.origin, path):
        return alone(path, _read(path))  # a library has this name
    known = sys.modules.get(name)  # its package may have run it
    if known is not None:
        return known
    made = module_from_spec(spec)
    sys.modules[name] = made
    try:
        exec(compile(_read(path), os.path.abspath(path), "exec", dont_inherit=True), made.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return made


def in_order(needs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Names, each after what it needs among them; otherwise in their order.

    Examples
    --------
    >>> in_order({"theorem": ("lemma", "elsewhere"), "lemma": (), "remark": ("theorem",)})
    ['lemma', 'theorem', 'remark']
    """
    found: dict[str, None] = {}
    begun: set[str] = set()

    def take(name: str) -> None:
        if name in begun or name not in needs:
            return
        begun.add(name)
        for one in needs[name]:
            take(one)
        found[name] = None

    for name in needs:
        take(name)
    return list(found)


def _files(folder: str) -> Iterator[str]:
    """The Python files of a folder and those below it; hidden ones are left out."""
    seen: set[str] = set()
    for here, inner, names in os.walk(folder, onerror=_unread, followlinks=True):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "__")))
        if os.path.realpath(here) in seen:  # a link leads back
            inner.clear()
            continue
        seen.add(os.path.realpath(here))
        yield from (os.path.join(here, name) for name in sorted(names) if name.endswith(".py"))


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        _unread(error)
        raise


def _unread(error: OSError) -> None:
    raise ClaimFileError(
        f"cannot be read ({error.strerror})", error.filename, "check its permissions"
    ) from error


def _same(one: str | None, path: str) -> bool:
    return one is not None and os.path.exists(one) and os.path.samefile(one, path)
