"""The arguments of a measurement: what there is, and how each is read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from schedules.errors import ParameterError
from schedules.policies import POLICY_NAMES

TRANSPORTS: Final = ("threads", "gloo", "nccl", "torch")
DEVICES: Final = ("cpu", "cuda")
MODELS: Final = ("mlp", "transformer")
OPTIMIZERS: Final = ("sgd", "momentum", "adamw", "nadam")
ORDERS: Final = ("static", "free-running")
HASHINGS: Final = ("off", "sampled", "full")


@dataclass(frozen=True)
class Defaults:
    """What holds for an option that is not given."""

    transport: str = "threads"
    device: str = "cpu"
    order: str = "static"
    hashing: str = "sampled"
    repeats: int = 1


DEFAULTS: Final = Defaults()


def add_schedule(parser: argparse.ArgumentParser) -> None:
    """Add FAMILY and what describes it."""
    parser.add_argument(
        "schedule",
        metavar="FAMILY|FILE",
        nargs="?",
        help="a schedule family with its -p, or a schedule file",
    )
    parser.add_argument("-p", metavar="RANKS", type=whole("-p"), help="number of ranks")
    parser.add_argument(
        "-m",
        metavar="MICROBATCHES",
        type=whole("-m"),
        help="number of microbatches (for a family 4 times the ranks unless given)",
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter of the family, see `staleproof families`; may be repeated",
    )
    parser.add_argument(
        "--policy", metavar="NAME", help=f"weight policy: {', '.join(POLICY_NAMES)} (the family's)"
    )
    parser.add_argument(
        "--interval", metavar="K", type=whole("--interval"), help="gradients an update, of --policy"
    )
    parser.add_argument(
        "--horizon",
        metavar="K",
        type=whole("--horizon", 0),
        help="updates ahead, of --policy predict",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add how to run it."""
    parser.add_argument(
        "--transport", metavar="NAME", help=f"{', '.join(TRANSPORTS)} ({DEFAULTS.transport})"
    )
    parser.add_argument(
        "--device", metavar="NAME", help=f"{', '.join(DEVICES)} ({DEFAULTS.device})"
    )
    parser.add_argument(
        "--order",
        metavar="NAME",
        help="static: the order of the schedule; free-running: the family's rule on what has "
        f"really arrived ({DEFAULTS.order})",
    )
    parser.add_argument(
        "--hashing",
        metavar="HOW",
        help=f"when weights are hashed: {', '.join(HASHINGS)} ({DEFAULTS.hashing}; controls always "
        "hash all)",
    )
    parser.add_argument(
        "--repeats", metavar="N", type=whole("--repeats"), help=f"runs ({DEFAULTS.repeats})"
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        default=None,
        help="run once more under torch.profiler: communication share and overlap",
    )
    parser.add_argument(
        "--no-replay",
        action="store_true",
        default=None,
        help="do not compare final weights with a replay in a single thread",
    )
    parser.add_argument(
        "--no-broken-runs",
        action="store_true",
        default=None,
        help="controls change the log instead of running with faults",
    )
    parser.add_argument(
        "--jitter",
        metavar="SECONDS",
        type=number("--jitter"),
        help="longest random pause before a computation (0)",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number("--timeout"),
        help="give up after so long without progress (60)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="REL",
        type=number("--tolerance"),
        help="relative distance of final weights from the replay (0: the same bits)",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add what is trained."""
    parser.add_argument("--model", metavar="NAME", help=f"{', '.join(MODELS)} ({MODELS[0]})")
    parser.add_argument(
        "--module",
        metavar="PATH:FACTORY",
        help="a model of your own: a function that returns an nn.Sequential",
    )
    for name, meaning in (
        ("width", "features"),
        ("depth", "blocks of a stage"),
        ("batch", "samples of a microbatch"),
        ("length", "tokens of a sequence"),
    ):
        parser.add_argument(f"--{name}", metavar="N", type=whole(f"--{name}"), help=meaning)
    parser.add_argument("--optimizer", metavar="NAME", help=f"{', '.join(OPTIMIZERS)} (sgd)")
    for name, meaning in (
        ("lr", "step size"),
        ("momentum", "of --optimizer momentum"),
        ("weight-decay", "decoupled decay"),
    ):
        parser.add_argument(f"--{name}", metavar="X", type=number(f"--{name}"), help=meaning)
    parser.add_argument(
        "--seed", metavar="N", type=whole("--seed", 0), help="of weights, data and pauses (0)"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where results go."""
    parser.add_argument("-o", metavar="LOG", help="write the log of the first run (.jsonl)")
    parser.add_argument(
        "--chrome", metavar="FILE", help="write the first run for Perfetto (.trace.json)"
    )
    parser.add_argument(
        "--write-layers",
        metavar="FILE",
        help="write what the stages took, for plan and --layers (.csv)",
    )
    parser.add_argument(
        "--check",
        metavar="LOG",
        nargs="+",
        help="run nothing: judge this log, the logs of all ranks, or a folder of them",
    )
    parser.add_argument(
        "--against", metavar="FAMILY|FILE", help="with --check: the schedule, if not named first"
    )
    parser.add_argument(
        "--require",
        metavar="CHECK,…",
        type=lambda text: text.split(","),
        help="with --check: checks that must be decided too, such as lamport,messages",
    )
    parser.add_argument(
        "--replay",
        action="store_true",
        help="with --check: also compare final weights with a replay of the same model here",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def whole(option: str, least: int = 1) -> Callable[[str], int]:
    """Read a whole number of at least `least`, in plain digits.

    Examples
    --------
    >>> whole("-p")("4")
    4
    """

    def read(text: str) -> int:
        if re.fullmatch(r"[0-9]{1,18}", text) and int(text) >= least:
            return int(text)
        raise ParameterError(
            f"a whole number of {least} or more is needed, found {shown(text)}",
            option,
            "write it in plain digits, such as 8",
        )

    return read


def number(option: str) -> Callable[[str], float]:
    """Read a number of 0 or more.

    Examples
    --------
    >>> number("--lr")("1e-3")
    0.001
    """

    def read(text: str) -> float:
        if re.fullmatch(r"[0-9]{0,18}\.?[0-9]{0,18}(e-?[0-9]{1,2})?", text) and text[:1] not in "e":
            try:
                return float(text)
            except ValueError:
                pass
        raise ParameterError(
            f"a number of 0 or more is needed, found {shown(text)}", option, "write 0.01 or 1e-2"
        )

    return read


def shown(text: str) -> str:
    """Quote an argument, shortened."""
    return repr(text) if len(text) <= 40 else f"{text[:40] + '…'!r} ({len(text)} characters)"
