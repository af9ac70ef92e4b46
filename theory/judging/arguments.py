"""Arguments in words, put beside the claims that rest on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from inspect import getdoc
from typing import Final

from theory.account import Account
from theory.claims import Claim, Formulas
from theory.errors import TheoryError, UnknownClaimError

_HEADING: Final = re.compile(r"\n\n\w+\n-{3,}\n")


def in_full(part: object) -> str:
    """The argument that a docstring gives: what stands between its first line and its sections.

    Parameters
    ----------
    part : object
        The module or function that it is about.

    Raises
    ------
    TheoryError
        There is none.

    Examples
    --------
    >>> in_full(in_full)
    Traceback (most recent call last):
    ...
    theory.errors.TheoryError: ...
    """
    whole = _HEADING.split(getdoc(part) or "")[0]
    argument = whole.partition("\n\n")[2].strip()
    if not argument:
        raise TheoryError(
            f"an argument stands in a docstring behind its first line, found {whole!r:.80}",
            str(getattr(part, "__name__", part)),
            "write it there",
        )
    return argument


def with_arguments(
    claims: Iterable[Claim], arguments: Mapping[str, str], rests: Mapping[str, tuple[str, ...]]
) -> tuple[Claim, ...]:
    """The same claims; those that rest on arguments hand them over in full.

    Parameters
    ----------
    claims : iterable of Claim
    arguments : mapping of str to str
        In full, by name.
    rests : mapping of str to tuple of str
        Names of arguments by the id of a claim.

    Raises
    ------
    UnknownClaimError
        An id that no claim has.

    Examples
    --------
    >>> from theory.judging.as_claim import as_claim
    >>> from theory.kernel.lemmas import YOUNG
    >>> [claim] = with_arguments([as_claim(YOUNG)], {"by hand": "…"}, {YOUNG.id: ("by hand",)})
    >>> claim.account(claim.printed).arguments
    ('by hand: …',)
    """
    found = tuple(claims)
    unknown = sorted(set(rests) - {claim.id for claim in found})
    if unknown:
        raise UnknownClaimError(
            f"a claim rests on an argument, found {', '.join(unknown)}",
            "arguments",
            "name claims of this paper",
        )
    return tuple(_resting(claim, arguments, rests.get(claim.id, ())) for claim in found)


def _resting(claim: Claim, arguments: Mapping[str, str], names: tuple[str, ...]) -> Claim:
    if not names or claim.account is None:
        return claim
    texts = tuple(f"{name}: {arguments[name]}" for name in names)
    return replace(claim, account=partial(_with_texts, claim.account, texts))


def _with_texts(
    account: Callable[[Formulas], Account], texts: tuple[str, ...], printed: Formulas
) -> Account:
    known = account(printed)
    return replace(known, arguments=(*known.arguments, *texts))
