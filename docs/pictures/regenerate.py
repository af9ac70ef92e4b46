"""Draw the families and write their page anew: ``python docs/pictures/regenerate.py``.

A new family joins by being in the registry; `SIZES` is for those that M = 8 does not suit.
"""

from __future__ import annotations

from pathlib import Path

from reports.drawing import run_picture
from reports.figures import picture_bytes
from schedules import FAMILIES, Family, build, timeline

PICTURES = Path(__file__).resolve().parent
PAGE = PICTURES.parent / "families.md"
RANKS = 4
MICROBATCHES = 8
SIZES = {"blog-naive": 1, "localsgd": 16, "naive": 4}
"""Other M: the only one there is, two rounds, as many as repeat nothing."""

INTRODUCTION = f"""\
# Schedule families

`staleproof families` lists them; `staleproof draw FAMILY -p RANKS -m MICROBATCHES -o OUT.svg`
draws one. Here each has {RANKS} ranks.

A row is a rank, a bar an action, the number its microbatch; blank is idle. F and B take a slot;
where backwards are split, F, I and W take one and an unsplit B two; messages take none. Where a
rank holds several stages they are named after it, from the darkest shade to the lightest; dots
number the pipelines where shades do not.

This page and its pictures are made by `python docs/pictures/regenerate.py`.
"""


def size(family: Family) -> int:
    """The number of microbatches in the picture of a family."""
    return SIZES.get(family.name, MICROBATCHES)


def picture(family: Family) -> bytes:
    """The timeline of a family as SVG."""
    line = timeline(build(family.name, RANKS, size(family)))
    title = f"{family.name}: p = {RANKS}, M = {size(family)}"
    note = f"{line.length} slots; idle {line.idle_fraction} of the ranks' time"
    return picture_bytes(run_picture(line, title, note), "svg")[0]


def section(family: Family) -> str:
    """What the page says of a family."""
    M = size(family)
    lines = [
        "",
        f"## {family.name}",
        "",
        f"**{family.summary}**",
        "",
        f"- source: {family.source}",
        f"- weight policy: `{family.policy.name}`",
        *(f"- `--set {entry.name}=…`: {entry.meaning}" for entry in family.parameters),
        "",
        f"![{family.name} on {RANKS} ranks, M = {M}](pictures/{family.name}.svg)",
        "",
    ]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(map(section, FAMILIES.values()))


def regenerate() -> None:
    """Write everything, and remove the pictures of families that are gone."""
    for old in PICTURES.glob("*.svg"):
        if old.stem not in FAMILIES:
            old.unlink()
    for family in FAMILIES.values():
        (PICTURES / f"{family.name}.svg").write_bytes(picture(family))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    regenerate()
