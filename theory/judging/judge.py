"""Judge one claim: run its prover and its controls, and hold both to the rules of every verdict."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from schedules.errors import ScheduleError
from schedules.user_code import place_in, reason
from theory.account import Account, Decision
from theory.claims import Claim
from theory.errors import (
    ClaimFileError,
    NoClosedFormError,
    ProverError,
    TheoryError,
    UnsupportedFormError,
)
from theory.falsifier.effort import USUAL, effort
from theory.judging.as_claim import is_attacked
from theory.judging.catalogue import CLAIMS
from theory.judging.challenged import fairly
from theory.judging.decide import decided
from theory.judging.mutants import accepts_original, run_controls
from theory.judging.shown import shown
from theory.judging.trusted import trusted
from theory.ledger import REMARK, Controls, Evidence, Judgement, Row, Shown, plainly
from theory.smt.queries import Query, digest_of, recording
from theory.verdicts import Verdict

More = Callable[[Claim], tuple[Evidence, ...]]
"""Further evidence about a claim."""


def nothing_more(claim: Claim) -> tuple[Evidence, ...]:
    """No further evidence about this claim."""
    return ()


def judge(
    claim: Claim,
    deep: bool = False,
    listen: bool = False,
    more: More = nothing_more,
    every: bool = False,
    attack: int = USUAL,
) -> Row:
    """Run one claim's prover and its controls.

    Parameters
    ----------
    claim : Claim
    deep : bool
        Also gather the evidence that takes long.
    listen : bool
        Keep what z3 is asked for the judgement. Questions about mutants and weakened claims are not
        kept: no proof rests on those.
    more : callable
        Gives further evidence about a claim.
    every : bool
        Try every control, as `deep` does, instead of a sample.
    attack : int
        How long to look for what violates a statement that is not proved, as a percentage.

    Raises
    ------
    ProverError
        The prover broke down, or returned what is no judgement.
    TheoryError
        The claim is not well-formed.

    Examples
    --------
    >>> judge(CLAIMS["kernel.young"]).verdict.name
    'PROVED'
    """
    start = perf_counter()
    try:
        with _listening(claim, listen) as queries, effort(attack):
            account, judgement = _judged(claim)
        judgement, controls = _with_more(claim, judgement, deep, more), Controls()
        own = _is_own(claim, account)
        if not own or accepts_original(claim):
            controls = run_controls(claim, deep or every)
        judgement = _remarked(claim, judgement, controls, own)
        seen, code = shown(claim, account, judgement), trusted(account)
    except (NoClosedFormError, UnsupportedFormError, ScheduleError) as error:
        judgement, controls, queries = _undecided(str(error)), Controls(), []
        own = True
        seen, code = Shown(), {}
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
        judgement=_guarded(judgement, controls, own),
        depends=claim.depends,
        controls=controls,
        seconds=perf_counter() - start,
        queries=tuple(queries) if listen else (),
        asked=digest_of(queries),
        origin=claim.origin,
        shown=seen,
        trusted=code,
    )


def _listening(claim: Claim, listen: bool) -> AbstractContextManager[list[Query]]:
    """Of what is no theorem it is known in any case what was asked; a text only if it is wanted."""
    return recording(listen) if listen or claim.theorem is None else nullcontext([])


def judged(claim: Claim) -> Judgement:
    """What the judge makes of a claim, without its controls.

    Examples
    --------
    >>> judged(CLAIMS["kernel.young"]).verdict.name
    'PROVED'
    """
    return _judged(claim)[1]


def _judged(claim: Claim) -> tuple[Account, Judgement]:
    """The judgement, and the account that it was made from."""
    account = claim.account(claim.printed)
    if not isinstance(account, Account):
        raise TypeError(f"account returns a theory.account.Account, found {account!r:.80}")
    fair = fairly(claim, account)
    return fair, decided(fair)


def _with_more(claim: Claim, judgement: Judgement, deep: bool, more: More) -> Judgement:
    """The judgement as plain data, with the evidence that takes long if that is wanted."""
    found = claim.deeper(claim.printed) if deep and claim.deeper is not None else ()
    evidence = (*judgement.evidence, *more(claim), *found)
    return plainly(replace(judgement, evidence=evidence))


def _broken_down(claim: Claim, error: BaseException) -> ProverError:
    """What a prover's own exception becomes, with the line that a reader can look at."""
    place, fix = place_in(claim.source or "", error), "correct the claim file"
    if claim.source is None or (place == claim.source and is_attacked(claim)):
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place, fix = f"{Path(frame.filename).name}:{frame.lineno}", "please report it"
    return ProverError(f"the prover stopped with {reason(error)}", f"{claim.id} ({place})", fix)


def _undecided(why: str) -> Judgement:
    """Nothing is said of a claim whose schedule or formula the provers cannot settle."""
    reason = Evidence("neither", f"not decided: {why}", {})
    return Judgement(Verdict.UNKNOWN, printed_proof="none", evidence=(reason,))


def _is_own(claim: Claim, account: Account) -> bool:
    """Whether a file's own functions decide its claim, and not the kernel the claim's theorem."""
    if claim.source is None:
        return False
    named, decision = claim.theorem, account.decision
    stated = named is not None and claim.printed == named.terms
    if not stated or not isinstance(decision, Decision) or decision.grounds != (named,):
        return True  # theorems are equal only to themselves
    return decision.fails is not None and not is_attacked(claim)


def _remarked(claim: Claim, judgement: Judgement, controls: Controls, own: bool) -> Judgement:
    """The judgement of a file's claim, with what its reader has to know about the file."""
    if claim.source is None:
        return judgement
    says = []
    if claim.id in CLAIMS:
        says.append("takes the place of the catalogue's claim of this id")
    if own:
        without = "" if controls.tried else ", without controls"
        says.append(f"judged by the file's own prover{without}")
    remarks = (Evidence("neither", text, {REMARK: True}) for text in says)
    return replace(judgement, evidence=(*judgement.evidence, *remarks))


def _guarded(judgement: Judgement, controls: Controls, own: bool) -> Judgement:
    """Hold every prover to its rules.

    No REFUTED without a witness, no pass against evidence, and none by a prover that accepts
    whatever it is given, or that a file brings along and that has refused nothing.
    """
    contradicted = any(entry.points == "against" for entry in judgement.evidence)
    empty = controls.tried > 0 and controls.killed == 0
    if judgement.verdict is Verdict.REFUTED and not judgement.counterexample:
        why = "the prover found it false but gave no exact witness"
    elif judgement.verdict in (Verdict.PROVED, Verdict.CHECKED) and contradicted:
        why = "the prover found it true, but a replay speaks against it"
    elif judgement.verdict > Verdict.UNKNOWN and empty:
        why = f"the prover accepts all of {controls.tried} mutants as well, so it looks at nothing"
    elif judgement.verdict > Verdict.UNKNOWN and not controls.tried and own:
        why = "the file's own prover has refused nothing; give core= and holds=, to try mutants"
    else:
        return judgement
    evidence = (*judgement.evidence, Evidence("neither", f"not decided: {why}", {}))
    return replace(judgement, verdict=Verdict.UNKNOWN, evidence=evidence)
