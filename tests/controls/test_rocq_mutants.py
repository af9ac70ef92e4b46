"""Certificates and statements that are edited are refused by coqc."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from theory.judging.catalogue import CLAIMS
from theory.kernel import Combine
from theory.kernel.prove import prove
from theory.kernel.theorem import Theorem
from theory.rocq.compiling import LIBRARY, compiled
from theory.rocq.files import Exported, save
from theory.rocq.parsing import MisreadError
from theory.rocq.reading import require_faithful
from theory.rocq.text import UnsupportedError
from theory.rocq.writing import written
from theory.verdicts import Verdict

needs_coqc = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")

SMALL = (
    *("kernel.young", "kernel.triangle", "kernel.cauchy-schwarz", "kernel.jensen"),
    *("rpd.pl-constant", "rpd.lemma-b1", "rpd.lemma-b2", "rpd.whole-gradient", "localsgd.drift"),
    *("rpd.block-drift", "rpd.drift-by-counts", "nesterov.gradient-window"),
)


def _theorem(name: str) -> Theorem:
    found = CLAIMS[name].theorem
    assert found is not None
    return found


def _certificates(theorem: Theorem) -> Iterator[tuple[str, Theorem]]:
    """The theorem with one number of one certificate edited."""
    rules = [step.rule for step in theorem.steps] + [theorem.conclude]
    for place, rule in enumerate(rules):
        if not isinstance(rule, Combine):
            continue
        edited = [
            Combine({**rule.facts, name: other}, rule.squares, rule.plus, rule.domain)
            for name, factor in rule.facts.items()
            for other in (factor + 1, 2 * sympy.sympify(factor), -sympy.sympify(factor))
        ]
        for index, (c, one) in enumerate(rule.squares):
            for factor in (2 * sympy.sympify(c), -sympy.sympify(c)):
                squares = [*rule.squares[:index], (factor, one), *rule.squares[index + 1 :]]
                edited.append(Combine(rule.facts, tuple(squares), rule.plus, rule.domain))
        for number, rule_ in enumerate(edited):
            name = f"{theorem.id}: line {place}, certificate {number}"
            if place < len(theorem.steps):
                steps = list(theorem.steps)
                steps[place] = replace(steps[place], rule=rule_)
                yield name, replace(theorem, steps=tuple(steps))
            else:
                yield name, replace(theorem, conclude=rule_)


def _statements(theorem: Theorem) -> Iterator[tuple[str, str]]:
    """The file with another statement, or without one hypothesis."""
    source = written(theorem).source
    start = source.index("Definition statement")
    end = source.index(".\n\n", start)
    said = source[start:end]
    parts = said.split(" ->\n")
    if " <= " in parts[-1]:
        head, left_right = parts[-1].split("(", 1)
        flipped = left_right.replace(" <= ", " >= ")
        yield (
            "swapped sign",
            source[:start] + " ->\n".join([*parts[:-1], f"{head}({flipped}"]) + source[end:],
        )
        yield "smaller bound", source[: end - 1] + " - 1)" + source[end:]
    for place, part in enumerate(parts[:-1]):
        fewer = " ->\n".join([*parts[:place], *parts[place + 1 :]])
        yield f"without premise {place}", source[:start] + fewer + source[end:]
        for inside in part.split(" /\\\n")[1:]:  # of a run inside an iteration
            other = part.replace(f" /\\\n{inside}", ")" * inside.endswith("))"))
            less = " ->\n".join([*parts[:place], other, *parts[place + 1 :]])
            yield f"without a part of premise {place}", source[:start] + less + source[end:]


def _mutants(theorem: Theorem) -> Iterator[tuple[str, str]]:
    """Files that coqc must refuse; the kernel and the reader refuse them as well."""
    one = written(theorem)
    for name, other in _certificates(theorem):
        try:
            source = written(other).source
        except UnsupportedError:
            source = ""
        if source != one.source:  # a step that the proof does not use is not in the file
            assert prove(other).verdict is not Verdict.PROVED, name
            yield name, source
    for name, source in _statements(theorem):
        if name in ("swapped sign", "smaller bound"):
            with pytest.raises(MisreadError):
                require_faithful(replace(one, source=source))
        yield f"{theorem.id}: {name}", source


def _survivors(folder: Path, mutants: list[tuple[str, str]]) -> list[str]:
    """Mutants that coqc accepts."""

    def survives(numbered: tuple[int, tuple[str, str]]) -> str:
        number, (name, source) = numbered
        if not source:
            return ""
        (folder / f"mutant_{number}.v").write_text(source, encoding="utf-8")
        return name if not compiled(folder, f"mutant_{number}") else ""

    with ThreadPoolExecutor(2) as pool:
        return [name for name in pool.map(survives, enumerate(mutants)) if name]


@pytest.mark.sampled(12)
@needs_coqc
@pytest.mark.parametrize("name", SMALL)
def test_edited_certificates_and_statements_are_refused(name: str, tmp_path: Path) -> None:
    theorem = _theorem(name)
    cited = written(theorem).draft.cited.values()
    files = {one.module: one for one in map(written, (*cited, theorem))}
    save(Exported(files, {}, {}), tmp_path)
    assert compiled(tmp_path, LIBRARY.stem, library=True) == ""
    assert [compiled(tmp_path, module) for module in files] == [""] * len(files)
    mutants = list(_mutants(theorem))
    assert "smaller bound" in mutants[-1][0] or any("premise" in one for one, _ in mutants)
    assert _survivors(tmp_path, mutants) == []


@pytest.mark.slow
def test_there_are_two_hundred_of_them() -> None:
    assert sum(1 for name in SMALL for _ in _mutants(_theorem(name))) >= 200
