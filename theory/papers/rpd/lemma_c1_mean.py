"""Lemma C.1, mean: for even p the mean steady delay is claimed to be exactly p²/2.

Problem    the mean steady delay is claimed to be exactly p²/2, for even p.
Method     the derived matrix, summed over all i and j by telescoping.
Guarantee  False: it is p²/2 − 1/2 in the paper's linearization, as updates inside the end slots
           count, and p²/2 only where updates of one slot share an index (`slot-start`).
Source     RPD paper, Lemma C.1, even p.
"""

from functools import partial

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.comparison import equal
from theory.laws.delays.matrix import prove_mean
from theory.laws.delays.polynomials import in_words
from theory.papers.rpd.lemmas.entries import by_slots
from theory.papers.rpd.lemmas.laws import HALF, SIZES, closed, judged, mean_in_replay

EVEN = 0


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    derived = closed(linearization).mean
    outcome = equal(derived, formulas["mean"], (EVEN,))
    says = f"the mean is {in_words(derived)}"
    if outcome.p is None:
        return prover.Decision((outcome,)), says
    refutation = _refutation(formulas, linearization, outcome.p)
    return prover.Decision((outcome,), refutation), f"{says}, so p = {outcome.p} refutes it"


def _holds(formulas: prover.Formulas) -> tuple[prover.Outcome]:
    """The mean of every p, even or odd, in the paper's linearization."""
    matrix = closed().matrix
    return (prove_mean(matrix, dict.fromkeys(range(matrix.period), formulas["mean"])),)


def _findings(fails: prover.Refutation) -> tuple[prover.Finding, ...]:
    finding = prover.Finding(
        "false",
        "Lemma C.1, even p",
        "updates inside the end slots lower the mean by 1/2; it is p²/2 only in "
        "`slot-start`, where updates of one slot share an index",
        fails.witness,
        repaired=prover.Repair(
            "for every p ≥ 2, even or odd, the mean is (p² − 1)/2", _holds(_REPAIRED)
        ),
    )
    return (finding,)


def _refutation(formulas: prover.Formulas, linearization: str, p: int) -> prover.Refutation:
    witness = {
        "linearization": linearization,
        "p": p,
        "mean": str(mean_in_replay(p, linearization)),
        "printed": str(formulas["mean"].subs(p_, p)),
    }
    measured = partial(mean_in_replay, p, linearization)
    at = {p_: p, HALF: p // 2}
    return prover.Refutation(
        witness, prover.Violation(measured, "==", formulas["mean"], at, SIZES[EVEN])
    )


_REPAIRED = {"mean": (p_**2 - 1) / 2}

CLAIM = prover.Claim(
    "rpd.lemma-c1-mean",
    "Lemma C.1, even p",
    "For even p the mean steady delay over all stages and blocks is exactly p²/2.",
    r"\bar d = \tfrac{p^2}{2} \quad (p \text{ even})",
    account=lambda formulas: judged(formulas, _known, _findings, by_slots()),
    printed={"mean": p_**2 / 2},
    core=_REPAIRED,
    holds=_holds,
    shares="delay laws",
)
