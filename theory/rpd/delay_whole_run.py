"""Whole runs: τ = p² − p/2 is claimed to bound every delay of a PipeDream run.

RPD's theorem needs 0 ≤ d ≤ τ at every iteration, start-up included. In start-up the first p
forwards of stage 0 record an empty history while their backwards wait for everybody's first
updates; microbatch p − 1 has the largest delay of any run.
"""

from __future__ import annotations

from typing import Final

from schedules.closed_forms.floor_sums import p_
from schedules.linearization import get_linearization
from theory.claims import Claim, Formulas
from theory.delay_laws.polynomials import (
    in_words,
    least_in_class,
    nonnegative_from,
    on_class,
)
from theory.delay_laws.whole_run import WholeRun, prove_whole_run
from theory.ledger import Finding, Judgement, Repair
from theory.rpd.laws import (
    ASSUMES,
    PAPER,
    by_linearization,
    closed,
    our_steps,
    replay,
    times,
    verdict_in_paper,
    worst,
)
from theory.verdicts import Verdict

SEARCHED: Final = 64
"""Largest p at which a counterexample is looked for."""


def _verdict(formulas: Formulas, linearization: str) -> tuple[Verdict, str]:
    supremum = closed(linearization).whole.supremum
    q = len(supremum)
    margins = {a: on_class(formulas["bound"] - form, a, q) for a, form in supremum.items()}
    if all(nonnegative_from(form, least_in_class(a, q)) for a, form in margins.items()):
        return Verdict.PROVED, f"the supremum is {in_words(supremum)}"
    p = _first_violation(formulas, linearization)
    if p is None:
        return Verdict.UNKNOWN, f"no counterexample up to p = {SEARCHED}"
    return Verdict.REFUTED, f"the supremum is {in_words(supremum)}; p = {p} exceeds the bound"


def _first_violation(formulas: Formulas, linearization: str) -> int | None:
    supremum = closed(linearization).whole.supremum
    return next(
        (
            p
            for p in range(2, SEARCHED + 1)
            if supremum[p % len(supremum)].subs(p_, p) > formulas["bound"].subs(p_, p)
        ),
        None,
    )


def _holds(formulas: Formulas) -> Verdict:
    """Supremum and least M by parity, through the same proof as the derived ones."""
    claimed = WholeRun(
        {0: formulas["even"], 1: formulas["odd"]},
        {0: formulas["least M, even"], 1: formulas["least M, odd"]},
    )
    forms = closed()
    return prove_whole_run(
        times(), forms.counts, get_linearization(PAPER), forms.matrix, claimed
    ).verdict


def _judge(formulas: Formulas) -> Judgement:
    cases = by_linearization(lambda name: _verdict(formulas, name))
    verdict = verdict_in_paper(cases)
    witness = _witness(formulas) if verdict is Verdict.REFUTED else None
    return Judgement(
        verdict=verdict,
        printed_proof="none",
        cases=cases,
        assumes=ASSUMES,
        steps=our_steps(),
        findings=(_finding(witness),) if witness else (),
        counterexample=witness,
    )


def _finding(witness: dict[str, object]) -> Finding:
    return Finding(
        kind="missing-condition",
        where="section 4, from RPD back to PD, with appendix E.1",
        says=(
            "the law counts steady microbatches only, while the theorem needs the bound at every "
            "update; in start-up delays exceed it by about p²/4"
        ),
        witness=witness,
        repaired=Repair(
            "⌊5p²/4⌋ − p bounds every delay of a whole run and is attained, first with "
            "M = p − 1 + ⌊p/2⌋ microbatches, at microbatch p − 1",
            _holds(_REPAIRED),
        ),
    )


def _witness(formulas: Formulas) -> dict[str, object]:
    p = _first_violation(formulas, PAPER)
    assert p is not None, "a refuted bound has a witness"
    least = closed().whole.least_m
    microbatches = int(least[p % len(least)].subs(p_, p))
    found = worst(replay(p, microbatches))
    return {"p": p, "M": microbatches, **found, "printed": str(formulas["bound"].subs(p_, p))}


_REPAIRED: Final = {
    "even": 5 * p_**2 / 4 - p_,
    "odd": (5 * p_**2 - 1) / 4 - p_,
    "least M, even": 3 * p_ / 2 - 1,
    "least M, odd": 3 * (p_ - 1) / 2,
}

CLAIM: Final = Claim(
    id="rpd.delay-whole-run",
    where="section 4 with Proposition 4.1 and appendix E.1",
    statement="τ = p² − p/2 bounds every delay of a PipeDream run with E.1's scheduler.",
    latex=r"d_i^k \le p^2 - \tfrac{p}{2} \quad \text{for all } i, k",
    judge=_judge,
    printed={"bound": p_**2 - p_ / 2},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
