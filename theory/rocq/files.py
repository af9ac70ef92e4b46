"""Exported theorems as a folder of files, and what `coqc` says of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import sympy

from theory.claims import Claim
from theory.errors import TheoryError
from theory.kernel.rules import Found
from theory.kernel.rules.ranges import rules_of
from theory.kernel.theorem import Theorem
from theory.rocq.compiling import LIBRARY, Progress
from theory.rocq.parsing import MisreadError, without_comments
from theory.rocq.reading import require_faithful
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import Written, module_of, written

UNPROVED: Final = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b"
)


@dataclass(frozen=True)
class Exported:
    """Theorems that are written out, and claims that are not.

    Attributes
    ----------
    files : dict of str to Written
        By module; with what they cite.
    theorems : dict of str to str
        Modules, by the ids of claims.
    refused : dict of str to str
        Why, by the ids of claims.
    """

    files: dict[str, Written]
    theorems: dict[str, str]
    refused: dict[str, str]


def exported(claims: Iterable[Claim], progress: Progress = lambda name: None) -> Exported:
    """Write out the theorems of claims, and what they cite."""
    found = Exported({}, {}, {})
    for claim in claims:
        progress(claim.id)
        if claim.theorem is None:
            found.refused[claim.id] = (
                "no theorem of the kernel: it does not rest on its rules alone"
            )
            continue
        try:
            _take(claim.theorem, found.files)
        except UnsupportedError as error:
            found.refused[claim.id] = f"not written yet: {error.what}"
            continue
        except (KeyError, StopIteration, sympy.PolynomialError) as error:
            found.refused[claim.id] = f"not written: {type(error).__name__} {error}"
            continue
        except MisreadError as error:
            found.refused[claim.id] = f"read back, it says something else: {error.what}"
            continue
        found.theorems[claim.id] = module_of(claim.theorem)
    return found


def _take(theorem: Theorem, files: dict[str, Written]) -> None:
    """Add a theorem after those that it cites."""
    for rule in rules_of(theorem):
        if isinstance(rule, Found) and rule.problem:
            raise UnsupportedError(rule.problem)
    one = written(theorem)
    known = files.get(one.module)
    if known is not None:
        if known.draft.theorem is not theorem and known.source != one.source:
            raise UnsupportedError(f"two theorems are called {one.module}")
        return
    for cited in one.draft.cited.values():
        _take(cited, files)
    require_no_hole(one)
    require_faithful(one)
    files[one.module] = one


def require_no_hole(one: Written) -> None:
    """Refuse a file with a word by which something is assumed.

    Raises
    ------
    UnsupportedError
    """
    hole = UNPROVED.search(without_comments(one.source))
    if hole:
        raise UnsupportedError(f"a name that reads {hole.group()}")


def save(found: Exported, directory: Path) -> list[Path]:
    """Write the files, the library among them.

    Raises
    ------
    TheoryError
        They cannot be written, or the library is not beside these packages.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(LIBRARY, directory / LIBRARY.name)
        paths = []
        for module, one in found.files.items():
            paths.append(directory / f"{module}.v")
            paths[-1].write_text(one.source, encoding="utf-8")
        project = ["-R . Staleproof", LIBRARY.name, *(path.name for path in paths)]
        (directory / "_CoqProject").write_text("\n".join(project) + "\n", encoding="utf-8")
        return paths
    except OSError as error:
        raise TheoryError(
            f"the files cannot be written: {error.strerror}", str(directory),
            "name another folder, and run it from the source tree",
        ) from error  # fmt: skip


def accepted(found: Exported, said: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Ids of claims whose files are accepted, and why others are not."""
    good = [name for name, module in found.theorems.items() if not said[module]]
    bad = {name: said[module] for name, module in found.theorems.items() if said[module]}
    return good, bad
