"""Every rule of the kernel has a lemma in the library: coqc passes true instances, no false."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from tests.controls.test_kernel_delays import EACH, SUMMED
from tests.controls.test_kernel_windows import TRUE
from theory.kernel.elementary import Log
from theory.kernel.means import Operator
from theory.kernel.prove import prove
from theory.kernel.rules import Elementary, Schwarz
from theory.kernel.rules.elementary import ENTRIES, Stated
from theory.kernel.theorem import Theorem
from theory.kernel.vectors import Vector, vector, vectors
from theory.rocq.compiling import checked
from theory.rocq.elementary import LETTERS
from theory.rocq.reading import require_faithful
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import written
from theory.verdicts import Verdict

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

x, y = sympy.symbols("x y", real=True)
u, z = sympy.symbols("u z", positive=True)
p = sympy.Symbol("p", nonnegative=True)
n = sympy.Symbol("n", integer=True, nonnegative=True)
AT = {
    "exp_tangent": (x, y), "exp_sum": (x, y), "exp_power": (x, n), "exp_grows": (x, x + p),
    "exp_of_log": (z,), "log_of_exp": (x,), "log_tangent": (z, u), "log_product": (z, u),
    "log_grows": (z, z + p), "halving": (Log(z) + p, z), "power_sign": (p, n),
    "power_grows": (p, p + z, n), "decay": (-p, n), "bernoulli": (p, n),
    "bernoulli_inverse": (1 / (1 + p), n),
}  # fmt: skip


def elementary(entry: str) -> Theorem:
    """A fact of the list, at letters."""
    rule = Elementary(entry, AT[entry])
    stated = rule.stated()
    assert isinstance(stated, Stated)
    said = stated.relation
    return Theorem(
        id=f"own.{entry}", where="ours", statement="", latex="", lhs=said.lhs, kind=said.kind,
        symbols=tuple({s for one in AT[entry] for s in one.free_symbols}),
        terms={"more": said.rhs}, conclude=rule,
    )  # fmt: skip


def schwarz(rule: Schwarz) -> Theorem:
    """The inequality of Cauchy and Schwarz, of two vectors or numbers."""
    said = rule.stated()
    parts = [one for one in (rule.first, rule.second) if isinstance(one, Vector)]
    return Theorem(
        id="own.schwarz", where="ours", statement="", latex="", lhs=said.lhs, kind=said.kind,
        symbols=(), scalars=() if parts else (x, y), terms={"more": said.rhs},
        vectors=tuple(vector(name) for one in parts for name in one.names), conclude=rule,
    )  # fmt: skip


a, b = vectors("a b")
NORMS = {
    "vectors": schwarz(Schwarz(a, b)),
    "means": schwarz(Schwarz(a, b, Operator("E", ("a", "b")))),
    "one_mean": schwarz(Schwarz(a, b, Operator("E", ("a",)))),
    "numbers": schwarz(Schwarz(x, y, Operator("E", ("x", "y")))),
    "jensen": schwarz(Schwarz(x, sympy.S.One, Operator("E", ("x", "y")))),
}


def said_of(theorems: dict[str, Theorem]) -> dict[str, str]:
    """What the exporter, or coqc, says of each: nothing if it is accepted."""
    files, refused = {}, {}
    for name, theorem in theorems.items():
        try:
            one = written(replace(theorem, id=f"own.{name}"))
        except UnsupportedError as error:
            refused[name] = error.what
            continue
        require_faithful(one)
        files[one.module] = one
    return checked(files) | refused


def test_every_entry_has_a_lemma() -> None:
    library = Path("rocq/Staleproof.v").read_text(encoding="utf-8")
    assert set(LETTERS) == set(ENTRIES) == set(AT)
    assert all(f"Lemma el_{entry} " in library for entry in ENTRIES)
    assert all(prove(elementary(entry)).verdict is Verdict.PROVED for entry in ENTRIES)


@pytest.mark.slow
@needs_coqc
def test_true_instances_are_accepted() -> None:
    late = {f"late_{place}": one for place, one in enumerate((*TRUE.values(), SUMMED, EACH))}
    facts = {entry: elementary(entry) for entry in ENTRIES}
    said = said_of(late | facts | NORMS)
    assert len(said) == len(late) + len(facts) + len(NORMS)
    assert not any(said.values()), said


@pytest.mark.slow
@needs_coqc
def test_false_instances_are_refused() -> None:
    names = ("exp_tangent", "log_tangent", "decay", "bernoulli", "halving")
    less = {
        entry: replace(elementary(entry), terms={"less": elementary(entry).goal.rhs - 1})
        for entry in names
    }
    less |= {
        f"late_{place}": replace(one, terms={"less": one.goal.rhs / 2})
        for place, one in enumerate((*TRUE.values(), SUMMED, EACH))
        if one.kind == "<=" and one.goal.rhs != 0
    }
    less |= {name: replace(one, terms={"less": one.goal.rhs / 2}) for name, one in NORMS.items()}
    assert all(prove(one).verdict is not Verdict.PROVED for one in less.values())
    said = said_of(less)
    assert len(said) == len(less) > 10
    assert all(said.values()), said
    assert sum(why.startswith("coqc") for why in said.values()) > 10
