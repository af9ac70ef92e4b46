"""Reading arguments: strict numbers, and errors in one line with the nearest known word."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from textwrap import dedent, fill
from typing import Any, NoReturn, TypeVar

from staleproof.errors import UsageError
from staleproof.output import shown

MOST_DIGITS = 18
"""Digits of the longest number taken; it fits into 64 bits."""

Value = TypeVar("Value")

_DIGITS = re.compile(r"[0-9]+")
_OF_FILES = {"FILE", "DIR", "OUT", "LEDGER", "LAYERS", "OLD", "NEW"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Paragraphs of a description fill the lines that a terminal has; what is indented stays."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = text.split("\n\n")
        filled = (part if "\n  " in part else fill(" ".join(part.split()), width) for part in parts)
        return "\n\n".join(filled)


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose errors are `UsageError` and name the nearest option."""

    def __init__(self, **settings: Any) -> None:
        self.options: list[str] = []
        self.of_files: list[argparse.Action] = []
        settings.setdefault("formatter_class", _Help)
        super().__init__(**settings, allow_abbrev=False)

    @property
    def place(self) -> str:
        """What error messages call this part of the command line."""
        return self.prog.partition(" ")[2] or "command line"

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument and remember the names of options, and what takes files."""
        self.options += [name for name in names if name.startswith("-")]
        action = super().add_argument(*names, **settings)
        if _OF_FILES & set(re.findall("[A-Z]+", str(settings.get("metavar")))):
            self.of_files.append(action)
        return action

    def takes(self, table: str, **types: Callable[[str], Any]) -> None:
        """Add arguments from a table, a line each: ``--smt DIR  where to write``.

        Two blanks end what is named, and an indented line goes on with the one above it. An option
        without a value is a flag, one with ``...`` behind its value may be repeated; a name without
        a dash may end in ``*``, ``+`` or ``?``. By name, how values are read.
        """
        for entry in re.split(r"\n(?! )", dedent(table).strip()):
            head, _, says = " ".join(entry.split("\n")).partition("  ")
            name, _, value = head.partition(" ")
            option, nargs = name[0] == "-", name[-1] if name[-1] in "*+?" else None
            name = name.rstrip("*+?")
            settings: dict[str, Any] = {"help": " ".join(says.split())}
            if nargs:
                settings["nargs"] = nargs
            if value:
                settings["metavar"] = value.removesuffix("...")
                settings["type"] = types.get(name.lstrip("-").replace("-", "_"))
            elif option:
                settings["action"] = "store_true"
            if value.endswith("..."):
                settings |= {"action": "append", "default": []}
            self.add_argument(name, **settings)

    def refuse_unknown_options(self, arguments: Sequence[str]) -> None:
        """Raise for the first option that this command does not have.

        argparse would complain of a missing argument first, and that hides the misspelt one.
        """
        for argument in options_in(arguments):
            name = argument.split("=")[0]
            glued = not argument.startswith("--") and argument[:2] in self.options
            if name not in self.options and not glued:
                raise UsageError(
                    f"there is no option {shown(name)}; there are {', '.join(self.options)}",
                    self.place,
                    suggestion(name, self.options) or f"see `{self.prog} --help`",
                )

    def error(self, message: str) -> NoReturn:
        """Turn argparse's message into this package's error."""
        raise UsageError(message, self.place, f"see `{self.prog} --help`")


def options_in(arguments: Sequence[str]) -> list[str]:
    """What argparse reads as an option: it starts with a dash, is no number, has no blank.

    Examples
    --------
    >>> options_in(["gpipe", "-p", "-4", "--json", "--", "-x"])
    ['-p', '--json']
    """
    found = []
    for argument in arguments:
        if argument == "--":
            break
        number = re.fullmatch(r"-\d+|-\d*\.\d+", argument)
        if len(argument) > 1 and argument[0] == "-" and not number and " " not in argument:
            found.append(argument)
    return found


def suggestion(word: str, known: Iterable[str]) -> str:
    """A "did you mean" sentence, or the empty string; case does not count.

    Examples
    --------
    >>> suggestion("proved", ["REFUTED", "PROVED"])
    "did you mean 'PROVED'?"
    """
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), by_lower, n=1)
    return f"did you mean {by_lower[near[0]]!r}?" if near else ""


def one_of(word: str, known: Iterable[str], rule: str, where: str) -> str:
    """Read a word that is one of those known; `rule` says so up to their list.

    Raises
    ------
    UsageError
        It is none of them.

    Examples
    --------
    >>> one_of("v", ("loop", "v"), "a placement is one of", "--placement")
    'v'
    """
    names = list(known)
    if word not in names:
        raise UsageError(
            f"{rule} {', '.join(names)}, not {shown(word)}",
            where,
            suggestion(word, names) or "name one of them",
        )
    return word


def whole_number(text: str, where: str, minimum: int = 1) -> int:
    """Read a plain decimal integer.

    Raises
    ------
    UsageError
        Anything but digits, more than `MOST_DIGITS` of them, or a value below `minimum`.

    Examples
    --------
    >>> whole_number("4", "-p")
    4
    """
    if not _DIGITS.fullmatch(text):
        raise UsageError(
            f"a whole number of {minimum} or more is needed, found {shown(text)}",
            where,
            "write it in plain digits, such as 8",
        )
    if len(text) > MOST_DIGITS:
        raise UsageError(
            f"a number has at most {MOST_DIGITS} digits, found {len(text)}",
            where,
            "take a smaller one",
        )
    if int(text) < minimum:
        raise UsageError(
            f"a whole number of {minimum} or more is needed, found {text}",
            where,
            f"give {minimum} or more",
        )
    return int(text)


def positive(where: str) -> Callable[[str], int]:
    """The argparse type of an option that takes an integer of at least 1."""
    return lambda text: whole_number(text, where)


def assignment(text: str, where: str, form: str) -> tuple[str, int]:
    """Read ``name=value``; a value may be negative, its domain is checked by who knows it.

    Examples
    --------
    >>> assignment("noam=2", "--set", "name=value")
    ('noam', 2)
    """
    name, value = named(text, where, form)
    sign = -1 if value.startswith("-") else 1
    digits = value[1:] if sign < 0 else value
    if not _DIGITS.fullmatch(digits):
        raise UsageError(
            f"{name} is a whole number, found {shown(value)}",
            where,
            "write it in plain digits, such as 8",
        )
    return name, sign * whole_number(digits, where, minimum=0)


def named(text: str, where: str, form: str) -> tuple[str, str]:
    """Split ``name=value``, whatever the value is."""
    name, equals, value = text.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise UsageError(f"{form} is needed, found {shown(text)}", where, f"write {form}")
    return name, value


def as_mapping(pairs: Iterable[tuple[str, Value]], where: str) -> dict[str, Value]:
    """Collect assignments; a name is given once.

    Examples
    --------
    >>> as_mapping([("p", 4), ("i", 0)], "--at")
    {'p': 4, 'i': 0}
    """
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            raise UsageError(
                f"{name} is given twice, as {found[name]} and as {value}", where, "give it once"
            )
        found[name] = value
    return found


def add_json(parser: Parser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the result, and so an error, is asked for as JSON.

    Examples
    --------
    >>> wants_json(["check", "a.csv", "--format", "json"]), wants_json(["check", "--", "--json"])
    (True, False)
    """
    options = options_in(arguments)
    pairs = pairwise(arguments)
    spread = "--format" in options and ("--format", "json") in pairs
    return spread or "--json" in options or "--format=json" in options
