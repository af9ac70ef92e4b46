"""Proposition 4.1: the largest steady delay is p² − p/2 + O(1), exactly so for even p.

Problem    the largest delay of PipeDream's steady state. The paper defines the delay by its
           simulator's embedding, which appends updates in stage order; that is the linearization
           `ascending`.
Method     the derived delay matrix falls in i and in j, so its maximum is D[0][0]; that is compared
           with the printed formula on each parity class.
Guarantee  p² − p/2 + O(1), exactly so for even p.
Source     RPD paper, Proposition 4.1, (4).
"""

from functools import partial

from schedules.closed_forms.floor_sums import p_
from theory.judging import prover
from theory.laws.delays.comparison import Bounded, Comparison, bounded, equal
from theory.laws.delays.polynomials import in_words, readable
from theory.papers.rpd.lemmas import laws
from theory.papers.rpd.lemmas.entries import by_slots

EVEN = 0


def _compared(formulas: prover.Formulas, linearization: str) -> tuple[Comparison, Bounded]:
    """Exactly, for even p; up to a constant, for every p."""
    table, worst = laws.largest(linearization), formulas["worst"]
    return equal(table, worst, (EVEN,)), bounded(table, worst)


def _known(formulas: prover.Formulas, linearization: str) -> tuple[prover.Decision, str]:
    exact, near = _compared(formulas, linearization)
    gap = near.exceeds
    if near.bound is not None:
        gap = f"the gap to the law is at most {readable(near.bound)}"
    decision = prover.Decision((exact, near), _refutation(formulas, linearization))
    return decision, f"maximum {in_words(laws.largest(linearization))}; {gap}"


def _refutation(formulas: prover.Formulas, name: str) -> prover.Refutation | None:
    """A replayed p with another maximum, else the p whose gap exceeds any constant."""
    exact, near = _compared(formulas, name)
    if exact.p is not None:
        witness = {
            "linearization": name,
            "p": exact.p,
            "largest delay": laws.largest_in_replay(exact.p, name),
            "printed": str(formulas["worst"].subs(p_, exact.p)),
        }
        measured, at = (
            partial(laws.largest_in_replay, exact.p, name),
            {p_: exact.p, laws.HALF: exact.p // 2},
        )
        return prover.Refutation(
            witness, prover.Violation(measured, "==", formulas["worst"], at, laws.SIZES[EVEN])
        )
    if not near.exceeds:
        return None
    unbounded = prover.Compared(near.exceeds, "theory.laws.delays.comparison.bounded", True)
    return prover.Refutation({"linearization": name, "for every C": near.exceeds}, (unbounded,))


def _holds(formulas: prover.Formulas) -> tuple[Comparison, Bounded]:
    return _compared(formulas, laws.PAPER)


def _account(formulas: prover.Formulas) -> prover.Account:
    cases = laws.by_linearization(lambda name: _known(formulas, name))
    refuted = [(laws.linearization_of(case), case.decision.fails) for case in cases]
    return prover.Account(
        laws.in_paper(cases),
        cases=cases,
        assumes=laws.ASSUMES,
        steps=(by_slots(), *laws.our_steps()),
        findings=tuple(_finding(name, fails) for name, fails in refuted if fails),
    )


def _finding(name: str, fails: prover.Refutation) -> prover.Finding:
    if name == laws.PAPER:
        return prover.Finding(
            "false",
            "Proposition 4.1",
            f"the largest steady delay in `{name}` is {in_words(laws.largest(name))}",
            fails.witness,
        )
    return prover.Finding(
        "invalid-step",
        "appendix C, proof of Lemma C.1, case 1",
        "the printed count sums whole slots and leaves out the updates of the first and the "
        f"last slot; that does not matter at i = j = 1 (from 1) in `{laws.PAPER}`, the stage order "
        f"of appendix C, but it does in `{name}`: the exact value needs the order that is said",
        fails.witness,
    )


_PRINTED = {"worst": p_**2 - p_ / 2}

CLAIM = prover.Claim(
    "rpd.prop-4.1",
    "Proposition 4.1, (4)",
    "The largest delay of steady PipeDream with p stages is p² − p/2 + O(1), and exactly "
    "p² − p/2 for even p.",
    r"\tau_{\max} = p^2 - \tfrac{p}{2} + O(1), \quad \tau_{\max} = p^2 - \tfrac{p}{2}"
    r" \text{ for even } p",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    shares="delay laws",
)
