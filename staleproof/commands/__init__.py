"""The commands, one module each; heavy libraries are imported only when a command runs."""

from __future__ import annotations

from typing import Final

from staleproof.commands import (
    bounds,
    certify,
    check,
    compare,
    convert,
    delays,
    derive,
    diff,
    draw,
    families,
    measure,
    partial_staleness,
    report,
    verify,
)
from staleproof.commands.command import Command

COMMANDS: Final[dict[str, Command]] = {
    module.COMMAND.name: module.COMMAND
    for module in (
        verify,
        certify,
        delays,
        derive,
        check,
        compare,
        convert,
        draw,
        families,
        measure,
        partial_staleness,
        bounds,
        report,
        diff,
    )
}

__all__ = ["COMMANDS", "Command"]
