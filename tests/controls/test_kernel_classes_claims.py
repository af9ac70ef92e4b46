"""What a claim of a file may not do: cases, challenges, and provers that look at nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import sympy

from tests.challenges import CHALLENGES
from theory.claims import Claim
from theory.errors import TheoryError
from theory.judging.as_claim import as_claim
from theory.judging.branches import by_branches
from theory.judging.judge import judge
from theory.judging.loading import load
from theory.kernel import (
    Combine,
    Descent,
    Expect,
    Hypothesis,
    Operator,
    Point,
    Relation,
    Sign,
    Smooth,
    Step,
    Theorem,
    Total,
    descent,
    le,
    point,
    square,
)
from theory.kernel.theorem import Assumption, Rule
from theory.papers.rpd import thm_4_1
from theory.papers.rpd.symbols import L, gamma
from theory.verdicts import Verdict

a = sympy.Symbol("a", positive=True)
r, s = sympy.symbols("r s", real=True)
E: Final = Operator("E", ("r", "s"))
X, Y = point("x"), point("y")

Make = Callable[[], Claim]


def verdict(make: Make) -> Verdict:
    """What comes of a claim; one that is refused is not shown."""
    try:
        return judge(make()).verdict
    except TheoryError:
        return Verdict.UNKNOWN


def theorem(goal: Relation, conclude: Rule, **more: Any) -> Theorem:
    base: dict[str, Any] = {
        "id": "mine.cases",
        "where": "here",
        "statement": "The goal.",
        "latex": "",
        "symbols": (a,),
        "scalars": (r, s),
        "lhs": goal.lhs,
        "terms": {"all": goal.rhs},
        "conclude": conclude,
    }
    return Theorem(**(base | more))


# Cases


def signs(goal: Relation, conclude: Rule, steps: tuple[Step, ...] = (), **more: Any) -> Claim:
    """By cases: both numbers are at least 0, or both are at most 0."""
    cases = {"positive": (le(0, r), le(0, s)), "negative": (le(r, 0), le(s, 0))}
    same = Hypothesis("same", "r and s have one sign", le(0, r * s))
    branches = {
        when: theorem(
            goal,
            conclude,
            steps=steps,
            hypotheses=(same, Hypothesis("r", "of r", one), Hypothesis("s", "of s", two)),
            **more,
        )
        for when, (one, two) in cases.items()
    }
    stated = theorem(goal, Combine(), hypotheses=(same,), **more)
    covers = dict.fromkeys(cases, ("r", "s"))
    return by_branches(stated, branches, covers, (same.relation,))


def test_a_case_at_each_outcome_is_no_case_at_all() -> None:
    """(3, 1) and (−1, −3) have signs alike, and the means 1 and −1 have not."""
    goal = le(0, E.of(r) * E.of(s))
    steps = (
        Step("mean of r", le(0, E.of(r)), Expect("r", E)),
        Step("mean of s", le(0, E.of(s)), Expect("s", E)),
    )
    conclude = Combine({"mean of r": E.of(s)}, domain=("mean of s",))
    assert verdict(lambda: signs(goal, conclude, steps)) is Verdict.UNKNOWN


def test_cases_at_one_outcome() -> None:
    goal = le(0, r**3 * s)
    assert verdict(lambda: signs(goal, Sign(("r", "s")))) is Verdict.PROVED
    constants: dict[str, Any] = {"symbols": (a, r, s), "scalars": ()}
    assert verdict(lambda: signs(goal, Sign(("r", "s")), **constants)) is Verdict.PROVED
    assert verdict(lambda: signs(le(0, r), Sign(("r", "s")))) is Verdict.UNKNOWN


def smooth(covers: tuple[str, ...], *, assumed: bool) -> Claim:
    """The descent lemma for f, where one case is that f is smooth."""
    about = Smooth("smooth", "f is a-smooth", a)
    goal = descent(a, X, Y)
    names: dict[str, Any] = {"points": (X, Y), "scalars": ()}
    one = theorem(
        goal,
        Descent("smooth", X, Y),
        hypotheses=(about, Hypothesis("any", "a > 0", le(0, a))),
        **names,
    )
    stated = theorem(goal, Combine(), hypotheses=(about,) if assumed else (), **names)
    return by_branches(stated, {"always": one}, {"always": covers}, ())


def test_smoothness_is_no_case() -> None:
    assert verdict(lambda: smooth(("any", "smooth"), assumed=False)) is Verdict.UNKNOWN
    assert verdict(lambda: smooth(("any",), assumed=True)) is Verdict.PROVED


def chosen(*choice: Relation) -> Claim:
    small = Hypothesis("small", "a ≤ 1", le(a, 1))
    one = theorem(le(a**2, a), Combine({"small": a}), hypotheses=(small,))
    stated = theorem(le(a**2, a), Combine())
    return by_branches(stated, {"small": one}, {"small": ("small",)}, choice)


def test_what_is_chosen_is_shown_and_possible() -> None:
    assert verdict(chosen) is Verdict.UNKNOWN
    assert verdict(lambda: chosen(le(1, 0))) is Verdict.UNKNOWN
    half = le(2 * a, 1)
    row = judge(chosen(half))
    assert row.verdict is Verdict.PROVED
    assert "chosen so that 2*a <= 1" in row.judgement.assumes


def test_what_a_branch_holds_constant_is_so_in_the_statement() -> None:
    own: dict[str, Any] = {"symbols": (a, r), "scalars": (s,)}
    small = Hypothesis("small", "a ≤ 1", le(a, 1))
    one = theorem(le(a**2, a), Combine({"small": a}), hypotheses=(small,), **own)
    stated = theorem(le(a**2, a), Combine())
    with pytest.raises(TheoryError, match="meaning of every symbol"):
        by_branches(stated, {"small": one}, {"small": ("small",)}, (small.relation,))


def stepping(length: int, other: int) -> Claim:
    """One step of this length does not increase f, by a proof about a step of another."""
    about = Smooth("smooth", "f is L-smooth", L)
    sure = Hypothesis("sure", "L > 0", le(0, L))

    def after(long: int) -> Point:
        value = sympy.Symbol("f(y)", real=True)
        return Point(X.position - long * X.gradient / L, value, Y.gradient)

    def one(long: int, conclude: Rule, **more: Any) -> Theorem:
        names: dict[str, Any] = {"symbols": (L,), "points": (X, after(long)), "scalars": ()}
        return theorem(le(after(long).value, X.value), conclude, **names, **more)

    shown = Step("step", descent(L, X, after(other)), Descent("smooth", X, after(other)))
    least = other / L - sympy.Integer(other) ** 2 / (2 * L)
    branch = one(
        other,
        Combine({"step": 1}, plus=(least * square(X.gradient),)),
        steps=(shown,),
        hypotheses=(about, sure),
    )
    stated = one(length, Combine(), hypotheses=(about,))
    return by_branches(stated, {"always": branch}, {"always": ("sure",)}, ())


def test_a_point_of_a_branch_is_where_the_statement_says() -> None:
    assert verdict(lambda: stepping(1, 1)) is Verdict.PROVED
    with pytest.raises(TheoryError, match="symbol, point and sequence"):
        stepping(5, 1)


def counting(value: Any, following: bool) -> Claim:
    """E f(x) is at most that of the next iteration, with another next one or another mean."""
    S = sympy.Function("S", real=True)
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    sure = Hypothesis("sure", "a > 0", le(0, a))
    up = Hypothesis("up", "f(x) ≤ f(y)", le(X.value, Y.value))
    goal = le(S(k), S(k + 1))
    names: dict[str, Any] = {"points": (X, Y), "scalars": (), "following": ((X, Y),)}
    branch = theorem(goal, Total("up", k), hypotheses=(up, sure), sequences={S: X.value}, **names)
    names["following"] = ((X, Y),) if following else ()
    stated = theorem(goal, Combine(), hypotheses=(up,), sequences={S: value}, **names)
    return by_branches(stated, {"always": branch}, {"always": ("sure",)}, ())


def test_what_follows_and_what_is_summed_is_so_in_the_statement() -> None:
    assert verdict(lambda: counting(X.value, True)) is Verdict.PROVED
    for value, following in ((X.value, False), (Y.value, True)):
        with pytest.raises(TheoryError, match="symbol, point and sequence"):
            counting(value, following)


# Challenges


def challenged(theorem: Theorem, **changes: Any) -> Claim:
    """A theorem of a file, below what is true without its hypotheses."""
    stated = replace(theorem, id="mine.challenged", **changes)
    return replace(as_claim(stated, CHALLENGES["rpd-average-gradient"]), source="mine.py")


HALF: Final = {name: form / 100 for name, form in thm_4_1.THEOREM.terms.items()}


def supposing(*hypotheses: Assumption) -> tuple[Assumption, ...]:
    return (*thm_4_1.THEOREM.hypotheses, *hypotheses)


def test_a_challenge_refutes_what_it_is_about() -> None:
    row = judge(challenged(thm_4_1.THEOREM, terms=HALF))
    assert row.verdict is Verdict.REFUTED
    assert row.judgement.counterexample


def test_a_witness_satisfies_every_condition() -> None:
    tiny = Hypothesis("tiny", "γ is tiny", le(10**9 * gamma * L, 1))
    row = judge(challenged(thm_4_1.THEOREM, terms=HALF, hypotheses=supposing(tiny)))
    assert row.verdict is Verdict.UNKNOWN


def test_a_challenge_does_not_refute_what_it_knows_nothing_of() -> None:
    """Where all gradients vanish the bound is true, and no instance of the challenge says so."""
    x = thm_4_1.THEOREM.points[0]
    still = Hypothesis("still", "∇f vanishes", le(square(x.gradient), 0))
    row = judge(challenged(thm_4_1.THEOREM, terms=HALF, hypotheses=supposing(still)))
    assert row.verdict is Verdict.UNKNOWN
    assert row.judgement.counterexample is None
    said = " ".join(entry.says for entry in row.judgement.evidence)
    assert "refutes nothing" in said
    assert "'still'" in said


def test_a_challenge_does_not_refute_a_statement_about_something_else() -> None:
    row = judge(challenged(thm_4_1.THEOREM, lhs=sympy.S.Zero, terms={"none": a * 0}))
    assert row.verdict is not Verdict.REFUTED


# What a claim object may do

PROVER: Final = """
from theory.account import Account, Compared, Decision
from theory.claims import Claim
from theory.verdicts import Verdict
import sympy

def known(formulas):
    return Account(Decision((Compared("two is two", __name__, True),)))

CLAIM = Claim(
    "mine.own", "", "Two is two.", "", account=known, core={{"a": sympy.S(2)}}, holds={holds}
)
"""


def own(folder: Path, holds: str) -> Any:
    path = folder / f"claim_{abs(hash(holds))}.py"
    path.write_text(PROVER.format(holds=holds), encoding="utf-8")
    (claim,) = load(str(path))
    return judge(claim)


def test_a_prover_that_rejects_everything_is_no_control(tmp_path: Path) -> None:
    row = own(tmp_path, "lambda formulas: Verdict.UNKNOWN")
    assert row.controls.tried == 0
    assert "without controls" in row.judgement.evidence[-2].says
    assert row.verdict is Verdict.UNKNOWN
    honest = own(tmp_path, "lambda formulas: Verdict(4 if formulas['a'] == 2 else 1)")
    assert honest.verdict is Verdict.PROVED
    assert honest.controls.tried == honest.controls.killed > 0
    assert "without controls" not in honest.judgement.evidence[-1].says


def test_a_prover_that_accepts_everything_proves_nothing(tmp_path: Path) -> None:
    assert own(tmp_path, "lambda formulas: Verdict.PROVED").verdict is Verdict.UNKNOWN


def test_an_account_of_another_theorem_is_the_files_own(tmp_path: Path) -> None:
    """It rests on the kernel, and not on what the kernel proved of this statement."""
    path = tmp_path / "other.py"
    path.write_text(
        "from theory.account import Account, Decision\n"
        "from theory.claims import Claim\n"
        "from theory.kernel.lemmas import YOUNG\n"
        "CLAIM = Claim('mine.false', '', 'One is two.', '',\n"
        "    account=lambda formulas: Account(Decision((YOUNG,))))\n",
        encoding="utf-8",
    )
    (claim,) = load(str(path))
    row = judge(claim)
    assert row.verdict is Verdict.UNKNOWN
    assert "without controls" in row.judgement.evidence[0].says


@pytest.mark.parametrize("base", ["Claim", "Theorem"])
def test_a_claim_is_no_subclass(tmp_path: Path, base: str) -> None:
    make = {
        "Claim": "Lie('mine.lie', '', '', '', lambda formulas: None)",
        "Theorem": "Lie('mine.lie', '', '', '', (), 0, {'a': sympy.S(0)}, Combine())",
    }[base]
    path = tmp_path / f"{base}.py"
    path.write_text(
        "import sympy\n"
        "from theory.claims import Claim\n"
        "from theory.kernel import Combine, Theorem\n"
        f"class Lie({base}):\n    pass\n"
        f"CLAIM = {make}\n",
        encoding="utf-8",
    )
    with pytest.raises(TheoryError, match="CLAIM is a"):
        load(str(path))
