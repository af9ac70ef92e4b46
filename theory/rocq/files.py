"""Exported theorems as a folder of files, and what `coqc` says of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import sympy

from theory.claims import Claim
from theory.errors import TheoryError
from theory.kernel.theorem import Theorem
from theory.rocq.parsing import MisreadError
from theory.rocq.reading import require_faithful
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import Written, module_of, written

LIBRARY: Final = Path(__file__).parents[2] / "rocq" / "Staleproof.v"
"""The library that every file rests on, in the source tree."""
SECONDS: Final = 300
"""Most that one file may take."""
AXIOMS: Final = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What the standard real numbers of Rocq are built on; nothing else may be assumed."""
UNPROVED: Final = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b"
)

Progress = Callable[[str], None]


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
    bare = re.sub(r"\(\*.*?\*\)", " ", one.source, flags=re.DOTALL)
    hole = UNPROVED.search(bare)
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
        (directory / "_CoqProject").write_text("-R . Staleproof\n", encoding="utf-8")
        paths = []
        for module, one in found.files.items():
            paths.append(directory / f"{module}.v")
            paths[-1].write_text(one.source, encoding="utf-8")
        return paths
    except OSError as error:
        raise TheoryError(
            f"the files cannot be written: {error.strerror}", str(directory),
            "name another folder, and run it from the source tree",
        ) from error  # fmt: skip


def compiler() -> str | None:
    """Where `coqc` is, if it is installed."""
    return shutil.which("coqc")


def checked(
    found: Exported, directory: Path, jobs: int = 1, progress: Progress = lambda name: None
) -> dict[str, str]:
    """What `coqc` says of each file: ``""`` if it accepts it, and what it cites, whole.

    Parameters
    ----------
    found : Exported
        Saved to this directory.
    jobs : int
        Files at once.

    Raises
    ------
    TheoryError
        The library itself is not accepted.
    """
    problem = _compiled(directory, LIBRARY.stem, library=True)
    if problem:
        raise TheoryError(f"coqc refuses the library: {problem}", str(LIBRARY), "see its message")
    said: dict[str, str] = {}
    waiting, running = dict(found.files), dict[Future[str], str]()
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            ready = [m for m, one in waiting.items() if all(c in said for c in one.cites)]
            for module in ready[: max(0, jobs - len(running))]:
                one = waiting.pop(module)
                short = [cited for cited in one.cites if said[cited]]
                if short:
                    said[module] = f"it cites {short[0]}, which is not accepted"
                else:
                    progress(module)
                    running[pool.submit(_compiled, directory, module)] = module
            if running:
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    said[running.pop(done)] = done.result()
    return said


def _compiled(directory: Path, module: str, library: bool = False) -> str:
    """Why `coqc` does not accept a file, or ``""``."""
    command = ["coqc", "-q", "-R", ".", "Staleproof", f"{module}.v"]
    (directory / f"{module}.vo").unlink(missing_ok=True)
    try:
        ended = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"coqc took more than {SECONDS} s"
    if ended.returncode != 0:
        return f"coqc: {' '.join(ended.stderr.split())[:300]}"
    return "" if library else assumed(ended.stdout)


def assumed(said: str) -> str:
    r"""What `Print Assumptions` shows besides the standard real numbers, or ``""``.

    Examples
    --------
    >>> assumed("Axioms:\nClassicalDedekindReals.sig_not_dec : forall P : Prop, ...")
    ''
    >>> assumed("Axioms:\nfalse : 1 = 0")
    'it assumes false'
    >>> assumed("")
    'coqc did not print its assumptions'
    """
    if "Closed under the global context" in said:
        return ""
    _, title, listed = said.partition("Axioms:")
    if not title:
        return "coqc did not print its assumptions"
    names = re.findall(r"^(\S+)\s*:", listed, flags=re.MULTILINE)
    strange = [name for name in names if name not in AXIOMS]
    return f"it assumes {', '.join(strange)}" if strange or not names else ""


def accepted(found: Exported, said: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Ids of claims whose files are accepted, and why others are not."""
    good = [name for name, module in found.theorems.items() if not said[module]]
    bad = {name: said[module] for name, module in found.theorems.items() if said[module]}
    return good, bad
