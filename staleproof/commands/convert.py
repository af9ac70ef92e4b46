"""``staleproof convert``: write a schedule in another format.

Reads a schedule file, or generates a family, and writes it in another format. What the new format
cannot say is an error if it is an action, and is listed otherwise. OUT is replaced as a whole or
not at all.
"""

from __future__ import annotations

import dataclasses
import os
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from schedules import WeightPolicy
from staleproof.arguments import Parser, add_json, suggestion
from staleproof.commands.command import Command
from staleproof.errors import DestinationError, UsageError
from staleproof.family_options import add_parameters, add_size, built
from staleproof.output import note, put, put_json, shown
from staleproof.sources import POLICIES, is_file, read_policy

if TYPE_CHECKING:
    from schedules.formats import Document, Format

FORMAT_NAMES: Final = ("json", "trace", "csv", "deepspeed", "megatron", "chrome")
"""The keys of `schedules.formats.FORMATS`, known here without reading them."""


def configure(parser: Parser) -> None:
    """Add the arguments of ``convert``."""
    parser.takes(
        """
        source IN  a schedule file, or a family with its -p
        out OUT  file to write
        """
    )
    names = ", ".join(FORMAT_NAMES)
    parser.add_argument(
        "--from",
        dest="source_format",
        metavar="FORMAT",
        help=f"format of IN: {names} (default: told by its content, else by its name)",
    )
    parser.add_argument(
        "--to",
        dest="out_format",
        metavar="FORMAT",
        help="format of OUT (default: told by its name)",
    )
    add_size(parser)
    add_parameters(parser)
    parser.takes(
        f"""
        --lower PLACEMENT  add sends and receives: as-soon-as-possible (PyTorch's), just-in-time or
            with-waits (PyTorch 2.15's)
        --policy NAME  weight policy: {", ".join(POLICIES)} (default: what IN says, else flush)
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Convert a file."""
    policy = read_policy(arguments.policy)
    target = _out_format(arguments)
    document, source = _load(arguments, policy)
    if arguments.lower is not None:
        document = _lowered(document, arguments.lower)
    content = target.text(document, arguments.out).encode()
    _write(content, arguments.out)
    if not document.states_policy and policy is None and "weight policy" in target.keeps:
        said = f"{arguments.source} states no weight policy: {arguments.out} says"
        note(
            f"{said} {document.schedule.policy.name}, which is assumed (--policy NAME for another)"
        )
    lost = [held for held in document.holds if held not in target.keeps]
    if arguments.json:
        put_json(
            {
                "from": source,
                "to": target.name,
                "actions": len(document.schedule),
                "out": arguments.out,
                "left_out": lost,
            }
        )
        return 0
    if lost:
        note(f"not held by the format {target.name}, left out: {', '.join(lost)}")
    put(f"{arguments.out}: {target.name}, {len(document.schedule)} actions, from {source}")
    return 0


def _lowered(document: Document, placement: str) -> Document:
    """The document's schedule with messages; what it held beside the schedule no longer fits."""
    from schedules.formats import Document
    from schedules.lowering import PLACEMENTS, lower

    if placement not in PLACEMENTS:
        raise UsageError(
            f"messages are placed {' or '.join(PLACEMENTS)}, not {shown(placement)}",
            "--lower",
            suggestion(placement, PLACEMENTS) or "name one of them",
        )
    return Document(lower(document.schedule, placement))


def _format(name: str, option: str) -> Format:
    from schedules.formats import FORMATS

    if name in FORMATS:
        return FORMATS[name]
    raise UsageError(
        f"a format is one of {', '.join(FORMATS)}, not {shown(name)}",
        option,
        suggestion(name, FORMATS) or "name one of them",
    )


def _out_format(arguments: Namespace) -> Format:
    from schedules.formats import FORMATS, format_of_name

    if arguments.out_format is not None:
        return _format(arguments.out_format, "--to")
    found = format_of_name(arguments.out)
    if found is not None:
        return found
    suffixes = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    raise UsageError(
        f"the format of a new file is told by the end of its name ({', '.join(suffixes)}), found "
        f"{shown(arguments.out)}",
        "OUT",
        "add --to FORMAT, or choose such a name",
    )


def _load(arguments: Namespace, policy: WeightPolicy | None) -> tuple[Document, str]:
    """What IN holds, and the name of its format; that of a family is ``family``."""
    from schedules.formats import Document, read_document

    if arguments.source_format is None and not is_file(arguments.source):
        schedule = built(arguments, arguments.source)
        return Document(
            schedule if policy is None else dataclasses.replace(schedule, policy=policy)
        ), "family"
    given = "-p" if arguments.p is not None else "--set" if arguments.set else None
    if given:
        raise UsageError("it describes a family, and IN is a file", given, "drop it")
    name = arguments.source_format
    entry = None if name is None else _format(name, "--from").name
    document = read_document(arguments.source, entry, arguments.m, policy)
    return document, str(document.format)


def _write(content: bytes, out: str) -> None:
    """Write a file so that its readers see either the old one or the new one.

    Raises
    ------
    DestinationError
        Something else than a file is there.
    reports.errors.OutputError
        It cannot be written.
    """
    from reports.files import write_files

    path = os.path.realpath(out)  # a link stays one, what it leads to is replaced
    device = os.path.abspath(out).startswith(("/dev/", "/proc/"))
    taken = os.path.lexists(path) and not os.path.isfile(path)
    if device or taken or out.endswith(os.sep):
        raise DestinationError(
            "must be a file, but something else is there", out, "choose another name"
        )
    write_files({os.path.basename(path): content}, os.path.dirname(path))


COMMAND: Final = Command.of(__doc__, configure, run)
