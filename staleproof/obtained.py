"""Rows for commands that look at claims: from a run that was kept, or from a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from staleproof.kept_results import keep, kept, key, may_be_file
from staleproof.ledgers import collected, proved_rows


def obtained(
    names: Sequence[str], *, from_shell: bool, jobs: int | None = None, fresh: bool = False
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
    ledger = collected(proved_rows(select(names, read_elsewhere), jobs))
    keep(name, name and key(names, False), ledger)
    return ledger


def _wider(names: Sequence[str]) -> Iterator[list[str]]:
    """Selections whose ledgers have these rows: themselves, their paper, everything."""
    if any(map(may_be_file, names)):
        return
    papers = list(dict.fromkeys(name.split(".")[0] for name in names))
    found = [list(names), papers, []]
    yield from (one for index, one in enumerate(found) if one not in found[:index])


def _named(identity: str, names: Sequence[str]) -> bool:
    return any(f"{identity}.".startswith(f"{name}.") for name in names)
