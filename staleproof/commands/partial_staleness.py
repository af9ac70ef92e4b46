"""``staleproof partial-staleness``: the fewest stale layers with which training never waits.

Reads layers in forward order: a CSV file with the columns layer, backward, forward and
communication, durations in any one unit; a column after, with names separated by semicolons, makes
it a graph. Finds the fewest stale layers with which computation never waits for a gradient, and
shows the timeline. Exit code 1: no number of them is enough, or with --as-printed the paper's
answer stalls.
"""

from argparse import Namespace
from typing import Final

from staleproof.arguments import Parser, add_json
from staleproof.commands.command import Command
from staleproof.errors import InputError
from staleproof.output import put, put_json, width


def configure(parser: Parser) -> None:
    """Add the arguments of ``partial-staleness``."""
    parser.takes(
        """
        file LAYERS.csv  the layers and their durations
        --as-printed  take the paper's answer: that of its program, or for a graph of its
            algorithms
        --picture OUT  draw it: an .svg, .png or .pdf file
        """
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Answer, draw and print; 1 if there is no answer, or computation has to wait with it."""
    from schedules.partial_staleness import read_layers
    from staleproof.partial_staleness.answers import answers
    from staleproof.partial_staleness.shown import Line, picture, timeline_of
    from staleproof.partial_staleness.texts import as_json, lines, title

    if arguments.picture is not None:
        from reports.drawing import require_destination

        require_destination(arguments.picture)
    found = answers(read_layers(arguments.file))
    chosen = found.printed if arguments.as_printed else found.right
    if chosen is None:
        raise InputError(
            "the printed algorithms go through a graph too often to come to an end",
            arguments.file,
            "drop --as-printed, or take a smaller graph",
        )
    line = timeline_of(found.model, chosen)
    if arguments.picture is not None:
        from reports.drawing import save_picture

        if not isinstance(line, Line):
            raise InputError(
                f"there is no timeline to draw: {line}", arguments.file, "drop --picture"
            )
        save_picture(picture(line, *title(found, chosen)), arguments.picture)
    if arguments.json:
        put_json(as_json(found, chosen, line) | {"picture": arguments.picture})
    else:
        put(*lines(found, chosen, line, width()))
    return 0 if chosen.holds else 1


COMMAND: Final = Command.of(__doc__, configure, run)
