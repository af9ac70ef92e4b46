"""A theorem as a file of Rocq: its statement, its steps as lemmas, and that these show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.means import Mean
from theory.kernel.relations import Relation
from theory.kernel.rules.expectation import _carried
from theory.kernel.signs import nonnegative
from theory.kernel.theorem import Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Gram, Point, Scalar, Vector, square
from theory.rocq.inside import Bundle, about, bundle_of, statement
from theory.rocq.names import Names, identifier
from theory.rocq.numbers import Numbers, Premise
from theory.rocq.premises import (
    Given,
    domains,
    late_text,
    points_of,
    smooth_text,
    variables,
)
from theory.rocq.shape import Shape, shape_of, slim
from theory.rocq.signs import shown_by_form
from theory.rocq.text import Text, UnsupportedError, comment, square_tactic
from theory.verdicts import Verdict


@dataclass(frozen=True)
class Fact:
    """A hypothesis or a step, with the variables that it is about."""

    name: str
    relation: Relation
    indices: tuple[Scalar, ...]
    outcome: bool


@dataclass
class Draft:
    """A theorem while it is written.

    Attributes
    ----------
    theorem : Theorem
    names : Names
    numbers : Numbers
    facts : dict of str to Fact
    needed : dict of str to Given
        Of what means and sequences are, that which the proof uses.
    cited : dict of str to Theorem
    below : dict of expression to str
        Denominators that a lemma shows to be above 0.
    bundle : Bundle, optional
        What the statement says of a run inside each iteration.
    """

    theorem: Theorem
    names: Names = field(default_factory=Names)
    numbers: Numbers = field(default_factory=Numbers)
    facts: dict[str, Fact] = field(default_factory=dict)
    needed: dict[str, Given] = field(default_factory=dict)
    cited: dict[str, Theorem] = field(default_factory=dict)
    below: dict[Scalar, str] = field(default_factory=dict)
    bundle: Bundle | None = None

    @property
    def shape(self) -> Shape:
        """What it quantifies over."""
        return shape_of(self.theorem)

    def index(self, symbol: Scalar) -> str:
        """The identifier of an index."""
        return self.names(symbol.name)

    def text(self, at: str | None = None, outcome: str = "w", **more: Any) -> Text:
        """How formulas are written, in the iteration that runs unless another is named."""
        shape = self.shape
        if at is None:
            at = self.index(shape.iteration) if shape.iteration is not None else ""
        return Text(self.names, shape.varying, at, outcome if shape.random else "", **more)

    def fact(self, name: str, coq: str, relation: Relation) -> Fact:
        """A relation with what it is quantified over."""
        shape = self.shape
        found = {
            s for s in relation.lhs.free_symbols | relation.rhs.free_symbols if s in shape.hyper
        }
        raw = shape.raw(relation.lhs) or shape.raw(relation.rhs)
        relation = relation.replaced(shape.renamed(found)) if raw else relation
        found = {shape.renamed(found).get(s, s) if raw else s for s in found}
        if raw and shape.iteration is not None:
            found.add(shape.iteration)
        ordered = tuple(sorted(found, key=lambda s: (s != shape.iteration, str(s))))
        self.facts[name] = Fact(coq, relation, ordered, raw and shape.random)
        return self.facts[name]

    def guard(self, fact: Fact) -> None:
        """Let later lemmas use a fact about constants alone, now that it is shown."""
        relation = fact.relation
        calls = relation.gap.atoms(AppliedUndef, Gram, Mean, sympy.Sum)
        if not (fact.indices or fact.outcome or calls or self.shape.raw(relation.gap)):
            self.numbers.guards.append(Premise(relation, f"exact {fact.name}"))

    def quantified(self, fact: Fact) -> str:
        """A fact for all that it is about."""
        return f"{self.binders(fact)}{self.text().relation(fact.relation)}"

    def binders(self, fact: Fact) -> str:
        """What a fact is quantified over."""
        many = [f"forall {i} : Z, (0 <= {i})%Z -> " for i in map(self.index, fact.indices)]
        return "".join(many) + ("forall w : W, " if fact.outcome else "")

    def intros(self, fact: Fact) -> str:
        """The names of these variables."""
        found = [f"{i} H_{i}" for i in map(self.index, fact.indices)] + (
            ["w"] if fact.outcome else []
        )
        return f"intros {' '.join(found)}." if found else ""

    def use(self, name: str, at: Mapping[Scalar, str] | None = None, outcome: str = "w") -> str:
        """A fact at indices and an outcome; an index that is not named is the one in scope."""
        fact = self.facts[name]
        parts = [fact.name]
        for symbol in fact.indices:
            index = self.index(symbol)
            value = (at or {}).get(symbol)
            parts += [index, f"H_{index}"] if value is None else [f"({value})%Z", "ltac:(lia)"]
        if fact.outcome:
            parts.append(outcome)
        return f"({' '.join(parts)})" if len(parts) > 1 else parts[0]

    # --- what means, sequences and points are: stated where a proof needs it -----------------

    def need(self, name: str, says: str, kind: str, of: Any = None) -> str:
        """Something that means or sequences are assumed to be."""
        self.needed.setdefault(name, Given(name, says, kind, of))
        return name

    @property
    def each(self) -> str:
        """The quantifier over iterations, if there are any."""
        it = self.shape.iteration
        return (
            f"forall {self.index(it)} : Z, (0 <= {self.index(it)})%Z -> " if it is not None else ""
        )

    @property
    def here(self) -> str:
        """The iteration in scope, with its proof."""
        it = self.shape.iteration
        return f" {self.index(it)} H_{self.index(it)}" if it is not None else ""

    def known(self, mean: str, name: str) -> str:
        """That a mean knows a quantity."""
        measure = next(one for one in self.shape.measures if one.name == mean)
        if name in measure.random:
            raise UnsupportedError(f"{name} is random to {mean}, and is pulled out of it")
        text = self.text()
        whose = f"({' '.join(filter(None, (self.names(name), text.at)))})"
        label = f"known_{self.names(mean, 'mean')}_{self.names(name)}"
        says = f"{self.each}known {text.operator(mean)} {whose}"
        return self.need(label, says, "known", (mean, name)) + self.here

    def crossing(self, inner: str, outer: str) -> str:
        """That a mean of what another mean knows is known to that one as well."""
        text = self.text()
        a, e = text.operator(inner), text.operator(outer)
        label = f"cross_{self.names(inner, 'mean')}_{self.names(outer, 'mean')}"
        says = f"{self.each}forall f, known {e} f -> known {e} (fun w => mean {a} w f)"
        return self.need(label, says, "cross", (inner, outer)) + self.here

    def swapping(self, one: str, other: str) -> str:
        """That two means may be taken in either order."""
        text = self.text()
        a, e = text.operator(one), text.operator(other)
        label = f"swap_{self.names(one, 'mean')}_{self.names(other, 'mean')}"
        says = (
            f"{self.each}forall w f, mean {a} w (fun v => mean {e} v f) = "
            f"mean {e} w (fun v => mean {a} v f)"
        )
        return self.need(label, says, "swap", (one, other)) + self.here

    def tower(self, mean: str) -> str:
        """That the expectation of a conditional mean is the expectation."""
        e = self.text().operator(mean)
        label = f"tower_{self.names(mean, 'mean')}"
        says = f"{self.each}forall f, total P (fun w => mean {e} w f) = total P f"
        return self.need(label, says, "tower", mean) + self.here

    def meaning(self, sequence: str) -> str:
        """That a sequence is the expectation of its value."""
        index = self.index(self.shape.iteration)
        value = self.text().real(self.shape.meant[sequence])
        says = f"{self.each}{self.names(sequence, 'sequence')} {index} = total P (fun w => {value})"
        return self.need(f"mean_{self.names(sequence, 'sequence')}", says, "meaning", sequence)

    def pairs(self) -> list[tuple[Point, Point]]:
        """Points, and what takes their places."""
        return [*self.theorem.following, *_carried(self.theorem)]

    def successor(self, name: str) -> Vector | Scalar:
        """What takes the place of a quantity or a vector in the next iteration."""
        for now, then in self.pairs():
            if now.value.name == name:
                return then.value
            for old, new in ((now.position, then.position), (now.gradient, then.gradient)):
                if len(old.terms) == 1 and old.names == {name} and old.terms[0][1] == 1:
                    return new
        raise UnsupportedError(f"nothing follows {name}")

    def follows(self, name: str) -> str:
        """That a quantity of the next iteration is one of this one."""
        index, then = self.index(self.shape.iteration), self.successor(name)
        text = self.text()
        found = text.vector(then) if isinstance(then, Vector) else text.named(then.name)
        outcome, at = ("forall w : W, ", " w") if self.shape.random else ("", "")
        says = f"{self.each}{outcome}{found} = {self.names(name)} ({index} + 1)%Z{at}"
        return self.need(f"next_{self.names(name)}", says, "follows", name)


@dataclass(frozen=True)
class Written:
    """A theorem that is written out.

    Attributes
    ----------
    module : str
        The name of its file, without the ending.
    source : str
    draft : Draft
    core : tuple of Given
        What the proof assumes, in order.
    cites : tuple of str
        Modules that it needs.
    """

    module: str
    source: str
    draft: Draft
    core: tuple[Given, ...]
    cites: tuple[str, ...]


def module_of(theorem: Theorem) -> str:
    """The module that a theorem is written to.

    Examples
    --------
    >>> from theory.kernel.lemmas import YOUNG
    >>> module_of(YOUNG)
    'kernel_young'
    """
    return identifier(theorem.id)


@cache
def written(theorem: Theorem) -> Written:
    """Write a theorem out.

    Raises
    ------
    UnsupportedError
        Something in it has no form in Rocq yet.
    """
    from theory.rocq.steps import proof_of

    draft = Draft(theorem)
    bound = variables(draft)
    own = domains(draft)
    hypotheses = _hypotheses(draft)
    lemmas = []
    for place, step in enumerate(slim(theorem).steps, 1):
        lemmas += _above_zero(draft, step.relation)
        fact = draft.fact(step.name, f"s{place}", step.relation)
        lemmas.append(
            _lemma(draft, fact, f"s{place}", proof_of(draft, step.rule, fact.relation), step.name)
        )
        draft.guard(fact)
    lemmas += _above_zero(draft, theorem.goal)
    goal = draft.fact("the statement", "statement_holds", theorem.goal)
    lemmas.append(
        _lemma(draft, goal, "conclusion", proof_of(draft, theorem.conclude, theorem.goal))
    )
    assumed = slim(theorem).assumed
    used = [one for one in hypotheses if one.kind == "inner" or one.of.name in assumed]
    needed = [*own, *draft.needed.values()]
    whole = (*needed, *used)
    inner = set(draft.shape.internal)
    core = tuple(g for g in whole if not (g.kind in _OF_SEQUENCES and g.of in inner))
    cites = tuple(dict.fromkeys(map(module_of, draft.cited.values())))
    source = _source(draft, bound, hypotheses, whole, core, lemmas, goal, cites)
    return Written(module_of(theorem), source, draft, core, cites)


_OF_SEQUENCES: Final = ("domain of sequence", "meaning")


def _hypotheses(draft: Draft) -> list[Given]:
    found: list[Given] = []
    if draft.shape.inner is not None:
        draft.bundle = bundle_of(draft)
    for place, one in enumerate(draft.theorem.hypotheses, 1):
        name = f"h{place}"
        if draft.bundle is not None and about(draft, one.name):
            if not any(given.kind == "inner" for given in found):
                says = statement(draft, draft.bundle)
                found.append(
                    Given("inner_run", says, "inner", None, "inside each iteration, a run")
                )
            continue
        if isinstance(one, Hypothesis):
            fact = draft.fact(one.name, name, one.relation)
            draft.guard(fact)
            says = draft.quantified(fact)
            kind = "hypothesis"
        elif isinstance(one, Smooth):
            says, kind = smooth_text(draft, one), "smooth"
        else:
            says, kind = late_text(draft, one), "late"
        found.append(Given(name, says, kind, one, f"{one.name}: {one.says}"))
    return found


def _above_zero(draft: Draft, relation: Relation) -> list[str]:
    """Lemmas that denominators are above 0, where facts about constants are needed for it."""
    found = []
    powers = relation.lhs.atoms(sympy.Pow) | relation.rhs.atoms(sympy.Pow)
    bases = {p.base for p in powers if p.exp.is_negative and p.base.is_Add}
    under = [one.relation for one in draft.numbers.guards]
    for base in sorted(bases - set(draft.below), key=str):
        own = base.free_symbols <= set(draft.shape.constants) and not base.atoms(AppliedUndef, Gram)
        shown = shown_by_form(base, True)
        if own and not shown and nonnegative(base, under, strict=True).verdict is Verdict.PROVED:
            by = draft.numbers.sign(draft.text(), base, True, draft.numbers.guards)
            draft.below[base] = f"n{len(draft.below) + 1}"
            said = f"Lemma {draft.below[base]} : 0 < {draft.text().real(base)}."
            found.append(f"{said}\nProof.\n  {by}.\nQed.")
    return found


def _lemma(draft: Draft, fact: Fact, name: str, proof: str, says: str = "") -> str:
    words = f"{comment(says)}\n" if says else ""
    intros = draft.intros(fact) + "".join(f" pose proof {n}." for n in draft.below.values())
    intros += _anywhere(draft, fact, proof)
    return f"{words}Lemma {name} : {draft.quantified(fact)}.\nProof.\n  {intros}\n{proof}\nQed."


def _anywhere(draft: Draft, fact: Fact, proof: str) -> str:
    """What is about no iteration may follow from facts about each: they are taken at the first."""
    it = draft.shape.iteration
    if it is None or it in fact.indices or f"{draft.index(it)} H_{draft.index(it)}" not in proof:
        return ""
    k = draft.index(it)
    if f"set ({k} := 0%Z)" in proof or re.search(rf"intros {k} (H_{k}\b|\?[.;]\s+assert)", proof):
        return ""
    found = f" pose ({k} := 0%Z). assert (H_{k} : (0 <= {k})%Z) by (unfold {k}; lia)."
    if draft.shape.law and not fact.outcome:
        lemma = "some_outcome_le" if fact.relation.kind == "<=" else "some_outcome_eq"
        found += f" apply ({lemma} W P); intros w."
    return found


def _source(
    draft: Draft,
    bound: list[tuple[str, str, str, Any]],
    hypotheses: list[Given],
    whole: tuple[Given, ...],
    core: tuple[Given, ...],
    lemmas: list[str],
    goal: Fact,
    cites: tuple[str, ...],
) -> str:
    theorem, inner = draft.theorem, set(draft.shape.internal)
    outer = [one for one in bound if not (one[2] == "sequence" and one[3] in inner)]
    binders, fewer = _binders(bound), _binders(outer)
    needed = [one for one in core if one not in hypotheses]
    told = [*needed, *hypotheses]
    signs = [one for one in whole if one.kind.startswith("domain of")]
    given = " | ".join(f"apply {one.name}; first [assumption | lia]" for one in signs)
    hook = f"Local Ltac given ::= first [{given}].\n" if signs else ""
    numbers = "\n\n".join(draft.numbers.sources())
    names = [name for name, *_ in outer]
    return f"""{comment(f"{theorem.id}: {theorem.statement}{chr(10)}   {theorem.where}")}
From Staleproof Require Import Staleproof.
{"".join(f"From Staleproof Require {name}.{chr(10)}" for name in cites)}
Definition statement : Prop :=
  forall {fewer},
{_arrows(told)}  ({draft.quantified(goal)}).

(* Certificates, about real numbers alone. *)

{numbers}

Section Proof.
Set Default Proof Using "All".
Variables {binders}.
{"".join(f"Hypothesis {one.name} : {one.says}.{chr(10)}" for one in whole)}
{hook}
{(chr(10) * 2).join(lemmas)}
End Proof.

(* What the proof uses of the hypotheses is enough. *)
Theorem core :
  forall {fewer},
{_arrows(core)}  ({draft.quantified(goal)}).
Proof.
  intros {" ".join((*names, *(one.name for one in core)))}.
  exact (conclusion {" ".join(_instance(draft, one) for one in bound)}
    {" ".join(one.name if one in core else _inside(draft, one) for one in whole)}).
Qed.

Theorem holds : statement.
Proof.
  unfold statement. intros {" ".join((*names, *(one.name for one in told)))}.
  exact (core {" ".join((*names, *(one.name for one in core)))}).
Qed.
Print Assumptions holds.
"""


def _binders(bound: list[tuple[str, str, str, Any]]) -> str:
    return " ".join(f"({name} : {kind})" for name, kind, *_ in bound)


def _arrows(told: Iterable[Given]) -> str:
    words = ((f"{comment(one.words)}\n  " if one.words else "", one.says) for one in told)
    return "".join(f"  {beside}({says}) ->\n" for beside, says in words)


def _instance(draft: Draft, one: tuple[str, str, str, Any]) -> str:
    """What a variable of the proof stands for: itself, or the mean of a value."""
    name, _, kind, of = one
    if kind != "sequence" or of not in draft.shape.internal:
        return name
    index = draft.index(draft.shape.iteration)
    return f"(fun {index} => total P (fun w => {draft.text().real(draft.shape.meant[of])}))"


def _inside(draft: Draft, one: Given) -> str:
    """A proof of what a sequence that only the proof names is assumed to be."""
    if one.kind == "meaning":
        return "(fun _ _ => eq_refl)"
    index, value = draft.index(draft.shape.iteration), draft.shape.meant[one.of]
    square = _root_of(value)
    signs = [g for g in domains(draft) if g.kind == "domain of quantity"]
    more = "".join(f" | apply {g.name}; assumption" for g in signs)
    by = f"first [pos{more}]" if square is None else square_tactic(square, draft.text(), value)
    body = f"(fun w => {draft.text().real(value)})"
    return f"(fun {index} H_{index} => total_nonneg _ P {body} (fun w => ltac:(cbv beta; {by})))"


def _root_of(value: Scalar) -> Vector | None:
    """The vector of which a value is the squared length, if it has more than one part."""
    form = sympy.expand(value)
    if form.is_nonnegative:
        return None
    for entry in sorted(form.atoms(Gram), key=str):
        first, other = entry.names
        size = form.coeff(entry)
        if first == other and size == 1:
            beside = {one: form.coeff(one) for one in form.atoms(Gram) if first in one.names}
            sides = {one.names[one.names[0] == first]: c / 2 for one, c in beside.items()}
            found = Vector(tuple(sorted({**sides, first: sympy.S.One}.items())))
            if sympy.expand(square(found) - form) == 0:
                return found
    return None


__all__ = ["Draft", "Fact", "Given", "Written", "points_of", "variables", "written"]
