"""Compiling documents: LaTeX files to PDF, by latexmk, the same bytes for the same files."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from reports.errors import OutputError

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
            "install it (Debian: latexmk, texlive-latex-recommended), or leave --pdf out",
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
            done = subprocess.run(
                [program, *options, name],
                cwd=folder,
                env=environment,
                capture_output=True,
                timeout=LONGEST,
                check=False,
            )
            pdf = Path(folder, name).with_suffix(".pdf")
            if done.returncode or not pdf.is_file():
                said = done.stdout.decode(errors="replace").split("\n")
                why = next((line for line in said if line.startswith("!")), "see its log")
                raise OutputError(
                    f"{name} does not compile ({why})", "--pdf", "report it, with the ledger"
                )
            found[pdf.name] = pdf.read_bytes()
    return found
