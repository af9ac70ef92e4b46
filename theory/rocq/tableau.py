"""Proofs that facts about whole numbers are absurd: case by case, each closed by `lia`.

z3 says which cases to take and which facts a case needs; `coqc` checks what comes of it. Left alone
`lia` goes through all combinations of all cases of all facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, Final

import z3

from theory.rocq.questions import is_number, leaves
from theory.rocq.text import UnsupportedError

HEAD: Final = r"""From Coq Require Import ZArith Lia Reals Lra.
Open Scope Z_scope.
(* Products of one number by others that are equal. *)
Ltac alike := repeat match goal with H : context [?a * ?p] |- _ =>
  match goal with K : context [?b * p] |- _ =>
    tryif constr_eq a b then fail else
      (let E := fresh in assert (E : a = b) by lia; rewrite E in *; clear E) end end.
Lemma apart_by (a b c : Z) : a >= 1 ->
  b < c /\ a * b + a <= a * c \/ b = c /\ a * b = a * c \/ c < b /\ a * c + a <= a * b.
Proof. intros. destruct (Z.lt_trichotomy b c) as [|[|]]; [left|right; left|right; right]; nia. Qed.
(* Whole multiples of one number differ by it, or not at all. *)
Ltac apart a b c :=
  tryif constr_eq b c then fail else
  lazymatch isZcst a with true => fail | _ =>
  match goal with
  | _ : b < c /\ a * _ + a <= _ \/ _ |- _ => fail 1
  | _ : c < b /\ a * _ + a <= _ \/ _ |- _ => fail 1
  | _ => pose proof (apart_by a b c ltac:(lia)) end end.
Ltac multiples :=
  rewrite ?Z.add_0_l, ?Z.add_0_r, ?Z.mul_0_l, ?Z.mul_1_l, ?Z.mul_add_distr_l, ?Z.mul_add_distr_r,
    ?Z.mul_sub_distr_l, ?Z.mul_sub_distr_r, ?Z.mul_assoc in *; try alike;
  repeat match goal with
  | H : context [?a * ?b] |- _ => is_var b; apart a b 0
  | H : context [?b * ?a] |- _ => is_var b; apart a b 0
  | H : context [?a * ?b], K : context [?a * ?c] |- _ => is_var a; is_var b; apart a b c
  | H : context [?b * ?a], K : context [?c * ?a] |- _ => is_var a; is_var b; apart a b c
  end.
(* Relations between whole numbers as such between real ones, with what is less by 1 at least. *)
Ltac wholes := repeat match goal with
  | H : (_ < _)%Z |- _ => apply Zlt_le_succ, IZR_le in H; unfold Z.succ in H
  | H : (_ > _)%Z |- _ => apply Z.gt_lt in H
  | H : (_ >= _)%Z |- _ => apply Z.ge_le in H
  | H : (_ <= _)%Z |- _ => apply IZR_le in H
  | H : @eq Z _ _ |- _ => apply (f_equal IZR) in H end;
  rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR in *.
(* Numbers that are given are as is said. *)
Ltac held := match goal with
  | |- _ /\ _ => split; held
  | |- _ \/ _ => first [left; held | right; held]
  | |- _ => first [lia | lra | intro; lra] end.
"""
CASES: Final = 1500
"""Most cases of one proof."""
FEW: Final = 6
"""So many combinations of cases are left to `lia`."""
CLOSED: Final = "first [" + " | ".join(
    f"timeout 60 {one}" for one in ("lia", "(alike; lia)", "(multiples; lia)", "nia")
) + "]"  # fmt: skip
REAL: Final = "first [lia | lra | solve [wholes; lra] | timeout 60 nra]"
RLIMIT: Final = 4_000_000
"""What z3 may spend on one case."""
BUDGET: Final = 100_000_000
"""What it may spend on all of them, some twenty seconds: twice what the largest proof took."""

Facts = Mapping[str, Any]


@dataclass
class Search:
    """A proof while it is looked for; every fact has a name in Rocq and an indicator in z3."""

    apart: bool = True
    linear: Any = field(default_factory=z3.Solver)
    whole: Any = field(default_factory=z3.Solver)
    cases: int = 0
    spent: int = 0
    _known: dict[int, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for solver in (self.linear, self.whole):
            solver.set("rlimit", RLIMIT)
            solver.set("core.minimize", True)
            solver.set("random_seed", 0)

    def core(self, facts: Facts, plainly: bool) -> list[str] | None:
        """Names of facts that are absurd together; None if z3 does not say that they are.

        Parameters
        ----------
        plainly : bool
            With products as numbers of which nothing is known, as `lia` reads them. Otherwise z3
            leaves out what products are compared by, since it knows without.

        Raises
        ------
        UnsupportedError
            z3 has spent what it may.
        """
        if self.spent > BUDGET:
            raise UnsupportedError("a question too large to be taken case by case")
        asked = {str(self._indicator(fact)): name for name, fact in facts.items()}
        solver = self.linear if plainly else self.whole
        before = _spent(solver)
        answer = solver.check(*map(z3.Bool, asked))
        self.spent += _spent(solver) - before
        if answer != z3.unsat:
            return None
        core = set(map(str, solver.unsat_core()))
        return [name for one, name in asked.items() if one in core]

    def _indicator(self, fact: Any) -> Any:
        key = fact.get_id()
        if key not in self._known:
            told = z3.Bool(f"fact {len(self._known)}")
            self._known[key] = fact, told
            self.linear.add(z3.Implies(told, _linear(fact)))
            self.whole.add(z3.Implies(told, fact))
        return self._known[key][1]

    def script(self, facts: Facts) -> list[str]:
        """Tactics that close a goal from facts with these names.

        Raises
        ------
        UnsupportedError
            They are not absurd for z3, or there are too many cases.
        """
        core = self.core(facts, True) if self.apart else None
        linear = core is not None
        core = core if linear else self.core(facts, False)
        if core is None:
            raise UnsupportedError("a question that z3 does not settle again")
        needed = {name: facts[name] for name in core}
        kept = needed if linear or not self.apart else facts
        real = any(map(_is_real, needed.values()))
        few = 1 if real or (self.apart and any(map(_multiplies, needed.values()))) else FEW
        cases = {name: _cases(one, few == 1) for name, one in needed.items()}
        plain = {name: one for name, one in needed.items() if len(cases[name]) == 1}
        split = {name: parts for name, parts in cases.items() if len(parts) > 1}
        if prod(map(len, split.values())) <= few:
            self.cases += 1
            if self.cases > CASES:
                raise UnsupportedError(f"a question with more than {CASES} cases")
            signs = (
                [] if linear else [n for n, one in kept.items() if n not in core and _bounds(one)]
            )
            return [f"{_only([*core, *signs])}{REAL if real else CLOSED}."]
        name = min(split, key=lambda one: (self._open(plain, split[one]), one))
        lines = [f"destruct {name} as {_bracket(name, len(split[name]))}."]
        if z3.is_not(needed[name]):
            apart = "Rdichotomy" if _is_real(needed[name]) else "Z.lt_gt_cases"
            lines[0] = f"apply {apart} in {name}; {lines[0]}"
        rest = {one: fact for one, fact in kept.items() if one != name}
        for part in split[name]:
            told, opened = _told(name, part)
            lines += ["{ " + opened, *self.script({**rest, **told}), "}"]
        return lines

    def _open(self, plain: Facts, parts: Sequence[Any]) -> int:
        """How many cases are not absurd right away."""
        return sum(self.core({**plain, "": part}, True) is None for part in parts)


def _bounds(fact: Any) -> bool:
    """Whether a fact compares a variable with a number: a product may need its sign."""
    one, other = fact.children() if fact.num_args() == 2 else (fact, fact)
    return z3.is_const(one) and is_number(other) and not is_number(one)


def _cases(fact: Any, unequal: bool) -> list[Any]:
    """The parts of a disjunction; where `unequal`, what is not equal is less or more."""
    if unequal and z3.is_not(fact):
        one, other = fact.arg(0).children()
        return [z3.ArithRef.__lt__(one, other), z3.ArithRef.__lt__(other, one)]
    return list(leaves(fact, z3.Z3_OP_OR))


def _is_real(fact: Any) -> bool:
    """Whether real numbers are compared in a fact."""
    return any(z3.is_real(part) or _is_real(part) for part in fact.children())


def _linear(term: Any) -> Any:
    """A proposition in which each product of variables is a variable of its own."""
    parts = term.children()
    if parts and z3.is_arith(parts[0]):
        return term.decl()(*map(_flat, parts))
    return term.decl()(*map(_linear, parts)) if parts else term


def _multiplies(term: Any) -> bool:
    """Whether a fact has a product of numbers that are not given."""
    if z3.is_mul(term) and sum(not is_number(part) for part in term.children()) > 1:
        return True
    return any(map(_multiplies, term.children()))


def _flat(term: Any) -> Any:
    number = z3.IntVal if z3.is_int(term) else z3.RealVal
    sums = (number(str(n)) * _product(parts) for parts, n in _monomials(term).items() if parts)
    return z3.Sum(*sums, number(str(_monomials(term).get((), 0))))


def _product(parts: tuple[Any, ...]) -> Any:
    """Equal where its factors are; nothing else is known of it."""
    sort = parts[0].sort()
    return reduce(z3.Function(f"times {sort}", sort, sort, sort), parts)


def _monomials(term: Any) -> dict[tuple[Any, ...], Fraction]:
    """A polynomial: numbers by the variables that are multiplied."""
    kind, parts = term.decl().kind(), term.children()
    if is_number(term):
        return {(): Fraction(str(term))}
    if not parts or kind == z3.Z3_OP_TO_REAL:
        return {(term,): Fraction(1)}
    found = _monomials(parts[0])
    for part in map(_monomials, parts[1:]):
        if kind == z3.Z3_OP_MUL:
            pairs = [((*a, *b), m * n) for a, m in found.items() for b, n in part.items()]
            found = {}
        else:
            pairs = [(b, -n if kind == z3.Z3_OP_SUB else n) for b, n in part.items()]
        for names, number in pairs:
            key = tuple(sorted(names, key=str))
            found[key] = found.get(key, Fraction(0)) + number
    return found


def _spent(solver: Any) -> int:
    """Units that z3 has spent so far, on whatever it was asked."""
    return int(solver.statistics().get_key_value("rlimit count"))


def _only(names: Sequence[str]) -> str:
    return f"clear - {' '.join(names)}; " if names else ""


def _bracket(name: str, count: int) -> str:
    return f"[{name}|" * (count - 1) + name + "]" * (count - 1)


def _told(name: str, part: Any) -> tuple[dict[str, Any], str]:
    """What a case says, fact by fact, and the tactic that takes it apart."""
    parts = list(leaves(part, z3.Z3_OP_AND))
    if len(parts) == 1:
        return {name: part}, ""
    names = [f"{name}_{place}" for place in range(len(parts))]
    return dict(zip(names, parts, strict=True)), f"destruct {name} as ({' & '.join(names)})."


def refutation(facts: Sequence[Any], bound: Sequence[str] = ()) -> str:
    """A proof that facts, which are the premises of the goal in this order, are absurd.

    Raises
    ------
    UnsupportedError
        None is found.
    """
    names = [f"H{place}" for place in range(len(facts))]
    known: dict[str, Any] = {}
    lines = [f"intros {' '.join((*bound, *names))}."]
    for name, fact in zip(names, facts, strict=True):
        told, opened = _told(name, fact)
        known |= told
        lines += [opened] if opened else []
    try:
        cases = Search().script(known)
    except UnsupportedError:
        cases = Search(apart=False).script(known)
    return "\n  ".join([*lines, *cases])
