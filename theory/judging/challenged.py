"""Which of a theorem's hypotheses the instances of a challenge are known to satisfy.

A challenge's instances satisfy what the statements that it was made for suppose, and no more. An
instance that does not satisfy a hypothesis refutes nothing; conditions on constants are replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sympy.core.function import AppliedUndef

from theory.account import Account, Decision, Refutation, Violation
from theory.claims import Claim
from theory.falsifier.small_models import SmallModel
from theory.judging.catalogue import CLAIMS
from theory.kernel.normal import is_zero
from theory.kernel.prove import conditions
from theory.kernel.theorem import Assumption, Hypothesis, Smooth, Theorem
from theory.ledger import Evidence


def fairly(claim: Claim, account: Account) -> Account:
    """The account of a file's claim, without a refutation by what its theorem does not speak of."""
    decision = account.decision
    if claim.source is None or claim.theorem is None:
        return account
    if not isinstance(decision, Decision) or decision.fails is None:
        return account
    if _is_about(decision.fails, claim.theorem) or not _is_of_ours(claim.challenge):
        return account
    strange = tuple(_strange(claim.theorem, claim.challenge))
    if not strange:
        return account
    why = (
        f"the instance refutes nothing: those of {claim.challenge!r} are not known to satisfy "
        f"{', '.join(strange)}"
    )
    seen = (replace(one, points="neither") for one in account.evidence)
    note = Evidence("neither", why, {})
    return replace(account, decision=replace(decision, fails=None), evidence=(*seen, note))


def _is_of_ours(challenge: str) -> bool:
    """Whether the catalogue has it; of a file's own challenge the file says what it is about."""
    return any(claim.challenge == challenge for claim in CLAIMS.values())


def _is_about(refutation: Refutation, theorem: Theorem) -> bool:
    """Whether what is replayed are numbers that were posed with these very hypotheses."""
    because = refutation.because
    model = getattr(because.measured, "__self__", None) if isinstance(because, Violation) else None
    if not isinstance(model, SmallModel):
        return False
    same = [*map(id, model.of.hypotheses)] == [*map(id, theorem.hypotheses)]
    return same and is_zero(model.of.lhs - theorem.lhs) and model.of.kind == theorem.kind


def _strange(theorem: Theorem, challenge: str) -> Iterator[str]:
    """What a theorem says or supposes that no theorem of the catalogue with this challenge does."""
    known = [
        claim.theorem
        for claim in CLAIMS.values()
        if claim.challenge == challenge and claim.theorem is not None
    ]
    if not any(_same_measured(theorem, one) for one in known):
        yield f"what {theorem.lhs} is"
    replayed = conditions(theorem)
    for one in theorem.hypotheses:
        checked = isinstance(one, Hypothesis) and one.relation in replayed
        if not checked and not any(_same(one, h) for other in known for h in other.hypotheses):
            yield repr(one.name)


def _same(one: Assumption, other: Assumption) -> bool:
    if isinstance(one, Smooth) and isinstance(other, Smooth):
        return one.function == other.function and is_zero(one.constant - other.constant)
    if isinstance(one, Hypothesis) and isinstance(other, Hypothesis):
        gaps = one.relation.gap - other.relation.gap
        return one.relation.kind == other.relation.kind and is_zero(gaps)
    return False


def _same_measured(one: Theorem, other: Theorem) -> bool:
    """Whether two theorems bound the same thing, made of sequences of the same meaning."""
    called = {call.func for call in one.lhs.atoms(AppliedUndef)}
    meant = all(one.sequences.get(f) == other.sequences.get(f) for f in called)
    return meant and is_zero(one.lhs - other.lhs)
