"""Reports: from a ledger of claims to Markdown, LaTeX and figures.

Counts, arranges and draws; never computes a verdict.

Examples
--------
>>> import tempfile
>>> import reports
>>> ledger = {"schema": reports.SCHEMA, "version": "0.1.0", "claims": []}
>>> with tempfile.TemporaryDirectory() as folder:
...     files = reports.write_report(reports.validate_ledger(ledger), folder)
>>> sorted(path.name for path in files)
['ledger.json', 'report.md', 'report.tex']
"""

from reports.errors import LedgerError, OutputError, ReportError
from reports.figures import FIGURES, draw_timeline
from reports.files import write_json_atomic
from reports.ledger import SCHEMA, VERDICTS, Ledger, Row, count_verdicts
from reports.reading import load_ledger, validate_ledger
from reports.render import render_report, write_report

__all__ = [
    "FIGURES",
    "SCHEMA",
    "VERDICTS",
    "Ledger",
    "LedgerError",
    "OutputError",
    "ReportError",
    "Row",
    "count_verdicts",
    "draw_timeline",
    "load_ledger",
    "render_report",
    "validate_ledger",
    "write_json_atomic",
    "write_report",
]
