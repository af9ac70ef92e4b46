"""Appendix F: RPD fed with PipeDream's order, batches and exact delays is PipeDream.

Problem    RPD fed with PipeDream's order of block updates, its microbatches and its exact delays.
Method     an induction on the history index, for all timelines, whatever actions take: block j of
           the history at the length h that F(j, m) recorded is the block that F(j, m) read. The h
           updates are the first of the history, and those of block j among them are the ones of
           earlier slots, for no linearization counts an update of the forward's own stage in its
           own slot. Each step is a query; that it goes from index to index is text, and so is that
           a function gives the same gradient, in floats bit for bit, for the same model and
           microbatch.
Guarantee  it takes exactly PipeDream's steps. It needs indices that are positions in the history:
           with those of `slot-start`, which stages of one slot share, the delays are too short.
Source     RPD paper, appendix F.
"""

from collections.abc import Iterator
from functools import partial

import sympy

from schedules.linearization import get_linearization
from theory.judging import prover
from theory.papers.rpd.lemmas.embedding import (
    delay_statement,
    equivalent_statements,
    h,
    history_statements,
    index_statement,
    induction_statements,
    k,
    slot_statements,
)
from theory.papers.rpd.lemmas.laws import PAPER, by_linearization, in_paper
from theory.papers.rpd.witnesses.fed_runs import (
    compared_runs,
    insufficient,
    mismatch,
    mismatch_of_equivalent,
    off_by_one,
)

ARGUMENT = (
    "induction over the history: the statements about index k give the one about k + 1; and a "
    "function has the same gradient, in floats bit for bit, for the same model and microbatch"
)


@prover.remembered
def _shared() -> tuple[prover.Outcome, ...]:
    statements = (*slot_statements(), *induction_statements(), *equivalent_statements())
    return tuple(prover.decide(statement) for statement in statements)


@prover.remembered
def _of_history(linearization: str) -> tuple[prover.Outcome, ...]:
    chosen = get_linearization(linearization)
    return tuple(
        prover.decide(statement)
        for statement in (*history_statements(chosen), index_statement(chosen))
    )


def _proof(linearization: str, delay: sympy.Expr) -> tuple[prover.Outcome, ...]:
    return (*_shared(), *_of_history(linearization), prover.decide(delay_statement(delay)))


def _holds(formulas: prover.Formulas) -> Iterator[prover.Outcome]:
    yield from _proof(PAPER, formulas["delay"])


def _known(delay: sympy.Expr, linearization: str) -> tuple[prover.Decision, str]:
    outcomes, differs = _proof(linearization, delay), mismatch(linearization, delay)
    if differs is None:
        return prover.Decision(outcomes), "for all timelines" if prover.proves(
            *outcomes
        ) else "no run differs"
    short = next((one.says for one in outcomes if not prover.proves(one)), "proved all the same")

    def differing() -> int:
        return int(mismatch(linearization, delay) is not None)

    fails = prover.Refutation(differs, prover.Violation(differing, "==", sympy.Integer(0), {}))
    return prover.Decision(outcomes, fails), f"{short}: fails in a run, {prover.in_words(differs)}"


def _equivalent() -> prover.Case:
    same = mismatch_of_equivalent() is None
    runs = prover.Compared(
        "no run differs", "theory.papers.rpd.witnesses.fed_runs.mismatch_of_equivalent", same
    )
    decision = prover.Decision((*_shared(), runs))
    says = "the least that read the same blocks"
    return prover.Case("fed with equivalent delays instead", decision, says)


PRINTED = ("delay", "same model", "same step")
"""Statements of `embedding` that appendix F makes; the others are ours."""


def _steps(delay: sympy.Expr, fails: prover.Refutation | None) -> Iterator[prover.Line]:
    """The lines of the appendix, and what they need; then what is not enough, each by a run."""
    for one in _proof(PAPER, delay):
        where = "appendix F" if one.name in PRINTED else "ours"
        known = prover.Decision((one,), fails if one.name == "delay" else None)
        yield prover.Line(where, one.says, "z3, for all timelines", known)
    for name, differs in insufficient():
        says, code = f"not sufficient: {name}", "theory.papers.rpd.witnesses.fed_runs.insufficient"
        run = prover.Decision((prover.Compared(says, code, differs),))
        yield prover.Line("appendix F", says, "a run that differs", run)
    says = "one delay more or less shows if and only if the block changed there"
    one_run = prover.Exhausted(f"{says}: every delay of a run", 1, off_by_one())
    yield prover.Line("ours", says, "every delay of a run", prover.Decision((one_run,)))


def _account(formulas: prover.Formulas) -> prover.Account:
    delay = formulas["delay"]
    cases = by_linearization(partial(_known, delay))
    decision = in_paper(cases)
    return prover.Account(
        decision,
        cases=(*cases, _equivalent()),
        assumes=(
            "a backward's gradient is that of the blocks which its microbatch's forwards read, as "
            "in appendix F",
            "delays count positions in the history: the paper's `ascending`, as in its public code",
            "both compute a gradient by the same operations in the same order",
        ),
        steps=tuple(_steps(delay, decision.fails)),
        evidence=() if decision.fails else (compared_runs(),),
        arguments=(ARGUMENT,),
    )


_PRINTED = {"delay": k - h}

CLAIM = prover.Claim(
    "rpd.pd-as-rpd",
    "appendix F",
    "RPD fed with PipeDream's order of block updates, its microbatches and its exact delays "
    "takes exactly PipeDream's steps.",
    r"d_j^k = k - h_j^{m_k}, \quad \hat x_j^k = x_j^{k - d_j^k} = x_j^{h_j^{m_k}}",
    account=_account,
    printed=_PRINTED,
    core=_PRINTED,
    holds=_holds,
    weakened={"an update's index is its position": lambda: _proof("slot-start", k - h)},
)
