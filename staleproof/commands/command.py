"""`Command`: one command of the command line, as data."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

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

    @classmethod
    def of(
        cls, doc: str | None, configure: Callable[[Parser], None], run: Callable[[Namespace], int]
    ) -> Self:
        r"""The command that a module's docstring describes.

        Examples
        --------
        >>> Command.of("``staleproof wait``: do nothing.\n\nWaits.", id, id).summary
        'do nothing'
        """
        head, _, description = (doc or "").partition("\n\n")
        name, _, summary = head.removeprefix("``staleproof ").removesuffix(".").partition("``: ")
        return cls(name, summary, description.strip(), configure, run)
