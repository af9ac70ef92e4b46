"""What the published documents show of the published ledger: every proof, every picture."""

from __future__ import annotations

import re
from collections import Counter

from reports import load_ledger
from reports.documents.blocks import Heading, Inline, Link, Paragraph
from reports.documents.paper import paper_document
from reports.documents.proof import steps_of
from tests.published import LEDGER

_NUMBERED = re.compile(r"\(\d+\) ")


def _letters(one: Inline) -> str:
    return one if isinstance(one, str) else one.says if isinstance(one, Link) else one.text


def test_every_line_of_every_proof_is_printed() -> None:
    """Under the heading of its row, in its appendix, or below its cell; or another row's are."""
    ledger = load_ledger(LEDGER)
    for paper in dict.fromkeys(row["paper"] for row in ledger["claims"]):
        rows = {row["id"]: row for row in ledger["claims"] if row["paper"] == paper}
        here, printed = "", Counter[str]()
        same: dict[str, str] = {}
        for block in paper_document(ledger, paper, {}).blocks:
            if isinstance(block, Heading):
                here = block.anchor.removesuffix(".lines")
            elif isinstance(block, Paragraph):
                words = [_letters(one) for one in block.words]
                here = words[0] if words[0] in rows else here
                printed[here] += len(_NUMBERED.findall("".join(words)))
                if words[0] == "The lines of ":
                    same[here] = words[1]
        for name, row in rows.items():
            shown = printed[same.get(name, name)]
            assert shown >= len(steps_of(row)), (name, shown)


def test_every_picture_is_in_a_document() -> None:
    texts = "".join(path.read_text(encoding="utf-8") for path in LEDGER.parent.glob("*.md"))
    pictures = [path.name for path in (LEDGER.parent / "figures").glob("*.svg")]
    assert len(pictures) > 8
    assert [name for name in pictures if f"](figures/{name})" not in texts] == []
