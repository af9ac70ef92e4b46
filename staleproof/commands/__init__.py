"""The commands, one module each; heavy libraries are imported only when a command runs."""

from __future__ import annotations

from typing import Final

from staleproof.commands import check, delays, derive, families, report, verify
from staleproof.commands.command import Command

COMMANDS: Final[dict[str, Command]] = {
    module.COMMAND.name: module.COMMAND
    for module in (verify, delays, derive, check, families, report)
}

__all__ = ["COMMANDS", "Command"]
