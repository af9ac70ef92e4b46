"""Which experiments there are: ours by name, anybody's by file."""

import importlib
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache
from pathlib import Path
from typing import Final

from schedules.user_code import reason
from staleproof.arguments import suggestion
from staleproof.errors import CommandError, UsageError
from staleproof.experiments.protocol import Experiment

HERE: Final = Path(__file__).parent
NAMES: Final = tuple(
    sorted(file.stem.replace("_", "-") for file in (HERE / "shipped").glob("[a-z]*.py"))
)
"""Of the shipped ones: what their files are called."""

SHARED: Final = tuple(
    HERE / f"{name}.py"
    for name in "corrections data momentum networks problems replay tasks training".split()
)
"""Code whose change makes kept results void, besides an experiment's own file."""


@contextmanager
def told_of(name: str, what: str) -> Iterator[None]:
    """Name the file whose code fails, in an error of ours.

    Raises
    ------
    UsageError
        The code within raised something, or wanted to exit.
    """
    try:
        with redirect_stdout(sys.stderr):  # stdout may have to be one JSON object
            yield
    except (KeyboardInterrupt, CommandError):
        raise
    except BaseException as error:
        raise UsageError(
            f"{what} stopped with {reason(error)}", name, "correct the file"
        ) from error


@lru_cache(maxsize=32)
def found(name: str) -> tuple[Experiment, Path]:
    """An experiment and its file.

    Raises
    ------
    UsageError
        There is none of this name, or the file defines none.

    Examples
    --------
    >>> found("delay-growth")[0].name
    'delay-growth'
    """
    if name in NAMES:
        stem = name.replace("-", "_")
        module = importlib.import_module(f"staleproof.experiments.shipped.{stem}")
        return module.EXPERIMENT, HERE / "shipped" / f"{stem}.py"
    file = Path(name)
    if file.suffix != ".py" or not file.is_file():
        raise UsageError(
            f"there is no experiment {name!r}", "arguments",
            suggestion(name, (*NAMES, "list"))
            or f"take one of {', '.join(NAMES)}, or a file that defines EXPERIMENT",
        )  # fmt: skip
    with told_of(name, "it"):
        made = runpy.run_path(str(file)).get("EXPERIMENT")
    if not isinstance(made, Experiment):
        raise UsageError(
            f"a file of an experiment defines EXPERIMENT, an Experiment, found {made!r:.60}", name,
            "make one of staleproof.experiments.protocol.Experiment",
        )  # fmt: skip
    return made, file
