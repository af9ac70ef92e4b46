"""Certificates as lemmas about real numbers alone: every atom of the formulas is a variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import sympy

from theory.kernel.normal import linear_sums
from theory.kernel.relations import Relation
from theory.kernel.vectors import Scalar, squared
from theory.rocq.signs import (
    HALF,
    Atoms,
    Premise,
    is_root,
    is_special,
    shown_by_form,
    with_variables,
)
from theory.rocq.text import Text, UnsupportedError, arithmetic, square_tactic

SHOWN: Final = "exact B'"
GAP: Final = "exact A'"
"""Tactics that take what was asserted right before."""


@dataclass
class Numbers:
    """The lemmas about numbers of one file, each once.

    Attributes
    ----------
    lemmas : dict of str to str
        By what follows the name, the name.
    guards : list of Premise
        What is known of constants alone: where denominators need it, it is said in a lemma.
    """

    lemmas: dict[str, str] = field(default_factory=dict)
    guards: list[Premise] = field(default_factory=list)

    def add(self, body: str) -> str:
        """The name of a lemma, which is written once."""
        return self.lemmas.setdefault(body, f"c{len(self.lemmas) + 1}")

    def sources(self) -> list[str]:
        """All lemmas."""
        return [f"Lemma {name} {body}" for body, name in self.lemmas.items()]

    def combine(
        self,
        text: Text,
        goal: Relation,
        premises: Sequence[Premise],
        squares: Sequence[tuple[Scalar, Scalar, str]] = (),
        plus: Sequence[Scalar] = (),
        under: Sequence[Premise] = (),
    ) -> str:
        """A tactic for a goal that is a sum of premises, squares and nonnegative terms.

        Parameters
        ----------
        squares : sequence of (coefficient, square, tactic)
            The tactic shows that the square is at least 0; it is empty for the square of a number.
        """
        simple = _trivial(goal, premises, squares, plus)
        if simple:
            return simple
        premises = [*premises, *_split_sums(text, goal, premises, plus)]
        under = [*under, *self._guarding(goal, premises, squares, plus, under)]
        return _Lemma(self, text).combine(goal, premises, squares, plus, under)

    def _guarding(
        self,
        goal: Relation,
        premises: Sequence[Premise],
        squares: Sequence[tuple[Scalar, Scalar, str]],
        plus: Sequence[Scalar],
        under: Sequence[Premise],
    ) -> list[Premise]:
        """What is known of the constants in denominators whose sign is not plain."""
        parts = [
            goal.lhs,
            goal.rhs,
            *plus,
            *(c for c, *_ in squares),
            *(p.factor for p in premises),
        ]
        parts += [side for p in premises for side in (p.relation.lhs, p.relation.rhs)]
        powers = {p for form in parts for p in sympy.sympify(form).atoms(sympy.Pow)}
        below = [p.base for p in powers if p.exp.is_negative and not shown_by_form(p.base, True)]
        named = {s for base in below for s in base.free_symbols}
        known = {one.relation for one in under}
        return [
            one for one in self.guards
            if one.relation.gap.free_symbols & named and one.relation not in known
        ]  # fmt: skip

    def sign(self, text: Text, form: Scalar, strict: bool, under: Sequence[Premise]) -> str:
        """A tactic for ``0 <= form``, or ``0 < form`` where `strict`."""
        one = sympy.sympify(form)
        square = None if strict or shown_by_form(one) else squared(one)
        if square is not None and square[0] == 1:
            return square_tactic(square[1], text, one)
        return _Lemma(self, text).sign_goal(one, strict, under)


def _split_sums(
    text: Text, goal: Relation, premises: Sequence[Premise], plus: Sequence[Scalar]
) -> list[Premise]:
    """Sums of several terms, as sums of one each."""
    total = sympy.Add(*(one.factor * one.relation.gap for one in premises), *plus)
    bare = goal.gap - total
    nested = {t for s in bare.atoms(sympy.Sum) for t in s.function.atoms(sympy.Sum)}
    aside = {s: sympy.Dummy() for s in bare.atoms(sympy.Sum) - nested}
    whole = sympy.expand(bare.xreplace(aside))
    found = []
    for one in sorted(aside, key=str):
        normal = linear_sums(one)
        if normal != one:
            relation = Relation(one, "==", normal)
            found.append(Premise(relation, _split_sum(text, one), -whole.coeff(aside[one])))
    return found


def _split_sum(text: Text, one: Any) -> str:
    """A tactic for a sum to be the sums of its terms; from the inside, if it has more indices."""
    *rest, (index, first, last) = one.limits
    inner = text.under(index)
    body = sympy.Sum(one.function, *rest) if rest else one.function
    flat = linear_sums(body)
    parts = [
        term.as_independent(index, as_Add=False) for term in sympy.Add.make_args(sympy.expand(flat))
    ]
    bound, ends = text.names(index.name), f"({text.whole(first)}) ({text.whole(last)})"
    mixed = " + (".join(f"{text.real(c)} * {inner.real(b)}" for c, b in parts)
    count = f"(IZR {text.whole(last)} - IZR {text.whole(first)} + 1)"
    apart = " + (".join(
        f"{text.real(c)} * {count if b == 1 else text.real(sympy.Sum(b, one.limits[-1]))}"
        for c, b in parts
    )  # fmt: skip
    close = ")" * (len(parts) - 1)
    inside = {t: linear_sums(t) for t in body.atoms(sympy.Sum)}
    same = "".join(
        f"replace {inner.real(t)} with {inner.real(form)} by (symmetry; {_split_sum(inner, t)}); "
        for t, form in inside.items()
        if form != t
    )
    powers = {p for p in body.atoms(sympy.Pow) if p.exp.is_Add and p.exp.coeff(index) == 1}
    same += "".join(
        f"rewrite (powz_more {text.real(p.base)} {bound} {p.exp - index} {inner.whole(p.exp)}) "
        "by lia; "
        for p in sorted(powers, key=str)
        if (p.exp - index).is_Integer and p.exp - index > 0
    )
    return (
        f"transitivity (zsum (fun {bound} => {mixed}{close}) {ends}); [apply zsum_ext; "
        f"try rename {bound} into outer_{bound}; intros {bound} ?; cbv beta; {same}fields | "
        f"transitivity ({apart}{close}); "
        "[linear | rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR; fields]]"
    )


def _trivial(
    goal: Relation, premises: Sequence[Premise], squares: Sequence[Any], plus: Sequence[Any]
) -> str:
    alone = len(premises) == 1 and not squares and not plus and premises[0].factor == 1
    return premises[0].proof if alone and premises[0].relation == goal else ""


class _Lemma(Atoms):
    """A certificate while it is written."""

    def combine(
        self,
        goal: Relation,
        premises: Sequence[Premise],
        squares: Sequence[tuple[Scalar, Scalar, str]],
        plus: Sequence[Scalar],
        under: Sequence[Premise],
    ) -> str:
        exact = goal.kind == "=="
        self.under = under
        said = self.relation(goal)
        above = [(self.relation(one.relation), one.proof) for one in premises]
        terms: list[str] = []
        proofs: list[str] = []
        script: list[tuple[str, str, str]] = []
        for place, one in enumerate(premises):
            factor = sympy.sympify(one.factor)
            terms.append(f"{self.write(factor)} * {self._gap(one.relation)}")
            if one.relation.kind == "==":
                zero = f"(weigh_eq {self.write(factor)} _ _ p{place})"
                proofs.append(zero if exact else f"(nonneg_of_zero _ {zero})")
            else:
                proofs.append(
                    f"(weigh {self.write(factor)} _ _ {self._shown(script, factor)} p{place})"
                )
        for coefficient, square, tactic in squares:
            one = sympy.sympify(coefficient)
            terms.append(f"{self.write(one)} * {self.write(square)}")
            if tactic:
                above.append((f"0 <= {self.write(square)}", tactic))
                inner = f"p{len(above) - 1}"
            else:
                inner = self._shown(script, square)
            proofs.append(f"(Rmult_le_pos _ _ {self._shown(script, one)} {inner})")
        for one in plus:
            terms.append(self.write(one))
            proofs.append(self._shown(script, sympy.sympify(one)))
        known = [(self.relation(one.relation), one.proof) for one in under]
        facts = self.facts(under)
        for form, relation, name in self._modulo(goal, premises, squares, plus, facts):
            terms.append(f"{form} * {relation}")
            zero = f"(weigh_eq {form} _ _ {name})"
            proofs.append(zero if exact else f"(nonneg_of_zero _ {zero})")
        whole = " + (".join(terms) + ")" * (len(terms) - 1) if terms else "0"
        joined = ("(eq_refl 0)" if exact else "(Rle_refl 0)") if not proofs else proofs[-1]
        for proof in proofs[-2::-1]:
            joined = f"({'zero_plus' if exact else 'sum_nonneg'} _ _ {proof} {joined})"
        context = [f"d{i}" for i in range(len(facts))] + [f"u{i}" for i in range(len(known))]
        clear = f"clear - {' '.join(context)}; " if context else "clear; "
        gap = self._gap(goal)
        parts = [goal.lhs, goal.rhs, *(c for c, *_ in squares), *plus]
        parts += [p for one in premises for p in (one.factor, one.relation.lhs, one.relation.rhs)]
        hints = self._cleared(under) | self._apart(parts)
        keep = f"clear - {' '.join([*context, *hints])}; " if hints else clear
        body = [line[:-1] for line in hints.values()]
        body += [f"  assert ({name} : 0 <= {form}) by ({keep}{by})." for name, form, by in script]
        body.append(f"  assert (identity : {gap} = {whole}) by ({keep}fields).")
        body.append(f"  exact (from_gap{'_eq' if exact else ''} _ _ _ identity {joined}).")
        return self.closed([*facts, *known, *above], said, "\n".join(body), len(facts), len(known))

    def _shown(self, script: list[tuple[str, str, str]], form: Scalar) -> str:
        name = f"m{len(script)}"
        script.append((name, self.write(form), self.by_sign(form, False)))
        return name

    def _modulo(
        self,
        goal: Relation,
        premises: Sequence[Premise],
        squares: Sequence[tuple[Scalar, Scalar, str]],
        plus: Iterable[Scalar],
        facts: list[tuple[str, str]],
    ) -> list[tuple[str, str, str]]:
        """What is left as multiples of r·r − e for each root r of e, and of q − b^c·p for powers.

        Each atom is a symbol here, or sympy would put e for r·r by itself.
        """
        if not any(is_special(node) for node in self.atoms):
            return []
        variables = {node: sympy.Symbol(f"_{name}") for node, name in self.atoms.items()}
        names = {symbol: self.atoms[node] for node, symbol in variables.items()}

        def plainly(form: Scalar) -> Scalar:
            return with_variables(sympy.sympify(form), variables)

        def gap(one: Relation) -> Scalar:
            return plainly(one.rhs) - plainly(one.lhs)

        total = sympy.Add(
            *(plainly(one.factor) * gap(one.relation) for one in premises),
            *(plainly(c) * plainly(square) for c, square, _ in squares),
            *map(plainly, plus),
        )
        above, below = sympy.fraction(sympy.together(gap(goal) - total))
        found = []
        for place, (said, _) in enumerate(facts):
            node = self.defined.get(said)
            if node is None:
                continue
            root, equal = variables[node[0]], plainly(node[1])
            power = root ** node[0].exp.q if is_root(node[0]) else root
            over, under = sympy.fraction(sympy.together(equal))
            relation = sympy.expand(under * power - over)
            quotient, above = sympy.div(sympy.expand(above), relation, root)
            multiple = sympy.factor(quotient * under / below)
            if multiple != 0:
                left, right = said.split(" = ")
                text = arithmetic(-multiple, names.__getitem__)
                found.append((text, f"({right} - {left})", f"d{place}"))
        if sympy.expand(above) != 0:
            raise UnsupportedError(f"an identity modulo roots: {sympy.expand(above)!s:.80}")
        return found


__all__ = ["GAP", "HALF", "SHOWN", "Numbers", "Premise"]
