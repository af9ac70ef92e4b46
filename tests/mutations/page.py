"""Write the tables of ``docs/explanation/mutation.md``: ``python -m tests.mutations.page``.

They are what the checkers and PyTorch's validators say now. It needs PyTorch, and takes a few
minutes; the words between the tables are written by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.mutations import torch_page
from tests.mutations.judge import Verdict, judged
from tests.mutations.mutant import Operator
from tests.mutations.operators_around import OPERATORS
from tests.mutations.subjects import BUILT, FILES, LARGER_FILES, subject
from tests.mutations.tables import filled, table

PAGE: Final = Path(__file__).parents[2] / "docs" / "explanation" / "mutation.md"
NAMES: Final = (*FILES, *LARGER_FILES, *BUILT)

SAMPLE: Final = 12
"""Mutants of an operator and a larger file."""


@cache
def verdicts(name: str) -> tuple[Verdict, ...]:
    """What becomes of the mutants of a subject: of all, or of a sample of a larger file's."""
    at_most = SAMPLE if name in LARGER_FILES else None
    return tuple(
        judged(operator, mutant)
        for operator in OPERATORS
        for mutant in operator.mutants(subject(name), at_most)
    )


def others(found: Sequence[Verdict]) -> str:
    """How many are not caught, by their fates."""
    return _counted(Counter(verdict.fate for verdict in found if verdict.fate != "caught"))


def _counted(count: Counter[Any], names: Collection[str] = ()) -> str:
    """Numbers behind what they count, the largest first; what is among the names is bold."""
    parts = ((f"**{name}**" if name in names else name, n) for name, n in count.most_common())
    return ", ".join(f"{name} {n}" for name, n in parts)


def operators(found: Sequence[Verdict]) -> str:
    """What every operator changes, how many mutants it makes, and what becomes of them."""

    def row(operator: Operator) -> list[object]:
        mine = [verdict for verdict in found if verdict.operator is operator]
        broken = Counter(name for verdict in mine for name in verdict.broken)
        what = f"{operator.name}: {operator.meaning}"
        return [what, len(mine), _counted(broken, operator.names), others(mine)]

    rows = [*map(row, OPERATORS), ["**all**", len(found), "", others(found)]]
    return table(["operator", "mutants", "break", "not caught"], rows)


def parts() -> dict[str, str]:
    """Everything on the page that is not written by hand."""
    found = [verdict for name in NAMES for verdict in verdicts(name)]
    own = {
        "operators": operators(found),
    }
    return own | torch_page.parts(found)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), parts()), encoding="utf-8")
