"""The commands, one module each; heavy libraries are imported only when a command runs."""

from importlib import import_module
from typing import Final

from staleproof.commands.command import Command

_IN_ORDER: Final = """
    verify show:LIST show:SHOW certify delays derive check compare convert draw families experiment
    measure partial_staleness plan bounds report diff export completion
    """.split()

_FOUND: Final[list[Command]] = [
    getattr(import_module(f"{__name__}.{module}"), name or "COMMAND")
    for module, _, name in (entry.partition(":") for entry in _IN_ORDER)
]

COMMANDS: Final = {command.name: command for command in _FOUND}

__all__ = ["COMMANDS", "Command"]
