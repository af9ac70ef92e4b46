"""What can go wrong on the command line, one class a meaning.

The errors of every package carry ``what``, ``where`` and ``fix``, so one place can print them
all, as a line or as JSON, without importing the packages.
"""

from typing import Final, Protocol, runtime_checkable

BAD_INPUT: Final = 2
"""The exit code."""


@runtime_checkable
class Explained(Protocol):
    """An error that says what to do about it.

    Attributes
    ----------
    what, where, fix : str
        The rule and the values found, the place, the remedy.
    """

    what: str
    where: str
    fix: str


class CommandError(Exception):
    """Base of every error of this package.

    Attributes
    ----------
    what, where, fix : str
        The rule and the values found, the place, the remedy.
    """

    def __init__(self, what: str, where: str, fix: str) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(f"{where}: {what}; {fix}")


class UsageError(CommandError):
    """The arguments do not say what to do."""


class InputError(CommandError):
    """A file holds something that this version does not decide."""


class SettingsError(CommandError):
    """The settings in ``pyproject.toml`` do not say what to do."""


class DestinationError(CommandError):
    """The result cannot be written where it was asked for."""


class StandardOutputError(DestinationError):
    """Nothing can be printed any more."""
