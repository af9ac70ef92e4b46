"""What can go wrong with bounds, one class a meaning."""

from theory.errors import TheoryError


class BoundError(TheoryError):
    """Base of every error of this package."""


class UnknownMethodError(BoundError):
    """No bound is known for a method of this name, or not in this form."""


class BoundParameterError(BoundError):
    """A parameter is missing, unknown, or none of the numbers that its symbol stands for."""


class MissingParameterError(BoundParameterError):
    """A parameter has no value."""


class OutsideDomainError(BoundError):
    """The numbers do not meet a condition that the bound needs."""


class NotComparableError(BoundError):
    """Two bounds have no crossover: they bound different things, or never differ in this symbol."""


class NoStepsizeError(BoundError):
    """No stepsize makes the bound smallest."""
