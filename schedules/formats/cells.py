"""The cells of PyTorch's schedule CSV: their grammar, and what to say about what is no cell."""

from __future__ import annotations

import re
from typing import Final

from schedules.actions import NEEDS_MICROBATCH, NO_MICROBATCH, Action, Kind

LIMIT: Final = 10**6
"""Stages and microbatches lie below this number."""

_OTHERWISE: Final = {"REDUCE_GRAD": Kind.REDUCE, "WAIT_REDUCE_GRAD": Kind.WAIT_REDUCE}
_WITHOUT_CELL: Final = (Kind.U, Kind.BARRIER, *_OTHERWISE.values())

TOKENS: Final[dict[str, Kind]] = {
    **{kind.name: kind for kind in Kind if kind not in _WITHOUT_CELL},
    **_OTHERWISE,
}
"""How kinds are written; the other kinds have no cell."""

_NAMES: Final = {kind: name for name, kind in TOKENS.items()}
_WITH = "|".join(name for name, kind in TOKENS.items() if kind in NEEDS_MICROBATCH)
_WITHOUT = "|".join(name for name, kind in TOKENS.items() if kind not in NEEDS_MICROBATCH)
_NUMBER = "[0-9]{1,6}"
_COMPUTATION = rf"{_NUMBER}[FBIW]{_NUMBER}"

PLAIN: Final = re.compile(rf"({_NUMBER})(?:({_WITH})({_NUMBER})|({_WITHOUT}))")
"""Stage and either kind and microbatch, or a kind that names no microbatch."""

OLDER: Final = re.compile(rf"({_NUMBER})BW({_NUMBER})")
"""A full backward as PyTorch 2.5 and before write it; B is the input gradient there."""

OVERLAP: Final = re.compile(rf"\(({_COMPUTATION});({_COMPUTATION})\)OVERLAP_F_B")
"""Two computations, each a `PLAIN` cell."""

GRAMMAR: Final = (
    "write it like 2F0, 1B3, 0I2, 0W2, 0SEND_F1, 1RECV_B0, 0WAIT_SEND_F1, 0UNSHARD, 0RESHARD, "
    "0REDUCE_GRAD, 0WAIT_REDUCE_GRAD or (0F7;7B3)OVERLAP_F_B, and separate cells by commas"
)

LONGEST: Final = 10_000
"""Characters up to which a mistake is named: what is longer is no cell that was meant so."""

_MISTAKES: Final = tuple(
    (re.compile(pattern, re.DOTALL), rule, fix)
    for pattern, rule, fix in (
        (
            r"[\"'].*",
            "cells are written without quotes",
            "remove the quotes",
        ),
        (
            r"\(.*|.*OVERLAP_F_B",
            "an overlap is two computations (F, B, I or W), as in (0F7;7B3)OVERLAP_F_B",
            "write it so, or give its actions a cell each",
        ),
        (
            rf"-[0-9]+(?:{_WITH}|{_WITHOUT}).*|[0-9]+(?:{_WITH})-[0-9]+",
            "stages and microbatches count from 0",
            "write numbers without a sign",
        ),
        (
            rf"[0-9]+(?:(?:{_WITH})[0-9]+|{_WITHOUT})",
            f"stages and microbatches are numbers below {LIMIT}, in at most 6 digits",
            "renumber them from 0",
        ),
        (
            rf"[0-9]+(?:{_WITH})",
            "a computation or message names its microbatch",
            "write the microbatch behind the kind, as in 2F0",
        ),
        (
            rf"[0-9]+(?:{_WITHOUT})[0-9]+",
            "UNSHARD, RESHARD, REDUCE_GRAD and WAIT_REDUCE_GRAD concern a whole stage",
            "drop the microbatch, as in 0REDUCE_GRAD",
        ),
        (
            rf"(?:{_WITH})[0-9]+|{_WITHOUT}",
            "an action starts with its stage",
            "write the stage before the kind, as in 2F0",
        ),
        (
            rf"(?i:[0-9]+(?:(?:{_WITH})[0-9]+|{_WITHOUT}))",
            "kinds are written in capital letters",
            "write capital letters, as in 2F0",
        ),
    )
)
"""What people write instead of a cell: pattern, the rule it breaks, the remedy."""


def explain(text: str) -> tuple[str, str]:
    """Say what is wrong with something that is no cell, and what to write.

    Examples
    --------
    >>> explain("0F")
    ("a computation or message names its microbatch, found '0F'", 'write the microbatch behind the
    kind, as in 2F0')
    """
    for pattern, rule, fix in _MISTAKES if len(text) <= LONGEST else ():
        if pattern.fullmatch(text):
            return f"{rule}, found {shortened(text)}", fix
    return f"a cell is empty or an action, found {shortened(text)}", GRAMMAR


def shortened(text: str) -> str:
    """The `repr` of a text in plain ASCII, its end left out if it is long.

    Examples
    --------
    >>> shortened("0" * 1000)
    "'0000000000000000000000000000000000000000'… (1000 characters)"
    """
    if len(text) <= 40:
        return ascii(text)
    return f"{text[:40]!a}… ({len(text)} characters)"


def token(action: Action) -> str:
    """How an action is written; for a kind without a cell, something that is no cell.

    Examples
    --------
    >>> token(Action(Kind.REDUCE, 3))
    '3REDUCE_GRAD'
    """
    microbatch = "" if action.microbatch == NO_MICROBATCH else str(action.microbatch)
    return f"{action.stage}{_NAMES.get(action.kind, action.kind.name)}{microbatch}"
