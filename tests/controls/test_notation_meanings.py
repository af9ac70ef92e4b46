"""What a statement says is what its author wrote: gaps, ties, indices and names of sequences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy

from tests.controls.test_notation import is_found
from theory.errors import TheoryError
from theory.judging.meanings import meanings
from theory.kernel import Theorem, le, prove
from theory.kernel.stored import key_of
from theory.kernel.theorem import Hypothesis
from theory.notation import (
    count,
    equal,
    function,
    index,
    iterates,
    mean,
    nonnegative,
    positive,
    real,
    theorem,
    total,
    vectors,
    window,
)
from theory.notation.stating import LONGER
from theory.verdicts import Verdict

k, n, j = index("k n j")
K, gamma, c, s = count("K"), positive("gamma"), real("c"), real("s")
x, y, g = vectors("x y g")
f = function("f")


@pytest.mark.parametrize(
    ("strict", "gap", "moves"),
    [
        (s < 1, "1 - s", True),
        (s * c < 1, "-c*s + 1", True),
        (f(x) < c, "c - f(x)", True),
        (c < 1, "1 - c", False),
    ],
)
def test_the_gap_of_what_varies_varies(strict: Any, gap: str, moves: bool) -> None:
    """Else s_k < 1 would make s one number: ‖x_1‖⁴ = ‖x_0‖²‖x_2‖² for x_{k+1} = s_k x_k."""
    T = theorem("mine.gap", "ours", f)
    T.assume(strict)
    T.varying(s)
    T.iterate(x, s * x, k)
    D = T.sequence("D", x**2)
    made = T.shows(equal(D(1) ** 2, D(0) * D(2)))
    said = sympy.Symbol(f"gap({gap})", positive=True)
    assert (said in made.scalars, said in made.symbols) == (moves, not moves)


def test_the_gap_of_a_value_varies_where_a_citation_alone_knows_the_function() -> None:
    """Else f(x_k) < c would make f(x_k) one number: F(k) = F(0), whatever gradient descent does."""
    first, second, q = theorem("mine.lemma", "ours", f), theorem("mine.below"), real("q")
    lemma = first.shows(le(f(x) - f.grad(x) ** 2, f(x)))
    second.assume(q < 1)
    below = second.shows(q <= 1)
    for strict, gap in ((f(x) < c, "c - f(x)"), ({q: f(x)}, "1 - f(x)")):
        T = theorem("mine.cites")
        T.cite(lemma)
        T.cite(below, strict) if isinstance(strict, dict) else T.assume(strict)
        T.iterate(x, x - gamma * f.grad(x), k)
        F = T.sequence("F", f(x))
        made = T.shows(equal(F(k), F(0)))
        said = sympy.Symbol(f"gap({gap})", positive=True)
        assert said in made.scalars
        assert said not in made.symbols
        assert not is_found(made)


def test_a_strict_inequality_has_a_gap_at_each_value_at_which_it_is_cited() -> None:
    """Of b < 1 at b_1 and at b_2 it would follow that b_1 = b_2."""
    b, one, other = nonnegative("b b_1 b_2")
    lemma = theorem("mine.below")
    lemma.assume(b < 1)
    made = lemma.shows(b**2 <= b)
    T = theorem("mine.twice")
    T.cite(made, {b: one}, name="one")
    T.cite(made, {b: other}, name="other")
    assert not is_found(T.shows(equal(one, other)))
    T = theorem("mine.once")
    T.assume(one < 1)
    T.cite(made, {b: one})
    citing = T.shows(one**2 + one**3 <= 2 * one)
    assert [h.name for h in citing.hypotheses] == ["b_1 < 1"]
    assert is_found(citing)


@pytest.mark.parametrize("tied", [False, True])
def test_a_tie_counts_where_no_certificate_uses_it(tied: bool, tmp_path: Path) -> None:
    """E⟨g, y⟩ = ⟨∇f(x), y⟩ holds where y is given, and not for y = x − γg."""

    def made() -> Theorem:
        T = theorem("mine.tie", "ours", f)
        T.file = str(tmp_path / "tie.py")
        E = mean("E", g, given=(x,))
        T.unbiased(E, g, f.grad(x))
        if tied and (tmp_path / "tie.certificates.json").exists():
            T.assume(equal(y, x - gamma * g))
        return T.shows(equal(E(g @ y), f.grad(x) @ y))

    probe, name = made(), "the mean of g is ∇f(x), with y"
    (used,) = (h for h in probe.hypotheses if h.name == name and isinstance(h, Hypothesis))
    entry: dict[str, Any] = {"theorem": probe.id, "step": "statement", "facts": {name: "1"}}
    entry |= {"squares": [], "plus": [], "domain": []}
    entry["key"] = key_of(probe.goal, {name: used.relation})
    content = {"schema": "staleproof-certificates-1", "certificates": [entry]}
    (tmp_path / "tie.certificates.json").write_text(json.dumps(content), "utf-8")
    if tied:
        with pytest.raises(TheoryError, match="y stands in an equation with what is random to E"):
            made()
    else:
        assert prove(made()).verdict is Verdict.PROVED


def test_iterations_are_counted_by_one_index() -> None:
    """Of two, one would be a number: x_{k+1} = x_k/(k + 1) is then shrunk by the same k always."""
    for along in (k, j):
        T = theorem("mine.indices", "ours", f)
        T.iterate(x, x / (k + 1), k)
        if along == k:
            T.iterate(y, y / 2, along)
            continue
        with pytest.raises(TheoryError, match="counted by one index, found k and j"):
            T.iterate(y, y / 2, along)
        with pytest.raises(TheoryError, match="counted by one index, found k and j"):
            T.along(along)


@pytest.mark.parametrize(("index_of", "said"), [(j, "t"), (k, "k")])
def test_words_count_iterations_by_no_constant(index_of: Any, said: str) -> None:
    T = theorem("mine.words", "ours", f)
    T.iterate(x, x / (k + 1), index_of)
    D = T.sequence("D", x**2)
    found = meanings(T.shows(le(D(1), D(0) + k)))
    assert found["name", "x"].startswith(f"in iteration {said} + 1 it is x/(k + 1)")
    assert found["sequence", "D"] == f"D({said}) is the mean of dot(x, x) in iteration {said}"


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_a_sum_of_squares_is_one_of_what_it_is_written_of(indexed: bool, right: bool) -> None:
    """A sequence that is called ‖x‖², and is the mean of ‖y‖², is not what is summed here."""
    T = theorem("mine.called", "ours", f)
    members = iterates("z", k)
    now = members[k] if indexed else x
    T.iterate(members if indexed else x, now / 2, k)
    T.sequence("‖z‖²" if indexed else "‖x‖²", now**2 if right else y**2)
    if right:
        T.shows(total(now**2, k, K) <= c)
        return
    with pytest.raises(TheoryError, match=r"‖[xz]‖² is a sum of"):
        T.shows(total(now**2, k, K) <= c)


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("‖y‖²", y**2, True),
        ("‖y‖²", x**2, False),
        ("f(x)", f(x), True),
        ("f(x)", x**2, False),
        ("s", s, True),
        ("s", x**2, False),
    ],
)
def test_a_sequence_is_not_called_like_something_else(name: str, value: Any, right: bool) -> None:
    T = theorem("mine.names", "ours", f)
    T.varying(s)
    T.iterate(x, s * x, k)
    T.iterate(y, f.grad(x), k)
    F = T.sequence(name, value)
    if right:
        T.shows(le(F(0), c))
        return
    with pytest.raises(TheoryError, match="is called like"):
        T.shows(le(F(0), c))


@pytest.mark.parametrize(
    ("at", "right"), [(k, True), (k + 1, True), (K - 1, True), (k - 1, False), (n - 3, False)]
)
def test_nothing_is_said_of_an_iteration_before_the_first(at: Any, right: bool) -> None:
    """From F(k − 1) + 1 ≤ F(k) in every iteration it would follow that F(0) ≥ 1, if F(−1) ≥ 0."""
    T = theorem("mine.before", "ours", f)
    T.iterate(x, x + g, k)
    F = T.sequence("F", x**2)
    T.assume(le(F(at) + 1, F(k) + c))
    if right:
        T.shows(le(1 - c, F(0)))
        return
    with pytest.raises(TheoryError, match="is not one of an iteration 0, 1, 2"):
        T.shows(le(1 - c, F(0)))


def test_a_sum_that_another_file_has_made_means_the_same_here() -> None:
    """With ‖g‖² ≤ c of one g and ‖g_k‖² ≥ 2c the sum of ‖g_k‖² is 2cK or more, and not cK."""
    members = iterates("g", k)
    setting: dict[str, Any] = {"__file__": "setting.py", "k": k, "K": K, "g": members}
    exec("from theory.notation import total; S = total(g[k]**2, k, K)", setting)
    total(g**2, k, K)
    T = theorem("mine.shared")
    T.assume(g**2 <= gamma)
    T.assume(members[k] ** 2 >= 2 * gamma)
    with pytest.raises(TheoryError, match="‖g‖² is called like"):
        T.shows(setting["S"] <= gamma * K)


@pytest.mark.parametrize(("at", "right"), [(k, True), (K - 1, True), (n - 2, True), (k - 1, False)])
def test_a_sequence_of_numbers_begins_at_0_too(at: Any, right: bool) -> None:
    """A(k) = k keeps A(k − 1) + 1 ≤ A(k) from k = 1 on, and A(0) is below 1."""
    T = theorem("mine.begun")
    A = T.sequence("A", nonnegative=True)
    T.along(k)
    T.assume(A(at) + 1 <= A(k) + c)
    if right:
        T.shows(le(1 - c, A(0)))
        return
    with pytest.raises(TheoryError, match="is not one of an iteration 0, 1, 2"):
        T.shows(le(1 - c, A(0)))


@pytest.mark.parametrize("beside", ["j", "k", "plain"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_sum_is_of_members_of_its_own_iterations(beside: str, whole: bool) -> None:
    """From ‖g_k + v_k‖² ≤ c nothing follows of Σ_j ‖g_j + v_k‖², which is no Σ_j ‖g_j + v_j‖²."""
    one, two = (iterates(name, k) for name in ("h w" if whole else "g v").split())
    other = {"j": two[j], "k": two[k], "plain": y}[beside]
    tau = index("tau")

    def said() -> Any:
        squared = (one[j] + other) ** 2
        return total(squared, j, K) if whole else window(squared, j, k, tau)

    if beside == "j" or (whole and beside == "plain"):
        assert isinstance(said(), sympy.Sum)
        return
    with pytest.raises(TheoryError, match="is not of iteration j, over which the sum runs"):
        said()


def test_a_sum_that_nobody_named_is_called_like_nothing_else() -> None:
    """What is assumed of the author's V would else be said of F + G."""
    T = theorem("mine.sums")
    F, G, V = T.sequence("F", x**2), T.sequence("G", y**2), T.sequence("V")
    T.iterate(x, 2 * x, k)
    T.iterate(y, 3 * y, k)
    T.assume(V(k + 1) <= gamma * V(k))
    made = T.shows(F(n) + G(n) <= gamma**n * (F(0) + G(0)))
    (longer,) = (make() for _, make in LONGER[made])
    assert [str(one) for one in longer.sequences] == ["F", "G", "Psi"]
