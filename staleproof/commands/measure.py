"""``staleproof measure``: another name of ``python -m gpu_validation``."""

from typing import Final

from gpu_validation import cli
from staleproof.commands.command import Command

COMMAND: Final = Command(
    name="measure",
    summary="run a schedule for real and compare it with the prediction",
    description=cli.DESCRIPTION,
    configure=cli.configure,
    run=cli.run,
)
