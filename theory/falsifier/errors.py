"""What can go wrong in the falsifier, one class a meaning."""

from __future__ import annotations

from theory.errors import TheoryError


class FalsifierError(TheoryError):
    """Base of the errors of the falsifier."""


class RejectedInstanceError(FalsifierError):
    """An instance violates a hypothesis of the theorem; the message names it."""


class UnmeasuredSymbolError(FalsifierError):
    """A bound uses a symbol that the challenge's instances give no value."""


class DisagreementError(FalsifierError):
    """Two independent methods measured different values on one instance."""
