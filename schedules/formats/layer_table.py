r"""Files of layers: CSV with a row a layer in forward order, exact durations in one unit.

    layer,forward (ms),parameter_bytes
    conv1,2.5,4096
    conv2,1/2,8192

The first row names the columns, in any order. The unit of durations may follow them in brackets and
is then the same for all. Who reads such a file says which columns it has and which are durations.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Final, TypeAlias

from schedules.errors import FormatError

Time: TypeAlias = int | Fraction
"""An exact duration or instant."""

KIND: Final = "a file of layers"
LAYER: Final = "layer"
MOST_DIGITS: Final = 18
_HEAD: Final = re.compile(r"([A-Za-z_]+)\s*(?:[(\[]([^()\[\]]*)[)\]])?")
_NUMBER: Final = re.compile(
    rf"([0-9]{{1,{MOST_DIGITS}}})"
    rf"(?:\.([0-9]{{1,{MOST_DIGITS}}}))?(?:[eE]([+-]?[0-9]{{1,2}}))?"
    rf"|([0-9]{{1,{MOST_DIGITS}}})/([0-9]{{1,{MOST_DIGITS}}})"
)


@dataclass(frozen=True)
class Columns:
    """What a file of layers has beside the name of each layer.

    Attributes
    ----------
    needed, optional : tuple of str
    timed : tuple of str
        Those of `needed` that are durations, all in one unit.
    """

    needed: tuple[str, ...]
    optional: tuple[str, ...]
    timed: tuple[str, ...]

    @property
    def first_row(self) -> str:
        """How such a file begins."""
        return ",".join((LAYER, *self.needed))


@dataclass(frozen=True)
class Row:
    """A layer: the line that its row ends in, its name, and its cells by column."""

    number: int
    name: str
    cells: Mapping[str, str]


@dataclass(frozen=True)
class LayerTable:
    """What a file says: the rows, and the unit of the durations, which may be empty."""

    file: str
    unit: str
    rows: tuple[Row, ...]

    def place(self, row: Row, column: str) -> str:
        """File, row and column of a cell."""
        return f"{self.file}:row {row.number}:{column}"


def layer_table(text: str, file: str, columns: Columns) -> LayerTable:
    r"""Read the text of a file of layers; `file` is its name for messages.

    Raises
    ------
    FormatError
        It is no CSV, has other columns or several units, no layer, or two of one name.

    Examples
    --------
    >>> table = layer_table("size,layer\n3,a\n", "a.csv", Columns(("size",), (), ()))
    >>> table.rows
    (Row(number=2, name='a', cells={'size': '3'}),)
    """
    rows = _rows(text.removeprefix("\ufeff"), file)
    first = next(rows, None)
    if first is None:
        raise FormatError(
            f"{KIND} begins with a row of column names, found nothing",
            file,
            f"begin with {columns.first_row}",
        )
    where, unit = _columns(first[1], columns, f"{file}:row {first[0]}")
    seen: dict[str, Row] = {}
    for number, cells in rows:
        place = f"{file}:row {number}"
        if len(cells) != len(first[1]):
            raise FormatError(
                f"every row has {len(first[1])} cells, as the first has, found {len(cells)}",
                place,
                "add what is missing, or put a name that holds a comma in quotes",
            )
        name = cells[where[LAYER]].strip()
        if not name or not name.isprintable():
            raise FormatError(
                f"every layer has a name that can be printed, found {quoted(name)}",
                f"{place}:{LAYER}",
                "name it",
            )
        if name in seen:
            raise FormatError(
                f"layers have different names, found {quoted(name)} here and in row "
                f"{seen[name].number}",
                f"{place}:{LAYER}",
                "rename one of them",
            )
        at = {column: cells[index] for column, index in where.items() if column != LAYER}
        seen[name] = Row(number, name, at)
    if not seen:
        raise FormatError("there is at least one layer, found none", file, "add a row for each")
    return LayerTable(file, unit, tuple(seen.values()))


def _rows(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with the line that each ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(
                f"{KIND} is CSV, found: {error}",
                f"{file}:row {reader.line_num}",
                "close every quote, and save it as plain CSV",
            ) from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _columns(heads: Sequence[str], columns: Columns, place: str) -> tuple[dict[str, int], str]:
    """Where each column stands, and the unit of the durations."""
    needed = (LAYER, *columns.needed)
    known = (*needed, *columns.optional)
    found: dict[str, int] = {}
    units: dict[str, str] = {}
    for index, head in enumerate(heads):
        match = _HEAD.fullmatch(head.strip()) if head.isprintable() else None
        column = match[1].lower() if match else head
        if column not in known:
            near = get_close_matches(column, known, n=1)
            raise FormatError(
                f"the columns are {', '.join(needed)} and perhaps {', '.join(columns.optional)}, "
                f"found {quoted(head)}",
                place,
                f"did you mean {near[0]!r}?" if near else f"begin with {columns.first_row}",
            )
        if column in found:
            raise FormatError(f"the column {column} stands there twice", place, "drop one of them")
        found[column] = index
        if column in columns.timed:
            units[column] = (match[2] or "").strip() if match else ""
    missing = [column for column in needed if column not in found]
    if missing:
        raise FormatError(
            f"the columns {', '.join(needed)} are needed, found no {', '.join(missing)}",
            place,
            f"begin with {columns.first_row}",
        )
    if len(set(units.values())) > 1:
        stated = ", ".join(f"{unit or 'none'} for {column}" for column, unit in units.items())
        raise FormatError(
            f"all durations are in one unit, found {quoted(stated, 80)}", place, "convert them"
        )
    return found, next(iter(units.values()), "")


def exact_number(text: str) -> Time | None:
    """Read a number of 0 or more exactly; None if it is none.

    Examples
    --------
    >>> exact_number(" 2.50 "), exact_number("6/2"), exact_number("12e-1"), exact_number("-1")
    (Fraction(5, 2), 3, Fraction(6, 5), None)
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or (match[5] and not int(match[5])):
        return None
    if match[1] is None:
        value = Fraction(int(match[4]), int(match[5]))
    elif match[2] is None and match[3] is None:
        return int(match[1])
    else:
        exponent = int(match[3] or 0) - len(match[2] or "")
        digits = int(match[1] + (match[2] or ""))
        value = Fraction(digits * 10 ** max(0, exponent), 10 ** max(0, -exponent))
    return value.numerator if value.denominator == 1 else value


def duration(text: str, place: str, *, zero: bool = False) -> Time:
    """Read a duration exactly: above 0, or 0 too if `zero`.

    Raises
    ------
    FormatError
        It is none; the message says what a duration is written like.
    """
    value = exact_number(text)
    if value is None or not (value or zero):
        rule = "a number of 0 or more" if zero else "a number above 0"
        raise FormatError(
            f"a duration is {rule}, found {quoted(text)}"
            if text.strip()
            else "every layer has a duration here, found an empty cell",
            place,
            "write it as 12, 0.05, 1e-3 or 2/3",
        )
    return value


def quoted(text: str, longest: int = 40) -> str:
    """What was found, shortened."""
    return repr(text if len(text) <= longest else text[:longest] + "…")
