"""Certificates and statements that are edited are refused by coqc, and by the re-checker."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy

from reports.recheck import BadInput, recheck
from tests.proof_ledgers import ledger_of
from theory.judging.catalogue import CLAIMS
from theory.judging.certificates import steps_as_data
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

Mutant = tuple[str, str, dict[str, Any] | None]
"""What is edited, the file of it, and the ledger of it if a re-checker could see that."""

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


def _row(theorem: Theorem, other: Theorem) -> dict[str, Any]:
    """The ledger of a theorem, with another's certificates said to prove it."""
    found = ledger_of([theorem])
    found["claims"][0]["steps"] = steps_as_data(other, prove(theorem))
    return found


def _said_otherwise(theorem: Theorem, name: str) -> dict[str, Any] | None:
    """The ledger with that edit of the statement, or None if it says nothing of it."""
    found = ledger_of([theorem])
    row = found["claims"][0]
    if name == "swapped sign":
        row["goal"] = " <= ".join(reversed(row["goal"].split(" <= ")))
    elif name == "smaller bound":
        row["goal"] += " - 1"
    else:
        given = written(theorem).core[int(name.split()[-1])]
        if given.kind != "hypothesis" or "part" in name:
            return None
        del row["hypotheses"][int(given.name[1:]) - 1]
    return found


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


def _mutants(theorem: Theorem) -> Iterator[Mutant]:
    """Files that coqc must refuse; the kernel and the reader refuse them as well."""
    one = written(theorem)
    for name, other in _certificates(theorem):
        try:
            source = written(other).source
        except UnsupportedError:
            source = ""
        if source != one.source:  # a step that the proof does not use is not in the file
            assert prove(other).verdict is not Verdict.PROVED, name
            yield name, source, _row(theorem, other)
    for name, source in _statements(theorem):
        if name in ("swapped sign", "smaller bound"):
            with pytest.raises(MisreadError):
                require_faithful(replace(one, source=source))
        yield f"{theorem.id}: {name}", source, _said_otherwise(theorem, name)


def _passes(ledger: dict[str, Any]) -> bool:
    try:
        return not recheck(ledger).failures
    except BadInput:
        return False


def _survivors(folder: Path, mutants: list[Mutant]) -> list[str]:
    """Mutants that coqc accepts."""

    def survives(numbered: tuple[int, Mutant]) -> str:
        number, (name, source, _) = numbered
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
    assert "smaller bound" in mutants[-1][0] or any("premise" in one for one, *_ in mutants)
    assert _passes(ledger_of([theorem]))
    assert [what for what, _, row in mutants if row is not None and _passes(row)] == []
    assert _survivors(tmp_path, mutants) == []


def test_words_end_no_comment() -> None:
    """Of a hypothesis about a run inside: what stood behind would be assumed, or cut the file."""
    theorem, more = _theorem("rpd.drift-by-counts"), 'at f(x*) "(* *) (0 = 1) /\\\n (*'
    given = tuple(replace(one, says=one.says + more) for one in theorem.hypotheses)
    one, other = written(theorem), written(replace(theorem, hypotheses=given))
    require_faithful(other)
    first, last = (re.sub(r"\(\*.*?\*\)", "", found.source, flags=re.S) for found in (one, other))
    assert first == last


@pytest.mark.slow
def test_two_hundred_of_them_are_put_to_both() -> None:
    mutants = [one for name in SMALL for one in _mutants(_theorem(name))]
    assert sum(bool(source) and row is not None for _, source, row in mutants) >= 200
