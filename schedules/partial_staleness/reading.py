r"""Reading the layers of a model from a CSV file.

    layer,backward (ms),forward (ms),communication (ms)
    conv1,2.5,1.2,3
    conv2,4,2,1/2

The first row names the columns, in any order: ``layer`` and the durations ``backward``,
``forward`` and ``communication``, in any one unit, which may follow in brackets and is then the
same for all three. Layers follow in forward order. With a fifth column, ``after``, they form a
graph: it names the layers whose output each needs, separated by semicolons.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

from schedules.errors import FormatError
from schedules.formats.strict_json import display_name, read_text
from schedules.partial_staleness.layers import OPERATIONS, Layer, Model, Time

AFTER: Final = "after"
COLUMNS: Final = ("layer", *OPERATIONS)
KIND: Final = "a file of layers"
MOST_DIGITS: Final = 18
_HEAD: Final = re.compile(r"([A-Za-z_]+)\s*(?:[(\[]([^()\[\]]*)[)\]])?")
_NUMBER: Final = re.compile(
    rf"([0-9]{{1,{MOST_DIGITS}}})"
    rf"(?:\.([0-9]{{1,{MOST_DIGITS}}}))?(?:[eE]([+-]?[0-9]{{1,2}}))?"
    rf"|([0-9]{{1,{MOST_DIGITS}}})/([0-9]{{1,{MOST_DIGITS}}})"
)


def read_layers(path: str | os.PathLike[str]) -> Model:
    """Read a file of layers.

    Raises
    ------
    FormatError
        The file cannot be read or does not follow the form; the message holds row and column.
    ParameterError, SizeError
        What it says is no model: dependencies form a cycle, there are too many layers, ….
    """
    return parse_layers(read_text(path, kind=KIND), display_name(path))


def parse_layers(text: str, name: str = "layers") -> Model:
    r"""Read the text of a file of layers; `name` stands for the file in messages.

    Raises
    ------
    FormatError, ParameterError, SizeError
        As `read_layers`.

    Examples
    --------
    >>> model = parse_layers("layer,backward,forward,communication\na,2,1,1\nb,0.5,1/3,1e1\n")
    >>> model.layers[1]
    Layer(name='b', backward=Fraction(1, 2), forward=Fraction(1, 3), communication=10)
    >>> parse_layers("layer,backward,forward,communication\na,2,-1,1\n")
    Traceback (most recent call last):
    schedules.errors.FormatError: layers:row 2:forward: a duration is a number above 0, found '-1';
    write it as 12, 0.05, 1e-3 or 2/3
    """
    rows = _rows(text.removeprefix("\ufeff"), name)
    first = next(rows, None)
    if first is None:
        raise FormatError(
            f"{KIND} begins with a row of column names, found nothing",
            name,
            f"begin with {','.join(COLUMNS)}",
        )
    columns, unit = _columns(first[1], f"{name}:row {first[0]}")
    layers: list[Layer] = []
    needed: list[tuple[int, str]] = []
    seen: dict[str, int] = {}
    for number, cells in rows:
        place = f"{name}:row {number}"
        if len(cells) != len(first[1]):
            raise FormatError(
                f"every row has {len(first[1])} cells, as the first has, found {len(cells)}",
                place,
                "add what is missing, or put a name that holds a comma in quotes",
            )
        layer = _layer(cells, columns, place)
        if layer.name in seen:
            raise FormatError(
                f"layers have different names, found {_shown(layer.name)} here and in row "
                f"{seen[layer.name]}",
                f"{place}:layer",
                "rename one of them",
            )
        seen[layer.name] = number
        layers.append(layer)
        if AFTER in columns:
            needed.append((number, cells[columns[AFTER]]))
    if not layers:
        raise FormatError("there is at least one layer, found none", name, "add a row for each")
    after = None if AFTER not in columns else _after(needed, list(seen), name)
    return Model(tuple(layers), after, unit, name)


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
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
                f"{name}:row {reader.line_num}",
                "close every quote, and save it as plain CSV",
            ) from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _columns(heads: Sequence[str], place: str) -> tuple[dict[str, int], str]:
    """Where each column stands, and the unit of the durations."""
    known = (*COLUMNS, AFTER)
    found: dict[str, int] = {}
    units: dict[str, str] = {}
    for index, head in enumerate(heads):
        match = _HEAD.fullmatch(head.strip()) if head.isprintable() else None
        column = match[1].lower() if match else head
        if column not in known:
            near = get_close_matches(column, known, n=1)
            raise FormatError(
                f"the columns are {', '.join(COLUMNS)} and perhaps {AFTER}, found {_shown(head)}",
                place,
                f"did you mean {near[0]!r}?" if near else f"begin with {','.join(COLUMNS)}",
            )
        if column in found:
            raise FormatError(f"the column {column} stands there twice", place, "drop one of them")
        found[column] = index
        if column in OPERATIONS:
            units[column] = (match[2] or "").strip() if match else ""
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        raise FormatError(
            f"the columns {', '.join(COLUMNS)} are needed, found no {', '.join(missing)}",
            place,
            f"begin with {','.join(COLUMNS)}",
        )
    if len(set(units.values())) > 1:
        stated = ", ".join(f"{unit or 'none'} for {column}" for column, unit in units.items())
        raise FormatError(
            f"all durations are in one unit, found {_shown(stated, 80)}", place, "convert them"
        )
    return found, units["backward"]


def _layer(cells: Sequence[str], columns: Mapping[str, int], place: str) -> Layer:
    name = cells[columns["layer"]].strip()
    if not name or not name.isprintable():
        raise FormatError(
            f"every layer has a name that can be printed, found {_shown(name)}",
            f"{place}:layer",
            "name it",
        )
    times = (_time(cells[columns[column]], f"{place}:{column}") for column in OPERATIONS)
    return Layer(name, *times)


def _time(text: str, place: str) -> Time:
    """Read a duration exactly.

    Examples
    --------
    >>> _time(" 2.50 ", "here"), _time("6/2", "here"), _time("12e-1", "here")
    (Fraction(5, 2), 3, Fraction(6, 5))
    """
    match = _NUMBER.fullmatch(text.strip())
    value = Fraction(0)
    if match and match[1] is None:
        value = Fraction(int(match[4]), int(match[5])) if int(match[5]) else value
    elif match:
        if match[2] is None and match[3] is None and (whole := int(match[1])):
            return whole
        exponent = int(match[3] or 0) - len(match[2] or "")
        digits = int(match[1] + (match[2] or ""))
        value = Fraction(digits * 10 ** max(0, exponent), 10 ** max(0, -exponent))
    if not value:
        raise FormatError(
            f"a duration is a number above 0, found {_shown(text)}"
            if text.strip()
            else "every layer has a duration here, found an empty cell",
            place,
            "write it as 12, 0.05, 1e-3 or 2/3",
        )
    return value.numerator if value.denominator == 1 else value


def _after(
    needed: Sequence[tuple[int, str]], names: Sequence[str], file: str
) -> tuple[tuple[int, ...], ...]:
    """The layers that each cell of the last column names."""
    index = {name: layer for layer, name in enumerate(names)}
    found = []
    for number, cell in needed:
        wanted = [word.strip() for word in cell.split(";") if word.strip()]
        for word in wanted:
            if word not in index:
                near = get_close_matches(word, names[:1000], n=1)
                raise FormatError(
                    f"a layer comes after layers of this file, found {_shown(word)}",
                    f"{file}:row {number}:{AFTER}",
                    f"did you mean {near[0]!r}?" if near else "separate names by semicolons",
                )
        found.append(tuple(sorted({index[word] for word in wanted})))
    return tuple(found)


def _shown(text: str, longest: int = 40) -> str:
    return repr(text if len(text) <= longest else text[:longest] + "…")
