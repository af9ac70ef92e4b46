"""Run claims: select them, judge them, try their mutants, collect the ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from time import perf_counter
from typing import Any

from schedules.errors import ScheduleError
from theory import localsgd, rpd, schedules
from theory.claims import Claim
from theory.errors import NoClosedFormError, UnknownClaimError, UnsupportedFormError
from theory.ledger import SCHEMA, Controls, Evidence, Judgement, Row
from theory.mutants import run_controls
from theory.verdicts import Verdict

CLAIMS: dict[str, Claim] = {
    claim.id: claim for claim in (*rpd.CLAIMS, *localsgd.CLAIMS, *schedules.CLAIMS)
}
"""All claims by id, in the order of the papers."""

Progress = Callable[[str, int, int], None]


def select(names: Sequence[str] = ()) -> list[Claim]:
    """The claims of the named papers and ids, in the order of the papers; all if none is named.

    Raises
    ------
    UnknownClaimError
        A name is no paper and no claim.

    Examples
    --------
    >>> [claim.id for claim in select(["rpd.cor-c1"])]
    ['rpd.cor-c1']
    """
    papers = {claim.paper for claim in CLAIMS.values()}
    for name in names:
        if name not in papers and name not in CLAIMS:
            near = get_close_matches(name, [*papers, *CLAIMS], n=1)
            raise UnknownClaimError(
                f"no paper or claim is called {name!r}; papers are {', '.join(sorted(papers))}",
                "verify",
                f"did you mean {near[0]!r}?" if near else "see `staleproof verify` for all ids",
            )
    wanted = set(names) or papers
    return [c for c in CLAIMS.values() if c.id in wanted or c.paper in wanted]


def verify(claims: Sequence[Claim], progress: Progress | None = None) -> list[Row]:
    """Judge claims one after the other.

    Parameters
    ----------
    claims : sequence of Claim
    progress : callable, optional
        Called with (id, number done, number in all) before each.
    """
    rows = []
    for number, claim in enumerate(claims):
        if progress is not None:
            progress(claim.id, number, len(claims))
        rows.append(judge(claim))
    return rows


def judge(claim: Claim) -> Row:
    """Run one claim's prover and its controls.

    Examples
    --------
    >>> judge(CLAIMS["rpd.lemma-c1-window"]).verdict.name
    'PROVED'
    """
    start = perf_counter()
    try:
        judgement, controls = claim.judge(claim.printed), run_controls(claim)
    except (NoClosedFormError, UnsupportedFormError, ScheduleError) as error:
        judgement, controls = _undecided(str(error)), Controls()
    judgement = _guarded(judgement)
    return Row(
        id=claim.id,
        paper=claim.paper,
        where=claim.where,
        statement=claim.statement,
        latex=claim.latex,
        judgement=judgement,
        controls=controls,
        seconds=perf_counter() - start,
    )


def _undecided(why: str) -> Judgement:
    """Nothing is said of a claim whose schedule or formula the provers cannot settle."""
    reason = Evidence("neither", f"not decided: {why}", {})
    return Judgement(Verdict.UNKNOWN, printed_proof="none", evidence=(reason,))


def _guarded(judgement: Judgement) -> Judgement:
    """Hold every prover to two rules: no REFUTED without a witness, no PROVED against evidence."""
    contradicted = any(entry.points == "against" for entry in judgement.evidence)
    if judgement.verdict is Verdict.REFUTED and judgement.counterexample is None:
        why = "the prover found it false but gave no exact witness"
    elif judgement.verdict is Verdict.PROVED and contradicted:
        why = "the prover found it true, but a replay speaks against it"
    else:
        return judgement
    evidence = (*judgement.evidence, Evidence("neither", f"not decided: {why}", {}))
    return replace(judgement, verdict=Verdict.UNKNOWN, evidence=evidence)


def ledger(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows and counts as one JSON object."""
    counts = Counter(row.verdict for row in rows)
    return {
        "schema": SCHEMA,
        "claims": [row.to_json() for row in rows],
        "summary": {verdict.name: counts[verdict] for verdict in Verdict if counts[verdict]},
    }
