"""``python -m tests.gloo_replay FILE``: replay a schedule file, print what happened as JSON.

Exit code 0 if it completed and every tensor arrived where it belongs, 1 if not, 2 for bad input.
"""

from __future__ import annotations

import argparse
import json
import sys

from schedules.errors import ScheduleError
from schedules.formats import read_document
from tests.gloo_replay.run import Replay, replay


def main(arguments: list[str] | None = None) -> int:
    """Read the file, replay it, print one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m tests.gloo_replay", description=__doc__)
    parser.add_argument("file", help="a lowered schedule, in any format that staleproof reads")
    parser.add_argument(
        "--patience",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="call it a hang if nothing moves for so long (default 5)",
    )
    given = parser.parse_args(arguments)
    try:
        found = replay(read_document(given.file).schedule, given.patience)
    except ScheduleError as error:
        print(json.dumps({"error": {"what": error.what, "where": error.where, "fix": error.fix}}))
        return 2
    print(json.dumps(as_data(found)))
    return 0 if found.completed and not found.wrong else 1


def as_data(found: Replay) -> dict[str, object]:
    """A replay as plain data."""
    schedule = found.schedule

    def stands(index: int) -> dict[str, str]:
        return {"action": str(schedule.action(index)), "place": schedule.place(index)}

    return {
        "completed": found.completed,
        "actions": len(schedule),
        "ended": len(found.ended),
        "heads": [stands(index) for index in found.heads],
        "wrong": [
            {**stands(wrong.index), "expected": wrong.expected, "arrived": wrong.arrived}
            for wrong in found.wrong
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
