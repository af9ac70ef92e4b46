"""Reading a schedule file whatever its format."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Final

from schedules.errors import FormatError
from schedules.formats.piped import copied, is_piped
from schedules.formats.registry import FORMATS, Document, Format, Path, get_format
from schedules.formats.strict_json import display_name, read_text, unreadable
from schedules.policies import WeightPolicy

HEAD: Final = 64 * 1024
"""Bytes at the start of a file that decide its format."""


def format_of_name(path: Path) -> Format | None:
    """The format that the end of a file name means, or None; the longest end decides.

    Examples
    --------
    >>> [format_of_name(name).name for name in ("a.json", "a.megatron.json", "A.CSV")]
    ['json', 'megatron', 'csv']
    """
    name = os.fsdecode(path).lower()
    found = [
        (len(suffix), entry)
        for entry in FORMATS.values()
        for suffix in entry.suffixes
        if name.endswith(suffix)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def sniff(path: Path) -> Format:
    """Tell the format of a file: from its first 64 KiB, else from its name.

    Text that does not begin with a brace or bracket is CSV.

    Raises
    ------
    FormatError
        The file cannot be read, or neither content nor name tell.
    """
    name = display_name(path)
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError) as error:
        raise unreadable(error, name) from None
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    by_name = format_of_name(path)
    if not text.startswith(("{", "[")):
        return by_name or FORMATS["csv"]
    for entry in FORMATS.values():
        if entry.mark is not None and entry.mark.search(text):
            return entry
    if by_name is None:
        raise FormatError(
            f"the format of a file is told by its content or its name; this is none of "
            f"{', '.join(FORMATS)}",
            name,
            "name the format, or check that this is the right file",
        )
    return by_name


def is_other_json(path: Path) -> bool:
    """Whether a file is JSON that no format here marks as its own; a pipe is not looked at.

    Raises
    ------
    FormatError
        The file cannot be read, or is larger than any that is read.
    """
    if is_piped(path):
        return False
    by_name = format_of_name(path)
    if by_name is not None and by_name.name not in ("json", "trace"):
        return False
    text = read_text(path) if by_name is None or by_name.name == "json" else ""
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return False
    return not any(entry.mark and entry.mark.search(text) for entry in FORMATS.values())


def read_document(
    path: Path,
    format: str | None = None,
    microbatches: int | None = None,
    policy: WeightPolicy | None = None,
) -> Document:
    """Read a file of any format.

    Parameters
    ----------
    path : path-like
        ``-`` is standard input; it, pipes and devices are copied to a file first.
    format : str, optional
        Name of the format; found out by `sniff` if not given.
    microbatches : int, optional
        M, for formats that do not state it.
    policy : WeightPolicy, optional
        Replaces what the file says, or ``flush`` where it says nothing.

    Raises
    ------
    FormatError
        The file cannot be read or does not follow its format.
    ParameterError, UnknownNameError
        The file states another M; there is no such format.
    """
    try:
        path = copied(path) if is_piped(path) else path
    except (OSError, ValueError) as error:
        raise unreadable(error, display_name(path)) from None
    entry = sniff(path) if format is None else get_format(format)
    if entry.read is None:
        raise FormatError(
            f"the format {entry.name!r} is only written, not read",
            display_name(path),
            "read the schedule or the event trace it was made from",
        )
    document = entry.read(path, microbatches, policy)
    return replace(document, format=entry.name, states_policy=_states_policy(path, entry.name))


def _states_policy(path: Path, form: str) -> bool:
    """Whether a file that has been read says what its weight policy is."""
    if form != "trace":
        return form == "json"
    with open(path, encoding="utf-8-sig") as file:
        header = next((line for line in file if line.strip()), "{}")
    return "policy" in json.loads(header)
