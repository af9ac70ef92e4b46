"""Compiling documents: LaTeX files to PDF, by latexmk, the same bytes for the same files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from reports.errors import OutputError

PACKAGES: Final = "latexmk, texlive-latex-recommended"
LONGEST: Final = 300
"""Seconds for one document."""


def require_latexmk() -> str:
    """Where latexmk is.

    Raises
    ------
    OutputError
        It is not installed.
    """
    found = shutil.which("latexmk")
    if found is None:
        raise OutputError(
            "PDF needs latexmk, and there is none",
            "--pdf",
            f"install it (Debian: {PACKAGES}), or leave --pdf out",
        )
    return found


def compiled(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """PDF files of all ``.tex`` files among these, with the figures that stand beside them.

    Raises
    ------
    OutputError
        latexmk is missing, or a file does not compile.
    """
    program = require_latexmk()
    # No date of today: the same ledger gives the same bytes.
    environment = os.environ | {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            if name.endswith((".tex", ".pdf")):
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        for name in sorted(one for one in contents if one.endswith(".tex")):
            options = ("-pdf", "-interaction=nonstopmode", "-halt-on-error", "-silent")
            try:
                subprocess.run(
                    [program, *options, name],
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    timeout=LONGEST,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise OutputError(f"{name} is not compiled in {LONGEST} s", "--pdf", _LOG) from None
            pdf = Path(folder, name).with_suffix(".pdf")
            if not pdf.is_file():
                raise _not_compiled(name, pdf.with_suffix(".log"))
            found[pdf.name] = pdf.read_bytes()
    return found


_LOG: Final = "leave --pdf out, compile the .tex files by hand and read what LaTeX says"


def _not_compiled(name: str, log: Path) -> OutputError:
    """What LaTeX complained of, and what to do."""
    said = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    why = next((line for line in said.split("\n") if line.startswith("!")), "! there is no log")
    missing = re.search(r"File `(.*\.sty)' not found", why)
    fix = f"install the package of {missing[1]} (Debian: {PACKAGES})" if missing else _LOG
    return OutputError(f"{name} does not compile: {why.strip('! .')}", "--pdf", fix)
