"""What can go wrong in `reports`, one class a meaning.

Every message is one line and holds the rule, the value found, the place and the remedy; the parts
stay available as attributes so that a command line can print them as text or as JSON.
"""

from __future__ import annotations

_LONGEST_VALUE = 80


class ReportError(Exception):
    """Base of every error of this package.

    Attributes
    ----------
    what : str
        The rule that does not hold and the value found.
    where : str
        The file, row or key.
    fix : str
        What to do about it.
    """

    def __init__(self, what: str, where: str, fix: str) -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(f"{where}: {what}; {fix}")


class LedgerError(ReportError):
    """A ledger cannot be read, or does not have the shape of one.

    Parameters
    ----------
    rule : str
        What has to hold, as a clause: ``"verdict must be one of …"``.
    value : object
        What was found instead; shown shortened.
    place : str
        The file, row and key.
    remedy : str
        What to do about it.

    Examples
    --------
    >>> str(LedgerError("p must be positive", -1, "claims[0]", "correct the number"))
    'claims[0]: p must be positive, found -1; correct the number'
    """

    def __init__(self, rule: str, value: object, place: str, remedy: str) -> None:
        self.rule, self.value, self.place, self.remedy = rule, value, place, remedy
        super().__init__(f"{rule}, found {shorten(value)}", _one_line(place), remedy)


class PictureError(ReportError):
    """What is to be drawn is none of what a picture can show, or too much of it."""


class OutputError(ReportError):
    """A report cannot be written where it was asked for."""


def shorten(value: object) -> str:
    r"""Show a value on one line of printable characters, in bounded length.

    Examples
    --------
    >>> shorten("two\nlines")
    "'two\\nlines'"
    >>> len(shorten(list(range(1000)))) <= 80
    True
    """
    # A container is shown by its size: its repr can be endless, or as deep as the stack.
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)} values"
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        value = value[:_LONGEST_VALUE]
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_VALUE:
        return "an integer of more than 80 digits"
    if value is None:
        return "null"
    shown = _one_line(repr(value))
    return shown if len(shown) <= _LONGEST_VALUE else shown[: _LONGEST_VALUE - 1] + "…"


def _one_line(text: str) -> str:
    """Replace what does not print, lone surrogates and line breaks among it."""
    return "".join(c if c.isprintable() else "�" for c in text)
