"""Falsehoods from what a reader of a row does not see: each has a true twin that is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy
from sympy.core.function import UndefinedFunction

from tests.stated import theorem, verdict
from theory.errors import TheoryError
from theory.judging.as_claim import as_claim
from theory.judging.judge import judged
from theory.kernel import (
    Cite,
    Combine,
    Everywhere,
    Expect,
    Hypothesis,
    Operator,
    Step,
    Theorem,
    Total,
    eq,
    le,
    point,
    square,
    vectors,
)
from theory.kernel.rules.closed_sums import ClosedSum
from theory.kernel.theorem import Checked, Delayed
from theory.kernel.vectors import Point, vector
from theory.notation import count, index, iterates, total
from theory.notation import theorem as begin
from theory.verdicts import Verdict

k = sympy.Symbol("k", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, positive=True)
a, t = sympy.symbols("a t", real=True)
s = sympy.Symbol("s", positive=True)
g, m, p = vectors("g m p")


def test_what_a_cited_proof_takes_out_of_a_mean_is_not_random_here() -> None:
    """‖p‖² ≤ ‖g‖² and E‖g‖² ≤ 1 bound ‖p‖² only if p is the same at every outcome."""
    mean, wider = Operator("E", ("g",)), Operator("E", ("g", "p"))
    facts = le(mean.of(square(g)), 1), le(square(p), square(g))
    goal = le(square(p), 1)
    step = Step("mean", le(square(p), mean.of(square(g))), Expect("1", mean))
    lemma = theorem(
        goal, Combine({"mean": 1, "0": 1}), *facts, vectors=(g, p), steps=(step,), id="test.lemma"
    )
    outer = {"vectors": (g, p), "cites": (lemma,)}
    assert verdict(theorem(goal, Cite("test.lemma"), *facts, **outer)) == "PROVED"
    random = le(wider.of(square(p)), 1)
    assert verdict(theorem(goal, Cite("test.lemma"), *facts, random, **outer)) == "UNKNOWN"


@pytest.mark.parametrize(("law", "expected"), [("P", "PROVED"), ("", "UNKNOWN")])
def test_sequences_of_two_cited_theorems_are_means_under_one_law(law: str, expected: str) -> None:
    """Halved under one law and doubled under another, F need not be 0."""
    F = sympy.Function("F", nonnegative=True)
    x, then = point("x"), point("x⁺")
    random = ("x⁺", "f(x⁺)", "∇f(x⁺)")
    now, later = square(x.position), square(then.position)
    halved = le(Operator("E", random, law=law).of(later), now / 2)
    doubled = le(2 * now, Operator("E'", random, law=law).of(later))
    run: dict[str, Any] = {"points": (x, then), "following": ((x, then),), "sequences": {F: now}}
    one = theorem(le(F(k + 1), F(k) / 2), Total("0", k), halved, **run, id="test.one")
    two = theorem(le(2 * F(k), F(k + 1)), Total("0", k), doubled, **run, id="test.two")
    assert verdict(one) == verdict(two) == "PROVED"
    steps = (Step("one", one.goal, Cite("test.one")), Step("two", two.goal, Cite("test.two")))
    weights = dict.fromkeys(("one", "two"), sympy.Rational(2, 3))
    both = theorem(
        le(F(k), 0), Combine(weights), halved, doubled, **run, steps=steps, cites=(one, two)
    )
    assert verdict(both) == expected


def test_a_sum_does_not_take_the_index_of_the_next_iterate() -> None:
    """From x_{k+1} = (k + 1) x_k no Σ_{k<n} (k + 1)² comes, though k is an index of a sum too."""
    F = sympy.Function("F", real=True)
    x = point("x")
    then = Point(x.position * (k + 1), sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
    over, closed = (k, 0, n - 1), n * (n + 1) * (2 * n + 1) / 6
    run: dict[str, Any] = {"symbols": (n,), "points": (x, then), "following": ((x, then),)}
    steps = (
        Step("sum", eq(sympy.Sum((k + 1) ** 2, over), closed), ClosedSum(k, n)),
        Step("same", eq(square(then.position), (k + 1) ** 2 * square(x.position)), Combine()),
    )
    changes = {**run, "indices": (k,), "steps": steps}
    size = square(x.position)
    true = eq(F(k + 1), (k + 1) ** 2 * F(k))
    assert verdict(theorem(true, Total("same", k), **changes, sequences={F: size})) == "PROVED"
    false = eq(F(k + 1), closed / n * F(k))
    with pytest.raises(TheoryError, match="quantities of one iteration"):
        theorem(false, Total("same", k), **changes, sequences={F: sympy.Sum(size, over)})


def test_sums_are_of_sequences() -> None:
    """Σ_{k<K} ‖x_k‖² ≤ 1 is another thing than K‖x_k‖² ≤ 1."""
    K, j = count("K"), index("k")
    x = iterates("x", j)
    T = begin("mine.false")
    T.iterate(x, x[j] * 2)
    T.assume(total(square(x[j]), j, K) <= 1)
    assert verdict(T.shows(K * square(x[j]) <= 1)) == "UNKNOWN"
    T.assume(sympy.Sum(square(x[j]), (j, 0, K - 1)) <= 1)
    with pytest.raises(TheoryError, match="sums are of sequences and constants"):
        T.shows(K * square(x[j]) <= 1)


def test_what_equals_something_random_up_to_a_product_is_random() -> None:
    """‖m − g‖² ≤ s·t with t ≤ 0 says that m = g, and E‖g‖² ≤ 1 bounds no ‖g‖²."""
    path = Combine({"1": 2, "2": 2 * s}, squares=((1, m - 2 * g),))
    facts = le(square(m - g), s * t), le(t, 0)

    def made(mean: Operator) -> Theorem:
        steps = (
            Step("path", le(square(m), 2 * square(g)), path),
            Step("mean", le(square(m), 2 * mean.of(square(g))), Expect("path", mean)),
        )
        goal, small = le(square(m), 2), le(mean.of(square(g)), 1)
        last = Combine({"mean": 1, "0": 2})
        return theorem(goal, last, small, *facts, symbols=(s, t), vectors=(g, m), steps=steps)

    assert verdict(made(Operator("E", ("g",), given=("m",)))) == "PROVED"
    with pytest.raises(TheoryError, match="m stands in an equation with what is random"):
        made(Operator("E", ("g",)))


def test_an_equation_up_to_the_square_of_another_length() -> None:
    """‖m − g‖² ≤ ‖r‖⁴ with ‖r‖² ≤ 0 says that m = g."""
    facts = le(square(m - g), square(p) ** 2), le(1000 * square(p), 0)
    goal = le(square(m), Operator("E", ("g",)).of(square(g)))
    with pytest.raises(TheoryError, match="m stands in an equation with what is random"):
        theorem(goal, Combine(), *facts, vectors=(g, m, p))


@pytest.mark.parametrize("moved", ["m", "other"])
def test_what_moves_by_something_equal_to_what_is_stale(moved: str) -> None:
    """x_{k+1} = x_k − m and m = g, so x_k is made of the ĝ that was drawn before."""
    x, drawn, late, later = map(point, ("x", "g", "ĝ", "g⁺"))
    then = Point(x.position - vector(moved), sympy.Symbol("f(x⁺)", real=True), vector("∇f(x⁺)"))
    mean = Operator("E", ("ĝ", "f(ĝ)", "∇f(ĝ)"))
    delayed = Delayed("late", "", late, drawn, sympy.S.One, exact=True)
    below = Hypothesis("below", "", le(square(x.position), square(late.position)))
    same = Hypothesis("same", "", eq(square(m - drawn.position), 0))
    goal = le(square(x.position), mean.of(square(late.position)))

    def made() -> Theorem:
        return theorem(
            goal,
            Expect("below", mean),
            hypotheses=(delayed, below, same),
            vectors=(m, vector("other")),
            points=(x, then, drawn, late, later),
            following=((x, then), (drawn, later)),
        )

    if moved == "other":
        assert verdict(made()) == "PROVED"
        return
    with pytest.raises(TheoryError, match="has moved x since"):
        made()


def test_a_relation_says_what_its_sides_say() -> None:
    lie = le(a, 1)
    assert lie.gap == 1 - a
    honest = Step("lie", lie, Combine()), Step("truth", lie, Everywhere("lie", {}))
    assert verdict(theorem(lie, Combine({"truth": 1}), symbols=(a,), steps=honest)) == "UNKNOWN"
    vars(lie)["gap"] = sympy.S.Zero
    assert lie.gap == 1 - a
    with pytest.raises(TheoryError, match="found 'gap' written into a Relation"):
        theorem(le(a, 1), Combine({"truth": 1}), symbols=(a,), steps=honest)


def test_rules_and_sequences_have_no_methods_of_their_own() -> None:
    rule = Combine()
    vars(rule)["check"] = lambda goal, given: Checked(Verdict.PROVED, "identity")
    with pytest.raises(TheoryError, match="found 'check' written into a Combine"):
        theorem(le(a, 1), rule, symbols=(a,))
    odd = {"_eval_expand_mul": lambda self, **hints: sympy.S.Zero}
    false = theorem(le(sympy.Function("F", real=True)(k), 0), Combine())
    assert verdict(false) == "UNKNOWN"
    with pytest.raises(TheoryError, match="of the class G"):
        replace(false, lhs=UndefinedFunction("G", __dict__=odd, real=True)(k))


@pytest.mark.parametrize("node", [sympy.Function("H", real=True)(k), square(g)])
def test_nothing_is_written_into_a_call_or_an_inner_product(node: Any) -> None:
    claim = le(node, node), Combine()
    assert verdict(theorem(*claim, vectors=(g,))) == "PROVED"
    vars(node)["expand"] = lambda **hints: sympy.S.Zero
    try:
        with pytest.raises(TheoryError, match="of the class"):
            theorem(*claim, vectors=(g,))
    finally:
        del vars(node)["expand"]  # sympy hands the same node out again


@pytest.mark.parametrize(
    ("domain", "expected"),
    [({"integer": True, "nonnegative": True}, "UNKNOWN"), ({"nonnegative": True}, "REFUTED")],
)
def test_attacks_keep_to_what_a_sequence_is_declared_to_be(
    domain: dict[str, bool], expected: str
) -> None:
    """N ≤ N² holds for whole numbers, and not at 3/4."""
    N = sympy.Function("N", **domain)
    one = theorem(le(N(k), N(k) ** 2), Combine())
    claim = replace(as_claim(one), source="mine.py")
    assert judged(claim).verdict.name == expected
