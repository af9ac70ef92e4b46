"""`as_claim`: a theorem as a row of the ledger, with a falsifier beside its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal

import sympy

from theory.claims import Claim, Formulas
from theory.kernel.controls import formulas, verdict_of, without
from theory.kernel.prove import Proof, prove
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.ledger import Evidence, Finding, Judgement
from theory.verdicts import Verdict

Remarks = Callable[[Proof], Sequence[Finding]]
"""More findings about a claim, from its proof."""


def as_claim(
    theorem: Theorem,
    challenge: str | None = None,
    remarks: Remarks | None = None,
    cost: float = 1,
    where: Scalar = sympy.true,
) -> Claim:
    """The claim that judges a theorem by its own proof.

    PROVED if the proof holds. Else, where a challenge is named, the falsifier looks for an exact
    counterexample, and the verdict is REFUTED with one and UNKNOWN without.

    Parameters
    ----------
    theorem : Theorem
    challenge : str, optional
        What the statement bounds, by its name in `theory.falsifier.CHALLENGES`; it is tried beside
        a proof too, since a proof and a counterexample together show an error.
    remarks : callable, optional
    cost : float
        See `theory.claims.Claim`.
    where : sympy condition
        What the hypotheses say of the parameters that the challenge does not: only instances where
        it holds are tried.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> as_claim(YOUNG).judge(YOUNG.terms).verdict.name
    'PROVED'
    """
    return Claim(
        id=theorem.id,
        where=theorem.where,
        statement=theorem.statement,
        latex=theorem.latex,
        judge=partial(judgement, theorem, challenge=challenge, remarks=remarks, where=where),
        printed=theorem.terms,
        core=_Later(partial(formulas, theorem)),
        holds=partial(verdict_of, theorem),
        weakened=_Later(partial(_weakened, theorem)),
        depends=tuple(cited.id for cited in theorem.cites),
        deeper=partial(_deeper, theorem, challenge, where),
        cost=cost,
        shares=challenge or "",
    )


class _Later(Mapping[str, Any]):
    """A mapping that is worked out when it is first looked at: importing a claim proves nothing."""

    def __init__(self, work_out: Callable[[], Mapping[str, Any]]) -> None:
        self._work_out = cache(work_out)

    def __getitem__(self, name: str) -> Any:
        return self._work_out()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._work_out())

    def __len__(self) -> int:
        return len(self._work_out())


def _weakened(theorem: Theorem) -> dict[str, Callable[[], Verdict]]:
    """The theorem without each hypothesis that its proof needs; the others are findings."""
    used = prove(theorem).used
    return {h.name: partial(without, theorem, h.name) for h in theorem.hypotheses if h.name in used}


def judgement(
    theorem: Theorem,
    printed: Formulas,
    challenge: str | None = None,
    remarks: Remarks | None = None,
    where: Scalar = sympy.true,
) -> Judgement:
    """Judge a theorem with these terms on its right-hand side."""
    stated = theorem if printed == theorem.terms else replace(theorem, terms=printed)
    proof = prove(stated)
    witness, evidence = _attempt(challenge, where, printed)
    verdict = proof.verdict
    if witness is not None and verdict is not Verdict.PROVED:
        verdict = Verdict.REFUTED  # beside a proof, `theory.verify` turns both into UNKNOWN
    findings = [*superfluous(stated, proof), *(remarks(proof) if remarks else ())]
    return Judgement(
        verdict=verdict,
        printed_proof=printed_proof(proof),
        assumes=assumptions(stated),
        steps=proof.lines,
        findings=tuple(findings),
        counterexample=witness,
        evidence=evidence,
    )


def assumptions(theorem: Theorem) -> tuple[str, ...]:
    """What a row takes for granted: hypotheses, and how its names are to be read.

    Examples
    --------
    >>> from theory.nesterov.gradient_window import THEOREM
    >>> assumptions(THEOREM)[-1]
    'g is the same in every iteration'
    """
    inner = (
        f"{_listed(run.functions)}: go along {_listed(run.indices)} inside an iteration, and every "
        "iteration has its own"
        for run in inner_runs(theorem)
    )
    return (
        *(f"{h.name}: {h.says}" for h in theorem.hypotheses),
        *(f"{_listed(one.names)} is the same in every iteration" for one in theorem.fixed),
        *inner,
        *theorem.assumes,
    )


def _listed(names: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, names)))


def superfluous(theorem: Theorem, proof: Proof) -> list[Finding]:
    """A finding for every hypothesis that the proof does not need."""
    if proof.verdict is not Verdict.PROVED:
        return []
    return [
        Finding(
            "superfluous-condition",
            theorem.where,
            f"{hypothesis.says}: the proof never uses it, and the statement holds without it",
        )
        for hypothesis in theorem.hypotheses
        if hypothesis.name not in proof.used
    ]


def printed_proof(proof: Proof) -> Literal["valid", "gap", "invalid", "none"]:
    """Valid if every printed line is shown, and a gap if one is not; none if none is printed."""
    printed = [line for line in proof.lines if line.where not in ("ours", "statement")]
    if not printed:
        return "none"
    shown = all(line.verdict is Verdict.PROVED for line in printed)
    return "valid" if shown and proof.verdict is Verdict.PROVED else "gap"


def _attempt(
    challenge: str | None, where: Scalar, printed: Formulas
) -> tuple[dict[str, Any] | None, tuple[Evidence, ...]]:
    if challenge is None:
        return None, ()
    from theory.falsifier import CHALLENGES, falsify

    attempt = falsify(CHALLENGES[challenge], sympy.Add(*printed.values()), where=where)
    witness = None if attempt.witness is None else dict(attempt.witness)
    return witness, (attempt.evidence,)


def _deeper(
    theorem: Theorem, challenge: str | None, where: Scalar, printed: Formulas
) -> tuple[Evidence, ...]:
    """Long runs with the rates fitted to them, and worst cases where they can be computed."""
    from theory.falsifier import CHALLENGES, falsify
    from theory.tightness.evidence import extremal_evidence, tightness_evidence

    found = [extremal_evidence(theorem.id), tightness_evidence(theorem.id)]
    if challenge is not None:
        bound = sympy.Add(*printed.values())
        attempt = falsify(CHALLENGES[challenge], bound, deep=True, where=where)
        found += [attempt.evidence, *attempt.rates]
    return tuple(evidence for evidence in found if evidence is not None)
