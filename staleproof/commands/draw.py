"""``staleproof draw``: a picture of a schedule.

Draws who does what when, which weight versions that reads and when these change, the steady delay
matrix, or the local staleness of every stage and microbatch. OUT is replaced as a whole or not at
all.
"""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from schedules import (
    FAMILIES,
    LINEARIZATIONS,
    Family,
    Schedule,
    Timeline,
    Versions,
    get_family,
    get_linearization,
)
from schedules.families import is_family_file
from schedules.linearization import DEFAULT
from staleproof.arguments import Parser, add_json, one_of
from staleproof.commands.command import Command
from staleproof.errors import InputError, UsageError
from staleproof.family_options import add_parameters, add_size, built, size, stages
from staleproof.layer_options import Clock, add_layers, given_layers
from staleproof.output import one_line, put, put_json
from staleproof.soundness import doubts
from staleproof.sources import is_file

if TYPE_CHECKING:
    from reports.figures import Picture
    from reports.figures.gantt import Gantt

NOT_RIGHT: Final = "not right"
"""Of a schedule that breaks what `staleproof check` decides of every one."""

WHATS: Final = ("timeline", "versions", "delays", "staleness")


def configure(parser: Parser) -> None:
    """Add the arguments of ``draw``."""
    parser.add_argument(
        "source", metavar="FAMILY|FILE", help="a family (or its .py file), or a schedule file"
    )
    add_size(parser)
    add_parameters(parser)
    parser.add_argument(
        "--what", metavar="WHAT", default=WHATS[0], help=f"{', '.join(WHATS)} (default {WHATS[0]})"
    )
    parser.takes(
        f"""
        --linearization L  of delays: {", ".join(LINEARIZATIONS)} (default {DEFAULT})
        """
    )
    add_layers(parser)
    parser.takes(
        """
        --all  draw a long run whole, periods that repeat too
        -o OUT  an .svg, .png or .pdf file
        --html FILE  a page to explore: versions, dependencies and memory of every action; a
            schedule that hangs is shown as far as it gets
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Draw a picture, or write a page."""
    from reports.drawing import require_destination, save_picture

    _require_consistent(arguments)
    clock = Clock(given_layers(arguments))
    if arguments.html is not None:
        _write_page(arguments, clock)
    if arguments.o is None:
        return 0
    suffix = require_destination(arguments.o)
    line, measured = _loaded(arguments, clock)
    schedule = line.schedule
    wrong = _wrong(arguments, schedule, measured)
    save_picture(_marked(_picture(arguments, line, measured, clock), wrong), arguments.o)
    if arguments.json:
        put_json(
            {
                "out": arguments.o,
                "format": suffix,
                "what": arguments.what,
                "source": arguments.source,
                "ranks": schedule.ranks,
                "stages": schedule.stages,
                "microbatches": schedule.microbatches,
                "actions": len(schedule),
                "length": line.length if measured else clock.time(line.length),
                "idle_fraction": line.idle_fraction,
                **({"broken": wrong} if wrong else {}),
            }
        )
    else:
        mark = f" ({NOT_RIGHT}: {', '.join(wrong)})" if wrong else ""
        put(f"{arguments.o}: {arguments.what} of {_name(schedule)}{mark}")
    return 0


def _write_page(arguments: Namespace, clock: Clock) -> None:
    """Write the run as a page, or how far it gets if its messages hang."""
    from reports.files import write_files
    from reports.pages import hangs, run_page, stuck_page

    line, measured = _loaded(arguments, clock)
    title = _title(line.schedule)
    if arguments.o is None:  # else it is said with the picture
        _wrong(arguments, line.schedule, measured)
    if not measured and hangs(line.schedule):
        page = stuck_page(line.schedule, title)
    else:
        page = run_page(line, title, _run(line, measured, clock).note)
    target = Path(arguments.html)
    write_files({target.name: page.encode()}, target.parent)
    if not arguments.json:
        put(arguments.html)
    elif arguments.o is None:
        put_json({"out": arguments.html, "format": "html", "source": arguments.source})


def _require_consistent(arguments: Namespace) -> None:
    if arguments.o is None and arguments.html is None:
        raise UsageError("a place to write to is needed", "draw", "add -o OUT or --html FILE")
    if arguments.html is not None and arguments.what != WHATS[0]:
        raise UsageError("a page shows a run", "--html", "drop --what")
    one_of(arguments.what, WHATS, "a picture shows one of", "--what")
    if arguments.linearization is not None:
        get_linearization(arguments.linearization)
        if arguments.what != "delays":
            raise UsageError(
                f"it says how delays are counted, and {arguments.what} has none",
                "--linearization",
                "drop it, or add --what delays",
            )


def _loaded(arguments: Namespace, clock: Clock) -> tuple[Timeline, bool]:
    """The run to draw, and whether its times were recorded rather than computed."""
    if not is_file(arguments.source):
        _require_room(arguments)
        return clock.line(built(arguments, arguments.source)), False
    from schedules.formats import read_document

    given = "-p" if arguments.p is not None else "--set" if arguments.set else None
    if given:
        raise UsageError("it describes a family, and this is a file", given, "drop it")
    document = read_document(arguments.source, None, arguments.m, None)
    if document.trace is None:
        return clock.line(document.schedule), False
    if clock.layers is not None:
        raise UsageError("this file has times that were recorded", "--layers", "drop it")
    return document.trace.timeline, True


def _require_room(arguments: Namespace) -> None:
    """Refuse what is too large to draw before it takes its time."""
    from reports.errors import PictureError
    from reports.figures.gantt import MOST_BARS
    from schedules.delays import require_room

    get_family(arguments.source)
    ranks, microbatches = size(arguments, arguments.source)
    if arguments.what == "delays":
        require_room(stages(arguments, arguments.source), microbatches)
    elif 2 * ranks * microbatches > MOST_BARS:
        raise PictureError(
            f"a picture shows at most {MOST_BARS} actions, and p = {ranks} ranks with M = "
            f"{microbatches} microbatches make at least 2·p·M = {2 * ranks * microbatches}",
            arguments.source,
            "draw fewer microbatches",
        )


def _picture(arguments: Namespace, line: Timeline, measured: bool, clock: Clock) -> Picture:
    if arguments.what == "delays":
        file = is_file(arguments.source)
        family = FAMILIES.get(line.schedule.name) if file else get_family(arguments.source)
        return _delays(line, arguments.linearization or DEFAULT, family)
    if arguments.what == "staleness":
        return _staleness(line.schedule)
    read = _versions(line.schedule) if arguments.what == "versions" else None
    picture = _run(line, measured, clock, read)
    whole = arguments.all or measured or clock.layers is not None
    return picture if whole else picture.in_short()


def _wrong(arguments: Namespace, schedule: Schedule, measured: bool) -> tuple[str, ...]:
    """What does not hold of a schedule that is not our own and did not run; stderr says it."""
    own = not (is_file(arguments.source) or is_family_file(arguments.source))
    return () if measured or own else doubts(schedule)


def _marked(picture: Picture, wrong: tuple[str, ...]) -> Any:
    """The picture, with what does not hold of its schedule above it."""
    if not wrong:
        return picture
    shown: Any = picture  # each kind of picture has a title
    return replace(shown, title=f"{shown.title}: {NOT_RIGHT} ({', '.join(wrong)})")


def _versions(schedule: Schedule) -> Versions:
    from schedules import versions

    return versions(schedule)


def _run(line: Timeline, measured: bool, clock: Clock, read: Versions | None = None) -> Gantt:
    from reports.drawing import run_messages, run_picture
    from schedules.analysis.critical_path import critical_indices

    if measured:
        return run_picture(line, _title(line.schedule), "recorded times", read=read, unit="time")
    busy, total = line.busy, line.schedule.ranks * line.length
    share = f" ({1 - busy / total:.1%})" if total else ""
    costs = clock.costs(line.schedule)
    if costs is None:
        idle = f"idle {line.idle} of {total}{share}"
        messages = run_messages(line)
        note = f"{line.length} slots; {idle}{_unseen(line.schedule, len(messages))}"
        picture = run_picture(line, _title(line.schedule), note, read=read)
        return replace(picture, messages=messages)
    path = critical_indices(line, costs.message_time)
    said = (
        f"{clock.text(line.length)} ({costs.layers.file}); idle{share}; outlined: a critical path"
    )
    return run_picture(line, _title(line.schedule), said, path, costs.layers.ticks, read, "time")


def _delays(line: Timeline, linearization: str, family: Family | None) -> Picture:
    from reports.drawing import Matrix
    from schedules import Unsteady, delays, get_linearization, steady

    schedule = line.schedule
    ranks, way = schedule.ranks, get_linearization(linearization)
    why, unit = (family.why_unsteady(ranks, way), family.unit(ranks)) if family else ("", 1)
    found = Unsteady(why) if why else steady(delays(line, linearization), unit)
    if isinstance(found, Unsteady):
        raise InputError(
            f"there is no steady delay matrix, as {found.why}",
            schedule.name,
            "draw --what timeline or --what staleness",
        )
    return Matrix(
        _title(schedule),
        f"steady global delay, {linearization} linearization: max {found.max}, mean {found.mean}",
        "active stage i",
        "block j",
        tuple(map(tuple, found.rows.tolist())),
    )


def _staleness(schedule: Schedule) -> Picture:
    from reports.drawing import Matrix
    from schedules import versions

    found = versions(schedule).local_staleness
    return Matrix(
        _title(schedule),
        f"local staleness, weight policy {schedule.policy.name}: max {int(found.max(initial=0))}",
        "stage",
        "microbatch",
        tuple(map(tuple, found.tolist())),
    )


def _unseen(schedule: Schedule, arrows: int) -> str:
    """What a picture leaves out; an arrow stands for a send and a receive."""
    from schedules.actions import RUNS

    others = sum(int(kind) not in RUNS for kind in schedule.kind) - 2 * arrows
    what = "other actions" if arrows else "messages and updates"
    return f"; {others} {what} are in --html alone" if others else ""


def _name(schedule: Schedule) -> str:
    """The name of a schedule; of a file, without the folders of this machine; in one line."""
    return one_line(os.path.basename(schedule.name) or schedule.name)


def _title(schedule: Schedule) -> str:
    given: dict[str, Any] = {"p": schedule.ranks, "M": schedule.microbatches}
    given |= dict(schedule.parameters)
    return f"{_name(schedule)}: " + ", ".join(f"{name} = {value}" for name, value in given.items())


COMMAND: Final = Command.of(__doc__, configure, run)
