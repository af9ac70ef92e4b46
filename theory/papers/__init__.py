"""What the papers claim: one folder a paper, one file a numbered statement.

`PAPERS` names them; nothing else in this package does. A folder's `PAPER` says what it holds.
"""

from typing import Final

PAPERS: Final = ("rpd", "localsgd", "sapipe", "nesterov", "amdp", "blog", "schedules")
"""In the order of the ledger; every id starts with one of these."""
