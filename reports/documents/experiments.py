"""Reruns of a paper's experiments: verdict, numbers beside the source's, and the plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reports.documents.blocks import (
    Block,
    Code,
    Figure,
    Heading,
    Link,
    Paragraph,
    Strong,
    Table,
    Words,
    joined,
    prose,
)
from reports.ledger import Row

FOLDER: Final = "experiments"
"""Beside the documents: what ``staleproof experiment NAME -o`` writes."""
MOST_NUMBERS: Final = 12
"""Rows of a table; the file of the experiment has all."""

Results = Sequence[Mapping[str, Any]]


def experiment_blocks(results: Results, rows: Sequence[Row]) -> Iterator[Block]:
    """The experiments that ask about these rows; nothing if there are none.

    Parameters
    ----------
    results : sequence of mapping
        Of the files that an experiment writes.
    rows : sequence of Row
        Of one paper. An experiment stands in the document that has its first prediction.
    """
    ids = {row["id"] for row in rows}
    own = [one for one in results if one["predictions"] and one["predictions"][0] in ids]
    if own:
        yield Heading(2, ("Experiments",))
        yield Paragraph(
            ("Reruns, which decide no claim: a verdict here is about what training showed.",)
        )
    for one in own:
        yield from _one(one)


def _one(result: Mapping[str, Any]) -> Iterator[Block]:
    name, short = result["name"], " (short run)" if result["quick"] else ""
    yield Heading(3, (f"{name}: {result['source']}{short}",))
    yield Paragraph((Strong(f"{result['verdict'].capitalize()}."), " ", *prose(result["says"])))
    rows: Words = joined([(Link(row),) for row in result["predictions"]])
    yield Paragraph(("Predicted by ", *rows, "; refuted if ", *prose(result["refuted_by"]), "."))
    both = [one for one in result["numbers"] if one["paper"] is not None]
    shown = (both or result["numbers"])[:MOST_NUMBERS]
    cells = tuple((prose(one["what"]), *map(_value, (one["paper"], one["ours"]))) for one in shown)
    yield Table(("What", "paper", "ours"), cells, (0.6, 0.2, 0.2))
    if len(shown) < len(result["numbers"]):
        file = Code(f"{FOLDER}/{name}.json")
        yield Paragraph((f"{len(shown)} of {len(result['numbers'])} numbers; all are in ", file))
    yield Figure(f"{FOLDER}/{name}", f"{name}: {result['question']}")


def _value(number: float | None) -> Words:
    return ("",) if number is None else (f"{number:.6g}",)
