"""What `coqc` says of files: many in one process, and each by itself where they are refused.

A process reads Rocq's real numbers in half a second, and walks them once more to say what a theorem
assumes. So files are put together, each as a module, and one walk is for all of them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from theory.errors import TheoryError
from theory.rocq.writing import Written

LIBRARY: Final = Path(__file__).parents[2] / "rocq" / "Staleproof.v"
"""The library that every file rests on, in the source tree."""
SECONDS: Final = 1200
"""Most that one process may take."""
TOGETHER: Final = 300_000
"""Characters that one process reads, if there is more than one file."""
AXIOMS: Final = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What the standard real numbers of Rocq are built on; nothing else may be assumed."""

Progress = Callable[[str], None]


def compiler() -> str | None:
    """Where `coqc` is, if it is installed."""
    return shutil.which("coqc")


@dataclass
class Folder:
    """Where files are compiled, and what came of each.

    Attributes
    ----------
    path : Path
    files : mapping of str to Written
        By module.
    said : dict of str to str
        ``""`` for what is accepted, and why anything else is not.
    homes : dict of str to str
        The compiled file that an accepted module is in.
    """

    path: Path
    files: Mapping[str, Written]
    said: dict[str, str] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)

    def together(self, group: Sequence[str], place: int) -> None:
        """Compile modules in one process; each by itself if they are not accepted so."""
        home = f"Together_{place}_"  # no identifier ends so: no theorem has this name
        files = [self.files[module] for module in group]
        whole = len(group) > 1 and not any(self.refused(one.cites) for one in files)
        if whole and not self._tried(home, _joined(files, self.homes)):
            self.said |= dict.fromkeys(group, "")
            self.homes |= dict.fromkeys(group, home)
            return
        for module in group:
            cited = self.refused(self.files[module].cites)
            if cited:
                self.said[module] = f"it cites {cited[0]}, which is not accepted"
                continue
            source, _ = _at_home(self.files[module].source, self.homes)
            self.said[module] = self._tried(module, source)
            self.homes[module] = module

    def refused(self, modules: Iterable[str]) -> list[str]:
        """Those that are not accepted."""
        return [module for module in modules if self.said.get(module)]

    def _tried(self, name: str, source: str) -> str:
        (self.path / f"{name}.v").write_text(source, encoding="utf-8")
        return compiled(self.path, name)


_REQUIRE: Final = re.compile(r"^From Staleproof Require (\w+)\.$", re.MULTILINE)
_IMPORT: Final = "From Staleproof Require Import Staleproof.\n"
_PRINT: Final = "Print Assumptions holds.\n"


def _at_home(source: str, homes: Mapping[str, str]) -> tuple[str, list[str]]:
    """A file that finds what it cites, and the files that it then needs."""
    needed = [homes[module] for module in _REQUIRE.findall(source) if module in homes]

    def line(found: re.Match[str]) -> str:
        home = homes.get(found[1], found[1])
        return f"From Staleproof Require {'Import ' * (home != found[1])}{home}."

    return _REQUIRE.sub(line, source), needed


def _joined(files: Sequence[Written], homes: Mapping[str, str]) -> str:
    """Files as modules of one, in this order, and what all of them assume."""
    needed: dict[str, None] = {}
    parts = []
    for one in files:
        for cited in one.cites:
            home = homes.get(cited)
            if home is not None:
                needed[f"{'Import ' * (home != cited)}{home}"] = None
        body = _REQUIRE.sub("", one.source).replace(_IMPORT, "", 1).removesuffix(_PRINT)
        parts.append(f"Module {one.module}.\n{body}End {one.module}.\n")
    heads = "".join(f"From Staleproof Require {one}.\n" for one in needed)
    every = ", ".join(f"{one.module}.holds" for one in files)
    parts.append(f"Definition together := ({every}).\nPrint Assumptions together.\n")
    return f"{_IMPORT}{heads}{''.join(parts)}"


def groups(files: Mapping[str, Written]) -> list[list[str]]:
    """Modules that are compiled in one process each; what is cited is never in a later one.

    Parameters
    ----------
    files : mapping of str to Written
        Each after what it cites.
    """
    found: list[list[str]] = []
    size = TOGETHER
    for module, one in files.items():
        if size >= TOGETHER:
            found.append([])
            size = 0
        found[-1].append(module)
        size += len(one.source)
    return found


def checked(
    files: Mapping[str, Written], jobs: int = 1, progress: Progress = lambda name: None
) -> dict[str, str]:
    """What `coqc` says of each file: ``""`` if it accepts it, and what it cites, whole.

    Parameters
    ----------
    files : mapping of str to Written
        By module, each after what it cites.
    jobs : int
        Processes at once.

    Raises
    ------
    TheoryError
        The library itself is not accepted.
    """
    with TemporaryDirectory() as path, ThreadPoolExecutor(jobs) as pool:
        folder = Folder(Path(path), files)
        shutil.copyfile(LIBRARY, folder.path / LIBRARY.name)
        problem = compiled(folder.path, LIBRARY.stem, library=True)
        if problem:
            what = f"coqc refuses the library: {problem}"
            raise TheoryError(what, str(LIBRARY), "see its message")
        waiting, running = dict(enumerate(groups(files))), set[Future[None]]()
        while waiting or running:
            for place, group in list(waiting.items()):
                cited = {one for module in group for one in files[module].cites}
                if len(running) < jobs and cited <= {*folder.said, *group}:
                    progress(", ".join(waiting.pop(place)))
                    running.add(pool.submit(folder.together, group, place))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                one.result()
    return folder.said


def compiled(directory: Path, module: str, library: bool = False) -> str:
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
