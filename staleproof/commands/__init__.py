"""The commands, one module each; heavy libraries are imported only when a command runs."""

from typing import Final

from staleproof.commands import (
    bounds,
    certify,
    check,
    compare,
    completion,
    convert,
    delays,
    derive,
    diff,
    draw,
    experiment,
    export,
    families,
    measure,
    partial_staleness,
    plan,
    report,
    show,
    verify,
)
from staleproof.commands.command import Command

COMMANDS: Final[dict[str, Command]] = {
    command.name: command
    for command in (
        verify.COMMAND,
        show.LIST,
        show.SHOW,
        certify.COMMAND,
        delays.COMMAND,
        derive.COMMAND,
        check.COMMAND,
        compare.COMMAND,
        convert.COMMAND,
        draw.COMMAND,
        families.COMMAND,
        experiment.COMMAND,
        measure.COMMAND,
        partial_staleness.COMMAND,
        plan.COMMAND,
        bounds.COMMAND,
        report.COMMAND,
        diff.COMMAND,
        export.COMMAND,
        completion.COMMAND,
    )
}

__all__ = ["COMMANDS", "Command"]
