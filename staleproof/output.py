"""Printing: one JSON object, or text and tables, on stdout; everything else on stderr."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from staleproof import __version__, interrupts
from staleproof.errors import Explained, StandardOutputError

if TYPE_CHECKING:
    from rich.table import Table

WIDTH_WITHOUT_TERMINAL = 120
"""Columns of a table that goes into a file or a pipe and has no `COLUMNS` to follow."""

LONGEST_VERDICT = len("CONDITIONAL")
LONGEST_SLACK = 160


def json_text(value: object) -> str:
    """Encode a result as one line of strict JSON, in plain ASCII so that no locale can break it.

    numpy numbers become integers, fractions exact text.

    Examples
    --------
    >>> print(json_text({"mean": Fraction(15, 2), "max": np.int32(14)}))
    {"mean": "15/2", "max": 14}
    """
    return json.dumps(value, allow_nan=False, default=_plain)


def _plain(value: object) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form: {value!r}")


def put_json(value: object) -> None:
    """Print the one JSON object of a command on stdout, with its schema and this version."""
    failed = isinstance(value, dict) and value.keys() == {"error"}
    name = "error" if failed else _PRINTING.command
    if isinstance(value, dict) and name:
        value = {"schema": f"staleproof-{name}/1", "version": __version__, **value}
    put(json_text(value))


def put(*lines: str, colour: bool = False) -> None:
    """Print lines on stdout, perhaps with their verdicts in colour.

    What a file says, such as a name, can hold what moves a cursor or changes a title: it is escaped
    here.

    Raises
    ------
    BrokenPipeError
        The reader has gone.
    StandardOutputError
        The device is full or closed.
    """
    plain = (_escaped(line, but="\n\t") for line in lines)
    _print(in_colour(line) if colour else line for line in plain)


def _print(lines: Iterable[str]) -> None:
    """Print them as they are."""
    interrupts.again()
    if _PRINTING.live:
        print(_end_of_live_line(), end="", file=sys.stderr, flush=True)
    with _explained():
        for line in lines:
            print(line)
    flush()


def flush() -> None:
    """Flush stdout, if there is one; raises what `put` raises."""
    with _explained():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StandardOutputError(
            f"cannot be written ({error.strerror})",
            "standard output",
            "send it where there is room",
        ) from error


def abandon_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter can end in silence."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def accept_every_character() -> None:
    """Let streams of any encoding print what their alphabet lacks as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def note(text: str) -> None:
    """Print a line on stderr: reasons that are no result."""
    interrupts.again()
    print(f"{_end_of_live_line()}{one_line(text)}", file=sys.stderr)


def progress(text: str) -> None:
    """Say on stderr how far the work is: one line that changes on a terminal, lines elsewhere."""
    interrupts.again()
    if _PRINTING.quiet:
        return
    if sys.stderr is not None and sys.stderr.isatty():
        _PRINTING.live = True
        brief = one_line(text)[: max(width() - 1, 1)]
        print(f"\r\x1b[K{brief}", end="", file=sys.stderr, flush=True)
    else:
        print(one_line(text), file=sys.stderr)


def _end_of_live_line() -> str:
    """What clears the line of progress, if there is one."""
    was, _PRINTING.live = _PRINTING.live, False
    return "\r\x1b[K" if was else ""


@dataclass
class _Printing:
    """What this program has been told about printing, and the state of stderr."""

    quiet: bool = False
    live: bool = False
    command: str = ""


_PRINTING: Final = _Printing()


def begin(command: str, quiet: bool) -> None:
    """Say which command prints, and whether progress is wanted."""
    _PRINTING.command, _PRINTING.quiet, _PRINTING.live = command, quiet, False


_COLOURS: Final = {
    "PROVED": "32",
    "CHECKED": "36",
    "CONDITIONAL": "33",
    "UNKNOWN": "35",
    "REFUTED": "31",
}


def in_colour(line: str) -> str:
    """A line with its verdicts coloured, where a terminal shows it and nobody objects."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or sys.stdout is None or not sys.stdout.isatty():
        return line
    return _VERDICT.sub(lambda found: f"\x1b[1;{_COLOURS[found[0]]}m{found[0]}\x1b[0m", line)


_VERDICT: Final = re.compile(rf"\b(?:{'|'.join(_COLOURS)})\b")


def put_error(error: Explained, *, as_json: bool) -> None:
    """Say why a command cannot go on: a line on stderr, or an object on stdout."""
    if as_json:
        put_json({"error": described(error)})
    else:
        near = error.fix.startswith("did you mean")  # the answer, before a list of all there is
        said = f"{error.fix} {error.what}" if near else f"{error.what}; {error.fix}"
        note(f"staleproof: {error.where}: {said}")


def described(error: Explained) -> dict[str, str]:
    """An error as plain data."""
    return {"what": error.what, "where": error.where, "fix": error.fix}


def one_line(text: str) -> str:
    r"""Escape whatever would break a line or not print.

    Examples
    --------
    >>> print(one_line("p ≥ 1\tfound '\n'"))
    p ≥ 1\tfound '\n'
    """
    return _escaped(text)


def _escaped(text: str, but: str = "") -> str:
    """Text in which whatever does not print is escaped, but for some."""
    return "".join(c if c.isprintable() or c in but else ascii(c)[1:-1] for c in text)


def shown(value: str, longest: int = 40) -> str:
    """Quote an argument, shortened.

    Examples
    --------
    >>> shown("7" * 100, longest=5)
    "'77777…' (100 characters)"
    """
    if len(value) <= longest:
        return repr(value)
    return f"{value[:longest] + '…'!r} ({len(value)} characters)"


def matrix_lines(rows: Sequence[Sequence[int]]) -> list[str]:
    r"""Lay a matrix out with its row and column numbers.

    Examples
    --------
    >>> print(*matrix_lines([[14, 9], [2, 0]]), sep="\n")
          0   1
     0   14   9
     1    2   0
    """
    cells = [[str(cell) for cell in row] for row in rows]
    columns = range(len(rows[0]) if rows else 0)
    width = max((len(cell) for row in cells for cell in row), default=1) + 2
    width = max(width, len(str(len(columns))) + 2)
    label = len(str(len(rows))) + 1
    head = " " * (label + 1) + "".join(f"{column:>{width}}" for column in columns)
    body = [
        f"{index:>{label}} " + "".join(f"{cell:>{width}}" for cell in row)
        for index, row in enumerate(cells)
    ]
    return [head, *body]


def put_table(title: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table on stdout, as wide as the terminal; cells are never read as markup."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", show_lines=True)
    for column in columns:
        whole = column in {"id", "printed proof"}
        least = LONGEST_VERDICT if column == "verdict" else None
        table.add_column(column, no_wrap=whole, overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    _print(_rendered(table))


def width() -> int:
    """Columns of what is printed: those of the terminal, or of `COLUMNS`."""
    from rich.console import Console

    here = Console()
    return here.width if here.is_terminal or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL


def _rendered(table: Table) -> list[str]:
    from rich.console import Console

    text, terminal = io.StringIO(), Console().is_terminal
    # Into memory first: rich would end the program itself where the reader of a pipe has gone.
    Console(file=text, width=width(), force_terminal=terminal).print(table)
    return text.getvalue().rstrip("\n").split("\n")
