"""The options that every command with a FAMILY takes, and the schedule they describe."""

from argparse import Namespace
from typing import Final

from schedules import Schedule, build, get_family
from schedules.stamps import StampedOrder
from staleproof.arguments import Parser, as_mapping, assignment, positive
from staleproof.errors import UsageError
from staleproof.sources import is_file

FAMILY_HELP: Final = "see `staleproof families`, or a Python file that defines FAMILY"

MICROBATCHES_PER_RANK = 4
"""M = 4p unless it is given: long enough for a steady part."""


def add_size(parser: Parser) -> None:
    """Add ``-p``, ``-m`` and their long forms."""
    parser.add_argument(
        "-p", "--ranks", dest="p", metavar="RANKS", type=positive("-p"), help="number of ranks"
    )
    parser.add_argument(
        "-m",
        "--microbatches",
        dest="m",
        metavar="MICROBATCHES",
        type=positive("-m"),
        help="number of microbatches (for a family 4 times the ranks unless given)",
    )


def add_parameters(parser: Parser) -> None:
    """Add ``--set``."""
    parser.takes(
        """
        --set NAME=VALUE...  a parameter of the family, see `staleproof families`; may be repeated
        """,
        set=lambda text: assignment(text, "--set", "name=value"),
    )


def require_family(name: str) -> None:
    """Refuse a schedule file where a family is wanted.

    Raises
    ------
    UsageError
        The name is that of a schedule file.
    """
    if is_file(name):
        raise UsageError(
            "a family is needed, or the Python file of one, and this is a schedule file",
            name,
            "take `staleproof check`, which says its delays and staleness",
        )


def parameters(arguments: Namespace) -> dict[str, int]:
    """The family parameters given by ``--set``."""
    return as_mapping(arguments.set, "--set")


def size(arguments: Namespace, family: str) -> tuple[int, int]:
    """The number of ranks and of microbatches.

    Raises
    ------
    UsageError
        No ``-p``.
    """
    if arguments.p is None:
        raise UsageError(f"the number of ranks is needed to build {family}", "-p", "add -p RANKS")
    return arguments.p, arguments.m or MICROBATCHES_PER_RANK * arguments.p


def stages(arguments: Namespace, family: str) -> int:
    """The number of stages, before anything is built.

    Raises
    ------
    UsageError, schedules.errors.ScheduleError
        A size or parameter is missing or outside its domain, or there is no such family.
    """
    known, values = get_family(family), parameters(arguments)
    ranks, microbatches = size(arguments, family)
    defaults = known.rule.defaults if isinstance(known.rule, StampedOrder) else {}
    return known.stages(ranks, {**defaults, **known.checked(ranks, microbatches, values)})


def built(arguments: Namespace, family: str) -> Schedule:
    """Generate the schedule that the arguments describe.

    Raises
    ------
    UsageError, schedules.errors.ScheduleError
        A size or parameter is missing or outside its domain, or there is no such family.
    """
    get_family(family)
    ranks, microbatches = size(arguments, family)
    return build(family, ranks, microbatches, **parameters(arguments))
