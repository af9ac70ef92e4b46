"""Exported statements are read back, and what says something else is not taken for the theorem."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sympy

from theory.judging.catalogue import CLAIMS
from theory.kernel import Combine, Hypothesis, le
from theory.kernel.lemmas import JENSEN, TRIANGLE
from theory.kernel.theorem import Theorem
from theory.rocq.files import assumed, exported
from theory.rocq.parsing import MisreadError
from theory.rocq.reading import require_faithful
from theory.rocq.recorded import key
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import Written, written

ROWS = ("kernel.triangle", "kernel.jensen", "rpd.lemma-b1", "rpd.eq-9", "rpd.thm-4.1")


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
    found = exported([CLAIMS["kernel.descent"], CLAIMS["kernel.young"]])
    assert found.refused["kernel.descent"] == "not written yet: the rule Integral"
    assert list(found.theorems) == ["kernel.young"]


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
