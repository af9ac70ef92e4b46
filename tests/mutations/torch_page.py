"""What PyTorch's validators say of the mutants, beside what is the case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, get_args

from tests.mutations.judge import Verdict
from tests.mutations.subjects import FILES, subject
from tests.mutations.tables import table
from tests.mutations.torch_validators import Opinion, expressible, load, opinion, simulate

Case = Literal[
    "hangs",
    "mixes tensors",
    "lacks an input",
    "computes too much",
    "skips a reduction",
    "computes the same",
]
CASES: Final[tuple[Case, ...]] = get_args(Case)
LOWERED: Final = tuple(name for name in FILES if name.endswith(".comms.csv"))
ACCEPTED: Final = Opinion(None, None)


@dataclass(frozen=True)
class Row:
    """A mutant, what is the case, and what PyTorch says."""

    verdict: Verdict
    case: Case
    opinion: Opinion


def case(verdict: Verdict) -> Case | None:
    """What the machine makes of a mutant, the worst first; None if it cannot run it."""
    meaning = verdict.meaning
    if meaning is None:
        return None
    if meaning.stuck:
        return "hangs"
    if meaning.wrong:
        return "mixes tensors"
    if meaning.blind:
        return "lacks an input"
    if "complete" in verdict.broken:
        return "computes too much"
    # Lowered orders have no updates to move: only gradients can be left unreduced.
    return "computes the same" if verdict.means_the_same else "skips a reduction"


@cache
def torch_module() -> Any:
    return load()


def rows(verdicts: Sequence[Verdict]) -> list[Row]:
    """The mutants of lowered orders that PyTorch's cells can hold."""
    found = []
    for verdict in verdicts:
        document, what = verdict.mutant.document, case(verdict)
        of_torch = verdict.mutant.subject.name in LOWERED
        if document is not None and what and of_torch and expressible(document.schedule):
            found.append(Row(verdict, what, opinion(torch_module(), document.schedule)))
    return found


def counts(found: Sequence[Row]) -> str:
    """What is the case, by who notices."""

    def row(what: Case) -> list[object]:
        mine = [row for row in found if row.case == what]
        return [
            what,
            len(mine),
            sum(row.opinion.validator is not None for row in mine),
            sum(row.opinion.simulator is not None for row in mine),
            sum(row.opinion == ACCEPTED for row in mine),
            sum(bool(row.verdict.broken) for row in mine),
        ]

    head = (
        "a mutant that …",
        "mutants",
        "`_validate_schedule` rejects",
        "`_simulate_comms_compute` rejects",
        "both accept",
        "`staleproof check` rejects",
    )
    return table(head, map(row, CASES))


def accepted(found: Sequence[Row]) -> str:
    """Faulty mutants that both accept: one of each case."""

    def examples() -> Iterator[list[object]]:
        for what in CASES[:-1]:
            row = next((r for r in found if r.case == what and r.opinion == ACCEPTED), None)
            if row is not None:
                mutant = row.verdict.mutant
                named = ", ".join(f"`{name}`" for name in row.verdict.broken)
                yield [what, f"`{mutant.subject.name}`", mutant.change, named]

    return table(("a mutant that …", "of", "change", "`staleproof check` names"), examples())


def as_they_are() -> str:
    """What the dry run says of the stored orders with their collectives and overlaps."""
    said = Counter(simulate(torch_module(), subject(name).schedule) for name in LOWERED)
    rows = [[f"`{error}`" if error else "accepts", count] for error, count in said.items()]
    return table(("`_simulate_comms_compute` says", "stored orders"), rows)


def parts(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """The tables of the page about PyTorch."""
    found = rows(verdicts)
    return {
        "torch counts": counts(found),
        "torch accepts": accepted(found),
        "torch stored": as_they_are(),
    }
