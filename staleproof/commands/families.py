"""``staleproof families``: list the schedule families and their parameters.

Lists the schedule families, a line each. With --json also their sources, the meaning of their
parameters and their weight policies.
"""

from argparse import Namespace
from typing import Any, Final

from schedules import FAMILIES, Family
from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.output import put, put_json


def configure(parser: Parser) -> None:
    """Add the arguments of ``families``."""
    add_json(parser)


def run(arguments: Namespace) -> int:
    """List the families."""
    if arguments.json:
        put_json({"families": [_described(family) for family in FAMILIES.values()]})
    else:
        put(*map(_line, FAMILIES.values()))
    return 0


def _described(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "summary": family.summary,
        "source": family.source,
        "parameters": [
            {"name": entry.name, "meaning": entry.meaning, "minimum": entry.minimum}
            for entry in family.parameters
        ],
        "policy": family.policy.name,
        "affine": family.affine,
    }


def _line(family: Family) -> str:
    """Name, summary and options of a family in one line."""
    width = max(map(len, FAMILIES))
    options = "".join(f"  --set {entry.name}=…" for entry in family.parameters)
    return f"{family.name:<{width}}  {family.summary}{options}"


COMMAND: Final = Command.of(__doc__, configure, run)
