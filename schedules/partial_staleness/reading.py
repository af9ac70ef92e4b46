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

import os
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from schedules.errors import FormatError
from schedules.formats.layer_table import KIND, Columns, duration, layer_table, quoted
from schedules.formats.strict_json import display_name, read_text
from schedules.partial_staleness.layers import OPERATIONS, Layer, Model

AFTER: Final = "after"
COLUMNS: Final = Columns(OPERATIONS, (AFTER,), OPERATIONS)


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
    table = layer_table(text, name, COLUMNS)
    layers = tuple(
        Layer(row.name, *(duration(row.cells[at], table.place(row, at)) for at in OPERATIONS))
        for row in table.rows
    )
    after = None
    if AFTER in table.rows[0].cells:
        needed = [(row.number, row.cells[AFTER]) for row in table.rows]
        after = _after(needed, [row.name for row in table.rows], name)
    return Model(layers, after, table.unit, name)


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
                    f"a layer comes after layers of this file, found {quoted(word)}",
                    f"{file}:row {number}:{AFTER}",
                    f"did you mean {near[0]!r}?" if near else "separate names by semicolons",
                )
        found.append(tuple(sorted({index[word] for word in wanted})))
    return tuple(found)
