"""A statement whose stepsize is a minimum: one theorem for each branch, and one claim for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy
import z3
from sympy.core.function import AppliedUndef

from theory.account import OPEN, Account, Case, Decision, Finding, Line
from theory.claims import Claim, Formulas
from theory.errors import TheoryError, UnsupportedFormError
from theory.falsifier import Challenge
from theory.judging.as_claim import account, assumptions, said_of
from theory.judging.controls import formulas, without
from theory.judging.controls import verdict_of as control_of
from theory.judging.decide import OURS, verdict_of
from theory.kernel.consistency import require_no_contradiction
from theory.kernel.context import constants, names_in
from theory.kernel.prove import Proof, prove
from theory.kernel.relations import Relation
from theory.kernel.rules import Expect, Integral, Swap
from theory.kernel.rules.ranges import lets_run, rules_of
from theory.kernel.signs import Translator, undefined
from theory.kernel.theorem import Hypothesis, Rule, Theorem
from theory.kernel.vectors import Point, Scalar
from theory.ledger import Step
from theory.smt.queries import remembered
from theory.smt.solver import Outcome, Statement, decide
from theory.verdicts import Verdict

Remarks = Callable[[], tuple[Finding, ...]]
"""More findings about the statement."""

Names = Mapping[str, tuple[str, ...]]
"""Names of hypotheses, by branch."""


def by_branches(
    stated: Theorem,
    branches: Mapping[str, Theorem],
    covers: Names,
    chosen: tuple[Relation, ...],
    vanishing: tuple[Scalar, ...] = (),
    instances: Names | None = None,
    challenge: Challenge | None = None,
    depends: tuple[str, ...] = (),
    remarks: Remarks | None = None,
    cost: float = 1,
) -> Claim:
    """The claim that holds if it holds in every branch, and if the branches leave nothing out.

    Parameters
    ----------
    stated : Theorem
        Gives id, place, words and assumptions; its proof is not looked at.
    branches : mapping of str to Theorem
        By what holds in it. All have one left-hand side and one right-hand side.
    covers : mapping of str to tuple of str
        For every branch, its hypotheses that say when it applies. That some branch applies
        wherever `chosen` holds is proved; where it is not, the claim is UNKNOWN.
    chosen : tuple of Relation
        What the statement says of the stepsize: see `minimum`.
    vanishing : tuple of sympy symbols
        Symbols that are positive in the theorems, and may be 0 where the cases are compared.
    instances : mapping of str to tuple of str, optional
        For every branch, its hypotheses that are neither among those of `stated` nor conditions:
        the instances of the same assumptions that only this branch needs.
    challenge : Challenge, optional
        As in `theory.judging.as_claim`.
    depends : tuple of str
        Claims that the branches rest on.
    remarks : callable, optional
        Called where the claim is proved.
    cost : float
        As in `theory.claims.Claim`.

    Raises
    ------
    TheoryError
        The branches are about different things, or one assumes what is not named.
    """
    _require_alike(stated, branches)
    _require_named(stated, branches, covers, instances or {})
    for when, one in branches.items():
        _require_general(stated.id, when, one, covers[when])
    covered = remembered(partial(_covered, stated.id, branches, covers, chosen, vanishing))
    return Claim(
        id=stated.id,
        where=stated.where,
        statement=stated.statement,
        latex=stated.latex,
        account=partial(
            _account,
            branches=branches,
            covers=covers,
            chosen=chosen,
            covered=covered,
            challenge=challenge,
            remarks=remarks,
        ),
        printed=stated.terms,
        core=stated.terms,
        holds=partial(_holds, branches, covered),
        weakened={
            f"{when}: {hypothesis.name}": partial(without, theorem, hypothesis.name)
            for when, theorem in branches.items()
            for hypothesis in theorem.hypotheses
        },
        depends=depends,
        cost=cost,
        origin="ours" if stated.where == "ours" else "printed",
        theorem=stated,
        challenge=challenge.name if challenge else "",
        chosen=chosen,
    )


def minimum(symbol: Scalar, one: Scalar, other: Scalar) -> tuple[Relation, ...]:
    """That a symbol is the smaller of two expressions: at most both, and one of them."""
    return (
        Relation(symbol, "<=", one),
        Relation(symbol, "<=", other),
        Relation((symbol - one) * (symbol - other), "==", sympy.S.Zero),
    )


def _require_alike(stated: Theorem, branches: Mapping[str, Theorem]) -> None:
    """One left-hand side, one right-hand side and kind, and one meaning of all that is named."""
    gaps = [relation.gap for _, relation in stated.relations]
    functions = {call.func for call in stated.goal.gap.atoms(AppliedUndef)}
    about = frozenset[str]().union(*map(names_in, gaps))
    for when, one in branches.items():
        domains = {symbol.name: symbol for symbol in (*stated.symbols, *stated.scalars)}
        same = (
            (one.lhs, one.kind, one.terms) == (stated.lhs, stated.kind, stated.terms)
            and all(one.sequences.get(f) == stated.sequences.get(f) for f in functions)
            and all(domains.get(s.name, s) == s for s in (*one.symbols, *one.scalars))
            and not set(one.symbols) & set(stated.scalars)
            and all(stated.sequences.get(f, v) == v for f, v in one.sequences.items())
            and set(one.following) <= set(stated.following)
            and all(p in stated.points for p in one.points if about & _taken_at(p))
        )
        if not same:
            raise TheoryError(
                "branches have one left-hand side, right-hand side, kind and meaning of every "
                f"symbol, point and sequence, found another in {when!r}",
                stated.id,
                "state the same thing in every branch",
            )


def _taken_at(point: Point) -> frozenset[str]:
    """The names of the value and the gradient at a point."""
    return frozenset({point.value.name}) | point.gradient.names


def _require_named(
    stated: Theorem, branches: Mapping[str, Theorem], covers: Names, instances: Names
) -> None:
    conditions = {name for names in covers.values() for name in names}
    assumed = [h for h in stated.hypotheses if h.name not in conditions]
    for when, one in branches.items():
        named = {*covers.get(when, ()), *instances.get(when, ())}
        hidden = [h.name for h in one.hypotheses if h not in assumed and h.name not in named]
        absent = sorted(named - {h.name for h in one.hypotheses})
        if hidden or absent or when not in covers:
            raise TheoryError(
                "what a branch assumes beside the statement is one of its conditions or "
                f"instances, found {', '.join(hidden + absent) or 'no conditions'} in {when!r}",
                stated.id,
                "name the hypotheses in `covers` or `instances`",
            )


def _require_general(where: str, when: str, one: Theorem, conditions: tuple[str, ...]) -> None:
    """A condition splits constants, or a proof that is about one outcome and one iteration.

    That some case applies at each outcome does not say that one applies at all of them; a proof
    that takes a mean or sums over iterations supposes the latter.
    """
    for hypothesis in one.hypotheses:
        if hypothesis.name not in conditions:
            continue
        if not isinstance(hypothesis, Hypothesis):
            raise TheoryError(
                f"a case is told apart by a relation, found the assumption {hypothesis.name!r} in "
                f"{when!r}",
                where,
                "name it in `instances`, or assume it in the statement",
            )
        varies = names_in(hypothesis.relation.gap) - constants(one)
        general = next((rule for rule in _all_rules(one) if _binds(rule)), None)
        if varies and general is not None:
            raise TheoryError(
                f"{min(varies)} may be in another case at another outcome or iteration, but the "
                f"proof of {when!r} goes over all of them ({type(general).__name__})",
                where,
                "split the lemma about one outcome, and take means and sums of the whole",
            )


def _binds(rule: Rule) -> bool:
    """Whether a rule needs a fact at every outcome, iteration or point of a path."""
    return bool(lets_run(rule)) or isinstance(rule, (Expect, Integral, Swap))


def _all_rules(theorem: Theorem) -> Iterator[Rule]:
    yield from rules_of(theorem)
    for cited in theorem.cites:
        yield from _all_rules(cited)


def _covered(
    where: str,
    branches: Mapping[str, Theorem],
    covers: Names,
    chosen: tuple[Relation, ...],
    vanishing: tuple[Scalar, ...],
) -> Outcome:
    """Whether some branch applies wherever the choice holds, on the domains of the symbols."""
    require_no_contradiction(chosen, where)
    says = "one of the cases applies wherever the statement does"
    looser = {s: sympy.Symbol(s.name, nonnegative=True, real=True) for s in vanishing}
    supposed = [relation.replaced(looser) for relation in chosen]
    conditions = {
        when: [fact.replaced(looser) for fact in _conditions(branches[when], names)]
        for when, names in covers.items()
    }
    # √b ≥ 0 holds where b ≥ 0 alone: what is not defined everywhere would shrink the domain.
    for part in (*supposed, *(fact for facts in conditions.values() for fact in facts)):
        hole = undefined(part, supposed)
        if hole:
            return Outcome(f"{where}: cases", says, Verdict.UNKNOWN, {}, hole, 0)
    translator = Translator()

    def applies(one: Theorem, said: list[Relation]) -> Any:
        """Its conditions hold, on its own domain."""
        facts = [translator.fact(fact) for fact in said]
        inside = [translator.term(looser[s]) > 0 for s in vanishing if s in one.symbols]
        return z3.And(*facts, *inside)

    try:
        given = [translator.fact(fact) for fact in supposed]
        cases = [applies(branches[when], said) for when, said in conditions.items()]
    except UnsupportedFormError as error:
        return Outcome(f"{where}: cases", says, Verdict.UNKNOWN, {}, error.what, 0)
    hypotheses = (*given, *translator.domain())
    return decide(Statement(f"{where}: cases", says, hypotheses, z3.Or(*cases)))


def _conditions(theorem: Theorem, names: tuple[str, ...]) -> list[Relation]:
    return [h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis) and h.name in names]


def _stated(theorem: Theorem, printed: Formulas) -> Theorem:
    return theorem if printed == theorem.terms else replace(theorem, terms=printed)


def _account(
    printed: Formulas,
    branches: Mapping[str, Theorem],
    covers: Names,
    chosen: tuple[Relation, ...],
    covered: Callable[[], Outcome],
    challenge: Challenge | None,
    remarks: Remarks | None,
) -> Account:
    stated = {when: _stated(one, printed) for when, one in branches.items()}
    base, cases = (
        account(next(iter(stated.values())), printed, challenge=challenge, attacked=False),
        covered(),
    )
    fails = base.decision.fails if isinstance(base.decision, Decision) else None
    decision = Decision((*stated.values(), cases), fails)
    lines = {when: _lines(when, prove(one)) for when, one in stated.items()}
    return Account(
        decision,
        cases=tuple(Case(when, Decision((one,))) for when, one in stated.items()),
        assumes=_assumed(branches, covers, chosen),
        steps=(
            *(line for found in lines.values() for line in found),
            *_left_out(lines),
            Line("ours", cases.says, cases.note, Decision((cases,))),
        ),
        findings=remarks() if remarks and verdict_of(decision) is Verdict.PROVED else (),
        evidence=base.evidence,
    )


def _assumed(
    branches: Mapping[str, Theorem], covers: Names, chosen: tuple[Relation, ...]
) -> tuple[str, ...]:
    """What any branch assumes, with its name if no other does; conditions are cases."""
    users: dict[str, list[str]] = {}
    for when, one in branches.items():
        cases = {said_of(h) for h in one.hypotheses if h.name in covers[when]}
        for line in dict.fromkeys(line for line in assumptions(one) if line not in cases):
            users.setdefault(line, []).append(when)
    said = (
        f"{line} (only in the case {whens[0]})" if len(whens) == 1 < len(branches) else line
        for line, whens in users.items()
    )
    return (*(f"chosen so that {one}" for one in chosen), *said)


def _lines(when: str, proof: Proof) -> tuple[Step, ...]:
    return tuple(replace(line, says=f"{when}: {line.says}") for line in proof.lines)


def _left_out(lines: Mapping[str, tuple[Step, ...]]) -> tuple[Line, ...]:
    """A branch without printed lines is a gap of a proof that has them in another branch."""
    where = {
        when: next((line.where for line in found if not line.where.startswith(OURS)), "")
        for when, found in lines.items()
    }
    printed = next(filter(None, where.values()), "")
    return tuple(
        Line(printed, f"{when}: nothing is said of this case", "no line is printed", OPEN)
        for when, place in where.items()
        if printed and not place
    )


def _holds(
    branches: Mapping[str, Theorem], covered: Callable[[], Outcome], edited: Formulas
) -> Verdict:
    """What the same proofs make of edited terms, the last branch first: the weakest verdict."""
    if covered().verdict is not Verdict.PROVED:
        return Verdict.UNKNOWN
    terms = {f"statement {name}": form for name, form in edited.items()}
    for one in reversed(list(branches.values())):
        verdict = control_of(one, {**formulas(one), **terms})
        if verdict is not Verdict.PROVED:
            return verdict
    return Verdict.PROVED
