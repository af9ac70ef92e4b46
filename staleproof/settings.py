"""Settings of ``staleproof check`` in ``pyproject.toml``: the table ``[tool.staleproof]``.

    [tool.staleproof]
    require = "stash, deadlock-free"
    queues = "peer"
    targets = ["schedules/*.csv"]

    [[tool.staleproof.check]]          # other requirements for some of the files
    targets = ["schedules/async/*.json"]
    require = ["staleness<=3", "memory<=60GiB"]
    sizes = "schedules/sizes.toml"

See ``docs/reference/check.md``.
"""

import glob
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from staleproof.checking.options import READERS, Options, read_format
from staleproof.errors import SettingsError
from staleproof.output import shown
from staleproof.setting_values import (
    error,
    read_count,
    read_parameters,
    read_table,
    read_tables,
    read_text,
    read_texts,
)
from staleproof.sources import is_file, refuse_family_options

FILE: Final = "pyproject.toml"
TABLE: Final = "tool.staleproof"
MAX_BYTES: Final = 4 * 1024**2
"""Largest ``pyproject.toml`` that is read."""

_TEXTS: Final = ("require", "targets")
_TEXT: Final = ("queues", "policy", "linearization", "lower", "format", "sizes", "layers")
_COUNTS: Final = ("window", "ranks", "microbatches")
_OF_FAMILIES: Final = ("ranks", "microbatches", "set")
_COMMON: Final = (
    "targets", "require", "queues", "buffer", "policy", "window", "sizes", "layers",
    "linearization", "lower",
)  # fmt: skip
GENERAL_KEYS: Final = (*_COMMON, "format", "check")
CHECK_KEYS: Final = (*_COMMON, *_OF_FAMILIES)


@dataclass(frozen=True)
class Check:
    """Targets that share their options.

    Attributes
    ----------
    place : str
        File and table, for messages.
    folder : Path
        What paths are relative to.
    targets : tuple of str
        Files, patterns of files, families.
    options : Options
    """

    place: str
    folder: Path
    targets: tuple[str, ...]
    options: Options

    def expanded(self) -> list[str]:
        """The targets, patterns replaced by the files they match; paths from where we are.

        Raises
        ------
        SettingsError
            A pattern matches nothing: a gate that checks nothing must not pass.
        """
        found = []
        for target, some in self._matches.items():
            if not some:
                raise SettingsError(
                    f"every target is there to be checked, and no file matches {shown(target)}",
                    f"{self.place}.targets",
                    f"correct the pattern (it is relative to {self.folder}), or drop it",
                )
            found += some
        return found

    def names(self, target: str) -> bool:
        """Whether a file or family is among the targets."""
        if not is_file(target):
            return target in self.targets
        return os.path.realpath(target) in self._real_paths

    @cached_property
    def _matches(self) -> dict[str, list[str]]:
        """What each target stands for: the files of a pattern, a file, a family."""
        return {target: self._files(target) for target in self.targets}

    @cached_property
    def _real_paths(self) -> frozenset[str]:
        return frozenset(os.path.realpath(path) for some in self._matches.values() for path in some)

    def _files(self, target: str) -> list[str]:
        path, pattern = os.path.join(self.folder, target), glob.has_magic(target)
        if not (pattern or is_file(target) or os.path.isfile(path)):
            return [target]
        found = set() if pattern and not os.path.isfile(path) else {target}
        if pattern:  # below the folder, whose own name is no pattern
            found.update(glob.glob(target, root_dir=self.folder, recursive=True))
        return [os.path.relpath(os.path.join(self.folder, each)) for each in sorted(found)]


@dataclass(frozen=True)
class Settings:
    """What ``[tool.staleproof]`` says.

    Attributes
    ----------
    options : Options
        For targets that no check names.
    format : str
        Form of the result.
    checks : tuple of Check
        The general targets first, then the tables ``[[tool.staleproof.check]]``.
    """

    options: Options = field(default_factory=Options)
    format: str = "text"
    checks: tuple[Check, ...] = ()

    def configured(self) -> list[tuple[str, Options]]:
        """Every configured target with its options."""
        return [(target, check.options) for check in self.checks for target in check.expanded()]

    def of(self, target: str) -> list[Options]:
        """The options that a target of the command line is checked with, one a check of it."""
        return [check.options for check in self.checks if check.names(target)] or [self.options]

    def compared(self, old: str, new: str) -> Iterator[tuple[str, Options]]:
        """OLD and NEW by turns, once for each check of NEW; both are held to what it says.

        Of a check that names OLD, only what OLD is built with is taken.
        """
        for options in self.of(new):
            own = next((check.options for check in self.checks if check.names(old)), options)
            size = {name: getattr(own, name) for name in ("ranks", "microbatches", "parameters")}
            yield old, replace(options, **size)
            yield new, options


def find_settings(folder: str | os.PathLike[str] = ".") -> Settings:
    """Read the settings of the nearest ``pyproject.toml`` that has some, from `folder` upwards.

    Raises
    ------
    SettingsError
        Such a file cannot be read, is no TOML, or has another key or type.
    schedules.errors.RequirementError, UsageError
        A value is none of those it can be.
    """
    start = Path(os.path.abspath(folder))
    for place in (start, *start.parents):
        path = place / FILE
        if path.is_file():
            document = _parsed(path)
            tool = document.get("tool")
            if isinstance(tool, dict) and "staleproof" in tool:
                return read_settings(tool["staleproof"], os.path.relpath(path), place)
    return Settings()


def _parsed(path: Path) -> dict[str, Any]:
    name = os.path.relpath(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES} bytes")
        return tomllib.loads(data.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        if isinstance(error, OSError):
            reason = error.strerror or error
        raise SettingsError(
            f"settings are read from here, and it is no TOML that can be read: {reason}",
            name,
            f"correct it; [{TABLE}] is described in docs/reference/check.md",
        ) from None


def read_settings(table: object, file: str, folder: Path) -> Settings:
    """Read the table ``[tool.staleproof]`` of a file that lies in `folder`.

    Raises
    ------
    SettingsError, schedules.errors.RequirementError, UsageError
        As `find_settings`.

    Examples
    --------
    >>> read_settings({"queues": "peer", "buffer": "inf"}, "pyproject.toml", Path()).options.model
    QueueModel(queues='peer', buffer=None)
    >>> read_settings({"require": "stash", "bufer": 1}, "pyproject.toml", Path())
    Traceback (most recent call last):
    staleproof.errors.SettingsError: pyproject.toml:tool.staleproof.bufer: the keys here are
    targets, ..., not 'bufer'; did you mean 'buffer'?
    """
    place = f"{file}:{TABLE}"
    entries = read_table(table, place, GENERAL_KEYS)
    general = _options(entries, place, folder, Options())
    checks = []
    if "targets" in entries:
        checks.append(Check(place, folder, _targets(entries["targets"], place), general))
    for number, value in enumerate(read_tables(entries.get("check", []), f"{place}.check")):
        where = f"{place}.check[{number}]"
        own = read_table(value, where, CHECK_KEYS)
        if "targets" not in own:
            raise SettingsError("a check names its targets, found none", where, "add targets = […]")
        targets = _targets(own["targets"], where)
        family = next((f"{where}.{key}" for key in ("ranks", "set") if key in own), None)
        refuse_family_options(family, targets)
        checks.append(Check(where, folder, targets, _options(own, where, folder, general)))
    form = entries.get("format")
    at = f"{place}.format"
    return Settings(
        general, "text" if form is None else read_format(read_text(form, at), at), tuple(checks)
    )


def _targets(value: object, place: str) -> tuple[str, ...]:
    found = read_texts(value, f"{place}.targets")
    if not found:
        raise SettingsError(
            "a check names its targets, found an empty list",
            f"{place}.targets",
            "name some, or drop the check: one that checks nothing must not pass",
        )
    return found


def _options(entries: Mapping[str, Any], place: str, folder: Path, base: Options) -> Options:
    found = base.overlaid(dict(_values(entries, place, folder)))
    found.require_window_used(f"{place}.window")
    return found


def _values(entries: Mapping[str, Any], place: str, folder: Path) -> Iterator[tuple[str, Any]]:
    """Fields of `Options` and their values."""
    for key, value in entries.items():
        at = f"{place}.{key}"
        if key in ("sizes", "layers"):
            yield key, os.path.join(folder, read_text(value, at))
        elif key == "set":
            yield "parameters", read_parameters(value, at)
        elif key in _COUNTS:
            yield key, read_count(value, at)
        elif key in READERS:
            field, read = READERS[key]
            yield field, read(_typed(key, value, at), at)


def _typed(key: str, value: object, place: str) -> object:
    if key in _TEXTS:
        return read_texts(value, place)
    if key in _TEXT:
        return read_text(value, place)
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        return value
    raise error('a number of messages or "inf"', value, place)
