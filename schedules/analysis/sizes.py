"""Sizes files: bytes that weights, activations and optimizer take at each stage, as TOML.

    [default]               # stages without a table, and keys that a table leaves out
    weights = 4096
    activations = 1024

    [stage.0]
    activations = 2048
    output = 512

See ``docs/reference/sizes.md``.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

import numpy as np

from schedules.errors import FormatError
from schedules.formats.strict_json import described, display_name, read_text
from schedules.schedule import IntArray

MAX_BYTES: Final = 4 * 1024**2
"""Largest sizes file that is read."""

MOST: Final = 4 * 10**11
"""Largest size of one thing: sums over any schedule that can be built stay within 64 bits."""

KEYS: Final = ("weights", "activations", "output", "checkpoint", "optimizer", "gradients")


@dataclass(frozen=True)
class StageSizes:
    """Bytes at one stage.

    Attributes
    ----------
    weights : int
        One version of the weights.
    activations : int
        What one microbatch leaves for its backward.
    output : int
        What one microbatch hands to the next stage; its gradient has the same size.
    checkpoint : int
        What one microbatch keeps until it is recomputed: the input of the stage.
    optimizer : int
        State of the optimizer: kept by each weight copy, or by the one that owns it for all.
    gradients : int
        What each weight copy accumulates, and keeps all the time.
    """

    weights: int
    activations: int
    output: int
    checkpoint: int
    optimizer: int = 0
    gradients: int = 0


@dataclass(frozen=True)
class Sizes:
    """What a sizes file says.

    Attributes
    ----------
    file : str
        For messages.
    stages : mapping of int to StageSizes
    default : StageSizes or None
        For the stages that `stages` does not name.
    """

    file: str
    stages: Mapping[int, StageSizes]
    default: StageSizes | None = None

    def of(self, count: int) -> Sequence[StageSizes]:
        """The sizes of stages 0 … count − 1; those of further stages are not used.

        Raises
        ------
        FormatError
            A stage has none.
        """
        if self.default is None:
            missing = next((stage for stage in range(count) if stage not in self.stages), None)
            if missing is not None:
                raise FormatError(
                    f"every stage needs its sizes, and stage {missing} of {count} has none",
                    self.file,
                    f"add [stage.{missing}], or [default] for all that are left out",
                )
            return [self.stages[stage] for stage in range(count)]
        return [self.stages.get(stage, self.default) for stage in range(count)]

    def column(self, name: str, count: int) -> IntArray:
        """One of `KEYS` for stages 0 … count − 1."""
        return np.array([getattr(stage, name) for stage in self.of(count)], dtype=np.int64)


def read_sizes(path: str | os.PathLike[str]) -> Sizes:
    """Read a sizes file.

    Raises
    ------
    FormatError
        It cannot be read, is no TOML, or does not follow the format.
    """
    name = display_name(path)
    return parse_sizes(read_text(path, MAX_BYTES, "a sizes file"), name)


def parse_sizes(text: str, file: str) -> Sizes:
    r"""Read the text of a sizes file.

    Raises
    ------
    FormatError
        It is no TOML, or does not follow the format.

    Examples
    --------
    >>> sizes = parse_sizes("[default]\nweights = 8\nactivations = 2", "sizes.toml")
    >>> sizes.of(1)
    [StageSizes(weights=8, activations=2, output=2, checkpoint=2, optimizer=0, gradients=0)]
    >>> parse_sizes("[default]\nweigths = 8", "sizes.toml")
    Traceback (most recent call last):
    schedules.errors.FormatError: sizes.toml:default.weigths: a table of sizes holds weights,
    activations, output, checkpoint, optimizer, gradients, not 'weigths'; did you mean 'weights'?
    """
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise FormatError(
            f"a sizes file is TOML, found: {reason}", file, "see docs/reference/sizes.md"
        ) from None
    _refuse_unknown(document, ("default", "stage"), "a sizes file", file, "")
    default = _table(document.get("default", {}), file, "default")
    stages = {}
    for key, value in _is_table(document.get("stage", {}), file, "stage").items():
        place = f"stage.{key}"
        if not re.fullmatch(r"0|[1-9][0-9]{0,8}", key):
            raise FormatError(
                f"a stage is a number from 0 on, found {key!r}", f"{file}:stage", "write [stage.0]"
            )
        stages[int(key)] = _complete(default | _table(value, file, place), file, place)
    whole = "default" in document and (not stages or {"weights", "activations"} <= set(default))
    if not stages and not whole:
        raise FormatError(
            "a sizes file has the table default or stage tables, found neither",
            file,
            "add [default] with weights and activations",
        )
    return Sizes(file, stages, _complete(default, file, "default") if whole else None)


def _complete(table: dict[str, int], file: str, place: str) -> StageSizes:
    for key in ("weights", "activations"):
        if key not in table:
            raise FormatError(
                f"a stage needs {key}, found only: {', '.join(table) or 'nothing'}",
                f"{file}:{place}",
                f"add {key} = BYTES here or to [default]",
            )
    return StageSizes(**(dict.fromkeys(("output", "checkpoint"), table["activations"]) | table))


def _table(value: object, file: str, place: str) -> dict[str, int]:
    table = _is_table(value, file, place)
    _refuse_unknown(table, KEYS, "a table of sizes", file, place)
    checked = {}
    for key, size in table.items():
        if type(size) is not int or not 0 <= size <= MOST:
            raise FormatError(
                f"a size is a whole number of bytes from 0 to {MOST}, found {_found(size)}",
                f"{file}:{place}.{key}",
                "write a number such as 4096",
            )
        checked[key] = size
    return checked


def _is_table(value: object, file: str, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise FormatError(
            f"{place} is a table, found {_found(value)}", file, f"write [{place}] above its keys"
        )
    return value


def _refuse_unknown(
    table: Mapping[str, object], known: Sequence[str], what: str, file: str, place: str
) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            raise FormatError(
                f"{what} holds {', '.join(known)}, not {_short(key)}",
                f"{file}:{place}.{_plain(key)}".replace(":.", ":"),
                f"did you mean {near[0]!r}?" if near else "remove it",
            )


def _found(value: object) -> str:
    if isinstance(value, (bool, int, float, str, list, dict)):
        return described(value)
    return f"a {type(value).__name__}"


def _short(key: str) -> str:
    return repr(key if len(key) <= 40 else key[:40] + "…")


def _plain(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key) else _short(key)
