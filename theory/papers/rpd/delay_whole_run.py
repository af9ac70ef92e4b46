"""Whole runs: whether τ = p² − p/2 bounds every delay of a PipeDream run.

Problem    RPD's theorem needs 0 ≤ d ≤ τ at every iteration, start-up included; τ = p² − p/2 is that
           of the steady state, of which alone the paper says it.
Method     the delays of whole runs of PipeDream, from the proved start times.
Guarantee  False: in start-up the first p forwards of stage 0 record an empty history while their
           backwards wait for everybody's first updates; microbatch p − 1 has the largest delay of
           any run, some p²/4 above the bound.
Source     RPD paper, section 4 with Proposition 4.1, and appendix E.1.
"""

from collections.abc import Iterator

from schedules.closed_forms.floor_sums import p_
from schedules.linearization import get_linearization
from theory.judging import prover
from theory.laws.delays.polynomials import in_words, least_in_class, nonnegative_from, on_class
from theory.laws.delays.whole_run import WholeRun, prove_whole_run
from theory.papers.rpd.lemmas.laws import PAPER, closed, judged, replay, times, whole_run, worst

SEARCHED = 64
"""Largest p at which a counterexample is looked for."""


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    supremum = whole_run(linearization).supremum
    q = len(supremum)
    margins = {a: on_class(formulas["bound"] - form, a, q) for a, form in supremum.items()}
    says = f"the supremum is {in_words(supremum)}"
    if all(nonnegative_from(form, least_in_class(a, q)) for a, form in margins.items()):
        code = "theory.laws.delays.polynomials.nonnegative_from"
        return prover.Decision((prover.Compared(says, code, True),)), says
    p = _first_violation(formulas, linearization)
    if p is None:
        return prover.Decision(), f"no counterexample up to p = {SEARCHED}"
    fails = _refutation(formulas, linearization, p)
    return prover.Decision(fails=fails), f"{says}; p = {p} exceeds the bound"


def _first_violation(formulas: prover.Formulas, linearization: str) -> int | None:
    supremum = whole_run(linearization).supremum
    return next(
        (
            p
            for p in range(2, SEARCHED + 1)
            if supremum[p % len(supremum)].subs(p_, p) > formulas["bound"].subs(p_, p)
        ),
        None,
    )


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome]:
    """Supremum and least M by parity, through the same proof as the derived ones."""
    claimed = WholeRun(
        {0: formulas["even"], 1: formulas["odd"]},
        {0: formulas["least M, even"], 1: formulas["least M, odd"]},
    )
    forms = closed()
    return (
        prove_whole_run(times(), forms.counts, get_linearization(PAPER), forms.matrix, claimed),
    )


def _findings(fails: prover.Refutation) -> Iterator[prover.Finding]:
    yield prover.Finding(
        "missing-condition",
        "section 4, from RPD back to PD, with appendix E.1",
        "the law counts steady microbatches only, while the theorem needs the bound at every "
        "update; in start-up delays exceed it by about p²/4, which no O(1) covers",
        fails.witness,
        repaired=prover.Repair(
            "⌊5p²/4⌋ − p bounds every delay of a whole run and is attained, first with "
            "M = p − 1 + ⌊p/2⌋ microbatches, at microbatch p − 1",
            _holds(_REPAIRED),
        ),
    )


def _refutation(formulas: prover.Formulas, linearization: str, p: int) -> prover.Refutation:
    least = whole_run(linearization).least_m
    assert least is not None, "start-up attains it"
    microbatches = int(least[p % len(least)].subs(p_, p))
    found = worst(replay(p, microbatches, linearization))
    witness = {"p": p, "M": microbatches, **found, "printed": str(formulas["bound"].subs(p_, p))}

    def again() -> int:
        return int(replay(p, microbatches, linearization).matrix.max())

    return prover.Refutation(
        witness, prover.Violation(again, "<=", formulas["bound"], {p_: p}, (prover.le(2, p_),))
    )


_REPAIRED = {
    "even": 5 * p_**2 / 4 - p_,
    "odd": (5 * p_**2 - 1) / 4 - p_,
    "least M, even": 3 * p_ / 2 - 1,
    "least M, odd": 3 * (p_ - 1) / 2,
}

CLAIM = prover.Claim(
    "rpd.delay-whole-run",
    "section 4 with Proposition 4.1 and appendix E.1",
    "τ = p² − p/2 bounds every delay of a PipeDream run with E.1's scheduler, start-up included "
    "(the paper says so of the steady state alone).",
    r"d_i^k \le p^2 - \tfrac{p}{2} \quad \text{for all } i, k",
    account=lambda formulas: judged(formulas, _known, _findings),
    printed={"bound": p_**2 - p_ / 2},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
