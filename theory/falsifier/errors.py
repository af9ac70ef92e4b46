"""What can go wrong in the falsifier, one class a meaning."""

from __future__ import annotations

from theory.errors import TheoryError


class FalsifierError(TheoryError):
    """Base of the errors of the falsifier."""


class RejectedInstanceError(FalsifierError):
    """An instance violates a hypothesis of the theorem; the message names it."""


def require(holds: bool, hypothesis: str, found: str) -> None:
    """Reject an instance of which a hypothesis of the theorem does not hold.

    Raises
    ------
    RejectedInstanceError
        It does not.
    """
    if not holds:
        raise RejectedInstanceError(
            f"the theorem assumes {hypothesis}: {found}", "falsifier", "take another instance"
        )


class UnmeasuredSymbolError(FalsifierError):
    """A bound uses a symbol that the challenge's instances give no value."""


class DisagreementError(FalsifierError):
    """Two independent methods measured different values on one instance."""
