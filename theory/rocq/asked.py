"""What z3 was asked for claims that are no theorems, as files of Rocq, and what `coqc` says."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import z3

from theory.rocq.compiling import Progress, compiled
from theory.rocq.names import Names, identifier
from theory.rocq.questions import is_number, question, read_back, symbols, text
from theory.rocq.recorded import Answers
from theory.rocq.tableau import refutation
from theory.rocq.text import UnsupportedError
from theory.smt import cvc5
from theory.smt.queries import Query, digest_of
from theory.smt.solver import RLIMIT, fresh_solver

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
TOGETHER: Final = 150_000
"""Characters that one process reads, if there is more than one question."""


def proposition(query: Query) -> tuple[str, list[str], list[Any]]:
    """What a question says with its answer, the numbers that it binds, and its facts.

    Raises
    ------
    UnsupportedError
        It is about other numbers than whole ones, has no answer, or reads otherwise.
    """
    asked, names = question(query.text), Names()
    facts = asked.facts + (asked.below if query.answer == "sat" else [])
    known = {names(name): one for name, one in symbols(facts).items()}
    bound = " ".join(f"({name} : {'Z' if z3.is_int(one) else 'R'})" for name, one in known.items())
    said = [text(one, names) for one in facts]
    if not all(z3.eq(read_back(told, known), one) for told, one in zip(said, facts, strict=True)):
        raise UnsupportedError("a question that reads otherwise")
    if query.answer == "unsat":
        head = f"forall {bound},\n  " if bound else ""
        return head + "".join(f"{one} ->\n  " for one in said) + "False", [*known], facts
    if query.answer == "sat":
        head = f"exists {bound},\n  " if bound else ""
        return head + " /\\\n  ".join(said or ["True"]), [*known], facts
    raise UnsupportedError("a question without an answer")


def lemma(name: str, query: Query) -> str:
    """A question, with its answer, as a lemma with its proof.

    Raises
    ------
    UnsupportedError
        It has no form, or no proof is found.

    Examples
    --------
    >>> asked = "(declare-fun x () Int)(assert (> x 1))(assert (not (> x 0)))(check-sat)"
    >>> print(lemma("one", Query("x > 1 implies x > 0", asked, "unsat", 9)))
    Lemma one : forall (x : Z),
      (x > 1) ->
      (x <= 0) ->
      False.
    Proof.
      intros x H0 H1.
      clear - H0 H1; first [timeout 60 lia | ... | timeout 60 nia].
    Qed.
    """
    said, bound, facts = proposition(query)
    if query.answer == "unsat":
        proof = refutation(facts, bound)
    else:
        proof = f"exists {', '.join(_values(facts))}. held." if bound else "held."
    return f"Lemma {name} : {said}.\nProof.\n  {proof}\nQed."


def _values(facts: Sequence[Any]) -> list[str]:
    """What numbers are in a model, in the order of `symbols`."""
    solver = fresh_solver(10 * RLIMIT)
    solver.add(*(fact.translate(solver.ctx) for fact in facts))
    if solver.check() != z3.sat:
        raise UnsupportedError("a question of which no model is found again")
    model = solver.model()
    numbers = (one.translate(solver.ctx) for one in symbols(facts).values())
    values = [model.eval(one, model_completion=True) for one in numbers]
    if not all(map(is_number, values)):
        raise UnsupportedError("a question whose model has a number that is no fraction")
    return [f"({text(one, Names())}){'%R' * z3.is_real(one)}" for one in values]


class Asked:
    """Claims by what z3 was asked for them; each question is proved once.

    Attributes
    ----------
    queries : dict of str to tuple of Query
        By claim.
    lemmas : dict of str to str
        By the digest of a question, a lemma with its proof.
    refused : dict of str to str
        By the digest, why there is none.
    proofs : dict of str to str
        By the digest, cvc5's proof of a question that Rocq does not prove.
    kept : set of str
        Digests of those whose proof `ethos` accepts.
    """

    def __init__(self) -> None:
        self.queries: dict[str, tuple[Query, ...]] = {}
        self.lemmas: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.proofs: dict[str, str] = {}
        self.kept: set[str] = set()

    def add(self, claim: str, queries: Sequence[Query]) -> None:
        """Write the questions of a claim."""
        own = tuple({query.digest: query for query in queries}.values())
        self.queries[claim] = own
        for query in own:
            if query.digest not in self.lemmas and query.digest not in self.refused:
                try:
                    self.lemmas[query.digest] = lemma(_name(query), query)
                except UnsupportedError as error:
                    self.refused[query.digest] = error.what

    def save(self, directory: Path) -> dict[str, Path]:
        """Write a file for each claim; their paths by the claims."""
        found = {}
        for claim, queries in self.queries.items():
            found[claim] = directory / f"{identifier(claim)}.v"
            parts = [f"(* What z3 was asked for {claim}. *)\n{HEAD}"]
            for query in queries:
                words = query.asks.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
                why = self.refused.get(query.digest)
                told = self.lemmas.get(query.digest) or f"(* not written: {why} *)"
                parts.append(f"(* {words} *)\n{told}\n")
            found[claim].write_text("\n".join(parts), encoding="utf-8")
        return found

    def accepted(self, jobs: int, progress: Progress = lambda name: None) -> set[str]:
        """Digests of the questions whose lemmas `coqc` accepts."""
        groups: list[list[str]] = []
        size = TOGETHER
        for digest, told in self.lemmas.items():
            if size >= TOGETHER:
                groups.append([])
                size = 0
            groups[-1].append(digest)
            size += len(told)
        with TemporaryDirectory() as path, ThreadPoolExecutor(jobs) as pool:
            folder = Path(path)

            def good(group: Sequence[str]) -> set[str]:
                progress(f"{len(group)} question{'s' * (len(group) != 1)}")
                return _accepted(folder, {one: self.lemmas[one] for one in group})

            return set().union(*pool.map(good, groups))

    def log(self, proved: Collection[str], directory: Path, signature: Path | None = None) -> None:
        """Write what Rocq does not prove as SMT-LIB 2, each with cvc5's proof that it is absurd.

        Parameters
        ----------
        signature : path, optional
            The rules of such proofs; `ethos` is asked whether each keeps to them.
        """
        every = {query.digest: query for own in self.queries.values() for query in own}
        for query in every.values():
            if query.answer == "unsat" and query.digest not in proved:
                found = cvc5.proof(query.text) if find_spec("cvc5") is not None else ""
                if found:
                    self.proofs[query.digest] = found
                    asked, told = (directory / f"{_name(query)}.{end}" for end in ("smt2", "cpc"))
                    asked.write_text(query.text, encoding="utf-8")
                    told.write_text(found, encoding="utf-8")
                    if signature is not None and cvc5.ethos(asked, told, signature):
                        self.kept.add(query.digest)

    def judged(self, proved: Collection[str]) -> tuple[list[str], dict[str, str]]:
        """Claims of which every question is proved, and what is missing of the others."""
        missing = {
            claim: [query for query in queries if query.digest not in proved]
            for claim, queries in self.queries.items()
        }
        short = {
            claim: f"{len(left)} of {len(self.queries[claim])} questions are not proved: "
            + (self.refused.get(left[0].digest) or f"coqc refuses {left[0].asks}")
            + "".join(f"; cvc5's proof is {_name(q)}.cpc" for q in left if q.digest in self.proofs)
            for claim, left in missing.items()
            if left
        }
        return [claim for claim, left in missing.items() if not left], short

    def answers(self, proved: Collection[str]) -> dict[str, tuple[str, Answers]]:
        """For the record, by claim: the digest of all that was asked, and who answers it alike."""
        alike = {
            query.digest: cvc5.answer(query.text)[0] == query.answer
            for query in {q.digest: q for own in self.queries.values() for q in own}.values()
            if find_spec("cvc5") is not None
        }
        return {
            claim: (
                digest_of(own),
                Answers(
                    len(own),
                    sum(query.digest in proved for query in own),
                    sum(alike.get(query.digest, False) for query in own),
                    *self._logged(own),
                    len(self.kept & {query.digest for query in own}),
                ),
            )
            for claim, own in self.queries.items()
        }

    def _logged(self, own: Sequence[Query]) -> tuple[int, int, str]:
        """Of how many questions there are proofs by cvc5, their size and their digest."""
        found = [self.proofs[query.digest] for query in own if query.digest in self.proofs]
        each = sorted(sha256(one.encode()).hexdigest() for one in found)
        whole = sha256(" ".join(each).encode()).hexdigest() if each else ""
        return len(found), sum(map(len, found)), whole


def _accepted(folder: Path, lemmas: Mapping[str, str]) -> set[str]:
    """Those that coqc accepts; what stands before and after one that it refuses is tried again."""
    names = list(lemmas)
    module = f"Asked_{names[0][:20]}_{len(names)}"
    every = ", ".join(f"q_{name[:20]}" for name in names)
    closing = f"Definition together := ({every}).\nPrint Assumptions together.\n"
    parts = [HEAD, *lemmas.values()]
    (folder / f"{module}.v").write_text("\n".join([*parts, closing]), encoding="utf-8")
    said = compiled(folder, module)
    if not said:
        return set(names)
    if len(names) == 1:
        return set()
    line = re.search(r", line (\d+),", said)
    ends = list(accumulate(part.count("\n") + 1 for part in parts))
    bad = bisect_left(ends, int(line[1])) - 1 if line else len(names)
    cut = [names[:bad], names[bad + 1 :]]
    if not 0 <= bad < len(names):
        cut = [names[: len(names) // 2], names[len(names) // 2 :]]
    return set().union(*(_accepted(folder, {n: lemmas[n] for n in part}) for part in cut if part))


def _name(query: Query) -> str:
    return f"q_{query.digest[:20]}"


__all__ = ["Asked", "lemma", "proposition"]
