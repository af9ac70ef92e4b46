"""Write the tables of ``docs/explanation/mutation.md``: ``python -m tests.mutations.page``.

They are what the checkers and PyTorch's validators say now. It needs PyTorch, and takes a few
minutes; the words between the tables are written by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from schedules.invariants import INVARIANTS
from tests.mutations import torch_page
from tests.mutations.judge import FATES, Fate, Verdict, judged
from tests.mutations.mutant import Operator
from tests.mutations.operators import REFUSED
from tests.mutations.operators_around import OPERATORS
from tests.mutations.subjects import BUILT, FILES, LARGER_FILES, subject
from tests.mutations.tables import filled, table

PAGE: Final = Path(__file__).parents[2] / "docs" / "explanation" / "mutation.md"
NAMES: Final = (*FILES, *LARGER_FILES, *BUILT)

SAMPLE: Final = 12
"""Mutants of an operator and a larger file."""

COLUMNS: Final = (REFUSED, *INVARIANTS)


@cache
def verdicts(name: str) -> tuple[Verdict, ...]:
    """What becomes of the mutants of a subject: of all, or of a sample of a larger file's."""
    at_most = SAMPLE if name in LARGER_FILES else None
    return tuple(
        judged(operator, mutant)
        for operator in OPERATORS
        for mutant in operator.mutants(subject(name), at_most)
    )


def fates(found: Sequence[Verdict]) -> list[object]:
    """How many have each fate; the missed are always printed."""
    count: Counter[Fate] = Counter(verdict.fate for verdict in found)
    return [*(count[fate] for fate in FATES[:-1]), str(count["missed"])]


def operators() -> str:
    """What every operator does."""
    rows = [[operator.name, operator.meaning] for operator in OPERATORS]
    return table(["operator", "what changes"], rows)


def matrix(found: Sequence[Verdict]) -> str:
    """Operators by invariants: how many mutants break each; bold where it names the mistake."""
    used = [name for name in COLUMNS if any(name in verdict.broken for verdict in found)]

    def row(operator: Operator) -> list[object]:
        mine = [verdict for verdict in found if verdict.operator is operator]
        broken = Counter(name for verdict in mine for name in verdict.broken)
        cells = [
            f"**{broken[name]}**" if broken[name] and name in operator.names else broken[name]
            for name in used
        ]
        return [operator.name, len(mine), *cells, *fates(mine)]

    alone = Counter(verdict.broken[0] for verdict in found if len(verdict.broken) == 1)
    rows = [
        *map(row, OPERATORS),
        ["*breaks this alone*", "", *(alone[name] for name in used), *[""] * len(FATES)],
        ["**all**", len(found), *[""] * len(used), *fates(found)],
    ]
    return table(["operator", "mutants", *used, *FATES], rows)


def subject_row(name: str) -> list[object]:
    """How the mutants of a subject fare."""
    found = verdicts(name)
    return [f"`{name}`" if "." in name else name, len(found), *fates(found)]


def subjects() -> str:
    """All subjects."""
    return table(["subject", "mutants", *FATES], map(subject_row, NAMES))


def parts() -> dict[str, str]:
    """Everything on the page that is not written by hand."""
    found = [verdict for name in NAMES for verdict in verdicts(name)]
    own = {
        "operators": operators(),
        "matrix": matrix(found),
        "subjects": subjects(),
    }
    return own | torch_page.parts(found)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), parts()), encoding="utf-8")
