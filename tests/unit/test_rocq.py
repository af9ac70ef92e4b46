"""Exported statements are read back, and what says something else is not taken for the theorem."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sympy

from theory.judging.catalogue import CLAIMS
from theory.kernel import Combine, Hypothesis, le
from theory.kernel.lemmas import JENSEN, TRIANGLE
from theory.kernel.prove import prove
from theory.kernel.rules import Drift, Found
from theory.kernel.theorem import Theorem
from theory.notation import index, positive, real, theorem, vectors
from theory.rocq.compiling import assumed
from theory.rocq.files import exported
from theory.rocq.names import Names
from theory.rocq.parsing import MisreadError
from theory.rocq.products import products
from theory.rocq.reading import require_faithful
from theory.rocq.recorded import key
from theory.rocq.text import Text, UnsupportedError
from theory.rocq.writing import Written, written
from theory.verdicts import Verdict

ROWS = (
    *("kernel.triangle", "kernel.jensen", "rpd.lemma-b1", "rpd.eq-9", "rpd.thm-4.1"),
    "rpd.lemma-b2-by-blocks",
)


def _theorem(name: str) -> Theorem:
    found = CLAIMS[name].theorem
    assert found is not None
    return found


def _statement(one: Written) -> tuple[str, str, str]:
    """What is before the statement, the statement, and what comes after."""
    start = one.source.index("Definition statement")
    end = one.source.index(".\n\n", start)
    return one.source[:start], one.source[start:end], one.source[end:]


@pytest.mark.parametrize("name", ROWS)
def test_statement_reads_back_as_the_theorem(name: str) -> None:
    require_faithful(written(_theorem(name)))


@pytest.mark.parametrize("name", ROWS)
def test_every_other_statement_is_refused(name: str) -> None:
    one = written(_theorem(name))
    before, said, after = _statement(one)
    parts = said.split(" ->\n")
    goal = parts[-1]
    sign, other = (" <= ", " = ") if " <= " in goal.split("-> ")[-1] else (" = ", " <= ")
    left, right = goal.rsplit(sign, 1)
    edited = [
        said.replace(goal, f"{left}{other}{right}"),
        said.replace(goal, f"{left}{sign}({right[:-1]} + 1))"),
        " ->\n".join([*parts[:-1], goal, goal]),
        " ->\n".join([*parts[:-1], "  (0 < 0)", goal]),
    ]
    edited += [
        " ->\n".join([*parts[:place], *parts[place + 1 :]])
        for place, part in enumerate(parts[:-1])
        if "(*" in part
    ]
    edited += [
        " ->\n".join([*parts[:place], part.replace(" <= ", " < "), *parts[place + 1 :]])
        for place, part in enumerate(parts[:-1])
        if "(*" in part and part.rsplit(") <= ", 1)[0] != part
    ]
    assert len(edited) >= 4
    for other in edited:
        assert other != said
        with pytest.raises(MisreadError):
            require_faithful(replace(one, source=before + other + after))


def test_hypothesis_about_some_indices_is_not_assumed_of_all() -> None:
    """For every k: k <= 5 is false, and would prove anything."""
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    base = _theorem("rpd.thm-4.1")
    few = Hypothesis("few", "k ≤ 5", le(k, 5))
    limited = replace(base, hypotheses=(*base.hypotheses, few), indices=(k,))
    with pytest.raises((MisreadError, UnsupportedError)):
        require_faithful(written(limited))


def test_rules_without_a_form_are_refused_with_a_reason() -> None:
    root = sympy.Symbol("x", positive=True) ** sympy.Rational(1, 3)
    cubic = replace(
        _theorem("kernel.young"), id="own.root", symbols=tuple(root.free_symbols), vectors=(),
        lhs=root, terms={"more": root + 1}, conclude=Combine(plus=(1,)),
    )  # fmt: skip
    assert prove(cubic).verdict is Verdict.PROVED
    require_faithful(written(cubic))
    other = written(cubic).source.replace("nroot 3", "nroot 4")
    with pytest.raises(MisreadError):
        require_faithful(replace(written(cubic), source=other))
    missing = replace(cubic, id="own.missing", conclude=Found())
    own = replace(CLAIMS["kernel.young"], id="own.missing", theorem=missing)
    assert "no certificate is stored" in exported([own]).refused["own.missing"]
    found = exported([CLAIMS["blog.bubble"], CLAIMS["kernel.young"]])
    assert "no theorem of the kernel" in found.refused["blog.bubble"]
    assert list(found.theorems) == ["kernel.young"]


def test_powers_are_those_of_the_kernel() -> None:
    """In Rocq a power ends at exponent 0."""
    k = sympy.Symbol("k", integer=True, nonnegative=True)
    b = sympy.Symbol("b", positive=True)
    text = Text(Names(), frozenset())
    assert text.real(b ** (-k)) == "(/ (powz b (k)%Z))"
    with pytest.raises(UnsupportedError):
        text.real(b ** (k - 1))


def test_a_run_inside_an_iteration_is_read_back() -> None:
    """Each part of it has to be there, be what the row says, and be bound there."""
    one = written(_theorem("rpd.drift-by-counts"))
    before, said, after = _statement(one)
    start = said.index("exists (W1 : Type)")
    end = said.index(") ->\n", start)
    head, *parts = re.split(r",\n    | /\\\n    ", said[start:end])
    assert len(parts) == 11
    runs = [", ".join((head, " /\\ ".join(parts[:i] + parts[i + 1 :]))) for i in range(5, 11)]
    runs += [
        said[start:end].replace(" <= ((h j w1)", " <= (2 * (h j w1)"),
        said[start:end].replace("z (j + 1)%Z w1", "z j w1"),
        said[start:end].replace("(a i w)", "(a j w1)"),
        said[start:end].replace("(V_ i w) =", "0 ="),
        said[start:end].replace("exists (W1 : Type)", "exists (x : Z -> W1 -> V) (W1 : Type)"),
        f"{said[start:end]} /\\ (0 = 1)",
        said[start:end].replace("exists", "forall"),
    ]
    require_faithful(one)
    for other in runs:
        assert other != said[start:end]
        edited = before + said[:start] + other + said[end:] + after
        with pytest.raises(MisreadError):
            require_faithful(replace(one, source=edited))


def test_a_proof_that_leaves_its_run_is_not_written() -> None:
    """What goes along inside of an iteration is not a premise outside of it."""
    base = _theorem("rpd.drift-by-counts")
    fewer = [
        replace(base, hypotheses=tuple(h for h in base.hypotheses if h.name != one.name))
        for one in base.hypotheses
    ]
    for other in fewer:
        with pytest.raises((UnsupportedError, KeyError)):
            written(other)


def test_signs_are_sums_of_products() -> None:
    a, k = sympy.symbols("a k")
    forms = (
        k * a**3 * (sympy.Rational(5, 3) + k - 2 * a / 3) - k * a - a + 1,
        -32 * a**4 + 96 * a**3 + 5 * a**2 - 20 * a + 5,
    )
    for form in map(sympy.expand, forms):
        signs = [one for s in (k, a) if form.has(s) for one in (s, 1 - s)]
        found = products(form, signs)
        assert found
        assert all(c > 0 for c, _ in found)
        assert sympy.expand(sum(c * sympy.Mul(*one) for c, one in found) - form) == 0
        assert products(form - 2, signs) == []
    assert products(a + k, [a, k], strictly=[k])
    assert not products(a * k, [a, k], strictly=[a])


def test_files_assume_nothing_outside_of_the_statement() -> None:
    for name in ROWS:
        source = re.sub(r"\(\*.*?\*\)", "", written(_theorem(name)).source, flags=re.DOTALL)
        assert not re.search(r"\b(Axiom|Admitted|admit|Parameter|Conjecture)\b", source)
        assert (
            source.index("Section Proof.") < source.index("Hypothesis")
            if "Hypothesis" in source
            else True
        )
        assert source.index("End Proof.") < source.index("Theorem holds : statement.")


def test_other_axioms_are_named() -> None:
    said = "Axioms:\nClassicalDedekindReals.sig_not_dec\n  : forall P : Prop, x\ncheat : False\n"
    assert assumed(said) == "it assumes cheat"


def test_record_is_of_the_theorem_with_its_proof() -> None:
    other = replace(TRIANGLE, conclude=Combine({"first": 1}))
    less = replace(TRIANGLE, hypotheses=TRIANGLE.hypotheses[:1])
    assert len({key(TRIANGLE), key(other), key(less), key(JENSEN)}) == 4


@pytest.mark.parametrize("called", ["k tau", "j tau", "k j"])
def test_what_is_bound_in_a_delay_is_nothing_else(called: str) -> None:
    """An index or a delay j would be taken for the iteration of which a stale x is."""
    k, tau = index(called)
    gamma, G = positive("gamma G")
    x, old, g = vectors("x x̂ g")
    T = theorem("mine.late")
    T.assume((gamma * g) ** 2 <= gamma**2 * G**2)
    T.iterate(x, x - gamma * g, k)
    label = T.delayed(old, x, tau)
    drift = Drift(label, k, move="gamma**2*<g, g> <= G**2*gamma**2")
    one = written(T.shows((x - old) ** 2 <= gamma**2 * tau**2 * G**2, by=drift))
    require_faithful(one)
    bound = "j" if "j" not in called else "j'"
    late = f"exists {bound} : Z, (Z.max 0 ({k} - {tau}) <= {bound} <= {k})%Z"
    assert late in one.source
    other = one.source.replace(late, late.replace(bound, "j" if bound == "j'" else "k"))
    with pytest.raises((MisreadError, KeyError)):
        require_faithful(replace(one, source=other))


def test_words_are_not_read_for_a_statement() -> None:
    a, b = real("a b")
    fake = "Definition statement : Prop :=\n  forall (a : R) (b : R),\n  (a <= b) -> (a <= b).\n\n"
    T = theorem("mine.words")
    T.assume(a <= b, "less", f"words.\n\n{fake}")
    one = written(T.shows(a <= b, by=Combine({"less": sympy.S.One}), says=f"words.\n\n{fake}"))
    require_faithful(one)
    edited = one.source.replace("(a <= b).\n\n(*", "((2 * a) <= b).\n\n(*")
    assert edited != one.source
    with pytest.raises(MisreadError, match="its conclusion is another one"):
        require_faithful(replace(one, source=edited))
