"""From a ledger to the files of a report."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports.errors import OutputError
from reports.figures import picture_bytes
from reports.files import json_bytes, write_files
from reports.ledger import LINKS, VERDICTS, Ledger, as_printed, count_verdicts
from reports.mathsource import math_source
from reports.reading import validate_ledger
from reports.text import Raw, code_latex, code_markdown, escape_latex, escape_markdown
from reports.view import FIGURE_FILE, MEANINGS, PRINTED, View, make_view

_TEMPLATES = Path(__file__).parent / "templates"
_LATEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def write_report(ledger: Ledger, directory: str | os.PathLike[str]) -> list[Path]:
    """Write a report: ``report.md``, ``report.tex``, ``figures/`` and ``ledger.json``.

    The same claims give the same bytes: no dates, and no running times. Everything is rendered
    before the first file is replaced, and figures of claims that are gone are removed.

    Parameters
    ----------
    ledger : Ledger
        As from `load_ledger` or `validate_ledger`; validated again here.
    directory : str or path-like
        Made if missing.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    LedgerError
        If `ledger` is not a ledger.
    OutputError
        If the files cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> ledger = {"schema": "staleproof-ledger/2", "version": "0.1.0", "claims": []}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_report(ledger, folder)]
    ['ledger.json', 'report.md', 'report.tex']
    """
    contents = render_report(ledger)
    written = write_files(contents, directory)
    _remove_stale_figures(Path(directory) / "figures", {path.name for path in written})
    return written


def render_report(ledger: Ledger) -> dict[str, bytes]:
    """Render all files of a report in memory: path relative to the report → content.

    Raises
    ------
    LedgerError
        If `ledger` is not a ledger.
    """
    validate_ledger(ledger)
    view = make_view(ledger)
    contents: dict[str, bytes] = {}
    for stem, picture in view.pictures():
        contents[f"{stem}.svg"], contents[f"{stem}.pdf"] = picture_bytes(picture, "svg", "pdf")
    contents["ledger.json"] = json_bytes(_published(ledger))
    contents["report.md"] = markdown(view).encode()
    contents["report.tex"] = latex(view).encode("ascii")
    return contents


def markdown(view: View) -> str:
    """Render the Markdown file."""
    return _environment("md").get_template("report.md.j2").render(view=view)


def latex(view: View) -> str:
    """Render the LaTeX file, in pure ASCII."""
    return _environment("tex").get_template("report.tex.j2").render(view=view)


@cache
def _environment(kind: str) -> Environment:
    """Build the environment of a format: what templates print is escaped unless it is `Raw`."""
    escape, code = {
        "md": (escape_markdown, code_markdown),
        "tex": (escape_latex, code_latex),
    }[kind]
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        finalize=_escaping(escape),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        **(_LATEX_MARKS if kind == "tex" else {}),  # type: ignore[arg-type]
    )
    environment.filters |= {
        "code": lambda text: Raw(code(text)),
        "cell": lambda text: Raw(code(text).replace("|", r"\|") if kind == "md" else code(text)),
        "raw": Raw,
        "math": _math,
    }
    environment.globals |= {
        "VERDICTS": VERDICTS,
        "MEANINGS": MEANINGS,
        "PRINTED": PRINTED,
        "LINKS": LINKS,
    }
    return environment


def _escaping(escape: Callable[[str], str]) -> Callable[[object], str]:
    def finalize(value: object) -> str:
        return value if isinstance(value, Raw) else escape(str(value))

    return finalize


def _math(latex: str) -> Raw | None:
    """Vouch for mathematics, or return None."""
    source = math_source(latex)
    return None if source is None else Raw(source)


def _published(ledger: Ledger) -> dict[str, object]:
    """Leave out what differs from run to run, and write the summary anew."""
    rows = [
        {key: value for key, value in row.items() if key != "seconds"} for row in ledger["claims"]
    ]
    summary = count_verdicts(ledger["claims"])
    printed = count_verdicts(as_printed(ledger["claims"]))
    return {**ledger, "claims": rows, "summary": summary, "as_printed": printed}


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
