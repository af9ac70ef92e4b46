r"""Measured layers: how long each takes, what it keeps and sends, and the links between ranks.

    layer,forward (ms),input_gradient (ms),weight_gradient (ms),activation_bytes,parameter_bytes
    embed,0.4,0,0.4,2000000,100000000
    block0,2,2,2,40000000,50000000

and, if messages take time, a TOML file of the same name beside it (``model.toml`` for
``model.csv``), see `schedules.planning.network`. See ``docs/how-to/planning.md``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
from pathlib import Path
from typing import Final

from schedules.analysis.sizes import MOST as MOST_BYTES
from schedules.errors import FormatError, SizeError
from schedules.formats.layer_table import (
    KIND,
    Columns,
    LayerTable,
    Row,
    Time,
    duration,
    layer_table,
    quoted,
)
from schedules.formats.strict_json import display_name, read_text
from schedules.planning.network import Network, read_network

MOST_LAYERS: Final = 2_000
MOST_TICKS: Final = 10**15
"""Most ticks that all layers of all microbatches take."""

FINEST: Final = 10**12
"""Most ticks in a unit."""

DURATIONS: Final = ("forward", "input_gradient", "weight_gradient")
BYTES: Final = ("activation_bytes", "parameter_bytes")
OPTIONAL_BYTES: Final = ("output_bytes", "optimizer_bytes", "gradient_bytes")
COLUMNS: Final = Columns((*DURATIONS, *BYTES), OPTIONAL_BYTES, DURATIONS)


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: exact durations for a microbatch, and bytes.

    Attributes
    ----------
    name : str
    forward, input_gradient, weight_gradient : int or Fraction
        0 or more; the backward is the sum of both gradients.
    activation_bytes : int
        What a microbatch leaves for its backward.
    parameter_bytes : int
        One version of the weights.
    output_bytes : int
        What a microbatch hands to the next layer; its gradient has the same size.
    optimizer_bytes, gradient_bytes : int
        Kept all the time.
    """

    name: str
    forward: Time
    input_gradient: Time
    weight_gradient: Time
    activation_bytes: int
    parameter_bytes: int
    output_bytes: int
    optimizer_bytes: int = 0
    gradient_bytes: int = 0


@dataclass(frozen=True)
class Layers:
    """The layers of a model in forward order, and the links between ranks.

    Attributes
    ----------
    layers : tuple of Layer
        At least one.
    unit : str
        Of all durations, for people; may be empty.
    file : str
        For messages.
    network : Network
    stated_outputs : bool
        Whether `output_bytes` is stated; else it is what the layer leaves for its backward.

    Raises
    ------
    SizeError
        More than `MOST_LAYERS` layers, or durations that no tick of 1/`FINEST` measures.
    """

    layers: tuple[Layer, ...]
    unit: str = ""
    file: str = "layers"
    network: Network = field(default_factory=Network)
    stated_outputs: bool = True

    def __post_init__(self) -> None:
        if len(self.layers) > MOST_LAYERS:
            raise SizeError(
                f"a model has at most {MOST_LAYERS} layers, found {len(self.layers)}",
                self.file,
                "join layers",
            )
        if self._denominator > FINEST:
            raise SizeError(
                "all durations and latencies are whole multiples of one fraction 1/n with n of at "
                f"most {FINEST}, found {self._denominator}",
                self.file,
                "write them with fewer digits",
            )
        if self.total * self.ticks > MOST_TICKS:
            raise SizeError(
                f"all layers together take at most {MOST_TICKS} ticks of 1/{self.ticks}, found "
                f"{self.total * self.ticks}",
                self.file,
                "write durations with fewer digits",
            )

    @property
    def count(self) -> int:
        """Number of layers."""
        return len(self.layers)

    @property
    def total(self) -> Time:
        """How long one microbatch computes, over all layers."""
        return sum(
            layer.forward + layer.input_gradient + layer.weight_gradient for layer in self.layers
        )

    @cached_property
    def _denominator(self) -> int:
        durations = {getattr(layer, name) for layer in self.layers for name in DURATIONS}
        return lcm(*(Fraction(time).denominator for time in durations | self.network.latencies))

    @cached_property
    def _message_denominator(self) -> int:
        sizes = {layer.output_bytes for layer in self.layers}
        return lcm(*(time.denominator for time in self.network.times(sizes)))

    @property
    def exact_messages(self) -> bool:
        """Whether message times are whole ticks; else each is rounded up to the next one."""
        return self.ticks % self._message_denominator == 0

    @cached_property
    def ticks(self) -> int:
        """Ticks in a unit: all durations are whole numbers of them.

        So are the times of messages where that takes at most `FINEST`; else a tick is at most a
        thousandth of what durations need, and message times are rounded up.
        """
        exact = lcm(self._denominator, self._message_denominator)
        longest = self.total * exact
        if exact <= FINEST and longest <= MOST_TICKS:
            return exact
        finer = self._denominator * 1000
        small = finer <= FINEST and self.total * finer <= MOST_TICKS
        return finer if small else self._denominator

    def sums(self, name: str) -> list[int]:
        r"""Sums of a column over the first 0, 1, … layers; durations in ticks.

        Examples
        --------
        >>> model = parse_layers(
        ...     "layer,forward,input_gradient,weight_gradient,activation_bytes,parameter_bytes\n"
        ...     "a,1/2,1,0,8,3\nb,1,1,1,8,4\n"
        ... )
        >>> model.sums("forward"), model.sums("parameter_bytes"), model.ticks
        ([0, 1, 3], [0, 3, 7], 2)
        """
        scale = self.ticks if name in DURATIONS else 1
        return list(
            accumulate((int(getattr(layer, name) * scale) for layer in self.layers), initial=0)
        )

    def time(self, ticks: int) -> Time:
        """Ticks in the unit of the durations: an int where that is exact."""
        found = Fraction(int(ticks), self.ticks)
        return found.numerator if found.denominator == 1 else found


def read_layers(path: str | os.PathLike[str]) -> Layers:
    """Read a file of layers, and the network beside it if there is one.

    Raises
    ------
    FormatError
        A file cannot be read or does not follow the form; the message holds row and column.
    SizeError
        As `Layers`.
    """
    text, beside = read_text(path, kind=KIND), Path(path).with_suffix(".toml")
    network = read_network(beside) if beside.is_file() else Network()
    return parse_layers(text, display_name(path), network)


def parse_layers(text: str, file: str = "layers", network: Network | None = None) -> Layers:
    r"""Read the text of a file of layers; `file` is its name for messages.

    Raises
    ------
    FormatError, SizeError
        As `read_layers`.

    Examples
    --------
    >>> parse_layers("layer,forward\na,1\n")
    Traceback (most recent call last):
    schedules.errors.FormatError: layers:row 1: the columns layer, forward, input_gradient,
    weight_gradient, activation_bytes, parameter_bytes are needed, found no input_gradient, ...
    """
    table = layer_table(text, file, COLUMNS)
    layers = tuple(_layer(table, row) for row in table.rows)
    stated = "output_bytes" in table.rows[0].cells
    if not any(layer.forward + layer.input_gradient + layer.weight_gradient for layer in layers):
        raise FormatError("some layer takes some time, found none", file, "give its durations")
    return Layers(layers, table.unit, file, network or Network(), stated)


def _layer(table: LayerTable, row: Row) -> Layer:
    forward, inputs, weights = (
        duration(row.cells[name], table.place(row, name), zero=True) for name in DURATIONS
    )
    sizes = {
        name: _bytes(row.cells[name], table.place(row, name))
        for name in (*BYTES, *OPTIONAL_BYTES)
        if name in row.cells
    }
    sizes.setdefault("output_bytes", sizes["activation_bytes"])
    return Layer(row.name, forward, inputs, weights, **sizes)


def _bytes(text: str, place: str) -> int:
    """Read a whole number of bytes, as ``4096`` or ``4_096``."""
    plain = text.strip().replace("_", "")
    if not re.fullmatch(r"[0-9]{1,18}", plain) or int(plain) > MOST_BYTES:
        raise FormatError(
            f"a size is a whole number of bytes from 0 to {MOST_BYTES}, found {quoted(text)}",
            place,
            "write it as 4096 or 4_096",
        )
    return int(plain)
