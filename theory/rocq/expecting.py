"""Rules of means: what holds of every outcome holds in the mean, and in total expectation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from theory.kernel.means import Mean, Operator, is_average, is_random
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules import Expect, Schwarz, Swap, Total
from theory.kernel.theorem import Given
from theory.kernel.vectors import Gram, Scalar, Vector
from theory.rocq.numbers import SHOWN, Premise
from theory.rocq.steps import Script, taken
from theory.rocq.text import Text, UnsupportedError, flips
from theory.rocq.writing import Draft

WHOLE: Final = Str("total expectation")


def whole(form: Scalar) -> Scalar:
    """The total expectation of one product, as an atom."""
    return form if form == 1 else Mean(WHOLE, sympy.Tuple(*map(Str, _everything(form))), form)


def _everything(form: Scalar) -> list[str]:
    names = {s.name for s in form.free_symbols}
    names |= {n for entry in form.atoms(Gram) for n in entry.names}
    return sorted(names)


def terms_of(gap: Scalar, is_inside: Any) -> list[tuple[Scalar, Scalar]]:
    """An expression as a sum of (outside, inside), each inside once."""
    found: dict[Scalar, Scalar] = {}
    for term in sympy.Add.make_args(sympy.expand(gap)):
        parts = sympy.Mul.make_args(term)
        inside = sympy.Mul(*(part for part in parts if is_inside(part)))
        outside = sympy.Mul(*(part for part in parts if not is_inside(part)))
        found[inside] = found.get(inside, sympy.S.Zero) + outside
    return [(_over(outside), inside) for inside, outside in found.items()]


def _over(form: Scalar) -> Scalar:
    """A fraction with the factors of its denominator, if that is a sum."""
    if not any(p.exp.is_negative and p.base.is_Add for p in form.atoms(sympy.Pow)):
        return form
    above, below = sympy.fraction(sympy.together(form))
    return above / sympy.factor(below)


def nested(parts: list[tuple[str, str]]) -> str:
    """c1 * a1 + (c2 * a2 + ...)."""
    written = [f"{outside} * {inside}" for outside, inside in parts]
    return " + (".join(written) + ")" * (len(written) - 1)


def _apart(
    draft: Draft, under: Operator, form: Scalar, written: str, label: str
) -> tuple[list[str], Scalar]:
    """Lines by which the mean of an expression is that of its terms, and this in terms."""
    text, mean = draft.text(), under.name
    names, inner = frozenset(map(str, under.marks)), text.inner()
    terms = terms_of(form, lambda part: is_random(part, names))
    at, v = text.outcome, inner.outcome
    mixed = nested([(text.real(c), inner.real(a)) for c, a in terms])
    apart = " + (".join(
        text.real(c) if a == 1 else f"{text.real(c)} * {text.average(mean, a)}" for c, a in terms
    ) + ")" * (len(terms) - 1)  # fmt: skip
    rewriting = known_rewrites(draft, mean, [c for c, _ in terms], text, inner)
    lines = [
        f"  assert ({label} : mean {text.operator(mean)} {at} (fun {v} => {written}) = {apart}).",
        f"  {{ transitivity (mean {text.operator(mean)} {at} (fun {v} => {mixed})); [|linear].",
        f"    apply mean_ext; intros {v} H_{v}.",
        *(f"    {line}" for line in rewriting),
        "    rooted. }",
    ]
    return lines, sympy.Add(*(c if a == 1 else c * under.of(a) for c, a in terms))


def _schwarz(draft: Draft, rule: Schwarz, goal: Relation) -> str:
    text = draft.text()
    lines, relation = (
        (_of_vectors(text, rule), rule.stated())
        if rule.under is None
        else _of_means(draft, rule, rule.under)
    )
    return "\n".join(
        [
            *lines,
            f"  assert (B' : {text.relation(relation)}) by (same S').",
            f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.",
        ]
    )


def _shown(text: Text, rule: Schwarz, square: str) -> str:
    """A tactic: something is at least 0, or at most something else, being a square as written."""
    vectors = isinstance(rule.first, Vector)
    names = rule.first.names | rule.second.names if vectors else frozenset[str]()
    same = f"{'bilinear; ' if vectors else ''}{flips(names, text)}rooted"
    written, by = (
        (f"(dot {square} {square})", "dot_nonneg") if vectors else (f"({square} ^ 2)", "pow2_ge_0")
    )
    return f"cbv beta; apply (Rle_trans _ {written}); [apply {by} | apply Req_le; {same}]"


def _of_vectors(text: Text, rule: Schwarz) -> list[str]:
    if not isinstance(rule.first, Vector):
        return [f"  assert (S' : {text.relation(rule.stated())}) by (apply Req_le; rooted)."]
    names = rule.first.names | rule.second.names
    same = f"apply Req_le; bilinear; {flips(names, text)}rooted"
    shown = f"cauchy_schwarz V {text.vector(rule.first)} {text.vector(rule.second)}"
    return [
        f"  assert (S' : {text.relation(rule.stated())}).",
        f"  {{ eapply Rle_trans; [|eapply Rle_trans; [exact ({shown})|]]; {same}. }}",
    ]


def _of_means(draft: Draft, rule: Schwarz, under: Operator) -> tuple[list[str], Relation]:
    text = draft.text()
    inner, one, other = text.inner(), rule.first, rule.second
    v, vectors = inner.outcome, isinstance(one, Vector)
    a, b = (inner.vector(one), inner.vector(other)) if vectors else map(inner.real, (one, other))
    added = f"(add {a} (scale t {b}))" if vectors else f"({a} + t * {b})"
    bare = replace(rule, under=None)
    products = [bare.mean(x, y) for x, y in ((one, one), (one, other), (other, other))]
    functions = " ".join(f"(fun {v} => {inner.real(form)})" for form in products)
    lines = [
        f"  pose proof (mean_schwarz _ {text.operator(under.name)} {text.outcome} {functions}",
        f"    ltac:(intros {v} t; {_shown(inner, rule, added)})",
        f"    ltac:(intros {v}; {_shown(inner, rule, b)})) as S'.",
    ]
    totals = []
    for place, form in enumerate(products):
        more, total = _apart(draft, under, form, inner.real(form), f"E{place}")
        lines += more
        totals.append(total)
    lines.append("  rewrite E0, E1, E2 in S'.")
    return lines, le(totals[1] ** 2, totals[0] * totals[2])


def _expect(draft: Draft, rule: Expect, goal: Relation) -> str:
    text, fact = draft.text(), draft.facts[rule.of]
    inner, operator = text.inner(), text.operator(rule.under.name)
    at, v = text.outcome, inner.outcome
    gap = inner.gap(fact.relation)
    lines, total = _apart(draft, rule.under, fact.relation.gap, gap, "E'")
    relation = Relation(sympy.S.Zero, fact.relation.kind, total)
    exact = fact.relation.kind == "=="
    there = draft.use(rule.of, outcome=v)
    if exact:
        lines += [
            f"  assert (D' : mean {operator} {at} (fun {v} => {gap}) = 0).",
            f"  {{ transitivity (mean {operator} {at} (fun _ => 0 * 1)); [|apply mean_const].",
            f"    apply mean_ext; intros {v} _. rewrite (gap_zero _ _ {there}). ring. }}",
            f"  assert (B' : {text.relation(relation)}) by (rewrite E' in D'; symmetry; same D').",
        ]
    else:
        lines += [
            f"  assert (D' : 0 <= mean {operator} {at} (fun {v} => {gap})).",
            f"  {{ apply mean_nonneg; intros {v} _. apply gap_nonneg; exact {there}. }}",
            f"  assert (B' : {text.relation(relation)}) by (rewrite E' in D'; same D').",
        ]
    lines.append(f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.")
    return "\n".join(lines)


def varying_in(draft: Draft, form: Scalar) -> list[str]:
    """Names of quantities and vectors in an expression, outside of means."""
    bare = form.xreplace(dict.fromkeys(form.atoms(Mean), sympy.S.One))
    found = {s.name for s in bare.free_symbols}
    found |= {n for entry in bare.atoms(Gram) for n in entry.names}
    return sorted(found & draft.shape.varying)


def known_rewrites(
    draft: Draft, mean: str, forms: list[Scalar], text: Text, inner: Text
) -> list[str]:
    """Lines that put another outcome for the one in scope, in what a mean knows."""
    at, v = text.outcome, inner.outcome
    lines = []
    for one in sorted({m for form in forms for m in _outermost(form)}, key=str):
        shown = known_mean(draft, mean, one)
        old, new = text.real(one), inner.real(one)
        lines.append(f"assert (K' : {old} = {new}) by ({shown}exact H_{v}).")
        lines.append("rewrite K'; clear K'.")
    names = sorted({n for form in forms for n in varying_in(draft, form)})
    lines += [f"rewrite ?({draft.known(mean, n)} {at} {v} H_{v})." for n in names]
    return lines


def _outermost(form: Scalar) -> set[Any]:
    inside = {n for m in form.atoms(Mean) for n in m.args[2].atoms(Mean)}
    return set(form.atoms(Mean)) - inside


def known_mean(draft: Draft, mean: str, one: Any) -> str:
    """The start of a tactic by which a mean knows another mean."""
    text = draft.text()
    name, inside = str(one.args[0]), one.args[2]
    names = varying_in(draft, inside)
    deeper = _outermost(inside)
    if name == mean:
        raise UnsupportedError(f"a mean of {mean} inside a mean of {mean}")
    if deeper:
        raise UnsupportedError("a mean of a mean that another mean knows")
    rewrites = "; ".join(f"rewrite ?({draft.known(mean, n)} p' q' H')" for n in names)
    body = replace(text, outcome="p'").real(inside)
    return (
        f"refine ({draft.crossing(name, mean)} (fun p' => {body}) _ {text.outcome} _ _); "
        f"[intros p' q' H'; cbv beta; {rewrites or 'idtac'}; reflexivity |]; "
    )


def _swap(draft: Draft, rule: Swap, goal: Relation) -> str:
    text, fact = draft.text(), draft.facts[rule.of].relation
    lines, premises = [], [taken(draft, rule.of)]
    nests = {
        mean
        for one in (goal, fact)
        for mean in one.gap.atoms(Mean)
        if str(mean.args[0]) == rule.average.name
        and isinstance(mean.args[2], Mean)
        and str(mean.args[2].args[0]) == rule.under.name
    }
    for place, nest in enumerate(sorted(nests, key=str)):
        other = rule.under.of(rule.average.of(nest.args[2].args[2]))
        relation = eq(nest, other)
        swapped = draft.swapping(rule.average.name, rule.under.name)
        if not (isinstance(other, Mean) and isinstance(other.args[2], Mean)):
            raise UnsupportedError("means that are swapped and come apart")
        lines.append(f"  assert (N{place} : {text.relation(relation)}) by apply ({swapped} w).")
        factor = sympy.expand(fact.gap).coeff(nest) - sympy.expand(goal.gap).coeff(nest)
        premises.append(Premise(relation, f"exact N{place}", factor))
    return "\n".join([*lines, f"  {draft.numbers.combine(text, goal, premises)}."])


def _total(draft: Draft, rule: Total, goal: Relation) -> str:
    if draft.shape.iteration != rule.index:
        raise UnsupportedError("a total expectation along another index")
    text, fact = draft.text(), draft.facts[rule.of]
    given = Given(draft.theorem, {name: one.relation for name, one in draft.facts.items()})
    meanings = rule.meanings(given)
    kept = set(meanings.values())

    def random(part: Scalar) -> bool:
        return not rule._is_constant(part, given)

    lines: list[str] = []
    terms = terms_of(fact.relation.gap, random)
    bare = [
        (c, a.args[2] if isinstance(a, Mean) and not is_average(a) and a not in kept else a, a)
        for c, a in terms
    ]
    inner = text.inner()
    v = inner.outcome
    split = " + (".join(
        text.real(c) if a == 1 else f"{text.real(c)} * (total P (fun {v} => {inner.real(a)}))"
        for c, _, a in bare
    ) + ")" * (len(bare) - 1)  # fmt: skip
    mixed = nested([(text.real(c), inner.real(a)) for c, _, a in bare])
    gap = f"(fun {v} => {inner.gap(fact.relation)})"
    towers = sorted({(str(full.args[0])) for _, inside, full in bare if inside != full})
    final = " + (".join(
        text.real(c) if a == 1 else f"{text.real(c)} * (total P (fun {v} => {inner.real(a)}))"
        for c, a, _ in bare
    ) + ")" * (len(bare) - 1)  # fmt: skip
    lines += [
        f"  assert (E' : total P {gap} = {final}).",
        f"  {{ transitivity (total P (fun {v} => {mixed})); "
        f"[apply total_ext; intros {v}; rooted|].",
        f"    transitivity ({split}); [linear|].",
        f"    {' '.join(f'rewrite ?({draft.tower(one)}).' for one in towers)} reflexivity. }}",
    ]
    there = draft.use(rule.of, outcome=v)
    if not draft.facts[rule.of].outcome:
        there = draft.use(rule.of)
    table = WholeText.of(text)
    total = sympy.Add(*(c * whole(a) for c, a, _ in bare))
    relation = Relation(sympy.S.Zero, fact.relation.kind, total)
    if fact.relation.kind == "==":
        lines += [
            f"  assert (D' : total P {gap} = 0).",
            "  { transitivity (total P (fun _ => 0 * 1)); [|apply total_const].",
            f"    apply total_ext; intros {v}. rewrite (gap_zero _ _ {there}). ring. }}",
            f"  assert (B' : {table.relation(relation)}) by (rewrite E' in D'; symmetry; same D').",
        ]
    else:
        lines += [
            f"  assert (D' : 0 <= total P {gap}).",
            f"  {{ apply total_nonneg; intros {v}. apply gap_nonneg; exact {there}. }}",
            f"  assert (B' : {table.relation(relation)}) by (rewrite E' in D'; same D').",
        ]
    premises = [Premise(relation, "exact B'")]
    for place, call in enumerate(sorted(_called(goal, meanings), key=str)):
        value = _value(draft, meanings[call], random)
        stated = eq(call, value)
        lines += _means(draft, rule, call, meanings[call], stated, f"M{place}", random)
        factor = -sympy.expand(goal.gap).coeff(call)
        premises.append(Premise(stated, f"exact M{place}", factor))
    return "\n".join([*lines, f"  {draft.numbers.combine(table, goal, premises)}."])


def _called(goal: Relation, meanings: Mapping[Scalar, Scalar]) -> set[Any]:
    return {call for call in goal.gap.atoms(AppliedUndef) if call in meanings}


def _value(draft: Draft, value: Scalar, random: Any) -> Scalar:
    return sympy.Add(*(c * whole(a) for c, a in terms_of(value, random)))


def _means(
    draft: Draft, rule: Total, call: Any, value: Scalar, stated: Relation, label: str, random: Any
) -> list[str]:
    """Lines that show what a sequence is the mean of, term by term."""
    text, table = draft.text(), WholeText.of(draft.text())
    name = call.func.__name__
    inner = text.inner()
    v = inner.outcome
    terms = terms_of(value, random)
    mixed = nested([(text.real(c), inner.real(a)) for c, a in terms])
    split = " + (".join(
        text.real(c) if a == 1 else f"{text.real(c)} * (total P (fun {v} => {inner.real(a)}))"
        for c, a in terms
    ) + ")" * (len(terms) - 1)  # fmt: skip
    index = draft.index(rule.index)
    later = call.args[0] != rule.index
    meaning = draft.meaning(name)
    lines = [f"  assert ({label} : {table.relation(stated)})."]
    if later:
        lines.append(f"  {{ rewrite ({meaning} ({index} + 1)%Z ltac:(lia)).")
    else:
        lines.append(f"  {{ rewrite ({meaning} {index} H_{index}).")
    lines.append(f"    transitivity (total P (fun {v} => {mixed})).")
    lines.append(f"    - apply total_ext; intros {v}.")
    if later:
        now = draft.shape.meant[name]
        names = [n for n in _all_names(now) if n in draft.shape.varying]
        now_or_then = f"{index} H_{index} {v}"
        lines += [f"      rewrite <- ?({draft.follows(one)} {now_or_then})." for one in names]
        thens = [draft.successor(one) for one in names]
        vectors = {n for entry in (value, now) for g in entry.atoms(Gram) for n in g.names}
        vectors |= {n for one in thens if isinstance(one, Vector) for n in one.names}
        lines.append(f"      bilinear; {flips(vectors, inner)}rooted.")
    else:
        lines.append("      rooted.")
    lines.append(f"    - transitivity ({split}); [linear | rooted]. }}")
    return lines


def _all_names(form: Scalar) -> list[str]:
    found = {s.name for s in form.free_symbols}
    found |= {n for entry in form.atoms(Gram) for n in entry.names}
    return sorted(found)


class WholeText(Text):
    """Text that knows total expectations as well."""

    @staticmethod
    def of(text: Text) -> WholeText:
        """The same text."""
        return WholeText(text.names, text.varying, text.at, text.outcome, text.indices, text.depth)

    def average(self, name: str, inside: Scalar) -> str:
        """The mean of an expression, or its total expectation."""
        if name != str(WHOLE):
            return super().average(name, inside)
        inner = self.inner()
        return f"(total P (fun {inner.outcome} => {inner.real(inside)}))"


RULES: Final[Mapping[type, Script]] = {
    Expect: _expect,
    Schwarz: _schwarz,
    Swap: _swap,
    Total: _total,
}

__all__ = ["RULES"]
