"""Run claims: select them, judge them, try their mutants, collect the ledger."""

from __future__ import annotations

import os
from collections import ChainMap, Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from theory.claims import Claim
from theory.errors import TheoryError
from theory.falsifier.effort import USUAL, effort
from theory.judging.catalogue import CLAIMS, PAPERS, called, claims_of, unknown
from theory.judging.dependencies import dependency_graph, settled
from theory.judging.judge import More, judge, nothing_more
from theory.judging.loading import load, require_distinct
from theory.judging.serving import Judge
from theory.judging.workers import Progress, processes, side_by_side
from theory.ledger import AS_PRINTED, SCHEMA, Row
from theory.verdicts import Verdict

__all__ = ["CLAIMS", "Progress", "judge", "ledger", "select", "verify"]

Review = Callable[[Row], Row]
"""A second look at a judged claim."""


def read_here(paths: Sequence[str]) -> list[Claim]:
    """The claims of files, which are run in this process."""
    return [claim for path in paths for claim in load(path)]


def select(
    names: Sequence[str] = (), read: Callable[[Sequence[str]], list[Claim]] = read_here
) -> list[Claim]:
    """The claims of named papers, ids and files; all of the catalogue if none is named.

    The beginning of an id, up to a dot, names all that go on behind it.

    Parameters
    ----------
    names : sequence of str
    read : callable
        Gives the claims of files; `theory.judging.workers.read_elsewhere` runs them in another
        process.

    Returns
    -------
    list of Claim
        First those of the catalogue, in its order, then those of the files. A claim of a file
        takes the place of the one in the catalogue that has its id.

    Raises
    ------
    UnknownClaimError
        A name is no paper, no claim and no file; or a dependency is none.
    ClaimFileError
        A file is none of claims, or two files define claims of one name.
    CycleError
        Claims depend on one another in a circle.

    Examples
    --------
    >>> [claim.id for claim in select(["kernel.young"])]
    ['kernel.young']
    """
    files = [name for name in dict.fromkeys(names) if _is_file(name)]
    mine = read(list({os.path.realpath(name): name for name in reversed(files)}.values())[::-1])
    require_distinct(mine)
    own = {claim.id for claim in mine}
    listed = set(names) - set(files)
    chosen = [claim for claim in _from_catalogue(listed, not names) if claim.id not in own]
    claims = [*chosen, *mine]
    require_distinct(claims)
    dependency_graph(claims, _known(claims))
    return claims


def _is_file(name: str) -> bool:
    """A name that means a file, there or not; a paper or an id stays one beside such a file."""
    if name.endswith(".py") or os.path.dirname(name) != "":  # looking an id up loads its paper
        return True
    return name not in PAPERS and not called(name) and os.path.exists(name)


def _from_catalogue(names: set[str], everything: bool) -> list[Claim]:
    chosen = {name: called(name) for name in names}
    for name in sorted(names):
        if not chosen[name]:
            raise unknown(name, "claims")
    papers = {name.partition(".")[0] for name in names}
    ids = {claim.id for found in chosen.values() for claim in found}
    return [
        claim
        for paper in PAPERS
        if everything or paper in papers
        for claim in claims_of(paper)
        if everything or claim.id in ids
    ]


def _known(claims: Sequence[Claim]) -> Mapping[str, Claim]:
    """All claims by id; the given ones hide those of the catalogue."""
    return ChainMap({claim.id: claim for claim in claims}, cast(dict[str, Claim], CLAIMS))


def verify(
    claims: Sequence[Claim],
    progress: Progress | None = None,
    jobs: int = 1,
    deep: bool = False,
    more: More = nothing_more,
    review: Review | None = None,
    every: bool = False,
    attack: int = USUAL,
    unjudged: list[TheoryError] | None = None,
) -> list[Row]:
    """Judge claims, and what they rest on; one that cannot be judged keeps no other from it.

    Parameters
    ----------
    claims : sequence of Claim
    progress : callable, optional
        Called with (id, number begun before, number in all) as each begins, and with more behind
        the id while a statement that is not proved is attacked.
    jobs : int
        Processes that judge side by side; 1 judges in this one, unless the claims were read in
        another. No verdict depends on it.
    deep : bool
        Also gather evidence that takes long.
    more : callable
        Gives further evidence about a claim.
    every : bool
        Try every control instead of a sample.
    attack : int
        How long to attack what is not proved, as a percentage of what is usual; 0: not at all.
    review : callable, optional
        What it makes of a row takes the row's place, before anything that rests on it is settled.
        Rows then come with the queries of their proofs.
    unjudged : list of TheoryError, optional
        Takes what stood in the way of claims, which then have no row; else the first is raised.

    Returns
    -------
    list of Row
        One for each claim given, in their order.

    Raises
    ------
    TheoryError
        A claim is not well-formed, its prover broke down, or a process has gone.

    Examples
    --------
    >>> [row.verdict.name for row in verify(select(["kernel.young"]))]
    ['PROVED']
    """
    known = _known(claims)
    graph = dependency_graph(claims, known)
    given = {claim.id for claim in claims}
    everything = [*(known[name] for name in graph if name not in given), *claims]
    how = partial(
        judge, deep=deep, listen=review is not None, more=more, every=every, attack=attack
    )
    count = processes(everything, jobs)
    if count > 0:
        answers = side_by_side(everything, count, progress, how)
    else:
        answers = []
        for number, claim in enumerate(everything):
            told = partial(_told, progress, claim.id, number, len(everything))
            told("")
            with effort(told=told):
                answers.append(_answer(how, claim))
    rows = [one for one in answers if isinstance(one, Row)]
    errors = [one for one in answers if isinstance(one, TheoryError)]
    if errors and unjudged is None:
        raise errors[0]
    if unjudged is not None:
        unjudged += errors
    if review is not None:
        rows = [review(row) for row in rows]
    return [row for row in settled(rows, graph) if row.id in given]


def _answer(how: Judge, claim: Claim) -> Row | TheoryError:
    try:
        return how(claim)
    except TheoryError as error:
        return error


def _told(progress: Progress | None, name: str, number: int, count: int, text: str) -> None:
    if progress is not None:
        progress(f"{name}: {text}" if text else name, number, count)


def ledger(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows and counts as one JSON object; what sources say themselves is counted apart as well."""
    return {
        "schema": SCHEMA,
        "claims": [row.to_json() for row in rows],
        "summary": _counted(rows),
        "as_printed": _counted([row for row in rows if row.origin in AS_PRINTED]),
    }


def _counted(rows: Sequence[Row]) -> dict[str, int]:
    counts = Counter(row.verdict for row in rows)
    return {verdict.name: counts[verdict] for verdict in Verdict if counts[verdict]}
