"""The file formats by name: how to read, write and recognize each, as data."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from schedules.errors import FormatError, InvalidScheduleError, UnknownNameError
from schedules.formats import pytorch_csv
from schedules.formats.chrome import write_chrome
from schedules.formats.columns import require_room
from schedules.formats.deepspeed import read_deepspeed, write_deepspeed
from schedules.formats.instructions import InstructionList
from schedules.formats.megatron import read_megatron, write_megatron
from schedules.formats.piped import MAX_BYTES
from schedules.formats.pytorch_csv import FLUSH, read_csv, write_csv
from schedules.formats.schedule_json import read_json, write_json
from schedules.formats.strict_json import require_containers
from schedules.formats.trace import Trace, trace_of, write_trace
from schedules.formats.trace_reader import read_trace
from schedules.policies import WeightPolicy
from schedules.schedule import Schedule
from schedules.timeline import timeline
from schedules.versions import Versions, versions

Path = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Document:
    """A schedule and what else its file held.

    Attributes
    ----------
    schedule : Schedule
    instructions : InstructionList or None
        From a DeepSpeed file.
    trace : Trace or None
        From an event trace.
    format : str or None
        Name of the format that it was read in; None of what was read from no file.
    states_policy : bool
        Whether what it was read from says what its weight policy is.
    """

    schedule: Schedule
    instructions: InstructionList | None = None
    trace: Trace | None = None
    format: str | None = None
    states_policy: bool = True

    @property
    def holds(self) -> list[str]:
        """What a format may or may not keep, in words."""
        schedule = self.schedule
        found = {
            "number of microbatches": True,
            "weight policy": True,
            "name": schedule.source is None or schedule.name != schedule.source.file,
            "parameters": bool(schedule.parameters),
            "weight copies and owners": schedule.placement.copy_count > 1,
            "groups": bool(schedule.groups),
            "buffers": self.instructions is not None,
            "steps": self.instructions is not None,
            "instructions without an action": self.instructions is not None,
            "times": self.trace is not None,
            "versions, peers and channels": self.trace is not None,
        }
        return [name for name, is_held in found.items() if is_held]


Reader = Callable[[Path, int | None, WeightPolicy | None], Document]
Writer = Callable[[Document], str]


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name, summary : str
    suffixes : tuple of str
        Ends of file names that mean it.
    mark : pattern or None
        Found near the start of its files only; None where that says nothing.
    read, write : callable or None
        None where the format is only written.
    keeps : frozenset of str
        What of `Document.holds` survives being written.
    most_bytes : int or None
        Largest file that is read; None where there is no limit.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    mark: re.Pattern[str] | None
    read: Reader | None
    write: Writer
    keeps: frozenset[str]
    most_bytes: int | None = MAX_BYTES

    def text(self, document: Document, name: str) -> str:
        """The text of a file that `read` takes back; `name` stands for the file in messages.

        Raises
        ------
        FormatError
            The format cannot say what the document holds, or the file would be too large to read.
        """
        text = self.write(document)
        if self.read is None:
            return text
        require_room(len(document.schedule), name)
        size = len(text.encode())
        if self.most_bytes is not None and size > self.most_bytes:
            raise FormatError(
                f"of the format {self.name} at most {self.most_bytes} bytes are read, and this "
                f"would have {size}",
                name,
                "choose a format that takes fewer bytes, or cut the schedule down",
            )
        if self.name != "trace":
            require_containers(text, name)
        return text


def _read_csv(path: Path, M: int | None, policy: WeightPolicy | None) -> Document:
    return Document(read_csv(path, M, policy or FLUSH))


def _read_deepspeed(path: Path, M: int | None, policy: WeightPolicy | None) -> Document:
    instructions = read_deepspeed(path, M, policy)
    return Document(instructions.schedule, instructions=instructions)


def _read_trace(path: Path, M: int | None, policy: WeightPolicy | None) -> Document:
    trace = read_trace(path, M, policy)
    return Document(trace.schedule, trace=trace)


def _write_deepspeed(document: Document) -> str:
    if document.instructions is None:
        raise FormatError(
            "a DeepSpeed file says which buffer each instruction works on, and this schedule does "
            "not",
            document.schedule.name,
            "choose another format",
        )
    return write_deepspeed(document.instructions)


def _traced(document: Document) -> Trace:
    """The recorded trace, or that of a run in unit time."""
    if document.trace is not None:
        return document.trace
    return trace_of(timeline(document.schedule), _versions(document.schedule))


def _versions(schedule: Schedule) -> Versions | None:
    try:
        return versions(schedule)
    except InvalidScheduleError:
        return None  # an incomplete schedule has a timeline, but versions no meaning


_NOTHING: Final[frozenset[str]] = frozenset()
_DESCRIBED: Final = frozenset(
    {"number of microbatches", "weight policy", "name", "parameters", "weight copies and owners"}
)
_RECORDED: Final = frozenset({"times", "versions, peers and channels"})

FORMATS: Final[dict[str, Format]] = {
    entry.name: entry
    for entry in (
        Format(
            "json",
            "our own JSON schedule: everything that a schedule holds",
            (".json",),
            re.compile(r'"schema"\s*:\s*"staleproof-schedule/'),
            lambda path, M, policy: Document(read_json(path, M, policy)),
            lambda document: write_json(document.schedule),
            _DESCRIBED | {"groups"},
        ),
        Format(
            "trace",
            "event trace, a JSON object a line",
            (".jsonl",),
            re.compile(r'"schema"\s*:\s*"staleproof-trace/'),
            _read_trace,
            lambda document: write_trace(_traced(document)),
            _DESCRIBED | _RECORDED | {"groups"},
            None,
        ),
        Format(
            "csv",
            "PyTorch's schedule CSV",
            (".csv",),
            None,
            _read_csv,
            lambda document: write_csv(document.schedule),
            frozenset({"groups"}),
            pytorch_csv.MAX_BYTES,
        ),
        Format(
            "deepspeed",
            "DeepSpeed's instruction lists, with their buffers",
            (".deepspeed.json",),
            re.compile(r'"micro_batches"\s*:'),
            _read_deepspeed,
            _write_deepspeed,
            frozenset(
                {"number of microbatches", "buffers", "steps", "instructions without an action"}
            ),
        ),
        Format(
            "megatron",
            "Megatron-core's orders",
            (".megatron.json",),
            re.compile(r'"(?:schedule_table|order)"\s*:'),
            lambda path, M, policy: Document(read_megatron(path, M, policy)),
            lambda document: write_megatron(document.schedule),
            frozenset({"number of microbatches"}),
        ),
        Format(
            "chrome",
            "trace events for Perfetto and chrome://tracing; only written",
            (".trace.json", ".chrome.json"),
            re.compile(r'"traceEvents"\s*:'),
            None,
            lambda document: write_chrome(_traced(document)),
            _RECORDED | {"name"},
        ),
    )
}
"""Every format by its name. Marks are tried in this order."""


def get_format(name: str) -> Format:
    """Look a format up by its name.

    Raises
    ------
    UnknownNameError
        No such format; the known ones and the nearest are listed.

    Examples
    --------
    >>> get_format("csv").summary
    "PyTorch's schedule CSV"
    """
    if name in FORMATS:
        return FORMATS[name]
    near = get_close_matches(name, FORMATS, n=1)
    raise UnknownNameError(
        f"no format is called {name!r}; there are {', '.join(FORMATS)}",
        "format",
        f"did you mean {near[0]!r}?" if near else "name one of them",
    )
