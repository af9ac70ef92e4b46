"""What a row shows of a claim, made from the data that the judge was given and from nothing else.

The sentence of a claim and what its file says of a hypothesis are a gloss: no proof looks at them.
So the statement, its hypotheses, the domains of its symbols and what it ranges over are written
anew, from the theorems that the decision rests on; `supplied` names what is taken over unread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.account import Account, Decision, Ground
from theory.claims import Claim, Formulas
from theory.judging.certificates import (
    CONCLUSION,
    domain_text,
    relation_latex,
    steps_as_data,
    symbols_as_data,
)
from theory.judging.expression_text import expression_text, name_text, relation_text
from theory.judging.meanings import meanings, operators, points_in_use, position_text
from theory.kernel.atoms import atoms
from theory.kernel.prove import prove
from theory.kernel.relations import Relation, exact
from theory.kernel.rules.ranges import ranging
from theory.kernel.theorem import Assumption, Delayed, Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Point, Scalar
from theory.ledger import Judgement, Shown, Step
from theory.smt.solver import Outcome

Parts = Mapping[str, Theorem]
"""The theorems that a decision rests on: one, called ``""``, or one for each named case."""

GLOSS: Final = ("statement", "latex")
"""What every claim says of itself in its own words."""


def shown(claim: Claim, account: Account, judgement: Judgement) -> Shown:
    """What is shown of a claim beside its verdict.

    Parameters
    ----------
    claim : Claim
    account : Account
        What the judge was given.
    judgement : Judgement

    Examples
    --------
    >>> from dataclasses import replace
    >>> from theory.judging.as_claim import as_claim
    >>> from theory.judging.decide import decided
    >>> from theory.kernel.lemmas import DESCENT
    >>> claim = replace(as_claim(DESCENT), statement="The moon is round.")
    >>> given = claim.account(claim.printed)
    >>> found = shown(claim, given, decided(given))
    >>> found.goal
    '"f(y)" <= L*(dot(x, x) - 2*dot(x, y) + dot(y, y))/2 + ...'
    >>> found.supplied
    ('statement', 'latex', 'hypotheses[].says', 'steps[].says')
    """
    theorems = parts(claim, account)
    if not theorems:
        return _of_formulas(claim.printed, judgement)
    goals = [one.goal for one in theorems.values()]
    return Shown(
        goal=relation_text(goals[0]),
        goal_latex=relation_latex(goals[0]),
        hypotheses=(*_choice(claim.chosen), *_hypotheses(theorems)),
        symbols=tuple(_symbols(theorems.values())),
        quantifiers=tuple(dict.fromkeys(_each(theorems.values(), quantifiers))),
        steps=tuple(_steps(theorems, judgement)),
        supplied=_supplied(
            judgement,
            hypotheses=any(h.says != h.name for one in theorems.values() for h in one.hypotheses),
            steps=any(step.says for one in theorems.values() for step in one.steps),
        ),
    )


def parts(claim: Claim, account: Account) -> Parts:
    """The theorems that say what a claim says, and that its decision rests on.

    A claim names its theorem, and a decision with that statement for a ground is about it. Without
    such a name all grounds are theorems of one statement, or queries that put them together.
    """
    named = claim.theorem
    alone = {"": named} if named is not None and claim.printed == named.terms else {}
    grounds = _grounds(account)
    theorems = [ground for ground in grounds if type(ground) is Theorem]
    if named is not None:
        goal = _goal(named, claim.printed)
        about = [one for one in theorems if one.goal == goal]
        return _labelled(about, account) if grounds else alone
    alike = len({one.goal for one in theorems}) == 1
    nothing_else = all(isinstance(ground, (Theorem, Outcome)) for ground in grounds)
    return _labelled(theorems, account) if alike and nothing_else else {}


def quantifiers(theorem: Theorem) -> Iterator[str]:
    """What a theorem holds for: the values of its constants, all vectors, all iterations.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> list(quantifiers(YOUNG))
    ['for every a: positive', 'for all vectors u, v: of any dimension']
    """
    running = {*ranging(theorem), *_supposed_of_all(theorem)}
    by_domain: dict[str, list[str]] = {}
    for one in [*theorem.symbols, *theorem.scalars]:
        if one not in running:
            by_domain.setdefault(domain_text(one), []).append(name_text(one.name))
    yield from (f"for every {', '.join(names)}: {domain}" for domain, names in by_domain.items())
    free = sorted({name for one in theorem.vectors for name in one.names})
    if free:
        yield f"for all vectors {', '.join(map(name_text, free))}: of any dimension"
    for function in sorted({point.function for point in points_in_use(theorem)}):
        yield f"for every function {function} with the hypotheses about it"
    supposed = ", in all of which the hypotheses hold" if theorem.hypotheses else ""
    for index in sorted(running, key=str):
        yield f"for every iteration {name_text(index.name)}: {domain_text(index)}{supposed}"


def _supposed_of_all(theorem: Theorem) -> set[Scalar]:
    """Indices at which hypotheses call sequences, where the statement does not name them.

    No proof ranges over them where there is none, and yet they are no single number.
    """
    said = [one.relation.gap for one in theorem.hypotheses if isinstance(one, Hypothesis)]
    bound = {limit[0] for gap in said for one in atoms(gap, sympy.Sum) for limit in one.limits}
    called = {one for gap in said for call in atoms(gap, AppliedUndef) for one in call.free_symbols}
    known: set[Scalar] = {*theorem.symbols, *theorem.goal.gap.free_symbols}
    return called - bound - known


def _goal(theorem: Theorem, printed: Formulas) -> Relation:
    """The statement of a theorem with the formulas that its claim hands to the account."""
    return Relation(theorem.lhs, theorem.kind, sympy.Add(*map(exact, printed.values())))


def _grounds(account: Account) -> list[Ground]:
    if isinstance(account.decision, Decision):
        return list(account.decision.grounds)
    held = (one.decision for one in account.cases if one.when in account.decision.holds)
    return [ground for decision in held for ground in decision.grounds]


def _labelled(theorems: Sequence[Theorem], account: Account) -> Parts:
    """By the case that a theorem decides."""
    if len(theorems) == 1:
        return {"": theorems[0]}
    when = {id(g): case.when for case in account.cases for g in case.decision.grounds}
    return {when.get(id(one), f"part {k + 1}"): one for k, one in enumerate(theorems)}


def _each(theorems: Iterable[Theorem], asked: Callable[[Theorem], Iterable[str]]) -> Iterator[str]:
    for theorem in theorems:
        yield from asked(theorem)


def _choice(chosen: Sequence[Relation]) -> Iterator[dict[str, Any]]:
    said = "what the statement says of its parameters"
    for number, relation in enumerate(chosen, 1):
        name = f"chosen {number}"
        yield _hypothesis(Hypothesis(name, said, relation), name)


def _hypotheses(theorems: Parts) -> Iterator[dict[str, Any]]:
    """Each hypothesis once; one that not all cases have says in which it is used."""
    for when, theorem in theorems.items():
        names = _names(theorems, when)
        for one in theorem.hypotheses:
            if one.name in names:
                yield _hypothesis(one, names[one.name]) | {"case": when}
            elif theorem is next(iter(theorems.values())):
                yield _hypothesis(one, one.name)


def _hypothesis(one: Assumption, name: str) -> dict[str, Any]:
    said = {"name": name, "says": one.says}
    if isinstance(one, Smooth):
        smooth = {"constant": expression_text(one.constant), "function": one.function}
        return said | {"formula": None, "latex": "", "smooth": smooth}
    if isinstance(one, Delayed):
        names = {"old": _name_of(one.old), "now": _name_of(one.now)}
        delayed = names | {"delay": expression_text(one.constant)}
        delayed |= {"exact": "yes"} if one.exact else {}
        return said | {"formula": None, "latex": "", "delayed": delayed}
    relation = one.relation
    return said | {"formula": relation_text(relation), "latex": relation_latex(relation)}


def _name_of(point: Point) -> str:
    return position_text(point.position)


def _names(theorems: Parts, when: str) -> dict[str, str]:
    """New names of what a case has for itself; several proofs may call different things alike."""
    if len(theorems) == 1:
        return {}
    one = theorems[when]
    own = [h.name for h in one.hypotheses if not all(h in x.hypotheses for x in theorems.values())]
    return {name: f"{when}: {name}" for name in (*own, *(step.name for step in one.steps))}


def _symbols(theorems: Iterable[Theorem]) -> Iterator[dict[str, str]]:
    """Every name of the formulas, with its domain and with what the theorem says of it."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for theorem in theorems:
        says = meanings(theorem)
        for one in symbols_as_data(theorem):
            kind = "sequence" if one["domain"].startswith("sequence") else "name"
            entry = one | {"says": says.get((kind, one["name"]), "")}
            found.setdefault((kind, one["name"]), entry)
        for one in operators(theorem):
            found.setdefault(("mean", one["name"] + one["says"]), one)
    yield from found.values()


def _steps(theorems: Parts, judgement: Judgement) -> Iterator[dict[str, Any]]:
    """For each step of a judgement what the kernel knows of it, or nothing."""
    known: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for when, theorem in theorems.items():
        names, before = _names(theorems, when), f"{when}: " if when else ""
        for data in steps_as_data(theorem, prove(theorem)):
            key = (before + data["says"], data["rule"], data["verdict"])
            known.setdefault(key, []).append(_renamed(data, names))
    for step in judgement.steps:
        found = known.get(_key(step), [])
        yield _beside(found.pop(0)) if found else {}


def _key(step: Step) -> tuple[str, ...]:
    """What tells a line of a proof from others, wherever it stands; a file may return anything."""
    if not isinstance(step, Step):
        return ()
    return step.says, step.rule, step.verdict.name


def _beside(data: Mapping[str, Any]) -> dict[str, Any]:
    """What stands beside the words of a step."""
    kept = ("name", "goal", "latex", "premises", "certificate")
    return {name: data[name] for name in kept} | {"rests_on": ["kernel"]}


def _renamed(data: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A step with the names of its case; the conclusion keeps its own."""

    def new(listed: Iterable[str]) -> list[str]:
        return [names.get(name, name) for name in listed]

    found = data | {"premises": new(data["premises"])}
    if data["name"] != CONCLUSION:
        found["name"] = names.get(data["name"], data["name"])
    certificate = data["certificate"]
    if certificate is None or not names:
        return found
    changed = dict(certificate)
    if "facts" in certificate and isinstance(certificate["facts"], dict):
        changed["facts"] = {names.get(k, k): v for k, v in certificate["facts"].items()}
    if "domain" in certificate:
        changed["domain"] = new(certificate["domain"])
    if "signs" in certificate:
        changed["signs"] = [one | {"under": new(one["under"])} for one in certificate["signs"]]
    return found | {"certificate": changed}


def _of_formulas(printed: Formulas, judgement: Judgement) -> Shown:
    """A claim that is no theorem shows the formulas that its prover is given, by their names."""
    forms = {name: sympy.sympify(form) for name, form in printed.items()}
    free = {symbol for form in forms.values() for symbol in form.free_symbols}
    symbols = sorted(free, key=str)
    return Shown(
        goal="; ".join(f"{name} = {expression_text(form)}" for name, form in forms.items()) or None,
        goal_latex=r",\quad ".join(
            rf"\text{{{name}}} = {sympy.latex(form)}" for name, form in forms.items()
        ),
        symbols=tuple(
            {"name": one.name, "domain": domain_text(one), "says": ""} for one in symbols
        ),
        supplied=_supplied(judgement, hypotheses=False, steps=bool(judgement.steps)),
    )


def _supplied(judgement: Judgement, hypotheses: bool, steps: bool) -> tuple[str, ...]:
    """What a row takes over from its claim as it stands there."""
    taken = {
        "hypotheses[].says": hypotheses,
        "cases[].when": bool(judgement.cases),
        "steps[].says": steps,
        "arguments": bool(judgement.arguments),
    }
    return (*GLOSS, *(name for name, there in taken.items() if there))
