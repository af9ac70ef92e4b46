"""Writing files so that a reader sees either the old one or the new one, never half of one."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reports.errors import OutputError


def json_bytes(obj: object) -> bytes:
    r"""Encode plain data as sorted, indented JSON.

    Characters outside ASCII stay readable; lone surrogates, which UTF-8 cannot hold, are written
    as JSON escapes.

    Raises
    ------
    OutputError
        If `obj` is not plain data (objects, lists, text, finite numbers, true, false, null).

    Examples
    --------
    >>> json_bytes({"b": [1], "a": "x"}).decode()
    '{\n  "a": "x",\n  "b": [\n    1\n  ]\n}\n'
    """
    try:
        text = json.dumps(obj, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise OutputError(
            f"only plain data can be written as JSON ({error})",
            type(obj).__name__,
            "convert it to objects, lists, text and finite numbers",
        ) from None
    return (text + "\n").encode("utf-8", errors="backslashreplace")


def write_json_atomic(obj: object, path: str | os.PathLike[str]) -> Path:
    r"""Write plain data as JSON into a temporary neighbour, then rename it over `path`.

    Parameters
    ----------
    obj : object
        Plain data; see `json_bytes`.
    path : str or path-like
        File to write; missing folders are made.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    OutputError
        If `obj` is not plain data or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_json_atomic({"p": 4}, f"{folder}/run.json").read_text()
    '{\n  "p": 4\n}\n'
    """
    target = Path(path)
    write_files({target.name: json_bytes(obj)}, target.parent)
    return target


def write_files(
    contents: Mapping[str, bytes | Iterable[bytes]], directory: str | os.PathLike[str]
) -> list[Path]:
    """Write several files under one directory: all into a staging folder, then renamed.

    Parameters
    ----------
    contents : mapping of str to bytes, or to an iterable of bytes
        Path relative to `directory`, with forward slashes → content, or its parts one by one.
    directory : str or path-like
        Made, with its parents, if missing.

    Returns
    -------
    list of Path
        The files written, in the order given.

    Raises
    ------
    OutputError
        If a file cannot be written; nothing was renamed yet unless renaming itself failed.
    """
    root = Path(directory)
    targets = [root / name for name in contents]
    with _explained(root), _staging(root) as staging:
        for target, (name, content) in zip(targets, contents.items(), strict=True):
            if target.exists() and not target.is_file():  # a device would be renamed away
                raise OSError(f"{target} is a directory, a device or a pipe")
            target.parent.mkdir(parents=True, exist_ok=True)
            staged = staging / name
            staged.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                staged.write_bytes(content)
            else:
                with open(staged, "wb") as file:
                    file.writelines(content)
        for target, name in zip(targets, contents, strict=True):
            os.replace(staging / name, target)
    return targets


@contextmanager
def _staging(root: Path) -> Iterator[Path]:
    """Make a folder inside `root`, hence on its file system, and remove it in every case."""
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f".staging-{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _explained(root: Path) -> Iterator[None]:
    """Turn what the operating system says into this package's error."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null character in a path
        reason = error.strerror if isinstance(error, OSError) else None
        raise OutputError(
            f"cannot be written ({reason or error})",
            str(root),
            "choose a directory that can be written, with room on its disk",
        ) from error
