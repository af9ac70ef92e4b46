"""A user's claim file: a Python module that defines ``CLAIM`` or ``CLAIMS``.

The file is run, as a test file is. Whatever is wrong with it becomes one error with its place.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Final, get_args

from schedules.user_code import module_for, place_in, reason
from theory.claims import Claim
from theory.errors import ClaimFileError, CycleError, TheoryError
from theory.judging.as_claim import as_claim
from theory.judging.catalogue import CLAIMS
from theory.judging.dependencies import circle_in
from theory.judging.folders import content_of_folder, in_order, module, modules
from theory.kernel import Theorem
from theory.ledger import Origin

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*\.[A-Za-z0-9][A-Za-z0-9._+-]*")
_LONGEST_ID: Final = 120
_PATTERN: Final = "define CLAIM = T.shows(...) of a T = theorem(...), or CLAIMS, a list of them"
_LOADED: Final[dict[str, tuple[str, list[Claim]]]] = {}
"""By path: the digest of the file as it was read, and its claims."""
_FIELDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    **dict.fromkeys(
        ("where", "statement", "latex", "shares"), (lambda value: isinstance(value, str), "text")
    ),
    "account": (callable, "a function"),
    "printed": (lambda value: isinstance(value, Mapping), "a mapping"),
    "core": (lambda value: isinstance(value, Mapping), "a mapping"),
    "holds": (lambda value: value is None or callable(value), "a function or None"),
    "deeper": (lambda value: value is None or callable(value), "a function or None"),
    "origin": (lambda value: value in get_args(Origin), f"one of {', '.join(get_args(Origin))}"),
    "cost": (lambda value: isinstance(value, (int, float)), "a number of seconds"),
    "depends": (
        lambda value: isinstance(value, tuple) and all(isinstance(name, str) for name in value),
        "a tuple of ids",
    ),
}
"""What a field of a claim has to be, where Python itself would not mind."""


def load(path: str) -> list[Claim]:
    """Run a claim file, or those of a folder, and return the claims, in order.

    Parameters
    ----------
    path : str
        A Python file, or a folder of them. It may import its neighbours; what it prints is printed.

    Returns
    -------
    list of Claim
        Theorems of the kernel come as claims; each names the file or folder as its `source`.

    Raises
    ------
    ClaimFileError
        The file is missing, unreadable, no Python, raises, or defines what is no claim.
    TheoryError
        What the kernel refuses, with the line of the file.

    Examples
    --------
    >>> load("missing.py")
    Traceback (most recent call last):
    theory.errors.ClaimFileError: missing.py: there is no such file; check the path
    """
    folder = os.path.isdir(path)
    content = content_of_folder(path) if folder else _content(path)
    with _explained(path), _leaving_nothing():
        listed = _of_folder(path) if folder else _listed(path, _run(path, content), content)
        claims = _claims(path, listed)
    if folder:
        by_id = {claim.id: claim for claim in claims}
        claims = [by_id[name] for name in in_order({c.id: c.depends for c in claims})]
    _LOADED[path] = sha256(content).hexdigest(), claims
    return list(claims)


def module_of(folder: str, name: str) -> ModuleType | None:
    """A file of a folder that was loaded, as a module; None if there is no such file.

    Raises
    ------
    TheoryError
        As `load` does.
    """
    path = os.path.join(folder, name)
    with _explained(folder):
        return module(folder, path, _run) if os.path.isfile(path) else None


def loaded(path: str, name: str) -> Claim | None:
    """The claim of this id in a file, which is run unless it was before.

    Raises
    ------
    TheoryError
        As `load` does.
    """
    claims = _LOADED[path][1] if path in _LOADED else load(path)
    return next((claim for claim in claims if claim.id == name), None)


def content_of(path: str) -> str:
    """Digest of a file as it was read; it is read unless it was before.

    Raises
    ------
    TheoryError
        As `load` does.
    """
    if path not in _LOADED:
        load(path)
    return _LOADED[path][0]


def _content(path: str) -> bytes:
    """The bytes of a regular file that is called ``*.py``."""
    if "\0" in path or not os.path.exists(path):
        raise ClaimFileError("there is no such file", path, "check the path")
    if not path.endswith(".py"):
        raise ClaimFileError("the name of a claim file ends in .py", path, "rename it")
    if not os.path.isfile(path):
        raise ClaimFileError("a claim file is a regular file", path, "name a Python file")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ClaimFileError(
            f"cannot be read ({error.strerror})", path, "check its permissions"
        ) from error


def _run(path: str, content: bytes) -> ModuleType:
    """Execute the file as a module of its own."""
    try:
        code = compile(content, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = f"{path}:{error.lineno}" if error.lineno else path
        raise ClaimFileError(f"no valid Python: {error.msg}", place, "correct the line") from error
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ClaimFileError(f"no valid Python: {error}", path, "correct the file") from error
    module = module_for(path, "claim_file")
    exec(code, module.__dict__)
    return module


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Keep no compiled neighbours: what is kept could be older than a file edited just now."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Say which line of the file led to an exception."""
    try:
        yield
    except (ClaimFileError, KeyboardInterrupt):
        raise
    except TheoryError as error:
        place = f"{place_in(path, error)}: {error.where}"
        kind = type(error) if type(error).__init__ is TheoryError.__init__ else ClaimFileError
        raise kind(error.what, place, error.fix) from error
    except SyntaxError as error:
        place = f"{os.path.relpath(error.filename or path)}:{error.lineno}"
        raise ClaimFileError(f"no valid Python: {error.msg}", place, "correct the line") from error
    except BaseException as error:
        raise ClaimFileError(
            f"stopped with {reason(error)}", place_in(path, error), "correct the line"
        ) from error


def _of_folder(folder: str) -> list[tuple[str, object]]:
    """The entries of all files of a folder, each once, by name."""
    found: dict[int, tuple[str, object]] = {}
    ids: dict[object, str] = {}
    for path, run in modules(folder, _run):
        record = getattr(getattr(run, "PAPER", None), "claims", ())
        entries = [(f"PAPER.claims[{k}]", claim) for k, claim in enumerate(record)]
        known = {id(one) for _, claim in entries for one in (claim, getattr(claim, "theorem", 0))}
        if not hasattr(run, "PAPER") or hasattr(run, "CLAIM") or hasattr(run, "CLAIMS"):
            entries += [one for one in _listed(path, run, b"") if id(one[1]) not in known]
        for name, value in entries:
            own = getattr(value, "id", None)
            if id(value) not in found and isinstance(own, str) and own in ids:
                raise ClaimFileError(
                    f"two claims are called {own!r}", f"{ids[own]} and {path}", "rename one of them"
                )
            ids.setdefault(own, path)
            found.setdefault(id(value), (f"{path}: {name}", value))
    if not found:
        raise ClaimFileError(
            "PAPER is a theory.record.Paper with claims", folder, "PAPER = Paper(CLAIMS)"
        )
    return list(found.values())


def _claims(path: str, listed: list[tuple[str, object]]) -> list[Claim]:
    """What is listed, checked, after the theorems that it cites and nobody lists."""
    values = [value for _, value in listed]
    _refuse_circles([value for value in values if isinstance(value, Theorem)])
    unlisted = dict.fromkeys(one for value in values for one in _cited(value) if one not in values)
    claims = [
        _claim(value, name, path)
        for name, value in (*((f"cited {one.id}", one) for one in unlisted), *listed)
    ]
    require_distinct(claims)
    return claims


def _refuse_circles(theorems: Sequence[Theorem]) -> None:
    """Follow citations by identity: to compare theorems that cite in a circle would not end."""
    graph, open_ends, names = dict[int, list[int]](), list(theorems), dict[int, str]()
    while open_ends:
        theorem = open_ends.pop()
        if id(theorem) not in names:
            names[id(theorem)] = theorem.id
            graph[id(theorem)] = [id(cited) for cited in theorem.cites]
            open_ends += theorem.cites
    circle = [names[key] for key in circle_in(graph)]
    if circle:
        raise CycleError(
            f"theorems must not cite one another in a circle, found {' → '.join(circle)}",
            circle[0],
            "prove one of them without the others",
        )


def _cited(value: object) -> Iterator[Theorem]:
    """What a theorem cites that is not in the catalogue, what is needed first coming first.

    One that only has the id of a claim of the catalogue says something else, and supposes it.
    """
    for theorem in value.cites if isinstance(value, Theorem) else ():
        if theorem.id not in CLAIMS or CLAIMS[theorem.id].theorem is not theorem:
            yield from _cited(theorem)
            yield theorem


def _listed(path: str, module: ModuleType, content: bytes) -> list[tuple[str, object]]:
    """The entries by name."""
    named = [name for name in ("CLAIM", "CLAIMS") if hasattr(module, name)]
    if not named:
        found = "no CLAIM and no CLAIMS" if content.strip() else "nothing: it is empty"
        raise ClaimFileError(f"a claim file defines its claims, this one {found}", path, _PATTERN)
    if len(named) > 1:
        raise ClaimFileError("defines both CLAIM and CLAIMS", path, "keep one of them")
    if named == ["CLAIM"]:
        return [("CLAIM", module.__dict__["CLAIM"])]
    listed = module.__dict__["CLAIMS"]
    if not isinstance(listed, (list, tuple)):
        raise ClaimFileError(
            f"CLAIMS is a list or tuple of claims, found {type(listed).__name__}", path, _PATTERN
        )
    if not listed:
        raise ClaimFileError("CLAIMS has no claim in it", path, _PATTERN)
    return [(f"CLAIMS[{index}]", entry) for index, entry in enumerate(listed)]


def _claim(value: object, name: str, path: str) -> Claim:
    """An entry as a claim whose fields are what they have to be, with its source."""
    claim = as_claim(value) if type(value) is Theorem else value
    if not isinstance(claim, Claim) or type(claim) is not Claim:  # a subclass may answer otherwise
        raise ClaimFileError(
            f"{name} is a theory.claims.Claim or a theory.kernel.Theorem, "
            f"found {type(value).__name__}",
            path,
            _PATTERN,
        )
    if not (isinstance(claim.id, str) and _ID.fullmatch(claim.id) and len(claim.id) <= _LONGEST_ID):
        raise ClaimFileError(
            f"an id is paper.name in letters, digits and _ + - . of {_LONGEST_ID} characters "
            f"at most, found {claim.id!r:.140}",
            f"{path}: {name}",
            "rename it, such as 'mine.my-lemma'",
        )
    for field, (right, kind) in _FIELDS.items():
        if not right(getattr(claim, field)):
            value = getattr(claim, field)
            found = repr(value) if isinstance(value, str) else type(value).__name__
            raise ClaimFileError(
                f"{field} is {kind}, found {found:.80}", f"{path}: {claim.id}", "correct it"
            )
    return replace(claim, source=path)


def require_distinct(claims: list[Claim]) -> None:
    """Refuse ids that differ in case at most, because ids name files.

    Raises
    ------
    ClaimFileError
    """
    seen: dict[str, Claim] = {}
    for claim in claims:
        first = seen.setdefault(claim.id.lower(), claim)
        if first is not claim:
            both = sorted({str(first.source or first.paper), str(claim.source or claim.paper)})
            raise ClaimFileError(
                f"two claims are called {first.id!r} and {claim.id!r}"
                if first.id != claim.id
                else f"two claims are called {claim.id!r}",
                " and ".join(both),
                "rename one of them",
            )
