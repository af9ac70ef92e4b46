"""What a theorem may lack where no certificate was found, as a remark that begins with ``;``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import sympy
from sympy.core.function import AppliedUndef

from theory.kernel.relations import Relation
from theory.kernel.theorem import Hypothesis, Smooth, Theorem
from theory.kernel.vectors import Gram

NO_LINE: Final = "; no line says what one iteration gains"


def missing_fact(theorem: Theorem, goal: Relation) -> str:
    """What is known of quantities in a line, and no fact says.

    A smaller or greater one of two numbers is a number of which certificates know nothing.
    """
    plain = (
        one.xreplace(dict.fromkeys(one.atoms(sympy.Sum), sympy.S.Zero))
        for one in (goal.lhs, goal.rhs)  # which begin at Max(0, k − τ)
    )
    sides = [part for one in plain for part in one.atoms(sympy.Min, sympy.Max)]
    found = min((one for one in sides if not one.is_number), key=str, default=None)
    if found is not None:
        return (
            f"; {found} is read as a number of which little is known: give it a name, s, and "
            f"assume what is used of it, such as {' and '.join(_bounds(found))}{_clips(found)}"
        )
    return _divided(goal) or _loose(theorem)


def _divided(goal: Relation) -> str:
    """That a sum divides by a sequence that is not declared positive."""
    sums = {one.function for one in goal.gap.atoms(sympy.Sum)}
    bases = {one.base for form in sums for one in form.atoms(sympy.Pow) if one.exp.is_negative}
    calls = {call.func for base in bases for call in base.atoms(AppliedUndef)}
    name = min((str(f) for f in calls if not f(0).is_positive), default=None)
    return "" if name is None else f'; what a sum divides by is T.sequence("{name}", positive=True)'


def _loose(theorem: Theorem) -> str:
    """That μ < L is not assumed, without which two points are compared less sharply."""
    moduli = {f: said[0] for f, kind, said in theorem.everywhere if kind == "convex" and said[0]}
    for one in theorem.hypotheses:
        if isinstance(one, Smooth) and one.function in moduli:
            modulus, constant = moduli[one.function], one.constant
            sharp = (h.relation for h in theorem.hypotheses if isinstance(h, Hypothesis))
            if not any(said.kind == "==" and said.lhs == constant for said in sharp):
                return (
                    f"; T.assume({modulus} < {constant}) says more of {one.function} at two points "
                    "than smoothness and convexity by themselves"
                )
    return ""


def _bounds(one: sympy.Expr) -> list[str]:
    sign = "<=" if isinstance(one, sympy.Min) else ">="
    return [f"s {sign} {part}" for part in sorted(one.args, key=str)]


def _clips(one: sympy.Expr) -> str:
    """What says that a number is min(1, c/‖g‖)."""
    clips = isinstance(one, sympy.Min) and sympy.S.One in one.args and one.has(Gram)
    return (
        "; of min(1, c/‖g‖), T.clipped(s, g, c) says all, and that it is 1 at g = 0"
        if clips
        else ""
    )


def missing_line(goal: Relation, facts: Collection[Relation]) -> str:
    """Which sort of line a statement about sequences may lack."""
    calls = goal.gap.atoms(AppliedUndef)
    if calls and not _gains(facts):
        return f"{NO_LINE}, such as T.have({_gain(goal)}){unnamed(goal)}"
    ends = {one for fact in facts for one in fact.gap.atoms(AppliedUndef)} - calls
    numbers = {limit[2] + 1 for total in goal.gap.atoms(sympy.Sum) for limit in total.limits}
    signed = {fact.gap for fact in facts if fact.kind == "<="}
    ends = {one for one in ends - signed if {*one.args} <= numbers}
    unsigned = (one for one in ends if not one.is_nonnegative)
    last = min(unsigned, key=lambda one: (one.func(0) not in calls, str(one)), default=None)
    if last is None:
        return ""
    return f"; how small is {last}? A line may say it, such as T.have({last.func}(k) >= 0)"


def unnamed(said: Relation) -> str:
    """What of a line cannot be written as it is printed, such as ‖x − y‖²(k)."""
    calls = sorted({str(call.func) for call in said.gap.atoms(AppliedUndef)})
    strange = [name for name in calls if not name.isidentifier()]
    return f" ({strange[0]} gets a name by T.sequence)" if strange else ""


def _gain(goal: Relation) -> str:
    """The shape of such a line, with the sequences of the statement."""
    summed = {
        call.func for total in goal.gap.atoms(sympy.Sum) for call in total.atoms(AppliedUndef)
    }
    starts = {call.func for call in goal.gap.atoms(AppliedUndef) if call.args == (0,)}
    others = {call.func for call in goal.gap.atoms(AppliedUndef)} - summed
    potential = min(starts or others or {"D"}, key=str)
    if not summed:
        return f"{potential}(k + 1) <= a*{potential}(k) + b"
    return f"{potential}(k + 1) <= {potential}(k) - a*{min(summed, key=str)}(k) + b"


def _gains(facts: Iterable[Relation]) -> bool:
    """Whether a fact compares a sequence with itself one iteration later."""
    for fact in facts:
        calls = fact.gap.atoms(AppliedUndef)
        if any(call.func(call.args[0] + 1) in calls for call in calls if call.args[0].is_Symbol):
            return True
    return False
