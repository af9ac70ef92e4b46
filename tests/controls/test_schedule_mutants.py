"""Mutants of real schedule files: the validator has to tell the broken from the harmless.

Operators change one thing of a file. A second checker, which shares no code with the validator,
counts actions in a `Counter` and looks for cycles with networkx; both must agree about every
mutant, invariant by invariant.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise, product
from pathlib import Path

import networkx as nx
import pytest

from schedules.formats.pytorch_csv import parse_csv
from schedules.validate import validate

DATA = Path(__file__).parents[1] / "data" / "schedules"
SMALL = sorted(DATA.glob("*_p2_m4.compute.csv"))
LARGE = sorted(DATA.glob("*_p4_m8.compute.csv"))

STRIDE = 10
"""One mutant in so many of a large file is tried."""

Rows = list[list[str]]
Node = tuple[int, int]

PLAIN = re.compile(r"(\d+)([FBIW])(\d+)")


def rows_of(path: Path) -> Rows:
    """The cells of each row, without idle ones."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[cell for cell in line.split(",") if cell] for line in lines]


def text_of(rows: Rows) -> str:
    return "\n".join(",".join(row) or "," for row in rows)


def with_row(rows: Rows, number: int, row: list[str]) -> Rows:
    return [*rows[:number], row, *rows[number + 1 :]]


def with_cell(rows: Rows, row: int, cell: int, *cells: str) -> Rows:
    return with_row(rows, row, [*rows[row][:cell], *cells, *rows[row][cell + 1 :]])


def cells(rows: Rows) -> Iterator[tuple[int, int, str]]:
    for number, row in enumerate(rows):
        for position, cell in enumerate(row):
            yield number, position, cell


def relabelled(
    rows: Rows, change: Callable[[int, str, int], Iterator[tuple[int, str, int]]]
) -> Iterator[Rows]:
    """Every way to change one action, alone or as a part of an overlap."""
    for row, position, cell in cells(rows):
        for match in PLAIN.finditer(cell):
            for stage, kind, microbatch in change(int(match[1]), match[2], int(match[3])):
                new = f"{stage}{kind}{microbatch}"
                yield with_cell(
                    rows, row, position, cell[: match.start()] + new + cell[match.end() :]
                )


def drop_a_cell(rows: Rows) -> Iterator[Rows]:
    for row, position, _ in cells(rows):
        yield with_cell(rows, row, position)


def duplicate_a_cell(rows: Rows) -> Iterator[Rows]:
    for row, position, cell in cells(rows):
        yield with_cell(rows, row, position, cell, cell)
        yield with_row(rows, row, [*rows[row], cell])


def relabel_the_stage(rows: Rows) -> Iterator[Rows]:
    yield from relabelled(rows, lambda s, k, m: ((other, k, m) for other in range(6) if other != s))


def relabel_the_microbatch(rows: Rows) -> Iterator[Rows]:
    yield from relabelled(rows, lambda s, k, m: ((s, k, other) for other in range(6) if other != m))


def relabel_the_kind(rows: Rows) -> Iterator[Rows]:
    yield from relabelled(rows, lambda s, k, m: ((s, other, m) for other in "FBIW" if other != k))


def swap_two_cells_of_a_row(rows: Rows) -> Iterator[Rows]:
    for number, row in enumerate(rows):
        for one, other in combinations(range(len(row)), 2):
            swapped = row.copy()
            swapped[one], swapped[other] = row[other], row[one]
            yield with_row(rows, number, swapped)


def move_a_cell_to_another_row(rows: Rows) -> Iterator[Rows]:
    for row, position, cell in cells(rows):
        rest = with_cell(rows, row, position)
        for other in range(len(rows)):
            if other != row:
                for place in range(len(rest[other]) + 1):
                    moved = [*rest[other][:place], cell, *rest[other][place:]]
                    yield with_row(rest, other, moved)


ALWAYS_WRONG = [
    drop_a_cell,
    duplicate_a_cell,
    relabel_the_stage,
    relabel_the_microbatch,
    relabel_the_kind,
    move_a_cell_to_another_row,
]
OPERATORS = [*ALWAYS_WRONG, swap_two_cells_of_a_row]


class Second:
    """The second checker: what is wrong with rows of cells, by counting and by graph search."""

    def __init__(self, rows: Rows) -> None:
        self.at: dict[Node, tuple[int, str, int]] = {}
        for rank, row in enumerate(rows):
            for place, match in enumerate(PLAIN.finditer(",".join(row))):
                self.at[rank, place] = (int(match[1]), match[2], int(match[3]))
        self.count = Counter(self.at.values())
        self.stages = 1 + max(stage for stage, _, _ in self.count)
        self.microbatches = len({m for stage, _, m in self.count if stage == 0})

    def incomplete(self) -> bool:
        expected = 0
        for stage in range(self.stages):
            for microbatch in range(self.microbatches):
                have = tuple(self.count[stage, kind, microbatch] for kind in "FBIW")
                if have not in {(1, 1, 0, 0), (1, 0, 1, 1)}:
                    return True
                expected += sum(have)
        return expected != len(self.at)

    def scattered(self) -> bool:
        where = {(stage, rank) for (rank, _), (stage, _, _) in self.at.items()}
        return len(where) != len({stage for stage, _ in where})

    def circular(self) -> bool:
        """Whether the actions that are there exactly once, and in range, wait in a circle."""
        graph: nx.DiGraph[Node] = nx.DiGraph()
        graph.add_edges_from(
            (before, after) for before, after in pairwise(sorted(self.at)) if before[0] == after[0]
        )
        once: dict[tuple[int, str, int], Node] = {}
        for node, (stage, kind, microbatch) in self.at.items():
            if microbatch < self.microbatches:
                alike = {"B": "BI", "I": "BI"}.get(kind, kind)
                if sum(self.count[stage, other, microbatch] for other in alike) == 1:
                    once[stage, alike, microbatch] = node
        for (stage, kind, microbatch), node in once.items():
            needs = {
                "F": [(stage - 1, "F", microbatch)],
                "BI": [(stage, "F", microbatch), (stage + 1, "BI", microbatch)],
                "W": [(stage, "BI", microbatch)] if self.count[stage, "I", microbatch] else [],
            }
            graph.add_edges_from((once[need], node) for need in needs[kind] if need in once)
        return not nx.is_directed_acyclic_graph(graph)

    def broken(self) -> set[str]:
        tests = {
            "complete": self.incomplete(),
            "causal": self.circular(),
            "exclusive": self.scattered(),
        }
        return {name for name, broken in tests.items() if broken}


def broken(rows: Rows) -> set[str]:
    return {violation.invariant for violation in validate(parse_csv(text_of(rows), "mutant.csv"))}


def compare(operator: Callable[[Rows], Iterator[Rows]], mutants: list[Rows]) -> None:
    caught = 0
    for rows in mutants:
        verdict = broken(rows)
        assert verdict == Second(rows).broken(), text_of(rows)
        caught += bool(verdict)
    assert caught == len(mutants) or operator not in ALWAYS_WRONG
    assert caught


@pytest.mark.parametrize("path", SMALL + LARGE, ids=lambda path: path.name)
def test_both_checkers_accept_the_file(path: Path) -> None:
    assert broken(rows_of(path)) == Second(rows_of(path)).broken() == set()


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("path", "operator"), [*product(SMALL, OPERATORS)])
def test_both_checkers_agree_about_every_mutant(
    path: Path, operator: Callable[[Rows], Iterator[Rows]]
) -> None:
    compare(operator, list(operator(rows_of(path))))


@pytest.mark.slow
@pytest.mark.parametrize("path", LARGE, ids=lambda path: path.name)
@pytest.mark.parametrize("operator", OPERATORS)
def test_both_checkers_agree_about_some_mutants_of_larger_files(
    path: Path, operator: Callable[[Rows], Iterator[Rows]]
) -> None:
    compare(operator, list(operator(rows_of(path)))[::STRIDE])
