"""Draw the families and write their page anew: ``python docs/pictures/regenerate.py``.

A new family joins by being in the registry; `SIZES` is for those that M = 8 does not suit.
Faults, which other pages show, are in a folder of their own.
"""

from __future__ import annotations

from pathlib import Path

from reports.drawing import run_picture
from reports.faults.files import fault_bytes
from reports.figures import picture_bytes
from schedules import FAMILIES, Family, build, timeline
from schedules.formats.pytorch_csv import parse_csv
from schedules.messages.channels import channels
from schedules.messages.model import QueueModel
from schedules.messages.progress import progress
from schedules.validation.deadlock_free import deadlock_free

PICTURES = Path(__file__).resolve().parent
PAGE = PICTURES.parent / "reference" / "families.md"
DEADLOCK = PICTURES / "faults" / "deadlock.svg"
RANKS = 4
MICROBATCHES = 8
SIZES = {"blog-naive": 1, "localsgd": 16, "naive": 4}
"""Other M: the only one there is, two rounds, as many as repeat nothing."""

HANGS = """\
0F0,0SEND_F0,0F1,0SEND_F1,0F2,0SEND_F2,0RECV_B0,0B0,0RECV_B1,0B1,0RECV_B2,0B2
1RECV_F0,1F0,1SEND_F0,1RECV_F1,1F1,1SEND_F1,1RECV_B0,1B0,1SEND_B0,1RECV_F2,1F2,1SEND_F2,1RECV_B1,\
1B1,1SEND_B1,1RECV_B2,1B2,1SEND_B2
2RECV_F0,2F0,2B0,2SEND_B0,2RECV_F1,2F1,2B1,2SEND_B1,2RECV_F2,2F2,2B2,2SEND_B2
"""

INTRODUCTION = f"""\
# Schedule families

For whoever chooses a schedule: all families, with their sources, weight policies
([what they mean](../explanation/model.md#weight-policies)) and parameters (`--set NAME=…`), each on
{RANKS} ranks. `staleproof draw FAMILY -p RANKS -m MICROBATCHES -o OUT.svg` draws one; in a long run
`⋯` marks periods that repeat the one before, which `--all` draws too.

A row is a rank, a bar an action, the number its microbatch; blank is idle. F and B take a slot;
where backwards are split, F, I and W take one and an unsplit B two; messages take none. Where a
rank holds several stages they are named after it, from the darkest shade to the lightest; dots
number the pipelines where shades do not. `python docs/pictures/regenerate.py` makes this page.
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
    parameters = "".join(f"\n- `{entry.name}`: {entry.meaning}" for entry in family.parameters)
    return f"""
## {family.name}

**{family.summary}.** Policy `{family.policy.name}`; {family.source}.
{parameters and parameters + chr(10)}
![{family.name}, M = {size(family)}](../pictures/{family.name}.svg)
"""


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(map(section, FAMILIES.values()))


def deadlock() -> bytes:
    """The classic hang of 1F1B as SVG: two neighbours send to each other, and neither receives."""
    schedule = parse_csv(HANGS, "1f1b.csv")
    plan, model = channels(schedule), QueueModel()
    [violation] = deadlock_free(schedule, plan, model)
    picture = fault_bytes(schedule, violation, "svg", progress(schedule, plan, model))
    assert picture is not None
    return picture


def regenerate() -> None:
    """Write everything, and remove the pictures of families that are gone."""
    for old in PICTURES.glob("*.svg"):
        if old.stem not in FAMILIES:
            old.unlink()
    for family in FAMILIES.values():
        (PICTURES / f"{family.name}.svg").write_bytes(picture(family))
    DEADLOCK.parent.mkdir(exist_ok=True)
    DEADLOCK.write_bytes(deadlock())
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    regenerate()
