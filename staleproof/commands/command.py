"""`Command`: one command of the command line, as data."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from staleproof.arguments import Parser


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes
    ----------
    name, summary : str
    description : str
        What it prints and what its exit code means, for ``--help``.
    configure : callable
        Adds the command's arguments to its parser.
    run : callable
        Does the work and returns the exit code: 0, or 1 if something required does not hold.
    """

    name: str
    summary: str
    description: str
    configure: Callable[[Parser], None]
    run: Callable[[Namespace], int]
