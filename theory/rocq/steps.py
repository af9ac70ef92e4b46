"""How each rule of the kernel is shown in Rocq: a script for the goal of a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.normal import is_zero
from theory.kernel.relations import Relation, le
from theory.kernel.rules import (
    Combine,
    Descent,
    Everywhere,
    Found,
    Integral,
    Lipschitz,
    Root,
    Sign,
    Triangle,
)
from theory.kernel.rules.calculus import descent, lipschitz, support
from theory.kernel.theorem import Rule, Smooth
from theory.kernel.vectors import Scalar, Vector, square, squared
from theory.rocq.numbers import GAP, HALF, SHOWN, Premise
from theory.rocq.text import Text, UnsupportedError, flips, square_tactic
from theory.rocq.writing import Draft, points_of

Script = Callable[[Draft, Any, Relation], str]


def proof_of(draft: Draft, rule: Rule, goal: Relation) -> str:
    """The proof of a step by its rule.

    Raises
    ------
    UnsupportedError
        The rule, or something in the step, has no form in Rocq yet.
    """
    from theory.rocq import citing, elementary, expecting, late, running

    modules: Any = (expecting, running, citing, elementary, late)
    tables: list[Mapping[type, Script]] = [OWN, *(one.RULES for one in modules)]
    script = next((table[type(rule)] for table in tables if type(rule) in table), None)
    if script is None:
        raise UnsupportedError(f"the rule {type(rule).__name__}")
    return script(draft, rule, goal)


def taken(draft: Draft, name: str, factor: Scalar = 1) -> Premise:
    """A fact at the iteration and the outcome in scope."""
    return Premise(draft.facts[name].relation, f"exact {draft.use(name)}", factor)


def whole_fact(draft: Draft, name: str) -> str:
    """A tactic that tells a fact, as one about whole numbers if it is."""
    relation, text = draft.facts[name].relation, draft.text()
    told = f"pose proof {draft.use(name)}; "
    sides = (relation.lhs, relation.rhs)
    numbers = [n for side in sides for n in side.as_coefficients_dict().values()]
    if not all(one.is_integer for one in (*sides, *numbers)):
        return told
    sign, lemma = ("<=", "le_IZR") if relation.kind == "<=" else ("=", "eq_IZR")
    said = f"({text.whole(relation.lhs)} {sign} {text.whole(relation.rhs)})%Z"
    return f"{told}assert {said} by (apply {lemma}; rewrite ?plus_IZR, ?mult_IZR, ?opp_IZR; lra); "


def _combine(draft: Draft, rule: Combine, goal: Relation) -> str:
    text = draft.text()
    premises = [taken(draft, name, factor) for name, factor in rule.facts.items()]
    squares = [
        (c, square(one), square_tactic(one, text)) if isinstance(one, Vector)
        else (c, sympy.sympify(one) ** 2, "")
        for c, one in rule.squares
    ]  # fmt: skip
    under = [taken(draft, name) for name in rule.domain]
    return f"  {draft.numbers.combine(text, goal, premises, squares, rule.plus, under)}."


def _sign(draft: Draft, rule: Sign, goal: Relation) -> str:
    text, under = draft.text(), [taken(draft, name) for name in rule.facts]
    above = draft.numbers.sign(text, goal.gap, False, under)
    first = f"  assert (A' : 0 <= {text.real(goal.gap)}) by ({above})."
    if goal.kind == "<=":
        return f"{first}\n  {draft.numbers.combine(text, goal, [Premise(le(0, goal.gap), GAP)])}."
    below = draft.numbers.sign(text, -goal.gap, False, under)
    second = f"  assert (B' : 0 <= {text.real(-goal.gap)}) by ({below})."
    both = "apply Rle_antisym; [apply le_gap; same A' | apply le_gap; same B']"
    return f"{first}\n{second}\n  {both}."


def _smooth(draft: Draft, name: str) -> tuple[Smooth, str, dict[Any, tuple[str, str]]]:
    """The assumption, how it is opened, and the equations of each point."""
    place, one = next(
        (i, h)
        for i, h in enumerate(draft.theorem.hypotheses, 1)
        if h.name == name and isinstance(h, Smooth)
    )
    outcome = " w" if draft.shape.random else ""
    points = points_of(draft.theorem, one.function)
    labels = {p: (f"V{i}", f"G{i}") for i, p in enumerate(points)}
    inner = "smooth_f" + "".join(f" & {v} & {g}" for v, g in labels.values())
    return one, f"  destruct (h{place}{draft.here}{outcome}) as (f & df & {inner}).", labels


def _descent(draft: Draft, rule: Descent, goal: Relation) -> str:
    return _two_points(draft, rule, goal, support if rule.below else descent)


def _integral(draft: Draft, rule: Integral, goal: Relation) -> str:
    """What the slope is bounded by along a segment: here by the descent lemma itself."""
    smooth = (h for h in draft.theorem.hypotheses if isinstance(h, Smooth))
    for one in (h for h in smooth if h.function == rule.x.function):
        if is_zero(goal.gap - descent(one.constant, rule.x, rule.y).gap):
            return _descent(draft, Descent(one.name, rule.x, rule.y), goal)
    raise UnsupportedError("an integral of another slope than that of the descent lemma")


def _lipschitz(draft: Draft, rule: Lipschitz, goal: Relation) -> str:
    return _two_points(draft, rule, goal, lipschitz)


def _two_points(draft: Draft, rule: Any, goal: Relation, form: Any) -> str:
    text = draft.text()
    smooth, opened, labels = _smooth(draft, rule.of)
    x, y = text.vector(rule.x.position), text.vector(rule.y.position)
    size = text.real(smooth.constant)
    lemma = f"{form.__name__} V f df {size} {x} {y} smooth_f"
    if form is not lipschitz:
        lemma += f" ltac:({draft.numbers.sign(text, smooth.constant, False, ())})"
    equations = [label for p in (rule.x, rule.y) for label in labels[p]]
    way = rule.y.position - rule.x.position
    names = {*way.names, *rule.x.gradient.names, *rule.y.gradient.names}
    relation = form(smooth.constant, rule.x, rule.y)
    lines = [
        opened,
        f"  pose proof ({lemma}) as D'. unfold minus in D'.",
        f"  rewrite ?{', ?'.join(equations)} in D'.",
        f"  assert (B' : {text.relation(relation)}).",
        "  { eapply Rle_trans; [|eapply Rle_trans; [exact D'|]]; apply Req_le; bilinear; "
        f"{flips(names, text)}rooted. }}",
        f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.",
    ]
    return "\n".join(lines)


def _sides(one: Relation) -> Any:
    return sympy.Tuple(one.lhs, one.rhs)


def _everywhere(draft: Draft, rule: Everywhere, goal: Relation) -> str:
    fact = draft.facts[rule.of]
    text = draft.text()
    values = {symbol: text.whole(value) for symbol, value in rule.values.items()}
    moved = fact.relation.replaced(rule.values)
    inner = draft.text(indices={s: f"({v})" for s, v in values.items()})
    return "\n".join(
        [
            f"  pose proof {draft.use(rule.of, values)} as D'. cbv beta in D'.",
            *arguments(_sides(fact.relation), rule.values, inner, text),
            f"  assert (B' : {text.relation(moved)}) by same D'.",
            f"  {draft.numbers.combine(text, goal, [Premise(moved, SHOWN)])}.",
        ]
    )


def arguments(
    form: Any, values: Mapping[Scalar, Scalar], inner: Text, text: Text, where: str = " in D'"
) -> list[str]:
    """Rewrite arguments of sequences, and ends of sums, as they read after a replacement."""
    bound = frozenset(limit[0] for total in form.atoms(sympy.Sum) for limit in total.limits)
    found = _moved(form, values, inner, text, frozenset())
    lines = [f"  replace ({old})%Z with ({new})%Z{where} by lia." for old, new in found.items()]
    for total in sorted(form.atoms(sympy.Sum), key=str):
        under = _moved(total.function, values, inner, text, bound)
        if not under or len(total.limits) != 1:
            continue
        index = total.limits[0][0]
        old, new = inner.real(total), text.real(total.subs(dict(values), simultaneous=True))
        for one, other in found.items():
            old = old.replace(f"({one})%Z", f"({other})%Z")
        shown = "".join(f"replace ({o})%Z with ({n})%Z by lia; " for o, n in under.items())
        lines.append(
            f"  replace {old} with {new}{where} by (apply zsum_ext; "
            f"intros {text.names(index.name)} ?; cbv beta; {shown}fields)."
        )
    return [*lines, f"  rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR{where}."]


def _moved(
    form: Any, values: Mapping[Scalar, Scalar], inner: Text, text: Text, bound: frozenset[Scalar]
) -> dict[str, str]:
    """Arguments with these bound indices, as they read before and after a replacement."""
    found: dict[str, str] = {}
    sums = form.atoms(sympy.Sum)
    parts = [one for call in form.atoms(AppliedUndef) for one in call.args]
    parts += [end for total in sums for limit in total.limits for end in limit[1:]]
    parts += [p.exp for p in form.atoms(sympy.Pow) if p.exp.is_integer and not p.exp.is_Integer]
    own = bound or {limit[0] for total in sums for limit in total.limits}
    for part in parts:
        if part.free_symbols & set(values) and bool(part.free_symbols & own) == bool(bound):
            old, new = inner.whole(part), text.whole(part.subs(dict(values), simultaneous=True))
            if old != new:
                found[old] = new
    return found


def _triangle(draft: Draft, rule: Triangle, goal: Relation) -> str:
    text, under = draft.text(), [taken(draft, name) for name in rule.domain]
    roots = {p for _, _, _, length in rule.parts for p in sympy.sympify(length).atoms(sympy.Pow)}
    bases = sorted({p.base for p in roots if p.exp == HALF and squared(p.base)}, key=str)
    lines = [
        f"  assert (Q{n} : 0 <= {text.real(one)}) by ({draft.numbers.sign(text, one, False, ())})."
        for n, one in enumerate(bases)
    ]
    whole, size, vector = "", "", Vector(())
    for place, (name, factor, part, length) in enumerate(rule.parts):
        factor, length = sympy.sympify(factor), sympy.sympify(length)
        scaled = part * factor
        own = f"(scale {text.real(factor)} {text.vector(part)})"
        long = f"({text.real(factor)} * {text.real(length)})"
        shown = [draft.numbers.sign(text, one, False, under) for one in (factor, length)]
        bound = le(square(part), length**2)
        fact = draft.numbers.combine(text, bound, [taken(draft, name)])
        names = f"bilinear; {flips(part.names, text)}rooted"
        lines += [
            f"  assert (F{place} : 0 <= {text.real(factor)}) by ({shown[0]}).",
            f"  assert (L{place} : 0 <= {text.real(length)}) by ({shown[1]}).",
            f"  assert (N{place} : 0 <= {long}) by (apply Rmult_le_pos; assumption).",
            f"  assert (B{place} : {text.relation(bound)}) by ({fact}).",
            f"  assert (T{place} : dot {own} {own} <= {long} ^ 2).",
            f"  {{ apply (Rle_trans _ ({text.real(factor)} ^ 2 * {text.real(square(part))}));",
            f"    [apply Req_le; {names} | apply (Rle_trans _ ({text.real(factor)} ^ 2 * "
            f"{text.real(length**2)})); [apply Rmult_le_compat_l; [apply pow2_ge_0 | exact "
            f"B{place}] | apply Req_le; rooted]]. }}",
        ]
        if not place:
            whole, size, vector = own, long, scaled
            continue
        label = f"T{place}"
        both = f"(triangle V {whole} {own} {size} {long} ltac:(pos) N{place} T' T{place})"
        whole, size, vector = f"(add {whole} {own})", f"({size} + {long})", vector + scaled
        lines += [f"  pose proof {both} as {label}'. clear T'. rename {label}' into T'."]
        continue
    lines = [line.replace("(T0 :", "(T' :") for line in lines]
    total = sympy.Add(*(sympy.sympify(f) * sympy.sympify(s) for _, f, _, s in rule.parts))
    relation = le(square(vector), total**2)
    names_all = {n for _, _, part, _ in rule.parts for n in part.names}
    lines += [
        f"  assert (B' : {text.relation(relation)}).",
        "  { eapply Rle_trans; [|eapply Rle_trans; [exact T'|]]; apply Req_le; bilinear; "
        f"{flips(names_all, text)}rooted. }}",
        f"  {draft.numbers.combine(text, goal, [Premise(relation, SHOWN)])}.",
    ]
    return "\n".join(lines)


def _root(draft: Draft, rule: Root, goal: Relation) -> str:
    text, under = draft.text(), [taken(draft, name) for name in rule.domain]
    shown = draft.numbers.sign(text, goal.rhs, False, under)
    both = le(goal.lhs**2, goal.rhs**2)
    fact = draft.numbers.combine(text, both, [taken(draft, rule.of)], under=under)
    wanted = f"{text.real(goal.lhs)} ^ 2 <= {text.real(goal.rhs)} ^ 2"
    inside = goal.lhs.base if goal.lhs.is_Pow and goal.lhs.exp == HALF else None
    opened = "" if inside is None else (
        f"rewrite pow2_sqrt by ({draft.numbers.sign(text, inside, False, under)}); "
    )  # fmt: skip
    return "\n".join(
        [
            f"  assert (A' : {text.relation(both)}) by ({fact}).",
            f"  apply root_le; [{shown} | assert (B' : {wanted}); [|exact B']].",
            f"  {opened}first [same A' | eapply Rle_trans; [|eapply Rle_trans; [exact A'|]];",
            "    apply Req_le; rooted].",
        ]
    )


OWN: Final[Mapping[type, Script]] = {
    Combine: _combine,
    Found: _combine,
    Sign: _sign,
    Descent: _descent,
    Lipschitz: _lipschitz,
    Integral: _integral,
    Everywhere: _everywhere,
    Triangle: _triangle,
    Root: _root,
}

__all__ = ["proof_of"]
