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

    def __reduce__(self) -> tuple[type[TheoryError], tuple[str, str, str]]:
        """Let the error cross from one process to another."""
        return type(self), (self.what, self.where, self.fix)


class UnknownClaimError(TheoryError):
    """No claim or paper has this name."""


class NoClosedFormError(TheoryError):
    """Nothing is derived for this family or these parameters."""


class UnsupportedFormError(TheoryError):
    """A formula is outside what the exact checkers can read; nothing follows about its truth."""


class ClaimFileError(TheoryError):
    """A file is no claim file: it cannot be read or run, or what it defines is no claim."""


class UndeclaredSymbolError(TheoryError):
    """A formula names a symbol that its theorem does not declare."""


class NotExactError(TheoryError):
    """A constant is no exact number, so nothing proved with it would be exact."""


class CycleError(TheoryError):
    """Claims depend on one another in a circle."""


class VacuousError(TheoryError):
    """Hypotheses that nothing satisfies; whatever follows from them says nothing."""


class UncertifiedError(TheoryError):
    """A certificate is to be found first; that a mutant is not proved without it says nothing."""


class ProverError(TheoryError):
    """A prover broke down, or returned what is no judgement; nothing follows about its claim."""


class WorkerError(TheoryError):
    """A process that was judging a claim has gone."""
