"""What claims rest on, laid out in layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reports.ledger import Row


@dataclass(frozen=True)
class Layout:
    """Places of nodes: column (what they rest on stands to the left) and line."""

    places: Mapping[str, tuple[int, int]]
    edges: tuple[tuple[str, str], ...]


def layout(rows: Iterable[Row]) -> Layout:
    """Lay out the rows that rest on one another; the others are left out.

    Examples
    --------
    >>> layout([{"id": "a", "depends": []}, {"id": "b", "depends": ["a", "away"]}])
    Layout(places={'a': (0, 0), 'b': (1, 0)}, edges=(('a', 'b'),))
    """
    order = {row["id"]: row.get("depends", []) for row in rows}
    edges = tuple((one, name) for name, needs in order.items() for one in needs if one in order)
    used = {name for edge in edges for name in edge}
    needs = {name: [one for one in order[name] if one in used] for name in order if name in used}
    columns: dict[str, int] = {}

    def column(name: str) -> int:
        if name not in columns:
            columns[name] = 0  # a circle, which no ledger of ours has, ends here
            columns[name] = max((column(one) + 1 for one in needs[name]), default=0)
        return columns[name]

    layers: dict[int, list[str]] = {}
    for name in needs:
        layers.setdefault(column(name), []).append(name)
    places: dict[str, tuple[int, int]] = {}
    for number in sorted(layers):
        layer = sorted(layers[number], key=lambda name: _centre(needs[name], places))
        places |= {name: (number, line) for line, name in enumerate(layer)}
    return Layout(places, edges)


def _centre(needs: list[str], places: Mapping[str, tuple[int, int]]) -> float:
    known = [places[one][1] for one in needs if one in places]
    return sum(known) / len(known) if known else 0.0
