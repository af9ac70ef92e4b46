"""Rules of sums and sequences: telescoping, induction, closed forms, first and last terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import sympy

from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation, eq, le
from theory.kernel.rules import ClosedSum, Induction, Split, Telescope, Unroll
from theory.kernel.vectors import Scalar
from theory.rocq.numbers import HALF, SHOWN, Premise
from theory.rocq.steps import Script, arguments, taken, whole_fact
from theory.rocq.text import Text, UnsupportedError
from theory.rocq.writing import Draft

UNROLLED: Final = "exact U'"
_M: Final = sympy.Symbol("zz", integer=True, nonnegative=True)


def _telescope(draft: Draft, rule: Telescope, goal: Relation) -> str:
    text, fact = draft.text(), draft.facts[rule.of]
    gap, k = fact.relation.gap, rule.index
    general = linear_sums(Telescope(rule.of, k, _M).total(gap))
    total = linear_sums(rule.total(gap))
    relation = Relation(sympy.S.Zero, fact.relation.kind, total)
    shown, lines = _sum_of_changes(draft, text, general, gap, k, rule.count)
    lines.append(f"  assert (A' : {text.real(total)} = {shown}).")
    count = f"({text.whole(rule.count)})%Z"
    lines.append(f"  {{ transitivity ((fun zz => {text.real(general)}) {count});")
    put = _put(general, rule.count, text)[:-2].replace(". ", "; ")
    lines.append(f"    [cbv beta; {put}; fields | exact T']. }}")
    index = draft.index(k)
    there = draft.use(rule.of)
    if fact.relation.kind == "==":
        zero = f"transitivity (zsum (fun _ => 0 * 1) 0 ({text.whole(rule.count)} - 1)); "
        zero += f"[apply zsum_ext; intros {index} ?; assert (H_{index} : (0 <= {index})%Z) by lia; "
        zero += f"pose proof (gap_zero _ _ {there}) as F'; rewrite Rmult_0_l; same F' "
        zero += "| rewrite zsum_scale; ring]"
        lines.append(
            f"  assert (B' : {text.relation(relation)}) by (rewrite A'; symmetry; {zero})."
        )
    else:
        lines.append(f"  assert (B' : {text.relation(relation)}).")
        lines.append(f"  {{ rewrite A'; apply zsum_nonneg; intros {index} ?.")
        lines.append(f"    assert (H_{index} : (0 <= {index})%Z) by lia.")
        lines.append(f"    pose proof (gap_nonneg _ _ {there}) as F'; same F'. }}")
    lines.append(f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.")
    return "\n".join(lines)


def _sum_of_changes(
    draft: Draft, text: Text, general: Scalar, gap: Scalar, k: Scalar, count: Scalar
) -> tuple[str, list[str]]:
    """T : G(count) = sum of the gap, by induction; G is an expression in m."""
    index = draft.index(k)
    draft.names(_M.name)
    inner = replace(text, indices={**text.indices, _M: "zz"})
    body = f"(fun {index} => {text.real(gap)})"
    here = f"({text.whole(count)})%Z"
    summed = f"zsum {body} 0 ({here} - 1)"
    later, next_gap = general.subs(_M, _M + 1), gap.subs(k, _M)
    step = eq(later, general + next_gap)
    start = eq(general.subs(_M, 0), 0)
    there = replace(text, indices={**text.indices, k: "zz"})
    changed = "".join(f"{x.strip()} " for x in arguments(gap, {k: _M}, there, inner, ""))
    logs = "(ln " in inner.real(general)
    none, alike = ("rewrite ?Rplus_0_l, ?ln_1. ", "logs_as D'. ") if logs else ("", "")
    lines = [
        f"  assert (T0 : {inner.relation(start)}).",
        *_settled(draft, inner, start, 0),
        f"  assert (T1 : forall zz : Z, (0 <= zz)%Z -> {inner.relation(step)}).",
        "  { intros zz H_zz.",
        *_settled(draft, inner, step, _M + 1, braces=False),
        "  }",
        f"  assert (T' : (fun zz => {inner.real(general)}) {here} = {summed}).",
        f"  {{ refine (telescope {body} (fun zz => {inner.real(general)}) {here} _ _ _); "
        "[lia | cbv beta |].",
        f"    - {_put(general, 0, text)}{none}same T0.",
        "    - intros zz H_zz; cbv beta; pose proof (T1 zz H_zz) as D'.",
        f"      {_put(general, _M + 1, inner)}{changed}{alike}same D'. }}",
    ]
    return summed, lines


def _put(form: Scalar, value: Scalar, text: Text) -> str:
    """Rewrite what putting a value for m makes of whole numbers."""
    value = sympy.sympify(value)
    inner = replace(text, indices={**text.indices, _M: text.whole(value)})
    lines = arguments(form, {_M: value}, inner, text, "")
    none = "rewrite ?Z.mul_0_r, ?powz_zero, ?sqrt_0."
    return " ".join([none, *(line.strip() for line in lines), ""])


def _settled(
    draft: Draft, text: Text, goal: Relation, top: Scalar, braces: bool = True
) -> list[str]:
    """Lines that show an equation by sums without terms, or by their last terms."""
    premises, lines = [], []
    sums = [s for s in goal.gap.atoms(sympy.Sum) if sympy.expand(s.limits[-1][2] - top + 1) == 0]
    for place, total in enumerate(sorted(sums, key=str)):
        index, first, last = total.limits[-1]
        rest = total.limits[:-1]
        term = sympy.Sum(total.function, *rest) if rest else total.function
        if top == 0:
            relation, by = eq(total, 0), "apply zsum_empty; lia"
        else:
            before = total.func(total.function, *rest, (index, first, last - 1))
            added = term.subs(index, last)
            relation = eq(total, before + added)
            at_last = replace(text, indices={**text.indices, index: text.whole(last)})
            body = f"(fun {text.names(index.name)} => {text.under(index).real(term)})"
            ends = " ".join(f"({text.whole(end)})%Z" for end in (first, last - 1, last))
            moved = (line.strip(" .") for line in arguments(term, {index: last}, at_last, text, ""))
            by = f"transitivity ({text.real(before)} + {at_last.real(term)}); "
            by += f"[apply (zsum_next {body} {ends}); lia | {'; '.join(moved)}; fields]"
        lines.append(f"    assert (S{place} : {text.relation(relation)}) by ({by}).")
        factor = sympy.expand(goal.gap).coeff(total)
        premises.append(Premise(relation, f"exact S{place}", -factor))
    lines.append(f"    {draft.numbers.combine(text, goal, premises)}.")
    if braces:
        lines[0] = "  { " + lines[0].strip()
        lines[-1] = lines[-1] + " }"
    return lines


def _closed_sum(draft: Draft, rule: ClosedSum, goal: Relation) -> str:
    text = draft.text()
    general = goal.rhs.subs(rule.count, _M)
    _, lines = _sum_of_changes(draft, text, general, goal.lhs.function, rule.index, rule.count)
    lines.append(f"  symmetry; cbv beta in T'. {_put(general, rule.count, text)}same T'.")
    return "\n".join(lines)


def _split(draft: Draft, rule: Split, goal: Relation) -> str:
    text = draft.text()
    total: Any = goal.lhs
    index = total.limits[0][0]
    lines, premises, left = [], [], total
    for place in range(rule.first + rule.last):
        _, first, last = left.limits[0]
        early = place < rule.first
        ends = (first + 1, last) if early else (first, last - 1)
        rest = total.func(total.function, (index, *ends))
        term = total.function.subs(index, first if early else last)
        relation = eq(left, rest + term)
        by = "zsum_first" if early else "zsum_last"
        where = "".join(whole_fact(draft, name) for name in rule.domain)
        tactic = f"{where}rewrite {by} by lia; {_ends(text, left, early)}moved"
        lines.append(f"  assert (S{place} : {text.relation(relation)}) by ({tactic}).")
        premises.append(Premise(relation, f"exact S{place}"))
        left = rest
    return "\n".join([*lines, f"  {draft.numbers.combine(text, goal, premises)}."])


def _ends(text: Text, total: Any, early: bool) -> str:
    _, first, last = total.limits[0]
    old = f"({text.whole(first)} + 1)" if early else f"({text.whole(last)} - 1)"
    new = text.whole(first + 1 if early else last - 1)
    return f"replace {old}%Z with ({new})%Z by lia; "


def _induction(draft: Draft, rule: Induction, goal: Relation) -> str:
    text, k, count = draft.text(), rule.index, rule.count
    draft.names(_M.name)
    index = draft.index(k)
    bound = goal.rhs.subs(count, k)
    ratio, rest = rule.read(draft.facts[rule.of].relation)
    under = [taken(draft, name) for name in rule.domain]
    known = [one.relation for one in under]
    if rule.begins_later(bound, ratio, known):
        raise UnsupportedError("an induction that begins at 1")
    forgets = rule.forgets(bound, ratio, known)
    carried = sympy.expand(goal.rhs.subs(count, k + 1) - ratio * bound - rest)
    plus = [] if carried == 0 else [carried]
    here = Premise(le(rule.sequence(k), bound), "assumption", ratio)
    if forgets:
        here = Premise(le(0, ratio * here.relation.gap), "assumption")
    step = le(rule.sequence(k + 1), goal.rhs.subs(count, k + 1))
    inside = count == k  # the goal is in iteration k itself, and k ranges below
    whole = f"{index}'" if inside else f"({text.whole(count)})%Z"
    later = text.under(k)
    next_one = replace(later, indices={**later.indices, k: f"({index} + 1)"})
    moved = arguments(goal.rhs.subs(count, k), {k: k + 1}, next_one, later, "")
    carry = " ".join(["rewrite ?plus_IZR in D'.", *(line.strip() for line in moved)])
    forms = (rule.sequence(k), bound, *((ratio,) if forgets else ()))
    named = " ".join(f"(fun {index} => {text.real(form)})" for form in forms)
    each = f"forall {index} : Z, (0 <= {index})%Z ->"
    same = ""
    if forgets:
        read = text.relation(here.relation)
        same = f"assert (G' : {read}) by (same IH'); clear IH'; rename G' into IH'. "
        sign = draft.numbers.combine(text, le(0, ratio), [], (), [ratio], under)
        first = f"{each} 0 <= {text.real(ratio)}) by (intros {index} H_{index}; {sign}"
        by = f"recurrence_first {named} {whole} _ _ _ _); [lia | cbv beta; fields | exact I0 |]."
    else:
        covered = le(rule.sequence(0), goal.rhs.subs(count, 0))
        first = f"{text.relation(covered)}) by ({_start(draft, rule, covered, under)}"
        at_zero = f"rewrite ?Z.mul_0_r, ?powz_zero; {_roots_at_zero(text, bound, k, index)}same I0"
        by = f"recurrence {named} {whole} _ _ _); [lia | cbv beta; {at_zero} |]."
    step_by = draft.numbers.combine(text, step, [taken(draft, rule.of), here], (), plus, under)
    return "\n".join(
        [
            *([f"  rename {index} into {whole}, H_{index} into H_{whole}."] if inside else []),
            f"  assert (I0 : {first}).",
            f"  assert (I1 : {each} {text.relation(here.relation)} -> {text.relation(step)}).",
            f"  {{ intros {index} H_{index} IH'. {step_by}. }}",
            f"  refine ({by}",
            f"  intros {index} H_{index} IH'; cbv beta in IH' |- *; {same}"
            f"pose proof (I1 {index} H_{index} IH') as D'. {carry} roots_as D'. same D'.",
        ]
    )


def _start(draft: Draft, rule: Induction, covered: Relation, under: list[Premise]) -> str:
    """A tactic for the bound at 0, by what is said of a(0)."""
    start, index = draft.facts[rule.start], draft.index(rule.index)
    begun = start.relation.replaced(dict.fromkeys(start.indices, sympy.S.Zero))
    use = draft.use(rule.start, dict.fromkeys(start.indices, "0"))
    room = sympy.expand(covered.gap - begun.gap)
    plus = [room] if room != 0 else []
    given = [Premise(begun, f"exact {use}")]
    by = draft.numbers.combine(draft.text(), covered, given, (), plus, under)
    if f"H_{index}" not in by:
        return by
    at_zero = f"set ({index} := 0%Z); assert (H_{index} : (0 <= {index})%Z)"
    return f"{at_zero} by (unfold {index}; lia); {by}"


def _roots_at_zero(text: Text, bound: Scalar, k: Scalar, index: str) -> str:
    """Tactics that put numbers in place of the roots in a bound at k = 0."""
    later = text.under(k)
    there = replace(later, indices={**later.indices, k: "0"})
    roots = sorted((r for r in bound.atoms(sympy.Pow) if r.exp == HALF and r.has(k)), key=str)
    return "".join(
        f"replace {there.real(r)} with {text.real(r.subs(k, 0))} by (symmetry; "
        "apply sqrt_lem_1; lra); "
        for r in roots
        if r.subs(k, 0).is_Rational
    )


def _unroll(draft: Draft, rule: Unroll, goal: Relation) -> str:
    text, k, j, n = draft.text(), rule.index, rule.other, rule.count
    start, product = draft.facts[rule.start].relation, rule.product
    form = sympy.expand(draft.facts[rule.of].relation.rhs)
    ratio = form.coeff(rule.sequence(k))
    added = sympy.expand(form - ratio * rule.sequence(k)).subs(k, k - 1)
    first = start.rhs - added.subs(k, 0)
    inner = text.under(k).under(j)
    index, other = draft.index(k), draft.index(j)
    sequences = [f"(fun {index} => {inner.real(one)})" for one in (rule.sequence(k), added, ratio)]
    called = f"(fun {other} {index} => {inner.real(product(j, k))})"
    whole, term = text.whole(n), inner.real(added)
    weighed = f"{draft.names(product.__name__, 'sequence')} {index} ({whole} - {index})%Z * {term}"
    total = sympy.Sum(product(k, n - k) * added, (k, 0, n))
    solution = eq(rule.sequence(n), product(0, n) * first + total)

    def placed(one: Scalar, value: Scalar, shown: str) -> str:
        there = replace(inner, indices={**inner.indices, k: shown})
        return " ".join(line.strip() for line in arguments(one, {k: value}, there, inner, ""))

    def shown(name: str) -> str:
        return f"pose proof {draft.use(name)} as D'; same D'."

    each = f"    - intros {index} H_{index}; cbv beta. "
    both = f"    - intros {other} {index} H_{other} H_{index}; cbv beta. "
    long_sum = f"(zsum (fun {index} => {weighed}) 0 ({whole})%Z)"
    lines = [
        f"  assert (U' : {text.relation(solution)}).",
        f"  {{ pose proof (unroll {' '.join(sequences)} {called}",
        f"      {text.real(first)} ({whole})%Z) as D'.",
        "    cbv beta in D'. rewrite D'; clear D'; [|lia|..].",
        f"    - replace {long_sum} with {text.real(total)}; [fields|].",
        f"      apply zsum_ext; intros {index} H_{index}; cbv beta.",
        f"      replace ({whole} - {index})%Z with ({inner.whole(n - k)})%Z by lia. fields.",
        f"    - {placed(added, sympy.S.Zero, '0')} {shown(rule.start)}",
        f"{each}{placed(added, k + 1, f'({index} + 1)')} {shown(rule.of)}",
        f"{each}{shown(rule.empty)}",
        f"{both}{placed(ratio, j + k, f'({other} + {index})')} {shown(rule.longer)}",
        "  }",
    ]
    return "\n".join(
        [*lines, f"  {draft.numbers.combine(text, goal, [Premise(solution, UNROLLED)])}."]
    )


RULES: Final[Mapping[type, Script]] = {
    Telescope: _telescope,
    ClosedSum: _closed_sum,
    Split: _split,
    Induction: _induction,
    Unroll: _unroll,
}

__all__ = ["RULES"]
