"""Judge one claim: run its prover and its controls, and hold both to the rules of every verdict."""

from __future__ import annotations

import traceback
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from schedules.errors import ScheduleError
from theory.claims import Claim
from theory.errors import (
    ClaimFileError,
    NoClosedFormError,
    ProverError,
    TheoryError,
    UnsupportedFormError,
)
from theory.ledger import Controls, Evidence, Judgement, Row, plainly
from theory.loading import place_in, reason
from theory.mutants import run_controls
from theory.queries import Query, recording
from theory.verdicts import Verdict


def judge(claim: Claim, deep: bool = False, listen: bool = False) -> Row:
    """Run one claim's prover and its controls.

    Parameters
    ----------
    claim : Claim
    deep : bool
        Also gather the evidence that takes long, and try every control instead of a sample.
    listen : bool
        Keep what z3 is asked for the judgement. Questions about mutants and weakened claims are not
        kept: no proof rests on those.

    Raises
    ------
    ProverError
        The prover broke down, or returned what is no judgement.
    TheoryError
        The claim is not well-formed.

    Examples
    --------
    >>> from theory.catalogue import CLAIMS
    >>> judge(CLAIMS["rpd.lemma-c1-window"]).verdict.name
    'PROVED'
    """
    start = perf_counter()
    try:
        with _listening(listen) as queries:
            judgement = _judged(claim)
        judgement, controls = _with_more(claim, judgement, deep), run_controls(claim, deep)
    except (NoClosedFormError, UnsupportedFormError, ScheduleError) as error:
        judgement, controls, queries = _undecided(str(error)), Controls(), []
    except TheoryError as error:
        if claim.source is None:
            raise
        place = f"{place_in(claim.source, error)}: {error.where}"
        kind = type(error) if type(error).__init__ is TheoryError.__init__ else ClaimFileError
        raise kind(error.what, place, error.fix) from error
    except (Exception, SystemExit) as error:
        raise _broken_down(claim, error) from error
    return Row(
        id=claim.id,
        paper=claim.paper,
        where=claim.where,
        statement=claim.statement,
        latex=claim.latex,
        judgement=_guarded(judgement),
        depends=claim.depends,
        controls=controls,
        seconds=perf_counter() - start,
        queries=tuple(queries),
    )


def _listening(listen: bool) -> AbstractContextManager[list[Query]]:
    return recording() if listen else nullcontext([])


def _judged(claim: Claim) -> Judgement:
    judgement = claim.judge(claim.printed)
    if not isinstance(judgement, Judgement) or not isinstance(judgement.verdict, Verdict):
        raise TypeError(f"judge returns a Judgement with a Verdict, found {judgement!r:.80}")
    return judgement


def _with_more(claim: Claim, judgement: Judgement, deep: bool) -> Judgement:
    """The judgement as plain data, with the evidence that takes long if that is wanted."""
    if deep and claim.deeper is not None:
        evidence = (*judgement.evidence, *claim.deeper(claim.printed))
        judgement = replace(judgement, evidence=evidence)
    return plainly(judgement)


def _broken_down(claim: Claim, error: BaseException) -> ProverError:
    """What a prover's own exception becomes, with the line that a reader can look at."""
    if claim.source is not None:
        place, fix = place_in(claim.source, error), "correct the claim file"
    else:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place, fix = f"{Path(frame.filename).name}:{frame.lineno}", "please report it"
    return ProverError(f"the prover stopped with {reason(error)}", f"{claim.id} ({place})", fix)


def _undecided(why: str) -> Judgement:
    """Nothing is said of a claim whose schedule or formula the provers cannot settle."""
    reason = Evidence("neither", f"not decided: {why}", {})
    return Judgement(Verdict.UNKNOWN, printed_proof="none", evidence=(reason,))


def _guarded(judgement: Judgement) -> Judgement:
    """Hold every prover to two rules: no REFUTED without a witness, no pass against evidence."""
    contradicted = any(entry.points == "against" for entry in judgement.evidence)
    if judgement.verdict is Verdict.REFUTED and not judgement.counterexample:
        why = "the prover found it false but gave no exact witness"
    elif judgement.verdict in (Verdict.PROVED, Verdict.CHECKED) and contradicted:
        why = "the prover found it true, but a replay speaks against it"
    else:
        return judgement
    evidence = (*judgement.evidence, Evidence("neither", f"not decided: {why}", {}))
    return replace(judgement, verdict=Verdict.UNKNOWN, evidence=evidence)
