"""What can go wrong in `theory`, one class a meaning."""

from __future__ import annotations


class TheoryError(Exception):
    """Base of every error of this package.

    Attributes
    ----------
    what, where, fix : str
        The rule and the values found, the place, the remedy.
    """

    def __init__(self, what: str, where: str, fix: str) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(f"{where}: {what}; {fix}")


class UnknownClaimError(TheoryError):
    """No claim or paper has this name."""


class NoClosedFormError(TheoryError):
    """Nothing is derived for this family or these parameters."""


class UnsupportedFormError(TheoryError):
    """A formula is outside what the exact checkers can read; nothing follows about its truth."""
