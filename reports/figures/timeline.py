"""A schedule as a picture: a row a stage, a column a slot.

Legend: S stages, T slots. A timeline longer than fits in one line continues in bands below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reports.checks import integer, list_of, record, text
from reports.errors import LedgerError
from reports.figures.bands import KINDS, LANE, Band, Mark, Rows, place_labels
from reports.figures.style import WIDTH, clipped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHAPE = record(
    {"title": text, "rows": list_of(text)},
    {"marks": list_of(record({"stage": integer(0), "slot": integer(0), "label": text}))},
)
_TOKEN = re.compile(r"\.|[FBIW]\d{1,6}", re.ASCII)
_BAND = 44
"""Slots in a band of a small timeline."""
_TALLEST = 72
"""Rows of all bands together, beyond which bands get longer instead."""
_MOST_CELLS = 200_000


@dataclass(frozen=True)
class Timeline:
    """What every stage does in every slot: ``F3`` forward of microbatch 3, ``.`` idle."""

    title: str
    rows: Rows
    marks: tuple[Mark, ...] = ()

    @classmethod
    def read(cls, data: dict[str, Any], place: str) -> Timeline:
        """Check the data of a ledger row and split the rows into slots.

        Raises
        ------
        LedgerError
            If a key is missing, a token is none of ``F0 B0 I0 W0 .``, or a mark lies outside.
        """
        _SHAPE(data, place)
        rows = [tuple(row.split()) for row in data["rows"]]
        slots = max((len(row) for row in rows), default=0)
        if not 0 < slots * len(rows) <= _MOST_CELLS:
            size = f"{len(rows)} rows of up to {slots} slots"
            rule = f"needs 1 to {_MOST_CELLS} cells"
            raise LedgerError(rule, size, f"{place}.rows", "draw a part of it")
        for s, row in enumerate(rows):
            for t, token in enumerate(row):
                if not _TOKEN.fullmatch(token):
                    raise LedgerError(
                        "a slot must be F, B, I or W with a microbatch number, or '.'",
                        token,
                        f"{place}.rows[{s}], slot {t}",
                        "correct the slot",
                    )
        marks = tuple(Mark(m["stage"], m["slot"], m["label"]) for m in data.get("marks", []))
        for k, mark in enumerate(marks):
            if mark.stage >= len(rows) or mark.slot >= slots:
                raise LedgerError(
                    f"must lie inside {len(rows)} stages and {slots} slots",
                    f"stage {mark.stage}, slot {mark.slot}",
                    f"{place}.marks[{k}]",
                    "correct the mark",
                )
        padded = tuple(row + (".",) * (slots - len(row)) for row in rows)
        return cls(str(data["title"]), padded, marks)

    def caption(self) -> str:
        """Say what the figure shows."""
        words = ", ".join(f"{letter} {word}" for letter, word, _ in self._kinds())
        noted = "; outlined: " + ", ".join(m.label for m in self.marks) if self.marks else ""
        return (
            f"{self.title}: what every stage does in every slot, microbatch numbers in the cells, "
            f"idle left blank ({words}{noted})."
        )

    def _kinds(self) -> Iterator[tuple[str, str, str]]:
        used = {token[0] for row in self.rows for token in row}
        return ((k, word, colour) for k, (word, colour, _) in KINDS.items() if k in used)

    def draw(self) -> Figure:
        """Draw the figure; call it inside `reports.figures.style.style`."""
        from matplotlib.figure import Figure

        bands = self._bands()
        cell = bands[0].cell
        gap, top, bottom = 0.36, 0.58, 0.42
        heights = [max(cell, 0.05) * len(self.rows) + LANE * len(band.lanes) for band in bands]
        total = top + sum(heights) + gap * (len(bands) - 1) + bottom
        figure = Figure(figsize=(WIDTH, total))
        below = total - top
        for band, height in zip(bands, heights, strict=True):
            below -= height
            width = cell * band.length
            axes = figure.add_axes((0.58 / WIDTH, below / total, width / WIDTH, height / total))
            axes.set_xlim(band.start, band.start + band.length)
            axes.set_ylim(len(self.rows), -LANE * len(band.lanes) / max(cell, 0.05))
            band.draw(axes, self.rows)
            below -= gap
        axes.set_xlabel("slot")
        self._head(figure, total)
        return figure

    def _bands(self) -> list[Band]:
        """Share the slots out over bands of one length, as few as can be read."""
        stages, slots = len(self.rows), len(self.rows[0])
        count = max(1, min(-(-slots // _BAND), _TALLEST // stages))
        length = -(-slots // count)
        cell = min(0.30, (WIDTH - 0.68) / length)
        bands = []
        for start in range(0, slots, length):
            stop = min(slots, start + length)
            marks = sorted((m for m in self.marks if start <= m.slot < stop), key=lambda m: m.slot)
            labels = place_labels(marks, start, length, cell)
            bands.append(Band(start, stop, length, cell, labels))
        return bands

    def _head(self, figure: Figure, height: float) -> None:
        """Write the title, and under it what the colours stand for."""
        left = 0.58
        figure.text(left / WIDTH, 1 - 0.22 / height, clipped(self.title, 90), fontsize=9)
        for _, word, colour in self._kinds():
            figure.text(left / WIDTH, 1 - 0.44 / height, "■", color=colour)
            figure.text((left + 0.13) / WIDTH, 1 - 0.44 / height, word)
            left += 0.34 + 0.068 * len(word)
