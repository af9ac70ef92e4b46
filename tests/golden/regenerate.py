"""Write the expected reports anew: ``python tests/golden/regenerate.py``, then read the diff.

``ledger.json`` is made by hand and covers a refuted claim with a repaired statement, a conditional
one with cases, a proved one and an unknown one, with all figures.
"""

from pathlib import Path

from reports import load_ledger, render_report

GOLDEN = Path(__file__).parent
EXPECTED = ("report.md", "report.tex")


def regenerate() -> None:
    contents = render_report(load_ledger(GOLDEN / "ledger.json"))
    for name in EXPECTED:
        (GOLDEN / name).write_bytes(contents[name])


if __name__ == "__main__":
    regenerate()
