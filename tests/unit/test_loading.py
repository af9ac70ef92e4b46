"""`theory.judging.loading`: a user's file becomes claims, or one error that names the place."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from schedules.user_code import TooLong, limited, place_in, reason
from tests.claim_files import HEAD, file, reaching
from theory.errors import (
    ClaimFileError,
    CycleError,
    NotExactError,
    TheoryError,
    UndeclaredSymbolError,
)
from theory.judging.catalogue import CLAIMS
from theory.judging.judge import judge
from theory.judging.loading import load, loaded, require_distinct
from theory.verdicts import Verdict

ROOT = Path(__file__).parents[2]
ONE = reaching("mine.one", "PROVED")
THEOREM = """\
import sympy
from theory.kernel import Cite, Combine, Theorem, dot, square, vectors
a = sympy.Symbol("a", positive=True)
u, v = vectors("u v")
LEMMA = Theorem(
    id="mine.lemma", where="here", statement="It holds.", latex="1", symbols=(a,),
    vectors=(u, v), lhs=dot(u, v),
    terms={"first": a / 2 * square(u), "second": square(v) / (2 * a)},
    conclude=Combine(squares=((1 / (2 * a), a * u - v),)),
)
"""
CITING = """\
CLAIM = Theorem(
    id="mine.theorem", where="here", statement="It follows.", latex="1", symbols=(a,),
    vectors=(u, v), lhs=2 * dot(u, v),
    terms={"first": a * square(u), "second": square(v) / a},
    steps=(Step("young", le(dot(u, v), LEMMA.goal.rhs), Cite("mine.lemma")),),
    conclude=Combine({"young": 2}), cites=(LEMMA,),
)
"""


def written(folder: Path, text: str | bytes, name: str = "mine.py") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


class Loops:
    def __del__(self) -> None:
        while True:
            pass


def loops_twice() -> None:
    Loops()
    while True:
        pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_that_python_swallows_is_followed_by_another() -> None:
    with pytest.raises(TooLong), limited(0.01):
        loops_twice()


def test_one_claim(tmp_path: Path) -> None:
    path = written(tmp_path, file(ONE) + "CLAIM = CLAIMS.pop()\ndel CLAIMS\n")
    (claim,) = load(path)
    assert (claim.id, claim.paper, claim.source) == ("mine.one", "mine", path)
    assert judge(claim).verdict is Verdict.PROVED


def test_several_claims_keep_their_order(tmp_path: Path) -> None:
    names = ["mine.z", "mine.a", "other.m"]
    path = written(tmp_path, file(*(reaching(name, "CHECKED") for name in names)))
    assert [claim.id for claim in load(path)] == names


def test_loading_again_reads_again(tmp_path: Path) -> None:
    path = written(tmp_path, file(ONE))
    (first,) = load(path)
    assert loaded(path, "mine.one") is first
    written(tmp_path, file(reaching("mine.two", "PROVED")))
    assert loaded(path, "mine.one") is first
    assert [claim.id for claim in load(path)] == ["mine.two"]
    assert loaded(path, "mine.one") is None


def test_module_may_use_neighbours_and_dataclasses(tmp_path: Path) -> None:
    written(tmp_path, "NAME = 'mine.neighbour'\n", "a_neighbour_of_the_claim.py")
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "from a_neighbour_of_the_claim import NAME\n"
        "@dataclass\nclass Thing:\n    name: str = NAME\n" + file(ONE)
    )
    text += "from dataclasses import replace\nCLAIMS = [replace(CLAIMS[0], id=Thing().name)]\n"
    assert [claim.id for claim in load(written(tmp_path, text))] == ["mine.neighbour"]
    sys.path.remove(str(tmp_path))


def test_neighbour_cannot_hide_a_library(tmp_path: Path) -> None:
    written(tmp_path, "raise SystemExit('the wrong module')\n", "theory.py")
    path = written(tmp_path, file(ONE))
    assert [claim.id for claim in load(path)] == ["mine.one"]
    assert sys.path[0] != str(tmp_path)
    sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("edited", [False, True])
def test_copy_of_a_claim_of_ours_is_judged_as_it_reads(tmp_path: Path, edited: bool) -> None:
    source = ROOT / "theory/papers/rpd/lemma_b1.py"
    certificates = source.with_suffix(".certificates.json").read_text(encoding="utf-8")
    written(tmp_path, certificates, "mine.certificates.json")
    text = source.read_text(encoding="utf-8")
    printed = "equal(E(g @ v), (f.grad(old) @ v) / p)"
    assert printed in text
    changed = text.replace(printed, printed.replace("/ p", "/ (2 * p)") if edited else printed)
    (claim,) = load(written(tmp_path, changed))
    assert (claim.id, claim.source) == ("rpd.lemma-b1", str(tmp_path / "mine.py"))
    verdict = judge(claim).verdict
    assert verdict < Verdict.CONDITIONAL if edited else verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "nothing: it is empty"),
        (" \n\n", "nothing: it is empty"),
        ("x = 1\n", "no CLAIM and no CLAIMS"),
        ("CLAIM = 3\n", "CLAIM is a theory.claims.Claim or a theory.kernel.Theorem, found int"),
        ("CLAIM = None\n", "found NoneType"),
        (HEAD + "CLAIM = Claim\n", "found type"),
        (HEAD + "CLAIM = Claim('mine.one')\n", ":4: stopped with TypeError"),
        ("CLAIMS = []\n", "CLAIMS has no claim in it"),
        ("CLAIMS = {}\n", "found dict"),
        ("CLAIMS = (x for x in ())\n", "found generator"),
        (file(ONE) + "CLAIMS = CLAIMS[0]\n", "CLAIMS is a list or tuple of claims, found Claim"),
        (file(ONE) + "CLAIMS.append('mine.two')\n", "CLAIMS[1] is a theory.claims.Claim"),
        (file(ONE) + "CLAIM = CLAIMS[0]\n", "defines both CLAIM and CLAIMS"),
        (file(ONE, ONE), "two claims are called 'mine.one'"),
        (file(ONE, reaching("mine.ONE", "PROVED")), "two claims are called 'mine.one' and"),
        (file(reaching("one", "PROVED")), "an id is paper.name"),
        (file(reaching("mine.", "PROVED")), "an id is paper.name"),
        (file(reaching(".one", "PROVED")), "an id is paper.name"),
        (file(reaching("mine.my lemma", "PROVED")), "found 'mine.my lemma'"),
        (file(reaching("mine/one.two", "PROVED")), "an id is paper.name"),
        (file(reaching("mine." + "x" * 120, "PROVED")), "120 characters at most"),
        (
            file(reaching("mine.one", "PROVED", "depends='mine.two'")),
            "a tuple of ids, found 'mine.two'",
        ),
        (file(reaching("mine.one", "PROVED", "depends=(1,)")), "a tuple of ids, found tuple"),
        (file(reaching("mine.one", "PROVED", "printed=[1]")), "printed is a mapping, found list"),
        (file(reaching("mine.one", "PROVED", "deeper=3")), "deeper is a function or None"),
        (file(reaching("mine.one", "PROVED", "cost='long'")), "a number of seconds, found 'long'"),
        (file(ONE).replace('"here"', "7"), "where is text, found int"),
        (file(ONE).replace("account, core", "None, core"), "account is a function, found NoneType"),
        ("x = 1\ny = (\n", ":2: no valid Python: '(' was never closed"),
        ("def f():\nreturn 1\n", ":2: no valid Python: expected an indented block"),
        (b"x = '\xff'\n", "no valid Python"),
        (b"# coding: nonsense\n", "no valid Python: unknown encoding"),
        (b"x = 1\0\n", "no valid Python"),
        ("(" * 5000, "no valid Python"),
        ("import nothing_of_that_name\n", ":1: stopped with ModuleNotFoundError: No module"),
        ("x = 1\n\n1 / 0\n", ":3: stopped with ZeroDivisionError: division by zero"),
        ("def f():\n    1 / 0\n\nf()\n", ":2: stopped with ZeroDivisionError"),
        ("raise SystemExit(0)\n", ":1: stopped with SystemExit: 0"),
        ("import sys\nsys.exit('enough')\n", ":2: stopped with SystemExit: enough"),
        ("def f():\n    f()\nf()\n", ":2: stopped with RecursionError"),
        ("raise ValueError('one\\ntwo')\n", "stopped with ValueError: one two"),
        ("raise ValueError('x' * 9999)\n", ":1: stopped with ValueError: …"),
        ("raise KeyError\n", ":1: stopped with KeyError"),
        ("raise GeneratorExit\n", ":1: stopped with GeneratorExit"),
        ("class E(BaseException): pass\nraise E('x')\n", ":2: stopped with E: x"),
        (
            "from theory.errors import TheoryError\nclass E(TheoryError):\n"
            "    def __init__(self): super().__init__('a', 'b', 'c')\nraise E\n",
            ":4: b: a",
        ),
        (
            "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n",
            ":3: stopped with E",
        ),
        ("from schedules import build\nbuild('nope', 1, 1)\n", ":2: stopped with UnknownNameError"),
    ],
)
def test_what_is_no_claim_file(tmp_path: Path, text: str | bytes, expected: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ClaimFileError) as caught:
        load(path)
    error = caught.value
    assert error.where.startswith(path)
    assert expected in f"{error.where.removeprefix(path)}: {error.what}"
    assert error.fix
    assert "\n" not in str(error)


def test_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    os.symlink("nowhere.py", tmp_path / "dangling.py")
    expected = {
        "missing.py": "no such file",
        "dangling.py": "no such file",
        "with\0null.py": "no such file",
        "folder.py": "no Python file in this folder",
        "pipe.py": "a regular file",
        written(tmp_path, file(ONE), "notes.txt"): "ends in .py",
    }
    for name, rule in expected.items():
        with pytest.raises(ClaimFileError, match=rule):
            load(str(tmp_path / name))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, file(ONE))
    os.chmod(path, 0)
    with pytest.raises(ClaimFileError, match="cannot be read \\(Permission denied\\)"):
        load(path)


def test_theorem_is_a_claim(tmp_path: Path) -> None:
    (claim,) = load(written(tmp_path, THEOREM + "CLAIM = LEMMA\n"))
    assert claim.id == "mine.lemma"
    row = judge(claim)
    assert row.verdict is Verdict.PROVED
    assert row.controls.tried == row.controls.killed > 3


def test_theorem_brings_along_what_it_cites(tmp_path: Path) -> None:
    text = THEOREM + "from theory.kernel import Step, le\n" + CITING
    claims = load(written(tmp_path, text))
    assert [claim.id for claim in claims] == ["mine.lemma", "mine.theorem"]
    assert claims[1].depends == ("mine.lemma",)
    assert [judge(claim).verdict for claim in claims] == [Verdict.PROVED] * 2
    listed = text.replace("CLAIM = Theorem(", "MAIN = Theorem(") + "CLAIMS = [MAIN, LEMMA]\n"
    claims = load(written(tmp_path, listed))
    assert [claim.id for claim in claims] == ["mine.theorem", "mine.lemma"]


def test_a_lemma_with_the_id_of_one_of_ours_is_judged_and_shown(tmp_path: Path) -> None:
    """What it supposes is seen nowhere else."""
    text = (THEOREM + "from theory.kernel import Step, le\n" + CITING).replace(
        "mine.lemma", "kernel.young"
    )
    supposing = text.replace('latex="1",', 'latex="1", assumes=("the moon is full",),', 1)
    claims = load(written(tmp_path, supposing))
    assert [claim.id for claim in claims] == ["kernel.young", "mine.theorem"]
    assert "the moon is full" in judge(claims[0]).judgement.assumes
    ours = "from theory.kernel.lemmas import YOUNG as LEMMA\n" + CITING
    head = THEOREM.split("LEMMA =")[0] + "from theory.kernel import Step, le\n"
    claims = load(written(tmp_path, head + ours.replace("mine.lemma", "kernel.young")))
    assert [claim.id for claim in claims] == ["mine.theorem"]


@pytest.mark.parametrize("listed", ["CLAIM = LEMMA", "CLAIMS = [LEMMA, OTHER]", "CLAIM = OTHER"])
def test_theorems_that_cite_one_another_in_a_circle(tmp_path: Path, listed: str) -> None:
    text = (
        f"{THEOREM}from dataclasses import replace\n"
        "OTHER = replace(LEMMA, id='mine.other', cites=(LEMMA,))\n"
        f"object.__setattr__(LEMMA, 'cites', (OTHER,))\n{listed}\n"
    )
    with pytest.raises(CycleError) as caught:
        load(written(tmp_path, text))
    named = ("mine.lemma → mine.other → mine.lemma", "mine.other → mine.lemma → mine.other")
    assert caught.value.what.endswith(named)


def test_interruption_while_a_file_is_read_is_one(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        load(written(tmp_path, "raise KeyboardInterrupt\n"))


def test_false_theorem_is_not_proved(tmp_path: Path) -> None:
    text = THEOREM.replace("square(v) / (2 * a)}", "square(v) / (3 * a)}") + "CLAIM = LEMMA\n"
    (claim,) = load(written(tmp_path, text))
    assert judge(claim).verdict < Verdict.CONDITIONAL


@pytest.mark.parametrize(
    ("change", "kind", "expected"),
    [
        (("symbols=(a,)", "symbols=()"), UndeclaredSymbolError, "'a' occurs in the statement"),
        (("a / 2 * square(u)", "0.5 * a * square(u)"), NotExactError, "write a decimal as"),
        (("a / 2 * square(u)", "sympy.pi * square(u)"), NotExactError, "found pi"),
    ],
)
def test_what_the_kernel_refuses_keeps_its_class(
    tmp_path: Path, change: tuple[str, str], kind: type[TheoryError], expected: str
) -> None:
    path = written(tmp_path, THEOREM.replace(*change) + "CLAIM = LEMMA\n")
    with pytest.raises(TheoryError) as caught:
        judge(load(path)[0])
    assert type(caught.value) is kind
    assert caught.value.where.startswith(f"{path}:")
    assert expected in str(caught.value)


def test_place_is_the_innermost_line_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "import json\ndef f():\n    json.loads('{')\nf()\n")
    with pytest.raises(ClaimFileError) as caught:
        load(path)
    assert caught.value.where == f"{path}:3"
    cause = caught.value.__cause__
    assert cause is not None
    assert place_in(path, cause) == f"{path}:3"
    assert place_in("another.py", cause) == "another.py"
    assert reason(cause).startswith("JSONDecodeError: Expecting property name")


def test_ids_differ_in_more_than_case() -> None:
    one = replace(CLAIMS["rpd.cor-c1"], id="rpd.Cor-C1", source="mine.py")
    require_distinct([one])
    with pytest.raises(ClaimFileError, match=r"mine\.py and rpd: two claims are called"):
        require_distinct([CLAIMS["rpd.cor-c1"], one])
