"""A fault as a few lines of plain ASCII, for logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reports.errors import PictureError, shorten
from reports.faults.bands import Band, version_bands
from reports.faults.focus import Times, explanation, look_at, run_of, wrapped
from reports.faults.scene import Cell, Scene, scene_of
from schedules.schedule import Schedule
from schedules.validation.violation import Violation

NARROWEST: Final = 40
_LONGEST_TOKEN: Final = 22
_GAP, _HANG, _NEVER = "...", "|", "never ends"
_PLAIN: Final = str.maketrans({"×": "x", "−": "-", "–": "-", "→": "->", "…": "...", "≤": "<="})


def excerpt(
    schedule: Schedule, violation: Violation, progress: Times | None = None, width: int = 100
) -> list[str]:
    r"""The part of a run around a fault, and below it what its marks mean.

    A row a rank; ``.`` is idle, ``=`` still busy, ``...`` something left out. Slots in which none
    of these ranks starts anything are left out too. The actions that the violation marks are
    written ``>0SEND_F1<`` and have carets below. Behind ``|`` stands what never ends, in program
    order. Violations about versions show those of the weights concerned, where they change.

    Parameters
    ----------
    schedule : Schedule
    violation : Violation
        Found in this schedule.
    progress : Times, optional
        When every action ran, as ``schedules.messages.progress`` or a timeline says it. By
        default everything runs as soon as its dependencies allow; where they make no sense, the
        rows are the program order alone.
    width : int
        Most characters of a line, at least 40.

    Returns
    -------
    list of str
        Lines without line breaks; none if the violation marks nothing.

    Raises
    ------
    PictureError
        The width is too small, or a mark is no action of this schedule.

    Examples
    --------
    >>> from schedules.formats.pytorch_csv import parse_csv
    >>> from schedules.validation.violation import Arrow, Marks
    >>> schedule = parse_csv("0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0", "bad.csv")
    >>> waits = Arrow(1, 7, "waits for"), Arrow(4, 2, "waits for")
    >>> fault = Violation("causal", "…", "bad.csv:row 1:cell 2", {}, Marks((1, 4), waits))
    >>> print("\n".join(excerpt(schedule, fault)))
    slot     0    | never ends
    rank 0   0F0  | >0B0<  >0F1<  0B1
                    ^^^^^  ^^^^^
    rank 1   .    | >1F1<  1B1    1F0  >1B0<
                    ^^^^^              ^^^^^
    1. rank 0 0B0 (row 1:cell 2) --waits for--> rank 1 1B0 (row 2:cell 4)
    2. rank 1 1B0 (row 2:cell 4) --stands behind--> rank 1 1F1 (row 2:cell 1)
    3. rank 1 1F1 (row 2:cell 1) --waits for--> rank 0 0F1 (row 1:cell 3)
    4. rank 0 0F1 (row 1:cell 3) --stands behind--> rank 0 0B0 (row 1:cell 2)
    """
    if width < NARROWEST:
        raise PictureError(
            f"an excerpt has at least {NARROWEST} characters a line, found {width}",
            shorten(violation.place),
            "give it more room",
        )
    focus = look_at(schedule, violation)
    if focus is None:
        return []
    marked = frozenset(focus.actions)

    def canvas(scene: Scene) -> _Canvas:
        return _Canvas(schedule, scene, marked)

    run = run_of(schedule) if progress is None else progress
    scene = scene_of(schedule, focus, run, lambda scene: canvas(scene).width <= width)
    below = [
        line for words in explanation(schedule, focus) for line in wrapped(_ascii(words), width)
    ]
    bands = version_bands(schedule, violation, scene)
    return [*canvas(scene).lines(bands), *below]


def _ascii(words: str) -> str:
    return words.translate(_PLAIN).encode("ascii", "backslashreplace").decode()


class _Canvas:
    """Where everything in a scene is written."""

    def __init__(self, schedule: Schedule, scene: Scene, marked: frozenset[int]) -> None:
        self.scene, self.marked = scene, marked
        self.text = {cell.action: self._text(schedule, cell) for cell in scene.cells}
        names = [f"rank {rank}" for rank in scene.ranks]
        self.names = names
        self.heads = self._heads()
        widths = [max(1, len(head)) for head in self.heads]
        for cell in scene.cells:
            widths[cell.column] = max(widths[cell.column], len(self.text[cell.action]))
        self.gaps: list[tuple[int, tuple[int, ...]]] = []
        self.at: list[int] = []
        self.bar: int | None = None
        x = max(map(len, [*names, f"stage {schedule.stages}"])) + 2
        for number, column in enumerate(scene.columns):
            if column.gap:
                self.gaps.append((x, column.left_out))
                x += len(_GAP) + 1
            if number == scene.hang:
                self.bar, x = x, x + len(_HANG) + 1
            self.at.append(x)
            x += widths[number] + 2
        if scene.more:
            self.gaps.append((x, scene.more))
            x += len(_GAP) + 2
        self.width = max(x - 2, 0 if self.bar is None else self.bar + len(f"{_HANG} {_NEVER}"))

    def _text(self, schedule: Schedule, cell: Cell) -> str:
        token = str(schedule.action(cell.action))
        token = token if len(token) <= _LONGEST_TOKEN else token[: _LONGEST_TOKEN - 1] + "~"
        return f">{token}<" if cell.action in self.marked else token

    def lines(self, bands: Sequence[Band]) -> list[str]:
        """The head, and for every rank its row, the carets below it, and versions."""
        lines = [self._head()]
        for row, name in enumerate(self.names):
            cells = [cell for cell in self.scene.cells if cell.row == row]
            lines.append(self._row(row, name, cells))
            if any(cell.action in self.marked for cell in cells):
                lines.append(self._carets(cells))
            own = [band for band in bands if band.row == row]
            if own:
                lines.append(self._versions(own))
        return lines

    def _heads(self) -> list[str]:
        """Of every column: its slot, where a new one begins."""
        slots = [column.slot for column in self.scene.columns]
        pairs = zip(slots, [None, *slots[:-1]], strict=True)
        return ["" if slot in (None, before) else str(slot) for slot, before in pairs]

    def _head(self) -> str:
        words = [(0, "slot" if self.scene.timed else "order")]
        words += zip(self.at, self.heads, strict=True)
        if self.bar is not None:
            words.append((self.bar, f"{_HANG} {_NEVER}"))
        return self._write(words)

    def _row(self, row: int, name: str, cells: list[Cell]) -> str:
        words = [(0, name), *((x, _GAP) for x, rows in self.gaps if row in rows)]
        free = set(range(len(self.at) if self.scene.hang is None else self.scene.hang))
        for cell in cells:
            words.append((self.at[cell.column], self.text[cell.action]))
            filled = range(cell.column, cell.column + cell.span)
            words += [(self.at[k], "=") for k in filled[1:]]
            free -= set(filled)
        if self.scene.timed:
            words += [(self.at[k], ".") for k in free]
        if self.bar is not None:
            words.append((self.bar, _HANG))
        return self._write(words)

    def _carets(self, cells: list[Cell]) -> str:
        marked = [cell for cell in cells if cell.action in self.marked]
        return self._write(
            [(self.at[cell.column], "^" * len(self.text[cell.action])) for cell in marked]
        )

    def _versions(self, bands: list[Band]) -> str:
        words = [(self.at[band.start], f"v{band.version}") for band in bands]
        return self._write([(0, f"stage {bands[0].stage}"), *words])

    def _write(self, words: list[tuple[int, str]]) -> str:
        line = ""
        for x, word in sorted(words):
            line = line.ljust(x) + word
        return line.rstrip()
