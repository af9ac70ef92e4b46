"""Claim files as a user might write them, as text."""

from __future__ import annotations

HEAD = """\
from theory.account import OPEN, Account, Case, Compared, Decision, Exhausted, Readings
from theory.account import Finding, Refutation, Violation
from theory.claims import Claim
"""

_YES = 'Decision((Compared("1 = 1", __name__, True),))'
_GROUNDS = {
    "PROVED": _YES,
    "CONDITIONAL": f'Readings(("a",)), (Case("a", {_YES}), Case("b", OPEN))',
    "CHECKED": 'Decision((Exhausted("p = 2", 1, True),))',
    "UNKNOWN": "OPEN",
    "REFUTED": 'Decision(fails=Refutation({"p": 2}, Violation(lambda: 2, "<=", 1, {})))',
}

CONTROLLED = (
    'core={"a": __import__("sympy").S(2)}, '
    'holds=lambda formulas: [Compared("a = 2", __name__, formulas["a"] == 2)]'
)
"""What refuses mutants: without it no prover of a file's own is believed."""


def returned(verdict: str, more: str = "") -> str:
    """A line that returns what is found to have this verdict, with more arguments.

    >>> print(returned("UNKNOWN", "assumes=('a > 0',)"))
    return Account(OPEN, assumes=('a > 0',))
    """
    return f"return Account({_GROUNDS[verdict]}{', ' if more else ''}{more})"


def judged(name: str, account: str, more: str = "") -> str:
    """A claim of this id, with the body of its prover, and controls unless `more` says `holds`.

    >>> print(judged("mine.one", "raise ValueError(1)", "holds=None"))
    def account(formulas):
        raise ValueError(1)
    CLAIMS.append(Claim("mine.one", "here", "It holds.", "1 = 1", account, holds=None))
    <BLANKLINE>
    """
    body = "\n".join(f"    {line}" for line in account.splitlines())
    extra = "".join(f", {part}" for part in (more, "holds=" not in more and CONTROLLED) if part)
    return (
        f"def account(formulas):\n{body}\n"
        f'CLAIMS.append(Claim("{name}", "here", "It holds.", "1 = 1", account{extra}))\n'
    )


def reaching(name: str, verdict: str, more: str = "") -> str:
    """A claim of this id that is found to have this verdict."""
    return judged(name, returned(verdict), more)


def file(*claims: str) -> str:
    """A claim file of these claims."""
    return "".join((HEAD, "CLAIMS = []\n", *claims))
