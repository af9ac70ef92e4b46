"""Whose statement each row of a paper is: said beside the claims, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import cast

from theory.claims import Claim
from theory.errors import UnknownClaimError
from theory.judging.as_claim import as_claim
from theory.kernel.theorem import Theorem
from theory.ledger import Origin

Origins = Mapping[str, Origin]
"""By the id of a claim. A theorem that stands nowhere but here is ours without being named."""


def named(paper: str, **rows: str) -> Origins:
    """Origins of rows, by whose statement they are: what follows the dot of their ids.

    Examples
    --------
    >>> named("mine", printed="lemma-1 lemma-2", ours="twice")
    {'mine.lemma-1': 'printed', 'mine.lemma-2': 'printed', 'mine.twice': 'ours'}
    """
    return {
        f"{paper}.{row}": cast(Origin, origin)
        for origin, names in rows.items()
        for row in names.split()
    }


def rows_of(package: str, order: str) -> tuple[Claim | Theorem, ...]:
    """What the modules of a package claim, in this order.

    Parameters
    ----------
    package : str
    order : str
        Names of modules, such as ``lemmas.split``, separated by white space; each has a ``CLAIM``,
        or another one that is named behind a colon.

    Examples
    --------
    >>> [one.id for one in rows_of("theory.kernel", "lemmas:YOUNG lemmas:DESCENT")]
    ['kernel.young', 'kernel.descent']
    """
    found = []
    for entry in order.split():
        module, _, name = entry.partition(":")
        found.append(getattr(import_module(f"{package}.{module}"), name or "CLAIM"))
    return tuple(found)


def with_origins(rows: Iterable[Claim | Theorem], origins: Origins) -> tuple[Claim, ...]:
    """The same claims, each with its origin where one is named; a theorem is judged by its proof.

    Raises
    ------
    UnknownClaimError
        An id that no claim has.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> [claim.origin for claim in with_origins([YOUNG], {"kernel.young": "ours"})]
    ['ours']
    """
    found = tuple(one if isinstance(one, Claim) else as_claim(one) for one in rows)
    unknown = sorted(set(origins) - {claim.id for claim in found})
    if unknown:
        raise UnknownClaimError(
            f"an origin is said of a claim, found {', '.join(unknown)}",
            "origins",
            "name claims of this paper",
        )
    return tuple(replace(one, origin=origins.get(one.id, _unnamed(one))) for one in found)


def _unnamed(claim: Claim) -> Origin:
    return "ours" if claim.where == "ours" else claim.origin
