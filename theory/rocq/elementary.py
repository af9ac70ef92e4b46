"""The rule `Elementary`: facts about exponentials, logarithms and powers, from the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import sympy

from theory.kernel.relations import Relation
from theory.kernel.rules import Elementary
from theory.kernel.rules.elementary import Stated
from theory.kernel.vectors import Scalar
from theory.rocq.numbers import SHOWN, Premise
from theory.rocq.steps import Script, taken, whole_fact
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import Draft

LETTERS: Final[Mapping[str, tuple[str, Callable[..., tuple[Scalar, ...]]]]] = {
    "exp_tangent": ("xy", lambda x, y: ()),
    "exp_sum": ("xy", lambda x, y: (x + y,)),
    "exp_power": ("xn", lambda x, n: (n * x,)),
    "exp_grows": ("xy", lambda x, y: ()),
    "exp_of_log": ("x", lambda x: ()),
    "log_of_exp": ("x", lambda x: ()),
    "log_tangent": ("xy", lambda x, y: ()),
    "log_product": ("xy", lambda x, y: (x * y,)),
    "log_grows": ("xy", lambda x, y: ()),
    "halving": ("xz", lambda x, z: (-x,)),
    "power_sign": ("xn", lambda x, n: ()),
    "power_grows": ("xyn", lambda x, y, n: ()),
    "decay": ("an", lambda a, n: (1 - a, -a * n)),
    "bernoulli": ("xn", lambda x, n: (1 + x,)),
    "bernoulli_inverse": ("an", lambda a, n: (1 - a,)),
}
"""The letters of each fact, and what else its lemma is told, each as an equation."""


def _elementary(draft: Draft, rule: Elementary, goal: Relation) -> str:
    text, stated = draft.text(), rule.stated()
    if not isinstance(stated, Stated):
        raise UnsupportedError(f"the fact {rule.entry}")
    letters, more = LETTERS[rule.entry]
    at = [sympy.sympify(one) for one in rule.at]
    if "n" in letters and not at[letters.index("n")].is_nonnegative:
        raise UnsupportedError(f"a power of {at[letters.index('n')]}, which may be negative")
    shown: list[Any] = [
        f"({text.whole(one)})%Z" if letter == "n" else text.real(one)
        for letter, one in zip(letters, at, strict=True)
    ]
    shown += [text.real(one) for one in more(*at)]
    under = [taken(draft, name) for name in rule.domain]
    whole = "".join(whole_fact(draft, name) for name in rule.domain)
    signs = [(form, False) for form in stated.least] + [(form, True) for form in stated.above]
    counted = at[letters.index("n")] if "n" in letters else None
    tactics = [
        f"{whole}first [lia | nia]" if form == counted
        else _shown(draft, form, strict, under)
        for form, strict in signs
    ]  # fmt: skip
    if rule.entry == "exp_power":
        tactics = [f"{whole}first [lia | nia]"]
    plain = "    cbv [powz Z.to_nat Pos.to_nat Pos.iter_op Nat.add] in D'."
    lines = [
        f"  assert (B' : {text.relation(stated.relation)}).",
        f"  {{ pose proof (el_{rule.entry} {' '.join(shown)}) as D'.",
        *(f"    specialize (D' ltac:({one}))." for one in tactics),
        *("    specialize (D' ltac:(fields))." for _ in more(*at)),
        *([plain] if counted is not None and counted.is_Integer else []),
        "    rewrite ?exp_0, ?ln_1, ?powz_one in D'. same D'. }",
        f"  {draft.numbers.combine(text, goal, [Premise(stated.relation, SHOWN)])}.",
    ]
    return "\n".join(lines)


def _shown(draft: Draft, form: Scalar, strict: bool, under: Sequence[Premise]) -> str:
    text = draft.text()
    tactic = draft.numbers.sign(text, form, strict, under)
    return tactic if strict else f"enough (Q' : 0 <= {text.real(form)}) by (same Q'); {tactic}"


RULES: Final[Mapping[type, Script]] = {Elementary: _elementary}

__all__ = ["RULES"]
