"""What can go wrong in `schedules`, one class a meaning.

Every message holds the rule, the values found, the place and the remedy; the parts stay
available as attributes so that a command line can print them as text or as JSON.
"""

from __future__ import annotations


class ScheduleError(Exception):
    """Base of every error of this package.

    Attributes
    ----------
    what : str
        The rule that does not hold and the values found.
    where : str
        The parameter, file, row or cell.
    fix : str
        What to do about it.
    """

    def __init__(self, what: str, where: str, fix: str) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(f"{where}: {what}; {fix}")


class ParameterError(ScheduleError):
    """A family parameter lies outside its domain."""


class UnknownNameError(ScheduleError):
    """No family, parameter or linearization has this name."""


class FamilyFileError(ScheduleError):
    """A user's file does not define a schedule family, or its family builds no schedule."""


class NoRuleError(ScheduleError):
    """A family has no rule as data to generate its schedules from."""


class SizeError(ScheduleError):
    """The request would need more memory than this package agrees to take."""


class FormatError(ScheduleError):
    """A schedule file does not follow its grammar."""


class InvalidScheduleError(ScheduleError):
    """A schedule breaks an invariant that the computation asked for relies on."""


class RequirementError(ScheduleError):
    """What is required of a schedule names no invariant, or cannot be met by any schedule."""
