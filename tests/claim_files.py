"""Claim files as a user might write them, as text."""

from __future__ import annotations

HEAD = """\
from theory.claims import Claim
from theory.ledger import Judgement
from theory.verdicts import Verdict
"""


def judged(name: str, judge: str, more: str = "") -> str:
    """A claim of this id, with the body of its prover and more arguments.

    >>> print(judged("mine.one", "raise ValueError(1)"))
    def judge(formulas):
        raise ValueError(1)
    CLAIMS.append(Claim("mine.one", "here", "It holds.", "1 = 1", judge))
    <BLANKLINE>
    """
    body = "\n".join(f"    {line}" for line in judge.splitlines())
    extra = f", {more}" if more else ""
    return (
        f"def judge(formulas):\n{body}\n"
        f'CLAIMS.append(Claim("{name}", "here", "It holds.", "1 = 1", judge{extra}))\n'
    )


def reaching(name: str, verdict: str, more: str = "") -> str:
    """A claim of this id that is found to have this verdict."""
    witness = ', counterexample={"p": 2}' if verdict == "REFUTED" else ""
    return judged(name, f'return Judgement(Verdict.{verdict}, "none"{witness})', more)


def file(*claims: str) -> str:
    """A claim file of these claims."""
    return "".join((HEAD, "CLAIMS = []\n", *claims))
