"""`Found`: a certificate is taken from its data file, checked, and kept by mutants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from tests.certified import FILE, certified, claim_of, data_of, edited, written
from theory.judging.controls import formulas, verdict_of, without
from theory.judging.judge import judge
from theory.judging.mutants import run_controls
from theory.kernel import Combine, Found, Theorem, prove
from theory.kernel.stored import formula, key_of
from theory.proving.storing import formula_text
from theory.verdicts import Verdict

MEAN = """
from theory.notation import mean, positive, theorem, vectors
a = positive("a")
e, g = vectors("e g")
E = mean("E", g)
T = theorem("mine.mean")
CLAIM = T.shows(E((e + a * g)**2) <= (1 + a) * e**2 + (a + a * a) * E(g**2))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A claim file with its certificates."""
    file = written(tmp_path)
    assert {one.outcome for one in certified(file)} == {"found"}
    return file


def theorem_of(path: Path) -> Theorem:
    found = claim_of(path).theorem
    assert found is not None
    return found


def explicit(theorem: Theorem) -> Theorem:
    """The theorem with the certificates written out."""

    def plain(rule: Any) -> Combine:
        return Combine(rule.facts, rule.squares, rule.plus, rule.domain)

    steps = tuple(replace(step, rule=plain(step.rule)) for step in theorem.steps)
    return replace(theorem, steps=steps, conclude=plain(theorem.conclude))


def remark(path: Path) -> str:
    proof = prove(theorem_of(path))
    assert proof.verdict is Verdict.UNKNOWN
    return next(line.rule for line in proof.lines if line.verdict is not Verdict.PROVED)


def test_without_a_data_file_nothing_is_proved(tmp_path: Path) -> None:
    file = written(tmp_path)
    told = f"run: staleproof certify {file}, which says what it lacks"
    assert remark(file) == f"no certificate is stored for 'young'; {told}"


def test_with_it_the_kernel_proves(path: Path) -> None:
    theorem = theorem_of(path)
    assert prove(theorem).verdict is Verdict.PROVED
    assert set(theorem.conclude.uses) == {"young", "small", "part"}
    assert claim_of(path).core.keys() == formulas(explicit(theorem)).keys()


def test_a_second_search_writes_the_same(path: Path) -> None:
    before = data_of(path).read_bytes()
    assert {one.outcome for one in certified(path)} == {"kept"}
    assert {one.outcome for one in certified(path, again=True)} == {"found"}
    assert data_of(path).read_bytes() == before
    assert {file.name for file in path.parent.iterdir()} == {path.name, data_of(path).name}


EDITS = {
    "statement": ("(1 + d) * u**2", "(2 + d) * u**2"),
    "hypothesis": ("le(a, d)", "le(a, 2 * d)"),
    "domain": ('"a lambda d", positive=True', '"a lambda d", positive=True, rational=True'),
    "kind of a step": ("a * u**2 + v**2 / a", "2 * a * u**2 + v**2 / a"),
}


@pytest.mark.parametrize("name", [name for name in EDITS if name != "domain"])
def test_an_edited_statement_is_stale(path: Path, name: str) -> None:
    written(path.parent, FILE.replace(*EDITS[name]))
    assert "is for another formula or other facts; run: staleproof certify" in remark(path)


def test_a_wider_domain_is_stale(path: Path) -> None:
    theorem = theorem_of(path)
    a = sympy.Symbol("a", positive=True)
    wider = {a: sympy.Symbol("a", real=True)}
    assert key_of(theorem.goal, {}) != key_of(theorem.goal.replaced(wider), {})


def test_an_unneeded_hypothesis_may_change(path: Path) -> None:
    written(path.parent, FILE.replace("le(d, 7)", "le(d, 8)"))
    assert prove(theorem_of(path)).verdict is Verdict.PROVED


def tampered(part: str, value: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for one in content["certificates"]:
            one[part] = value(one[part]) if callable(value) else value

    return change


def nothing(content: Any) -> None:
    content.clear()


TAMPERED = {
    "a multiplier": tampered("facts", lambda old: dict.fromkeys(old, "17")),
    "a sign": tampered("squares", lambda old: [[f"-({c})", one] for c, one in old]),
    "more": tampered("plus", ["-1"]),
    "a call": tampered("plus", ["__import__('os').system('touch hacked')"]),
    "an attribute": tampered("plus", ["a.__class__"]),
    "a comprehension": tampered("plus", ["[a for a in ()]"]),
    "a name of nothing": tampered("plus", ["unheard_of"]),
    "a float": tampered("plus", ["0.5"]),
    "a zero under a line": tampered("plus", ["1/0"]),
    "a tower": tampered("plus", ["9**9**9**9"]),
    "a large power": tampered("plus", ["(a + d)**1000000"]),
    "a long number": tampered("plus", ["9" * 5000]),
    "a long text": tampered("plus", ["+".join(["a"] * 100_000)]),
    "deep parentheses": tampered("plus", ["(" * 5000 + "a" + ")" * 5000]),
    "no formula": tampered("plus", ["a +"]),
    "a null byte": tampered("plus", ["a\0"]),
    "a number": tampered("plus", [1]),
    "no list": tampered("plus", 1),
    "no mapping": tampered("facts", ["young"]),
    "no pair": tampered("squares", ["u"]),
    "a square of nothing": tampered("squares", [["1", 5]]),
    "no key": tampered("key", None),
    "another key": tampered("key", "0" * 32),
    "a fact of nothing": tampered("domain", ["unheard of"]),
    "another schema": lambda content: content.update(schema="another"),
    "no schema": nothing,
    "entries of nothing": lambda content: content.update(certificates=[1, None, {}]),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_data_file_proves_nothing(
    path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    edited(path, TAMPERED[name])
    assert remark(path)
    assert not Path("hacked").exists()


MEANS: Any = {
    "another vector": lambda old: [[under, [["1", "g"]]] for under, _ in old],
    "another factor": lambda old: [[under, [[f"2*({c})", n] for c, n in v]] for under, v in old],
    "another mean": lambda old: [[["F"], v] for _, v in old],
    "no mean": lambda old: [[[], v] for _, v in old],
    "no square": lambda old: [],
    "no formula": lambda old: [[under, [["__import__('os')", "g"]]] for under, _ in old],
    "no pairs": lambda old: [1],
}


def test_squares_of_which_a_mean_is_taken(tmp_path: Path) -> None:
    path = written(tmp_path, MEAN)
    assert {one.outcome for one in certified(path)} == {"found"}
    assert prove(theorem_of(path)).verdict is Verdict.PROVED
    assert {one.outcome for one in certified(path)} == {"kept"}
    kept = data_of(path).read_text(encoding="utf-8")
    for change in MEANS.values():
        data_of(path).write_text(kept, encoding="utf-8")
        edited(path, tampered("means", change))
        assert remark(path)
    certified(path, again=True)
    assert prove(theorem_of(path)).verdict is Verdict.PROVED
    assert {one.outcome for one in certified(written(tmp_path, MEAN.replace("a * a", "a")))} == {
        "not found"
    }


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "[" * 100_000, "\0", '{"schema": 1}'])
def test_what_is_no_data_file_is_said(path: Path, content: str) -> None:
    data_of(path).write_text(content, encoding="utf-8")
    assert "this is no data file of certificates" in remark(path)
    assert "run: staleproof certify" in remark(path)
    assert {one.outcome for one in certified(path)} == {"found"}, "it is mended"
    assert prove(theorem_of(path)).verdict is Verdict.PROVED


def test_a_huge_data_file_is_not_read(path: Path) -> None:
    with data_of(path).open("ab") as file:
        file.truncate(9_000_000)
    assert "9000000 bytes" in remark(path)


def test_a_folder_in_place_of_the_data_file(tmp_path: Path) -> None:
    file = written(tmp_path)
    data_of(file).mkdir(parents=True)
    assert "no data file" in remark(file)


def test_mutants_meet_the_certificate_of_the_original(path: Path) -> None:
    """Each mutant is judged as if the certificate were written out; nothing is searched."""
    theorem = theorem_of(path)
    original = formulas(theorem)
    weaker = {**original, "statement first": original["statement first"] * 2}
    assert verdict_of(theorem, original) is Verdict.PROVED
    assert verdict_of(theorem, weaker) is verdict_of(explicit(theorem), weaker) is Verdict.UNKNOWN
    assert without(theorem, "part") is Verdict.UNKNOWN
    assert without(theorem, "idle") is Verdict.PROVED


def test_controls_are_those_of_the_explicit_theorem(path: Path) -> None:
    from theory.judging.as_claim import as_claim

    ours, theirs = claim_of(path), as_claim(explicit(theorem_of(path)))
    assert run_controls(ours, every=True) == run_controls(theirs, every=True)
    assert run_controls(ours, every=True).tried > 20


def test_a_mutant_is_no_kill_where_nothing_is_stored(tmp_path: Path) -> None:
    row = judge(claim_of(written(tmp_path)))
    assert row.verdict is Verdict.UNKNOWN
    assert not row.controls.tried


def test_a_changed_theorem_keeps_its_certificate(path: Path) -> None:
    theorem = theorem_of(path)
    changed = replace(theorem, terms={**theorem.terms, "third": sympy.Integer(1)})
    assert changed.conclude.uses == theorem.conclude.uses
    assert prove(changed).verdict is Verdict.UNKNOWN


def test_ledgers_show_the_certificate(path: Path) -> None:
    steps = judge(claim_of(path)).to_json()["steps"]
    kinds = [step["certificate"]["rule"] for step in steps if step["certificate"]]
    assert kinds.count("Combine") == 3


@pytest.mark.parametrize("text", ["a + lam", "-a/3", "a**-2", '"a" * 2', "2**(1/2)*a"])
def test_formulas_are_read_as_written(text: str) -> None:
    names = {name: sympy.Symbol(name, positive=True) for name in ("a", "lam")}
    form = formula(text, names)
    assert formula(formula_text(form), names) == form


def test_found_is_no_formula_of_a_subclass() -> None:
    class Mine(Found):
        """Says that anything holds."""

    theorem = Theorem(
        "mine.subclass", "here", "", "", (), sympy.Integer(1), {"zero": sympy.S.Zero}, Mine()
    )
    assert prove(theorem).verdict is Verdict.UNKNOWN
