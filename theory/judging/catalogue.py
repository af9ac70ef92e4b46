"""The claims of this package by id, imported paper by paper when they are asked for."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, Final

from theory.claims import Claim
from theory.errors import UnknownClaimError
from theory.judging.as_claim import as_claim
from theory.kernel.lemmas import LEMMAS

_FOLDERS: Final = "theory.papers"
"""Whose modules supply claims; they stand above this one, and are imported when asked for."""

KERNEL: Final = "kernel"
"""What the claims that the kernel's own lemmas make are called after."""

PAPERS: Final[tuple[str, ...]] = (*import_module(_FOLDERS).PAPERS, KERNEL)
"""What claims are about; every id starts with one of these."""


@cache
def papers() -> Mapping[str, Any]:
    """By name, the `theory.record.Paper` of each folder."""
    return {name: _paper(name) for name in PAPERS if name != KERNEL}


def _paper(name: str) -> Any:
    return import_module(f"{_FOLDERS}.{name}").PAPER


@contextmanager
def _nothing_is_garbage() -> Iterator[None]:
    """Collect nothing while theorems are made, which are kept: it took a tenth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@cache
def claims_of(paper: str) -> tuple[Claim, ...]:
    """All claims of one of `PAPERS`.

    Examples
    --------
    >>> claims_of("kernel")[0].paper
    'kernel'
    """
    if paper == KERNEL:
        return tuple(replace(as_claim(lemma), origin="ours") for lemma in LEMMAS)
    with _nothing_is_garbage():
        found: tuple[Claim, ...] = _paper(paper).claims
    return found


class Catalogue(Mapping[str, Claim]):
    """All claims by id, in the order of the papers; looking one up imports its paper only."""

    def __getitem__(self, name: str) -> Claim:
        paper = name.partition(".")[0]
        if paper in PAPERS:
            for claim in claims_of(paper):
                if claim.id == name:
                    return claim
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (claim.id for paper in PAPERS for claim in claims_of(paper))

    def __len__(self) -> int:
        return sum(len(claims_of(paper)) for paper in PAPERS)


CLAIMS: Final[Mapping[str, Claim]] = Catalogue()
"""The one catalogue there is."""


def called(name: str) -> tuple[Claim, ...]:
    """All claims of a paper, the one of an id, or those whose ids go on behind name and a dot.

    Examples
    --------
    >>> [claim.id for claim in called("kernel.young")], called("kernel.yung")
    (['kernel.young'], ())
    >>> {claim.id.rpartition(".")[0] for claim in called("schedules.1f1b")}
    {'schedules.1f1b'}
    """
    paper = name.partition(".")[0]
    if paper not in PAPERS:
        return ()
    return tuple(claim for claim in claims_of(paper) if f"{claim.id}.".startswith(f"{name}."))


def unknown(
    name: str,
    where: str,
    others: Iterable[str] = (),
    otherwise: str = "see `staleproof verify` for all ids",
) -> UnknownClaimError:
    """The error for a name that is no paper and no claim, with the nearest that is one.

    Parameters
    ----------
    name : str
    where : str
        Where it was asked for.
    others : iterable of str
        Names that are known besides those of the catalogue.
    otherwise : str
        What to do if no name is near.

    Examples
    --------
    >>> unknown("kernel.yung", "verify").fix
    "did you mean 'kernel.young'?"
    """
    paper = name.partition(".")[0].lower()
    ids = [one.id for one in claims_of(paper)] if paper in PAPERS else CLAIMS
    known = {one.lower(): one for one in (*PAPERS, *ids, *others)}
    near = [known[one] for one in get_close_matches(name.lower(), known, n=1)]
    return UnknownClaimError(
        f"no paper or claim is called {name!r}; papers are {', '.join(sorted(PAPERS))}",
        where,
        f"did you mean {near[0]!r}?" if near else otherwise,
    )
