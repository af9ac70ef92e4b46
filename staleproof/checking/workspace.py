"""Where a file is in the repository that is checked: what annotations and SARIF name."""

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

ROOT: Final = "GITHUB_WORKSPACE"
"""Environment variable of a workflow: where the repository is checked out."""


def in_workspace(path: str) -> str:
    """A path as GitHub knows the file: from the root of the repository, wherever the command runs.

    Outside a workflow, and for what lies elsewhere, the path as it was given.
    """
    root = os.environ.get(ROOT)
    inside = _below(path, root) if root else None
    return path if inside is None else inside


def uri_of(path: str) -> tuple[str, bool]:
    """The URI of a file, and whether it is relative to the repository (or the current folder).

    Examples
    --------
    >>> uri_of("schedules/my step.csv")
    ('schedules/my%20step.csv', True)
    """
    inside = _below(path, os.environ.get(ROOT) or os.curdir)
    if inside is None:
        return Path(os.path.abspath(path)).as_uri(), False
    return quote(inside), True


def _below(path: str, root: str) -> str | None:
    """The path from a folder, with slashes; None where it does not lie there."""
    try:
        found = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    except ValueError:  # another drive
        return None
    outside = found == os.pardir or found.startswith(os.pardir + os.sep)
    return None if outside else found.replace(os.sep, "/")
