"""The arguments of ``staleproof plan --synthesize``."""

import math
from argparse import Namespace
from dataclasses import dataclass
from typing import Final

from schedules.placement import Placement
from staleproof.arguments import Parser, positive, suggestion
from staleproof.checking.options import Options, read_buffer, read_queues
from staleproof.errors import UsageError
from staleproof.output import shown

PLACEMENTS: Final = ("loop", "v")
SECONDS: Final = 60.0
OWN: Final = ("chunks", "placement", "window", "time_limit", "queues", "buffer", "o")
"""Arguments that say nothing without ``--synthesize``."""


def add_synthesis(parser: Parser) -> None:
    """Add the arguments of synthesis."""
    parser.takes(
        f"""
        --synthesize  find the best order itself (needs staleproof[plan])
        --chunks C  stages a rank (default 1)
        --placement NAME  of several chunks: loop (default) or v, 2 chunks
        --window W  microbatches an update (default: all M, one step)
        --time-limit SECONDS  of the search (default {SECONDS:g})
        --queues KEY  as for `staleproof check`
        --buffer K  as for `staleproof check`
        -o OUT  file for the order with its messages, of any format
        """,
        chunks=positive("--chunks"),
        window=positive("--window"),
    )


@dataclass(frozen=True)
class Asked:
    """What is to be synthesised.

    Attributes
    ----------
    placement : Placement
    words : str
        The placement, for people.
    microbatches, window : int
    seconds : float
    options : Options
        Queues and buffers in which the order must not deadlock.
    out : str or None
    """

    placement: Placement
    words: str
    microbatches: int
    window: int
    seconds: float
    options: Options
    out: str | None


def asked(arguments: Namespace) -> Asked | None:
    """What the arguments ask for; None without ``--synthesize``.

    Raises
    ------
    UsageError
        An argument that it takes is no such, or is given without it.
    """
    if not arguments.synthesize:
        for name in OWN:
            if getattr(arguments, name) is not None:
                option = "-o" if name == "o" else f"--{name.replace('_', '-')}"
                raise UsageError("it is for --synthesize", option, "add --synthesize, or drop it")
        return None
    if arguments.m % (arguments.window or 1):
        raise UsageError(
            f"windows of equal size make up the microbatches, found {arguments.m} microbatches and "
            f"windows of {arguments.window}",
            "--window",
            "take a divisor",
        )
    placement, words = _placement(arguments)
    from schedules.formats import format_of_name

    if arguments.o is not None and format_of_name(arguments.o) is None:
        raise UsageError(
            f"the end of its name tells the format of a schedule file, found {shown(arguments.o)}",
            "-o",
            "name it ORDER.csv or ORDER.json",
        )
    options = Options(
        queues=read_queues(arguments.queues or "rank", "--queues"),
        buffer=read_buffer(0 if arguments.buffer is None else arguments.buffer, "--buffer"),
    )
    seconds = SECONDS if arguments.time_limit is None else _seconds(arguments.time_limit)
    return Asked(
        placement,
        words,
        arguments.m,
        arguments.window or arguments.m,
        seconds,
        options,
        arguments.o,
    )


def _placement(arguments: Namespace) -> tuple[Placement, str]:
    name = arguments.placement or "loop"
    if name not in PLACEMENTS:
        raise UsageError(
            f"stages are placed {' or '.join(PLACEMENTS)}, not {shown(name)}",
            "--placement",
            suggestion(name, PLACEMENTS) or "name one of them",
        )
    chunks = arguments.chunks or (2 if name == "v" else 1)
    if name == "v":
        if chunks != 2:
            raise UsageError(
                f"a V has 2 chunks, found {chunks}", "--chunks", "take 2, or --placement loop"
            )
        return Placement.v_shape(arguments.p), "two stages a rank, in a V"
    words = "one stage a rank" if chunks == 1 else f"{chunks} stages a rank, in a loop"
    return Placement.loop(arguments.p, chunks), words


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 10**6:
        raise UsageError(
            f"a number of seconds above 0 is needed, found {shown(text)}",
            "--time-limit",
            "write it as 60",
        )
    return value
