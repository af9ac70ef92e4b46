"""Python code that a row takes on trust: what compares, and what replays a witness."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from theory.account import Account, Compared, Decision, Finding, Ground, Line, Violation
from theory.errors import TheoryError
from theory.laws.delays.comparison import Bounded, Comparison


def trusted(account: Account) -> dict[str, int]:
    """The modules whose code an account takes on trust, with their numbers of lines.

    Raises
    ------
    TheoryError
        What is said to have compared is in no file that a reader could look at.

    Examples
    --------
    >>> found = trusted(Account(Decision((Compared("1 = 1", "theory.verdicts.weakest", True),))))
    >>> list(found), found["theory.verdicts"] > 10
    (['theory.verdicts'], True)
    """
    names = {module_of(code) for one in _decisions(account) for code in _code(one)}
    for finding in account.findings:
        if isinstance(finding, Finding):
            names |= {module_of(code) for ground in finding.shown for code in _of_ground(ground)}
    return {name: line_count(name) for name in sorted(names)}


def module_of(code: str) -> str:
    """The module that code is in, by its dotted name.

    Examples
    --------
    >>> module_of("theory.verdicts.Verdict")
    'theory.verdicts'
    """
    name = code
    while name and _file(name) is None:
        name = name.rpartition(".")[0]
    return name or code


@cache
def line_count(module: str) -> int:
    """Lines of a module's file; 0 where there is none, as of a function typed in by hand."""
    path = _file(module)
    return len(path.read_text(encoding="utf-8").splitlines()) if path is not None else 0


@cache
def _file(module: str) -> Path | None:
    loaded = getattr(sys.modules.get(module), "__file__", None)
    if loaded is not None:
        return Path(loaded)
    try:
        spec = find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    found = spec.origin if spec is not None and spec.has_location else None
    return Path(found) if found else None


def _decisions(account: Account) -> Iterator[Decision]:
    if isinstance(account.decision, Decision):
        yield account.decision
    yield from (case.decision for case in account.cases)
    yield from (step.decision for step in account.steps if isinstance(step, Line))


def _code(decision: Decision) -> Iterator[str]:
    for ground in decision.grounds:
        yield from _of_ground(ground)
    if decision.fails is None:
        return
    if isinstance(decision.fails.because, Violation):
        yield from _of_function(decision.fails.because.measured)
    else:
        for ground in decision.fails.because:
            yield from _of_ground(ground)


def _of_ground(ground: Ground) -> Iterator[str]:
    if isinstance(ground, Compared):
        _require_file(ground.code)
        yield ground.code
    elif isinstance(ground, (Comparison, Bounded)):
        yield type(ground).__module__


def _require_file(code: str) -> None:
    if _file(module_of(code)) is None:
        raise TheoryError(
            f"what compares is named by its module, found {code!r:.80}, which has no file",
            "code",
            "name the function, such as 'my_paper.entries.compared'",
        )


def _of_function(function: Callable[..., Any]) -> Iterator[str]:
    """The function that replays, and those that it is given: a challenge brings its own."""
    if isinstance(function, partial):
        yield from _of_function(function.func)
        for argument in function.args:
            replay = getattr(argument, "replay", argument)
            if callable(replay):
                yield from _of_function(replay)
    else:
        yield getattr(function, "__module__", None) or type(function).__module__
