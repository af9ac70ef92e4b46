"""Claims that rest on several theorems of the kernel: lines, verdict and controls of them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from theory.errors import VacuousError
from theory.kernel import Hypothesis, Theorem, prove
from theory.kernel.controls import without
from theory.kernel.theorem import Given
from theory.ledger import Step
from theory.verdicts import Verdict


def lines(*theorems: Theorem) -> tuple[Step, ...]:
    """One step of our own proof for each theorem.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> [(step.rule, step.verdict.name) for step in lines(YOUNG)]
    [('certificate: squares', 'PROVED')]
    """
    return tuple(map(_line, theorems))


def _line(theorem: Theorem) -> Step:
    try:
        proof = prove(theorem)
    except VacuousError as error:  # hypotheses that are edited may contradict each other
        return Step("ours", theorem.statement, error.what, Verdict.UNKNOWN)
    rule = next(line.rule for line in proof.lines if line.where == "statement")
    return Step("ours", theorem.statement, rule, proof.verdict)


def together(*theorems: Theorem) -> Verdict:
    """PROVED if all of them are, else UNKNOWN: also where the hypotheses of one have no model."""
    return Verdict.PROVED if theorems and all(map(_shown, theorems)) else Verdict.UNKNOWN


def _shown(theorem: Theorem) -> bool:
    given = Given(theorem, {one.name: one.relation for one in _said(theorem)})
    if not theorem.steps and theorem.conclude.check(theorem.goal, given).verdict < Verdict.PROVED:
        return False  # a certificate that fails is found faster than a model of the hypotheses
    return _line(theorem).verdict is Verdict.PROVED


def _said(theorem: Theorem) -> Iterator[Hypothesis]:
    return (one for one in theorem.hypotheses if isinstance(one, Hypothesis))


def weakened(*theorems: Theorem) -> dict[str, Callable[[], Verdict]]:
    """What comes of each theorem without each of its hypotheses, by both names."""
    return {
        f"{hypothesis.name} ({theorem.id})": partial(without, theorem, hypothesis.name)
        for theorem in theorems
        for hypothesis in theorem.hypotheses
    }
