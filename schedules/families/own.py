"""A user's own family: a Python file that defines ``FAMILY``.

The file is run, as a test file is. Whatever is wrong with it becomes one error with its place.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial, wraps
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any, Final

from schedules.actions import Kind
from schedules.errors import FamilyFileError, ScheduleError
from schedules.families.declared import plain_schedule, require_declared
from schedules.families.family import Family, one_a_rank
from schedules.rules import GreedyRule
from schedules.schedule import Schedule
from schedules.stamps import StampedOrder, any_size
from schedules.user_code import TooLong, limited, module_for, place_in, reason

SUFFIX: Final = ".py"
LONGEST: Final = 30.0
"""Seconds for the file, and for a call of a function of it."""

PAIRS_A_SECOND: Final = 10_000
"""A call of `build` has a second more for so many pairs of a stage and a microbatch."""

_PATTERN: Final = (
    "write FAMILY = Family(name, source, summary, WeightPolicy(...), build or rule), as in "
    "docs/tutorials/adding-a-schedule.md"
)


def is_family_file(name: str) -> bool:
    """Whether a name is that of a file which defines a family, there or not.

    Examples
    --------
    >>> is_family_file("my_rule.py"), is_family_file("pipedream"), is_family_file("step.csv")
    (True, False, False)
    """
    return name.endswith(SUFFIX)


def load_family(path: str) -> Family:
    """Run a file and return the family that it defines; an unchanged file is run once.

    Parameters
    ----------
    path : str
        A Python file. It may import its neighbours; what it prints goes to stderr.

    Raises
    ------
    FamilyFileError
        The file is missing, unreadable, no Python, raises, or defines what is no family.

    Examples
    --------
    >>> load_family("missing.py")
    Traceback (most recent call last):
    schedules.errors.FamilyFileError: missing.py: there is no such file; check the path
    """
    return _loaded(path, _content(path))


def _content(path: str) -> bytes:
    if "\0" in path or not os.path.exists(path):
        raise FamilyFileError("there is no such file", path, "check the path")
    if not os.path.isfile(path):
        raise FamilyFileError("a family is defined in a regular file", path, "name a Python file")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FamilyFileError(
            f"cannot be read ({error.strerror})", path, "check its permissions"
        ) from error


@cache
def _loaded(path: str, content: bytes) -> Family:
    try:
        with limited(LONGEST):
            module = _run(path, content)
    except (KeyboardInterrupt, FamilyFileError):
        raise
    except SyntaxError as error:
        place = f"{error.filename or path}:{error.lineno}" if error.lineno else path
        raise FamilyFileError(f"no valid Python: {error.msg}", place, "correct the line") from error
    except BaseException as error:
        raise FamilyFileError(
            f"stopped with {reason(error)}", place_in(path, error), "correct the line"
        ) from error
    return _family(path, module, content)


def _run(path: str, content: bytes) -> ModuleType:
    """Execute a file as a module of its own."""
    module = module_for(path, "family_file")
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        exec(compile(content, path, "exec", dont_inherit=True), module.__dict__)
    except (ValueError, RecursionError, MemoryError) as error:
        if traceback.extract_tb(error.__traceback__)[-1].filename == path:
            raise
        raise FamilyFileError(f"no valid Python: {error}", path, "correct the file") from error
    finally:
        sys.dont_write_bytecode = before
    return module


def _family(path: str, module: ModuleType, content: bytes) -> Family:
    """FAMILY of a file, with what it cannot do without."""
    if not hasattr(module, "FAMILY"):
        found = "nothing: it is empty" if not content.strip() else "no FAMILY"
        others = [name for name, value in vars(module).items() if isinstance(value, Family)]
        found += f", but {others[0]}, which is one" if others else ""
        raise FamilyFileError(
            f"the file of a family defines FAMILY, this one {found}", path, _PATTERN
        )
    family = module.FAMILY
    if type(family) is not Family:  # a subclass may answer otherwise
        raise FamilyFileError(
            f"FAMILY is a schedules.families.Family, found {type(family).__name__}", path, _PATTERN
        )
    require_declared(path, family)
    return _guarded(path, family)


def _guarded(path: str, family: Family) -> Family:
    """The same family; where a function of its file stops, an error says where."""
    rule = family.rule
    if isinstance(rule, GreedyRule):
        after = {kind: rule.prefer_after[kind] for kind in (Kind.F, Kind.B)}
        rule = replace(rule, finished=_explained(path, rule.finished), prefer_after=after)
    elif isinstance(rule, StampedOrder):
        accept = rule.accept if rule.accept is any_size else _accepting(path, rule.accept)
        rule = replace(rule.mapped(partial(_explained, path)), accept=accept, wide=True)
    admission = family.admission and _counting(path, family.admission)
    in_flight = family.in_flight and _counting(path, family.in_flight)
    same = family.stages is one_a_rank
    stages = family.stages if same else _counting(path, family.stages, "number of stages")
    build = family.build if family.generated else _building(path, family)
    family = replace(family, rule=rule, stages=stages, build=build)
    return replace(family, admission=admission, in_flight=in_flight)


def _explained(
    path: str,
    function: Callable[..., Any],
    longest: Callable[..., float] = lambda *_: LONGEST,
    fix: str = "correct the line; a rule is written with operators and `choose` alone",
) -> Callable[..., Any]:
    ends = isinstance(function, BuiltinFunctionType)

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        try:
            if ends:
                return function(*values, **named)
            with limited(longest(*values)):
                return function(*values, **named)
        except (KeyboardInterrupt, ScheduleError):
            raise
        except TooLong as error:
            raise FamilyFileError(
                f"a function of the family gives {error}",
                place_in(path, error),
                "let its loops end, or take a smaller size",
            ) from error
        except BaseException as error:
            why = f"a function of the family stopped with {reason(error)}"
            if "concrete Boolean" in str(error):  # z3 of a symbol, as in `if p % 2:`
                why = "a size stands for a yes or no: write p % 2 == 0, in stamps choose(…)"
            raise FamilyFileError(why, place_in(path, error), fix) from error

    return call


def _accepting(path: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """What refuses sizes, and gives what it knows of the others."""
    explained = _explained(path, function)

    def accept(*size: Any) -> Any:
        found = explained(*size)
        if not isinstance(found, Mapping) or any(type(one) is not int for one in found.values()):
            raise FamilyFileError(
                f"`accept` gives whole numbers by name, found {found!r:.80}", path, "return {}"
            )
        return found

    return accept


def _counting(
    path: str, function: Callable[..., Any], what: str = "bound on microbatches"
) -> Callable[..., Any]:
    """What counts microbatches or stages: of numbers it is one."""
    explained = _explained(path, function)

    def bound(*values: Any) -> Any:
        found = explained(*values)
        numbers = all(isinstance(value, (int, Mapping)) for value in values)
        if numbers and type(found) is not int:
            raise FamilyFileError(
                f"a {what} is a whole number, found {found!r:.80}",
                path,
                "give whole numbers for whole numbers",
            )
        return found

    return bound


def _building(path: str, family: Family) -> Callable[..., Schedule]:
    """`build` of a family, held to what it is asked for."""
    build = _explained(
        path, family.build, lambda p, M: LONGEST + p * M // PAIRS_A_SECOND, "correct the line"
    )

    def checked(stages: int, microbatches: int, **parameters: int) -> Schedule:
        schedule = plain_schedule(path, build(stages, microbatches, **parameters))
        found = {"ranks": schedule.ranks, "microbatches": schedule.microbatches}
        asked = {"ranks": stages, "microbatches": microbatches}
        if found != asked:
            raise FamilyFileError(
                f"build makes a schedule of the size that is asked for, {asked}, found {found}",
                f"{path}: FAMILY.build",
                "make an order for each of p ranks, and name M",
            )
        return replace(schedule, name=family.name, microbatches=microbatches)

    return checked
