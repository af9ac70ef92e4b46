"""From a ledger to the files of a report."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reports.cells import table_of
from reports.documents.as_latex import MARK, latex_text
from reports.documents.as_markdown import markdown_text
from reports.documents.blocks import Document
from reports.documents.erratum import erratum
from reports.documents.experiments import FOLDER as EXPERIMENTS
from reports.documents.experiments import Results
from reports.documents.graph import layout
from reports.documents.overview import overview
from reports.documents.paper import file_name, paper_document
from reports.errors import OutputError
from reports.figures import FIGURES, Picture, picture_bytes, read_figure
from reports.figures.dependencies import NAME as GRAPH
from reports.figures.dependencies import Dependencies
from reports.figures.verdicts import NAME as VERDICTS_FIGURE
from reports.figures.verdicts import Verdicts
from reports.files import json_bytes, write_files
from reports.ledger import Ledger, Row, as_printed, count_verdicts
from reports.pdf import compiled, require_latexmk
from reports.reading import validate_ledger

FIGURE_FILE = re.compile(
    rf"[A-Za-z0-9][A-Za-z0-9._+-]*-(?:{'|'.join((*FIGURES, VERDICTS_FIGURE, GRAPH))})"
    r"(?:-[0-9]+)?\.(?:svg|pdf)"
)
"""Names of the figures that this package writes."""


def write_report(
    ledger: Ledger, directory: str | os.PathLike[str], *, pdf: bool = False
) -> list[Path]:
    """Write a report: an overview, a document and an erratum a paper, figures, the ledger.

    The same claims give the same bytes: no dates, and no running times. Everything is rendered
    before the first file is replaced, and figures of claims that are gone are removed.

    Parameters
    ----------
    ledger : Ledger
        As from `load_ledger` or `validate_ledger`; validated again here.
    directory : str or path-like
        Made if missing.
    pdf : bool, optional
        Also compile the documents, by latexmk.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    LedgerError
        If `ledger` is not a ledger.
    OutputError
        If the files cannot be written, or compiled where that is asked for.

    Examples
    --------
    >>> import tempfile
    >>> ledger = {"schema": "staleproof-ledger/2", "version": "0.1.0", "claims": []}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_report(ledger, folder)]
    ['ledger.json', 'report.md', 'report.tex']
    """
    if pdf:
        require_latexmk()
    contents = render_report(ledger, _experiments(Path(directory) / EXPERIMENTS))
    contents |= compiled(contents | _plots(Path(directory) / EXPERIMENTS)) if pdf else {}
    written = write_files(contents, directory)
    current = {path.name for path in written}
    _remove_stale_figures(Path(directory) / "figures", current)
    _remove_stale_documents(Path(directory), current)
    return written


def render_report(ledger: Ledger, experiments: Results = ()) -> dict[str, bytes]:
    """Render all files of a report in memory: path relative to the report → content.

    Parameters
    ----------
    ledger : Ledger
    experiments : sequence of mapping, optional
        Results of reruns, which stand in the documents of their papers.

    Raises
    ------
    LedgerError
        If `ledger` is not a ledger.
    """
    contents: dict[str, bytes] = {"ledger.json": json_bytes(_published(validate_ledger(ledger)))}
    # What is written here is what anybody makes of that file: mappings have its order.
    ledger = validate_ledger(json.loads(contents["ledger.json"]))
    captions: dict[str, str] = {}
    for stem, picture in pictures(ledger):
        contents[f"{stem}.svg"], contents[f"{stem}.pdf"] = picture_bytes(picture, "svg", "pdf")
        captions[stem] = picture.caption()
    for document in documents(ledger, captions, experiments):
        contents[f"{document.name}.md"] = markdown_text(document).encode()
        contents[f"{document.name}.tex"] = latex_text(document).encode("ascii")
    return contents


def documents(
    ledger: Ledger, captions: dict[str, str], experiments: Results = ()
) -> Iterator[Document]:
    """The overview, then a document for each paper and an erratum where something fails."""
    yield overview(ledger)
    for paper in dict.fromkeys(row["paper"] for row in ledger["claims"]):
        yield paper_document(ledger, paper, captions, experiments)
        notes = erratum(ledger, paper)
        if notes is not None:
            yield notes


def pictures(ledger: Ledger) -> Iterator[tuple[str, Picture]]:
    """Yield every figure: its file without suffix, and how to draw it."""
    papers: dict[str, list[Row]] = {}
    for row in ledger["claims"]:
        papers.setdefault(row["paper"], []).append(row)
    for paper, rows in papers.items():
        table, safe = table_of(rows), file_name(paper)
        if table is not None:
            words = tuple(
                tuple(table.verdict(name, column) for column in table.columns)
                for name in table.rows
            )
            title = f"What is kept: {paper}"
            yield (
                f"figures/{safe}-{VERDICTS_FIGURE}",
                Verdicts(title, table.rows, table.columns, words),
            )
        found = layout(rows)
        if found.places:
            verdicts = {row["id"]: row["verdict"] for row in rows}
            yield f"figures/{safe}-{GRAPH}", Dependencies(paper, found, dict(verdicts))
        for row in rows:
            yield from _own_pictures(row)


def _own_pictures(row: Row) -> Iterator[tuple[str, Picture]]:
    """Give each figure of a row a file of its own: the second growth is ``…-growth-2``."""
    seen: Counter[str] = Counter()
    for item in row["evidence"]:
        data = item["data"]
        if isinstance(data, dict) and "figure" in data:
            kind = data["figure"]
            seen[kind] += 1
            suffix = f"-{seen[kind]}" if seen[kind] > 1 else ""
            yield f"figures/{row['id']}-{kind}{suffix}", read_figure(data, row["id"])


def _plots(folder: Path) -> dict[str, bytes]:
    return {f"{EXPERIMENTS}/{file.name}": file.read_bytes() for file in folder.glob("*.pdf")}


PARTS: Final = {
    "name", "source", "question", "predictions", "refuted_by", "quick",
    "verdict", "says", "numbers",
}  # fmt: skip
"""What is shown of an experiment's file."""


def _experiments(folder: Path) -> Results:
    """Results that `staleproof experiment -o` has left beside the report, by name."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            result = json.loads(file.read_text(encoding="utf-8"))
            missing = PARTS - set(result)
        except (OSError, ValueError, TypeError) as error:
            raise OutputError(
                f"no result of an experiment ({error})", str(file), "remove it or make it anew"
            ) from error
        if missing:
            raise OutputError(
                f"a result of an experiment lacks {', '.join(sorted(missing))}", str(file),
                "make it anew by staleproof experiment",
            )  # fmt: skip
        found.append(result)
    return found


def _published(ledger: Ledger) -> dict[str, object]:
    """Leave out what differs from run to run, and write the summary anew."""
    rows = [
        {key: value for key, value in row.items() if key != "seconds"} for row in ledger["claims"]
    ]
    summary = count_verdicts(ledger["claims"])
    printed = count_verdicts(as_printed(ledger["claims"]))
    return {**ledger, "claims": rows, "summary": summary, "as_printed": printed}


def _remove_stale_documents(folder: Path, current: set[str]) -> None:
    """Remove documents of papers that are gone: those whose LaTeX says that it was made here."""
    try:
        for path in sorted(folder.glob("*.tex")):
            with path.open(encoding="utf-8", errors="replace") as file:
                ours = file.readline().rstrip("\n") == MARK
            if ours and path.name not in current:
                for suffix in (".tex", ".md", ".pdf"):
                    path.with_suffix(suffix).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"old documents cannot be removed ({error.strerror})",
            str(folder),
            "remove them by hand",
        ) from error


def _remove_stale_figures(folder: Path, current: set[str]) -> None:
    """Remove figures that an earlier report left, and nothing that it cannot have written."""
    try:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if FIGURE_FILE.fullmatch(path.name) and path.name not in current and path.is_file():
                path.unlink()
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    except OSError as error:
        raise OutputError(
            f"old figures cannot be removed ({error.strerror})", str(folder), "remove them by hand"
        ) from error
