"""Rows for commands that look at claims: from a run that was kept, or from a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from staleproof.kept_results import keep, kept, key, may_be_file
from staleproof.ledgers import collected, proved_rows

if TYPE_CHECKING:
    from theory.claims import Claim


def obtained(
    names: Sequence[str],
    *,
    from_shell: bool,
    jobs: int | None = None,
    fresh: bool = False,
    only: str | None = None,
) -> Mapping[str, Any]:
    """The ledger of these claims: of a kept run that has them all, else proved now.

    Parameters
    ----------
    names : sequence of str
        Papers, ids or their beginnings, files and folders; all claims if empty.
    from_shell : bool
        Whether this process runs the sources as they are; else nothing is kept.
    jobs : int, optional
        Processes.
    fresh : bool, optional
        Prove again whatever was kept.
    only : str, optional
        The id of the one claim that is wanted: of files, whose rows are not kept, nothing else is
        proved than this and what it rests on.

    Raises
    ------
    theory.errors.UnknownClaimError
        A name is no paper, claim or file.
    """
    usable = from_shell and not fresh
    for wider in _wider(names) if usable else ():
        before = kept(key(wider, False))
        if before is not None:
            chosen = [row for row in before["claims"] if not names or _named(row["id"], names)]
            if all(any(_named(row["id"], [name]) for row in chosen) for name in names):
                return before | {"claims": chosen}
    if any(map(may_be_file, names)):
        from theory.judging.starting import get_ready

        get_ready()
    from theory.judging.verify import select
    from theory.judging.workers import read_elsewhere

    name = key(names, False) if usable else None
    claims = select(names, read_elsewhere)
    if only is not None and name is None:
        claims = _with_what_it_rests_on(only, claims)
    ledger = collected(proved_rows(claims, jobs))
    keep(name, name and key(names, False), ledger)
    return ledger


def _with_what_it_rests_on(name: str, claims: Sequence[Claim]) -> list[Claim]:
    """The claim of this id and, of the others, those that it rests on."""
    known = {claim.id: claim for claim in claims}
    wanted, waiting = set[str](), [name]
    while waiting:
        one = waiting.pop()
        if one in known and one not in wanted:
            wanted.add(one)
            waiting += known[one].depends
    return [claim for claim in claims if claim.id in wanted]


def _wider(names: Sequence[str]) -> Iterator[list[str]]:
    """Selections whose ledgers have these rows: themselves, their paper, everything."""
    if any(map(may_be_file, names)):
        return
    papers = list(dict.fromkeys(name.split(".")[0] for name in names))
    found = [list(names), papers, []]
    yield from (one for index, one in enumerate(found) if one not in found[:index])


def _named(identity: str, names: Sequence[str]) -> bool:
    return any(f"{identity}.".startswith(f"{name}.") for name in names)
