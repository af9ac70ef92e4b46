"""`as_claim`: a theorem as a row of the ledger, with a falsifier beside its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import sympy

from theory.account import Account, Decision, Finding, Refutation, Violation
from theory.claims import Claim, Formulas
from theory.errors import TheoryError, VacuousError
from theory.falsifier import Challenge, falsify
from theory.falsifier.effort import current
from theory.falsifier.gram.witness import gram_model
from theory.falsifier.indexed import in_every_iteration, reading
from theory.falsifier.noisy_runs import noisy_run
from theory.falsifier.small_models import small_model
from theory.falsifier.small_runs import small_run
from theory.judging.controls import formulas, verdict_of, without
from theory.kernel.consistency import consistent
from theory.kernel.context import measures
from theory.kernel.prove import Proof, conditions, prove
from theory.kernel.relations import Relation
from theory.kernel.rules.inner_runs import inner_runs
from theory.kernel.theorem import Assumption, Theorem
from theory.kernel.vectors import Scalar
from theory.later import Later
from theory.ledger import REMARK, Evidence, Step
from theory.verdicts import Verdict

Remarks = Callable[[Proof], Sequence[Finding]]
"""More findings about a claim, from its proof."""


def as_claim(
    theorem: Theorem,
    challenge: Challenge | None = None,
    remarks: Remarks | None = None,
    cost: float = 1,
    where: Scalar = sympy.true,
    beside: tuple[str, ...] = (),
) -> Claim:
    """The claim that judges a theorem by its own proof.

    PROVED if the proof holds. Else an exact counterexample is looked for, among small numbers and,
    where a challenge is named, by the falsifier; the verdict is REFUTED with one and UNKNOWN
    without.

    Parameters
    ----------
    theorem : Theorem
    challenge : Challenge, optional
        What the statement bounds, and exact runs that it is measured on; it is tried beside a proof
        too, since a proof and a counterexample together show an error.
    remarks : callable, optional
    cost : float
        See `theory.claims.Claim`.
    where : sympy condition
        What the hypotheses say of the parameters that the challenge does not: only instances where
        it holds are tried.
    beside : tuple of str
        Ids of claims on which its reading rests, beside what the theorem cites.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> claim = as_claim(YOUNG)
    >>> claim.id, claim.account(YOUNG.terms).decision.grounds == (YOUNG,)
    ('kernel.young', True)
    """
    return Claim(
        id=theorem.id,
        where=theorem.where,
        statement=theorem.statement,
        latex=theorem.latex,
        account=partial(account, theorem, challenge=challenge, remarks=remarks, where=where),
        printed=theorem.terms,
        core=Later(partial(formulas, theorem)),
        holds=partial(verdict_of, theorem),
        weakened=Later(partial(_weakened, theorem)),
        depends=(*(cited.id for cited in theorem.cites), *beside),
        deeper=partial(_deeper, challenge, where),
        cost=cost,
        shares=challenge.name if challenge else "",
        origin="ours" if theorem.where == "ours" else "printed",
        theorem=theorem,
        challenge=challenge.name if challenge else "",
    )


def is_attacked(claim: Claim) -> bool:
    """Whether only the kernel and small numbers decide a claim: it is made here, unchallenged."""
    by, theorem = claim.account, claim.theorem
    if not isinstance(by, partial) or by.func is not account or by.args != (theorem,):
        return False
    return not claim.challenge and by.keywords.get("challenge") is None


def _weakened(theorem: Theorem) -> dict[str, Callable[[], Verdict]]:
    """The theorem without each hypothesis that its proof needs; the others are findings."""
    used = prove(theorem).used
    return {h.name: partial(without, theorem, h.name) for h in theorem.hypotheses if h.name in used}


def account(
    theorem: Theorem,
    printed: Formulas,
    challenge: Challenge | None = None,
    remarks: Remarks | None = None,
    where: Scalar = sympy.true,
    attacked: bool = True,
) -> Account:
    """What is known of a theorem with these terms on its right-hand side.

    Parameters
    ----------
    theorem, challenge, remarks, where
        As in `as_claim`.
    printed : mapping of str to sympy expression
    attacked : bool
        Look for small numbers that violate it where it is not proved.

    Raises
    ------
    theory.errors.VacuousError
        No values satisfy its hypotheses.
    """
    stated = theorem if printed == theorem.terms else replace(theorem, terms=printed)
    proof = prove(stated)
    if proof.verdict is not Verdict.PROVED:  # a certificate that does not hold may not choose
        stated = stated.whole
    refutation, evidence = _attempt(stated, challenge, where)
    if refutation is None and proof.verdict is not Verdict.PROVED and attacked:
        refutation = _attacked(stated)
        evidence = evidence if refutation else (*evidence, *_open(stated))
    findings = [*superfluous(stated, proof), *(remarks(proof) if remarks else ())]
    return Account(
        Decision((stated,), refutation),
        assumes=assumptions(stated),
        steps=_whose(theorem, proof.lines),
        findings=tuple(findings),
        evidence=evidence,
    )


def _whose(theorem: Theorem, lines: tuple[Step, ...]) -> tuple[Step, ...]:
    """The lines of a proof: no line of a theorem of ours is printed, whatever it was made from."""
    if theorem.where != "ours":
        return lines
    return tuple(
        line if line.where == "statement" else replace(line, where="ours") for line in lines
    )


def said_of(one: Assumption) -> str:
    """An assumption by its name, and what its file says of it; once, where that is the same."""
    return one.name if one.says == one.name else f"{one.name}: {one.says}"


def assumptions(theorem: Theorem) -> tuple[str, ...]:
    """What a row takes for granted: hypotheses, and how its names are to be read.

    Examples
    --------
    >>> from theory.kernel.lemmas import DESCENT
    >>> assumptions(DESCENT)[0]
    'smooth: ∇f is L-Lipschitz'
    """
    inner = (
        f"{_listed(run.functions)}: go along {_listed(run.indices)} inside an iteration, and every "
        "iteration has its own"
        for run in inner_runs(theorem)
    )
    return (
        *map(said_of, theorem.hypotheses),
        *(f"{_listed(one.names)} is the same in every iteration" for one in theorem.fixed),
        *(
            f"{_listed(one.given)}: the same at every outcome of {one.name}"
            for one in measures(theorem)
            if one.given
        ),
        *inner,
        *theorem.assumes,
    )


def _listed(names: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, names)))


def superfluous(theorem: Theorem, proof: Proof) -> list[Finding]:
    """A finding for every hypothesis that the proof does not need.

    Without some there is no theorem, as without ∇f(x*) = 0, which says that nothing in it is drawn.
    """
    if proof.verdict is not Verdict.PROVED:
        return []
    found = []
    for hypothesis in (one for one in theorem.hypotheses if one.name not in proof.used):
        kept = tuple(one for one in theorem.hypotheses if one is not hypothesis)
        said = f"{hypothesis.says}: the proof never uses it, and the statement holds without it"
        with suppress(TheoryError):
            without = replace(theorem, hypotheses=kept)
            found.append(Finding("superfluous-condition", theorem.where, said, shown=(without,)))
    return found


def _attempt(
    theorem: Theorem, challenge: Challenge | None, where: Scalar
) -> tuple[Refutation | None, tuple[Evidence, ...]]:
    """The falsifier's instance, with all that the theorem supposes of it, or what it tried."""
    if challenge is None:
        return None, ()
    bound = sympy.Add(*theorem.terms.values())
    attempt = falsify(challenge, bound, where=where)
    if attempt.witness is None or attempt.violation is None:
        return None, (attempt.evidence,)
    instance = attempt.violation
    supposed = conditions(theorem)
    symbols = bound.free_symbols.union(*(relation.gap.free_symbols for relation in supposed))
    at = {s: instance.numbers[s.name] for s in symbols if s.name in instance.numbers}
    of_instance = tuple(one for one in supposed if one.gap.free_symbols <= set(at))
    if not _possible([one.replaced(at) for one in supposed if one not in of_instance]):
        return None, (attempt.evidence,)
    violation = Violation(partial(challenge.replay, instance), "<=", bound, at, of_instance)
    return Refutation(dict(attempt.witness), violation), (attempt.evidence,)


def _attacked(theorem: Theorem) -> Refutation | None:
    """Numbers that satisfy every hypothesis and violate the statement."""
    if current().budget <= 0:
        return None
    attacks = (small_model, gram_model, noisy_run, small_run)
    model = None
    try:
        posed = in_every_iteration(theorem)
    except TheoryError:  # no instance has what is said, whatever index is meant
        return None
    for attack in attacks:
        with suppress(RecursionError):  # sympy recurses into the signs of a sum with 200 powers
            model = model or attack(posed)
    if model is None:
        return None
    model = replace(model, of=theorem)
    goal = model.goal
    violation = Violation(model.left, goal.kind, goal.rhs, model.numbers, model.under)
    return Refutation(model.shown, violation)


def _open(theorem: Theorem) -> tuple[Evidence, ...]:
    """That it is open of which index something is assumed."""
    says = reading(theorem)
    return (Evidence("neither", says, {REMARK: True}),) if says else ()


def _possible(relations: list[Relation]) -> bool:
    """Whether names of the proof, which no instance gives a value, have values as supposed."""
    try:
        return not relations or consistent(relations, "instance").verdict is Verdict.PROVED
    except VacuousError:
        return False


def _deeper(challenge: Challenge | None, where: Scalar, printed: Formulas) -> tuple[Evidence, ...]:
    """Long runs with the rates fitted to them."""
    if challenge is None:
        return ()
    bound = sympy.Add(*printed.values())
    attempt = falsify(challenge, bound, deep=True, where=where)
    return attempt.evidence, *attempt.rates
