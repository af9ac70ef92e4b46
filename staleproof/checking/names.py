"""Names of files and folders for what is written beside a result."""

import os
import re
from collections.abc import Iterable
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.]+")
_LONGEST: Final = 80


def file_name(text: str) -> str:
    """A text as the name of a file in whatever folder: nothing in it leads out of there.

    Examples
    --------
    >>> file_name("tests/test_pipeline.py::test_step[4-8]"), file_name("..")
    ('tests-test_pipeline.py-test_step-4-8', 'schedule')
    """
    return _UNSAFE.sub("-", text).strip("-.") or "schedule"


def names(targets: Iterable[str]) -> list[str]:
    """A name for each target that no other has, whether or not case counts.

    Examples
    --------
    >>> names(["ci/step.csv", "old/Step.csv", "...csv"])
    ['step', 'Step-2', 'schedule']
    """
    found: list[str] = []
    taken: set[str] = set()
    following: dict[str, int] = {}
    for target in targets:
        stem = file_name(_stem(os.path.basename(target)))[:_LONGEST]
        number = following.get(stem.lower(), 1)
        while (name := _numbered(stem, number)).lower() in taken:
            number += 1
        following[stem.lower()] = number + 1
        taken.add(name.lower())
        found.append(name)
    return found


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}-{number}"


def _stem(name: str) -> str:
    """A file's name without the end that says its format."""
    from schedules.formats import format_of_name

    entry = format_of_name(name)
    ends = [end for end in (entry.suffixes if entry else ()) if name.lower().endswith(end)]
    return name[: -max(map(len, ends))] if ends else name
