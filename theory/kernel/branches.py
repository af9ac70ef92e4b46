"""A statement whose stepsize is a minimum: one theorem for each branch, and one claim for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from theory.claims import Claim, Formulas
from theory.kernel.as_claim import judgement, printed_proof
from theory.kernel.controls import formulas, verdict_of, without
from theory.kernel.prove import Proof, prove
from theory.kernel.theorem import Theorem
from theory.ledger import Case, Finding, Judgement, Step
from theory.verdicts import Verdict, weakest

Remarks = Callable[[], tuple[Finding, ...]]
"""More findings about the statement."""


def by_branches(
    stated: Theorem,
    branches: Mapping[str, Theorem],
    challenge: str | None = None,
    depends: tuple[str, ...] = (),
    remarks: Remarks | None = None,
    cost: float = 1,
) -> Claim:
    """The claim that holds if it holds in every branch.

    Parameters
    ----------
    stated : Theorem
        Gives id, place and words; its proof is not looked at.
    branches : mapping of str to Theorem
        By what holds in it; together they cover the statement's domain. All have one left-hand
        side and one right-hand side.
    challenge : str, optional
        As in `theory.kernel.as_claim`.
    depends : tuple of str
        Claims that the branches rest on.
    remarks : callable, optional
    cost : float
        As in `theory.claims.Claim`.
    """
    return Claim(
        id=stated.id,
        where=stated.where,
        statement=stated.statement,
        latex=stated.latex,
        judge=partial(_judge, branches=branches, challenge=challenge, remarks=remarks),
        printed=stated.terms,
        core=stated.terms,
        holds=partial(_holds, branches),
        weakened={
            f"{when}: {hypothesis.name}": partial(without, theorem, hypothesis.name)
            for when, theorem in branches.items()
            for hypothesis in theorem.hypotheses
        },
        depends=depends,
        cost=cost,
    )


def _stated(theorem: Theorem, printed: Formulas) -> Theorem:
    return theorem if printed == theorem.terms else replace(theorem, terms=printed)


def _judge(
    printed: Formulas,
    branches: Mapping[str, Theorem],
    challenge: str | None,
    remarks: Remarks | None,
) -> Judgement:
    proofs = {when: prove(_stated(one, printed)) for when, one in branches.items()}
    first = next(iter(branches.values()))
    base = judgement(first, printed, challenge=challenge)
    verdict = weakest(proof.verdict for proof in proofs.values())
    if base.counterexample is not None and verdict is not Verdict.PROVED:
        verdict = Verdict.REFUTED
    return replace(
        base,
        verdict=verdict,
        printed_proof=printed_proof(next(iter(proofs.values()))),
        cases=tuple(Case(when, proof.verdict) for when, proof in proofs.items()),
        assumes=_assumed(branches),
        steps=tuple(line for when, proof in proofs.items() for line in _lines(when, proof)),
        findings=remarks() if remarks else (),
    )


def _assumed(branches: Mapping[str, Theorem]) -> tuple[str, ...]:
    """What every branch assumes; what only some do is their name."""
    said = [tuple(f"{h.name}: {h.says}" for h in one.hypotheses) for one in branches.values()]
    return tuple(line for line in said[0] if all(line in one for one in said))


def _lines(when: str, proof: Proof) -> tuple[Step, ...]:
    return tuple(replace(line, says=f"{when}: {line.says}") for line in proof.lines)


def _holds(branches: Mapping[str, Theorem], edited: Formulas) -> Verdict:
    """What the same proofs make of edited terms: UNKNOWN as soon as one branch does not hold."""
    terms = {f"statement {name}": form for name, form in edited.items()}
    for one in branches.values():
        verdict = verdict_of(one, {**formulas(one), **terms})
        if verdict is not Verdict.PROVED:
            return verdict
    return Verdict.PROVED
