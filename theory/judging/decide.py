"""The one judge: from what is known of a claim to its verdict.

Nothing else in the project says REFUTED, PROVED or CONDITIONAL of a claim. Grounds are asked for
what their machine reached; witnesses are replayed in exact arithmetic, and must satisfy whatever
the statement supposes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

import sympy
from sympy.concrete.expr_with_limits import ExprWithLimits

from theory.account import (
    Account,
    Case,
    Compared,
    Decision,
    Exhausted,
    Finding,
    Ground,
    Grounds,
    Line,
    Readings,
    Refutation,
    Repair,
    Violation,
)
from theory.errors import VacuousError
from theory.falsifier.compare import certain_sign, exceeds
from theory.falsifier.numbers import Enclosure, Root, exact, in_domain
from theory.kernel.elementary import ELEMENTARY
from theory.kernel.prove import Proof, is_line, is_made, prove
from theory.kernel.relations import Relation
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Scalar
from theory.laws.delays.comparison import Bounded, Comparison
from theory.ledger import Case as LedgerCase
from theory.ledger import Finding as LedgerFinding
from theory.ledger import Judgement, Link, PrintedProof, Step
from theory.ledger import Repair as LedgerRepair
from theory.smt.solver import Outcome
from theory.verdicts import Verdict, weakest

LINKS: Final[dict[type, Link]] = {
    Theorem: "kernel",
    Proof: "kernel",
    Outcome: "solver",
    Comparison: "comparison",
    Bounded: "comparison",
    Compared: "comparison",
    Exhausted: "grid",
}
"""What a verdict rests on, by what was handed in; nothing else is a ground."""


def decided(account: Account) -> Judgement:
    """The judgement of an account.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> decided(Account(Decision((YOUNG,)))).verdict.name
    'PROVED'
    >>> decided(Account(Decision())).verdict.name
    'UNKNOWN'
    """
    cases = tuple(_case(case) for case in account.cases)
    steps = tuple(_step(step) for step in account.steps)
    findings = tuple(found for one in account.findings for found in _finding(one))
    verdict = _overall(account.decision, cases)
    return Judgement(
        verdict=verdict,
        printed_proof=printed_proof(steps, findings),
        cases=cases,
        assumes=account.assumes,
        steps=steps,
        findings=findings,
        counterexample=_shown_witness(account.decision, verdict),
        evidence=account.evidence,
        rests_on=rests_on(account),
        arguments=account.arguments,
    )


def _overall(decision: Decision | Readings, cases: tuple[LedgerCase, ...]) -> Verdict:
    if isinstance(decision, Decision):
        return verdict_of(decision)
    holding = weakest(one.verdict for one in cases if one.when in decision.holds)
    named = set(decision.holds) <= {one.when for one in cases}
    if not named or holding is not Verdict.PROVED:
        return Verdict.UNKNOWN
    everywhere = all(one.verdict is Verdict.PROVED for one in cases)
    return Verdict.PROVED if everywhere else Verdict.CONDITIONAL


def verdict_of(decision: Decision) -> Verdict:
    """What follows from grounds and a refutation; both together show an error, and decide nothing.

    Examples
    --------
    >>> p = sympy.Symbol("p")
    >>> wrong = Violation(lambda: 4, "<=", p + 1, {p: 2})
    >>> verdict_of(Decision(fails=Refutation({"p": 2, "delay": 4}, wrong))).name
    'REFUTED'
    >>> right = Violation(lambda: 3, "<=", p + 1, {p: 2})
    >>> verdict_of(Decision(fails=Refutation({"p": 2, "delay": 3}, right))).name
    'UNKNOWN'
    """
    refuted = decision.fails is not None and stands(decision.fails)
    held = established(decision.grounds)
    if refuted:
        return Verdict.UNKNOWN if held is Verdict.PROVED else Verdict.REFUTED
    return max(held, Verdict.UNKNOWN)


def established(grounds: Grounds) -> Verdict:
    """The weakest of grounds that are needed together; UNKNOWN for none, or for what is no ground.

    Examples
    --------
    >>> established([]).name, established([Exhausted("p = 1, 2", 2, True)]).name
    ('UNKNOWN', 'CHECKED')
    """
    found: Verdict | None = None
    for ground in grounds:
        one = _reached(ground)
        if one <= Verdict.UNKNOWN:
            return Verdict.UNKNOWN
        found = one if found is None else min(found, one)
    return Verdict.UNKNOWN if found is None else found


def proves(*grounds: Ground) -> bool:
    """Whether all of these are proved; nothing proves nothing.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> proves(YOUNG), proves(YOUNG, Exhausted("p = 1, 2", 2, True)), proves()
    (True, False, False)
    """
    return established(grounds) is Verdict.PROVED


def _reached(ground: Ground) -> Verdict:
    """What the machine behind a ground reached."""
    if type(ground) is Theorem:
        try:
            return prove(ground).verdict
        except VacuousError:  # its hypotheses contradict each other
            return Verdict.UNKNOWN
    if type(ground) is Compared:
        return Verdict.PROVED if ground.holds is True else Verdict.UNKNOWN
    if type(ground) is Exhausted:
        passed = ground.holds is True and ground.tried > 0
        return Verdict.CHECKED if passed else Verdict.UNKNOWN
    if type(ground) is Proof and is_made(ground):
        return ground.verdict
    if type(ground) in LINKS and isinstance(ground, (Outcome, Comparison, Bounded)):
        return ground.verdict
    raise TypeError(f"a ground is something that a machine reached, found {ground!r:.80}")


def stands(refutation: Refutation) -> bool:
    """Whether a refutation holds when it is looked at once more."""
    if isinstance(refutation.because, Violation):
        return violated(refutation.because)
    return established(refutation.because) is Verdict.PROVED


def violated(one: Violation) -> bool:
    """Whether an instance satisfies what is supposed, and exceeds what is stated, exactly."""
    at = {symbol: _exactly(value) for symbol, value in one.at.items()}
    if not all(in_domain(value, symbol) for symbol, value in at.items()):
        return False
    if not all(satisfied(relation, at) for relation in one.under):
        return False
    measured = one.measured()
    if any(isinstance(number, Enclosure) for number in (measured, *one.at.values())):
        named = {str(symbol): value for symbol, value in one.at.items()}
        return one.kind == "<=" and exceeds(measured, one.stated, named)
    stated = _put(sympy.sympify(one.stated), at)
    sides = _exactly(measured), stated
    if not all(map(_is_real, sides)):  # what is infinite or imaginary breaks nothing
        return False
    gap = stated - sides[0]
    if gap.has(*ELEMENTARY):
        return certain_sign(gap) in {"<=": (-1,), ">=": (1,), "==": (-1, 1)}[one.kind]
    broken = {"<=": gap.is_negative, ">=": gap.is_positive, "==": gap.is_nonzero}[one.kind]
    return broken is True


def _is_real(number: Scalar) -> bool:
    """Whether it is a real number; exponentials and logarithms are so where they are enclosed."""
    if number.has(*ELEMENTARY):
        return certain_sign(number**2 + 1) == 1
    return number.is_real is True


def _exactly(number: Scalar | Root | Enclosure) -> Scalar:
    """A number of the falsifier, or any other exact one, as sympy has it."""
    return exact(number) if isinstance(number, (Root, Enclosure)) else sympy.sympify(number)


def satisfied(relation: Relation, at: dict[Scalar, Scalar]) -> bool:
    """Whether a relation holds at exact numbers for all of its symbols, with both sides real."""
    left, right = (_put(side, at) for side in (relation.lhs, relation.rhs))
    if left.free_symbols or right.free_symbols or not (_is_real(left) and _is_real(right)):
        return False
    gap = right - left
    if gap.has(*ELEMENTARY):
        return relation.kind == "<=" and certain_sign(gap) == 1
    holds = gap.is_zero if relation.kind == "==" else gap.is_nonnegative
    return holds is True


def _put(form: Scalar, at: dict[Scalar, Scalar]) -> Scalar:
    """A formula at numbers; what a sum or an integral counts with is no symbol of the formula."""
    bound = form.atoms(ExprWithLimits)  # xreplace would put numbers there too, but is far quicker
    return form.subs(at, simultaneous=True) if bound else form.xreplace(at)


def _shown_witness(decision: Decision | Readings, verdict: Verdict) -> dict[str, object] | None:
    """A witness that stands: of what is refuted, or beside a proof, which shows an error."""
    if isinstance(decision, Readings) or decision.fails is None:
        return None
    against_a_proof = verdict is Verdict.UNKNOWN and established(decision.grounds) is Verdict.PROVED
    stood = verdict is Verdict.REFUTED or against_a_proof
    return dict(decision.fails.witness) if stood else None


def _case(case: Case) -> LedgerCase:
    return LedgerCase(case.when, verdict_of(case.decision), case.says)


def _step(step: Line | Step) -> Step:
    if isinstance(step, Step):
        return step if is_line(step) else replace(step, verdict=Verdict.UNKNOWN)
    links = tuple(sorted(set(_links(step.decision))))
    return Step(step.where, step.says, step.rule, verdict_of(step.decision), rests_on=links)


def _finding(finding: Finding) -> Iterator[LedgerFinding]:
    """The finding, unless a ground of it fails."""
    if finding.shown and established(finding.shown) <= Verdict.UNKNOWN:
        return
    witness = dict(finding.witness) if finding.witness else None
    repaired = None if finding.repaired is None else _repair(finding.repaired)
    yield LedgerFinding(finding.kind, finding.where, finding.says, witness, repaired)


def _repair(repair: Repair) -> LedgerRepair:
    return LedgerRepair(repair.statement, established(repair.grounds))


def printed_proof(steps: Sequence[Step], findings: Iterable[LedgerFinding]) -> PrintedProof:
    """Invalid if a step is wrong, valid if printed lines and statement are shown, else a gap.

    Where several theorems together prove a statement, one without a printed line is a gap.
    """
    printed = [step for step in steps if not step.where.startswith(OURS)]
    wrong = any(step.verdict is Verdict.REFUTED for step in printed)
    if wrong or any(finding.kind == "invalid-step" for finding in findings):
        return "invalid"
    if not printed:
        return "none"
    needed = (step for step in steps if not step.where.startswith("ours"))
    shown = all(step.verdict is Verdict.PROVED for step in needed)
    return "valid" if shown and not _skipped(steps) else "gap"


def _skipped(steps: Sequence[Step]) -> bool:
    """Whether one of several theorems, whose steps end with its statement, has no printed line."""
    ends = [i for i, step in enumerate(steps) if step.where.startswith("statement")]
    starts = [0, *(end + 1 for end in ends)]
    proofs = [steps[start:end] for start, end in zip(starts, ends, strict=False)]
    return len(proofs) > 1 and any(
        all(step.where.startswith(OURS) for step in proof) for proof in proofs
    )


OURS: Final = ("ours", "statement")
"""Where steps stand that the source does not print."""


def rests_on(account: Account) -> tuple[Link, ...]:
    """The kinds of links on which an account rests, its steps included."""
    found: set[Link] = {"words"} if account.arguments else set()
    if isinstance(account.decision, Decision):
        found |= set(_links(account.decision))
    for case in account.cases:
        found |= set(_links(case.decision))
    for step in account.steps:
        of_kernel = isinstance(step, Step) and is_line(step)
        found |= {"kernel"} if of_kernel else set(_step(step).rests_on)
    return tuple(sorted(found))


def _links(decision: Decision) -> Iterator[Link]:
    because = decision.fails.because if decision.fails is not None else ()
    grounds = (*decision.grounds, *(because if isinstance(because, tuple) else ()))
    for ground in grounds:
        if type(ground) is Outcome:
            yield from cast(tuple[Link, ...], ground.rests_on)
        else:
            yield LINKS[type(ground)]
    if isinstance(because, Violation):
        yield "comparison"
