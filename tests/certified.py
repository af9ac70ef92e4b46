"""A claim file whose steps say `Found`, as text, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from theory.claims import Claim
from theory.judging.loading import load
from theory.proving.certify import Certified, certify

FILE = """\
import sympy
from theory.kernel import Found, Hypothesis, Step, Theorem, le, vectors

a, lam, d = sympy.symbols("a lambda d", positive=True)
u, v = vectors("u ∇f(v)")
CLAIM = Theorem(
    id="mine.split",
    where="mine",
    statement="A split square with a bound.",
    latex="",
    symbols=(a, lam, d),
    vectors=(u, v),
    hypotheses=(
        Hypothesis("small", "v is small", le(v**2, d * lam)),
        Hypothesis("part", "a is small", le(a, d)),
        Hypothesis("idle", "never needed", le(d, 7)),
    ),
    steps=(
        Step("young", le(2 * (u @ v), a * u**2 + v**2 / a), Found()),
        Step("idle step", le(0, u**2), Found()),
    ),
    lhs=(u + v)**2,
    terms={"first": (1 + d) * u**2, "second": (1 + 1 / a) * d * lam},
    conclude=Found("young", "small", "part"),
)
"""
"""The conclusion needs all three facts."""


def written(folder: Path, text: str = FILE, name: str = "claims_of_mine.py") -> Path:
    """The file in a folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def data_of(path: Path) -> Path:
    """The data file beside it."""
    return path.with_suffix(".certificates.json")


def certified(path: Path, **options: Any) -> list[Certified]:
    """Search for what the file asks for."""
    return certify(load(str(path)), **options)


def claim_of(path: Path) -> Claim:
    """Its claim, read anew."""
    return load(str(path))[-1]


def edited(path: Path, change: Any) -> None:
    """Change the content of the data file by a function."""
    data = data_of(path)
    content = json.loads(data.read_text(encoding="utf-8"))
    change(content)
    data.write_text(json.dumps(content), encoding="utf-8")
