"""Rules of stale iterates, `Drift`, `Windows`, `Reread` and `Start`: by lemmas of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import sympy

from theory.kernel.relations import Relation
from theory.kernel.rules import Drift, Reread, Start, Windows
from theory.kernel.rules.delays import _at_present, multiple
from theory.kernel.theorem import Delayed, Given
from theory.kernel.vectors import Gram, Vector, square
from theory.rocq.numbers import SHOWN, Premise
from theory.rocq.steps import Script
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import Draft

NONNEGATIVE: Final = "ltac:(intros; cbv beta; solve [pos])"


def _stated(draft: Draft, rule: Any) -> Relation:
    """What a rule says, as the kernel says it."""
    given = Given(draft.theorem, {name: one.relation for name, one in draft.facts.items()})
    stated: Relation | str = rule.stated(given)
    if isinstance(stated, str) or rule.index != draft.shape.iteration:
        raise UnsupportedError(f"the rule {type(rule).__name__} along another index")
    return stated


def _ended(draft: Draft, goal: Relation, stated: Relation, lines: list[str]) -> str:
    """From what the lemma says, D', to what the rule says, and to the goal."""
    text = draft.text()
    return "\n".join(
        [
            f"  assert (B' : {text.relation(stated)}).",
            *lines,
            "    cbv beta in D'. unfold window in D'.",
            "    rewrite ?plus_IZR, ?mult_IZR, ?opp_IZR in D'. eapply Rle_trans; [apply Req_le |",
            "      eapply Rle_trans; [exact D' | apply Req_le]]; first [sums | fields | ",
            "        rewrite ?Rmult_assoc; sums]. }",
            f"  {draft.numbers.combine(text, goal, [Premise(stated, SHOWN)])}.",
        ]
    )


def _windows(draft: Draft, rule: Windows, goal: Relation) -> str:
    text, stated = draft.text(), _stated(draft, rule)
    a = f"(fun i' => {draft.names(rule.sequence.__name__, 'sequence')} i')"
    length, k = f"({text.whole(rule.length)})%Z", draft.index(rule.index)
    if not rule.each:
        count = f"({text.whole(rule.count)})%Z"
        shown = f"windows {a} {length} {count} ltac:(lia) {NONNEGATIVE}"
        return _ended(draft, goal, stated, [f"  {{ pose proof ({shown}) as D'."])
    fact = draft.facts[rule.each]
    size = sympy.expand(fact.relation.gap + rule.sequence(rule.index))
    there = draft.use(rule.each, {rule.index: "i'"})
    each = f"ltac:(intros i' H'; pose proof {there} as F'; same F')"
    shown = f"window_each {a} {length} {k} {text.real(size)} ltac:(lia) ltac:(lia)"
    return _ended(draft, goal, stated, [f"  {{ pose proof ({shown} {NONNEGATIVE} {each}) as D'."])


def _late(draft: Draft, name: str) -> tuple[Delayed, str]:
    """What is stale, and its label."""
    hypotheses = enumerate(draft.theorem.hypotheses, 1)
    found = ((h, f"h{place}") for place, h in hypotheses if isinstance(h, Delayed))
    return next((h, at) for h, at in found if h.name == name)


def _same(draft: Draft, *forms: Any) -> str:
    """A tactic for equations of inner products."""
    names: set[str] = set()
    for one in forms:
        names |= (
            one.names if isinstance(one, Vector) else {n for g in one.atoms(Gram) for n in g.names}
        )
    return f"unfold minus; bilinear; {_flips(draft, names)}rooted"


def _flips(draft: Draft, names: set[str]) -> str:
    """Inner products in their order, whatever the iteration: nothing if there is only one."""
    ordered = sorted(names)
    pairs = [(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]]
    if not pairs:
        return ""
    return "repeat first [" + " | ".join(
        f"rewrite (dot_sym _ {_anywhere(draft, b)} {_anywhere(draft, a)})" for a, b in pairs
    ) + "]; "  # fmt: skip


def _anywhere(draft: Draft, name: str) -> str:
    own, many = draft.names(name), " _" * (1 + draft.shape.random)
    return own if name not in draft.shape.varying else f"({own}{many})"


def _reread(draft: Draft, rule: Reread, goal: Relation) -> str:
    text, stated = draft.text(), _stated(draft, rule)
    stale, label = _late(draft, rule.of)
    value = draft.theorem.sequences[rule.sequence]
    now = _at_present(value, stale)
    current = next(f for f, meant in draft.theorem.sequences.items() if meant == now)
    old, new = (draft.names(f.__name__, "sequence") for f in (rule.sequence, current))
    meanings = [draft.meaning(f.__name__) for f in (rule.sequence, current)]
    delay, count = (f"({text.whole(one)})%Z" for one in (stale.constant, rule.count))
    lines = [
        f"  {{ assert (L' : forall k', (0 <= k')%Z -> {old} k' = {new} (Z.max 0 (k' - {delay}))).",
        f"    {{ intros k' H'. rewrite ({meanings[0]} k' H').",
        f"      rewrite ({meanings[1]} (Z.max 0 (k' - {delay})) ltac:(lia)).",
        f"      apply total_ext; intros w. destruct ({label} k' H' w) as (j' & J' & E1 & E2 & E3).",
        "      subst j'. rewrite ?E1, ?E2, ?E3. "
        f"{_same(draft, value, now, stale.now.position)}. }}",
        f"    pose proof (reread (fun k' => {old} k') (fun k' => {new} k') {delay} {count} "
        f"ltac:(lia) ltac:(lia) L' {NONNEGATIVE}) as D'.",
    ]
    return _ended(draft, goal, stated, lines)


def _start(draft: Draft, rule: Start, goal: Relation) -> str:
    text, stated = draft.text(), _stated(draft, rule)
    stale, label = _late(draft, rule.of)
    value = draft.theorem.sequences[rule.sequence]
    now = _at_present(value, stale)
    meaning = f"({draft.meaning(rule.sequence.__name__)} 0%Z ltac:(lia))"
    opened = (
        "apply total_ext; intros w; "
        f"destruct ({label} 0%Z ltac:(lia) w) as (j' & J' & E1 & E2 & E3); "
        f"assert (Z' : j' = 0%Z) by lia; clear J'; subst j'; rewrite ?E1, ?E2, ?E3; "
        f"{_same(draft, value, now, stale.now.position)}"
    )
    if stated.rhs == 0:
        shown = f"transitivity (total P (fun _ => 0 * 1)); [{opened} | rewrite total_const; ring]"
    else:
        current = next((f for f in draft.theorem.sequences if stated.rhs == f(0)), None)
        if current is None:
            raise UnsupportedError("a multiple of a sequence at the start")
        shown = f"rewrite ({draft.meaning(current.__name__)} 0%Z ltac:(lia)); {opened}"
    return "\n".join(
        [
            f"  assert (B' : {text.relation(stated)}) by (rewrite {meaning}; {shown}).",
            f"  {draft.numbers.combine(text, goal, [Premise(stated, SHOWN)])}.",
        ]
    )


def _drift(draft: Draft, rule: Drift, goal: Relation) -> str:
    stated = _stated(draft, rule)
    stale, label = _late(draft, rule.of)
    names = [*stale.now.position.names, *stale.old.position.names]
    if len(names) != 2 or len(stale.now.position.terms) != 1:
        raise UnsupportedError("a stale point that is no iterate itself")
    if rule.move:
        return _drift_of_each(draft, rule, goal, stated, stale, label)
    return _drift_in_mean(draft, rule, goal, stated, stale, label)


def _next_position(draft: Draft, stale: Delayed) -> tuple[str, Vector]:
    (name,) = stale.now.position.names
    then = draft.successor(name)
    assert isinstance(then, Vector)
    return draft.follows(name), then


def _drift_of_each(
    draft: Draft, rule: Drift, goal: Relation, stated: Relation, stale: Delayed, label: str
) -> str:
    text, k = draft.text(), draft.index(rule.index)
    follows, then = _next_position(draft, stale)
    (x,) = (draft.names(name) for name in stale.now.position.names)
    moved = square(then - stale.now.position)
    size = sympy.expand(draft.facts[rule.move].relation.gap + moved)
    delay = f"({text.whole(stale.constant)})%Z"
    w = " w" if draft.shape.random else ""
    there = draft.use(rule.move, {rule.index: "i'"})
    step = (
        f"ltac:(intros i' H'; cbv beta; rewrite <- ({follows} i' H'{w}); "
        f"pose proof {there} as F'; "
        f"unfold minus; bilinear; {_flips(draft, {*then.names, *stale.now.position.names})}same F')"
    )
    lines = [
        f"  {{ destruct ({label} {k} H_{k}{w}) as (j' & J' & E1 & _).",
        f"    pose proof (drift_each V (fun i' => {x} i'{w}) {delay} j' {k} {text.real(size)} "
        f"H_{k} ltac:(lia) {step}) as D'.",
        "    cbv beta in D'.",
        "    eapply Rle_trans; [|eapply Rle_trans; [exact D'|apply Req_le; fields]].",
        f"    apply Req_le. rewrite E1. unfold minus; bilinear; "
        f"rewrite ?(dot_sym _ ({x} j'{w}) ({x} {k}{w})); fields. }}",
    ]
    return "\n".join(
        [
            f"  assert (B' : {text.relation(stated)}).",
            *lines,
            f"  {draft.numbers.combine(text, goal, [Premise(stated, SHOWN)])}.",
        ]
    )


def _drift_in_mean(
    draft: Draft, rule: Drift, goal: Relation, stated: Relation, stale: Delayed, label: str
) -> str:
    text, k = draft.text(), draft.index(rule.index)
    follows, then = _next_position(draft, stale)
    x, xl = (draft.names(min(one.position.names)) for one in (stale.now, stale.old))
    given = Given(draft.theorem, {})
    moved = square(then - stale.now.position)
    far, step = _sequences(stated)
    factor = multiple(moved, draft.theorem.sequences[step], given)
    names = {*then.names, *stale.now.position.names, *stale.old.position.names}
    same = f"unfold minus; bilinear; {_flips(draft, names)}rooted"
    delay = f"({text.whole(stale.constant)})%Z"
    own, other = (draft.names(f.__name__, "sequence") for f in (far, step))
    size = text.real(factor)
    lemma = f"V W P {x} {xl} {delay} {own} {other} {size}"
    last = (
        f"drift_windows {lemma} S' M' N' {k} H_{k}" if rule.count is None
        else f"drift_sum {lemma} ltac:(lia) S' M' N' ({text.whole(rule.count)})%Z ltac:(lia)"
    )  # fmt: skip
    lines = [
        f"  {{ assert (S' : forall k', (0 <= k')%Z -> forall w, exists j', "
        f"(Z.max 0 (k' - {delay}) <= j' <= k')%Z /\\ {xl} k' w = {x} j' w).",
        f"    {{ intros k' H' w. destruct ({label} k' H' w) as (j' & J' & E1 & _).",
        "      exists j'. split; [lia | exact E1]. }",
        f"    assert (M' : forall k', (0 <= k')%Z -> {own} k' = total P (fun w => "
        f"dot (minus ({x} k' w) ({xl} k' w)) (minus ({x} k' w) ({xl} k' w)))).",
        f"    {{ intros k' H'. rewrite ({draft.meaning(far.__name__)} k' H'). "
        f"apply total_ext; intros w. {same}. }}",
        "    assert (N' : forall k', (0 <= k')%Z -> "
        f"total P (fun w => dot (minus ({x} (k' + 1)%Z w) "
        f"({x} k' w)) (minus ({x} (k' + 1)%Z w) ({x} k' w))) = {size} * {other} k').",
        f"    {{ intros k' H'. rewrite ({draft.meaning(step.__name__)} k' H'), <- total_scale.",
        f"      apply total_ext; intros w. rewrite <- ({follows} k' H' w). {same}. }}",
        f"    pose proof ({last}) as D'.",
    ]
    return _ended(draft, goal, stated, lines)


def _sequences(stated: Relation) -> tuple[Any, Any]:
    """The sequences of the distance and of the moves."""
    from sympy.core.function import AppliedUndef

    left, right = ({c.func for c in side.atoms(AppliedUndef)} for side in (stated.lhs, stated.rhs))
    return next(iter(left)), next(iter(right))


RULES: Final[Mapping[type, Script]] = {
    Drift: _drift,
    Windows: _windows,
    Reread: _reread,
    Start: _start,
}

__all__ = ["RULES"]
