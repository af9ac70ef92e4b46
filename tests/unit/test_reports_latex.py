"""The LaTeX file compiles, whatever the ledger says, and nothing runs off the page."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reports import load_ledger, write_report
from reports.symbols import ACCENTS, MATH, SPECIAL, TEXT

GOLDEN = Path(__file__).parents[1] / "golden" / "ledger.json"

pytestmark = [
    pytest.mark.latex,
    pytest.mark.skipif(
        shutil.which("pdflatex") is None,
        reason="pdflatex is missing (Debian: texlive-latex-base and texlive-latex-recommended)",
    ),
]


def compiled(folder: Path) -> str:
    """Compile every document; the logs of the last runs."""
    logs = []
    for file in sorted(folder.glob("*.tex")):
        for _ in range(2):
            run = subprocess.run(
                ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file.name],
                cwd=folder,
                capture_output=True,
                check=False,
            )
            assert run.returncode == 0, run.stdout.decode("latin-1")[-3_000:]
        logs.append(file.with_suffix(".log").read_text(encoding="latin-1"))
    return "\n".join(logs)


def too_wide(log: str) -> list[float]:
    return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]


@pytest.mark.slow
def test_golden_report_compiles(tmp_path: Path) -> None:
    write_report(load_ledger(GOLDEN), tmp_path)
    log = compiled(tmp_path)
    assert max(too_wide(log), default=0.0) < 3
    assert "undefined references" not in log


@pytest.mark.slow
def test_hostile_report_compiles(tmp_path: Path) -> None:
    ledger: Any = load_ledger(GOLDEN)
    rng = random.Random(0)
    known = [*MATH, *TEXT, *SPECIAL, *(letter + accent for accent in ACCENTS for letter in "xθ∑")]
    soup = "".join(
        chr(rng.choice((rng.randrange(1, 128), rng.randrange(0xD7FF)))) for _ in range(900)
    )
    words = " ".join(known)
    for index, row in enumerate(ledger["claims"]):
        row["id"] = f"{'long-id.' * 13}{'x' * 10}{index}"
        row["statement"] = words
        row["where"] = row["assumes"] = soup
        row["assumes"] = [soup, "x" * 300]
        row["latex"] = rng.choice([r"\input{x}", "x^", soup, r"\frac{1}{2}" + " + y" * 200])
        row["cases"] = [{"when": words, "verdict": "CONDITIONAL", "says": "f(x)=" * 40}]
        row["steps"] = [{"where": "x" * 80, "says": soup, "rule": words, "verdict": "UNKNOWN"}]
        row["counterexample"] = {"x" * 90: "9" * 200, "list": [[1, "1/2"]] * 40}
        row["controls"] = {"tried": 3, "killed": 1, "survivors": [soup]}
        row["findings"] = [
            {
                "kind": "~^\\",
                "where": soup,
                "says": words,
                "witness": {soup[:50]: "\\end{document}"},
                "repaired": {"statement": soup, "verdict": "CHECKED"},
            }
        ]
    write_report(ledger, tmp_path)
    assert max(too_wide(compiled(tmp_path)), default=0.0) < 3


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is missing")
def test_the_same_ledger_gives_the_same_pdf(tmp_path: Path) -> None:
    files = [write_report(load_ledger(GOLDEN), tmp_path / name, pdf=True) for name in "ab"]
    one, two = ({p.name: p.read_bytes() for p in found if p.suffix == ".pdf"} for found in files)
    assert one == two
    assert "report.pdf" in one
