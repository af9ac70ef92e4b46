"""How long a user waits: imports, the whole proof run, and one law at a million stages.

Every run is a fresh interpreter. Run with ``python -m benchmarks.start_up``.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.measure import CELLS, main, table, timed

COMMAND: Final = ("-m", "staleproof")
WORK: Final = (
    ("python -c pass", ("-c", "pass"), 9),
    ("import schedules", ("-c", "import schedules"), 9),
    ("staleproof families", (*COMMAND, "families"), 9),
    ("staleproof delays pipedream -p 8", (*COMMAND, "delays", "pipedream", "-p", "8"), 9),
    (
        "staleproof derive pipedream --at p=1000000,i=0,j=0",
        (*COMMAND, "derive", "pipedream", "--at", "p=1000000,i=0,j=0"),
        5,
    ),
    ("staleproof verify", (*COMMAND, "verify", "--json"), 3),
)
"""What is run, its arguments, how often."""


def waits() -> str:
    """Wall-clock time of each, interpreter start included."""
    rows = []
    for name, arguments, runs in WORK:
        sample = timed(lambda arguments=arguments: _run(arguments), runs)  # type: ignore[misc]
        rows.append((f"`{name}`", *sample.cells()))
    return table(("", *CELLS), rows)


def _run(arguments: tuple[str, ...]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    main("Times fresh interpreters.", lambda: [waits()])
